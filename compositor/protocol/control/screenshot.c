/* SPDX-License-Identifier: MIT */
/* Screenshots of the control protocol: an output's image in a file, sent once it is complete. */

#include "causeway-control-v1-protocol.h"
#include "control.h"
#include "frame/frame.h"
#include "protocol/capture/wait.h"
#include "shell/shell.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct screenshot {
	struct wl_resource *resource;
	struct server *server;
	char *output; /* its name; NULL: refused */
	struct buffer *buffer; /* allocated here; locked while rendering */
	int fence;
	struct wl_event_source *source; /* waits for the fence; NULL: not waiting */
	struct copies_wait copies;
};

static void refuse(struct wl_resource *resource, const char *message)
{
	causeway_screenshot_v1_send_failed(resource, message);
	wl_resource_destroy(resource);
}

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct screenshot *screenshot = wl_resource_get_user_data(resource);
	event_source_remove(&screenshot->source);
	copies_wait_finish(&screenshot->copies);
	free(screenshot->output);
	fd_close(&screenshot->fence);
	buffer_drop(screenshot->buffer);
	free(screenshot);
}

/** Copies the rows to a memory file, for buffers that are not memory files themselves. */
static int copy_out(struct buffer *buffer, size_t *stride)
{
	void *from;
	size_t pitch;
	*stride = (size_t)buffer->width * 4;
	size_t size = *stride * (size_t)buffer->height;
	int fd = fd_create_memory("causeway-screenshot", (off_t)size, false);
	if (fd < 0) {
		return fd;
	}
	void *to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (to == MAP_FAILED) {
		goto close_fd;
	}
	if (buffer_begin_access(buffer, BUFFER_READ, &from, &pitch) < 0) {
		goto unmap;
	}
	for (int32_t y = 0; y < buffer->height; y++) {
		memcpy((char *)to + (size_t)y * *stride, (char *)from + (size_t)y * pitch, *stride);
	}
	buffer_end_access(buffer);
	munmap(to, size);
	return fd;
unmap:
	munmap(to, size);
close_fd:
	fd_close(&fd);
	return -1;
}

static void send(struct screenshot *screenshot)
{
	struct buffer *buffer = screenshot->buffer;
	size_t stride;
	int fd = copy_out(buffer, &stride);
	if (fd < 0) {
		refuse(screenshot->resource, "cannot read back the screenshot");
		return;
	}
	causeway_screenshot_v1_send_ready(screenshot->resource, fd,
		pixel_format_to_shm(buffer->format), buffer->width, buffer->height,
		(int32_t)stride);
	fd_close(&fd);
	wl_resource_destroy(screenshot->resource);
}

static int handle_fence(int fd, uint32_t mask, void *data)
{
	struct screenshot *screenshot = data;
	int status = fence_status(fd);
	if (status < 0) {
		refuse(screenshot->resource, "the GPU was lost while rendering the screenshot");
	} else if (status == 1) {
		send(screenshot);
	}
	return 0;
}

/** Returns a buffer that the renderer can draw to and the CPU can read, or NULL. */
static struct buffer *make_target(const struct render_device *device, int32_t width, int32_t height)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888};
	const struct renderer *renderer = device->renderer;
	struct allocator *allocator = device->allocator;
	for (size_t i = 0; renderer && i < sizeof(formats) / sizeof(formats[0]); i++) {
		uint64_t linear = DRM_FORMAT_MOD_LINEAR;
		struct format_modifiers format = {
			.format = formats[i], .n_modifiers = 1, .modifiers = &linear};
		if (format_set_has(&renderer->target_formats, formats[i], linear)) {
			return allocator->impl->create_buffer(allocator, width, height, &format);
		}
	}
	return NULL;
}

static struct scene_output *find_output(struct server *server, const char *name)
{
	return name ? scene_output_find_name(server->scene, name)
		    : shell_active_output(server->shell);
}

static void wait_for_fence(struct screenshot *screenshot)
{
	if (screenshot->fence < 0) {
		send(screenshot);
		return;
	}
	screenshot->source = wl_event_loop_add_fd(screenshot->server->loop, screenshot->fence,
		WL_EVENT_READABLE, handle_fence, screenshot);
	if (!screenshot->source) {
		refuse(screenshot->resource, "cannot wait for the screenshot's fence");
	}
}

static enum frame_capture_result capture(
	struct screenshot *screenshot, struct scene_output *output, struct render_device *device)
{
	struct box box = scene_output_box(output);
	struct frame_capture capture = {
		.box = {box.x, box.y, box.width, box.height},
		.scale = output->scale,
		.transform = WL_OUTPUT_TRANSFORM_NORMAL,
		.waits = copies_wait_may(&screenshot->copies),
	};
	return frame_capture(screenshot->server->scene, device, screenshot->buffer, &capture,
		&screenshot->fence);
}

/* Starts anew each time, because outputs may change while copies are awaited. */
static void draw(void *data)
{
	struct screenshot *screenshot = data;
	struct server *server = screenshot->server;
	struct scene_output *output = find_output(server, screenshot->output);
	if (!output) {
		refuse(screenshot->resource, "the output was removed");
		return;
	}
	const struct frame_output *frame = frame_output_find(output);
	struct render_device *device = frame ? frame_output_device(frame) : server->device;
	const struct output_mode *mode = &output->output->mode;
	bool swaps = transform_swaps(output->transform);
	buffer_drop(screenshot->buffer);
	screenshot->buffer = make_target(
		device, swaps ? mode->height : mode->width, swaps ? mode->width : mode->height);
	if (!screenshot->buffer) {
		refuse(screenshot->resource, "cannot allocate a buffer for the screenshot");
		return;
	}
	switch (capture(screenshot, output, device)) {
	case FRAME_CAPTURE_LATE: copies_wait_begin(&screenshot->copies, device); break;
	case FRAME_CAPTURE_DRAWN: wait_for_fence(screenshot); break;
	case FRAME_CAPTURE_FAILED:
		refuse(screenshot->resource, "cannot render the screenshot");
		break;
	}
}

void control_screenshot(struct server *server, struct wl_resource *resource, const char *name)
{
	struct screenshot *screenshot = xcalloc(1, sizeof(*screenshot));
	screenshot->resource = resource;
	screenshot->server = server;
	screenshot->fence = -1;
	copies_wait_init(&screenshot->copies, server->loop, server->clock, draw, screenshot);
	wl_resource_set_implementation(resource, NULL, screenshot, handle_resource_destroy);
	const struct scene_output *output = find_output(server, name);
	if (!output) {
		char *message = name ? xasprintf("there is no output '%s'", name)
				     : xstrdup("there is no output");
		refuse(resource, message);
		free(message);
		return;
	}
	screenshot->output = xstrdup(output->output->name);
	draw(screenshot);
}
