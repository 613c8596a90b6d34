/* SPDX-License-Identifier: MIT */
/* _NET_WM_SYNC_REQUEST: new sizes are shown when they are drawn. */

#include "x_rules.h"
#include <xcb/sync.h>

#define HORIZONTAL "_NET_WM_STATE_MAXIMIZED_HORZ"
#define VERTICAL "_NET_WM_STATE_MAXIMIZED_VERT"

static void set_counter(struct x_client *client, xcb_sync_counter_t counter, uint64_t value)
{
	xcb_sync_set_counter(
		client->x, counter, (xcb_sync_int64_t){(int32_t)(value >> 32), (uint32_t)value});
	xcb_flush(client->x);
}

/* Maps a window with this counter. */
static xcb_window_t with_counter(struct x_client *client, uint32_t counter)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set_focus_model(client, window, true, false);
	const uint32_t protocols[2] = {
		x_atom(client, "WM_DELETE_WINDOW"), x_atom(client, "_NET_WM_SYNC_REQUEST")};
	x_set(client, window, "WM_PROTOCOLS", "ATOM", protocols, 2);
	x_set(client, window, "_NET_WM_SYNC_REQUEST_COUNTER", "CARDINAL", &counter, 1);
	x_map(client, window);
	x_settle(client);
	return window;
}

static xcb_sync_counter_t create_counter(struct x_client *client)
{
	xcb_sync_counter_t counter = xcb_generate_id(client->x);
	xcb_sync_initialize(client->x, 3, 1);
	xcb_sync_create_counter(client->x, counter, (xcb_sync_int64_t){0});
	return counter;
}

static bool is_frozen(struct x_client *client, xcb_window_t window, bool frozen)
{
	return x_has(client, window, "_XWAYLAND_ALLOW_COMMITS", !frozen);
}

static void new_size_is_committed_when_it_is_drawn(struct x_client *client)
{
	xcb_sync_counter_t counter = create_counter(client);
	xcb_window_t window = with_counter(client, counter);
	change_state(client, window, 1, HORIZONTAL, VERTICAL);
	X_WAIT(client, client->n_sync == 1 && !is_size(client, window, 200, 100));
	uint32_t allowed;
	X_CHECK(x_get(client, window, "_XWAYLAND_ALLOW_COMMITS", &allowed, 1) == 1);
	set_counter(client, counter, client->sync_value);
	X_WAIT(client, is_frozen(client, window, false));
	/* Asked for once more, while the window is drawn. */
	change_state(client, window, 0, HORIZONTAL, VERTICAL);
	X_WAIT(client, client->n_sync == 2);
	X_WAIT(client, is_size(client, window, 200, 100));
	set_counter(client, counter, client->sync_value);
	X_WAIT(client, is_frozen(client, window, false));
	X_CHECK(client->n_sync == 2);
}

static void hung_program_is_not_waited_for(struct x_client *client)
{
	xcb_sync_counter_t counter = create_counter(client);
	xcb_window_t window = with_counter(client, counter);
	change_state(client, window, 1, HORIZONTAL, VERTICAL);
	X_WAIT(client, client->n_sync == 1);
	X_WAIT(client, is_frozen(client, window, false)); /* after the time limit */
	/* Without a wait, until the program answers. */
	change_state(client, window, 0, HORIZONTAL, VERTICAL);
	X_WAIT(client, client->n_sync == 2 && is_size(client, window, 200, 100));
	X_CHECK(is_frozen(client, window, false));
	set_counter(client, counter, client->sync_value);
	x_settle(client);
	change_state(client, window, 1, HORIZONTAL, VERTICAL);
	X_WAIT(client, client->n_sync == 3);
	set_counter(client, counter, client->sync_value);
	X_WAIT(client, is_frozen(client, window, false));
}

static void forged_counter_only_delays_its_window(struct x_client *client)
{
	xcb_window_t window = with_counter(client, client->root);
	change_state(client, window, 1, HORIZONTAL, VERTICAL);
	X_WAIT(client, client->n_sync == 1);
	X_WAIT(client, is_frozen(client, window, false));
	xcb_unmap_window(client->x, window);
	X_WAIT(client, !x_has(client, client->root, "_NET_CLIENT_LIST", window));
	x_map(client, window);
	X_WAIT(client, x_focus(client) == window);
	focused(client);
}

static void window_unmapped_while_drawing_is_shown_again(struct x_client *client)
{
	xcb_window_t window = with_counter(client, create_counter(client));
	change_state(client, window, 1, HORIZONTAL, VERTICAL);
	X_WAIT(client, client->n_sync == 1);
	xcb_unmap_window(client->x, window);
	xcb_map_window(client->x, window);
	X_WAIT(client, x_focus(client) == window && !is_frozen(client, window, true));
}

static void window_that_turns_into_a_menu_while_drawing_is_shown(struct x_client *client)
{
	xcb_window_t window = with_counter(client, create_counter(client));
	change_state(client, window, 1, HORIZONTAL, VERTICAL);
	X_WAIT(client, client->n_sync == 1);
	/* At once, for the window manager. */
	xcb_grab_server(client->x);
	xcb_unmap_window(client->x, window);
	xcb_change_window_attributes(client->x, window, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){1});
	xcb_map_window(client->x, window);
	xcb_ungrab_server(client->x);
	X_WAIT(client, is_frozen(client, window, false));
}

const struct x_rule x_rules_sync[] = {
	RULE_FLOATING(new_size_is_committed_when_it_is_drawn),
	RULE_FLOATING(hung_program_is_not_waited_for),
	RULE(forged_counter_only_delays_its_window),
	RULE(window_unmapped_while_drawing_is_shown_again),
	RULE(window_that_turns_into_a_menu_while_drawing_is_shown),
	{0},
};
