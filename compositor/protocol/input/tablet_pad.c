/* SPDX-License-Identifier: MIT */
/* zwp_tablet_pad_v2: buttons, rings, strips and dials of tablets, in groups that switch modes. */

#include "tablet.h"
#include "util/log.h"
#include "util/printable.h"
#include "util/xalloc.h"
#include <stdlib.h>

/** A zwp_tablet_pad_v2 of a client. */
struct pad_object {
	struct wl_list link; /* seat_pad.objects; empty once the pad is gone */
	struct wl_resource *resource;
	struct seat_pad *pad; /* NULL: gone */
	uint32_t number; /* of its tablet_seat */
	bool inside; /* enter was sent for one of the client's surfaces */
	struct wl_list parts; /* pad_part.link */
	uint32_t mode_serials[INPUT_PAD_GROUPS_MAX]; /* of the latest mode switch of each group */
};

enum part_kind {
	PART_GROUP,
	PART_RING,
	PART_STRIP,
	PART_DIAL,
};

/** A group, ring, strip or dial of a pad. */
struct pad_part {
	struct wl_list link;
	struct wl_resource *resource;
	/** NULL: the pad object is destroyed and the part gets no more events */
	struct pad_object *object;
	enum part_kind kind;
	uint32_t number;
	int group; /* the group itself, or the group of the part */
};

/* Logs descriptions of a pad's controls: no on-screen display shows them. */
static void note_feedback(const struct pad_object *object, int group, const char *what,
	uint32_t number, const char *description, uint32_t serial)
{
	if (object && object->pad && group >= 0 && object->mode_serials[group] == serial) {
		log_debug(LOG_SEAT, "pad %s: %s %u is '%s'", object->pad->device->name, what,
			number, PRINTABLE(description));
	}
}

static void handle_part_feedback(struct wl_client *client, struct wl_resource *resource,
	const char *description, uint32_t serial)
{
	static const char *const names[] = {"group", "ring", "strip", "dial"};
	const struct pad_part *part = wl_resource_get_user_data(resource);
	note_feedback(
		part->object, part->group, names[part->kind], part->number, description, serial);
}

static const struct zwp_tablet_pad_group_v2_interface group_impl = {
	.destroy = resource_handle_destroy,
};

static const struct zwp_tablet_pad_ring_v2_interface ring_impl = {
	.set_feedback = handle_part_feedback,
	.destroy = resource_handle_destroy,
};

static const struct zwp_tablet_pad_strip_v2_interface strip_impl = {
	.set_feedback = handle_part_feedback,
	.destroy = resource_handle_destroy,
};

static const struct zwp_tablet_pad_dial_v2_interface dial_impl = {
	.set_feedback = handle_part_feedback,
	.destroy = resource_handle_destroy,
};

static void destroy_part(struct wl_resource *resource)
{
	struct pad_part *part = wl_resource_get_user_data(resource);
	wl_list_remove(&part->link);
	free(part);
}

/* Returns NULL when out of memory, after posting no_memory. */
static struct pad_part *create_part(const struct tablet_seat *seat, struct pad_object *object,
	enum part_kind kind, uint32_t number, int group)
{
	static const struct {
		const struct wl_interface *interface;
		const void *impl;
	} kinds[] = {
		[PART_GROUP] = {&zwp_tablet_pad_group_v2_interface, &group_impl},
		[PART_RING] = {&zwp_tablet_pad_ring_v2_interface, &ring_impl},
		[PART_STRIP] = {&zwp_tablet_pad_strip_v2_interface, &strip_impl},
		[PART_DIAL] = {&zwp_tablet_pad_dial_v2_interface, &dial_impl},
	};
	struct pad_part *part = xcalloc(1, sizeof(*part));
	part->object = object;
	part->kind = kind;
	part->number = number;
	part->group = group;
	part->resource = tablet_create_resource(
		seat, kinds[kind].interface, kinds[kind].impl, part, destroy_part);
	if (!part->resource) {
		free(part);
		return NULL;
	}
	wl_list_insert(object->parts.prev, &part->link);
	return part;
}

static void announce_buttons(struct wl_resource *resource, uint64_t buttons)
{
	struct wl_array array;
	wl_array_init(&array);
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t *button =
			buttons & UINT64_C(1) << i ? wl_array_add(&array, sizeof(*button)) : NULL;
		if (button) {
			*button = i;
		}
	}
	zwp_tablet_pad_group_v2_send_buttons(resource, &array);
	wl_array_release(&array);
}

static void announce_parts(const struct tablet_seat *seat, struct pad_object *object,
	struct wl_resource *to, int index, enum part_kind kind, uint32_t bits)
{
	for (uint32_t i = 0; i < 32; i++) {
		struct pad_part *part =
			bits & 1u << i ? create_part(seat, object, kind, i, index) : NULL;
		if (!part) {
			continue;
		}
		switch (kind) {
		case PART_RING: zwp_tablet_pad_group_v2_send_ring(to, part->resource); break;
		case PART_STRIP: zwp_tablet_pad_group_v2_send_strip(to, part->resource); break;
		case PART_DIAL: zwp_tablet_pad_group_v2_send_dial(to, part->resource); break;
		case PART_GROUP: break;
		}
	}
}

static void announce_group(const struct tablet_seat *seat, struct pad_object *object, int index)
{
	const struct input_pad_group *group = &object->pad->device->pad->groups[index];
	struct pad_part *part = create_part(seat, object, PART_GROUP, (uint32_t)index, index);
	if (!part) {
		return;
	}
	struct wl_resource *resource = part->resource;
	zwp_tablet_pad_v2_send_group(object->resource, resource);
	announce_buttons(resource, group->buttons);
	announce_parts(seat, object, resource, index, PART_RING, group->rings);
	announce_parts(seat, object, resource, index, PART_STRIP, group->strips);
	if (wl_resource_get_version(resource) >= ZWP_TABLET_PAD_GROUP_V2_DIAL_SINCE_VERSION) {
		announce_parts(seat, object, resource, index, PART_DIAL, group->dials);
	}
	if (group->n_modes > 1) {
		zwp_tablet_pad_group_v2_send_modes(resource, group->n_modes);
	}
	zwp_tablet_pad_group_v2_send_done(resource);
}

static void handle_set_feedback(struct wl_client *client, struct wl_resource *resource,
	uint32_t button, const char *description, uint32_t serial)
{
	const struct pad_object *object = wl_resource_get_user_data(resource);
	const struct input_pad *pad = object->pad ? object->pad->device->pad : NULL;
	for (int i = 0; pad && button < 64 && i < pad->n_groups; i++) {
		if (pad->groups[i].buttons & UINT64_C(1) << button) {
			note_feedback(object, i, "button", button, description, serial);
		}
	}
}

static const struct zwp_tablet_pad_v2_interface pad_impl = {
	.set_feedback = handle_set_feedback,
	.destroy = resource_handle_destroy,
};

static void destroy(struct wl_resource *resource)
{
	struct pad_object *object = wl_resource_get_user_data(resource);
	struct pad_part *part, *next;
	wl_list_for_each_safe (part, next, &object->parts, link) {
		part->object = NULL;
		wl_list_remove(&part->link);
		wl_list_init(&part->link);
	}
	wl_list_remove(&object->link);
	free(object);
}

void pad_object_create(struct tablet_seat *seat, struct seat_pad *pad)
{
	const struct input_pad *input = pad->device->pad;
	struct pad_object *object = xcalloc(1, sizeof(*object));
	object->pad = pad;
	object->number = seat->number;
	wl_list_init(&object->parts);
	object->resource = tablet_create_resource(
		seat, &zwp_tablet_pad_v2_interface, &pad_impl, object, destroy);
	if (!object->resource) {
		free(object);
		return;
	}
	wl_list_insert(pad->objects.prev, &object->link);
	zwp_tablet_seat_v2_send_pad_added(seat->resource, object->resource);
	if (pad->device->path) {
		zwp_tablet_pad_v2_send_path(object->resource, pad->device->path);
	}
	if (input->n_buttons > 0) {
		zwp_tablet_pad_v2_send_buttons(object->resource, input->n_buttons);
	}
	for (int i = 0; i < input->n_groups; i++) {
		announce_group(seat, object, i);
	}
	zwp_tablet_pad_v2_send_done(object->resource);
}

void sink_pad_removed(struct seat_pad *pad)
{
	struct pad_object *object, *next;
	wl_list_for_each_safe (object, next, &pad->objects, link) {
		zwp_tablet_pad_v2_send_removed(object->resource);
		object->pad = NULL;
		wl_list_remove(&object->link);
		wl_list_init(&object->link);
	}
}

bool sink_supports_pad(struct seat_pad *pad, struct surface *surface)
{
	const struct pad_object *object;
	wl_list_for_each (object, &pad->objects, link) {
		if (tablet_is_of(object->resource, surface)) {
			return true;
		}
	}
	return false;
}

static uint32_t next_serial(struct seat_pad *pad, struct surface *surface)
{
	struct seat_client *client = seat_client_of(pad->seat, surface);
	return client ? seat_client_serial(client) : 0;
}

static void send_mode(struct pad_object *object, int group, uint32_t serial, int64_t time)
{
	const struct pad_part *part;
	object->mode_serials[group] = serial;
	wl_list_for_each (part, &object->parts, link) {
		if (part->kind == PART_GROUP && part->group == group) {
			zwp_tablet_pad_group_v2_send_mode_switch(part->resource, clock_ms(time),
				serial, object->pad->device->pad->groups[group].mode);
		}
	}
}

void sink_pad_enter(struct seat_pad *pad, struct surface *surface)
{
	uint32_t serial = next_serial(pad, surface);
	int64_t now = clock_now(pad->seat->clock);
	struct pad_object *object;
	wl_list_for_each (object, &pad->objects, link) {
		if (!tablet_is_of(object->resource, surface)) {
			continue;
		}
		struct wl_resource *tablet = tablet_resource(
			pad->tablet, wl_resource_get_client(object->resource), object->number);
		if (!tablet) {
			continue;
		}
		object->inside = true;
		zwp_tablet_pad_v2_send_enter(
			object->resource, serial, tablet, surface_resource(surface));
		for (int i = 0; i < pad->device->pad->n_groups; i++) {
			send_mode(object, i, next_serial(pad, surface), now);
		}
	}
}

void sink_pad_leave(struct seat_pad *pad, struct surface *surface)
{
	uint32_t serial = next_serial(pad, surface);
	struct pad_object *object;
	wl_list_for_each (object, &pad->objects, link) {
		if (object->inside && tablet_is_of(object->resource, surface)) {
			object->inside = false;
			zwp_tablet_pad_v2_send_leave(
				object->resource, serial, surface_resource(surface));
		}
	}
}

void sink_pad_mode(struct seat_pad *pad, struct surface *surface, int group, int64_t time)
{
	uint32_t serial = next_serial(pad, surface);
	struct pad_object *object;
	wl_list_for_each (object, &pad->objects, link) {
		if (object->inside && tablet_is_of(object->resource, surface)) {
			send_mode(object, group, serial, time);
		}
	}
}

static void send_ring(struct wl_resource *resource, const struct input_pad_event *event)
{
	if (event->finger) {
		zwp_tablet_pad_ring_v2_send_source(resource, ZWP_TABLET_PAD_RING_V2_SOURCE_FINGER);
	}
	if (event->position < 0) {
		zwp_tablet_pad_ring_v2_send_stop(resource);
	} else {
		zwp_tablet_pad_ring_v2_send_angle(resource, wl_fixed_from_double(event->position));
	}
	zwp_tablet_pad_ring_v2_send_frame(resource, clock_ms(event->time));
}

static void send_strip(struct wl_resource *resource, const struct input_pad_event *event)
{
	if (event->finger) {
		zwp_tablet_pad_strip_v2_send_source(
			resource, ZWP_TABLET_PAD_STRIP_V2_SOURCE_FINGER);
	}
	if (event->position < 0) {
		zwp_tablet_pad_strip_v2_send_stop(resource);
	} else {
		double position = event->position > 1 ? 1 : event->position;
		zwp_tablet_pad_strip_v2_send_position(resource, (uint32_t)(position * 65535 + 0.5));
	}
	zwp_tablet_pad_strip_v2_send_frame(resource, clock_ms(event->time));
}

static void send_event(struct pad_object *object, const struct input_pad_event *event)
{
	static const enum part_kind kinds[] = {
		[INPUT_PAD_RING] = PART_RING,
		[INPUT_PAD_STRIP] = PART_STRIP,
		[INPUT_PAD_DIAL] = PART_DIAL,
	};
	if (event->part == INPUT_PAD_BUTTON) {
		zwp_tablet_pad_v2_send_button(object->resource, clock_ms(event->time),
			event->number,
			event->pressed ? ZWP_TABLET_PAD_V2_BUTTON_STATE_PRESSED
				       : ZWP_TABLET_PAD_V2_BUTTON_STATE_RELEASED);
		return;
	}
	const struct pad_part *part;
	wl_list_for_each (part, &object->parts, link) {
		if (part->kind != kinds[event->part] || part->number != event->number) {
			continue;
		}
		if (part->kind == PART_RING) {
			send_ring(part->resource, event);
		} else if (part->kind == PART_STRIP) {
			send_strip(part->resource, event);
		} else {
			zwp_tablet_pad_dial_v2_send_delta(part->resource, event->value120);
			zwp_tablet_pad_dial_v2_send_frame(part->resource, clock_ms(event->time));
		}
	}
}

void sink_pad_event(
	struct seat_pad *pad, struct surface *surface, const struct input_pad_event *event)
{
	struct pad_object *object;
	wl_list_for_each (object, &pad->objects, link) {
		if (object->inside && tablet_is_of(object->resource, surface)) {
			send_event(object, event);
		}
	}
}
