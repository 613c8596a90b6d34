/* SPDX-License-Identifier: MIT */
#pragma once

/** A client on an output of 400x300, with a pointer and a keyboard, and its popups. */

#include "backend/input.h"
#include "harness/peer.h"
#include "shell/shell.h"

struct test {
	struct fixture *fixture;
	struct input_device *pointer;
	struct peer *peer;
};

/** cmocka setup, with fixture_tear_down(). */
int set_up(void **state);

void point(struct test *test, double x, double y);
/** Clicks at x, y with the left button. */
void click(struct test *test, double x, double y);
/** Returns the serial of the last button event sent to any client. */
uint32_t last_serial(struct test *test);
struct surface *keyboard_focus(struct test *test);

struct popup {
	struct test *test;
	struct wl_surface *surface;
	struct xdg_surface *xdg_surface;
	struct xdg_popup *popup;
	int32_t x, y, width, height;
	uint32_t token, serial;
	int n_configures, n_done, n_repositioned;
	bool mute; /* does not acknowledge */
};

/** Returns a positioner: 50x40, below and to the right of x, y in the parent; slides. */
struct xdg_positioner *popup_rules(struct test *test, int x, int y);
/** Creates a popup and takes the positioner; not committed yet. */
struct popup *popup_create(
	struct test *test, struct xdg_surface *parent, struct xdg_positioner *positioner);
/** Draws it in green; sent with the next pump. */
void popup_draw(struct popup *popup);
/** Commits, acknowledges and draws. */
void popup_map(struct popup *popup);
void popup_destroy(struct popup *popup);
bool popup_is_mapped(struct popup *popup);
/**
 * Destroys the popup after checking that it cannot be redrawn: it stays when a device is added, and
 * is dismissed when its content is lost.
 */
void popup_expect_lost(struct test *test, struct popup *popup);
