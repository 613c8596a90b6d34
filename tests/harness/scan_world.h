/* SPDX-License-Identifier: MIT */
#pragma once

/** A scene of windows on a screen with planes, whose pixels are those that the planes display. */

#include "frame/output.h"
#include "planes/scanout.h"
#include "scene/scene.h"
#include "surface/surface.h"

#define WIDTH 64
#define HEIGHT 48
#define PERIOD INT64_C(16666667)
#define N_WINDOWS 5
#define N_BUFFERS 4

struct window {
	struct surface *surface;
	struct subsurface *subsurface; /* of the window before; NULL: a window of its own */
	struct scene_tree *tree; /* for a subsurface, that of its window */
	int32_t width, height; /* pixels of its buffers, which are those of its logical size */
	bool opaque;
	bool busy; /* draws every frame */
	pixman_region32_t clip;
	struct buffer *buffers[N_BUFFERS];
};

struct screen {
	struct output base;
	struct scan_world *world;
	struct plane planes[6];
	struct output_state state; /* in flight or presented */
	struct output_state presented;
	struct buffer *shown[OUTPUT_PLANES_MAX]; /* locked */
	struct buffer *flying[OUTPUT_PLANES_MAX];
	uint32_t flight; /* 0: none */
	int limit; /* most planes at once */
	bool liar; /* refuses commits that it accepted in tests */
	uint32_t pixels[WIDTH * HEIGHT]; /* of `state` */
	uint32_t presented_pixels[WIDTH * HEIGHT];
};

struct scan_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct screen screen;
	struct scene *scene;
	struct scene_output *scene_output;
	struct render_device *device;
	struct frame_output *frame;
	struct window windows[N_WINDOWS];
	struct scene_tree *cursor_tree;
	struct scene_tree *icon; /* of a drag, at the cursor; disabled at first */
	struct window pointer; /* image of a client, at the cursor; disabled at first */
};

/** Opens all windows on a screen of this scale: a random scene, and a driver of random limits. */
void scan_begin(struct scan_world *world, double scale);
void scan_end(struct scan_world *world);
/** Draws the whole window in one or two new colours, unless all of its buffers are in use. */
void scan_draw(struct window *window);
/** Drops the buffers, and draws into new ones with or without alpha. */
void scan_draw_anew(struct window *window, bool opaque);
/** Selects one of the two pictures in the buffers of `pointer`, with the next one that is drawn. */
void scan_turn_pointer(struct scan_world *world, bool second);
/** Lets `periods` refresh periods pass, each with the page flip that is due. */
void scan_pass(struct scan_world *world, int periods);
/** Fails unless the output displays the same as a new full composition of the scene. */
void scan_expect_composition(struct scan_world *world, const char *what, int step);
/**
 * Begins with six planes and the windows of the bits `shown`, at scale 1. Returns the second
 * window, at 4,4.
 */
struct window *scan_begin_with(struct scan_world *world, unsigned shown);
/** Puts the icon of a drag at this place of the cursor, above or below the pointer's image. */
void scan_drag_icon(struct scan_world *world, int x, int y, bool above);
/** Moves the cursor to a random place. The hotspot is at 3,2. */
void scan_move_cursor(struct scan_world *world);
/** Returns the state of the cursor plane, or NULL if the cursor is composed. */
const struct plane_state *scan_find_cursor(const struct screen *screen);
/** Lets passes take two periods from now on. */
void scan_slow_down(struct scan_world *world);
/** Draws the window on a slow GPU, until its frame is in flight. */
void scan_draw_slowly(struct scan_world *world, struct window *window);
