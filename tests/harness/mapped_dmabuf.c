/* SPDX-License-Identifier: MIT */
/* Mapped dma-bufs: buffers of known content for tests of copy engines. */

#include "harness/mapped_dmabuf.h"
#include "copy/amd/tiling.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define SQUARE ((size_t)64)

int mapped_dmabuf_memory(size_t size, bool sealed)
{
	int memory = fd_create_memory("buffer", (off_t)size, sealed);
	int device = sealed ? open("/dev/udmabuf", O_RDWR | O_CLOEXEC) : -1, fd;
	struct udmabuf_create create = {.memfd = (uint32_t)memory, .size = size};

	assert_true(memory >= 0);
	if (device < 0) {
		return memory;
	}
	create.flags = UDMABUF_FLAGS_CLOEXEC;
	fd = ioctl(device, UDMABUF_CREATE, &create);
	assert_true(fd >= 0);
	close(device);
	close(memory);
	return fd;
}

void mapped_dmabuf_scramble(struct mapped_dmabuf *buffer)
{
	uint64_t value = (uint64_t)random_between(1, INT32_MAX) << 20 | 1;

	for (size_t i = 0; i + 8 <= buffer->size; i += 8) {
		value = value * 6364136223846793005 + 1442695040888963407;
		memcpy(buffer->map + i, &value, 8);
	}
}

static void create(struct mapped_dmabuf *buffer, size_t size)
{
	buffer->size = (size + PAGE - 1) / PAGE * PAGE;
	buffer->dmabuf.fd[0] = mapped_dmabuf_memory(buffer->size, true);
	buffer->map = mmap(
		NULL, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->dmabuf.fd[0], 0);
	assert_true(buffer->map != MAP_FAILED);
	mapped_dmabuf_scramble(buffer);
}

static void describe(struct mapped_dmabuf *buffer, uint32_t format, int width, int height)
{
	dmabuf_init(&buffer->dmabuf);
	buffer->dmabuf.width = width;
	buffer->dmabuf.height = height;
	buffer->dmabuf.format = format;
	buffer->dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
}

/* Gives each further plane a memory of its own, at the same offset. */
static void separate_planes(struct mapped_dmabuf *buffer)
{
	for (int i = 1; i < buffer->dmabuf.n_planes; i++) {
		const uint32_t offset = buffer->dmabuf.offset[i];

		buffer->dmabuf.fd[i] = mapped_dmabuf_memory(buffer->size, true);
		assert_true(mmap(buffer->map + offset, buffer->size - offset,
				    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
				    buffer->dmabuf.fd[i], (off_t)offset) != MAP_FAILED);
	}
	mapped_dmabuf_scramble(buffer);
}

void mapped_dmabuf_init_linear(
	struct mapped_dmabuf *buffer, uint32_t fourcc, int width, int height, unsigned unit)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	size_t size = (size_t)random_between(0, 40) * unit;
	const bool separate = random_between(0, 1);

	describe(buffer, fourcc, width, height);
	for (int i = 0; i < format->n_planes; i++) {
		uint32_t stride = (uint32_t)pixel_format_min_stride(format, i, width);

		stride = (stride + unit - 1) / unit * unit;
		size = separate && i > 0 ? (size + PAGE - 1) / PAGE * PAGE : size;
		stride += random_between(0, 1) ? (uint32_t)random_between(1, 20) * unit : 0;
		buffer->dmabuf.offset[i] = (uint32_t)size;
		buffer->dmabuf.stride[i] = stride;
		size += (size_t)stride * (size_t)pixel_format_plane_height(format, i, height);
		size = (size + unit - 1) / unit * unit;
	}
	buffer->dmabuf.n_planes = format->n_planes;
	/* Renderers that draw in 64x64 tiles access whole tiles, also at the bottom. */
	create(buffer, size + (unit >= SQUARE ? SQUARE * (size_t)buffer->dmabuf.stride[0] : 0));
	if (separate) {
		separate_planes(buffer);
		return;
	}
	for (int i = 1; i < format->n_planes; i++) {
		buffer->dmabuf.fd[i] = fd_dup(buffer->dmabuf.fd[0]);
	}
}

static void tiling_of(struct tiling *tiling, const struct dmabuf *dmabuf)
{
	unsigned bytes = pixel_format_get(dmabuf->format)->bytes[0];
	struct tiling_mode mode;

	assert_true(tiling_mode_from_modifier(&mode, dmabuf->modifier));
	assert_true(tiling_init(tiling, &mode, (unsigned)__builtin_ctz(bytes)));
}

void mapped_dmabuf_init_tiled(
	struct mapped_dmabuf *buffer, uint32_t format, int width, int height, uint64_t modifier)
{
	struct tiling tiling;
	uint32_t pitch;

	describe(buffer, format, width, height);
	buffer->dmabuf.modifier = modifier;
	tiling_of(&tiling, &buffer->dmabuf);
	pitch = ((uint32_t)width + tiling.block_width - 1) / tiling.block_width;
	pitch = (pitch + (uint32_t)random_between(0, 1)) * tiling.block_width;
	buffer->dmabuf.n_planes = 1;
	buffer->dmabuf.stride[0] = pitch * pixel_format_get(format)->bytes[0];
	create(buffer, tiling_size(&tiling, pitch, (uint32_t)height));
}

void mapped_dmabuf_finish(struct mapped_dmabuf *buffer)
{
	munmap(buffer->map, buffer->size);
	dmabuf_finish(&buffer->dmabuf);
}

/* Returns the offset (bytes) of an element of a plane. */
static size_t element(const struct mapped_dmabuf *buffer, int plane, uint32_t x, uint32_t y)
{
	const struct dmabuf *dmabuf = &buffer->dmabuf;
	unsigned bytes = pixel_format_get(dmabuf->format)->bytes[plane];
	struct tiling tiling;

	if (dmabuf->modifier == DRM_FORMAT_MOD_LINEAR) {
		return dmabuf->offset[plane] + (size_t)y * dmabuf->stride[plane] + x * bytes;
	}
	tiling_of(&tiling, dmabuf);
	return tiling_offset(&tiling, dmabuf->stride[plane] / bytes, x, y);
}

void mapped_dmabuf_expect(uint8_t *memory, const struct mapped_dmabuf *source,
	const struct mapped_dmabuf *destination, const pixman_box32_t *box, int dx, int dy)
{
	const struct pixel_format *format = pixel_format_get(source->dmabuf.format);

	for (int plane = 0; plane < format->n_planes; plane++) {
		int h = plane > 0 ? format->hsub : 1, v = plane > 0 ? format->vsub : 1;

		for (int y = box->y1 / v; y < (box->y2 + v - 1) / v; y++) {
			for (int x = box->x1 / h; x < (box->x2 + h - 1) / h; x++) {
				size_t to = element(destination, plane, (uint32_t)(x + dx / h),
					(uint32_t)(y + dy / v));
				size_t from = element(source, plane, (uint32_t)x, (uint32_t)y);

				memcpy(memory + to, source->map + from, format->bytes[plane]);
			}
		}
	}
}
