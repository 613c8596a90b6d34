/* SPDX-License-Identifier: MIT */
/* States of windows: _NET_WM_STATE and WM_STATE. */

#include "x_rules.h"

/* Sets a fixed size, as Wine does for windows that the user cannot resize. */
static void fix_size(struct x_client *client, xcb_window_t window, int width, int height)
{
	uint32_t hints[18] = {MIN_SIZE | LARGEST_SIZE};
	hints[5] = hints[7] = (uint32_t)width;
	hints[6] = hints[8] = (uint32_t)height;
	x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	x_settle(client);
}

static void size_fixed_while_the_output_is_filled_ends_with_it(struct x_client *client)
{
	static const char *const states[][2] = {{"_NET_WM_STATE_FULLSCREEN", NULL},
		{"_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT"}};
	xcb_window_t window = mapped(client, 200, 100);
	int box[4];
	for (size_t i = 0; i < N(states); i++) {
		fix_size(client, window, 200, 100);
		change_state(client, window, 1, states[i][0], states[i][1]);
		X_WAIT(client, !is_size(client, window, 200, 100));
		x_settle(client);
		x_box(client, window, box);
		fix_size(client, window, box[2], box[3] - 13);
		change_state(client, window, 0, states[i][0], states[i][1]);
		X_WAIT(client, is_size(client, window, 200, 100));
		x_settle(client);
		X_CHECK(is_size(client, window, 200, 100));
	}
	/* Without such a state it counts. */
	fix_size(client, window, 260, 120);
	configure(client, window, RESIZE, 300, 300);
	X_WAIT(client, is_size(client, window, 260, 120));
}

static void fullscreen_covers_the_output_and_ends(struct x_client *client)
{
	xcb_window_t window = focused(client);
	int box[4];
	x_settle(client);
	x_box(client, window, box);
	change_state(client, window, 1, "_NET_WM_STATE_FULLSCREEN", NULL);
	X_WAIT(client, is_box(client, window, 0, 0, client->screen->width_in_pixels,
			       client->screen->height_in_pixels));
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN"));
	configure(client, window, RESIZE, 50, 50);
	x_settle(client);
	X_CHECK(is_size(
		client, window, client->screen->width_in_pixels, client->screen->height_in_pixels));
	change_state(client, window, 2, "_NET_WM_STATE_FULLSCREEN", NULL);
	X_WAIT(client, is_box(client, window, box[0], box[1], 200, 100));
	X_WAIT(client, !x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN"));
}

static void maximized_fills_the_work_area(struct x_client *client)
{
	xcb_window_t window = focused(client);
	uint32_t area[4], frame[4];
	X_CHECK(x_get(client, client->root, "_NET_WORKAREA", area, 4) == 4);
	change_state(
		client, window, 1, "_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT");
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_MAXIMIZED_VERT"));
	get_frame(client, window, frame);
	X_WAIT(client, is_box(client, window, (int)(area[0] + frame[0]), (int)(area[1] + frame[2]),
			       (int)(area[2] - frame[0] - frame[1]),
			       (int)(area[3] - frame[2] - frame[3])));
	change_state(
		client, window, 0, "_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT");
	X_WAIT(client, is_size(client, window, 200, 100));
}

static void modal_is_set_reset_and_toggled(struct x_client *client)
{
	static const struct {
		uint32_t change;
		bool set;
	} steps[] = {{1, true}, {1, true}, {2, false}, {2, true}, {0, false}, {0, false}};
	xcb_window_t window = focused(client);
	for (size_t i = 0; i < N(steps); i++) {
		change_state(client, window, steps[i].change, "_NET_WM_STATE_MODAL", NULL);
		x_settle(client);
		X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_MODAL") ==
				       steps[i].set);
	}
}

static void initial_state_is_fullscreen(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	const uint32_t state = x_atom(client, "_NET_WM_STATE_FULLSCREEN");
	x_set(client, window, "_NET_WM_STATE", "ATOM", &state, 1);
	x_map(client, window);
	X_WAIT(client, is_box(client, window, 0, 0, client->screen->width_in_pixels,
			       client->screen->height_in_pixels));
	change_state(client, window, 0, "_NET_WM_STATE_FULLSCREEN", NULL);
	X_WAIT(client, is_size(client, window, 200, 100));
}

/* As SDL asks: after the mapping, before there is content. */
static void fullscreen_before_the_first_content_is_kept(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	xcb_map_window(client->x, window);
	change_state(client, window, 1, "_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_FULLSCREEN");
	change_state(client, window, 0, "_NET_WM_STATE_MAXIMIZED_HORZ", NULL);
	X_WAIT(client, is_box(client, window, 0, 0, client->screen->width_in_pixels,
			       client->screen->height_in_pixels));
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN"));
	change_state(client, window, 0, "_NET_WM_STATE_FULLSCREEN", NULL);
	X_WAIT(client, is_size(client, window, 200, 100));
	xcb_unmap_window(client->x, window);
	X_WAIT(client, !x_has(client, client->root, "_NET_CLIENT_LIST", window));
	x_map(client, window);
	x_settle(client);
	X_CHECK(is_size(client, window, 200, 100));
}

static void attention_lasts_until_the_focus(struct x_client *client)
{
	xcb_window_t window = focused(client);
	focused(client);
	change_state(client, window, 1, "_NET_WM_STATE_DEMANDS_ATTENTION", NULL);
	X_WAIT(client,
		x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_DEMANDS_ATTENTION"));
	x_send(client, window, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client,
		!x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_DEMANDS_ATTENTION"));
}

static void skip_taskbar_is_kept(struct x_client *client)
{
	xcb_window_t window = mapped(client, 200, 100);
	change_state(client, window, 1, "_NET_WM_STATE_SKIP_TASKBAR", "_NET_WM_STATE_SKIP_PAGER");
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_SKIP_PAGER"));
	change_state(client, window, 0, "_NET_WM_STATE_SKIP_TASKBAR", NULL);
	X_WAIT(client, !x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_SKIP_TASKBAR"));
}

static void above_is_set_before_and_after_mapping(struct x_client *client)
{
	xcb_window_t window = focused(client);
	change_state(client, window, 1, "_NET_WM_STATE_ABOVE", NULL);
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_ABOVE"));
	change_state(client, window, 2, "_NET_WM_STATE_ABOVE", NULL);
	X_WAIT(client, !x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_ABOVE"));
	xcb_window_t other = x_window(client, 0, 0, 200, 100);
	const uint32_t state = x_atom(client, "_NET_WM_STATE_ABOVE");
	x_set(client, other, "_NET_WM_STATE", "ATOM", &state, 1);
	x_map(client, other);
	X_WAIT(client, x_has_atom(client, other, "_NET_WM_STATE", "_NET_WM_STATE_ABOVE"));
}

static void size_before_maximizing_is_restored(struct x_client *client)
{
	xcb_window_t window = focused(client);
	configure(client, window, RESIZE, 300, 180);
	change_state(
		client, window, 1, "_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT");
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_MAXIMIZED_VERT"));
	x_settle(client);
	change_state(
		client, window, 0, "_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT");
	X_WAIT(client, is_size(client, window, 300, 180));
}

static void size_after_restoring_is_the_clients(struct x_client *client)
{
	xcb_window_t window = focused(client);
	change_state(client, window, 1, "_NET_WM_STATE_FULLSCREEN", NULL);
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN"));
	change_state(client, window, 0, "_NET_WM_STATE_FULLSCREEN", NULL);
	configure(client, window, RESIZE, 300, 180);
	X_WAIT(client, !x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN"));
	x_settle(client);
	X_WAIT(client, is_size(client, window, 300, 180));
	configure(client, window, RESIZE, 240, 120);
	X_WAIT(client, is_size(client, window, 240, 120));
}

static int place_of(struct x_client *client, xcb_window_t window)
{
	uint32_t stack[512];
	const int n = x_get(client, client->root, "_NET_CLIENT_LIST_STACKING", stack, 512);
	for (int i = 0; i < n; i++) {
		if (stack[i] == window) {
			return i;
		}
	}
	return -1;
}

static bool lies_below(struct x_client *client, xcb_window_t a, xcb_window_t b)
{
	return place_of(client, a) >= 0 && place_of(client, a) < place_of(client, b);
}

static void below_is_lowered_and_stays_so_with_the_focus(struct x_client *client)
{
	xcb_window_t other = focused(client);
	xcb_window_t window = focused(client);
	X_WAIT(client, lies_below(client, other, window));
	change_state(client, window, 1, "_NET_WM_STATE_BELOW", NULL);
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_BELOW"));
	X_WAIT(client, lies_below(client, window, other));
	x_send(client, other, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == other);
	x_send(client, window, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == window);
	x_settle(client);
	X_CHECK(lies_below(client, window, other));
	change_state(client, window, 1, "_NET_WM_STATE_ABOVE", NULL);
	X_WAIT(client, !x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_BELOW"));
	X_WAIT(client, lies_below(client, other, window));
	x_send(client, other, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == other);
	x_settle(client);
	X_CHECK(lies_below(client, other, window));
}

static void below_is_set_before_mapping(struct x_client *client)
{
	xcb_window_t other = focused(client);
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	const uint32_t state = x_atom(client, "_NET_WM_STATE_BELOW");
	x_set(client, window, "_NET_WM_STATE", "ATOM", &state, 1);
	x_map(client, window);
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_BELOW"));
	X_WAIT(client, lies_below(client, window, other));
}

const struct x_rule x_rules_states[] = {
	RULE_FLOATING(size_fixed_while_the_output_is_filled_ends_with_it),
	RULE_FLOATING(fullscreen_covers_the_output_and_ends),
	RULE_FLOATING(maximized_fills_the_work_area),
	RULE(modal_is_set_reset_and_toggled),
	RULE_FLOATING(initial_state_is_fullscreen),
	RULE_FLOATING(fullscreen_before_the_first_content_is_kept),
	RULE(attention_lasts_until_the_focus),
	RULE(skip_taskbar_is_kept),
	RULE(above_is_set_before_and_after_mapping),
	RULE_FLOATING(size_before_maximizing_is_restored),
	RULE_FLOATING(size_after_restoring_is_the_clients),
	RULE_FLOATING(below_is_lowered_and_stays_so_with_the_focus),
	RULE_FLOATING(below_is_set_before_mapping),
	{0},
};
