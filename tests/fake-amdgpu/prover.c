/* SPDX-License-Identifier: MIT */
/* Proofs, on an emulated amdgpu, that a GPU can map memory of unknown origin. */

#include "copy/prover.h"
#include "copy/engine.h"
#include "fake.h"
#include "gpu/gpu.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "util/clock.h"
#include "util/task.h"
#include <drm_fourcc.h>
#include <errno.h>

#define PATH "/emulated/renderD128"
#define SIDE 64
#define SECOND INT64_C(1000000000)

struct prover_world {
	struct fake_gpu *fake;
	struct gpu gpu;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct tasks *tasks;
	struct copy_prover *prover;
	struct dmabuf memory;
};

static void create_memory(struct prover_world *world)
{
	void *map;

	/* A pitch that the engine could not copy. */
	dmabuf_init_linear(&world->memory, SIDE, SIDE, DRM_FORMAT_RGB888,
		fake_dmabuf_create(SIDE * SIDE * 3, &map), SIDE * 3);
}

static int set_up(void **state)
{
	static struct prover_world world;

	world = (struct prover_world){
		.fake = fake_gpu_create(fake_chip_find("navi21")),
		.gpu = {.render_path = (char *)PATH,
			.bus_id = (char *)PATH,
			.driver = (char *)"amdgpu",
			.seat = (char *)"seat0",
			.fd = -1},
		.loop = wl_event_loop_create(),
		.clock = clock_create_test(SECOND),
	};
	world.tasks = tasks_create(world.loop, world.clock);
	world.prover = copy_prover_create(world.tasks);
	fake_gpu_set_path(world.fake, PATH);
	create_memory(&world);
	*state = &world;
	return 0;
}

static void turn(struct prover_world *world)
{
	wl_event_loop_dispatch(world->loop, 0);
}

static int tear_down(void **state)
{
	struct prover_world *world = *state;

	copy_prover_destroy(world->prover);
	await(fake_gpu_counts(world->fake).files == 0, turn(world));
	assert_null(fake_gpu_fault(world->fake));
	tasks_destroy(world->tasks);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
	dmabuf_finish(&world->memory);
	fake_reset_all();
	return 0;
}

#define PENDING 1

static void handle_done(void *data, int result)
{
	int *to = data;

	*to = result;
}

static struct copy_proof *start(struct prover_world *world, int *result)
{
	struct copy_proof *proof = NULL;

	*result = PENDING;
	int error = copy_prover_start(
		world->prover, &world->gpu, &world->memory, handle_done, result, &proof);
	*result = error == -EINPROGRESS ? PENDING : error;
	return proof;
}

static int test(struct prover_world *world)
{
	int result;

	start(world, &result);
	await(result != PENDING, turn(world));
	return result;
}

static void memory_with_pages_is_usable(void **state)
{
	struct prover_world *world = *state;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(test(world), 0);
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
	assert_int_equal(test(world), -ENOMEM);
	assert_int_equal(test(world), -ENOMEM);
	assert_int_equal(fake_gpu_counts(world->fake).jobs, 0);
}

static void moment_without_memory_proves_nothing(void **state)
{
	struct prover_world *world = *state;

	assert_int_equal(test(world), 0);
	fake_gpu_fail_next(world->fake, ENOMEM, 1);
	assert_int_equal(test(world), 0);
}

/* A buffer that its client has closed must not stay pinned. */
static void last_memory_is_unmapped_after_some_time(void **state)
{
	struct prover_world *world = *state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(test(world), 0);
		assert_int_equal(fake_gpu_counts(world->fake).files, 1);
		clock_advance(world->clock, SECOND);
		assert_int_equal(test(world), 0);
		clock_advance(world->clock, 2 * SECOND - 1);
		assert_int_equal(fake_gpu_counts(world->fake).files, 1);
		clock_advance(world->clock, 1);
		await(fake_gpu_counts(world->fake).files == 0, turn(world));
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
		assert_int_equal(test(world), n == 1 ? 0 : -EAGAIN);
		fake_set_hook(NULL);
		clock_advance(world->clock, 2 * SECOND);
		await(fake_gpu_counts(world->fake).files == 0, turn(world));
	}
	assert_int_equal(test(world), 0);
}

/* Jobs that wait for fences of clients do not end the proofs. */
static void hung_queue_is_replaced(void **state)
{
	struct prover_world *world = *state;

	fake_gpu_hold(world->fake);
	for (int i = 0; i < 3 * COPY_JOBS_MAX; i++) {
		assert_int_equal(test(world), 0);
	}
	await(fake_gpu_counts(world->fake).files == 1, turn(world));
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
		assert_int_equal(test(world), 0);
	}
	assert_int_equal(fake_gpu_counts(world->fake).files, 3);
	copy_prover_destroy(world->prover);
	world->prover = NULL;
	fake_gpu_release(world->fake);
	await(fake_gpu_counts(world->fake).files == 0, turn(world));
	fake_gpu_fault(world->fake); /* their commands were freed before */
}

/* Devices that cannot be closed are limited in number. */
static void too_many_hung_queues_end_proofs(void **state)
{
	struct prover_world *world = *state;
	int n = 0;

	fake_gpu_hold(world->fake);
	fake_gpu_block(world->fake, FAKE_BLOCK_FREE);
	while (test(world) == 0) {
		n++;
		dmabuf_finish(&world->memory);
		create_memory(world);
	}
	assert_int_equal(n, TASK_QUOTA_MAX * COPY_JOBS_MAX + 1);
	assert_int_equal(test(world), -EBUSY);
	assert_int_equal(fake_gpu_counts(world->fake).files, TASK_QUOTA_MAX + 1);
	fake_gpu_release(world->fake);
	await(test(world) == 0, turn(world));
	fake_gpu_fault(world->fake); /* commands were freed before their contexts */
}

static void blocked_open_ends_the_proof_after_seconds(void **state)
{
	struct prover_world *world = *state;
	int first, second, third;

	fake_gpu_block(world->fake, FAKE_BLOCK_OPEN);
	start(world, &first);
	copy_proof_cancel(start(world, &second));
	start(world, &third);
	turn(world);
	assert_int_equal(first, PENDING);
	clock_advance(world->clock, 6 * SECOND);
	turn(world);
	assert_int_equal(first, -ETIMEDOUT);
	assert_int_equal(second, PENDING); /* cancelled */
	assert_int_equal(third, PENDING); /* on another thread */
	fake_gpu_block(world->fake, 0);
	await(third == 0, turn(world));
	/* The late thread closes its device. */
	await(fake_gpu_counts(world->fake).files == 1, turn(world));
}

static void prover_may_end_during_a_proof(void **state)
{
	struct prover_world *world = *state;
	int result, queued;

	fake_gpu_block(world->fake, FAKE_BLOCK_OPEN);
	copy_proof_cancel(start(world, &result));
	start(world, &queued);
	copy_prover_destroy(world->prover);
	world->prover = NULL;
	fake_gpu_block(world->fake, 0);
	await(fake_gpu_counts(world->fake).opened == 1, turn(world));
	assert_int_equal(result, PENDING);
	assert_int_equal(queued, PENDING);
}

static void other_gpus_prove_nothing(void **state)
{
	struct prover_world *world = *state;

	world->gpu.render_path = NULL;
	assert_int_not_equal(test(world), 0);
	assert_int_not_equal(test(world), -ENOMEM);
	world->gpu.render_path = (char *)PATH;
}

static void gpu_that_was_reset_is_opened_again(void **state)
{
	struct prover_world *world = *state;

	assert_int_equal(test(world), 0);
	fake_gpu_reset(world->fake);
	assert_int_equal(test(world), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_with_pages_is_usable),
		TEST(memory_without_pages_is_unusable),
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
