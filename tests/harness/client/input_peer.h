/* SPDX-License-Identifier: MIT */
#pragma once

/** A client with one window that records its input events, and the devices that emit them. */

#include "backend/headless.h"
#include "harness/notes.h"
#include "harness/peer.h"
#include "util/signal.h"

struct test {
	struct fixture *fixture;
	struct input_device *pointer, *keyboard, *touch;
	struct peer *peer;
	struct peer_window *window; /* 100x100 at 0, 0 */
	struct notes notes;
	uint32_t enter_serial;
	char *keymap; /* sent last */
};

/** `data`: the struct test given to the listener. */
#define note(data, ...) notes_add(&((struct test *)(data))->notes, __VA_ARGS__)

struct wl_pointer *add_pointer(struct test *test, uint32_t version);
struct wl_keyboard *add_keyboard(struct test *test, uint32_t version);

/** cmocka setup and teardown. */
int setup(void **state);
/** As setup(), without input devices. */
int setup_without_devices(void **state);
int teardown(void **state);
struct seat *seat_of(struct test *test);

/** Emit events of test.pointer and test.keyboard. */
void frame(struct test *test);
void point(struct test *test, double x, double y);
void move(struct test *test, double dx, double dy);
void scroll(
	struct test *test, enum wl_pointer_axis axis, double value, int32_t value120, int source);
void key(struct test *test, uint32_t code, bool pressed);
