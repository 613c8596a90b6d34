/* Who hears that the user is idle, and what keeps them from it; what surfaces say they show. */

#include "backend/headless.h"
#include "content-type-v1-client-protocol.h"
#include "ext-idle-notify-v1-client-protocol.h"
#include "harness/peer.h"
#include "idle-inhibit-unstable-v1-client-protocol.h"
#include "surface/surface.h"
#include "tearing-control-v1-client-protocol.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000000)

struct world {
	struct fixture *fixture;
	struct input_device *keyboard;
	struct peer *peer;
	struct peer_window *window;
	struct ext_idle_notifier_v1 *notifier;
};

struct heard {
	struct ext_idle_notification_v1 *proxy;
	int n_idled, n_resumed;
};

static void handle_idled(void *data, struct ext_idle_notification_v1 *proxy)
{
	struct heard *heard = data;
	heard->n_idled++;
}

static void handle_resumed(void *data, struct ext_idle_notification_v1 *proxy)
{
	struct heard *heard = data;
	heard->n_resumed++;
}

static const struct ext_idle_notification_v1_listener listener = {
	.idled = handle_idled,
	.resumed = handle_resumed,
};

static void ask(struct world *world, struct heard *heard, uint32_t ms, bool input_only)
{
	*heard = (struct heard){0};
	heard->proxy = input_only ? ext_idle_notifier_v1_get_input_idle_notification(
					    world->notifier, ms, world->peer->seat)
				  : ext_idle_notifier_v1_get_idle_notification(
					    world->notifier, ms, world->peer->seat);
	ext_idle_notification_v1_add_listener(heard->proxy, &listener, heard);
	fixture_pump(world->fixture);
}

static void type(struct world *world)
{
	struct input_key_event event = {.key = KEY_A, .pressed = true};
	signal_emit(&world->keyboard->events.key, &event);
	event.pressed = false;
	signal_emit(&world->keyboard->events.key, &event);
	fixture_pump(world->fixture);
}

static int set_up(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
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

static void test_idle(void **state)
{
	struct world *world = *state;
	struct heard short_one, long_one, at_once;
	/* Nobody asked: nothing runs. */
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

	/* Counted from the last key on. */
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

static void test_inhibitor(void **state)
{
	struct world *world = *state;
	struct heard all, input;
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

	/* From when it is gone on. */
	zwp_idle_inhibitor_v1_destroy(inhibitor);
	fixture_sleep(world->fixture, SECOND - 1000000);
	assert_int_equal(all.n_idled, 0);
	fixture_sleep(world->fixture, 2000000);
	assert_int_equal(all.n_idled, 1);

	/* What began stays so until the user is there. */
	zwp_idle_inhibit_manager_v1_create_inhibitor(manager, world->window->surface);
	fixture_frames(world->fixture, 2);
	assert_int_equal(all.n_resumed, 0);
	type(world);
	assert_int_equal(all.n_resumed, 1);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(all.n_idled, 1);

	/* A surface that nobody sees keeps nobody awake: covered, then unmapped. */
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

/* A surface goes before its inhibitor, and a client with both. */
static void test_inhibitor_left(void **state)
{
	struct world *world = *state;
	struct heard heard;
	struct peer *other = peer_create(world->fixture);
	struct peer_window *window = peer_window_create(other, 100, 100, 50, 50, 0xffffffff);
	struct zwp_idle_inhibit_manager_v1 *manager =
		peer_bind(other, &zwp_idle_inhibit_manager_v1_interface, 0);
	zwp_idle_inhibit_manager_v1_create_inhibitor(manager, window->surface);
	struct peer_window *second = peer_window_create(other, 200, 100, 50, 50, 0xffffffff);
	zwp_idle_inhibit_manager_v1_create_inhibitor(manager, second->surface);
	fixture_settle(world->fixture);
	ask(world, &heard, 1000, false);
	peer_window_destroy(window);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(heard.n_idled, 0);
	peer_destroy(other);
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_int_equal(heard.n_idled, 1);
}

/* They travel with the commit, and end with their object. */
static void test_content_type(void **state)
{
	struct world *world = *state;
	struct wl_surface *proxy = world->window->surface;
	const struct surface *surface = peer_surface_find(world->peer, proxy);
	struct wp_content_type_manager_v1 *manager =
		peer_bind(world->peer, &wp_content_type_manager_v1_interface, 0);
	struct wp_content_type_v1 *object =
		wp_content_type_manager_v1_get_surface_content_type(manager, proxy);
	wp_content_type_v1_set_content_type(object, WP_CONTENT_TYPE_V1_TYPE_VIDEO);
	fixture_pump(world->fixture);
	assert_int_equal(surface->current.content_type, CONTENT_TYPE_NONE);
	wl_surface_commit(proxy);
	fixture_pump(world->fixture);
	assert_int_equal(surface->current.content_type, CONTENT_TYPE_VIDEO);
	wp_content_type_v1_destroy(object);
	fixture_pump(world->fixture);
	assert_int_equal(surface->current.content_type, CONTENT_TYPE_VIDEO);
	wl_surface_commit(proxy);
	fixture_pump(world->fixture);
	assert_int_equal(surface->current.content_type, CONTENT_TYPE_NONE);
	/* It may have another one then, which may outlive it. */
	object = wp_content_type_manager_v1_get_surface_content_type(manager, proxy);
	peer_window_destroy(world->window);
	wp_content_type_v1_set_content_type(object, WP_CONTENT_TYPE_V1_TYPE_GAME);
	assert_true(peer_alive(world->peer));
}

static void test_tearing(void **state)
{
	struct world *world = *state;
	struct wl_surface *proxy = world->window->surface;
	const struct surface *surface = peer_surface_find(world->peer, proxy);
	struct wp_tearing_control_manager_v1 *manager =
		peer_bind(world->peer, &wp_tearing_control_manager_v1_interface, 0);
	struct wp_tearing_control_v1 *object =
		wp_tearing_control_manager_v1_get_tearing_control(manager, proxy);
	wp_tearing_control_v1_set_presentation_hint(
		object, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
	fixture_pump(world->fixture);
	assert_false(surface->current.tearing);
	wl_surface_commit(proxy);
	fixture_pump(world->fixture);
	assert_true(surface->current.tearing);
	wp_tearing_control_v1_destroy(object);
	wl_surface_commit(proxy);
	fixture_pump(world->fixture);
	assert_false(surface->current.tearing);
	object = wp_tearing_control_manager_v1_get_tearing_control(manager, proxy);
	peer_window_destroy(world->window);
	wp_tearing_control_v1_set_presentation_hint(
		object, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
	assert_true(peer_alive(world->peer));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
		TEST(test_idle),
		TEST(test_inhibitor),
		TEST(test_inhibitor_left),
		TEST(test_content_type),
		TEST(test_tearing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
