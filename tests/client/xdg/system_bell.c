/* SPDX-License-Identifier: MIT */
/* xdg-system-bell: flashing title bars and urgent windows. */

#include "harness/client/xdg_peer.h"
#include "xdg-system-bell-v1-client-protocol.h"

static struct xdg_system_bell_v1 *bell_of(struct peer *peer)
{
	return peer_bind(peer, &xdg_system_bell_v1_interface, 0);
}

/* Returns a pixel of the title bar. */
static uint32_t title(struct test *test)
{
	fixture_settle(test->fixture);
	return fixture_pixel(test->fixture, 110, 90);
}

static struct peer_window *create_framed(struct test *test)
{
	struct peer_window *window = peer_window_create(test->peer, 100, 100, 80, 80, 0xffff0000);
	window_set_decorated(peer_window_find(window), true);
	return window;
}

static void bell_of_the_focused_window_flashes_its_title(void **state)
{
	struct test *test = *state;
	struct xdg_system_bell_v1 *bell = bell_of(test->peer);
	struct peer_window *window = create_framed(test);
	uint32_t normal = title(test);
	xdg_system_bell_v1_ring(bell, window->surface);
	fixture_pump(test->fixture);
	assert_int_not_equal(title(test), normal);
	assert_false(peer_window_find(window)->urgent);
	fixture_sleep(test->fixture, 200000000);
	assert_int_equal(title(test), normal);

	/* Bells in quick succession are one. Without a surface, the focused window is meant. */
	xdg_system_bell_v1_ring(bell, NULL);
	fixture_pump(test->fixture);
	assert_int_equal(title(test), normal);
	fixture_sleep(test->fixture, 600000000);
	xdg_system_bell_v1_ring(bell, NULL);
	fixture_pump(test->fixture);
	assert_int_not_equal(title(test), normal);

	/* The window ends during the flash. */
	peer_window_destroy(window);
	fixture_sleep(test->fixture, 200000000);
	xdg_system_bell_v1_ring(bell, NULL);
	assert_true(peer_alive(test->peer));
	xdg_system_bell_v1_destroy(bell);
}

static void bell_of_another_window_marks_it_urgent(void **state)
{
	struct test *test = *state;
	struct xdg_system_bell_v1 *bell = bell_of(test->peer);
	struct peer_window *window = create_framed(test);
	struct peer *other = peer_create(test->fixture);
	struct peer_window *focused = peer_window_create(other, 0, 0, 50, 50, 0xff00ff00);
	uint32_t normal = title(test);
	xdg_system_bell_v1_ring(bell, NULL); /* no window of this client is focused */
	fixture_pump(test->fixture);
	assert_false(peer_window_find(focused)->urgent);
	assert_false(peer_window_find(window)->urgent);
	xdg_system_bell_v1_ring(bell, window->surface);
	fixture_pump(test->fixture);
	assert_true(peer_window_find(window)->urgent);
	assert_int_not_equal(title(test), normal);

	/* Surfaces without a window are ignored. */
	xdg_system_bell_v1_ring(bell, wl_compositor_create_surface(test->peer->compositor));
	xdg_system_bell_v1_ring(bell, peer_window_create_unmapped(test->peer)->surface);
	assert_true(peer_alive(test->peer));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bell_of_the_focused_window_flashes_its_title),
		TEST(bell_of_another_window_marks_it_urgent),
	};
	return cmocka_run_group_tests_name("xdg/system_bell", tests, NULL, NULL);
}
