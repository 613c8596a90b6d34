#pragma once

/**
 * Clients of random scenes. What they draw is in copies, too, which nobody else has; they scribble over what
 * was released at once, so that whoever still reads it is found out.
 */

#include "buffer/buffer.h"
#include "surface/subsurface.h"
#include "surface/surface.h"

#define N_BUFFERS 4

struct client_buffer {
	struct buffer *buffer; /* NULL: not made yet */
	struct buffer *copy; /* what the client drew; nobody else has it */
	struct wl_listener release;
};

struct client_surface {
	struct surface *surface;
	struct subsurface *subsurface; /* NULL: a window */
	struct scene_tree *tree; /* of a window */
	uint32_t format; /* 0: single colours */
	bool dmabuf;
	int32_t width, height; /* of its buffers */
	struct client_buffer buffers[N_BUFFERS];
	struct buffer *drawing; /* what its next buffer has */
	struct buffer *applied; /* what its current one has */
	struct wl_listener listener;
};

/** Of no kind yet: client_surface_change_kind() comes next. */
void client_surface_open(struct client_surface *self, struct wl_event_loop *loop);
void client_surface_close(struct client_surface *self);
void client_surface_commit(struct client_surface *self);
/** All that follows waits for that. False: all buffers are in use. */
bool client_surface_draw(struct client_surface *self, bool all);
/** Another size, and often another format: a viewport that was right may not be so any more. */
void client_surface_change_kind(struct client_surface *self);
void client_surface_set_viewport(struct client_surface *self);
void client_surface_set_opaque(struct client_surface *self);
void client_surface_set_transform(struct client_surface *self);
void client_surface_set_alpha(struct client_surface *self);
/** Of a buffer that can be written; until buffer_end_access(). */
void *pixels_begin(struct buffer *buffer, size_t *stride);
