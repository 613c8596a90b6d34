/* SPDX-License-Identifier: MIT */
/* Verification of copies: tiled and linear, both ways, many rectangles, formats of all sizes. */

#include "bench.h"
#include <stdlib.h>
#include <string.h>

#define BOXES_MAX 100

static const struct {
	VkFormat format;
	uint32_t bytes;
} formats[] = {
	{VK_FORMAT_R8_UNORM, 1},
	{VK_FORMAT_R5G6B5_UNORM_PACK16, 2},
	{VK_FORMAT_B8G8R8A8_UNORM, 4},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4},
	{VK_FORMAT_R16G16B16A16_UNORM, 8},
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* Reproducible random numbers. */
static uint32_t random_below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 33) % limit;
}

/* Left edges are whole words, which transfer queues need. */
static int make_boxes(
	uint64_t *state, pixman_box32_t *boxes, uint32_t width, uint32_t height, uint32_t bytes)
{
	int n = 1 + (int)random_below(state, random_below(state, 4) == 0 ? BOXES_MAX : 6);
	uint32_t step = bytes < 4 ? 4 / bytes : 1;

	for (int i = 0; i < n; i++) {
		uint32_t x = random_below(state, width) / step * step;
		uint32_t y = random_below(state, height);

		boxes[i].x1 = (int32_t)x;
		boxes[i].y1 = (int32_t)y;
		boxes[i].x2 = (int32_t)(x + 1 + random_below(state, width - x));
		boxes[i].y2 = (int32_t)(y + 1 + random_below(state, height - y));
	}
	return n;
}

static void expect(uint8_t *expected, const uint8_t *from, const pixman_box32_t *boxes, int n,
	size_t stride, uint32_t bytes)
{
	for (int i = 0; i < n; i++) {
		for (int32_t y = boxes[i].y1; y < boxes[i].y2; y++) {
			size_t at = (size_t)y * stride + (size_t)boxes[i].x1 * bytes;

			memcpy(expected + at, from + at,
				(size_t)(boxes[i].x2 - boxes[i].x1) * bytes);
		}
	}
}

/*
 * Copies a first image as a whole, parts of a second one over it, and parts of the result to a
 * third one.
 */
static bool check_once(struct target_gpu *gpu, uint64_t *state, size_t format)
{
	uint32_t bytes = formats[format].bytes, step = bytes < 4 ? 4 / bytes : 1;
	uint32_t width = (1 + random_below(state, 400 / step)) * step;
	uint32_t height = 1 + random_below(state, 200);
	size_t stride = (size_t)width * bytes, size = stride * height;
	pixman_box32_t all = {0, 0, (int32_t)width, (int32_t)height};
	pixman_box32_t in[BOXES_MAX], out[BOXES_MAX];
	int n_in = make_boxes(state, in, width, height, bytes);
	int n_out = make_boxes(state, out, width, height, bytes);
	struct target_linear host[3];
	struct vulkan_plane image;
	uint8_t *tiled = malloc(size), *expected = malloc(size);
	bool good;

	if (!tiled || !expected ||
		target_image_init(&image, gpu, formats[format].format, bytes, width, height) < 0) {
		target_fail("cannot create an image of %ux%u", width, height);
	}
	for (int i = 0; i < 3; i++) {
		if (target_linear_init(&host[i], gpu, TARGET_CACHED, bytes, width, height) < 0) {
			target_fail("cannot allocate memory for %ux%u", width, height);
		}
		target_scramble(host[i].map, size, random_below(state, 1 << 30));
	}
	memcpy(tiled, host[0].map, size);
	expect(tiled, host[1].map, in, n_in, stride, bytes);
	memcpy(expected, host[2].map, size);
	expect(expected, tiled, out, n_out, stride, bytes);
	target_copy(gpu, &host[0].surface, &image, &all, 1);
	target_copy(gpu, &host[1].surface, &image, in, n_in);
	target_copy(gpu, &image, &host[2].surface, out, n_out);
	good = memcmp(expected, host[2].map, size) == 0;
	if (!good) {
		fprintf(stderr, "wrong copy: %s queue, %u bytes per pixel, %ux%u\n",
			vulkan_queue_kind_name(gpu->device.kind), bytes, width, height);
	}
	for (int i = 0; i < 3; i++) {
		target_linear_finish(&host[i], gpu);
	}
	target_image_finish(&image, gpu);
	free(tiled);
	free(expected);
	return good;
}

int bench_check(struct bench *bench)
{
	int rounds = bench->quick ? 10 : 40, n = 0, failed = 0;
	uint64_t state = 1;

	for (int kind = 0; kind < BENCH_KINDS; kind++) {
		for (size_t i = 0; bench->has[kind] && i < N_FORMATS; i++) {
			for (int round = 0; round < rounds; round++) {
				n++;
				failed += !check_once(&bench->gpus[kind], &state, i);
			}
		}
	}
	printf("\n%d copies, %d of them wrong\n", n, failed);
	return failed;
}
