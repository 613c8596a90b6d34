/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by the files of wl_seat: the seat's clients and their input objects. */

#include "protocol/protocol.h"
#include "seat/seat.h"

struct seat_global {
	struct protocols *protocols;
	struct seat *seat;
	struct wl_list clients; /* seat_client.link */
	struct wl_listener destroy;
};

#define SEAT_CLIENT_SERIALS 64

/** A client that has bound the seat; lives as long as the connection. */
struct seat_client {
	struct wl_list link; /* seat_global.clients */
	struct seat_global *global;
	struct wl_client *client;
	struct wl_list seats, pointers, keyboards, touches; /* links of wl_resource */
	struct wl_list gestures; /* owner: pointer_gestures.c */
	/** Serials of the latest events, for requests that must name one. */
	uint32_t serials[SEAT_CLIENT_SERIALS];
	int n_serials, next_serial;
	/** Keys that a binding passes to the client while it has no focus: passed_key.c. */
	struct passed_keys {
		uint32_t codes[SEAT_PASSED_MAX];
		int n;
		struct surface *surface; /* that was entered; NULL: none, and for X servers */
		struct wl_listener surface_destroy;
	} passed;
	/** Serial of the latest pointer enter. */
	uint32_t enter_serial;
	bool has_enter;
	/** Fractions of wheel detents, per axis, not yet sent to clients without value120. */
	struct {
		int32_t value120;
		double value;
	} partial[2];
	/** In this frame, whether axis_source was sent to pointers without and with value120. */
	bool source_sent[2];
	struct wl_listener destroy;
};

/** Returns the seat's entry for `client`, which is created if it has none. */
struct seat_client *seat_client_get(struct seat_global *global, struct wl_client *wl_client);
/** Makes the client's input objects inert. */
void seat_client_destroy(struct seat_client *client);
/** Returns the seat's entry for `client`, or NULL if it has not bound the seat. */
struct seat_client *seat_client_find(struct seat *seat, struct wl_client *client);
/** Returns the entry of the surface's client, or NULL if it has not bound the seat. */
struct seat_client *seat_client_of(struct seat *seat, struct surface *surface);
/** Iterates over the resources in a list of a client, which may be NULL. */
#define seat_client_for_each(resource, client, list)                                               \
	if (!(client)) {                                                                           \
	} else                                                                                     \
		wl_resource_for_each (resource, &(client)->list)
/** Returns a new serial and remembers it as sent to this client. Returns 0 for NULL. */
uint32_t seat_client_serial(struct seat_client *client);
/** Returns true if `serial` is among the latest serials sent to the client. */
bool seat_client_knows_serial(const struct seat_client *client, uint32_t serial);
/** Returns true if `surface` belongs to this client; false for NULL. */
bool seat_client_owns(const struct seat_client *client, struct surface *surface);
/**
 * Creates an object of a wl_seat and adds it to `list`, one of the client's lists. `client` and
 * `list` are NULL for an inert seat. Returns NULL when out of memory, after posting no_memory.
 */
struct wl_resource *seat_client_create_resource(struct seat_client *client,
	struct wl_client *wl_client, struct wl_list *list, const struct wl_interface *interface,
	const void *impl, int version, uint32_t id);

/**
 * Returns true if the pointer's client has the pointer focus and `serial` is of its enter event.
 */
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

void sink_gesture(
	struct seat *seat, struct surface *surface, const struct input_gesture_event *event);

void seat_client_create_keyboard(
	struct seat_client *client, struct wl_client *wl_client, int version, uint32_t id);
void sink_keyboard_enter(struct seat *seat, struct surface *surface);
void sink_keyboard_leave(struct seat *seat, struct surface *surface);
uint32_t sink_keyboard_key(
	struct seat *seat, struct surface *surface, const struct input_key_event *event);
void sink_keyboard_modifiers(struct seat *seat, struct surface *surface);
void sink_keymap(struct seat *seat);
void sink_repeat(struct seat *seat);
/** Sends the modifiers that clients were last told to a wl_keyboard. */
void seat_client_send_modifiers(
	struct wl_resource *resource, uint32_t serial, const struct seat_keyboard *keyboard);
bool sink_key_pass(struct seat *seat, struct surface *surface, const struct input_key_event *event);
/** Releases the keys that were passed to the client. */
void passed_keys_end(struct seat_client *client);

void seat_client_create_touch(
	struct seat_client *client, struct wl_client *wl_client, int version, uint32_t id);
uint32_t sink_touch_down(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at);
uint32_t sink_touch_up(struct seat *seat, struct surface *surface, int64_t time, int32_t id);
void sink_touch_motion(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at);
void sink_touch_frame(struct seat *seat, struct surface *surface);
void sink_touch_cancel(struct seat *seat, struct surface *surface);
