/* SPDX-License-Identifier: MIT */
/* A capturing client. */

#include "harness/client/capturer.h"
#include "util/box.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void handle_buffer_size(void *data, struct ext_image_copy_capture_session_v1 *proxy,
	uint32_t width, uint32_t height)
{
	struct capturer_session *session = data;
	session->width = (int32_t)width;
	session->height = (int32_t)height;
	session->n_formats = 0;
}

static void handle_shm_format(
	void *data, struct ext_image_copy_capture_session_v1 *proxy, uint32_t format)
{
	struct capturer_session *session = data;
	if (session->n_formats++ == 0) {
		session->format = format;
	}
}

static void handle_dmabuf_device(
	void *data, struct ext_image_copy_capture_session_v1 *proxy, struct wl_array *device)
{
}

static void handle_dmabuf_format(void *data, struct ext_image_copy_capture_session_v1 *proxy,
	uint32_t format, struct wl_array *modifiers)
{
}

static void handle_done(void *data, struct ext_image_copy_capture_session_v1 *proxy)
{
	struct capturer_session *session = data;
	session->n_done++;
}

static void handle_stopped(void *data, struct ext_image_copy_capture_session_v1 *proxy)
{
	struct capturer_session *session = data;
	session->n_stopped++;
}

static const struct ext_image_copy_capture_session_v1_listener session_listener = {
	.buffer_size = handle_buffer_size,
	.shm_format = handle_shm_format,
	.dmabuf_device = handle_dmabuf_device,
	.dmabuf_format = handle_dmabuf_format,
	.done = handle_done,
	.stopped = handle_stopped,
};

struct capturer_session *capturer_session_wrap(
	struct peer *peer, struct ext_image_copy_capture_session_v1 *proxy)
{
	struct capturer_session *session = xcalloc(1, sizeof(*session));
	session->peer = peer;
	session->proxy = proxy;
	ext_image_copy_capture_session_v1_add_listener(proxy, &session_listener, session);
	fixture_pump(peer->fixture);
	return session;
}

struct capturer_session *capturer_session_create(
	struct peer *peer, struct ext_image_capture_source_v1 *source, uint32_t options)
{
	struct ext_image_copy_capture_manager_v1 *manager =
		peer_bind(peer, &ext_image_copy_capture_manager_v1_interface, 0);
	struct ext_image_copy_capture_session_v1 *proxy =
		ext_image_copy_capture_manager_v1_create_session(manager, source, options);
	ext_image_copy_capture_manager_v1_destroy(manager);
	return capturer_session_wrap(peer, proxy);
}

void capturer_session_destroy(struct capturer_session *session)
{
	ext_image_copy_capture_session_v1_destroy(session->proxy);
	free(session);
}

struct ext_image_capture_source_v1 *capturer_output_source(struct peer *peer)
{
	struct ext_output_image_capture_source_manager_v1 *manager =
		peer_bind(peer, &ext_output_image_capture_source_manager_v1_interface, 0);
	struct wl_output *output = peer_bind(peer, &wl_output_interface, 0);
	struct ext_image_capture_source_v1 *source =
		ext_output_image_capture_source_manager_v1_create_source(manager, output);
	ext_output_image_capture_source_manager_v1_destroy(manager);
	wl_output_release(output);
	return source;
}

/* Handles of all windows, to find one by its title. */
struct search {
	const char *title;
	struct ext_foreign_toplevel_handle_v1 *found;
};

static void handle_closed(void *data, struct ext_foreign_toplevel_handle_v1 *handle)
{
}

static void handle_handle_done(void *data, struct ext_foreign_toplevel_handle_v1 *handle)
{
}

static void handle_title(
	void *data, struct ext_foreign_toplevel_handle_v1 *handle, const char *title)
{
	struct search *search = data;
	if (search->title && strcmp(title, search->title) == 0) {
		search->found = handle;
	}
}

static void handle_app_id(
	void *data, struct ext_foreign_toplevel_handle_v1 *handle, const char *app_id)
{
}

static void handle_identifier(
	void *data, struct ext_foreign_toplevel_handle_v1 *handle, const char *identifier)
{
}

static const struct ext_foreign_toplevel_handle_v1_listener handle_listener = {
	.closed = handle_closed,
	.done = handle_handle_done,
	.title = handle_title,
	.app_id = handle_app_id,
	.identifier = handle_identifier,
};

static void handle_toplevel(void *data, struct ext_foreign_toplevel_list_v1 *list,
	struct ext_foreign_toplevel_handle_v1 *handle)
{
	ext_foreign_toplevel_handle_v1_add_listener(handle, &handle_listener, data);
}

static void handle_finished(void *data, struct ext_foreign_toplevel_list_v1 *list)
{
}

static const struct ext_foreign_toplevel_list_v1_listener list_listener = {
	.toplevel = handle_toplevel,
	.finished = handle_finished,
};

struct ext_image_capture_source_v1 *capturer_window_source(struct peer *peer, const char *title)
{
	/* The handles outlive this call, and may get events. */
	struct search *search = xcalloc(1, sizeof(*search));
	search->title = title;
	struct ext_foreign_toplevel_list_v1 *list =
		peer_bind(peer, &ext_foreign_toplevel_list_v1_interface, 0);
	ext_foreign_toplevel_list_v1_add_listener(list, &list_listener, search);
	fixture_pump(peer->fixture);
	ext_foreign_toplevel_list_v1_stop(list);
	assert_non_null(search->found);
	struct ext_foreign_toplevel_image_capture_source_manager_v1 *manager =
		peer_bind(peer, &ext_foreign_toplevel_image_capture_source_manager_v1_interface, 0);
	struct ext_image_capture_source_v1 *source =
		ext_foreign_toplevel_image_capture_source_manager_v1_create_source(
			manager, search->found);
	fixture_pump(peer->fixture);
	ext_foreign_toplevel_handle_v1_destroy(search->found);
	search->title = NULL;
	return source;
}

static void handle_transform(
	void *data, struct ext_image_copy_capture_frame_v1 *proxy, uint32_t transform)
{
	struct capturer_frame *frame = data;
	frame->transform = transform;
}

static void handle_damage(void *data, struct ext_image_copy_capture_frame_v1 *proxy, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
	struct capturer_frame *frame = data;
	pixman_region32_union_rect(
		&frame->damage, &frame->damage, x, y, (unsigned)width, (unsigned)height);
}

static int64_t time_of(uint32_t hi, uint32_t lo, uint32_t nsec)
{
	assert_in_range(nsec, 0, 999999999);
	return (int64_t)((uint64_t)hi << 32 | lo) * 1000000000 + nsec;
}

static void handle_presentation_time(void *data, struct ext_image_copy_capture_frame_v1 *proxy,
	uint32_t hi, uint32_t lo, uint32_t nsec)
{
	struct capturer_frame *frame = data;
	frame->when = time_of(hi, lo, nsec);
}

static void handle_ready(void *data, struct ext_image_copy_capture_frame_v1 *proxy)
{
	struct capturer_frame *frame = data;
	assert_false(frame->ready || frame->failed);
	frame->ready = true;
}

static void handle_failed(
	void *data, struct ext_image_copy_capture_frame_v1 *proxy, uint32_t reason)
{
	struct capturer_frame *frame = data;
	assert_false(frame->ready || frame->failed);
	frame->failed = true;
	frame->reason = reason;
}

static const struct ext_image_copy_capture_frame_v1_listener frame_listener = {
	.transform = handle_transform,
	.damage = handle_damage,
	.presentation_time = handle_presentation_time,
	.ready = handle_ready,
	.failed = handle_failed,
};

static struct capturer_frame *frame_create(struct peer *peer)
{
	struct capturer_frame *frame = xcalloc(1, sizeof(*frame));
	frame->peer = peer;
	pixman_region32_init(&frame->damage);
	return frame;
}

struct capturer_frame *capturer_frame_create_with(
	struct capturer_session *session, struct peer_buffer *buffer)
{
	struct capturer_frame *frame = frame_create(session->peer);
	frame->proxy = ext_image_copy_capture_session_v1_create_frame(session->proxy);
	ext_image_copy_capture_frame_v1_add_listener(frame->proxy, &frame_listener, frame);
	frame->buffer = buffer ? buffer
			       : peer_buffer_create(session->peer, session->width, session->height,
					 session->format);
	if (!buffer) {
		ext_image_copy_capture_frame_v1_damage_buffer(
			frame->proxy, 0, 0, INT32_MAX, INT32_MAX);
	}
	ext_image_copy_capture_frame_v1_attach_buffer(frame->proxy, frame->buffer->buffer);
	ext_image_copy_capture_frame_v1_capture(frame->proxy);
	fixture_pump(frame->peer->fixture);
	return frame;
}

struct capturer_frame *capturer_frame_create(struct capturer_session *session)
{
	return capturer_frame_create_with(session, NULL);
}

static void handle_screencopy_buffer(void *data, struct zwlr_screencopy_frame_v1 *proxy,
	uint32_t format, uint32_t width, uint32_t height, uint32_t stride)
{
	struct capturer_frame *frame = data;
	frame->format = format;
	frame->width = (int32_t)width;
	frame->height = (int32_t)height;
	frame->stride = (int32_t)stride;
}

static void handle_screencopy_flags(
	void *data, struct zwlr_screencopy_frame_v1 *proxy, uint32_t flags)
{
	struct capturer_frame *frame = data;
	assert_int_equal(flags, 0);
	frame->n_flags++;
}

static void handle_screencopy_ready(
	void *data, struct zwlr_screencopy_frame_v1 *proxy, uint32_t hi, uint32_t lo, uint32_t nsec)
{
	struct capturer_frame *frame = data;
	frame->when = time_of(hi, lo, nsec);
	frame->ready = true;
}

static void handle_screencopy_failed(void *data, struct zwlr_screencopy_frame_v1 *proxy)
{
	struct capturer_frame *frame = data;
	assert_false(frame->ready || frame->failed);
	frame->failed = true;
}

static void handle_screencopy_damage(void *data, struct zwlr_screencopy_frame_v1 *proxy, uint32_t x,
	uint32_t y, uint32_t width, uint32_t height)
{
	struct capturer_frame *frame = data;
	pixman_region32_union_rect(&frame->damage, &frame->damage, (int)x, (int)y, width, height);
}

static void handle_screencopy_dmabuf(void *data, struct zwlr_screencopy_frame_v1 *proxy,
	uint32_t format, uint32_t width, uint32_t height)
{
	fail_msg("there is no device for dma-bufs");
}

static void handle_screencopy_done(void *data, struct zwlr_screencopy_frame_v1 *proxy)
{
	struct capturer_frame *frame = data;
	frame->n_described++;
}

static const struct zwlr_screencopy_frame_v1_listener screencopy_listener = {
	.buffer = handle_screencopy_buffer,
	.flags = handle_screencopy_flags,
	.ready = handle_screencopy_ready,
	.failed = handle_screencopy_failed,
	.damage = handle_screencopy_damage,
	.linux_dmabuf = handle_screencopy_dmabuf,
	.buffer_done = handle_screencopy_done,
};

struct capturer_frame *capturer_screencopy(
	struct peer *peer, struct zwlr_screencopy_manager_v1 *manager, const struct box *region)
{
	struct capturer_frame *frame = frame_create(peer);
	struct wl_output *output = peer_bind(peer, &wl_output_interface, 0);
	frame->screencopy =
		region ? zwlr_screencopy_manager_v1_capture_output_region(manager, 0, output,
				 region->x, region->y, region->width, region->height)
		       : zwlr_screencopy_manager_v1_capture_output(manager, 0, output);
	wl_output_release(output);
	zwlr_screencopy_frame_v1_add_listener(frame->screencopy, &screencopy_listener, frame);
	fixture_pump(peer->fixture);
	return frame;
}

void capturer_screencopy_copy(struct capturer_frame *frame, bool with_damage)
{
	assert_int_equal(frame->stride, frame->width * 4);
	if (!frame->buffer) {
		frame->buffer =
			peer_buffer_create(frame->peer, frame->width, frame->height, frame->format);
	}
	if (with_damage) {
		zwlr_screencopy_frame_v1_copy_with_damage(frame->screencopy, frame->buffer->buffer);
	} else {
		zwlr_screencopy_frame_v1_copy(frame->screencopy, frame->buffer->buffer);
	}
	fixture_pump(frame->peer->fixture);
}

void capturer_frame_destroy(struct capturer_frame *frame)
{
	if (frame->proxy) {
		ext_image_copy_capture_frame_v1_destroy(frame->proxy);
	}
	if (frame->screencopy) {
		zwlr_screencopy_frame_v1_destroy(frame->screencopy);
	}
	pixman_region32_fini(&frame->damage);
	fixture_pump(frame->peer->fixture);
	free(frame);
}

uint32_t capturer_pixel(const struct capturer_frame *frame, int x, int y)
{
	return frame->buffer->pixels[y * frame->buffer->width + x] & 0xffffff;
}

void capturer_expect(const struct capturer_frame *frame, const struct image *image, int x, int y)
{
	const struct peer_buffer *buffer = frame->buffer;
	assert_true(frame->ready);
	assert_in_range(x + buffer->width, 0, image->width);
	assert_in_range(y + buffer->height, 0, image->height);
	for (int row = 0; row < buffer->height; row++) {
		for (int column = 0; column < buffer->width; column++) {
			uint32_t is = capturer_pixel(frame, column, row);
			uint32_t wanted = image->pixels[(y + row) * image->width + x + column];
			if (is != wanted) {
				fail_msg("%06x at %d, %d instead of %06x", is, column, row, wanted);
			}
		}
	}
}

void capturer_expect_damage(const struct capturer_frame *frame, const struct box *box)
{
	const pixman_box32_t *extents =
		pixman_region32_extents((pixman_region32_t *)&frame->damage);
	assert_int_equal(extents->x1, box->x);
	assert_int_equal(extents->y1, box->y);
	assert_int_equal(extents->x2 - extents->x1, box->width);
	assert_int_equal(extents->y2 - extents->y1, box->height);
}

void capturer_expect_idle(struct fixture *fixture)
{
	fixture_sleep(fixture, INT64_C(2500000000));
	assert_false(clock_advance_to_next(fixture->clock));
}

static struct sigaction guard;

void capturer_learn_guard(void)
{
	struct fixture *fixture = fixture_create(NULL);
	peer_window_create(peer_create(fixture), 0, 0, 8, 8, 0xff000000);
	fixture_frames(fixture, 3);
	fixture_destroy(fixture);
	sigaction(SIGBUS, NULL, &guard);
}

void capturer_set_guard(void)
{
	sigaction(SIGBUS, &guard, NULL);
}
