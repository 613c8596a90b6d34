#pragma once

/** A scene of scenes-client: a window, a tree of children in it, and what they are drawn in. */

#include "harness/program.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wayland-client.h>

#define WIDTH 640
#define HEIGHT 480
#define N_CHILDREN 9
/** A child's buffers: what the server keeps, and as many to draw. */
#define N_BUFFERS 4

enum memory {
	MEMORY_SHM, /* whose file may shrink: it is uploaded */
	MEMORY_POOL, /* sealed, so that a device may read it in place */
	MEMORY_DMABUF,
	MEMORY_COLOR,
};

/** One that is retired goes with its release. */
struct picture {
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
	uint32_t *drawing; /* what they show */
	struct picture *pictures[N_BUFFERS];
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

/** Ends the program. */
void fail(const char *what);
/** A random number of these. */
int between(struct client *client, int least, int most);

/** Attaches a buffer of what the child shows. False: there is none free. */
bool child_attach(struct child *child);
/** What changed is in the next commit. A buffer is found, if need be among new ones. */
void child_draw(struct child *child, int32_t x, int32_t y, int32_t width, int32_t height);
void child_commit(struct child *child);
/** What the server still reads it may go on reading. */
void child_retire_pictures(struct child *child);

void child_choose_place(struct child *child);
/** Of which memory it is, how large, and whether it moves; and draws it. */
void child_choose_kind(struct child *child);
/** What plays, in all memory that planes can show: it is on top as it begins. */
void child_make_video(struct child *child);
/** Something about it, at random. */
void child_change(struct child *child);
