#pragma once

/** What the files of the wayland backend share. The host's objects are a client's: wl_proxy. */

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

/** Scales are counted in 1/120, as fractional-scale-v1 does. */
#define SCALE_ONE 120

struct wayland_backend {
	struct backend base;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct wl_display *display; /* the host's */
	struct wl_event_source *source;
	bool full; /* the host does not read: waiting to write on */
	bool gone; /* the connection has ended */
	struct gpu *gpu;

	struct wl_registry *registry;
	struct wl_compositor *compositor;
	struct wl_shm *shm;
	struct xdg_wm_base *wm_base;
	/** NULL where the host has none. */
	struct wp_viewporter *viewporter;
	struct wp_fractional_scale_manager_v1 *fractional;
	struct wp_presentation *presentation;
	struct zxdg_decoration_manager_v1 *decoration;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct zwp_linux_dmabuf_feedback_v1 *feedback;
	struct zwp_relative_pointer_manager_v1 *relative;
	struct zwp_pointer_gestures_v1 *gestures;
	clockid_t presentation_clock;

	/** What the host takes: as wl_shm (modifiers linear and none), and as dma-bufs. */
	struct format_set shm_formats, dmabuf_formats;
	/** While feedback arrives. */
	struct wayland_format_table {
		const struct wayland_format *entries; /* mapped; NULL: none */
		size_t size; /* bytes */
	} table;

	struct wl_list screens; /* wayland_screen.link */
	struct wl_list seats; /* wayland_seat.link */
	struct wl_list outputs; /* wayland_output.link */
	int n_named; /* outputs so far */
	bool started;
};

/** An entry of linux-dmabuf's format table. */
struct wayland_format {
	uint32_t format, padding;
	uint64_t modifier;
};

/** One of the host's own outputs. */
struct wayland_screen {
	struct wl_list link;
	struct wayland_backend *backend;
	struct wl_output *proxy;
	uint32_t name; /* of the global */
	int32_t scale;
	int32_t refresh; /* mHz, 0: unknown */
};

/** window.c: a toplevel of the host. Sizes are logical: the host's. */
struct wayland_window {
	struct wl_surface *surface; /* NULL: closed */
	struct xdg_surface *xdg_surface;
	struct xdg_toplevel *toplevel;
	struct zxdg_toplevel_decoration_v1 *decoration;
	struct wp_viewport *viewport;
	struct wp_fractional_scale_v1 *fractional;
	struct wayland_screen *screen; /* entered last; NULL: none */
	int32_t wish_width, wish_height; /* pixels, while the host has not said a size */
	int32_t width, height; /* what the host wants; 0: not known yet */
	struct {
		int32_t width, height;
		int32_t bound_width, bound_height; /* 0: none */
		bool fixed;
	} next; /* told, to come into force with the configure that ends the group */
	bool fixed; /* the host insists on the size: maximized, tiled */
	bool configured;
	uint32_t serial; /* of the last configure */
	bool unacknowledged;
	uint32_t scale; /* in 1/SCALE_ONE */
};

struct wayland_output {
	struct output base;
	struct wayland_backend *backend;
	struct wl_list link;
	struct plane primary;
	struct wayland_window window;
	struct wl_list buffers; /* wayland_buffer.link */
	double scale; /* wished, on top of the host's */
	int32_t refresh; /* mHz, while the host's is not known */
	bool announced;
	bool fit; /* the window may be smaller than was asked for */

	/** The frame in flight, if any. */
	struct {
		uint32_t commit; /* 0: none */
		struct buffer *buffer; /* locked; NULL: the frame shows nothing */
		pixman_region32_t damage;
		struct wl_event_source *fence; /* waited for; NULL: none */
		int fence_fd; /* -1: none */
		bool shown; /* handed over to the host */
		bool dropped; /* never will be */
		bool owed; /* dropped, and its picture is to be drawn again */
		struct wl_callback *callback; /* NULL: it has come, or was not asked for */
		struct wp_presentation_feedback *feedback; /* the same */
		struct output_present present; /* as known so far */
	} flight;
	/** Ends a frame that is dropped, in the way, or whose feedback does not come. */
	struct timer timer;
};

/** A buffer as the host knows it, for one output. */
struct wayland_buffer {
	struct addon addon; /* owner: the output */
	struct wl_list link;
	struct wayland_output *output;
	struct buffer *buffer;
	struct wl_buffer *proxy; /* NULL until it is imported */
	struct zwp_linux_buffer_params_v1 *params; /* while it is being imported */
	bool held; /* attached and not released: we hold a lock */
	bool failed;
};

#define WAYLAND_MAX_TOUCHES 32

/** A seat of the host's: up to three devices. */
struct wayland_seat {
	struct wl_list link;
	struct wayland_backend *backend;
	struct wl_seat *proxy;
	uint32_t name; /* of the global */
	char *label; /* the host's name for it, NULL: it has said none */
	uint32_t capabilities;

	struct wayland_keyboard {
		struct input_device *device; /* NULL: the seat has none */
		struct wl_keyboard *proxy;
		uint32_t keys[32]; /* down */
		int n_keys;
		struct input_modifiers_event modifiers;
	} keyboard;

	struct wayland_pointer {
		struct input_device *device;
		struct wl_pointer *proxy;
		struct zwp_relative_pointer_v1 *relative;
		/** NULL: the host has none. */
		struct zwp_pointer_gesture_swipe_v1 *swipe;
		struct zwp_pointer_gesture_pinch_v1 *pinch;
		struct zwp_pointer_gesture_hold_v1 *hold;
		struct wayland_output *output; /* that it is over */
		uint32_t buttons[16]; /* down */
		int n_buttons;
		/** The group of events that arrives. */
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
		} points[WAYLAND_MAX_TOUCHES];
		int n_points;
	} touch;
};

/** backend.c */
/** Sends what was asked for, as far as the host reads. */
void wayland_flush(struct wayland_backend *backend);
/** 32-bit milliseconds of the host's clock, if that is like ours; else now. In ns. */
int64_t wayland_time(const struct wayland_backend *backend, uint32_t ms);

/** formats.c */
void wayland_listen_shm(struct wayland_backend *backend);
void wayland_listen_dmabuf(struct wayland_backend *backend);
void wayland_formats_finish(struct wayland_backend *backend);

/** screen.c */
void wayland_screen_add(struct wayland_backend *backend, uint32_t name, uint32_t version);
void wayland_screen_destroy(struct wayland_screen *screen);

/** window.c */
/** Asks for a window; its first configure comes later. */
void wayland_window_open(struct wayland_output *output);
void wayland_window_close(struct wayland_output *output);
/** Before a buffer is attached: takes the size into force that the host was told last. */
void wayland_window_apply(struct wayland_output *output);
/** The mode that fills the window, in its refresh rate. */
struct output_mode wayland_window_mode(const struct wayland_output *output);
/** The output got a mode of its own: the window follows, if the host lets it. */
void wayland_window_follow(struct wayland_output *output, const struct output_mode *mode);
/** The host's scale or refresh rate may have changed. */
void wayland_window_rescale(struct wayland_output *output);

/** output.c */
/** The window can be drawn to from now on, or has another size. */
void wayland_output_configured(struct wayland_output *output);
void wayland_output_rescaled(struct wayland_output *output);
void wayland_output_destroy(struct wayland_output *output);
/** The frame in flight goes on, or is dropped, if it waited for this. */
void wayland_output_imported(struct wayland_output *output, struct wayland_buffer *buffer);

/** buffer.c */
/** Imports it if need be; NULL if the host can in no case take it. */
struct wayland_buffer *wayland_buffer_get(struct wayland_output *output, struct buffer *buffer);
/** Locks it until the host releases it. */
void wayland_buffer_attach(struct wayland_buffer *buffer);
void wayland_buffer_destroy(struct wayland_buffer *buffer);

/** seat.c */
void wayland_seat_add(struct wayland_backend *backend, uint32_t name, uint32_t version);
void wayland_seat_destroy(struct wayland_seat *seat);
/** Devices may be told of from now on. */
void wayland_seat_announce(struct wayland_seat *seat);
/** The output's window goes: nothing points there any more. */
void wayland_seats_leave(struct wayland_output *output);
struct input_device *wayland_device_create(
	struct wayland_seat *seat, enum input_type type, const char *what);
void wayland_device_destroy(struct input_device **device);

/** keyboard.c, pointer.c, touch.c */
void wayland_keyboard_create(struct wayland_seat *seat);
void wayland_keyboard_destroy(struct wayland_seat *seat);
void wayland_pointer_create(struct wayland_seat *seat);
void wayland_pointer_destroy(struct wayland_seat *seat);
void wayland_pointer_leave(struct wayland_seat *seat);
/** gesture.c: with the pointer. */
void wayland_gestures_create(struct wayland_seat *seat);
void wayland_gestures_destroy(struct wayland_seat *seat);
void wayland_touch_create(struct wayland_seat *seat);
void wayland_touch_destroy(struct wayland_seat *seat);
/** All points, or (not NULL) those on an output, are cancelled. */
void wayland_touch_cancel(struct wayland_seat *seat, const struct wayland_output *output);
