/* SPDX-License-Identifier: MIT */
/* Proofs, on an emulated amdgpu, that a GPU can map memory of unknown origin. */

#include "copy/prover.h"
#include "copy/engine.h"
#include "fake.h"
#include "gpu/gpu.h"
#include "harness/unit.h"
#include <drm_fourcc.h>
#include <errno.h>

#define PATH "/emulated/renderD128"
#define SIDE 64

struct world {
	struct fake_gpu *fake;
	struct gpu gpu;
	struct copy_prover *prover;
	struct dmabuf memory;
};

static int set_up(void **state)
{
	static struct world world;
	void *map;

	world = (struct world){
		.fake = fake_gpu_create(fake_chip_find("navi21")),
		.gpu = {.render_path = (char *)PATH,
			.bus_id = (char *)PATH,
			.driver = (char *)"amdgpu",
			.seat = (char *)"seat0",
			.fd = -1},
		.prover = copy_prover_create(),
	};
	fake_gpu_set_path(world.fake, PATH);
	/* A pitch that the engine could not copy. */
	dmabuf_init_linear(&world.memory, SIDE, SIDE, DRM_FORMAT_RGB888,
		fake_dmabuf_create(SIDE * SIDE * 3, &map), SIDE * 3);
	*state = &world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	copy_prover_destroy(world->prover);
	assert_null(fake_gpu_fault(world->fake));
	assert_int_equal(fake_gpu_counts(world->fake).files, 0);
	dmabuf_finish(&world->memory);
	fake_reset_all();
	return 0;
}

static int test(struct world *world)
{
	return copy_prover_test(world->prover, &world->gpu, &world->memory);
}

static void memory_with_pages_is_usable(void **state)
{
	struct world *world = *state;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(test(world), 0);
	}
	struct fake_counts counts = fake_gpu_counts(world->fake);
	assert_int_equal(counts.files, 1);
	assert_int_equal(counts.bytes, 0);
	assert_int_equal(counts.jobs, 3);
}

static void memory_without_pages_is_unusable(void **state)
{
	struct world *world = *state;

	fake_dmabuf_drop_pages(world->memory.fd[0]);
	assert_int_equal(test(world), -ENOMEM);
	assert_int_equal(test(world), -ENOMEM);
	assert_int_equal(fake_gpu_counts(world->fake).jobs, 0);
}

static void moment_without_memory_proves_nothing(void **state)
{
	struct world *world = *state;

	assert_int_equal(test(world), 0);
	fake_gpu_fail_next(world->fake, ENOMEM, 1);
	assert_int_equal(test(world), 0);
}

/* Jobs that wait for fences of clients do not end the proofs. */
static void hung_queue_is_replaced(void **state)
{
	struct world *world = *state;

	fake_gpu_hold(world->fake);
	for (int i = 0; i < 3 * COPY_JOBS_MAX; i++) {
		assert_int_equal(test(world), 0);
	}
	assert_int_equal(fake_gpu_counts(world->fake).files, 1);
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake); /* jobs of devices that were closed */
}

static void other_gpus_prove_nothing(void **state)
{
	struct world *world = *state;

	world->gpu.render_path = NULL;
	assert_int_not_equal(test(world), 0);
	assert_int_not_equal(test(world), -ENOMEM);
	world->gpu.render_path = (char *)PATH;
}

static void gpu_that_was_reset_is_opened_again(void **state)
{
	struct world *world = *state;

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
		TEST(hung_queue_is_replaced),
		TEST(other_gpus_prove_nothing),
		TEST(gpu_that_was_reset_is_opened_again),
	};

	return cmocka_run_group_tests_name("prover", tests, NULL, NULL);
}
