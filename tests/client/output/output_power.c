/* SPDX-License-Identifier: MIT */
/*
 * zwlr_output_power_v1: outputs switched off keep their windows, and show current content when
 * switched on.
 */

#include "backend/headless.h"
#include "ext-session-lock-v1-client-protocol.h"
#include "harness/client/world.h"
#include "scene/scene.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "util/signal.h"
#include "wlr-output-power-management-unstable-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

#define RED 0xff0000

struct power {
	struct zwlr_output_power_v1 *proxy;
	uint32_t mode;
	int n_modes, n_failed;
};

static void handle_mode(void *data, struct zwlr_output_power_v1 *proxy, uint32_t mode)
{
	struct power *power = data;
	power->mode = mode;
	power->n_modes++;
}

static void handle_failed(void *data, struct zwlr_output_power_v1 *proxy)
{
	struct power *power = data;
	power->n_failed++;
}

static const struct zwlr_output_power_v1_listener listener = {
	.mode = handle_mode,
	.failed = handle_failed,
};

static void hold(struct world *world, struct power *power)
{
	struct wl_output *output = peer_bind(world->peer, &wl_output_interface, 0);
	*power = (struct power){0};
	power->proxy = zwlr_output_power_manager_v1_get_output_power(world->manager, output);
	zwlr_output_power_v1_add_listener(power->proxy, &listener, power);
	fixture_pump(world->fixture);
}

static void set(struct world *world, struct power *power, uint32_t mode)
{
	zwlr_output_power_v1_set_mode(power->proxy, mode);
	fixture_pump(world->fixture);
}

static int set_up(void **state)
{
	struct world *world = world_create(NULL);
	world->window = peer_window_create(world->peer, 20, 20, 200, 150, 0xff000000 | RED);
	world->manager = peer_bind(world->peer, &zwlr_output_power_manager_v1_interface, 0);
	fixture_settle(world->fixture);
	*state = world;
	return 0;
}

static void output_keeps_its_windows_while_off(void **state)
{
	struct world *world = *state;
	struct scene *scene = world->fixture->server->scene;
	struct power power, other;
	hold(world, &power);
	hold(world, &other);
	assert_int_equal(power.n_modes, 1);
	assert_int_equal(power.mode, ZWLR_OUTPUT_POWER_V1_MODE_ON);
	set(world, &power, ZWLR_OUTPUT_POWER_V1_MODE_ON);
	assert_int_equal(power.n_modes, 1);

	set(world, &power, ZWLR_OUTPUT_POWER_V1_MODE_OFF);
	assert_int_equal(power.mode, ZWLR_OUTPUT_POWER_V1_MODE_OFF);
	assert_int_equal(other.mode, ZWLR_OUTPUT_POWER_V1_MODE_OFF);
	assert_false(scene->outputs[0]->output->enabled);
	/* Windows stay on the output, and no frame is drawn. */
	assert_non_null(peer_window_find(world->window));
	peer_buffer_fill(world->window->buffer, 0, 0, 200, 150, 0xff00ff00);
	peer_surface_show(world->window->surface, world->window->buffer);
	fixture_sleep(world->fixture, INT64_C(3000000000));
	assert_false(clock_advance_to_next(world->fixture->clock));
	assert_true(peer_alive(world->peer));
	/* A reload of the configuration keeps it off. */
	assert_true(server_reload(world->fixture->server, NULL));
	assert_false(scene->outputs[0]->output->enabled);

	set(world, &other, ZWLR_OUTPUT_POWER_V1_MODE_ON);
	assert_int_equal(power.mode, ZWLR_OUTPUT_POWER_V1_MODE_ON);
	assert_int_equal(power.n_modes, 3);
	fixture_settle(world->fixture);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), 0x00ff00);
	assert_int_equal(power.n_failed, 0);
}

static void action_darkens_outputs_until_a_key(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct input_device *keyboard =
		headless_add_input(server->backend, INPUT_KEYBOARD, "keyboard");
	struct power power;
	hold(world, &power);
	assert_true(shell_run_action(server->shell, "dpms", "off"));
	fixture_pump(world->fixture);
	assert_int_equal(power.mode, ZWLR_OUTPUT_POWER_V1_MODE_OFF);
	fixture_sleep(world->fixture, 400000000); /* the end of the same input does not count */
	struct input_key_event event = {.key = KEY_A, .pressed = true};
	signal_emit(&keyboard->events.key, &event);
	fixture_settle(world->fixture);
	assert_int_equal(power.mode, ZWLR_OUTPUT_POWER_V1_MODE_ON);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), RED);
}

static void output_removal_fails_its_power_control(void **state)
{
	struct world *world = *state;
	struct power power, late;
	hold(world, &power);
	set(world, &power, ZWLR_OUTPUT_POWER_V1_MODE_OFF);
	struct wl_output *output = peer_bind(world->peer, &wl_output_interface, 0);
	headless_remove_output(world->fixture->server->scene->outputs[0]->output);
	fixture_pump(world->fixture);
	assert_int_equal(power.n_failed, 1);
	set(world, &power, ZWLR_OUTPUT_POWER_V1_MODE_ON);
	late = (struct power){0};
	late.proxy = zwlr_output_power_manager_v1_get_output_power(world->manager, output);
	zwlr_output_power_v1_add_listener(late.proxy, &listener, &late);
	assert_true(peer_alive(world->peer));
	assert_int_equal(late.n_failed, 1);
	assert_int_equal(late.n_modes, 0);
	assert_int_equal(power.n_failed, 1);
}

static void handle_locked(void *data, struct ext_session_lock_v1 *lock)
{
	*(int *)data += 1;
}

static void handle_finished(void *data, struct ext_session_lock_v1 *lock)
{
}

static const struct ext_session_lock_v1_listener lock_listener = {
	.locked = handle_locked,
	.finished = handle_finished,
};

/* An output that is off shows nothing of the session: the lock does not wait for it. */
static void lock_does_not_wait_for_outputs_that_are_off(void **state)
{
	struct world *world = *state;
	struct power power;
	int n_locked = 0;
	hold(world, &power);
	struct ext_session_lock_manager_v1 *manager =
		peer_bind(world->peer, &ext_session_lock_manager_v1_interface, 0);
	struct ext_session_lock_v1 *lock = ext_session_lock_manager_v1_lock(manager);
	ext_session_lock_v1_add_listener(lock, &lock_listener, &n_locked);
	set(world, &power, ZWLR_OUTPUT_POWER_V1_MODE_OFF);
	assert_int_equal(n_locked, 1);
	set(world, &power, ZWLR_OUTPUT_POWER_V1_MODE_ON);
	fixture_settle(world->fixture);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), 0);
	ext_session_lock_v1_unlock_and_destroy(lock);
	fixture_settle(world->fixture);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), RED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
		TEST(output_keeps_its_windows_while_off),
		TEST(action_darkens_outputs_until_a_key),
		TEST(output_removal_fails_its_power_control),
		TEST(lock_does_not_wait_for_outputs_that_are_off),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
