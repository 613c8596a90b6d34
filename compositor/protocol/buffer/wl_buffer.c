/* SPDX-License-Identifier: MIT */
/* wl_buffer: resources of buffers of any kind. */

#include "buffer/shm.h"
#include "frame/frame.h"
#include "protocol/protocol.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct buffer_object {
	struct wl_resource *resource;
	struct buffer *buffer;
	bool committed; /* since its last release */
	struct wl_list busy_link; /* buffer_watch.busy while committed; otherwise empty */
	struct wl_listener release;
};

/* Checks after each frame whether shared memory in use was missing. */
struct buffer_watch {
	struct protocols *protocols;
	struct wl_list busy; /* buffer_object.busy_link: buffers of shared memory */
	unsigned n_faults; /* number of faults that were handled */
	/** Not all frame loops are listened to: some outputs had none yet. */
	bool incomplete;
	struct frame_watch {
		struct buffer_watch *watch;
		struct frame_output *frame; /* NULL: not listened to */
		struct wl_listener drawn, destroy;
	} frames[SCENE_OUTPUTS_MAX];
	struct wl_listener output_added, destroy;
};

static const struct wl_buffer_interface implementation = {
	.destroy = resource_handle_destroy,
};

static void check(struct buffer_object *object)
{
	if (!buffer_is_shm(object->buffer) || !shm_buffer_take_fault(object->buffer)) {
		return;
	}
	/*
	 * The error code belongs to wl_shm, but the error is posted on the wl_buffer, as libwayland
	 * does for its own pools.
	 */
	wl_resource_post_error(object->resource, WL_SHM_ERROR_INVALID_FD,
		"the file of the buffer's pool is shorter than the pool");
}

static void handle_release(struct wl_listener *listener, void *data)
{
	struct buffer_object *object = wl_container_of(listener, object, release);
	if (!object->committed) {
		return;
	}
	object->committed = false;
	wl_list_remove(&object->busy_link);
	wl_list_init(&object->busy_link);
	check(object);
	if (object->buffer->unhurried) {
		wl_resource_queue_event(object->resource, WL_BUFFER_RELEASE);
	} else {
		wl_buffer_send_release(object->resource);
	}
}

static void destroy(struct wl_resource *resource)
{
	struct buffer_object *object = wl_resource_get_user_data(resource);
	wl_list_remove(&object->busy_link);
	wl_list_remove(&object->release.link);
	buffer_drop(object->buffer);
	free(object);
}

struct buffer *buffer_from_resource(struct wl_resource *resource)
{
	if (!wl_resource_instance_of(resource, &wl_buffer_interface, &implementation)) {
		return NULL;
	}
	struct buffer_object *object = wl_resource_get_user_data(resource);
	return object->buffer;
}

struct wl_resource *buffer_resource_create(
	struct wl_client *client, uint32_t id, struct buffer *buffer)
{
	struct buffer_object *object = xcalloc(1, sizeof(*object));
	struct wl_resource *resource = resource_create(
		client, &wl_buffer_interface, 1, id, &implementation, object, destroy);
	if (!resource) {
		free(object);
		buffer_drop(buffer);
		return NULL;
	}
	object->resource = resource;
	object->buffer = buffer;
	buffer_charge(buffer, client_from_wl(client)->account);
	wl_list_init(&object->busy_link);
	signal_add(&buffer->events.release, &object->release, handle_release);
	return resource;
}

/* Returns NULL once the resource is destroyed, and for buffers without a resource. */
static struct buffer_object *find_object(struct buffer *buffer)
{
	struct wl_listener *listener = wl_signal_get(&buffer->events.release, handle_release);
	struct buffer_object *object;
	return listener ? wl_container_of(listener, object, release) : NULL;
}

void buffer_resource_check(struct buffer *buffer)
{
	struct buffer_object *object = buffer ? find_object(buffer) : NULL;
	if (object) {
		check(object);
	}
}

/* Frames */

/* Runs before clients are notified of the frame; otherwise they would trust the buffer. */
static void handle_drawn(struct wl_listener *listener, void *data)
{
	struct frame_watch *frame = wl_container_of(listener, frame, drawn);
	struct buffer_watch *watch = frame->watch;
	unsigned n_faults = shm_n_faults();
	struct buffer_object *object;
	if (watch->n_faults == n_faults) {
		return; /* hundreds of windows may have a buffer in this list */
	}
	watch->n_faults = n_faults;
	wl_list_for_each (object, &watch->busy, busy_link) {
		check(object);
	}
}

static void stop(struct frame_watch *frame)
{
	if (frame->frame) {
		wl_list_remove(&frame->drawn.link);
		wl_list_remove(&frame->destroy.link);
		frame->frame = NULL;
	}
}

static void handle_frame_destroy(struct wl_listener *listener, void *data)
{
	struct frame_watch *frame = wl_container_of(listener, frame, destroy);
	/* An output that was switched off gets a new frame loop when it is enabled. */
	frame->watch->incomplete = true;
	stop(frame);
}

static void listen_to_frames(struct buffer_watch *watch)
{
	struct scene *scene = watch->protocols->server->scene;
	watch->incomplete = false;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct frame_watch *frame = &watch->frames[i];
		if (!scene->outputs[i] || frame->frame) {
			continue;
		}
		frame->frame = frame_output_find(scene->outputs[i]);
		if (!frame->frame) {
			watch->incomplete = true;
			continue;
		}
		frame->watch = watch;
		signal_add(&frame_output_events(frame->frame)->drawn, &frame->drawn, handle_drawn);
		signal_add(&frame_output_events(frame->frame)->destroy, &frame->destroy,
			handle_frame_destroy);
	}
}

void buffer_resource_committed(struct protocols *protocols, struct buffer *buffer)
{
	struct buffer_watch *watch = protocols->buffer_watch;
	struct buffer_object *object = find_object(buffer);
	if (!object) {
		return;
	}
	object->committed = true;
	if (!buffer_is_shm(buffer)) {
		return;
	}
	if (wl_list_empty(&object->busy_link)) {
		wl_list_insert(&watch->busy, &object->busy_link);
	}
	if (watch->incomplete) {
		listen_to_frames(watch);
	}
}

static void handle_output_added(struct wl_listener *listener, void *data)
{
	struct buffer_watch *watch = wl_container_of(listener, watch, output_added);
	watch->incomplete = true;
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct buffer_watch *watch = wl_container_of(listener, watch, destroy);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		stop(&watch->frames[i]);
	}
	wl_list_remove(&watch->output_added.link);
	wl_list_remove(&watch->destroy.link);
	watch->protocols->buffer_watch = NULL;
	free(watch);
}

void buffer_watch_create(struct protocols *protocols)
{
	struct buffer_watch *watch = xcalloc(1, sizeof(*watch));
	watch->protocols = protocols;
	watch->incomplete = true;
	wl_list_init(&watch->busy);
	watch->n_faults = shm_n_faults();
	signal_add(&protocols->server->scene->events.output_added, &watch->output_added,
		handle_output_added);
	signal_add(&protocols->events.destroy, &watch->destroy, handle_protocols_destroy);
	protocols->buffer_watch = watch;
}
