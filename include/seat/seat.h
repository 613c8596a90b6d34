#pragma once

/**
 * A seat: one pointer, keyboard and touch screen made of all input devices, with a focus each,
 * grabs that may take events away from the focus, and a cursor. There is no wl_resource here: what
 * clients hear goes through struct seat_sink_impl, which protocol/wl_seat.c provides.
 *
 * Times are ns of CLOCK_MONOTONIC.
 */

#include "backend/input.h"
#include "scene/scene.h"
#include "seat/cursor.h"
#include "seat/diversion.h"
#include "seat/input_method.h"
#include "seat/tablet.h"
#include "util/clock.h"
#include <xkbcommon/xkbcommon.h>

struct seat;

#define SEAT_MAX_BUTTONS 16
#define SEAT_MAX_TOUCHES 32
#define SEAT_MAX_SERIALS 32

/** Tells clients. All mandatory. `surface` is always the focus, never NULL. */
struct seat_sink_impl {
	void (*pointer_enter)(struct seat *seat, struct surface *surface, struct coord_surface at);
	void (*pointer_leave)(struct seat *seat, struct surface *surface);
	void (*pointer_motion)(
		struct seat *seat, struct surface *surface, int64_t time, struct coord_surface at);
	/** The serial of the event. */
	uint32_t (*pointer_button)(
		struct seat *seat, struct surface *surface, const struct input_button_event *event);
	void (*pointer_axis)(
		struct seat *seat, struct surface *surface, const struct input_axis_event *event);
	void (*pointer_frame)(struct seat *seat, struct surface *surface);
	/** Begin, updates and end of a gesture go to the same surface. */
	void (*gesture)(struct seat *seat, struct surface *surface,
		const struct input_gesture_event *event);
	/** Keys that are held are in seat->keyboard. keyboard_modifiers follows. */
	void (*keyboard_enter)(struct seat *seat, struct surface *surface);
	void (*keyboard_leave)(struct seat *seat, struct surface *surface);
	uint32_t (*keyboard_key)(
		struct seat *seat, struct surface *surface, const struct input_key_event *event);
	void (*keyboard_modifiers)(struct seat *seat, struct surface *surface);
	uint32_t (*touch_down)(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
		struct coord_surface at);
	uint32_t (*touch_up)(struct seat *seat, struct surface *surface, int64_t time, int32_t id);
	void (*touch_motion)(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
		struct coord_surface at);
	void (*touch_frame)(struct seat *seat, struct surface *surface);
	void (*touch_cancel)(struct seat *seat, struct surface *surface);
	/** Keymap or repeat rate changed: all clients of the seat. */
	void (*keymap)(struct seat *seat);
	void (*capabilities)(struct seat *seat);
};

/**
 * A pointer grab: sees every pointer event in place of the focus logic: a move, a resize, a drag, a
 * popup. Only one at a time; starting one cancels the one before.
 */
struct pointer_grab;
struct pointer_grab_impl {
	/** Mandatory. The pointer is at seat->pointer.at already. */
	void (*motion)(struct pointer_grab *grab, int64_t time);
	/** Mandatory. */
	void (*button)(struct pointer_grab *grab, const struct input_button_event *event);
	/** Optional: axis events are dropped otherwise. */
	void (*axis)(struct pointer_grab *grab, const struct input_axis_event *event);
	/** Optional. */
	void (*frame)(struct pointer_grab *grab);
	/** Optional. What lies under the pointer may have changed, though it did not move. */
	void (*refocus)(struct pointer_grab *grab);
	/**
	 * Mandatory. It is over: by pointer_end_grab(), or another one took its place, or the seat
	 * goes. seat->pointer.grab does not name it any more.
	 */
	void (*end)(struct pointer_grab *grab);
};

struct pointer_grab {
	const struct pointer_grab_impl *impl;
	struct seat *seat;
};

/** As above; with no grab, keys go to the focus. All mandatory. */
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

/** As above; with no grab, touches go to the surfaces they went down on. */
struct touch_grab;
struct touch_grab_impl {
	/** All mandatory, but for the last two. The points are in seat->touch. */
	void (*down)(struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at);
	void (*up)(struct touch_grab *grab, int64_t time, int32_t id);
	void (*motion)(struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at);
	void (*end)(struct touch_grab *grab);
	void (*frame)(struct touch_grab *grab);
	/** The device took all its points back. */
	void (*cancel)(struct touch_grab *grab);
};

struct touch_grab {
	const struct touch_grab_impl *impl;
	struct seat *seat;
};

/** Bends pointer motion while the focus has one active: wp_pointer_constraints. */
struct pointer_constraint {
	bool locked; /* else confined */
	struct surface *surface;
	/** Logical, surface coordinates, already cut to the input region. */
	pixman_region32_t region;
	bool active; /* it is the seat's */
	void *data;
};

struct seat_pointer {
	struct coord_global at;
	struct surface *focus;
	struct coord_surface focus_at;
	struct pointer_grab *grab; /* NULL: the focus logic */
	uint32_t buttons[SEAT_MAX_BUTTONS]; /* evdev codes that are down, from all devices */
	int n_buttons;
	/** Those whose press the focus has heard of: it hears of the release too. */
	uint32_t heard[SEAT_MAX_BUTTONS];
	int n_heard;
	bool unframed; /* events since the last pointer_frame */
	bool placed; /* it has moved, or was put in the middle of the first output */
	/** Where, and with which serial, the last press that reached a client was. */
	struct coord_global press_at;
	uint32_t press_serial, press_button;
	struct surface *press_surface;
	struct pointer_constraint *constraint;
	struct {
		struct wl_signal focus; /* struct surface *: the new one, or NULL */
		struct wl_signal
			motion; /* struct input_motion_event: relative, before constraints */
		struct wl_signal moved; /* NULL: seat->pointer.at or what is under it changed */
		struct wl_signal frame; /* NULL; a group of events has ended */
	} events;
	struct wl_listener focus_destroy, focus_unmap, press_destroy;
};

/** Fingers on a touch pad, told to what the pointer was over when they began. */
struct seat_gesture {
	struct surface *surface; /* NULL: nobody hears of it */
	struct input_device *device; /* it is under way on this; NULL: none is */
	enum input_gesture gesture;
	struct wl_listener surface_destroy;
};

struct seat_keyboard {
	struct xkb_context *context;
	struct xkb_keymap *keymap;
	struct xkb_state *state;
	/**
	 * The two above are of the keymap in use, keymap_active: that of the seat, or that which the last
	 * used device has or brought along. Clients were told of the same, unless that is diverted.
	 */
	struct seat_keymap *keymap_own, *keymap_active, *keymap_told;
	char *keymap_string; /* these three are as clients know it */
	int keymap_fd; /* sealed, read-only to share; -1: there is no keymap at all */
	uint32_t keymap_size; /* with the final NUL */
	bool keymap_due; /* the seat's is xkbcommon's default, once there is a keyboard */
	struct surface *focus;
	struct keyboard_grab *grab;
	struct keyboard_diversion *diversion; /* NULL: none */
	uint32_t keys[SEAT_MAX_KEYS]; /* evdev codes that clients know as pressed */
	int n_keys;
	uint32_t swallowed[SEAT_MAX_KEYS]; /* down, but taken by the filter */
	int n_swallowed;
	/** Of the keymap in use, and as clients know them. */
	struct input_modifiers_event modifiers, modifiers_told;
	/** Per second, ms: as clients know them, and of keyboards that have none of their own. */
	int32_t repeat_rate, repeat_delay;
	int32_t own_rate, own_delay;
	/** Serial of the last press that reached the focus. */
	uint32_t press_serial;
	/**
	 * Bindings: asked of each press before grab and focus; true: the key is swallowed, with its
	 * release. `sym` is of the unshifted level; `modifiers` are the xkb mask in effect. It is asked once more
	 * for a letter of another script, by the Latin one, and for the keys of the digits, by those.
	 */
	bool (*filter)(void *data, struct seat *seat, uint32_t modifiers, xkb_keysym_t sym,
		const struct input_key_event *event);
	void *filter_data;
	struct {
		struct wl_signal focus; /* struct surface *: the new one, or NULL */
	} events;
	struct wl_listener focus_destroy, focus_unmap;
};

struct seat_touch_point {
	struct seat *seat;
	int32_t id; /* the seat's: unlike that of other devices' points */
	struct surface *surface; /* that it went down on; NULL: none, or gone */
	struct coord_global at;
	uint32_t serial;
	struct input_device *device;
	int32_t device_id;
	bool unframed; /* events since the last touch_frame */
	bool ended; /* is up: goes with the next frame */
	struct wl_listener surface_destroy;
};

struct seat_touch {
	struct seat_touch_point points[SEAT_MAX_TOUCHES];
	int n_points;
	struct touch_grab *grab;
};

/** What is typed by others than the user's hands. */
struct seat_text {
	struct wl_list fields; /* text_field.link */
	struct text_field *active; /* NULL: nobody wants text */
	struct input_method *method; /* NULL: none */
	bool suspended; /* the method is not active, whatever the fields are */
};

struct seat {
	char *name;
	struct scene *scene;
	struct clock *clock;
	const struct seat_sink_impl *sink;
	void *sink_data;
	uint32_t capabilities; /* that clients are told of: enum wl_seat_capability */
	uint32_t capabilities_ever; /* that it has or once had */
	uint32_t present, announced; /* capabilities of devices; those of seat_announce() */
	struct wl_list devices;
	/** Of what the seat sent last, for seat_validate_serial(). */
	uint32_t serials[SEAT_MAX_SERIALS];
	int n_serials, next_serial;
	struct seat_pointer pointer;
	struct seat_keyboard keyboard;
	struct seat_touch touch;
	struct seat_gesture gesture;
	struct seat_tablets tablets;
	struct seat_text text;
	struct cursor cursor;
	char *theme_name; /* of all its cursors; NULL and 0: as the environment says */
	int theme_size;
	struct wl_listener scene_updated, layout_changed;
	struct {
		struct wl_signal activity; /* NULL: any input; for idle timers */
		/**
		 * seat_press: a button or touch went down with nothing grabbed; shell focuses by
		 * it. A listener may start a grab.
		 */
		struct wl_signal press;
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
	uint32_t modifiers; /* xkb mask in effect */
	/** Set by a listener: clients do not hear of this press (a binding took it). */
	bool consumed;
};

/** `sink` outlives the seat; sink_data is the sink's own, which may set it later. */
struct seat *seat_create(const char *name, struct scene *scene, struct clock *clock,
	const struct seat_sink_impl *sink, void *sink_data);
void seat_destroy(struct seat *seat);
/** Listens to the device until it goes. */
void seat_add_device(struct seat *seat, struct input_device *device);

/**
 * Adds capabilities that clients are told of also while the seat has no such device: they then listen
 * before the first event of a device that a client plays.
 */
void seat_announce(struct seat *seat, uint32_t capabilities);
/** Compiles the default keymap if the seat has none yet. */
void keyboard_need_keymap(struct seat *seat);

/** NULL names mean xkbcommon's defaults. False if they give no keymap: the old one stays. */
struct seat_keymap_names {
	const char *rules, *model, *layout, *variant, *options;
};
bool seat_set_keymap(struct seat *seat, const struct seat_keymap_names *names);
void seat_set_repeat(struct seat *seat, int32_t rate, int32_t delay);
/**
 * What a keyboard of the seat has of its own: a keymap, unless `names` is NULL or what the seat has, and
 * a repeat, unless below 0. False if the names give no keymap, or it is no device of the seat.
 */
bool seat_configure_keyboard(struct seat *seat, const struct input_device *device,
	const struct seat_keymap_names *names, int32_t rate, int32_t delay);
/** The xkb mask of modifiers in effect. */
uint32_t seat_modifiers(const struct seat *seat);

/**
 * Something may lie elsewhere: the pointer is over what is under it now. The seat sees to that itself
 * when the scene is updated; a commit that moves things asks for it at once, so that its client does
 * not hear of what comes later before it hears of this.
 */
void seat_refocus(struct seat *seat);
/** NULL takes the focus away. Sends leave and enter. */
void keyboard_set_focus(struct seat *seat, struct surface *surface);
/**
 * What the pointer is over may have changed: enter, leave, motion. Does nothing while there is a grab
 * or a button is down.
 */
void pointer_refocus(struct seat *seat);
/** Focuses this surface at this point, whatever is under the pointer: for grabs. NULL: none. */
void pointer_set_focus(struct seat *seat, struct surface *surface, struct coord_surface at);
/** Moves the pointer as a device would (clamped to the layout, no constraint) and refocuses. */
void pointer_warp(struct seat *seat, struct coord_global at);
/**
 * For grabs that pass events on. The button goes to the focus, which hears only of releases of what it
 * heard pressed; motion tells the focus where the pointer is in it, if that changed; the frame closes
 * a group.
 */
void pointer_send_motion(struct seat *seat, int64_t time);
void pointer_send_button(struct seat *seat, const struct input_button_event *event);
void pointer_send_axis(struct seat *seat, const struct input_axis_event *event);
void pointer_send_frame(struct seat *seat);
void keyboard_send_key(struct seat *seat, const struct input_key_event *event);
void keyboard_send_modifiers(struct seat *seat);
/** Sets point->surface, which hears of the point until it is up. */
void touch_send_down(
	struct seat *seat, struct seat_touch_point *point, struct surface *surface, int64_t time);
void touch_send_up(struct seat *seat, struct seat_touch_point *point, int64_t time);
void touch_send_motion(struct seat *seat, struct seat_touch_point *point, int64_t time);
void touch_send_frame(struct seat *seat);
/** Whoever hears of touch points hears that they were none of theirs; they have no surface then. */
void touch_cancel(struct seat *seat);

/** Sets grab->seat. Keeps the focus: the grab sets another or NULL. */
void pointer_start_grab(struct seat *seat, struct pointer_grab *grab);
/** Refocuses; nothing happens if there is none. */
void pointer_end_grab(struct seat *seat);
void keyboard_start_grab(struct seat *seat, struct keyboard_grab *grab);
void keyboard_end_grab(struct seat *seat);
void touch_start_grab(struct seat *seat, struct touch_grab *grab);
void touch_end_grab(struct seat *seat);
struct seat_touch_point *touch_find(struct seat *seat, int32_t id);
/**
 * Whatever began with input so far is over: grabs end, touches are taken back, no press that is still
 * held lets anybody start anything, and the pointer is over what is under it now, if no button is down.
 * The keyboard's focus stays.
 */
void seat_interrupt(struct seat *seat);
/** theme NULL: $XCURSOR_THEME or "default"; size 0: $XCURSOR_SIZE or 24. */
void seat_set_cursor_theme(struct seat *seat, const char *theme, int size);
/**
 * Is it the serial of a press that the client of `surface` got and that is still held? Then it may begin
 * something with it. If the press was a tablet tool's, the pointer stands for the tool from here on.
 */
bool seat_claim_press(struct seat *seat, uint32_t serial, struct surface *surface);
/** Is it of one of the last presses and releases that this seat sent? For activation. */
bool seat_validate_serial(struct seat *seat, uint32_t serial);
/** Does the client have anything that the user could press: by pointer, keyboard, touch or a tool? */
bool seat_has_focus(const struct seat *seat, const struct client *client);

/**
 * NULL: none. Its owner activates it when the focus is its surface and the pointer is in its region
 * (pointer.events.focus and .moved tell), and ends it when the focus goes.
 */
void pointer_set_constraint(struct seat *seat, struct pointer_constraint *constraint);
/**
 * Walks from `from` towards `to` inside the region (surface coordinates), along its edges where they
 * are in the way. `from` is moved into the region first.
 */
struct coord_surface constraint_walk(
	const pixman_region32_t *region, struct coord_surface from, struct coord_surface to);
