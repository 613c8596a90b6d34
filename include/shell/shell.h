/* SPDX-License-Identifier: MIT */
#pragma once

/** The shell: window placement, focus and key bindings. Policy only. */

#include "config/config.h"
#include "scene/scene.h"
#include "shell/window.h"
#include "util/clock.h"

struct input_switch_event;
struct seat;

/** Bottom to top. */
enum shell_layer {
	SHELL_BACKGROUND,
	SHELL_BOTTOM,
	SHELL_WINDOWS,
	SHELL_TOP,
	SHELL_FULLSCREEN,
	SHELL_OVERLAY,
	SHELL_DRAG, /* drag icons */
	SHELL_MESSAGES, /* the compositor's own */
	SHELL_LOCK, /* everything visible while the session is locked */
	SHELL_LAYER_COUNT,
};

/** Maximum length of a workspace's name, bytes. */
#define WORKSPACE_NAME_MAX 64
/** Maximum number of workspaces that users and clients can create. */
#define WORKSPACES_MAX 64

struct columns;

/** Where edge tiles meet: parts of the width and height of the usable area. */
struct edge_split {
	double x, y;
};

/** A set of windows. Each output shows one of its workspaces. */
struct workspace {
	struct wl_list link; /* shell.workspaces */
	struct shell *shell;
	char *name;
	int number; /* if the name is a number from 1 to 99; else 0 */
	struct scene_output *output; /* NULL: there are no outputs */
	bool shown; /* on its output */
	uint64_t shown_last; /* greater than of workspaces that were shown earlier */
	int n_windows;
	int layout; /* enum config_layout */
	int configured_layout; /* `layout` by the configuration */
	int gap_change; /* added to the configured gap, logical pixels */
	struct columns *columns; /* windows of the layout `columns` */
	bool arrange_due; /* the columns changed during a transaction or a deferral */
	struct edge_split split; /* the middle, unless the user has moved it */
	bool split_due; /* the split changed while clients had not drawn the last one */
	int64_t split_time; /* of the last arrangement of edge tiles, ns */
	/** Name of the removed output that it was on; NULL: none. */
	char *home;
	bool home_shown; /* was shown there */
	/**
	 * In SHELL_WINDOWS, bottom to top: always-on-bottom, tiled, floating and always-on-top
	 * windows.
	 */
	struct scene_tree *bottom_tree, *tiled_tree, *tree, *top_tree;
	struct scene_tree *fullscreen_tree; /* in SHELL_FULLSCREEN */
	struct motion *motion; /* slides in, or out while it is hidden; NULL: at rest */
	struct {
		struct wl_signal destroy;
	} events;
};

/** A layer surface (wlr-layer-shell): attached to edges of an output and arranged by the shell. */
struct layer;
struct layer_impl {
	/** Mandatory. Sends the size to the client. */
	void (*configure)(struct layer *layer, int32_t width, int32_t height);
	/** Mandatory. The output was removed. May destroy the layer. */
	void (*closed)(struct layer *layer);
	/** Mandatory. */
	void (*dismiss_popups)(struct layer *layer);
	/** Mandatory. Position or size changed. */
	void (*placed)(struct layer *layer);
};

struct layer {
	enum shell_node_kind kind;
	const struct layer_impl *impl;
	struct shell *shell;
	struct surface *surface;
	void *data;
	struct scene_output *output; /* NULL once it is gone */
	struct scene_tree *tree, *surface_tree, *popup_tree;
	struct wl_list link; /* shell.layer_surfaces, oldest first */
	struct wl_list popups; /* protocol/xdg/xdg_popup.c */
	bool configured; /* had its first commit: gets configure events */
	bool mapped;
	/** Current state requested by the client. */
	enum shell_layer layer;
	uint32_t anchor; /* bits as in zwlr_layer_surface_v1.anchor */
	uint32_t exclusive_edge; /* 0: from the anchor */
	int32_t exclusive_zone;
	int32_t margin_top, margin_right, margin_bottom, margin_left;
	int32_t width, height; /* desired */
	enum { LAYER_KEYBOARD_NONE, LAYER_KEYBOARD_EXCLUSIVE, LAYER_KEYBOARD_ON_DEMAND } keyboard;
	struct box box; /* where it was placed, logical global */
	int32_t sent_width, sent_height; /* of the last configure; -1: none yet */
	struct {
		struct wl_signal destroy;
	} events;
};

/** Callbacks of the shell's owner. */
struct shell_host {
	/** All mandatory. */
	bool (*spawn)(void *data, const char *const *argv, char **error);
	void (*quit)(void *data);
	bool (*reload)(void *data, char **error);
	/** Switch to virtual terminal n. */
	void (*switch_vt)(void *data, int n);
	/** Power all outputs on or off, at once or as soon as possible; their workspaces stay. */
	void (*set_power)(void *data, bool on);
	void *data;
	const char *display; /* WAYLAND_DISPLAY of clients; NULL: no socket */
	bool has_vts; /* the session is on a seat with virtual terminals */
};

/** On-screen messages: panels with text on every output. */
enum shell_message {
	SHELL_MESSAGE_SESSION, /* on top; hidden while the session is locked */
	SHELL_MESSAGE_LOCK, /* for a lock whose client has ended; below lock surfaces */
	SHELL_MESSAGE_HELP, /* key bindings; hidden while the session is locked */
	SHELL_MESSAGE_MODE, /* the mode of bindings, at the bottom */
	SHELL_MESSAGE_QUIT, /* whether to end the session */
	SHELL_MESSAGE_COUNT,
};

struct shell_private;
struct tasks;
struct text;

struct shell {
	struct scene *scene;
	struct seat *seat;
	struct clock *clock;
	const struct shell_host *host;
	struct config *config; /* owned */
	struct scene_tree *layers[SHELL_LAYER_COUNT];
	struct wl_list windows; /* window.link, mapped, most recently focused first */
	struct wl_list layer_surfaces;
	struct wl_list workspaces; /* workspace.link; never empty: numbers in order, then names */
	struct window *focus;
	struct text *text; /* draws messages; NULL: messages are not shown */
	struct tasks *tasks; /* read files; NULL: there are no pictures */
	const char *helper_program; /* draws SVG icons; NULL: there are none */
	bool locked; /* the session is hidden and gets no input */
	bool shortcuts_inhibited; /* only the emergency combinations are bound */
	struct surface *lock_focus; /* keyboard focus while locked; NULL: none */
	/**
	 * Usable area per scene output, outside exclusive zones of layer surfaces; logical global.
	 */
	struct box usable[SCENE_OUTPUTS_MAX];
	char *mode; /* name of the [mode NAME] whose bindings apply; NULL: those of [keys] */
	struct shell_private *private; /* of the shell's files */
	struct {
		struct wl_signal new_window; /* struct window, mapped */
		/** struct window: is unmapped next, and still drawn, focused and stacked. */
		struct wl_signal before_unmap;
		/** struct window: states, size or colours of its frame may have changed. */
		struct wl_signal frame;
		struct wl_signal icon; /* struct window: its icon is to be drawn again */
		struct wl_signal minimized; /* struct window: minimised or restored */
		struct wl_signal reserved; /* struct window: its reserved space has changed */
		/** struct window: an interactive move or resize of it ends; NULL: of any window. */
		struct wl_signal interrupt;
		/** NULL: swipes that drag a workspace or its columns end. */
		struct wl_signal interrupt_swipe;
		/** The user focused another window or none: struct window or NULL. Popups end. */
		struct wl_signal focus;
		struct wl_signal new_workspace; /* struct workspace */
		/**
		 * NULL: name, output, visibility or urgency of a workspace, or the active output,
		 * may have changed.
		 */
		struct wl_signal workspaces;
		struct wl_signal usable; /* struct scene_output: its usable area has changed */
		struct wl_signal lock; /* `locked` has changed */
		struct wl_signal mode; /* NULL: `mode` may have changed */
		struct wl_signal redraw; /* NULL: shell_redraw(), for other surfaces */
		struct wl_signal toggle_shortcuts; /* NULL: the user toggles shortcut inhibition */
		struct wl_signal destroy;
	} events;
};

/** Creates the shell. Takes ownership of `config`. */
struct shell *shell_create(struct scene *scene, struct seat *seat, struct clock *clock,
	const struct shell_host *host, struct config *config);
void shell_destroy(struct shell *shell);
/** Replaces the configuration, taking ownership of `config`, and applies it. */
void shell_set_config(struct shell *shell, struct config *config);
/** Sets whether `[look] animations = auto` means yes; initially it means no. */
void shell_set_automatic_motion(struct shell *shell, bool automatic);
/**
 * Makes clients redraw surfaces whose buffers were released and whose pixels are missing on a
 * device: because it was lost, or, unless `lost`, because it is new. Clients cannot be made to
 * redraw popups: if a device was lost, those are dismissed.
 */
void shell_redraw(struct shell *shell, bool lost);
/**
 * Returns true if a surface in the tree has content but no buffer, so that its pixels are at most
 * on devices.
 */
bool shell_lacks_pixels(struct scene_tree *tree);
/**
 * Returns true if the user is typing text into the focused window, so that no other program may
 * take the focus now.
 */
bool shell_is_typing(const struct shell *shell);
/** Returns whether a key was pressed in the focused window in the last `time` ns. */
bool shell_key_pressed(const struct shell *shell, int64_t time);
/** Focuses the best window of the active workspace, or none. */
void shell_refocus(struct shell *shell);
/** Returns whether the user moves or resizes a window. */
bool shell_has_grab(const struct shell *shell);
/** Returns the workspace of the active output. */
struct workspace *shell_workspace(struct shell *shell);
/** Estimates the frame of a new window that the shell decorates, without regard to rules. */
struct frame_extents shell_estimate_frame(struct shell *shell, bool floats);
/** Returns the workspace of this name, or NULL. */
struct workspace *shell_find_workspace(struct shell *shell, const char *name);
/**
 * Returns the workspace of this name. Creates a missing one; returns NULL if the name or the number
 * of workspaces exceeds the limits. Hidden workspaces without windows are destroyed by the next
 * change of workspaces.
 */
struct workspace *shell_get_workspace(struct shell *shell, const char *name);
/** Shows a workspace on its output, which becomes the active one, and focuses its best window. */
void shell_show_workspace(struct shell *shell, struct workspace *workspace);
/** Shows the workspace of shell_get_workspace(). Returns false if there is none. */
bool shell_switch_workspace(struct shell *shell, const char *name);
/** Returns whether a window of the workspace wants attention. */
bool workspace_is_urgent(const struct workspace *workspace);
/** Sets the layout, an enum config_layout. */
void workspace_set_layout(struct workspace *workspace, int layout);
/** Moves a workspace to another output, which shows it. */
void workspace_move_to_output(struct workspace *workspace, struct scene_output *output);
/** Gives the keyboard to a grabbing popup; NULL: returns it to the focus. */
void shell_set_popup_focus(struct shell *shell, struct surface *surface);
/**
 * Hides the whole session and takes all input from it, immediately and until unlocked. All outputs,
 * including new ones, show black and the SHELL_LOCK layer. Of the bindings only those marked
 * `locked` and the switch to another virtual terminal work, and only shell_set_lock_focus() sets
 * the keyboard focus.
 */
void shell_lock(struct shell *shell);
void shell_unlock(struct shell *shell);
/**
 * Reports that the lock's client has ended while the session stays locked (`lost`), or that another
 * client has taken over.
 */
void shell_set_lock_lost(struct shell *shell, bool lost);
/**
 * Shows `text` instead of the previous message: for `duration` ns, or until hidden if 0. A click
 * hides a session message. Does nothing without shell.text: log errors as well.
 */
void shell_show_message(
	struct shell *shell, enum shell_message kind, const char *text, int64_t duration);
void shell_hide_message(struct shell *shell, enum shell_message kind);
/** Shows or hides the list of key bindings. */
void shell_toggle_help(struct shell *shell);
/** Shows the first keys for a user without configuration. */
void shell_show_welcome(struct shell *shell);
/** Returns the text of a message; NULL: hidden. */
const char *shell_message_text(const struct shell *shell, enum shell_message kind);
/**
 * Sets the keyboard focus of the locked session; NULL: none. The caller must set another one before
 * the surface is unmapped or destroyed.
 */
void shell_set_lock_focus(struct shell *shell, struct surface *surface);
/**
 * Focuses the window or layer surface at a point like a click: for clicks that a popup grab
 * consumed.
 */
void shell_focus_at(struct shell *shell, struct coord_global at);
/**
 * Returns the output for new windows: of the last focused window, switched workspace or entered
 * output. NULL: no outputs.
 */
struct scene_output *shell_active_output(struct shell *shell);
/**
 * Runs an action by name ("close", "spawn" with "foot"). Returns false if there is no such action.
 */
bool shell_run_action(struct shell *shell, const char *action, const char *argument);
/**
 * Returns NULL, or a newly allocated error if the action's workspace, output, mode or window does
 * not exist. `argument` is valid for the action: see config_set_action().
 */
char *shell_check_target(struct shell *shell, const char *action, const char *argument);
/** Returns true while the outputs are powered off until there is input: new ones are, too. */
bool shell_is_dark(const struct shell *shell);
/** Runs the action of a lid or tablet-mode switch. */
void shell_switch_thrown(struct shell *shell, const struct input_switch_event *event);

struct layer *layer_create(struct shell *shell, struct surface *surface,
	const struct layer_impl *impl, void *data, struct scene_output *output,
	enum shell_layer layer);
void layer_destroy(struct layer *layer);
void layer_map(struct layer *layer);
void layer_unmap(struct layer *layer);
/** Like window_from_data() and window_from_surface(). */
struct layer *layer_from_data(void *data);
struct layer *layer_from_surface(struct surface *surface);
/** Arranges all layer surfaces of an output: call after a commit changed one. */
void shell_arrange_layers(struct shell *shell, struct scene_output *output);
