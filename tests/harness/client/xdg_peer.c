/* SPDX-License-Identifier: MIT */
/* Windows and popups of a test client. */

#include "harness/client/xdg_peer.h"
#include "backend/headless.h"
#include "harness/hand.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include "util/xalloc.h"

int set_up(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	test->fixture = fixture_create(&(struct fixture_options){.width = 400, .height = 300});
	struct backend *backend = test->fixture->server->backend;
	test->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
	headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	test->peer = peer_create(test->fixture);
	*state = test;
	return 0;
}

void point(struct test *test, double x, double y)
{
	hand_point(test->fixture, test->pointer, x, y);
}

void click(struct test *test, double x, double y)
{
	point(test, x, y);
	hand_press(test->fixture, test->pointer, true);
	hand_press(test->fixture, test->pointer, false);
}

uint32_t last_serial(struct test *test)
{
	return test->fixture->server->seat->pointer.press_serial;
}

struct surface *keyboard_focus(struct test *test)
{
	return test->fixture->server->seat->keyboard.focus;
}

/* Popups */

static void handle_popup_configure(
	void *data, struct xdg_popup *popup, int32_t x, int32_t y, int32_t width, int32_t height)
{
	struct popup *self = data;
	self->x = x;
	self->y = y;
	self->width = width;
	self->height = height;
}

static void handle_popup_done(void *data, struct xdg_popup *popup)
{
	struct popup *self = data;
	self->n_done++;
}

static void handle_repositioned(void *data, struct xdg_popup *popup, uint32_t token)
{
	struct popup *self = data;
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
	struct popup *self = data;
	self->n_configures++;
	self->serial = serial;
	if (!self->mute) {
		xdg_surface_ack_configure(xdg_surface, serial);
	}
}

static const struct xdg_surface_listener xdg_surface_listener = {
	.configure = handle_xdg_configure,
};

struct xdg_positioner *popup_rules(struct test *test, int x, int y)
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

void popup_draw(struct popup *self)
{
	struct peer_buffer *buffer =
		peer_buffer_create(self->test->peer, 50, 40, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 50, 40, 0x00ff00);
	peer_surface_show(self->surface, buffer);
}

struct popup *popup_create(
	struct test *test, struct xdg_surface *parent, struct xdg_positioner *positioner)
{
	struct popup *self = test_calloc(1, sizeof(*self));
	self->test = test;
	self->surface = wl_compositor_create_surface(test->peer->compositor);
	self->xdg_surface = xdg_wm_base_get_xdg_surface(test->peer->wm_base, self->surface);
	self->popup = xdg_surface_get_popup(self->xdg_surface, parent, positioner);
	xdg_surface_add_listener(self->xdg_surface, &xdg_surface_listener, self);
	xdg_popup_add_listener(self->popup, &popup_listener, self);
	xdg_positioner_destroy(positioner);
	return self;
}

void popup_map(struct popup *self)
{
	wl_surface_commit(self->surface);
	fixture_pump(self->test->fixture);
	popup_draw(self);
	fixture_settle(self->test->fixture);
}

void popup_destroy(struct popup *self)
{
	xdg_popup_destroy(self->popup);
	xdg_surface_destroy(self->xdg_surface);
	wl_surface_destroy(self->surface);
	fixture_pump(self->test->fixture);
	test_free(self);
}

bool popup_is_mapped(struct popup *self)
{
	return peer_surface_find(self->test->peer, self->surface)->mapped;
}

void popup_expect_lost(struct test *test, struct popup *popup)
{
	struct shell *shell = test->fixture->server->shell;
	shell_redraw(shell, true);
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_done, 0);
	surface_release_buffer(peer_surface_find(test->peer, popup->surface));
	shell_redraw(shell, false);
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_done, 0);
	assert_true(popup_is_mapped(popup));
	shell_redraw(shell, true);
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_done, 1);
	popup_destroy(popup);
}
