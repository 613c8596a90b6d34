/* SPDX-License-Identifier: MIT */
/* Capture sources: their common part, and outputs as sources. */

#include "capture.h"
#include "frame/frame.h"
#include "scene/output.h"
#include "seat/cursor.h"
#include "seat/seat.h"
#include "util/box.h"
#include "util/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct output_source {
	struct capture_source base;
	struct scene_output *output; /* NULL once it is gone */
	struct frame_output *frame; /* NULL while there is none */
	/** The rendering device at the last check; compared only. */
	const struct render_device *drawn_by;
	struct wl_listener output_destroy, layout_changed, frame_drawn, frame_destroy;
};

void capture_source_init(struct capture_source *source, const struct capture_source_impl *impl,
	struct protocols *protocols)
{
	source->impl = impl;
	source->protocols = protocols;
	source->n_refs = 1;
	source->width = source->height = 1;
	signals_init(&source->events, sizeof(source->events));
}

void capture_source_finish(struct capture_source *source)
{
	assert(signals_are_unused(&source->events, sizeof(source->events)));
}

struct capture_source *capture_source_ref(struct capture_source *source)
{
	source->n_refs++;
	return source;
}

void capture_source_unref(struct capture_source *source)
{
	if (source && --source->n_refs == 0) {
		source->impl->destroy(source);
	}
}

void capture_source_update(struct capture_source *source)
{
	struct capture_view view;
	if (!source->impl->view(source, &view) ||
		(view.view.width == source->width && view.view.height == source->height &&
			view.view.transform == source->transform)) {
		return;
	}
	source->width = view.view.width;
	source->height = view.view.height;
	source->transform = view.view.transform;
	signal_emit(&source->events.resized, source);
}

void capture_source_damage(struct capture_source *source, const pixman_region32_t *damage)
{
	signal_emit(&source->events.damage, (void *)damage);
}

void capture_source_damage_all(struct capture_source *source)
{
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)source->width, (unsigned)source->height);
	capture_source_damage(source, &all);
	pixman_region32_fini(&all);
}

void capture_source_set_gone(struct capture_source *source)
{
	if (!source->gone) {
		source->gone = true;
		capture_source_ref(source); /* listeners may drop their references */
		signal_emit(&source->events.gone, source);
		capture_source_unref(source);
	}
}

bool capture_source_find_cursor(struct capture_source *source, const struct seat *seat,
	struct box *image, int *hotspot_x, int *hotspot_y)
{
	const struct cursor *cursor = &seat->cursor;
	struct capture_view view;
	struct box box, shown, all = {0, 0, source->width, source->height};
	if (!cursor_size(cursor, &box.width, &box.height) || !source->impl->view(source, &view) ||
		(source->impl->pointed_at && !source->impl->pointed_at(source))) {
		return false;
	}
	struct box at = {(int)floor(cursor->at.x), (int)floor(cursor->at.y), 1, 1};
	box.x = at.x - cursor->hotspot_x;
	box.y = at.y - cursor->hotspot_y;
	*image = scene_view_to_pixels(&view.view, &box);
	at = scene_view_to_pixels(&view.view, &at);
	*hotspot_x = at.x;
	*hotspot_y = at.y;
	return box_intersect(&shown, image, &all);
}

static struct output_source *output_source(struct capture_source *base)
{
	struct output_source *source = wl_container_of(base, source, base);
	return source;
}

static bool view_output(struct capture_source *base, struct capture_view *out)
{
	const struct scene_output *output = output_source(base)->output;
	if (!output) {
		return false;
	}
	*out = (struct capture_view){.view = scene_output_view(output)};
	return true;
}

static struct render_device *device_of_output(const struct capture_source *base)
{
	const struct output_source *source = wl_container_of(base, source, base);
	return source->frame ? frame_output_device(source->frame) : NULL;
}

/*
 * Emits resized if another device renders the output: formats and accepted dma-bufs depend on it.
 */
static void look_at_device(struct output_source *source)
{
	const struct render_device *device = source->frame ? frame_output_device(source->frame)
							   : source->base.protocols->server->device;
	if (source->drawn_by != device) {
		source->drawn_by = device;
		signal_emit(&source->base.events.resized, &source->base);
	}
}

static void leave_frame(struct output_source *source)
{
	if (source->frame) {
		wl_list_remove(&source->frame_drawn.link);
		wl_list_remove(&source->frame_destroy.link);
		source->frame = NULL;
	}
}

static void leave_output(struct output_source *source)
{
	leave_frame(source);
	if (source->output) {
		wl_list_remove(&source->output_destroy.link);
		wl_list_remove(&source->layout_changed.link);
		source->output = NULL;
	}
}

static void destroy_output_source(struct capture_source *base)
{
	struct output_source *source = output_source(base);
	leave_output(source);
	capture_source_finish(base);
	free(source);
}

static const struct capture_source_impl output_impl = {
	.view = view_output,
	.device = device_of_output,
	.destroy = destroy_output_source,
};

static void handle_frame_drawn(struct wl_listener *listener, void *data)
{
	struct output_source *source = wl_container_of(listener, source, frame_drawn);
	const struct frame_drawn *drawn = data;
	capture_source_damage(&source->base, drawn->damage);
}

static void handle_frame_destroy(struct wl_listener *listener, void *data)
{
	struct output_source *source = wl_container_of(listener, source, frame_destroy);
	leave_frame(source);
	look_at_device(source);
}

/* The frame loop of an output is created after the output. */
static void join_frame(struct output_source *source)
{
	if (source->frame) {
		return;
	}
	source->frame = frame_output_find(source->output);
	if (source->frame) {
		signal_add(&frame_output_events(source->frame)->drawn, &source->frame_drawn,
			handle_frame_drawn);
		signal_add(&frame_output_events(source->frame)->destroy, &source->frame_destroy,
			handle_frame_destroy);
	}
}

static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct output_source *source = wl_container_of(listener, source, layout_changed);
	join_frame(source);
	look_at_device(source);
	capture_source_update(&source->base);
}

static void handle_output_destroy(struct wl_listener *listener, void *data)
{
	struct output_source *source = wl_container_of(listener, source, output_destroy);
	leave_output(source);
	capture_source_set_gone(&source->base);
}

struct capture_source *capture_source_create_output(
	struct protocols *protocols, struct scene_output *output)
{
	struct output_source *source = xcalloc(1, sizeof(*source));
	capture_source_init(&source->base, &output_impl, protocols);
	source->output = output;
	signal_add(&output->events.destroy, &source->output_destroy, handle_output_destroy);
	signal_add(&output->scene->events.layout_changed, &source->layout_changed,
		handle_layout_changed);
	join_frame(source);
	look_at_device(source);
	capture_source_update(&source->base);
	return &source->base;
}
