/* SPDX-License-Identifier: MIT */
#pragma once

/** A scene, a card with planes and a driver, for tests of plane assignment. */

#include "harness/unit.h"

#include "planes/assign.h"

#define WIDTH 24
#define HEIGHT 16
#define LAYERS_MAX 7
#define PLANES_MAX 7
#define MS INT64_C(1000000)

/* A surface of the scene, in one colour. */
struct layer {
	struct box box;
	bool opaque, movable, busy, cursor;
	float alpha;
	double color[4]; /* premultiplied */
	struct buffer *buffer;
	double x, y; /* of its pixels in the buffer */
	struct color_coding coding;
};

/* A scene, a card with its planes, and a driver whose answers `judge` decides. */
struct plane_world {
	struct layer layers[LAYERS_MAX]; /* top first */
	int n_layers;
	struct assign_entry entries[LAYERS_MAX];
	pixman_region32_t visible[LAYERS_MAX];
	pixman_region32_t uncovered;

	struct plane planes[PLANES_MAX];
	const struct plane *plane_list[PLANES_MAX];
	int n_planes;
	struct buffer *composed;
	bool composed_alpha;

	bool (*judge)(struct plane_world *world, const struct output_state *state);
	int limit; /* most planes, for judge_limit() */
	unsigned salt; /* for judge_randomly() */
	int asked;

	struct assign_cache cache;
	struct assign_request request;
	int64_t now;
	uint64_t list;
	bool covered; /* result of assign_planes() */
};

/** Sets up an empty scene, a driver that accepts every state, and a composed buffer with alpha. */
void world_begin(struct plane_world *world);
void world_end(struct plane_world *world);
/** Adds a plane for linear 32-bit formats with and without alpha. */
struct plane *world_add_plane(struct plane_world *world, enum plane_type type, int min, int max);
/** Adds an opaque layer of a random colour, suitable for a plane, below the others. */
struct layer *world_add_layer(struct plane_world *world, int x, int y, int width, int height);
bool world_judge_yes(struct plane_world *world, const struct output_state *state);
/** Assigns planes for a frame and checks the states that the driver gets. world_assign_anew(): the
 * scene's list has changed. */
void world_assign(struct plane_world *world);
void world_assign_anew(struct plane_world *world);
/** Fails unless the planes together display the same as full composition. */
void world_expect_composition(const struct plane_world *world, const char *what);
