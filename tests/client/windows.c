/* Windows and popups as their clients see them: what is told when, grabs, frames, activation. */

#include "backend/headless.h"
#include "harness/peer.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include "util/signal.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"
#include "xdg-activation-v1-client-protocol.h"
#include "xdg-decoration-unstable-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>

struct test {
	struct fixture *fixture;
	struct input_device *pointer;
	struct peer *peer;
};

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(&(struct fixture_options){.width = 400, .height = 300});
	struct backend *backend = test->fixture->server->backend;
	test->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
	headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	test->peer = peer_create(test->fixture);
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;
	fixture_destroy(test->fixture);
	free(test);
	return 0;
}

static void point(struct test *test, double x, double y)
{
	struct input_motion_absolute_event event = {.x = x / 400, .y = y / 300};
	signal_emit(&test->pointer->events.motion_absolute, &event);
	signal_emit(&test->pointer->events.frame, NULL);
	fixture_pump(test->fixture);
}

static void press(struct test *test, bool pressed)
{
	struct input_button_event event = {.button = BTN_LEFT, .pressed = pressed};
	signal_emit(&test->pointer->events.button, &event);
	signal_emit(&test->pointer->events.frame, NULL);
	fixture_pump(test->fixture);
}

static void click(struct test *test, double x, double y)
{
	point(test, x, y);
	press(test, true);
	press(test, false);
}

/** The serial of the last button event that any client heard of. */
static uint32_t last_serial(struct test *test)
{
	return test->fixture->server->seat->pointer.press_serial;
}

static struct surface *keyboard_focus(struct test *test)
{
	return test->fixture->server->seat->keyboard.focus;
}

/* Popups */

struct popup_client {
	struct test *test;
	struct wl_surface *surface;
	struct xdg_surface *xdg_surface;
	struct xdg_popup *popup;
	int32_t x, y, width, height;
	uint32_t token, serial;
	int n_configures, n_done, n_repositioned;
	bool mute; /* does not acknowledge */
};

static void handle_popup_configure(
	void *data, struct xdg_popup *popup, int32_t x, int32_t y, int32_t width, int32_t height)
{
	struct popup_client *self = data;
	self->x = x;
	self->y = y;
	self->width = width;
	self->height = height;
}

static void handle_popup_done(void *data, struct xdg_popup *popup)
{
	struct popup_client *self = data;
	self->n_done++;
}

static void handle_repositioned(void *data, struct xdg_popup *popup, uint32_t token)
{
	struct popup_client *self = data;
	self->token = token;
	self->n_repositioned++;
}

static const struct xdg_popup_listener popup_listener = {
	.configure = handle_popup_configure,
	.popup_done = handle_popup_done,
	.repositioned = handle_repositioned,
};

static void handle_xdg_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	struct popup_client *self = data;
	self->n_configures++;
	self->serial = serial;
	if (!self->mute) {
		xdg_surface_ack_configure(xdg_surface, serial);
	}
}

static const struct xdg_surface_listener xdg_surface_listener = {
	.configure = handle_xdg_configure,
};

/** 50x40, below and to the right of the point x, y of the parent; flips and slides. */
static struct xdg_positioner *rules(struct test *test, int x, int y)
{
	struct xdg_positioner *positioner = xdg_wm_base_create_positioner(test->peer->wm_base);
	xdg_positioner_set_size(positioner, 50, 40);
	xdg_positioner_set_anchor_rect(positioner, x, y, 1, 1);
	xdg_positioner_set_anchor(positioner, XDG_POSITIONER_ANCHOR_TOP_LEFT);
	xdg_positioner_set_gravity(positioner, XDG_POSITIONER_GRAVITY_BOTTOM_RIGHT);
	xdg_positioner_set_constraint_adjustment(
		positioner, XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_X |
				    XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_Y);
	return positioner;
}

static void show(struct popup_client *self)
{
	struct peer_buffer *buffer =
		peer_buffer_create(self->test->peer, 50, 40, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 50, 40, 0x00ff00);
	peer_surface_show(self->surface, buffer);
	fixture_settle(self->test->fixture);
}

/** Not committed yet. */
static struct popup_client *make_popup(
	struct test *test, struct xdg_surface *parent, struct xdg_positioner *positioner)
{
	struct popup_client *self = test_calloc(1, sizeof(*self));
	self->test = test;
	self->surface = wl_compositor_create_surface(test->peer->compositor);
	self->xdg_surface = xdg_wm_base_get_xdg_surface(test->peer->wm_base, self->surface);
	self->popup = xdg_surface_get_popup(self->xdg_surface, parent, positioner);
	xdg_surface_add_listener(self->xdg_surface, &xdg_surface_listener, self);
	xdg_popup_add_listener(self->popup, &popup_listener, self);
	xdg_positioner_destroy(positioner);
	return self;
}

static void map_popup(struct popup_client *self)
{
	wl_surface_commit(self->surface);
	fixture_pump(self->test->fixture);
	show(self);
}

static void destroy_popup(struct popup_client *self)
{
	xdg_popup_destroy(self->popup);
	xdg_surface_destroy(self->xdg_surface);
	wl_surface_destroy(self->surface);
	fixture_pump(self->test->fixture);
	test_free(self);
}

static bool is_mapped(struct popup_client *self)
{
	return peer_surface_find(self->test->peer, self->surface)->mapped;
}

static void test_popup_place(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 100, 100, 200, 150, 0xffff0000);
	struct popup_client *popup = make_popup(test, window->xdg_surface, rules(test, 20, 30));
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_configures, 0); /* not before its commit */
	map_popup(popup);
	assert_int_equal(popup->n_configures, 1);
	assert_int_equal(popup->x, 20);
	assert_int_equal(popup->y, 30);
	assert_int_equal(popup->width, 50);
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 119, 131), 0xff0000);

	/* At the edge of the screen it slides; a geometry moves what the place is relative to. */
	destroy_popup(popup);
	xdg_surface_set_window_geometry(window->xdg_surface, 10, 10, 180, 130);
	wl_surface_commit(window->surface);
	peer_window_place(window, 200, 100);
	popup = make_popup(test, window->xdg_surface, rules(test, 170, 0));
	map_popup(popup);
	assert_int_equal(popup->x, 150);
	assert_int_equal(fixture_pixel(test->fixture, 351, 101), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 349, 101), 0xff0000);
	destroy_popup(popup);
}

static void test_popup_reposition(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 100, 100, 200, 150, 0xffff0000);
	struct popup_client *popup = make_popup(test, window->xdg_surface, rules(test, 20, 30));
	map_popup(popup);
	popup->mute = true;
	struct xdg_positioner *positioner = rules(test, 60, 50);
	xdg_popup_reposition(popup->popup, positioner, 77);
	xdg_positioner_destroy(positioner);
	fixture_settle(test->fixture);
	assert_int_equal(popup->n_repositioned, 1);
	assert_int_equal(popup->token, 77);
	assert_int_equal(popup->x, 60);
	/* It moves when it has answered, not before; there is nothing to draw for it. */
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0x00ff00);
	xdg_surface_ack_configure(popup->xdg_surface, popup->serial);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0xff0000);
	assert_int_equal(fixture_pixel(test->fixture, 161, 151), 0x00ff00);
	wl_surface_commit(popup->surface);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 161, 151), 0x00ff00);
	/* With another size it moves when that is there. */
	positioner = rules(test, 20, 30);
	xdg_positioner_set_size(positioner, 20, 20);
	xdg_popup_reposition(popup->popup, positioner, 78);
	xdg_positioner_destroy(positioner);
	fixture_settle(test->fixture);
	xdg_surface_ack_configure(popup->xdg_surface, popup->serial);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0xff0000);
	wl_surface_commit(popup->surface);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0x00ff00);
	destroy_popup(popup);
}

/* Nothing can be asked of a popup: it stays when a device comes along, and goes with a lost one. */
static void expect_lost(struct test *test, struct popup_client *popup)
{
	struct shell *shell = test->fixture->server->shell;
	shell_redraw(shell, true);
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_done, 0);
	surface_release_buffer(peer_surface_find(test->peer, popup->surface));
	shell_redraw(shell, false);
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_done, 0);
	assert_true(is_mapped(popup));
	shell_redraw(shell, true);
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_done, 1);
	destroy_popup(popup);
}

static void test_popup_lost(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 50, 50, 200, 100, 0xffff0000);
	struct popup_client *popup = make_popup(test, window->xdg_surface, rules(test, 20, 30));
	map_popup(popup);
	expect_lost(test, popup);
}

static void test_popup_reacts(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 100, 100, 200, 150, 0xffff0000);
	struct xdg_positioner *positioner = rules(test, 180, 30);
	xdg_positioner_set_reactive(positioner);
	struct popup_client *popup = make_popup(test, window->xdg_surface, positioner);
	map_popup(popup);
	assert_int_equal(popup->x, 180);
	peer_window_place(window, 190, 100);
	assert_int_equal(popup->n_configures, 2);
	assert_int_equal(popup->x, 160);
	peer_window_place(window, 190, 90); /* nothing new */
	assert_int_equal(popup->n_configures, 2);
	destroy_popup(popup);
}

static void test_popup_grab(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	struct peer_window *beside = peer_window_create(other, 250, 0, 100, 100, 0xff0000ff);
	click(test, 10, 10);
	struct popup_client *menu = make_popup(test, window->xdg_surface, rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	map_popup(menu);
	assert_true(is_mapped(menu));
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, menu->surface));
	struct popup_client *nested = make_popup(test, menu->xdg_surface, rules(test, 40, 10));
	xdg_popup_grab(nested->popup, test->peer->seat, last_serial(test));
	map_popup(nested);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, nested->surface));

	/* The client's own windows hear of clicks as always. */
	click(test, 10, 10);
	assert_int_equal(menu->n_done + nested->n_done, 0);
	assert_ptr_equal(test->fixture->server->seat->pointer.focus,
		peer_surface_find(test->peer, window->surface));
	/* Others do not even hear of the pointer. */
	point(test, 300, 50);
	assert_null(test->fixture->server->seat->pointer.focus);

	destroy_popup(nested);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, menu->surface));
	/* A submenu needs no press of its own, but an event. */
	uint32_t serial = wl_display_get_serial(test->fixture->server->display); /* modifiers */
	nested = make_popup(test, menu->xdg_surface, rules(test, 40, 10));
	xdg_popup_grab(nested->popup, test->peer->seat, serial + 1000);
	wl_surface_commit(nested->surface);
	fixture_pump(test->fixture);
	assert_int_equal(nested->n_done, 1);
	destroy_popup(nested);
	nested = make_popup(test, menu->xdg_surface, rules(test, 40, 10));
	xdg_popup_grab(nested->popup, test->peer->seat, serial);
	map_popup(nested);
	assert_int_equal(nested->n_done, 0);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, nested->surface));
	destroy_popup(nested);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, menu->surface));
	click(test, 300, 50);
	assert_int_equal(menu->n_done, 1);
	assert_false(is_mapped(menu));
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(other, beside->surface));
	assert_null(test->fixture->server->seat->pointer.grab);
	assert_ptr_equal(test->fixture->server->seat->pointer.focus,
		peer_surface_find(other, beside->surface));
	destroy_popup(menu);
	assert_true(peer_alive(test->peer) && peer_alive(other));
}

/* A serial of nothing that the user did denies it. */
static void test_popup_grab_denied(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	click(test, 10, 10);
	struct popup_client *menu = make_popup(test, window->xdg_surface, rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test) + 1000);
	wl_surface_commit(menu->surface);
	fixture_pump(test->fixture);
	assert_int_equal(menu->n_done, 1);
	assert_int_equal(menu->n_configures, 0);
	assert_null(test->fixture->server->seat->pointer.grab);
	destroy_popup(menu);
	assert_true(peer_alive(test->peer));
}

/* The window goes from under its popups, in whatever order things are destroyed. */
static void test_popup_orphans(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	click(test, 10, 10);
	struct popup_client *menu = make_popup(test, window->xdg_surface, rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	map_popup(menu);
	struct popup_client *nested = make_popup(test, menu->xdg_surface, rules(test, 40, 10));
	map_popup(nested);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	assert_int_equal(menu->n_done, 1);
	assert_int_equal(nested->n_done, 1);
	peer_window_destroy(window);
	fixture_pump(test->fixture);
	wl_surface_commit(nested->surface);
	destroy_popup(menu);
	destroy_popup(nested);
	assert_true(peer_alive(test->peer));

	window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	menu = make_popup(test, window->xdg_surface, rules(test, 20, 30));
	map_popup(menu);
	peer_destroy(test->peer); /* as if it had crashed */
	test->peer = NULL;
	fixture_settle(test->fixture);
	test_free(menu);
}

/* Windows */

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
	zxdg_toplevel_decoration_v1_set_mode(
		decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
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
	zxdg_toplevel_decoration_v1_unset_mode(decoration);
	fixture_settle(test->fixture);
	assert_int_equal(mode, ZXDG_TOPLEVEL_DECORATION_V1_MODE_CLIENT_SIDE);
	assert_non_null(shell_window->decoration);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	assert_null(shell_window->decoration);
	assert_int_equal(fixture_pixel(test->fixture, 150, 95), background);
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
	struct popup_client *popup = make_popup(test, NULL, rules(test, 10, 0));
	zwlr_layer_surface_v1_get_popup(layer, popup->popup);
	map_popup(popup);
	assert_int_equal(popup->y, -10);
	assert_int_equal(fixture_pixel(test->fixture, 11, 271), 0x00ff00);
	expect_lost(test, popup);

	popup = make_popup(test, NULL, rules(test, 10, 0));
	zwlr_layer_surface_v1_get_popup(layer, popup->popup);
	map_popup(popup);
	headless_remove_output(test->fixture->server->scene->outputs[0]->output);
	fixture_pump(test->fixture);
	assert_true(self.closed);
	assert_int_equal(popup->n_done, 1);
	wl_surface_commit(surface);
	zwlr_layer_surface_v1_set_layer(layer, ZWLR_LAYER_SHELL_V1_LAYER_BOTTOM);
	destroy_popup(popup);
	zwlr_layer_surface_v1_destroy(layer);
	assert_true(peer_alive(test->peer));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_popup_place),
		TEST(test_popup_reposition),
		TEST(test_popup_reacts),
		TEST(test_popup_lost),
		TEST(test_popup_grab),
		TEST(test_popup_grab_denied),
		TEST(test_popup_orphans),
		TEST(test_unmap_starts_anew),
		TEST(test_states),
		TEST(test_close),
		TEST(test_decoration),
		TEST(test_activation),
		TEST(test_many_tokens),
		TEST(test_layer),
	};
	return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
