#pragma once

/**
 * A window, as the shell sees one: a mapped toplevel with geometry, states and a place on a
 * workspace. What speaks to the client is behind struct window_impl (protocol/xdg_toplevel.c).
 *
 * Positions are of the window geometry's top left corner, logical global pixels.
 */

#include "scene/scene.h"
#include "util/box.h"
#include <stdbool.h>
#include <stdint.h>

struct client;
struct seat;
struct shell;
struct window;
struct workspace;

enum window_state {
	WINDOW_ACTIVATED = 1 << 0,
	WINDOW_MAXIMIZED = 1 << 1,
	WINDOW_FULLSCREEN = 1 << 2,
	WINDOW_RESIZING = 1 << 3,
	WINDOW_SUSPENDED = 1 << 4,
	WINDOW_TILED = 1 << 5, /* all edges */
};

/** What the shell wants of the client. */
struct window_configure {
	int32_t width, height; /* of the geometry; 0: the client decides */
	int32_t bounds_width, bounds_height; /* 0: unknown */
	uint32_t states; /* enum window_state */
};

struct window_impl {
	/** Mandatory. Sends (or coalesces into one) configure and returns its serial. */
	uint32_t (*configure)(struct window *window, const struct window_configure *configure);
	/** Mandatory. Asks politely. */
	void (*close)(struct window *window);
	/** Mandatory: dismisses its popups. */
	void (*dismiss_popups)(struct window *window);
};

struct window {
	const struct window_impl *impl;
	struct shell *shell;
	struct surface *surface;
	void *data; /* the implementation's */
	char *title, *app_id; /* NULL until set */
	char identifier[33]; /* for ext-foreign-toplevel-list; unique for ever */
	struct window *parent;

	struct wl_list link; /* shell.windows, most recently focused first */
	struct workspace *workspace; /* NULL while unmapped */
	/** Holds surface tree, popups' tree and decoration. node.data is the window. */
	struct scene_tree *tree;
	struct scene_tree *surface_tree;
	/** Popups are shown here, above the window, in window geometry coordinates + geometry
	 * offset. */
	struct scene_tree *popup_tree;

	bool mapped, minimized;
	int x, y;
	/** As the client declared with set_window_geometry, in surface coordinates, and as
	 * committed. */
	struct box geometry;
	int32_t min_width, min_height, max_width, max_height; /* 0: none */
	uint32_t states; /* wanted; what was configured last */
	struct box saved; /* floating box, to come back to */
	struct scene_output *fullscreen_output;
	bool server_decorated;

	/** An interactive resize keeps the opposite edges where they are: anchors until it settles.
	 */
	uint32_t resize_edges; /* enum xdg_toplevel_resize_edge */
	struct box resize_from;
	uint32_t resize_serial; /* of the last configure of it; 0: none */

	struct {
		struct wl_signal map, unmap, title, app_id, states, destroy;
	} events;
};

struct window *window_create(
	struct shell *shell, struct surface *surface, const struct window_impl *impl, void *data);
void window_destroy(struct window *window);
struct window *window_from_surface(struct surface *surface); /* any surface in its tree; or NULL */

/** From the client. All are legal before the first commit, where they shape the first configure. */
void window_set_title(struct window *window, const char *title);
void window_set_app_id(struct window *window, const char *app_id);
void window_set_parent(struct window *window, struct window *parent);
void window_request_maximize(struct window *window, bool maximize);
void window_request_fullscreen(struct window *window, bool fullscreen, struct scene_output *output);
void window_request_minimize(struct window *window);
/** Interactive; the caller has validated the serial. */
void window_request_move(struct window *window, struct seat *seat, bool touch, int32_t touch_id);
void window_request_resize(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id);
/** First commit without a buffer: sends the first configure. */
void window_initial_commit(struct window *window);
void window_map(struct window *window);
void window_unmap(struct window *window);
/** Its surface's update applied: geometry, size limits; `acked` is the serial it answers. */
void window_applied(struct window *window, const struct box *geometry, uint32_t acked);

/** Policy. */
void window_focus(struct window *window); /* and raises */
void window_close(struct window *window);
void window_move_to(struct window *window, int x, int y);
void window_set_minimized(struct window *window, bool minimized);
