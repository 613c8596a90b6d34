#pragma once

/**
 * The shell: where windows go, what has focus, what keys do. Policy only.
 */

#include "scene/scene.h"
#include "shell/config.h"
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
	SHELL_LOCK, /* all that shows while the session is locked */
	SHELL_LAYER_COUNT,
};

struct workspace {
	int index;
	struct scene_tree *tree; /* in SHELL_WINDOWS */
	struct scene_tree *fullscreen_tree; /* in SHELL_FULLSCREEN */
};

/** A surface that is attached to an edge of an output (layer-shell), as the shell arranges it. */
struct layer;
struct layer_impl {
	/** Mandatory: tells the client its size. */
	void (*configure)(struct layer *layer, int32_t width, int32_t height);
	/** Mandatory: its output is gone. May destroy it. */
	void (*closed)(struct layer *layer);
	/** Mandatory. */
	void (*dismiss_popups)(struct layer *layer);
	/** Mandatory: it has another place or size. */
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
	struct wl_list popups; /* protocol/xdg_popup.c */
	bool configured; /* had its first commit: it is told sizes */
	bool mapped;
	/** As the client asked, current. */
	enum shell_layer layer;
	uint32_t anchor; /* bits as in zwlr_layer_surface_v1.anchor */
	uint32_t exclusive_edge; /* 0: from the anchor */
	int32_t exclusive_zone;
	int32_t margin_top, margin_right, margin_bottom, margin_left;
	int32_t width, height; /* desired */
	enum { LAYER_KEYBOARD_NONE, LAYER_KEYBOARD_EXCLUSIVE, LAYER_KEYBOARD_ON_DEMAND } keyboard;
	struct box box; /* where it was put, logical global */
	int32_t sent_width, sent_height; /* what configure said last; -1: nothing yet */
	struct {
		struct wl_signal destroy;
	} events;
};

/** What the shell has others do for it. */
struct shell_host {
	/** All mandatory. */
	bool (*spawn)(void *data, const char *const *argv, char **error);
	void (*quit)(void *data);
	bool (*reload)(void *data, char **error);
	/** Switch to virtual terminal n. */
	void (*switch_vt)(void *data, int n);
	void *data;
	const char *display; /* WAYLAND_DISPLAY of clients; NULL: there is none */
	bool has_vts; /* the session is on a seat with virtual terminals */
};

/** Panels with text at the top of every output. */
enum shell_message {
	SHELL_MESSAGE_SESSION, /* above everything; hidden while the session is locked */
	SHELL_MESSAGE_LOCK, /* of a lock without a locker; below the surfaces of lockers */
	SHELL_MESSAGE_COUNT,
};

struct shell_grab;
struct shell_cycle;
struct shell_messages;
struct text;

struct shell {
	struct scene *scene;
	struct seat *seat;
	struct clock *clock;
	const struct shell_host *host;
	struct config *config; /* owned */
	struct scene_tree *layers[SHELL_LAYER_COUNT];
	struct wl_list windows; /* window.link, mapped, most recently focused first */
	int64_t first_used, last_used; /* bounds of window.used */
	struct wl_list all_windows; /* window.created_link */
	struct wl_list layer_surfaces;
	struct workspace *workspaces;
	int n_workspaces, active_workspace;
	struct window *focus;
	struct layer *layer_focus; /* it has the keyboard in place of the window */
	struct surface *popup_focus; /* a popup that grabs has the keyboard; NULL: none */
	struct shell_grab *grab; /* interactive move or resize; NULL: none */
	struct shell_cycle *cycle; /* Super+Tab held; NULL: not */
	struct text *text; /* draws messages; NULL: they are not shown */
	struct shell_messages *messages;
	/** lock_lost.c */
	struct lock_lost {
		struct timer timer; /* armed until the locker is started again */
		int64_t started, delay; /* ns */
	} lock_lost;
	bool locked; /* nothing of the session shows or gets input */
	bool shortcuts_inhibited; /* keys are the focused window's, but for the ways out */
	struct surface *lock_focus; /* what has the keyboard then; NULL: nobody */
	/** Usable area per scene output: what layer surfaces left, logical global. */
	struct box usable[SCENE_MAX_OUTPUTS];
	struct {
		struct wl_signal new_window; /* struct window, mapped */
		/** The user turned to something else: struct window or NULL. Popups end. */
		struct wl_signal focus;
		struct wl_signal lock; /* `locked` has changed */
		struct wl_signal
			redraw; /* NULL: shell_redraw(), for what is neither window nor layer */
		struct wl_signal toggle_shortcuts; /* NULL: the user wants it the other way */
		struct wl_signal destroy;
	} events;
	struct wl_listener output_added, output_removed, layout_changed, press, pointer_moved;
	struct wl_listener popup_focus_destroy;
	/** A press on a title bar, to know the second of two. */
	int64_t title_press;
	struct window *title_window;
	bool cursor_image; /* the cursor shows what a frame's edge would do */
	/** A bound key that is held and whose action goes on. */
	struct {
		struct timer timer;
		uint32_t code, modifiers;
		xkb_keysym_t sym;
	} repeat;
};

/** Takes `config` over. */
struct shell *shell_create(struct scene *scene, struct seat *seat, struct clock *clock,
	const struct shell_host *host, struct config *config);
void shell_destroy(struct shell *shell);
/** Takes the new one over and applies what can change. */
void shell_set_config(struct shell *shell, struct config *config);
/**
 * Asks what has its pixels on no other device to draw again: a device was lost, or, unless `lost`, there is
 * one more, on which they are not. Popups, of which that cannot be asked, go with a lost device.
 */
void shell_redraw(struct shell *shell, bool lost);
/** Some surface in the tree has content and no buffer: devices have its pixels, if any. */
bool shell_lacks_pixels(struct scene_tree *tree);
/** Focuses the best window of the active workspace, or none. */
void shell_refocus(struct shell *shell);
void shell_switch_workspace(struct shell *shell, int index);
/** A popup that grabs takes the keyboard, or gives it back (NULL). */
void shell_set_popup_focus(struct shell *shell, struct surface *surface);
/**
 * Hides the whole session and takes all input from it, at once and until unlocked: outputs, those that
 * come later too, show black and what is in SHELL_LOCK, keys but those that switch to another virtual
 * terminal do nothing, and nobody but shell_set_lock_focus() gives the keyboard to anyone.
 */
void shell_lock(struct shell *shell);
void shell_unlock(struct shell *shell);
/** The locker has ended and the session stays locked, or another one has taken over. */
void shell_set_lock_lost(struct shell *shell, bool lost);
/**
 * Shows `text` in place of the message before: for `duration` ns, or, if 0, until it is hidden. A click hides one of the
 * session. Does nothing without shell.text, so that errors are to be logged as well.
 */
void shell_show_message(
	struct shell *shell, enum shell_message kind, const char *text, int64_t duration);
void shell_hide_message(struct shell *shell, enum shell_message kind);
/** NULL: hidden. */
const char *shell_message_text(const struct shell *shell, enum shell_message kind);
/** NULL: nobody. The caller takes it back before the surface goes or unmaps. */
void shell_set_lock_focus(struct shell *shell, struct surface *surface);
/** Focuses what is there as a click would: for clicks that a popup's grab swallowed. */
void shell_focus_at(struct shell *shell, struct coord_global at);
/** The output for something new: where the pointer is. NULL if there are none. */
struct scene_output *shell_active_output(struct shell *shell);
/** Runs an action of the configuration ("close", "spawn" with "foot"); false if it has no such. */
bool shell_run_action(struct shell *shell, const char *action, const char *argument);
/** A switch of the machine was thrown. */
void shell_switch_thrown(struct shell *shell, const struct input_switch_event *event);
/** Names of all actions, NULL-terminated; with whether each takes an argument. */
struct shell_action_info {
	const char *name;
	const char *argument; /* what it is, for errors; NULL: none */
};
const struct shell_action_info *shell_actions(void);

struct layer *layer_create(struct shell *shell, struct surface *surface,
	const struct layer_impl *impl, void *data, struct scene_output *output,
	enum shell_layer layer);
void layer_destroy(struct layer *layer);
void layer_map(struct layer *layer);
void layer_unmap(struct layer *layer);
/** Puts it elsewhere until it is next arranged differently: for tests. */
void layer_move_to(struct layer *layer, int x, int y);
/** As window_from_data() and window_from_surface(). */
struct layer *layer_from_data(void *data);
struct layer *layer_from_surface(struct surface *surface);
/** Its fields changed (a commit applied). Places all layer surfaces of its output anew. */
void shell_arrange_layers(struct shell *shell, struct scene_output *output);
