/* SPDX-License-Identifier: MIT */
/* wlr-screencopy-unstable-v1: the manager, and the outputs captured through it. */

#include "scene/output.h"
#include "screencopy.h"
#include "util/box.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Frames are captured from an idle source, because the output is in the middle of its own frame. */
static void handle_idle(void *data)
{
	struct screencopy_output *output = data;
	output->idle = NULL;
	struct screencopy_frame *frame, *next;
	wl_list_for_each_safe (frame, next, &output->waiting, link) {
		screencopy_frame_start(frame);
	}
}

static void handle_damage(struct wl_listener *listener, void *data)
{
	struct screencopy_output *output = wl_container_of(listener, output, source_damage);
	screencopy_sequences_damage(output, data);
	if (!output->idle && !wl_list_empty(&output->waiting)) {
		output->idle = wl_event_loop_add_idle(
			output->source->protocols->server->loop, handle_idle, output);
	}
}

static void fail_waiting(struct screencopy_output *output)
{
	struct screencopy_frame *frame, *next;
	wl_list_for_each_safe (frame, next, &output->waiting, link) {
		screencopy_frame_fail(frame);
	}
}

static void handle_resized(struct wl_listener *listener, void *data)
{
	struct screencopy_output *output = wl_container_of(listener, output, source_resized);
	fail_waiting(output);
	screencopy_sequences_damage_all(output);
}

static void leave_manager(struct screencopy_output *output)
{
	wl_list_remove(&output->link);
	wl_list_init(&output->link);
}

static void handle_gone(struct wl_listener *listener, void *data)
{
	struct screencopy_output *output = wl_container_of(listener, output, source_gone);
	screencopy_output_ref(output);
	fail_waiting(output);
	if (output->manager) {
		output->manager = NULL;
		leave_manager(output);
		screencopy_output_unref(output); /* drops the manager's reference */
	}
	screencopy_output_unref(output);
}

/* Returns the output's entry. The manager holds a reference until it or the output is gone. */
static struct screencopy_output *get_output(
	struct screencopy_manager *manager, struct scene_output *scene_output)
{
	struct screencopy_output *output;
	wl_list_for_each (output, &manager->outputs, link) {
		if (output->scene_output == scene_output) {
			return output;
		}
	}
	output = xcalloc(1, sizeof(*output));
	output->n_refs = 1;
	output->manager = manager;
	output->scene_output = scene_output;
	output->source = capture_source_create_output(manager->protocols, scene_output);
	wl_list_init(&output->sequences);
	wl_list_init(&output->waiting);
	signal_add(&output->source->events.damage, &output->source_damage, handle_damage);
	signal_add(&output->source->events.resized, &output->source_resized, handle_resized);
	signal_add(&output->source->events.gone, &output->source_gone, handle_gone);
	wl_list_insert(&manager->outputs, &output->link);
	return output;
}

static void handle_capture_output(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, int32_t cursor, struct wl_resource *output_resource)
{
	struct scene_output *scene_output = output_from_resource(output_resource);
	struct screencopy_output *output = NULL;
	struct box all = {0};
	if (scene_output) {
		output = get_output(wl_resource_get_user_data(resource), scene_output);
		all.width = output->source->width;
		all.height = output->source->height;
	}
	screencopy_frame_create(resource, id, output, &all, cursor != 0);
}

/* Converts the region to pixels; empty if it is outside of the output. */
static struct box region_pixels(const struct scene_output *output, const struct box *region)
{
	struct box all = scene_output_box(output), box = {0};
	struct box inside = {0, 0, all.width, all.height};
	if (!box_intersect(&box, region, &inside)) {
		return (struct box){0};
	}
	box.x += all.x;
	box.y += all.y;
	struct scene_view view = scene_output_view(output);
	box = scene_view_to_pixels(&view, &box);
	/* The last logical pixel may be on the output in part only. */
	struct box pixels = {0, 0, view.width, view.height};
	return box_intersect(&box, &box, &pixels) ? box : (struct box){0};
}

static void handle_capture_output_region(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, int32_t cursor, struct wl_resource *output_resource, int32_t x, int32_t y,
	int32_t width, int32_t height)
{
	struct scene_output *scene_output = output_from_resource(output_resource);
	struct screencopy_output *output = NULL;
	struct box region = box_clamp(x, y, width, height), part = {0};
	if (scene_output) {
		part = region_pixels(scene_output, &region);
	}
	if (!box_empty(&part)) {
		output = get_output(wl_resource_get_user_data(resource), scene_output);
	}
	screencopy_frame_create(resource, id, output, &part, cursor != 0);
}

static const struct zwlr_screencopy_manager_v1_interface manager_impl = {
	.capture_output = handle_capture_output,
	.capture_output_region = handle_capture_output_region,
	.destroy = resource_handle_destroy,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct screencopy_manager *manager = wl_resource_get_user_data(resource);
	struct screencopy_output *output, *next;
	wl_list_for_each_safe (output, next, &manager->outputs, link) {
		output->manager = NULL;
		leave_manager(output);
		screencopy_output_unref(output);
	}
	free(manager);
}

static void bind(struct wl_resource *resource, void *data)
{
	struct screencopy_manager *manager = xcalloc(1, sizeof(*manager));
	manager->protocols = data;
	wl_list_init(&manager->outputs);
	wl_resource_set_implementation(resource, &manager_impl, manager, handle_resource_destroy);
}

void wlr_screencopy_create(struct protocols *protocols)
{
	protocols_add_custom_global(protocols, &zwlr_screencopy_manager_v1_interface, 3, bind,
		protocols, GLOBAL_PRIVILEGED);
}
