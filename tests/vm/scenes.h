/* SPDX-License-Identifier: MIT */
#pragma once

/** Random scenes: a window, its tree of children, and their buffers. */

#include "harness/program.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wayland-client.h>

#define WIDTH 640
#define HEIGHT 480
#define N_CHILDREN 9
/** Buffers of a child: those that the server holds, and as many to draw into. */
#define N_BUFFERS 4

enum memory {
	MEMORY_SHM, /* a file that may shrink, which forces uploads */
	MEMORY_POOL, /* sealed: devices may read it in place */
	MEMORY_DMABUF,
	MEMORY_COLOR,
};

/** Buffer of a child. A retired one is destroyed when the server releases it. */
struct child_buffer {
	struct wl_buffer *buffer;
	struct child *child;
	uint32_t *pixels;
	size_t size, stride; /* bytes */
	bool busy, retired;
};

struct child {
	struct client *client;
	struct wl_surface *surface;
	struct wl_subsurface *subsurface; /* NULL: the window */
	struct wp_viewport *viewport;
	struct wp_alpha_modifier_surface_v1 *alpha;
	struct child *parent;
	enum memory memory;
	bool translucent, moving, hidden;
	bool waits; /* for a buffer */
	bool asked; /* for a frame callback */
	int32_t width, height; /* of its buffers */
	uint32_t *drawing; /* contents of the next buffer */
	struct child_buffer *buffers[N_BUFFERS];
};

struct client {
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_subcompositor *subcompositor;
	struct wl_shm *shm;
	struct wl_seat *seat;
	struct xdg_wm_base *wm_base;
	struct program_window toplevel; /* of the window */
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct wp_viewporter *viewporter;
	struct wp_alpha_modifier_v1 *alpha;
	struct wp_single_pixel_buffer_manager_v1 *colors;
	int device; /* -1: none */
	uint64_t random;
	bool has_pointer;
	struct child window, cursor, children[N_CHILDREN];
};

/** Prints the message and exits. */
void fail(const char *what);
/** Returns a random number from `least` to `most`. */
int between(struct client *client, int least, int most);

/** Attaches a buffer with the current contents. Returns false if no buffer is free. */
bool child_attach(struct child *child);
/**
 * Draws a rectangle into a free buffer for the next commit; retires all buffers if none is free.
 */
void child_draw(struct child *child, int32_t x, int32_t y, int32_t width, int32_t height);
void child_commit(struct child *child);
/** Retires all buffers; the server may still read them. */
void child_retire_buffers(struct child *child);

void child_choose_place(struct child *child);
/** Chooses kind of memory, size and updates at random, and draws the child. */
void child_choose_kind(struct child *child);
/** Makes the child a video on top, in memory that planes can show. */
void child_make_video(struct child *child);
/** Changes a random property of the child. */
void child_change(struct child *child);
