#pragma once

/**
 * A window, as the shell sees one: a toplevel with geometry, states and a place on a workspace.
 * What speaks to the client is behind struct window_impl (protocol/xdg_toplevel.c).
 *
 * Positions are of the window geometry's top left corner, logical global pixels. The frame that the
 * shell draws around windows decorated by the server lies outside of that.
 */

#include "scene/scene.h"
#include "util/box.h"
#include <stdbool.h>
#include <stdint.h>

struct client;
struct decoration;
struct seat;
struct shell;
struct window;
struct workspace;

/** What node.data of the shell's trees points to says first what it is. */
enum shell_node_kind {
	SHELL_NODE_WINDOW = 1,
	SHELL_NODE_LAYER,
	SHELL_NODE_MESSAGE,
};

enum window_state {
	WINDOW_ACTIVATED = 1 << 0,
	WINDOW_MAXIMIZED = 1 << 1,
	WINDOW_FULLSCREEN = 1 << 2,
	WINDOW_RESIZING = 1 << 3,
	WINDOW_SUSPENDED = 1 << 4, /* nobody can see it: minimised, or on another workspace */
	WINDOW_TILED_LEFT = 1 << 5, /* these edges lie against something */
	WINDOW_TILED_RIGHT = 1 << 6,
	WINDOW_TILED_TOP = 1 << 7,
	WINDOW_TILED_BOTTOM = 1 << 8,
};

#define WINDOW_TILED                                                                               \
	(WINDOW_TILED_LEFT | WINDOW_TILED_RIGHT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM)

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
	enum shell_node_kind kind;
	const struct window_impl *impl;
	struct shell *shell;
	struct surface *surface;
	void *data; /* the implementation's */
	char *title, *app_id; /* NULL until set */
	char identifier[33]; /* for ext-foreign-toplevel-list; unique for ever */
	struct window *parent;
	/** Windows whose parent it is, most recently focused first; unmapped ones anywhere. */
	struct wl_list children; /* window.sibling_link */
	struct wl_list sibling_link; /* empty without a parent */
	int n_below; /* windows whose ancestor it is */
	/** Order of shell.windows: greater for those focused later. */
	int64_t used;

	/** shell.windows, most recently focused first, while it is mapped; else empty. */
	struct wl_list link;
	struct wl_list created_link; /* shell.all_windows */
	struct workspace *workspace; /* NULL while unmapped */
	/** Holds surface tree, popups' tree and decoration. node.data is the window. */
	struct scene_tree *tree;
	struct scene_tree *surface_tree;
	/** Popups are shown here, above the window, in coordinates of the window geometry. */
	struct scene_tree *popup_tree;
	/** Black behind a fullscreen window; NULL otherwise. */
	struct scene_rect *backdrop;
	struct decoration *decoration; /* NULL: it draws its own, or none */

	bool mapped, minimized;
	bool urgent; /* wants attention */
	bool placed; /* was mapped before: comes back to where it was */
	int x, y;
	/** Effective geometry, in surface coordinates, as committed. */
	struct box geometry;
	/** It never declared one: it is the bounds of what it shows. */
	bool implied_geometry;
	int32_t min_width, min_height, max_width, max_height; /* 0: none */
	uint32_t states; /* wanted; what was configured last */
	struct box saved; /* floating box, to come back to; no width: unknown as yet */
	struct scene_output *fullscreen_output; /* NULL: the one it is on */

	/** Size asked for; 0: the client's choice. */
	int32_t want_width, want_height;
	struct window_configure sent;
	uint32_t configure_serial; /* of the last configure; 0: none */
	/** Where it goes once the client has answered the configure that sizes it for there. */
	struct {
		bool pending, center;
		int x, y;
		uint32_t serial;
	} target;

	/** An interactive resize keeps the opposite edges where they are: anchors until it settles.
	 */
	uint32_t resize_edges; /* enum xdg_toplevel_resize_edge */
	struct box resize_from;
	uint32_t resize_serial; /* of the last configure of it; 0: none */
	bool resize_waiting; /* a configure of it was not answered yet */
	bool answers; /* it has acknowledged a configure since it was mapped */

	/** The output it was on when that went away, and where on it; to come back to. NULL: none.
	 */
	char *home;
	int home_x, home_y;

	struct {
		struct wl_signal map, unmap, title, app_id, states, destroy;
		struct wl_signal parent;
		struct wl_signal applied; /* geometry, position or the outputs may be new */
	} events;
};

struct window *window_create(
	struct shell *shell, struct surface *surface, const struct window_impl *impl, void *data);
void window_destroy(struct window *window);
/** Any surface in its tree, popups too; NULL if it is in none. */
struct window *window_from_surface(struct surface *surface);
/** From node.data or scene_hit.data, which may be NULL; NULL if that is no window. */
struct window *window_from_data(void *data);

/** From the client. All are legal before the first commit, where they shape the first configure. */
void window_set_title(struct window *window, const char *title);
void window_set_app_id(struct window *window, const char *app_id);
/** Levels of windows with parents. Functions that walk them may recurse. */
#define WINDOW_LEVELS_MAX 32
/** Windows with a common ancestor: raising one of them takes time for each. */
#define WINDOW_FAMILY_MAX 1024
/** False if the family of `parent` would become too deep or too large with `window` and its children. */
bool window_family_has_room(const struct window *window, const struct window *parent);
/** The caller has checked for loops and room. */
void window_set_parent(struct window *window, struct window *parent);
void window_request_maximize(struct window *window, bool maximize);
void window_request_fullscreen(struct window *window, bool fullscreen, struct scene_output *output);
void window_request_minimize(struct window *window);
/** Interactive; the caller has validated the serial. */
void window_request_move(struct window *window, struct seat *seat, bool touch, int32_t touch_id);
void window_request_resize(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id);
/** A token that vouches for it was shown: focuses the window, or marks it urgent. */
void window_activate(struct window *window, bool allowed);
/** First commit without a buffer: sends the first configure. */
void window_initial_commit(struct window *window);
void window_map(struct window *window);
void window_unmap(struct window *window);
/** Its surface's update applied: geometry, size limits; `acked` is the serial it answers. */
void window_applied(struct window *window, const struct box *geometry, uint32_t acked);
/** Whether the shell draws a frame around it. */
void window_set_decorated(struct window *window, bool decorated);

/** Policy. */
void window_focus(struct window *window); /* and raises */
void window_close(struct window *window);
/** The geometry's top left corner is there at once. */
void window_move_to(struct window *window, int x, int y);
void window_set_minimized(struct window *window, bool minimized);
/** Half of the usable area; `edges` are three bits of WINDOW_TILED; 0: back to floating. */
void window_tile(struct window *window, uint32_t edges);
/** Where it is: its geometry, logical global. */
struct box window_box(const struct window *window);
/** The output that it is on; NULL if there are none. */
struct scene_output *window_output(const struct window *window);
