/*
 * Tests of the copy engines that need no hardware of their own: one table of copies, which each must
 * do exactly. Memory is in udmabufs where the kernel makes them, else in sealed memory files, which
 * engines take for dma-bufs.
 */

#include "copy/cpu.h"
#include "copy/cpu/stream.h"
#include "copy/gles.h"
#include "copy/tiling.h"
#ifdef CAUSEWAY_VULKAN
#include "copy/vulkan.h"
#endif
#include "gpu/format.h"
#include "unit.h"
#include "util/fd.h"
#include "util/fence.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define TIMEOUT_MS 120000
#define SQUARE ((size_t)64)

struct picture {
	struct dmabuf dmabuf;
	uint8_t *map;
	size_t size;
};

typedef int maker(struct copy_engine **engine);

#ifdef CAUSEWAY_VULKAN
/* The driver that renders in software has one queue, and no tilings. */
static int create_vulkan(struct copy_engine **engine)
{
	struct vulkan_options options = {.queue = VULKAN_QUEUE_ANY};

	return vulkan_engine_create(&options, engine);
}
#endif

/* The software renderer, which takes what can be mapped. */
static int create_gles(struct copy_engine **engine)
{
	return gles_engine_create(NULL, engine);
}

static const struct engine_case {
	const char *name;
	maker *create;
	bool tiled; /* takes AMD's tilings */
	bool waits; /* for any fence, however long it takes */
	bool draws; /* only what can be rendered to */
	unsigned alignment; /* of strides and offsets, bytes */
} engines[] = {
	{"cpu", cpu_engine_create, true, true, false, 1},
#ifdef CAUSEWAY_VULKAN
	{"vulkan", create_vulkan, false, false, false, 4},
#endif
	{"gles", create_gles, false, false, true, 64},
};

#define N_ENGINES (sizeof(engines) / sizeof(engines[0]))

static int create_memory(size_t size, bool sealed)
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

static void scramble(struct picture *picture)
{
	uint64_t value = (uint64_t)random_between(1, INT32_MAX) << 20 | 1;

	for (size_t i = 0; i + 8 <= picture->size; i += 8) {
		value = value * 6364136223846793005 + 1442695040888963407;
		memcpy(picture->map + i, &value, 8);
	}
}

static void create(struct picture *picture, size_t size)
{
	picture->size = (size + PAGE - 1) / PAGE * PAGE;
	picture->dmabuf.fd[0] = create_memory(picture->size, true);
	picture->map = mmap(
		NULL, picture->size, PROT_READ | PROT_WRITE, MAP_SHARED, picture->dmabuf.fd[0], 0);
	assert_true(picture->map != MAP_FAILED);
	scramble(picture);
}

static void describe(struct picture *picture, uint32_t format, int width, int height)
{
	dmabuf_init(&picture->dmabuf);
	picture->dmabuf.width = width;
	picture->dmabuf.height = height;
	picture->dmabuf.format = format;
	picture->dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
}

/* Planes lie behind each other, with strides and starts that are `unit` times something odd. */
static void init_linear(
	struct picture *picture, uint32_t fourcc, int width, int height, unsigned unit)
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

static void init_tiled(
	struct picture *picture, uint32_t format, int width, int height, uint64_t modifier)
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

static void finish(struct picture *picture)
{
	munmap(picture->map, picture->size);
	dmabuf_finish(&picture->dmabuf);
}

/* Where an element of a plane is, from the start of the memory. */
static size_t element(const struct picture *picture, int plane, uint32_t x, uint32_t y)
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

static void expect_box(uint8_t *memory, const struct picture *source,
	const struct picture *destination, const pixman_box32_t *box, int dx, int dy)
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

static void wait_for(int fence)
{
	struct pollfd poller = {.fd = fence, .events = POLLIN};

	if (fence >= 0) {
		assert_int_equal(poll(&poller, 1, TIMEOUT_MS), 1);
	}
}

static void check_copy(struct copy_engine *engine, struct picture *source,
	struct picture *destination, const pixman_region32_t *damage, int dx, int dy)
{
	struct copy_request request = {.damage = damage, .dx = dx, .dy = dy, .wait_fd = -1};
	uint8_t *expected = malloc(destination->size);
	int n, fence;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)damage, &n);

	memcpy(expected, destination->map, destination->size);
	for (int i = 0; i < n; i++) {
		expect_box(expected, source, destination, &boxes[i], dx, dy);
	}
	if (copy_engine_import(engine, &source->dmabuf, COPY_SOURCE, &request.source) < 0 ||
		copy_engine_import(
			engine, &destination->dmabuf, COPY_DESTINATION, &request.destination) < 0) {
		const char *reason = "its import failed";
		char name[5];

		if (copy_engine_check(engine, &source->dmabuf, COPY_SOURCE, &reason) == 0) {
			copy_engine_check(engine, &destination->dmabuf, COPY_DESTINATION, &reason);
		}
		fail_msg("%s: %s", pixel_format_name(source->dmabuf.format, name), reason);
	}
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	wait_for(fence);
	assert_int_equal(fence_status(fence), 1);
	fd_close(&fence);
	assert_memory_equal(expected, destination->map, destination->size);
	free(expected);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	assert_int_equal(copy_engine_reap(engine, 0), 0);
	assert_true(wl_list_empty(&engine->images));
}

/* Rectangles, some of one pixel's height, some to the far edges. Even ones for shared chroma. */
static void init_damage(pixman_region32_t *damage, int width, int height, bool even)
{
	int n = random_between(1, 6);

	pixman_region32_init(damage);
	for (int i = 0; i < n; i++) {
		int x = random_between(0, width - 1), y = random_between(0, height - 1);
		int w = random_between(1, width - x), h = random_between(1, height - y);

		if (random_between(0, 3) == 0) {
			w = width - x;
			h = 1;
		}
		if (even) {
			x &= ~1;
			y &= ~1;
			w = x + w + 1 < width ? (w + 1) & ~1 : width - x;
			h = y + h + 1 < height ? (h + 1) & ~1 : height - y;
		}
		pixman_region32_union_rect(damage, damage, x, y, (unsigned)w, (unsigned)h);
	}
}

static unsigned unit_of(const struct engine_case *engine, uint32_t format)
{
	unsigned bytes = pixel_format_get(format)->bytes[0];

	if (engine->alignment == 1) {
		return 1;
	}
	/* Strides of whole pixels, and starts at whole words. */
	return engine->alignment * (bytes > 4 ? 2 : bytes == 3 ? 3 : 1);
}

/* What can be drawn into is the driver's to say, but for what every screen has. */
static bool takes(const struct engine_case *tested, struct copy_engine *engine,
	const struct picture *source, const struct picture *destination)
{
	return !tested->draws || source->dmabuf.format == DRM_FORMAT_XRGB8888 ||
	       (copy_engine_check(engine, &source->dmabuf, COPY_SOURCE, NULL) == 0 &&
		       copy_engine_check(engine, &destination->dmabuf, COPY_DESTINATION, NULL) ==
			       0);
}

static void test_linear(void **state)
{
	static const uint32_t formats[] = {DRM_FORMAT_R8, DRM_FORMAT_RGB565, DRM_FORMAT_RGB888,
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ABGR2101010, DRM_FORMAT_ABGR16161616F,
		DRM_FORMAT_NV12, DRM_FORMAT_P010, DRM_FORMAT_YUV420};
	const struct engine_case *tested = *state;
	struct copy_engine *engine = NULL;

	assert_int_equal(tested->create(&engine), 0);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		assert_true(tested->draws ||
			    copy_engine_reads(engine, formats[i], DRM_FORMAT_MOD_LINEAR));
		/* Three bytes are no render target, and what is not a number may change its bits. */
		if (tested->draws && (formats[i] == DRM_FORMAT_RGB888 ||
					     formats[i] == DRM_FORMAT_ABGR16161616F)) {
			continue;
		}
		for (int round = 0; round < 8; round++) {
			bool even = pixel_format_get(formats[i])->hsub > 1;
			unsigned unit = unit_of(tested, formats[i]);
			int width = random_between(1, 300), height = random_between(1, 90);
			int dx = random_between(0, 5) * 2, dy = random_between(0, 5) * 2;
			struct picture source, destination;
			pixman_region32_t damage;

			init_damage(&damage, width, height, even);
			init_linear(&source, formats[i], width, height, unit);
			init_linear(&destination, formats[i], width + dx, height + dy, unit);
			if (takes(tested, engine, &source, &destination)) {
				check_copy(engine, &source, &destination, &damage, dx, dy);
			}
			finish(&source);
			finish(&destination);
			pixman_region32_fini(&damage);
		}
	}
	copy_engine_destroy(engine);
}

static const uint64_t modifiers[] = {
	0x0200000004801901, /* GFX9 */
	0x0200000000801b02, /* GFX10 */
	0x0200000020801b03, /* GFX10.3 */
	0x0200000028a01f04, /* GFX11, blocks of 256 KiB */
	0x0200000000000305, /* GFX12 */
	0x0200000000000105, /* GFX12, blocks of 256 bytes */
};

static void check_tiled(struct copy_engine *engine, uint64_t modifier, uint32_t format)
{
	int width = random_between(1, 300), height = random_between(1, 150);
	int dx = random_between(0, 9), dy = random_between(0, 9);
	struct picture tiled, linear;
	pixman_region32_t damage;

	init_damage(&damage, width, height, false);
	init_tiled(&tiled, format, width, height, modifier);
	init_linear(&linear, format, width + dx, height + dy, 1);
	check_copy(engine, &tiled, &linear, &damage, dx, dy);
	finish(&tiled);

	init_tiled(&tiled, format, width + dx, height + dy, modifier);
	linear.dmabuf.width = width;
	linear.dmabuf.height = height;
	check_copy(engine, &linear, &tiled, &damage, dx, dy);
	finish(&tiled);
	finish(&linear);
	pixman_region32_fini(&damage);
}

static void test_tiled(void **state)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_R8, DRM_FORMAT_RGB565, DRM_FORMAT_XRGB8888, DRM_FORMAT_ABGR16161616F};
	const struct engine_case *tested = *state;
	struct copy_engine *engine = NULL;

	assert_int_equal(tested->create(&engine), 0);
	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		for (size_t j = 0; j < sizeof(formats) / sizeof(formats[0]); j++) {
			assert_true(copy_engine_reads(engine, formats[j], modifiers[i]));
			check_tiled(engine, modifiers[i], formats[j]);
		}
	}
	copy_engine_destroy(engine);
}

static void make_pair(struct copy_engine *engine, struct copy_request *request,
	struct picture *source, struct picture *destination)
{
	init_linear(source, DRM_FORMAT_XRGB8888, 64, 64, 4);
	init_linear(destination, DRM_FORMAT_XRGB8888, 64, 64, 4);
	assert_int_equal(
		copy_engine_import(engine, &source->dmabuf, COPY_SOURCE, &request->source), 0);
	assert_int_equal(copy_engine_import(engine, &destination->dmabuf, COPY_DESTINATION,
				 &request->destination),
		0);
}

/* The same few copies again and again, of what changes; now and then a picture is replaced by another. */
static void test_repeated(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_image *images[4];
	struct picture pictures[4]; /* two sources, two destinations */
	struct copy_engine *engine = NULL;
	pixman_region32_t damage;

	assert_int_equal(tested->create(&engine), 0);
	pixman_region32_init_rect(&damage, 0, 0, 64, 64);
	for (int round = 0; round < 60; round++) {
		struct picture *source = &pictures[round % 2];
		struct picture *destination = &pictures[2 + round / 2 % 2];
		int changed = round < 4 ? round : round % 7 == 0 ? random_between(0, 3) : -1;
		struct copy_request request = {.damage = &damage, .wait_fd = -1};
		uint8_t *expected;
		int fence;

		for (int i = 0; i < 4; i++) {
			unsigned use = i < 2 ? COPY_SOURCE : COPY_DESTINATION;

			if (round > 0 && i != changed) {
				continue;
			}
			if (round > 0) {
				copy_image_drop(images[i]);
				finish(&pictures[i]);
			}
			init_linear(&pictures[i], DRM_FORMAT_XRGB8888, 64, 64,
				unit_of(tested, DRM_FORMAT_XRGB8888));
			assert_int_equal(
				copy_engine_import(engine, &pictures[i].dmabuf, use, &images[i]),
				0);
		}
		scramble(source);
		expected = malloc(destination->size);
		memcpy(expected, destination->map, destination->size);
		expect_box(expected, source, destination, &damage.extents, 0, 0);
		request.source = images[source - pictures];
		request.destination = images[destination - pictures];
		assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
		wait_for(fence);
		assert_int_equal(fence_status(fence), 1);
		fd_close(&fence);
		assert_memory_equal(expected, destination->map, destination->size);
		free(expected);
		assert_int_equal(copy_engine_reap(engine, 0), 0);
	}
	for (int i = 0; i < 4; i++) {
		copy_image_drop(images[i]);
		finish(&pictures[i]);
	}
	copy_engine_destroy(engine);
	pixman_region32_fini(&damage);
}

/* Everything goes while a copy waits for its fence; the copy ends all the same. */
static void test_gone_in_flight(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_request request = {0};
	struct picture source, destination;
	struct copy_engine *engine = NULL;
	pixman_region32_t damage;
	int fds[2], fence;

	assert_int_equal(tested->create(&engine), 0);
	make_pair(engine, &request, &source, &destination);
	pixman_region32_init_rect(&damage, 0, 0, 64, 64);
	assert_int_equal(pipe(fds), 0);
	request.damage = &damage;
	request.wait_fd = fds[0];
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	assert_int_equal(fence_status(fence), 0);
	assert_int_equal(copy_engine_reap(engine, 0), 1);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	copy_engine_destroy(engine);
	assert_int_equal(fence_status(fence), 0);
	assert_int_equal(write(fds[1], "", 1), 1);
	wait_for(fence);
	assert_int_equal(fence_status(fence), 1);
	assert_memory_equal(source.map + source.dmabuf.offset[0],
		destination.map + destination.dmabuf.offset[0], 64 * 4);
	close(fence);
	close(fds[0]);
	close(fds[1]);
	finish(&source);
	finish(&destination);
	pixman_region32_fini(&damage);
}

/* What waits for a fence that fails, fails; the engine goes on. */
static void test_failed_fence(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_request request = {0};
	struct picture source, destination;
	struct copy_engine *engine = NULL;
	pixman_region32_t damage;
	int fds[2], fence;

	assert_int_equal(tested->create(&engine), 0);
	make_pair(engine, &request, &source, &destination);
	pixman_region32_init_rect(&damage, 0, 0, 64, 64);
	assert_int_equal(pipe(fds), 0);
	request.damage = &damage;
	request.wait_fd = fds[0];
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	close(fds[1]);
	wait_for(fence);
	assert_true(fence_status(fence) < 0);
	close(fence);
	assert_int_equal(copy_engine_reap(engine, 0), 0);
	assert_int_equal(engine->stats.failures, 1);
	request.wait_fd = -1;
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	wait_for(fence);
	assert_int_equal(fence_status(fence), 1);
	close(fence);
	assert_int_equal(copy_engine_reap(engine, 0), 0);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	copy_engine_destroy(engine);
	close(fds[0]);
	finish(&source);
	finish(&destination);
	pixman_region32_fini(&damage);
}

/* More than it will queue is refused, and is welcome again later. */
static void test_busy(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_request request = {0};
	struct picture source, destination;
	struct copy_engine *engine = NULL;
	pixman_region32_t damage;
	int fds[2], fence = -1, last = -1, error;

	assert_int_equal(tested->create(&engine), 0);
	make_pair(engine, &request, &source, &destination);
	pixman_region32_init_rect(&damage, 0, 0, 64, 64);
	assert_int_equal(pipe(fds), 0);
	request.damage = &damage;
	request.wait_fd = fds[0];
	while ((error = copy_engine_submit(engine, &request, &fence)) == 0) {
		fd_close(&last);
		last = fence;
		assert_true(engine->stats.submissions < 1000);
	}
	assert_int_equal(error, -EBUSY);
	assert_int_equal(write(fds[1], "", 1), 1);
	wait_for(last);
	close(last);
	assert_int_equal(copy_engine_reap(engine, 0), 0);
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	wait_for(fence);
	close(fence);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	assert_int_equal(copy_engine_reap(engine, 0), 0);
	copy_engine_destroy(engine);
	close(fds[0]);
	close(fds[1]);
	finish(&source);
	finish(&destination);
	pixman_region32_fini(&damage);
}

static bool refused(struct copy_engine *engine, const struct picture *picture)
{
	struct copy_image *image;

	return copy_engine_import(engine, &picture->dmabuf, COPY_SOURCE, &image) == -ENOTSUP;
}

static void test_refused(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_engine *engine = NULL;
	struct picture picture;
	const char *reason = NULL;
	int fd;

	assert_int_equal(tested->create(&engine), 0);
	init_linear(&picture, DRM_FORMAT_XRGB8888, 64, 64, tested->alignment);
	assert_int_equal(copy_engine_check(engine, &picture.dmabuf, COPY_SOURCE, &reason), 0);

	picture.dmabuf.height = 4096;
	assert_true(refused(engine, &picture));
	if (!tested->draws) {
		copy_engine_check(engine, &picture.dmabuf, COPY_SOURCE, &reason);
		assert_string_equal(reason, "its memory is too small");
	}
	picture.dmabuf.height = 64;

	assert_true(copy_engine_reads(engine, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	assert_false(copy_engine_reads(engine, 0x20202020, DRM_FORMAT_MOD_LINEAR));
	picture.dmabuf.modifier = 0x0300000000000001;
	assert_true(refused(engine, &picture));
	assert_false(copy_engine_reads(engine, DRM_FORMAT_XRGB8888, picture.dmabuf.modifier));
	picture.dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;

	picture.dmabuf.format = 0x20202020;
	assert_true(refused(engine, &picture));
	picture.dmabuf.format = DRM_FORMAT_XRGB8888;

	/* Memory that could be taken away under our hands. */
	fd = picture.dmabuf.fd[0];
	picture.dmabuf.fd[0] = create_memory(picture.size, false);
	assert_true(refused(engine, &picture));
	close(picture.dmabuf.fd[0]);

	/* Memory that cannot be mapped. */
	picture.dmabuf.fd[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_true(refused(engine, &picture));
	close(picture.dmabuf.fd[0]);
	picture.dmabuf.fd[0] = fd;
	finish(&picture);
	assert_true(wl_list_empty(&engine->images));
	copy_engine_destroy(engine);
}

/* All sizes up to some lines, at all alignments, by all methods that the machine has. */
static void test_stream(void **state)
{
	uint8_t *from =
		mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t to[2048 + 32];

	assert_true(from != MAP_FAILED);
	for (size_t i = 0; i < 4 * PAGE; i++) {
		from[i] = (uint8_t)random_between(0, 255);
	}
	assert_true(stream_method_available(stream_method_best()));
	for (int method = 0; method < STREAM_METHODS; method++) {
		if (!stream_method_available((enum stream_method)method)) {
			continue;
		}
		for (size_t size = 0; size < 2048; size += size < 700 ? 1 : 61) {
			size_t skip = (size_t)random_between(0, 200);
			size_t at = (size_t)random_between(0, 15);

			memset(to, 0xa5, sizeof(to));
			stream_read((enum stream_method)method, to + at, from + skip, size);
			assert_memory_equal(to + at, from + skip, size);
			for (size_t i = 0; i < sizeof(to); i++) {
				if (i < at || i >= at + size) {
					assert_int_equal(to[i], 0xa5);
				}
			}
		}
	}
	munmap(from, 4 * PAGE);
}

/* In the place of the tests of an engine that this machine has not. */
static void test_unavailable(void **state)
{
	const struct engine_case *tested = *state;

	print_message("skip: %s: the engine is not to be had here\n", tested->name);
	skip();
}

static int test_engine(const struct engine_case *tested)
{
	void *engine = (void *)tested;
	struct copy_engine *tried;
	const struct CMUnitTest unavailable[] = {
		cmocka_unit_test_prestate(test_unavailable, engine)};
	const struct CMUnitTest all[] = {
		cmocka_unit_test_prestate(test_linear, engine),
		cmocka_unit_test_prestate(test_repeated, engine),
		cmocka_unit_test_prestate(test_refused, engine),
	};
	const struct CMUnitTest tiled[] = {cmocka_unit_test_prestate(test_tiled, engine)};
	const struct CMUnitTest waits[] = {
		cmocka_unit_test_prestate(test_gone_in_flight, engine),
		cmocka_unit_test_prestate(test_failed_fence, engine),
		cmocka_unit_test_prestate(test_busy, engine),
	};
	int failed;

	if (tested->create(&tried) < 0) {
		return cmocka_run_group_tests_name(tested->name, unavailable, NULL, NULL);
	}
	copy_engine_destroy(tried);
	failed = cmocka_run_group_tests_name(tested->name, all, NULL, NULL);
	failed += tested->tiled ? cmocka_run_group_tests_name(tested->name, tiled, NULL, NULL) : 0;
	failed += tested->waits ? cmocka_run_group_tests_name(tested->name, waits, NULL, NULL) : 0;
	return failed;
}

int main(void)
{
	const struct CMUnitTest alone[] = {cmocka_unit_test(test_stream)};
	int failed = cmocka_run_group_tests(alone, NULL, NULL);

	for (size_t i = 0; i < N_ENGINES; i++) {
		failed += test_engine(&engines[i]);
	}
	return failed;
}
