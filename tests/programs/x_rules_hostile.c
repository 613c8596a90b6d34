/* SPDX-License-Identifier: MIT */
/* Clients that err or mean harm: floods, malformed properties, forged events. */

#include "x_rules.h"
#include <string.h>

#define MODES "_XWAYLAND_RANDR_EMU_MONITOR_RECTS"

static void thousand_windows_come_and_go(struct x_client *client)
{
	xcb_window_t windows[1000];
	for (size_t i = 0; i < N(windows); i++) {
		windows[i] = x_window(client, 0, 0, 20 + (int)i % 300, 20);
		x_set_text(client, windows[i], "_NET_WM_NAME", "one of many");
		xcb_map_window(client->x, windows[i]);
	}
	xcb_flush(client->x);
	for (size_t i = 0; i < N(windows); i += 37) {
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
		"WM_CLASS", "WM_NAME", "_NET_WM_NAME", MODES};
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

/* Xwayland emulates smaller modes than the output's. */
static void forged_video_modes_exceed_no_output(struct x_client *client)
{
	static const uint32_t small[] = {0, 0, 640, 480};
	static const uint32_t forged[] = {0, 0, 0, 0, 0, 0, UINT32_MAX, 1, 0, 0, 1u << 31, 1u << 31,
		0, 0, 30000, 480, 0, 0, 640, 30000, 7, UINT32_MAX};
	const int width = client->screen->width_in_pixels,
		  height = client->screen->height_in_pixels;
	xcb_window_t window = focused(client);
	x_set(client, window, MODES, "CARDINAL", small, N(small));
	change_state(client, window, 1, "_NET_WM_STATE_FULLSCREEN", NULL);
	X_WAIT(client, is_box(client, window, 0, 0, 640, 480));
	x_set(client, window, MODES, "CARDINAL", forged, N(forged));
	X_WAIT(client, is_box(client, window, 0, 0, width, height));
	change_state(client, window, 0, "_NET_WM_STATE_FULLSCREEN", NULL);
	X_WAIT(client, is_size(client, window, 200, 100));
}

const struct x_rule x_rules_hostile[] = {
	RULE_FLOATING(thousand_windows_come_and_go),
	RULE(malformed_properties_and_messages_are_ignored),
	RULE(forged_events_are_ignored),
	RULE_FLOATING(forged_video_modes_exceed_no_output),
	{0},
};
