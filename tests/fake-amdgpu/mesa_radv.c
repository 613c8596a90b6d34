/* SPDX-License-Identifier: MIT */
/*
 * Copies by our Vulkan engine on the unmodified RADV, whose transfer queue records SDMA packets for
 * emulated GPUs of each generation, compared with the equations and with our own SDMA engine.
 */

#include "copy/vulkan.h"
#include "copy/vulkan/queue.h"
#include "gpu/gbm.h"
#include "harness/unit.h"
#include "mesa.h"
#include "radv_image.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 205
#define HEIGHT 137

static struct mesa_gpu gpus[MESA_CHIPS];
static struct copy_engine *engines[MESA_CHIPS]; /* on transfer queues */
static struct vulkan_device devices[MESA_CHIPS]; /* of a program, with the same queues */
static int n_allocated[2]; /* images, plain and compressed */
static int n_compressed; /* images that both engines read */

static void copy_by(struct copy_engine *engine, int g, struct dmabuf_image *source,
	struct dmabuf_image *destination, const pixman_box32_t *box, bool scramble)
{
	pixman_region32_t damage;

	pixman_region32_init_with_extents(&damage, (pixman_box32_t *)box);
	if (scramble) {
		dmabuf_image_scramble(source);
	}
	dmabuf_image_check_copy(engine, gpus[g].fake, source, destination, &damage, 0, 0);
	pixman_region32_fini(&damage);
}

/* RADV expands rectangles to blocks of 16 pixels. */
static void check_layout(int g, uint32_t format, uint64_t modifier)
{
	static const pixman_box32_t boxes[] = {
		{0, 0, WIDTH, HEIGHT}, {16, 48, 144, 112}, {128, 32, WIDTH, HEIGHT}};
	struct dmabuf_image tiled, linear, narrow;

	assert_true(mesa_allocate(&gpus[g], WIDTH, HEIGHT, format, modifier, &tiled));
	assert_int_equal(
		gpu_allocate_linear(&gpus[g].base, WIDTH, HEIGHT, format, 256, &linear.dmabuf), 0);
	mesa_map(&linear);
	for (int i = 0; i < (format == DRM_FORMAT_XRGB8888 ? 3 : 1); i++) {
		copy_by(engines[g], g, &tiled, &linear, &boxes[i], true);
		copy_by(gpus[g].sdma, g, &tiled, &linear, &boxes[i], true);
		copy_by(engines[g], g, &linear, &tiled, &boxes[i], true);
		copy_by(gpus[g].sdma, g, &linear, &tiled, &boxes[i], true);
	}
	/* Rows that SDMA cannot address go through RADV's own buffer. */
	dmabuf_image_init_linear(
		&narrow, format, WIDTH, HEIGHT, pixel_format_get(format)->bytes[0], 0);
	assert_int_equal(fcntl(narrow.dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
	copy_by(engines[g], g, &tiled, &narrow, &boxes[0], true);
	copy_by(engines[g], g, &narrow, &tiled, &boxes[0], true);
	dmabuf_image_finish(&narrow);
	mesa_free(&tiled);
	mesa_free(&linear);
}

/* Calls `check` for each layout that radeonsi renders, of four sizes of pixels. */
static void for_each_layout(void (*check)(int g, uint32_t format, uint64_t modifier))
{
	for (int g = 0; g < MESA_CHIPS; g++) {
		const struct format_set *set = &gpus[g].egl->rendering;
		int n = 0;

		for (size_t i = 0; i < set->n_formats; i++) {
			const struct format_modifiers *entry = &set->formats[i];

			for (unsigned log2 = 0; log2 < 4; log2++) {
				for (size_t m = 0; entry->format == dmabuf_image_format(log2) &&
						   m < entry->n_modifiers;
					m++) {
					check(g, entry->format, entry->modifiers[m]);
					n++;
				}
			}
		}
		assert_true(n > 10);
	}
}

static void check_reads(int g, uint32_t format, uint64_t modifier)
{
	const struct fake_chip *chip = fake_chip_find(gpus[g].chip);
	bool compressed = modifier_is_compressed(modifier);
	bool sdma_reads = !compressed || (chip->major << 8 | chip->minor) >= 0x502;
	bool reads = copy_engine_reads(engines[g], format, modifier);

	if (reads != (modifier != DRM_FORMAT_MOD_INVALID && sdma_reads)) {
		fail_msg("%s: %#lx", gpus[g].chip, modifier);
	}
}

static void transfer_queues_read_compression_only_where_sdma_does(void **state)
{
	for_each_layout(check_reads);
}

static void check_copies(int g, uint32_t format, uint64_t modifier)
{
	if (modifier != DRM_FORMAT_MOD_INVALID && !modifier_is_compressed(modifier)) {
		check_layout(g, format, modifier);
	}
}

static void transfer_queues_copy_the_same_bytes_as_our_sdma_engine(void **state)
{
	for_each_layout(check_copies);
}

/*
 * Images whose metadata says that no block is compressed. RADV 25.0 lacks the cache policies that
 * the emulator requires on SDMA 5.2; SDMA 7.0 has no metadata in packets.
 */
static void check_compressed(int g, uint32_t format, uint64_t modifier)
{
	static const pixman_box32_t boxes[] = {
		{0, 0, WIDTH, HEIGHT}, {16, 48, 144, 112}, {128, 32, WIDTH, HEIGHT}};
	struct dmabuf_image tiled, linear;

	if (!modifier_is_compressed(modifier) || fake_chip_find(gpus[g].chip)->major != 6 ||
		!copy_engine_reads(gpus[g].sdma, format, modifier)) {
		return;
	}
	assert_true(mesa_allocate(&gpus[g], WIDTH, HEIGHT, format, modifier, &tiled));
	assert_int_equal(
		gpu_allocate_linear(&gpus[g].base, WIDTH, HEIGHT, format, 256, &linear.dmabuf), 0);
	mesa_map(&linear);
	dmabuf_image_scramble(&tiled);
	assert_int_equal(tiled.dmabuf.n_planes, 2);
	memset(tiled.map + tiled.dmabuf.offset[1], 0xff, tiled.size - tiled.dmabuf.offset[1]);
	for (int i = 0; i < 3; i++) {
		copy_by(engines[g], g, &tiled, &linear, &boxes[i], false);
		copy_by(gpus[g].sdma, g, &tiled, &linear, &boxes[i], false);
	}
	n_compressed++;
	mesa_free(&tiled);
	mesa_free(&linear);
}

static void transfer_queues_read_metadata_as_our_sdma_engine_does(void **state)
{
	for_each_layout(check_compressed);
	assert_true(n_compressed > 4);
}

/* Copies the linear image into the program's one by RADV, as a program does. */
static void upload(const struct vulkan_device *device, struct radv_image *image,
	const struct dmabuf_image *linear)
{
	const pixman_box32_t whole = {0, 0, WIDTH, HEIGHT};
	struct vulkan_queue queue;
	struct vulkan_plane from;
	struct vulkan_job *job;

	assert_int_equal(vulkan_queue_init(&queue, device), 0);
	assert_int_equal(vulkan_plane_import(&from, device, &linear->dmabuf,
				 pixel_format_get(linear->dmabuf.format), 0, COPY_SOURCE),
		0);
	const struct vulkan_copy copy = {
		.source = &from, .destination = &image->plane, .boxes = &whole, .n_boxes = 1};
	assert_int_equal(vulkan_copy_check(device, &copy), 0);
	assert_int_equal(vulkan_queue_copy(&queue, &copy, 1, -1, &job), 0);
	assert_int_equal(vulkan_job_wait(device, job, UINT64_MAX), 0);
	vulkan_queue_finish(&queue);
	vulkan_plane_finish(&from, device);
}

static void check_rows(const struct dmabuf_image *a, const struct dmabuf_image *b)
{
	size_t bytes = WIDTH * pixel_format_get(a->dmabuf.format)->bytes[0];

	for (size_t y = 0; y < HEIGHT; y++) {
		assert_memory_equal(a->map + a->dmabuf.offset[0] + y * a->dmabuf.stride[0],
			b->map + b->dmabuf.offset[0] + y * b->dmabuf.stride[0], bytes);
	}
}

/* RADV writes the pixels that our engines read. For metadata, see check_compressed(). */
static void check_allocated(int g, uint32_t format, uint64_t modifier)
{
	static const pixman_box32_t boxes[] = {{0, 0, WIDTH, HEIGHT}, {16, 48, 144, 112}};
	bool compressed = modifier_is_compressed(modifier);
	struct dmabuf_image drawn, linear;
	struct radv_image image;

	if (modifier == DRM_FORMAT_MOD_INVALID ||
		(compressed && (fake_chip_find(gpus[g].chip)->major != 6 ||
				       !copy_engine_reads(gpus[g].sdma, format, modifier))) ||
		!radv_image_create(&image, &devices[g], WIDTH, HEIGHT, format, modifier)) {
		return;
	}
	n_allocated[compressed]++;
	assert_int_equal(
		gpu_allocate_linear(&gpus[g].base, WIDTH, HEIGHT, format, 256, &drawn.dmabuf), 0);
	assert_int_equal(
		gpu_allocate_linear(&gpus[g].base, WIDTH, HEIGHT, format, 256, &linear.dmabuf), 0);
	mesa_map(&drawn);
	mesa_map(&linear);
	dmabuf_image_scramble(&drawn);
	if (compressed) {
		memset(image.image.map + image.image.dmabuf.offset[1], 0xff,
			image.image.size - image.image.dmabuf.offset[1]);
	} else {
		upload(&devices[g], &image, &drawn);
	}
	for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
		dmabuf_image_scramble(&linear);
		copy_by(gpus[g].sdma, g, &image.image, &linear, &boxes[i], false);
		if (i == 0 && !compressed) {
			check_rows(&drawn, &linear);
		}
		dmabuf_image_scramble(&linear);
		copy_by(engines[g], g, &image.image, &linear, &boxes[i], false);
	}
	mesa_free(&drawn);
	mesa_free(&linear);
	radv_image_destroy(&image);
}

static void images_that_radv_allocates_are_copied_exactly(void **state)
{
	for_each_layout(check_allocated);
	assert_true(n_allocated[false] > 100);
	assert_true(n_allocated[true] > 4);
}

static int create_engine(const struct mesa_gpu *gpu, struct copy_engine **engine)
{
	struct vulkan_options options = {
		.kernel_driver = "amdgpu",
		.render_dev = gpu->base.render_dev,
		.queue = VULKAN_QUEUE_TRANSFER,
	};

	int error = vulkan_device_init(&devices[gpu - gpus], &options);
	return error < 0 ? error : vulkan_engine_create(&options, engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transfer_queues_read_compression_only_where_sdma_does),
		cmocka_unit_test(transfer_queues_copy_the_same_bytes_as_our_sdma_engine),
		cmocka_unit_test(transfer_queues_read_metadata_as_our_sdma_engine_does),
		cmocka_unit_test(images_that_radv_allocates_are_copied_exactly),
	};
	int failures, error = 0;

	/* The driver has memory that it frees at the end of the process only, so keep it loaded. */
	dlopen("libvulkan_radeon.so", RTLD_NOW | RTLD_NODELETE);
	setenv("RADV_PERFTEST", "transfer_queue", 1);
	bool opened = mesa_start(gpus);
	for (int g = 0; g < MESA_CHIPS && opened && error == 0; g++) {
		error = create_engine(&gpus[g], &engines[g]);
	}
	if (!opened || error == -ENOENT || error == -ENOTSUP) {
		puts(opened ? "skip: RADV has no transfer queue"
			    : "skip: radeonsi is not installed");
		return 77;
	}
	assert_int_equal(error, 0);
	failures = cmocka_run_group_tests(tests, NULL, NULL);
	for (int g = 0; g < MESA_CHIPS; g++) {
		copy_engine_destroy(engines[g]);
		vulkan_device_finish(&devices[g]);
	}
	mesa_finish(gpus);
	return failures;
}
