/* SPDX-License-Identifier: MIT */
/*
 * x_icon: an X window at 300, 200, whose icon is set by lines of standard input: "COLOR SIZE..." (in
 * hexadecimal, and squares below 256 pixels), "cut", an image without its pixels, or "none". Writes
 * "done" once the window is shown, and after each line.
 */

#include "x_client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MOST (1 << 18)

static uint32_t values[VALUES_MOST];

static void set_icon(struct x_client *client, xcb_window_t window, const uint32_t *data, size_t n)
{
	xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, window,
		x_atom(client, "_NET_WM_ICON"), XCB_ATOM_CARDINAL, 32, (uint32_t)n, data);
}

static size_t add_image(size_t n, uint32_t width, uint32_t height, uint32_t color)
{
	X_CHECK(n + 2 + (size_t)width * height <= VALUES_MOST);
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

static void run(struct x_client *client, xcb_window_t window, char *line)
{
	if (strcmp(line, "none\n") == 0) {
		xcb_delete_property(client->x, window, x_atom(client, "_NET_WM_ICON"));
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
