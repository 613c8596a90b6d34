/* SPDX-License-Identifier: MIT */
/* Staging memory that engines or the kernel refuse: its replacement, and its second chance. */

#include "gpu_pair.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>

static void change_source(struct pair *pair, uint64_t modifier)
{
	buffer_drop(&pair->source->base);
	pair->source = pair_create_client_buffer(true);
	pair->source->base.home = &pair->gpus[0];
	if (modifier != PAIR_MODIFIER) {
		dmabuf_image_finish(&pair->source->image);
		dmabuf_image_init_tiled(&pair->source->image, DRM_FORMAT_XRGB8888, PAIR_SIDE,
			PAIR_SIDE, modifier, 0);
	}
}

/* Copies through a new ring, as the commit after a refusal does. */
static enum staging_status copy_again(struct pair *pair)
{
	pair_replace_ring(pair, NULL);
	return pair_copy(pair);
}

/* The reason is reported once and remembered across commits. */
static void impossible_placement_is_reported_once(void **state)
{
	struct pair pair;
	const char *reason = NULL;

	pair_init(&pair, false, true);
	pair.copier->linger = 5000000000;
	pair.stride = 3;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason);
	assert_string_equal(reason, "no memory suits both its GPU and the GPU that shows it");
	uint64_t before = pair_imported(&pair);
	for (int i = 0; i < 5; i++) {
		pair_replace_ring(&pair, &pair.gpus[1]);
		assert_int_equal(
			staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
			STAGING_REFUSED);
	}
	assert_int_equal(pair_imported(&pair), before);
	pair_finish(&pair);
}

static void memory_refused_at_submission_is_replaced(void **state)
{
	struct pair pair;

	/* Trials begin with the engines that the GPU could have. */
	pair_init(&pair, false, true);
	pair.copier->linger = 5000000000;
	pair.source->image.dmabuf.modifier = PAIR_COMPRESSED;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	buffer_drop(&pair.source->base);
	pair.source = pair_create_client_buffer(true);
	pair.source->base.home = &pair.gpus[0];
	pair_replace_ring(&pair, NULL);
	uint64_t before = pair_imported(&pair);
	fake_gpu_fail_next(pair.fakes[0], EINVAL, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check_linear(&pair);
	assert_int_equal(pair_imported(&pair) - before, 3);
	assert_int_equal(staging_stats(pair.ring).bytes, PAIR_SIDE * PAIR_SIDE * 4);
	pair_finish(&pair);
}

/* A moment without memory is no reason for another engine, nor for other memory. */
static void submission_out_of_memory_is_repeated_once(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	for (int i = 0; i < 4; i++) {
		pair_damage(&pair);
		pair.n_arrived = 0;
		fake_gpu_fail_next(pair.fakes[0], ENOMEM, 1);
		assert_int_equal(pair_copy_once(&pair), STAGING_LATE);
		assert_true(staging_in_flight(pair.ring));
		assert_int_equal(pair.n_arrived, 0);
		clock_advance(pair.clock, INT64_C(100000000));
		assert_int_equal(pair.n_arrived, 1);
		assert_int_equal(pair_copy_until_decided(&pair), STAGING_READY);
		assert_string_equal(staging_stats(pair.ring).engine, "sdma");
		assert_false(pair.source->base.unmappable);
	}
	pair_finish(&pair);
}

/* Mesa's drivers would repeat its submission for ever: neither they nor the renderer get it. */
static void client_buffer_without_pages_is_refused(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	fake_dmabuf_drop_pages(pair.source->image.dmabuf.fd[0]);
	assert_int_equal(pair_copy_until_decided(&pair), STAGING_REFUSED);
	assert_true(pair.source->base.unmappable);
	/* The buffers of others are copied. */
	change_source(&pair, PAIR_MODIFIER);
	pair_replace_ring(&pair, &pair.gpus[1]);
	assert_int_equal(pair_copy_until_decided(&pair), STAGING_READY);
	assert_false(pair.source->base.unmappable);
	pair_check_linear(&pair);
	pair_finish(&pair);
}

/* The GPU's memory was full, twice in a row; the client goes on with the same buffers. */
static void client_buffer_is_copied_once_the_kernel_maps_it(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	const int fd = pair.source->image.dmabuf.fd[0];
	fake_dmabuf_drop_pages_for(pair.fakes[0], fd);
	assert_int_equal(pair_copy_until_decided(&pair), STAGING_REFUSED);
	assert_true(pair.source->base.unmappable);
	/* The engine tries again after five seconds, then ten. */
	clock_advance(pair.clock, INT64_C(6000000000));
	assert_int_equal(pair_copy_until_decided(&pair), STAGING_REFUSED);
	fake_dmabuf_drop_pages_for(NULL, fd);
	clock_advance(pair.clock, INT64_C(6000000000));
	assert_int_equal(pair_copy_once(&pair), STAGING_REFUSED);
	assert_true(pair.source->base.unmappable);
	clock_advance(pair.clock, INT64_C(5000000000));
	assert_int_equal(pair_copy_until_decided(&pair), STAGING_READY);
	assert_false(pair.source->base.unmappable);
	pair_check_linear(&pair);
	pair_finish(&pair);
}

/* Neither later commits nor other layouts repeat the trials. */
static void refusal_of_all_memory_at_submission_is_remembered(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	fake_gpu_fail_next(pair.fakes[0], EINVAL, 1000);
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	/* One retry, since engines were opened after the first one. */
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	uint64_t before = pair_imported(&pair);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	}
	assert_int_equal(pair_imported(&pair), before);

	fake_gpu_fail_next(pair.fakes[0], 0, 0);
	change_source(&pair, UINT64_C(0x0200000000000901));
	assert_int_equal(copy_again(&pair), STAGING_READY);
	pair_check_linear(&pair);
	change_source(&pair, PAIR_MODIFIER);
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	clock_advance(pair.clock, 5000000000);
	assert_int_equal(copy_again(&pair), STAGING_READY);
	pair_check_linear(&pair);
	pair_finish(&pair);
}

/* A placement that works for one size can fail for another size of its class. */
static void remembered_placement_is_replaced_when_refused(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair_check_linear(&pair), PAIR_SIDE * 4);
	pair_replace_ring(&pair, &pair.gpus[1]);
	pair.stride = 4096;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair_check_linear(&pair), 4096);
	pair_finish(&pair);
}

/* The reader's engine decides after it has opened; until then, the copy is late and not refused. */
static void placement_waits_for_engine_of_reader(void **state)
{
	struct pair pair;

	pair_init(&pair, true, false);
	fake_gpu_fail_imports(pair.fakes[1], EINVAL, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair.ring->crossing_search.allocation.from, ALLOCATION_SOURCE);
	assert_int_equal(pair.ring->crossing_search.allocation.alignment, 256);
	pair_check(&pair);
	pair_finish(&pair);
}

/* Out of memory is a temporary error. */
static void import_out_of_memory_is_retried(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	pair.copier->linger = 60000000000;
	fake_gpu_fail_imports(pair.fakes[0], ENOMEM, 1);
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	assert_int_equal(copy_again(&pair), STAGING_READY);
	pair_check_linear(&pair);
	/* Other errors are remembered. */
	change_source(&pair, PAIR_MODIFIER);
	fake_gpu_fail_imports(pair.fakes[0], EINVAL, 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	}
	pair_finish(&pair);
}

/* The new layout needs another engine, which refuses the ring's memory. */
static void client_changes_layout_and_engine(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	/* All engines are tried. */
	pair.source->image.dmabuf.modifier = PAIR_COMPRESSED;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	change_source(&pair, PAIR_MODIFIER);
	/* Each buffer twice, since the reader's engine opened between the first two. */
	for (int i = 0; i < 4; i++) {
		pair_damage(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
	}
	/* The chip lacks this layout; the CPU reads it. */
	change_source(&pair, UINT64_C(0x0200000000000a01));
	assert_int_equal(fcntl(pair.source->image.dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
	pair_damage(&pair);
	assert_int_not_equal(pair_copy_once(&pair), STAGING_REFUSED);
	while (staging_status(pair.ring, &pair.all) != STAGING_READY) {
		wl_event_loop_dispatch(pair.loop, -1);
	}
	assert_string_equal(staging_stats(pair.ring).engine, "cpu");
	pair_check_linear(&pair);
	pair_finish(&pair);
}

/* Waits for copies by the CPU, too, whose thread does not follow the clock. */
static void copy_until_ready(struct pair *pair)
{
	for (int i = 0; i < 1000 && pair_copy_once(pair) != STAGING_READY; i++) {
		while (pair->copier->n_opening > 0 || pair->ring->ring.slots[0].writing ||
			pair->ring->ring.slots[1].writing) {
			wl_event_loop_dispatch(pair->loop, -1);
		}
		clock_advance(pair->clock, INT64_C(100000000));
	}
	assert_int_equal(staging_status(pair->ring, &pair->all), STAGING_READY);
}

static enum allocation_from memory_of(const struct pair *pair)
{
	return pair->ring->slots[0].search.allocation.from;
}

static void map_source(struct pair *pair)
{
	assert_int_equal(fcntl(pair->source->image.dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
}

/*
 * The client's buffer is imported again by the time that the memory is there, which was chosen by
 * an engine without memory of its own.
 */
static void memory_chosen_by_one_engine_is_not_remembered_for_another(void **state)
{
	int n_stopgaps = 0;
	for (int n = 1; n < 6; n++) {
		struct pair pair;
		pair_init(&pair, false, true);
		pair.copier->linger = 60000000000;
		map_source(&pair);
		fake_gpu_fail_imports(pair.fakes[0], EIO, n);
		copy_again(&pair);
		copy_until_ready(&pair);
		n_stopgaps += memory_of(&pair) == ALLOCATION_SYSTEM &&
			      strcmp(staging_stats(pair.ring).engine, "sdma") == 0;
		fake_gpu_fail_imports(pair.fakes[0], 0, 0);
		copy_again(&pair);
		copy_until_ready(&pair);
		assert_string_equal(staging_stats(pair.ring).engine, "sdma");
		assert_int_equal(memory_of(&pair), ALLOCATION_SOURCE);
		pair_check_linear(&pair);
		pair_finish(&pair);
	}
	assert_true(n_stopgaps > 0);
}

/* The ring keeps its memory when the client draws on another GPU, which has better memory. */
static void memory_chosen_for_one_gpu_is_not_remembered_for_another(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION);
	assert_int_equal(copy_again(&pair), STAGING_READY);
	assert_int_equal(memory_of(&pair), ALLOCATION_SYSTEM);
	change_source(&pair, PAIR_MODIFIER);
	pair.source->base.home = &pair.gpus[1];
	for (int i = 0; i < STAGING_MAX; i++) {
		pair.n_arrived = 0;
		pair_damage(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
	}
	assert_int_equal(memory_of(&pair), ALLOCATION_SYSTEM);
	assert_int_equal(copy_again(&pair), STAGING_READY);
	assert_int_equal(memory_of(&pair), ALLOCATION_SOURCE);
	pair_check_linear(&pair);
	pair_finish(&pair);
}

static int fail_allocations(enum fake_call call)
{
	return call == FAKE_CALL_ALLOCATE ? ENOMEM : 0;
}

/* Replaces the ring's buffers while the kernel has no memory. */
static void run_short(struct pair *pair, uint32_t format)
{
	buffer_drop(&pair->source->base);
	pair->source = pair_create_formatted_buffer(true, PAIR_SIDE, PAIR_SIDE, format);
	pair->source->base.home = &pair->gpus[0];
	fake_set_hook(fail_allocations);
	staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, format, NULL);
	copy_until_ready(pair);
	assert_int_equal(memory_of(pair), ALLOCATION_SYSTEM);
}

static void draw_for(struct pair *pair, int64_t time)
{
	for (int64_t i = 0; i < time; i += INT64_C(1000000000)) {
		clock_advance(pair->clock, INT64_C(1000000000));
		staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, pair->source->base.format, NULL);
		copy_until_ready(pair);
	}
}

static bool has_best_memory(const struct pair *pair)
{
	bool best = true;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct staging_slot *slot = &pair->ring->slots[i];
		best &= !slot->buffer || slot->search.allocation.from == ALLOCATION_SOURCE;
	}
	return best;
}

/* The second shortage has nothing to do with the first one. */
static void better_memory_ends_the_doubling_of_pauses(void **state)
{
	const int64_t second = INT64_C(1000000000);
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	pair_replace_ring(&pair, NULL);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	run_short(&pair, DRM_FORMAT_ARGB8888);
	draw_for(&pair, 200 * second);
	assert_true(pair.ring->n_renewals > 3);
	fake_set_hook(NULL);
	draw_for(&pair, 200 * second);
	assert_true(has_best_memory(&pair));
	run_short(&pair, DRM_FORMAT_XRGB8888);
	fake_set_hook(NULL);
	draw_for(&pair, 20 * second);
	assert_true(has_best_memory(&pair));
	pair_finish(&pair);
}

/* Starts a ring whose memory is second best, for so many seconds. */
static void start_short(struct pair *pair, int seconds)
{
	pair_init(pair, false, true);
	pair->copier->only = "sdma";
	pair_replace_ring(pair, NULL);
	assert_int_equal(pair_copy(pair), STAGING_READY);
	run_short(pair, DRM_FORMAT_ARGB8888);
	draw_for(pair, seconds * INT64_C(1000000000));
	assert_false(has_best_memory(pair));
	fake_set_hook(NULL);
}

static void pause_before_better_memory_is_a_minute_at_most(void **state)
{
	for (int seconds = 10; seconds < 700; seconds += 13) {
		struct pair pair;
		start_short(&pair, seconds);
		draw_for(&pair, INT64_C(60000000000));
		assert_true(has_best_memory(&pair));
		pair_finish(&pair);
	}
}

/* Another ring of the session, with memory. */
static struct staging_ring *add_ring(struct pair *pair)
{
	const char *reason;
	struct staging_ring *ring = staging_ring_create(&pair->ring->reader, &pair->ring->user);
	staging_damage(ring, PAIR_SIDE, PAIR_SIDE, pair->source->base.format, NULL);
	assert_int_equal(
		staging_copy(ring, &pair->source->base, &pair->all, false, &reason), STAGING_READY);
	assert_true(staging_ring_memory(ring) > 0);
	return ring;
}

/* At the next copies, without a pause. */
static void events_end_the_pause_before_better_memory(void **state)
{
	enum { EVENT_NONE, EVENT_RETRY, EVENT_ENGINES, EVENT_DESTROYED, EVENT_RESIZED, EVENTS };
	for (int event = EVENT_NONE; event < EVENTS; event++) {
		struct pair pair;
		start_short(&pair, 310);
		struct staging_ring *other = add_ring(&pair);
		draw_for(&pair, INT64_C(6000000000));
		assert_false(has_best_memory(&pair));
		switch (event) {
		case EVENT_RETRY: staging_retry_memory(pair.staging); break;
		case EVENT_ENGINES: signal_emit(&pair.copier->events.engines, pair.copier); break;
		case EVENT_DESTROYED:
			staging_ring_destroy(other);
			other = NULL;
			break;
		case EVENT_RESIZED:
			staging_damage(
				other, PAIR_SIDE / 2, PAIR_SIDE, pair.source->base.format, NULL);
			break;
		default: break;
		}
		draw_for(&pair, INT64_C(3000000000));
		assert_int_equal(has_best_memory(&pair), event != EVENT_NONE);
		staging_ring_destroy(other);
		pair_finish(&pair);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(impossible_placement_is_reported_once),
		cmocka_unit_test(memory_refused_at_submission_is_replaced),
		cmocka_unit_test(submission_out_of_memory_is_repeated_once),
		cmocka_unit_test(client_buffer_without_pages_is_refused),
		cmocka_unit_test(client_buffer_is_copied_once_the_kernel_maps_it),
		cmocka_unit_test(refusal_of_all_memory_at_submission_is_remembered),
		cmocka_unit_test(remembered_placement_is_replaced_when_refused),
		cmocka_unit_test(placement_waits_for_engine_of_reader),
		cmocka_unit_test(import_out_of_memory_is_retried),
		cmocka_unit_test(client_changes_layout_and_engine),
		cmocka_unit_test(memory_chosen_by_one_engine_is_not_remembered_for_another),
		cmocka_unit_test(memory_chosen_for_one_gpu_is_not_remembered_for_another),
		cmocka_unit_test(better_memory_ends_the_doubling_of_pauses),
		cmocka_unit_test(pause_before_better_memory_is_a_minute_at_most),
		cmocka_unit_test(events_end_the_pause_before_better_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
