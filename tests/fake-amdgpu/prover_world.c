/* SPDX-License-Identifier: MIT */
/* World of tests of proofs. */

#include "prover_world.h"
#include "harness/await.h"
#include "harness/unit.h"
#include <drm_fourcc.h>
#include <errno.h>

#define SECOND INT64_C(1000000000)

void prover_create_memory(struct prover_world *world)
{
	void *map;

	/* A pitch that the engine could not copy. */
	dmabuf_init_linear(&world->memory, PROVER_SIDE, PROVER_SIDE, DRM_FORMAT_RGB888,
		fake_dmabuf_create(PROVER_SIDE * PROVER_SIDE * 3, &map), PROVER_SIDE * 3);
}

int prover_world_set_up(void **state)
{
	static struct prover_world world;

	world = (struct prover_world){
		.fake = fake_gpu_create(fake_chip_find("navi21")),
		.gpu = {.render_path = (char *)PROVER_PATH,
			.bus_id = (char *)PROVER_PATH,
			.driver = (char *)"amdgpu",
			.seat = (char *)"seat0",
			.fd = -1},
		.loop = wl_event_loop_create(),
		.clock = clock_create_test(SECOND),
	};
	world.tasks = tasks_create(world.loop, world.clock);
	world.prover = copy_prover_create(world.tasks);
	fake_gpu_set_path(world.fake, PROVER_PATH);
	prover_create_memory(&world);
	*state = &world;
	return 0;
}

void prover_turn(struct prover_world *world)
{
	wl_event_loop_dispatch(world->loop, 0);
}

int prover_world_tear_down(void **state)
{
	struct prover_world *world = *state;

	copy_prover_destroy(world->prover);
	await(fake_gpu_counts(world->fake).files == 0, prover_turn(world));
	assert_null(fake_gpu_fault(world->fake));
	tasks_destroy(world->tasks);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
	dmabuf_finish(&world->memory);
	fake_reset_all();
	return 0;
}

static void handle_done(void *data, int result)
{
	int *to = data;

	*to = result;
}

struct copy_proof *prover_start(struct prover_world *world, int *result)
{
	struct copy_proof *proof = NULL;

	*result = PROVER_PENDING;
	int error = copy_prover_start(
		world->prover, &world->gpu, &world->memory, handle_done, result, &proof);
	*result = error == -EINPROGRESS ? PROVER_PENDING : error;
	return proof;
}

int prover_prove(struct prover_world *world)
{
	int result;

	prover_start(world, &result);
	await(result != PROVER_PENDING, prover_turn(world));
	return result;
}
