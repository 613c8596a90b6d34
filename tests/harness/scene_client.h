/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Clients of random scenes. They keep private copies of their buffers for comparison and overwrite
 * buffers as soon as they are released, so that a later read is detected.
 */

#include "buffer/buffer.h"
#include "surface/subsurface.h"
#include "surface/surface.h"

#define N_BUFFERS 4

struct client_buffer {
	struct buffer *buffer; /* NULL: not created yet */
	struct buffer *copy; /* private copy of the content */
	struct wl_listener release;
};

struct client_surface {
	struct surface *surface;
	struct shm_pool *pool; /* memory of private copies */
	struct subsurface *subsurface; /* NULL for windows */
	struct scene_tree *tree; /* NULL for subsurfaces */
	uint32_t format; /* 0: single-colour buffers */
	bool dmabuf;
	int32_t width, height; /* size of its buffers */
	struct box solid; /* part of its buffers without translucent pixels */
	struct client_buffer buffers[N_BUFFERS];
	struct buffer *drawing; /* content of its next buffer */
	struct buffer *applied; /* content of its current buffer */
	/** ARGB pixels of `applied`, for the test; dropped when it changes. NULL: not computed. */
	struct buffer *converted;
	struct wl_listener listener;
};

/** Creates the surface. Call client_surface_change_kind() next. */
void client_surface_open(struct client_surface *self, struct wl_event_loop *loop);
void client_surface_close(struct client_surface *self);
void client_surface_commit(struct client_surface *self);
/**
 * Draws into a free buffer, all of it or a random box, and attaches it. Returns false if all
 * buffers are in use.
 */
bool client_surface_draw(struct client_surface *self, bool all);
/** Attaches no buffer: the surface has no content until the next one. */
void client_surface_clear(struct client_surface *self);
/** Draws a buffer of another size and random format, with a viewport that is valid for it. */
void client_surface_change_kind(struct client_surface *self);
/**
 * Draws a buffer that has exactly the pixels of a random size at a scale of `steps` / 120, as
 * fractional-scale-v1 asks for.
 */
void client_surface_fit(struct client_surface *self, int steps);
void client_surface_set_viewport(struct client_surface *self);
/** Draws and announces an opaque part, or announces that there is none. */
void client_surface_set_opaque(struct client_surface *self);
void client_surface_set_transform(struct client_surface *self);
void client_surface_set_alpha(struct client_surface *self);
/** Begins read and write access to a buffer's pixels; end it with buffer_end_access(). */
void *pixels_begin(struct buffer *buffer, size_t *stride);
