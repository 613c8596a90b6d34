#pragma once

/** What the files of wl_seat share: the clients of the seat and what each of them has of it. */

#include "protocol.h"
#include "seat/seat.h"

struct seat_global {
	struct protocols *protocols;
	struct seat *seat;
	struct wl_list clients; /* seat_client.link */
	struct wl_listener destroy;
};

#define SEAT_CLIENT_SERIALS 64

/** One per connection that has bound the seat; as long as the connection. */
struct seat_client {
	struct wl_list link; /* seat_global.clients */
	struct seat_global *global;
	struct wl_client *client;
	struct wl_list seats, pointers, keyboards, touches; /* wl_resource links */
	struct wl_list gestures; /* pointer_gestures.c */
	/** Of the last events that it got, for requests that must name one. */
	uint32_t serials[SEAT_CLIENT_SERIALS];
	int n_serials, next_serial;
	/** Of the last enter of its pointer, of the last press of a button. */
	uint32_t enter_serial;
	bool has_enter;
	/** Parts of wheel detents that clients without value120 did not hear of yet, per axis. */
	struct {
		int32_t value120;
		double value;
	} rest[2];
	/** In this frame: to pointers that know whole detents only, to those that know parts. */
	bool source_sent[2];
	struct wl_listener destroy;
};

/** NULL if it has not bound the seat. */
struct seat_client *seat_client_find(struct seat *seat, struct wl_client *client);
/** That of the surface's client; NULL as above. */
struct seat_client *seat_client_of(struct seat *seat, struct surface *surface);
/** A new serial, remembered as one that this client got. */
uint32_t seat_client_serial(struct seat_client *client);
/** Is it one of the last that it got? */
bool seat_client_knows_serial(const struct seat_client *client, uint32_t serial);
/** `surface` is of this client. False for NULL. */
bool seat_client_owns(const struct seat_client *client, struct surface *surface);
/** Destructor of the resources in the lists of a seat_client. */
void seat_resource_unlink(struct wl_resource *resource);
/**
 * Makes one of a wl_seat's objects, in `list` (one of the client's). NULL for both with an inert seat.
 * NULL when out of memory, which the client hears of.
 */
struct wl_resource *seat_client_create_resource(struct seat_client *client,
	struct wl_client *wl_client, struct wl_list *list, const struct wl_interface *interface,
	const void *impl, int version, uint32_t id);

/** wl_pointer.c */

/** It is of the client with the focus, and `serial` of the enter that said so. */
bool pointer_may_set_cursor(struct wl_resource *pointer, uint32_t serial);
void seat_client_create_pointer(
	struct seat_client *client, struct wl_client *wl_client, int version, uint32_t id);
void sink_pointer_enter(struct seat *seat, struct surface *surface, struct coord_surface at);
void sink_pointer_leave(struct seat *seat, struct surface *surface);
void sink_pointer_motion(
	struct seat *seat, struct surface *surface, int64_t time, struct coord_surface at);
uint32_t sink_pointer_button(
	struct seat *seat, struct surface *surface, const struct input_button_event *event);
void sink_pointer_axis(
	struct seat *seat, struct surface *surface, const struct input_axis_event *event);
void sink_pointer_frame(struct seat *seat, struct surface *surface);

/** pointer_gestures.c */
void sink_gesture(
	struct seat *seat, struct surface *surface, const struct input_gesture_event *event);

/** wl_keyboard.c */
void seat_client_create_keyboard(
	struct seat_client *client, struct wl_client *wl_client, int version, uint32_t id);
void sink_keyboard_enter(struct seat *seat, struct surface *surface);
void sink_keyboard_leave(struct seat *seat, struct surface *surface);
uint32_t sink_keyboard_key(
	struct seat *seat, struct surface *surface, const struct input_key_event *event);
void sink_keyboard_modifiers(struct seat *seat, struct surface *surface);
void sink_keymap(struct seat *seat);

/** wl_touch.c */
void seat_client_create_touch(
	struct seat_client *client, struct wl_client *wl_client, int version, uint32_t id);
uint32_t sink_touch_down(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at);
uint32_t sink_touch_up(struct seat *seat, struct surface *surface, int64_t time, int32_t id);
void sink_touch_motion(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at);
void sink_touch_frame(struct seat *seat, struct surface *surface);
void sink_touch_cancel(struct seat *seat, struct surface *surface);
