/* SPDX-License-Identifier: MIT */
/*
 * x_icon: an X window at 300, 200, whose icon is set by lines of standard input: "COLOR SIZE..."
 * (in hexadecimal, and squares below 256 pixels), "cut", an image without its pixels, or "none";
 * "hints COLOR WIDTH HEIGHT" sets a pixmap of WM_HINTS, whose mask shows its left three quarters.
 * Writes "done" once the window is shown, and after each line.
 */

#include "x_client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX (1 << 18)

static uint32_t values[VALUES_MAX];

static void set_icon(struct x_client *client, xcb_window_t window, const uint32_t *data, size_t n)
{
	xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, window,
		x_atom(client, "_NET_WM_ICON"), XCB_ATOM_CARDINAL, 32, (uint32_t)n, data);
}

static size_t add_image(size_t n, uint32_t width, uint32_t height, uint32_t color)
{
	X_CHECK(n + 2 + (size_t)width * height <= VALUES_MAX);
	values[n++] = width;
	values[n++] = height;
	for (uint32_t i = 0; i < width * height; i++) {
		values[n++] = color;
	}
	return n;
}

static void set_squares(struct x_client *client, xcb_window_t window, char *line)
{
	size_t n = 0;
	char *word = strtok(line, " \n");
	const uint32_t color = (uint32_t)strtoul(word, NULL, 16);
	while ((word = strtok(NULL, " \n"))) {
		const uint32_t size = (uint32_t)strtoul(word, NULL, 10);
		n = add_image(n, size, size, color);
	}
	set_icon(client, window, values, n);
}

static xcb_pixmap_t pixmap(struct x_client *client, uint8_t depth, uint16_t width, uint16_t height,
	uint32_t left, uint32_t right)
{
	xcb_pixmap_t to = xcb_generate_id(client->x);
	xcb_gcontext_t gc = xcb_generate_id(client->x);
	xcb_create_pixmap(client->x, depth, to, client->root, width, height);
	xcb_create_gc(client->x, gc, to, XCB_GC_FOREGROUND, &left);
	xcb_poly_fill_rectangle(
		client->x, to, gc, 1, &(xcb_rectangle_t){0, 0, width * 3 / 4, height});
	xcb_change_gc(client->x, gc, XCB_GC_FOREGROUND, &right);
	xcb_poly_fill_rectangle(client->x, to, gc, 1,
		&(xcb_rectangle_t){(int16_t)(width * 3 / 4), 0, width - width * 3 / 4, height});
	xcb_free_gc(client->x, gc);
	return to;
}

static void set_hints(struct x_client *client, xcb_window_t window, const char *line)
{
	unsigned color = 0, width = 0, height = 0;
	X_CHECK(sscanf(line, "%*s %x %u %u", &color, &width, &height) == 3);
	const uint16_t w = (uint16_t)width, h = (uint16_t)height;
	const uint32_t hints[9] = {1 << 2 | 1 << 5,
		[3] = pixmap(client, client->screen->root_depth, w, h, color, 0xff00ff),
		[7] = pixmap(client, 1, w, h, 1, 0)};
	x_set(client, window, "WM_HINTS", "WM_HINTS", hints, 9);
}

static void run(struct x_client *client, xcb_window_t window, char *line)
{
	if (strcmp(line, "none\n") == 0) {
		xcb_delete_property(client->x, window, x_atom(client, "_NET_WM_ICON"));
	} else if (strncmp(line, "hints ", 6) == 0) {
		set_hints(client, window, line);
	} else if (strcmp(line, "cut\n") == 0) {
		set_icon(client, window, (const uint32_t[]){32, 32, 0xffffffff}, 3);
	} else {
		set_squares(client, window, line);
	}
	x_settle(client);
	puts("done");
	fflush(stdout);
}

int main(void)
{
	char line[256];
	struct x_client *client = x_connect();
	xcb_window_t window = x_window(client, 300, 200, 300, 100);
	const uint32_t hints[18] = {1}; /* the user's position */
	x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	x_map(client, window);
	puts("done");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		run(client, window, line);
	}
	x_disconnect(client);
	return EXIT_SUCCESS;
}
