/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by the files of zwp_tablet_v2. */

#include "seat/tablet.h"
#include "tablet-v2-protocol.h"
#include "wl_seat.h"

/** A zwp_tablet_seat_v2 of a client. Objects created for it outlive it. */
struct tablet_seat {
	struct wl_list link; /* tablet_manager.seats */
	struct wl_resource *resource;
	uint32_t number; /* unique: objects of one tablet seat refer to each other */
};

/** A zwp_tablet_v2 of a client. */
struct tablet_object {
	struct wl_list link; /* seat_tablet.objects; empty once the tablet is gone */
	struct wl_resource *resource;
	uint32_t number; /* of its tablet_seat */
};

struct tablet_manager {
	struct protocols *protocols;
	struct wl_list seats; /* tablet_seat.link */
	uint32_t next_number;
	struct wl_listener destroy;
};

/**
 * Returns the client's resource of the tablet that was created for the tablet seat `number`, or
 * NULL if it was destroyed. Defined in tablet_resource.c, as are the following functions.
 */
struct wl_resource *tablet_resource(
	const struct seat_tablet *tablet, struct wl_client *client, uint32_t number);
/** Creates a resource for an object of a tablet seat. Returns NULL after posting no_memory. */
struct wl_resource *tablet_create_resource(const struct tablet_seat *seat,
	const struct wl_interface *interface, const void *impl, void *data,
	wl_resource_destroy_func_t destroy);
/** Returns true if the resource and the surface belong to the same client. */
bool tablet_is_of(struct wl_resource *resource, struct surface *surface);

void tool_object_create(struct tablet_seat *seat, struct seat_tool *tool);
bool sink_supports_tool(struct seat_tool *tool, struct surface *surface);
void sink_tool_removed(struct seat_tool *tool);
void sink_tool_in(struct seat_tool *tool, struct surface *surface);
void sink_tool_out(struct seat_tool *tool, struct surface *surface);
void sink_tool_motion(struct seat_tool *tool, struct surface *surface, struct coord_surface at);
void sink_tool_axes(
	struct seat_tool *tool, struct surface *surface, const struct input_tool_event *event);
uint32_t sink_tool_down(struct seat_tool *tool, struct surface *surface);
uint32_t sink_tool_button(
	struct seat_tool *tool, struct surface *surface, uint32_t button, bool pressed);
void sink_tool_up(struct seat_tool *tool, struct surface *surface);
void sink_tool_frame(struct seat_tool *tool, struct surface *surface, int64_t time);

void pad_object_create(struct tablet_seat *seat, struct seat_pad *pad);
bool sink_supports_pad(struct seat_pad *pad, struct surface *surface);
void sink_pad_removed(struct seat_pad *pad);
void sink_pad_enter(struct seat_pad *pad, struct surface *surface);
void sink_pad_leave(struct seat_pad *pad, struct surface *surface);
void sink_pad_mode(struct seat_pad *pad, struct surface *surface, int group, int64_t time);
void sink_pad_event(
	struct seat_pad *pad, struct surface *surface, const struct input_pad_event *event);
