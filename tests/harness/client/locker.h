/* SPDX-License-Identifier: MIT */
#pragma once

/** A session with a client that counts its events, and lock clients. */

#include "ext-session-lock-v1-client-protocol.h"
#include "harness/peer.h"

#define WIDTH 320
#define HEIGHT 240
#define RED 0xff0000
#define BLUE 0x0000ff

struct locked_world {
	struct fixture *fixture;
	struct input_device *pointer, *keyboard, *touch;
	struct peer *peer; /* of the session */
	struct peer_window *window; /* 200x150 at 20, 20 */
	int n_keys, n_enters, n_leaves, n_motions, n_buttons, n_touches, n_cancels;
};

struct locker {
	struct peer *peer;
	struct ext_session_lock_v1 *lock;
	int n_locked, n_finished;
	struct wl_surface *surface;
	struct ext_session_lock_surface_v1 *lock_surface;
	struct peer_buffer *buffer;
	uint32_t serial;
	int32_t width, height;
	int n_configures;
};

void point(struct locked_world *world, double x, double y);
void press(struct locked_world *world, bool pressed);
void key(struct locked_world *world, uint32_t code, bool pressed);
void touch(struct locked_world *world, struct wl_signal *signal, double x, double y);
struct locker *locker_create(struct locked_world *world);
/** Disconnects without unlocking if the session is locked. */
void locker_destroy(struct locker *locker);
void locker_show(struct locker *locker, uint32_t color);
void locker_unlock(struct locker *locker);
/** cmocka setup, with fixture_tear_down(). */
int set_up(void **state);
/** Asserts that output `index` shows only this color, 0xRRGGBB. */
void expect_all(struct locked_world *world, int index, uint32_t color);
/** Moves the cursor off the output, for comparisons of all pixels. */
void hide_pointer(struct locked_world *world);
