/* SPDX-License-Identifier: MIT */
/* Regions of staging rings: after any event, the newest complete content can be displayed. */

#include "staging/ring_regions.h"
#include "harness/ring_model.h"

static void damage_is_copied_once(void **state)
{
	struct ring_model model;
	ring_model_init(&model, false);
	ring_model_expect(&model, STAGING_ABSENT);
	assert_true(ring_model_start(&model, &model.all, false));
	ring_model_expect(&model, STAGING_ABSENT);
	assert_false(ring_model_start(&model, &model.all, false));
	ring_model_end(&model, 0, true);
	ring_model_expect(&model, STAGING_READY);
	assert_int_equal(model.n_copied, SIDE * SIDE);

	/* Every damaged pixel is copied once and at once, while the old content stays available.
	 * Two buffers suffice for changes in place, but not for moving ones. */
	for (int i = 0; i < 20; i++) {
		int64_t before = model.n_copied;
		int n = 0, moved = i < 10 ? 0 : i - 10;
		assert_int_equal(model.ring.slots[2].exists, i > 11);
		ring_model_damage(&model, moved, moved / 2, 4, 4);
		while (ring_model_start(&model, &model.all, false)) {
			ring_model_check(&model);
			ring_model_expect(&model, STAGING_LATE);
			n++;
		}
		assert_int_equal(n, 1);
		ring_model_end_all(&model);
		ring_model_check(&model);
		ring_model_expect(&model, STAGING_READY);
		assert_int_equal(model.n_copied - before, 16);
	}
	ring_model_finish(&model);
}

/* Invisible damage is copied once it is visible. */
static void invisible_damage_is_copied_when_visible(void **state)
{
	struct ring_model model;
	pixman_region32_t left;
	ring_model_init(&model, false);
	pixman_region32_init_rect(&left, 0, 0, SIDE / 2, SIDE);
	assert_true(ring_model_start(&model, &left, false));
	ring_model_end(&model, 0, true);
	assert_int_equal(model.n_copied, SIDE * SIDE / 2);
	assert_int_equal(ring_status(&model.ring, &left), STAGING_READY);
	ring_model_damage(&model, SIDE / 2, 0, 8, 8);
	assert_false(ring_model_start(&model, &left, false));
	ring_model_expect(&model, STAGING_ABSENT);
	ring_model_copy(&model, 0, false);
	ring_model_check(&model);
	assert_int_equal(model.n_copied, SIDE * SIDE);
	ring_model_expect(&model, STAGING_READY);
	pixman_region32_fini(&left);
	ring_model_finish(&model);
}

/*
 * Exclusive rings, for GPUs: a single buffer has the whole content and is not written while it is
 * read.
 */
static void exclusive_buffer_has_the_whole_content(void **state)
{
	struct ring_model model;
	ring_model_init(&model, true);
	for (int i = 0; i < 6; i++) {
		int64_t before = model.n_copied;
		int slot = i % 2;
		assert_true(ring_model_start(&model, &model.all, false));
		assert_true(model.ring.slots[slot].writing);
		ring_model_check(&model);
		assert_false(ring_model_start(&model, &model.all, false));
		ring_model_end(&model, slot, true);
		ring_model_check(&model);
		assert_false(pixman_region32_not_empty(&model.ring.slots[slot].missing));
		assert_int_equal(model.n_copied - before,
			i < 2 ? SIDE * SIDE : 8 /* damage of this frame and the last one */);
		ring_model_damage(&model, i * 2, 0, 2, 2);
	}
	ring_model_finish(&model);
}

/* While a buffer is read, copies go to another buffer or wait. */
static void buffers_in_use_are_not_written(void **state)
{
	struct ring_model model;
	ring_model_init(&model, true);
	for (int i = 0; i < STAGING_MAX; i++) {
		ring_model_copy(&model, i, false);
		model.ring.slots[i].busy = true;
		ring_model_damage(&model, 3, 3, 4, 4);
	}
	assert_false(ring_model_start(&model, &model.all, false));
	ring_model_expect(&model, STAGING_LATE);
	ring_model_check(&model);
	model.ring.slots[0].busy = false;
	ring_model_copy(&model, 0, false);
	ring_model_expect(&model, STAGING_READY);
	ring_model_finish(&model);
}

static void failed_copy_is_repeated(void **state)
{
	struct ring_model model;
	ring_model_init(&model, false);
	assert_true(ring_model_start(&model, &model.all, false));
	ring_model_end(&model, 0, false);
	ring_model_expect(&model, STAGING_ABSENT);
	ring_model_copy(&model, 0, false);
	ring_model_damage(&model, 5, 5, 5, 5);
	assert_true(ring_model_start(&model, &model.all, false));
	ring_model_end(&model, 1, false);
	ring_model_check(&model);
	ring_model_expect(&model, STAGING_LATE);
	ring_model_copy(&model, 1, false);
	ring_model_check(&model);
	ring_model_expect(&model, STAGING_READY);

	/* Pixels of a freed buffer must be copied again. */
	ring_remove(&model.ring, 1);
	for (int y = 5; y < 10; y++) {
		for (int x = 5; x < 10; x++) {
			model.copied_version[y][x] = 0;
		}
	}
	ring_model_check(&model);
	ring_model_expect(&model, STAGING_ABSENT);
	ring_model_finish(&model);
}

/* Drags a cover over a surface that changes. Each slot keeps an old stripe that the others lack. */
static void drag_cover(struct ring_model *model)
{
	for (int i = 0; i <= STAGING_MAX; i++) {
		pixman_region32_t needed, cover;
		ring_model_damage(model, 0, 0, SIDE, SIDE);
		pixman_region32_init_rect(&needed, 0, 0, SIDE, SIDE);
		pixman_region32_init_rect(&cover, 2 * i - 2, 0, i > 0 ? 6 : 0, SIDE);
		pixman_region32_subtract(&needed, &needed, &cover);
		assert_true(ring_model_start(model, &needed, true));
		ring_model_end_all(model);
		pixman_region32_fini(&cover);
		pixman_region32_fini(&needed);
	}
}

/* Gives each slot pixels of its own: stripe `few` is the narrowest. */
static void divide(struct ring_model *model, int few)
{
	int x = 0;
	ring_model_damage(model, 0, 0, SIDE, SIDE);
	ring_set_visible(&model->ring, &model->all);
	for (int i = 0; i < STAGING_MAX; i++) {
		int width = i == few ? 1 : i == (few + 1) % STAGING_MAX ? 2 : SIDE - 3;
		pixman_region32_t stripe;
		pixman_region32_init_rect(&stripe, x, 0, (unsigned)width, SIDE);
		ring_model_write(model, i, &stripe);
		pixman_region32_fini(&stripe);
		x += width;
	}
}

/* Otherwise, each slot would be protected for the sake of outdated pixels, for ever. */
static void dragged_cover_does_not_block_later_copies(void **state)
{
	struct ring_model model;
	ring_model_init(&model, true);
	drag_cover(&model);
	/* Slots that are read are not written. */
	model.ring.slots[0].busy = model.ring.slots[1].busy = true;
	assert_true(ring_model_start(&model, &model.all, true));
	assert_true(model.ring.slots[2].writing);
	/* No second one is written before the first is complete. */
	model.ring.slots[0].busy = model.ring.slots[1].busy = false;
	assert_false(ring_model_start(&model, &model.all, true));
	ring_model_end_all(&model);
	ring_model_check(&model);
	ring_model_expect(&model, STAGING_READY);
	ring_model_finish(&model);
}

/* Each copy that ends leaves a slot that may be written at once, wherever the cover goes next. */
static void copies_below_a_cover_leave_a_free_slot(void **state)
{
	for (int x = -2; x < SIDE; x++) {
		for (int width = 1; width <= SIDE; width++) {
			struct ring_model model;
			pixman_region32_t cover, needed;
			ring_model_init(&model, true);
			drag_cover(&model);
			pixman_region32_init_rect(&cover, x, 0, (unsigned)width, SIDE);
			pixman_region32_init(&needed);
			pixman_region32_subtract(&needed, &model.all, &cover);
			bool due = pixman_region32_not_empty(&needed);
			ring_model_damage(&model, 0, 0, SIDE, SIDE);
			assert_int_equal(ring_model_start(&model, &needed, true), due);
			assert_false(ring_is_stuck(&model.ring, &needed, true));
			ring_model_end_all(&model);
			pixman_region32_fini(&cover);
			pixman_region32_fini(&needed);
			ring_model_finish(&model);
		}
	}
}

/* One slot keeps the pixels that a cover hides, while copies go to the other two. */
static void covered_pixels_stay_in_one_slot(void **state)
{
	struct ring_model model;
	pixman_region32_t right;
	ring_model_init(&model, true);
	ring_model_copy(&model, 0, true);
	pixman_region32_init_rect(&right, SIDE / 2, 0, SIDE / 2, SIDE);
	for (int i = 0; i < 6; i++) {
		ring_model_damage(&model, SIDE / 2, 0, SIDE / 2, SIDE);
		assert_true(ring_model_start(&model, &right, true));
		ring_model_end_all(&model);
		ring_model_expect(&model, STAGING_READY);
		ring_model_check(&model);
	}
	pixman_region32_fini(&right);
	ring_model_finish(&model);
}

/* The copy for one output leaves the pixels that only another one shows, and brings them, too. */
static void pixels_of_another_output_stay(void **state)
{
	struct ring_model model;
	pixman_region32_t left, region;
	ring_model_init(&model, true);
	ring_model_copy(&model, 0, true);
	ring_model_damage(&model, 0, 0, SIDE, SIDE);
	pixman_region32_init_rect(&left, 0, 0, SIDE / 2, SIDE);
	pixman_region32_init(&region);
	ring_set_visible(&model.ring, &model.all);
	model.ring.full = true;
	assert_int_equal(ring_choose(&model.ring, &left, true, &region), -1);
	model.ring.full = false;
	assert_int_equal(ring_choose(&model.ring, &left, true, &region), 1);
	assert_true(pixman_region32_equal(&region, &model.all));
	pixman_region32_fini(&region);
	pixman_region32_fini(&left);
	ring_model_finish(&model);
}

/* Returns whether one buffer has all pixels. */
static bool has_whole(const struct ring_model *model)
{
	bool whole = false;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &model->ring.slots[i];
		whole |= slot->exists &&
			 !pixman_region32_not_empty((pixman_region32_t *)&slot->missing);
	}
	return whole;
}

/* For the CPU, as after scaling a window: buffers may be shown in parts while one is written. */
static void copies_that_need_one_buffer_hide_no_parts_of_others(void **state)
{
	struct ring_model model;
	ring_model_init(&model, false);
	drag_cover(&model);
	ring_model_expect(&model, STAGING_LATE);
	/* The newest pixels come at once, in parts, and all older ones stay until then. */
	while (ring_model_start(&model, &model.all, true)) {
		ring_model_check(&model);
		ring_model_expect(&model, STAGING_LATE);
	}
	ring_model_end_all(&model);
	ring_model_check(&model);
	ring_model_expect(&model, STAGING_READY);
	/* Then one buffer is completed, also if all pixels have changed. */
	ring_model_damage(&model, 0, 0, SIDE, SIDE);
	assert_true(ring_model_start(&model, &model.all, true));
	assert_false(ring_model_start(&model, &model.all, true));
	ring_model_expect(&model, STAGING_LATE);
	ring_model_end_all(&model);
	ring_model_check(&model);
	assert_true(has_whole(&model));
	ring_model_finish(&model);
}

/* Without need, no copy makes a hole; then the hole in the surface is the smallest one. */
static void slot_with_the_fewest_pixels_of_its_own_is_written(void **state)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		struct ring_model model;
		ring_model_init(&model, true);
		divide(&model, i);
		ring_model_check(&model);
		assert_false(ring_model_start(&model, &model.all, true));
		assert_true(ring_is_stuck(&model.ring, &model.all, true));
		model.ring.hides = true;
		assert_true(ring_model_start(&model, &model.all, true));
		assert_true(model.ring.slots[i].writing);
		assert_false(ring_is_stuck(&model.ring, &model.all, true));
		ring_model_end_all(&model);
		ring_model_expect(&model, STAGING_READY);
		ring_model_check(&model);
		ring_model_finish(&model);
	}
}

/* Nothing is copied to a retired buffer: two of them would wait for each other. */
static void last_buffer_is_not_retired(void **state)
{
	struct ring_model model;
	ring_model_init(&model, false);
	for (int i = 0; i < 2; i++) {
		pixman_region32_t half, done;
		pixman_region32_init(&done);
		pixman_region32_init_rect(&half, i * SIDE / 2, 0, SIDE / 2, SIDE);
		ring_add(&model.ring, i);
		ring_begin(&model.ring, i, &half);
		ring_end(&model.ring, i, true, &done);
		pixman_region32_fini(&done);
		pixman_region32_fini(&half);
	}
	model.ring.full = true;
	assert_true(ring_retire(&model.ring, 0));
	assert_false(ring_retire(&model.ring, 1));
	/* A third one may take the pixels of both. */
	model.ring.full = false;
	assert_true(ring_retire(&model.ring, 1));
	ring_model_finish(&model);
}

/* The end of its reader lets a copy start that hides nothing. */
static void reader_of_suitable_slot_is_awaited(void **state)
{
	struct ring_model model;
	ring_model_init(&model, true);
	divide(&model, 1);
	ring_remove(&model.ring, 0);
	ring_model_add(&model, 0);
	model.ring.slots[0].busy = true;
	assert_false(ring_model_start(&model, &model.all, true));
	model.ring.slots[0].busy = false;
	assert_true(ring_model_start(&model, &model.all, true));
	assert_true(model.ring.slots[0].writing);
	ring_model_finish(&model);
}

/* Without memory for a second slot, the only one is written although it is shown. */
static void ring_without_further_memory_goes_on(void **state)
{
	for (int mode = 0; mode < 3; mode++) {
		struct ring_model model;
		bool whole = mode > 0;
		ring_model_init(&model, mode == 2);
		ring_model_copy(&model, 0, whole);
		model.ring.full = true;
		ring_model_damage(&model, 3, 3, 4, 4);
		model.ring.slots[0].busy = true;
		assert_false(ring_model_start(&model, &model.all, whole));
		assert_false(ring_is_stuck(&model.ring, &model.all, whole));
		model.ring.slots[0].busy = false;
		assert_false(ring_model_start(&model, &model.all, whole));
		assert_true(ring_is_stuck(&model.ring, &model.all, whole));
		model.ring.hides = true;
		assert_true(ring_model_start(&model, &model.all, whole));
		ring_model_expect(&model, STAGING_ABSENT);
		ring_model_end(&model, 0, true);
		ring_model_expect(&model, STAGING_READY);
		assert_int_equal(model.n_copied, SIDE * SIDE + 16);
		ring_model_check(&model);
		/* Memory may be found for the new size. */
		ring_resize(&model.ring, SIDE, SIDE);
		assert_false(model.ring.full);
		ring_model_finish(&model);
	}
}

/* A client can add many rectangles with each update, and costs grow with their square. */
static void scattered_damage_of_hidden_pixels_stays_small(void **state)
{
	struct ring ring;
	pixman_region32_t damage;
	ring_init(&ring, false);
	ring_resize(&ring, 4096, 4096);
	pixman_region32_clear(&ring.owed);
	pixman_region32_init(&damage);
	for (int i = 0; i < 64; i++) {
		pixman_region32_union_rect(&damage, &damage, 64 * i, i * 7 % 64, 1, 1);
	}
	for (int i = 0; i < 100; i++) {
		pixman_region32_translate(&damage, 2, i % 2 ? 40 : -39);
		ring_damage(&ring, &damage);
		assert_in_range(pixman_region32_n_rects(&ring.owed), 1, 64);
	}
	/* All of it is still owed, and nothing that is far away. */
	pixman_region32_t lost;
	pixman_region32_init(&lost);
	pixman_region32_intersect_rect(&damage, &damage, 0, 0, 4096, 4096);
	pixman_region32_subtract(&lost, &damage, &ring.owed);
	assert_false(pixman_region32_not_empty(&lost));
	assert_false(pixman_region32_contains_point(&ring.owed, 2000, 3000, NULL));
	pixman_region32_fini(&lost);
	pixman_region32_fini(&damage);
	ring_finish(&ring);
}

/*
 * Random events in random order. In exclusive rings the needed region is constant, since other
 * pixels can be unavailable during a copy. Copies complete in any order, as with two engines.
 */
static void random_events_keep_content_displayable(void **state)
{
	for (int round = 0; round < 300; round++) {
		struct ring_model model;
		pixman_region32_t needed;
		ring_model_init(&model, round % 2);
		pixman_region32_init(&needed);
		for (int step = 0; step < 120; step++) {
			int slot = random_between(0, STAGING_MAX - 1);
			int x = random_between(0, SIDE - 1), y = random_between(0, SIDE - 1);
			switch (random_between(0, 6)) {
			case 0:
			case 1:
				ring_model_damage(&model, x, y, random_between(1, SIDE),
					random_between(1, 6));
				break;
			case 2:
			case 3:
				pixman_region32_fini(&needed);
				pixman_region32_init_rect(&needed, x / 2, y / 2,
					(unsigned)random_between(1, SIDE - x / 2),
					(unsigned)random_between(1, SIDE - y / 2));
				if (model.ring.exclusive) {
					pixman_region32_fini(&needed);
					pixman_region32_init_rect(&needed, 0, 0, SIDE, SIDE);
				}
				ring_model_start(&model, &needed, random_between(0, 3) == 0);
				break;
			case 4:
			case 5:
				if (model.ring.slots[slot].writing) {
					ring_model_end(&model, slot, random_between(0, 4) > 0);
				}
				break;
			default:
				model.ring.slots[slot].busy = model.ring.slots[slot].exists &&
							      !model.ring.slots[slot].writing &&
							      random_between(0, 1);
				break;
			}
			ring_model_check(&model);
		}
		pixman_region32_fini(&needed);
		ring_model_finish(&model);
	}
}

/* The pixels of its copy in flight are owed, and there is memory for another slot. */
static void removed_slot_leaves_its_pixels_to_others(void **state)
{
	struct ring_model model;
	ring_model_init(&model, false);
	ring_model_copy(&model, 0, false);
	ring_model_damage(&model, 2, 2, 4, 4);
	assert_true(ring_model_start(&model, &model.all, false));
	assert_true(model.ring.slots[1].writing);
	model.ring.full = true;
	ring_remove(&model.ring, 1);
	ring_model_expect(&model, STAGING_LATE);
	assert_true(pixman_region32_contains_point(&model.ring.owed, 5, 5, NULL));
	assert_false(model.ring.full || model.ring.slots[1].writing);
	ring_model_finish(&model);
}

static void retired_slots_are_written_again_after_a_resize(void **state)
{
	struct ring_model model;
	ring_model_init(&model, false);
	ring_model_copy(&model, 0, false);
	assert_true(ring_retire(&model.ring, 0));
	ring_resize(&model.ring, SIDE, SIDE);
	for (int i = 0; i < STAGING_MAX; i++) {
		assert_false(model.ring.slots[i].retired);
	}
	ring_model_copy(&model, 0, false);
	ring_model_finish(&model);
}

/* Copies read no buffer whose pixels may change during the copy. */
static void buffer_that_is_written_is_no_sibling(void **state)
{
	struct ring_model model;
	pixman_region32_t corner;
	ring_model_init(&model, false);
	ring_model_copy(&model, 0, false);
	pixman_region32_init_rect(&corner, SIDE - 2, SIDE - 2, 2, 2);
	assert_int_equal(ring_find_sibling(&model.ring, 1, &corner), 0);
	assert_int_equal(ring_find_sibling(&model.ring, 0, &corner), -1);
	ring_model_damage(&model, 0, 0, 2, 2);
	model.ring.full = model.ring.hides = true;
	assert_true(ring_model_start(&model, &model.all, false));
	assert_true(model.ring.slots[0].writing);
	assert_int_equal(ring_find_sibling(&model.ring, 1, &corner), -1);
	ring_model_end(&model, 0, true);
	assert_int_equal(ring_find_sibling(&model.ring, 1, &corner), 0);
	pixman_region32_fini(&corner);
	ring_model_finish(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_is_copied_once),
		cmocka_unit_test(invisible_damage_is_copied_when_visible),
		cmocka_unit_test(exclusive_buffer_has_the_whole_content),
		cmocka_unit_test(buffers_in_use_are_not_written),
		cmocka_unit_test(failed_copy_is_repeated),
		cmocka_unit_test(dragged_cover_does_not_block_later_copies),
		cmocka_unit_test(copies_below_a_cover_leave_a_free_slot),
		cmocka_unit_test(covered_pixels_stay_in_one_slot),
		cmocka_unit_test(pixels_of_another_output_stay),
		cmocka_unit_test(copies_that_need_one_buffer_hide_no_parts_of_others),
		cmocka_unit_test(slot_with_the_fewest_pixels_of_its_own_is_written),
		cmocka_unit_test(last_buffer_is_not_retired),
		cmocka_unit_test(reader_of_suitable_slot_is_awaited),
		cmocka_unit_test(ring_without_further_memory_goes_on),
		cmocka_unit_test(scattered_damage_of_hidden_pixels_stays_small),
		cmocka_unit_test(removed_slot_leaves_its_pixels_to_others),
		cmocka_unit_test(retired_slots_are_written_again_after_a_resize),
		cmocka_unit_test(buffer_that_is_written_is_no_sibling),
		cmocka_unit_test(random_events_keep_content_displayable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
