/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Private parts common to all renderers: initialisation, the geometry of a draw, and the rectangles
 * that it touches.
 */

#include "render/render.h"

void renderer_init(struct renderer *renderer, const struct renderer_impl *impl, struct gpu *gpu);
/** Emits destroy, and frees the members of the struct. */
void renderer_finish(struct renderer *renderer);
/**
 * Initialises the common members, all but `data`. Returns false if planes are in separate memory.
 */
bool render_staging_init(struct render_staging *staging, struct renderer *renderer,
	struct buffer *buffer, const struct render_source *source, const struct box *box);
void render_staging_finish(struct render_staging *staging);
void renderer_add_shm_format(struct renderer *renderer, uint32_t format);
bool renderer_takes_shm(const struct renderer *renderer, uint32_t format);

/** Mapping from target pixels to texels. */
struct sampling {
	/**
	 * u = ux * x + uy * y + u0, v likewise: texture coordinates in texels of a point that is
	 * x, y target pixels from the origin of dst.
	 */
	double ux, uy, u0, vx, vy, v0;
	/** Whole texels that src touches; no others may be read. */
	struct box bounds;
	/** One texel per target pixel, centre on centre: filtering would change nothing. */
	bool exact;
	/** Nearest texel instead of interpolation; u0 and v0 are nudged off the ties. */
	bool nearest;
	/** The filter that follows edges: `src` is enlarged. */
	bool sharp;
};

/** Returns false if nothing is drawn (empty src or dst). */
bool sampling_init(struct sampling *sampling, const struct render_texture_options *options);

/** Iterates over the rectangles of a clip region inside a box, cut to the size of an image. */
struct clip {
	const pixman_box32_t *next, *end;
	pixman_box32_t bounds;
};

void clip_init(struct clip *clip, const pixman_region32_t *region, const struct box *box,
	int32_t width, int32_t height);
/** Returns false at the end; *rect is never empty. */
bool clip_next(struct clip *clip, pixman_box32_t *rect);
/** Returns the pixels of all remaining rectangles. */
uint64_t clip_area(struct clip clip);
