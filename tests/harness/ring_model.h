/* SPDX-License-Identifier: MIT */
#pragma once

/** A staging ring with a model of its buffers and of the client's content, pixel by pixel. */

#include "harness/unit.h"
#include "staging/ring_regions.h"

#define SIDE 24
#define GARBAGE (-1)

/** A ring and a model of its memory: each pixel has the version of the client's content. */
struct ring_model {
	struct ring ring;
	pixman_region32_t all;
	int client[SIDE][SIDE]; /* versions from 1 on */
	int copied_version[SIDE][SIDE]; /* version of the last successful copy; 0: none */
	int memory[STAGING_MAX][SIDE][SIDE];
	/* Content and region of copies in flight. */
	int copied[STAGING_MAX][SIDE][SIDE];
	pixman_region32_t region[STAGING_MAX];
	int version;
	int64_t n_copied; /* pixels */
};

void ring_model_init(struct ring_model *model, bool exclusive);
void ring_model_finish(struct ring_model *model);
/** Draws a new version of the rectangle's part inside the surface. */
void ring_model_damage(struct ring_model *model, int x, int y, int width, int height);
/** Adds the slot's buffer, full of garbage. */
void ring_model_add(struct ring_model *model, int slot);
/** Starts a copy. Returns false if nothing is missing or no buffer is free. */
bool ring_model_start(struct ring_model *model, const pixman_region32_t *needed, bool whole);
/** Ends the slot's copy; the copy failed unless `good`. */
void ring_model_end(struct ring_model *model, int slot, bool good);
void ring_model_end_all(struct ring_model *model);
/** Copies all that is needed; fails the test unless the ring chooses this slot. */
void ring_model_copy(struct ring_model *model, int slot, bool whole);
/** Copies the region to the slot, without asking the ring which slot to write. */
void ring_model_write(struct ring_model *model, int slot, const pixman_region32_t *region);
/** Fails the test unless every copied pixel can be displayed, in its newest version. */
void ring_model_check(struct ring_model *model);
void ring_model_expect(const struct ring_model *model, enum staging_status status);
