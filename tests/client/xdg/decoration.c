/* SPDX-License-Identifier: MIT */
/* xdg_toplevel decorations: negotiated mode, and title bars in subsurfaces. */

#include "harness/client/xdg_peer.h"
#include "kde-server-decoration-client-protocol.h"
#include "shell/geometry/private.h"
#include "xdg-decoration-unstable-v1-client-protocol.h"

static void handle_decoration(
	void *data, struct zxdg_toplevel_decoration_v1 *decoration, uint32_t mode)
{
	*(uint32_t *)data = mode;
}

static const struct zxdg_toplevel_decoration_v1_listener decoration_listener = {
	.configure = handle_decoration,
};

static void decoration_follows_the_acknowledged_mode(void **state)
{
	struct test *test = *state;
	uint32_t mode = 0;
	struct zxdg_decoration_manager_v1 *manager =
		peer_bind(test->peer, &zxdg_decoration_manager_v1_interface, 0);
	struct peer_window *window = peer_window_create_unmapped(test->peer);
	struct zxdg_toplevel_decoration_v1 *decoration =
		zxdg_decoration_manager_v1_get_toplevel_decoration(manager, window->toplevel);
	zxdg_toplevel_decoration_v1_add_listener(decoration, &decoration_listener, &mode);
	zxdg_toplevel_decoration_v1_unset_mode(
		decoration); /* the compositor prefers server-side decorations */
	fixture_pump(test->fixture);
	assert_int_equal(mode, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
	struct peer_buffer *buffer =
		peer_buffer_create(test->peer, 100, 100, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, buffer);
	fixture_settle(test->fixture);
	struct window *shell_window = peer_window_find(window);
	assert_non_null(shell_window->private->decoration);
	peer_window_place(window, 100, 100);
	fixture_settle(test->fixture);
	uint32_t background = fixture_pixel(test->fixture, 10, 10);
	assert_int_not_equal(fixture_pixel(test->fixture, 150, 95), background);

	/* The decoration changes with the commit that acknowledges the new mode. */
	zxdg_toplevel_decoration_v1_set_mode(
		decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_CLIENT_SIDE);
	fixture_settle(test->fixture);
	assert_int_equal(mode, ZXDG_TOPLEVEL_DECORATION_V1_MODE_CLIENT_SIDE);
	assert_non_null(shell_window->private->decoration);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	assert_null(shell_window->private->decoration);
	assert_int_equal(fixture_pixel(test->fixture, 150, 95), background);

	zxdg_toplevel_decoration_v1_unset_mode(decoration);
	fixture_settle(test->fixture);
	assert_int_equal(mode, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	assert_non_null(shell_window->private->decoration);
}

static void handle_kde_mode(
	void *data, struct org_kde_kwin_server_decoration *decoration, uint32_t mode)
{
	*(uint32_t *)data = mode;
}

static const struct org_kde_kwin_server_decoration_listener kde_listener = {
	.mode = handle_kde_mode,
};

static void handle_default_mode(
	void *data, struct org_kde_kwin_server_decoration_manager *manager, uint32_t mode)
{
	*(uint32_t *)data = mode;
}

static const struct org_kde_kwin_server_decoration_manager_listener kde_manager_listener = {
	.default_mode = handle_default_mode,
};

static struct org_kde_kwin_server_decoration *kde_decoration(
	struct test *test, struct wl_surface *surface, uint32_t *mode)
{
	struct org_kde_kwin_server_decoration_manager *manager =
		peer_bind(test->peer, &org_kde_kwin_server_decoration_manager_interface, 0);
	*mode = 0;
	org_kde_kwin_server_decoration_manager_add_listener(manager, &kde_manager_listener, mode);
	fixture_pump(test->fixture);
	assert_int_equal(*mode, ORG_KDE_KWIN_SERVER_DECORATION_MANAGER_MODE_SERVER);
	struct org_kde_kwin_server_decoration *decoration =
		org_kde_kwin_server_decoration_manager_create(manager, surface);
	org_kde_kwin_server_decoration_add_listener(decoration, &kde_listener, mode);
	return decoration;
}

static void commit(struct test *test, struct peer_window *window)
{
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
}

static void kde_decoration_follows_the_requested_mode(void **state)
{
	struct test *test = *state;
	static uint32_t mode;
	struct peer_window *window = peer_window_create(test->peer, 50, 60, 100, 100, 0xffff0000);
	const struct window *found = peer_window_find(window);
	struct org_kde_kwin_server_decoration *decoration =
		kde_decoration(test, window->surface, &mode);
	commit(test, window);
	assert_non_null(found->private->decoration);
	org_kde_kwin_server_decoration_request_mode(
		decoration, ORG_KDE_KWIN_SERVER_DECORATION_MODE_CLIENT);
	fixture_settle(test->fixture);
	assert_int_equal(mode, ORG_KDE_KWIN_SERVER_DECORATION_MODE_CLIENT);
	assert_non_null(found->private->decoration); /* until the next commit */
	commit(test, window);
	assert_null(found->private->decoration);
	org_kde_kwin_server_decoration_request_mode(
		decoration, ORG_KDE_KWIN_SERVER_DECORATION_MODE_SERVER);
	commit(test, window);
	assert_non_null(found->private->decoration);
	org_kde_kwin_server_decoration_request_mode(decoration, 77);
	commit(test, window);
	assert_int_equal(mode, ORG_KDE_KWIN_SERVER_DECORATION_MODE_CLIENT);
	assert_null(found->private->decoration);

	/* The newest object counts, and its release removes the frame. */
	static uint32_t ignored;
	struct org_kde_kwin_server_decoration *next =
		kde_decoration(test, window->surface, &ignored);
	org_kde_kwin_server_decoration_request_mode(
		decoration, ORG_KDE_KWIN_SERVER_DECORATION_MODE_NONE);
	commit(test, window);
	assert_non_null(found->private->decoration);
	org_kde_kwin_server_decoration_release(next);
	commit(test, window);
	assert_null(found->private->decoration);
}

static void kde_decoration_precedes_the_toplevel(void **state)
{
	struct test *test = *state;
	static uint32_t mode;
	struct peer_window *window = peer_window_create(test->peer, 50, 60, 100, 100, 0xffff0000);
	struct wl_surface *surface = window->surface;
	kde_decoration(test, surface, &mode);
	xdg_toplevel_destroy(window->toplevel);
	wl_surface_attach(surface, NULL, 0, 0);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	peer_surface_show(surface, window->buffer);
	fixture_settle(test->fixture);
	assert_non_null(peer_window_find(window)->private->decoration);

	/* The surface goes first. */
	peer_window_destroy(window);
	assert_true(peer_alive(test->peer));
}

static void xdg_decoration_outranks_the_kde_one(void **state)
{
	struct test *test = *state;
	static uint32_t mode;
	struct peer_window *window = peer_window_create_unmapped(test->peer);
	kde_decoration(test, window->surface, &mode);
	struct zxdg_decoration_manager_v1 *manager =
		peer_bind(test->peer, &zxdg_decoration_manager_v1_interface, 0);
	struct zxdg_toplevel_decoration_v1 *decoration =
		zxdg_decoration_manager_v1_get_toplevel_decoration(manager, window->toplevel);
	zxdg_toplevel_decoration_v1_set_mode(
		decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_CLIENT_SIDE);
	fixture_pump(test->fixture);
	peer_surface_show(
		window->surface, peer_buffer_create(test->peer, 100, 100, WL_SHM_FORMAT_XRGB8888));
	fixture_settle(test->fixture);
	assert_null(peer_window_find(window)->private->decoration);
	zxdg_toplevel_decoration_v1_destroy(decoration);
	commit(test, window);
	assert_non_null(peer_window_find(window)->private->decoration);
}

static void handle_serial(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	*(uint32_t *)data = serial;
}

static const struct xdg_surface_listener late_listener = {.configure = handle_serial};

/* The client drops the decoration before it acknowledges the configure that the object caused. */
static void acknowledgement_after_the_decoration_has_no_effect(void **state)
{
	struct test *test = *state;
	struct peer *peer = test->peer;
	struct zxdg_decoration_manager_v1 *manager =
		peer_bind(peer, &zxdg_decoration_manager_v1_interface, 0);
	uint32_t serial = 0;
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct xdg_surface *xdg_surface = xdg_wm_base_get_xdg_surface(peer->wm_base, surface);
	xdg_surface_add_listener(xdg_surface, &late_listener, &serial);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(xdg_surface);
	struct zxdg_toplevel_decoration_v1 *decoration =
		zxdg_decoration_manager_v1_get_toplevel_decoration(manager, toplevel);
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	assert_int_not_equal(serial, 0);
	zxdg_toplevel_decoration_v1_destroy(decoration);
	xdg_surface_ack_configure(xdg_surface, serial);
	peer_surface_show(surface, peer_buffer_create(peer, 100, 100, WL_SHM_FORMAT_XRGB8888));
	fixture_settle(test->fixture);
	const struct window *window = window_from_surface(peer_surface_find(peer, surface));
	assert_true(window->mapped);
	assert_null(window->private->decoration);
	xdg_toplevel_destroy(toplevel);
}

/* Adds a title bar, a subsurface above the content. */
static void add_title_bar(struct test *test, struct peer_window *window)
{
	struct wl_surface *title = wl_compositor_create_surface(test->peer->compositor);
	peer_subsurface(test->peer, title, window->surface, 0, -20);
	peer_surface_show(title, peer_buffer_create(test->peer, 400, 20, WL_SHM_FORMAT_XRGB8888));
}

static struct peer_window *create_tall(struct test *test)
{
	struct peer_window *window = peer_window_create_unmapped(test->peer);
	window->buffer = peer_buffer_create(test->peer, 400, 300, WL_SHM_FORMAT_XRGB8888);
	return window;
}

static int title_y(struct peer_window *window)
{
	const struct window *shell_window = peer_window_find(window);
	return shell_window->y - shell_window->geometry.y - 20;
}

static void title_bar_in_a_subsurface_is_on_screen(void **state)
{
	struct test *test = *state;
	/* With the window, after it, and outside an explicit geometry. */
	struct peer_window *window = create_tall(test);
	add_title_bar(test, window);
	peer_surface_show(window->surface, window->buffer);
	fixture_settle(test->fixture);
	assert_int_equal(title_y(window), 0);

	window = create_tall(test);
	peer_surface_show(window->surface, window->buffer);
	fixture_settle(test->fixture);
	add_title_bar(test, window);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	assert_int_equal(title_y(window), 0);

	window = create_tall(test);
	xdg_surface_set_window_geometry(window->xdg_surface, 0, 0, 400, 300);
	add_title_bar(test, window);
	peer_surface_show(window->surface, window->buffer);
	fixture_settle(test->fixture);
	assert_int_equal(title_y(window), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(decoration_follows_the_acknowledged_mode),
		TEST(kde_decoration_follows_the_requested_mode),
		TEST(kde_decoration_precedes_the_toplevel),
		TEST(xdg_decoration_outranks_the_kde_one),
		TEST(acknowledgement_after_the_decoration_has_no_effect),
		TEST(title_bar_in_a_subsurface_is_on_screen),
	};
	return cmocka_run_group_tests_name("xdg/decoration", tests, NULL, NULL);
}
