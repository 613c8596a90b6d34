/* SPDX-License-Identifier: MIT */
/* Watches of GPUs' power: nodes that programs open and close, and the end of the kernel's delay. */

#include "gpu/power_watch.h"
#include "gpu/gpu.h"
#include "harness/gpu_list.h"
#include "harness/unit.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DELAY INT64_C(7000000000)

struct power_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct gpu_list list;
	struct gpu gpus[2];
	char nodes[2][64];
	struct gpu_power_watch *watch;
	struct wl_listener listener;
	int n_changed;
};

int64_t __wrap_gpu_suspend_delay(const struct gpu *gpu);
int64_t __wrap_gpu_suspend_delay(const struct gpu *gpu)
{
	return gpu->integrated ? 0 : DELAY;
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct power_world *world = wl_container_of(listener, world, listener);
	world->n_changed++;
}

static void append(struct power_world *world, int i)
{
	strcpy(world->nodes[i], "/tmp/causeway-node-XXXXXX");
	close(mkstemp(world->nodes[i]));
	gpu_list_append(&world->list, &world->gpus[i], "amdgpu", "pci-0000_03_00_0", 0x1002, 0x73bf,
		i == 1, world->nodes[i]);
}

static int set_up(void **state)
{
	struct power_world *world = xcalloc(1, sizeof(*world));
	world->loop = wl_event_loop_create();
	world->clock = clock_create_test(0);
	gpu_list_init(&world->list);
	append(world, 0);
	world->watch = gpu_power_watch_create(&world->list, world->loop, world->clock);
	world->listener.notify = handle_changed;
	gpu_power_watch_add(world->watch, &world->listener);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct power_world *world = *state;
	gpu_power_watch_destroy(world->watch);
	wl_event_loop_destroy(world->loop);
	clock_destroy(world->clock);
	unlink(world->nodes[0]);
	unlink(world->nodes[1]);
	free(world);
	return 0;
}

/* Returns how many changes were reported until the loop is idle. */
static int drain(struct power_world *world)
{
	struct pollfd fd = {.fd = wl_event_loop_get_fd(world->loop), .events = POLLIN};
	world->n_changed = 0;
	while (poll(&fd, 1, 0) > 0) {
		wl_event_loop_dispatch(world->loop, 0);
	}
	return world->n_changed;
}

static void opening_and_closing_a_node_is_reported(void **state)
{
	struct power_world *world = *state;
	assert_int_equal(drain(world), 0);
	int fd = open(world->nodes[0], O_RDONLY | O_CLOEXEC);
	assert_int_equal(drain(world), 1);
	close(fd);
	assert_int_equal(drain(world), 1);
	gpu_power_watch_remove(world->watch, &world->listener);
}

static void end_of_the_delay_is_reported_once(void **state)
{
	struct power_world *world = *state;
	assert_false(clock_advance_to_next(world->clock));
	close(open(world->nodes[0], O_RDONLY | O_CLOEXEC));
	assert_int_equal(drain(world), 1);
	clock_advance(world->clock, DELAY - 1);
	assert_int_equal(world->n_changed, 1);
	clock_advance(world->clock, 1);
	assert_int_equal(world->n_changed, 2);
	assert_false(clock_advance_to_next(world->clock));
	gpu_power_watch_remove(world->watch, &world->listener);
}

static void gpu_that_never_sleeps_arms_no_timer(void **state)
{
	struct power_world *world = *state;
	world->gpus[0].integrated = true;
	close(open(world->nodes[0], O_RDONLY | O_CLOEXEC));
	assert_int_equal(drain(world), 1);
	assert_false(clock_advance_to_next(world->clock));
	gpu_power_watch_remove(world->watch, &world->listener);
}

static void gpu_that_is_plugged_in_is_watched(void **state)
{
	struct power_world *world = *state;
	append(world, 1);
	signal_emit(&world->list.events.changed, &world->list);
	close(open(world->nodes[1], O_RDONLY | O_CLOEXEC));
	assert_int_equal(drain(world), 1);
	gpu_power_watch_remove(world->watch, &world->listener);
}

static void watch_without_listeners_is_silent(void **state)
{
	struct power_world *world = *state;
	close(open(world->nodes[0], O_RDONLY | O_CLOEXEC));
	drain(world);
	gpu_power_watch_remove(world->watch, &world->listener);
	assert_false(clock_advance_to_next(world->clock));
	close(open(world->nodes[0], O_RDONLY | O_CLOEXEC));
	assert_int_equal(drain(world), 0);
	gpu_power_watch_add(world->watch, &world->listener);
	close(open(world->nodes[0], O_RDONLY | O_CLOEXEC));
	assert_int_equal(drain(world), 1);
	gpu_power_watch_remove(world->watch, &world->listener);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(opening_and_closing_a_node_is_reported),
		TEST(end_of_the_delay_is_reported_once),
		TEST(gpu_that_never_sleeps_arms_no_timer),
		TEST(gpu_that_is_plugged_in_is_watched),
		TEST(watch_without_listeners_is_silent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
