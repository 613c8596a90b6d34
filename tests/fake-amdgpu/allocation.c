/* Tests of what the memory of staging rings is made of, between two emulated GPUs. */

#include "pair.h"
#include "staging/cropped_buffer.h"
#include "staging/ring.h"
#include "unit.h"
#include <errno.h>
#include <fcntl.h>

/* Of what the CPU reads: the engine's own memory, else any, with rows as the driver takes them. */
static void test_placed(void **state)
{
	static const struct {
		unsigned refusals;
		uint32_t stride;
		uint64_t imports; /* of the client's picture, and of what is tried */
	} cases[] = {
		{FAKE_REFUSE_NONE, PAIR_SIDE * 4, 2},
		{FAKE_REFUSE_FOREIGN, PAIR_SIDE * 4, 2},
		{FAKE_REFUSE_ALLOCATION, PAIR_SIDE * 4, 2},
		{FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_SMALL, 4096, 4},
	};
	struct pair pair;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pair_init(&pair, false, true);
		staging_ring_destroy(pair.ring);
		pair_create_ring(&pair, NULL);
		fake_gpu_refuse(pair.fakes[0], cases[i].refusals);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_int_equal(pair_check_linear(&pair), cases[i].stride);
		assert_int_equal(pair_imported(&pair), cases[i].imports);
		/* Another ring tries nothing any more. */
		staging_ring_destroy(pair.ring);
		pair.copier->linger = 1;
		pair_create_ring(&pair, NULL);
		pair_copy(&pair);
		uint64_t before = pair_imported(&pair);
		staging_ring_destroy(pair.ring);
		pair_create_ring(&pair, NULL);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_int_equal(pair_imported(&pair) - before, 1);
		assert_int_equal(pair_check_linear(&pair), cases[i].stride);
		pair_finish(&pair);
	}
}

/* Of what another GPU samples: its own memory first, with rows as it takes them. */
static void test_placed_for_reader(void **state)
{
	static const struct {
		uint32_t stride;
		unsigned refusals;
		uint32_t found;
	} cases[] = {
		{1024, FAKE_REFUSE_NONE, 1024},
		{4096, FAKE_REFUSE_NONE, 4096},
		{4096, FAKE_REFUSE_FOREIGN | FAKE_REFUSE_ALLOCATION, 4096},
	};
	struct pair pair;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pair_init(&pair, false, true);
		pair.stride = cases[i].stride;
		fake_gpu_refuse(pair.fakes[0], cases[i].refusals);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_int_equal(pair_check_linear(&pair), cases[i].found);
		pair_finish(&pair);
	}
}

/* Of a buffer that no CPU reads a part is none either. */
static void test_cropped(void **state)
{
	struct buffer *wide = &pair_make(false)->base;
	struct buffer *cropped;
	size_t stride;
	void *data;

	assert_int_equal(cropped_buffer_create(wide, 100, &cropped), 0);
	assert_int_equal(cropped->width, 100);
	assert_int_equal(buffer_dmabuf(cropped)->width, 100);
	assert_int_equal(buffer_dmabuf(cropped)->stride[0], buffer_dmabuf(wide)->stride[0]);
	assert_int_equal(buffer_begin_access(cropped, BUFFER_READ, &data, &stride), -ENOTSUP);
	buffer_drop(cropped);
	fake_reset_all();
}

/* Nothing works: it is said, with the reason, and not tried again at each commit. */
static void test_unplaced(void **state)
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
		staging_ring_destroy(pair.ring);
		pair_create_ring(&pair, &pair.gpus[1]);
		assert_int_equal(
			staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
			STAGING_REFUSED);
	}
	assert_int_equal(pair_imported(&pair), before);
	pair_finish(&pair);
}

/* What is only refused when it is to be written is found out by the first copy. */
static void test_refused_at_submission(void **state)
{
	struct pair pair;

	/* All engines that the GPU could have are asked for first. */
	pair_init(&pair, false, true);
	pair.copier->linger = 5000000000;
	pair.source->picture.dmabuf.modifier = PAIR_COMPRESSED;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	buffer_drop(&pair.source->base);
	pair.source = pair_make(true);
	pair.source->base.home = &pair.gpus[0];
	staging_ring_destroy(pair.ring);
	pair_create_ring(&pair, NULL);
	uint64_t before = pair_imported(&pair);
	fake_gpu_fail_next(pair.fakes[0], EINVAL, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check_linear(&pair);
	assert_int_equal(pair_imported(&pair) - before, 3);
	assert_int_equal(staging_stats(pair.ring).bytes, PAIR_SIDE * PAIR_SIDE * 4);
	pair_finish(&pair);
}

static void change_source(struct pair *pair, uint64_t modifier)
{
	buffer_drop(&pair->source->base);
	pair->source = pair_make(true);
	pair->source->base.home = &pair->gpus[0];
	if (modifier != PAIR_MODIFIER) {
		picture_finish(&pair->source->picture);
		picture_init_tiled(&pair->source->picture, DRM_FORMAT_XRGB8888, PAIR_SIDE,
			PAIR_SIDE, modifier, 0);
	}
}

/* Another commit after one that was refused: a ring of its own. */
static enum staging_status copy_again(struct pair *pair)
{
	staging_ring_destroy(pair->ring);
	pair_create_ring(pair, NULL);
	return pair_copy(pair);
}

/* All memory is refused when it is to be written: that is not tried again at each commit, nor of other layouts. */
static void test_all_refused_at_submission(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	fake_gpu_fail_next(pair.fakes[0], EINVAL, 1000);
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	/* Once more, since engines were opened meanwhile. */
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

/* What worked once need not do so for all sizes of its class. */
static void test_remembered_refused(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair_check_linear(&pair), PAIR_SIDE * 4);
	staging_ring_destroy(pair.ring);
	pair_create_ring(&pair, &pair.gpus[1]);
	pair.stride = 4096;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair_check_linear(&pair), 4096);
	pair_finish(&pair);
}

/* Whether the reader's engine takes it cannot be said before another one was opened: that is no refusal. */
static void test_engine_awaited(void **state)
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

/* That there is no memory for the client's picture now says nothing about the next time. */
static void test_import_short_of_memory(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	pair.copier->linger = 60000000000;
	fake_gpu_fail_imports(pair.fakes[0], ENOMEM, 1);
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	assert_int_equal(copy_again(&pair), STAGING_READY);
	pair_check_linear(&pair);
	/* What is no such error is remembered. */
	change_source(&pair, PAIR_MODIFIER);
	fake_gpu_fail_imports(pair.fakes[0], EINVAL, 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	}
	pair_finish(&pair);
}

static void commit(struct pair *pair)
{
	staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
}

/* The client goes on with pictures that another engine takes, which does not take the memory of those before. */
static void test_other_layout(void **state)
{
	const char *reason;
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	/* All engines are asked for. */
	pair.source->picture.dmabuf.modifier = PAIR_COMPRESSED;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	change_source(&pair, PAIR_MODIFIER);
	/* Each buffer twice: between the first two the reader's own engine was opened. */
	for (int i = 0; i < 4; i++) {
		commit(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
	}
	/* This layout is none of the chip's, and the CPU reads it. */
	change_source(&pair, UINT64_C(0x0200000000000a01));
	assert_int_equal(fcntl(pair.source->picture.dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
	commit(&pair);
	assert_int_not_equal(staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
		STAGING_REFUSED);
	while (staging_status(pair.ring, &pair.all) != STAGING_READY) {
		wl_event_loop_dispatch(pair.loop, -1);
	}
	assert_string_equal(staging_stats(pair.ring).engine, "cpu");
	pair_check_linear(&pair);
	pair_finish(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_placed),
		cmocka_unit_test(test_placed_for_reader),
		cmocka_unit_test(test_cropped),
		cmocka_unit_test(test_unplaced),
		cmocka_unit_test(test_refused_at_submission),
		cmocka_unit_test(test_all_refused_at_submission),
		cmocka_unit_test(test_remembered_refused),
		cmocka_unit_test(test_engine_awaited),
		cmocka_unit_test(test_import_short_of_memory),
		cmocka_unit_test(test_other_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
