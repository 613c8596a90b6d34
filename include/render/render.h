#pragma once

/**
 * The renderer contract: textures of what clients commit, and passes that draw them into a buffer.
 *
 * Uploads happen in texture_update(), before a pass begins; a pass only draws. Colours are
 * premultiplied. Boxes of a pass are in pixels of the target buffer.
 *
 * All renderers draw the same picture: exactly so where opaque texels go 1:1 or are not filtered,
 * else within 2/255 of the exact value in every channel. Filtering reads nothing outside of the
 * texels that src touches; on a tie, the nearest texel is the one on the right or below in src.
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
};

struct render_texture_options {
	struct texture *texture;
	/** Part of the texture, in its pixels. */
	struct fbox src;
	/** Where it goes, in target pixels, after `transform`. */
	struct box dst;
	/** The target shows the content of src transformed by this. */
	enum wl_output_transform transform;
	/** 0..1, multiplies all channels. */
	float alpha;
	/** Only these target pixels are touched; never NULL. */
	const pixman_region32_t *clip;
	enum render_filter filter;
	/** The caller knows that no pixel of it is translucent: no blending. */
	bool opaque;
};

struct render_rect_options {
	struct box box;
	float color[4]; /* premultiplied RGBA */
	const pixman_region32_t *clip;
	/** Replaces what is there; else a colour that is not opaque blends. */
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

/**
 * Memory of the device that any thread may write pixels to, which then become part of a texture without
 * the CPU reading them again: the rows of a box of a buffer's pixels.
 */
struct render_staging {
	struct renderer *renderer;
	struct box box;
	uint32_t format; /* DRM fourcc */
	void *data; /* the box's first pixel; not to be read */
	size_t stride; /* bytes */
};

struct renderer_impl {
	const char *name;
	/** All mandatory unless said otherwise. */
	void (*destroy)(struct renderer *renderer);
	/**
	 * Makes *texture (NULL: a new one) show `buffer`. `damage` is what changed since the last
	 * update of this texture, in buffer pixels; NULL means all. A texture of another size,
	 * format or kind is replaced. False if the buffer cannot be read or imported; then *texture
	 * is unchanged. *holds says whether the texture reads the buffer's own memory from now on:
	 * then the caller keeps the buffer locked while it uses the texture with it, else it may
	 * let it go.
	 */
	bool (*texture_update)(struct renderer *renderer, struct texture **texture,
		struct buffer *buffer, const pixman_region32_t *damage, bool *holds);
	void (*texture_destroy)(struct texture *texture);
	/**
	 * Starts a pass on `target`, which stays locked until submission. What the pass does not
	 * draw keeps its content. `acquire_fence` (or -1) is waited for by the drawing device and
	 * stays the caller's. NULL if the target cannot be drawn to or the device is lost.
	 */
	struct render_pass *(*begin)(
		struct renderer *renderer, struct buffer *target, int acquire_fence);
	void (*add_texture)(struct render_pass *pass, const struct render_texture_options *options);
	void (*add_rect)(struct render_pass *pass, const struct render_rect_options *options);
	/**
	 * Ends the pass. *fence becomes a sync_file of its completion that the caller owns, or -1
	 * when it has completed. False if the device was lost: what was drawn is undefined.
	 */
	bool (*submit)(struct render_pass *pass, int *fence);
	/** Would a client's dma-buf import? Answered by importing it, never by tables alone. */
	bool (*test_import)(struct renderer *renderer, const struct dmabuf *dmabuf);
	/**
	 * These three optional together: NULL where the CPU reads what it draws in place. NULL if the
	 * device has no such memory. Staging goes before its renderer.
	 */
	struct render_staging *(*staging_create)(
		struct renderer *renderer, uint32_t format, const struct box *box);
	/**
	 * As texture_update() of `region`, which lies within the box, of a buffer of this size; nobody
	 * writes to the staging any more. What a texture has that was of another size, format or kind
	 * is undefined outside of the region.
	 */
	bool (*staging_upload)(struct render_staging *staging, struct texture **texture,
		int32_t width, int32_t height, const pixman_region32_t *region);
	void (*staging_destroy)(struct render_staging *staging);
	/**
	 * Optional. How long the device itself was at the pass before which stats.passes was `pass` - 1, ns;
	 * what it stood behind does not count. -1: not known yet, or it will not be. Never waits.
	 */
	int64_t (*pass_time)(struct renderer *renderer, uint64_t pass);
	/** Optional test hook: the device is lost from now on. */
	void (*lose)(struct renderer *renderer);
};

struct renderer {
	const struct renderer_impl *impl;
	/** GPU it renders on; NULL: the CPU, or a software context. */
	struct gpu *gpu;
	/** It composes with the CPU, straight from clients' memory. */
	bool cpu;
	/** Formats of shm buffers that texture_update() takes: fourcc codes. */
	uint32_t *shm_formats;
	size_t n_shm_formats;
	/** dma-bufs that texture_update() takes, and targets that begin() takes. */
	struct format_set texture_formats;
	struct format_set target_formats;
	struct render_stats stats;
	struct {
		/**
		 * The device is lost: its owner destroys all textures and the renderer, and makes a
		 * new one. Emitted at most once, never from within a call of the contract.
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

/** Formats of target and source in system memory; never lost. */
struct renderer *pixman_renderer_create(void);
/** gpu NULL: surfaceless. It must be open and stay so. */
struct renderer *gles_renderer_create(struct gpu *gpu, struct wl_event_loop *loop);
void renderer_destroy(struct renderer *renderer);

static inline bool renderer_texture_update(struct renderer *renderer, struct texture **texture,
	struct buffer *buffer, const pixman_region32_t *damage, bool *holds)
{
	return renderer->impl->texture_update(renderer, texture, buffer, damage, holds);
}

/** NULL is legal. */
static inline void texture_destroy(struct texture *texture)
{
	if (texture) {
		texture->renderer->impl->texture_destroy(texture);
	}
}

/** Textures can be updated by staging. */
static inline bool renderer_has_staging(const struct renderer *renderer)
{
	return renderer->impl->staging_create;
}

static inline struct render_staging *renderer_staging_create(
	struct renderer *renderer, uint32_t format, const struct box *box)
{
	return renderer->impl->staging_create(renderer, format, box);
}

static inline bool render_staging_upload(struct render_staging *staging, struct texture **texture,
	int32_t width, int32_t height, const pixman_region32_t *region)
{
	return staging->renderer->impl->staging_upload(staging, texture, width, height, region);
}

/** NULL is legal. */
static inline void render_staging_destroy(struct render_staging *staging)
{
	if (staging) {
		staging->renderer->impl->staging_destroy(staging);
	}
}

/** -1 also where nobody measures. */
static inline int64_t renderer_pass_time(struct renderer *renderer, uint64_t pass)
{
	return renderer->impl->pass_time ? renderer->impl->pass_time(renderer, pass) : -1;
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
