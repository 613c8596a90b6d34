#pragma once

/** The content of a surface whose buffers live on another GPU than the device: a ring of copies. */

#include "content/content.h"
#include "copy/staging.h"

struct prime;

struct prime *prime_create(struct surface *surface, struct render_device *device);
/** NULL is legal. */
void prime_destroy(struct prime *prime);
/** The surface has a new current state. */
void prime_applied(struct prime *prime);
/** Starts copies of what is needed and missing. `refused`: nobody copies such buffers. */
enum content_status prime_prepare(struct prime *prime, struct buffer *buffer,
	const pixman_region32_t *needed, bool whole, bool *refused);
/** The engine that made the last copy; NULL: none did yet. */
const char *prime_engine(const struct prime *prime);
/** Nothing of the client's buffer is missing. */
bool prime_is_complete(const struct prime *prime);
/** ns; since when a copy is under way that may bring some of what is needed and missing; 0: none is. */
int64_t prime_late_since(const struct prime *prime, const pixman_region32_t *needed);
/** As staging_parts(). */
int prime_parts(struct prime *prime, const pixman_region32_t *needed,
	struct staging_part parts[static STAGING_MAX]);
/** Before a pass: what it will draw of `needed` is imported, so that nothing is within it. */
void prime_import(struct prime *prime, const pixman_region32_t *needed);
/** A buffer that has all of the picture as it is shown, for a plane; NULL: it is in several. */
struct buffer *prime_whole(struct prime *prime);
/** The texture of a part, which the pass that is being recorded reads; NULL if it cannot be had. */
struct texture *prime_texture(struct prime *prime, const struct staging_part *part);
/** Passes of the device since the last call end with the fence, or have ended (-1). */
void prime_pass_ended(struct render_device *device, int fence);
