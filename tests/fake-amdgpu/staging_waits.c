/* SPDX-License-Identifier: MIT */
/* Copies of staging rings that wait for a free buffer or memory, and are reported later. */

#include "gpu_pair.h"
#include "harness/unit.h"
#include <errno.h>
#include <unistd.h>

/* The other output's frames need no copy, and must not end the wait. */
static void skipped_copy_follows_although_another_output_draws(void **state)
{
	pixman_region32_t left, right;
	struct pair pair;
	const char *reason;

	pair_init(&pair, false, true);
	int fence = fake_fence_create();
	pixman_region32_init_rect(&left, 0, 0, PAIR_SIDE / 2, PAIR_SIDE);
	pixman_region32_init_rect(&right, PAIR_SIDE / 2, 0, PAIR_SIDE / 2, PAIR_SIDE);
	for (int i = 0; i < STAGING_MAX; i++) {
		pair_damage(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		staging_read(pair.ring, i, fence);
	}
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &left);
	struct buffer *source = &pair.source->base;
	assert_int_equal(staging_copy(pair.ring, source, &left, false, &reason), STAGING_LATE);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			staging_copy(pair.ring, source, &right, false, &reason), STAGING_READY);
	}
	fake_fence_signal(fence, 1);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(staging_copy(pair.ring, source, &left, false, &reason), STAGING_READY);
	/* Once: pixels that have arrived are not reported again. */
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	pixman_region32_fini(&left);
	pixman_region32_fini(&right);
	close(fence);
	pair_finish(&pair);
}

/* The same while the kernel is out of memory for a moment. */
static void copy_that_waits_for_memory_follows_although_another_output_draws(void **state)
{
	pixman_region32_t left, right;
	struct pair pair;
	const char *reason;

	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	pixman_region32_init_rect(&left, 0, 0, PAIR_SIDE / 2, PAIR_SIDE);
	pixman_region32_init_rect(&right, PAIR_SIDE / 2, 0, PAIR_SIDE / 2, PAIR_SIDE);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &left);
	fake_gpu_fail_next(pair.fakes[0], ENOMEM, 1);
	struct buffer *source = &pair.source->base;
	assert_int_equal(staging_copy(pair.ring, source, &left, false, &reason), STAGING_LATE);
	assert_int_equal(staging_copy(pair.ring, source, &right, false, &reason), STAGING_READY);
	assert_true(staging_in_flight(pair.ring));
	clock_advance(pair.clock, INT64_C(200000000));
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	assert_false(staging_in_flight(pair.ring));
	assert_int_equal(staging_copy(pair.ring, source, &left, false, &reason), STAGING_READY);
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	pixman_region32_fini(&left);
	pixman_region32_fini(&right);
	pair_finish(&pair);
}

/* Scan-out locks buffers and unlocks them one by one. */
static void locked_buffers_are_not_written(void **state)
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
		pair_damage(&pair);
	}
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	/* The presented buffer is not written in any case. */
	buffer_unlock(locked[STAGING_MAX - 1]);
	pair_dispatch(&pair, 1);
	assert_int_equal(pair.n_arrived, 0);
	buffer_lock(locked[STAGING_MAX - 1]);
	buffer_unlock(locked[0]);
	assert_int_equal(pair.n_arrived, 0);
	pair_dispatch(&pair, 1);
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	/* The ring is destroyed while it waits. */
	buffer_lock(locked[0]);
	pair_damage(&pair);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	staging_ring_destroy(pair.ring);
	pair.ring = NULL;
	for (int i = 0; i < STAGING_MAX; i++) {
		buffer_unlock(locked[i]);
	}
	pair_finish(&pair);
	assert_int_equal(pair.n_arrived, 1);
}

/*
 * A capture that waits for a free buffer learns that the frame of an output has copied its pixels
 * at once.
 */
static void skipped_copy_that_another_request_makes_is_reported(void **state)
{
	pixman_region32_t left;
	struct pair pair;
	const char *reason;

	pair_init(&pair, false, true);
	int fence = fake_fence_create();
	pixman_region32_init_rect(&left, 0, 0, PAIR_SIDE / 2, PAIR_SIDE);
	for (int i = 0; i < STAGING_MAX; i++) {
		pair_damage(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		staging_read(pair.ring, i, fence);
	}
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &left);
	struct buffer *source = &pair.source->base;
	assert_int_equal(staging_copy(pair.ring, source, &left, false, &reason), STAGING_LATE);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 0);
	fake_fence_signal(fence, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair.n_arrived, 0);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	/* Nothing waits any more. */
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &left);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	pixman_region32_fini(&left);
	close(fence);
	pair_finish(&pair);
}

/* The kernel is busy when a capture needs the pixels, and refuses them to an output after that. */
static void refusal_ends_the_wait(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
	fake_gpu_fail_next(pair.fakes[0], EBUSY, 1);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	assert_true(staging_in_flight(pair.ring));
	fake_gpu_fail_next(pair.fakes[0], EINVAL, 1000);
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	assert_int_equal(pair.n_arrived, 0);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	assert_false(staging_in_flight(pair.ring));
	/* Once: the next refusal ends no wait. */
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	fake_gpu_fail_next(pair.fakes[0], 0, 0);
	pair_finish(&pair);
}

/*
 * Submissions fail, and there is no memory for another buffer: the only one, which is shown, is
 * refused too.
 */
static void pixels_stay_while_memory_is_short(void **state)
{
	for (int source = 0; source < 2; source++) {
		struct pair pair;
		pair_init(&pair, source, true);
		pair.copier->only = "sdma";
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		for (int i = 0; i < 8; i++) {
			staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
			fake_gpu_fail_next(pair.fakes[0], ENOMEM, 1000);
			for (int j = 0; j < 20; j++) {
				pair_copy(&pair);
				assert_int_equal(
					staging_status(pair.ring, &pair.all), STAGING_LATE);
				clock_advance(pair.clock, INT64_C(100000000));
				pair_dispatch(&pair, 4);
			}
		}
		fake_gpu_fail_next(pair.fakes[0], 0, 0);
		pair_finish(&pair);
	}
}

/* A copy for the other output succeeds before the next try. */
static void refused_copy_is_tried_again_although_another_output_draws(void **state)
{
	pixman_region32_t halves[2];
	struct pair pair;
	const char *reason;

	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	for (int i = 0; i < 2; i++) {
		pixman_region32_init_rect(
			&halves[i], i * PAIR_SIDE / 2, 0, PAIR_SIDE / 2, PAIR_SIDE);
	}
	staging_set_shown(pair.ring, &pair.all);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	for (int i = 0; i < 2; i++) {
		struct buffer *source = &pair.source->base;
		dmabuf_image_scramble(&pair.source->image);
		pair_damage(&pair);
		fake_gpu_fail_next(pair.fakes[0], EIO, 100);
		assert_int_equal(staging_copy(pair.ring, source, &halves[i], false, &reason),
			STAGING_REFUSED);
		assert_true(staging_is_retrying(pair.ring));
		fake_gpu_fail_next(pair.fakes[0], 0, 0);
		staging_set_shown(pair.ring, &halves[!i]);
		staging_copy(pair.ring, source, &halves[!i], false, &reason);
		assert_int_equal(staging_status(pair.ring, &halves[!i]), STAGING_READY);
		pair_dispatch(&pair, 4);
		pair.n_arrived = 0;
		clock_advance(pair.clock, INT64_C(1000000000));
		pair_dispatch(&pair, 4);
		assert_int_equal(pair.n_arrived, 1);
		pair.n_arrived = 0;
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_false(staging_is_retrying(pair.ring));
		pair_check(&pair);
	}
	for (int i = 0; i < 2; i++) {
		pixman_region32_fini(&halves[i]);
	}
	pair_finish(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_copy_is_tried_again_although_another_output_draws),
		cmocka_unit_test(skipped_copy_follows_although_another_output_draws),
		cmocka_unit_test(copy_that_waits_for_memory_follows_although_another_output_draws),
		cmocka_unit_test(locked_buffers_are_not_written),
		cmocka_unit_test(skipped_copy_that_another_request_makes_is_reported),
		cmocka_unit_test(refusal_ends_the_wait),
		cmocka_unit_test(pixels_stay_while_memory_is_short),
	};
	return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
