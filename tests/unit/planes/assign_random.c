/* SPDX-License-Identifier: MIT */
/* Plane assignment of random scenes: the displayed pixels equal those of full composition. */

#include "buffer/buffer.h"
#include "harness/plane_world.h"
#include <string.h>

static unsigned mix(unsigned hash, unsigned value)
{
	return (hash ^ value) * 2654435761U + (hash >> 16);
}

static bool judge_randomly(struct plane_world *world, const struct output_state *state)
{
	unsigned hash = world->salt;
	for (int i = 0; i < state->n_planes; i++) {
		const struct plane *plane = state->planes[i].plane;
		const struct plane_state *shown = &state->planes[i].state;
		hash = mix(hash, (unsigned)plane->index);
		hash = mix(hash, (unsigned)shown->zpos);
		hash = mix(hash, (unsigned)shown->dst.width);
		hash = mix(hash, plane->type == PLANE_CURSOR ? 0 : (unsigned)shown->dst.x);
		hash = mix(hash, (unsigned)(shown->alpha * 8));
		hash = mix(hash, (unsigned)shown->coding.matrix);
		hash = mix(hash, buffer_dmabuf(shown->buffer)->stride[0]);
	}
	return hash >> 30;
}

/* Each frame is one that the driver has accepted as it is, or all of it is composed. */
static void expect_accepted(struct plane_world *world)
{
	const struct output_state *state = &world->request.state;
	assert_true((state->n_planes == 1 && !world->covered) || world->judge(world, state));
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
	switch (random_between(0, 6)) {
	case 0: layer->box.x += random_between(-3, 3); break;
	case 1: layer->box.y += random_between(-3, 3); break;
	case 2: layer->movable = !layer->movable; break;
	case 3: layer->busy = !layer->busy; break;
	case 4: layer->alpha = random_between(0, 1) ? 1 : 0.5f; break;
	case 5: layer->coding.matrix ^= COLOR_MATRIX_BT2020; break;
	case 6: ((struct dmabuf *)buffer_dmabuf(layer->buffer))->stride[0] ^= 256; break;
	}
	world->now += random_between(1, 400) * MS;
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
			/* Changes of content only leave the list as it is. */
			world.list += random_between(0, 1);
			world_assign(&world);
			expect_accepted(&world);
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
			expect_accepted(&world);
			change(&world);
		}
		world_end(&world);
	}
	for (int i = 0; i < 4; i++) {
		assert_true(placed[i] > 20);
	}
}

/* Returns the most planes of the bits `free` that can have different zpos from `zpos` on. */
static int count_levels(const struct plane_world *world, unsigned free, int zpos)
{
	if (zpos > 9) {
		return 0;
	}
	int most = count_levels(world, free, zpos + 1);
	for (int i = 0; i < world->n_planes; i++) {
		const struct plane *plane = &world->planes[i];
		if (free & 1u << i && plane->zpos_min <= zpos && zpos <= plane->zpos_max) {
			const int with = 1 + count_levels(world, free & ~(1u << i), zpos + 1);
			most = with > most ? with : most;
		}
	}
	return most;
}

/* Planes with a choice of zpos leave the others theirs, in any order. */
static void videos_get_as_many_overlays_as_there_can_be(void **state)
{
	for (int i = 0; i < 500; i++) {
		struct plane_world world;
		world_begin(&world);
		world_add_plane(&world, PLANE_PRIMARY, 1, 1);
		const int n = random_between(1, 4);
		for (int p = 0; p < n; p++) {
			const int least = random_between(2, 5);
			world_add_plane(&world, PLANE_OVERLAY, least, random_between(least, 6));
		}
		for (int l = 0; l < 5; l++) {
			world_add_layer(&world, 4 * l, 2 * l, 4, 2);
		}
		world_assign(&world);
		assert_int_equal(
			world.request.state.n_planes - 1, count_levels(&world, (2u << n) - 2, 2));
		world_expect_composition(&world, "videos side by side");
		world_end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_assignments_equal_composition),
		cmocka_unit_test(videos_get_as_many_overlays_as_there_can_be),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
