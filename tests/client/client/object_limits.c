/* SPDX-License-Identifier: MIT */
/*
 * Deep and wide trees of one client's objects and extreme numbers: each is refused by a stated
 * limit or clamped, and another client is served.
 */

#include "harness/client/world.h"
#include "harness/growth.h"
#include "keyboard-shortcuts-inhibit-unstable-v1-client-protocol.h"
#include "pointer-constraints-unstable-v1-client-protocol.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "surface/subsurface.h"
#include "surface/surface.h"
#include "util/box.h"
#include "viewporter-client-protocol.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"
#include "xdg-decoration-unstable-v1-client-protocol.h"
#include "xdg-shell-client-protocol.h"
#include <stdlib.h>

/** As in protocol/xdg/xdg.h. */
#define POPUP_LEVELS_MAX 64

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	world->fixture = fixture_create(NULL);
	world->other = peer_create(world->fixture);
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 10, 10, 100, 80, 0xff112233);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	peer_destroy(world->peer);
	assert_true(peer_alive(world->other));
	fixture_frames(world->fixture, 2);
	fixture_destroy(world->fixture);
	free(world);
	return 0;
}

/* Creates a popup without committing it. NULL `parent`: none. */
static struct xdg_surface *add_popup(struct peer *peer, struct xdg_surface *parent)
{
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct xdg_surface *xdg_surface = xdg_wm_base_get_xdg_surface(peer->wm_base, surface);
	struct xdg_positioner *positioner = xdg_wm_base_create_positioner(peer->wm_base);
	xdg_positioner_set_size(positioner, 10, 10);
	xdg_positioner_set_anchor_rect(positioner, 0, 0, 1, 1);
	xdg_surface_get_popup(xdg_surface, parent, positioner);
	xdg_positioner_destroy(positioner);
	return xdg_surface;
}

static void nest_popups(struct world *world, struct xdg_surface *at)
{
	for (int i = 0; i < POPUP_LEVELS_MAX; i++) {
		at = add_popup(world->peer, at);
	}
	fixture_frames(world->fixture, 2);
	assert_true(peer_alive(world->peer));
	add_popup(world->peer, at);
	peer_expect_error(
		world->peer, &xdg_wm_base_interface, XDG_WM_BASE_ERROR_INVALID_POPUP_PARENT);
}

/* 22,500 of them overflowed the stack. */
static void popups_nest_to_a_limit(void **state)
{
	struct world *world = *state;
	nest_popups(world, world->window->xdg_surface);
}

static void popups_without_a_parent_nest_to_a_limit(void **state)
{
	struct world *world = *state;
	nest_popups(world, NULL);
}

/* Measures the end of popup chains whose window goes. */
static int64_t measure_orphans(void *data, int n)
{
	struct world *world = data;
	struct peer *peer = peer_create(world->fixture);
	struct peer_window *window = peer_window_create(peer, 10, 10, 20, 20, 0xff112233);
	struct xdg_surface *at = NULL;
	for (int i = 0; i < n; i++) {
		at = add_popup(peer, i % 50 ? at : window->xdg_surface);
		if (i % 256 == 0) {
			fixture_pump(world->fixture);
		}
	}
	assert_true(peer_alive(peer));
	int64_t begun = growth_clock();
	peer_destroy(peer);
	fixture_pump(world->fixture);
	return growth_clock() - begun;
}

/* 6.6 s for a chain of 20,000. */
static void orphaned_popups_are_linear(void **state)
{
	assert_true(growth_is_linear(measure_orphans, *state, 1500));
}

static void windows_nest_to_a_limit(void **state)
{
	struct world *world = *state;
	struct peer_window *parent = world->window;
	for (int i = 1; i < WINDOW_LEVELS_MAX; i++) {
		struct peer_window *window =
			peer_window_create(world->peer, 0, 0, 20, 20, 0xff112233);
		xdg_toplevel_set_parent(window->toplevel, parent->toplevel);
		parent = window;
	}
	assert_true(peer_alive(world->peer));
	assert_int_equal(peer_window_find(world->window)->private->n_below, WINDOW_LEVELS_MAX - 1);
	struct peer_window *window = peer_window_create(world->peer, 0, 0, 20, 20, 0xff112233);
	xdg_toplevel_set_parent(window->toplevel, parent->toplevel);
	peer_expect_error(world->peer, &xdg_toplevel_interface, XDG_TOPLEVEL_ERROR_INVALID_PARENT);
}

/* Measures chains of windows built from their ends: each new parent takes its descendants along. */
static int64_t measure_parents(void *data, int n)
{
	struct world *world = data;
	struct peer *peer = peer_create(world->fixture);
	struct peer_window **windows = calloc((size_t)n, sizeof(struct peer_window *));
	struct window **found = calloc((size_t)n, sizeof(struct window *));
	for (int i = 0; i < n; i++) {
		windows[i] = peer_window_create(peer, 0, 0, 4, 4, 0xff112233);
		found[i] = peer_window_find(windows[i]);
	}
	int64_t begun = growth_clock();
	for (int i = n - 1; i > 0; i--) {
		if (i % 16) {
			window_set_parent(found[i], found[i - 1]);
		}
	}
	int64_t time = growth_clock() - begun;
	free(windows);
	free(found);
	peer_destroy(peer);
	fixture_pump(world->fixture);
	return time;
}

/* 2.5 s for a chain of 1,000. */
static void parents_are_linear(void **state)
{
	assert_true(growth_is_linear(measure_parents, *state, 100));
}

/* Measures changes of the focus between a family of fullscreen windows and another window. */
static int64_t measure_focus(void *data, int n)
{
	struct world *world = data;
	struct peer_window **windows = calloc((size_t)n, sizeof(struct peer_window *));
	struct peer *peer = peer_create(world->fixture);
	for (int i = 0; i < n; i++) {
		windows[i] = peer_window_create(peer, 0, 0, 4, 4, 0xff112233);
		if (i > 0) {
			xdg_toplevel_set_parent(windows[i]->toplevel, windows[0]->toplevel);
		}
	}
	fixture_pump(world->fixture);
	for (int i = 0; i < n; i++) {
		xdg_toplevel_set_fullscreen(windows[i]->toplevel, NULL);
	}
	fixture_pump(world->fixture);
	struct window *family = peer_window_find(windows[0]);
	struct window *other = peer_window_find(world->window);
	int64_t begun = growth_clock();
	for (int i = 0; i < 20; i++) {
		window_focus(i % 2 ? family : other);
	}
	int64_t time = growth_clock() - begun;
	free(windows);
	peer_destroy(peer);
	fixture_pump(world->fixture);
	return time;
}

static void focus_changes_are_linear(void **state)
{
	assert_true(growth_is_linear(measure_focus, *state, 240));
}

static void subsurfaces_of_a_tree_are_limited(void **state)
{
	struct world *world = *state;
	struct peer *peer = world->peer;
	struct wl_surface *first = NULL;
	struct wl_subsurface *subsurface = NULL;
	for (int i = 1; i < SUBSURFACE_TREE_MAX; i++) {
		struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
		/* Two levels. */
		subsurface = peer_subsurface(
			peer, surface, first ? first : world->window->surface, 0, 0);
		first = first ? first : surface;
	}
	assert_true(peer_alive(peer));
	/* A destroyed subsurface makes room for another. */
	wl_surface_commit(world->window->surface);
	assert_int_equal(
		peer_surface_find(peer, world->window->surface)->n_below, SUBSURFACE_TREE_MAX - 1);
	wl_subsurface_destroy(subsurface);
	fixture_pump(world->fixture);
	assert_int_equal(
		peer_surface_find(peer, world->window->surface)->n_below, SUBSURFACE_TREE_MAX - 2);
	peer_subsurface(peer, wl_compositor_create_surface(peer->compositor), first, 0, 0);
	assert_true(peer_alive(peer));
	peer_subsurface(peer, wl_compositor_create_surface(peer->compositor), first, 0, 0);
	peer_expect_error(peer, &wl_subcompositor_interface, WL_SUBCOMPOSITOR_ERROR_BAD_PARENT);
}

/* More surfaces on screen than a 16-bit index counts, in several trees and clients. */
static void many_surfaces_come_and_go(void **state)
{
	struct world *world = *state;
	struct peer *peers[2];
	for (int p = 0; p < 2; p++) {
		struct peer *peer = peers[p] = peer_create(world->fixture);
		struct peer_buffer *pixel = peer_buffer_create(peer, 1, 1, WL_SHM_FORMAT_ARGB8888);
		pixel->pixels[0] = 0x80808080;
		for (int tree = 0; tree < 5; tree++) {
			struct peer_window *window =
				peer_window_create(peer, 0, 0, 200, 150, 0x40404040);
			for (int i = 0; i < 3500; i++) {
				struct wl_surface *surface =
					wl_compositor_create_surface(peer->compositor);
				peer_subsurface(peer, surface, window->surface, i % 200, i / 200);
				wl_surface_attach(surface, pixel->buffer, 0, 0);
				wl_surface_commit(surface);
				if (i % 512 == 0) {
					fixture_pump(world->fixture);
				}
			}
			wl_surface_commit(window->surface);
			fixture_pump(world->fixture);
		}
		assert_true(peer_alive(peer));
	}
	fixture_frames(world->fixture, 2);
	assert_true(world->fixture->server->scene->outputs[0]->n_entries > 34500);
	peer_destroy(peers[0]);
	fixture_frames(world->fixture, 2);
	peer_destroy(peers[1]);
	fixture_frames(world->fixture, 2);
}

/* All sizes of a decorated window, at the limits of the integers. */
static void sizes_are_clamped(void **state)
{
	struct world *world = *state;
	struct peer *peer = world->peer;
	struct wp_viewporter *viewporter = peer_bind(peer, &wp_viewporter_interface, 0);
	struct zxdg_decoration_manager_v1 *manager =
		peer_bind(peer, &zxdg_decoration_manager_v1_interface, 0);
	struct peer_window *window = peer_window_create_unmapped(peer);
	struct zxdg_toplevel_decoration_v1 *decoration =
		zxdg_decoration_manager_v1_get_toplevel_decoration(manager, window->toplevel);
	zxdg_toplevel_decoration_v1_set_mode(
		decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
	struct wp_viewport *viewport = wp_viewporter_get_viewport(viewporter, window->surface);
	wp_viewport_set_destination(viewport, INT32_MAX, INT32_MAX);
	xdg_toplevel_set_max_size(window->toplevel, INT32_MAX, INT32_MAX);
	xdg_toplevel_set_min_size(window->toplevel, INT32_MAX - 1, INT32_MAX - 1);
	fixture_pump(world->fixture);
	peer_surface_show(window->surface, world->window->buffer);
	fixture_frames(world->fixture, 3);
	struct window *server = peer_window_find(window);
	assert_int_equal(server->geometry.width, COORD_MAX);
	assert_int_equal(server->geometry.height, COORD_MAX);
	assert_int_equal(server->private->limits.min_width, COORD_MAX);
	assert_non_null(server->private->decoration);
	xdg_surface_set_window_geometry(
		window->xdg_surface, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX);
	wl_surface_commit(window->surface);
	xdg_surface_set_window_geometry(window->xdg_surface, INT32_MAX, INT32_MAX, 1, INT32_MAX);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 3);
	/* Resized by its top left corner, with another window placed beside it. */
	server->private->resize_edges = XDG_TOPLEVEL_RESIZE_EDGE_TOP_LEFT;
	server->private->resize_from = window_box(server);
	wp_viewport_set_destination(viewport, 1, 1);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 2);
	wp_viewport_set_destination(viewport, INT32_MAX, INT32_MAX);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 2);
	peer_window_create(peer, 0, 0, 20, 20, 0xff000000);
	fixture_frames(world->fixture, 2);
	assert_true(peer_alive(peer));
}

static void regions_and_offsets_are_clamped(void **state)
{
	struct world *world = *state;
	struct peer *peer = world->peer;
	struct wl_surface *surface = world->window->surface;
	static const int32_t ends[] = {
		INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
	const int n = sizeof(ends) / sizeof(ends[0]);
	struct wl_region *region = wl_compositor_create_region(peer->compositor);
	struct wl_surface *child = wl_compositor_create_surface(peer->compositor);
	struct wl_subsurface *subsurface = peer_subsurface(peer, child, surface, 0, 0);
	wl_surface_attach(child, world->window->buffer->buffer, 0, 0);
	wl_surface_commit(child);
	for (int i = 0; i < n * n; i++) {
		int32_t a = ends[i % n], b = ends[i / n];
		wl_region_add(region, a, b, b, a);
		wl_region_add(region, a, a, INT32_MAX, INT32_MAX);
		wl_region_subtract(region, b, a, INT32_MAX, 1);
		wl_surface_set_opaque_region(surface, region);
		wl_surface_set_input_region(surface, region);
		wl_surface_damage(surface, a, b, INT32_MAX, INT32_MAX);
		wl_surface_damage_buffer(surface, b, a, INT32_MAX, INT32_MAX);
		wl_surface_offset(surface, a, b);
		wl_subsurface_set_position(subsurface, a, b);
		wl_surface_commit(surface);
		fixture_frames(world->fixture, 1);
	}
	assert_true(peer_alive(peer));
	const struct surface *server = peer_surface_find(peer, child);
	assert_int_equal(server->subsurface->x, COORD_MAX);
	assert_int_equal(server->subsurface->y, COORD_MAX);
}

static void positioners_are_clamped(void **state)
{
	struct world *world = *state;
	struct peer *peer = world->peer;
	static const int32_t sizes[] = {1, INT32_MAX};
	static const int32_t places[] = {INT32_MIN, 0, INT32_MAX};
	for (int i = 0; i < 2 * 3 * 9; i++) {
		struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
		struct xdg_surface *xdg_surface =
			xdg_wm_base_get_xdg_surface(peer->wm_base, surface);
		struct xdg_positioner *positioner = xdg_wm_base_create_positioner(peer->wm_base);
		xdg_positioner_set_size(positioner, sizes[i % 2], sizes[i % 2]);
		xdg_positioner_set_anchor_rect(
			positioner, places[i / 2 % 3], places[i / 2 % 3], INT32_MAX, INT32_MAX);
		xdg_positioner_set_offset(positioner, places[i / 2 % 3], INT32_MIN);
		xdg_positioner_set_anchor(positioner, (uint32_t)(i / 6));
		xdg_positioner_set_gravity(positioner, (uint32_t)(8 - i / 6));
		xdg_positioner_set_constraint_adjustment(positioner, 63);
		xdg_positioner_set_reactive(positioner);
		xdg_surface_get_popup(xdg_surface, world->window->xdg_surface, positioner);
		wl_surface_commit(surface);
	}
	fixture_frames(world->fixture, 2);
	assert_true(peer_alive(peer));
}

static void layer_surfaces_are_clamped(void **state)
{
	struct world *world = *state;
	struct peer *peer = world->peer;
	struct zwlr_layer_shell_v1 *shell = peer_bind(peer, &zwlr_layer_shell_v1_interface, 0);
	static const int32_t ends[] = {INT32_MIN, -1, INT32_MAX};
	for (int i = 0; i < 16 * 3; i++) {
		struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
		struct zwlr_layer_surface_v1 *panel = zwlr_layer_shell_v1_get_layer_surface(
			shell, surface, NULL, ZWLR_LAYER_SHELL_V1_LAYER_TOP, "test");
		int32_t end = ends[i % 3];
		zwlr_layer_surface_v1_set_size(panel, INT32_MAX, INT32_MAX);
		zwlr_layer_surface_v1_set_anchor(panel, (uint32_t)i / 3);
		zwlr_layer_surface_v1_set_margin(panel, end, -1 - end, end, end);
		zwlr_layer_surface_v1_set_exclusive_zone(panel, end);
		wl_surface_commit(surface);
	}
	fixture_frames(world->fixture, 2);
	assert_true(peer_alive(peer));
}

/* Each of many surfaces may have one of these. */
static int64_t measure_inhibitors(void *data, int n)
{
	struct world *world = data;
	struct peer *peer = peer_create(world->fixture);
	struct zwp_keyboard_shortcuts_inhibit_manager_v1 *shortcuts =
		peer_bind(peer, &zwp_keyboard_shortcuts_inhibit_manager_v1_interface, 0);
	struct zwp_pointer_constraints_v1 *constraints =
		peer_bind(peer, &zwp_pointer_constraints_v1_interface, 0);
	struct wl_pointer *pointer = wl_seat_get_pointer(peer->seat);
	int64_t begun = growth_clock();
	for (int i = 0; i < n; i++) {
		struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
		zwp_keyboard_shortcuts_inhibit_manager_v1_inhibit_shortcuts(
			shortcuts, surface, peer->seat);
		zwp_pointer_constraints_v1_lock_pointer(constraints, surface, pointer, NULL,
			ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
		if (i % 128 == 0) {
			fixture_pump(world->fixture);
		}
	}
	assert_true(peer_alive(peer));
	peer_destroy(peer);
	fixture_pump(world->fixture);
	return growth_clock() - begun;
}

static void inhibitors_and_constraints_are_linear(void **state)
{
	assert_true(growth_is_linear(measure_inhibitors, *state, 4000));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(popups_nest_to_a_limit),
		TEST(popups_without_a_parent_nest_to_a_limit),
		TEST(orphaned_popups_are_linear),
		TEST(windows_nest_to_a_limit),
		TEST(parents_are_linear),
		TEST(focus_changes_are_linear),
		TEST(subsurfaces_of_a_tree_are_limited),
		TEST(many_surfaces_come_and_go),
		TEST(inhibitors_and_constraints_are_linear),
		TEST(sizes_are_clamped),
		TEST(regions_and_offsets_are_clamped),
		TEST(positioners_are_clamped),
		TEST(layer_surfaces_are_clamped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
