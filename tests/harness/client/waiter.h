/* SPDX-License-Identifier: MIT */
#pragma once

/** A client that draws again once its buffer is released, and once its frame callback has come. */

#include "harness/peer.h"

/** Frames after which the compositor knows that the client waits for its buffer. */
#define WAITER_FIRST 50
/** Frames whose updates count as the client's rate. */
#define WAITER_FRAMES 60

struct waiter;

struct waiter_impl {
	/** Returns whether the buffer of the next update is released. */
	bool (*is_free)(const struct waiter *waiter);
	/** Draws the next update and commits it with waiter_commit(). */
	void (*draw)(struct waiter *waiter);
};

struct waiter {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	const struct waiter_impl *impl;
	struct peer *peer;
	struct peer_window *window;
	int n_drawn;
	bool called; /* the frame callback has come */
	bool awaits_callback;
};

/** Creates a fixture of 320x240 pixels with a grey square window at 20,20. */
void waiter_init(struct waiter *waiter, const struct waiter_impl *impl, enum renderer_kind renderer,
	int side);
/** Commits a buffer with its damage, and a frame callback if the client awaits it. */
void waiter_commit(struct waiter *waiter, struct wl_buffer *buffer, const struct box *damage);
/** Draws whenever the client may. Returns the number of updates. */
int waiter_play(struct waiter *waiter, int n_frames);
/** Fails unless the client, once known, draws at least `least` of WAITER_FRAMES frames. */
void waiter_expect_rate(struct waiter *waiter, int least);
/** Opens an opaque window of another client. */
struct peer_window *waiter_cover(struct waiter *waiter, int x, int y, int width, int height);
