/* SPDX-License-Identifier: MIT */
/* Plane assignment of random scenes: the displayed pixels equal those of full composition. */

#include "harness/plane_world.h"
#include <string.h>

static bool judge_randomly(struct plane_world *world, const struct output_state *state)
{
	unsigned hash = world->salt;
	for (int i = 0; i < state->n_planes; i++) {
		hash = hash * 31 + (unsigned)state->planes[i].plane->index;
		hash = hash * 31 + (unsigned)state->planes[i].state.dst.width;
	}
	return hash % 4 != 0;
}

static void make_card(struct plane_world *world)
{
	int n = random_between(0, 4);
	int primary = random_between(0, 3);
	bool movable = random_between(0, 2) == 0;
	world_add_plane(world, PLANE_PRIMARY, movable ? 0 : primary, movable ? 9 : primary);
	for (int i = 0; i < n; i++) {
		int at = random_between(0, 1) ? primary + 1 + i : primary - 1 - i;
		movable = random_between(0, 2) == 0;
		world_add_plane(world, PLANE_OVERLAY, movable ? 0 : at, movable ? 9 : at);
	}
	if (random_between(0, 1)) {
		world_add_plane(world, PLANE_CURSOR, 20, 20);
	}
}

static void make_layer(struct plane_world *world, bool last)
{
	bool full = random_between(0, last ? 1 : 9) == 0;
	struct layer *layer = full ? world_add_layer(world, 0, 0, WIDTH, HEIGHT)
				   : world_add_layer(world, random_between(-4, WIDTH - 2),
					     random_between(-4, HEIGHT - 2), random_between(1, 16),
					     random_between(1, 12));
	layer->movable = random_between(0, 3) != 0;
	layer->busy = random_between(0, 3) != 0;
	layer->opaque = random_between(0, 2) != 0;
	layer->alpha = random_between(0, 5) ? 1 : 0.5f;
	if (!layer->opaque) {
		double alpha = random_between(0, 10) / 10.0;
		for (int i = 0; i < 4; i++) {
			layer->color[i] *= alpha;
		}
	}
}

static void change(struct plane_world *world)
{
	struct layer *layer = &world->layers[random_between(0, world->n_layers - 1)];
	switch (random_between(0, 3)) {
	case 0: layer->box.x += random_between(-3, 3); break;
	case 1: layer->box.y += random_between(-3, 3); break;
	case 2: layer->movable = !layer->movable; break;
	case 3: layer->busy = !layer->busy; break;
	}
	world->now += random_between(1, 400) * MS;
	world->salt += random_between(0, 9) == 0;
}

static void random_assignments_equal_composition(void **state)
{
	int placed[4] = {0};
	for (int i = 0; i < 600; i++) {
		struct plane_world world;
		world_begin(&world);
		world.judge = judge_randomly;
		world.salt = (unsigned)random_between(0, 1000);
		world.composed_alpha = random_between(0, 3) != 0;
		make_card(&world);
		int n = random_between(1, LAYERS_MAX);
		for (int l = 0; l < n; l++) {
			make_layer(&world, l == n - 1);
		}
		world.layers[0].cursor = random_between(0, 1);
		for (int step = 0; step < 12; step++) {
			world_assign_anew(&world);
			world_expect_composition(&world, "random layers");
			for (int l = 0; l < n; l++) {
				placed[world.entries[l].place]++;
				assert_int_equal(!world.entries[l].plane,
					world.entries[l].place == PLACE_COMPOSED);
			}
			struct assign_entry before[LAYERS_MAX];
			memcpy(before, world.entries, sizeof(before));
			world_assign(&world);
			assert_int_equal(world.asked, 0);
			for (int l = 0; l < n; l++) {
				assert_ptr_equal(world.entries[l].plane, before[l].plane);
				assert_int_equal(world.entries[l].reason, before[l].reason);
			}
			if (world.layers[0].cursor) {
				/* Cursors move without a new list. */
				world.layers[0].box.x = random_between(-4, WIDTH - 2);
				world.layers[0].box.y = random_between(-4, HEIGHT - 2);
				world_assign(&world);
				world_expect_composition(&world, "a cursor that moves");
			}
			change(&world);
		}
		world_end(&world);
	}
	for (int i = 0; i < 4; i++) {
		assert_true(placed[i] > 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_assignments_equal_composition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
