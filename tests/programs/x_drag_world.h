/* SPDX-License-Identifier: MIT */
#pragma once

/** A Wayland client and X programs that drag and drop, at known places of the screen. */

#include "wlr-layer-shell-unstable-v1-client-protocol.h"
#include "x_drag_peer.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define UTF8 "text/plain;charset=utf-8"

/** Where the windows of the X program and of another one are, and points in them. */
#define X_LEFT 500
#define X_TOP 300
#define OTHER_TOP 520
#define AT_X X_LEFT + 60, X_TOP + 90
#define AT_OTHER X_LEFT + 60, OTHER_TOP + 90
#define AT_WAYLAND 100, 120
#define AT_NOTHING 900, 100

struct drag_world {
	struct x_peer x, other; /* `other` is not started */
	struct wayland_peer wayland;
	const char *press; /* the program that presses keys */
};

struct rule {
	const char *name;
	void (*check)(struct drag_world *world);
};

#define RULE(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

/**
 * Runs the functions, or the one that is named by the arguments "PRESS [NAME]", each in a world.
 */
int run_rules(const struct rule *rules, size_t n, int argc, char **argv);

/** Handles events of all programs. */
void pump(struct drag_world *world);

/** Waits until the expression is true. */
#define AWAIT(world, condition)                                                                    \
	do {                                                                                       \
		for (int i_ = 0; pump(world), !(condition); i_++) {                                \
			x_pause(i_, #condition, __FILE__, __LINE__);                               \
		}                                                                                  \
	} while (0)

/** The same, while the X program follows the pointer. */
#define AWAIT_FOLLOWING(world, condition)                                                          \
	AWAIT(world, (x_peer_follow(&(world)->x), pump(world), (condition)))

/** Waits until the compositor has handled all messages so far. */
void settle(struct drag_world *world);
/** Moves the pointer into the X program's window. */
void point_at_x(struct drag_world *world);
/** Starts a drag of the X program. */
void start_x_drag(struct drag_world *world);
/** The same, up to the Wayland client. */
void drag_x_over_wayland(struct drag_world *world);
/** Accepts the offer of the X program. */
void accept_offer(struct drag_world *world, uint32_t actions, uint32_t preferred);
/** Releases the button: the X program drops. */
void release(struct drag_world *world);
/** Returns the data of the offer, which the caller frees. */
char *read_offer(struct drag_world *world, const char *type);
/** Ends the transfer to the Wayland client. */
void finish_offer(struct drag_world *world);
/** Checks that pointer events reach their windows as before. */
void check_pointer(struct drag_world *world);
/** Starts a drag of the Wayland client, up to the X program. */
void drag_wayland_over_x(struct drag_world *world, uint32_t actions);
