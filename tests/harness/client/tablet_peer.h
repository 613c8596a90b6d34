/* SPDX-License-Identifier: MIT */
#pragma once

/** A client that records events of a tablet with a pen, an eraser and a pad. */

#include "backend/input.h"
#include "backend/input_tablet.h"
#include "harness/notes.h"
#include "harness/peer.h"
#include "tablet-v2-client-protocol.h"

#define WIDTH 320
#define HEIGHT 240

struct test {
	struct fixture *fixture;
	struct input_device tablet, pad;
	bool unplugged;
	struct input_pad parts;
	struct input_tool pen, eraser;
	struct peer *peer;
	struct peer_window *window; /* 100x100 at 0, 0 */
	struct zwp_tablet_manager_v2 *manager;
	struct zwp_tablet_seat_v2 *seat;
	/** The most recently announced object of each kind. */
	struct zwp_tablet_v2 *tablet_object;
	struct zwp_tablet_tool_v2 *tool_object;
	struct zwp_tablet_pad_v2 *pad_object;
	struct zwp_tablet_pad_group_v2 *group_object;
	struct zwp_tablet_pad_ring_v2 *ring_object;
	struct zwp_tablet_pad_strip_v2 *strip_object;
	struct zwp_tablet_pad_dial_v2 *dial_object;
	uint32_t serial, mode_serial;
	struct notes notes;
};

/** `data`: the struct test given to the listener. */
#define note(data, ...) notes_add(&((struct test *)(data))->notes, __VA_ARGS__)

void plug_in(struct test *test);
void unplug(struct test *test);
void bind_tablets(struct test *test, uint32_t version);
extern const struct zwp_tablet_seat_v2_listener seat_listener; /* `data`: a struct test */
/** cmocka setup and teardown. */
int setup(void **state);
int teardown(void **state);
void emit(struct test *test, struct input_tool_event event, double x, double y);
void act(struct test *test, enum input_tool_action action, double x, double y);
/** Moves the pen into proximity over the window and drops the resulting notes. */
void come_in(struct test *test);
