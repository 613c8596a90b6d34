/*
 * Tests of the copy engines that need no hardware of their own: one table of copies, which each must
 * do exactly.
 */

#include "copy/cpu/engine.h"
#include "copy/gles/engine.h"
#ifdef CAUSEWAY_VULKAN
#include "copy/vulkan.h"
#include "copy/vulkan/queue.h"
#endif
#include "copy_picture.h"
#include "gpu/format.h"
#include "unit.h"
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

static void wait_for(int fence)
{
	struct pollfd poller = {.fd = fence, .events = POLLIN};

	if (fence >= 0) {
		assert_int_equal(poll(&poller, 1, TIMEOUT_MS), 1);
	}
}

static void check_copy(struct copy_engine *engine, struct copy_picture *source,
	struct copy_picture *destination, const pixman_region32_t *damage, int dx, int dy)
{
	struct copy_request request = {.damage = damage, .dx = dx, .dy = dy, .wait_fd = -1};
	uint8_t *expected = malloc(destination->size);
	int n, fence;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)damage, &n);

	memcpy(expected, destination->map, destination->size);
	for (int i = 0; i < n; i++) {
		copy_picture_expect(expected, source, destination, &boxes[i], dx, dy);
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
	const struct copy_picture *source, const struct copy_picture *destination)
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
			struct copy_picture source, destination;
			pixman_region32_t damage;

			init_damage(&damage, width, height, even);
			copy_picture_init_linear(&source, formats[i], width, height, unit);
			copy_picture_init_linear(
				&destination, formats[i], width + dx, height + dy, unit);
			if (takes(tested, engine, &source, &destination)) {
				check_copy(engine, &source, &destination, &damage, dx, dy);
			}
			copy_picture_finish(&source);
			copy_picture_finish(&destination);
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
	struct copy_picture tiled, linear;
	pixman_region32_t damage;

	init_damage(&damage, width, height, false);
	copy_picture_init_tiled(&tiled, format, width, height, modifier);
	copy_picture_init_linear(&linear, format, width + dx, height + dy, 1);
	check_copy(engine, &tiled, &linear, &damage, dx, dy);
	copy_picture_finish(&tiled);

	copy_picture_init_tiled(&tiled, format, width + dx, height + dy, modifier);
	linear.dmabuf.width = width;
	linear.dmabuf.height = height;
	check_copy(engine, &linear, &tiled, &damage, dx, dy);
	copy_picture_finish(&tiled);
	copy_picture_finish(&linear);
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

/* The same few copies again and again, of what changes; now and then a picture is replaced by another. */
static void test_repeated(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_image *images[4];
	struct copy_picture pictures[4]; /* two sources, two destinations */
	struct copy_engine *engine = NULL;
	pixman_region32_t damage;

	assert_int_equal(tested->create(&engine), 0);
	pixman_region32_init_rect(&damage, 0, 0, 64, 64);
	for (int round = 0; round < 60; round++) {
		struct copy_picture *source = &pictures[round % 2];
		struct copy_picture *destination = &pictures[2 + round / 2 % 2];
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
				copy_picture_finish(&pictures[i]);
			}
			copy_picture_init_linear(&pictures[i], DRM_FORMAT_XRGB8888, 64, 64,
				unit_of(tested, DRM_FORMAT_XRGB8888));
			assert_int_equal(
				copy_engine_import(engine, &pictures[i].dmabuf, use, &images[i]),
				0);
		}
		copy_picture_scramble(source);
		expected = malloc(destination->size);
		memcpy(expected, destination->map, destination->size);
		copy_picture_expect(expected, source, destination, &damage.extents, 0, 0);
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
		copy_picture_finish(&pictures[i]);
	}
	copy_engine_destroy(engine);
	pixman_region32_fini(&damage);
}

/* So many descriptors are left from now on; gives the limit that there was. */
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

/* With too few descriptors no copy is begun, and nothing is lost; with enough it is told of its end. */
static void test_scarce(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_engine *engine = NULL;
	struct copy_picture source, destination;
	pixman_region32_t damage;
	struct copy_request request = {.damage = &damage, .wait_fd = -1};
	int n_refused = 0;

	assert_int_equal(tested->create(&engine), 0);
	pixman_region32_init_rect(&damage, 0, 0, 64, 64);
	copy_picture_init_linear(&source, DRM_FORMAT_XRGB8888, 64, 64, tested->alignment);
	copy_picture_init_linear(&destination, DRM_FORMAT_XRGB8888, 64, 64, tested->alignment);
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
	copy_picture_finish(&source);
	copy_picture_finish(&destination);
	pixman_region32_fini(&damage);
}

/* A copy that waits: for the one end of a pipe, until something is written to the other. */
struct waiting {
	struct copy_engine *engine; /* NULL: gone */
	struct copy_request request;
	struct copy_picture source, destination;
	pixman_region32_t damage;
	int gate; /* -1: closed */
};

static void begin_waiting(struct waiting *waiting, const struct engine_case *tested)
{
	int fds[2];

	*waiting = (struct waiting){0};
	assert_int_equal(tested->create(&waiting->engine), 0);
	copy_picture_init_linear(&waiting->source, DRM_FORMAT_XRGB8888, 64, 64, 4);
	copy_picture_init_linear(&waiting->destination, DRM_FORMAT_XRGB8888, 64, 64, 4);
	pixman_region32_init_rect(&waiting->damage, 0, 0, 64, 64);
	assert_int_equal(pipe(fds), 0);
	waiting->gate = fds[1];
	waiting->request.wait_fd = fds[0];
	waiting->request.damage = &waiting->damage;
	assert_int_equal(copy_engine_import(waiting->engine, &waiting->source.dmabuf, COPY_SOURCE,
				 &waiting->request.source),
		0);
	assert_int_equal(copy_engine_import(waiting->engine, &waiting->destination.dmabuf,
				 COPY_DESTINATION, &waiting->request.destination),
		0);
}

static void open_gate(struct waiting *waiting)
{
	assert_int_equal(write(waiting->gate, "", 1), 1);
}

/* The engine goes, with its images. */
static void drop_engine(struct waiting *waiting)
{
	if (waiting->engine) {
		copy_image_drop(waiting->request.source);
		copy_image_drop(waiting->request.destination);
		copy_engine_destroy(waiting->engine);
		waiting->engine = NULL;
	}
}

static void finish_waiting(struct waiting *waiting)
{
	drop_engine(waiting);
	fd_close(&waiting->gate);
	fd_close(&waiting->request.wait_fd);
	copy_picture_finish(&waiting->source);
	copy_picture_finish(&waiting->destination);
	pixman_region32_fini(&waiting->damage);
}

/* Everything goes while a copy waits for its fence; the copy ends all the same. */
static void test_gone_in_flight(void **state)
{
	struct waiting waiting;
	int fence;

	begin_waiting(&waiting, *state);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	assert_int_equal(fence_status(fence), 0);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 1);
	drop_engine(&waiting);
	assert_int_equal(fence_status(fence), 0);
	open_gate(&waiting);
	wait_for(fence);
	assert_int_equal(fence_status(fence), 1);
	assert_memory_equal(waiting.source.map + waiting.source.dmabuf.offset[0],
		waiting.destination.map + waiting.destination.dmabuf.offset[0], 64 * 4);
	close(fence);
	finish_waiting(&waiting);
}

/* What waits for a fence that fails, fails; the engine goes on. */
static void test_failed_fence(void **state)
{
	struct waiting waiting;
	int fence;

	begin_waiting(&waiting, *state);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	fd_close(&waiting.gate);
	wait_for(fence);
	assert_true(fence_status(fence) < 0);
	close(fence);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	assert_int_equal(waiting.engine->stats.failures, 1);
	fd_close(&waiting.request.wait_fd);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	wait_for(fence);
	assert_int_equal(fence_status(fence), 1);
	close(fence);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	finish_waiting(&waiting);
}

/* A CPU that is busy is slow before it hangs. */
static void test_slow(void **state)
{
	struct waiting waiting;
	int fence;

	begin_waiting(&waiting, *state);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	assert_int_equal(copy_engine_reap(waiting.engine, COPY_DEADLINE), 1);
	assert_int_equal(copy_engine_reap(waiting.engine, COPY_DEADLINE_CPU), -ENODEV);
	close(fence);
	open_gate(&waiting);
	finish_waiting(&waiting);
}

/* More than it will queue is refused, and is welcome again later. */
static void test_busy(void **state)
{
	struct waiting waiting;
	int fence = -1, last = -1, error;

	begin_waiting(&waiting, *state);
	while ((error = copy_engine_submit(waiting.engine, &waiting.request, &fence)) == 0) {
		fd_close(&last);
		last = fence;
		assert_true(waiting.engine->stats.submissions < 1000);
	}
	assert_int_equal(error, -EBUSY);
	open_gate(&waiting);
	wait_for(last);
	close(last);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	wait_for(fence);
	close(fence);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	finish_waiting(&waiting);
}

static bool refused(struct copy_engine *engine, const struct copy_picture *picture)
{
	struct copy_image *image;

	return copy_engine_import(engine, &picture->dmabuf, COPY_SOURCE, &image) == -ENOTSUP;
}

static void test_refused(void **state)
{
	const struct engine_case *tested = *state;
	struct copy_engine *engine = NULL;
	struct copy_picture picture;
	const char *reason = NULL;
	int fd;

	assert_int_equal(tested->create(&engine), 0);
	copy_picture_init_linear(&picture, DRM_FORMAT_XRGB8888, 64, 64, tested->alignment);
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
	picture.dmabuf.fd[0] = copy_picture_memory(picture.size, false);
	assert_true(refused(engine, &picture));
	close(picture.dmabuf.fd[0]);

	/* Memory that cannot be mapped. */
	picture.dmabuf.fd[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_true(refused(engine, &picture));
	close(picture.dmabuf.fd[0]);
	picture.dmabuf.fd[0] = fd;
	copy_picture_finish(&picture);
	assert_true(wl_list_empty(&engine->images));
	copy_engine_destroy(engine);
}

#ifdef CAUSEWAY_VULKAN
static VkResult status_of(VkDevice device, VkFence fence)
{
	static const VkResult statuses[] = {VK_SUCCESS, VK_NOT_READY, VK_ERROR_DEVICE_LOST};

	return statuses[(uintptr_t)fence];
}

/* What was dropped goes when the copies before that have ended, whatever was begun since. */
static void test_vulkan_ended(void **state)
{
	struct vulkan_device device = {.call.GetFenceStatus = status_of};
	struct vulkan_queue queue = {.device = &device, .serial = 7};

	assert_true(vulkan_queue_ended(&queue, 7));
	queue.jobs[0] = (struct vulkan_job){.serial = 5, .fence = (VkFence)(uintptr_t)0};
	queue.jobs[1] = (struct vulkan_job){.serial = 6, .fence = (VkFence)(uintptr_t)1};
	queue.jobs[2] = (struct vulkan_job){.serial = 7, .fence = (VkFence)(uintptr_t)1};
	assert_true(vulkan_queue_ended(&queue, 5));
	assert_false(vulkan_queue_ended(&queue, 6));
	assert_false(vulkan_queue_ended(&queue, 7));
	queue.jobs[1].fence = (VkFence)(uintptr_t)0;
	assert_true(vulkan_queue_ended(&queue, 6));
	queue.jobs[2].fence = (VkFence)(uintptr_t)2;
	assert_true(vulkan_queue_ended(&queue, 7));
}
#endif

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
		cmocka_unit_test_prestate(test_scarce, engine),
		cmocka_unit_test_prestate(test_refused, engine),
	};
	const struct CMUnitTest tiled[] = {cmocka_unit_test_prestate(test_tiled, engine)};
	const struct CMUnitTest waits[] = {
		cmocka_unit_test_prestate(test_gone_in_flight, engine),
		cmocka_unit_test_prestate(test_failed_fence, engine),
		cmocka_unit_test_prestate(test_slow, engine),
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
	int failed = 0;

#ifdef CAUSEWAY_VULKAN
	const struct CMUnitTest vulkan[] = {cmocka_unit_test(test_vulkan_ended)};

	failed += cmocka_run_group_tests_name("vulkan", vulkan, NULL, NULL);
#endif
	for (size_t i = 0; i < N_ENGINES; i++) {
		failed += test_engine(&engines[i]);
	}
	return failed;
}
