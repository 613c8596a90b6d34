#pragma once

/** A client on a screen of 400x300, with a pointer and a keyboard before it, and its popups. */

#include "backend/input.h"
#include "harness/peer.h"
#include "shell/shell.h"

struct test {
	struct fixture *fixture;
	struct input_device *pointer;
	struct peer *peer;
};

/** For cmocka, with fixture_tear_down(). */
int set_up(void **state);

void point(struct test *test, double x, double y);
/** There, with the left button. */
void click(struct test *test, double x, double y);
/** The serial of the last button event that any client heard of. */
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

/** 50x40, below and to the right of the point x, y of the parent; slides. */
struct xdg_positioner *popup_rules(struct test *test, int x, int y);
/** Takes the positioner; not committed yet. */
struct popup *popup_create(
	struct test *test, struct xdg_surface *parent, struct xdg_positioner *positioner);
/** In green; sent with the next pump. */
void popup_draw(struct popup *popup);
/** Committed, answered and drawn. */
void popup_map(struct popup *popup);
void popup_destroy(struct popup *popup);
bool popup_is_mapped(struct popup *popup);
/**
 * Nothing can be asked of a popup: it stays when a device comes along, and goes with a lost one. Destroys it.
 */
void popup_expect_lost(struct test *test, struct popup *popup);
