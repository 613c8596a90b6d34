/* Tests of staging rings between two emulated GPUs: integrated and discrete ones, either way round. */

#include "harness/await.h"
#include "pair.h"
#include "staging/system_memory.h"
#include "unit.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static void dispatch(struct pair *pair, int n)
{
	for (int i = 0; i < n; i++) {
		wl_event_loop_dispatch(pair->loop, 0);
	}
}

static void try_pair(bool source_integrated, bool reader_integrated)
{
	struct pair pair;
	pixman_region32_t damage;

	pair_init(&pair, source_integrated, reader_integrated);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	assert_int_equal(staging_stats(pair.ring).bytes, PAIR_SIDE * PAIR_SIDE * 4);
	/* What crossed is taken in by the reader's own engine, if its memory is its own. */
	assert_int_equal(
		staging_stats(pair.ring).local, reader_integrated ? 0 : PAIR_SIDE * PAIR_SIDE * 4);
	assert_int_equal(fake_gpu_counts(pair.fakes[1]).jobs, reader_integrated ? 0 : 1);

	/* While the copy is under way the old picture can be read, by no buffer that is written. */
	picture_scramble(&pair.source->picture);
	pixman_region32_init_rect(&damage, 0, 0, PAIR_SIDE, PAIR_SIDE);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &damage);
	fake_gpu_hold(pair.fakes[0]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(pair.ring, &pair.all, parts);
	assert_int_equal(n, 1);
	staging_parts_finish(parts, n);
	assert_true(pair.source->base.n_locks > 0);
	fake_gpu_release(pair.fakes[0]);
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(pair.loop, 0);
	}
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	assert_int_equal(pair.source->base.n_locks, 0);
	pair_check(&pair);
	pixman_region32_fini(&damage);
	pair_finish(&pair);
}

static void test_integrated_to_discrete(void **state)
{
	try_pair(true, false);
}

static void test_discrete_to_integrated(void **state)
{
	try_pair(false, true);
}

static void test_discrete_to_discrete(void **state)
{
	try_pair(false, false);
}

/* What shows is read by a pass until the next picture shows, of which 32x16 pixels are new. */
static void show_next(struct pair *pair, int i, int *fence)
{
	struct staging_part parts[STAGING_MAX];
	pixman_region32_t damage;

	assert_int_equal(staging_parts(pair->ring, &pair->all, parts), 1);
	staging_read(pair->ring, parts[0].index, *fence);
	staging_parts_finish(parts, 1);
	pixman_region32_init_rect(&damage, 20 * i, 10 * i, 32, 16);
	for (uint32_t y = 0; y < 16; y++) {
		for (uint32_t x = 0; x < 32; x++) {
			uint8_t *pixel = picture_element(
				&pair->source->picture, (uint32_t)i * 20 + x, (uint32_t)i * 10 + y);

			pixel[0] = (uint8_t)(i + 100);
			pixel[1] = (uint8_t)(x * y);
		}
	}
	staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &damage);
	pixman_region32_fini(&damage);
	assert_int_equal(pair_copy(pair), STAGING_READY);
	pair_check(pair);
	fake_fence_signal(*fence, 1);
	close(*fence);
	*fence = fake_fence_create();
}

/* Damage crosses once, into whatever buffer; what that lacks besides it gets from another one. */
static void test_damage(void **state)
{
	struct pair pair;
	int fences[2] = {fake_fence_create(), fake_fence_create()};

	pair_init(&pair, false, true);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	for (int i = 0; i < 6; i++) {
		struct staging_stats before = staging_stats(pair.ring);
		show_next(&pair, i, &fences[i % 2]);
		struct staging_stats after = staging_stats(pair.ring);
		assert_int_equal(after.bytes - before.bytes, 32 * 16 * 4);
		assert_true(after.local > before.local);
	}
	close(fences[0]);
	close(fences[1]);
	pair_finish(&pair);
}

/* While a buffer is mended the last picture shows, and the client's buffer is waited for. */
static void test_mending(void **state)
{
	struct pair pair;
	struct staging_part parts[STAGING_MAX];
	pixman_region32_t damage;

	pair_init(&pair, false, true);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pixman_region32_init_rect(&damage, 5, 5, 20, 20);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &damage);
	fake_gpu_hold(pair.fakes[1]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	assert_int_equal(pair.source->base.n_locks, 1);
	assert_int_equal(staging_stats(pair.ring).bytes, PAIR_SIDE * PAIR_SIDE * 4);
	assert_int_equal(staging_parts(pair.ring, &pair.all, parts), 1);
	staging_parts_finish(parts, 1);
	fake_gpu_release(pair.fakes[1]);
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(pair.loop, 0);
	}
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	assert_int_equal(pair.source->base.n_locks, 0);
	assert_int_equal(staging_stats(pair.ring).bytes, PAIR_SIDE * PAIR_SIDE * 4 + 20 * 20 * 4);
	pair_check(&pair);

	/* The ring goes while it mends. */
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &damage);
	fake_gpu_hold(pair.fakes[1]);
	pair_copy(&pair);
	staging_ring_destroy(pair.ring);
	pair.ring = NULL;
	assert_int_equal(pair.source->base.n_locks, 0);
	fake_gpu_release(pair.fakes[1]);
	pixman_region32_fini(&damage);
	pair_finish(&pair);
}

/* A buffer is not written while a pass reads it; with all read, the copy is skipped and not waited for. */
static void test_readers(void **state)
{
	struct pair pair;
	int fence = fake_fence_create();

	pair_init(&pair, false, true);
	for (int i = 0; i < STAGING_MAX; i++) {
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		staging_read(pair.ring, i, fence);
		staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	}
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	assert_int_equal(staging_stats(pair.ring).copies, STAGING_MAX);
	assert_int_equal(staging_stats(pair.ring).skipped, 1);
	/* Said when one of them has ended, since nothing else would be. */
	dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 0);
	fake_fence_signal(fence, 1);
	dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	close(fence);
	pair_finish(&pair);
}

/* As many descriptors as one process of a test ever has. */
#define MANY 512

struct scarcity {
	struct rlimit before;
	int fds[MANY], n;
};

/* So many are left from now on. */
static void scarcity_begin(struct scarcity *scarcity, int left)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &scarcity->before), 0);
	limit = (struct rlimit){MANY, scarcity->before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	scarcity->n = 0;
	while ((scarcity->fds[scarcity->n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
		scarcity->n++;
	}
	assert_true(scarcity->n > left);
	for (int i = 0; i < left; i++) {
		close(scarcity->fds[--scarcity->n]);
	}
}

static void scarcity_end(struct scarcity *scarcity)
{
	while (scarcity->n > 0) {
		close(scarcity->fds[--scarcity->n]);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &scarcity->before), 0);
}

/* Nor while a pass reads it that began when there were no descriptors. */
static void test_readers_scarce(void **state)
{
	struct scarcity scarcity;
	struct pair pair;
	struct staging_part parts[STAGING_MAX];
	int fence = fake_fence_create();

	pair_init(&pair, false, true);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	scarcity_begin(&scarcity, 0);
	staging_read(pair.ring, 0, fence);
	scarcity_end(&scarcity);
	for (int i = 1; i <= 4; i++) {
		staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_int_equal(staging_parts(pair.ring, &pair.all, parts), 1);
		assert_int_equal(parts[0].index, 1 + (i + 1) % 2);
		staging_parts_finish(parts, 1);
	}
	/* It has ended: the buffer takes its turn again. */
	fake_fence_signal(fence, 1);
	for (int i = 0; i < 2; i++) {
		staging_read(pair.ring, 1 + i, -1);
		staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	}
	close(fence);
	fence = fake_fence_create();
	staging_read(pair.ring, 1, fence);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(staging_parts(pair.ring, &pair.all, parts), 1);
	assert_int_equal(parts[0].index, 0);
	staging_parts_finish(parts, 1);
	close(fence);
	pair_finish(&pair);
}

/* Engines that are opened for it are waited for, on threads that nobody may be able to listen to. */
static enum staging_status copy_once(struct pair *pair)
{
	const char *reason;
	enum staging_status status;

	pair->n_arrived = 0;
	status = staging_copy(pair->ring, &pair->source->base, &pair->all, false, &reason);
	assert_int_not_equal(status, STAGING_REFUSED);
	await(pair->copier->n_opening == 0, {
		wl_event_loop_dispatch(pair->loop, 0);
		clock_advance(pair->clock, INT64_C(10000000));
	});
	return status;
}

/*
 * Where descriptors are lacking, be it for the engine, for memory or for the copy, nothing is refused: it is put off,
 * and asked for again when there may be some.
 */
static void test_scarce(void **state)
{
	for (int i = 0; i < 24; i++) {
		struct scarcity scarcity;
		struct pair pair;
		enum staging_status status;

		pair_init(&pair, false, i % 2 == 0);
		pair.copier->only = "sdma";
		scarcity_begin(&scarcity, i / 2);
		status = copy_once(&pair);
		status = status == STAGING_READY ? status : copy_once(&pair);
		scarcity_end(&scarcity);
		if (status != STAGING_READY) {
			assert_int_equal(status, STAGING_ABSENT);
		}
		/* What was not to be opened is tried again after some seconds. */
		for (int n = 0; n < 100 && status != STAGING_READY; n++) {
			clock_advance(pair.clock, INT64_C(100000000));
			assert_true(pair.n_arrived > 0);
			status = copy_once(&pair);
		}
		assert_int_equal(status, STAGING_READY);
		pair_check(&pair);
		pair_finish(&pair);
	}
}

/* The same of whoever shows the buffers as they are, and lets go of one. */
static void test_locked(void **state)
{
	struct buffer *locked[STAGING_MAX];
	struct staging_part parts[STAGING_MAX];
	struct pair pair;

	pair_init(&pair, false, true);
	for (int i = 0; i < STAGING_MAX; i++) {
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_int_equal(staging_parts(pair.ring, &pair.all, parts), 1);
		locked[i] = buffer_lock(parts[0].buffer);
		staging_parts_finish(parts, 1);
		staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	}
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	/* What shows is not written anyway. */
	buffer_unlock(locked[STAGING_MAX - 1]);
	dispatch(&pair, 1);
	assert_int_equal(pair.n_arrived, 0);
	buffer_lock(locked[STAGING_MAX - 1]);
	buffer_unlock(locked[0]);
	assert_int_equal(pair.n_arrived, 0);
	dispatch(&pair, 1);
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	/* The ring goes while it waits. */
	buffer_lock(locked[0]);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	staging_ring_destroy(pair.ring);
	pair.ring = NULL;
	for (int i = 0; i < STAGING_MAX; i++) {
		buffer_unlock(locked[i]);
	}
	pair_finish(&pair);
	assert_int_equal(pair.n_arrived, 1);
}

static bool never(void *data)
{
	return false;
}

/* Of more copies than an engine takes at once the last one comes after the others. */
static void test_crowded(void **state)
{
	struct staging_ring *rings[COPY_JOBS_MAX + 1];
	const int n = COPY_JOBS_MAX + 1;
	const char *reason;
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	fake_gpu_hold(pair.fakes[0]);
	for (int i = 0; i < n; i++) {
		struct staging_reader reader = {.staging = pair.staging};
		struct staging_user user = {
			.arrived = pair_handle_arrived, .can_restore = never, .data = &pair};

		rings[i] = staging_ring_create(&reader, &user);
		staging_damage(rings[i], PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
		assert_int_equal(
			staging_copy(rings[i], &pair.source->base, &pair.all, false, &reason),
			STAGING_ABSENT);
		assert_true(staging_in_flight(rings[i]));
	}
	assert_int_equal(staging_stats(rings[n - 1]).copies, 0);
	assert_int_equal(pair.n_arrived, 0);
	fake_gpu_step(pair.fakes[0], 1);
	dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 2);
	staging_copy(rings[n - 1], &pair.source->base, &pair.all, false, &reason);
	assert_int_equal(staging_stats(rings[n - 1]).copies, 1);
	fake_gpu_release(pair.fakes[0]);
	while (pair.n_arrived < n + 1) {
		wl_event_loop_dispatch(pair.loop, -1);
	}
	for (int i = 0; i < n; i++) {
		assert_int_equal(staging_status(rings[i], &pair.all), STAGING_READY);
		staging_ring_destroy(rings[i]);
	}
	pair_finish(&pair);
}

/* A copy that has failed as soon as it was begun is begun again, by the engine that is made anew. */
static void test_failed_at_once(void **state)
{
	struct pair pair;

	pair_init(&pair, true, true);
	fake_gpu_fail_jobs(pair.fakes[0], 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(fake_gpu_counts(pair.fakes[0]).opened, 2);
	assert_int_equal(pair.copier->totals.failures, 1);
	pair_check_linear(&pair);
	pair_finish(&pair);
}

/* The client's next picture is of another GPU. The one before, which is the caller's to drop. */
static struct made *move_source(struct pair *pair, struct gpu *gpu)
{
	struct made *before = pair->source;
	pair->source = pair_make(true);
	pair->source->base.home = gpu;
	staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	return before;
}

/* While a buffer is mended, the client's next picture comes from a third GPU, which never sees the one before. */
static void test_moved_while_mending(void **state)
{
	struct gpu third;
	struct pair pair;
	pixman_region32_t damage;

	pair_init(&pair, false, true);
	struct fake_gpu *fake = pair_add_gpu(&third, "/emulated/renderD130", "navi21", false);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pixman_region32_init_rect(&damage, 5, 5, 20, 20);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &damage);
	fake_gpu_hold(pair.fakes[1]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	struct made *before = move_source(&pair, &third);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	uint64_t imported = fake_gpu_counts(fake).imported;
	fake_gpu_release(pair.fakes[1]);
	dispatch(&pair, 4);
	assert_int_equal(fake_gpu_counts(fake).imported, imported);
	assert_int_equal(before->base.n_locks, 0);
	pair.n_arrived = 0;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	buffer_drop(&before->base);
	pixman_region32_fini(&damage);
	pair_finish(&pair);
}

/* The same while it crosses: how long that took says nothing about the third GPU. */
static void test_moved_in_flight(void **state)
{
	struct gpu third;
	struct pair pair;

	pair_init(&pair, false, true);
	pair_add_gpu(&third, "/emulated/renderD130", "navi21", false);
	third.vendor = third.device = 3;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	fake_gpu_hold(pair.fakes[0]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	struct made *before = move_source(&pair, &third);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	fake_gpu_release(pair.fakes[0]);
	dispatch(&pair, 4);
	assert_int_equal(before->base.n_locks, 0);
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	pair_check(&pair);
	assert_ptr_equal(
		cost_table_get(&pair.copier->costs, "0003:0003>integrated", COST_SDMA, COST_OUT),
		cost_default(COST_SDMA, COST_OUT));
	buffer_drop(&before->base);
	pair_finish(&pair);
}

/* Of what nobody has seen for a while, a buffer stays that has the picture, whoever has read the others. */
static void test_trimmed(void **state)
{
	int fence = fake_fence_create();
	struct pair pair;

	pair_init(&pair, false, true);
	for (int i = 0; i < 2; i++) {
		staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		staging_read(pair.ring, i, fence);
	}
	assert_int_equal(pair.staging->memory, 2 * PAIR_SIDE * PAIR_SIDE * 4);
	fake_fence_signal(fence, 1);
	staging_set_seen(pair.ring, false);
	clock_advance(pair.clock, 2000000000);
	assert_int_equal(pair.staging->memory, PAIR_SIDE * PAIR_SIDE * 4);
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	pair_check(&pair);
	close(fence);
	pair_finish(&pair);
}

static void test_budget_frees_unseen_rings_first(void **state)
{
	struct staging_ring *unseen;
	struct pair pair;

	pair_init(&pair, false, true);
	for (int i = 0; i < 2; i++) {
		staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
	}
	assert_int_equal(pair.staging->memory, 2 * PAIR_SIDE * PAIR_SIDE * 4);
	staging_set_seen(pair.ring, false);
	pair.staging->memory_most = PAIR_SIDE * PAIR_SIDE * 4;
	unseen = pair.ring;
	pair_create_ring(&pair, &pair.gpus[1]);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	/* One buffer of each: the unseen ring keeps its content. */
	assert_int_equal(pair.staging->memory, 2 * PAIR_SIDE * PAIR_SIDE * 4);
	assert_int_equal(staging_status(unseen, &pair.all), STAGING_READY);
	staging_ring_destroy(unseen);
	pair_finish(&pair);
}

/* Damage leaves the source once; what a buffer lacks besides it has crossed already. */
static void test_discrete_damage(void **state)
{
	struct pair pair;
	int fences[2] = {fake_fence_create(), fake_fence_create()};

	pair_init(&pair, true, false);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	for (int i = 0; i < 8; i++) {
		struct staging_stats before = staging_stats(pair.ring);
		show_next(&pair, i, &fences[i % 2]);
		assert_int_equal(staging_stats(pair.ring).bytes - before.bytes, 32 * 16 * 4);
	}
	close(fences[0]);
	close(fences[1]);
	pair_finish(&pair);
}

/* While one picture crosses the next one waits for it; one that fails crosses again, and no other. */
static void test_discrete_one_by_one(void **state)
{
	struct pair pair;
	pixman_region32_t damage;

	pair_init(&pair, true, false);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	uint64_t bytes = staging_stats(pair.ring).bytes;
	pixman_region32_init_rect(&damage, 5, 5, 20, 20);
	picture_scramble(&pair.source->picture);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	fake_gpu_hold(pair.fakes[0]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &damage);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	assert_int_equal(staging_stats(pair.ring).copies, 2);
	fake_gpu_reset(pair.fakes[0]);
	fake_gpu_release(pair.fakes[0]);
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(pair.loop, 0);
	}
	pair.n_arrived = 0;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	assert_int_equal(staging_stats(pair.ring).bytes - bytes, 2 * PAIR_SIDE * PAIR_SIDE * 4);
	pixman_region32_fini(&damage);
	pair_finish(&pair);
}

/* After a reset the engine is made anew by its thread, and what was lost is copied again. */
static void test_reset(void **state)
{
	struct pair pair;

	pair_init(&pair, true, false);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	for (int in_flight = 0; in_flight < 2; in_flight++) {
		uint64_t opened = fake_gpu_counts(pair.fakes[0]).opened;

		picture_scramble(&pair.source->picture);
		staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
		if (in_flight) {
			fake_gpu_hold(pair.fakes[0]);
			assert_int_equal(pair_copy(&pair), STAGING_LATE);
		}
		fake_gpu_reset(pair.fakes[0]);
		fake_gpu_release(pair.fakes[0]);
		dispatch(&pair, 4);
		/* Else other engines would be tried meanwhile. */
		while (pair.copier->n_opening > 0) {
			wl_event_loop_dispatch(pair.loop, -1);
		}
		pair.n_arrived = 0;
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		pair_check(&pair);
		pair.n_arrived = 0;
		assert_int_equal(fake_gpu_counts(pair.fakes[0]).opened, opened + 1);
		assert_int_equal(pair.copier->totals.lost, 0);
	}
	pair_finish(&pair);
}

/* One that is reset by whatever it does is given up, and tried again later. */
static void test_reset_again_and_again(void **state)
{
	struct pair pair;
	int n = 0;

	pair_init(&pair, true, false);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	while (pair.copier->totals.lost == 0 && n < 20) {
		staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
		fake_gpu_reset(pair.fakes[0]);
		pair.n_arrived = 0;
		pair_copy(&pair);
		pair.n_arrived = 0;
		n++;
	}
	assert_int_equal(n, 4);
	uint64_t opened = fake_gpu_counts(pair.fakes[0]).opened;
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	assert_int_not_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(fake_gpu_counts(pair.fakes[0]).opened, opened);
	clock_advance(pair.clock, INT64_C(20000000000));
	pair.n_arrived = 0;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	pair_finish(&pair);
}

/* Where no thread can be had (no descriptors are left) an engine is made anew at once: its end is told once. */
static void test_lost_without_thread(void **state)
{
	struct rlimit before, none;
	struct counter counter;
	struct pair pair;

	pair_init(&pair, true, true);
	pair.copier->only = "sdma";
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	counter_init(&counter, &pair.copier->events.engines);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	fake_gpu_hold(pair.fakes[0]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	fake_gpu_reset(pair.fakes[0]);
	fake_gpu_release(pair.fakes[0]);
	while (pair.n_arrived == 0) {
		wl_event_loop_dispatch(pair.loop, -1);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(pair.copier->n_opening, 0);
	assert_int_equal(pair.copier->totals.lost, 1);
	assert_int_equal(counter.n, 1);
	wl_list_remove(&counter.listener.link);
	pair_finish(&pair);
}

/* What no engine takes is refused again and again without anything being opened for it, for a while. */
static void test_refused(void **state)
{
	const int64_t linger = 5000000000;
	struct pair pair;
	const char *reason;

	pair_init(&pair, false, true);
	pair.copier->linger = linger;
	pair.source->picture.dmabuf.modifier = PAIR_COMPRESSED;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	uint64_t opened = fake_gpu_counts(pair.fakes[0]).opened;
	assert_true(opened > 0);
	for (int i = 0; i < 10; i++) {
		/* Another commit: a ring of its own. */
		staging_ring_destroy(pair.ring);
		clock_advance(pair.clock, linger / 2);
		pair_create_ring(&pair, &pair.gpus[1]);
		assert_int_equal(
			staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
			STAGING_REFUSED);
	}
	assert_int_equal(fake_gpu_counts(pair.fakes[0]).opened, opened);

	/* Nobody comes back: it is closed, by a thread; then it is opened anew. */
	staging_ring_destroy(pair.ring);
	clock_advance(pair.clock, linger - 1);
	assert_false(wl_list_empty(&pair.copier->gpus));
	clock_advance(pair.clock, 1);
	assert_true(wl_list_empty(&pair.copier->gpus));
	pair_create_ring(&pair, &pair.gpus[1]);
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	assert_true(fake_gpu_counts(pair.fakes[0]).opened > opened);
	pair_finish(&pair);
}

/* Linear pixels of a GPU without a copy engine: read as they are in system memory, and copied out of VRAM. */
static void test_linear(void **state)
{
	struct pair pair;

	for (int discrete = 0; discrete < 2; discrete++) {
		pair_init_chip(&pair, "ringless", !discrete, true);
		assert_int_equal(system_memory_allocate(PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888,
					 256, &pair.from),
			0);
		pair.from->home = &pair.gpus[0];
		staging_ring_destroy(pair.ring);
		pair_create_ring(&pair, NULL);
		enum staging_status status = pair_copy(&pair);
		while (status == STAGING_ABSENT) {
			/* The CPU copies, on a thread. */
			assert_true(discrete);
			wl_event_loop_dispatch(pair.loop, -1);
			status = staging_status(pair.ring, &pair.all);
		}
		assert_int_equal(status, discrete ? STAGING_READY : STAGING_REFUSED);
		buffer_drop(pair.from);
		pair_finish(&pair);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integrated_to_discrete),
		cmocka_unit_test(test_discrete_to_integrated),
		cmocka_unit_test(test_discrete_to_discrete),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_mending),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_readers_scarce),
		cmocka_unit_test(test_scarce),
		cmocka_unit_test(test_locked),
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_failed_at_once),
		cmocka_unit_test(test_moved_while_mending),
		cmocka_unit_test(test_moved_in_flight),
		cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_budget_frees_unseen_rings_first),
		cmocka_unit_test(test_discrete_damage),
		cmocka_unit_test(test_discrete_one_by_one),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_reset_again_and_again),
		cmocka_unit_test(test_lost_without_thread),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
