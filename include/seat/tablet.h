#pragma once

/**
 * Tablets of a seat. A tool that is over a surface whose client knows tablets is told to that client;
 * over anything else it does what a pointer would, so that it can be used everywhere. Pads belong to
 * whoever has the keyboard.
 */

#include "backend/input.h"
#include "backend/input_tablet.h"
#include "scene/scene.h"
#include "seat/cursor.h"

struct seat;
struct seat_device;

#define SEAT_MAX_TOOL_BUTTONS 16

struct seat_tablet {
	struct wl_list link; /* seat_tablets.tablets */
	struct seat *seat;
	struct input_device *device;
	struct wl_list objects; /* the sink's */
};

struct seat_tool {
	struct wl_list link; /* seat_tablets.tools */
	struct seat *seat;
	struct input_tool *tool;
	struct wl_list objects; /* the sink's */
	struct seat_tablet *tablet; /* that it is near to; NULL: away */
	struct seat_device *device; /* the same */
	struct coord_global at;
	struct surface *focus; /* that hears of it; NULL: none, the pointer stands for it */
	struct coord_surface focus_at;
	bool down;
	bool muted; /* until nothing of it is down, nobody hears of it */
	uint32_t buttons[SEAT_MAX_TOOL_BUTTONS]; /* down, evdev codes */
	int n_buttons;
	uint32_t press_serial; /* of the last touch or press that the focus heard of */
	struct cursor cursor; /* shown while something has the focus */
	struct wl_listener focus_destroy, focus_unmap, tool_destroy;
};

struct seat_pad {
	struct wl_list link; /* seat_tablets.pads */
	struct seat *seat;
	struct input_device *device;
	struct wl_list objects; /* the sink's */
	struct surface *focus; /* NULL: nobody hears of it */
	struct seat_tablet *tablet; /* that it was said to belong to; NULL without a focus */
	struct wl_listener focus_destroy;
};

/** Tells clients. All mandatory. `surface` is always the focus. */
struct seat_tablet_sink_impl {
	/** Does the surface's client know of the tool (of the pad)? */
	bool (*knows_tool)(struct seat_tool *tool, struct surface *surface);
	bool (*knows_pad)(struct seat_pad *pad, struct surface *surface);
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
	/** These two give the serial of the event. */
	uint32_t (*tool_down)(struct seat_tool *tool, struct surface *surface);
	uint32_t (*tool_button)(
		struct seat_tool *tool, struct surface *surface, uint32_t button, bool pressed);
	void (*tool_up)(struct seat_tool *tool, struct surface *surface);
	void (*tool_frame)(struct seat_tool *tool, struct surface *surface, int64_t time);

	/** The modes of all groups are said with it. */
	void (*pad_enter)(struct seat_pad *pad, struct surface *surface);
	void (*pad_leave)(struct seat_pad *pad, struct surface *surface);
	void (*pad_mode)(struct seat_pad *pad, struct surface *surface, int group, int64_t time);
	void (*pad_event)(
		struct seat_pad *pad, struct surface *surface, const struct input_pad_event *event);
};

struct seat_tablets {
	struct wl_list tablets, tools, pads;
	const struct seat_tablet_sink_impl *sink; /* NULL: nobody knows tablets */
	void *sink_data;
	struct wl_listener keyboard_focus;
};

/** Tells it of everything there is already. NULL takes it away. */
void seat_set_tablet_sink(
	struct seat *seat, const struct seat_tablet_sink_impl *sink, void *sink_data);
/** A client has more or fewer objects: pads find out whether it knows of them. */
void seat_update_pads(struct seat *seat);
extern const struct surface_role tool_cursor_role;
