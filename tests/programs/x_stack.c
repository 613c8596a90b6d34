/* SPDX-License-Identifier: MIT */
/*
 * x_stack: a program with overlapping windows, each of a color of its own. Reads commands from
 * standard input, a line each, and answers with one.
 *
 *   map NAME X Y WIDTH HEIGHT COLOR [normal|dialog|silent|menu|through]    "done", once mapped
 *   raise|lower|unmap|remap|iconify|owner|end NAME [NAME]         "done"
 *   box NAME X Y WIDTH HEIGHT                                     "done"
 *   shape|input NAME X Y WIDTH HEIGHT    the bounding or input shape; a width of 0: none
 *   state NAME STATE                     toggles a state of EWMH
 *   grid STEP X Y WIDTH HEIGHT    the colors of the windows that get a click at each point, row by
 *   row
 */

#include "x_client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/shape.h>

#define WINDOWS_MAX 32
#define US_POSITION 1
#define ICONIC 3

struct named {
	char name[16];
	xcb_window_t id;
	unsigned color;
};

struct stack {
	struct x_client *client;
	struct named windows[WINDOWS_MAX];
	int n;
};

static const struct named *find(const struct stack *stack, const char *name)
{
	for (int i = stack->n - 1; i >= 0; i--) {
		if (strcmp(stack->windows[i].name, name) == 0) {
			return &stack->windows[i];
		}
	}
	fprintf(stderr, "no window %s\n", name);
	exit(EXIT_FAILURE);
}

static void map(struct stack *stack, const char *line)
{
	struct x_client *client = stack->client;
	struct named *window = &stack->windows[stack->n++];
	char kind[16] = "normal";
	int x, y, width, height;
	X_CHECK(stack->n < WINDOWS_MAX);
	X_CHECK(sscanf(line, "%*s %15s %d %d %d %d %x %15s", window->name, &x, &y, &width, &height,
			&window->color, kind) >= 6);
	window->id = x_window(client, x, y, width, height);
	xcb_change_window_attributes(
		client->x, window->id, XCB_CW_BACK_PIXEL, (uint32_t[]){window->color});
	if (strcmp(kind, "through") ==
		0) { /* at once, before the window manager knows the window */
		const xcb_rectangle_t box = {0, 0, 50, 50};
		xcb_shape_rectangles(client->x, XCB_SHAPE_SO_SET, XCB_SHAPE_SK_INPUT, 0, window->id,
			0, 0, 1, &box);
	}
	if (strcmp(kind, "menu") == 0) {
		xcb_change_window_attributes(
			client->x, window->id, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){1});
		xcb_map_window(client->x, window->id);
		xcb_flush(client->x);
		return;
	}
	const uint32_t hints[18] = {US_POSITION};
	x_set(client, window->id, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	x_set_text(client, window->id, "WM_CLASS", window->name);
	x_set_text(client, window->id, "_NET_WM_NAME", window->name);
	x_set_focus_model(client, window->id, strcmp(kind, "silent") != 0, false);
	if (strcmp(kind, "dialog") == 0) {
		const uint32_t type = x_atom(client, "_NET_WM_WINDOW_TYPE_DIALOG");
		x_set(client, window->id, "_NET_WM_WINDOW_TYPE", "ATOM", &type, 1);
	}
	x_map(client, window->id);
}

static void forget(struct stack *stack, xcb_window_t id)
{
	for (int i = 0; i < stack->n; i++) {
		if (stack->windows[i].id == id) {
			stack->windows[i] = stack->windows[--stack->n];
		}
	}
}

/* Places a window, or sets its shape. */
static void change_box(struct stack *stack, const char *line)
{
	xcb_connection_t *x = stack->client->x;
	char action[16], name[16];
	int left, top, width, height;
	X_CHECK(sscanf(line, "%15s %15s %d %d %d %d", action, name, &left, &top, &width, &height) ==
		6);
	const xcb_window_t id = find(stack, name)->id;
	const xcb_shape_kind_t kind =
		strcmp(action, "input") == 0 ? XCB_SHAPE_SK_INPUT : XCB_SHAPE_SK_BOUNDING;
	const xcb_rectangle_t box = {
		(int16_t)left, (int16_t)top, (uint16_t)width, (uint16_t)height};
	if (strcmp(action, "box") == 0) {
		xcb_configure_window(x, id, 15,
			(uint32_t[]){
				(uint32_t)left, (uint32_t)top, (uint32_t)width, (uint32_t)height});
	} else if (width > 0) {
		xcb_shape_rectangles(x, XCB_SHAPE_SO_SET, kind, 0, id, 0, 0, 1, &box);
	} else {
		xcb_shape_mask(x, XCB_SHAPE_SO_SET, kind, id, 0, 0, XCB_PIXMAP_NONE);
	}
	xcb_flush(x);
}

static void change(struct stack *stack, const char *action, const char *name, const char *other)
{
	struct x_client *client = stack->client;
	const xcb_window_t id = find(stack, name)->id;
	if (strcmp(action, "unmap") == 0) {
		xcb_unmap_window(client->x, id);
	} else if (strcmp(action, "remap") == 0) {
		xcb_map_window(client->x, id);
	} else if (strcmp(action, "iconify") == 0) {
		x_send(client, id, "WM_CHANGE_STATE", ICONIC, 0, 0, 0, 0);
	} else if (strcmp(action, "owner") == 0) {
		const uint32_t owner = find(stack, other)->id;
		x_set(client, id, "WM_TRANSIENT_FOR", "WINDOW", &owner, 1);
	} else if (strcmp(action, "end") == 0) {
		xcb_destroy_window(client->x, id);
		forget(stack, id);
	} else if (strcmp(action, "state") == 0) {
		x_send(client, id, "_NET_WM_STATE", 2, x_atom(client, other), 0, 1, 0);
	} else {
		const bool raise = strcmp(action, "raise") == 0;
		xcb_configure_window(client->x, id, XCB_CONFIG_WINDOW_STACK_MODE,
			(uint32_t[]){raise ? XCB_STACK_MODE_ABOVE : XCB_STACK_MODE_BELOW});
	}
	xcb_flush(client->x);
}

/* Returns the color of the window that gets a click; 0: none. */
static unsigned color_at(struct stack *stack, int x, int y)
{
	xcb_connection_t *connection = stack->client->x;
	const xcb_window_t root = stack->client->root;
	xcb_translate_coordinates_reply_t *reply = xcb_translate_coordinates_reply(connection,
		xcb_translate_coordinates(connection, root, root, (int16_t)x, (int16_t)y), NULL);
	const xcb_window_t child = reply ? reply->child : XCB_WINDOW_NONE;
	free(reply);
	for (int i = 0; i < stack->n; i++) {
		if (stack->windows[i].id == child) {
			return stack->windows[i].color;
		}
	}
	return 0;
}

static void print_grid(struct stack *stack, const char *line)
{
	int step, left, top, width, height;
	X_CHECK(sscanf(line, "%*s %d %d %d %d %d", &step, &left, &top, &width, &height) == 5);
	for (int y = top; y < top + height; y += step) {
		for (int x = left; x < left + width; x += step) {
			printf("%x ", color_at(stack, x, y));
		}
	}
	printf("\n");
}

int main(void)
{
	struct stack stack = {.client = x_connect()};
	char line[256], action[16], name[16], other[40] = "";
	while (fgets(line, sizeof(line), stdin)) {
		x_dispatch(stack.client);
		if (strncmp(line, "grid", 4) == 0) {
			print_grid(&stack, line);
		} else if (strncmp(line, "map", 3) == 0) {
			map(&stack, line);
			puts("done");
		} else if (strncmp(line, "box", 3) == 0 || strncmp(line, "shape", 5) == 0 ||
			   strncmp(line, "input", 5) == 0) {
			change_box(&stack, line);
			puts("done");
		} else {
			X_CHECK(sscanf(line, "%15s %15s %39s", action, name, other) >= 2);
			change(&stack, action, name, other);
			puts("done");
		}
		fflush(stdout);
	}
	x_disconnect(stack.client);
	return EXIT_SUCCESS;
}
