#pragma once

/**
 * A world in which a GPU can rest: a screen, GL in software with buffers that the CPU draws to as well, and up to two
 * windows whose clients draw over what they have back.
 */

#include "unit.h"

#include "frame/internal.h"
#include "scene/scene.h"
#include "surface/surface.h"

#define SIDE 128 /* of the screen */
#define MOST 64 /* the side of a window's largest buffer */
#define PERIOD INT64_C(16666667)

struct window {
	struct surface *surface;
	struct scene_tree *tree;
	int x, y, side;
	uint32_t pixels[MOST * MOST]; /* what its client drew */
	int n_out; /* buffers that it does not have back */
};

struct world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct output output;
	struct plane plane;
	int n_linear; /* so many more buffers that CPU and GPU both draw to can be had */
	struct scene *scene;
	struct scene_output *scene_output;
	struct render_device device;
	struct allocator linear;
	struct allocator *memory;
	struct frame_output *frame;
	struct buffer *shown, *flying;
	uint32_t flight;
	struct window windows[2]; /* the second one is on top */
};

/** With one window, which is shown. */
void begin(struct world *world);
void finish(struct world *world);
/** A window of 48x48; its number is its place in the stack. */
void open_window(struct world *world, int i, int x, int y);
void place(struct window *window, int x, int y);
/** Shows the buffer's pixels from its next frame on. */
void attach(struct window *window, struct buffer *buffer, const struct box *damage);
/** In another colour than ever before. */
void draw(struct window *window, struct box box);
void draw_all(struct window *window);
/** 8x8, elsewhere each time. */
void draw_little(struct window *window, int i);
/** A period goes by. */
void pass(struct world *world);
/** What is on the screen is what clients drew. */
void expect_picture(const struct world *world);
/** Shows what is due: it is right, and clients have their buffers back. */
void show(struct world *world);
