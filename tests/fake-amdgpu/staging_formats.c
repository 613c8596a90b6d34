/* SPDX-License-Identifier: MIT */
/*
 * Copies of each format between two emulated GPUs: all planes arrive in the reader's buffer, which
 * is an integrated GPU's, a discrete one's, or the CPU's.
 */

#include "gpu_pair.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include "util/box.h"
#include "video_memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Drivers import planes that start at multiples of it. */
#define PLANE_UNIT 256

/* Draws whole chroma samples. */
static void draw(struct video_image *image, const struct box *box, uint32_t seed)
{
	const struct pixel_format *format = pixel_format_get(image->dmabuf.format);
	for (int i = 0; i < format->n_planes; i++) {
		const struct plane_layout *plane = &image->planes[i];
		uint32_t h = i > 0 ? format->hsub : 1, v = i > 0 ? format->vsub : 1;
		uint32_t group = format->n_planes == 1 ? format->hsub : 1;
		uint32_t right = ((uint32_t)(box->x + box->width) + h - 1) / h;
		uint32_t bottom = ((uint32_t)(box->y + box->height) + v - 1) / v;
		right = (right + group - 1) / group * group;
		for (uint32_t y = (uint32_t)box->y / v; y < bottom; y++) {
			for (uint32_t x = (uint32_t)box->x / h / group * group; x < right; x++) {
				uint32_t noise =
					(seed * 77 + y + (uint32_t)i) * 2654435761U + x * 40503U;
				for (uint32_t b = 0; b < plane->bytes; b++) {
					image->map[plane_layout_at(plane, x, y) + b] =
						(uint8_t)(noise >> (5 + 3 * b) ^ b);
				}
			}
		}
	}
}

/* The reader */

static struct allocator *memory; /* the reader's */
static int n_taken;

/* Linear planes, in one memory and aligned as drivers require. */
static bool takes(void *data, const struct dmabuf *dmabuf)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	assert_int_equal(dmabuf->modifier, DRM_FORMAT_MOD_LINEAR);
	assert_int_equal(dmabuf->n_planes, format->n_planes);
	off_t size = lseek(dmabuf->fd[0], 0, SEEK_END);
	for (int i = 0; i < dmabuf->n_planes; i++) {
		assert_int_equal(dmabuf->offset[i] % PLANE_UNIT, 0);
		assert_true(i == 0 || dmabuf->stride[i] % PLANE_UNIT == 0);
		assert_true(dmabuf_same_file(dmabuf->fd[i], dmabuf->fd[0]));
		uint64_t rows = (uint64_t)pixel_format_plane_height(format, i, dmabuf->height);
		assert_true(dmabuf->offset[i] + dmabuf->stride[i] * rows <= (uint64_t)size);
	}
	n_taken++;
	return true;
}

static bool can_restore(void *data)
{
	return false;
}

static void create_ring(struct pair *pair, struct gpu *reader, int32_t width, int32_t height,
	const struct pixel_format *format)
{
	const struct staging_reader options = {
		.staging = pair->staging,
		.gpu = reader,
		.allocator = reader ? memory : NULL,
		.formats = &pair->formats,
		.takes = takes,
		.data = pair,
	};
	const struct staging_user user = {
		.arrived = pair_handle_arrived, .can_restore = can_restore, .data = pair};
	pair->ring = staging_ring_create(&options, &user);
	/* The client's linear buffers are copied, too. */
	staging_insist(pair->ring);
	staging_damage(pair->ring, width, height, format->fourcc, NULL);
	pixman_region32_fini(&pair->all);
	pixman_region32_init_rect(&pair->all, 0, 0, (unsigned)width, (unsigned)height);
}

/* Fails unless the part's pixels are those of the image. */
static void check_part(
	const struct video_image *image, const struct staging_part *part, const char *what)
{
	const struct dmabuf *copy = buffer_dmabuf(part->buffer);
	const struct pixel_format *format = pixel_format_get(image->dmabuf.format);
	assert_int_equal(copy->format, image->dmabuf.format);
	for (int i = 0; i < format->n_planes; i++) {
		int32_t h = i > 0 ? format->hsub : 1, v = i > 0 ? format->vsub : 1;
		const struct plane_layout *from = &image->planes[i];
		struct plane_layout to;
		plane_layout_init(&to, format, i, copy->width, copy->height, copy->modifier);
		to.offset = copy->offset[i];
		to.stride = copy->stride[i];
		size_t size = (size_t)lseek(copy->fd[i], 0, SEEK_END);
		const uint8_t *map = mmap(NULL, size, PROT_READ, MAP_SHARED, copy->fd[i], 0);
		assert_true(map != MAP_FAILED);
		for (uint32_t y = 0; y < from->height; y++) {
			for (uint32_t x = 0; x < from->width; x++) {
				/* The padding of packed pairs belongs to the last pixel. */
				int32_t pixel = (int32_t)x * h < image->dmabuf.width
							? (int32_t)x * h
							: image->dmabuf.width - 1;
				if (pixman_region32_contains_point(
					    (pixman_region32_t *)&part->region, pixel,
					    (int32_t)y * v, NULL) &&
					memcmp(map + plane_layout_at(&to, x, y),
						image->map + plane_layout_at(from, x, y),
						from->bytes) != 0) {
					fail_msg("%s: plane %d differs at %u, %u", what, i, x, y);
				}
			}
		}
		munmap((void *)map, size);
	}
}

static void check(struct pair *pair, const struct video_image *image, const char *what)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(pair->ring, &pair->all, parts);
	pixman_region32_t missing;
	pixman_region32_init(&missing);
	pixman_region32_copy(&missing, &pair->all);
	for (int i = 0; i < n; i++) {
		check_part(image, &parts[i], what);
		pixman_region32_subtract(&missing, &missing, &parts[i].region);
	}
	if (pixman_region32_not_empty(&missing)) {
		fail_msg("%s: pixels are missing", what);
	}
	pixman_region32_fini(&missing);
	staging_parts_finish(parts, n);
}

/* Whole frames, then parts, whose edges may cut chroma samples. */
static void copy_frames(struct pair *pair, struct video_image *image, const char *what)
{
	int32_t w = image->dmabuf.width, h = image->dmabuf.height;
	const struct box damage[] = {
		{0, 0, w, h},
		{16, 8, 64, 32},
		{0, 0, w, h},
		{41, 21, 33, 17},
		{1, 1, 1, 1},
		{w - 3, h - 3, 3, 3},
	};
	for (uint32_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		pixman_region32_t region;
		pixman_region32_init_rect(&region, damage[i].x, damage[i].y,
			(unsigned)damage[i].width, (unsigned)damage[i].height);
		draw(image, &damage[i], i + 1);
		staging_damage(pair->ring, w, h, image->dmabuf.format, i > 0 ? &region : NULL);
		pair->n_arrived = 0;
		enum staging_status status = pair_copy(pair);
		if (status != STAGING_READY) {
			fail_msg("%s: status %d in frame %u", what, status, i);
		}
		check(pair, image, what);
		pixman_region32_fini(&region);
	}
}

static uint64_t bytes_of(struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	uint64_t bytes = 0;
	for (int i = 0; i < dmabuf->n_planes; i++) {
		bytes += dmabuf->stride[i] *
			 (uint64_t)pixel_format_plane_height(
				 pixel_format_get(dmabuf->format), i, dmabuf->height);
	}
	return bytes;
}

/* The client pays for all planes of each buffer. */
static void check_memory(const struct staging_ring *ring)
{
	uint64_t bytes = ring->crossing ? bytes_of(ring->crossing) : 0;
	for (int i = 0; i < STAGING_MAX; i++) {
		bytes += ring->slots[i].buffer ? bytes_of(ring->slots[i].buffer) : 0;
	}
	assert_true(bytes > 0);
	assert_int_equal(staging_ring_memory(ring), bytes);
}

/* Copies the format if the source's engine reads it. Returns whether it does. */
static bool copy_format(struct pair *pair, struct copy_engine *engine, struct gpu *reader,
	const struct pixel_format *format, uint64_t modifier, int32_t width, int32_t height)
{
	char name[5], what[128];
	snprintf(what, sizeof(what), "%s %s of %dx%d for %s",
		pixel_format_name(format->fourcc, name),
		modifier == DRM_FORMAT_MOD_LINEAR ? "linear" : "tiled", width, height,
		!reader              ? "the CPU"
		: reader->integrated ? "an integrated GPU"
				     : "a discrete GPU");
	if (!copy_engine_reads(engine, format->fourcc, modifier)) {
		return false;
	}
	struct video_image *image = video_image_create(format, width, height, modifier);
	image->base.home = &pair->gpus[0];
	pair->from = &image->base;
	create_ring(pair, reader, width, height, format);
	n_taken = 0;
	copy_frames(pair, image, what);
	assert_int_equal(n_taken > 0, reader && reader->integrated);
	check_memory(pair->ring);
	staging_ring_destroy(pair->ring);
	pair->ring = NULL;
	pair->from = NULL;
	buffer_drop(&image->base);
	return true;
}

static void copy_all(bool gpu, bool integrated)
{
	static const uint64_t modifiers[] = {PAIR_MODIFIER, DRM_FORMAT_MOD_LINEAR};
	struct pair pair;
	size_t n, n_copied = 0, n_planar = 0;
	const struct pixel_format *formats = pixel_format_table(&n);
	pair_init(&pair, false, integrated);
	staging_ring_destroy(pair.ring);
	pair.ring = NULL;
	memory = video_memory_create(&pair.gpus[1], false);
	struct copy_engine *engine = dmabuf_image_engine(pair.fakes[0]);
	for (size_t i = 0; i < n; i++) {
		format_set_add(&pair.formats, formats[i].fourcc, PAIR_MODIFIER);
	}
	for (size_t i = 0; i < 2 * n; i++) {
		const struct pixel_format *format = &formats[i / 2];
		struct gpu *reader = gpu ? &pair.gpus[1] : NULL;
		if (copy_format(&pair, engine, reader, format, modifiers[i % 2], 160, 96)) {
			copy_format(&pair, engine, reader, format, modifiers[i % 2], 129, 67);
			n_copied++;
			n_planar += format->n_planes > 1;
		}
	}
	print_message("%zu pairs, %zu of several planes\n", n_copied, n_planar);
	assert_in_range(n_copied, n, 2 * n);
	assert_in_range(n_planar, 18, n);
	copy_engine_destroy(engine);
	pair_finish(&pair);
	allocator_destroy(memory);
}

static void all_planes_reach_an_integrated_gpu(void **state)
{
	copy_all(true, true);
}

static void all_planes_reach_a_discrete_gpu(void **state)
{
	copy_all(true, false);
}

static void all_planes_reach_the_cpu(void **state)
{
	copy_all(false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_planes_reach_an_integrated_gpu),
		cmocka_unit_test(all_planes_reach_a_discrete_gpu),
		cmocka_unit_test(all_planes_reach_the_cpu),
	};
	return cmocka_run_group_tests_name("staging formats", tests, NULL, NULL);
}
