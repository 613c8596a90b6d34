/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Tablets of a seat. Events of a tool go to the surface under it if the client supports tablets;
 * otherwise the tool moves the pointer. Pads follow the keyboard focus.
 */

#include "backend/input.h"
#include "backend/input_tablet.h"
#include "scene/scene.h"
#include "seat/cursor.h"

struct seat;
struct seat_device;

#define SEAT_TOOL_BUTTONS_MAX 16

struct seat_tablet {
	struct wl_list link; /* seat_tablets.tablets */
	struct seat *seat;
	struct input_device *device;
	struct wl_list objects; /* owned by the sink */
};

struct seat_tool {
	struct wl_list link; /* seat_tablets.tools */
	struct seat *seat;
	struct input_tool *tool;
	struct wl_list objects; /* owned by the sink */
	struct seat_tablet *tablet; /* in proximity; NULL: none */
	struct seat_device *device; /* device of the tablet; NULL: none */
	struct coord_global at;
	struct surface
		*focus; /* surface that gets its events; NULL: none, the tool moves the pointer */
	struct coord_surface focus_at;
	bool down;
	bool muted; /* events are dropped until all its buttons and the tip are up */
	uint32_t buttons[SEAT_TOOL_BUTTONS_MAX]; /* pressed evdev codes */
	int n_buttons;
	uint32_t press_serial; /* of the last touch or press sent to the focus */
	struct cursor cursor; /* shown while the tool has a focus */
	struct wl_listener focus_destroy, focus_unmap, tool_destroy;
};

struct seat_pad {
	struct wl_list link; /* seat_tablets.pads */
	struct seat *seat;
	struct input_device *device;
	struct wl_list objects; /* owned by the sink */
	struct surface *focus; /* NULL: none */
	struct seat_tablet *tablet; /* tablet sent to the focus; NULL without a focus */
	struct wl_listener focus_destroy;
};

/** Sends events to clients. All are mandatory. `surface` is the current focus. */
struct seat_tablet_sink_impl {
	/** Returns true if the surface's client has an object for the tool (the pad). */
	bool (*supports_tool)(struct seat_tool *tool, struct surface *surface);
	bool (*supports_pad)(struct seat_pad *pad, struct surface *surface);
	void (*tablet_added)(struct seat_tablet *tablet);
	void (*tablet_removed)(struct seat_tablet *tablet);
	void (*tool_added)(struct seat_tool *tool);
	void (*tool_removed)(struct seat_tool *tool);
	void (*pad_added)(struct seat_pad *pad);
	void (*pad_removed)(struct seat_pad *pad);

	void (*tool_in)(struct seat_tool *tool, struct surface *surface);
	void (*tool_out)(struct seat_tool *tool, struct surface *surface);
	void (*tool_motion)(
		struct seat_tool *tool, struct surface *surface, struct coord_surface at);
	void (*tool_axes)(struct seat_tool *tool, struct surface *surface,
		const struct input_tool_event *event);
	/** These two return the serial of the event. */
	uint32_t (*tool_down)(struct seat_tool *tool, struct surface *surface);
	uint32_t (*tool_button)(
		struct seat_tool *tool, struct surface *surface, uint32_t button, bool pressed);
	void (*tool_up)(struct seat_tool *tool, struct surface *surface);
	void (*tool_frame)(struct seat_tool *tool, struct surface *surface, int64_t time);

	/** Also sends the modes of all groups. */
	void (*pad_enter)(struct seat_pad *pad, struct surface *surface);
	void (*pad_leave)(struct seat_pad *pad, struct surface *surface);
	void (*pad_mode)(struct seat_pad *pad, struct surface *surface, int group, int64_t time);
	void (*pad_event)(
		struct seat_pad *pad, struct surface *surface, const struct input_pad_event *event);
};

struct seat_tablets {
	struct wl_list tablets, tools, pads;
	const struct seat_tablet_sink_impl *sink; /* NULL: tablets are unsupported */
	void *sink_data;
	struct wl_listener keyboard_focus;
};

/** Sets the sink and announces all tablets, tools and pads to it; NULL removes it. */
void seat_set_tablet_sink(
	struct seat *seat, const struct seat_tablet_sink_impl *sink, void *sink_data);
/** Updates the focus of pads after a client created or destroyed pad objects. */
void seat_update_pads(struct seat *seat);
extern const struct surface_role tool_cursor_role;
