/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Window on emulated GPUs whose buffers a staging ring copies, with a reference of each pixel: its
 * client, the outputs that show it, and the passes that read the copies.
 */

#include "gpu_pair.h"
#include "staging/staging.h"
#include "util/box.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>

#define SIDE 64 /* at most */
#define SIDE_LEAST 44 /* whose copies are faster than reads across the bus */
#define N_BUFFERS 4 /* of the client */
#define PASSES_MAX 4 /* that have not ended */
#define N_READERS 3
#define N_VIEWS 3 /* two outputs, and a capture */
#define CAPTURE 2

/** Buffer of the client. */
struct client_image {
	struct client_buffer *buffer;
	pixman_region32_t missing; /* drawn since the buffer was attached last */
};

/** Output or capture. */
struct view {
	pixman_region32_t needed;
	struct box cover;
	bool filtered, due;
};

/** Memory of a staging buffer. */
struct memory {
	uint8_t *map; /* NULL: none */
	size_t size;
	ptrdiff_t stride; /* 0: tiled */
};

/** Part of a staging buffer that a pass or a plane reads, and its pixels when that began. */
struct reading {
	struct memory memory;
	pixman_region32_t region;
	uint32_t pixels[SIDE][SIDE];
};

/** Pass, or scan-out of a plane. */
struct pass {
	int fence; /* -1: none */
	struct buffer *plane; /* locked; NULL: none */
	struct reading readings[STAGING_MAX];
	int n_readings;
};

struct life {
	struct pair pair;
	struct staging_ring *ring;
	struct client_image images[N_BUFFERS];
	struct client_image *current; /* locked, as by the surface; NULL: released early */
	int width, height;
	uint32_t format;
	bool linear;
	uint32_t content[SIDE][SIDE], shown[SIDE][SIDE]; /* version of each pixel */
	uint32_t version;
	struct view views[N_VIEWS];
	bool held[2], hidden, disturbed;
	int n_held;
	struct pass passes[PASSES_MAX], plane;
	int oldest, n_passes; /* passes end in order */
	int seed, step, reader;
	uint64_t n_steps, n_shown, n_released, n_discarded;
};

/** Finds where tiled buffers have their pixels, before the first life. */
void life_find_offsets(void);
/** Starts a life: the ring, its reader and its client depend on the seed. */
void life_init(struct life *life, int seed);
/** Fails the test with the seed and the step. */
void life_fail(const struct life *life, const char *why);
/** Returns the box of the buffers. */
struct box life_all(const struct life *life);
struct box life_random_box(int least, int most);
/** Lowers the cost of a rectangle, and undoes measurements by the clock of the test. */
void life_set_costs(struct life *life);
/** Creates the client's buffers. */
void life_create_images(struct life *life);
/** Releases the buffer that the surface has attached. */
void life_drop_current(struct life *life);
/** Destroys the client's buffers. */
void life_drop_images(struct life *life);
/** Draws some or all pixels, and attaches a buffer that was released, if there is one. */
void life_commit(struct life *life, bool whole);
/** Continues with buffers of another size, format or layout. */
void life_remake(struct life *life);
/** Computes the pixels that the output shows. */
void life_need(struct life *life, struct view *view);
/** Makes a frame of each output due. */
void life_request_frames(struct life *life);
/** Checks the available pixels, which the pass reads (NULL: none). */
void life_show(struct life *life, const struct view *view, struct pass *pass);
/** Starts a pass of an output, or puts a complete buffer on a plane. */
void life_read(struct life *life);
void life_end_oldest_pass(struct life *life);
/** Ends all passes and the plane. */
void life_end_passes(struct life *life);
