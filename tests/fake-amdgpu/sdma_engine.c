/* SPDX-License-Identifier: MIT */
/* SDMA engine on the emulated amdgpu: fences, image lifetimes, limits and loss. */

#include "dmabuf_image.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "util/fence.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODIFIER 0x0200000020801b03

struct scene {
	struct fake_gpu *gpu;
	struct copy_engine *engine;
	struct dmabuf_image source, destination;
	pixman_region32_t damage;
	struct copy_request request;
	struct wl_listener lost;
	int n_lost;
};

static void handle_lost(struct wl_listener *listener, void *data)
{
	struct scene *scene = wl_container_of(listener, scene, lost);

	scene->n_lost++;
}

static int setup(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	scene->gpu = fake_gpu_create(fake_chip_find("navi21"));
	scene->engine = dmabuf_image_engine(scene->gpu);
	scene->lost.notify = handle_lost;
	wl_signal_add(&scene->engine->events.lost, &scene->lost);
	dmabuf_image_init_tiled(&scene->source, DRM_FORMAT_XRGB8888, 200, 150, MODIFIER, 0);
	dmabuf_image_init_linear(&scene->destination, DRM_FORMAT_XRGB8888, 200, 150, 0, 0);
	pixman_region32_init_rect(&scene->damage, 0, 0, 200, 150);
	scene->request.damage = &scene->damage;
	scene->request.wait_fd = -1;
	assert_int_equal(copy_engine_import(scene->engine, &scene->source.dmabuf, COPY_SOURCE,
				 &scene->request.source),
		0);
	assert_int_equal(copy_engine_import(scene->engine, &scene->destination.dmabuf,
				 COPY_DESTINATION, &scene->request.destination),
		0);
	*state = scene;
	return 0;
}

static int teardown(void **state)
{
	struct scene *scene = *state;

	copy_image_drop(scene->request.source);
	copy_image_drop(scene->request.destination);
	wl_list_remove(&scene->lost.link);
	copy_engine_destroy(scene->engine);
	/* On an unplugged GPU, the kernel frees the objects. */
	if (!fake_gpu_fault(scene->gpu) && scene->n_lost == 0) {
		assert_int_equal(fake_gpu_counts(scene->gpu).contexts, 0);
		assert_int_equal(fake_gpu_counts(scene->gpu).mappings, 0);
		assert_int_equal(fake_gpu_counts(scene->gpu).syncobjs, 0);
	}
	dmabuf_image_finish(&scene->source);
	dmabuf_image_finish(&scene->destination);
	pixman_region32_fini(&scene->damage);
	fake_reset_all();
	free(scene);
	return 0;
}

static int submit(struct scene *scene)
{
	int fence;

	assert_int_equal(copy_engine_submit(scene->engine, &scene->request, &fence), 0);
	assert_true(fence >= 0);
	return fence;
}

static bool copied(const struct scene *scene)
{
	for (uint32_t y = 0; y < 150; y++) {
		for (uint32_t x = 0; x < 200; x++) {
			if (memcmp(dmabuf_image_element(&scene->source, x, y),
				    dmabuf_image_element(&scene->destination, x, y), 4) != 0) {
				return false;
			}
		}
	}
	return true;
}

/* The source is read after the fence; completion can be polled. */
static void copy_waits_for_acquire_fence(void **state)
{
	struct scene *scene = *state;
	int before = fake_fence_create(), fence;
	struct pollfd poller = {.events = POLLIN};

	scene->request.wait_fd = before;
	fence = submit(scene);
	poller.fd = fence;
	assert_int_equal(fence_status(fence), 0);
	assert_int_equal(poll(&poller, 1, 0), 0);
	assert_int_equal(copy_engine_reap(scene->engine, 0), 1);
	assert_false(copied(scene));
	dmabuf_image_scramble(&scene->source); /* the client still draws */
	fake_fence_signal(before, 1);
	assert_int_equal(fence_status(fence), 1);
	assert_int_equal(poll(&poller, 1, 0), 1);
	assert_true(copied(scene));
	assert_int_equal(copy_engine_reap(scene->engine, 0), 0);
	close(fence);
	close(before);
	scene->request.wait_fd = -1;
}

/* The fence of the dma-buf is waited for implicitly. */
static void copy_waits_for_implicit_fence_and_adds_its_own(void **state)
{
	struct scene *scene = *state;
	int drawing = fake_fence_create(), fence, next_use;

	fake_dmabuf_write(scene->source.dmabuf.fd[0], drawing);
	fence = submit(scene);
	assert_int_equal(fence_status(fence), 0);
	/* The copy counts as a write, so the client's next drawing waits for it. */
	next_use = fence_export_dmabuf(scene->source.dmabuf.fd[0], false);
	assert_true(next_use >= 0);
	fake_fence_signal(drawing, 1);
	assert_int_equal(fence_status(fence), 1);
	assert_int_equal(fence_status(next_use), 1);
	assert_true(copied(scene));
	close(next_use);
	close(fence);
	close(drawing);
}

/* A pending copy keeps dropped images, and closed descriptors of the buffer do not matter. */
static void pending_copy_keeps_dropped_images(void **state)
{
	struct scene *scene = *state;
	int mappings = fake_gpu_counts(scene->gpu).mappings;
	int fence;

	fake_gpu_hold(scene->gpu);
	fence = submit(scene);
	copy_image_drop(scene->request.source);
	copy_image_drop(scene->request.destination);
	scene->request.source = scene->request.destination = NULL;
	dmabuf_finish(&scene->source.dmabuf);
	assert_int_equal(copy_engine_reap(scene->engine, 0), 1);
	assert_int_equal(fake_gpu_counts(scene->gpu).mappings, mappings);
	fake_gpu_step(scene->gpu, 1);
	assert_null(fake_gpu_fault(scene->gpu));
	assert_int_equal(fence_status(fence), 1);
	assert_int_equal(copy_engine_reap(scene->engine, 0), 0);
	assert_int_equal(fake_gpu_counts(scene->gpu).mappings, mappings - 2);
	close(fence);
	fake_gpu_release(scene->gpu);
}

static void full_queue_returns_ebusy_until_a_job_ends(void **state)
{
	struct scene *scene = *state;
	int n = 0, fence, error;

	fake_gpu_hold(scene->gpu);
	while ((error = copy_engine_submit(scene->engine, &scene->request, &fence)) == 0) {
		close(fence);
		n++;
		/* The kernel would block on the next submission. */
		assert_true(n < 32);
	}
	assert_int_equal(error, -EBUSY);
	assert_int_equal(fence, -1);
	fake_gpu_step(scene->gpu, 1);
	close(submit(scene));
	assert_int_equal(copy_engine_submit(scene->engine, &scene->request, &fence), -EBUSY);
	fake_gpu_release(scene->gpu);
	assert_int_equal(copy_engine_reap(scene->engine, 0), 0);
	for (int i = 0; i < 200; i++) {
		close(submit(scene));
	}
	assert_null(fake_gpu_fault(scene->gpu));
	assert_int_equal(copy_engine_reap(scene->engine, 0), 0);
}

#define FLIGHTS 16
#define ROWS 37 /* of boxes in the largest copy: its commands fill a fifth of their ring */

struct flight {
	int fence;
	pixman_region32_t damage;
};

/* Returns false while the ring has no room for the commands. */
static bool begin_flight(struct scene *scene, struct flight *flight, int n_rows)
{
	pixman_region32_init(&flight->damage);
	for (int y = 0; y < n_rows; y++) {
		for (int x = 0; x < 100; x++) {
			pixman_region32_union_rect(
				&flight->damage, &flight->damage, x * 2, y * 4 + x % 2 * 2, 1, 1);
		}
	}
	scene->request.damage = &flight->damage;
	int error = copy_engine_submit(scene->engine, &scene->request, &flight->fence);
	scene->request.damage = &scene->damage;
	if (error < 0) {
		assert_int_equal(error, -EBUSY);
		pixman_region32_fini(&flight->damage);
	}
	return error == 0;
}

/* Runs the copy alone, and fails unless it writes its pixels and no others. */
static void end_flight(struct scene *scene, struct flight *flight)
{
	const pixman_box32_t *boxes;
	int n, wrong = 0;
	memset(scene->destination.map, 0, scene->destination.size);
	assert_int_equal(fence_status(flight->fence), 0);
	fake_gpu_step(scene->gpu, 1);
	assert_int_equal(fence_status(flight->fence), 1);
	close(flight->fence);
	boxes = pixman_region32_rectangles(&flight->damage, &n);
	for (int i = 0; i < n; i++) {
		uint32_t x = (uint32_t)boxes[i].x1, y = (uint32_t)boxes[i].y1;
		uint8_t *copy = dmabuf_image_element(&scene->destination, x, y);
		wrong += memcmp(dmabuf_image_element(&scene->source, x, y), copy, 4) != 0;
		memset(copy, 0, 4);
	}
	for (size_t i = 0; i < scene->destination.size; i++) {
		wrong += scene->destination.map[i] != 0;
	}
	assert_int_equal(wrong, 0);
	pixman_region32_fini(&flight->damage);
}

/*
 * Jobs overlap, so their commands never start at the beginning again, and go round their ring many
 * times; jobs of different sizes skip different rests at its end.
 */
static void commands_go_round_while_jobs_are_in_flight(void **state)
{
	struct scene *scene = *state;
	struct flight flights[FLIGHTS];
	int first = 0, end = 0;

	fake_gpu_hold(scene->gpu);
	while (end < 160) {
		if (begin_flight(scene, &flights[end % FLIGHTS], ROWS - end * 7 % 12)) {
			end++;
			continue;
		}
		/* Any three, and the rest that they skip, fit. */
		assert_true(end - first >= 3);
		end_flight(scene, &flights[first++ % FLIGHTS]);
	}
	while (first < end) {
		end_flight(scene, &flights[first++ % FLIGHTS]);
	}
	assert_int_equal(copy_engine_reap(scene->engine, 0), 0);
	assert_null(fake_gpu_fault(scene->gpu));
}

static void reset_during_copy_loses_engine(void **state)
{
	struct scene *scene = *state;
	int fence;

	fake_gpu_hold(scene->gpu);
	fence = submit(scene);
	fake_gpu_reset(scene->gpu);
	assert_int_equal(fence_status(fence), -ECANCELED);
	close(fence);
	fake_gpu_release(scene->gpu);
	/* The engine notices the failed fence even without a later submission. */
	assert_int_equal(copy_engine_reap(scene->engine, 0), -ENODEV);
	assert_int_equal(scene->engine->stats.failures, 1);
	assert_true(scene->engine->reset);
	assert_int_equal(scene->n_lost, 1);
	struct copy_engine *other = dmabuf_image_engine(scene->gpu);
	pixman_region32_t damage;
	pixman_region32_init_rect(&damage, 0, 0, 200, 150);
	dmabuf_image_check_copy(
		other, scene->gpu, &scene->source, &scene->destination, &damage, 0, 0);
	pixman_region32_fini(&damage);
	copy_engine_destroy(other);
}

/* A later copy may have ended well by the time that the engine looks. */
static void failed_copy_before_a_good_one_loses_engine(void **state)
{
	struct scene *scene = *state;

	fake_gpu_hold(scene->gpu);
	int first = submit(scene), second = submit(scene);
	fake_gpu_fail_jobs(scene->gpu, 1);
	fake_gpu_release(scene->gpu);
	assert_int_equal(fence_status(first), -ECANCELED);
	assert_int_equal(fence_status(second), 1);
	close(first);
	close(second);
	assert_int_equal(copy_engine_reap(scene->engine, 0), -ENODEV);
	assert_int_equal(scene->n_lost, 1);
}

static void reset_of_idle_engine_fails_next_submission(void **state)
{
	struct scene *scene = *state;
	int fence;

	fake_gpu_reset(scene->gpu);
	assert_int_equal(copy_engine_submit(scene->engine, &scene->request, &fence), -ENODEV);
	assert_int_equal(fence, -1);
	assert_true(scene->engine->reset);
	assert_int_equal(scene->n_lost, 1);
}

static void temporary_submission_error_keeps_engine(void **state)
{
	struct scene *scene = *state;
	int fence;

	fake_gpu_fail_next(scene->gpu, ENOMEM, 1);
	assert_int_equal(copy_engine_submit(scene->engine, &scene->request, &fence), -ENOMEM);
	assert_int_equal(fence, -1);
	assert_int_equal(copy_engine_reap(scene->engine, 0), 0);
	close(submit(scene));
	assert_true(copied(scene));
}

static void unplugged_gpu_loses_engine(void **state)
{
	struct scene *scene = *state;
	struct copy_image *image;
	int fence;

	fake_gpu_hold(scene->gpu);
	fence = submit(scene);
	fake_gpu_unplug(scene->gpu);
	assert_int_equal(fence_status(fence), -ENODEV);
	close(fence);
	assert_int_equal(copy_engine_reap(scene->engine, 0), -ENODEV);
	assert_int_equal(copy_engine_reap(scene->engine, 0), -ENODEV);
	assert_int_equal(scene->n_lost, 1);
	assert_int_equal(copy_engine_submit(scene->engine, &scene->request, &fence), -ENODEV);
	assert_int_equal(
		copy_engine_import(scene->engine, &scene->source.dmabuf, COPY_SOURCE, &image),
		-ENODEV);
}

static void hung_copy_loses_engine_at_its_deadline(void **state)
{
	struct scene *scene = *state;
	int fence;

	assert_int_equal(copy_engine_overdue(scene->engine), INT64_MAX);
	scene->request.now = 1000;
	fake_gpu_hold(scene->gpu);
	fence = submit(scene);
	assert_int_equal(copy_engine_overdue(scene->engine), 1000 + scene->engine->deadline);
	assert_int_equal(copy_engine_reap(scene->engine, 999 + scene->engine->deadline), 1);
	assert_int_equal(scene->n_lost, 0);
	assert_int_equal(copy_engine_reap(scene->engine, 1000 + scene->engine->deadline), -ENODEV);
	assert_int_equal(scene->n_lost, 1);
	assert_int_equal(fence_status(fence), 0);
	close(fence);
	/* Memory of the hung job stays mapped until it can be freed without blocking. */
	int mappings = fake_gpu_counts(scene->gpu).mappings;
	copy_image_drop(scene->request.source);
	scene->request.source = NULL;
	assert_int_equal(fake_gpu_counts(scene->gpu).mappings, mappings);
}

static void invalid_requests_return_einval(void **state)
{
	struct scene *scene = *state;
	struct copy_request request = scene->request;
	pixman_region32_t damage;
	int fence;

	/* Beyond the source, then beyond the destination. */
	pixman_region32_init_rect(&damage, 190, 0, 11, 1);
	request.damage = &damage;
	assert_int_equal(copy_engine_submit(scene->engine, &request, &fence), -EINVAL);
	request.damage = scene->request.damage;
	request.dy = 1;
	assert_int_equal(copy_engine_submit(scene->engine, &request, &fence), -EINVAL);
	request.dy = -1;
	assert_int_equal(copy_engine_submit(scene->engine, &request, &fence), -EINVAL);
	request.dy = 0;
	/* The client's buffer is mapped read-only. */
	request.source = scene->request.destination;
	request.destination = scene->request.source;
	assert_int_equal(copy_engine_submit(scene->engine, &request, &fence), -EINVAL);
	/* An empty copy causes no job. */
	pixman_region32_fini(&damage);
	pixman_region32_init(&damage);
	request = scene->request;
	request.damage = &damage;
	assert_int_equal(copy_engine_submit(scene->engine, &request, &fence), 0);
	assert_int_equal(fence, -1);
	assert_int_equal(fake_gpu_counts(scene->gpu).jobs, 0);
	pixman_region32_fini(&damage);
}

static void check_refused(struct scene *scene, const struct dmabuf *dmabuf, int error)
{
	struct copy_image *image = NULL;
	const char *reason = NULL;

	assert_int_equal(copy_engine_check(scene->engine, dmabuf, COPY_SOURCE, &reason), error);
	assert_non_null(reason);
	assert_int_equal(copy_engine_import(scene->engine, dmabuf, COPY_SOURCE, &image), error);
	assert_null(image);
}

static void memory_of_no_size_is_refused(void **state)
{
	static const int32_t sizes[][2] = {{0, 64}, {64, 0}, {-64, 64}, {64, -64}, {0, 0}};
	struct scene *scene = *state;
	struct dmabuf dmabuf;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(scene->engine->impl->allocate(scene->engine, sizes[i][0],
					 sizes[i][1], DRM_FORMAT_XRGB8888, 256, &dmabuf),
			-ENOTSUP);
	}
}

static void unsupported_images_are_refused(void **state)
{
	struct scene *scene = *state;
	struct dmabuf dmabuf = scene->source.dmabuf;
	struct copy_image *image;

	dmabuf.modifier = 0x0200000020802b03; /* compressed */
	check_refused(scene, &dmabuf, -ENOTSUP);
	dmabuf.modifier = 0x0200000018601b03; /* another chip's */
	check_refused(scene, &dmabuf, -ENOTSUP);
	dmabuf.modifier = 0x0200000000000a01; /* without 32 bits per element since GFX9 */
	check_refused(scene, &dmabuf, -ENOTSUP);
	dmabuf.modifier = DRM_FORMAT_MOD_INVALID;
	check_refused(scene, &dmabuf, -ENOTSUP);
	dmabuf.modifier = 0x0100000000000001; /* Intel's */
	check_refused(scene, &dmabuf, -ENOTSUP);
	dmabuf = scene->source.dmabuf;
	dmabuf.stride[0] += 4;
	check_refused(scene, &dmabuf, -ENOTSUP);
	const char *reason = NULL;
	copy_engine_check(scene->engine, &dmabuf, COPY_SOURCE, &reason);
	assert_string_equal(reason, "its planes are not aligned to blocks");
	dmabuf.stride[0] = 4;
	check_refused(scene, &dmabuf, -EINVAL);
	dmabuf = scene->source.dmabuf;
	dmabuf.offset[0] = 256;
	check_refused(scene, &dmabuf, -ENOTSUP);
	dmabuf = scene->source.dmabuf;
	dmabuf.format = 0x20202020;
	check_refused(scene, &dmabuf, -ENOTSUP);
	/* Larger than its memory. */
	dmabuf = scene->source.dmabuf;
	dmabuf.height = 1500;
	assert_int_equal(copy_engine_import(scene->engine, &dmabuf, COPY_SOURCE, &image), -EINVAL);
	dmabuf = scene->destination.dmabuf;
	dmabuf.offset[0] = 8192;
	assert_int_equal(copy_engine_import(scene->engine, &dmabuf, COPY_SOURCE, &image), -EINVAL);
}

static int open_node(void *data)
{
	return fake_gpu_open(data);
}

static void supported_chips_get_an_engine(void **state)
{
	static const char *const names[] = {"polaris10", "ringless", "future"};

	for (size_t i = 0; i < 3; i++) {
		struct fake_gpu *gpu = fake_gpu_create(fake_chip_find(names[i]));
		struct sdma_options options = {.open_node = open_node, .data = gpu};
		struct copy_engine *engine = NULL;

		assert_int_equal(sdma_engine_create(&options, &engine), -ENOTSUP);
		assert_null(engine);
		fake_gpu_unplug(gpu);
		assert_int_equal(sdma_engine_create(&options, &engine), -ENODEV);
	}
}

/* Waiters of pending copies get a result when the engine is destroyed. */
static void destroying_engine_signals_pending_fences(void **state)
{
	struct scene *scene = *state;
	struct sdma_options options = {.open_node = open_node, .data = scene->gpu};
	struct copy_request request = scene->request;
	struct copy_engine *engine;
	int fence;

	assert_int_equal(sdma_engine_create(&options, &engine), 0);
	assert_int_equal(
		copy_engine_import(engine, &scene->source.dmabuf, COPY_SOURCE, &request.source), 0);
	assert_int_equal(copy_engine_import(engine, &scene->destination.dmabuf, COPY_DESTINATION,
				 &request.destination),
		0);
	fake_gpu_hold(scene->gpu);
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	copy_engine_destroy(engine);
	assert_int_equal(fence_status(fence), 0);
	assert_int_equal(fake_gpu_counts(scene->gpu).files, 1); /* opened by the test itself */
	fake_gpu_release(scene->gpu);
	assert_int_not_equal(fence_status(fence), 0);
	close(fence);
	/* The job ran without its mappings, or did not run: both end the fence. */
	fake_gpu_fault(scene->gpu);
	/* The other engine on the GPU continues. */
	close(submit(scene));
	assert_true(copied(scene));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(copy_waits_for_acquire_fence),
		TEST(copy_waits_for_implicit_fence_and_adds_its_own),
		TEST(pending_copy_keeps_dropped_images),
		TEST(full_queue_returns_ebusy_until_a_job_ends),
		TEST(commands_go_round_while_jobs_are_in_flight),
		TEST(reset_during_copy_loses_engine),
		TEST(failed_copy_before_a_good_one_loses_engine),
		TEST(reset_of_idle_engine_fails_next_submission),
		TEST(temporary_submission_error_keeps_engine),
		TEST(unplugged_gpu_loses_engine),
		TEST(hung_copy_loses_engine_at_its_deadline),
		TEST(destroying_engine_signals_pending_fences),
		TEST(invalid_requests_return_einval),
		TEST(memory_of_no_size_is_refused),
		TEST(unsupported_images_are_refused),
		TEST(supported_chips_get_an_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
