/* SPDX-License-Identifier: MIT */
/* Common part of all outputs: validates states before the backend tests or commits them. */

#include "backend/output.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

void output_init(struct output *output, const struct output_impl *impl, const char *name)
{
	assert(impl->destroy && impl->test && impl->commit);
	*output = (struct output){.impl = impl, .name = xstrdup(name)};
	addon_set_init(&output->addons);
	signals_init(&output->events, sizeof(output->events));
}

void output_finish(struct output *output)
{
	signal_emit(&output->events.destroy, output);
	addon_set_finish(&output->addons);
	assert(signals_are_unused(&output->events, sizeof(output->events)));
	free(output->name);
	free(output->make);
	free(output->model);
	free(output->serial);
	free(output->description);
	free(output->modes);
}

void output_destroy(struct output *output)
{
	if (output) {
		output->impl->destroy(output);
	}
}

void output_state_init(struct output_state *state)
{
	/* `planes` stays uninitialised: n_planes counts the valid ones, and the array is large. */
	state->fields = 0;
	state->enabled = false;
	state->mode = (struct output_mode){0};
	state->adaptive_sync = false;
	state->gamma = NULL;
	state->bit_depth = 0;
	state->color_matrix = NULL;
	state->content = OUTPUT_CONTENT_NONE;
	state->n_planes = 0;
}

struct plane_state *output_state_add_plane(struct output_state *state, const struct plane *plane)
{
	assert(state->n_planes < OUTPUT_PLANES_MAX);
	state->fields |= OUTPUT_PLANES;
	state->planes[state->n_planes].plane = plane;
	struct plane_state *added = &state->planes[state->n_planes].state;
	*added = (struct plane_state){.alpha = 1, .zpos = plane->zpos_min, .acquire_fence = -1};
	state->n_planes++;
	return added;
}

static bool has_mode(const struct output *output, const struct output_mode *mode)
{
	if (output->custom_modes) {
		return mode->width > 0 && mode->height > 0 && mode->refresh > 0;
	}
	for (size_t i = 0; i < output->n_modes; i++) {
		if (output_mode_equal(&output->modes[i], mode)) {
			return true;
		}
	}
	return false;
}

static bool planes_possible(const struct output *output, const struct output_state *state)
{
	for (int i = 0; i < state->n_planes; i++) {
		const struct plane *plane = state->planes[i].plane;
		if (plane->index >= output->n_planes || output->planes[plane->index] != plane) {
			return false;
		}
		for (int j = 0; j < i; j++) {
			if (state->planes[j].plane == plane) {
				return false;
			}
		}
	}
	return true;
}

static bool possible(const struct output *output, const struct output_state *state)
{
	bool enabled = state->fields & OUTPUT_ENABLED ? state->enabled : output->enabled;
	if (output->leased) {
		return false;
	}
	if ((state->fields & OUTPUT_MODE) && !has_mode(output, &state->mode)) {
		return false;
	}
	if (enabled && !(state->fields & OUTPUT_MODE) && output->mode.width <= 0) {
		return false;
	}
	if ((state->fields & OUTPUT_TEARING) && !(state->fields & OUTPUT_PLANES)) {
		return false;
	}
	if (((state->fields & OUTPUT_GAMMA) && output->gamma_size == 0) ||
		((state->fields & OUTPUT_BIT_DEPTH) && output->max_bit_depth == 0) ||
		((state->fields & OUTPUT_COLOR_MATRIX) && !output->has_color_matrix) ||
		((state->fields & OUTPUT_CONTENT) && !output->has_content)) {
		return false;
	}
	if (state->fields & OUTPUT_PLANES) {
		return enabled && planes_possible(output, state);
	}
	return true;
}

/* Returns a square that covers the size, limited to the plane's maximum. */
static struct plane_size square(const struct plane *plane, int32_t width, int32_t height)
{
	int32_t side = 64, most = width > height ? width : height;
	while (side < most) {
		side *= 2;
	}
	bool wide = plane->max_width > 0 && side > plane->max_width;
	bool high = plane->max_height > 0 && side > plane->max_height;
	return (struct plane_size){wide ? plane->max_width : side, high ? plane->max_height : side};
}

bool plane_fit(const struct plane *plane, int32_t *width, int32_t *height)
{
	struct plane_size best = {0};
	for (int i = 0; i < plane->n_sizes; i++) {
		struct plane_size size = plane->sizes[i];
		bool fits = size.width >= *width && size.height >= *height;
		if (fits && (!best.width || (int64_t)size.width * size.height <
						    (int64_t)best.width * best.height)) {
			best = size;
		}
	}
	if (plane->n_sizes == 0) {
		best = square(plane, *width, *height);
	}
	bool fits = best.width >= *width && best.height >= *height;
	*width = best.width;
	*height = best.height;
	return fits;
}

bool output_test(struct output *output, const struct output_state *state)
{
	output->refusal_may_pass = false;
	return possible(output, state) && output->impl->test(output, state);
}

static uint32_t next_number(const struct output *output)
{
	return output->last_commit + 1 ? output->last_commit + 1 : 1;
}

static void take_over(struct output *output, const struct output_state *state)
{
	output->last_commit = next_number(output);
	if (state->fields & OUTPUT_ENABLED) {
		output->enabled = state->enabled;
	}
	if (state->fields & OUTPUT_MODE) {
		output->mode = state->mode;
	}
	if (state->fields & OUTPUT_ADAPTIVE_SYNC) {
		output->adaptive_sync = state->adaptive_sync;
	}
	if (state->fields & OUTPUT_BIT_DEPTH) {
		output->bit_depth = state->bit_depth;
	}
	if (state->fields & OUTPUT_CONTENT) {
		output->content = state->content;
	}
}

uint32_t output_commit(struct output *output, const struct output_state *state)
{
	if (!possible(output, state)) {
		log_debug(LOG_BACKEND, "%s: invalid output state", output->name);
		return 0;
	}
	if (!output->impl->commit(output, state, next_number(output))) {
		return 0;
	}
	take_over(output, state);
	return output->last_commit;
}

static bool in_one_step(const struct output *a, const struct output *b)
{
	return a->impl == b->impl && a->impl->together && a->gpu == b->gpu;
}

/*
 * Moves the first change of `left` and all others with the same GPU to `group`; returns their
 * number.
 */
static size_t take_group(struct output_change *left, size_t *n_left, struct output_change *group)
{
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < *n_left; i++) {
		if (i == 0 || in_one_step(group[0].output, left[i].output)) {
			group[n++] = left[i];
		} else {
			left[kept++] = left[i];
		}
	}
	*n_left = kept;
	return n;
}

static bool change_group(const struct output_change *group, size_t n, bool test)
{
	struct output *first = group[0].output;
	if (n > 1) {
		return first->impl->together(group, n, test);
	}
	return test ? first->impl->test(first, group[0].state)
		    : first->impl->commit(first, group[0].state, next_number(first));
}

static bool change_all(const struct output_change *changes, size_t n, bool test)
{
	struct output_change *left = xcalloc(n + 1, sizeof(*left));
	struct output_change *group = xcalloc(n + 1, sizeof(*group));
	bool all = true;
	for (size_t i = 0; i < n; i++) {
		assert(!(changes[i].state->fields & OUTPUT_PLANES));
		all = all && possible(changes[i].output, changes[i].state);
		left[i] = changes[i];
	}
	for (size_t n_left = n; all && n_left > 0;) {
		size_t n_group = take_group(left, &n_left, group);
		all = change_group(group, n_group, test);
		for (size_t i = 0; all && !test && i < n_group; i++) {
			take_over(group[i].output, group[i].state);
		}
	}
	free(left);
	free(group);
	return all;
}

bool outputs_test(const struct output_change *changes, size_t n)
{
	return change_all(changes, n, true);
}

bool outputs_commit(const struct output_change *changes, size_t n)
{
	return change_all(changes, n, false);
}

const char *output_lacks(const struct output *output)
{
	return !output->enabled && output->impl->lacks ? output->impl->lacks(output) : NULL;
}

struct plane *output_primary_plane(const struct output *output)
{
	for (int i = 0; i < output->n_planes; i++) {
		if (output->planes[i]->type == PLANE_PRIMARY) {
			return output->planes[i];
		}
	}
	assert(!"every output has a primary plane");
	return NULL;
}
