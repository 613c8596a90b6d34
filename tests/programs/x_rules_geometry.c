/* SPDX-License-Identifier: MIT */
/* Places and sizes: WM_NORMAL_HINTS and requests of clients. */

#include "x_rules.h"

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
	configure(client, window, MOVE, 180, 60);
	X_WAIT(client, is_box(client, window, 180, 60, 200, 100));
}

/* As Wine does: the content where a frame of its own would have it, in the corner. */
static void programs_position_in_the_corner_is_none(struct x_client *client)
{
	const uint32_t hints[18] = {P_POSITION | GRAVITY, [17] = XCB_GRAVITY_STATIC};
	xcb_window_t window = x_window(client, 3, 22, 200, 100);
	int box[4];
	x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	x_map(client, window);
	x_settle(client);
	x_box(client, window, box);
	X_CHECK(box[0] > 200 && box[1] > 100);
	window = x_window(client, 60, 60, 200, 100);
	x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	x_map(client, window);
	X_WAIT(client, is_box(client, window, 60, 60, 200, 100));
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
	x_send(client, window, "_NET_MOVERESIZE_WINDOW", 0xf << 8, 60, 120, 240, 140);
	X_WAIT(client, is_box(client, window, 60 + (int)frame[0], 120 + (int)frame[2], 240, 140));
}

/* Maps a window within another one, and gives it to the root window. */
static xcb_window_t undocked(struct x_client *client, xcb_window_t *panel)
{
	*panel = mapped(client, 300, 240);
	xcb_window_t window = x_window(client, 0, 0, 180, 120);
	xcb_reparent_window(client->x, window, *panel, 10, 10);
	xcb_map_window(client->x, window);
	x_settle(client);
	xcb_reparent_window(client->x, window, client->root, 300, 180);
	xcb_flush(client->x);
	X_WAIT(client, x_has(client, client->root, "_NET_CLIENT_LIST", window));
	return window;
}

static void window_reparented_to_the_root_keeps_its_size(struct x_client *client)
{
	xcb_window_t panel, window = undocked(client, &panel);
	x_settle(client);
	X_CHECK(is_size(client, window, 180, 120));
	/* Docked and undocked again, unmapped in between. */
	xcb_unmap_window(client->x, window);
	xcb_reparent_window(client->x, window, panel, 10, 10);
	X_WAIT(client, !x_has(client, client->root, "_NET_CLIENT_LIST", window));
	xcb_reparent_window(client->x, window, client->root, 300, 180);
	x_map(client, window);
	x_settle(client);
	X_CHECK(is_size(client, window, 180, 120));
}

static void requests_after_reparenting_count(struct x_client *client)
{
	xcb_window_t panel, window = undocked(client, &panel);
	for (int i = 0; i < 8; i++) {
		xcb_unmap_window(client->x, window);
		xcb_reparent_window(client->x, window, panel, 10, 10);
		X_WAIT(client, !x_has(client, client->root, "_NET_CLIENT_LIST", window));
		/* Before the window manager knows the size, and in the same flush. */
		xcb_reparent_window(client->x, window, client->root, 300, 180);
		xcb_map_window(client->x, window);
		const uint32_t width = 240 + 12 * (uint32_t)i;
		xcb_configure_window(client->x, window, XCB_CONFIG_WINDOW_WIDTH, &width);
		xcb_flush(client->x);
		X_WAIT(client, x_has(client, client->root, "_NET_CLIENT_LIST", window));
		X_WAIT(client, is_size(client, window, (int)width, 120));
		x_settle(client);
		X_CHECK(is_size(client, window, (int)width, 120));
	}
}

const struct x_rule x_rules_geometry[] = {
	RULE_FLOATING(users_position_is_of_the_frame),
	RULE_FLOATING(static_gravity_places_the_content),
	RULE_FLOATING(programs_position_in_the_corner_is_none),
	RULE_FLOATING(minimum_size_limits_the_clients_requests),
	RULE_FLOATING(increments_round_the_clients_requests),
	RULE_FLOATING(request_without_effect_is_answered),
	RULE_FLOATING(moveresize_message_configures),
	RULE_FLOATING(window_reparented_to_the_root_keeps_its_size),
	RULE_FLOATING(requests_after_reparenting_count),
	{0},
};
