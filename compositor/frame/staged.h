#pragma once

/** The content of a surface whose buffers live on another GPU than the device: a ring of copies. */

#include "copy/staging.h"
#include "frame/content.h"

struct staged;

struct staged *staged_create(struct surface *surface, struct frame_device *device);
/** NULL is legal. */
void staged_destroy(struct staged *staged);
/** The surface has a new current state. */
void staged_applied(struct staged *staged);
/** Starts copies of what is needed and missing. `refused`: nobody copies such buffers. */
enum content_status staged_prepare(struct staged *staged, struct buffer *buffer,
	const pixman_region32_t *needed, bool whole, bool *refused);
/** The engine that made the last copy; NULL: none did yet. */
const char *staged_engine(const struct staged *staged);
/** Nothing of the client's buffer is missing. */
bool staged_is_complete(const struct staged *staged);
/** ns; since when a copy is under way that may bring some of what is needed and missing; 0: none is. */
int64_t staged_late_since(const struct staged *staged, const pixman_region32_t *needed);
/** As staging_parts(). */
int staged_parts(struct staged *staged, const pixman_region32_t *needed,
	struct staging_part parts[static STAGING_MAX]);
/** Before a pass: what it will draw of `needed` is imported, so that nothing is within it. */
void staged_import(struct staged *staged, const pixman_region32_t *needed);
/** A buffer that has all of the picture as it is shown, for a plane; NULL: it is in several. */
struct buffer *staged_whole(struct staged *staged);
/** The texture of a part, which the pass that is being recorded reads; NULL if it cannot be had. */
struct texture *staged_texture(struct staged *staged, const struct staging_part *part);
/** Passes of the device since the last call end with the fence, or have ended (-1). */
void staged_pass_ended(struct frame_device *device, int fence);
