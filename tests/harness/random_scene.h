/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Random scenes: framed windows and trees of subsurfaces on an output that the CPU composes and one
 * that GL does, and random changes of them.
 */

#include "harness/scene_client.h"
#include "harness/screen.h"

/** Size of the outputs, pixels. */
#define SCENE_WIDTH 96
#define SCENE_HEIGHT 72

#define N_WINDOWS 4
#define N_SURFACES 9
#define N_SIDES 4

/** A window with a frame, as the shell makes it. */
struct random_window {
	struct scene_tree *tree;
	struct scene_rect *sides[N_SIDES];
	struct client_surface *client;
	pixman_region32_t shape; /* of the client's surface: scene_surface_set_clip() */
};

struct random_scene {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct scene *scene;
	struct screen screens[2]; /* composed by the CPU, by GL */
	struct renderer *reader; /* of clients' pixels */
	int first; /* first output; 1: GL alone composes, and releases uploaded buffers early */
	struct client_surface surfaces[N_SURFACES]; /* windows first */
	struct random_window windows[N_WINDOWS];
};

/** Creates outputs from `first` on, and all surfaces. */
void random_scene_init(struct random_scene *world, int first);
void random_scene_finish(struct random_scene *world);
/** Presents the frames of some periods. */
void random_scene_pass(struct random_scene *world, int periods);
/** Makes one random change. Returns its name. */
const char *random_scene_change(struct random_scene *world);
/** Returns a scale in 1/120. */
int random_scene_steps(void);
/** Returns the client of a surface, or NULL. */
struct client_surface *random_scene_find(struct random_scene *world, const struct surface *surface);
