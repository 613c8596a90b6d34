/* SPDX-License-Identifier: MIT */
/* Proofs, on an emulated amdgpu, that a GPU can map memory of unknown origin. */

#include "copy/engine.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "prover_world.h"
#include <drm_fourcc.h>
#include <errno.h>

#define SECOND INT64_C(1000000000)

static void memory_with_pages_is_usable(void **state)
{
	struct prover_world *world = *state;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(prover_prove(world), 0);
	}
	struct fake_counts counts = fake_gpu_counts(world->fake);
	assert_int_equal(counts.files, 1);
	assert_int_equal(counts.opened, 1);
	assert_int_equal(counts.bytes, 0);
	assert_int_equal(counts.jobs, 3);
}

static void memory_without_pages_is_unusable(void **state)
{
	struct prover_world *world = *state;

	fake_dmabuf_drop_pages(world->memory.fd[0]);
	assert_int_equal(prover_prove(world), -ENOMEM);
	assert_int_equal(prover_prove(world), -ENOMEM);
	assert_int_equal(fake_gpu_counts(world->fake).jobs, 0);
}

/* Each plane of a client's buffer may have memory of its own. */
static void each_plane_is_proved(void **state)
{
	struct prover_world *world = *state;
	for (int plane = 0; plane < 3; plane++) {
		const uint32_t half = PROVER_SIDE / 2 * PROVER_SIDE;
		struct dmabuf video;
		void *map;
		dmabuf_init_linear(&video, PROVER_SIDE, PROVER_SIDE, DRM_FORMAT_NV12,
			fake_dmabuf_create(2 * half, &map), PROVER_SIDE);
		video.n_planes = 2;
		video.fd[1] = fake_dmabuf_create(2 * half, &map);
		video.stride[1] = PROVER_SIDE;
		if (plane < 2) {
			fake_dmabuf_drop_pages(video.fd[plane]);
		}
		const struct dmabuf memory = world->memory;
		world->memory = video;
		assert_int_equal(prover_prove(world), plane < 2 ? -ENOMEM : 0);
		world->memory = memory;
		/* The buffers of others are usable all the same. */
		assert_int_equal(prover_prove(world), 0);
		dmabuf_finish(&video);
	}
}

/* A refusal says nothing about the GPU. */
static void refused_memory_refuses_no_other(void **state)
{
	static const int errors[] = {EOPNOTSUPP, EINVAL, EPERM, EOPNOTSUPP};
	struct prover_world *world = *state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		fake_gpu_fail_imports(world->fake, errors[i], 1);
		assert_int_equal(prover_prove(world), -errors[i]);
		assert_int_equal(prover_prove(world), 0);
	}
}

static void moment_without_memory_proves_nothing(void **state)
{
	struct prover_world *world = *state;

	assert_int_equal(prover_prove(world), 0);
	fake_gpu_fail_next(world->fake, ENOMEM, 1);
	assert_int_equal(prover_prove(world), 0);
}

/* A buffer that its client has closed must not stay pinned. */
static void last_memory_is_unmapped_after_some_time(void **state)
{
	struct prover_world *world = *state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(prover_prove(world), 0);
		assert_int_equal(fake_gpu_counts(world->fake).files, 1);
		clock_advance(world->clock, SECOND);
		assert_int_equal(prover_prove(world), 0);
		clock_advance(world->clock, 2 * SECOND - 1);
		assert_int_equal(fake_gpu_counts(world->fake).files, 1);
		clock_advance(world->clock, 1);
		await(fake_gpu_counts(world->fake).files == 0, prover_turn(world));
		assert_int_equal(fake_gpu_counts(world->fake).mappings, 0);
	}
	assert_int_equal(fake_gpu_counts(world->fake).opened, 2);
	clock_advance(world->clock, 600 * SECOND);
}

static int n_shortages;

static int fail_contexts(enum fake_call call)
{
	return call == FAKE_CALL_CONTEXT && n_shortages-- > 0 ? ENOMEM : 0;
}

/* The memory is not taken for unmappable. */
static void device_that_cannot_open_for_a_moment_proves_nothing(void **state)
{
	struct prover_world *world = *state;
	for (int n = 1; n <= 100; n += 99) {
		n_shortages = n;
		fake_set_hook(fail_contexts);
		assert_int_equal(prover_prove(world), n == 1 ? 0 : -EAGAIN);
		fake_set_hook(NULL);
		clock_advance(world->clock, 2 * SECOND);
		await(fake_gpu_counts(world->fake).files == 0, prover_turn(world));
	}
	assert_int_equal(prover_prove(world), 0);
}

/* Jobs that wait for fences of clients do not end the proofs. */
static void hung_queue_is_replaced(void **state)
{
	struct prover_world *world = *state;

	fake_gpu_hold(world->fake);
	for (int i = 0; i < 3 * COPY_JOBS_MAX; i++) {
		assert_int_equal(prover_prove(world), 0);
	}
	await(fake_gpu_counts(world->fake).files == 1, prover_turn(world));
	assert_int_equal(fake_gpu_counts(world->fake).opened, 3);
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake); /* jobs of devices that were closed */
}

/* The kernel blocks the close until the jobs have ended, which clients decide. */
static void blocked_close_holds_up_neither_loop_nor_proofs(void **state)
{
	struct prover_world *world = *state;

	fake_gpu_hold(world->fake);
	fake_gpu_block(world->fake, FAKE_BLOCK_FREE);
	for (int i = 0; i < 3 * COPY_JOBS_MAX; i++) {
		assert_int_equal(prover_prove(world), 0);
	}
	assert_int_equal(fake_gpu_counts(world->fake).files, 3);
	copy_prover_destroy(world->prover);
	world->prover = NULL;
	fake_gpu_release(world->fake);
	await(fake_gpu_counts(world->fake).files == 0, prover_turn(world));
	fake_gpu_fault(world->fake); /* their commands were freed before */
}

/* Devices that cannot be closed are limited in number. */
static void too_many_hung_queues_end_proofs(void **state)
{
	struct prover_world *world = *state;
	int n = 0;

	fake_gpu_hold(world->fake);
	fake_gpu_block(world->fake, FAKE_BLOCK_FREE);
	while (prover_prove(world) == 0) {
		n++;
		dmabuf_finish(&world->memory);
		prover_create_memory(world);
	}
	assert_int_equal(n, TASK_QUOTA_MAX * COPY_JOBS_MAX + 1);
	assert_int_equal(prover_prove(world), -EBUSY);
	assert_int_equal(fake_gpu_counts(world->fake).files, TASK_QUOTA_MAX + 1);
	fake_gpu_release(world->fake);
	await(prover_prove(world) == 0, prover_turn(world));
	fake_gpu_fault(world->fake); /* commands were freed before their contexts */
}

static void blocked_open_ends_the_proof_after_seconds(void **state)
{
	struct prover_world *world = *state;
	int first, second, third;

	fake_gpu_block(world->fake, FAKE_BLOCK_OPEN);
	prover_start(world, &first);
	copy_proof_cancel(prover_start(world, &second));
	prover_start(world, &third);
	prover_turn(world);
	assert_int_equal(first, PROVER_PENDING);
	clock_advance(world->clock, 6 * SECOND);
	prover_turn(world);
	assert_int_equal(first, -ETIMEDOUT);
	assert_int_equal(second, PROVER_PENDING); /* cancelled */
	assert_int_equal(third, PROVER_PENDING); /* on another thread */
	fake_gpu_block(world->fake, 0);
	await(third == 0, prover_turn(world));
	/* The late thread closes its device. */
	await(fake_gpu_counts(world->fake).files == 1, prover_turn(world));
}

static void prover_may_end_during_a_proof(void **state)
{
	struct prover_world *world = *state;
	int result, queued;

	fake_gpu_block(world->fake, FAKE_BLOCK_OPEN);
	copy_proof_cancel(prover_start(world, &result));
	prover_start(world, &queued);
	copy_prover_destroy(world->prover);
	world->prover = NULL;
	fake_gpu_block(world->fake, 0);
	await(fake_gpu_counts(world->fake).opened == 1, prover_turn(world));
	assert_int_equal(result, PROVER_PENDING);
	assert_int_equal(queued, PROVER_PENDING);
}

static void other_gpus_prove_nothing(void **state)
{
	struct prover_world *world = *state;

	world->gpu.render_path = NULL;
	assert_int_not_equal(prover_prove(world), 0);
	assert_int_not_equal(prover_prove(world), -ENOMEM);
	world->gpu.render_path = (char *)PROVER_PATH;
}

static void gpu_that_was_reset_is_opened_again(void **state)
{
	struct prover_world *world = *state;

	assert_int_equal(prover_prove(world), 0);
	fake_gpu_reset(world->fake);
	assert_int_equal(prover_prove(world), 0);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, prover_world_set_up, prover_world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_with_pages_is_usable),
		TEST(memory_without_pages_is_unusable),
		TEST(each_plane_is_proved),
		TEST(refused_memory_refuses_no_other),
		TEST(moment_without_memory_proves_nothing),
		TEST(last_memory_is_unmapped_after_some_time),
		TEST(device_that_cannot_open_for_a_moment_proves_nothing),
		TEST(hung_queue_is_replaced),
		TEST(blocked_close_holds_up_neither_loop_nor_proofs),
		TEST(too_many_hung_queues_end_proofs),
		TEST(blocked_open_ends_the_proof_after_seconds),
		TEST(prover_may_end_during_a_proof),
		TEST(other_gpus_prove_nothing),
		TEST(gpu_that_was_reset_is_opened_again),
	};

	return cmocka_run_group_tests_name("prover", tests, NULL, NULL);
}
