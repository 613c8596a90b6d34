/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Sources of a surface's pixels on a device, one in each source_*.c: a source makes the pixels
 * available to render passes or planes. route_choose() decides which source a content uses, except
 * that contents of a shadow device use source_shadow.c (find_source() in content.c).
 */

#include "content/content.h"
#include "content/route.h"

/** A texture with some of a surface's pixels. */
struct content_part {
	struct texture *texture;
	pixman_region32_t region; /* buffer pixels */
};

#define CONTENT_PARTS_MAX 4

struct content_source_impl {
	/**
	 * Mandatory. Updates at least `needed` (buffer pixels) from `buffer`, the surface's current
	 * one. Returns CONTENT_REFUSED if the source does not support the buffer: content_prepare()
	 * then chooses another source.
	 */
	enum content_status (*prepare)(
		struct content *content, struct buffer *buffer, const pixman_region32_t *needed);
	/** Optional: the surface has a new current state. */
	void (*applied)(struct content *content);
	/** Optional: content->seen has changed. */
	void (*see)(struct content *content);
	/**
	 * Optional: imports the buffers that the pass will sample of `needed`, so that no import
	 * happens during it.
	 */
	void (*before_pass)(struct content *content, const pixman_region32_t *needed);
	/**
	 * Optional: fills in the parts that hold `needed`. Returns their number. Default: the
	 * single texture.
	 */
	int (*parts)(struct content *content, const pixman_region32_t *needed,
		struct content_part parts[static CONTENT_PARTS_MAX]);
	/**
	 * Optional: the pass that reads the content was submitted and ends with `fence` (-1: has
	 * ended).
	 */
	void (*pass_ended)(struct content *content, int fence);
	/**
	 * Optional: returns the buffer with all pixels for a plane, or NULL. Default: the client's
	 * dma-buf.
	 */
	struct buffer *(*plane_buffer)(const struct content *content);
	/** Optional: returns whether all pixels of the client's buffer were taken from it. */
	bool (*is_complete)(const struct content *content);
	/** Optional: returns the bytes held in addition to the texture and the shadow copy. */
	int64_t (*bytes)(const struct content *content);
	/** Optional: returns the name of the engine that made the last copy, or NULL. */
	const char *(*engine)(const struct content *content);
	/**
	 * Optional: releases the resources of the source, before another one takes over or the
	 * content is destroyed.
	 */
	void (*leave)(struct content *content);
};

/** One texture: an imported dma-buf, uploaded shm, or shm that the CPU reads without a GPU. */
extern const struct content_source_impl content_source_texture;
extern const struct content_source_impl content_source_udmabuf; /* shm pool as a dma-buf */
extern const struct content_source_impl content_source_copy; /* copies from another GPU */
extern const struct content_source_impl content_source_shadow; /* copies for CPU composition */
