/* SPDX-License-Identifier: MIT */
#pragma once

/** Copies of another GPU's dma-bufs: state that copies.c and source_copy.c share. */

#include "internal.h"
#include "staging/staging.h"

/** The texture of a staging buffer. */
struct staged_texture {
	struct texture *texture; /* NULL: none */
	uint64_t serial; /* of the buffer */
	bool holds; /* the texture reads the buffer's memory; else it has own, converted pixels */
	pixman_region32_t stale; /* own pixels that may differ from the buffer's */
};

/** Copies on one device. */
struct source_copy {
	struct content *content;
	struct surface *surface;
	struct render_device *device;
	struct staging_ring *ring;
	/* Of the copied buffers. */
	int32_t width, height;
	uint32_t format;
	struct color_coding coding;
	uint64_t bytes; /* copied by the ring and counted by the surface */
	struct staged_texture textures[STAGING_MAX];
	unsigned read; /* parts that the pass being recorded reads; bits are indices */
	pixman_region32_t shown; /* region needed last, buffer pixels */
	pixman_region32_t late; /* needed, and absent then: the older pixels are shown */
	pixman_region32_t hidden; /* not drawn while a copy was in flight */
	int64_t due; /* share of this surface in render_device.copies_due */
	const char *refused; /* why the last copy was refused, a static phrase; NULL: it was not */
	/** A copy arrived or failed that is not shown yet; NULL: content->copy. */
	void (*arrived)(struct content *content);
};

/**
 * Creates a copy source without pixels, which is not shown yet. `arrived` is called when a copy has
 * arrived or failed. content_copy_adopt() or content_copy_destroy() ends its use.
 */
struct source_copy *content_copy_create(
	struct content *content, void (*arrived)(struct content *content));
/** Accepts NULL. */
void content_copy_destroy(struct source_copy *copy);
/** Returns whether the copies take the buffer of the state over, as damage. */
bool content_copy_fits(const struct source_copy *copy, const struct surface_state *state);
/** Sets the buffer of the state, and adds damage (NULL: all of it). */
void content_copy_expect(struct source_copy *copy, const struct surface_state *state,
	const pixman_region32_t *damage);
/**
 * Copies all pixels. Returns CONTENT_PENDING until they are there or while another try is due, and
 * CONTENT_REFUSED with *reason if the buffer cannot be copied, or is better read directly.
 */
enum content_status content_copy_whole(
	struct source_copy *copy, struct buffer *buffer, const char **reason);
/** Returns the bytes of its staging buffers. */
int64_t content_copy_memory(const struct source_copy *copy);

void staged_texture_forget(struct staged_texture *staged);
/** Forgets the textures of all staging buffers. */
void content_copy_forget(struct source_copy *copy);
/** Frees the pixels: all of the current buffer's are copied anew. */
void content_copy_discard(struct source_copy *copy);
/**
 * Damages pixels that were not drawn while a copy was in flight, and that a buffer shows now: after
 * the end of that copy, or of another one.
 */
void content_copy_damage_hidden(struct source_copy *copy);
/** Sets the predicted time (ns) of the copies for the next frame. */
void content_copy_set_due(struct source_copy *copy, int64_t due);
/** Lets the next frame try a refused copy again. */
void content_copy_end_wait(struct content *content);
/** Returns whether another source would take the buffer if this one refuses it. */
bool content_copy_has_other(struct content *content, struct buffer *buffer);
/**
 * Starts copies like staging_copy(), but returns STAGING_POINTLESS only if another source can read
 * the buffer, and its client does not wait for it.
 */
enum staging_status content_copy_start(struct source_copy *copy, struct buffer *buffer,
	const pixman_region32_t *needed, bool whole, const char **reason);
