/* SPDX-License-Identifier: MIT */
#pragma once

/** Grabs of the shell that follow one press, of the pointer or of a finger, until its release. */

#include "seat/seat.h"
#include "shell/views/views.h"

struct press_grab;
/** Mandatory without other notice. */
struct press_grab_impl {
	/** `at` has changed. */
	void (*motion)(struct press_grab *press);
	/** The finger or the last button was released. Calls press_grab_end(). */
	void (*release)(struct press_grab *press);
	/**
	 * Optional. The user has pressed Escape. Restores the state before the press, and calls
	 * press_grab_end(). Without it, the press is ended.
	 */
	void (*cancel)(struct press_grab *press);
	/** The grab has ended. Frees the press. */
	void (*end)(struct press_grab *press);
};

struct press_grab {
	const struct press_grab_impl *impl;
	struct seat *seat;
	struct pointer_grab pointer;
	struct touch_grab touch;
	struct keyboard_grab keyboard;
	struct dropped_keys dropped;
	bool by_touch;
	int32_t touch_id;
	bool has_cursor;
	struct coord_global at; /* of the pointer or finger */
};

/** Prepares a grab of the pointer or a finger. Returns false if there is no such finger. */
bool press_grab_init(struct press_grab *press, const struct press_grab_impl *impl,
	struct seat *seat, bool by_touch, int32_t touch_id);
/**
 * Starts the grab. `cursor`: the shape to show; clients then lose the pointer or the touch
 * sequence, and get no keys that are pressed during the grab. NULL: neither changes.
 */
void press_grab_start(struct press_grab *press, const char *cursor);
void press_grab_end(struct press_grab *press);
/** Handles a key during a grab that takes the keys. Returns false if it has no meaning there. */
bool press_grab_key(struct shell *shell, xkb_keysym_t sym);
