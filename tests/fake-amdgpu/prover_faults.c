/* SPDX-License-Identifier: MIT */
/* Passing failures of proofs, on an emulated amdgpu. */

#include "copy/engine.h"
#include "copy/prover.h"
#include "fake.h"
#include "faults.h"
#include "gpu/gpu.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "util/clock.h"
#include "util/task.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>

#define PATH "/emulated/renderD128"
#define SIDE 64
#define SECOND INT64_C(1000000000)
/* Calls of one kind that a proof makes at most. */
#define CALLS_MAX 12

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

/* Proves the memory, once with the fault and once after it. Returns whether a call failed. */
static bool prove_twice(struct prover_world *world, const struct fault *fault, int call)
{
	faults_set(fault);
	int result = test(world);
	unsigned n = faults_count();
	faults_set(NULL);
	if (result != 0 || test(world) != 0) {
		fail_msg("%s, after %u: %s: %s", faults_call_name(call), fault->skip,
			strerror(fault->error), strerror(-result));
	}
	clock_advance(world->clock, 2 * SECOND);
	await(fake_gpu_counts(world->fake).files == 0, turn(world));
	fake_gpu_fault(world->fake);
	return n > 0;
}

static void single_failure_of_any_call_is_no_result(void **state)
{
	static const int errors[] = {
		ENOMEM, EMFILE, EBUSY, EIO, EAGAIN, EINTR, ENOSPC, ECANCELED, ENODEV};
	int n_failed = 0;
	for (int call = 0; call < FAKE_CALLS; call++) {
		for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
			struct fault fault = {.calls = 1U << call, .error = errors[e], .n = 1};
			if (call == FAKE_CALL_DESCRIPTOR && errors[e] != EMFILE) {
				continue;
			}
			while (fault.skip < CALLS_MAX && prove_twice(*state, &fault, call)) {
				fault.skip++;
				n_failed++;
			}
		}
	}
	print_message("%d failures\n", n_failed);
	assert_true(n_failed > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			single_failure_of_any_call_is_no_result, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("prover-faults", tests, NULL, NULL);
}
