/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A seat: one pointer, keyboard and touch screen combined from all input devices. Each has a focus,
 * and can be grabbed, which diverts its events; the seat has a cursor. Events to clients go through
 * struct seat_sink_impl, which protocol/input/ implements, so that this folder is free of
 * wl_resource.
 *
 * Times are ns of CLOCK_MONOTONIC.
 */

#include "backend/input.h"
#include "scene/scene.h"
#include "seat/cursor.h"
#include "seat/input_method.h"
#include "seat/input_method_grab.h"
#include "seat/tablet.h"
#include "util/clock.h"
#include <xkbcommon/xkbcommon.h>

struct seat;

#define SEAT_BUTTONS_MAX 16
#define SEAT_TOUCHES_MAX 32
#define SEAT_SERIALS_MAX 32
/** Maximum number of keys that are passed to programs without the focus at a time. */
#define SEAT_PASSED_MAX 8

/** Sends events to clients. All are mandatory. `surface` is the current focus and not NULL. */
struct seat_sink_impl {
	void (*pointer_enter)(struct seat *seat, struct surface *surface, struct coord_surface at);
	void (*pointer_leave)(struct seat *seat, struct surface *surface);
	void (*pointer_motion)(
		struct seat *seat, struct surface *surface, int64_t time, struct coord_surface at);
	/** Returns the serial of the event. */
	uint32_t (*pointer_button)(
		struct seat *seat, struct surface *surface, const struct input_button_event *event);
	void (*pointer_axis)(
		struct seat *seat, struct surface *surface, const struct input_axis_event *event);
	void (*pointer_frame)(struct seat *seat, struct surface *surface);
	/** All events of a gesture have the same surface. */
	void (*gesture)(struct seat *seat, struct surface *surface,
		const struct input_gesture_event *event);
	/** Held keys are in seat->keyboard. keyboard_modifiers follows. */
	void (*keyboard_enter)(struct seat *seat, struct surface *surface);
	void (*keyboard_leave)(struct seat *seat, struct surface *surface);
	uint32_t (*keyboard_key)(
		struct seat *seat, struct surface *surface, const struct input_key_event *event);
	void (*keyboard_modifiers)(struct seat *seat, struct surface *surface);
	/**
	 * Sends the press of a key to the client of a surface without the focus; NULL: to the X
	 * servers that programs share. Returns false if none takes it. A release goes to all
	 * clients that got the press.
	 */
	bool (*key_pass)(
		struct seat *seat, struct surface *surface, const struct input_key_event *event);
	uint32_t (*touch_down)(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
		struct coord_surface at);
	uint32_t (*touch_up)(struct seat *seat, struct surface *surface, int64_t time, int32_t id);
	void (*touch_motion)(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
		struct coord_surface at);
	void (*touch_frame)(struct seat *seat, struct surface *surface);
	void (*touch_cancel)(struct seat *seat, struct surface *surface);
	/** Sends the keymap and the repeat rate to all clients of the seat. */
	void (*keymap)(struct seat *seat);
	/** Sends the repeat rate alone: clients that get a keymap forget their modifiers. */
	void (*repeat)(struct seat *seat);
	void (*capabilities)(struct seat *seat);
};

/**
 * A pointer grab receives all pointer events instead of the focus, for a move, a resize, a drag or
 * a popup. At most one is active; a new one cancels the previous one.
 */
struct pointer_grab;
struct pointer_grab_impl {
	/** Mandatory. seat->pointer.at is updated already. */
	void (*motion)(struct pointer_grab *grab, int64_t time);
	/** Mandatory. */
	void (*button)(struct pointer_grab *grab, const struct input_button_event *event);
	/** Optional; without it, axis events are dropped. */
	void (*axis)(struct pointer_grab *grab, const struct input_axis_event *event);
	/** Optional. */
	void (*frame)(struct pointer_grab *grab);
	/** Optional. The scene under the motionless pointer may have changed. */
	void (*refocus)(struct pointer_grab *grab);
	/**
	 * Mandatory. The grab has ended: by pointer_end_grab(), a new grab or the seat's
	 * destruction. seat->pointer.grab is NULL already.
	 */
	void (*end)(struct pointer_grab *grab);
};

struct pointer_grab {
	const struct pointer_grab_impl *impl;
	struct seat *seat;
};

/** A keyboard grab; without one, keys go to the focus. All are mandatory. */
struct keyboard_grab;
struct keyboard_grab_impl {
	void (*key)(struct keyboard_grab *grab, const struct input_key_event *event);
	void (*modifiers)(struct keyboard_grab *grab);
	void (*end)(struct keyboard_grab *grab);
};

struct keyboard_grab {
	const struct keyboard_grab_impl *impl;
	struct seat *seat;
};

/** A touch grab; without one, events go to the surface where the point went down. */
struct touch_grab;
struct touch_grab_impl {
	/** The first four are mandatory. The points are in seat->touch. */
	void (*down)(struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at);
	void (*up)(struct touch_grab *grab, int64_t time, int32_t id);
	void (*motion)(struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at);
	void (*end)(struct touch_grab *grab);
	void (*frame)(struct touch_grab *grab);
	/** The device cancelled all its points. */
	void (*cancel)(struct touch_grab *grab);
};

struct touch_grab {
	const struct touch_grab_impl *impl;
	struct seat *seat;
};

/** Locks or confines the pointer while its surface has the focus: wp_pointer_constraints. */
struct pointer_constraint {
	bool locked; /* false: confined */
	struct surface *surface;
	/** Logical, surface coordinates, intersected with the input region. */
	pixman_region32_t region;
	bool active; /* in effect */
	void *data;
};

struct seat_pointer {
	struct coord_global at;
	struct surface *focus;
	struct coord_surface focus_at;
	struct pointer_grab *grab; /* NULL: events go to the focus */
	uint32_t buttons[SEAT_BUTTONS_MAX]; /* pressed evdev codes, of all devices */
	int n_buttons;
	/** Buttons whose press was sent to the focus: it must get their release, too. */
	uint32_t sent_presses[SEAT_BUTTONS_MAX];
	int n_sent_presses;
	bool unframed; /* events since the last pointer_frame */
	bool placed; /* the pointer was moved, or centred on the first output */
	/** Of the last press sent to a client. */
	uint32_t press_serial;
	struct surface *press_surface;
	struct pointer_constraint *constraint;
	struct {
		struct wl_signal focus; /* struct surface *: the new one, or NULL */
		/* struct input_motion_event: relative, before constraints, on an unchanged focus */
		struct wl_signal motion;
		struct wl_signal
			moved; /* NULL: seat->pointer.at changed, or the surface under it */
		struct wl_signal frame; /* NULL; the end of a group of events */
	} events;
	struct wl_listener focus_destroy, focus_unmap, press_destroy;
};

/** A touch pad gesture, sent to the surface that had the pointer when it began. */
struct seat_gesture {
	struct surface *surface; /* NULL: not sent to a client */
	struct input_device *device; /* device of the current gesture; NULL: none */
	bool filtered; /* the filter gets the current gesture */
	enum input_gesture gesture;
	struct wl_listener surface_destroy;
};

struct seat_keyboard {
	struct xkb_context *context;
	struct xkb_keymap *keymap;
	struct xkb_state *state;
	/**
	 * The two above belong to keymap_active: the seat's keymap or that of the last used device.
	 * Clients have keymap_sent, which differs only during an input-method grab.
	 */
	struct seat_keymap *keymap_own, *keymap_active, *keymap_sent;
	struct seat_device *physical; /* that the user typed on last; NULL: none, or it is gone */
	char *keymap_string; /* copy of keymap_sent, with the two below */
	int keymap_fd; /* sealed, shared read-only; -1: no keymap */
	uint32_t keymap_size; /* with the final NUL */
	bool keymap_due; /* xkbcommon's default keymap is compiled with the first keyboard */
	struct surface *focus;
	struct keyboard_grab *grab;
	struct input_method_grab *input_method_grab; /* NULL: none */
	uint32_t keys[SEAT_KEYS_MAX]; /* evdev codes sent to clients as pressed */
	int n_keys;
	uint32_t consumed[SEAT_KEYS_MAX]; /* pressed, but consumed by the filter */
	int n_consumed;
	uint32_t passed[SEAT_PASSED_MAX]; /* pressed, and passed to programs without the focus */
	int n_passed;
	/** Modifiers of keymap_active, and those last sent to clients. */
	struct input_modifiers_event modifiers, modifiers_sent;
	/** Per second, ms: sent to clients, and the seat's own for devices without a setting. */
	int32_t repeat_rate, repeat_delay;
	int32_t own_rate, own_delay;
	/** Serial of the last press sent to the focus. */
	uint32_t press_serial;
	/**
	 * Handles key bindings: called for each press before grab and focus, and for each release
	 * of a consumed key, without `sym`. Returns true to consume a press. `sym` is of the
	 * unshifted level; `modifiers` is the effective xkb mask. A second call passes the Latin
	 * letter for a key of another script, or the digit for a key of the digit row.
	 */
	bool (*filter)(void *data, struct seat *seat, uint32_t modifiers, xkb_keysym_t sym,
		const struct input_key_event *event);
	void *filter_data;
	struct {
		struct wl_signal focus; /* struct surface *: the new one, or NULL */
		/** NULL: keyboards, their keymaps or the current layout may have changed. */
		struct wl_signal changed;
	} events;
	struct wl_listener focus_destroy, focus_unmap;
};

struct seat_touch_point {
	struct seat *seat;
	int32_t id; /* unique in the seat, across devices */
	struct surface *surface; /* where it went down; NULL: none, unmapped or destroyed */
	struct coord_global at;
	uint32_t serial;
	struct input_device *device;
	int32_t device_id;
	bool unframed; /* events since the last touch_frame */
	bool ended; /* went up: removed at the next frame */
	struct wl_listener surface_unmap, surface_destroy;
};

struct seat_touch {
	struct seat_touch_point points[SEAT_TOUCHES_MAX];
	int n_points;
	struct touch_grab *grab;
};

/** Text fields and the input method. */
struct seat_text {
	struct wl_list fields; /* text_field.link */
	struct text_field *active; /* NULL: none */
	struct input_method *method; /* NULL: none */
	bool suspended; /* the input method stays inactive */
	struct {
		/** struct text_field: the active one has committed its state. */
		struct wl_signal state;
	} events;
};

struct seat {
	char *name;
	struct scene *scene;
	struct clock *clock;
	const struct seat_sink_impl *sink;
	void *sink_data;
	uint32_t capabilities; /* sent to clients: enum wl_seat_capability */
	uint32_t capabilities_ever; /* present now or earlier */
	uint32_t present, announced; /* of the devices; those of seat_announce() */
	struct wl_list devices;
	/** Last serials sent, for seat_validate_serial(). */
	uint32_t serials[SEAT_SERIALS_MAX];
	int n_serials, next_serial;
	struct seat_pointer pointer;
	struct seat_keyboard keyboard;
	struct seat_touch touch;
	struct seat_gesture gesture;
	struct seat_tablets tablets;
	struct seat_text text;
	struct cursor cursor;
	char *theme_name; /* of all cursors; NULL and 0: from the environment */
	int theme_size;
	struct wl_listener scene_updated, layout_changed;
	/** Handles bindings of wheels and touchpad gestures. */
	struct {
		/** Returns true to consume the event. NULL: none are consumed. */
		bool (*axis)(void *data, const struct input_axis_event *event);
		/**
		 * Returns true for an INPUT_BEGIN to get the whole gesture instead of a client.
		 * NULL: clients get all gestures.
		 */
		bool (*gesture)(void *data, const struct input_gesture_event *event);
		void *data;
	} filter;
	struct {
		/**
		 * Any input, for idle timers: the seat for the release of a key or button, NULL for
		 * other events.
		 */
		struct wl_signal activity;
		/**
		 * seat_press: a button or touch went down without a grab; the shell sets the focus.
		 * A listener may start a grab.
		 */
		struct wl_signal press;
		/** uint32_t: a button of a pointer was released, also during a grab. */
		struct wl_signal release;
		struct wl_signal destroy;
	} events;
};

struct seat_press {
	struct surface *surface; /* under it; NULL: none */
	void *data; /* scene_hit.data */
	bool touch;
	uint32_t button; /* 0 for touch */
	int32_t touch_id;
	struct coord_global at;
	uint32_t modifiers; /* effective xkb mask */
	/** Set by a listener to hide the press from clients (a binding took it). */
	bool consumed;
};

/** `sink` must outlive the seat; sink_data belongs to the sink, which may set it later. */
struct seat *seat_create(const char *name, struct scene *scene, struct clock *clock,
	const struct seat_sink_impl *sink, void *sink_data);
void seat_destroy(struct seat *seat);
/** Adds the device until it is destroyed. */
void seat_add_device(struct seat *seat, struct input_device *device);

/**
 * Announces capabilities to clients even without a device: they can then bind before the first
 * event of a virtual device.
 */
void seat_announce(struct seat *seat, uint32_t capabilities);
/** Compiles the default keymap if the seat has none yet. */
void keyboard_need_keymap(struct seat *seat);

/**
 * Sets the seat's keymap; NULL names mean xkbcommon's defaults. Returns false, and keeps the old
 * keymap, if the names are invalid.
 */
struct seat_keymap_names {
	const char *rules, *model, *layout, *variant, *options;
};
bool seat_set_keymap(struct seat *seat, const struct seat_keymap_names *names);
void seat_set_repeat(struct seat *seat, int32_t rate, int32_t delay);
/**
 * Sets a keyboard's own keymap (`names` NULL: the seat's) and repeat (below 0: the seat's). Returns
 * false if the names are invalid, or if the device does not belong to the seat.
 */
bool seat_configure_keyboard(struct seat *seat, const struct input_device *device,
	const struct seat_keymap_names *names, int32_t rate, int32_t delay);
/** Returns the effective xkb mask of modifiers. */
uint32_t seat_modifiers(const struct seat *seat);

/**
 * Updates the pointer's and tools' focus after surfaces moved. The seat does so itself when the
 * scene is updated; a commit that moves surfaces calls this at once, so that clients get enter and
 * leave before later events.
 */
void seat_refocus(struct seat *seat);
/**
 * Calls `visit` for each keyboard except for clients' virtual ones, with the state of its keymap;
 * NULL: none.
 */
void seat_each_keyboard(struct seat *seat,
	void (*visit)(void *data, const struct input_device *device, struct xkb_state *state),
	void *data);
/**
 * Passes the press of a key to the program of a surface without the focus, which gets the release,
 * too; NULL: to the programs of the shared X servers. Called by the filter. Returns false if no
 * program takes the key.
 */
bool keyboard_pass(struct seat *seat, struct surface *surface, const struct input_key_event *event);
/** Releases all keys that were passed. */
void keyboard_end_passed(struct seat *seat);
/** Locks the next layout of the keymap. */
void seat_next_layout(struct seat *seat);
/** Moves the focus with leave and enter events; NULL: no focus. */
void keyboard_set_focus(struct seat *seat, struct surface *surface);
/**
 * Updates the focus for the surface under the pointer: enter, leave, motion. Does nothing during a
 * grab or while a button is down.
 */
void pointer_refocus(struct seat *seat);
/**
 * Sets the focus to a surface and point independently of the pointer, for grabs. NULL: no focus.
 */
void pointer_set_focus(struct seat *seat, struct surface *surface, struct coord_surface at);
/** As above, for a surface that gets the releases of the presses that were sent to the last one. */
void pointer_follow(struct seat *seat, struct surface *surface, struct coord_surface at);
/**
 * Moves the pointer as a device would (clamped to the layout, without constraint) and refocuses.
 */
void pointer_warp(struct seat *seat, struct coord_global at);
/**
 * Forward events from a grab to the focus. A button release is sent only after its press; motion
 * only if the position in the focus changed; the frame ends a group.
 */
void pointer_send_motion(struct seat *seat, int64_t time);
void pointer_send_button(struct seat *seat, const struct input_button_event *event);
void pointer_send_axis(struct seat *seat, const struct input_axis_event *event);
void pointer_send_frame(struct seat *seat);
void keyboard_send_key(struct seat *seat, const struct input_key_event *event);
void keyboard_send_modifiers(struct seat *seat);
/** Consumes a key whose press a grab receives: no client gets its release. */
void keyboard_consume_key(struct seat *seat, uint32_t code);
/** Sets point->surface, which gets the point's events until it is up. */
void touch_send_down(
	struct seat *seat, struct seat_touch_point *point, struct surface *surface, int64_t time);
void touch_send_up(struct seat *seat, struct seat_touch_point *point, int64_t time);
void touch_send_motion(struct seat *seat, struct seat_touch_point *point, int64_t time);
/** Sends a cancel to the surfaces of all touch points, which then have no surface. */
void touch_cancel(struct seat *seat);

/** Sets grab->seat. Keeps the focus; the grab may set another. */
void pointer_start_grab(struct seat *seat, struct pointer_grab *grab);
/** Ends the grab if there is one, and refocuses. */
void pointer_end_grab(struct seat *seat);
void keyboard_start_grab(struct seat *seat, struct keyboard_grab *grab);
void keyboard_end_grab(struct seat *seat);
void touch_start_grab(struct seat *seat, struct touch_grab *grab);
void touch_end_grab(struct seat *seat);
struct seat_touch_point *touch_find(struct seat *seat, int32_t id);
/**
 * Interrupts all input in progress: ends grabs, cancels touches, and forgets serials of held
 * presses; then updates the pointer's focus, if no button is down. The keyboard's focus stays.
 */
void seat_interrupt(struct seat *seat);
/** theme NULL: $XCURSOR_THEME or "default"; size 0: $XCURSOR_SIZE or 24. */
void seat_set_cursor_theme(struct seat *seat, const char *theme, int size);
/**
 * Returns true for the serial of a press that was sent to the client of `surface` and is still
 * held: the client may start a grab with it. For a press of a tablet tool, the pointer then follows
 * the tool.
 */
bool seat_claim_press(struct seat *seat, uint32_t serial, struct surface *surface);
/**
 * Returns true for a serial of one of the last presses and releases that the seat sent; for
 * activation.
 */
bool seat_validate_serial(struct seat *seat, uint32_t serial);
/**
 * Returns true if the client has the focus of the pointer, the keyboard, a touch point or a tool.
 */
bool seat_has_focus(const struct seat *seat, const struct client *client);

/**
 * Sets the constraint; NULL: none. The owner sets it when the focus is its surface and the pointer
 * is in its region (see pointer.events.focus and .moved), and removes it when the focus leaves.
 */
void pointer_set_constraint(struct seat *seat, struct pointer_constraint *constraint);
/**
 * Walks from `from` towards `to` inside the region (surface coordinates), sliding along its edges.
 * `from` is moved into the region first.
 */
struct coord_surface constraint_walk(
	const pixman_region32_t *region, struct coord_surface from, struct coord_surface to);
