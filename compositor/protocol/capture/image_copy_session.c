/* SPDX-License-Identifier: MIT */
/*
 * Sessions of ext-image-copy-capture-v1: send buffer constraints and accumulate damage. A frame
 * waits until there is damage, so an idle source causes no work.
 */

#include "copy_capture.h"
#include "ext-image-copy-capture-v1-protocol.h"
#include "gpu/format.h"
#include "gpu/gpu.h"
#include "seat/seat.h"
#include "util/event_source.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Maximum number of damage rectangles; more cost more than they save. */
#define RECTS_MAX 64

static void send_dmabuf_formats(struct copy_session *session, const struct gpu *gpu)
{
	dev_t device = gpu_dev(gpu);
	struct wl_array array = {.size = sizeof(device), .alloc = sizeof(device), .data = &device};
	ext_image_copy_capture_session_v1_send_dmabuf_device(session->resource, &array);
	const struct format_modifiers *format;
	for (int i = 0; (format = capture_dmabuf_format(session->source, i)); i++) {
		array.size = array.alloc = format->n_modifiers * sizeof(format->modifiers[0]);
		array.data = format->modifiers;
		ext_image_copy_capture_session_v1_send_dmabuf_format(
			session->resource, format->format, &array);
	}
}

static void send_constraints(struct copy_session *session)
{
	struct capture_source *source = session->source;
	session->width = source->width;
	session->height = source->height;
	if (!session->resource) {
		return;
	}
	ext_image_copy_capture_session_v1_send_buffer_size(
		session->resource, (uint32_t)session->width, (uint32_t)session->height);
	uint32_t format;
	for (int i = 0; (format = capture_shm_format(source, i)); i++) {
		ext_image_copy_capture_session_v1_send_shm_format(
			session->resource, pixel_format_to_shm(format));
	}
	const struct gpu *gpu = capture_gpu(source);
	if (gpu) {
		send_dmabuf_formats(session, gpu);
	}
	ext_image_copy_capture_session_v1_send_done(session->resource);
}

static void handle_idle(void *data)
{
	struct copy_session *session = data;
	session->idle = NULL;
	if (session->frame) {
		copy_frame_start(session->frame);
	}
}

/* Delayed, because the source may be in the middle of a commit or frame. */
static void schedule(struct copy_session *session)
{
	if (!session->idle && session->frame && copy_frame_is_waiting(session->frame)) {
		session->idle = wl_event_loop_add_idle(
			session->source->protocols->server->loop, handle_idle, session);
	}
}

static void add_damage(struct copy_session *session, const pixman_region32_t *damage)
{
	pixman_region32_union(&session->damage, &session->damage, (pixman_region32_t *)damage);
	region_simplify(&session->damage, RECTS_MAX);
	schedule(session);
}

static void add_damage_box(struct copy_session *session, const struct box *box)
{
	pixman_region32_t damage;
	pixman_region32_init(&damage);
	region_set_box(&damage, box);
	pixman_region32_intersect_rect(
		&damage, &damage, 0, 0, (unsigned)session->width, (unsigned)session->height);
	if (pixman_region32_not_empty(&damage)) {
		add_damage(session, &damage);
	}
	pixman_region32_fini(&damage);
}

/* Adds the cursor's damage. Damage of outputs includes it already; damage of windows does not. */
static void follow_cursor(struct copy_session *session)
{
	if (session->cursor_shown) {
		add_damage_box(session, &session->cursor);
	}
	int x, y;
	session->cursor_shown = capture_source_find_cursor(
		session->source, session->seat, &session->cursor, &x, &y);
	if (session->cursor_shown) {
		add_damage_box(session, &session->cursor);
	}
}

static void handle_cursor_moved(struct wl_listener *listener, void *data)
{
	struct copy_session *session = wl_container_of(listener, session, cursor_moved);
	follow_cursor(session);
}

static void handle_cursor_changed(struct wl_listener *listener, void *data)
{
	struct copy_session *session = wl_container_of(listener, session, cursor_changed);
	follow_cursor(session);
}

static void damage_all(struct copy_session *session)
{
	struct box all = {0, 0, session->width, session->height};
	pixman_region32_clear(&session->damage);
	add_damage_box(session, &all);
}

static void handle_source_damage(struct wl_listener *listener, void *data)
{
	struct copy_session *session = wl_container_of(listener, session, source_damage);
	add_damage(session, data);
}

static void handle_source_resized(struct wl_listener *listener, void *data)
{
	struct copy_session *session = wl_container_of(listener, session, source_resized);
	send_constraints(session);
	if (session->frame) {
		copy_frame_check(session->frame);
	}
	damage_all(session);
}

static void leave_source(struct copy_session *session)
{
	event_source_remove(&session->idle);
	if (session->source) {
		wl_list_remove(&session->source_damage.link);
		wl_list_remove(&session->source_resized.link);
		wl_list_remove(&session->source_gone.link);
		wl_list_remove(&session->cursor_moved.link);
		wl_list_remove(&session->cursor_changed.link);
		capture_source_unref(session->source);
		session->source = NULL;
	}
}

static void handle_source_gone(struct wl_listener *listener, void *data)
{
	struct copy_session *session = wl_container_of(listener, session, source_gone);
	leave_source(session);
	if (session->resource) {
		ext_image_copy_capture_session_v1_send_stopped(session->resource);
	}
	if (session->frame) {
		copy_frame_check(session->frame);
	}
}

static void join_source(struct copy_session *session, struct capture_source *source)
{
	session->source = capture_source_ref(source);
	signal_add(&source->events.damage, &session->source_damage, handle_source_damage);
	signal_add(&source->events.resized, &session->source_resized, handle_source_resized);
	signal_add(&source->events.gone, &session->source_gone, handle_source_gone);
	wl_list_init(&session->cursor_moved.link);
	wl_list_init(&session->cursor_changed.link);
	if (session->seat && source->impl->pointed_at) {
		signal_add(&session->seat->cursor.events.moved, &session->cursor_moved,
			handle_cursor_moved);
		signal_add(&session->seat->cursor.events.changed, &session->cursor_changed,
			handle_cursor_changed);
	}
	send_constraints(session);
	damage_all(session);
	if (session->seat && source->impl->pointed_at) {
		follow_cursor(session);
	}
}

static void free_unused(struct copy_session *session)
{
	if (!session->resource && !session->frame) {
		leave_source(session);
		pixman_region32_fini(&session->damage);
		free(session);
	}
}

static void handle_frame_gone(struct copy_session *session)
{
	session->frame = NULL;
	free_unused(session);
}

static void handle_create_frame(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct copy_session *session = wl_resource_get_user_data(resource);
	if (session->frame) {
		wl_resource_post_error(resource,
			EXT_IMAGE_COPY_CAPTURE_SESSION_V1_ERROR_DUPLICATE_FRAME,
			"the session's previous frame is not destroyed yet");
		return;
	}
	copy_frame_create(session, id);
}

static const struct ext_image_copy_capture_session_v1_interface session_impl = {
	.create_frame = handle_create_frame,
	.destroy = resource_handle_destroy,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct copy_session *session = wl_resource_get_user_data(resource);
	session->resource = NULL;
	free_unused(session);
}

void copy_session_create(
	struct wl_resource *parent, uint32_t id, struct capture_source *source, struct seat *seat)
{
	struct copy_session *session = xcalloc(1, sizeof(*session));
	struct wl_resource *resource =
		resource_create_child(parent, &ext_image_copy_capture_session_v1_interface, id,
			&session_impl, session, handle_resource_destroy);
	if (!resource) {
		return;
	}
	session->frame_gone = handle_frame_gone;
	session->resource = resource;
	session->seat = seat;
	pixman_region32_init(&session->damage);
	if (source && !source->gone) {
		join_source(session, source);
	} else {
		ext_image_copy_capture_session_v1_send_stopped(resource);
	}
}
