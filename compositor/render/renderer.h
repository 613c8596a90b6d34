#pragma once

/**
 * What the renderers share and nobody else needs: set-up of the contract's struct, the geometry of
 * a draw, and the rectangles that it touches.
 */

#include "render/render.h"

void renderer_init(struct renderer *renderer, const struct renderer_impl *impl, struct gpu *gpu);
/** Emits destroy, frees what the contract's struct owns. */
void renderer_finish(struct renderer *renderer);
void renderer_add_shm_format(struct renderer *renderer, uint32_t format);
bool renderer_takes_shm(const struct renderer *renderer, uint32_t format);

/** How the pixels of a draw's target find their texels. */
struct sampling {
	/**
	 * u = ux * x + uy * y + u0, v likewise: texture coordinates in texels of a point that is
	 * x, y target pixels from the origin of dst.
	 */
	double ux, uy, u0, vx, vy, v0;
	/** Whole texels that src touches: nothing outside of them may be read. */
	struct box bounds;
	/** One texel per target pixel, centre on centre: filtering would change nothing. */
	bool exact;
	/** Nearest texel instead of interpolation; u0 and v0 are nudged off the ties. */
	bool nearest;
};

/** False if nothing is to be drawn (empty src or dst). */
bool sampling_init(struct sampling *sampling, const struct render_texture_options *options);

/** The rectangles of a clip region inside a box, cut to a picture of a size. */
struct clip {
	const pixman_box32_t *next, *end;
	pixman_box32_t bounds;
};

void clip_init(struct clip *clip, const pixman_region32_t *region, const struct box *box,
	int32_t width, int32_t height);
/** False at the end; *rect is never empty. */
bool clip_next(struct clip *clip, pixman_box32_t *rect);
/** Pixels in all rectangles that are left. */
uint64_t clip_area(struct clip clip);
