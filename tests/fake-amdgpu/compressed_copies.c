/* SPDX-License-Identifier: MIT */
/*
 * Copies of compressed (DCC) images: metadata, planes of hostile clients, and every documented
 * byte.
 */

#include "csv.h"
#include "dmabuf_image.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "metadata.h"
#include "util/fence.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* DCC, pipe-aligned, independent blocks of 128 bytes, compressed to 128 bytes at most */
#define DCC UINT64_C(0x6a000)
#define GFX12_DCC UINT64_C(0x82000)

static const struct {
	const char *chip;
	uint64_t modifier;
} layouts[] = {
	{"navi21", 0x0200000020901b03 | DCC},
	{"navi24", 0x0200000010501b03 | DCC},
	{"vangogh", 0x0200000008501b03 | DCC},
	{"navi31", 0x0200000028a01b04 | DCC},
	{"navi31", 0x0200000028a01f04 | DCC},
	{"phoenix", 0x0200000010401b04 | DCC},
	{"strix", 0x0200000010401b04 | DCC},
};

#define N_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static const uint32_t formats[] = {
	DRM_FORMAT_XRGB8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_XRGB2101010, DRM_FORMAT_ABGR16161616F};

static int teardown(void **state)
{
	fake_reset_all();
	return 0;
}

static unsigned log2_of(uint32_t format)
{
	return (unsigned)__builtin_ctz(pixel_format_get(format)->bytes[0]);
}

static void metadata_equals_vectors(void **state)
{
	struct csv csv;
	int n = 0;

	csv_open(&csv, "metadata");
	while (csv_next(&csv)) {
		struct fake_metadata metadata;
		struct tiling_mode mode;

		assert_true(tiling_mode_from_modifier(&mode, csv_number(&csv, 1)));
		assert_true(fake_metadata_init(&metadata, &mode,
			(unsigned)__builtin_ctzll(csv_number(&csv, 2) / 8),
			(uint32_t)csv_number(&csv, 3), (uint32_t)csv_number(&csv, 4)));
		assert_int_equal(metadata.layout.size, csv_number(&csv, 5));
		assert_int_equal(metadata.layout.alignment, csv_number(&csv, 6));
		assert_int_equal(fake_metadata_offset(&metadata, (uint32_t)csv_number(&csv, 7),
					 (uint32_t)csv_number(&csv, 8)),
			csv_number(&csv, 9));
		n++;
	}
	csv_close(&csv);
	assert_int_equal(n, 1440);
}

/* An image with metadata behind its pixels; all blocks are uncompressed. */
static void init_compressed(struct dmabuf_image *image, struct fake_metadata *metadata,
	uint32_t format, int width, int height, uint64_t modifier)
{
	struct tiling_mode mode;

	assert_true(tiling_mode_from_modifier(&mode, modifier));
	assert_true(fake_metadata_init(
		metadata, &mode, log2_of(format), (uint32_t)width, (uint32_t)height));
	dmabuf_image_init_tiled(image, format, width, height, modifier, 0);
	size_t offset = (image->size + metadata->layout.alignment - 1) /
			metadata->layout.alignment * metadata->layout.alignment;
	struct dmabuf *dmabuf = &image->dmabuf;
	void *map;
	close(dmabuf->fd[0]);
	image->size = offset + metadata->layout.size;
	dmabuf->fd[0] = fake_dmabuf_create(image->size, &map);
	dmabuf->fd[1] = dup(dmabuf->fd[0]);
	dmabuf->n_planes = 2;
	dmabuf->offset[1] = (uint32_t)offset;
	dmabuf->stride[1] = metadata->layout.pitch;
	image->map = map;
	dmabuf_image_scramble(image);
	memset(image->map + offset, FAKE_UNCOMPRESSED, metadata->layout.size);
}

struct expected_byte {
	uint8_t key, pixel[3][8]; /* of 8888, 2101010 and floats */
};

#define ONE 0x00, 0x3c
#define ZERO 0, 0

static const struct expected_byte gfx10[] = {
	{0x00, {{0}, {0}, {0}}},
	{0x40, {{0, 0, 0, 255}, {0, 0, 0, 0xc0}, {ZERO, ZERO, ZERO, ONE}}},
	{0x80, {{255, 255, 255, 0}, {255, 255, 255, 0x3f}, {ONE, ONE, ONE, ZERO}}},
	{0xc0, {{255, 255, 255, 255}, {255, 255, 255, 255}, {ONE, ONE, ONE, ONE}}},
};

static const struct expected_byte gfx11[] = {
	{0x00, {{0}, {0}, {0}}},
	{0x02, {{255, 255, 255, 255}, {255, 255, 255, 255},
		       {255, 255, 255, 255, 255, 255, 255, 255}}},
	{0x04, {{ONE, ONE}, {ONE, ONE}, {ONE, ONE, ONE, ONE}}},
};

static const uint8_t *expected_pixel(
	const struct expected_byte *byte, const struct fake_metadata *metadata, uint32_t format)
{
	return byte->pixel[metadata->log2_bytes == 3 ? 2 : format == DRM_FORMAT_XRGB2101010];
}

/*
 * Writes random metadata, with the uncompressed image that it stands for into `plain`, which has
 * the same pixels and tiling.
 */
static void compress(struct dmabuf_image *image, const struct fake_metadata *metadata,
	const struct dmabuf_image *plain)
{
	bool is_gfx11 = metadata->version == 4;
	const struct expected_byte *bytes = is_gfx11 ? gfx11 : gfx10;
	int n = is_gfx11 ? 3 : 4;
	size_t size = (size_t)1 << metadata->log2_bytes;
	uint8_t *keys = image->map + image->dmabuf.offset[1];

	for (size_t i = 0; i < metadata->layout.size; i++) {
		int choice = random_between(0, 2 * n);
		keys[i] = choice < n    ? bytes[choice].key
			  : choice == n ? (is_gfx11 ? 0x01 : 0x10)
					: FAKE_UNCOMPRESSED;
	}
	for (uint32_t y = 0; y < (uint32_t)image->dmabuf.height; y++) {
		for (uint32_t x = 0; x < (uint32_t)image->dmabuf.width; x++) {
			uint8_t key = keys[fake_metadata_offset(metadata, x, y)];
			uint8_t *to = dmabuf_image_element(plain, x, y);
			size_t at = (size_t)(to - plain->map);
			const uint8_t *from = image->map + at;
			for (int i = 0; i < n; i++) {
				from = bytes[i].key == key ? expected_pixel(&bytes[i], metadata,
								     image->dmabuf.format)
							   : from;
			}
			from = key == (is_gfx11 ? 0x01 : 0x10) ? image->map + at / 256 * 256 : from;
			memcpy(to, from, size);
		}
	}
}

/* Copies the compressed image and the plain one with the same damage, and compares the results. */
static void check_equal(struct copy_engine *engine, struct fake_gpu *gpu,
	const struct dmabuf_image *compressed, struct dmabuf_image *plain,
	const pixman_region32_t *damage)
{
	const struct dmabuf *dmabuf = &plain->dmabuf;
	struct copy_request request = {.damage = damage, .wait_fd = -1};
	struct dmabuf_image first, second;
	int fence;

	dmabuf_image_init_linear(&first, dmabuf->format, dmabuf->width, dmabuf->height, 64, 0);
	dmabuf_image_init_linear(&second, dmabuf->format, dmabuf->width, dmabuf->height, 64, 0);
	memcpy(second.map, first.map, first.size);
	dmabuf_image_check_copy(engine, gpu, plain, &first, damage, 0, 0);
	assert_int_equal(
		copy_engine_import(engine, &compressed->dmabuf, COPY_SOURCE, &request.source), 0);
	assert_int_equal(
		copy_engine_import(engine, &second.dmabuf, COPY_DESTINATION, &request.destination),
		0);
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	assert_int_equal(fence_status(fence), 1);
	close(fence);
	assert_memory_equal(first.map, second.map, first.size);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	assert_int_equal(copy_engine_reap(engine, 0), 0);
	dmabuf_image_finish(&first);
	dmabuf_image_finish(&second);
}

static void compressed_images_are_copied_exactly(void **state)
{
	for (size_t i = 0; i < N_LAYOUTS; i++) {
		struct fake_gpu *gpu = fake_gpu_create(fake_chip_find(layouts[i].chip));
		struct copy_engine *engine = dmabuf_image_engine(gpu);
		for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
			int width = random_between(200, 1200), height = random_between(100, 300);
			struct fake_metadata metadata;
			struct dmabuf_image image, plain;
			pixman_region32_t damage;
			assert_true(copy_engine_reads(engine, formats[f], layouts[i].modifier));
			init_compressed(
				&image, &metadata, formats[f], width, height, layouts[i].modifier);
			dmabuf_image_init_tiled(&plain, formats[f], width, height,
				modifier_without_compression(layouts[i].modifier), 0);
			compress(&image, &metadata, &plain);
			pixman_region32_init_rect(&damage, 0, 0, 50, 3);
			pixman_region32_union_rect(
				&damage, &damage, width - 100, height - 70, 100, 70);
			pixman_region32_union_rect(&damage, &damage, 3, 40, 150, 21);
			check_equal(engine, gpu, &image, &plain, &damage);
			pixman_region32_fini(&damage);
			dmabuf_image_finish(&image);
			dmabuf_image_finish(&plain);
		}
		copy_engine_destroy(engine);
		fake_reset_all();
	}
}

/* The page tables of GFX12 decompress. */
static void gfx12_needs_no_plane_of_metadata(void **state)
{
	uint64_t modifier = UINT64_C(0x0200000000000305) | GFX12_DCC;
	struct fake_gpu *gpu = fake_gpu_create(fake_chip_find("navi48"));
	struct copy_engine *engine = dmabuf_image_engine(gpu);
	struct dmabuf_image image, linear;
	pixman_region32_t damage;

	assert_true(copy_engine_reads(engine, DRM_FORMAT_XRGB8888, modifier));
	dmabuf_image_init_tiled(&image, DRM_FORMAT_XRGB8888, 300, 200, modifier, 0);
	dmabuf_image_init_linear(&linear, DRM_FORMAT_XRGB8888, 300, 200, 0, 0);
	pixman_region32_init_rect(&damage, 20, 10, 200, 100);
	dmabuf_image_check_copy(engine, gpu, &image, &linear, &damage, 0, 0);
	pixman_region32_fini(&damage);
	dmabuf_image_finish(&image);
	dmabuf_image_finish(&linear);
	copy_engine_destroy(engine);
}

static void other_compression_is_not_read(void **state)
{
	static const struct {
		const char *chip;
		uint32_t format;
		uint64_t modifier;
	} refused[] = {
		{"raven", DRM_FORMAT_XRGB8888, 0x0200000000401a01 | DCC},
		{"navi10", DRM_FORMAT_XRGB8888, 0x0200000000801b02 | DCC},
		{"navi24", DRM_FORMAT_XRGB8888, 0x0200000020901b03 | DCC}, /* navi21's */
		{"navi21", DRM_FORMAT_RGB565, 0x0200000020901b03 | DCC},
		{"navi21", DRM_FORMAT_XRGB8888, 0x0200000020901b03 | (DCC & ~UINT64_C(0x8000))},
		{"navi21", DRM_FORMAT_XRGB8888, 0x0200000020901b03 | DCC | 0x4000}, /* retiled */
		{"navi21", DRM_FORMAT_XRGB8888, 0x0200000000000901 | DCC},
		{"navi21", DRM_FORMAT_XRGB8888, 0x0200000020901b03 | DCC | 0xc0000}, /* 512 bytes */
		{"navi48", DRM_FORMAT_XRGB8888, 0x0200000000000a04 | DCC},
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct copy_engine *engine =
			dmabuf_image_engine(fake_gpu_create(fake_chip_find(refused[i].chip)));
		assert_false(copy_engine_reads(engine, refused[i].format, refused[i].modifier));
		copy_engine_destroy(engine);
		fake_reset_all();
	}
}

/* Returns the result of an import, which is no copy: no packet was made. */
static int import(struct copy_engine *engine, const struct dmabuf *dmabuf, enum copy_use use)
{
	struct copy_image *image = NULL;
	int error = copy_engine_import(engine, dmabuf, use, &image);
	copy_image_drop(image);
	return error;
}

static void planes_of_hostile_clients_are_refused(void **state)
{
	struct fake_gpu *gpu = fake_gpu_create(fake_chip_find("navi21"));
	struct copy_engine *engine = dmabuf_image_engine(gpu);
	struct fake_metadata metadata;
	struct dmabuf_image image, other;

	init_compressed(&image, &metadata, DRM_FORMAT_XRGB8888, 700, 500, layouts[0].modifier);
	dmabuf_image_init_linear(&other, DRM_FORMAT_XRGB8888, 700, 500, 0, 0);
	const struct dmabuf good = image.dmabuf;
	struct dmabuf *dmabuf = &image.dmabuf;
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), 0);
	assert_int_equal(import(engine, dmabuf, COPY_DESTINATION), -ENOTSUP);
	/* One plane too few, one too many. */
	dmabuf->n_planes = 1;
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), -EINVAL);
	dmabuf->n_planes = 3;
	dmabuf->fd[2] = good.fd[0];
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), -EINVAL);
	*dmabuf = good;
	dmabuf->fd[1] = other.dmabuf.fd[0];
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), -ENOTSUP);
	*dmabuf = good;
	/* Unaligned; past the end by one block, or by all that 32 bits hold; beyond the memory. */
	dmabuf->offset[1] -= 4096;
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), -ENOTSUP);
	dmabuf->offset[1] = good.offset[1] + (uint32_t)metadata.layout.alignment;
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), -EINVAL);
	dmabuf->offset[1] = UINT32_MAX - (uint32_t)metadata.layout.alignment + 1;
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), -EINVAL);
	*dmabuf = good;
	dmabuf->stride[1] *= 2;
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), -ENOTSUP);
	*dmabuf = good;
	/* A pitch that the metadata does not have. */
	dmabuf->stride[0] += 128 * 4;
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), -ENOTSUP);
	*dmabuf = good;
	dmabuf->height += 2000;
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), -EINVAL);
	*dmabuf = good;
	assert_int_equal(import(engine, dmabuf, COPY_SOURCE), 0);
	dmabuf_image_finish(&image);
	dmabuf_image_finish(&other);
	copy_engine_destroy(engine);
}

/* The emulator knows no compressed block, and no register with a clear colour. */
static void undocumented_metadata_fails_the_job(void **state)
{
	static const uint8_t keys[] = {0x20, 0x30, 0x01, 0xfe};
	pixman_region32_t damage;
	pixman_region32_init_rect(&damage, 0, 0, 8, 8);
	for (size_t i = 0; i < sizeof(keys); i++) {
		struct fake_gpu *gpu = fake_gpu_create(fake_chip_find("navi21"));
		struct copy_engine *engine = dmabuf_image_engine(gpu);
		struct fake_metadata metadata;
		struct dmabuf_image image, linear;
		struct copy_request request = {.damage = &damage, .wait_fd = -1};
		int fence;
		init_compressed(
			&image, &metadata, DRM_FORMAT_XRGB8888, 200, 100, layouts[0].modifier);
		dmabuf_image_init_linear(&linear, DRM_FORMAT_XRGB8888, 200, 100, 0, 0);
		image.map[image.dmabuf.offset[1]] = keys[i];
		assert_int_equal(
			copy_engine_import(engine, &image.dmabuf, COPY_SOURCE, &request.source), 0);
		assert_int_equal(copy_engine_import(engine, &linear.dmabuf, COPY_DESTINATION,
					 &request.destination),
			0);
		assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
		assert_non_null(strstr(fake_gpu_fault(gpu), "compressed block"));
		assert_true(fence_status(fence) < 0);
		close(fence);
		copy_image_drop(request.source);
		copy_image_drop(request.destination);
		copy_engine_destroy(engine);
		dmabuf_image_finish(&image);
		dmabuf_image_finish(&linear);
		fake_reset_all();
	}
	pixman_region32_fini(&damage);
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_equals_vectors),
		TEST(compressed_images_are_copied_exactly),
		TEST(gfx12_needs_no_plane_of_metadata),
		TEST(other_compression_is_not_read),
		TEST(planes_of_hostile_clients_are_refused),
		TEST(undocumented_metadata_fails_the_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
