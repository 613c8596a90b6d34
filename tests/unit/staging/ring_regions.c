/* SPDX-License-Identifier: MIT */
/* Regions of staging rings: after any event, the newest complete content can be displayed. */

#include "staging/ring_regions.h"
#include "harness/unit.h"
#include "util/region.h"
#include <string.h>

#define SIDE 24
#define GARBAGE (-1)

/* A model of memory: each pixel has the version of the client's content. */
struct regions_world {
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

static void for_each(const pixman_region32_t *region, struct regions_world *world,
	void (*each)(struct regions_world *world, int x, int y, int slot), int slot)
{
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			for (int x = boxes[i].x1; x < boxes[i].x2; x++) {
				assert_in_range(x, 0, SIDE - 1);
				assert_in_range(y, 0, SIDE - 1);
				each(world, x, y, slot);
			}
		}
	}
}

static void fill(int pixels[SIDE][SIDE], int value)
{
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			pixels[y][x] = value;
		}
	}
}

static void setup(struct regions_world *world, bool exclusive)
{
	memset(world, 0, sizeof(*world));
	ring_init(&world->ring, exclusive);
	ring_resize(&world->ring, SIDE, SIDE);
	pixman_region32_init_rect(&world->all, 0, 0, SIDE, SIDE);
	world->version = 1;
	fill(world->client, 1);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_init(&world->region[i]);
	}
}

static void teardown(struct regions_world *world)
{
	ring_finish(&world->ring);
	pixman_region32_fini(&world->all);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_fini(&world->region[i]);
	}
}

static void draw(struct regions_world *world, int x, int y, int slot)
{
	world->client[y][x] = world->version;
}

static void damage(struct regions_world *world, int x, int y, int width, int height)
{
	pixman_region32_t region;
	pixman_region32_init_rect(&region, x, y, (unsigned)width, (unsigned)height);
	pixman_region32_intersect_rect(&region, &region, 0, 0, SIDE, SIDE);
	world->version++;
	for_each(&region, world, draw, 0);
	ring_damage(&world->ring, &region);
	pixman_region32_fini(&region);
}

static void write_pixel(struct regions_world *world, int x, int y, int slot)
{
	world->memory[slot][y][x] = GARBAGE;
	world->copied[slot][y][x] = world->client[y][x];
	world->n_copied++;
}

static void land_pixel(struct regions_world *world, int x, int y, int slot)
{
	int version = world->copied[slot][y][x];
	world->memory[slot][y][x] = version;
	if (version > world->copied_version[y][x]) {
		world->copied_version[y][x] = version;
	}
}

static void hide_pixel(struct regions_world *world, int x, int y, int slot)
{
	world->copied_version[y][x] = 0;
}

/* Notes that pixels are overwritten which only this slot has. */
static void hide(struct regions_world *world, int slot, const pixman_region32_t *written)
{
	pixman_region32_t only;
	pixman_region32_init(&only);
	ring_only(&world->ring, slot, &only);
	pixman_region32_intersect(&only, &only, (pixman_region32_t *)written);
	for_each(&only, world, hide_pixel, slot);
	pixman_region32_fini(&only);
}

/* Starts a copy. Returns false if nothing is missing or no buffer is free. */
static bool start(struct regions_world *world, const pixman_region32_t *needed, bool whole)
{
	pixman_region32_t region;
	int slot;
	pixman_region32_init(&region);
	ring_set_visible(&world->ring, needed);
	slot = ring_choose(&world->ring, needed, whole, &region);
	if (slot >= 0) {
		assert_false(world->ring.slots[slot].writing);
		assert_false(world->ring.slots[slot].busy);
		if (!world->ring.slots[slot].exists) {
			fill(world->memory[slot], GARBAGE);
			ring_add(&world->ring, slot);
		}
		hide(world, slot, &region);
		ring_begin(&world->ring, slot, &region);
		pixman_region32_copy(&world->region[slot], &region);
		for_each(&region, world, write_pixel, slot);
	}
	pixman_region32_fini(&region);
	return slot >= 0;
}

static void end(struct regions_world *world, int slot, bool good)
{
	pixman_region32_t region;
	pixman_region32_init(&region);
	if (good) {
		for_each(&world->region[slot], world, land_pixel, slot);
	}
	ring_end(&world->ring, slot, good, &region);
	pixman_region32_fini(&region);
}

static void end_all(struct regions_world *world)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		if (world->ring.slots[i].writing) {
			end(world, i, true);
		}
	}
}

static void copy_all(struct regions_world *world, int slot, bool whole)
{
	assert_true(start(world, &world->all, whole));
	end(world, slot, true);
}

static int shown[SIDE][SIDE];

static void show_pixel(struct regions_world *world, int x, int y, int slot)
{
	assert_int_equal(shown[y][x], 0);
	assert_int_not_equal(world->memory[slot][y][x], GARBAGE);
	shown[y][x] = world->memory[slot][y][x];
}

/* Checks that every copied pixel can be displayed, in its newest version. */
static void check(struct regions_world *world)
{
	pixman_region32_t left, part;
	memset(shown, 0, sizeof(shown));
	pixman_region32_init_rect(&left, 0, 0, SIDE, SIDE);
	pixman_region32_init(&part);
	for (int i = 0; i < STAGING_MAX; i++) {
		ring_take(&world->ring, i, &left, &part);
		if (world->ring.exclusive && world->ring.slots[i].writing) {
			assert_false(pixman_region32_not_empty(&part));
		}
		for_each(&part, world, show_pixel, i);
	}
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			assert_int_equal(shown[y][x], world->copied_version[y][x]);
		}
	}
	pixman_region32_fini(&part);
	pixman_region32_fini(&left);
}

static void expect_status(const struct regions_world *world, enum staging_status status)
{
	assert_int_equal(ring_status(&world->ring, &world->all), status);
}

static void damage_is_copied_once(void **state)
{
	struct regions_world world;
	setup(&world, false);
	expect_status(&world, STAGING_ABSENT);
	assert_true(start(&world, &world.all, false));
	expect_status(&world, STAGING_ABSENT);
	assert_false(start(&world, &world.all, false));
	end(&world, 0, true);
	expect_status(&world, STAGING_READY);
	assert_int_equal(world.n_copied, SIDE * SIDE);

	/* Every damaged pixel is copied once and at once, while the old content stays available.
	 * Two buffers suffice for changes in place, but not for moving ones. */
	for (int i = 0; i < 20; i++) {
		int64_t before = world.n_copied;
		int n = 0, moved = i < 10 ? 0 : i - 10;
		assert_int_equal(world.ring.slots[2].exists, i > 11);
		damage(&world, moved, moved / 2, 4, 4);
		while (start(&world, &world.all, false)) {
			check(&world);
			expect_status(&world, STAGING_LATE);
			n++;
		}
		assert_int_equal(n, 1);
		end_all(&world);
		check(&world);
		expect_status(&world, STAGING_READY);
		assert_int_equal(world.n_copied - before, 16);
	}
	teardown(&world);
}

/* Invisible damage is copied once it is visible. */
static void invisible_damage_is_copied_when_visible(void **state)
{
	struct regions_world world;
	pixman_region32_t left;
	setup(&world, false);
	pixman_region32_init_rect(&left, 0, 0, SIDE / 2, SIDE);
	assert_true(start(&world, &left, false));
	end(&world, 0, true);
	assert_int_equal(world.n_copied, SIDE * SIDE / 2);
	assert_int_equal(ring_status(&world.ring, &left), STAGING_READY);
	damage(&world, SIDE / 2, 0, 8, 8);
	assert_false(start(&world, &left, false));
	expect_status(&world, STAGING_ABSENT);
	copy_all(&world, 0, false);
	check(&world);
	assert_int_equal(world.n_copied, SIDE * SIDE);
	expect_status(&world, STAGING_READY);
	pixman_region32_fini(&left);
	teardown(&world);
}

/*
 * Exclusive rings, for GPUs: a single buffer has the whole content and is not written while it is
 * read.
 */
static void exclusive_buffer_has_the_whole_content(void **state)
{
	struct regions_world world;
	setup(&world, true);
	for (int i = 0; i < 6; i++) {
		int64_t before = world.n_copied;
		int slot = i % 2;
		assert_true(start(&world, &world.all, false));
		assert_true(world.ring.slots[slot].writing);
		check(&world);
		assert_false(start(&world, &world.all, false));
		end(&world, slot, true);
		check(&world);
		assert_false(pixman_region32_not_empty(&world.ring.slots[slot].missing));
		assert_int_equal(world.n_copied - before,
			i < 2 ? SIDE * SIDE : 8 /* damage of this frame and the last one */);
		damage(&world, i * 2, 0, 2, 2);
	}
	teardown(&world);
}

/* While a buffer is read, copies go to another buffer or wait. */
static void buffers_in_use_are_not_written(void **state)
{
	struct regions_world world;
	setup(&world, true);
	for (int i = 0; i < STAGING_MAX; i++) {
		copy_all(&world, i, false);
		world.ring.slots[i].busy = true;
		damage(&world, 3, 3, 4, 4);
	}
	assert_false(start(&world, &world.all, false));
	expect_status(&world, STAGING_LATE);
	check(&world);
	world.ring.slots[0].busy = false;
	copy_all(&world, 0, false);
	expect_status(&world, STAGING_READY);
	teardown(&world);
}

static void failed_copy_is_repeated(void **state)
{
	struct regions_world world;
	setup(&world, false);
	assert_true(start(&world, &world.all, false));
	end(&world, 0, false);
	expect_status(&world, STAGING_ABSENT);
	copy_all(&world, 0, false);
	damage(&world, 5, 5, 5, 5);
	assert_true(start(&world, &world.all, false));
	end(&world, 1, false);
	check(&world);
	expect_status(&world, STAGING_LATE);
	copy_all(&world, 1, false);
	check(&world);
	expect_status(&world, STAGING_READY);

	/* Pixels of a freed buffer must be copied again. */
	ring_remove(&world.ring, 1);
	for (int y = 5; y < 10; y++) {
		for (int x = 5; x < 10; x++) {
			world.copied_version[y][x] = 0;
		}
	}
	check(&world);
	expect_status(&world, STAGING_ABSENT);
	teardown(&world);
}

/* Drags a cover over a surface that changes. Each slot keeps an old stripe that the others lack. */
static void drag_cover(struct regions_world *world)
{
	for (int i = 0; i <= STAGING_MAX; i++) {
		pixman_region32_t needed, cover;
		damage(world, 0, 0, SIDE, SIDE);
		pixman_region32_init_rect(&needed, 0, 0, SIDE, SIDE);
		pixman_region32_init_rect(&cover, 2 * i - 2, 0, i > 0 ? 6 : 0, SIDE);
		pixman_region32_subtract(&needed, &needed, &cover);
		assert_true(start(world, &needed, true));
		end_all(world);
		pixman_region32_fini(&cover);
		pixman_region32_fini(&needed);
	}
}

/* Gives each slot pixels of its own: stripe `few` is the narrowest. */
static void divide(struct regions_world *world, int few)
{
	int x = 0;
	damage(world, 0, 0, SIDE, SIDE);
	ring_set_visible(&world->ring, &world->all);
	for (int i = 0; i < STAGING_MAX; i++) {
		int width = i == few ? 1 : i == (few + 1) % STAGING_MAX ? 2 : SIDE - 3;
		pixman_region32_t stripe;
		pixman_region32_init_rect(&stripe, x, 0, (unsigned)width, SIDE);
		if (!world->ring.slots[i].exists) {
			fill(world->memory[i], GARBAGE);
			ring_add(&world->ring, i);
		}
		ring_begin(&world->ring, i, &stripe);
		pixman_region32_copy(&world->region[i], &stripe);
		for_each(&stripe, world, write_pixel, i);
		end(world, i, true);
		pixman_region32_fini(&stripe);
		x += width;
	}
}

/* Otherwise, each slot would be protected for the sake of outdated pixels, for ever. */
static void dragged_cover_does_not_block_later_copies(void **state)
{
	struct regions_world world;
	setup(&world, true);
	drag_cover(&world);
	/* Slots that are read are not written. */
	world.ring.slots[0].busy = world.ring.slots[1].busy = true;
	assert_true(start(&world, &world.all, true));
	assert_true(world.ring.slots[2].writing);
	/* No second one is written before the first is complete. */
	world.ring.slots[0].busy = world.ring.slots[1].busy = false;
	assert_false(start(&world, &world.all, true));
	end_all(&world);
	check(&world);
	expect_status(&world, STAGING_READY);
	teardown(&world);
}

/* Each copy that ends leaves a slot that may be written at once, wherever the cover goes next. */
static void copies_below_a_cover_leave_a_free_slot(void **state)
{
	for (int x = -2; x < SIDE; x++) {
		for (int width = 1; width <= SIDE; width++) {
			struct regions_world world;
			pixman_region32_t cover, needed;
			setup(&world, true);
			drag_cover(&world);
			pixman_region32_init_rect(&cover, x, 0, (unsigned)width, SIDE);
			pixman_region32_init(&needed);
			pixman_region32_subtract(&needed, &world.all, &cover);
			bool due = pixman_region32_not_empty(&needed);
			damage(&world, 0, 0, SIDE, SIDE);
			assert_int_equal(start(&world, &needed, true), due);
			assert_false(ring_is_stuck(&world.ring, &needed, true));
			end_all(&world);
			pixman_region32_fini(&cover);
			pixman_region32_fini(&needed);
			teardown(&world);
		}
	}
}

/* One slot keeps the pixels that a cover hides, while copies go to the other two. */
static void covered_pixels_stay_in_one_slot(void **state)
{
	struct regions_world world;
	pixman_region32_t right;
	setup(&world, true);
	copy_all(&world, 0, true);
	pixman_region32_init_rect(&right, SIDE / 2, 0, SIDE / 2, SIDE);
	for (int i = 0; i < 6; i++) {
		damage(&world, SIDE / 2, 0, SIDE / 2, SIDE);
		assert_true(start(&world, &right, true));
		end_all(&world);
		expect_status(&world, STAGING_READY);
		check(&world);
	}
	pixman_region32_fini(&right);
	teardown(&world);
}

/* The copy for one output leaves the pixels that only another one shows, and brings them, too. */
static void pixels_of_another_output_stay(void **state)
{
	struct regions_world world;
	pixman_region32_t left, region;
	setup(&world, true);
	copy_all(&world, 0, true);
	damage(&world, 0, 0, SIDE, SIDE);
	pixman_region32_init_rect(&left, 0, 0, SIDE / 2, SIDE);
	pixman_region32_init(&region);
	ring_set_visible(&world.ring, &world.all);
	world.ring.full = true;
	assert_int_equal(ring_choose(&world.ring, &left, true, &region), -1);
	world.ring.full = false;
	assert_int_equal(ring_choose(&world.ring, &left, true, &region), 1);
	assert_true(pixman_region32_equal(&region, &world.all));
	pixman_region32_fini(&region);
	pixman_region32_fini(&left);
	teardown(&world);
}

/* Returns whether one buffer has all pixels. */
static bool has_whole(const struct regions_world *world)
{
	bool whole = false;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &world->ring.slots[i];
		whole |= slot->exists &&
			 !pixman_region32_not_empty((pixman_region32_t *)&slot->missing);
	}
	return whole;
}

/* For the CPU, as after scaling a window: buffers may be shown in parts while one is written. */
static void copies_that_need_one_buffer_hide_no_parts_of_others(void **state)
{
	struct regions_world world;
	setup(&world, false);
	drag_cover(&world);
	expect_status(&world, STAGING_LATE);
	/* The newest pixels come at once, in parts, and all older ones stay until then. */
	while (start(&world, &world.all, true)) {
		check(&world);
		expect_status(&world, STAGING_LATE);
	}
	end_all(&world);
	check(&world);
	expect_status(&world, STAGING_READY);
	/* Then one buffer is completed, also if all pixels have changed. */
	damage(&world, 0, 0, SIDE, SIDE);
	assert_true(start(&world, &world.all, true));
	assert_false(start(&world, &world.all, true));
	expect_status(&world, STAGING_LATE);
	end_all(&world);
	check(&world);
	assert_true(has_whole(&world));
	teardown(&world);
}

/* Without need, no copy makes a hole; then the hole in the surface is the smallest one. */
static void slot_with_the_fewest_pixels_of_its_own_is_written(void **state)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		struct regions_world world;
		setup(&world, true);
		divide(&world, i);
		check(&world);
		assert_false(start(&world, &world.all, true));
		assert_true(ring_is_stuck(&world.ring, &world.all, true));
		world.ring.hides = true;
		assert_true(start(&world, &world.all, true));
		assert_true(world.ring.slots[i].writing);
		assert_false(ring_is_stuck(&world.ring, &world.all, true));
		end_all(&world);
		expect_status(&world, STAGING_READY);
		check(&world);
		teardown(&world);
	}
}

/* Nothing is copied to a retired buffer: two of them would wait for each other. */
static void last_buffer_is_not_retired(void **state)
{
	struct regions_world world;
	setup(&world, false);
	for (int i = 0; i < 2; i++) {
		pixman_region32_t half, done;
		pixman_region32_init(&done);
		pixman_region32_init_rect(&half, i * SIDE / 2, 0, SIDE / 2, SIDE);
		ring_add(&world.ring, i);
		ring_begin(&world.ring, i, &half);
		ring_end(&world.ring, i, true, &done);
		pixman_region32_fini(&done);
		pixman_region32_fini(&half);
	}
	world.ring.full = true;
	assert_true(ring_retire(&world.ring, 0));
	assert_false(ring_retire(&world.ring, 1));
	/* A third one may take the pixels of both. */
	world.ring.full = false;
	assert_true(ring_retire(&world.ring, 1));
	teardown(&world);
}

/* The end of its reader lets a copy start that hides nothing. */
static void reader_of_suitable_slot_is_awaited(void **state)
{
	struct regions_world world;
	setup(&world, true);
	divide(&world, 1);
	ring_remove(&world.ring, 0);
	fill(world.memory[0], GARBAGE);
	ring_add(&world.ring, 0);
	world.ring.slots[0].busy = true;
	assert_false(start(&world, &world.all, true));
	world.ring.slots[0].busy = false;
	assert_true(start(&world, &world.all, true));
	assert_true(world.ring.slots[0].writing);
	teardown(&world);
}

/* Without memory for a second slot, the only one is written although it is shown. */
static void ring_without_further_memory_goes_on(void **state)
{
	for (int mode = 0; mode < 3; mode++) {
		struct regions_world world;
		bool whole = mode > 0;
		setup(&world, mode == 2);
		copy_all(&world, 0, whole);
		world.ring.full = true;
		damage(&world, 3, 3, 4, 4);
		world.ring.slots[0].busy = true;
		assert_false(start(&world, &world.all, whole));
		assert_false(ring_is_stuck(&world.ring, &world.all, whole));
		world.ring.slots[0].busy = false;
		assert_false(start(&world, &world.all, whole));
		assert_true(ring_is_stuck(&world.ring, &world.all, whole));
		world.ring.hides = true;
		assert_true(start(&world, &world.all, whole));
		expect_status(&world, STAGING_ABSENT);
		end(&world, 0, true);
		expect_status(&world, STAGING_READY);
		assert_int_equal(world.n_copied, SIDE * SIDE + 16);
		check(&world);
		/* Memory may be found for the new size. */
		ring_resize(&world.ring, SIDE, SIDE);
		assert_false(world.ring.full);
		teardown(&world);
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
		struct regions_world world;
		pixman_region32_t needed;
		setup(&world, round % 2);
		pixman_region32_init(&needed);
		for (int step = 0; step < 120; step++) {
			int slot = random_between(0, STAGING_MAX - 1);
			int x = random_between(0, SIDE - 1), y = random_between(0, SIDE - 1);
			switch (random_between(0, 6)) {
			case 0:
			case 1:
				damage(&world, x, y, random_between(1, SIDE), random_between(1, 6));
				break;
			case 2:
			case 3:
				pixman_region32_fini(&needed);
				pixman_region32_init_rect(&needed, x / 2, y / 2,
					(unsigned)random_between(1, SIDE - x / 2),
					(unsigned)random_between(1, SIDE - y / 2));
				if (world.ring.exclusive) {
					pixman_region32_fini(&needed);
					pixman_region32_init_rect(&needed, 0, 0, SIDE, SIDE);
				}
				start(&world, &needed, random_between(0, 3) == 0);
				break;
			case 4:
			case 5:
				if (world.ring.slots[slot].writing) {
					end(&world, slot, random_between(0, 4) > 0);
				}
				break;
			default:
				world.ring.slots[slot].busy = world.ring.slots[slot].exists &&
							      !world.ring.slots[slot].writing &&
							      random_between(0, 1);
				break;
			}
			check(&world);
		}
		pixman_region32_fini(&needed);
		teardown(&world);
	}
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
		cmocka_unit_test(random_events_keep_content_displayable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
