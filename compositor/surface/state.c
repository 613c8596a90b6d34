/* SPDX-License-Identifier: MIT */
/* Surface state: merging, derived sizes, and conversion between surface and buffer coordinates. */

#include "surface/state.h"
#include "surface/internal.h"
#include "util/account.h"
#include "util/list.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Damage with more rectangles is reduced to its extents. */
#define DAMAGE_MAX 64
/** Tolerance for rounding errors, in pixels; far below the visible threshold of any filter. */
#define GRAIN (1.0 / (1 << 20))

void surface_state_init(struct surface_state *state)
{
	*state = (struct surface_state){.scale = 1, .alpha = 1};
	pixman_region32_init(&state->surface_damage);
	pixman_region32_init(&state->buffer_damage);
	pixman_region32_init(&state->opaque);
	pixman_region32_init_rect(&state->input, INT32_MIN, INT32_MIN, UINT32_MAX, UINT32_MAX);
	list_init(&state->frame_callbacks);
	list_init(&state->feedbacks);
}

/* Bytes to charge for a region of the state. The scene keeps a copy of each opaque region. */
static int64_t region_cost(const struct surface_state *state, const pixman_region32_t *region)
{
	return (int64_t)region_bytes(region) * (region == &state->opaque ? 2 : 1);
}

void surface_state_set_region(
	struct surface_state *state, pixman_region32_t *region, const pixman_region32_t *from)
{
	account_uncharge(state->account, ACCOUNT_BYTES, region_cost(state, region));
	pixman_region32_copy(region, (pixman_region32_t *)from);
	account_charge(state->account, ACCOUNT_BYTES, region_cost(state, region));
}

static void free_region(struct surface_state *state, pixman_region32_t *region)
{
	account_uncharge(state->account, ACCOUNT_BYTES, region_cost(state, region));
	pixman_region32_fini(region);
}

/* Regions are moved from state to state: a copy in each queued update would be unbounded memory. */
static void move_region(struct surface_state *state, pixman_region32_t *to, pixman_region32_t *from)
{
	free_region(state, to);
	*to = *from;
	pixman_region32_init(from);
}

void surface_state_discard_feedback(struct surface_state *state)
{
	while (!list_is_empty(&state->feedbacks)) {
		struct presentation_feedback *feedback =
			wl_container_of(state->feedbacks.next, feedback, link);
		wl_list_remove(&feedback->link);
		list_init(&feedback->link);
		feedback->discarded(feedback);
	}
}

static void drop_frame_callbacks(struct surface_state *state)
{
	while (!list_is_empty(&state->frame_callbacks)) {
		struct frame_callback *callback =
			wl_container_of(state->frame_callbacks.next, callback, link);
		wl_list_remove(&callback->link);
		list_init(&callback->link);
		callback->drop(callback);
	}
}

void surface_state_finish(struct surface_state *state)
{
	buffer_replace(&state->buffer, NULL);
	drop_frame_callbacks(state);
	surface_state_discard_feedback(state);
	pixman_region32_fini(&state->surface_damage);
	pixman_region32_fini(&state->buffer_damage);
	free_region(state, &state->opaque);
	free_region(state, &state->input);
	for (int i = 0; i < state->n_extensions; i++) {
		surface_state_drop_extension(state, i);
	}
	free(state->extensions);
	free(state->children);
}

/* Moves `from` into `to` and leaves `from` empty. If `to` is empty, swaps instead of copying. */
static void move_damage(pixman_region32_t *to, pixman_region32_t *from)
{
	if (!pixman_region32_not_empty(from)) {
		return;
	}
	if (!pixman_region32_not_empty(to)) {
		pixman_region32_t swap = *to;
		*to = *from;
		*from = swap;
	} else {
		pixman_region32_union(to, to, from);
		region_simplify(to, DAMAGE_MAX);
	}
	pixman_region32_clear(from);
}

static void copy_children(struct surface_state *to, const struct surface_state *from)
{
	if (to->n_children != from->n_children) {
		to->children =
			xrealloc(to->children, (size_t)from->n_children, sizeof(from->children[0]));
		to->n_children = from->n_children;
	}
	if (from->n_children > 0) {
		memcpy(to->children, from->children,
			(size_t)from->n_children * sizeof(from->children[0]));
	}
}

static void take_derived(struct surface_state *to, const struct surface_state *from)
{
	to->has_content = from->has_content;
	to->opaque_buffer = from->opaque_buffer;
	to->width = from->width;
	to->height = from->height;
	to->buffer_width = from->buffer_width;
	to->buffer_height = from->buffer_height;
}

void surface_state_merge(struct surface_state *to, struct surface_state *from)
{
	if (from->fields & SURFACE_BUFFER) {
		buffer_replace(&to->buffer, from->buffer);
		buffer_replace(&from->buffer, NULL);
	}
	move_damage(&to->surface_damage, &from->surface_damage);
	move_damage(&to->buffer_damage, &from->buffer_damage);
	if (from->fields & SURFACE_OPAQUE) {
		move_region(to, &to->opaque, &from->opaque);
	}
	if (from->fields & SURFACE_INPUT) {
		move_region(to, &to->input, &from->input);
	}
	if (from->fields & SURFACE_CHILDREN) {
		copy_children(to, from);
	}
	/* Copying these is cheaper than testing `fields`; `from` always has the latest values. */
	to->transform = from->transform;
	to->scale = from->scale;
	to->viewport = from->viewport;
	to->alpha = from->alpha;
	to->content_type = from->content_type;
	to->coding = from->coding;
	if (to->buffer) {
		to->buffer->coding = from->coding;
	}
	to->tearing = from->tearing;
	to->committed = from->committed;
	if (from->fields & SURFACE_NOT_BEFORE) {
		to->not_before = from->not_before;
	}
	if (from->dx != 0 || from->dy != 0) {
		to->dx = coord_sum(to->dx, from->dx);
		to->dy = coord_sum(to->dy, from->dy);
		from->dx = from->dy = 0;
	}
	wl_list_insert_list(to->frame_callbacks.prev, &from->frame_callbacks);
	list_init(&from->frame_callbacks);
	surface_state_discard_feedback(to);
	if (!list_is_empty(&from->feedbacks)) {
		wl_list_insert_list(&to->feedbacks, &from->feedbacks);
		list_init(&from->feedbacks);
	}
	take_derived(to, from);
	for (int i = 0; i < from->n_extensions; i++) {
		surface_state_merge_extension(to, from, i);
	}
	to->fields = (to->fields & ~SURFACE_FEEDBACK) | from->fields;
	from->fields = 0;
}

/* Computes the surface's size before the viewport; at least 1x1 if there is a buffer. */
static void plain_size(const struct surface_state *state, int32_t *width, int32_t *height)
{
	bool swap = transform_swaps(state->transform);
	int32_t w = (swap ? state->buffer_height : state->buffer_width) / state->scale;
	int32_t h = (swap ? state->buffer_width : state->buffer_height) / state->scale;
	*width = w > 0 ? coord_clamp(w) : 1;
	*height = h > 0 ? coord_clamp(h) : 1;
}

static enum surface_state_error derive_size(struct surface_state *state)
{
	const struct viewport *viewport = &state->viewport;
	int32_t width, height;
	plain_size(state, &width, &height);
	state->width = width;
	state->height = height;
	if (viewport->has_src) {
		state->width = (int32_t)ceil(viewport->src.width);
		state->height = (int32_t)ceil(viewport->src.height);
	}
	if (viewport->has_dst) {
		state->width = viewport->dst_width;
		state->height = viewport->dst_height;
	}
	if (viewport->has_src && (viewport->src.x + viewport->src.width > width ||
					 viewport->src.y + viewport->src.height > height)) {
		return SURFACE_STATE_VIEWPORT_OUTSIDE;
	}
	if (viewport->has_src && !viewport->has_dst &&
		(state->width != viewport->src.width || state->height != viewport->src.height)) {
		return SURFACE_STATE_VIEWPORT_SIZE;
	}
	if (state->buffer_width % state->scale || state->buffer_height % state->scale) {
		return SURFACE_STATE_BAD_SIZE;
	}
	return SURFACE_STATE_OK;
}

static void fold_damage(struct surface_state *state)
{
	if (pixman_region32_not_empty(&state->surface_damage)) {
		surface_state_to_buffer(state, &state->surface_damage, &state->surface_damage);
		move_damage(&state->buffer_damage, &state->surface_damage);
		state->fields |= SURFACE_BUFFER_DAMAGE;
	}
	state->fields &= ~(uint32_t)SURFACE_DAMAGE;
}

enum surface_state_error surface_state_derive(struct surface_state *state)
{
	if (state->fields & SURFACE_BUFFER) {
		struct buffer *buffer = state->buffer;
		state->has_content = buffer != NULL;
		state->opaque_buffer = buffer && buffer_is_opaque(buffer);
		state->buffer_width = buffer ? buffer->width : 0;
		state->buffer_height = buffer ? buffer->height : 0;
	}
	if (!state->has_content) {
		state->width = state->height = 0;
		pixman_region32_clear(&state->surface_damage);
		pixman_region32_clear(&state->buffer_damage);
		state->fields &= ~(uint32_t)(SURFACE_DAMAGE | SURFACE_BUFFER_DAMAGE);
		return SURFACE_STATE_OK;
	}
	enum surface_state_error error = derive_size(state);
	fold_damage(state);
	return error;
}

/* Computes the displayed part of the buffer, in buffer pixels with the transform undone. */
static void upright_source(const struct surface_state *state, struct fbox *source)
{
	bool swap = transform_swaps(state->transform);
	double width = swap ? state->buffer_height : state->buffer_width;
	double height = swap ? state->buffer_width : state->buffer_height;
	*source = (struct fbox){0, 0, width, height};
	if (!state->viewport.has_src) {
		return;
	}
	/*
	 * A source outside of the buffer is the client's error, but the result must stay within it.
	 */
	const struct fbox *src = &state->viewport.src;
	double x1 = fmin(src->x * state->scale, width), y1 = fmin(src->y * state->scale, height);
	double x2 = fmin((src->x + src->width) * state->scale, width);
	double y2 = fmin((src->y + src->height) * state->scale, height);
	*source = (struct fbox){x1, y1, x2 - x1, y2 - y1};
}

void surface_state_source(const struct surface_state *state, struct fbox *source)
{
	bool swap = transform_swaps(state->transform);
	upright_source(state, source);
	transform_fbox(source, source, state->transform,
		swap ? state->buffer_height : state->buffer_width,
		swap ? state->buffer_width : state->buffer_height);
}

/* Scales one box to another. */
struct mapping {
	struct fbox from, to;
};

static void map_box(const struct mapping *mapping, struct fbox *box)
{
	const struct fbox *from = &mapping->from, *to = &mapping->to;
	double sx = to->width / from->width, sy = to->height / from->height;
	box->x = to->x + (box->x - from->x) * sx;
	box->y = to->y + (box->y - from->y) * sy;
	box->width *= sx;
	box->height *= sy;
}

static int32_t to_int(double value)
{
	return (int32_t)fmax(fmin(value, INT32_MAX), INT32_MIN);
}

/* Rounds the edges outward. */
static pixman_box32_t outset(const struct fbox *in)
{
	return (pixman_box32_t){
		.x1 = to_int(floor(in->x + GRAIN)),
		.y1 = to_int(floor(in->y + GRAIN)),
		.x2 = to_int(ceil(in->x + in->width - GRAIN)),
		.y2 = to_int(ceil(in->y + in->height - GRAIN)),
	};
}

/* An optional scaling, a transform within width x height, and another optional scaling. */
struct conversion {
	const struct mapping *before, *after;
	enum wl_output_transform transform;
	double width, height;
};

static void map_region(pixman_region32_t *region, const struct conversion *conversion)
{
	pixman_box32_t few[DAMAGE_MAX];
	int n;
	const pixman_box32_t *in = pixman_region32_rectangles(region, &n);
	pixman_box32_t *out = n > DAMAGE_MAX ? xcalloc((size_t)n, sizeof(*out)) : few;
	for (int i = 0; i < n; i++) {
		struct fbox box = {in[i].x1, in[i].y1, in[i].x2 - in[i].x1, in[i].y2 - in[i].y1};
		if (conversion->before) {
			map_box(conversion->before, &box);
		}
		transform_fbox(
			&box, &box, conversion->transform, conversion->width, conversion->height);
		if (conversion->after) {
			map_box(conversion->after, &box);
		}
		out[i] = outset(&box);
	}
	pixman_region32_t mapped;
	pixman_region32_init_rects(&mapped, out, n);
	pixman_region32_fini(region);
	*region = mapped;
	if (out != few) {
		free(out);
	}
}

static bool is_plain(const struct surface_state *state)
{
	return state->transform == WL_OUTPUT_TRANSFORM_NORMAL && state->scale == 1 &&
	       !state->viewport.has_src && !state->viewport.has_dst;
}

/* Clipping also avoids overflows: clients send boxes that span all integers. */
static void clip(pixman_region32_t *out, const pixman_region32_t *in, int32_t width, int32_t height)
{
	pixman_region32_intersect_rect(
		out, (pixman_region32_t *)in, 0, 0, (unsigned)width, (unsigned)height);
}

void surface_state_to_buffer(const struct surface_state *state, pixman_region32_t *out,
	const pixman_region32_t *surface_region)
{
	clip(out, surface_region, state->width, state->height);
	if (is_plain(state) || !pixman_region32_not_empty(out)) {
		return;
	}
	bool swap = transform_swaps(state->transform);
	struct mapping mapping = {.from = {0, 0, state->width, state->height}};
	upright_source(state, &mapping.to);
	struct conversion conversion = {
		.before = &mapping,
		.transform = state->transform,
		.width = swap ? state->buffer_height : state->buffer_width,
		.height = swap ? state->buffer_width : state->buffer_height,
	};
	map_region(out, &conversion);
	clip(out, out, state->buffer_width, state->buffer_height);
}

void surface_state_from_buffer(const struct surface_state *state, pixman_region32_t *out,
	const pixman_region32_t *buffer_region)
{
	clip(out, buffer_region, state->buffer_width, state->buffer_height);
	if (is_plain(state) || !pixman_region32_not_empty(out)) {
		return;
	}
	struct mapping mapping = {.to = {0, 0, state->width, state->height}};
	upright_source(state, &mapping.from);
	if (mapping.from.width <= 0 || mapping.from.height <= 0) {
		pixman_region32_clear(out);
		return;
	}
	struct conversion conversion = {
		.after = &mapping,
		.transform = transform_invert(state->transform),
		.width = state->buffer_width,
		.height = state->buffer_height,
	};
	map_region(out, &conversion);
	clip(out, out, state->width, state->height);
}

void surface_state_clip_damage(struct surface_state *state)
{
	clip(&state->buffer_damage, &state->buffer_damage, state->buffer_width,
		state->buffer_height);
}
