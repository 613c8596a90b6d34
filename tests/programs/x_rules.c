/* SPDX-License-Identifier: MIT */
/* x_rules [NAME]: the window manager's rules towards X programs, a function each. */

#include "x_client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define NORMAL 1
#define ICONIC 3
#define PAGER 2

/** Flags of WM_NORMAL_HINTS. */
#define US_POSITION (1 << 0)
#define MIN_SIZE (1 << 4)
#define INCREMENT (1 << 6)
#define GRAVITY (1 << 9)

static bool is_box(struct x_client *client, xcb_window_t window, int x, int y, int w, int h)
{
	int box[4];
	x_box(client, window, box);
	return box[0] == x && box[1] == y && box[2] == w && box[3] == h;
}

static bool is_size(struct x_client *client, xcb_window_t window, int w, int h)
{
	int box[4];
	x_box(client, window, box);
	return box[2] == w && box[3] == h;
}

static void get_frame(struct x_client *client, xcb_window_t window, uint32_t frame[4])
{
	X_WAIT(client, x_get(client, window, "_NET_FRAME_EXTENTS", frame, 4) == 4);
}

static void configure(
	struct x_client *client, xcb_window_t window, uint16_t mask, uint32_t a, uint32_t b)
{
	xcb_configure_window(client->x, window, mask, (uint32_t[]){a, b});
	xcb_flush(client->x);
}

#define MOVE (XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y)
#define RESIZE (XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT)

static xcb_window_t mapped(struct x_client *client, int width, int height)
{
	xcb_window_t window = x_window(client, 0, 0, width, height);
	x_set_focus_model(client, window, true, false);
	x_map(client, window);
	return window;
}

static xcb_window_t focused(struct x_client *client)
{
	xcb_window_t window = mapped(client, 200, 100);
	X_WAIT(client, x_focus(client) == window);
	return window;
}

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

static xcb_window_t with_hints(struct x_client *client, const uint32_t *hints)
{
	xcb_window_t window = x_window(client, 120, 90, 200, 100);
	x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	x_map(client, window);
	return window;
}

static void users_position_is_of_the_frame(struct x_client *client)
{
	uint32_t frame[4];
	xcb_window_t window = with_hints(client, (uint32_t[18]){US_POSITION});
	get_frame(client, window, frame);
	X_CHECK(frame[2] > 0);
	X_WAIT(client, is_box(client, window, 120 + (int)frame[0], 90 + (int)frame[2], 200, 100));
}

static void static_gravity_places_the_content(struct x_client *client)
{
	uint32_t hints[18] = {US_POSITION | GRAVITY, [17] = XCB_GRAVITY_STATIC};
	xcb_window_t window = with_hints(client, hints);
	X_WAIT(client, is_box(client, window, 120, 90, 200, 100));
	configure(client, window, MOVE, 150, 130);
	X_WAIT(client, is_box(client, window, 150, 130, 200, 100));
}

static void minimum_size_limits_the_clients_requests(struct x_client *client)
{
	xcb_window_t window = with_hints(client, (uint32_t[18]){MIN_SIZE, [5] = 150, [6] = 80});
	configure(client, window, RESIZE, 20, 300);
	X_WAIT(client, is_size(client, window, 150, 300));
}

static void increments_round_the_clients_requests(struct x_client *client)
{
	uint32_t hints[18] = {INCREMENT, [9] = 10, [10] = 20};
	xcb_window_t window = with_hints(client, hints);
	configure(client, window, RESIZE, 238, 119);
	X_WAIT(client, is_size(client, window, 230, 100));
}

static void request_without_effect_is_answered(struct x_client *client)
{
	xcb_window_t window = focused(client);
	int box[4];
	x_settle(client);
	x_box(client, window, box);
	client->has_synthetic = false;
	configure(client, window, RESIZE, 200, 100);
	X_WAIT(client, client->has_synthetic);
	X_CHECK(client->synthetic.x == box[0] && client->synthetic.y == box[1]);
	X_CHECK(client->synthetic.width == 200 && client->synthetic.height == 100);
}

static void moveresize_message_configures(struct x_client *client)
{
	uint32_t frame[4];
	xcb_window_t window = mapped(client, 200, 100);
	get_frame(client, window, frame);
	x_send(client, window, "_NET_MOVERESIZE_WINDOW", 0xf << 8, 40, 50, 240, 140);
	X_WAIT(client, is_box(client, window, 40 + (int)frame[0], 50 + (int)frame[2], 240, 140));
}

static void input_hint_gives_the_focus(struct x_client *client)
{
	xcb_window_t window = focused(client);
	X_WAIT(client, x_has(client, client->root, "_NET_ACTIVE_WINDOW", window));
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_FOCUSED"));
	X_CHECK(client->n_take_focus == 0);
}

static void window_without_input_never_gets_the_focus(struct x_client *client)
{
	xcb_window_t old = focused(client);
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set_focus_model(client, window, false, false);
	x_map(client, window);
	x_settle(client);
	X_CHECK(x_focus(client) == old);
	x_send(client, window, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	x_settle(client);
	X_CHECK(x_focus(client) == old);
}

static void globally_active_window_is_asked_to_take_the_focus(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set_focus_model(client, window, false, true);
	x_map(client, window);
	X_WAIT(client, client->n_take_focus > 0);
	X_CHECK(client->take_focus_time != XCB_TIME_CURRENT_TIME);
	X_CHECK(x_focus(client) != window);
	xcb_set_input_focus(client->x, XCB_INPUT_FOCUS_PARENT, window, client->take_focus_time);
	X_WAIT(client, x_focus(client) == window);
	x_settle(client);
	X_CHECK(x_focus(client) == window);
}

static void locally_active_window_gets_both(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set_focus_model(client, window, true, true);
	x_map(client, window);
	X_WAIT(client, client->n_take_focus > 0);
	X_WAIT(client, x_focus(client) == window);
}

static void another_client_cannot_take_the_focus(struct x_client *client)
{
	xcb_window_t thief = focused(client);
	struct x_client *other = x_connect();
	xcb_window_t window = focused(other);
	xcb_set_input_focus(client->x, XCB_INPUT_FOCUS_PARENT, thief, XCB_TIME_CURRENT_TIME);
	xcb_flush(client->x);
	x_settle(client);
	X_WAIT(client, x_focus(client) == window);
	x_disconnect(other);
}

static void client_moves_the_focus_among_its_windows(struct x_client *client)
{
	xcb_window_t first = focused(client);
	focused(client);
	xcb_set_input_focus(client->x, XCB_INPUT_FOCUS_PARENT, first, XCB_TIME_CURRENT_TIME);
	X_WAIT(client, x_has(client, client->root, "_NET_ACTIVE_WINDOW", first));
	x_settle(client);
	X_CHECK(x_focus(client) == first);
}

static void pager_activates_and_raises(struct x_client *client)
{
	xcb_window_t first = focused(client);
	focused(client);
	x_send(client, first, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == first);
	uint32_t stack[512];
	int n = x_get(client, client->root, "_NET_CLIENT_LIST_STACKING", stack, 512);
	X_CHECK(n > 0 && stack[n - 1] == first);
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

static void change_state(
	struct x_client *client, xcb_window_t window, uint32_t action, const char *a, const char *b)
{
	x_send(client, window, "_NET_WM_STATE", action, x_atom(client, a),
		b ? x_atom(client, b) : 0, 1, 0);
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

static void hundreds_of_windows_come_and_go(struct x_client *client)
{
	xcb_window_t windows[300];
	for (size_t i = 0; i < N(windows); i++) {
		windows[i] = x_window(client, 0, 0, 20 + (int)i, 20);
		x_set_text(client, windows[i], "_NET_WM_NAME", "one of many");
		xcb_map_window(client->x, windows[i]);
	}
	xcb_flush(client->x);
	for (size_t i = 0; i < N(windows); i++) {
		X_WAIT(client, x_has(client, client->root, "_NET_CLIENT_LIST", windows[i]));
	}
	for (size_t i = 0; i < N(windows); i++) {
		xcb_destroy_window(client->x, windows[i]);
	}
	X_WAIT(client, !x_has(client, client->root, "_NET_CLIENT_LIST", windows[0]));
}

static void malformed_properties_and_messages_are_ignored(struct x_client *client)
{
	static const char *const names[] = {"WM_NORMAL_HINTS", "WM_HINTS", "WM_PROTOCOLS",
		"WM_TRANSIENT_FOR", "_NET_WM_STATE", "_NET_WM_WINDOW_TYPE", "_MOTIF_WM_HINTS",
		"WM_CLASS", "WM_NAME", "_NET_WM_NAME"};
	static const char *const messages[] = {"WL_SURFACE_ID", "WL_SURFACE_SERIAL",
		"_NET_WM_STATE", "_NET_WM_MOVERESIZE", "_NET_MOVERESIZE_WINDOW", "WM_CHANGE_STATE",
		"_NET_ACTIVE_WINDOW", "_NET_REQUEST_FRAME_EXTENTS", "WM_PROTOCOLS"};
	static const char bytes[64] = "\x1b%\xff\x80\x01 text without an end";
	xcb_window_t window = focused(client);
	xcb_window_t other = mapped(client, 50, 50);
	for (size_t i = 0; i < N(names); i++) {
		for (uint8_t format = 8; format <= 32; format *= 2) {
			for (uint32_t n = 0; n <= 16; n = n * 3 + 1) {
				xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, other,
					x_atom(client, names[i]), XCB_ATOM_STRING, format,
					n * 8 / format, bytes);
			}
		}
	}
	for (size_t i = 0; i < N(messages); i++) {
		x_send(client, other, messages[i], UINT32_MAX, UINT32_MAX, UINT32_MAX, 9, 9);
		x_send(client, client->root, messages[i], 1, 2, 3, 4, 5);
		x_send(client, 0x7654321, messages[i], 1, 2, 3, 4, 5);
	}
	x_settle(client);
	x_send(client, window, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == window);
}

static void send_forged(struct x_client *client, const void *event, size_t size)
{
	char bytes[32] = {0};
	memcpy(bytes, event, size);
	xcb_send_event(client->x, 0, client->root,
		XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT, bytes);
}

static void forged_events_are_ignored(struct x_client *client)
{
	xcb_window_t managed = focused(client);
	xcb_window_t menu = x_window(client, 300, 200, 80, 60);
	xcb_change_window_attributes(client->x, menu, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){1});
	xcb_map_window(client->x, menu);
	x_settle(client);
	const xcb_map_notify_event_t map = {.response_type = XCB_MAP_NOTIFY,
		.event = client->root,
		.window = managed,
		.override_redirect = 1};
	const xcb_map_request_event_t request = {
		.response_type = XCB_MAP_REQUEST, .parent = client->root, .window = menu};
	const xcb_create_notify_event_t create = {
		.response_type = XCB_CREATE_NOTIFY, .parent = client->root, .window = client->root};
	send_forged(client, &map, sizeof(map));
	send_forged(client, &request, sizeof(request));
	send_forged(client, &create, sizeof(create));
	x_settle(client);
	X_CHECK(x_has(client, client->root, "_NET_CLIENT_LIST", managed));
	X_CHECK(!x_has(client, client->root, "_NET_CLIENT_LIST", menu));
	focused(client);
}

struct rule {
	const char *name;
	void (*check)(struct x_client *client);
};

#define RULE(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

static const struct rule rules[] = {
	RULE(check_window_names_the_manager),
	RULE(mapped_window_is_normal_and_listed),
	RULE(unmapped_window_is_withdrawn),
	RULE(destroyed_window_leaves_the_list),
	RULE(users_position_is_of_the_frame),
	RULE(static_gravity_places_the_content),
	RULE(minimum_size_limits_the_clients_requests),
	RULE(increments_round_the_clients_requests),
	RULE(request_without_effect_is_answered),
	RULE(moveresize_message_configures),
	RULE(input_hint_gives_the_focus),
	RULE(window_without_input_never_gets_the_focus),
	RULE(globally_active_window_is_asked_to_take_the_focus),
	RULE(locally_active_window_gets_both),
	RULE(another_client_cannot_take_the_focus),
	RULE(client_moves_the_focus_among_its_windows),
	RULE(pager_activates_and_raises),
	RULE(close_asks_and_pings),
	RULE(hung_client_is_killed_by_the_second_close),
	RULE(answered_ping_saves_the_client),
	RULE(client_without_delete_is_killed),
	RULE(fullscreen_covers_the_output_and_ends),
	RULE(maximized_fills_the_work_area),
	RULE(initial_state_is_fullscreen),
	RULE(iconic_window_is_hidden_until_activated),
	RULE(attention_lasts_until_the_focus),
	RULE(skip_taskbar_is_kept),
	RULE(motif_hints_remove_the_frame),
	RULE(override_redirect_window_keeps_its_place_without_focus),
	RULE(transient_stays_above_its_owner),
	RULE(modal_dialog_gets_its_owners_focus),
	RULE(own_transient_is_no_loop),
	RULE(hundreds_of_windows_come_and_go),
	RULE(malformed_properties_and_messages_are_ignored),
	RULE(forged_events_are_ignored),
};

/* Each rule has a client of its own, whose windows end with it. */
int main(int argc, char **argv)
{
	for (size_t i = 0; i < N(rules); i++) {
		if (argc > 1 && strcmp(argv[1], rules[i].name) != 0) {
			continue;
		}
		fprintf(stderr, "%s\n", rules[i].name);
		struct x_client *client = x_connect();
		rules[i].check(client);
		x_disconnect(client);
	}
	return EXIT_SUCCESS;
}
