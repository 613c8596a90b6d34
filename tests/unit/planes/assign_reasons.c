/* SPDX-License-Identifier: MIT */
/* Reasons of plane assignment: the one that is given for an entry without a plane is true. */

#include "buffer/buffer.h"
#include "harness/plane_world.h"

static bool judge_no(struct plane_world *world, const struct output_state *state)
{
	return false;
}

/* Accepts a state if no plane shows a part that begins within a pixel. */
static bool judge_whole_pixels(struct plane_world *world, const struct output_state *state)
{
	for (int i = 0; i < state->n_planes; i++) {
		const struct fbox *src = &state->planes[i].state.src;
		if (src->x != (int)src->x || src->y != (int)src->y) {
			return false;
		}
	}
	return true;
}

/* Entries for which no test was left are composed, although the driver did not refuse them. */
static void untested_entries_wait_for_a_later_frame(void **state)
{
	enum { N_VIDEOS = 6 };
	struct plane_world world;
	world_begin(&world);
	world_add_plane(&world, PLANE_PRIMARY, 1, 1);
	for (int i = 0; i < N_VIDEOS; i++) {
		world_add_plane(&world, PLANE_OVERLAY, 0, 9);
		world_add_layer(&world, 4 * i, 0, 4, 4);
	}
	world.judge = judge_no;
	world_assign(&world);
	assert_int_equal(world.asked, ASSIGN_TESTS_MAX);
	/* One test is that of all together, and each video could be above or below. */
	const int n_tested = ASSIGN_TESTS_MAX / 2;
	int n_refused = 0, n_later = 0;
	for (int i = 0; i < N_VIDEOS; i++) {
		n_refused += world.entries[i].reason == REASON_REFUSED;
		n_later += world.entries[i].reason == REASON_LATER;
	}
	assert_int_equal(n_refused, n_tested);
	assert_int_equal(n_later, N_VIDEOS - n_tested);
	/* Untested entries back off as well: tests must not fill each frame. */
	for (int i = 0; i < 3; i++) {
		world_assign(&world);
		assert_int_equal(world.asked, 0);
	}
	world.judge = world_judge_yes;
	world.now += 300 * MS;
	world_assign_anew(&world);
	for (int i = 0; i < N_VIDEOS; i++) {
		assert_non_null(world.entries[i].plane);
	}
	world_end(&world);
}

/* The composed buffer would have to be transparent there, and show what is below. */
static void translucent_entry_needs_a_plane_above(void **state)
{
	static const struct {
		bool opaque;
		int min, max;
		enum route_reason reason;
	} cases[] = {
		{true, 0, 0, REASON_BEST},
		{false, 0, 0, REASON_TRANSLUCENT},
		{false, 0, 9, REASON_BEST},
		{false, 2, 2, REASON_BEST},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct plane_world world;
		world_begin(&world);
		world_add_plane(&world, PLANE_PRIMARY, 1, 1);
		world_add_plane(&world, PLANE_OVERLAY, cases[i].min, cases[i].max);
		world_add_layer(&world, 2, 2, 8, 8)->opaque = cases[i].opaque;
		world_assign(&world);
		assert_int_equal(world.entries[0].reason, cases[i].reason);
		/* The plane of another entry is the reason only if a plane is missing. */
		world_add_layer(&world, 14, 2, 9, 9);
		world_assign_anew(&world);
		if (cases[i].reason != REASON_BEST) {
			assert_int_equal(world.entries[0].reason, cases[i].reason);
		}
		world_end(&world);
	}
}

static void fraction_of_a_pixel_counts_as_cropped(void **state)
{
	static const struct {
		double x, y;
		enum route_reason reason;
	} cases[] = {
		{0, 0, REASON_BEST},
		{1, 2, REASON_BEST},
		{0.5, 0, REASON_TRANSFORM},
		{0, 0.25, REASON_TRANSFORM},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int refuses = 0; refuses < 2; refuses++) {
			struct plane_world world;
			world_begin(&world);
			world_add_plane(&world, PLANE_PRIMARY, 0, 0);
			world_add_plane(&world, PLANE_OVERLAY, 1, 1);
			struct layer *video = world_add_layer(&world, 2, 2, 8, 8);
			video->x = cases[i].x;
			video->y = cases[i].y;
			world.judge = refuses ? judge_no : judge_whole_pixels;
			world_assign(&world);
			const bool plain = cases[i].reason == REASON_BEST;
			assert_int_equal(world.entries[0].reason,
				refuses && plain ? REASON_REFUSED : cases[i].reason);
			world_end(&world);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(untested_entries_wait_for_a_later_frame),
		cmocka_unit_test(translucent_entry_needs_a_plane_above),
		cmocka_unit_test(fraction_of_a_pixel_counts_as_cropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
