/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Players: surfaces of clients that follow the protocol literally, and draw as soon as it lets
 * them. Each pixel tells its surface and update, and released buffers are overwritten, so that the
 * pixels of a frame tell the updates that it shows.
 */

#include "commit-timing-v1-client-protocol.h"
#include "fifo-v1-client-protocol.h"
#include "harness/peer.h"
#include "presentation-time-client-protocol.h"
#include "util/box.h"

#define PLAYER_BUFFERS_MAX 3
#define PLAYER_UPDATES_MAX 4096
#define PLAYER_EVENTS_MAX 64

struct player;

/** Size of the players' buffers, in pixels. */
struct player_size {
	int width, height;
};

struct player_buffer {
	struct wl_buffer *buffer;
	const int *n_released; /* counts release events */
	int n_taken; /* events that have been noticed */
	bool busy; /* attached, and not released since */
	void *data; /* of the owner */
	/** Writes the rows, as 0xffRRGGBB, to the buffer. */
	void (*write)(
		struct player_buffer *buffer, const uint32_t *pixels, struct player_size size);
};

/** Events that let the client draw again, besides the release of a buffer. */
struct player_habits {
	bool callback; /* waits for the frame callback */
	bool fifo; /* sets and waits for barriers */
	bool feedback; /* asks for presentation feedback */
	bool timing; /* sets times of presentation, at random */
	bool partial; /* damages a part of the surface, at random */
	int64_t pause; /* ns; mean time between updates besides the waits */
};

struct player {
	struct fixture *fixture;
	struct peer *peer;
	int index; /* 1 to 14 */
	struct wl_surface *surface;
	struct player *parent; /* of a subsurface; NULL: a window */
	struct wl_subsurface *subsurface;
	bool sync;
	struct player_size size;
	bool resized; /* the next update is of all pixels */
	struct player_habits habits;
	struct player_buffer buffers[PLAYER_BUFFERS_MAX];
	int n_buffers;
	uint32_t *pixels; /* content of the next buffer */
	struct wp_presentation *presentation;
	struct wp_fifo_v1 *fifo;
	struct wp_commit_timer_v1 *timer;
	int64_t next; /* ns; the client wants to draw from then on */
	bool waits_for_callback;
	int n_updates; /* update i has changed boxes[i] */
	struct box boxes[PLAYER_UPDATES_MAX];
	int n_asked, n_presented, n_discarded; /* feedback */
	/** Updates that were presented since player_run(). */
	int events[PLAYER_EVENTS_MAX], n_events;
};

/**
 * Initialises a player of an existing surface. The caller sets n_buffers and buffers. Release it
 * with player_finish() after the fixture.
 */
void player_init(struct player *player, struct peer *peer, struct wl_surface *surface, int index,
	struct player_size size, const struct player_habits *habits);
void player_finish(struct player *player);
/**
 * Gives the player another size. The caller destroys its buffers before, and sets n_buffers and
 * buffers again.
 */
void player_resize(struct player *player, struct player_size size);
/** Overwrites buffers that were released. */
void player_notice_releases(struct player *player);
/** Draws if the protocol lets the client, and it wants to. Forgets the last events. */
void player_run(struct player *player);
/** Draws and commits all of the surface, if a buffer is free. */
bool player_draw(struct player *player, bool all);
/** Returns the number of buffers that were not released. */
int player_count_busy(const struct player *player);
/** Returns the colour of an update, 0xffRRGGBB. */
uint32_t player_color(int index, int update);
/**
 * Returns whether `pixel` at a point of the surface is of the update `least`, of the last one
 * before that changed the point, or of a later one.
 */
bool player_shows(const struct player *player, int x, int y, uint32_t pixel, int least);
