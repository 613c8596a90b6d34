/* SPDX-License-Identifier: MIT */
/* Linear memory of GBM for other GPUs, on a library that records its calls. */

#include "gpu/gbm.h"
#include "gpu/gpu.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <errno.h>
#include <fcntl.h>
#include <gbm.h>
#include <unistd.h>
#include <xf86drm.h>

/* The recorded library. */
static struct {
	bool modifiers; /* takes modifiers */
	uint32_t pad; /* bytes that it adds to rows */
	uint32_t width, height, flags;
	int n_alive, fd;
} library;

static struct gbm_bo *create(uint32_t width, uint32_t height, uint32_t flags)
{
	library.width = width;
	library.height = height;
	library.flags = flags;
	library.n_alive++;
	return (struct gbm_bo *)&library;
}

struct gbm_bo *__wrap_gbm_bo_create_with_modifiers2(struct gbm_device *device, uint32_t width,
	uint32_t height, uint32_t format, const uint64_t *modifiers, const unsigned count,
	uint32_t flags);
struct gbm_bo *__wrap_gbm_bo_create(struct gbm_device *device, uint32_t width, uint32_t height,
	uint32_t format, uint32_t flags);
void __wrap_gbm_bo_destroy(struct gbm_bo *bo);
int __wrap_gbm_bo_get_plane_count(struct gbm_bo *bo);
uint32_t __wrap_gbm_bo_get_offset(struct gbm_bo *bo, int plane);
uint32_t __wrap_gbm_bo_get_stride_for_plane(struct gbm_bo *bo, int plane);
union gbm_bo_handle __wrap_gbm_bo_get_handle_for_plane(struct gbm_bo *bo, int plane);
struct gbm_device *__wrap_gbm_bo_get_device(struct gbm_bo *bo);
int __wrap_gbm_device_get_fd(struct gbm_device *device);
int __wrap_drmPrimeHandleToFD(int device, uint32_t handle, uint32_t flags, int *fd);

struct gbm_bo *__wrap_gbm_bo_create_with_modifiers2(struct gbm_device *device, uint32_t width,
	uint32_t height, uint32_t format, const uint64_t *modifiers, const unsigned count,
	uint32_t flags)
{
	assert_int_equal(count, 1);
	assert_int_equal(modifiers[0], DRM_FORMAT_MOD_LINEAR);
	return library.modifiers ? create(width, height, flags) : NULL;
}

struct gbm_bo *__wrap_gbm_bo_create(
	struct gbm_device *device, uint32_t width, uint32_t height, uint32_t format, uint32_t flags)
{
	return create(width, height, flags);
}

void __wrap_gbm_bo_destroy(struct gbm_bo *bo)
{
	library.n_alive--;
}

int __wrap_gbm_bo_get_plane_count(struct gbm_bo *bo)
{
	return 1;
}

uint32_t __wrap_gbm_bo_get_offset(struct gbm_bo *bo, int plane)
{
	return 0;
}

uint32_t __wrap_gbm_bo_get_stride_for_plane(struct gbm_bo *bo, int plane)
{
	return library.width * 4 + library.pad;
}

union gbm_bo_handle __wrap_gbm_bo_get_handle_for_plane(struct gbm_bo *bo, int plane)
{
	return (union gbm_bo_handle){.u32 = 7};
}

struct gbm_device *__wrap_gbm_bo_get_device(struct gbm_bo *bo)
{
	return NULL;
}

int __wrap_gbm_device_get_fd(struct gbm_device *device)
{
	return 99;
}

int __wrap_drmPrimeHandleToFD(int device, uint32_t handle, uint32_t flags, int *fd)
{
	assert_int_equal(device, 99);
	assert_int_equal(handle, 7);
	assert_true(flags & DRM_RDWR);
	*fd = library.fd = fd_create_memory("gbm", 4096, true);
	return 0;
}

static int allocate(const char *driver, uint32_t alignment, struct dmabuf *out)
{
	struct gpu gpu = {.driver = (char *)driver, .gbm = (struct gbm_device *)&library};
	return gpu_allocate_linear(&gpu, 100, 10, DRM_FORMAT_XRGB8888, alignment, out);
}

static void rows_are_aligned_and_memory_outlives_the_allocator(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct dmabuf dmabuf;
		library = (__typeof__(library)){.modifiers = i == 0};
		assert_int_equal(allocate("i915", 256, &dmabuf), 0);
		assert_int_equal(dmabuf.width, 100);
		assert_int_equal(dmabuf.stride[0], 512);
		assert_int_equal(dmabuf.modifier, DRM_FORMAT_MOD_LINEAR);
		assert_int_equal(library.width, 128);
		assert_int_equal(library.flags & GBM_BO_USE_SCANOUT, 0);
		assert_int_equal((library.flags & GBM_BO_USE_LINEAR) != 0, i == 1);
		assert_int_equal(library.n_alive, 0);
		assert_int_equal(lseek(dmabuf.fd[0], 0, SEEK_END), 4096);
		dmabuf_finish(&dmabuf);
	}
}

/* GBM makes no images of several planes: one of RGB has room for them. */
static void planes_share_the_memory_of_an_rgb_image(void **state)
{
	struct gpu gpu = {.driver = (char *)"i915", .gbm = (struct gbm_device *)&library};
	struct dmabuf dmabuf;
	library = (__typeof__(library)){.modifiers = true};
	assert_int_equal(gpu_allocate_linear(&gpu, 129, 67, DRM_FORMAT_YUV420, 256, &dmabuf), 0);
	assert_int_equal(dmabuf.n_planes, 3);
	assert_int_equal(dmabuf.width, 129);
	assert_int_equal(dmabuf.height, 67);
	assert_int_equal(dmabuf.format, DRM_FORMAT_YUV420);
	assert_int_equal(dmabuf.modifier, DRM_FORMAT_MOD_LINEAR);
	/* 67 rows of 256 bytes, to a page, 34 rows, to a page, 34 rows. */
	assert_int_equal(dmabuf.offset[1], 5 * 4096);
	assert_int_equal(dmabuf.offset[2], 5 * 4096 + 3 * 4096);
	assert_int_equal(library.width, 64);
	assert_int_equal(library.height, (8 * 4096 + 34 * 256) / 256);
	assert_int_equal(library.n_alive, 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(dmabuf.stride[i], 256);
		assert_true(dmabuf_same_file(dmabuf.fd[i], dmabuf.fd[0]));
		assert_true(i == 0 || dmabuf.fd[i] != dmabuf.fd[0]);
	}
	dmabuf_finish(&dmabuf);
}

static void unaligned_rows_are_refused(void **state)
{
	struct dmabuf dmabuf;
	library = (__typeof__(library)){.modifiers = true, .pad = 64};
	assert_int_equal(allocate("i915", 256, &dmabuf), -ENOTSUP);
	assert_int_equal(library.n_alive, 0);
	assert_int_equal(lseek(library.fd, 0, SEEK_END), -1);
}

/* Linear buffers are in video memory there, and other GPUs fail when they use them. */
static void memory_of_nvidia_is_not_shared(void **state)
{
	struct dmabuf dmabuf;
	library = (__typeof__(library)){.modifiers = true};
	assert_int_equal(allocate("nvidia", 256, &dmabuf), -ENOTSUP);
	assert_int_equal(allocate("nvidia-drm", 256, &dmabuf), -ENOTSUP);
	assert_int_equal(library.width, 0);
	assert_int_equal(allocate("amdgpu", 256, &dmabuf), 0);
	dmabuf_finish(&dmabuf);
}

static void closed_gpu_allocates_nothing(void **state)
{
	struct gpu gpu = {.driver = (char *)"i915"};
	struct dmabuf dmabuf;
	assert_int_equal(
		gpu_allocate_linear(&gpu, 100, 10, DRM_FORMAT_XRGB8888, 256, &dmabuf), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_aligned_and_memory_outlives_the_allocator),
		cmocka_unit_test(planes_share_the_memory_of_an_rgb_image),
		cmocka_unit_test(unaligned_rows_are_refused),
		cmocka_unit_test(memory_of_nvidia_is_not_shared),
		cmocka_unit_test(closed_gpu_allocates_nothing),
	};
	return cmocka_run_group_tests_name("gbm", tests, NULL, NULL);
}
