/* SPDX-License-Identifier: MIT */
/* xdg_toplevel: unmapping, properties, states and close. */

#include "commit-timing-v1-client-protocol.h"
#include "harness/client/xdg_peer.h"
#include "shell/geometry/private.h"
#include "surface/surface.h"
#include "xdg-toplevel-tag-v1-client-protocol.h"
#include <string.h>

static void remapping_needs_a_new_configure(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 50, 60, 100, 100, 0xffff0000);
	struct window *shell_window = peer_window_find(window);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_false(shell_window->mapped);
	int n = window->n_configures;
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_int_equal(window->n_configures, n + 1);
	peer_surface_show(window->surface, window->buffer);
	fixture_settle(test->fixture);
	assert_true(shell_window->mapped);
	assert_int_equal(shell_window->x, 50); /* its previous position */
	assert_int_equal(shell_window->y, 60);

	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	peer_surface_show(window->surface, window->buffer);
	peer_expect_error(
		test->peer, &xdg_surface_interface, XDG_SURFACE_ERROR_UNCONFIGURED_BUFFER);
}

static struct wp_commit_timer_v1 *timer_create(struct test *test, struct wl_surface *surface)
{
	struct wp_commit_timing_manager_v1 *manager =
		peer_bind(test->peer, &wp_commit_timing_manager_v1_interface, 0);
	return wp_commit_timing_manager_v1_get_timer(manager, surface);
}

/* Delays the next commit by a tenth of a second. */
static void put_off(struct test *test, struct wp_commit_timer_v1 *timer)
{
	int64_t when = clock_now(test->fixture->clock) + 100000000;
	wp_commit_timer_v1_set_timestamp(
		timer, 0, (uint32_t)(when / 1000000000), (uint32_t)(when % 1000000000));
}

/* An unmapped surface can get another toplevel at once, despite earlier commits that wait. */
static void unmapped_surface_can_get_another_toplevel(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	put_off(test, timer_create(test, window->surface));
	peer_surface_show(window->surface, window->buffer);
	xdg_toplevel_destroy(window->toplevel);
	xdg_surface_destroy(window->xdg_surface);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	window->xdg_surface = xdg_wm_base_get_xdg_surface(test->peer->wm_base, window->surface);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	wl_surface_commit(window->surface);
	assert_true(peer_alive(test->peer));
}

/* The unmapping commit overtakes commits that wait for their time. */
static void unmapping_overtakes_waiting_commits(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct surface *surface = peer_window_find(window)->surface;
	struct wp_commit_timer_v1 *timer = timer_create(test, window->surface);
	for (int i = 0; i < 2; i++) {
		put_off(test, timer);
		peer_surface_show(window->surface, window->buffer);
	}
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_false(surface->mapped);
	assert_null(surface->current.buffer);
	xdg_toplevel_destroy(window->toplevel);
	xdg_surface_destroy(window->xdg_surface);
	window->xdg_surface = xdg_wm_base_get_xdg_surface(test->peer->wm_base, window->surface);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	wl_surface_commit(window->surface);
	assert_true(peer_alive(test->peer));
}

/* Properties and the identifier of a window end when it is unmapped. */
static void unmapping_resets_all_properties(void **state)
{
	struct test *test = *state;
	struct peer_window *parent = peer_window_create(test->peer, 0, 0, 100, 100, 0xff00ff00);
	struct peer_window *window = peer_window_create(test->peer, 50, 60, 100, 100, 0xffff0000);
	const struct window *shell_window = peer_window_find(window);
	char identifier[sizeof(shell_window->identifier)];
	memcpy(identifier, shell_window->identifier, sizeof(identifier));
	xdg_toplevel_set_title(window->toplevel, "title");
	xdg_toplevel_set_app_id(window->toplevel, "app");
	struct xdg_toplevel_tag_manager_v1 *tags =
		peer_bind(test->peer, &xdg_toplevel_tag_manager_v1_interface, 0);
	xdg_toplevel_tag_manager_v1_set_toplevel_tag(tags, window->toplevel, "main");
	xdg_toplevel_tag_manager_v1_set_toplevel_description(tags, window->toplevel, "Main");
	xdg_toplevel_set_parent(window->toplevel, parent->toplevel);
	xdg_toplevel_set_min_size(window->toplevel, 90, 90);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_string_equal(shell_window->title, "title");
	assert_string_equal(shell_window->tag, "main");
	assert_string_equal(shell_window->description, "Main");
	assert_int_equal(shell_window->private->limits.min_width, 90);
	xdg_toplevel_set_min_size(window->toplevel, 80, 80);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	peer_surface_show(window->surface, window->buffer);
	fixture_settle(test->fixture);
	assert_true(shell_window->mapped);
	assert_string_not_equal(shell_window->identifier, identifier);
	assert_null(shell_window->title);
	assert_null(shell_window->app_id);
	assert_null(shell_window->tag);
	assert_null(shell_window->description);
	assert_null(shell_window->parent);
	assert_int_equal(shell_window->private->limits.min_width, 0);

	/* The same with another toplevel, whose limits would contradict the previous ones. */
	xdg_toplevel_set_min_size(window->toplevel, 90, 90);
	wl_surface_commit(window->surface);
	xdg_toplevel_destroy(window->toplevel);
	wl_surface_attach(window->surface, NULL, 0, 0);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	xdg_toplevel_set_max_size(window->toplevel, 50, 50);
	wl_surface_commit(window->surface);
	assert_true(peer_alive(test->peer));
}

/* Creates a window whose first content waits: its client considers it mapped. */
static struct peer_window *create_waiting(struct test *test)
{
	struct peer_window *window = peer_window_create_unmapped(test->peer);
	put_off(test, timer_create(test, window->surface));
	peer_surface_show(
		window->surface, peer_buffer_create(test->peer, 100, 100, WL_SHM_FORMAT_XRGB8888));
	fixture_pump(test->fixture);
	assert_false(peer_window_find(window)->mapped);
	return window;
}

/* Unmapping a window before its first content applied resets it, and dismisses its popups. */
/* The geometry is the xdg_surface's, which outlives the toplevel. */
static void geometry_lasts_for_the_next_toplevel(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	xdg_surface_set_window_geometry(window->xdg_surface, 10, 20, 60, 50);
	wl_surface_commit(window->surface);
	xdg_toplevel_destroy(window->toplevel);
	wl_surface_attach(window->surface, NULL, 0, 0);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	peer_surface_show(window->surface, window->buffer);
	fixture_settle(test->fixture);
	const struct window *shell_window = peer_window_find(window);
	assert_true(shell_window->mapped);
	const struct box box = {10, 20, 60, 50};
	assert_true(box_equal(&shell_window->geometry, &box));
}

/* The content of the previous toplevel was drawn for another configure. */
static void next_toplevel_needs_content_of_its_own(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	xdg_toplevel_destroy(window->toplevel);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	const int n = window->n_configures;
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_int_equal(window->n_configures, n + 1);
	const struct window *shell_window = peer_window_find(window);
	assert_false(shell_window->mapped);
	peer_surface_show(window->surface, window->buffer);
	fixture_settle(test->fixture);
	assert_true(shell_window->mapped);
}

static void window_can_be_unmapped_before_its_first_content(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create_waiting(test);
	struct popup *popup = popup_create(test, window->xdg_surface, popup_rules(test, 10, 10));
	wl_surface_commit(popup->surface);
	fixture_pump(test->fixture);
	popup_draw(popup);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	int n = window->n_configures;
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_int_equal(window->n_configures, n + 1);
	assert_int_equal(popup->n_done, 1);
	popup_destroy(popup);
	peer_surface_show(
		window->surface, peer_buffer_create(test->peer, 100, 100, WL_SHM_FORMAT_XRGB8888));
	fixture_settle(test->fixture);
	assert_true(peer_window_find(window)->mapped);

	/* The first commit of a new role object unmaps the surface. */
	window = create_waiting(test);
	xdg_toplevel_destroy(window->toplevel);
	wl_surface_attach(window->surface, NULL, 0, 0);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	n = window->n_configures;
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_int_equal(window->n_configures, n + 1);
}

static void parent_is_set_before_it_is_mapped(void **state)
{
	struct test *test = *state;
	struct peer_window *parent = create_waiting(test);
	struct peer_window *child = peer_window_create_unmapped(test->peer);
	struct popup *popup = popup_create(test, parent->xdg_surface, popup_rules(test, 10, 10));
	struct popup *nested = popup_create(test, popup->xdg_surface, popup_rules(test, 10, 10));
	xdg_toplevel_set_parent(child->toplevel, parent->toplevel);
	wl_surface_commit(popup->surface);
	wl_surface_commit(nested->surface);
	fixture_pump(test->fixture);
	popup_draw(popup);
	popup_draw(nested);
	fixture_pump(test->fixture);
	assert_false(popup_is_mapped(popup) || popup_is_mapped(nested));
	fixture_sleep(test->fixture, 200000000);
	assert_true(peer_window_find(parent)->mapped);
	assert_ptr_equal(peer_window_find(child)->parent, peer_window_find(parent));
	assert_true(popup_is_mapped(popup) && popup_is_mapped(nested));
	assert_int_equal(popup->n_done + nested->n_done, 0);
	popup_destroy(nested);
	popup_destroy(popup);

	/* The parent goes before it is mapped. */
	parent = create_waiting(test);
	xdg_toplevel_set_parent(child->toplevel, parent->toplevel);
	fixture_pump(test->fixture);
	assert_ptr_equal(peer_window_find(child)->parent, peer_window_find(parent));
	peer_window_destroy(parent);
	fixture_pump(test->fixture);
	assert_null(peer_window_find(child)->parent);
}

static void states_are_configured(void **state)
{
	struct test *test = *state;
	struct peer_window *a = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct peer_window *b = peer_window_create(test->peer, 100, 0, 100, 100, 0xff0000ff);
	assert_false(a->states & (1 << XDG_TOPLEVEL_STATE_ACTIVATED));
	assert_true(b->states & (1 << XDG_TOPLEVEL_STATE_ACTIVATED));
	click(test, 50, 50);
	assert_true(a->states & (1 << XDG_TOPLEVEL_STATE_ACTIVATED));
	assert_false(b->states & (1 << XDG_TOPLEVEL_STATE_ACTIVATED));
	xdg_toplevel_set_maximized(a->toplevel);
	fixture_pump(test->fixture);
	assert_int_equal(a->width, 400);
	assert_int_equal(a->height, 300);
	/* A request is answered even without a change. */
	int n = a->n_configures;
	xdg_toplevel_set_maximized(a->toplevel);
	fixture_pump(test->fixture);
	assert_int_equal(a->n_configures, n + 1);
	xdg_toplevel_set_minimized(b->toplevel);
	fixture_pump(test->fixture);
	assert_true(b->states & (1 << XDG_TOPLEVEL_STATE_SUSPENDED));
}

/* The first close asks the client; after a missed ping, the next close disconnects it. */
static void unresponsive_client_is_closed(void **state)
{
	struct test *test = *state;
	/* Without a listener, the client answers no ping. */
	test->peer->wm_base = peer_bind(test->peer, &xdg_wm_base_interface, 0);
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	window_close(peer_window_find(window));
	fixture_pump(test->fixture);
	assert_true(window->closed);
	fixture_sleep(test->fixture, INT64_C(11000000000));
	assert_true(peer_alive(test->peer));
	window_close(peer_window_find(window));
	peer_expect_error(test->peer, &xdg_wm_base_interface, XDG_WM_BASE_ERROR_UNRESPONSIVE);
}

/*
 * Without a geometry of the client, a subsurface that reaches further out moves the top left
 * corner.
 */
static void content_stays_in_place_when_a_subsurface_reaches_further_out(void **state)
{
	struct test *test = *state;
	for (int given = 0; given < 2; given++) {
		struct peer_window *window =
			peer_window_create(test->peer, 150, 160, 100, 100, 0xffff0000);
		const struct window *shell_window = peer_window_find(window);
		if (given) {
			xdg_surface_set_window_geometry(window->xdg_surface, 0, 0, 100, 100);
			wl_surface_commit(window->surface);
		}
		struct wl_surface *child = wl_compositor_create_surface(test->peer->compositor);
		struct wl_subsurface *subsurface =
			peer_subsurface(test->peer, child, window->surface, -20, -10);
		wl_subsurface_set_desync(subsurface);
		peer_surface_show(
			child, peer_buffer_create(test->peer, 30, 30, WL_SHM_FORMAT_XRGB8888));
		wl_surface_commit(window->surface);
		fixture_settle(test->fixture);
		assert_int_equal(shell_window->x, given ? 150 : 130);
		assert_int_equal(shell_window->y, given ? 160 : 150);
		assert_int_equal(shell_window->geometry.width, given ? 100 : 120);
		peer_window_destroy(window);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(remapping_needs_a_new_configure),
		TEST(unmapped_surface_can_get_another_toplevel),
		TEST(unmapping_overtakes_waiting_commits),
		TEST(unmapping_resets_all_properties),
		TEST(geometry_lasts_for_the_next_toplevel),
		TEST(next_toplevel_needs_content_of_its_own),
		TEST(window_can_be_unmapped_before_its_first_content),
		TEST(parent_is_set_before_it_is_mapped),
		TEST(states_are_configured),
		TEST(content_stays_in_place_when_a_subsurface_reaches_further_out),
		TEST(unresponsive_client_is_closed),
	};
	return cmocka_run_group_tests_name("xdg/toplevel", tests, NULL, NULL);
}
