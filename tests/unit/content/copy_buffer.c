/* SPDX-License-Identifier: MIT */
/* Copies of shm in system memory: exact in all formats, sizes and boxes. */

#include "buffer/shm.h"
#include "content/internal.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <string.h>

#define SIDE 5 /* odd: the last chroma sample belongs to fewer pixels */

/* Other strides than those of the copy. */
#define STRIDE_UNIT 24

/* A client's buffer and its copy. */
struct pair {
	struct buffer *from, *to;
	int32_t width, height;
	struct buffer_plane in[BUFFER_PLANES_MAX], out[BUFFER_PLANES_MAX];
};

static void map_planes(struct buffer *buffer, struct buffer_plane *planes)
{
	void *data;
	size_t stride;
	assert_int_equal(
		buffer_begin_access(buffer, BUFFER_READ | BUFFER_WRITE, &data, &stride), 0);
	assert_true(buffer_planes(buffer, data, stride, planes));
}

/* No byte of the client's buffer is zero, and each one of the copy is. */
static void pair_init(
	struct pair *pair, const struct pixel_format *format, int32_t width, int32_t height)
{
	int32_t stride = pixel_format_min_stride(format, 0, width);
	stride = (stride + STRIDE_UNIT - 1) / STRIDE_UNIT * STRIDE_UNIT;
	const int32_t size = (int32_t)pixel_format_size(format, (size_t)stride, height);
	struct shm_pool *pool = shm_pool_create(fd_create_memory("copy", size, true), size);
	assert_null(shm_buffer_check(pool, 0, width, height, stride, format->fourcc));
	*pair = (struct pair){.width = width, .height = height};
	pair->from = shm_buffer_create(pool, 0, width, height, stride, format->fourcc);
	pair->to = copy_buffer_create(width, height, format->fourcc);
	shm_pool_unref(pool);
	map_planes(pair->from, pair->in);
	map_planes(pair->to, pair->out);
	uint8_t *bytes = (uint8_t *)pair->in[0].data;
	for (int32_t i = 0; i < size; i++) {
		bytes[i] = (uint8_t)(1 + i % 251);
	}
}

static void pair_finish(struct pair *pair)
{
	buffer_end_access(pair->from);
	buffer_end_access(pair->to);
	buffer_drop(pair->from);
	buffer_drop(pair->to);
}

/* The pixels that share an element of a plane. */
static void share_of(const struct pixel_format *format, int plane, int *h, int *v)
{
	const bool packed = format->n_planes == 1;
	*h = plane > 0 || packed ? format->hsub : 1;
	*v = plane > 0 || packed ? format->vsub : 1;
}

static bool has_pixel(const pixman_box32_t *box, int x, int y, int h, int v)
{
	return x < box->x2 && x + h > box->x1 && y < box->y2 && y + v > box->y1;
}

/* Fails unless the copy has the elements of the pixels of the box, and no others. Clears them. */
static void check_plane(
	struct pair *pair, const struct pixel_format *format, int plane, const pixman_box32_t *box)
{
	const struct buffer_plane *in = &pair->in[plane], *out = &pair->out[plane];
	const bool packed = format->n_planes == 1;
	const size_t bytes = format->bytes[plane];
	char name[5];
	int h, v;
	share_of(format, plane, &h, &v);
	for (int y = 0; y < pair->height; y += v) {
		for (int x = 0; x < (packed ? (pair->width + h - 1) / h * h : pair->width);
			x += packed ? 1 : h) {
			const size_t at = (size_t)(packed ? x : x / h) * bytes;
			uint8_t *copied = (uint8_t *)out->data + (size_t)(y / v) * out->stride + at;
			const uint8_t none[8] = {0};
			const bool due = has_pixel(box, x / h * h, y, h, v);
			if (memcmp(copied,
				    due ? in->data + (size_t)(y / v) * in->stride + at : none,
				    bytes) != 0) {
				fail_msg("%s, %dx%d, box %d,%d to %d,%d: plane %d is %s at %d,%d",
					pixel_format_name(format->fourcc, name), pair->width,
					pair->height, box->x1, box->y1, box->x2, box->y2, plane,
					due ? "old" : "copied", x, y);
			}
			memset(copied, 0, bytes);
		}
	}
}

static void check_box(
	struct pair *pair, const struct pixel_format *format, const pixman_box32_t *box)
{
	pixman_region32_t region;
	pixman_region32_init_with_extents(&region, (pixman_box32_t *)box);
	assert_true(copy_buffer_copy(pair->to, pair->from, &region));
	pixman_region32_fini(&region);
	for (int i = 0; i < format->n_planes; i++) {
		check_plane(pair, format, i, box);
	}
}

static void check_size(const struct pixel_format *format, int32_t width, int32_t height)
{
	struct pair pair;
	pixman_box32_t box;
	pair_init(&pair, format, width, height);
	for (box.x1 = 0; box.x1 < width; box.x1++) {
		for (box.x2 = box.x1 + 1; box.x2 <= width; box.x2++) {
			for (box.y1 = 0; box.y1 < height; box.y1++) {
				for (box.y2 = box.y1 + 1; box.y2 <= height; box.y2++) {
					check_box(&pair, format, &box);
				}
			}
		}
	}
	pair_finish(&pair);
}

static void copy_has_all_samples_of_the_pixels_of_a_box(void **state)
{
	size_t n;
	const struct pixel_format *formats = pixel_format_table(&n);
	for (size_t i = 0; i < n; i++) {
		for (int32_t size = 0; size < SIDE * SIDE; size++) {
			check_size(&formats[i], 1 + size % SIDE, 1 + size / SIDE);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copy_has_all_samples_of_the_pixels_of_a_box),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
