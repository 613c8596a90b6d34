#pragma once

/** A scene, a card with planes and a driver, for tests of what goes on which plane. */

#include "unit.h"

#include "planes/assign.h"

#define WIDTH 24
#define HEIGHT 16
#define MAX_LAYERS 7
#define MAX_PLANES 7
#define MS INT64_C(1000000)

/* One thing of the scene, in place of an entry of a list. */
struct layer {
	struct box box;
	bool opaque, movable, busy, cursor;
	float alpha;
	double color[4]; /* premultiplied */
	struct buffer *buffer;
};

/* A scene, a card with its planes, and a driver that says what it likes. */
struct world {
	struct layer layers[MAX_LAYERS]; /* top first */
	int n_layers;
	struct assign_entry entries[MAX_LAYERS];
	pixman_region32_t visible[MAX_LAYERS];
	pixman_region32_t uncovered;

	struct plane planes[MAX_PLANES];
	const struct plane *plane_list[MAX_PLANES];
	int n_planes;
	struct buffer *composed;
	bool composed_alpha;

	bool (*judge)(struct world *world, const struct output_state *state);
	int limit; /* of planes, for judge_limit() */
	unsigned salt; /* for judge_randomly() */
	int asked;

	struct assign_cache cache;
	struct assign_request request;
	int64_t now;
	uint64_t list;
	bool covered; /* what assign_planes() said */
};

/** The driver agrees to everything, and what is composed has alpha, until that is changed. */
void world_begin(struct world *world);
void world_end(struct world *world);
/** For linear buffers with and without alpha. */
struct plane *world_add_plane(struct world *world, enum plane_type type, int min, int max);
/** Below those that there are: opaque, of a colour of its own, and fit for a plane. */
struct layer *world_add_layer(struct world *world, int x, int y, int width, int height);
bool world_judge_yes(struct world *world, const struct output_state *state);
/** Assigns planes for a frame; `anew`: something lies elsewhere. Checks what the driver is asked. */
void world_assign(struct world *world);
void world_assign_anew(struct world *world);
/** What the planes show together is what composing everything would show. */
void world_expect_same_picture(const struct world *world, const char *what);
