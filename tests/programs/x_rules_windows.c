/* SPDX-License-Identifier: MIT */
/* Windows: their life cycle, place, size, transients and closing. */

#include "x_rules.h"

static void check_window_names_the_manager(struct x_client *client)
{
	uint32_t own = 0, again = 0;
	X_CHECK(x_get(client, client->root, "_NET_SUPPORTING_WM_CHECK", &own, 1) == 1);
	X_CHECK(x_get(client, own, "_NET_SUPPORTING_WM_CHECK", &again, 1) == 1 && own == again);
	X_CHECK(x_has_atom(client, client->root, "_NET_SUPPORTED", "_NET_WM_STATE_FULLSCREEN"));
	uint32_t area[4], geometry[2];
	X_CHECK(x_get(client, client->root, "_NET_WORKAREA", area, 4) == 4);
	X_CHECK(x_get(client, client->root, "_NET_DESKTOP_GEOMETRY", geometry, 2) == 2);
	X_CHECK(area[2] > 0 && area[2] <= geometry[0] && area[3] <= geometry[1]);
}

static void mapped_window_is_normal_and_listed(struct x_client *client)
{
	xcb_window_t window = mapped(client, 200, 100);
	uint32_t values[2];
	X_WAIT(client, x_get(client, window, "WM_STATE", values, 2) == 2 && values[0] == NORMAL);
	X_WAIT(client, x_has(client, client->root, "_NET_CLIENT_LIST_STACKING", window));
	X_CHECK(is_size(client, window, 200, 100));
}

static void unmapped_window_is_withdrawn(struct x_client *client)
{
	xcb_window_t window = mapped(client, 200, 100);
	uint32_t values[2];
	xcb_unmap_window(client->x, window);
	X_WAIT(client, !x_has(client, client->root, "_NET_CLIENT_LIST", window));
	X_WAIT(client, x_get(client, window, "WM_STATE", values, 2) == 2 && values[0] == 0);
	X_CHECK(x_get(client, window, "_NET_WM_STATE", values, 2) < 0);
	x_map(client, window); /* again */
	X_WAIT(client, x_get(client, window, "WM_STATE", values, 2) == 2 && values[0] == NORMAL);
}

static void destroyed_window_leaves_the_list(struct x_client *client)
{
	xcb_window_t window = mapped(client, 200, 100);
	xcb_destroy_window(client->x, window);
	X_WAIT(client, !x_has(client, client->root, "_NET_CLIENT_LIST", window));
}

static void override_redirect_window_keeps_its_place_without_focus(struct x_client *client)
{
	xcb_window_t old = focused(client);
	xcb_window_t window = x_window(client, 300, 200, 80, 60);
	xcb_change_window_attributes(client->x, window, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){1});
	xcb_map_window(client->x, window);
	x_settle(client);
	X_CHECK(is_box(client, window, 300, 200, 80, 60));
	X_CHECK(!x_has(client, client->root, "_NET_CLIENT_LIST", window));
	X_CHECK(x_focus(client) == old);
	configure(client, window, MOVE, 10, 20);
	X_WAIT(client, is_box(client, window, 10, 20, 80, 60));
}

static xcb_window_t transient(struct x_client *client, xcb_window_t parent, bool modal)
{
	xcb_window_t dialog = x_window(client, 0, 0, 90, 40);
	x_set_focus_model(client, dialog, true, false);
	x_set(client, dialog, "WM_TRANSIENT_FOR", "WINDOW", &parent, 1);
	const uint32_t state = x_atom(client, "_NET_WM_STATE_MODAL");
	x_set(client, dialog, "_NET_WM_STATE", "ATOM", &state, modal);
	x_map(client, dialog);
	X_WAIT(client, x_focus(client) == dialog);
	return dialog;
}

static void transient_stays_above_its_owner(struct x_client *client)
{
	xcb_window_t parent = focused(client);
	xcb_window_t dialog = transient(client, parent, false);
	int box[4], around[4];
	x_box(client, dialog, box);
	x_box(client, parent, around);
	X_CHECK(box[0] >= around[0] && box[0] + box[2] <= around[0] + around[2]);
	x_send(client, parent, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == parent);
	uint32_t stack[512];
	int n = x_get(client, client->root, "_NET_CLIENT_LIST_STACKING", stack, 512);
	X_CHECK(n > 1 && stack[n - 1] == dialog && stack[n - 2] == parent);
}

static void modal_dialog_gets_its_owners_focus(struct x_client *client)
{
	xcb_window_t parent = focused(client);
	xcb_window_t dialog = transient(client, parent, true);
	focused(client);
	x_send(client, parent, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == dialog);
}

static void own_transient_is_no_loop(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 90, 40);
	x_set(client, window, "WM_TRANSIENT_FOR", "WINDOW", &window, 1);
	x_map(client, window);
	xcb_window_t other = x_window(client, 0, 0, 90, 40);
	x_set(client, other, "WM_TRANSIENT_FOR", "WINDOW", &window, 1);
	x_map(client, other);
	x_set(client, window, "WM_TRANSIENT_FOR", "WINDOW", &other, 1);
	x_settle(client);
	x_send(client, window, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == window);
}

static void close_asks_and_pings(struct x_client *client)
{
	xcb_window_t window = focused(client);
	x_settle(client);
	x_send(client, window, "_NET_CLOSE_WINDOW", 0, PAGER, 0, 0, 0);
	X_WAIT(client, client->n_delete == 1 && client->n_ping == 1);
	X_CHECK(client->message.window == window);
	x_settle(client);
	X_CHECK(x_alive(client));
}

static void hung_client_is_killed_by_the_second_close(struct x_client *client)
{
	struct x_client *other = x_connect();
	xcb_window_t window = focused(other);
	x_send(client, window, "_NET_CLOSE_WINDOW", 0, PAGER, 0, 0, 0);
	X_WAIT(other, other->n_ping == 1);
	x_send(client, window, "_NET_CLOSE_WINDOW", 0, PAGER, 0, 0, 0);
	X_WAIT(other, !x_alive(other));
	x_disconnect(other);
}

static void answered_ping_saves_the_client(struct x_client *client)
{
	xcb_window_t window = focused(client);
	x_send(client, window, "_NET_CLOSE_WINDOW", 0, PAGER, 0, 0, 0);
	X_WAIT(client, client->n_ping == 1);
	x_send(client, client->root, "WM_PROTOCOLS", x_atom(client, "_NET_WM_PING"), 0, window, 0,
		0);
	x_send(client, window, "_NET_CLOSE_WINDOW", 0, PAGER, 0, 0, 0);
	X_WAIT(client, client->n_delete == 2);
	x_settle(client);
	X_CHECK(x_alive(client));
}

static void client_without_delete_is_killed(struct x_client *client)
{
	struct x_client *other = x_connect();
	xcb_window_t window = x_window(other, 0, 0, 200, 100);
	x_map(other, window);
	x_send(client, window, "_NET_CLOSE_WINDOW", 0, PAGER, 0, 0, 0);
	X_WAIT(other, !x_alive(other));
	x_disconnect(other);
}

static void motif_hints_remove_the_frame(struct x_client *client)
{
	uint32_t frame[4];
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set(client, window, "_MOTIF_WM_HINTS", "_MOTIF_WM_HINTS", (uint32_t[5]){2}, 5);
	x_map(client, window);
	get_frame(client, window, frame);
	X_CHECK(frame[0] == 0 && frame[1] == 0 && frame[2] == 0 && frame[3] == 0);
	x_set(client, window, "_MOTIF_WM_HINTS", "_MOTIF_WM_HINTS", (uint32_t[5]){2, 0, 1}, 5);
	X_WAIT(client, x_get(client, window, "_NET_FRAME_EXTENTS", frame, 4) == 4 && frame[2] > 0);
}

static void dialog_of_a_group_stays_above_it(struct x_client *client)
{
	const xcb_window_t leader = x_window(client, 0, 0, 1, 1);
	const uint32_t hints[9] = {1 | 1 << 6, 1, [8] = leader};
	const uint32_t type = x_atom(client, "_NET_WM_WINDOW_TYPE_DIALOG");
	xcb_window_t windows[2];
	for (int i = 0; i < 2; i++) {
		windows[i] = x_window(client, 0, 0, 200 - 100 * i, 100 - 50 * i);
		x_set(client, windows[i], "WM_HINTS", "WM_HINTS", hints, 9);
		x_set(client, windows[i], "_NET_WM_WINDOW_TYPE", "ATOM", &type, (uint32_t)i);
		x_map(client, windows[i]);
		X_WAIT(client, x_focus(client) == windows[i]);
	}
	x_send(client, windows[0], "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == windows[0]);
	uint32_t stack[512];
	int n = x_get(client, client->root, "_NET_CLIENT_LIST_STACKING", stack, 512);
	X_CHECK(n > 1 && stack[n - 1] == windows[1] && stack[n - 2] == windows[0]);
}

static uint32_t top_of_work_area(struct x_client *client)
{
	uint32_t area[4];
	X_CHECK(x_get(client, client->root, "_NET_WORKAREA", area, 4) == 4);
	return area[1];
}

static int top_of(struct x_client *client, xcb_window_t window)
{
	int box[4];
	x_box(client, window, box);
	return box[1];
}

static void dock_reserves_space_at_its_edge(struct x_client *client)
{
	const uint32_t width = client->screen->width_in_pixels;
	const uint32_t type = x_atom(client, "_NET_WM_WINDOW_TYPE_DOCK");
	const uint32_t strut[12] = {0, 0, 60, 0, [8] = 0, [9] = width - 1};
	xcb_window_t old = focused(client);
	xcb_window_t dock = x_window(client, 0, 0, (int)width, 60);
	x_set(client, dock, "_NET_WM_WINDOW_TYPE", "ATOM", &type, 1);
	x_set(client, dock, "_NET_WM_STRUT_PARTIAL", "CARDINAL", strut, 12);
	x_map(client, dock);
	X_WAIT(client, top_of_work_area(client) == 60);
	X_CHECK(x_focus(client) == old);
	change_state(
		client, old, 1, "_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT");
	/* The window moves when the new size is drawn. */
	X_WAIT(client, !is_size(client, old, 200, 100) && top_of(client, old) >= 60);
	X_CHECK(is_box(client, dock, 0, 0, (int)width, 60));
	/* More than half of the output is refused; without the property, the space is free. */
	x_set(client, dock, "_NET_WM_STRUT_PARTIAL", "CARDINAL", (uint32_t[12]){0, 0, 30000}, 12);
	X_WAIT(client, top_of_work_area(client) > 60);
	X_CHECK(top_of_work_area(client) <= client->screen->height_in_pixels / 2u + 1);
	xcb_destroy_window(client->x, dock);
	X_WAIT(client, top_of_work_area(client) == 0);
}

const struct x_rule x_rules_windows[] = {
	RULE(check_window_names_the_manager),
	RULE_FLOATING(mapped_window_is_normal_and_listed),
	RULE(unmapped_window_is_withdrawn),
	RULE(destroyed_window_leaves_the_list),
	RULE(override_redirect_window_keeps_its_place_without_focus),
	RULE(transient_stays_above_its_owner),
	RULE(modal_dialog_gets_its_owners_focus),
	RULE(own_transient_is_no_loop),
	RULE(close_asks_and_pings),
	RULE(hung_client_is_killed_by_the_second_close),
	RULE(answered_ping_saves_the_client),
	RULE(client_without_delete_is_killed),
	RULE(motif_hints_remove_the_frame),
	RULE(dialog_of_a_group_stays_above_it),
	RULE(dock_reserves_space_at_its_edge),
	{0},
};
