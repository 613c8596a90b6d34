/* Pictures for tests of the copy engines, in memory of this process. */

#include "copy_picture.h"
#include "copy/amd/tiling.h"
#include "gpu/format.h"
#include "unit.h"
#include "util/fd.h"
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define SQUARE ((size_t)64)

int copy_picture_memory(size_t size, bool sealed)
{
	int memory = fd_create_memory("picture", (off_t)size, sealed);
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

void copy_picture_scramble(struct copy_picture *picture)
{
	uint64_t value = (uint64_t)random_between(1, INT32_MAX) << 20 | 1;

	for (size_t i = 0; i + 8 <= picture->size; i += 8) {
		value = value * 6364136223846793005 + 1442695040888963407;
		memcpy(picture->map + i, &value, 8);
	}
}

static void create(struct copy_picture *picture, size_t size)
{
	picture->size = (size + PAGE - 1) / PAGE * PAGE;
	picture->dmabuf.fd[0] = copy_picture_memory(picture->size, true);
	picture->map = mmap(
		NULL, picture->size, PROT_READ | PROT_WRITE, MAP_SHARED, picture->dmabuf.fd[0], 0);
	assert_true(picture->map != MAP_FAILED);
	copy_picture_scramble(picture);
}

static void describe(struct copy_picture *picture, uint32_t format, int width, int height)
{
	dmabuf_init(&picture->dmabuf);
	picture->dmabuf.width = width;
	picture->dmabuf.height = height;
	picture->dmabuf.format = format;
	picture->dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
}

void copy_picture_init_linear(
	struct copy_picture *picture, uint32_t fourcc, int width, int height, unsigned unit)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	size_t size = (size_t)random_between(0, 40) * unit;

	describe(picture, fourcc, width, height);
	for (int i = 0; i < format->n_planes; i++) {
		uint32_t stride = (uint32_t)pixel_format_min_stride(format, i, width);

		stride = (stride + unit - 1) / unit * unit;
		stride += (uint32_t)random_between(0, 20) * unit;
		picture->dmabuf.offset[i] = (uint32_t)size;
		picture->dmabuf.stride[i] = stride;
		size += (size_t)stride * (size_t)pixel_format_plane_height(format, i, height);
		size = (size + unit - 1) / unit * unit;
	}
	picture->dmabuf.n_planes = format->n_planes;
	/* What draws in squares wants to have whole ones, in height too. */
	create(picture, size + (unit >= SQUARE ? SQUARE * (size_t)picture->dmabuf.stride[0] : 0));
	for (int i = 1; i < format->n_planes; i++) {
		picture->dmabuf.fd[i] = fd_dup(picture->dmabuf.fd[0]);
	}
}

static void tiling_of(struct tiling *tiling, const struct dmabuf *dmabuf)
{
	unsigned bytes = pixel_format_get(dmabuf->format)->bytes[0];
	struct tiling_mode mode;

	assert_true(tiling_mode_from_modifier(&mode, dmabuf->modifier));
	assert_true(tiling_init(tiling, &mode, (unsigned)__builtin_ctz(bytes)));
}

void copy_picture_init_tiled(
	struct copy_picture *picture, uint32_t format, int width, int height, uint64_t modifier)
{
	struct tiling tiling;
	uint32_t pitch;

	describe(picture, format, width, height);
	picture->dmabuf.modifier = modifier;
	tiling_of(&tiling, &picture->dmabuf);
	pitch = ((uint32_t)width + tiling.block_width - 1) / tiling.block_width;
	pitch = (pitch + (uint32_t)random_between(0, 1)) * tiling.block_width;
	picture->dmabuf.n_planes = 1;
	picture->dmabuf.stride[0] = pitch * pixel_format_get(format)->bytes[0];
	create(picture, tiling_size(&tiling, pitch, (uint32_t)height));
}

void copy_picture_finish(struct copy_picture *picture)
{
	munmap(picture->map, picture->size);
	dmabuf_finish(&picture->dmabuf);
}

/* Where an element of a plane is, from the start of the memory. */
static size_t element(const struct copy_picture *picture, int plane, uint32_t x, uint32_t y)
{
	const struct dmabuf *dmabuf = &picture->dmabuf;
	unsigned bytes = pixel_format_get(dmabuf->format)->bytes[plane];
	struct tiling tiling;

	if (dmabuf->modifier == DRM_FORMAT_MOD_LINEAR) {
		return dmabuf->offset[plane] + (size_t)y * dmabuf->stride[plane] + x * bytes;
	}
	tiling_of(&tiling, dmabuf);
	return tiling_offset(&tiling, dmabuf->stride[plane] / bytes, x, y);
}

void copy_picture_expect(uint8_t *memory, const struct copy_picture *source,
	const struct copy_picture *destination, const pixman_box32_t *box, int dx, int dy)
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
