/* SPDX-License-Identifier: MIT */
/* Protocol errors of wl_shm and linux-dmabuf. */

#include "harness/client/protocol_errors.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "util/fd.h"
#include <drm_fourcc.h>
#include <unistd.h>

static struct wl_shm_pool *pool(struct peer *peer, int32_t size)
{
	int fd = fd_create_memory("test-pool", 4096, false);
	struct wl_shm_pool *pool = wl_shm_create_pool(peer->shm, fd, size);
	fixture_pump(peer->fixture);
	close(fd);
	return pool;
}

static void pool_of_no_size(struct peer *peer)
{
	pool(peer, 0);
}

static void pool_of_negative_size(struct peer *peer)
{
	pool(peer, -4096);
}

static void pool_on_a_pipe(struct peer *peer)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	wl_shm_create_pool(peer->shm, fds[0], 4096);
	fixture_pump(peer->fixture);
	close(fds[0]);
	close(fds[1]);
}

static void pool_made_smaller(struct peer *peer)
{
	wl_shm_pool_resize(pool(peer, 4096), 4095);
}

static void buffer_of_unknown_format(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), 0, 16, 16, 64, 0x20202020);
}

static void buffer_with_short_stride(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), 0, 16, 16, 63, WL_SHM_FORMAT_XRGB8888);
}

static void buffer_beyond_the_pool(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), 64, 16, 64, 64, WL_SHM_FORMAT_XRGB8888);
}

static void buffer_with_negative_offset(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), -64, 16, 16, 64, WL_SHM_FORMAT_XRGB8888);
}

static void buffer_without_width(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), 0, 0, 16, 64, WL_SHM_FORMAT_XRGB8888);
}

static void buffer_whose_size_overflows(struct peer *peer)
{
	wl_shm_pool_create_buffer(
		pool(peer, 4096), 0, 0x10001, 0x10001, 0x40004, WL_SHM_FORMAT_XRGB8888);
}

static struct zwp_linux_buffer_params_v1 *params(struct peer *peer)
{
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(peer, &zwp_linux_dmabuf_v1_interface, 3);
	return zwp_linux_dmabuf_v1_create_params(dmabuf);
}

static void add_plane(struct peer *peer, struct zwp_linux_buffer_params_v1 *buffer, uint32_t index,
	uint32_t offset, uint32_t stride)
{
	int fd = fd_create_memory("test-plane", 16 * 16 * 4, false);
	zwp_linux_buffer_params_v1_add(buffer, fd, index, offset, stride, 0, 0);
	wl_display_flush(peer->display);
	close(fd);
}

static void plane_beyond_four(struct peer *peer)
{
	add_plane(peer, params(peer), 4, 0, 64);
}

static void plane_twice(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	add_plane(peer, buffer, 0, 0, 64);
}

static void create_now(
	struct zwp_linux_buffer_params_v1 *buffer, int32_t width, int32_t height, uint32_t format)
{
	zwp_linux_buffer_params_v1_create_immed(buffer, width, height, format, 0);
}

static void dmabuf_without_planes(struct peer *peer)
{
	create_now(params(peer), 16, 16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_with_a_gap(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 1, 0, 64);
	create_now(buffer, 16, 16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_with_a_later_gap(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	add_plane(peer, buffer, 2, 0, 64);
	create_now(buffer, 16, 16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_with_too_few_planes(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	create_now(buffer, 16, 16, DRM_FORMAT_NV12);
}

static void dmabuf_with_too_many_planes(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	add_plane(peer, buffer, 1, 0, 64);
	create_now(buffer, 16, 16, DRM_FORMAT_XRGB8888);
}

static void add_memory(struct peer *peer, struct zwp_linux_buffer_params_v1 *buffer, uint32_t index,
	int size, uint32_t stride)
{
	int fd = fd_create_memory("test-plane", size, false);
	zwp_linux_buffer_params_v1_add(buffer, fd, index, 0, stride, 0, 0);
	wl_display_flush(peer->display);
	close(fd);
}

/* 15 rows of luma share 8 rows of chroma, of which there are 7. */
static void dmabuf_with_a_chroma_plane_one_row_short(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_memory(peer, buffer, 0, 16 * 15, 16);
	add_memory(peer, buffer, 1, 16 * 7, 16);
	create_now(buffer, 16, 15, DRM_FORMAT_NV12);
}

static void dmabuf_of_unknown_format(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	create_now(buffer, 16, 16, 0x20202020);
}

static void dmabuf_without_width(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	create_now(buffer, 0, 16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_of_negative_height(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	create_now(buffer, 16, -16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_taller_than_its_memory(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	create_now(buffer, 16, 17, DRM_FORMAT_XRGB8888);
}

static void dmabuf_offset_beyond_its_memory(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 4096, 64);
	create_now(buffer, 16, 16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_whose_size_overflows(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0xffffffff, 0xffffffff);
	create_now(buffer, 16, 16, DRM_FORMAT_XRGB8888);
}

static void params_twice(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	zwp_linux_buffer_params_v1_create(buffer, 16, 16, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_create(buffer, 16, 16, DRM_FORMAT_XRGB8888, 0);
}

static void plane_after_use(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	zwp_linux_buffer_params_v1_create(buffer, 16, 16, DRM_FORMAT_XRGB8888, 0);
	add_plane(peer, buffer, 1, 0, 64);
}

#define PARAMS(error) ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_##error

static const struct error_case cases[] = {
	ERROR_CASE(pool_of_no_size, wl_shm, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(pool_of_negative_size, wl_shm, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(pool_on_a_pipe, wl_shm, WL_SHM_ERROR_INVALID_FD),
	ERROR_CASE(pool_made_smaller, wl_shm_pool, WL_SHM_ERROR_INVALID_FD),
	ERROR_CASE(buffer_of_unknown_format, wl_shm_pool, WL_SHM_ERROR_INVALID_FORMAT),
	ERROR_CASE(buffer_with_short_stride, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(buffer_beyond_the_pool, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(buffer_with_negative_offset, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(buffer_without_width, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(buffer_whose_size_overflows, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(plane_beyond_four, zwp_linux_buffer_params_v1, PARAMS(PLANE_IDX)),
	ERROR_CASE(plane_twice, zwp_linux_buffer_params_v1, PARAMS(PLANE_SET)),
	ERROR_CASE(dmabuf_without_planes, zwp_linux_buffer_params_v1, PARAMS(INCOMPLETE)),
	ERROR_CASE(dmabuf_with_a_gap, zwp_linux_buffer_params_v1, PARAMS(INCOMPLETE)),
	ERROR_CASE(dmabuf_with_a_later_gap, zwp_linux_buffer_params_v1, PARAMS(INCOMPLETE)),
	ERROR_CASE(dmabuf_with_too_few_planes, zwp_linux_buffer_params_v1, PARAMS(INCOMPLETE)),
	ERROR_CASE(dmabuf_with_too_many_planes, zwp_linux_buffer_params_v1, PARAMS(INCOMPLETE)),
	ERROR_CASE(dmabuf_of_unknown_format, zwp_linux_buffer_params_v1, PARAMS(INVALID_FORMAT)),
	ERROR_CASE(dmabuf_without_width, zwp_linux_buffer_params_v1, PARAMS(INVALID_DIMENSIONS)),
	ERROR_CASE(
		dmabuf_of_negative_height, zwp_linux_buffer_params_v1, PARAMS(INVALID_DIMENSIONS)),
	ERROR_CASE(
		dmabuf_taller_than_its_memory, zwp_linux_buffer_params_v1, PARAMS(OUT_OF_BOUNDS)),
	ERROR_CASE(dmabuf_with_a_chroma_plane_one_row_short, zwp_linux_buffer_params_v1,
		PARAMS(OUT_OF_BOUNDS)),
	ERROR_CASE(
		dmabuf_offset_beyond_its_memory, zwp_linux_buffer_params_v1, PARAMS(OUT_OF_BOUNDS)),
	ERROR_CASE(dmabuf_whose_size_overflows, zwp_linux_buffer_params_v1, PARAMS(OUT_OF_BOUNDS)),
	ERROR_CASE(params_twice, zwp_linux_buffer_params_v1, PARAMS(ALREADY_USED)),
	ERROR_CASE(plane_after_use, zwp_linux_buffer_params_v1, PARAMS(ALREADY_USED)),
};

int main(void)
{
	return ERRORS_RUN("buffer/errors", cases, false);
}
