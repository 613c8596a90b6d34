/* SPDX-License-Identifier: MIT */
/* Buffers of a random scene: allocation in each kind of memory, and drawing. */

#include "dumb.h"
#include "scenes.h"
#include "single-pixel-buffer-v1-client-protocol.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Buffers */

static struct wl_buffer *create_shm(struct child *child, struct child_buffer *buffer)
{
	bool pool = child->memory != MEMORY_SHM;
	buffer->stride = (size_t)child->width * 4;
	buffer->size = (buffer->stride * (size_t)child->height + 4095) / 4096 * 4096;
	int fd = memfd_create("scenes-client", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)buffer->size) < 0 ||
		(pool && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0)) {
		fail("cannot create shared memory");
	}
	buffer->pixels = mmap(NULL, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct wl_shm_pool *shm_pool =
		wl_shm_create_pool(child->client->shm, fd, (int32_t)buffer->size);
	struct wl_buffer *shm_buffer = wl_shm_pool_create_buffer(shm_pool, 0, child->width,
		child->height, (int32_t)buffer->stride,
		child->translucent ? WL_SHM_FORMAT_ARGB8888 : WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_destroy(shm_pool);
	close(fd);
	return shm_buffer;
}

static struct wl_buffer *create_dmabuf(struct child *child, struct child_buffer *buffer)
{
	struct dumb dumb;
	const char *error = dumb_create(&dumb, child->client->device, child->client->dmabuf,
		child->width, child->height,
		child->translucent ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888);
	if (error) {
		fail(error);
	}
	buffer->pixels = dumb.pixels;
	buffer->size = dumb.size;
	buffer->stride = dumb.stride;
	return dumb.buffer;
}

static void destroy_buffer(struct child_buffer *buffer)
{
	wl_buffer_destroy(buffer->buffer);
	munmap(buffer->pixels, buffer->size);
	free(buffer);
}

static void redraw(struct child *child);

static void handle_release(void *data, struct wl_buffer *proxy)
{
	struct child_buffer *buffer = data;
	struct child *child = buffer->child;
	buffer->busy = false;
	if (buffer->retired) {
		destroy_buffer(buffer);
	} else if (child->waits) {
		redraw(child);
	}
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static struct child_buffer *create_buffer(struct child *child)
{
	struct child_buffer *buffer = calloc(1, sizeof(*buffer));
	bool dmabuf = child->memory == MEMORY_DMABUF && child->client->device >= 0;
	if (!buffer) {
		fail("no memory");
	}
	buffer->child = child;
	buffer->buffer = dmabuf ? create_dmabuf(child, buffer) : create_shm(child, buffer);
	if (buffer->pixels == MAP_FAILED) {
		fail("cannot map a buffer");
	}
	wl_buffer_add_listener(buffer->buffer, &buffer_listener, buffer);
	return buffer;
}

/* Returns a free buffer, or NULL. */
static struct child_buffer *find_free_buffer(struct child *child)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct child_buffer **buffer = &child->buffers[i];
		if (!*buffer) {
			*buffer = create_buffer(child);
		}
		if (!(*buffer)->busy) {
			return *buffer;
		}
	}
	return NULL;
}

void child_retire_buffers(struct child *child)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct child_buffer *buffer = child->buffers[i];
		child->buffers[i] = NULL;
		if (buffer && buffer->busy) {
			buffer->retired = true;
		} else if (buffer) {
			destroy_buffer(buffer);
		}
	}
}

/* Drawing */

static uint32_t random_color(struct child *child)
{
	struct client *client = child->client;
	int alpha = child->translucent ? between(client, 0, 255) : 255;
	uint32_t color = (uint32_t)alpha << 24;
	for (int shift = 0; shift < 24; shift += 8) {
		color |= (uint32_t)between(client, 0, alpha) << shift;
	}
	return color;
}

/* Draws a rectangle of one color into the contents of the next buffer. */
static void paint(struct child *child, int32_t x, int32_t y, int32_t width, int32_t height)
{
	uint32_t color = random_color(child);
	for (int32_t row = y; row < y + height; row++) {
		for (int32_t column = x; column < x + width; column++) {
			child->drawing[row * child->width + column] = color;
		}
	}
}

static void handle_frame(void *data, struct wl_callback *callback, uint32_t time)
{
	struct child *child = data;
	wl_callback_destroy(callback);
	child->asked = false;
	redraw(child);
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame};

void child_commit(struct child *child)
{
	if (!child->asked) {
		child->asked = true;
		wl_callback_add_listener(wl_surface_frame(child->surface), &frame_listener, child);
	}
	wl_surface_commit(child->surface);
}

bool child_attach(struct child *child)
{
	struct child_buffer *buffer = find_free_buffer(child);
	if (!buffer) {
		return false;
	}
	for (int32_t y = 0; y < child->height; y++) {
		memcpy((char *)buffer->pixels + (size_t)y * buffer->stride,
			child->drawing + (size_t)(y * child->width), (size_t)child->width * 4);
	}
	buffer->busy = true;
	wl_surface_attach(child->surface, buffer->buffer, 0, 0);
	return true;
}

static void attach_color(struct child *child)
{
	uint32_t part[4];
	uint32_t color = random_color(child);
	for (int i = 0; i < 4; i++) {
		part[i] = (color >> 8 * i & 255) * 0x01010101u;
	}
	struct wl_buffer *buffer = wp_single_pixel_buffer_manager_v1_create_u32_rgba_buffer(
		child->client->colors, part[2], part[1], part[0], part[3]);
	wl_surface_attach(child->surface, buffer, 0, 0);
	wl_surface_damage_buffer(child->surface, 0, 0, 1, 1);
	/* A single pixel buffer needs no memory, so it can be destroyed. */
	wl_buffer_destroy(buffer);
}

/* Draws the same contents again, like a video. */
static void redraw(struct child *child)
{
	if (!child->moving || child->hidden || child->memory == MEMORY_COLOR) {
		return;
	}
	child->waits = !child_attach(child);
	if (child->waits) {
		return;
	}
	wl_surface_damage_buffer(child->surface, 0, 0, child->width, child->height);
	child_commit(child);
}

void child_draw(struct child *child, int32_t x, int32_t y, int32_t width, int32_t height)
{
	child->hidden = false;
	if (child->memory == MEMORY_COLOR) {
		attach_color(child);
		return;
	}
	paint(child, x, y, width, height);
	if (!child_attach(child)) {
		child_retire_buffers(child);
		child_attach(child);
	}
	wl_surface_damage_buffer(child->surface, x, y, width, height);
}
