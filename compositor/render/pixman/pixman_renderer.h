/* SPDX-License-Identifier: MIT */
#pragma once

/** Private interface of the pixman renderer. */

#include "render/convert.h"
#include "render/renderer.h"
#include "util/worker_pool.h"
#include <pixman.h>

/** pixman computes in 16.16 fixed point and silently ignores larger images. */
#define PIXMAN_SIDE_MAX 32766

/**
 * Memory with its pixman images, kept between draws: of the whole, and of the part sampled last.
 */
struct raster {
	uint32_t format; /* DRM fourcc */
	int32_t width, height;
	uint8_t *data;
	size_t stride;
	pixman_image_t *image; /* NULL: none made yet */
	pixman_image_t *part;
	struct box part_box;
};

/**
 * Describes the memory, dropping images of other memory. Returns false if pixman does not support
 * it.
 */
bool raster_set(struct raster *raster, uint32_t format, int32_t width, int32_t height, void *data,
	size_t stride);
void raster_finish(struct raster *raster);
/**
 * Returns an image of the box, which lies inside, borrowed until the next call; NULL: out of
 * memory.
 */
pixman_image_t *raster_part(struct raster *raster, const struct box *box);

/** Only one at a time: passes do not overlap. */
struct pixman_pass {
	struct render_pass base; /* target NULL: none is under way */
	pixman_image_t *image;
};

struct pixman_renderer {
	struct renderer base;
	struct pixman_pass pass;
	struct wl_list buffer_rasters; /* buffer_raster.link */
	struct worker_pool *pool; /* NULL: not needed so far, or `alone` */
	bool alone; /* no worker pool can be created */
	/** The solid images used last. */
	struct solid {
		pixman_image_t *image;
		pixman_color_t color;
	} alpha, fill;
};

/** The pixman images of a buffer, cached with it. */
struct buffer_raster {
	struct addon addon;
	struct wl_list link;
	struct raster raster;
};

struct raster *pixman_renderer_raster(struct pixman_renderer *renderer, struct buffer *buffer);

struct pixman_texture {
	struct texture base;
	enum {
		PIXMAN_TEXTURE_BUFFER, /* reads the buffer's memory */
		PIXMAN_TEXTURE_COPY, /* of memory with an alignment that pixman does not support */
		PIXMAN_TEXTURE_COLOR,
	} kind;
	uint32_t format;
	struct buffer *buffer; /* of BUFFER; NULL once it is destroyed */
	struct wl_listener buffer_destroy;
	struct raster copy; /* owns its data */
	float color[4];
};

bool pixman_texture_update(struct renderer *base, struct texture **texture, struct buffer *buffer,
	const pixman_region32_t *damage, bool *holds);
void pixman_texture_destroy(struct texture *base);
/** Updates the texture from staging, whose memory it may take. See renderer_impl. */
bool pixman_texture_stage(struct texture **slot, struct render_staging *staging, int32_t width,
	int32_t height, const pixman_region32_t *region);

/** See renderer_impl. */
uint32_t pixman_staging_format(const struct renderer *renderer, struct buffer *buffer);
struct render_staging *pixman_staging_create(struct renderer *renderer, struct buffer *buffer,
	const struct render_source *source, const struct box *box);
bool pixman_staging_upload(struct render_staging *staging, struct texture **slot, int32_t width,
	int32_t height, const pixman_region32_t *region);
void pixman_staging_destroy(struct render_staging *staging);

struct render_pass *pixman_pass_begin(struct renderer *base, struct buffer *target, int fence);
void pixman_pass_add_texture(
	struct render_pass *base, const struct render_texture_options *options);
void pixman_pass_add_rect(struct render_pass *base, const struct render_rect_options *options);
bool pixman_pass_submit(struct render_pass *base, int *fence);

/**
 * Scale factors are rounded to 16.16. Over this many pixels, with the rounding error spread to both
 * sides of the middle, a sample is off by less than 1/500 of a texel.
 */
#define TILE_SIZE 512

/** One draw of a texture. */
struct draw {
	pixman_image_t *source, *mask, *target;
	struct buffer *buffer; /* owner of the source's memory; NULL: our own */
	pixman_color_t mask_color; /* of the mask, if there is one */
	pixman_op_t op;
	struct sampling sampling;
	struct box dst;
	int32_t shift_x, shift_y; /* source pixel of the target's origin, if plain */
};

enum pixman_tiles {
	PIXMAN_TILES_COPY, /* rows as they are */
	PIXMAN_TILES_PLAIN, /* exact in tiles of any size */
	PIXMAN_TILES_SAMPLED, /* in the tiles of a single thread */
};

/** Returns false if the draw is too small or there is one core: the caller draws. */
bool pixman_tiles_draw(struct pixman_renderer *renderer, const struct draw *draw,
	const pixman_box32_t *rect, enum pixman_tiles kind,
	void (*work)(const struct draw *draw, const pixman_box32_t *tile));
/** Converts a box of the buffer's pixels, possibly on several threads. */
void pixman_tiles_convert(struct pixman_renderer *renderer, struct raster *raster,
	const struct convert *convert, struct buffer *buffer, const pixman_box32_t *box);

/** Returns 0 if pixman lacks the format. */
pixman_format_code_t pixman_format_from_drm(uint32_t format);
/** Adds the formats that pixman has, as textures, targets and of shm. */
void pixman_add_formats(struct renderer *renderer);
