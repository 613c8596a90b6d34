/* SPDX-License-Identifier: MIT */
/* ext_idle_notifier_v1 and idle inhibitors. */

#include "backend/headless.h"
#include "ext-idle-notify-v1-client-protocol.h"
#include "harness/peer.h"
#include "idle-inhibit-unstable-v1-client-protocol.h"
#include "util/clock.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000000)

struct idle_world {
	struct fixture *fixture;
	struct input_device *keyboard;
	struct peer *peer;
	struct peer_window *window;
	struct ext_idle_notifier_v1 *notifier;
};

struct notification {
	struct ext_idle_notification_v1 *proxy;
	int n_idled, n_resumed;
};

static void handle_idled(void *data, struct ext_idle_notification_v1 *proxy)
{
	struct notification *notification = data;
	notification->n_idled++;
}

static void handle_resumed(void *data, struct ext_idle_notification_v1 *proxy)
{
	struct notification *notification = data;
	notification->n_resumed++;
}

static const struct ext_idle_notification_v1_listener listener = {
	.idled = handle_idled,
	.resumed = handle_resumed,
};

static void ask(
	struct idle_world *world, struct notification *notification, uint32_t ms, bool input_only)
{
	*notification = (struct notification){0};
	notification->proxy = input_only ? ext_idle_notifier_v1_get_input_idle_notification(
						   world->notifier, ms, world->peer->seat)
					 : ext_idle_notifier_v1_get_idle_notification(
						   world->notifier, ms, world->peer->seat);
	ext_idle_notification_v1_add_listener(notification->proxy, &listener, notification);
	fixture_pump(world->fixture);
}

static void type(struct idle_world *world)
{
	struct input_key_event event = {.key = KEY_A, .pressed = true};
	signal_emit(&world->keyboard->events.key, &event);
	event.pressed = false;
	signal_emit(&world->keyboard->events.key, &event);
	fixture_pump(world->fixture);
}

static int set_up(void **state)
{
	struct idle_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(NULL);
	world->keyboard =
		headless_add_input(world->fixture->server->backend, INPUT_KEYBOARD, "keyboard");
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 10, 10, 50, 50, 0xffffffff);
	world->notifier = peer_bind(world->peer, &ext_idle_notifier_v1_interface, 0);
	fixture_settle(world->fixture);
	*state = world;
	return 0;
}

static void notifications_follow_the_last_key(void **state)
{
	struct idle_world *world = *state;
	struct notification short_one, long_one, at_once;
	/* Without notifications no timer runs. */
	fixture_sleep(world->fixture, 3 * SECOND);
	assert_false(clock_advance_to_next(world->fixture->clock));

	ask(world, &short_one, 1000, false);
	ask(world, &long_one, 3000, false);
	fixture_sleep(world->fixture, SECOND - 1000000);
	assert_int_equal(short_one.n_idled, 0);
	fixture_sleep(world->fixture, 2000000);
	assert_int_equal(short_one.n_idled, 1);
	assert_int_equal(long_one.n_idled, 0);
	type(world);
	assert_int_equal(short_one.n_resumed, 1);
	assert_int_equal(long_one.n_resumed, 0);

	/* Counted from the last key. */
	fixture_sleep(world->fixture, SECOND / 2);
	type(world);
	fixture_sleep(world->fixture, SECOND - 1000000);
	assert_int_equal(short_one.n_idled, 1);
	fixture_sleep(world->fixture, 2 * SECOND + 2000000);
	assert_int_equal(short_one.n_idled, 2);
	assert_int_equal(long_one.n_idled, 1);
	assert_false(clock_advance_to_next(world->fixture->clock));

	ask(world, &at_once, 0, false);
	clock_advance(world->fixture->clock, 0);
	fixture_pump(world->fixture);
	assert_int_equal(at_once.n_idled, 1);
	ext_idle_notification_v1_destroy(at_once.proxy);
	ext_idle_notification_v1_destroy(short_one.proxy);
	type(world);
	assert_int_equal(long_one.n_resumed, 1);
	ext_idle_notification_v1_destroy(long_one.proxy);
	fixture_pump(world->fixture);
	assert_false(clock_advance_to_next(world->fixture->clock));
}

static void visible_inhibitor_prevents_idle(void **state)
{
	struct idle_world *world = *state;
	struct notification all, input;
	struct zwp_idle_inhibit_manager_v1 *manager =
		peer_bind(world->peer, &zwp_idle_inhibit_manager_v1_interface, 0);
	ask(world, &all, 1000, false);
	ask(world, &input, 1000, true);
	struct zwp_idle_inhibitor_v1 *inhibitor =
		zwp_idle_inhibit_manager_v1_create_inhibitor(manager, world->window->surface);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(all.n_idled, 0);
	assert_int_equal(input.n_idled, 1);
	assert_false(clock_advance_to_next(world->fixture->clock));

	/* Counted from the end of the inhibitor. */
	zwp_idle_inhibitor_v1_destroy(inhibitor);
	fixture_sleep(world->fixture, SECOND - 1000000);
	assert_int_equal(all.n_idled, 0);
	fixture_sleep(world->fixture, 2000000);
	assert_int_equal(all.n_idled, 1);

	/* A client that is idle stays so until the user is active. */
	zwp_idle_inhibit_manager_v1_create_inhibitor(manager, world->window->surface);
	fixture_frames(world->fixture, 2);
	assert_int_equal(all.n_resumed, 0);
	type(world);
	assert_int_equal(all.n_resumed, 1);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(all.n_idled, 1);

	/* A hidden surface does not inhibit: first covered, then unmapped. */
	struct peer_window *cover = peer_window_create(world->peer, 0, 0, 320, 240, 0xff00ff00);
	struct wl_region *region = wl_compositor_create_region(world->peer->compositor);
	wl_region_add(region, 0, 0, 320, 240);
	wl_surface_set_opaque_region(cover->surface, region);
	wl_surface_commit(cover->surface);
	fixture_settle(world->fixture);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(all.n_idled, 2);
	peer_window_destroy(cover);
	fixture_settle(world->fixture);
	type(world);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(all.n_idled, 2);
	wl_surface_attach(world->window->surface, NULL, 0, 0);
	wl_surface_commit(world->window->surface);
	fixture_settle(world->fixture);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(all.n_idled, 3);
}

static void inhibitor_does_not_delay_input_notifications(void **state)
{
	struct idle_world *world = *state;
	struct notification all, input;
	struct zwp_idle_inhibit_manager_v1 *manager =
		peer_bind(world->peer, &zwp_idle_inhibit_manager_v1_interface, 0);
	ask(world, &all, 1000, false);
	ask(world, &input, 1000, true);
	fixture_sleep(world->fixture, SECOND * 6 / 10);
	struct zwp_idle_inhibitor_v1 *inhibitor =
		zwp_idle_inhibit_manager_v1_create_inhibitor(manager, world->window->surface);
	fixture_sleep(world->fixture, SECOND * 2 / 10);
	zwp_idle_inhibitor_v1_destroy(inhibitor);
	fixture_sleep(world->fixture, SECOND * 3 / 10);
	assert_int_equal(input.n_idled, 1);
	assert_int_equal(all.n_idled, 0);
	fixture_sleep(world->fixture, SECOND);
	assert_int_equal(all.n_idled, 1);
}

/* A surface is destroyed before its inhibitor, and a client disconnects with both. */
static void inhibitor_ends_with_its_surface(void **state)
{
	struct idle_world *world = *state;
	struct notification notification;
	struct peer *other = peer_create(world->fixture);
	struct peer_window *window = peer_window_create(other, 100, 100, 50, 50, 0xffffffff);
	struct zwp_idle_inhibit_manager_v1 *manager =
		peer_bind(other, &zwp_idle_inhibit_manager_v1_interface, 0);
	zwp_idle_inhibit_manager_v1_create_inhibitor(manager, window->surface);
	struct peer_window *second = peer_window_create(other, 200, 100, 50, 50, 0xffffffff);
	zwp_idle_inhibit_manager_v1_create_inhibitor(manager, second->surface);
	fixture_settle(world->fixture);
	ask(world, &notification, 1000, false);
	peer_window_destroy(window);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(notification.n_idled, 0);
	peer_destroy(other);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(notification.n_idled, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
		TEST(notifications_follow_the_last_key),
		TEST(visible_inhibitor_prevents_idle),
		TEST(inhibitor_does_not_delay_input_notifications),
		TEST(inhibitor_ends_with_its_surface),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
