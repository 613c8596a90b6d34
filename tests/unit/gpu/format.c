/* SPDX-License-Identifier: MIT */
/* Pixel formats, format sets, dma-buf descriptions, and the list of GPUs. */

#include "gpu/format.h"
#include "gpu/dmabuf.h"
#include "gpu/gpu.h"
#include "harness/unit.h"
#include <fcntl.h>
#include <unistd.h>

static void format_table_is_consistent(void **state)
{
	size_t n;
	const struct pixel_format *table = pixel_format_table(&n);

	assert_true(n >= 26);
	for (size_t i = 0; i < n; i++) {
		const struct pixel_format *format = &table[i];
		const struct pixel_format *opaque = pixel_format_get(format->opaque);

		assert_ptr_equal(pixel_format_get(format->fourcc), format); /* unique */
		assert_non_null(opaque);
		assert_false(opaque->has_alpha);
		assert_int_equal(opaque->bytes[0], format->bytes[0]);
		assert_int_equal(opaque->depth, format->depth);
		assert_int_equal(format->has_alpha, format->opaque != format->fourcc);
		assert_int_equal(
			pixel_format_from_shm(pixel_format_to_shm(format->fourcc)), format->fourcc);
		for (int plane = 0; plane < 3; plane++) {
			assert_int_equal(format->bytes[plane] > 0, plane < format->n_planes);
		}
	}
	assert_null(pixel_format_get(DRM_FORMAT_INVALID));
	assert_int_equal(pixel_format_from_shm(0), DRM_FORMAT_ARGB8888);
	assert_int_equal(pixel_format_from_shm(1), DRM_FORMAT_XRGB8888);
	assert_int_equal(pixel_format_from_shm(DRM_FORMAT_ARGB8888), DRM_FORMAT_INVALID);
}

static void strides_and_rows_follow_subsampling(void **state)
{
	static const struct {
		uint32_t format;
		int plane, width, stride, rows_of_7;
	} cases[] = {
		{DRM_FORMAT_XRGB8888, 0, 7, 28, 7},
		{DRM_FORMAT_RGB888, 0, 7, 21, 7},
		{DRM_FORMAT_RGB565, 0, 7, 14, 7},
		{DRM_FORMAT_ABGR16161616F, 0, 7, 56, 7},
		{DRM_FORMAT_R8, 0, 7, 7, 7},
		{DRM_FORMAT_YUYV, 0, 7, 16, 7},
		{DRM_FORMAT_NV12, 0, 7, 7, 7},
		{DRM_FORMAT_NV12, 1, 7, 8, 4},
		{DRM_FORMAT_P010, 1, 7, 16, 4},
		{DRM_FORMAT_YUV420, 2, 7, 4, 4},
		{DRM_FORMAT_XRGB8888, 0, INT32_MAX, INT32_MAX, 7},
	};
	char name[5];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pixel_format *format = pixel_format_get(cases[i].format);

		assert_int_equal(pixel_format_min_stride(format, cases[i].plane, cases[i].width),
			cases[i].stride);
		assert_int_equal(
			pixel_format_plane_height(format, cases[i].plane, 7), cases[i].rows_of_7);
	}
	assert_int_equal(pixel_format_pixel_bytes(pixel_format_get(DRM_FORMAT_RGB888)), 3);
	assert_int_equal(pixel_format_pixel_bytes(pixel_format_get(DRM_FORMAT_YUYV)), 2);
	assert_int_equal(pixel_format_pixel_bytes(pixel_format_get(DRM_FORMAT_NV12)), 2);
	assert_int_equal(pixel_format_pixel_bytes(pixel_format_get(DRM_FORMAT_P010)), 3);
	assert_int_equal(pixel_format_pixel_bytes(pixel_format_get(DRM_FORMAT_YUV444)), 3);
	assert_string_equal(pixel_format_name(DRM_FORMAT_ARGB8888, name), "AR24");
	assert_string_equal(pixel_format_name(0x0a410000, name), "??A?");
}

static void format_sets_intersect_by_modifier(void **state)
{
	struct format_set a = {0}, b = {0}, both = {0}, copy;

	format_set_add(&a, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	format_set_add(&a, DRM_FORMAT_XRGB8888, 7);
	format_set_add(&a, DRM_FORMAT_XRGB8888, 7);
	format_set_add(&a, DRM_FORMAT_ARGB8888, 7);
	assert_int_equal(a.n_formats, 2);
	assert_int_equal(format_set_get(&a, DRM_FORMAT_XRGB8888)->n_modifiers, 2);
	assert_null(format_set_get(&a, DRM_FORMAT_NV12));

	format_set_add(&b, DRM_FORMAT_ARGB8888, DRM_FORMAT_MOD_LINEAR);
	format_set_add(&b, DRM_FORMAT_XRGB8888, 7);
	format_set_intersect(&both, &a, &b);
	assert_int_equal(both.n_formats, 1); /* no entry without a modifier */
	assert_true(format_set_has(&both, DRM_FORMAT_XRGB8888, 7));
	assert_false(format_set_has(&both, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));

	format_set_copy(&copy, &a);
	format_set_finish(&a);
	assert_true(format_set_has(&copy, DRM_FORMAT_ARGB8888, 7));
	assert_true(format_set_has(&copy, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	format_set_finish(&copy);
	format_set_finish(&b);
	format_set_finish(&both);
}

static void dmabuf_copy_owns_its_descriptors(void **state)
{
	struct dmabuf dmabuf, copy;

	dmabuf_init(&dmabuf);
	dmabuf.n_planes = 2;
	dmabuf.fd[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
	dmabuf.fd[1] = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_int_equal(dmabuf_copy(&copy, &dmabuf), 0);
	assert_true(copy.fd[1] >= 0 && copy.fd[1] != dmabuf.fd[1]);
	assert_int_equal(copy.fd[2], -1);
	dmabuf_finish(&copy);

	close(dmabuf.fd[1]);
	dmabuf.fd[1] = 10000; /* open nowhere */
	assert_true(dmabuf_copy(&copy, &dmabuf) < 0);
	assert_int_equal(copy.n_planes, 0);
	assert_int_equal(copy.fd[0], -1);
	dmabuf.fd[1] = -1;
	dmabuf_finish(&dmabuf);
	assert_int_equal(dmabuf.fd[0], -1);
}

static void gpus_are_opened_only_while_used(void **state)
{
	struct gpu_list list;
	struct gpu *gpu;
	int n = 0;

	gpu_list_init(&list);
	assert_null(gpu_list_find(&list, 0));
	wl_list_for_each (gpu, &list.gpus, link) {
		n++;
		assert_true(gpu->primary_path || gpu->render_path);
		assert_non_null(gpu->driver);
		assert_non_null(gpu->bus_id);
		assert_int_equal(gpu->fd, -1); /* listing opens no device */
		assert_ptr_equal(gpu_list_find(&list, gpu_dev(gpu)), gpu);
		if (gpu_open(gpu) < 0) {
			assert_int_equal(gpu->n_users, 0);
			continue;
		}
		assert_int_equal(gpu_open(gpu), 0);
		gpu_close(gpu);
		assert_non_null(gpu->gbm);
		gpu_close(gpu);
		assert_null(gpu->gbm);
		assert_int_equal(gpu->fd, -1);
	}
	gpu_list_finish(&list);
	if (n == 0) {
		skip_because("there is no DRM device to open");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(format_table_is_consistent),
		cmocka_unit_test(strides_and_rows_follow_subsampling),
		cmocka_unit_test(format_sets_intersect_by_modifier),
		cmocka_unit_test(dmabuf_copy_owns_its_descriptors),
		cmocka_unit_test(gpus_are_opened_only_while_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
