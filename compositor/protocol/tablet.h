#pragma once

/** What the files of zwp_tablet_v2 share. */

#include "seat/tablet.h"
#include "tablet-v2-protocol.h"
#include "wl_seat.h"

/** A client's zwp_tablet_seat_v2. What was made for it outlives it. */
struct tablet_seat {
	struct wl_list link; /* tablet_manager.seats */
	struct wl_resource *resource;
	uint32_t number; /* of no other: objects of one seat refer to each other */
};

struct tablet_manager {
	struct protocols *protocols;
	struct wl_list seats; /* tablet_seat.link */
	uint32_t next_number;
	struct wl_listener destroy;
};

struct tablet_manager *tablet_manager_of(struct seat *seat);
/** The client's resource of this tablet, made for the same seat; NULL: it destroyed that. */
struct wl_resource *tablet_resource(
	const struct seat_tablet *tablet, struct wl_client *client, uint32_t number);
/** Made for a tablet_seat; NULL after a client heard that there is no memory. */
struct wl_resource *tablet_create_resource(const struct tablet_seat *seat,
	const struct wl_interface *interface, const void *impl, void *data,
	wl_resource_destroy_func_t destroy);
/** The request of all these objects that only destroys them. */
void tablet_handle_destroy(struct wl_client *client, struct wl_resource *resource);
bool tablet_is_of(struct wl_resource *resource, struct surface *surface);

/** tablet_tool.c */
void tool_object_create(struct tablet_seat *seat, struct seat_tool *tool);
bool sink_knows_tool(struct seat_tool *tool, struct surface *surface);
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

/** tablet_pad.c */
void pad_object_create(struct tablet_seat *seat, struct seat_pad *pad);
bool sink_knows_pad(struct seat_pad *pad, struct surface *surface);
void sink_pad_removed(struct seat_pad *pad);
void sink_pad_enter(struct seat_pad *pad, struct surface *surface);
void sink_pad_leave(struct seat_pad *pad, struct surface *surface);
void sink_pad_mode(struct seat_pad *pad, struct surface *surface, int group, int64_t time);
void sink_pad_event(
	struct seat_pad *pad, struct surface *surface, const struct input_pad_event *event);
