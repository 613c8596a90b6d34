/* SPDX-License-Identifier: MIT */
/*
 * x_scale SCALE X Y [unfocused]: an X program that checks the scale of its screen, with a test that
 * moves the pointer and takes pictures. Writes a line for each step, and waits for a line before
 * the next one. `unfocused`: its window never takes the focus.
 */

#include "x_rules.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 20

/* Waits for the test, and returns its line. */
static void step(struct x_client *client, char line[64])
{
	xcb_flush(client->x);
	fflush(stdout);
	X_CHECK(fgets(line, 64, stdin));
}

/* Gives a window one pixel of each of two colours by turns, in both directions. */
static void draw_checkers(struct x_client *client, xcb_window_t window)
{
	const xcb_pixmap_t tile = xcb_generate_id(client->x);
	const xcb_gcontext_t gc = xcb_generate_id(client->x);
	const xcb_rectangle_t all = {0, 0, 2, 2}, red[2] = {{0, 0, 1, 1}, {1, 1, 1, 1}};
	xcb_create_pixmap(client->x, client->screen->root_depth, tile, window, 2, 2);
	xcb_create_gc(client->x, gc, tile, XCB_GC_FOREGROUND, (uint32_t[]){0x0000ff});
	xcb_poly_fill_rectangle(client->x, tile, gc, 1, &all);
	xcb_change_gc(client->x, gc, XCB_GC_FOREGROUND, (uint32_t[]){0xff0000});
	xcb_poly_fill_rectangle(client->x, tile, gc, 2, red);
	xcb_change_window_attributes(client->x, window, XCB_CW_BACK_PIXMAP, &tile);
}

static void report(struct x_client *client, const char *name, xcb_window_t window)
{
	int box[4];
	x_settle(client);
	x_box(client, window, box);
	printf("%s %d %d %d %d\n", name, box[0], box[1], box[2], box[3]);
}

static void programs_learn_the_scale(struct x_client *client, double scale)
{
	char want[32], text[256] = "";
	snprintf(want, sizeof(want), "Xft.dpi:\t%d\n", (int)lround(96 * scale));
	xcb_get_property_reply_t *reply = xcb_get_property_reply(client->x,
		xcb_get_property(client->x, 0, client->root, XCB_ATOM_RESOURCE_MANAGER,
			XCB_ATOM_STRING, 0, 63),
		NULL);
	X_CHECK(reply);
	memcpy(text, xcb_get_property_value(reply), (size_t)xcb_get_property_value_length(reply));
	X_CHECK(strstr(text, want));
	free(reply);
	xcb_get_selection_owner_reply_t *owner = xcb_get_selection_owner_reply(client->x,
		xcb_get_selection_owner(client->x, x_atom(client, "_XSETTINGS_S0")), NULL);
	X_CHECK(owner && owner->owner != XCB_NONE);
	free(owner);
}

static bool is_about(struct x_client *client, xcb_window_t window, int width, int height)
{
	int box[4];
	x_box(client, window, box);
	return abs(box[2] - width) <= 1 && abs(box[3] - height) <= 1;
}

static void set_maximized(struct x_client *client, xcb_window_t window, bool maximized)
{
	change_state(client, window, maximized, "_NET_WM_STATE_MAXIMIZED_HORZ",
		"_NET_WM_STATE_MAXIMIZED_VERT");
}

/* A program that restores its position, over and over. */
static void repeated_requests_do_not_drift(struct x_client *client)
{
	uint32_t frame[4];
	int first[4];
	xcb_window_t window = with_hints(client, (uint32_t[18]){US_POSITION});
	get_frame(client, window, frame);
	x_settle(client);
	x_box(client, window, first);
	X_CHECK(abs(first[0] - 120 - (int)frame[0]) <= 1 &&
		abs(first[1] - 90 - (int)frame[2]) <= 1);
	for (int i = 0; i < ROUNDS; i++) {
		const int width = 200 + i, height = 133 + 3 * i;
		configure(client, window, RESIZE, (uint32_t)width, (uint32_t)height);
		configure(client, window, MOVE, (uint32_t)first[0] - frame[0],
			(uint32_t)first[1] - frame[2]);
		X_WAIT(client, is_size(client, window, width, height));
		x_settle(client);
		X_CHECK(is_box(client, window, first[0], first[1], width, height));
	}
	/* The drawn size will be restored. */
	char line[64];
	report(client, "drawn", window);
	step(client, line);
	/* States configure the window without a new size. */
	set_maximized(client, window, true);
	X_WAIT(client, !is_size(client, window, 219, 190));
	set_maximized(client, window, false);
	X_WAIT(client, is_about(client, window, 219, 190)); /* restored from logical pixels */
	xcb_destroy_window(client->x, window);
}

static xcb_window_t map_menu(struct x_client *client, int x, int y)
{
	xcb_window_t window = x_window(client, x, y, 81, 61);
	draw_checkers(client, window);
	xcb_change_window_attributes(client->x, window, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){1});
	xcb_map_window(client->x, window);
	return window;
}

static void find_pointer(struct x_client *client)
{
	xcb_query_pointer_reply_t *reply = xcb_query_pointer_reply(
		client->x, xcb_query_pointer(client->x, client->root), NULL);
	X_CHECK(reply);
	printf("pointer %d %d 0 0\n", reply->root_x, reply->root_y);
	free(reply);
}

/* Has a menu at 100, 50 of the window. */
static void open_menu(struct x_client *client, xcb_window_t window)
{
	int box[4];
	x_box(client, window, box);
	report(client, "menu", map_menu(client, box[0] + 100, box[1] + 50));
}

/* Does a step of the test with a window. */
static void obey(struct x_client *client, xcb_window_t window, const char *line)
{
	uint32_t x, y;
	if (strcmp(line, "pointer\n") == 0) {
		find_pointer(client);
		return;
	}
	if (strcmp(line, "menu\n") == 0) {
		open_menu(client, window);
		return;
	}
	if (strcmp(line, "maximize\n") == 0 || strcmp(line, "restore\n") == 0) {
		set_maximized(client, window, line[0] == 'm');
	} else if (sscanf(line, "move %u %u", &x, &y) == 2) {
		configure(client, window, MOVE, x, y);
	}
	report(client, "window", window);
}

int main(int argc, char **argv)
{
	static const char class[] = "checkers\0Checkers";
	char line[64] = "";
	struct x_client *client = x_connect();
	X_CHECK(argc >= 4);
	programs_learn_the_scale(client, strtod(argv[1], NULL));
	repeated_requests_do_not_drift(client);
	xcb_window_t menu = map_menu(client, atoi(argv[2]), atoi(argv[3]));
	report(client, "menu", menu);
	for (step(client, line); strcmp(line, "next\n") != 0; step(client, line)) {
		find_pointer(client);
	}
	xcb_destroy_window(client->x, menu);
	xcb_window_t window = x_window(client, 0, 0, 203, 101);
	xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_CLASS,
		XCB_ATOM_STRING, 8, sizeof(class), class);
	draw_checkers(client, window);
	x_set_focus_model(client, window, argc == 4, false);
	x_map(client, window);
	report(client, "window", window);
	for (step(client, line); strcmp(line, "end\n") != 0; step(client, line)) {
		obey(client, window, line);
	}
	x_disconnect(client);
	return EXIT_SUCCESS;
}
