/* SPDX-License-Identifier: MIT */
/* Staging memory of windows of several sizes: one that has none leaves the others alone. */

#include "gpu_pair.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* A window of another size than the pair's. */
struct window {
	struct pair *pair;
	struct staging_ring *ring;
	struct client_buffer *buffer;
	pixman_region32_t all;
};

static bool never(void *data)
{
	return false;
}

static void window_init(struct window *window, struct pair *pair, int width, int height, bool cpu)
{
	const struct staging_reader reader = {
		.staging = pair->staging,
		.gpu = cpu ? NULL : &pair->gpus[1],
		.allocator = cpu ? NULL : &pair->allocator,
		.formats = &pair->formats,
	};
	const struct staging_user user = {
		.arrived = pair_handle_arrived, .can_restore = never, .data = pair};
	window->pair = pair;
	window->ring = staging_ring_create(&reader, &user);
	window->buffer = pair_create_buffer(true, width, height);
	window->buffer->base.home = &pair->gpus[0];
	pixman_region32_init_rect(&window->all, 0, 0, (unsigned)width, (unsigned)height);
}

static void window_finish(struct window *window)
{
	staging_ring_destroy(window->ring);
	buffer_drop(&window->buffer->base);
	pixman_region32_fini(&window->all);
}

static enum staging_status window_copy(struct window *window)
{
	const char *reason;
	return staging_copy(window->ring, &window->buffer->base, &window->all, false, &reason);
}

/* Draws all of the window, and copies it once the engines are open. */
static enum staging_status window_commit(struct window *window)
{
	struct pair *pair = window->pair;
	dmabuf_image_scramble(&window->buffer->image);
	staging_damage(window->ring, window->buffer->base.width, window->buffer->base.height,
		DRM_FORMAT_XRGB8888, NULL);
	enum staging_status status = window_copy(window);
	while (pair->copier->n_opening > 0) {
		wl_event_loop_dispatch(pair->loop, -1);
		status = window_copy(window);
	}
	return status;
}

/* Fails unless the window's buffer is up to date. Returns its stride. */
static uint32_t window_check(struct window *window)
{
	struct staging_part parts[STAGING_MAX];
	const struct dmabuf_image *image = &window->buffer->image;
	uint32_t width = (uint32_t)image->dmabuf.width, height = (uint32_t)image->dmabuf.height;
	assert_int_equal(staging_status(window->ring, &window->all), STAGING_READY);
	int n = staging_parts(window->ring, &window->all, parts);
	assert_int_equal(n, 1);
	const struct dmabuf *dmabuf = buffer_dmabuf(parts[0].buffer);
	size_t size = (size_t)dmabuf->stride[0] * height;
	const uint8_t *map = mmap(NULL, size, PROT_READ, MAP_SHARED, dmabuf->fd[0], 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	for (uint32_t y = 0; y < height; y += 7) {
		for (uint32_t x = 0; x < width; x += 3) {
			assert_memory_equal(dmabuf_image_element(image, x, y),
				map + (size_t)y * dmabuf->stride[0] + x * 4, 4);
		}
	}
	uint32_t stride = dmabuf->stride[0];
	munmap((void *)map, size);
	staging_parts_finish(parts, n);
	return stride;
}

static void sizes_init(struct pair *pair)
{
	pair_init(pair, false, true);
	pair->sizes = true;
	pair->copier->only = "sdma";
	pair->copier->linger = INT64_C(60000000000);
}

/* The driver imports no memory of less than 1 MiB. */
static void window_without_memory_does_not_stop_others(void **state)
{
	struct window small, first, second;
	struct pair pair;
	sizes_init(&pair);
	fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_SMALL);
	window_init(&small, &pair, 128, 128, true);
	window_init(&first, &pair, 1024, 512, true);
	assert_int_equal(window_commit(&first), STAGING_READY);
	for (int i = 0; i < 10; i++) {
		int fence = fake_fence_create();
		assert_int_equal(window_commit(&small), STAGING_REFUSED);
		/* Further buffers of a window, since the last one is being read. */
		staging_read(first.ring, i % STAGING_MAX, fence);
		assert_int_equal(window_commit(&first), STAGING_READY);
		window_check(&first);
		/* A new window of the same kind. */
		window_init(&second, &pair, 1000, 500, true);
		assert_int_equal(window_commit(&second), STAGING_READY);
		window_check(&second);
		window_finish(&second);
		fake_fence_signal(fence, 1);
		close(fence);
		clock_advance(pair.clock, INT64_C(16000000));
	}
	/* The trials of the small one are not repeated by each commit. */
	uint64_t imported = pair_imported(&pair);
	assert_int_equal(window_commit(&small), STAGING_REFUSED);
	assert_int_equal(window_commit(&small), STAGING_REFUSED);
	assert_int_equal(pair_imported(&pair), imported);
	window_finish(&first);
	window_finish(&small);
	pair_finish(&pair);
}

/* 4096 bytes suit a size for which 256 fail: its memory has more than 1 MiB then. */
static void alignment_of_one_size_is_not_used_for_others(void **state)
{
	struct window window;
	struct pair pair;
	static const struct {
		int width, height;
		uint32_t stride;
	} cases[] = {{1100, 512, 4608}, {256, 256, 4096}, {1100, 500, 4608}, {256, 256, 4096}};
	sizes_init(&pair);
	fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_SMALL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		window_init(&window, &pair, cases[i].width, cases[i].height, true);
		assert_int_equal(window_commit(&window), STAGING_READY);
		assert_int_equal(window_check(&window), cases[i].stride);
		window_finish(&window);
	}
	pair_finish(&pair);
}

/* A window gets memory as soon as there is some. */
static void lack_of_memory_is_not_remembered(void **state)
{
	struct window window;
	struct pair pair;
	sizes_init(&pair);
	window_init(&window, &pair, 512, 512, true);
	assert_int_equal(window_commit(&window), STAGING_READY);
	window_finish(&window);

	window_init(&window, &pair, 600, 512, true);
	struct gpu_engines *engines = copier_use(pair.copier, &pair.gpus[0]);
	assert_int_equal(gpu_engines_import_any(engines, 0, &window.buffer->base, COPY_SOURCE), 0);
	gpu_engines_release(engines);
	fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION);
	fake_gpu_fail_imports(pair.fakes[0], ENOMEM, 1000);
	assert_int_equal(window_commit(&window), STAGING_REFUSED);
	fake_gpu_fail_imports(pair.fakes[0], 0, 0);
	assert_int_equal(window_copy(&window), STAGING_READY);
	window_check(&window);
	window_finish(&window);
	pair_finish(&pair);
}

/* Commits, and waits a second: the copy hides the window for a moment. */
static void commit_in_place(struct window *window, struct pair *pair)
{
	assert_int_equal(window_commit(window), STAGING_LATE);
	pair->n_arrived = 0;
	clock_advance(pair->clock, INT64_C(999999999));
	assert_int_equal(pair->n_arrived, 0);
	assert_int_equal(window_copy(window), STAGING_LATE);
	clock_advance(pair->clock, 1);
	assert_int_equal(pair->n_arrived, 1);
	assert_int_equal(window_copy(window), STAGING_READY);
}

/*
 * The only buffer is written a second later, while nothing reads it, until there is memory for
 * another one.
 */
static void window_without_memory_for_a_second_buffer_goes_on(void **state)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		struct window window;
		struct pair pair;
		sizes_init(&pair);
		window_init(&window, &pair, 1024, 512, cpu);
		assert_int_equal(window_commit(&window), STAGING_READY);
		uint64_t memory = staging_ring_memory(window.ring);
		fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION);
		fake_gpu_fail_imports(pair.fakes[0], EINVAL, 1000);
		for (int i = 0; i < 3; i++) {
			commit_in_place(&window, &pair);
			window_check(&window);
		}
		int fence = fake_fence_create();
		staging_read(window.ring, 0, fence);
		pair.n_arrived = 0;
		assert_int_equal(window_commit(&window), STAGING_LATE);
		fake_fence_signal(fence, 1);
		close(fence);
		while (pair.n_arrived == 0) {
			wl_event_loop_dispatch(pair.loop, -1);
		}
		assert_int_equal(window_copy(&window), STAGING_LATE);
		clock_advance(pair.clock, INT64_C(1000000000));
		assert_int_equal(window_copy(&window), STAGING_READY);
		window_check(&window);
		assert_int_equal(staging_ring_memory(window.ring), memory);
		fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_NONE);
		fake_gpu_fail_imports(pair.fakes[0], 0, 0);
		clock_advance(pair.clock, INT64_C(6000000000));
		assert_int_equal(window_commit(&window), STAGING_READY);
		window_check(&window);
		assert_int_equal(staging_ring_memory(window.ring), 2 * memory);
		window_finish(&window);
		pair_finish(&pair);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(window_without_memory_does_not_stop_others),
		cmocka_unit_test(alignment_of_one_size_is_not_used_for_others),
		cmocka_unit_test(lack_of_memory_is_not_remembered),
		cmocka_unit_test(window_without_memory_for_a_second_buffer_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
