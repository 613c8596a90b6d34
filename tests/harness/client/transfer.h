/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Two clients with a window each that transfer data, record their events, and share the user's
 * input devices.
 */

#include "backend/headless.h"
#include "ext-data-control-v1-client-protocol.h"
#include "harness/notes.h"
#include "harness/peer.h"
#include "primary-selection-unstable-v1-client-protocol.h"
#include "wlr-data-control-unstable-v1-client-protocol.h"
#include <linux/input-event-codes.h>

#define TEXT "text/plain"
#define DATA "copied text"

enum {
	COPY = WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY,
	MOVE = WL_DATA_DEVICE_MANAGER_DND_ACTION_MOVE,
	ASK = WL_DATA_DEVICE_MANAGER_DND_ACTION_ASK
};

/** A client with a window and a data device. Notes have the form "offer text/plain; ". */
struct party {
	struct peer *peer;
	struct peer_window *window;
	struct wl_data_device_manager *manager;
	struct wl_data_device *device;
	struct wl_data_offer *offer; /* announced last */
	struct wl_data_offer *selection, *dragged; /* most recent */
	struct zwp_primary_selection_device_v1 *primary;
	struct zwp_primary_selection_offer_v1 *primary_offer;
	struct ext_data_control_device_v1 *control;
	struct ext_data_control_offer_v1 *control_offer;
	struct zwlr_data_control_device_v1 *older;
	struct zwlr_data_control_offer_v1 *older_offer;
	struct notes notes;
	bool silent; /* sources do not answer */
	int held_fd; /* of the unanswered request */
};

/** `data`: the struct party given to the listener. */
#define note(data, ...) notes_add(&((struct party *)(data))->notes, __VA_ARGS__)

struct test {
	struct fixture *fixture;
	struct input_device *pointer, *keyboard, *touch;
	struct party a, b;
};

/** cmocka setup and teardown: with data devices of version 3, or 1. */
int setup(void **state);
int setup_old(void **state);
int teardown(void **state);

/** Disconnects the client, as if it had crashed. */
void part(struct party *party);

struct seat *seat_of(struct test *test);
/** Gives the keyboard focus to the party's window. */
void focus(struct test *test, struct party *party);
void point(struct test *test, double x, double y);
/** Presses or releases the left button. */
void press(struct test *test, bool pressed);
void key(struct test *test, uint32_t code, bool pressed);

extern const struct wl_data_device_listener device_listener;
/** Creates a source that offers TEXT. `actions` 0: sets none. */
struct wl_data_source *make_source(struct party *party, uint32_t actions);
/** Answers a request for data with DATA, unless the party is silent. */
void answer(struct party *party, int fd);
/** Reads until the writer closes; "" for an end without data. Closes `fd`. */
const char *read_all(struct test *test, int fd);
const char *receive(struct test *test, struct wl_data_offer *offer, const char *mime_type);
