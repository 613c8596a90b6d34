/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Naive composition of an output: each pixel of each layer is computed by definition, in integers
 * of 1/120 where positions are rounded. Nothing is shared with the compositor.
 */

#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-protocol.h>

/** An output, and its picture while it is composed. */
struct oracle {
	int width, height; /* pixels, as stored */
	int x, y; /* logical position */
	int steps; /* 120 times its scale */
	enum wl_output_transform transform;
	double factor; /* of the lens; 0: none */
	int lens_x, lens_y;
	/** Part that the layers are limited to, in pixels of the upright output; empty: all. */
	struct oracle_box {
		int x, y, width, height;
	} clip;
	int top, bottom; /* rows that are composed */
	struct oracle_color {
		float v[4]; /* premultiplied red, green, blue, alpha; 0 to 1 */
	} * picture;
};

/** A point from which positions are rounded: a whole pixel, and the logical point shown there. */
struct oracle_origin {
	int left, top; /* pixels of the upright output */
	int x, y;
};

/** The pixels of a surface or their part. */
struct oracle_image {
	const uint32_t *pixels; /* premultiplied ARGB */
	int width, height;
	double x, y, src_width, src_height; /* the part that is shown, in buffer pixels */
	enum wl_output_transform transform; /* of the buffer */
	double alpha;
	/** Each pixel of the part is one of the output, whatever the size of the box. */
	bool drawn;
	/** The part fills the box even if that is a pixel larger or smaller, by rounding. */
	bool fills;
	struct oracle_box shape; /* the part that is drawn, relative to its box; empty: all */
};

/** Limits the following layers to a global box in logical pixels; NULL: no longer. */
void oracle_set_clip(struct oracle *oracle, const struct oracle_box *global);
/** Starts a picture of the background, in the memory of the last one; oracle_finish() frees it. */
void oracle_begin(struct oracle *oracle, const float background[static 4]);
void oracle_finish(struct oracle *oracle);
struct oracle_origin oracle_origin(const struct oracle *oracle);
/** Returns the origin of a tree at a logical point that is snapped within another one. */
struct oracle_origin oracle_snap(
	const struct oracle *oracle, const struct oracle_origin *parent, int x, int y);
void oracle_add_rect(struct oracle *oracle, const struct oracle_origin *origin,
	const struct oracle_box *box, const float color[static 4]);
void oracle_add_image(struct oracle *oracle, const struct oracle_origin *origin,
	const struct oracle_box *box, const struct oracle_image *image);
/** Returns whether each channel of an XRGB pixel differs at most by `tolerance`, in 1/255. */
bool oracle_accepts(const struct oracle *oracle, int x, int y, uint32_t pixel, int tolerance);
/** Returns the pixel as XRGB, for messages. */
uint32_t oracle_pixel(const struct oracle *oracle, int x, int y);
