/* SPDX-License-Identifier: MIT */
#pragma once

/** A client of zwlr_output_manager_v1 that configures outputs, as wlr-randr or kanshi do. */

#include "server_common.h"
#include "wlr-output-management-unstable-v1-client-protocol.h"

#define CLIENT_HEADS_MAX 32
#define CLIENT_MODES_MAX 64

struct client_mode {
	struct zwlr_output_mode_v1 *proxy;
	int32_t width, height, refresh;
	bool finished;
};

struct client_head {
	struct zwlr_output_head_v1 *proxy;
	char name[32];
	struct client_mode modes[CLIENT_MODES_MAX];
	int n_modes;
	struct client_mode *current;
	int32_t enabled, x, y, transform;
	double scale;
	uint32_t adaptive_sync;
	bool finished;
};

enum client_answer {
	CLIENT_NO_ANSWER,
	CLIENT_SUCCEEDED,
	CLIENT_FAILED,
	CLIENT_CANCELLED,
};

/** The settings of one output that a client changes. */
struct client_wish {
	const char *name;
	bool disables;
	int32_t width; /* of a listed mode; 0: no change */
	int32_t custom_width; /* with the height 3/4 of it, at any rate; 0: no change */
	double scale; /* 0: no change */
	int32_t transform; /* wl_output_transform; 0: no change */
	bool has_position;
	int32_t x, y;
	int adaptive_sync; /* 1: on, -1: off, 0: no change */
};

struct output_client {
	struct world *world;
	struct zwlr_output_manager_v1 *manager;
	struct client_head heads[CLIENT_HEADS_MAX];
	int n_heads;
	uint32_t serial;
	/** Repeats all present settings beside the changed ones, as most programs do. */
	bool repeats;
};

/** Connects to the server of the world. Free with free(). */
struct output_client *output_client_create(struct world *world);
/** Returns the present head of that name; fails the test if there is none. */
struct client_head *output_client_find(struct output_client *client, const char *name);
/** Applies one configuration of all heads, of which one changes. NULL: none changes. */
enum client_answer output_client_apply(
	struct output_client *client, const struct client_wish *wish);
