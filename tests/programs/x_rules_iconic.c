/* SPDX-License-Identifier: MIT */
/* Iconic windows, which are unmapped: ICCCM 4.1.4. */

#include "x_rules.h"
#include <stdlib.h>
#include <time.h>

#define WITHDRAWN 0

static bool is_state(struct x_client *client, xcb_window_t window, uint32_t state)
{
	uint32_t values[2];
	return x_get(client, window, "WM_STATE", values, 2) == 2 && values[0] == state;
}

static void iconify(struct x_client *client, xcb_window_t window)
{
	x_send(client, window, "WM_CHANGE_STATE", ICONIC, 0, 0, 0, 0);
	X_WAIT(client, is_state(client, window, ICONIC));
}

static void iconic_window_is_hidden_until_activated(struct x_client *client)
{
	xcb_window_t window = focused(client);
	uint32_t values[2];
	x_send(client, window, "WM_CHANGE_STATE", ICONIC, 0, 0, 0, 0);
	X_WAIT(client, x_get(client, window, "WM_STATE", values, 2) == 2 && values[0] == ICONIC);
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_HIDDEN"));
	X_CHECK(x_has(client, client->root, "_NET_CLIENT_LIST", window));
	x_send(client, window, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client,
		x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_DEMANDS_ATTENTION"));
	focused(client); /* an X window with the focus allows it */
	x_send(client, window, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_get(client, window, "WM_STATE", values, 2) == 2 && values[0] == NORMAL);
	X_WAIT(client, x_focus(client) == window);
}

static void set_initial_state(struct x_client *client, xcb_window_t window, uint32_t state)
{
	const uint32_t hints[9] = {INPUT_HINT | STATE_HINT, 1, state};
	x_set(client, window, "WM_HINTS", "WM_HINTS", hints, 9);
}

static void urgency_leaves_a_window_iconic(struct x_client *client)
{
	xcb_window_t window = focused(client);
	set_initial_state(client, window, NORMAL);
	iconify(client, window);
	for (int i = 0; i < 2; i++) {
		const uint32_t urgency = i == 0 ? URGENCY_HINT : 0;
		const uint32_t hints[9] = {INPUT_HINT | STATE_HINT | urgency, 1, NORMAL};
		x_set(client, window, "WM_HINTS", "WM_HINTS", hints, 9);
		x_settle(client);
		x_settle(client);
		X_CHECK(is_state(client, window, ICONIC));
	}
}

/* Also without another X window, and as Tk does it. */
static void iconic_window_restores_itself(struct x_client *client)
{
	xcb_window_t window = focused(client);
	iconify(client, window);
	x_send(client, window, "_NET_ACTIVE_WINDOW", 1, 0, 0, 0, 0);
	X_WAIT(client, is_state(client, window, NORMAL));
	X_WAIT(client, x_focus(client) == window);
	set_initial_state(client, window, NORMAL);
	iconify(client, window);
	set_initial_state(client, window, NORMAL);
	X_WAIT(client, is_state(client, window, NORMAL));
	X_WAIT(client, x_focus(client) == window);
	X_WAIT(client, !x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_HIDDEN"));
}

static void window_that_starts_iconic_restores_itself(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	set_initial_state(client, window, ICONIC);
	x_map(client, window);
	X_WAIT(client, is_state(client, window, ICONIC));
	x_send(client, window, "_NET_ACTIVE_WINDOW", 1, 0, 0, 0, 0);
	X_WAIT(client, is_state(client, window, NORMAL));
}

static void window_minimised_before_its_content_stays_so(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	xcb_map_window(client->x, window);
	x_send(client, window, "WM_CHANGE_STATE", ICONIC, 0, 0, 0, 0);
	X_WAIT(client, x_has(client, client->root, "_NET_CLIENT_LIST", window));
	X_WAIT(client, is_state(client, window, ICONIC));
	x_settle(client);
	X_CHECK(is_state(client, window, ICONIC));
}

static bool is_viewable(struct x_client *client, xcb_window_t window)
{
	xcb_get_window_attributes_reply_t *reply = xcb_get_window_attributes_reply(
		client->x, xcb_get_window_attributes(client->x, window), NULL);
	const bool viewable = reply && reply->map_state == XCB_MAP_STATE_VIEWABLE;
	free(reply);
	return viewable;
}

static bool is_listed(struct x_client *client, xcb_window_t window)
{
	return x_has(client, client->root, "_NET_CLIENT_LIST", window);
}

static void map_again(struct x_client *client, xcb_window_t window)
{
	xcb_map_window(client->x, window);
	X_WAIT(client, is_state(client, window, NORMAL));
	X_WAIT(client, is_viewable(client, window));
}

/* ICCCM 4.1.4: as XWithdrawWindow does. */
static void withdraw(struct x_client *client, xcb_window_t window)
{
	const xcb_unmap_notify_event_t event = {
		.response_type = XCB_UNMAP_NOTIFY,
		.event = client->root,
		.window = window,
	};
	char bytes[32] = {0};
	__builtin_memcpy(bytes, &event, sizeof(event));
	xcb_unmap_window(client->x, window);
	xcb_send_event(client->x, 0, client->root,
		XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT, bytes);
}

static void iconic_window_is_restored_by_mapping(struct x_client *client)
{
	xcb_window_t window = focused(client);
	for (int i = 0; i < 3; i++) {
		iconify(client, window);
		X_WAIT(client, !is_viewable(client, window));
		X_CHECK(is_listed(client, window));
		map_again(client, window);
		X_WAIT(client, x_focus(client) == window);
		X_CHECK(!x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_HIDDEN"));
		X_CHECK(is_listed(client, window) && is_size(client, window, 200, 100));
	}
}

static void window_that_starts_iconic_is_restored_by_mapping(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	set_initial_state(client, window, ICONIC);
	x_map(client, window);
	X_WAIT(client, is_state(client, window, ICONIC));
	X_WAIT(client, !is_viewable(client, window));
	map_again(client, window);
	X_WAIT(client, x_focus(client) == window);
}

static void iconic_window_is_unmapped_until_activated(struct x_client *client)
{
	xcb_window_t window = focused(client);
	iconify(client, window);
	X_WAIT(client, !is_viewable(client, window));
	x_send(client, window, "_NET_ACTIVE_WINDOW", 1, 0, 0, 0, 0);
	X_WAIT(client, is_viewable(client, window));
	X_WAIT(client, x_focus(client) == window);
	X_CHECK(is_state(client, window, NORMAL));
}

/* Without waiting for the content that Xwayland commits after each mapping, nor for events. */
static void window_survives_quick_turns(struct x_client *client)
{
	xcb_window_t window = focused(client), other = focused(client);
	for (int i = 0; i < 100; i++) {
		x_send(client, window, "WM_CHANGE_STATE", ICONIC, 0, 0, 0, 0);
		if (i % 2 == 0) {
			X_WAIT(client, is_state(client, window, ICONIC));
		}
		if (i % 4 == 0) {
			X_WAIT(client, !is_viewable(client, window));
		}
		xcb_map_window(client->x, window);
		x_send(client, window, "_NET_ACTIVE_WINDOW", 1, 0, 0, 0, 0);
		if (i % 3 == 0) {
			X_WAIT(client, is_state(client, window, NORMAL));
		}
	}
	x_settle(client);
	X_WAIT(client, is_state(client, window, NORMAL));
	X_WAIT(client, is_viewable(client, window));
	X_CHECK(is_listed(client, window) && is_listed(client, other));
	xcb_destroy_window(client->x, other);
	X_WAIT(client, x_focus(client) == window);
}

static void iconic_window_is_withdrawn(struct x_client *client)
{
	xcb_window_t window = focused(client);
	for (int i = 0; i < 2; i++) {
		iconify(client, window);
		X_WAIT(client, !is_viewable(client, window));
		withdraw(client, window);
		X_WAIT(client, !is_listed(client, window));
		X_WAIT(client, is_state(client, window, WITHDRAWN));
		X_CHECK(x_get(client, window, "_NET_WM_STATE", (uint32_t[1]){0}, 1) < 0);
		map_again(client, window);
		X_WAIT(client, is_listed(client, window));
		X_WAIT(client, x_focus(client) == window);
	}
}

/* The client unmaps the window before the window manager can, or at the same time. */
static void window_is_withdrawn_while_it_is_minimised(struct x_client *client)
{
	xcb_window_t window = focused(client);
	for (int i = 0; i < 20; i++) {
		const struct timespec later = {.tv_nsec = i * 100000};
		x_send(client, window, "WM_CHANGE_STATE", ICONIC, 0, 0, 0, 0);
		nanosleep(&later, NULL);
		withdraw(client, window);
		X_WAIT(client, !is_listed(client, window));
		X_WAIT(client, is_state(client, window, WITHDRAWN));
		map_again(client, window);
		X_WAIT(client, is_listed(client, window));
		X_WAIT(client, x_focus(client) == window);
	}
}

static void unmapping_a_window_twice_withdraws_nothing_else(struct x_client *client)
{
	xcb_window_t window = focused(client);
	withdraw(client, window);
	xcb_map_window(client->x, window);
	X_WAIT(client, is_viewable(client, window));
	X_WAIT(client, is_listed(client, window));
	X_WAIT(client, x_focus(client) == window);
	x_settle(client);
	X_CHECK(is_listed(client, window) && is_state(client, window, NORMAL));
}

static void iconic_window_keeps_its_states(struct x_client *client)
{
	xcb_window_t window = focused(client);
	change_state(client, window, 1, "_NET_WM_STATE_FULLSCREEN", "_NET_WM_STATE_SKIP_PAGER");
	X_WAIT(client, is_box(client, window, 0, 0, client->screen->width_in_pixels,
			       client->screen->height_in_pixels));
	iconify(client, window);
	X_WAIT(client, !is_viewable(client, window));
	X_CHECK(x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_HIDDEN"));
	map_again(client, window);
	X_WAIT(client, x_focus(client) == window);
	X_CHECK(x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN"));
	X_CHECK(x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_SKIP_PAGER"));
	X_CHECK(is_box(client, window, 0, 0, client->screen->width_in_pixels,
		client->screen->height_in_pixels));
	change_state(client, window, 0, "_NET_WM_STATE_FULLSCREEN", NULL);
	X_WAIT(client, is_size(client, window, 200, 100));
}

static void iconic_window_is_resized(struct x_client *client)
{
	xcb_window_t window = focused(client);
	iconify(client, window);
	X_WAIT(client, !is_viewable(client, window));
	configure(client, window, RESIZE, 300, 180);
	X_WAIT(client, is_size(client, window, 300, 180));
	map_again(client, window);
	X_WAIT(client, x_focus(client) == window);
	change_state(
		client, window, 1, "_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT");
	X_WAIT(client, !is_size(client, window, 300, 180));
	change_state(
		client, window, 0, "_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT");
	X_WAIT(client, is_size(client, window, 300, 180));
}

static void destroyed_iconic_window_is_forgotten(struct x_client *client)
{
	xcb_window_t window = focused(client), other = focused(client);
	iconify(client, window);
	X_WAIT(client, !is_viewable(client, window));
	xcb_destroy_window(client->x, window);
	X_WAIT(client, !is_listed(client, window));
	iconify(client, other);
	xcb_destroy_window(client->x, other); /* perhaps before it is unmapped */
	X_WAIT(client, !is_listed(client, other));
	focused(client);
}

const struct x_rule x_rules_iconic[] = {
	RULE(iconic_window_is_hidden_until_activated),
	RULE(iconic_window_restores_itself),
	RULE(urgency_leaves_a_window_iconic),
	RULE(window_that_starts_iconic_restores_itself),
	RULE(window_minimised_before_its_content_stays_so),
	RULE_FLOATING(iconic_window_is_restored_by_mapping),
	RULE(window_that_starts_iconic_is_restored_by_mapping),
	RULE(iconic_window_is_unmapped_until_activated),
	RULE(window_survives_quick_turns),
	RULE(iconic_window_is_withdrawn),
	RULE(window_is_withdrawn_while_it_is_minimised),
	RULE(unmapping_a_window_twice_withdraws_nothing_else),
	RULE_FLOATING(iconic_window_keeps_its_states),
	RULE_FLOATING(iconic_window_is_resized),
	RULE(destroyed_iconic_window_is_forgotten),
	{0},
};
