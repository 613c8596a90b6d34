/* SPDX-License-Identifier: MIT */
/* Frames of wlr-screencopy-unstable-v1: one capture of an output or a region of it. */

#include "buffer/shm.h"
#include "gpu/format.h"
#include "screencopy.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void stop_waiting(struct screencopy_frame *frame)
{
	wl_list_remove(&frame->known.link);
	wl_list_init(&frame->known.link);
}

void screencopy_frame_fail(struct screencopy_frame *frame)
{
	stop_waiting(frame);
	wl_list_remove(&frame->link);
	wl_list_init(&frame->link);
	frame->used = true;
	screencopy_sequence_leave(frame, false);
	buffer_replace(&frame->buffer, NULL);
	zwlr_screencopy_frame_v1_send_failed(frame->resource);
}

static void send_damage(const struct screencopy_frame *frame)
{
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles(&frame->damage, &n);
	for (int i = 0; i < n; i++) {
		zwlr_screencopy_frame_v1_send_damage(frame->resource, (uint32_t)rects[i].x1,
			(uint32_t)rects[i].y1, (uint32_t)(rects[i].x2 - rects[i].x1),
			(uint32_t)(rects[i].y2 - rects[i].y1));
	}
}

static void handle_captured(void *data, bool complete)
{
	struct screencopy_frame *frame = data;
	frame->capture = NULL;
	if (!complete) {
		screencopy_frame_fail(frame);
		return;
	}
	screencopy_sequence_leave(frame, true);
	buffer_replace(&frame->buffer, NULL);
	uint64_t seconds = (uint64_t)(frame->when / 1000000000);
	zwlr_screencopy_frame_v1_send_flags(frame->resource, 0);
	if (frame->with_damage) {
		send_damage(frame);
	}
	zwlr_screencopy_frame_v1_send_ready(frame->resource, (uint32_t)(seconds >> 32),
		(uint32_t)seconds, (uint32_t)(frame->when % 1000000000));
}

/* The history of the client's buffer is unknown, so the whole buffer is captured. */
static void draw(struct screencopy_frame *frame)
{
	struct capture_source *source = frame->output->source;
	pixman_region32_t all;
	pixman_region32_init_rect(
		&all, 0, 0, (unsigned)frame->part.width, (unsigned)frame->part.height);
	const struct capture_request request = {
		.source = source,
		.part = frame->part,
		.cursor = frame->cursor,
		.buffer = frame->buffer,
		.damage = &all,
	};
	frame->when = clock_now(source->protocols->server->clock);
	frame->capture = capture_start(&request, handle_captured, frame);
	pixman_region32_fini(&all);
	if (!frame->capture) {
		screencopy_frame_fail(frame);
	}
}

void screencopy_frame_start(struct screencopy_frame *frame)
{
	const struct capture_source *source = frame->output->source;
	if (source->gone || source->width != frame->width || source->height != frame->height) {
		screencopy_frame_fail(frame);
		return;
	}
	/* The damage is taken later, together with the content. */
	if (buffer_known_signal(frame->buffer)) {
		return;
	}
	bool damaged = screencopy_sequence_take(frame);
	if (!damaged && frame->with_damage) {
		return;
	}
	wl_list_remove(&frame->link);
	wl_list_init(&frame->link);
	draw(frame);
}

/* The buffer may belong to another GPU than the one that the client was told. */
static void handle_known(struct wl_listener *listener, void *data)
{
	struct screencopy_frame *frame = wl_container_of(listener, frame, known);
	stop_waiting(frame);
	if (capture_accepts(frame->output->source, frame->buffer)) {
		screencopy_frame_start(frame);
	} else {
		screencopy_frame_fail(frame);
	}
}

static int32_t stride_of(const struct screencopy_frame *frame)
{
	return pixel_format_min_stride(pixel_format_get(frame->format), 0, frame->part.width);
}

/*
 * The protocol names no device for dma-bufs; clients use the device announced to them first,
 * whichever device renders the output. xdg-desktop-portal-wlr up to 0.7 captures nothing without
 * them.
 */
static bool offers_dmabufs(const struct screencopy_frame *frame)
{
	struct capture_source *source = frame->output->source;
	struct capture_view view;
	return wl_resource_get_version(frame->resource) >=
		       ZWLR_SCREENCOPY_FRAME_V1_LINUX_DMABUF_SINCE_VERSION &&
	       capture_accepts_dmabufs(
		       source->protocols, wl_resource_get_client(frame->resource), frame->format) &&
	       source->impl->view(source, &view) && capture_is_direct(&view, &frame->part);
}

/* Returns true if the buffer matches one of the descriptions that were sent. */
static bool fits(const struct screencopy_frame *frame, struct buffer *buffer)
{
	if (!buffer || buffer->width != frame->part.width || buffer->height != frame->part.height ||
		buffer->format != frame->format) {
		return false;
	}
	int32_t offset, stride;
	if (buffer_is_shm(buffer)) {
		shm_buffer_place(buffer, &offset, &stride);
		return stride == stride_of(frame);
	}
	return buffer_dmabuf(buffer);
}

static void copy(
	struct wl_resource *resource, struct wl_resource *buffer_resource, bool with_damage)
{
	struct screencopy_frame *frame = wl_resource_get_user_data(resource);
	if (frame->used) {
		if (frame->output) {
			wl_resource_post_error(resource,
				ZWLR_SCREENCOPY_FRAME_V1_ERROR_ALREADY_USED,
				"the frame was already copied");
		}
		return; /* failed, although the client may not have received the event yet */
	}
	struct buffer *buffer = buffer_from_resource(buffer_resource);
	if (!frame->output->source->gone && !fits(frame, buffer)) {
		wl_resource_post_error(resource, ZWLR_SCREENCOPY_FRAME_V1_ERROR_INVALID_BUFFER,
			"the buffer differs from the format, size or stride that was announced");
		return;
	}
	/* Descriptions name no device, and devices come and go: this is no error of the client. */
	if (!frame->output->source->gone && !capture_accepts(frame->output->source, buffer)) {
		screencopy_frame_fail(frame);
		return;
	}
	frame->used = true;
	frame->with_damage = with_damage;
	buffer_replace(&frame->buffer, buffer);
	struct wl_signal *known = buffer_known_signal(buffer);
	if (known) {
		signal_add(known, &frame->known, handle_known);
	}
	screencopy_sequence_join(frame);
	wl_list_insert(frame->output->waiting.prev, &frame->link);
	screencopy_frame_start(frame);
}

static void handle_copy(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *buffer)
{
	copy(resource, buffer, false);
}

static void handle_copy_with_damage(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *buffer)
{
	copy(resource, buffer, true);
}

static const struct zwlr_screencopy_frame_v1_interface frame_impl = {
	.copy = handle_copy,
	.destroy = resource_handle_destroy,
	.copy_with_damage = handle_copy_with_damage,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct screencopy_frame *frame = wl_resource_get_user_data(resource);
	wl_list_remove(&frame->link);
	wl_list_remove(&frame->known.link);
	capture_destroy(frame->capture);
	screencopy_sequence_leave(frame, false);
	buffer_unlock(frame->buffer);
	pixman_region32_fini(&frame->damage);
	if (frame->output) {
		screencopy_output_unref(frame->output);
	}
	free(frame);
}

static void describe_buffers(struct screencopy_frame *frame)
{
	struct wl_resource *resource = frame->resource;
	uint32_t width = (uint32_t)frame->part.width, height = (uint32_t)frame->part.height;
	zwlr_screencopy_frame_v1_send_buffer(resource, pixel_format_to_shm(frame->format), width,
		height, (uint32_t)stride_of(frame));
	if (offers_dmabufs(frame)) {
		zwlr_screencopy_frame_v1_send_linux_dmabuf(resource, frame->format, width, height);
	}
	if (wl_resource_get_version(resource) >=
		ZWLR_SCREENCOPY_FRAME_V1_BUFFER_DONE_SINCE_VERSION) {
		zwlr_screencopy_frame_v1_send_buffer_done(resource);
	}
}

void screencopy_frame_create(struct wl_resource *manager, uint32_t id,
	struct screencopy_output *output, const struct box *part, bool cursor)
{
	struct screencopy_frame *frame = xcalloc(1, sizeof(*frame));
	struct wl_resource *resource =
		resource_create_child(manager, &zwlr_screencopy_frame_v1_interface, id, &frame_impl,
			frame, handle_resource_destroy);
	if (!resource) {
		return;
	}
	frame->resource = resource;
	wl_list_init(&frame->link);
	wl_list_init(&frame->known.link);
	frame->part = *part;
	frame->cursor = cursor;
	pixman_region32_init(&frame->damage);
	frame->format = output ? capture_shm_format(output->source, 0) : 0;
	if (!frame->format) {
		screencopy_frame_fail(frame);
		return;
	}
	frame->output = screencopy_output_ref(output);
	frame->width = output->source->width;
	frame->height = output->source->height;
	describe_buffers(frame);
}
