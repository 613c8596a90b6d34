/* SPDX-License-Identifier: MIT */
/* Steps and questions that rules have in common. */

#include "x_rules.h"

bool is_box(struct x_client *client, xcb_window_t window, int x, int y, int w, int h)
{
	int box[4];
	x_box(client, window, box);
	return box[0] == x && box[1] == y && box[2] == w && box[3] == h;
}

bool is_size(struct x_client *client, xcb_window_t window, int w, int h)
{
	int box[4];
	x_box(client, window, box);
	return box[2] == w && box[3] == h;
}

void get_frame(struct x_client *client, xcb_window_t window, uint32_t frame[4])
{
	X_WAIT(client, x_get(client, window, "_NET_FRAME_EXTENTS", frame, 4) == 4);
}

void configure(struct x_client *client, xcb_window_t window, uint16_t mask, uint32_t a, uint32_t b)
{
	xcb_configure_window(client->x, window, mask, (uint32_t[]){a, b});
	xcb_flush(client->x);
}

xcb_window_t mapped(struct x_client *client, int width, int height)
{
	xcb_window_t window = x_window(client, 0, 0, width, height);
	x_set_focus_model(client, window, true, false);
	x_map(client, window);
	return window;
}

xcb_window_t focused(struct x_client *client)
{
	xcb_window_t window = mapped(client, 200, 100);
	X_WAIT(client, x_focus(client) == window);
	return window;
}

xcb_window_t with_hints(struct x_client *client, const uint32_t *hints)
{
	xcb_window_t window = x_window(client, 120, 90, 200, 100);
	x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	x_map(client, window);
	return window;
}

void change_state(
	struct x_client *client, xcb_window_t window, uint32_t action, const char *a, const char *b)
{
	x_send(client, window, "_NET_WM_STATE", action, x_atom(client, a),
		b ? x_atom(client, b) : 0, 1, 0);
}
