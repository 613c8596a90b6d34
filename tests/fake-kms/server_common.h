/* SPDX-License-Identifier: MIT */
#pragma once

/** Tests of the whole compositor on emulated cards: shared helpers. */

#include "fake.h"
#include "harness/peer.h"

#define PERIOD INT64_C(16666667)

struct world {
	struct fixture *fixture;
	/** Watched for changes: it is small, since the kernel visits each file of the folder. */
	char folder[64];
	char path[80]; /* configuration file */
};

/** Dma-buf of a client, allocated on the card. */
struct drawn {
	int card, fd;
	uint32_t handle;
	struct wl_buffer *buffer;
};

/** Set-up and tear-down functions for cmocka. */
int set_up(void **state);
int tear_down(void **state);
/** Starts a compositor with this configuration on the cards created before. */
void begin(struct world *world, const char *config);
void reload(struct world *world, const char *config);
/** Advances the test clock by `n` periods and completes page flips at each vblank. */
void show(struct world *world, struct fake_card *card, int n);
/** Returns the output of that name; fails the test if there is none. */
struct server_output *find_entry(struct world *world, const char *name);
struct output *find_output(struct world *world, const char *name);
/** Returns the width of the connector's mode; 0 if it is off. */
int width_of(struct fake_card *card, const char *connector);
uint32_t format_of(struct fake_card *card, const char *connector);
struct drawn draw_on(
	struct fake_card *card, struct peer *peer, int32_t width, int32_t height, uint32_t format);
void drop(struct drawn *drawn);
void attach(struct world *world, struct fake_card *card, struct peer_window *window,
	struct drawn *drawn);
