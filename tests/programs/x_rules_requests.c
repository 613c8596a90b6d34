/* SPDX-License-Identifier: MIT */
/* Requests of clients in any order: before and after mapping, and with each value. */

#include "x_rules.h"
#include <stdlib.h>

#define HALF_WIDE "_NET_WM_STATE_MAXIMIZED_HORZ"
#define HALF_TALL "_NET_WM_STATE_MAXIMIZED_VERT"
#define ATTENTION "_NET_WM_STATE_DEMANDS_ATTENTION"

static const uint32_t gravities[] = {XCB_GRAVITY_NORTH_WEST, XCB_GRAVITY_NORTH,
	XCB_GRAVITY_NORTH_EAST, XCB_GRAVITY_WEST, XCB_GRAVITY_CENTER, XCB_GRAVITY_EAST,
	XCB_GRAVITY_SOUTH_WEST, XCB_GRAVITY_SOUTH, XCB_GRAVITY_SOUTH_EAST, XCB_GRAVITY_STATIC};

/* Windows with a frame begin at logical pixels: at a scale of 1.25, one beside the place asked. */
static bool is_near(struct x_client *client, xcb_window_t window, int x, int y, int w, int h)
{
	const int wanted[4] = {x, y, w, h};
	int box[4];
	x_box(client, window, box);
	for (int i = 0; i < 4; i++) {
		if (abs(box[i] - wanted[i]) > 1) {
			return false;
		}
	}
	return true;
}

static void withdraw(struct x_client *client, xcb_window_t window)
{
	xcb_unmap_window(client->x, window);
	X_WAIT(client, !x_has(client, client->root, "_NET_CLIENT_LIST", window));
	x_settle(client);
}

/* ICCCM 4.1.2.3: the position is the frame's reference point each time. */
static void window_mapped_again_keeps_its_place(struct x_client *client)
{
	for (size_t i = 0; i < N(gravities); i++) {
		const uint32_t hints[18] = {US_POSITION | GRAVITY, [17] = gravities[i]};
		xcb_window_t window = with_hints(client, hints);
		int first[4], box[4];
		x_settle(client);
		x_box(client, window, first);
		for (int k = 0; k < 3; k++) {
			withdraw(client, window);
			X_CHECK(is_near(client, window, 120, 90, 200, 100));
			x_map(client, window);
			X_WAIT(client, is_box(client, window, first[0], first[1], 200, 100));
		}
		/* Moved by the user's or the client's hand. */
		configure(client, window, MOVE, 240, 180);
		x_settle(client);
		x_box(client, window, box);
		withdraw(client, window);
		X_CHECK(is_near(client, window, 240, 180, 200, 100));
		x_map(client, window);
		X_WAIT(client, is_box(client, window, box[0], box[1], 200, 100));
		xcb_destroy_window(client->x, window);
	}
}

static void position_asked_after_mapping_counts(struct x_client *client)
{
	uint32_t frame[4];
	xcb_window_t framed = mapped(client, 200, 100);
	get_frame(client, framed, frame);
	for (int i = 0; i < 8; i++) {
		const int x = 60 + 60 * i, y = 120;
		xcb_window_t window = x_window(client, 0, 0, 200, 100);
		xcb_map_window(client->x, window);
		if (i % 2 == 0) {
			xcb_configure_window(client->x, window, MOVE | RESIZE,
				(uint32_t[]){(uint32_t)x, (uint32_t)y, 240, 120});
		} else {
			x_send(client, window, "_NET_MOVERESIZE_WINDOW", 0xf << 8, (uint32_t)x,
				(uint32_t)y, 240, 120);
		}
		X_WAIT(client, x_has(client, client->root, "_NET_CLIENT_LIST", window));
		X_WAIT(client,
			is_box(client, window, x + (int)frame[0], y + (int)frame[2], 240, 120));
		x_settle(client);
		X_CHECK(is_box(client, window, x + (int)frame[0], y + (int)frame[2], 240, 120));
		xcb_destroy_window(client->x, window);
	}
}

static void close_and_activation_before_the_content_count(struct x_client *client)
{
	for (int i = 0; i < 8; i++) {
		xcb_window_t window = x_window(client, 0, 0, 200, 100);
		x_set_focus_model(client, window, true, false);
		const int before = client->n_delete;
		xcb_map_window(client->x, window);
		x_send(client, window, "_NET_CLOSE_WINDOW", 0, PAGER, 0, 0, 0);
		X_WAIT(client, client->n_delete > before);
		xcb_destroy_window(client->x, window);
		/* A window that opens without the focus gets it, as it would later. */
		focused(client);
		window = x_window(client, 0, 0, 200, 100);
		x_set_focus_model(client, window, true, false);
		x_set(client, window, "_NET_WM_USER_TIME", "CARDINAL", (uint32_t[]){0}, 1);
		xcb_map_window(client->x, window);
		x_send(client, window, "_NET_ACTIVE_WINDOW", 1, 0, 0, 0, 0);
		X_WAIT(client, x_focus(client) == window);
		xcb_destroy_window(client->x, window);
	}
}

static void estimate(struct x_client *client, xcb_window_t window, uint32_t frame[4])
{
	x_send(client, window, "_NET_REQUEST_FRAME_EXTENTS", 0, 0, 0, 0, 0);
	get_frame(client, window, frame);
}

/* EWMH, _NET_REQUEST_FRAME_EXTENTS: the window manager estimates them. */
static void frame_is_estimated_before_mapping(struct x_client *client)
{
	static const char *const types[] = {"_NET_WM_WINDOW_TYPE_NORMAL",
		"_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_WINDOW_TYPE_UTILITY",
		"_NET_WM_WINDOW_TYPE_SPLASH", "_NET_WM_WINDOW_TYPE_DOCK"};
	uint32_t guess[4], frame[4];
	for (size_t i = 0; i < 2 * N(types); i++) {
		xcb_window_t window = x_window(client, 0, 0, 200, 100);
		const uint32_t type = x_atom(client, types[i / 2]);
		x_set(client, window, "_NET_WM_WINDOW_TYPE", "ATOM", &type, 1);
		if (i % 2) {
			x_set(client, window, "_MOTIF_WM_HINTS", "_MOTIF_WM_HINTS",
				(uint32_t[]){2, 0, 0, 0, 0}, 5);
		}
		estimate(client, window, guess);
		xcb_delete_property(client->x, window, x_atom(client, "_NET_FRAME_EXTENTS"));
		x_map(client, window);
		get_frame(client, window, frame);
		for (int k = 0; k < 4; k++) {
			X_CHECK(guess[k] == frame[k]);
		}
		X_CHECK(i > 0 || frame[2] > 0);
		xcb_destroy_window(client->x, window);
	}
	xcb_window_t menu = x_window(client, 0, 0, 200, 100);
	xcb_change_window_attributes(client->x, menu, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){1});
	estimate(client, menu, guess);
	X_CHECK(guess[0] == 0 && guess[2] == 0);
}

static void set_urgency(struct x_client *client, xcb_window_t window, bool urgent)
{
	const uint32_t hints[9] = {INPUT_HINT | (urgent ? URGENCY_HINT : 0u), 1};
	x_set(client, window, "WM_HINTS", "WM_HINTS", hints, 9);
}

static void attention_is_taken_back(struct x_client *client)
{
	xcb_window_t window = focused(client);
	focused(client);
	for (int i = 0; i < 8; i++) {
		if (i & 1) {
			set_urgency(client, window, true);
		} else {
			change_state(client, window, 1 + (i & 2) / 2, ATTENTION, NULL);
		}
		X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", ATTENTION));
		if (i & 1) {
			set_urgency(client, window, false);
		} else {
			change_state(client, window, i & 4 ? 2 : 0, ATTENTION, NULL);
		}
		X_WAIT(client, !x_has_atom(client, window, "_NET_WM_STATE", ATTENTION));
	}
	/* Another change of the hints leaves a demand of the state as it is. */
	change_state(client, window, 1, ATTENTION, NULL);
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", ATTENTION));
	set_urgency(client, window, false);
	x_settle(client);
	X_CHECK(x_has_atom(client, window, "_NET_WM_STATE", ATTENTION));
}

static void attention_is_demanded_before_mapping(struct x_client *client)
{
	xcb_window_t old = focused(client);
	for (int i = 0; i < 2; i++) {
		xcb_window_t window = x_window(client, 0, 0, 200, 100);
		x_set_focus_model(client, window, true, false);
		x_set(client, window, "_NET_WM_USER_TIME", "CARDINAL", (uint32_t[]){0}, 1);
		const uint32_t state = x_atom(client, ATTENTION);
		if (i == 0) {
			x_set(client, window, "_NET_WM_STATE", "ATOM", &state, 1);
		} else {
			set_urgency(client, window, true);
		}
		x_map(client, window);
		X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", ATTENTION));
		X_CHECK(x_focus(client) == old);
	}
}

static bool has_half(struct x_client *client, xcb_window_t window, bool wide, bool tall)
{
	return x_has_atom(client, window, "_NET_WM_STATE", HALF_WIDE) == wide &&
	       x_has_atom(client, window, "_NET_WM_STATE", HALF_TALL) == tall;
}

/* The frame of a maximised window has no border. */
static bool fills(struct x_client *client, xcb_window_t window, const uint32_t area[4])
{
	uint32_t frame[4];
	get_frame(client, window, frame);
	return is_near(client, window, (int)(area[0] + frame[0]), (int)(area[1] + frame[2]),
		(int)(area[2] - frame[0] - frame[1]), (int)(area[3] - frame[2] - frame[3]));
}

/* Each of the two states, by itself, in both orders, also before the other one has been drawn. */
static void maximised_states_are_set_one_by_one(struct x_client *client)
{
	uint32_t area[4], frame[4];
	X_CHECK(x_get(client, client->root, "_NET_WORKAREA", area, 4) == 4);
	for (int i = 0; i < 8; i++) {
		const bool wide = i & 1, adds = !(i & 2), waits = !(i & 4);
		const char *first = wide ? HALF_WIDE : HALF_TALL;
		const char *second = wide ? HALF_TALL : HALF_WIDE;
		xcb_window_t window = with_hints(client, (uint32_t[18]){US_POSITION});
		int box[4];
		x_settle(client);
		x_box(client, window, box);
		get_frame(client, window, frame);
		const int left = (int)(area[0] + frame[0]), top = (int)(area[1] + frame[2]);
		const int width = (int)(area[2] - frame[0] - frame[1]);
		const int height = (int)(area[3] - frame[2] - frame[3]);
		change_state(client, window, adds ? 1 : 2, first, NULL);
		X_WAIT(client, has_half(client, window, wide, !wide));
		X_WAIT(client, is_near(client, window, wide ? left : box[0], wide ? box[1] : top,
				       wide ? width : box[2], wide ? box[3] : height));
		change_state(client, window, adds ? 1 : 2, second, NULL);
		X_WAIT(client, has_half(client, window, true, true));
		X_WAIT(client, !waits || fills(client, window, area));
		change_state(client, window, adds ? 0 : 2, second, NULL);
		X_WAIT(client, has_half(client, window, wide, !wide));
		X_WAIT(client, is_near(client, window, wide ? left : box[0], wide ? box[1] : top,
				       wide ? width : box[2], wide ? box[3] : height));
		change_state(client, window, adds ? 0 : 2, first, NULL);
		X_WAIT(client, has_half(client, window, false, false));
		X_WAIT(client, is_box(client, window, box[0], box[1], box[2], box[3]));
		xcb_destroy_window(client->x, window);
	}
}

static void one_maximised_state_counts_before_mapping(struct x_client *client)
{
	for (int i = 0; i < 2; i++) {
		xcb_window_t window = x_window(client, 120, 90, 200, 100);
		x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS",
			(uint32_t[18]){US_POSITION}, 18);
		const uint32_t state = x_atom(client, i == 0 ? HALF_WIDE : HALF_TALL);
		x_set(client, window, "_NET_WM_STATE", "ATOM", &state, 1);
		x_map(client, window);
		X_WAIT(client, has_half(client, window, i == 0, i == 1));
		change_state(client, window, 0, i == 0 ? HALF_WIDE : HALF_TALL, NULL);
		X_WAIT(client, has_half(client, window, false, false));
		X_WAIT(client, is_size(client, window, 200, 100));
		xcb_destroy_window(client->x, window);
	}
}

/* EWMH, _NET_MOVERESIZE_WINDOW: the lowest byte is the gravity, 0 that of the window. */
static void gravity_of_a_moveresize_message_counts(struct x_client *client)
{
	uint32_t frame[4];
	xcb_window_t window = mapped(client, 200, 100);
	get_frame(client, window, frame);
	const int left = (int)frame[0], right = (int)frame[1];
	const int top = (int)frame[2], bottom = (int)frame[3];
	const struct {
		uint32_t gravity;
		int x, y;
	} rows[] = {
		{0, left, top},
		{XCB_GRAVITY_NORTH_WEST, left, top},
		{XCB_GRAVITY_NORTH_EAST, -right, top},
		{XCB_GRAVITY_SOUTH_WEST, left, -bottom},
		{XCB_GRAVITY_SOUTH_EAST, -right, -bottom},
		{XCB_GRAVITY_CENTER, left - (left + right) / 2, top - (top + bottom) / 2},
		{XCB_GRAVITY_STATIC, 0, 0},
	};
	for (size_t i = 0; i < N(rows); i++) {
		const int x = 120 + 60 * (int)(i % 2), y = 120;
		x_send(client, window, "_NET_MOVERESIZE_WINDOW", 0x3 << 8 | rows[i].gravity,
			(uint32_t)x, (uint32_t)y, 0, 0);
		X_WAIT(client, is_near(client, window, x + rows[i].x, y + rows[i].y, 200, 100));
	}
}

/* ICCCM 4.1.2.3: of the nine points, that of the gravity. */
static void reference_point_stays_when_a_window_is_resized(struct x_client *client)
{
	/* In halves of the growth. */
	static const int before[N(gravities)][2] = {
		{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {0, 0}};
	for (size_t i = 0; i < N(gravities); i++) {
		const uint32_t hints[18] = {US_POSITION | GRAVITY, [17] = gravities[i]};
		xcb_window_t window = x_window(client, 240, 180, 200, 100);
		int box[4];
		x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
		x_map(client, window);
		x_settle(client);
		x_box(client, window, box);
		configure(client, window, RESIZE, 320, 160);
		X_WAIT(client, is_near(client, window, box[0] - 120 * before[i][0] / 2,
				       box[1] - 60 * before[i][1] / 2, 320, 160));
		xcb_destroy_window(client->x, window);
	}
}

static void actions_follow_the_size_limits(struct x_client *client)
{
	static const char *const always[] = {"_NET_WM_ACTION_MOVE", "_NET_WM_ACTION_MINIMIZE",
		"_NET_WM_ACTION_FULLSCREEN", "_NET_WM_ACTION_CLOSE"};
	static const char *const sizes[] = {"_NET_WM_ACTION_RESIZE", "_NET_WM_ACTION_MAXIMIZE_HORZ",
		"_NET_WM_ACTION_MAXIMIZE_VERT"};
	const char *property = "_NET_WM_ALLOWED_ACTIONS";
	xcb_window_t window = mapped(client, 200, 100);
	for (size_t i = 0; i < N(always); i++) {
		X_WAIT(client, x_has_atom(client, window, property, always[i]));
	}
	for (int fixed = 0; fixed < 2; fixed++) {
		uint32_t hints[18] = {0};
		if (fixed) {
			hints[0] = MIN_SIZE | LARGEST_SIZE;
			hints[5] = hints[7] = 200;
			hints[6] = hints[8] = 100;
		}
		x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
		for (size_t i = 0; i < N(sizes); i++) {
			X_WAIT(client, x_has_atom(client, window, property, sizes[i]) == !fixed);
		}
	}
	withdraw(client, window);
	X_CHECK(x_get(client, window, property, (uint32_t[1]){0}, 1) < 0);
}

static void set_override(struct x_client *client, xcb_window_t window, uint32_t value)
{
	xcb_change_window_attributes(client->x, window, XCB_CW_OVERRIDE_REDIRECT, &value);
}

/* The X server lets the client place such a window itself, without a new mapping. */
static void override_redirect_set_while_mapped_frees_the_window(struct x_client *client)
{
	xcb_window_t window = focused(client);
	set_override(client, window, 1);
	xcb_configure_window(client->x, window, MOVE | RESIZE, (uint32_t[]){600, 360, 240, 180});
	X_WAIT(client, !x_has(client, client->root, "_NET_CLIENT_LIST", window));
	x_settle(client);
	X_CHECK(is_box(client, window, 600, 360, 240, 180));
	xcb_unmap_window(client->x, window);
	set_override(client, window, 0);
	x_map(client, window);
	X_WAIT(client, x_focus(client) == window);
	X_WAIT(client, is_size(client, window, 240, 180));
}

/* The messages arrive before the window manager has read the property. */
static void states_removed_right_after_mapping_are_not_set(struct x_client *client)
{
	const xcb_atom_t full = x_atom(client, "_NET_WM_STATE_FULLSCREEN");
	const xcb_client_message_event_t message = {.response_type = XCB_CLIENT_MESSAGE,
		.format = 32,
		.type = x_atom(client, "_NET_WM_STATE")};
	for (uint32_t action = 0; action <= 2; action += 2) {
		xcb_window_t window = x_window(client, 0, 0, 200, 100);
		x_set(client, window, "_NET_WM_STATE", "ATOM", &full, 1);
		xcb_client_message_event_t change = message;
		change.window = window;
		change.data.data32[0] = action;
		change.data.data32[1] = full;
		xcb_map_window(client->x, window);
		xcb_send_event(client->x, 0, client->root,
			XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY,
			(const char *)&change);
		xcb_flush(client->x);
		X_WAIT(client, x_has(client, client->root, "_NET_CLIENT_LIST", window));
		x_settle(client);
		X_CHECK(!x_has(client, window, "_NET_WM_STATE", full));
		X_CHECK(!is_size(client, window, client->screen->width_in_pixels,
			client->screen->height_in_pixels));
		xcb_destroy_window(client->x, window);
	}
}

const struct x_rule x_rules_requests[] = {
	RULE(states_removed_right_after_mapping_are_not_set),
	RULE_FLOATING(window_mapped_again_keeps_its_place),
	RULE_FLOATING(position_asked_after_mapping_counts),
	RULE(close_and_activation_before_the_content_count),
	RULE(frame_is_estimated_before_mapping),
	RULE(attention_is_taken_back),
	RULE(attention_is_demanded_before_mapping),
	RULE_FLOATING(maximised_states_are_set_one_by_one),
	RULE_FLOATING(one_maximised_state_counts_before_mapping),
	RULE_FLOATING(gravity_of_a_moveresize_message_counts),
	RULE_FLOATING(reference_point_stays_when_a_window_is_resized),
	RULE(actions_follow_the_size_limits),
	RULE_FLOATING(override_redirect_set_while_mapped_frees_the_window),
	{0},
};
