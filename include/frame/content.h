#pragma once

/**
 * A surface's content for one renderer: the texture and the region of it that is still missing,
 * that is, damaged since the texture was last written and not uploaded because nobody could see it.
 */

#include "render/render.h"
#include "surface/surface.h"

struct content;

/** NULL if there is none yet. */
struct content *content_find(struct surface *surface, struct renderer *renderer);
struct content *content_get(struct surface *surface, struct renderer *renderer);
/** The surface's buffer changed there (buffer pixels). All contents of the surface miss it. */
void content_damage(struct surface *surface, const pixman_region32_t *damage);
/**
 * Brings at least `needed` (buffer pixels; NULL: all) up to date from the surface's current buffer,
 * and gives the buffer back to the client early if nothing misses any of it. False if there is no
 * usable content.
 */
bool content_prepare(struct content *content, const pixman_region32_t *needed);
struct texture *content_texture(struct content *content);
/** All contents that a renderer has, before it goes. */
void content_drop_renderer(struct renderer *renderer, struct surface *surface);
