/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A window of the shell: a toplevel with geometry, states and a place on a workspace. The protocol
 * side implements struct window_impl.
 *
 * Positions are of the window geometry's top left corner, logical global pixels. The frame that the
 * shell draws around windows decorated by the server lies outside of that.
 */

#include "scene/scene.h"
#include "util/box.h"
#include "util/random_name.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct icon;
struct seat;
struct shell;
struct window;
struct window_private;
struct update;
struct workspace;

/** First member of every object that node.data of the shell's trees points to: its type. */
enum shell_node_kind {
	SHELL_NODE_WINDOW = 1,
	SHELL_NODE_LAYER,
	SHELL_NODE_MESSAGE,
	SHELL_NODE_SWITCHER,
	SHELL_NODE_MENU,
	SHELL_NODE_OVERVIEW,
};

/** Outputs that bound a fullscreen window: at the top, the bottom, the left and the right. */
#define WINDOW_SPAN 4

enum window_state {
	WINDOW_ACTIVATED = 1 << 0,
	WINDOW_MAXIMIZED = 1 << 1,
	WINDOW_FULLSCREEN = 1 << 2,
	WINDOW_RESIZING = 1 << 3,
	WINDOW_SUSPENDED = 1 << 4, /* invisible: minimised, or on another workspace */
	WINDOW_TILED_LEFT =
		1 << 5, /* edges next to another window or the edge of the usable area */
	WINDOW_TILED_RIGHT = 1 << 6,
	WINDOW_TILED_TOP = 1 << 7,
	WINDOW_TILED_BOTTOM = 1 << 8,
};

#define WINDOW_TILED                                                                               \
	(WINDOW_TILED_LEFT | WINDOW_TILED_RIGHT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM)

/** State that the shell requests from the client. */
struct window_configure {
	int32_t width, height; /* of the geometry; 0: the client decides */
	int32_t bounds_width, bounds_height; /* 0: unknown */
	uint32_t states; /* enum window_state */
};

struct window_impl {
	/** Mandatory. Sends a configure, or coalesces several into one. Returns its serial. */
	uint32_t (*configure)(struct window *window, const struct window_configure *configure);
	/** Mandatory. Sends a close request. */
	void (*close)(struct window *window);
	/** Optional. Disconnects the client without asking it, not before this call returns. */
	void (*kill)(struct window *window);
	/** Mandatory. Dismisses all popups of the window. */
	void (*dismiss_popups)(struct window *window);
	/**
	 * Optional. Returns the serial of the configure that the update acknowledges, or 0. Without
	 * it, updates are not held until the other windows of a layout have changed.
	 */
	uint32_t (*acked)(const struct window *window, const struct update *update);
	/** Optional. `x` and `y` were set, perhaps to the previous position. */
	void (*moved)(struct window *window);
	/**
	 * Optional. Adjusts the size of an interactive resize to the client's hints, such as
	 * increments, without enlarging it beyond max_width and max_height.
	 */
	void (*constrain)(const struct window *window, int32_t *width, int32_t *height);
	/**
	 * Optional. Replaces the drawn size of a floating window by one that the client has chosen
	 * since and not drawn yet.
	 */
	void (*chosen_size)(const struct window *window, int32_t *width, int32_t *height);
};

enum window_type {
	WINDOW_TYPE_ORDINARY,
	WINDOW_TYPE_FLOATING, /* outside of layouts */
	WINDOW_TYPE_DOCK, /* a panel: outside of layouts, on all workspaces, above others */
};

/** Sizes of the geometry that the client accepts, logical pixels; 0: no limit. */
struct window_limits {
	int32_t min_width, min_height, max_width, max_height;
};

/** Widths of a frame around the window geometry, logical pixels. */
struct frame_extents {
	int top, right, bottom, left;
};

struct window {
	enum shell_node_kind kind;
	const struct window_impl *impl;
	struct shell *shell;
	struct surface *surface;
	void *data; /* the implementation's */
	struct window_private *private; /* the shell's */
	char *title, *app_id; /* NULL until set */
	/** Name of the window that is the same in each run of its program, and its translation. */
	char *tag, *description; /* NULL until set */
	pid_t x_pid; /* of an X program; 0: unknown, or another program */
	struct icon *icon; /* a reference; NULL: none */
	char identifier[RANDOM_NAME_SIZE]; /* for ext-foreign-toplevel-list; unique, never reused */
	struct window *parent;
	/** Child windows, most recently focused first; unmapped ones anywhere. */
	struct wl_list children; /* window.sibling_link */
	struct wl_list sibling_link; /* empty without a parent */
	/** shell.windows, most recently focused first, while it is mapped; else empty. */
	struct wl_list link;
	struct workspace *workspace; /* NULL while unmapped */
	/** Contains surface tree, popup tree and decoration. node.data is the window. */
	struct scene_tree *tree;
	struct scene_tree *surface_tree;
	/** Popups above the window, in coordinates of the window geometry. */
	struct scene_tree *popup_tree;

	bool mapped, minimized;
	bool urgent; /* wants attention */
	bool sticky; /* follows its output from workspace to workspace */
	bool on_top; /* above windows that are not */
	int x, y;
	/** Effective geometry, in surface coordinates, as committed. */
	struct box geometry;
	uint32_t states; /* enum window_state, requested by the shell */

	struct {
		struct wl_signal map, unmap, title, app_id, states, destroy;
		struct wl_signal parent;
		struct wl_signal applied; /* geometry, position or outputs may have changed */
		struct wl_signal surface; /* window_set_surface() */
	} events;
};

struct window *window_create(
	struct shell *shell, struct surface *surface, const struct window_impl *impl, void *data);
void window_destroy(struct window *window);
/**
 * Replaces the surface of a mapped window, which keeps its place and states, by another one of the
 * same client. The old surface stays the caller's. `absent`: the client has no surface for the
 * window at the moment, and this one of the caller stands in for it, without content. Such a window
 * gets no keyboard focus and cannot be captured.
 */
void window_set_surface(struct window *window, struct surface *surface, bool absent);
/** Returns the window whose tree contains the surface, popups included, or NULL. */
struct window *window_from_surface(struct surface *surface);
/**
 * Returns the window of a node.data or scene_hit.data, which may be NULL; NULL if it is another
 * object.
 */
struct window *window_from_data(void *data);

/** Properties that the implementation sets before it maps the window, and may change later. */
void window_set_limits(struct window *window, const struct window_limits *limits);
/** Sets whether the geometry is the bounding box of the surface tree, since the client set none. */
void window_set_implied_geometry(struct window *window, bool implied);
/** Sets whether the window accepts the keyboard focus; initially it does. */
void window_set_takes_focus(struct window *window, bool takes_focus);
/** Sets when the user asked for the window, ns; 0: unknown. */
void window_set_requested(struct window *window, int64_t when);
/**
 * Sets the type, which rules override. It determines the layout if it is set before the first
 * configure; later, only whether the window is kept inside of the usable area.
 */
void window_set_type(struct window *window, enum window_type type);

/** Requests of the client. Before the first commit they determine the first configure. */
void window_set_title(struct window *window, const char *title);
void window_set_app_id(struct window *window, const char *app_id);
/** Sets the icon, of which the window takes a reference of its own; NULL: none. */
void window_set_icon(struct window *window, struct icon *icon);
void window_set_tag(struct window *window, const char *tag);
void window_set_description(struct window *window, const char *description);
/** Maximum depth of parents. Functions that walk families may recurse. */
#define WINDOW_LEVELS_MAX 32
/** Maximum number of windows with a common ancestor: raising one takes time linear in it. */
#define WINDOW_FAMILY_MAX 1024
/**
 * Returns false if the family of `parent` would become too deep or too large with `window` and its
 * children.
 */
bool window_family_has_room(const struct window *window, const struct window *parent);
/**
 * Sets the parent; NULL: none. The caller has checked for loops and with window_family_has_room().
 */
void window_set_parent(struct window *window, struct window *parent);
/** Sets whether the window, if it has a parent, gets the focus instead of it. */
void window_set_modal(struct window *window, bool modal);
void window_request_maximize(struct window *window, bool maximize);
void window_request_fullscreen(struct window *window, bool fullscreen, struct scene_output *output);
/**
 * Has a window cover several outputs while it is fullscreen, until one of them is removed: from the
 * top edge of the first to the bottom edge of the second, and from the left edge of the third to
 * the right edge of the fourth. Returns false, and changes nothing, if that is no area.
 */
bool window_set_span(struct window *window, struct scene_output *const span[WINDOW_SPAN]);
void window_request_minimize(struct window *window);
/** Start an interactive move or resize; the caller has validated the serial. */
void window_request_move(struct window *window, struct seat *seat, bool touch, int32_t touch_id);
void window_request_resize(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id);
/**
 * Moves the window along with a drag and drop, mapped now or later, with `x`, `y` of its geometry
 * at the drag. Until the drag ends, the window floats above others of its workspace and takes no
 * pointer or touch input.
 */
void window_drag_start(struct window *window, struct coord_global at, int x, int y);
void window_drag_move(struct window *window, struct coord_global at);
/** Ends the drag as an interactive move ends: at an edge of the output, or among the tiles. */
void window_drag_drop(struct window *window);
/** Leaves the window in its place, or to the layout of its workspace. */
void window_drag_end(struct window *window);
/**
 * Focuses the window if `allowed` (the client has a valid activation token), else marks it urgent.
 * Before the window is mapped, decides whether it may take the focus from a window that the user
 * types into.
 */
void window_activate(struct window *window, bool allowed);
/** Ends the demand for attention. */
void window_calm(struct window *window);
/** Returns whether the window has a menu, which needs a build that draws text. */
bool window_has_menu(const struct window *window);
/**
 * Opens the menu of the window at a point, replacing any other menu. Does nothing in a locked
 * session, for hidden windows, and for windows without a menu.
 */
void window_open_menu(struct window *window, struct coord_global at);
/**
 * Returns true if the user types into another program's window, or has typed there since this
 * window was asked for, so that its focus would interrupt that.
 */
bool window_interrupts_typing(const struct window *window);
/** Rings the bell of the window: flashes its title bar, or marks it urgent without the focus. */
void window_ring(struct window *window);
/**
 * Sets the position at which the window will be mapped, moved to where the user can reach it.
 * Call this before window_map().
 */
void window_place_at(struct window *window, int x, int y);
/** Sends the first configure, on the first commit without a buffer. */
void window_initial_commit(struct window *window);
void window_map(struct window *window);
void window_unmap(struct window *window);
/** Applies a surface commit: geometry and size limits. `acked` is the last acknowledged serial. */
void window_applied(struct window *window, const struct box *geometry, uint32_t acked);
/** Sets whether the shell draws a frame around the window, unless a rule decides. */
void window_set_decorated(struct window *window, bool decorated);

/** Actions of the user. */
void window_focus(struct window *window); /* also raises */
void window_close(struct window *window);
/** Moves the geometry's top left corner to x, y immediately. */
void window_move_to(struct window *window, int x, int y);
/** As above, for a request of the client: to where the user can reach the title bar. */
void window_request_position(struct window *window, int x, int y);
void window_set_minimized(struct window *window, bool minimized);
/** Sets whether the window stays above or below others. */
void window_set_on_top(struct window *window, bool on_top);
void window_set_on_bottom(struct window *window, bool on_bottom);
/** Reserves space at the edges of the output of a mapped window, until it is unmapped. */
void window_reserve(struct window *window, const struct frame_extents *space);
/** Returns true while a surface of the implementation stands in for the client's. */
bool window_is_absent(const struct window *window);
bool window_takes_focus(const struct window *window);
bool window_is_modal(const struct window *window);
/** Returns true during an interactive resize, and until its last size is committed. */
bool window_is_resizing(const struct window *window);
/** Returns true if the window covers several outputs while it is fullscreen. */
bool window_has_span(const struct window *window);
bool window_in_scratchpad(const struct window *window);
/** Returns true if the window prevents idleness while it is visible. */
bool window_inhibits_idle(const struct window *window);
/** Stores the position that the window has, or moves to once its client has resized it. */
void window_next_position(const struct window *window, int *x, int *y);
/** Returns the window geometry, logical global. */
struct box window_box(const struct window *window);
/** Returns the widths of the frame that the shell draws around the window; zeros: none. */
struct frame_extents window_frame(const struct window *window);
/** Returns whether an X window is to have device pixels, by its current names and parent. */
bool window_x_native(const struct window *window);
/** Returns the output that the window is on; NULL: no outputs. */
struct scene_output *window_output(const struct window *window);
