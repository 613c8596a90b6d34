/* SPDX-License-Identifier: MIT */
/*
 * A capture: renders a source into a client's buffer. Dma-bufs are rendered to directly by a GPU,
 * and shared memory by the CPU renderer. Otherwise the source is rendered to a scratch buffer,
 * which is copied once its fence has signalled.
 */

#include "capture.h"
#include "buffer/dmabuf_buffer.h"
#include "buffer/shm.h"
#include "content/device.h"
#include "frame/frame.h"
#include "gpu/format.h"
#include "render/render.h"
#include "scene/output.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/region.h"
#include "util/xalloc.h"
#include "wait.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of rectangles of a capture's damage; each costs a draw. */
#define RECTS_MAX 32

struct capture {
	struct capture_source *source; /* referenced */
	struct buffer *buffer; /* locked */
	struct buffer *scratch; /* locked; NULL: rendering goes to the client's buffer directly */
	/* Position in the scratch buffer of the client buffer's origin. */
	int32_t x, y;
	pixman_region32_t damage; /* buffer pixels */
	struct box part; /* as requested */
	bool cursor;
	int fence;
	/** source of a fence or idle source; NULL: signalled, or waiting for copies */
	struct wl_event_source *event;
	struct copies_wait copies;
	void (*done)(void *data, bool complete);
	void *data;
};

/* Outputs are captured by the device that renders them, since all content is available there. */
static struct render_device *device(const struct capture_source *source)
{
	struct render_device *own = source->impl->device ? source->impl->device(source) : NULL;
	return own ? own : source->protocols->server->device;
}

/*
 * Dma-bufs of the primary device are captured by it, whichever device renders the output: clients
 * of screencopy allocate on it.
 */
static struct render_device *device_for(
	const struct capture_source *source, const struct buffer *buffer)
{
	struct render_device *common = source->protocols->server->device;
	bool own = buffer->home && buffer->home == common->gpu && common->renderer;
	return own ? common : device(source);
}

static struct render_device *device_of(const struct capture *capture)
{
	return device_for(capture->source, capture->buffer);
}

uint32_t capture_shm_format(const struct capture_source *source, int index)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888};
	const struct renderer *renderer = device(source)->renderer;
	for (size_t i = 0; renderer && i < sizeof(formats) / sizeof(formats[0]); i++) {
		/* Formats with and without alpha are adjacent. */
		uint32_t format = formats[source->translucent ? i ^ 1 : i];
		if (format_set_has(&renderer->target_formats, format, DRM_FORMAT_MOD_LINEAR) &&
			index-- == 0) {
			return format;
		}
	}
	return 0;
}

struct gpu *capture_gpu(const struct capture_source *source)
{
	return device(source)->renderer ? device(source)->gpu : NULL;
}

const struct format_modifiers *capture_dmabuf_format(const struct capture_source *source, int index)
{
	uint32_t format = capture_gpu(source) ? capture_shm_format(source, index) : 0;
	return format ? format_set_get(&device(source)->renderer->target_formats, format) : NULL;
}

bool capture_accepts(const struct capture_source *source, struct buffer *buffer)
{
	bool offered = false;
	uint32_t format;
	for (int i = 0; (format = capture_shm_format(source, i)); i++) {
		offered |= format == buffer->format;
	}
	if (!offered || buffer_is_shm(buffer)) {
		return offered;
	}
	const struct render_device *by = device_for(source, buffer);
	if (!by->renderer || !buffer_is_client_dmabuf(buffer) ||
		!format_set_has(&by->renderer->target_formats, buffer->format,
			buffer_dmabuf(buffer)->modifier)) {
		return false;
	}
	/* A GPU renders only to its own memory; the CPU writes to any that it can map. */
	return by->renderer->cpu || (by->gpu && (!buffer->home || buffer->home == by->gpu));
}

bool capture_accepts_dmabufs(
	const struct protocols *protocols, struct wl_client *client, uint32_t format)
{
	const struct render_device *common = protocols->server->device;
	const struct gpu *gpu = client_from_wl(client)->gpu;
	return common->renderer && server_display_gpu(protocols->server) &&
	       (common->renderer->cpu || !gpu || gpu == common->gpu) &&
	       format_set_get(&common->renderer->target_formats, format);
}

/*
 * Pixman needs word-aligned memory. It also reads its target, which is slow in memory other than
 * this.
 */
static bool is_drawable(const struct render_device *device, struct buffer *buffer)
{
	if (!buffer_is_shm(buffer)) {
		return !device->renderer->cpu;
	}
	void *data;
	size_t stride;
	if (!device->renderer->cpu ||
		buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride) < 0) {
		return false;
	}
	buffer_end_access(buffer);
	return (uintptr_t)data % sizeof(uint32_t) == 0 && stride % sizeof(uint32_t) == 0;
}

/*
 * Reduces the view to the part. Returns false if the pixels would differ from those of the whole:
 * the part must begin at whole logical coordinates, and the scale must be an integer.
 */
static bool narrow(struct scene_view *view, const struct box *part)
{
	if (part->width == view->width && part->height == view->height) {
		return true;
	}
	struct box upright;
	transform_box(&upright, part, transform_invert(view->transform), view->width, view->height);
	double x = upright.x / view->scale, y = upright.y / view->scale;
	if (view->scale != floor(view->scale) || x != floor(x) || y != floor(y)) {
		return false;
	}
	view->x += (int)x;
	view->y += (int)y;
	view->width = part->width;
	view->height = part->height;
	return true;
}

bool capture_is_direct(const struct capture_view *view, const struct box *part)
{
	struct scene_view narrowed = view->view;
	return narrow(&narrowed, part);
}

static enum frame_capture_result draw(struct capture *capture, const struct capture_view *view,
	bool cursor, const pixman_region32_t *damage)
{
	struct capture_source *source = capture->source;
	int width, height;
	scene_view_upright_size(&view->view, &width, &height);
	struct frame_capture frame = {
		.root = view->root,
		.box = {view->view.x, view->view.y, width / view->view.scale,
			height / view->view.scale},
		.scale = view->view.scale,
		.transform = view->view.transform,
		.cursor = cursor,
		.damage = damage,
		.waits = copies_wait_may(&capture->copies),
	};
	return frame_capture(source->protocols->server->scene, device_of(capture),
		capture->scratch ? capture->scratch : capture->buffer, &frame, &capture->fence);
}

/*
 * Renders to the client's buffer or to scratch memory: the part alone, or the whole if the part
 * alone would not be exact.
 */
static enum frame_capture_result try(struct capture *capture)
{
	struct capture_source *source = capture->source;
	struct buffer *buffer = capture->buffer;
	struct capture_view view;
	struct render_device *by = device_of(capture);
	if (!by->renderer || !source->impl->view(source, &view) ||
		view.view.width != source->width || view.view.height != source->height) {
		return FRAME_CAPTURE_FAILED;
	}
	/* The source may have shrunk while copies were awaited. */
	if (capture->part.x + capture->part.width > source->width ||
		capture->part.y + capture->part.height > source->height) {
		return FRAME_CAPTURE_FAILED;
	}
	bool narrowed = narrow(&view.view, &capture->part);
	if (!narrowed || !is_drawable(by, buffer)) {
		if (!buffer_is_shm(buffer) && !by->renderer->cpu) {
			return FRAME_CAPTURE_FAILED;
		}
		capture->scratch = capture_scratch_get(
			source->protocols, by, view.view.width, view.view.height, buffer->format);
		if (!capture->scratch) {
			return FRAME_CAPTURE_FAILED;
		}
	}
	capture->x = narrowed ? 0 : capture->part.x;
	capture->y = narrowed ? 0 : capture->part.y;
	bool cursor =
		capture->cursor && (!source->impl->pointed_at || source->impl->pointed_at(source));
	pixman_region32_t damage;
	pixman_region32_init(&damage);
	pixman_region32_copy(&damage, &capture->damage);
	pixman_region32_translate(&damage, capture->x, capture->y);
	enum frame_capture_result result = draw(capture, &view, cursor, &damage);
	pixman_region32_fini(&damage);
	return result;
}

void capture_destroy(struct capture *capture)
{
	if (!capture) {
		return;
	}
	event_source_remove(&capture->event);
	copies_wait_finish(&capture->copies);
	fd_close(&capture->fence);
	pixman_region32_fini(&capture->damage);
	buffer_unlock(capture->scratch);
	buffer_unlock(capture->buffer);
	capture_source_unref(capture->source);
	free(capture);
}

static void copy_rect(const struct capture *capture, char *to, size_t to_stride, const char *from,
	size_t from_stride, const pixman_box32_t *rect)
{
	const size_t bytes = pixel_format_get(capture->buffer->format)->bytes[0];
	for (int32_t y = rect->y1; y < rect->y2; y++) {
		memcpy(to + (size_t)y * to_stride + (size_t)rect->x1 * bytes,
			from + (size_t)(y + capture->y) * from_stride +
				(size_t)(rect->x1 + capture->x) * bytes,
			(size_t)(rect->x2 - rect->x1) * bytes);
	}
}

/*
 * Opens the scratch buffer for reading by the CPU: itself or, for a GPU buffer, a mapping of its
 * dma-buf. The caller unlocks the returned buffer.
 */
static struct buffer *open_reader(struct buffer *scratch, void **data, size_t *stride)
{
	if (buffer_begin_access(scratch, BUFFER_READ, data, stride) == 0) {
		return buffer_lock(scratch);
	}
	struct dmabuf copy;
	if (!buffer_dmabuf(scratch) || dmabuf_copy(&copy, buffer_dmabuf(scratch)) < 0) {
		return NULL;
	}
	struct buffer *reader = dmabuf_buffer_create(&copy, scratch->home);
	if (!reader) {
		return NULL;
	}
	int error = buffer_begin_access(reader, BUFFER_READ, data, stride);
	buffer_lock(reader);
	buffer_drop(reader);
	if (error < 0) {
		buffer_unlock(reader);
		return NULL;
	}
	return reader;
}

/* Copies from the scratch buffer, guarded against faults in the client's memory. */
static bool copy(struct capture *capture)
{
	void *from, *to;
	size_t from_stride, to_stride;
	struct buffer *reader = open_reader(capture->scratch, &from, &from_stride);
	if (!reader) {
		log_warn("capture: cannot read back the scratch buffer");
		return false;
	}
	bool copied = false;
	if (buffer_begin_access(capture->buffer, BUFFER_WRITE, &to, &to_stride) == 0) {
		int n;
		const pixman_box32_t *rects = pixman_region32_rectangles(&capture->damage, &n);
		for (int i = 0; i < n; i++) {
			copy_rect(capture, to, to_stride, from, from_stride, &rects[i]);
		}
		copied = buffer_end_access(capture->buffer);
	}
	buffer_end_access(reader);
	buffer_unlock(reader);
	return copied;
}

/* Copies from the scratch buffer, if there is one, and releases it. */
static bool take_from_scratch(struct capture *capture)
{
	bool copied = !capture->scratch || copy(capture);
	buffer_unlock(capture->scratch);
	capture->scratch = NULL;
	return copied;
}

static void finish(struct capture *capture, bool complete)
{
	if (complete) {
		complete = take_from_scratch(capture);
	}
	/* The client may have truncated the memory during the capture. */
	if (buffer_is_shm(capture->buffer) && shm_buffer_take_fault(capture->buffer)) {
		complete = false;
	}
	struct capture_source *source = capture->source;
	if (complete && source->impl->captured) {
		source->impl->captured(source);
	}
	void (*done)(void *data, bool complete) = capture->done;
	void *data = capture->data;
	capture_destroy(capture);
	done(data, complete);
}

static void handle_idle(void *data)
{
	struct capture *capture = data;
	capture->event = NULL;
	finish(capture, true);
}

static int handle_fence(int fd, uint32_t mask, void *data)
{
	struct capture *capture = data;
	int status = fence_status(fd);
	if (status != 0) {
		finish(capture, status > 0);
	}
	return 0;
}

static bool start(struct capture *capture);

static void handle_copied(void *data)
{
	struct capture *capture = data;
	if (!start(capture)) {
		finish(capture, false);
	}
}

/* Waits for copies from other GPUs, which are in progress, and then tries again. */
static void wait_for_copies(struct capture *capture)
{
	buffer_unlock(capture->scratch);
	capture->scratch = NULL;
	copies_wait_begin(&capture->copies, device_of(capture));
}

static int handle_buffer_ready(int fd, uint32_t mask, void *data)
{
	struct capture *capture = data;
	event_source_remove(&capture->event);
	if (!start(capture)) {
		finish(capture, false);
	}
	return 0;
}

/*
 * Waits for fences of the client's buffer, if the CPU will write to it and there are any. Returns
 * whether the capture waits.
 */
static bool wait_for_buffer(struct capture *capture)
{
	struct wl_event_loop *loop = capture->source->protocols->server->loop;
	const struct dmabuf *dmabuf = buffer_dmabuf(capture->buffer);
	const struct render_device *by = device_of(capture);
	if (!dmabuf || !by->renderer || !by->renderer->cpu ||
		fence_dmabuf_is_ready(dmabuf->fd[0], true)) {
		return false;
	}
	int fence = fence_export_dmabuf(dmabuf->fd[0], true);
	if (fence >= 0) {
		capture->event = wl_event_loop_add_fd(
			loop, fence, WL_EVENT_READABLE, handle_buffer_ready, capture);
		fd_close(&fence);
	} else {
		capture->event = wl_event_loop_add_fd(
			loop, dmabuf->fd[0], WL_EVENT_WRITABLE, handle_buffer_ready, capture);
	}
	return capture->event != NULL;
}

static bool wait_for_fence(struct capture *capture)
{
	struct wl_event_loop *loop = capture->source->protocols->server->loop;
	if (capture->fence >= 0) {
		capture->event = wl_event_loop_add_fd(
			loop, capture->fence, WL_EVENT_READABLE, handle_fence, capture);
	} else if (take_from_scratch(capture)) {
		capture->event = wl_event_loop_add_idle(loop, handle_idle, capture);
	}
	return capture->event != NULL;
}

/* Returns false if the source cannot be rendered. */
static bool start(struct capture *capture)
{
	if (wait_for_buffer(capture)) {
		return true;
	}
	switch (try(capture)) {
	case FRAME_CAPTURE_LATE: wait_for_copies(capture); return true;
	case FRAME_CAPTURE_DRAWN: return wait_for_fence(capture);
	case FRAME_CAPTURE_FAILED: break;
	}
	return false;
}

struct capture *capture_start(
	const struct capture_request *request, void (*done)(void *data, bool complete), void *data)
{
	struct capture_source *source = request->source;
	struct capture *capture = xcalloc(1, sizeof(*capture));
	capture->source = capture_source_ref(source);
	capture->buffer = buffer_lock(request->buffer);
	capture->part = request->part;
	capture->cursor = request->cursor;
	capture->fence = -1;
	capture->done = done;
	capture->data = data;
	copies_wait_init(&capture->copies, source->protocols->server->loop,
		source->protocols->server->clock, handle_copied, capture);
	pixman_region32_init(&capture->damage);
	pixman_region32_intersect_rect(&capture->damage, (pixman_region32_t *)request->damage, 0, 0,
		(unsigned)request->buffer->width, (unsigned)request->buffer->height);
	region_simplify(&capture->damage, RECTS_MAX);
	if (!start(capture)) {
		capture_destroy(capture);
		return NULL;
	}
	return capture;
}
