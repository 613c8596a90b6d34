/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Types and functions shared by the files of the Wayland backend. Protocol objects are wl_proxy, of
 * the client side.
 */

#include "backend/wayland.h"
#include "fractional-scale-v1-client-protocol.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "pointer-gestures-unstable-v1-client-protocol.h"
#include "presentation-time-client-protocol.h"
#include "relative-pointer-unstable-v1-client-protocol.h"
#include "util/clock.h"
#include "viewporter-client-protocol.h"
#include "xdg-decoration-unstable-v1-client-protocol.h"
#include "xdg-shell-client-protocol.h"
#include <time.h>
#include <wayland-client.h>

/** Scales have units of 1/120, as in fractional-scale-v1. */
#define SCALE_ONE 120

struct wayland_buffer;
struct wayland_output;

struct wayland_backend {
	struct backend base;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct wl_display *display; /* connection to the host */
	struct wl_event_source *source;
	bool full; /* the socket is full: waiting until it is writable */
	bool gone; /* the connection has ended */
	struct gpu *gpu;

	struct wl_registry *registry;
	struct wl_compositor *compositor;
	struct wl_shm *shm;
	struct xdg_wm_base *wm_base;
	/** NULL if the host lacks the global. */
	struct wp_viewporter *viewporter;
	struct wp_fractional_scale_manager_v1 *fractional;
	struct wp_presentation *presentation;
	struct zxdg_decoration_manager_v1 *decoration;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct zwp_linux_dmabuf_feedback_v1 *feedback;
	struct zwp_relative_pointer_manager_v1 *relative;
	struct zwp_pointer_gestures_v1 *gestures;
	clockid_t presentation_clock;

	/**
	 * Formats that the host imports: as wl_shm (modifiers linear and invalid), and as dma-bufs.
	 */
	struct format_set shm_formats, dmabuf_formats;
	/** Format table of linux-dmabuf, during feedback. */
	struct wayland_format_table {
		const struct wayland_format *entries; /* mapped; NULL: none */
		size_t size; /* bytes */
	} table;

	struct wl_list screens; /* wayland_screen.link */
	struct wl_list seats; /* wayland_seat.link */
	struct wl_list outputs; /* wayland_output.link */
	int n_named; /* outputs created so far */
	bool started;
};

/** An entry of linux-dmabuf's format table. */
struct wayland_format {
	uint32_t format, padding;
	uint64_t modifier;
};

/** An output of the host. */
struct wayland_screen {
	struct wl_list link;
	struct wayland_backend *backend;
	struct wl_output *proxy;
	uint32_t name; /* of the global */
	int32_t scale;
	int32_t refresh; /* mHz, 0: unknown */
};

/** window.c: an xdg_toplevel of the host. Sizes are in the host's logical pixels. */
struct wayland_window {
	struct wl_surface *surface; /* NULL: closed */
	struct xdg_surface *xdg_surface;
	struct xdg_toplevel *toplevel;
	struct zxdg_toplevel_decoration_v1 *decoration;
	struct wp_viewport *viewport;
	struct wp_fractional_scale_v1 *fractional;
	struct wayland_screen *screen; /* entered last; NULL: none */
	int32_t wish_width, wish_height; /* pixels, until the host sets a size */
	int32_t width, height; /* size set by the host; 0: unknown */
	struct {
		int32_t width, height;
		int32_t bound_width, bound_height; /* 0: none */
		bool fixed;
	} next; /* pending state, applied by the next configure event */
	bool fixed; /* the host dictates the size: maximized, tiled */
	bool configured;
	uint32_t serial; /* of the last configure event */
	bool unacknowledged;
	uint32_t scale; /* in 1/SCALE_ONE */
};

/** Events of the output's window and buffers, for output.c. */
struct wayland_output_impl {
	/** Handles the first configure event, or a new size. */
	void (*configured)(struct wayland_output *output);
	void (*rescaled)(struct wayland_output *output);
	/** The user closes the window: destroys the output. */
	void (*closed)(struct wayland_output *output);
	/**
	 * Commits the frame in flight if it waited for this import, or drops it if the import
	 * failed.
	 */
	void (*imported)(struct wayland_output *output, struct wayland_buffer *buffer);
};

struct wayland_output {
	struct output base;
	const struct wayland_output_impl *impl;
	struct wayland_backend *backend;
	struct wl_list link;
	struct plane primary;
	struct wayland_window window;
	struct wl_list buffers; /* wayland_buffer.link */
	double scale; /* configured, on top of the host's */
	int32_t refresh; /* mHz, until the host's is known */
	bool announced;
	bool fit; /* the size is limited to the host's bounds */

	/** The frame in flight, if any. */
	struct {
		uint32_t commit; /* 0: none */
		struct buffer *buffer; /* locked; NULL: the frame has no buffer */
		pixman_region32_t damage;
		struct wl_event_source *fence; /* event source; NULL: none */
		int fence_fd; /* -1: none */
		bool shown; /* committed to the host */
		bool dropped; /* will be reported as dropped */
		bool owed; /* dropped; another frame must be requested */
		struct wl_callback *callback; /* NULL: received, or not requested */
		struct wp_presentation_feedback *feedback; /* NULL: received, or not requested */
		struct output_present present; /* result known so far */
	} pending;
	/** Drops a frame, or ends the wait for its events. */
	struct timer timer;
};

/** A buffer imported by the host for one output. */
struct wayland_buffer {
	struct addon addon; /* owner: the output */
	struct wl_list link;
	struct wayland_output *output;
	struct buffer *buffer;
	struct wl_buffer *proxy; /* NULL until it is imported */
	struct zwp_linux_buffer_params_v1 *params; /* during the import */
	bool held; /* attached and not released: holds a lock on the buffer */
	bool failed;
};

#define WAYLAND_TOUCHES_MAX 32

/** A seat of the host, with up to three devices. */
struct wayland_seat {
	struct wl_list link;
	struct wayland_backend *backend;
	struct wl_seat *proxy;
	uint32_t name; /* of the global */
	char *label; /* the host's name for the seat; NULL: none */
	uint32_t capabilities;

	struct wayland_keyboard {
		struct input_device *device; /* NULL: not a capability of the seat */
		struct wl_keyboard *proxy;
		uint32_t keys[32]; /* held */
		int n_keys;
		struct input_modifiers_event modifiers;
	} keyboard;

	struct wayland_pointer {
		struct input_device *device;
		struct wl_pointer *proxy;
		struct zwp_relative_pointer_v1 *relative;
		/** NULL if the host lacks them. */
		struct zwp_pointer_gesture_swipe_v1 *swipe;
		struct zwp_pointer_gesture_pinch_v1 *pinch;
		struct zwp_pointer_gesture_hold_v1 *hold;
		struct wayland_output *output; /* output under the pointer */
		uint32_t buttons[16]; /* held */
		int n_buttons;
		/** The incomplete event group. */
		struct input_motion_absolute_event motion;
		bool moved;
		struct input_axis_event axis[2];
		bool scrolled[2];
		enum wl_pointer_axis_source source;
		bool has_source;
	} pointer;

	struct wayland_touch {
		struct input_device *device;
		struct wl_touch *proxy;
		struct {
			int32_t id;
			struct wayland_output *output;
		} points[WAYLAND_TOUCHES_MAX];
		int n_points;
	} touch;
};

/** connection.c */
/** Sends pending requests until the host's socket is full. */
void wayland_flush(struct wayland_backend *backend);
/**
 * Converts the host's 32-bit ms to ns of CLOCK_MONOTONIC; returns the current time if the host uses
 * another clock.
 */
int64_t wayland_time(const struct wayland_backend *backend, uint32_t ms);

/** formats.c */
void wayland_listen_shm(struct wayland_backend *backend);
void wayland_listen_dmabuf(struct wayland_backend *backend);
void wayland_formats_finish(struct wayland_backend *backend);

/** screen.c */
void wayland_screen_add(struct wayland_backend *backend, uint32_t name, uint32_t version);
void wayland_screen_destroy(struct wayland_screen *screen);

/** window.c */
/** Creates a window; its first configure event comes later. */
void wayland_window_open(struct wayland_output *output);
void wayland_window_close(struct wayland_output *output);
/** Acknowledges the last configure event and sets the size. Call before a buffer is attached. */
void wayland_window_apply(struct wayland_output *output);
/** Returns the mode that fills the window, with the window's refresh rate. */
struct output_mode wayland_window_mode(const struct wayland_output *output);
/** Resizes the window to the output's new mode, if the host allows it. */
void wayland_window_follow(struct wayland_output *output, const struct output_mode *mode);
/** Handles a change of the host's scale or refresh rate. */
void wayland_window_rescale(struct wayland_output *output);

/** output.c */
void wayland_output_destroy(struct wayland_output *output);

/** buffer.c */
/**
 * Returns the buffer as the host knows it, after starting an import if needed; NULL if the host
 * cannot import it.
 */
struct wayland_buffer *wayland_buffer_get(struct wayland_output *output, struct buffer *buffer);
/** Locks the buffer until the host releases it. */
void wayland_buffer_attach(struct wayland_buffer *buffer);
void wayland_buffer_destroy(struct wayland_buffer *buffer);

/** device.c */
struct input_device *wayland_device_create(
	struct wayland_seat *seat, enum input_type type, const char *what);
void wayland_device_destroy(struct input_device **device);

/** seat.c */
void wayland_seat_add(struct wayland_backend *backend, uint32_t name, uint32_t version);
void wayland_seat_destroy(struct wayland_seat *seat);
/** Emits `new_input` for the seat's devices. */
void wayland_seat_announce(struct wayland_seat *seat);
/** Moves pointer and touch points off the output: its window is closed. */
void wayland_seats_leave(struct wayland_output *output);

/** keyboard.c, pointer.c, touch.c */
void wayland_keyboard_create(struct wayland_seat *seat);
void wayland_keyboard_destroy(struct wayland_seat *seat);
void wayland_pointer_create(struct wayland_seat *seat);
void wayland_pointer_destroy(struct wayland_seat *seat);
void wayland_pointer_leave(struct wayland_seat *seat);
/** gesture.c: created with the pointer. */
void wayland_gestures_create(struct wayland_seat *seat);
void wayland_gestures_destroy(struct wayland_seat *seat);
void wayland_touch_create(struct wayland_seat *seat);
void wayland_touch_destroy(struct wayland_seat *seat);
/** Cancels all touch points, or those on `output` if it is not NULL. */
void wayland_touch_cancel(struct wayland_seat *seat, const struct wayland_output *output);
