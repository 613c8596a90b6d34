#pragma once

/**
 * Sources of a surface's pixels on a device. Each source_*.c is one: it brings pixels to where a pass, or
 * a plane, reads them. route_choose() decides which source a content has.
 */

#include "content/content.h"
#include "content/route.h"

struct content_source_impl {
	enum route_source source;
	/**
	 * Mandatory. Brings at least `needed` (buffer pixels) of `buffer`, the surface's current one, up to
	 * date. Returns CONTENT_REFUSED if the source can do nothing with such a buffer: content_prepare()
	 * chooses again then.
	 */
	enum content_status (*prepare)(
		struct content *content, struct buffer *buffer, const pixman_region32_t *needed);
	/** Optional: the surface has a new current state. */
	void (*applied)(struct content *content);
	/** Optional: imports the pixels of `needed` that the next pass draws, so that nothing is imported in it. */
	void (*before_pass)(struct content *content, const pixman_region32_t *needed);
	/** Optional: fills in the parts that hold `needed`. Returns their number. Default: the one texture. */
	int (*parts)(struct content *content, const pixman_region32_t *needed,
		struct content_part parts[static CONTENT_PARTS_MAX]);
	/** Optional: the pass that reads the content was submitted and ends with `fence` (-1: has ended). */
	void (*pass_ended)(struct content *content, int fence);
	/** Optional: returns the buffer with all pixels for a plane, or NULL. Default: the client's dma-buf. */
	struct buffer *(*plane_buffer)(const struct content *content);
	/** Optional: tells whether the client's buffer has no pixel that is still needed here. */
	bool (*is_complete)(const struct content *content);
	/** Optional: releases the resources of the source. Another source follows, or the content goes. */
	void (*leave)(struct content *content);
};

extern const struct content_source_impl content_source_import; /* client dma-buf as texture */
extern const struct content_source_impl content_source_upload; /* shm uploaded to a texture */
extern const struct content_source_impl content_source_udmabuf; /* shm pool as a dma-buf */
extern const struct content_source_impl content_source_prime; /* copies from another GPU */
extern const struct content_source_impl content_source_shadow; /* copies for CPU composition */

/** Returns the source for the surface's current state: route_choose() with the facts of the moment. */
enum route_source content_choose(const struct content *content);
/** Adds the content to those that the pass being recorded reads. */
void content_mark_read(struct content *content);
/**
 * Updates the content's texture with at least `needed` (NULL: all) of `buffer`, by import or upload as the
 * renderer sees fit. Returns false if the renderer can do neither.
 */
bool content_update_texture(
	struct content *content, struct buffer *buffer, const pixman_region32_t *needed);
/** Marks all of the current buffer as missing. */
void content_miss_all(struct content *content);
