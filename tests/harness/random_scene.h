/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Random scenes: framed windows and trees of subsurfaces on one or two outputs, which the CPU or GL
 * composes, and random changes of them.
 */

#include "harness/scene_client.h"
#include "harness/screen.h"

/** Size of the outputs, pixels. */
#define SCENE_WIDTH 64
#define SCENE_HEIGHT 48

#define N_WINDOWS 4
#define N_SURFACES 9
#define N_SIDES 4

/** A window with a frame, as the shell makes it. */
struct random_window {
	struct scene_tree *tree;
	struct scene_rect *sides[N_SIDES];
	struct scene_image *title;
	struct client_surface *client;
	pixman_region32_t shape; /* of the client's surface: scene_surface_set_clip() */
};

struct random_scene {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct scene *scene;
	struct screen screens[2];
	int n_screens; /* 1: buffers that are uploaded are released early */
	bool gl; /* GL composes the last one */
	struct renderer *reader; /* of clients' pixels */
	struct client_surface surfaces[N_SURFACES]; /* windows first */
	struct random_window windows[N_WINDOWS];
};

/** Creates one or two outputs, and all surfaces. `gl`: GL composes the last output. */
void random_scene_init(struct random_scene *world, bool gl);
void random_scene_finish(struct random_scene *world);
/** Presents the frames of some periods. */
void random_scene_pass(struct random_scene *world, int periods);
/** Makes one random change. Returns its name. */
const char *random_scene_change(struct random_scene *world);
/** Returns a scale in 1/120. */
int random_scene_steps(void);
/** Returns the client of a surface, or NULL. */
struct client_surface *random_scene_find(struct random_scene *world, const struct surface *surface);
