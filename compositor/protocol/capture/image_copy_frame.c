/* SPDX-License-Identifier: MIT */
/* Frames of ext-image-copy-capture-v1: one capture into one buffer. */

#include "buffer/shm.h"
#include "copy_capture.h"
#include "ext-image-copy-capture-v1-protocol.h"
#include "util/clock.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define RECTS_MAX 64

enum copy_frame_state {
	COPY_FRAME_NEW,
	COPY_FRAME_WAITING, /* for damage, or until the buffer's memory is known */
	COPY_FRAME_DRAWING,
	COPY_FRAME_DONE, /* ready or failed */
};

struct copy_frame {
	struct wl_resource *resource;
	struct copy_session *session;
	struct buffer *buffer; /* locked; NULL: none attached */
	struct wl_listener known; /* of the buffer's memory; the link is empty while not waiting */
	pixman_region32_t buffer_damage; /* damage of the buffer in addition to the session's */
	pixman_region32_t damage; /* of the session, while capturing */
	enum copy_frame_state state;
	struct capture *capture; /* set while capturing */
	int64_t when; /* ns; time of the captured content */
};

static void stop_waiting(struct copy_frame *frame)
{
	wl_list_remove(&frame->known.link);
	wl_list_init(&frame->known.link);
}

static void fail(struct copy_frame *frame, uint32_t reason)
{
	stop_waiting(frame);
	frame->state = COPY_FRAME_DONE;
	buffer_replace(&frame->buffer, NULL);
	ext_image_copy_capture_frame_v1_send_failed(frame->resource, reason);
}

/* Returns the damage to the session, because the client got no complete capture. */
static void give_damage_back(struct copy_frame *frame)
{
	struct copy_session *session = frame->session;
	pixman_region32_union(&session->damage, &session->damage, &frame->damage);
	pixman_region32_intersect_rect(&session->damage, &session->damage, 0, 0,
		(unsigned)session->width, (unsigned)session->height);
}

static void send_damage(struct copy_frame *frame)
{
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles(&frame->damage, &n);
	for (int i = 0; i < n; i++) {
		ext_image_copy_capture_frame_v1_send_damage(frame->resource, rects[i].x1,
			rects[i].y1, rects[i].x2 - rects[i].x1, rects[i].y2 - rects[i].y1);
	}
}

static void handle_captured(void *data, bool complete)
{
	struct copy_frame *frame = data;
	struct copy_session *session = frame->session;
	frame->capture = NULL;
	if (!complete || !session->source) {
		give_damage_back(frame);
		fail(frame, complete ? EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_STOPPED
				     : EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_UNKNOWN);
		return;
	}
	frame->state = COPY_FRAME_DONE;
	buffer_replace(&frame->buffer, NULL);
	uint64_t seconds = (uint64_t)(frame->when / 1000000000);
	ext_image_copy_capture_frame_v1_send_transform(frame->resource, session->source->transform);
	send_damage(frame);
	ext_image_copy_capture_frame_v1_send_presentation_time(frame->resource,
		(uint32_t)(seconds >> 32), (uint32_t)seconds, (uint32_t)(frame->when % 1000000000));
	ext_image_copy_capture_frame_v1_send_ready(frame->resource);
}

static void draw(struct copy_frame *frame)
{
	struct copy_session *session = frame->session;
	struct capture_source *source = session->source;
	pixman_region32_t needed;
	pixman_region32_init(&needed);
	pixman_region32_copy(&frame->damage, &session->damage);
	pixman_region32_clear(&session->damage);
	pixman_region32_union(&needed, &frame->damage, &frame->buffer_damage);
	const struct capture_request request = {
		.source = source,
		.part = {0, 0, source->width, source->height},
		.cursor = session->seat != NULL,
		.buffer = frame->buffer,
		.damage = &needed,
	};
	frame->state = COPY_FRAME_DRAWING;
	frame->when = clock_now(source->protocols->server->clock);
	frame->capture = capture_start(&request, handle_captured, frame);
	pixman_region32_fini(&needed);
	if (!frame->capture) {
		give_damage_back(frame);
		fail(frame, EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_UNKNOWN);
	}
}

bool copy_frame_is_waiting(const struct copy_frame *frame)
{
	return frame->state == COPY_FRAME_WAITING;
}

void copy_frame_check(struct copy_frame *frame)
{
	const struct copy_session *session = frame->session;
	if (frame->state != COPY_FRAME_WAITING) {
		return;
	}
	if (!session->source) {
		fail(frame, EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_STOPPED);
	} else if (frame->buffer->width != session->width ||
		   frame->buffer->height != session->height ||
		   !capture_accepts(session->source, frame->buffer)) {
		fail(frame, EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_BUFFER_CONSTRAINTS);
	}
}

void copy_frame_start(struct copy_frame *frame)
{
	struct copy_session *session = frame->session;
	copy_frame_check(frame);
	struct capture_view view;
	if (frame->state != COPY_FRAME_WAITING || buffer_known_signal(frame->buffer) ||
		!pixman_region32_not_empty(&session->damage) ||
		!session->source->impl->view(session->source, &view)) {
		return; /* keep waiting: a cursor may become visible again */
	}
	draw(frame);
}

/* copy_frame_start() checks the buffer again: its GPU may be another than the client was told. */
static void handle_known(struct wl_listener *listener, void *data)
{
	struct copy_frame *frame = wl_container_of(listener, frame, known);
	stop_waiting(frame);
	copy_frame_start(frame);
}

/* Returns false after posting an error. */
static bool check_not_captured(struct copy_frame *frame)
{
	if (frame->state == COPY_FRAME_NEW) {
		return true;
	}
	wl_resource_post_error(frame->resource,
		EXT_IMAGE_COPY_CAPTURE_FRAME_V1_ERROR_ALREADY_CAPTURED,
		"the frame was already captured");
	return false;
}

static void handle_attach_buffer(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *buffer)
{
	struct copy_frame *frame = wl_resource_get_user_data(resource);
	if (check_not_captured(frame)) {
		buffer_replace(&frame->buffer, buffer_from_resource(buffer));
	}
}

static void handle_damage_buffer(struct wl_client *client, struct wl_resource *resource, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
	struct copy_frame *frame = wl_resource_get_user_data(resource);
	if (!check_not_captured(frame)) {
		return;
	}
	if (x < 0 || y < 0 || width <= 0 || height <= 0) {
		wl_resource_post_error(resource,
			EXT_IMAGE_COPY_CAPTURE_FRAME_V1_ERROR_INVALID_BUFFER_DAMAGE,
			"invalid damage of %dx%d pixels at %d, %d", width, height, x, y);
		return;
	}
	struct box box = box_clamp(x, y, width, height);
	pixman_region32_union_rect(&frame->buffer_damage, &frame->buffer_damage, box.x, box.y,
		(unsigned)box.width, (unsigned)box.height);
	region_simplify(&frame->buffer_damage, RECTS_MAX);
}

static void handle_capture(struct wl_client *client, struct wl_resource *resource)
{
	struct copy_frame *frame = wl_resource_get_user_data(resource);
	struct copy_session *session = frame->session;
	if (!check_not_captured(frame)) {
		return;
	}
	if (!frame->buffer) {
		wl_resource_post_error(resource, EXT_IMAGE_COPY_CAPTURE_FRAME_V1_ERROR_NO_BUFFER,
			"capture without an attached buffer");
		return;
	}
	frame->state = COPY_FRAME_WAITING;
	struct wl_signal *known = buffer_known_signal(frame->buffer);
	if (known) {
		signal_add(known, &frame->known, handle_known);
	}
	if (session->source) {
		capture_source_update(session->source);
	}
	copy_frame_start(frame);
}

static const struct ext_image_copy_capture_frame_v1_interface frame_impl = {
	.destroy = resource_handle_destroy,
	.attach_buffer = handle_attach_buffer,
	.damage_buffer = handle_damage_buffer,
	.capture = handle_capture,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct copy_frame *frame = wl_resource_get_user_data(resource);
	if (frame->capture) {
		capture_destroy(frame->capture);
		give_damage_back(frame);
	}
	wl_list_remove(&frame->known.link);
	buffer_unlock(frame->buffer);
	pixman_region32_fini(&frame->buffer_damage);
	pixman_region32_fini(&frame->damage);
	frame->session->frame_gone(frame->session);
	free(frame);
}

void copy_frame_create(struct copy_session *session, uint32_t id)
{
	struct copy_frame *frame = xcalloc(1, sizeof(*frame));
	struct wl_resource *resource =
		resource_create_child(session->resource, &ext_image_copy_capture_frame_v1_interface,
			id, &frame_impl, frame, handle_resource_destroy);
	if (!resource) {
		return;
	}
	frame->resource = resource;
	frame->session = session;
	wl_list_init(&frame->known.link);
	pixman_region32_init(&frame->buffer_damage);
	pixman_region32_init(&frame->damage);
	session->frame = frame;
}
