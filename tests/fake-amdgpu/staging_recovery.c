/* SPDX-License-Identifier: MIT */
/* Staging rings after failures: lost engines, refused memory and lack of descriptors. */

#include "copy/modifiers.h"
#include "gpu_pair.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Limit of descriptors during a test. */
#define MANY 512

struct scarcity {
	struct rlimit before;
	int fds[MANY], n;
};

/* Leaves `left` descriptors. */
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

/* The fence cannot be duplicated, so the ring keeps the buffer out of use. */
static void read_without_descriptors_protects_buffer(void **state)
{
	struct scarcity scarcity;
	struct pair pair;
	struct staging_part parts[STAGING_MAX];

	pair_init(&pair, false, true);
	int fence = fake_fence_create();
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	scarcity_begin(&scarcity, 0);
	staging_read(pair.ring, 0, fence);
	scarcity_end(&scarcity);
	for (int i = 1; i <= 4; i++) {
		pair_damage(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_int_equal(staging_parts(pair.ring, &pair.all, parts), 1);
		assert_int_equal(parts[0].index, 1 + (i + 1) % 2);
		staging_parts_finish(parts, 1);
	}
	/* The pass has ended: the buffer is used again. */
	fake_fence_signal(fence, 1);
	for (int i = 0; i < 2; i++) {
		staging_read(pair.ring, 1 + i, -1);
		pair_damage(&pair);
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

/* Copies once and waits for engines, whose threads may lack descriptors to notify. */
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

/* Descriptors may be lacking for the engine, for memory or for the copy: each is retried later. */
static void copy_without_descriptors_is_retried(void **state)
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
		/* Failed opens are retried after some seconds. */
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

static int n_shortages;

static int fail_allocations(enum fake_call call)
{
	return call == FAKE_CALL_ALLOCATE && n_shortages-- > 0 ? ENOMEM : 0;
}

/* As any engine that was lost, but its layouts are still announced. */
static void engine_that_could_not_open_for_a_moment_is_opened_later(void **state)
{
	struct pair pair;
	const char *reason;
	struct gpu_facts facts = {0};
	struct format_set formats = {0};
	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	format_set_add(&facts.sampling, DRM_FORMAT_XRGB8888, PAIR_MODIFIER);
	format_set_add(
		&gpu_facts_add_reader(&facts, "sdma")->layouts, DRM_FORMAT_XRGB8888, PAIR_MODIFIER);
	n_shortages = 1;
	fake_set_hook(fail_allocations);
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	assert_false(staging_is_refused_for_good(pair.ring));
	copy_modifiers_find(pair.copier, &pair.gpus[0], &facts, &formats);
	assert_true(format_set_has(&formats, DRM_FORMAT_XRGB8888, PAIR_MODIFIER));
	/* The client draws nothing more. */
	for (int i = 0; i < 100 && staging_status(pair.ring, &pair.all) != STAGING_READY; i++) {
		clock_advance(pair.clock, INT64_C(100000000));
		pair_dispatch(&pair, 2);
		if (pair.n_arrived > 0) {
			pair.n_arrived = 0;
			pair_copy(&pair);
		}
	}
	assert_int_equal(staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
		STAGING_READY);
	pair_check(&pair);
	fake_set_hook(NULL);
	format_set_finish(&formats);
	gpu_facts_finish(&facts);
	pair_finish(&pair);
}

/* The new engine repeats the copy. */
static void copy_failed_at_once_is_repeated(void **state)
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

/* The engine's thread opens a new engine, and lost copies are repeated. */
static void copies_are_repeated_after_reset(void **state)
{
	struct pair pair;

	pair_init(&pair, true, false);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	for (int in_flight = 0; in_flight < 2; in_flight++) {
		uint64_t opened = fake_gpu_counts(pair.fakes[0]).opened;

		dmabuf_image_scramble(&pair.source->image);
		pair_damage(&pair);
		if (in_flight) {
			fake_gpu_hold(pair.fakes[0]);
			assert_int_equal(pair_copy(&pair), STAGING_LATE);
		}
		fake_gpu_reset(pair.fakes[0]);
		fake_gpu_release(pair.fakes[0]);
		pair_dispatch(&pair, 4);
		/* Wait, since other engines would be tried otherwise. */
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

/* The engine is tried again later. */
static void repeatedly_reset_engine_is_abandoned_for_a_while(void **state)
{
	struct pair pair;
	int n = 0;

	pair_init(&pair, true, false);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	while (pair.copier->totals.lost == 0 && n < 20) {
		pair_damage(&pair);
		fake_gpu_reset(pair.fakes[0]);
		pair.n_arrived = 0;
		pair_copy(&pair);
		pair.n_arrived = 0;
		n++;
	}
	assert_int_equal(n, 4);
	uint64_t opened = fake_gpu_counts(pair.fakes[0]).opened;
	pair_damage(&pair);
	assert_int_not_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(fake_gpu_counts(pair.fakes[0]).opened, opened);
	clock_advance(pair.clock, INT64_C(20000000000));
	pair.n_arrived = 0;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	pair_finish(&pair);
}

/*
 * Without descriptors there is no thread, so the engine is recreated synchronously and its loss
 * reported once.
 */
static void lost_engine_is_recreated_without_a_thread(void **state)
{
	struct rlimit before, none;
	struct counter counter;
	struct pair pair;

	pair_init(&pair, true, true);
	pair.copier->only = "sdma";
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	counter_init(&counter, &pair.copier->events.engines);
	pair_damage(&pair);
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
	/*
	 * Lack of descriptors refuses no buffer: the copy waits for the next try to open the
	 * engine.
	 */
	const char *reason;
	assert_int_not_equal(staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
		STAGING_REFUSED);
	clock_advance(pair.clock, INT64_C(20000000000));
	pair.n_arrived = 0;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	pair_finish(&pair);
}

/* Refusals are remembered for a while without opening engines. */
static void refusal_by_all_engines_is_remembered(void **state)
{
	const int64_t linger = 5000000000;
	struct pair pair;
	const char *reason;

	pair_init(&pair, false, true);
	pair.copier->linger = linger;
	pair.source->image.dmabuf.modifier = PAIR_COMPRESSED;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	uint64_t opened = fake_gpu_counts(pair.fakes[0]).opened;
	assert_true(opened > 0);
	for (int i = 0; i < 10; i++) {
		/* Another commit, with a new ring. */
		staging_ring_destroy(pair.ring);
		clock_advance(pair.clock, linger / 2);
		pair_create_ring(&pair, &pair.gpus[1]);
		assert_int_equal(
			staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
			STAGING_REFUSED);
	}
	assert_int_equal(fake_gpu_counts(pair.fakes[0]).opened, opened);

	/* The unused engine is closed by a thread and opened anew later. */
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

/* Damages the client's surface, which has a buffer now that its GPU fails to import. */
static void attach_refused(struct pair *pair, struct client_buffer *buffer, int error, int n)
{
	buffer->base.home = &pair->gpus[0];
	pair->from = &buffer->base;
	fake_gpu_fail_imports(pair->fakes[0], error, n);
	pair_damage(pair);
	assert_int_equal(pair_copy(pair), STAGING_REFUSED);
	pair->n_arrived = 0;
}

/* Also where memory for another buffer cannot be had, and the copy would hide the frame. */
static void refused_copy_hides_no_pixels(void **state)
{
	for (int reader = 0; reader < 3; reader++) {
		struct pair pair;
		pair_init(&pair, false, reader != 2);
		pair_replace_ring(&pair, reader == 0 ? NULL : &pair.gpus[1]);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		struct client_buffer *buffer = pair_create_client_buffer(true);
		for (int i = 0; i < 3; i++) {
			attach_refused(&pair, buffer, ENOMEM, 100);
			assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_LATE);
		}
		fake_gpu_fail_imports(pair.fakes[0], 0, 0);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		buffer_drop(&buffer->base);
		pair_finish(&pair);
	}
}

/* The client may draw nothing more, and nothing else need change. */
static void refused_copy_is_tried_again_without_other_events(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	struct client_buffer *buffer = pair_create_client_buffer(true);
	attach_refused(&pair, buffer, ENOMEM, 100);
	fake_gpu_fail_imports(pair.fakes[0], 0, 0);
	clock_advance(pair.clock, INT64_C(999999999));
	assert_int_equal(pair.n_arrived, 0);
	clock_advance(pair.clock, 1);
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	clock_advance(pair.clock, INT64_C(600000000000));
	pair_dispatch(&pair, 3);
	assert_int_equal(pair.n_arrived, 1);
	buffer_drop(&buffer->base);
	pair_finish(&pair);
}

/* An idle session stays idle with a window whose copies fail for ever. */
static void refused_copy_is_tried_a_few_times_for_each_update(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	struct client_buffer *buffer = pair_create_client_buffer(true);
	for (int update = 0; update < 2; update++) {
		attach_refused(&pair, buffer, ENOMEM, 100);
		for (int seconds = 0, seen = 0; seconds < 600; seconds++) {
			clock_advance(pair.clock, INT64_C(1000000000));
			if (pair.n_arrived > seen) {
				seen = pair.n_arrived;
				assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
			}
		}
		assert_int_equal(pair.n_arrived, 6);
		assert_false(staging_is_retrying(pair.ring));
	}
	/* Another error is remembered, so that tries would be in vain. */
	attach_refused(&pair, buffer, EINVAL, 100);
	assert_true(staging_is_refused_for_good(pair.ring));
	clock_advance(pair.clock, INT64_C(600000000000));
	assert_int_equal(pair.n_arrived, 0);
	fake_gpu_fail_imports(pair.fakes[0], 0, 0);
	buffer_drop(&buffer->base);
	pair_finish(&pair);
}

/* A window that appears again is tried again. */
static void refused_copy_of_invisible_surface_is_not_tried(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	struct client_buffer *buffer = pair_create_client_buffer(true);
	attach_refused(&pair, buffer, ENOMEM, 100);
	staging_set_seen(pair.ring, false);
	clock_advance(pair.clock, INT64_C(600000000000));
	assert_int_equal(pair.n_arrived, 0);
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED); /* for a capture */
	clock_advance(pair.clock, INT64_C(600000000000));
	assert_int_equal(pair.n_arrived, 0);
	staging_set_seen(pair.ring, true);
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	clock_advance(pair.clock, INT64_C(1000000000));
	assert_int_equal(pair.n_arrived, 1);
	fake_gpu_fail_imports(pair.fakes[0], 0, 0);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	buffer_drop(&buffer->base);
	pair_finish(&pair);
}

static void damage_box(struct pair *pair, int x, int y, int width, int height)
{
	pixman_region32_t damage;
	pixman_region32_init_rect(&damage, x, y, (unsigned)width, (unsigned)height);
	staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &damage);
	pixman_region32_fini(&damage);
}

/*
 * An engine that was opened again may refuse memory that it wrote before. The last frame stays on
 * screen.
 */
static void memory_refused_by_new_engine_is_replaced(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	pair_replace_ring(&pair, NULL);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	damage_box(&pair, 0, 0, 16, 16);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	struct staging_slot *slots = pair.ring->slots;
	assert_non_null(slots[1].buffer);
	assert_null(slots[2].buffer);

	/* Each buffer has pixels on screen. */
	gpu_engines_refuse(pair.ring->source, 0, slots[1].buffer, COPY_DESTINATION);
	damage_box(&pair, 100, 100, 16, 16);
	fake_gpu_hold(pair.fakes[0]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	fake_gpu_release(pair.fakes[0]);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	for (int i = 0; i < 4; i++) {
		pair_damage(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
	}
	pair_check_linear(&pair);
	pair_finish(&pair);
}

static void all_memory_refused_by_new_engine_is_replaced(void **state)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		struct pair pair;
		pair_init(&pair, false, true);
		pair.copier->only = "sdma";
		pair_replace_ring(&pair, cpu ? NULL : &pair.gpus[1]);
		for (int i = 0; i < 4; i++) {
			int fence = fake_fence_create();
			assert_int_equal(pair_copy(&pair), STAGING_READY);
			staging_read(pair.ring, i % STAGING_MAX, fence);
			damage_box(&pair, 0, i * 20, PAIR_SIDE, 20);
			fake_fence_signal(fence, 1);
			close(fence);
		}
		for (int i = 0; i < STAGING_MAX; i++) {
			if (pair.ring->slots[i].buffer) {
				gpu_engines_refuse(pair.ring->source, 0, pair.ring->slots[i].buffer,
					COPY_DESTINATION);
			}
		}
		for (int i = 0; i < 6; i++) {
			dmabuf_image_scramble(&pair.source->image);
			pair_damage(&pair);
			assert_int_equal(pair_copy(&pair), STAGING_READY);
			pair_check_linear(&pair);
		}
		pair_finish(&pair);
	}
}

/* Either the buffer in the reader's own memory or the one that copies cross into. */
static void memory_refused_by_new_engine_of_reader_is_replaced(void **state)
{
	for (int crossing = 0; crossing < 2; crossing++) {
		struct pair pair;
		pair_init(&pair, false, false);
		pair.copier->only = "sdma";
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		struct staging_ring *ring = pair.ring;
		assert_true(ring->slots[0].is_local);
		for (int i = 0; i < 4; i++) {
			struct buffer *buffer =
				crossing ? ring->crossing : ring->slots[i % 2].buffer;
			if (buffer) {
				gpu_engines_refuse(ring->local, 0, buffer,
					crossing ? COPY_SOURCE : COPY_DESTINATION);
			}
			dmabuf_image_scramble(&pair.source->image);
			staging_damage(ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
			enum staging_status status = pair_copy(&pair);
			for (int n = 0; n < 4 && status != STAGING_READY; n++) {
				struct staging_part parts[STAGING_MAX];
				int n_parts = staging_parts(ring, &pair.all, parts);
				assert_int_equal(n_parts, 1);
				staging_parts_finish(parts, n_parts);
				pair_dispatch(&pair, 3);
				pair.n_arrived = 0;
				status = pair_copy(&pair);
			}
			assert_int_equal(status, STAGING_READY);
			pair_check(&pair);
		}
		pair_finish(&pair);
	}
}

static void unused_engines_are_closed_at_once_without_linger_time(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 0;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_false(wl_list_empty(&pair.copier->gpus));
	staging_ring_destroy(pair.ring);
	assert_true(wl_list_empty(&pair.copier->gpus));
	pair_create_ring(&pair, &pair.gpus[1]);
	pair_finish(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_without_descriptors_protects_buffer),
		cmocka_unit_test(copy_without_descriptors_is_retried),
		cmocka_unit_test(engine_that_could_not_open_for_a_moment_is_opened_later),
		cmocka_unit_test(copy_failed_at_once_is_repeated),
		cmocka_unit_test(copies_are_repeated_after_reset),
		cmocka_unit_test(repeatedly_reset_engine_is_abandoned_for_a_while),
		cmocka_unit_test(lost_engine_is_recreated_without_a_thread),
		cmocka_unit_test(refusal_by_all_engines_is_remembered),
		cmocka_unit_test(refused_copy_hides_no_pixels),
		cmocka_unit_test(refused_copy_is_tried_again_without_other_events),
		cmocka_unit_test(refused_copy_is_tried_a_few_times_for_each_update),
		cmocka_unit_test(refused_copy_of_invisible_surface_is_not_tried),
		cmocka_unit_test(memory_refused_by_new_engine_is_replaced),
		cmocka_unit_test(all_memory_refused_by_new_engine_is_replaced),
		cmocka_unit_test(memory_refused_by_new_engine_of_reader_is_replaced),
		cmocka_unit_test(unused_engines_are_closed_at_once_without_linger_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
