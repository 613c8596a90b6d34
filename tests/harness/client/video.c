/* SPDX-License-Identifier: MIT */
/* Video of clients: shm buffers of any format, with padded rows. */

#include "video.h"
#include "gpu/format.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Makes rows longer than images. */
#define PADDING 3

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct video *video = data;
	video->busy = false;
}

static const struct wl_buffer_listener listener = {.release = handle_release};

/* Maps memory for a buffer, and stores its descriptor. */
static struct video *create(uint32_t format, int32_t width, int32_t height, int32_t stride, int *fd)
{
	const struct pixel_format *info = pixel_format_get(format);
	struct video *video = xcalloc(1, sizeof(*video));
	video->format = format;
	video->width = width;
	video->height = height;
	video->stride = stride;
	video->size = (size_t)pixel_format_size(info, (size_t)stride, height);
	*fd = fd_create_memory("video", (off_t)video->size, true);
	assert_true(*fd >= 0);
	video->memory = mmap(NULL, video->size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert_true(video->memory != MAP_FAILED);
	return video;
}

struct video *video_create(struct peer *peer, uint32_t format, int32_t width, int32_t height)
{
	int fd;
	struct video *video = create(format, width, height,
		pixel_format_min_stride(pixel_format_get(format), 0, width + PADDING), &fd);
	struct wl_shm_pool *pool = wl_shm_create_pool(peer->shm, fd, (int32_t)video->size);
	video->buffer = wl_shm_pool_create_buffer(
		pool, 0, width, height, video->stride, pixel_format_to_shm(format));
	wl_buffer_add_listener(video->buffer, &listener, video);
	wl_shm_pool_destroy(pool);
	close(fd);
	return video;
}

struct video *video_create_dmabuf(
	struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format, int32_t width, int32_t height)
{
	const struct pixel_format *info = pixel_format_get(format);
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf);
	int fd;
	struct video *video = create(format, width, height,
		(pixel_format_min_stride(info, 0, width) + 255) / 256 * 256, &fd);
	uint32_t offset = 0;
	for (int i = 0; i < info->n_planes; i++) {
		const uint32_t stride =
			(uint32_t)pixel_format_plane_stride(info, i, (size_t)video->stride);
		zwp_linux_buffer_params_v1_add(params, fd, (uint32_t)i, offset, stride, 0, 0);
		offset += stride * (uint32_t)pixel_format_plane_height(info, i, height);
	}
	video->buffer = zwp_linux_buffer_params_v1_create_immed(params, width, height, format, 0);
	wl_buffer_add_listener(video->buffer, &listener, video);
	zwp_linux_buffer_params_v1_destroy(params);
	close(fd);
	return video;
}

void video_destroy(struct video *video)
{
	wl_buffer_destroy(video->buffer);
	munmap(video->memory, video->size);
	free(video);
}

void video_fill(struct video *video, uint32_t seed)
{
	for (size_t i = 0; i < video->size; i++) {
		seed = seed * 1664525 + 1013904223;
		video->memory[i] = (uint8_t)(seed >> 24);
	}
}

void video_set_color(struct video *video, uint8_t y, uint8_t u, uint8_t v)
{
	const size_t stride = (size_t)video->stride, luma = stride * (size_t)video->height;
	if (video->format == DRM_FORMAT_YUYV) {
		const uint8_t pair[] = {y, u, y, v};
		for (size_t i = 0; i < video->size; i++) {
			video->memory[i] = pair[i % 4];
		}
		return;
	}
	assert_int_equal(video->format, DRM_FORMAT_NV12);
	memset(video->memory, y, luma);
	for (size_t i = luma; i < video->size; i++) {
		video->memory[i] = (i - luma) % stride % 2 ? v : u;
	}
}

void video_attach(struct video *video, struct wl_surface *surface, const struct box *damage)
{
	video->busy = true;
	wl_surface_attach(surface, video->buffer, 0, 0);
	wl_surface_damage_buffer(surface, damage->x, damage->y, damage->width, damage->height);
}

void video_show(struct video *video, struct wl_surface *surface)
{
	video_attach(video, surface, &(struct box){0, 0, video->width, video->height});
	wl_surface_commit(surface);
}
