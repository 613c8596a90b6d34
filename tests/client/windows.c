/* Windows as their clients see them: what is told when, frames, activation, layers. */

#include "backend/headless.h"
#include "commit-timing-v1-client-protocol.h"
#include "protocol/protocols.h"
#include "surface/surface.h"
#include "windows_common.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"
#include "xdg-activation-v1-client-protocol.h"
#include "xdg-decoration-unstable-v1-client-protocol.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_unmap_starts_anew(void **state)
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
	assert_int_equal(shell_window->x, 50); /* where it was */
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

/* The next commit waits for a tenth of a second. */
static void put_off(struct test *test, struct wp_commit_timer_v1 *timer)
{
	int64_t when = clock_now(test->fixture->clock) + 100000000;
	wp_commit_timer_v1_set_timestamp(
		timer, 0, (uint32_t)(when / 1000000000), (uint32_t)(when % 1000000000));
}

/* What was hidden can become another window at once, though content waits that came before. */
static void test_hidden_becomes_another(void **state)
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

/* Content that waits for its time is passed by: the surface is hidden at once and can be another window. */
static void test_hidden_before_the_time_of_its_content(void **state)
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

/* Nothing that was said of it, nor its identifier, holds for what comes after it was hidden. */
static void test_hidden_forgets(void **state)
{
	struct test *test = *state;
	struct peer_window *parent = peer_window_create(test->peer, 0, 0, 100, 100, 0xff00ff00);
	struct peer_window *window = peer_window_create(test->peer, 50, 60, 100, 100, 0xffff0000);
	const struct window *shell_window = peer_window_find(window);
	char identifier[sizeof(shell_window->identifier)];
	memcpy(identifier, shell_window->identifier, sizeof(identifier));
	xdg_toplevel_set_title(window->toplevel, "title");
	xdg_toplevel_set_app_id(window->toplevel, "app");
	xdg_toplevel_set_parent(window->toplevel, parent->toplevel);
	xdg_toplevel_set_min_size(window->toplevel, 90, 90);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_string_equal(shell_window->title, "title");
	assert_int_equal(shell_window->min_width, 90);
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
	assert_null(shell_window->parent);
	assert_int_equal(shell_window->min_width, 0);

	/* The same with another toplevel, which the limits of the one before would contradict. */
	xdg_toplevel_set_min_size(window->toplevel, 90, 90);
	wl_surface_commit(window->surface);
	xdg_toplevel_destroy(window->toplevel);
	wl_surface_attach(window->surface, NULL, 0, 0);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	xdg_toplevel_set_max_size(window->toplevel, 50, 50);
	wl_surface_commit(window->surface);
	assert_true(peer_alive(test->peer));
}

/* One whose first content waits is mapped to its client. */
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

/* So it starts anew when it is hidden before it ever was mapped to others, as do its popups. */
static void test_waiting_is_hidden(void **state)
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

	/* A new role object has not been drawn: what hides the surface is its first commit. */
	window = create_waiting(test);
	xdg_toplevel_destroy(window->toplevel);
	wl_surface_attach(window->surface, NULL, 0, 0);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	n = window->n_configures;
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_int_equal(window->n_configures, n + 1);
}

static void test_parent_waits(void **state)
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

	/* And may go before it ever is. */
	parent = create_waiting(test);
	xdg_toplevel_set_parent(child->toplevel, parent->toplevel);
	fixture_pump(test->fixture);
	assert_ptr_equal(peer_window_find(child)->parent, peer_window_find(parent));
	peer_window_destroy(parent);
	fixture_pump(test->fixture);
	assert_null(peer_window_find(child)->parent);
}

static void test_states(void **state)
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
	/* A request is answered even if nothing changes. */
	int n = a->n_configures;
	xdg_toplevel_set_maximized(a->toplevel);
	fixture_pump(test->fixture);
	assert_int_equal(a->n_configures, n + 1);
	xdg_toplevel_set_minimized(b->toplevel);
	fixture_pump(test->fixture);
	assert_true(b->states & (1 << XDG_TOPLEVEL_STATE_SUSPENDED));
}

/* Whoever does not answer is asked once; who does not answer that either is closed the next time. */
static void test_close(void **state)
{
	struct test *test = *state;
	/* One that answers no pings, as nobody listens to it. */
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

static void handle_decoration(
	void *data, struct zxdg_toplevel_decoration_v1 *decoration, uint32_t mode)
{
	*(uint32_t *)data = mode;
}

static const struct zxdg_toplevel_decoration_v1_listener decoration_listener = {
	.configure = handle_decoration,
};

static void test_decoration(void **state)
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
		decoration); /* the compositor prefers frames of its own */
	fixture_pump(test->fixture);
	assert_int_equal(mode, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
	struct peer_buffer *buffer =
		peer_buffer_create(test->peer, 100, 100, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, buffer);
	fixture_settle(test->fixture);
	struct window *shell_window = peer_window_find(window);
	assert_non_null(shell_window->decoration);
	peer_window_place(window, 100, 100);
	fixture_settle(test->fixture);
	uint32_t background = fixture_pixel(test->fixture, 10, 10);
	assert_int_not_equal(fixture_pixel(test->fixture, 150, 95), background);

	/* The frame goes with the commit that answers, not before. */
	zxdg_toplevel_decoration_v1_set_mode(
		decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_CLIENT_SIDE);
	fixture_settle(test->fixture);
	assert_int_equal(mode, ZXDG_TOPLEVEL_DECORATION_V1_MODE_CLIENT_SIDE);
	assert_non_null(shell_window->decoration);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	assert_null(shell_window->decoration);
	assert_int_equal(fixture_pixel(test->fixture, 150, 95), background);
}

/* Its title bar is a subsurface above what it shows. */
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

static void test_title_bar_in_a_subsurface_is_on_screen(void **state)
{
	struct test *test = *state;
	/* With the window, after it, and beside a geometry that leaves it out. */
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

/* Activation */

static void handle_token(void *data, struct xdg_activation_token_v1 *token, const char *name)
{
	snprintf(data, 64, "%s", name);
}

static const struct xdg_activation_token_v1_listener token_listener = {.done = handle_token};

static void get_token(struct test *test, struct xdg_activation_v1 *activation, uint32_t serial,
	char name[static 64])
{
	struct xdg_activation_token_v1 *token = xdg_activation_v1_get_activation_token(activation);
	xdg_activation_token_v1_add_listener(token, &token_listener, name);
	if (serial) {
		xdg_activation_token_v1_set_serial(token, serial, test->peer->seat);
	}
	xdg_activation_token_v1_commit(token);
	fixture_pump(test->fixture);
	xdg_activation_token_v1_destroy(token);
}

static void test_activation(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	struct xdg_activation_v1 *ours = peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct xdg_activation_v1 *theirs = peer_bind(other, &xdg_activation_v1_interface, 0);
	struct peer_window *b = peer_window_create(other, 200, 0, 100, 100, 0xff0000ff);
	struct peer_window *a = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct shell *shell = test->fixture->server->shell;
	char name[64] = "";

	/* Without something that the user did, it only asks for attention. */
	get_token(test, ours, 0, name);
	xdg_activation_v1_activate(theirs, name, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(a));
	assert_true(peer_window_find(b)->urgent);

	click(test, 50, 50);
	get_token(test, ours, last_serial(test), name);
	xdg_activation_v1_activate(theirs, name, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(b));
	assert_false(peer_window_find(b)->urgent);

	/* It counts once. */
	click(test, 50, 50);
	xdg_activation_v1_activate(theirs, name, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(a));
	assert_false(peer_window_find(b)->urgent);
}

/* The number of tokens is bounded: the oldest are forgotten. */
static void test_many_tokens(void **state)
{
	struct test *test = *state;
	struct xdg_activation_v1 *activation =
		peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct peer_window *a = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct peer_window *b = peer_window_create(test->peer, 200, 0, 100, 100, 0xff0000ff);
	char first[64] = "", name[64] = "";
	click(test, 50, 50);
	get_token(test, activation, last_serial(test), first);
	for (int i = 0; i < 300; i++) {
		get_token(test, activation, last_serial(test), name);
		assert_string_not_equal(first, name);
	}
	xdg_activation_v1_activate(activation, first, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(test->fixture->server->shell->focus, peer_window_find(a));
	xdg_activation_v1_activate(activation, name, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(test->fixture->server->shell->focus, peer_window_find(b));
}

/* A client that the user does not work with asks for many: a launcher's token still counts. */
static void test_unprivileged_tokens_evict_no_launchers_token(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	struct xdg_activation_v1 *ours = peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct xdg_activation_v1 *theirs = peer_bind(other, &xdg_activation_v1_interface, 0);
	struct peer_window *b = peer_window_create(other, 200, 0, 100, 100, 0xff0000ff);
	peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct shell *shell = test->fixture->server->shell;
	char launchers[64] = "", name[64] = "";
	click(test, 50, 50);
	get_token(test, ours, last_serial(test), launchers);
	char *own = activation_token_create(test->fixture->server->protocols);
	for (int i = 0; i < 300; i++) {
		get_token(test, theirs, 0, name);
	}
	xdg_activation_v1_activate(theirs, launchers, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(b));
	click(test, 50, 50);
	xdg_activation_v1_activate(theirs, own, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(b));
	free(own);
}

/* A launcher that ends right after it has started a program. */
static void test_token_outlives_its_launcher(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	struct xdg_activation_v1 *ours = peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct peer_window *b = peer_window_create(other, 200, 0, 100, 100, 0xff0000ff);
	struct peer_window *c = peer_window_create(other, 200, 200, 100, 100, 0xff0000ff);
	peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct xdg_activation_v1 *theirs = peer_bind(other, &xdg_activation_v1_interface, 0);
	char name[64] = "";
	click(test, 50, 50);
	get_token(test, ours, last_serial(test), name);
	peer_destroy(test->peer);
	fixture_pump(test->fixture);
	struct shell *shell = test->fixture->server->shell;
	struct peer_window *unfocused = shell->focus == peer_window_find(b) ? c : b;
	xdg_activation_v1_activate(theirs, name, unfocused->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(unfocused));
}

/* Layer surfaces */

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

static void test_layer(void **state)
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
	assert_int_equal(window->height, 300); /* it is not there yet */
	struct peer_buffer *buffer =
		peer_buffer_create(test->peer, 400, 30, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 400, 30, 0x123456);
	peer_surface_show(surface, buffer);
	fixture_settle(test->fixture);
	assert_int_equal(window->height, 270);
	assert_int_equal(fixture_pixel(test->fixture, 200, 271), 0x123456);

	/* If the pixels are lost and its buffer was given back, it is asked for them. */
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

	/* Its popups stand above it. */
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

	/* Its client may not have heard of it yet. */
	popup = popup_create(test, NULL, popup_rules(test, 10, 0));
	zwlr_layer_surface_v1_get_popup(layer, popup->popup);
	wl_surface_commit(popup->surface);
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_done, 1);
	popup_destroy(popup);
	zwlr_layer_surface_v1_destroy(layer);
	assert_true(peer_alive(test->peer));
}

/* 100x100 at the top left. */
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

static void test_waiting_layer_is_hidden(void **state)
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

/* One that wants all of the keyboard, but lies below the windows, has it when it is clicked. */
static void test_layer_keyboard(void **state)
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

static void test_layer_popup_reacts(void **state)
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
	/* At the bottom of the output it would hang over the edge. */
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
		TEST(test_unmap_starts_anew),
		TEST(test_hidden_becomes_another),
		TEST(test_hidden_before_the_time_of_its_content),
		TEST(test_hidden_forgets),
		TEST(test_waiting_is_hidden),
		TEST(test_parent_waits),
		TEST(test_states),
		TEST(test_close),
		TEST(test_decoration),
		TEST(test_title_bar_in_a_subsurface_is_on_screen),
		TEST(test_activation),
		TEST(test_many_tokens),
		TEST(test_unprivileged_tokens_evict_no_launchers_token),
		TEST(test_token_outlives_its_launcher),
		TEST(test_layer),
		TEST(test_waiting_layer_is_hidden),
		TEST(test_layer_keyboard),
		TEST(test_layer_popup_reacts),
	};
	return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
