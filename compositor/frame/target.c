/* SPDX-License-Identifier: MIT */
/* Render target of an output: its swapchain, and damage by buffer age. */

#include "frame/internal.h"
#include "util/log.h"

/* A buffer presented n frames ago lacks the damage of the last n - 1 frames and of this one. */
void frame_target_damage(struct frame_output *frame, int age, pixman_region32_t *out)
{
	if (age == 0 || age - 1 > frame->n_history) {
		pixman_region32_fini(out);
		pixman_region32_init_rect(out, 0, 0, (unsigned)frame->output->mode.width,
			(unsigned)frame->output->mode.height);
		return;
	}
	pixman_region32_copy(out, &frame->scene_output->damage);
	for (int i = 0; i < age - 1; i++) {
		pixman_region32_union(out, out, &frame->history[i]);
	}
}

void frame_target_push(struct frame_output *frame)
{
	pixman_region32_t last = frame->history[FRAME_DAMAGE_HISTORY - 1];
	for (int i = FRAME_DAMAGE_HISTORY - 1; i > 0; i--) {
		frame->history[i] = frame->history[i - 1];
	}
	frame->history[0] = last;
	pixman_region32_copy(&frame->history[0], &frame->scene_output->damage);
	if (frame->n_history < FRAME_DAMAGE_HISTORY) {
		frame->n_history++;
	}
}

void frame_target_forget(struct frame_output *frame)
{
	frame->n_history = 0;
	buffer_replace(&frame->composed, NULL);
}

/* An alpha channel is needed if a plane can be below the primary one, seen through holes. */
static bool wants_alpha(const struct frame_output *frame)
{
	const struct plane *primary = output_primary_plane(frame->output);
	for (int i = 0; frame_output_uses_planes(frame) && i < frame->output->n_planes; i++) {
		const struct plane *plane = frame->output->planes[i];
		if (plane->type == PLANE_OVERLAY && plane->zpos_min < primary->zpos_max) {
			return true;
		}
	}
	return false;
}

/*
 * More than 8 bits per channel: if the output is configured for it and the economy level allows it.
 */
static bool wants_depth(const struct frame_output *frame)
{
	return frame->output->bit_depth >= 10 && frame->economy < FRAME_ECONOMY_DEPTH;
}

static bool wants_plain(const struct frame_output *frame)
{
	return frame->economy >= FRAME_ECONOMY_LAYOUTS;
}

#define FORMATS_MAX 8

/* Lists the formats to try, best first. Returns their number. */
static int list_formats(const struct frame_output *frame, uint32_t formats[FORMATS_MAX])
{
	static const uint32_t opaque_first[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888};
	static const uint32_t alpha_first[] = {
		DRM_FORMAT_ARGB8888, DRM_FORMAT_XRGB8888, DRM_FORMAT_XBGR8888};
	static const uint32_t deep_opaque_first[] = {
		DRM_FORMAT_XRGB2101010, DRM_FORMAT_XBGR2101010, DRM_FORMAT_ARGB2101010};
	static const uint32_t deep_alpha_first[] = {
		DRM_FORMAT_ARGB2101010, DRM_FORMAT_XRGB2101010, DRM_FORMAT_XBGR2101010};
	bool alpha = wants_alpha(frame);
	int n = 0;
	for (int i = 0; wants_depth(frame) && i < 3; i++) {
		formats[n++] = (alpha ? deep_alpha_first : deep_opaque_first)[i];
	}
	for (int i = 0; i < 3; i++) {
		formats[n++] = (alpha ? alpha_first : opaque_first)[i];
	}
	return n;
}

void frame_target_check(struct frame_output *frame)
{
	const struct plane *primary = output_primary_plane(frame->output);
	const struct format_modifiers *format = frame->swapchain ? &frame->swapchain->format : NULL;
	for (size_t i = 0; format && i < format->n_modifiers; i++) {
		if (!format_set_has(&primary->formats, format->format, format->modifiers[i])) {
			swapchain_destroy(frame->swapchain);
			frame->swapchain = NULL;
			frame_target_forget(frame);
			return;
		}
	}
}

/* Tests such a buffer on the output: a card may list a layout and yet lack the bandwidth for it. */
static bool is_accepted(struct frame_output *frame, struct swapchain *swapchain)
{
	int age;
	struct buffer *buffer = swapchain_acquire(swapchain, &age);
	if (!buffer) {
		return false;
	}
	struct output_state state;
	output_state_init(&state);
	struct plane_state *plane =
		output_state_add_plane(&state, output_primary_plane(frame->output));
	plane->buffer = buffer;
	plane->src = (struct fbox){0, 0, buffer->width, buffer->height};
	plane->dst = (struct box){0, 0, buffer->width, buffer->height};
	bool accepted = output_test(frame->output, &state);
	buffer_unlock(buffer);
	return accepted;
}

/* Layouts, in the order of tests. */
enum step {
	STEP_ANY, /* all common modifiers */
	STEP_LINEAR,
	STEP_IMPLICIT, /* chosen by the driver */
};

/* Selects the modifiers of a step. Returns false if there are none. */
static bool narrow(const struct format_modifiers *all, int step, struct format_modifiers *out)
{
	static const uint64_t narrower[] = {DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
	*out = *all;
	if (step == STEP_ANY) {
		return true;
	}
	for (size_t i = 0; i < all->n_modifiers; i++) {
		if (all->modifiers[i] == narrower[step - 1]) {
			out->modifiers = &all->modifiers[i];
			out->n_modifiers = 1;
			return true;
		}
	}
	return false;
}

static struct swapchain *create_swapchain(
	struct frame_output *frame, const struct format_modifiers *all, bool plain)
{
	struct render_device *device = frame->device;
	struct allocator *allocator = frame->shared ? device->linear : device->allocator;
	const struct output_mode *mode = &frame->output->mode;
	int first = plain || frame->shared ? STEP_LINEAR : STEP_ANY;
	int last = frame->shared ? STEP_LINEAR : STEP_IMPLICIT;
	for (int step = first; step <= last; step++) {
		struct format_modifiers format;
		bool again = step > first && all->n_modifiers == 1;
		if (again || !narrow(all, step, &format)) {
			continue;
		}
		struct swapchain *swapchain =
			swapchain_create(allocator, mode->width, mode->height, &format);
		if (swapchain && is_accepted(frame, swapchain)) {
			return swapchain;
		}
		swapchain_destroy(swapchain);
		log_debug(LOG_FRAME, "%s: the output refused buffers (%u bits, step %d)",
			frame->output->name, pixel_format_get(all->format)->depth, step);
	}
	return NULL;
}

/*
 * Creates a swapchain of the first format and layout accepted. `plain`: skip driver-specific
 * layouts.
 */
static struct swapchain *create_any(
	struct frame_output *frame, const struct format_set *common, bool plain)
{
	uint32_t formats[FORMATS_MAX];
	int n = list_formats(frame, formats);
	struct swapchain *swapchain = NULL;
	for (int i = 0; !swapchain && i < n; i++) {
		const struct format_modifiers *all = format_set_get(common, formats[i]);
		swapchain = all ? create_swapchain(frame, all, plain) : NULL;
	}
	return swapchain;
}

static bool is_as_wished(const struct frame_output *frame)
{
	const struct output_mode *mode = &frame->output->mode;
	const struct swapchain *swapchain = frame->swapchain;
	return swapchain && swapchain->width == mode->width && swapchain->height == mode->height &&
	       frame->deep == wants_depth(frame) && frame->plain == wants_plain(frame) &&
	       frame->shared == frame->cpu_composer.shared;
}

bool frame_target_is_stale(const struct frame_output *frame)
{
	return frame->swapchain && !is_as_wished(frame);
}

bool frame_target_ensure(struct frame_output *frame)
{
	if (is_as_wished(frame)) {
		return true;
	}
	swapchain_destroy(frame->swapchain);
	frame_target_forget(frame);
	frame->cpu_composer.weighed = 0;
	struct format_set common = {0};
	format_set_intersect(&common, &output_primary_plane(frame->output)->formats,
		&frame->device->renderer->target_formats);
	frame->deep = wants_depth(frame);
	frame->plain = wants_plain(frame);
	frame->shared = frame->cpu_composer.shared;
	frame->swapchain = create_any(frame, &common, frame->plain);
	if (!frame->swapchain && frame->shared) {
		cpu_composer_refuse(frame);
		frame->shared = false;
		frame->swapchain = create_any(frame, &common, frame->plain);
	}
	if (!frame->swapchain && frame->plain) {
		frame->swapchain = create_any(frame, &common, false);
	}
	if (common.n_formats == 0) {
		log_error("%s: no format is supported by both output and renderer",
			frame->output->name);
	}
	format_set_finish(&common);
	return frame->swapchain != NULL;
}

bool frame_target_gives_up(const struct frame_output *frame, enum frame_economy economy)
{
	const struct format_modifiers *format = frame->swapchain ? &frame->swapchain->format : NULL;
	if (!format || economy < FRAME_ECONOMY_LAYOUTS) {
		return false;
	}
	const struct format_modifiers *shown =
		format_set_get(&output_primary_plane(frame->output)->formats, format->format);
	bool fancy = format->n_modifiers > 1 && shown && shown->n_modifiers > 2;
	return (fancy && !frame->plain) ||
	       (economy >= FRAME_ECONOMY_DEPTH && pixel_format_get(format->format)->depth > 8);
}

struct buffer *frame_target_sample(struct frame_output *frame)
{
	if (!frame_target_ensure(frame)) {
		return NULL;
	}
	for (int i = 0; i < SWAPCHAIN_LENGTH; i++) {
		if (frame->swapchain->slots[i].buffer) {
			return frame->swapchain->slots[i].buffer;
		}
	}
	return NULL;
}
