/* SPDX-License-Identifier: MIT */
/*
 * x_shape SCALE: three windows: "Shaped" and a menu (override-redirect), both white crosses, and
 * "Below" in the background color, which the right half of the first one covers. Positions are
 * logical. Commands on standard input change the shape of "Shaped", each answered by "done"; a
 * press on a window writes its name.
 */

#include "x_client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <xcb/shape.h>

#define SIDE 200
#define GREEN 0x00a000
#define US_POSITION 1
/** The chessboard has twice as many columns as rows. */
#define BOARD 320

enum {
	BELOW,
	SHAPED,
	MENU,
	COUNT,
};

struct program {
	struct x_client *client;
	double scale;
	xcb_window_t windows[COUNT];
};

static void set_shape(
	struct program *program, int which, const int boxes[][4], uint32_t n, xcb_shape_kind_t kind)
{
	xcb_rectangle_t rectangles[4];
	for (uint32_t i = 0; i < n; i++) {
		const double scale = program->scale;
		rectangles[i] = (xcb_rectangle_t){(int16_t)(boxes[i][0] * scale),
			(int16_t)(boxes[i][1] * scale), (uint16_t)(boxes[i][2] * scale),
			(uint16_t)(boxes[i][3] * scale)};
	}
	xcb_shape_rectangles(program->client->x, XCB_SHAPE_SO_SET, kind, 0, program->windows[which],
		0, 0, n, rectangles);
}

static void set_cross(struct program *program, int which)
{
	const int cross[][4] = {{50, 0, 100, SIDE}, {0, 50, SIDE, 100}};
	set_shape(program, which, cross, 2, XCB_SHAPE_SK_BOUNDING);
}

static void make(struct program *program, int which, int x, int y, int width)
{
	struct x_client *client = program->client;
	const double scale = program->scale;
	const int box[4] = {
		(int)(x * scale), (int)(y * scale), (int)(width * scale), (int)(SIDE * scale)};
	static const uint32_t hints[18] = {US_POSITION}, plain[5] = {2};
	xcb_window_t window = x_window(client, box[0], box[1], box[2], box[3]);
	const uint32_t values[] = {
		which == BELOW ? GREEN : 0xffffff, which == MENU, XCB_EVENT_MASK_BUTTON_PRESS};
	xcb_change_window_attributes(client->x, window,
		XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, values);
	x_set(client, window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	x_set(client, window, "_MOTIF_WM_HINTS", "_MOTIF_WM_HINTS", plain, 5);
	x_set_text(client, window, "WM_CLASS", "shape");
	program->windows[which] = window;
}

/* Every other pixel of a bitmap, as a chessboard: far more rectangles than the limit. */
static void set_board(struct program *program)
{
	xcb_connection_t *x = program->client->x;
	xcb_pixmap_t board = xcb_generate_id(x);
	xcb_gcontext_t context = xcb_generate_id(x);
	xcb_create_pixmap(x, 1, board, program->windows[SHAPED], 2 * BOARD, BOARD);
	xcb_create_gc(x, context, board, XCB_GC_FOREGROUND, (uint32_t[]){0});
	xcb_poly_fill_rectangle(x, board, context, 1, &(xcb_rectangle_t){0, 0, 2 * BOARD, BOARD});
	xcb_change_gc(x, context, XCB_GC_FOREGROUND, (uint32_t[]){1});
	for (int y = 0; y < BOARD; y++) {
		xcb_point_t row[BOARD];
		for (int i = 0; i < BOARD; i++) {
			row[i] = (xcb_point_t){(int16_t)(2 * i + y % 2), (int16_t)y};
		}
		xcb_poly_point(x, XCB_COORD_MODE_ORIGIN, board, context, BOARD, row);
	}
	xcb_shape_mask(
		x, XCB_SHAPE_SO_SET, XCB_SHAPE_SK_BOUNDING, program->windows[SHAPED], 0, 0, board);
	xcb_free_gc(x, context);
	xcb_free_pixmap(x, board);
}

static void run(struct program *program, const char *command)
{
	const int left[][4] = {{0, 0, 100, SIDE}}, all[][4] = {{0, 0, SIDE, SIDE}};
	xcb_connection_t *x = program->client->x;
	xcb_window_t window = program->windows[SHAPED];
	if (strcmp(command, "left") == 0) {
		set_shape(program, SHAPED, left, 1, XCB_SHAPE_SK_BOUNDING);
	} else if (strcmp(command, "cross") == 0) {
		set_cross(program, SHAPED);
	} else if (strcmp(command, "nothing") == 0) {
		set_shape(program, SHAPED, all, 0, XCB_SHAPE_SK_BOUNDING);
	} else if (strcmp(command, "no menu") == 0) {
		set_shape(program, MENU, all, 0, XCB_SHAPE_SK_BOUNDING);
	} else if (strcmp(command, "menu") == 0) {
		set_cross(program, MENU);
	} else if (strcmp(command, "board") == 0) {
		set_board(program);
	} else if (strcmp(command, "input") == 0) {
		set_shape(program, SHAPED, left, 1, XCB_SHAPE_SK_INPUT);
	} else if (strcmp(command, "whole") == 0) {
		xcb_shape_mask(x, XCB_SHAPE_SO_SET, XCB_SHAPE_SK_BOUNDING, window, 0, 0, XCB_NONE);
		xcb_shape_mask(x, XCB_SHAPE_SO_SET, XCB_SHAPE_SK_INPUT, window, 0, 0, XCB_NONE);
	}
	xcb_clear_area(x, 0, window, 0, 0, 0, 0);
	xcb_clear_area(x, 0, program->windows[MENU], 0, 0, 0, 0);
	free(xcb_get_input_focus_reply(x, xcb_get_input_focus(x), NULL));
	puts("done");
}

static void dispatch(struct program *program)
{
	static const char *const names[COUNT] = {"below", "shaped", "menu"};
	xcb_generic_event_t *event;
	while ((event = xcb_poll_for_event(program->client->x))) {
		const xcb_button_press_event_t *press = (const void *)event;
		for (int i = 0; i < COUNT; i++) {
			if ((event->response_type & 127) == XCB_BUTTON_PRESS &&
				press->event == program->windows[i]) {
				puts(names[i]);
			}
		}
		free(event);
	}
}

/* Returns false at the end of the input. */
static bool step(struct program *program)
{
	const int fd = xcb_get_file_descriptor(program->client->x);
	char line[32];
	fd_set set;
	FD_ZERO(&set);
	FD_SET(0, &set);
	FD_SET(fd, &set);
	xcb_flush(program->client->x);
	dispatch(program);
	fflush(stdout);
	if (select(fd + 1, &set, NULL, NULL, NULL) < 0) {
		return false;
	}
	if (!FD_ISSET(0, &set)) {
		return !xcb_connection_has_error(program->client->x);
	}
	if (!fgets(line, sizeof(line), stdin)) {
		return false;
	}
	line[strcspn(line, "\n")] = '\0';
	run(program, line);
	return true;
}

int main(int argc, char **argv)
{
	struct program program = {.client = x_connect(), .scale = strtod(argv[argc - 1], NULL)};
	setvbuf(stdin, NULL, _IONBF, 0);
	make(&program, BELOW, 400, 300, SIDE);
	make(&program, SHAPED, 300, 300, SIDE);
	make(&program, MENU, 60, 60, SIDE);
	set_cross(&program, SHAPED);
	set_cross(&program, MENU);
	x_map(program.client, program.windows[BELOW]);
	x_map(program.client, program.windows[SHAPED]);
	xcb_map_window(program.client->x, program.windows[MENU]);
	while (step(&program)) {
		/* the next command */
	}
	x_disconnect(program.client);
	return EXIT_SUCCESS;
}
