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
	int64_t due; /* share of this surface in render_device.copies_due */
	bool refused; /* the last copy was */
	/** A copy arrived or failed that is not shown yet; NULL: content->copy. */
	void (*arrived)(struct content *content);
};

void staged_texture_forget(struct staged_texture *staged);
/** Forgets the textures of all staging buffers. */
void content_copy_forget(struct source_copy *copy);
/** Sets the predicted time (ns) of the copies for the next frame. */
void content_copy_set_due(struct source_copy *copy, int64_t due);
/** Lets the next frame try a refused copy again. */
void content_copy_end_wait(struct content *content);
/** Returns whether another source would take the buffer if this one refuses it. */
bool content_copy_has_other(struct content *content, struct buffer *buffer);
/**
 * Starts copies of `needed`, unless the buffer is better read directly, and can be: a client that
 * waits for its only buffer would wait for ever then. `whole`: all pixels are needed in one staging
 * buffer. *reason: why copies are refused.
 */
enum staging_status content_copy_start(struct source_copy *copy, struct buffer *buffer,
	const pixman_region32_t *needed, bool whole, const char **reason);
