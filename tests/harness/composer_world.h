/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * An output whose frames the CPU or the GPU (GL in software) can compose, and up to two windows
 * whose clients overwrite released buffers.
 */

#include "harness/screen.h"

#include "frame/internal.h"
#include "scene/scene.h"
#include "surface/surface.h"

#define SIDE 128 /* width and height of the output */
#define MOST 64 /* largest width and height of a window */

struct window {
	struct surface *surface;
	struct scene_tree *tree;
	int x, y, side;
	uint32_t pixels[MOST * MOST]; /* content that the client drew */
	int n_out; /* buffers that were not released yet */
	bool swapped; /* the client's red is in the place of blue */
};

struct composer_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct screen screen;
	int n_linear; /* linear buffers that can still be allocated */
	struct scene *scene;
	struct allocator linear;
	struct allocator *memory;
	struct window windows[2]; /* the second one is on top */
};

/** Sets up the world with one window, which is presented. */
void begin(struct composer_world *world);
void finish(struct composer_world *world);
/** Maps a window of 48x48; its index is its place in the stack. */
void open_window(struct composer_world *world, int i, int x, int y);
void place(struct window *window, int x, int y);
/** Attaches and commits the buffer. */
void attach(struct window *window, struct buffer *buffer, const struct box *damage);
/** Draws the box in a new colour and commits. */
void draw(struct window *window, struct box box);
void draw_all(struct window *window);
/** Draws 8x8 pixels at a position that depends on `i`. */
void draw_little(struct window *window, int i);
/** Advances the clock by a period and presents a pending frame. */
void pass(struct composer_world *world);
/** Fails unless the output shows the content that clients drew. */
void expect_output(const struct composer_world *world);
/**
 * Presents pending changes; fails unless the output is right and clients have their buffers back.
 */
void show(struct composer_world *world);
