/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Scenes for reference images. A scene sets up clients; a simple scene also describes itself to
 * struct slow, a slow model that shares no code with the compositor.
 */

#include "harness/peer.h"

/** A layer of the model. */
struct slow_layer {
	int x, y; /* of the top left corner, logical */
	int width, height; /* logical */
	const uint32_t *pixels; /* ARGB8888, premultiplied; copied */
	int buffer_width, buffer_height;
	enum wl_output_transform transform; /* as in wl_surface.set_buffer_transform */
	bool opaque; /* ignores the alpha channel */
	double alpha; /* multiplies all channels */
};

#define SLOW_MAX 64

struct slow {
	int width, height; /* output pixels, as displayed */
	int scale;
	enum wl_output_transform transform; /* of the output */
	uint32_t background; /* 0xRRGGBB */
	struct slow_layer layers[SLOW_MAX]; /* bottom first */
	int n_layers;
};

/** Adds a layer on top. */
void slow_add(struct slow *slow, const struct slow_layer *layer);
/** Adds the buffer's pixels, unscaled, at x, y. */
void slow_add_buffer(struct slow *slow, const struct peer_buffer *buffer, int x, int y);
void slow_clear(struct slow *slow);
/** Renders pixel by pixel, from the protocol's definitions. */
struct image *slow_draw(const struct slow *slow);

struct test;

struct shot {
	struct fixture *fixture;
	struct peer *peer;
	struct slow slow; /* no layers: the scene is too complex for the model */
	const struct test *test; /* main.c */
};

struct scene_case {
	const char *name;
	void (*build)(struct shot *shot);
	/**
	 * Tolerated difference of a channel (of 255), and the number of pixels that may differ by
	 * more.
	 */
	int tolerance, outliers;
	double scale; /* 0: 1 */
};

/** Filtered pixels depend on the renderer; all others must match exactly. */
#define FILTERED .tolerance = 10, .outliers = 150
#define EXACT .tolerance = 2, .outliers = 0

extern const struct scene_case window_scenes[], output_scenes[], damage_scenes[], layout_scenes[];
extern const size_t n_window_scenes, n_output_scenes, n_damage_scenes, n_layout_scenes;

/** Fails the test unless output 0 shows the model's image. */
void shot_check_slow(struct shot *shot, const char *what);
/** Creates a toplevel at x, y that shows the test pattern. */
struct peer_window *shot_pattern(struct shot *shot, int x, int y, int width, int height);
