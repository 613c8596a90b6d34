/* SPDX-License-Identifier: MIT */
/* Images in dma-bufs of the emulated amdgpu, and checks of copies between them. */

#include "dmabuf_image.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "util/fence.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOISE (1 << 18) /* bytes; images take half of them, from a random place on */

uint32_t dmabuf_image_format(unsigned log2_bytes)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_R8, DRM_FORMAT_RGB565, DRM_FORMAT_XRGB8888, DRM_FORMAT_ABGR16161616F};

	return formats[log2_bytes];
}

static unsigned bytes_of(uint32_t format)
{
	return pixel_format_get(format)->bytes[0];
}

/* Random bytes whose neighboring values differ. */
static const uint8_t *find_noise(void)
{
	static uint64_t noise[NOISE / 8];

	if (noise[0] == 0) {
		uint64_t value = 1;
		for (size_t i = 0; i < NOISE / 8; i++) {
			noise[i] = value = value * 6364136223846793005 + 1442695040888963407;
		}
	}
	return (const uint8_t *)noise;
}

void dmabuf_image_scramble(struct dmabuf_image *image)
{
	const uint8_t *noise = find_noise();
	size_t n;

	for (size_t at = 0; at < image->size; at += n) {
		const size_t from = (size_t)random_between(0, NOISE / 16 - 1) * 8;
		n = image->size - at < NOISE / 2 ? image->size - at : NOISE / 2;
		memcpy(image->map + at, noise + from, n);
	}
}

static void create(struct dmabuf_image *image, uint32_t offset)
{
	void *map;

	image->dmabuf.fd[0] = fake_dmabuf_create(image->size, &map);
	assert_true(image->dmabuf.fd[0] >= 0);
	image->dmabuf.n_planes = 1;
	image->dmabuf.offset[0] = offset;
	image->map = map;
	dmabuf_image_scramble(image);
}

void dmabuf_image_init_linear(struct dmabuf_image *image, uint32_t format, int width, int height,
	uint32_t extra, uint32_t offset)
{
	dmabuf_init(&image->dmabuf);
	image->dmabuf.width = width;
	image->dmabuf.height = height;
	image->dmabuf.format = format;
	image->dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
	image->dmabuf.stride[0] = (uint32_t)width * bytes_of(format) + extra;
	image->size = offset + (size_t)image->dmabuf.stride[0] * (size_t)height;
	create(image, offset);
}

/* Does nothing for linear images. */
static void tiling_of(struct tiling *tiling, const struct dmabuf_image *image)
{
	unsigned bytes = bytes_of(image->dmabuf.format);
	struct tiling_mode mode;

	if (image->dmabuf.modifier != DRM_FORMAT_MOD_LINEAR) {
		assert_true(tiling_mode_from_modifier(&mode, image->dmabuf.modifier));
		assert_true(tiling_init(tiling, &mode, (unsigned)__builtin_ctz(bytes)));
	}
}

void dmabuf_image_init_tiled(struct dmabuf_image *image, uint32_t format, int width, int height,
	uint64_t modifier, uint32_t more)
{
	struct tiling tiling;
	uint32_t blocks;

	dmabuf_init(&image->dmabuf);
	image->dmabuf.width = width;
	image->dmabuf.height = height;
	image->dmabuf.format = format;
	image->dmabuf.modifier = modifier;
	tiling_of(&tiling, image);
	blocks = ((uint32_t)width + tiling.block_width - 1) / tiling.block_width + more;
	image->dmabuf.stride[0] = blocks * tiling.block_width * bytes_of(format);
	image->size = tiling_size(&tiling, blocks * tiling.block_width, (uint32_t)height);
	create(image, 0);
}

void dmabuf_image_finish(struct dmabuf_image *image)
{
	dmabuf_finish(&image->dmabuf);
}

/* `tiling` is that of the image unless it is linear. */
static uint8_t *element(
	const struct dmabuf_image *image, const struct tiling *tiling, uint32_t x, uint32_t y)
{
	const struct dmabuf *dmabuf = &image->dmabuf;
	unsigned bytes = bytes_of(dmabuf->format);

	return dmabuf->modifier == DRM_FORMAT_MOD_LINEAR
		       ? image->map + dmabuf->offset[0] + (size_t)y * dmabuf->stride[0] + x * bytes
		       : image->map + tiling_offset(tiling, dmabuf->stride[0] / bytes, x, y);
}

uint8_t *dmabuf_image_element(const struct dmabuf_image *image, uint32_t x, uint32_t y)
{
	struct tiling tiling;

	tiling_of(&tiling, image);
	return element(image, &tiling, x, y);
}

static int open_node(void *data)
{
	return fake_gpu_open(data);
}

struct copy_engine *dmabuf_image_engine(struct fake_gpu *gpu)
{
	struct sdma_options options = {.open_node = open_node, .data = gpu, .compressed = true};
	struct copy_engine *engine = NULL;

	assert_int_equal(sdma_engine_create(&options, &engine), 0);
	return engine;
}

/* Returns the expected memory after the copy, computed element by element. */
static uint8_t *expect(const struct dmabuf_image *source, const struct dmabuf_image *destination,
	const pixman_region32_t *damage, int dx, int dy)
{
	unsigned bytes = bytes_of(source->dmabuf.format);
	uint8_t *memory = malloc(destination->size);
	struct tiling from, into;
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)damage, &n);

	tiling_of(&from, source);
	tiling_of(&into, destination);
	memcpy(memory, destination->map, destination->size);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			for (int x = boxes[i].x1; x < boxes[i].x2; x++) {
				uint8_t *to = element(
					destination, &into, (uint32_t)(x + dx), (uint32_t)(y + dy));

				memcpy(memory + (to - destination->map),
					element(source, &from, (uint32_t)x, (uint32_t)y), bytes);
			}
		}
	}
	return memory;
}

void dmabuf_image_check_copy(struct copy_engine *engine, struct fake_gpu *gpu,
	struct dmabuf_image *source, struct dmabuf_image *destination,
	const pixman_region32_t *damage, int dx, int dy)
{
	struct copy_request request = {
		.damage = damage, .dx = dx, .dy = dy, .wait_fd = -1, .now = 0};
	uint8_t *expected = expect(source, destination, damage, dx, dy);
	const char *fault;
	int fence;

	assert_int_equal(
		copy_engine_import(engine, &source->dmabuf, COPY_SOURCE, &request.source), 0);
	assert_int_equal(copy_engine_import(engine, &destination->dmabuf, COPY_DESTINATION,
				 &request.destination),
		0);
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	fault = fake_gpu_fault(gpu);
	if (fault) {
		fail_msg("%s", fault);
	}
	assert_int_equal(fence_status(fence), 1);
	close(fence);
	assert_memory_equal(expected, destination->map, destination->size);
	free(expected);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	assert_int_equal(copy_engine_reap(engine, 0), 0);
}
