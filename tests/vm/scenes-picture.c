/* What a scene is drawn in: buffers of each kind of memory, and what is in them. */

#include "dumb.h"
#include "scenes.h"
#include "single-pixel-buffer-v1-client-protocol.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- Buffers. --- */

static struct wl_buffer *create_shm(struct child *child, struct picture *picture)
{
	bool pool = child->memory != MEMORY_SHM;
	picture->stride = (size_t)child->width * 4;
	picture->size = (picture->stride * (size_t)child->height + 4095) / 4096 * 4096;
	int fd = memfd_create("scenes-client", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)picture->size) < 0 ||
		(pool && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0)) {
		fail("no shared memory");
	}
	picture->pixels = mmap(NULL, picture->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct wl_shm_pool *shm_pool =
		wl_shm_create_pool(child->client->shm, fd, (int32_t)picture->size);
	struct wl_buffer *buffer = wl_shm_pool_create_buffer(shm_pool, 0, child->width,
		child->height, (int32_t)picture->stride,
		child->translucent ? WL_SHM_FORMAT_ARGB8888 : WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_destroy(shm_pool);
	close(fd);
	return buffer;
}

static struct wl_buffer *create_dmabuf(struct child *child, struct picture *picture)
{
	struct dumb dumb;
	const char *error = dumb_create(&dumb, child->client->device, child->client->dmabuf,
		child->width, child->height,
		child->translucent ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888);
	if (error) {
		fail(error);
	}
	picture->pixels = dumb.pixels;
	picture->size = dumb.size;
	picture->stride = dumb.stride;
	return dumb.buffer;
}

static void destroy_picture(struct picture *picture)
{
	wl_buffer_destroy(picture->buffer);
	munmap(picture->pixels, picture->size);
	free(picture);
}

static void redraw(struct child *child);

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct picture *picture = data;
	struct child *child = picture->child;
	picture->busy = false;
	if (picture->retired) {
		destroy_picture(picture);
	} else if (child->waits) {
		redraw(child);
	}
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static struct picture *create_picture(struct child *child)
{
	struct picture *picture = calloc(1, sizeof(*picture));
	bool dmabuf = child->memory == MEMORY_DMABUF && child->client->device >= 0;
	if (!picture) {
		fail("no memory");
	}
	picture->child = child;
	picture->buffer = dmabuf ? create_dmabuf(child, picture) : create_shm(child, picture);
	if (picture->pixels == MAP_FAILED) {
		fail("a buffer cannot be mapped");
	}
	wl_buffer_add_listener(picture->buffer, &buffer_listener, picture);
	return picture;
}

/* NULL: all are in use. */
static struct picture *find_picture(struct child *child)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct picture **picture = &child->pictures[i];
		if (!*picture) {
			*picture = create_picture(child);
		}
		if (!(*picture)->busy) {
			return *picture;
		}
	}
	return NULL;
}

void child_retire_pictures(struct child *child)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct picture *picture = child->pictures[i];
		child->pictures[i] = NULL;
		if (picture && picture->busy) {
			picture->retired = true;
		} else if (picture) {
			destroy_picture(picture);
		}
	}
}

/* --- Drawing. --- */

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

/* A rectangle of one colour, into what the next buffer shows. */
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
	struct picture *picture = find_picture(child);
	if (!picture) {
		return false;
	}
	for (int32_t y = 0; y < child->height; y++) {
		memcpy((char *)picture->pixels + (size_t)y * picture->stride,
			child->drawing + (size_t)(y * child->width), (size_t)child->width * 4);
	}
	picture->busy = true;
	wl_surface_attach(child->surface, picture->buffer, 0, 0);
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
	/* One colour is no memory: it need not be there any longer. */
	wl_buffer_destroy(buffer);
}

/* As if it played something. */
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
		child_retire_pictures(child);
		child_attach(child);
	}
	wl_surface_damage_buffer(child->surface, x, y, width, height);
}
