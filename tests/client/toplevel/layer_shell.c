/* SPDX-License-Identifier: MIT */
/* zwlr_layer_shell_v1: exclusive zones, mapping, keyboard focus and popups. */

#include "backend/headless.h"
#include "commit-timing-v1-client-protocol.h"
#include "harness/client/xdg_peer.h"
#include "surface/surface.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"

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

struct layer_client {
	int32_t width, height;
	uint32_t serial;
	int n_configures;
	bool closed;
};

static void handle_layer_configure(void *data, struct zwlr_layer_surface_v1 *layer, uint32_t serial,
	uint32_t width, uint32_t height)
{
	struct layer_client *self = data;
	self->width = (int32_t)width;
	self->height = (int32_t)height;
	self->n_configures++;
	zwlr_layer_surface_v1_ack_configure(layer, serial);
}

static void handle_closed(void *data, struct zwlr_layer_surface_v1 *layer)
{
	struct layer_client *self = data;
	self->closed = true;
}

static const struct zwlr_layer_surface_v1_listener layer_listener = {
	.configure = handle_layer_configure,
	.closed = handle_closed,
};

static void panel_reserves_its_zone(void **state)
{
	struct test *test = *state;
	struct layer_client self = {0};
	struct zwlr_layer_shell_v1 *shell =
		peer_bind(test->peer, &zwlr_layer_shell_v1_interface, 0);
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	xdg_toplevel_set_maximized(window->toplevel);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	struct zwlr_layer_surface_v1 *layer = zwlr_layer_shell_v1_get_layer_surface(
		shell, surface, NULL, ZWLR_LAYER_SHELL_V1_LAYER_TOP, "panel");
	zwlr_layer_surface_v1_add_listener(layer, &layer_listener, &self);
	zwlr_layer_surface_v1_set_anchor(layer, ZWLR_LAYER_SURFACE_V1_ANCHOR_BOTTOM |
							ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT |
							ZWLR_LAYER_SURFACE_V1_ANCHOR_RIGHT);
	zwlr_layer_surface_v1_set_size(layer, 0, 30);
	zwlr_layer_surface_v1_set_exclusive_zone(layer, 30);
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	assert_int_equal(self.width, 400);
	assert_int_equal(window->height, 300); /* still unmapped */
	struct peer_buffer *buffer =
		peer_buffer_create(test->peer, 400, 30, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 400, 30, 0x123456);
	peer_surface_show(surface, buffer);
	fixture_settle(test->fixture);
	assert_int_equal(window->height, 270);
	assert_int_equal(fixture_pixel(test->fixture, 200, 271), 0x123456);

	/* If its content is lost and its buffer was released, the client is asked to redraw. */
	struct shell *server_shell = test->fixture->server->shell;
	const struct layer *panel = wl_container_of(server_shell->layer_surfaces.next, panel, link);
	int n_configures = self.n_configures;
	shell_redraw(server_shell, false);
	fixture_pump(test->fixture);
	assert_int_equal(self.n_configures, n_configures);
	surface_release_buffer(panel->surface);
	shell_redraw(server_shell, true);
	fixture_pump(test->fixture);
	assert_int_equal(self.n_configures, n_configures + 1);
	assert_int_equal(self.height, 30);

	/* Popups are stacked above their layer surface. */
	struct popup *popup = popup_create(test, NULL, popup_rules(test, 10, 0));
	zwlr_layer_surface_v1_get_popup(layer, popup->popup);
	popup_map(popup);
	assert_int_equal(popup->y, -10);
	assert_int_equal(fixture_pixel(test->fixture, 11, 271), 0x00ff00);
	popup_expect_lost(test, popup);

	popup = popup_create(test, NULL, popup_rules(test, 10, 0));
	zwlr_layer_surface_v1_get_popup(layer, popup->popup);
	popup_map(popup);
	headless_remove_output(test->fixture->server->scene->outputs[0]->output);
	fixture_pump(test->fixture);
	assert_true(self.closed);
	assert_int_equal(popup->n_done, 1);
	wl_surface_commit(surface);
	zwlr_layer_surface_v1_set_layer(layer, ZWLR_LAYER_SHELL_V1_LAYER_BOTTOM);
	popup_destroy(popup);

	/* The client may not know yet that the layer surface is closed. */
	popup = popup_create(test, NULL, popup_rules(test, 10, 0));
	zwlr_layer_surface_v1_get_popup(layer, popup->popup);
	wl_surface_commit(popup->surface);
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_done, 1);
	popup_destroy(popup);
	zwlr_layer_surface_v1_destroy(layer);
	assert_true(peer_alive(test->peer));
}

/* Shows a layer surface of 100x100 at the top left. */
static struct zwlr_layer_surface_v1 *show_layer(struct test *test, struct layer_client *self,
	struct wl_surface *surface, uint32_t which, uint32_t keyboard)
{
	struct zwlr_layer_shell_v1 *shell =
		peer_bind(test->peer, &zwlr_layer_shell_v1_interface, 0);
	struct zwlr_layer_surface_v1 *layer =
		zwlr_layer_shell_v1_get_layer_surface(shell, surface, NULL, which, "layer");
	zwlr_layer_surface_v1_add_listener(layer, &layer_listener, self);
	zwlr_layer_surface_v1_set_size(layer, 100, 100);
	zwlr_layer_surface_v1_set_anchor(
		layer, ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP | ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT);
	zwlr_layer_surface_v1_set_keyboard_interactivity(layer, keyboard);
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	peer_surface_show(
		surface, peer_buffer_create(test->peer, 100, 100, WL_SHM_FORMAT_XRGB8888));
	fixture_settle(test->fixture);
	return layer;
}

static void layer_surface_can_be_unmapped_before_its_first_content(void **state)
{
	struct test *test = *state;
	struct layer_client self = {0};
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	const struct wl_list *layers = &test->fixture->server->shell->layer_surfaces;
	show_layer(test, &self, surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP,
		ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_NONE);
	const struct layer *layer = wl_container_of(layers->next, layer, link);
	wl_surface_attach(surface, NULL, 0, 0);
	wl_surface_commit(surface);
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	assert_false(layer->mapped);

	struct peer_buffer *buffer =
		peer_buffer_create(test->peer, 100, 100, WL_SHM_FORMAT_XRGB8888);
	put_off(test, timer_create(test, surface));
	peer_surface_show(surface, buffer);
	fixture_pump(test->fixture);
	assert_false(layer->mapped);
	wl_surface_attach(surface, NULL, 0, 0);
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	int n = self.n_configures;
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	assert_int_equal(self.n_configures, n + 1);
	peer_surface_show(surface, buffer);
	fixture_settle(test->fixture);
	assert_true(layer->mapped);
}

static void panel_that_appears_uncovers_the_tops_of_windows(void **state)
{
	struct test *test = *state;
	struct layer_client self = {0};
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	struct peer_window *covered = peer_window_create(test->peer, 20, 10, 100, 100, 0xffff0000);
	struct peer_window *free = peer_window_create(test->peer, 350, 60, 100, 100, 0xff00ff00);
	struct zwlr_layer_surface_v1 *layer = show_layer(test, &self, surface,
		ZWLR_LAYER_SHELL_V1_LAYER_TOP, ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_NONE);
	assert_int_equal(peer_window_find(covered)->y, 10);
	zwlr_layer_surface_v1_set_anchor(layer, ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP);
	zwlr_layer_surface_v1_set_exclusive_zone(layer, 30);
	wl_surface_commit(surface);
	fixture_settle(test->fixture);
	assert_int_equal(peer_window_find(covered)->x, 20);
	assert_int_equal(peer_window_find(covered)->y, 30);
	assert_int_equal(fixture_pixel(test->fixture, 60, 35), 0xff0000);
	/* The user placed this one across the edge of the output. */
	assert_int_equal(peer_window_find(free)->x, 350);
	assert_int_equal(peer_window_find(free)->y, 60);
}

/* With exclusive interactivity below the windows, it gets the keyboard focus by a click. */
static void background_layer_gets_the_keyboard_by_a_click(void **state)
{
	struct test *test = *state;
	struct layer_client self = {0};
	struct peer_window *window = peer_window_create(test->peer, 200, 0, 100, 100, 0xffff0000);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	show_layer(test, &self, surface, ZWLR_LAYER_SHELL_V1_LAYER_BACKGROUND,
		ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_EXCLUSIVE);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, window->surface));
	click(test, 50, 50);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, surface));
	click(test, 250, 50);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, window->surface));
}

static void reactive_popup_follows_its_layer_surface(void **state)
{
	struct test *test = *state;
	struct layer_client self = {0};
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	struct zwlr_layer_surface_v1 *layer = show_layer(test, &self, surface,
		ZWLR_LAYER_SHELL_V1_LAYER_TOP, ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_NONE);
	struct xdg_positioner *rules = popup_rules(test, 10, 90);
	xdg_positioner_set_reactive(rules);
	struct popup *popup = popup_create(test, NULL, rules);
	zwlr_layer_surface_v1_get_popup(layer, popup->popup);
	popup_map(popup);
	assert_int_equal(popup->n_configures, 1);
	assert_int_equal(popup->y, 90);
	/* At the bottom of the output it would extend beyond the edge. */
	zwlr_layer_surface_v1_set_anchor(
		layer, ZWLR_LAYER_SURFACE_V1_ANCHOR_BOTTOM | ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT);
	wl_surface_commit(surface);
	fixture_settle(test->fixture);
	assert_int_equal(popup->n_configures, 2);
	assert_int_equal(popup->y, 60);
	popup_destroy(popup);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(panel_reserves_its_zone),
		TEST(layer_surface_can_be_unmapped_before_its_first_content),
		TEST(panel_that_appears_uncovers_the_tops_of_windows),
		TEST(background_layer_gets_the_keyboard_by_a_click),
		TEST(reactive_popup_follows_its_layer_surface),
	};
	return cmocka_run_group_tests_name("toplevel/layer_shell", tests, NULL, NULL);
}
