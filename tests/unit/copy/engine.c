/* SPDX-License-Identifier: MIT */
/*
 * Copy engines that run without special hardware (CPU, Vulkan, GLES): each must do one table of
 * copies exactly.
 */

#include "copy/copier.h"
#include "copy/cpu.h"
#include "copy/gles.h"
#ifdef CAUSEWAY_VULKAN
#include "copy/vulkan.h"
#endif
#include "gpu/egl.h"
#include "gpu/format.h"
#include "gpu/gpu.h"
#include "harness/mapped_dmabuf.h"
#include "harness/unit.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/fence.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TIMEOUT_MS 120000

typedef int maker(struct copy_engine **engine);

#ifdef CAUSEWAY_VULKAN
/* The software driver has one queue and supports only linear buffers. */
static int create_vulkan(struct copy_engine **engine)
{
	struct vulkan_options options = {.queue = VULKAN_QUEUE_ANY};

	return vulkan_engine_create(&options, engine);
}
#endif

/* The software renderer, which imports buffers that can be mapped. */
static int create_gles(struct copy_engine **engine)
{
	return gles_engine_create(NULL, engine);
}

static const struct engine_case {
	const char *name;
	maker *create;
	bool tiled; /* supports AMD's tilings */
	bool draws; /* supports only formats that it can render to */
	unsigned alignment; /* of strides and offsets, bytes */
} engines[] = {
	{"cpu", cpu_engine_create, true, false, 1},
#ifdef CAUSEWAY_VULKAN
	{"vulkan", create_vulkan, false, false, 4},
#endif
	{"gles", create_gles, false, true, 64},
};

#define N_ENGINES (sizeof(engines) / sizeof(engines[0]))

static void wait_for(int fence)
{
	struct pollfd poller = {.fd = fence, .events = POLLIN};

	if (fence >= 0) {
		assert_int_equal(poll(&poller, 1, TIMEOUT_MS), 1);
	}
}

/* Engines count the bytes of all planes; chroma of odd edges may count in full or not at all. */
static void check_bytes(
	const struct mapped_dmabuf *source, const pixman_box32_t *boxes, int n, uint64_t counted)
{
	const struct pixel_format *format = pixel_format_get(source->dmabuf.format);
	uint64_t least = 0, most = 0;
	for (int i = 0; i < n; i++) {
		for (int plane = 0; plane < format->n_planes; plane++) {
			int h = plane > 0 ? format->hsub : 1, v = plane > 0 ? format->vsub : 1;
			int width = boxes[i].x2 - boxes[i].x1, height = boxes[i].y2 - boxes[i].y1;
			least += (uint64_t)(width / h) * (uint64_t)(height / v) *
				 format->bytes[plane];
			most += (uint64_t)((width + h - 1) / h) * (uint64_t)((height + v - 1) / v) *
				format->bytes[plane];
		}
	}
	assert_in_range(counted, least, most);
}

static void check_copy(struct copy_engine *engine, struct mapped_dmabuf *source,
	struct mapped_dmabuf *destination, const pixman_region32_t *damage, int dx, int dy)
{
	struct copy_request request = {.damage = damage, .dx = dx, .dy = dy, .wait_fd = -1};
	uint8_t *expected = malloc(destination->size);
	int n, fence;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)damage, &n);

	memcpy(expected, destination->map, destination->size);
	for (int i = 0; i < n; i++) {
		mapped_dmabuf_expect(expected, source, destination, &boxes[i], dx, dy);
	}
	if (copy_engine_import(engine, &source->dmabuf, COPY_SOURCE, &request.source) < 0 ||
		copy_engine_import(
			engine, &destination->dmabuf, COPY_DESTINATION, &request.destination) < 0) {
		const char *reason = "import failed";
		char name[5];

		if (copy_engine_check(engine, &source->dmabuf, COPY_SOURCE, &reason) == 0) {
			copy_engine_check(engine, &destination->dmabuf, COPY_DESTINATION, &reason);
		}
		fail_msg("%s: %s", pixel_format_name(source->dmabuf.format, name), reason);
	}
	uint64_t bytes = engine->stats.bytes;
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	wait_for(fence);
	assert_int_equal(fence_status(fence), 1);
	fd_close(&fence);
	assert_memory_equal(expected, destination->map, destination->size);
	free(expected);
	check_bytes(source, boxes, n, engine->stats.bytes - bytes);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	assert_int_equal(copy_engine_reap(engine, 0), 0);
	assert_true(wl_list_empty(&engine->images));
}

/*
 * Random rectangles: some one pixel high and up to the right edge, some of whole rows. `even`:
 * aligned for subsampled chroma.
 */
static void init_damage(pixman_region32_t *damage, int width, int height, bool even)
{
	int n = random_between(1, 6);

	pixman_region32_init(damage);
	for (int i = 0; i < n; i++) {
		int x = random_between(0, width - 1), y = random_between(0, height - 1);
		int w = random_between(1, width - x), h = random_between(1, height - y);

		int kind = random_between(0, 3);
		if (kind == 0) {
			w = width - x;
			h = 1;
		} else if (kind == 1) {
			x = 0;
			w = width;
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
	/* Strides must be whole pixels, offsets whole words. */
	return engine->alignment * (bytes > 4 ? 2 : bytes == 3 ? 3 : 1);
}

/*
 * True if the engine must copy this format: drivers choose their render targets, except XRGB8888.
 */
static bool takes(const struct engine_case *tested, struct copy_engine *engine,
	const struct mapped_dmabuf *source, const struct mapped_dmabuf *destination)
{
	return !tested->draws || source->dmabuf.format == DRM_FORMAT_XRGB8888 ||
	       (copy_engine_check(engine, &source->dmabuf, COPY_SOURCE, NULL) == 0 &&
		       copy_engine_check(engine, &destination->dmabuf, COPY_DESTINATION, NULL) ==
			       0);
}

static void linear_copies_are_exact(void **state)
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
		/* RGB888 is no render target, and drawing may change the bits of a NaN. */
		if (tested->draws && (formats[i] == DRM_FORMAT_RGB888 ||
					     formats[i] == DRM_FORMAT_ABGR16161616F)) {
			continue;
		}
		for (int round = 0; round < 8; round++) {
			bool even = pixel_format_get(formats[i])->hsub > 1;
			unsigned unit = unit_of(tested, formats[i]);
			int width = random_between(1, 300), height = random_between(1, 90);
			int dx = random_between(0, 5) * 2, dy = random_between(0, 5) * 2;
			struct mapped_dmabuf source, destination;
			pixman_region32_t damage;

			init_damage(&damage, width, height, even);
			mapped_dmabuf_init_linear(&source, formats[i], width, height, unit);
			mapped_dmabuf_init_linear(
				&destination, formats[i], width + dx, height + dy, unit);
			if (takes(tested, engine, &source, &destination)) {
				check_copy(engine, &source, &destination, &damage, dx, dy);
			}
			mapped_dmabuf_finish(&source);
			mapped_dmabuf_finish(&destination);
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
	struct mapped_dmabuf tiled, linear;
	pixman_region32_t damage;

	init_damage(&damage, width, height, false);
	mapped_dmabuf_init_tiled(&tiled, format, width, height, modifier);
	mapped_dmabuf_init_linear(&linear, format, width + dx, height + dy, 1);
	check_copy(engine, &tiled, &linear, &damage, dx, dy);
	mapped_dmabuf_finish(&tiled);

	mapped_dmabuf_init_tiled(&tiled, format, width + dx, height + dy, modifier);
	linear.dmabuf.width = width;
	linear.dmabuf.height = height;
	check_copy(engine, &linear, &tiled, &damage, dx, dy);
	mapped_dmabuf_finish(&tiled);
	mapped_dmabuf_finish(&linear);
	pixman_region32_fini(&damage);
}

static void tiled_copies_are_exact(void **state)
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

/* Repeats copies between the same buffers with new content; replaces a buffer now and then. */
static void repeated_copies_see_new_content(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_image *images[4];
	struct mapped_dmabuf buffers[4]; /* two sources, two destinations */
	struct copy_engine *engine = NULL;
	pixman_region32_t damage;

	assert_int_equal(tested->create(&engine), 0);
	pixman_region32_init_rect(&damage, 0, 0, 64, 64);
	for (int round = 0; round < 60; round++) {
		struct mapped_dmabuf *source = &buffers[round % 2];
		struct mapped_dmabuf *destination = &buffers[2 + round / 2 % 2];
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
				mapped_dmabuf_finish(&buffers[i]);
			}
			mapped_dmabuf_init_linear(&buffers[i], DRM_FORMAT_XRGB8888, 64, 64,
				unit_of(tested, DRM_FORMAT_XRGB8888));
			assert_int_equal(
				copy_engine_import(engine, &buffers[i].dmabuf, use, &images[i]), 0);
		}
		mapped_dmabuf_scramble(source);
		expected = malloc(destination->size);
		memcpy(expected, destination->map, destination->size);
		mapped_dmabuf_expect(expected, source, destination, &damage.extents, 0, 0);
		request.source = images[source - buffers];
		request.destination = images[destination - buffers];
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
		mapped_dmabuf_finish(&buffers[i]);
	}
	copy_engine_destroy(engine);
	pixman_region32_fini(&damage);
}

/* Limits the process to `n` more descriptors. Returns the previous limit. */
static struct rlimit leave(int n, int any)
{
	struct rlimit before, limit;
	int fds[8];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (int i = 0; i <= n; i++) {
		fds[i] = fd_dup(any);
		assert_true(fds[i] >= 0);
	}
	limit = (struct rlimit){(rlim_t)fds[n], before.rlim_max};
	for (int i = 0; i <= n; i++) {
		close(fds[i]);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return before;
}

/*
 * Without descriptors for the fence, a copy is refused with a transient error and the engine stays
 * usable.
 */
static void copy_without_descriptors_is_refused(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_engine *engine = NULL;
	struct mapped_dmabuf source, destination;
	pixman_region32_t damage;
	struct copy_request request = {.damage = &damage, .wait_fd = -1};
	int n_refused = 0;

	assert_int_equal(tested->create(&engine), 0);
	pixman_region32_init_rect(&damage, 0, 0, 64, 64);
	mapped_dmabuf_init_linear(&source, DRM_FORMAT_XRGB8888, 64, 64, tested->alignment);
	mapped_dmabuf_init_linear(&destination, DRM_FORMAT_XRGB8888, 64, 64, tested->alignment);
	assert_int_equal(
		copy_engine_import(engine, &source.dmabuf, COPY_SOURCE, &request.source), 0);
	assert_int_equal(copy_engine_import(engine, &destination.dmabuf, COPY_DESTINATION,
				 &request.destination),
		0);
	for (int n = 0; n < 6; n++) {
		uint64_t before = engine->stats.submissions;
		struct rlimit limit = leave(n, source.dmabuf.fd[0]);
		int fence, error = copy_engine_submit(engine, &request, &fence);

		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_false(engine->lost);
		if (error < 0) {
			assert_true(error_may_pass(error));
			assert_int_equal(engine->stats.submissions, before);
			assert_int_equal(engine->n_jobs, 0);
			n_refused++;
			continue;
		}
		wait_for(fence);
		assert_int_equal(fence_status(fence), 1);
		fd_close(&fence);
		assert_int_equal(copy_engine_reap(engine, 0), 0);
	}
	assert_in_range(n_refused, 1, 3);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	copy_engine_destroy(engine);
	mapped_dmabuf_finish(&source);
	mapped_dmabuf_finish(&destination);
	pixman_region32_fini(&damage);
}

/* An engine that is there is never taken for one that is not. */
static void creation_without_descriptors_fails_for_a_moment(void **state)
{
	const struct engine_case *tested = *state;
	int n_failed = 0;
	for (int n = 0, error = -1; n < 40 && error < 0; n++) {
		struct copy_engine *engine = NULL;
		struct rlimit limit = leave(n, STDERR_FILENO);
		error = tested->create(&engine);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		if (error == 0) {
			copy_engine_destroy(engine);
		} else if (!error_may_pass(error)) {
			fail_msg("%s, %d descriptors: %s", tested->name, n, strerror(-error));
		}
		n_failed += error < 0;
	}
	assert_true(n_failed < 40);
	assert_true(n_failed > 0 || strcmp(tested->name, "cpu") == 0);
}

static bool lost_now;

bool __real_egl_is_lost(struct egl *egl);
bool __wrap_egl_is_lost(struct egl *egl);

bool __wrap_egl_is_lost(struct egl *egl)
{
	return lost_now || __real_egl_is_lost(egl);
}

/* A client makes new buffers after a reset, and no other call would notice the loss. */
static void import_after_a_reset_loses_the_gles_engine(void **state)
{
	struct copy_engine *engine;
	struct copy_image *image;
	struct mapped_dmabuf buffer;
	const char *reason;
	if (create_gles(&engine) < 0) {
		skip();
	}
	mapped_dmabuf_init_linear(&buffer, DRM_FORMAT_XRGB8888, 64, 64, 64);
	buffer.dmabuf.stride[0] = 1; /* fails, as any import does on a lost context */
	assert_int_equal(copy_engine_import(engine, &buffer.dmabuf, COPY_SOURCE, &image), -ENOTSUP);
	assert_int_equal(copy_engine_reap(engine, 0), 0);
	lost_now = true;
	assert_int_equal(copy_engine_check(engine, &buffer.dmabuf, COPY_SOURCE, &reason), -ENODEV);
	assert_true(engine->lost && engine->reset);
	assert_int_equal(copy_engine_reap(engine, 0), -ENODEV);
	assert_int_equal(copy_engine_import(engine, &buffer.dmabuf, COPY_SOURCE, &image), -ENODEV);
	lost_now = false;
	copy_engine_destroy(engine);
	mapped_dmabuf_finish(&buffer);
}

static bool refused(struct copy_engine *engine, const struct mapped_dmabuf *buffer)
{
	struct copy_image *image;

	return copy_engine_import(engine, &buffer->dmabuf, COPY_SOURCE, &image) == -ENOTSUP;
}

static void unsafe_buffers_are_refused(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_engine *engine = NULL;
	struct mapped_dmabuf buffer;
	const char *reason = NULL;
	int fd;

	assert_int_equal(tested->create(&engine), 0);
	mapped_dmabuf_init_linear(&buffer, DRM_FORMAT_XRGB8888, 64, 64, tested->alignment);
	assert_int_equal(copy_engine_check(engine, &buffer.dmabuf, COPY_SOURCE, &reason), 0);

	buffer.dmabuf.height = 4096;
	assert_true(refused(engine, &buffer));
	if (!tested->draws) {
		copy_engine_check(engine, &buffer.dmabuf, COPY_SOURCE, &reason);
		assert_string_equal(reason, "its memory is too small");
	}
	buffer.dmabuf.height = 64;

	assert_true(copy_engine_reads(engine, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	assert_false(copy_engine_reads(engine, 0x20202020, DRM_FORMAT_MOD_LINEAR));
	buffer.dmabuf.modifier = 0x0300000000000001;
	assert_true(refused(engine, &buffer));
	assert_false(copy_engine_reads(engine, DRM_FORMAT_XRGB8888, buffer.dmabuf.modifier));
	buffer.dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;

	buffer.dmabuf.format = 0x20202020;
	assert_true(refused(engine, &buffer));
	buffer.dmabuf.format = DRM_FORMAT_XRGB8888;

	/* Memory without a seal, which its owner can truncate. */
	fd = buffer.dmabuf.fd[0];
	buffer.dmabuf.fd[0] = mapped_dmabuf_memory(buffer.size, false);
	assert_true(refused(engine, &buffer));
	close(buffer.dmabuf.fd[0]);

	/* Memory that cannot be mapped. */
	buffer.dmabuf.fd[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_true(refused(engine, &buffer));
	close(buffer.dmabuf.fd[0]);
	buffer.dmabuf.fd[0] = fd;
	mapped_dmabuf_finish(&buffer);

	/* The same of each plane. */
	for (int plane = 0; plane < 2; plane++) {
		mapped_dmabuf_init_linear(&buffer, DRM_FORMAT_NV12, 64, 64, tested->alignment);
		assert_int_equal(
			copy_engine_check(engine, &buffer.dmabuf, COPY_SOURCE, &reason), 0);
		close(buffer.dmabuf.fd[plane]);
		buffer.dmabuf.fd[plane] = mapped_dmabuf_memory(buffer.size, false);
		assert_true(refused(engine, &buffer));
		mapped_dmabuf_finish(&buffer);
	}
	assert_true(wl_list_empty(&engine->images));
	copy_engine_destroy(engine);
}

/* Reports an engine that is not available on this machine. */
static void engine_is_unavailable(void **state)
{
	const struct engine_case *tested = *state;

	print_message("skip: %s: the engine is not available\n", tested->name);
	skip();
}

static int run_engine(const struct engine_case *tested)
{
	void *engine = (void *)tested;
	struct copy_engine *tried;
	const struct CMUnitTest unavailable[] = {
		cmocka_unit_test_prestate(engine_is_unavailable, engine)};
	const struct CMUnitTest all[] = {
		cmocka_unit_test_prestate(linear_copies_are_exact, engine),
		cmocka_unit_test_prestate(repeated_copies_see_new_content, engine),
		cmocka_unit_test_prestate(copy_without_descriptors_is_refused, engine),
		cmocka_unit_test_prestate(creation_without_descriptors_fails_for_a_moment, engine),
		cmocka_unit_test_prestate(unsafe_buffers_are_refused, engine),
	};
	const struct CMUnitTest tiled[] = {
		cmocka_unit_test_prestate(tiled_copies_are_exact, engine)};
	int failed;

	if (tested->create(&tried) < 0) {
		return cmocka_run_group_tests_name(tested->name, unavailable, NULL, NULL);
	}
	copy_engine_destroy(tried);
	failed = cmocka_run_group_tests_name(tested->name, all, NULL, NULL);
	failed += tested->tiled ? cmocka_run_group_tests_name(tested->name, tiled, NULL, NULL) : 0;
	return failed;
}

static int create(const char *name, struct gpu *gpu, enum vulkan_queue_kind queue)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	struct engine_context context = {.gpu = gpu, .queue = queue};
	struct copy_engine *engine;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(types[i].name, name) == 0) {
			int error = types[i].create(&context, &engine);
			if (error == 0) {
				copy_engine_destroy(engine);
			}
			return error;
		}
	}
	return -ENOENT;
}

/* Nor do the tests of such an engine open the GPU. */
static void gpu_that_misreads_foreign_memory_has_no_gles_engine(void **state)
{
	static const char *const drivers[] = {"nvidia", "nvidia-drm"};
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		struct gpu gpu = {.bus_id = (char *)"none",
			.driver = (char *)drivers[i],
			.render_path = (char *)"/nonexistent",
			.fd = -1};
		assert_int_equal(create("gles", &gpu, VULKAN_QUEUE_ANY), -ENOTSUP);
	}
}

#ifdef CAUSEWAY_VULKAN
/* The software driver, which has one queue for all, stands in if any queue will do. */
static void chosen_queue_is_one_of_the_gpu(void **state)
{
	struct gpu gpu = {.bus_id = (char *)"none", .driver = (char *)"none", .fd = -1};
	struct copy_engine *tried;
	if (create_vulkan(&tried) < 0) {
		skip();
	}
	copy_engine_destroy(tried);
	assert_int_equal(create("vulkan", &gpu, VULKAN_QUEUE_ANY), 0);
	for (int queue = VULKAN_QUEUE_TRANSFER; queue < VULKAN_QUEUE_ANY; queue++) {
		assert_int_equal(create("vulkan", &gpu, (enum vulkan_queue_kind)queue), -ENOTSUP);
	}
}
#endif

int main(void)
{
	int failed = 0;

	for (size_t i = 0; i < N_ENGINES; i++) {
		failed += run_engine(&engines[i]);
	}
	const struct CMUnitTest losses[] = {
		cmocka_unit_test(import_after_a_reset_loses_the_gles_engine)};
	failed += cmocka_run_group_tests_name("losses", losses, NULL, NULL);
	const struct CMUnitTest types[] = {
		cmocka_unit_test(gpu_that_misreads_foreign_memory_has_no_gles_engine),
#ifdef CAUSEWAY_VULKAN
		cmocka_unit_test(chosen_queue_is_one_of_the_gpu),
#endif
	};
	failed += cmocka_run_group_tests_name("types", types, NULL, NULL);
	return failed;
}
