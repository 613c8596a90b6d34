#pragma once

/** What the tests of the whole compositor on emulated cards share. */

#include "fake.h"
#include "harness/peer.h"

#define PERIOD INT64_C(16666667)

struct world {
	struct fixture *fixture;
	char path[64]; /* of the configuration */
};

/** What a client has drawn on the card itself, as a dma-buf. */
struct drawn {
	int card, fd;
	uint32_t handle;
	struct wl_buffer *buffer;
};

/** For cmocka. */
int set_up(void **state);
int tear_down(void **state);
/** After cards were made and screens plugged in. */
void begin(struct world *world, const char *config);
void reload(struct world *world, const char *config);
/** The card shows what it has at each vblank of the test's clock. */
void show(struct world *world, struct fake_card *card, int n);
/** Fails the test if there is none of that name. */
struct server_output *find_entry(struct world *world, const char *name);
struct output *find_output(struct world *world, const char *name);
/** Width of the mode that a connector is in; 0: it is off. */
int width_of(struct fake_card *card, const char *connector);
uint32_t format_of(struct fake_card *card, const char *connector);
struct drawn draw_on(
	struct fake_card *card, struct peer *peer, int32_t width, int32_t height, uint32_t format);
void drop(struct drawn *drawn);
void attach(struct world *world, struct fake_card *card, struct peer_window *window,
	struct drawn *drawn);
