/* SPDX-License-Identifier: MIT */
/*
 * Debug overlay: tints composed surfaces by their routes, or repainted regions. Planes stay
 * untinted.
 */

#include "content/content.h"
#include "frame/frame.h"
#include "frame/internal.h"

/* Premultiplied and weak enough to read through. Documented in causewayctl and the protocol. */
static const float red[4] = {0.35F, 0, 0, 0.35F};
static const float green[4] = {0, 0.3F, 0, 0.35F};
static const float blue[4] = {0, 0.1F, 0.35F, 0.35F};
static const float yellow[4] = {0.3F, 0.3F, 0, 0.35F};
static const float violet[4] = {0.25F, 0, 0.3F, 0.35F};

static const float *const tints[SOURCE_COUNT] = {
	[SOURCE_COLOR] = violet,
	[SOURCE_IMPORT] = green,
	[SOURCE_UDMABUF] = green,
	[SOURCE_CPU_READ] = yellow,
	[SOURCE_COPY] = blue,
	[SOURCE_UPLOAD] = red,
};

/* Returns the source of an entry's pixels; SOURCE_NONE if it gets no tint. */
static enum route_source find_entry_source(
	const struct frame_output *frame, const struct scene_entry *entry)
{
	if (!entry->node || entry->node->type != SCENE_SURFACE || entry->cursor ||
		entry->place != PLACE_COMPOSED) {
		return SOURCE_NONE;
	}
	return content_source(frame->device, scene_surface_from_node(entry->node)->surface);
}

/* Returns the source that the entry was last tinted for. */
static enum route_source find_tint(const struct scene_entry *entry)
{
	return (enum route_source)entry->user;
}

/* A route change affects the whole surface, so repaint all of it. */
static void update_tints(struct frame_output *frame)
{
	struct scene_output *output = frame->scene_output;
	for (int i = 0; i < output->n_entries; i++) {
		struct scene_entry *entry = &output->entries[i];
		enum route_source source = find_entry_source(frame, entry);
		if (find_tint(entry) != source) {
			entry->user = (uint32_t)source;
			pixman_region32_union(&frame->debug_damage_due, &frame->debug_damage_due,
				&entry->visible);
		}
	}
}

void frame_repaint(struct frame_output *frame)
{
	const struct output_mode *mode = &frame->output->mode;
	pixman_region32_union_rect(&frame->debug_damage_due, &frame->debug_damage_due, 0, 0,
		(unsigned)mode->width, (unsigned)mode->height);
	signal_emit(&frame->scene_output->events.needs_frame, NULL);
}

void frame_output_set_overlay(struct frame_output *frame, enum frame_overlay overlay)
{
	if (frame->debug_overlay != overlay) {
		frame->debug_overlay = overlay;
		frame_repaint(frame);
	}
}

bool frame_overlay_is_due(const struct frame_output *frame)
{
	return frame->debug_overlay != FRAME_OVERLAY_OFF ||
	       pixman_region32_not_empty((pixman_region32_t *)&frame->debug_damage_due);
}

void frame_overlay_begin(struct frame_output *frame, const struct scanout_plan *plan)
{
	struct scene_output *output = frame->scene_output;
	const struct output_mode *mode = &frame->output->mode;
	pixman_region32_copy(&frame->scene_damage, &output->damage);
	if (frame->debug_overlay == FRAME_OVERLAY_ROUTES) {
		update_tints(frame);
	}
	if (!plan->composes) {
		return;
	}
	/* The output may have changed its size. */
	pixman_region32_intersect_rect(&frame->debug_damage_due, &frame->debug_damage_due, 0, 0,
		(unsigned)mode->width, (unsigned)mode->height);
	pixman_region32_union(&output->damage, &output->damage, &frame->debug_damage_due);
}

void frame_overlay_end(struct frame_output *frame, bool done)
{
	if (!done) {
		/* The region is still to be repainted; restore the scene's damage. */
		pixman_region32_copy(&frame->scene_output->damage, &frame->scene_damage);
		return;
	}
	/*
	 * Repainted; or an entry covers the output, and the next composition repaints everything.
	 */
	pixman_region32_clear(&frame->debug_damage_due);
	if (frame->debug_overlay == FRAME_OVERLAY_DAMAGE && frame->composed) {
		/* Repaint once more without tints; that frame adds no damage, so none follows. */
		pixman_region32_copy(&frame->debug_damage_due, &frame->scene_damage);
	} else if (frame->debug_overlay == FRAME_OVERLAY_ROUTES) {
		/* Some routes are known only after the frame. */
		update_tints(frame);
	}
	if (pixman_region32_not_empty(&frame->debug_damage_due)) {
		signal_emit(&frame->scene_output->events.needs_frame, NULL);
	}
}

static void tint(struct frame_output *frame, struct render_pass *pass, const float color[4],
	const pixman_region32_t *region)
{
	if (!pixman_region32_not_empty((pixman_region32_t *)region)) {
		return;
	}
	const struct output_mode *mode = &frame->output->mode;
	struct render_rect_options options = {
		.box = {0, 0, mode->width, mode->height},
		.color = {color[0], color[1], color[2], color[3]},
		.clip = region,
	};
	render_pass_add_rect(pass, &options);
}

static void draw_routes(
	struct frame_output *frame, struct render_pass *pass, const pixman_region32_t *damage)
{
	struct scene_output *output = frame->scene_output;
	pixman_region32_t region;
	pixman_region32_init(&region);
	for (int i = output->n_entries - 1; i >= 0; i--) {
		struct scene_entry *entry = &output->entries[i];
		if (find_tint(entry) > SOURCE_NONE) {
			pixman_region32_intersect(
				&region, &entry->visible, (pixman_region32_t *)damage);
			tint(frame, pass, tints[find_tint(entry)], &region);
		}
	}
	pixman_region32_fini(&region);
}

/* Tints each pixel once: entries are visited top down, so repaints below others are left out. */
static void draw_changed(struct frame_output *frame, struct render_pass *pass)
{
	struct scene_output *output = frame->scene_output;
	pixman_region32_t left, moved, region;
	pixman_region32_init(&left);
	pixman_region32_init(&moved);
	pixman_region32_init(&region);
	pixman_region32_copy(&left, &frame->scene_damage);
	for (int i = 0; i < output->n_entries && pixman_region32_not_empty(&left); i++) {
		struct scene_entry *entry = &output->entries[i];
		enum route_source source = find_entry_source(frame, entry);
		if (source == SOURCE_COPY || source == SOURCE_UPLOAD) {
			pixman_region32_intersect(&region, &entry->visible, &left);
			pixman_region32_union(&moved, &moved, &region);
			pixman_region32_subtract(&left, &left, &region);
		}
	}
	tint(frame, pass, blue, &moved);
	tint(frame, pass, red, &left);
	pixman_region32_fini(&region);
	pixman_region32_fini(&moved);
	pixman_region32_fini(&left);
}

void frame_overlay_draw(void *data, struct render_pass *pass, const pixman_region32_t *damage)
{
	struct frame_output *frame = data;
	if (frame->debug_overlay == FRAME_OVERLAY_ROUTES) {
		draw_routes(frame, pass, damage);
	} else {
		draw_changed(frame, pass);
	}
}
