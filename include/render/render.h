/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Renderers: textures of clients' buffers, and passes that draw them into a buffer.
 *
 * Uploads happen in texture_update(), before a pass begins; a pass only draws. Colours are
 * premultiplied. Boxes of a pass are in pixels of the target buffer.
 *
 * All renderers produce the same image: exactly where opaque texels map 1:1 or are not filtered,
 * else within 2/255 of the exact value in every channel. Filtering reads only texels that src
 * touches; on a tie, the nearest texel is the one on the right or below in src.
 */

#include "buffer/buffer.h"
#include "gpu/format.h"
#include "util/box.h"
#include <pixman.h>
#include <stdbool.h>

struct render_pass;
struct renderer;
struct texture;
struct gpu;

enum render_filter {
	RENDER_FILTER_BILINEAR,
	RENDER_FILTER_NEAREST, /* exact at 1:1 */
	/** Follows edges when it enlarges; renderers without it interpolate. */
	RENDER_FILTER_SHARP,
};

struct render_texture_options {
	struct texture *texture;
	/** Part of the texture, in its pixels. */
	struct fbox src;
	/** Pixels to show if `src` exceeds them: their edge is repeated. NULL: all of `src`. */
	const struct box *shown;
	/** Destination in target pixels, after `transform`. */
	struct box dst;
	/** Transform of src on the target. */
	enum wl_output_transform transform;
	/** 0..1, multiplies all channels. */
	float alpha;
	/** Region of target pixels to draw; never NULL. */
	const pixman_region32_t *clip;
	enum render_filter filter;
	/** No pixel is translucent: blending can be skipped. */
	bool opaque;
};

struct render_rect_options {
	struct box box;
	float color[4]; /* premultiplied RGBA */
	const pixman_region32_t *clip;
	/** Replaces the target's pixels; otherwise translucent colours blend. */
	bool overwrite;
};

/** Cumulative, for accounting and tests. */
struct render_stats {
	uint64_t passes;
	uint64_t draws;
	uint64_t pixels_drawn; /* covered by clip, overdraw counted */
	uint64_t bytes_uploaded; /* copied from client memory into textures */
	uint64_t uploads;
	uint64_t imports;
};

/** Memory of a buffer whose pixels are written to staging. */
struct render_source {
	const void *data; /* of the first row */
	size_t stride; /* bytes */
	struct color_coding coding; /* of YUV */
};

/**
 * Staging memory of the device: any thread may write pixels, which are then copied to a texture
 * without the CPU reading them again. Rows of a box of a buffer's pixels.
 */
struct render_staging {
	struct renderer *renderer;
	struct render_source source;
	struct box box;
	uint32_t format; /* DRM fourcc of the staged pixels */
	void *data; /* the box's first pixel; not to be read */
	size_t stride; /* bytes */
	struct convert *convert; /* conversion of the source; NULL: it is copied */
};

struct renderer_impl {
	const char *name;
	/** Members are mandatory unless marked optional. */
	void (*destroy)(struct renderer *renderer);
	/**
	 * Updates *texture (NULL: creates one) from `buffer`. `damage` is the change since the last
	 * update of this texture, in buffer pixels; NULL means all. A texture of another size,
	 * format or kind is replaced. Returns false if the buffer cannot be read or imported; then
	 * *texture is unchanged. Sets *holds if the texture reads the buffer's own memory from now
	 * on: then the caller keeps the buffer locked while it uses the texture; otherwise it may
	 * unlock it.
	 */
	bool (*texture_update)(struct renderer *renderer, struct texture **texture,
		struct buffer *buffer, const pixman_region32_t *damage, bool *holds);
	void (*texture_destroy)(struct texture *texture);
	/**
	 * Starts a pass on `target`, which stays locked until submission. Undrawn pixels keep their
	 * content. The device waits for `acquire_fence` (or -1), which the caller keeps. Returns
	 * NULL if the target cannot be drawn to or the device is lost.
	 */
	struct render_pass *(*begin)(
		struct renderer *renderer, struct buffer *target, int acquire_fence);
	void (*add_texture)(struct render_pass *pass, const struct render_texture_options *options);
	void (*add_rect)(struct render_pass *pass, const struct render_rect_options *options);
	/**
	 * Ends the pass. *fence is a sync_file of its completion that the caller owns, or -1 if it
	 * has completed. Returns false if the device was lost: the drawing is undefined.
	 */
	bool (*submit)(struct render_pass *pass, int *fence);
	/**
	 * Returns whether a client's dma-buf can be imported, by importing it, never by tables
	 * alone.
	 */
	bool (*test_import)(struct renderer *renderer, const struct dmabuf *dmabuf);
	/**
	 * These four are optional together: NULL if no buffer is staged. Returns the format of
	 * staged pixels of an shm buffer: its own, or that of a conversion; 0 if it is not staged.
	 */
	uint32_t (*staging_format)(const struct renderer *renderer, struct buffer *buffer);
	/**
	 * Creates staging for a box of the buffer's pixels. The buffer and the memory of `source`
	 * outlive the last write. Returns NULL if the device has no such memory. Staging is
	 * destroyed before its renderer.
	 */
	struct render_staging *(*staging_create)(struct renderer *renderer, struct buffer *buffer,
		const struct render_source *source, const struct box *box);
	/**
	 * As texture_update() of `region`, which lies within the box, of a buffer of this size; the
	 * staging is no longer written. If the texture had another size, format or kind, its
	 * content outside of the region is undefined.
	 */
	bool (*staging_upload)(struct render_staging *staging, struct texture **texture,
		int32_t width, int32_t height, const pixman_region32_t *region);
	void (*staging_destroy)(struct render_staging *staging);
	/**
	 * Optional. Returns how long (ns) the device worked on the pass before which stats.passes
	 * was `pass` - 1, without time in queues; -1: not known yet, or never, as for most passes
	 * that draw little. Does not wait.
	 */
	int64_t (*pass_time)(struct renderer *renderer, uint64_t pass);
	/**
	 * Optional. Tests formats again, outside of passes. Updates texture_formats, target_formats
	 * and `uncertain`. Returns whether there are more of them. Blocks for some tens of
	 * milliseconds.
	 */
	bool (*find_formats)(struct renderer *renderer);
	/** Optional test hook: loses the device. */
	void (*lose)(struct renderer *renderer);
};

struct renderer {
	const struct renderer_impl *impl;
	/** GPU it renders on; NULL: the CPU, or a software context. */
	struct gpu *gpu;
	/** Composes with the CPU, directly from clients' memory. */
	bool cpu;
	/** Formats of shm buffers that texture_update() accepts: fourcc codes. */
	uint32_t *shm_formats;
	size_t n_shm_formats;
	/** dma-bufs that texture_update() accepts, and targets that begin() accepts. */
	struct format_set texture_formats;
	struct format_set target_formats;
	bool uncertain; /* tests of formats failed for a moment: more may be supported */
	struct render_stats stats;
	struct {
		/**
		 * Emitted at most once, when the device is lost, never within a call of the
		 * renderer: the owner destroys all textures and the renderer, and creates a new
		 * one.
		 */
		struct wl_signal lost;
		struct wl_signal destroy;
	} events;
};

struct texture {
	struct renderer *renderer;
	int32_t width, height;
};

struct render_pass {
	struct renderer *renderer;
	struct buffer *target;
};

/** Creates a renderer for the CPU; targets and sources are in system memory. Never lost. */
struct renderer *pixman_renderer_create(void);
/** Creates a renderer for a GPU, open for as long; NULL: surfaceless. */
struct renderer *gles_renderer_create(struct gpu *gpu, struct wl_event_loop *loop);
void renderer_destroy(struct renderer *renderer);

static inline bool renderer_texture_update(struct renderer *renderer, struct texture **texture,
	struct buffer *buffer, const pixman_region32_t *damage, bool *holds)
{
	return renderer->impl->texture_update(renderer, texture, buffer, damage, holds);
}

/** Accepts NULL. */
static inline void texture_destroy(struct texture *texture)
{
	if (texture) {
		texture->renderer->impl->texture_destroy(texture);
	}
}

/** Returns whether textures can be updated by staging. */
static inline bool renderer_has_staging(const struct renderer *renderer)
{
	return renderer->impl->staging_create;
}

static inline uint32_t renderer_staging_format(
	const struct renderer *renderer, struct buffer *buffer)
{
	return renderer_has_staging(renderer) ? renderer->impl->staging_format(renderer, buffer)
					      : 0;
}

static inline struct render_staging *renderer_staging_create(struct renderer *renderer,
	struct buffer *buffer, const struct render_source *source, const struct box *box)
{
	return renderer->impl->staging_create(renderer, buffer, source, box);
}

/**
 * Writes a rectangle of the box from the source, converted if necessary. On any thread, while the
 * source can be accessed.
 */
void render_staging_write(const struct render_staging *staging, const pixman_box32_t *rect);

static inline bool render_staging_upload(struct render_staging *staging, struct texture **texture,
	int32_t width, int32_t height, const pixman_region32_t *region)
{
	return staging->renderer->impl->staging_upload(staging, texture, width, height, region);
}

/** Accepts NULL. */
static inline void render_staging_destroy(struct render_staging *staging)
{
	if (staging) {
		staging->renderer->impl->staging_destroy(staging);
	}
}

/** Returns -1 also if the renderer does not measure. */
static inline int64_t renderer_pass_time(struct renderer *renderer, uint64_t pass)
{
	return renderer->impl->pass_time ? renderer->impl->pass_time(renderer, pass) : -1;
}

/** Returns false, too, if all formats are certain. */
static inline bool renderer_find_formats(struct renderer *renderer)
{
	return renderer->uncertain && renderer->impl->find_formats &&
	       renderer->impl->find_formats(renderer);
}

static inline struct render_pass *renderer_begin(
	struct renderer *renderer, struct buffer *target, int acquire_fence)
{
	return renderer->impl->begin(renderer, target, acquire_fence);
}

static inline void render_pass_add_texture(
	struct render_pass *pass, const struct render_texture_options *options)
{
	pass->renderer->impl->add_texture(pass, options);
}

static inline void render_pass_add_rect(
	struct render_pass *pass, const struct render_rect_options *options)
{
	pass->renderer->impl->add_rect(pass, options);
}

static inline bool render_pass_submit(struct render_pass *pass, int *fence)
{
	return pass->renderer->impl->submit(pass, fence);
}
