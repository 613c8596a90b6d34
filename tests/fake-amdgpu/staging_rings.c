/* SPDX-License-Identifier: MIT */
/* Staging rings between two emulated GPUs, integrated and discrete. */

#include "gpu_pair.h"
#include "harness/unit.h"
#include "staging/system_memory.h"
#include <errno.h>
#include <unistd.h>

static void try_pair(bool source_integrated, bool reader_integrated)
{
	struct pair pair;
	pixman_region32_t damage;

	pair_init(&pair, source_integrated, reader_integrated);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	assert_int_equal(staging_stats(pair.ring).bytes, PAIR_SIDE * PAIR_SIDE * 4);
	/* A reader with memory of its own copies from system memory with its own engine. */
	assert_int_equal(
		staging_stats(pair.ring).local, reader_integrated ? 0 : PAIR_SIDE * PAIR_SIDE * 4);
	assert_int_equal(fake_gpu_counts(pair.fakes[1]).jobs, reader_integrated ? 0 : 1);

	/* During the copy, the previous buffer stays readable and is not written. */
	dmabuf_image_scramble(&pair.source->image);
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
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	assert_int_equal(pair.source->base.n_locks, 0);
	pair_check(&pair);
	pixman_region32_fini(&damage);
	pair_finish(&pair);
}

static void buffer_is_copied_from_integrated_to_discrete(void **state)
{
	try_pair(true, false);
}

static void buffer_is_copied_from_discrete_to_integrated(void **state)
{
	try_pair(false, true);
}

static void buffer_is_copied_from_discrete_to_discrete(void **state)
{
	try_pair(false, false);
}

/*
 * Shows the next buffer, of which 32x16 pixels are new; a pass reads it until the one after is
 * shown.
 */
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
			uint8_t *pixel = dmabuf_image_element(
				&pair->source->image, (uint32_t)i * 20 + x, (uint32_t)i * 10 + y);

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

/* Other staging buffers get the missing pixels from the newest one. */
static void damage_is_copied_once_across_gpus(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	int fences[2] = {fake_fence_create(), fake_fence_create()};
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

/* Draws into a square of the client's buffer. */
static void draw_square(struct pair *pair, uint32_t x, uint32_t y, uint8_t value)
{
	pixman_region32_t damage;

	for (uint32_t i = 0; i < 20 * 20; i++) {
		*dmabuf_image_element(&pair->source->image, x + i % 20, y + i / 20) = value;
	}
	pixman_region32_init_rect(&damage, (int)x, (int)y, 20, 20);
	staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &damage);
	pixman_region32_fini(&damage);
}

/* The second update is copied while the first one is in flight, which no other buffer has yet. */
static void pixels_in_flight_are_not_taken_from_another_buffer(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	fake_gpu_hold(pair.fakes[0]);
	draw_square(&pair, 5, 5, 99);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	draw_square(&pair, 100, 100, 98);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	pair_dispatch(&pair, 4);
	assert_int_equal(staging_stats(pair.ring).copies, 3);
	fake_gpu_release(pair.fakes[0]);
	pair_dispatch(&pair, 4);
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	pair_check(&pair);
	pair_finish(&pair);
}

/* The previous buffer stays readable and the client's buffer stays locked. */
static void buffer_is_completed_from_another_before_it_is_shown(void **state)
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
	pair_dispatch(&pair, 4);
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	assert_int_equal(pair.source->base.n_locks, 0);
	assert_int_equal(staging_stats(pair.ring).bytes, PAIR_SIDE * PAIR_SIDE * 4 + 20 * 20 * 4);
	pair_check(&pair);

	/* The ring is destroyed during that copy. */
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

/* With all buffers in use, the copy is skipped. */
static void buffer_is_not_written_while_a_pass_reads_it(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	int fence = fake_fence_create();
	pair_read_all(&pair, fence);
	assert_int_equal(staging_stats(pair.ring).copies, STAGING_MAX);
	assert_int_equal(staging_stats(pair.ring).skipped, 1);
	/* The ring notifies after one of the passes, since there is no other event. */
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 0);
	fake_fence_signal(fence, 1);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	close(fence);
	pair_finish(&pair);
}

static bool never(void *data)
{
	return false;
}

/* The last of more copies than an engine queues runs after the others. */
static void copy_beyond_queue_limit_is_done_later(void **state)
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
	pair_dispatch(&pair, 4);
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

/*
 * Replaces the client's buffer by one of another GPU. Returns the previous buffer; the caller drops
 * it.
 */
static struct client_buffer *move_source(struct pair *pair, struct gpu *gpu)
{
	struct client_buffer *before = pair->source;
	pair->source = pair_create_client_buffer(true);
	pair->source->base.home = gpu;
	pair_damage(pair);
	return before;
}

/* The third GPU has no access to the previous buffers. */
static void client_moves_to_third_gpu_while_buffer_is_completed(void **state)
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
	struct client_buffer *before = move_source(&pair, &third);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	uint64_t imported = fake_gpu_counts(fake).imported;
	fake_gpu_release(pair.fakes[1]);
	pair_dispatch(&pair, 4);
	assert_int_equal(fake_gpu_counts(fake).imported, imported);
	assert_int_equal(before->base.n_locks, 0);
	pair.n_arrived = 0;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	buffer_drop(&before->base);
	pixman_region32_fini(&damage);
	pair_finish(&pair);
}

/* The duration of that copy does not count for the third GPU. */
static void client_moves_to_third_gpu_during_copy(void **state)
{
	struct gpu third;
	struct pair pair;

	pair_init(&pair, false, true);
	pair_add_gpu(&third, "/emulated/renderD130", "navi21", false);
	third.vendor = third.device = 3;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_damage(&pair);
	fake_gpu_hold(pair.fakes[0]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	struct client_buffer *before = move_source(&pair, &third);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	fake_gpu_release(pair.fakes[0]);
	pair_dispatch(&pair, 4);
	assert_int_equal(before->base.n_locks, 0);
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	pair_check(&pair);
	assert_ptr_equal(
		cost_table_get(&pair.copier->costs, "0003:0003>integrated", COST_SDMA, COST_OUT),
		cost_default(COST_SDMA, COST_OUT));
	buffer_drop(&before->base);
	pair_finish(&pair);
}

/* The buffer with the newest contents stays, regardless of readers of the others. */
static void unseen_ring_keeps_one_buffer(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	int fence = fake_fence_create();
	for (int i = 0; i < 2; i++) {
		pair_damage(&pair);
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

static void budget_frees_unseen_rings_first(void **state)
{
	struct staging_ring *unseen;
	struct pair pair;

	pair_init(&pair, false, true);
	for (int i = 0; i < 2; i++) {
		pair_damage(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
	}
	assert_int_equal(pair.staging->memory, 2 * PAIR_SIDE * PAIR_SIDE * 4);
	staging_set_seen(pair.ring, false);
	pair.staging->memory_most = PAIR_SIDE * PAIR_SIDE * 4;
	unseen = pair.ring;
	pair_create_ring(&pair, &pair.gpus[1]);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	/* One buffer each: the unseen ring keeps its contents. */
	assert_int_equal(pair.staging->memory, 2 * PAIR_SIDE * PAIR_SIDE * 4);
	assert_int_equal(staging_status(unseen, &pair.all), STAGING_READY);
	staging_ring_destroy(unseen);
	pair_finish(&pair);
}

/* Pixels missing in a buffer besides the damage are already in system memory. */
static void damage_is_read_once_from_discrete_source(void **state)
{
	struct pair pair;

	pair_init(&pair, true, false);
	int fences[2] = {fake_fence_create(), fake_fence_create()};
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	for (int i = 0; i < 8; i++) {
		struct staging_stats before = staging_stats(pair.ring);
		show_next(&pair, i, &fences[i % 2]);
		assert_int_equal(staging_stats(pair.ring).bytes - before.bytes, 32 * 16 * 4);
	}
	close(fences[0]);
	close(fences[1]);
	/* The reader's own copies do not count as crossed. */
	assert_true(staging_stats(pair.ring).local > 0);
	assert_int_equal(pair.copier->totals.bytes, staging_stats(pair.ring).bytes);
	pair_finish(&pair);
}

/* A failed copy is repeated; later buffers wait for it. */
static void copies_from_discrete_source_are_serialized(void **state)
{
	struct pair pair;
	pixman_region32_t damage;

	pair_init(&pair, true, false);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	uint64_t bytes = staging_stats(pair.ring).bytes;
	pixman_region32_init_rect(&damage, 5, 5, 20, 20);
	dmabuf_image_scramble(&pair.source->image);
	pair_damage(&pair);
	fake_gpu_hold(pair.fakes[0]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	staging_damage(pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &damage);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	assert_int_equal(staging_stats(pair.ring).copies, 2);
	fake_gpu_reset(pair.fakes[0]);
	fake_gpu_release(pair.fakes[0]);
	pair_dispatch(&pair, 4);
	pair.n_arrived = 0;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	assert_int_equal(staging_stats(pair.ring).bytes - bytes, 2 * PAIR_SIDE * PAIR_SIDE * 4);
	pixman_region32_fini(&damage);
	pair_finish(&pair);
}

/*
 * Linear buffers of a GPU without a copy engine are read in place from system memory and copied out
 * of VRAM.
 */
static void linear_buffer_is_read_in_place_or_copied_by_cpu(void **state)
{
	struct pair pair;

	for (int discrete = 0; discrete < 2; discrete++) {
		pair_init_chip(&pair, "ringless", !discrete, true);
		assert_int_equal(system_memory_allocate(PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888,
					 256, &pair.from),
			0);
		pair.from->home = &pair.gpus[0];
		pair_replace_ring(&pair, NULL);
		enum staging_status status = pair_copy(&pair);
		while (status == STAGING_ABSENT) {
			/* The CPU copies on a thread. */
			assert_true(discrete);
			wl_event_loop_dispatch(pair.loop, -1);
			status = staging_status(pair.ring, &pair.all);
		}
		assert_int_equal(status, discrete ? STAGING_READY : STAGING_POINTLESS);
		buffer_drop(pair.from);
		pair_finish(&pair);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffer_is_copied_from_integrated_to_discrete),
		cmocka_unit_test(buffer_is_copied_from_discrete_to_integrated),
		cmocka_unit_test(buffer_is_copied_from_discrete_to_discrete),
		cmocka_unit_test(damage_is_copied_once_across_gpus),
		cmocka_unit_test(buffer_is_completed_from_another_before_it_is_shown),
		cmocka_unit_test(pixels_in_flight_are_not_taken_from_another_buffer),
		cmocka_unit_test(buffer_is_not_written_while_a_pass_reads_it),
		cmocka_unit_test(copy_beyond_queue_limit_is_done_later),
		cmocka_unit_test(client_moves_to_third_gpu_while_buffer_is_completed),
		cmocka_unit_test(client_moves_to_third_gpu_during_copy),
		cmocka_unit_test(unseen_ring_keeps_one_buffer),
		cmocka_unit_test(budget_frees_unseen_rings_first),
		cmocka_unit_test(damage_is_read_once_from_discrete_source),
		cmocka_unit_test(copies_from_discrete_source_are_serialized),
		cmocka_unit_test(linear_buffer_is_read_in_place_or_copied_by_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
