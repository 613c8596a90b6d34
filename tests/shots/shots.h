#pragma once

/**
 * Scenes for reference pictures. A scene sets up what clients show; where that is simple, it says
 * so a second time to a slow model that shares nothing with the compositor: struct slow.
 */

#include "harness/peer.h"

/** One picture in the model's stack. */
struct slow_layer {
	int x, y; /* of its top left corner, logical */
	int width, height; /* logical */
	const uint32_t *pixels; /* ARGB8888, premultiplied; copied */
	int buffer_width, buffer_height;
	enum wl_output_transform transform; /* as wl_surface.set_buffer_transform */
	bool opaque; /* the alpha channel means nothing */
	double alpha; /* multiplies all */
};

#define SLOW_MAX 64

struct slow {
	int width, height; /* output pixels, as shown */
	int scale;
	enum wl_output_transform transform; /* of the output */
	uint32_t background; /* 0xRRGGBB */
	struct slow_layer layers[SLOW_MAX]; /* bottom first */
	int n_layers;
};

/** Bottom first. */
void slow_add(struct slow *slow, const struct slow_layer *layer);
/** The buffer's pixels one to one at x, y. */
void slow_add_buffer(struct slow *slow, const struct peer_buffer *buffer, int x, int y);
void slow_clear(struct slow *slow);
/** Pixel by pixel, from the protocol's definitions. */
struct picture *slow_draw(const struct slow *slow);

struct test;

struct shot {
	struct fixture *fixture;
	struct peer *peer;
	struct slow slow; /* no layers: the scene is not that simple */
	const struct test *test; /* main.c */
};

struct scene_case {
	const char *name;
	void (*build)(struct shot *shot);
	/** Greatest difference of a channel (of 255), and pixels that may differ by more. */
	int tolerance, outliers;
	double scale; /* 0: 1 */
};

/** Of pixels that a filter makes, each renderer has its own idea; of others, none. */
#define FILTERED .tolerance = 10, .outliers = 150
#define EXACT .tolerance = 2, .outliers = 0

extern const struct scene_case window_scenes[], output_scenes[], damage_scenes[];
extern const size_t n_window_scenes, n_output_scenes, n_damage_scenes;

/** Fails the test unless output 0 shows what the model draws. */
void shot_check_slow(struct shot *shot, const char *what);
/** A toplevel at x, y that shows the test pattern. */
struct peer_window *shot_pattern(struct shot *shot, int x, int y, int width, int height);
