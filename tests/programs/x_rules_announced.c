/* SPDX-License-Identifier: MIT */
/* Rules about names that the window manager announces, and about those that it does not. */

#include "x_rules.h"
#include <stdlib.h>

static bool is_supported(struct x_client *client, const char *name)
{
	return x_has_atom(client, client->root, "_NET_SUPPORTED", name);
}

static void one_desktop_is_announced(struct x_client *client)
{
	static const char *const messages[] = {
		"_NET_NUMBER_OF_DESKTOPS", "_NET_CURRENT_DESKTOP", "_NET_DESKTOP_VIEWPORT"};
	uint32_t values[4];
	for (int round = 0; round < 2; round++) {
		X_CHECK(x_get(client, client->root, "_NET_NUMBER_OF_DESKTOPS", values, 4) == 1 &&
			values[0] == 1);
		X_CHECK(x_get(client, client->root, "_NET_CURRENT_DESKTOP", values, 4) == 1 &&
			values[0] == 0);
		X_CHECK(x_get(client, client->root, "_NET_DESKTOP_VIEWPORT", values, 4) == 2 &&
			values[0] == 0 && values[1] == 0);
		/* Pagers may ask, and change nothing. */
		for (int i = 0; i < 3; i++) {
			x_send(client, client->root, messages[i], 3, 7, 0, 0, 0);
		}
		x_settle(client);
	}
	X_CHECK(!is_supported(client, "_NET_WM_DESKTOP") &&
		!is_supported(client, "_NET_SHOWING_DESKTOP"));
}

/* docs/x11.md has the reasons. */
static void names_that_are_left_out_are_not_announced(struct x_client *client)
{
	static const char *const names[] = {"_NET_DESKTOP_NAMES", "_NET_DESKTOP_LAYOUT",
		"_NET_VIRTUAL_ROOTS", "_NET_WM_VISIBLE_NAME", "_NET_WM_ICON_NAME",
		"_NET_WM_ICON_GEOMETRY", "_NET_WM_HANDLED_ICONS", "_NET_WM_OPAQUE_REGION",
		"_NET_WM_BYPASS_COMPOSITOR", "_NET_WM_WINDOW_OPACITY", "_NET_WM_FULL_PLACEMENT"};
	for (size_t i = 0; i < N(names); i++) {
		X_CHECK(!is_supported(client, names[i]));
	}
}

static void states_that_are_not_announced_are_not_set(struct x_client *client)
{
	static const char *const states[] = {"_NET_WM_STATE_SHADED", "_NET_WM_STATE_STICKY"};
	xcb_window_t window = focused(client);
	for (int i = 0; i < 2; i++) {
		X_CHECK(!is_supported(client, states[i]));
		change_state(client, window, 1, states[i], NULL);
		x_settle(client);
		X_CHECK(!x_has_atom(client, window, "_NET_WM_STATE", states[i]));
	}
}

static void hidden_is_a_state_that_clients_cannot_set(struct x_client *client)
{
	uint32_t state[2];
	xcb_window_t window = focused(client);
	change_state(client, window, 1, "_NET_WM_STATE_HIDDEN", NULL);
	x_settle(client);
	X_CHECK(!x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_HIDDEN"));
	X_CHECK(x_get(client, window, "WM_STATE", state, 2) == 2 && state[0] == NORMAL &&
		!state[1]);
}

static void iconic_is_the_only_state_to_ask_for(struct x_client *client)
{
	uint32_t state[2];
	xcb_window_t window = focused(client);
	for (uint32_t wrong = 0; wrong < 5; wrong++) {
		x_send(client, window, "WM_CHANGE_STATE", wrong == ICONIC ? 99 : wrong, 0, 0, 0, 0);
	}
	x_settle(client);
	X_CHECK(x_get(client, window, "WM_STATE", state, 2) == 2 && state[0] == NORMAL);
	X_CHECK(x_focus(client) == window);
}

static void first_known_type_counts(struct x_client *client)
{
	static const struct {
		const char *types[2];
		bool framed;
	} cases[] = {
		{{"_KDE_TYPE", "_NET_WM_WINDOW_TYPE_SPLASH"}, false},
		{{"_KDE_TYPE", "_NET_WM_WINDOW_TYPE_NORMAL"}, true},
		{{"_NET_WM_WINDOW_TYPE_SPLASH", "_NET_WM_WINDOW_TYPE_NORMAL"}, false},
		{{"_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_WINDOW_TYPE_SPLASH"}, true},
	};
	for (size_t i = 0; i < N(cases); i++) {
		uint32_t frame[4];
		const uint32_t types[2] = {
			x_atom(client, cases[i].types[0]), x_atom(client, cases[i].types[1])};
		xcb_window_t window = x_window(client, 120, 120, 200, 100);
		x_set(client, window, "_NET_WM_WINDOW_TYPE", "ATOM", types, 2);
		x_map(client, window);
		get_frame(client, window, frame);
		X_CHECK((frame[2] > 0) == cases[i].framed);
		xcb_destroy_window(client->x, window);
	}
}

static void moves_by_the_keyboard_are_refused(struct x_client *client)
{
	int before[4];
	xcb_window_t window = focused(client);
	x_settle(client);
	x_box(client, window, before);
	for (uint32_t direction = 0; direction < 13; direction++) {
		x_send(client, window, "_NET_WM_MOVERESIZE", 10, 10, direction, 1, 1);
	}
	x_settle(client);
	X_CHECK(is_box(client, window, before[0], before[1], before[2], before[3]));
	X_CHECK(x_focus(client) == window);
}

/* WM_S0 is owned by the window that names the manager, and another manager is refused. */
static void second_manager_is_refused(struct x_client *client)
{
	const uint32_t events = XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT;
	xcb_get_selection_owner_reply_t *owner = xcb_get_selection_owner_reply(
		client->x, xcb_get_selection_owner(client->x, x_atom(client, "WM_S0")), NULL);
	uint32_t check;
	X_CHECK(x_get(client, client->root, "_NET_SUPPORTING_WM_CHECK", &check, 1) == 1);
	X_CHECK(owner && owner->owner == check);
	free(owner);
	xcb_generic_error_t *error =
		xcb_request_check(client->x, xcb_change_window_attributes_checked(client->x,
						     client->root, XCB_CW_EVENT_MASK, &events));
	X_CHECK(error && error->error_code == XCB_ACCESS);
	free(error);
}

const struct x_rule x_rules_announced[] = {
	RULE(one_desktop_is_announced),
	RULE(names_that_are_left_out_are_not_announced),
	RULE(states_that_are_not_announced_are_not_set),
	RULE(hidden_is_a_state_that_clients_cannot_set),
	RULE(iconic_is_the_only_state_to_ask_for),
	RULE(first_known_type_counts),
	RULE(moves_by_the_keyboard_are_refused),
	RULE(second_manager_is_refused),
	{0},
};
