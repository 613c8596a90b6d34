/* SPDX-License-Identifier: MIT */
#pragma once

/** Frames of outputs that show players: each pixel and each presentation feedback is checked. */

#include "frame/frame.h"
#include "harness/client/player.h"
#include <pixman.h>

#define PLAYER_VIEWS_MAX 2
#define PLAYERS_MAX 8

struct surface;

/** A visible pixel of a player on an output. */
struct player_point {
	bool valid;
	bool sure; /* it must be of the player; else it may be missing */
	int x, y; /* of the output */
	int at_x, at_y; /* of the surface */
	uint32_t pixel; /* that was presented */
};

/** A frame that was committed. */
struct player_picture {
	uint32_t commit;
	struct buffer *buffer;
	struct player_point points[PLAYERS_MAX];
};

struct player_view {
	struct player_views *views;
	struct frame_output *frame;
	struct player_picture pictures[2]; /* the last two that were committed */
	struct player_picture shown, before; /* presented last, and the one before it */
	bool fresh; /* `shown` was presented since the last check */
	/** Pixels of the players that must be shown: they have been visible without a pause. */
	pixman_region32_t known[PLAYERS_MAX];
	struct wl_listener drawn, present;
};

struct player_views {
	struct player players[PLAYERS_MAX];
	struct surface *surfaces[PLAYERS_MAX];
	struct player_sight {
		struct player_views *views;
		struct wl_listener visible;
	} sights[PLAYERS_MAX];
	bool late; /* copies may take long: pixels that become visible may be missing */
	int n_players, n_outputs;
	struct player_view outputs[PLAYER_VIEWS_MAX];
};

/** Watches the next output, a frame loop of the server. */
void player_views_watch(struct player_views *views, struct frame_output *frame);
/** Adds the next player, which the caller has initialised, with its surface. */
void player_views_add(struct player_views *views, struct surface *surface);
void player_views_finish(struct player_views *views);
/**
 * Returns whether an output shows the update of player `i`. Sets `seen` to whether one shows the
 * surface at all.
 */
bool player_views_show(const struct player_views *views, int i, int update, bool *seen);
/**
 * Fails if a frame has other pixels than the players drew, or if the last feedback of a player
 * precedes the pixels of its update.
 */
void player_views_check(struct player_views *views, uint64_t seed);
