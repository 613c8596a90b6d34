/* SPDX-License-Identifier: MIT */
/* Fullscreen windows over several outputs: _NET_WM_FULLSCREEN_MONITORS. */

#include "x_rules.h"

#define MONITORS "_NET_WM_FULLSCREEN_MONITORS"

static void ask(struct x_client *client, xcb_window_t window, uint32_t top, uint32_t bottom,
	uint32_t left, uint32_t right)
{
	x_send(client, window, MONITORS, top, bottom, left, right, 1);
}

static bool names(struct x_client *client, xcb_window_t window, uint32_t left, uint32_t right)
{
	uint32_t values[4];
	return x_get(client, window, MONITORS, values, 4) == 4 && values[2] == left &&
	       values[3] == right;
}

static void fullscreen(struct x_client *client, xcb_window_t window, uint32_t action)
{
	change_state(client, window, action, "_NET_WM_STATE_FULLSCREEN", NULL);
}

static bool has_boxes(struct x_client *client, xcb_window_t window)
{
	return is_box(client, window, 0, 0, client->screen->width_in_pixels,
		client->screen->height_in_pixels);
}

/* With one output. */
static void monitors_that_do_not_exist_are_ignored(struct x_client *client)
{
	xcb_window_t window = focused(client);
	uint32_t values[4];
	X_CHECK(x_has_atom(client, client->root, "_NET_SUPPORTED", MONITORS));
	ask(client, window, 0, 0, 0, 1);
	ask(client, window, UINT32_MAX, 0, 0, 0);
	x_settle(client);
	X_CHECK(x_get(client, window, MONITORS, values, 4) < 0);
	fullscreen(client, window, 1);
	X_WAIT(client, has_boxes(client, window));
	ask(client, window, 0, 0, 0, 0);
	X_WAIT(client, names(client, window, 0, 0));
	ask(client, window, 0, 7, 0, 0);
	x_settle(client);
	X_CHECK(names(client, window, 0, 0) && has_boxes(client, window));
	xcb_unmap_window(client->x, window);
	X_WAIT(client, x_get(client, window, MONITORS, values, 4) < 0);
}

const struct x_rule x_rules_monitors[] = {
	RULE(monitors_that_do_not_exist_are_ignored),
	{0},
};

/* Two outputs, 800x600 and 600x500, side by side. */

static void fullscreen_covers_the_named_monitors(struct x_client *client)
{
	xcb_window_t window = focused(client);
	ask(client, window, 0, 0, 0, 1);
	X_WAIT(client, names(client, window, 0, 1));
	X_CHECK(is_size(client, window, 200, 100));
	fullscreen(client, window, 1);
	X_WAIT(client, is_box(client, window, 0, 0, 1400, 600));
	ask(client, window, 0, 0, 1, 0); /* the left edge is right of the right one */
	x_settle(client);
	X_CHECK(names(client, window, 0, 1));
	ask(client, window, 1, 1, 0, 1);
	X_WAIT(client, is_box(client, window, 0, 0, 1400, 500));
	ask(client, window, 1, 1, 1, 1);
	X_WAIT(client, is_box(client, window, 800, 0, 600, 500));
	fullscreen(client, window, 0);
	X_WAIT(client, is_size(client, window, 200, 100));
}

static void monitors_named_before_the_first_content_count(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	xcb_map_window(client->x, window);
	ask(client, window, 0, 0, 0, 1);
	fullscreen(client, window, 1);
	X_WAIT(client, is_box(client, window, 0, 0, 1400, 600));
	X_CHECK(names(client, window, 0, 1));
}

/* The caller disables the second output once the window covers both. */
static void removed_monitor_leaves_the_other(struct x_client *client)
{
	xcb_window_t window = focused(client);
	uint32_t values[4];
	ask(client, window, 0, 0, 0, 1);
	fullscreen(client, window, 1);
	X_WAIT(client, is_box(client, window, 0, 0, 1400, 600));
	X_WAIT(client, is_box(client, window, 0, 0, 800, 600));
	X_WAIT(client, x_get(client, window, MONITORS, values, 4) < 0);
	X_CHECK(x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN"));
}

/* With a program's position for the corner of the second output. */
static xcb_window_t at_the_second_corner(struct x_client *client, bool decorated)
{
	const uint32_t hints[18] = {P_POSITION | GRAVITY, [17] = XCB_GRAVITY_STATIC};
	const uint32_t plain[5] = {2};
	xcb_window_t window = x_window(
		client, decorated ? 803 : 800, decorated ? 22 : 0, decorated ? 200 : 600, 100);
	x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	if (!decorated) {
		x_set(client, window, "_MOTIF_WM_HINTS", "_MOTIF_WM_HINTS", plain, 5);
	}
	x_map(client, window);
	return window;
}

static void programs_position_in_the_corner_of_any_output_is_none(struct x_client *client)
{
	int box[4];
	xcb_window_t window = at_the_second_corner(client, true);
	x_settle(client);
	x_box(client, window, box);
	X_CHECK((box[0] < 800 || box[0] > 830) && box[1] > 30);
	window = at_the_second_corner(client, false);
	X_WAIT(client, is_box(client, window, 800, 0, 600, 100));
}

const struct x_rule x_rules_outputs[] = {
	RULE(programs_position_in_the_corner_of_any_output_is_none),
	RULE(fullscreen_covers_the_named_monitors),
	RULE(monitors_named_before_the_first_content_count),
	RULE(removed_monitor_leaves_the_other),
	{0},
};
