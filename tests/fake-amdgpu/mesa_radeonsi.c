/* SPDX-License-Identifier: MIT */
/*
 * The unmodified radeonsi on emulated GPUs of each generation: the layouts that it offers and
 * allocates, compared with the equations and with the copy engine.
 */

#include "copy/amd/dcc.h"
#include "gpu/gbm.h"
#include "harness/unit.h"
#include "mesa.h"
#include "metadata.h"
#include <gbm.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096 /* of memory */

static struct mesa_gpu gpus[MESA_CHIPS];
static int n_compressed[MESA_CHIPS]; /* images that the copy engine took */

/* Drivers list some formats for import only, which GBM cannot allocate in any layout. */
static bool is_first(struct mesa_gpu *gpu, uint32_t format, unsigned *sizes)
{
	unsigned size = pixel_format_get(format)->bytes[0];
	bool first = !(*sizes & size) &&
		     gbm_device_is_format_supported(gpu->base.gbm, format, GBM_BO_USE_RENDERING);

	*sizes |= first ? size : 0;
	return first;
}

/*
 * Calls `check` for each explicit layout that radeonsi renders, or of one format that GBM allocates
 * for each size of pixels. Returns the number of calls.
 */
static int for_each_layout(
	void (*check)(struct mesa_gpu *gpu, uint32_t format, uint64_t modifier), bool all)
{
	int n = 0;

	for (int g = 0; g < MESA_CHIPS; g++) {
		const struct format_set *set = &gpus[g].egl->rendering;
		unsigned sizes = 0;

		for (size_t i = 0; i < set->n_formats; i++) {
			const struct format_modifiers *entry = &set->formats[i];
			uint32_t format = entry->format;

			if (!mesa_is_plain(format) ||
				(!all && !is_first(&gpus[g], format, &sizes))) {
				continue;
			}
			for (size_t m = 0; m < entry->n_modifiers; m++) {
				if (entry->modifiers[m] != DRM_FORMAT_MOD_INVALID) {
					check(&gpus[g], format, entry->modifiers[m]);
					n++;
				}
			}
		}
	}
	return n;
}

static void check_reads(struct mesa_gpu *gpu, uint32_t format, uint64_t modifier)
{
	bool reads = copy_engine_reads(gpu->sdma, format, modifier);
	struct tiling_mode mode = {0};
	bool compressed = tiling_mode_from_modifier(&mode, modifier) && mode.dcc;
	/* From SDMA 5.2 on, in some formats, and not with metadata for displays. */
	bool may = mode.version >= 3 && !mode.dcc_retiled;

	if (compressed ? (reads && !may) || (!reads && may && format == DRM_FORMAT_XRGB8888)
		       : !reads) {
		char name[5];

		fail_msg("%s: %s, %#lx", gpu->chip, pixel_format_name(format, name), modifier);
	}
}

static void sdma_reads_the_offered_layouts_and_some_compressed_ones(void **state)
{
	assert_true(for_each_layout(check_reads, true) > 500);
}

static void check_modifier(struct mesa_gpu *gpu, uint32_t format, uint64_t modifier)
{
	struct tiling_mode mode;

	if (modifier != DRM_FORMAT_MOD_LINEAR && !tiling_mode_from_modifier(&mode, modifier)) {
		fail_msg("%s: %#lx", gpu->chip, modifier);
	}
}

static void offered_modifiers_have_known_fields(void **state)
{
	for_each_layout(check_modifier, true);
}

/* Allocates an image and compares its first plane with the layout's equations. */
static void check_size(
	struct mesa_gpu *gpu, uint32_t format, uint64_t modifier, int width, int height)
{
	uint32_t bytes = pixel_format_get(format)->bytes[0], pitch, block;
	struct dmabuf_image image;
	struct tiling_mode mode;
	struct tiling tiling;
	uint64_t size;

	if (!mesa_allocate(gpu, width, height, format, modifier, &image)) {
		fail_msg("%s: no image of %#lx", gpu->chip, modifier);
	}
	assert_true(tiling_mode_from_modifier(&mode, modifier));
	assert_true(tiling_init(&tiling, &mode, (unsigned)__builtin_ctz(bytes)));
	pitch = image.dmabuf.stride[0] / bytes;
	block = tiling.block_width;
	size = tiling_size(&tiling, pitch, (uint32_t)height);
	size = (size + PAGE - 1) / PAGE * PAGE;
	/* Metadata of compressed layouts follow the pixels; GFX12 has none in the memory. */
	if (image.dmabuf.modifier != modifier || image.dmabuf.offset[0] != 0 ||
		image.dmabuf.stride[0] % bytes || size > image.size ||
		(image.dmabuf.n_planes == 1 && size != image.size) ||
		(image.dmabuf.n_planes > 1 && size != image.dmabuf.offset[1]) ||
		pitch != ((uint32_t)width + block - 1) / block * block) {
		fail_msg("%s: %dx%d of %u bytes, %#lx: pitch %u, memory of %zu bytes, not %lu",
			gpu->chip, width, height, bytes, modifier, pitch, image.size, size);
	}
	mesa_free(&image);
}

static void check_sizes(struct mesa_gpu *gpu, uint32_t format, uint64_t modifier)
{
	static const int sizes[][2] = {{1, 1}, {64, 64}, {1000, 700}, {1920, 1080}, {129, 2161}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (modifier != DRM_FORMAT_MOD_LINEAR) {
			check_size(gpu, format, modifier, sizes[i][0], sizes[i][1]);
		}
	}
}

static void allocations_have_the_pitch_and_size_of_the_equations(void **state)
{
	assert_true(for_each_layout(check_sizes, false) > 100);
}

/* Copies a compressed image whose blocks are all uncompressed. */
static void check_compressed_copy(struct mesa_gpu *gpu, struct dmabuf_image *image)
{
	const struct dmabuf *dmabuf = &image->dmabuf;
	struct dmabuf_image linear;
	pixman_region32_t damage;

	dmabuf_image_scramble(image);
	if (dmabuf->n_planes > 1) {
		memset(image->map + dmabuf->offset[1], FAKE_UNCOMPRESSED,
			image->size - dmabuf->offset[1]);
	}
	dmabuf_image_init_linear(&linear, dmabuf->format, dmabuf->width, dmabuf->height, 0, 0);
	pixman_region32_init_rect(&damage, 13, 47, 501, 217);
	dmabuf_image_check_copy(gpu->sdma, gpu->fake, image, &linear, &damage, 0, 0);
	pixman_region32_fini(&damage);
	dmabuf_image_finish(&linear);
}

/*
 * The copy engine takes the planes as radeonsi describes them, and knows the size of the metadata.
 */
static void check_metadata(struct mesa_gpu *gpu, uint32_t format, uint64_t modifier)
{
	static const int sizes[][2] = {{1, 1}, {1000, 700}, {1920, 1080}, {129, 2161}};

	if (!modifier_is_compressed(modifier) || !copy_engine_reads(gpu->sdma, format, modifier)) {
		return;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned log2_bytes = (unsigned)__builtin_ctz(pixel_format_get(format)->bytes[0]);
		struct copy_image *copied;
		struct dmabuf_image image;
		struct tiling_mode mode;
		struct dcc dcc;

		assert_true(mesa_allocate(gpu, sizes[i][0], sizes[i][1], format, modifier, &image));
		assert_int_equal(
			copy_engine_import(gpu->sdma, &image.dmabuf, COPY_SOURCE, &copied), 0);
		copy_image_drop(copied);
		n_compressed[gpu - gpus]++;
		if (sizes[i][0] == 1000 && format == DRM_FORMAT_XRGB8888) {
			check_compressed_copy(gpu, &image);
		}
		tiling_mode_from_modifier(&mode, modifier);
		assert_int_equal(image.dmabuf.n_planes, mode.version == 5 ? 1 : 2);
		if (mode.version < 5) {
			assert_true(dcc_init(&dcc, &mode, log2_bytes, (uint32_t)sizes[i][0],
				(uint32_t)sizes[i][1]));
			assert_int_equal(image.dmabuf.offset[1] + dcc.size, image.size);
		}
		mesa_free(&image);
	}
}

static void metadata_is_where_the_copy_engine_expects_it(void **state)
{
	for_each_layout(check_metadata, true);
	for (int i = 0; i < MESA_CHIPS; i++) {
		unsigned version = fake_chip_find(gpus[i].chip)->major << 8 |
				   fake_chip_find(gpus[i].chip)->minor;
		if ((n_compressed[i] > 0) != (version >= 0x502)) {
			fail_msg("%s: %d compressed images", gpus[i].chip, n_compressed[i]);
		}
	}
}

/* Copies between an image of radeonsi and linear staging of GBM, in both directions. */
static void check_copies(struct mesa_gpu *gpu, uint32_t format, uint64_t modifier)
{
	struct dmabuf_image tiled, linear;
	pixman_region32_t damage;

	if (modifier_is_compressed(modifier)) {
		return;
	}
	assert_true(mesa_allocate(gpu, 201, 137, format, modifier, &tiled));
	assert_int_equal(gpu_allocate_linear(&gpu->base, 201, 137, format, 256, &linear.dmabuf), 0);
	mesa_map(&linear);
	dmabuf_image_scramble(&tiled);
	pixman_region32_init_rect(&damage, 0, 0, 201, 137);
	dmabuf_image_check_copy(gpu->sdma, gpu->fake, &tiled, &linear, &damage, 0, 0);
	pixman_region32_fini(&damage);
	pixman_region32_init_rect(&damage, 13, 47, 131, 71);
	dmabuf_image_scramble(&linear);
	dmabuf_image_check_copy(gpu->sdma, gpu->fake, &linear, &tiled, &damage, 7, 2);
	pixman_region32_fini(&damage);
	mesa_free(&tiled);
	mesa_free(&linear);
}

static void sdma_copies_between_allocations_and_staging(void **state)
{
	assert_true(for_each_layout(check_copies, false) > 100);
}

static bool imports(struct mesa_gpu *gpu, const struct dmabuf *dmabuf)
{
	EGLImageKHR image = egl_import_dmabuf(gpu->egl, dmabuf);

	egl_destroy_image(gpu->egl, image);
	return image != EGL_NO_IMAGE_KHR;
}

static void staging_of_one_gpu_is_imported_by_all(void **state)
{
	struct dmabuf_image staging;

	for (int from = 0; from < MESA_CHIPS; from++) {
		assert_int_equal(gpu_allocate_linear(&gpus[from].base, 1366, 768,
					 DRM_FORMAT_XRGB8888, 256, &staging.dmabuf),
			0);
		for (int to = 0; to < MESA_CHIPS; to++) {
			if (!imports(&gpus[to], &staging.dmabuf)) {
				fail_msg("%s, %s", gpus[from].chip, gpus[to].chip);
			}
		}
		dmabuf_finish(&staging.dmabuf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offered_modifiers_have_known_fields),
		cmocka_unit_test(sdma_reads_the_offered_layouts_and_some_compressed_ones),
		cmocka_unit_test(metadata_is_where_the_copy_engine_expects_it),
		cmocka_unit_test(allocations_have_the_pitch_and_size_of_the_equations),
		cmocka_unit_test(sdma_copies_between_allocations_and_staging),
		cmocka_unit_test(staging_of_one_gpu_is_imported_by_all),
	};
	int failures;

	if (!mesa_start(gpus)) {
		puts("skip: radeonsi is not installed");
		return 77;
	}
	failures = cmocka_run_group_tests(tests, NULL, NULL);
	mesa_finish(gpus);
	return failures;
}
