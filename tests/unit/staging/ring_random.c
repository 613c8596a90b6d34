/* SPDX-License-Identifier: MIT */
/*
 * Random life of a staging ring, against a reference of each pixel: covers that move, several
 * copies in flight, late and failed copies, refused memory, filters, captures and two outputs. No
 * needed pixel is ever wrong or hidden without need, and the newest content can always be reached.
 */

#include "harness/unit.h"
#include "staging/ring_regions.h"
#include "util/region.h"
#include <stdio.h>
#include <string.h>

#define SIDE 16
#define GARBAGE (-1)

/* Sanitizers make each step about ten times slower. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STEPS 60000
#else
#define STEPS 1000000
#endif

/* A life with the same ring and habits of the client has so many steps. */
#define LIFE 400

struct flight {
	int sibling; /* slot that is read first; -1: none */
	pixman_region32_t stale, news; /* from the sibling, from the client's buffer */
	int source[SIDE][SIDE]; /* content of the client's buffer */
};

struct ring_world {
	struct ring ring;
	int client[SIDE][SIDE]; /* version of each pixel */
	int memory[STAGING_MAX][SIDE][SIDE];
	struct flight flights[STAGING_MAX];
	bool read[STAGING_MAX]; /* by a pass */
	int version, n_memories;
	bool siblings; /* the reader's engine copies between slots */
	bool filtered;
	bool fails; /* some copies fail */
	struct box cover, other, output;
	pixman_region32_t visible, needed; /* on both outputs, and on the one that is drawn */
	int64_t n_steps, n_copies, n_ready, n_stuck, n_hidden;
};

#define EACH_PIXEL(x, y)                                                                           \
	for (int y = 0; y < SIDE; y++)                                                             \
		for (int x = 0; x < SIDE; x++)

static bool chance(int one_of)
{
	return random_between(1, one_of) == 1;
}

static struct box random_box(int most)
{
	struct box box = {random_between(0, SIDE - 1), random_between(0, SIDE - 1),
		random_between(1, most), random_between(1, most)};
	return box;
}

static void init_box(pixman_region32_t *region, const struct box *box)
{
	pixman_region32_init_rect(
		region, box->x, box->y, (unsigned)box->width, (unsigned)box->height);
	pixman_region32_intersect_rect(region, region, 0, 0, SIDE, SIDE);
}

static bool is_empty(const pixman_region32_t *region)
{
	return !pixman_region32_not_empty((pixman_region32_t *)region);
}

/* Copies the pixels of the region; `from` NULL: they are being written. */
static void move_pixels(int to[SIDE][SIDE], int from[SIDE][SIDE], const pixman_region32_t *region)
{
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			for (int x = boxes[i].x1; x < boxes[i].x2; x++) {
				to[y][x] = from ? from[y][x] : GARBAGE;
			}
		}
	}
}

static void world_init(struct ring_world *world)
{
	memset(world, 0, sizeof(*world));
	ring_init(&world->ring, chance(2));
	ring_resize(&world->ring, SIDE, SIDE);
	world->version = 1;
	world->n_memories = chance(3) ? random_between(1, STAGING_MAX) : STAGING_MAX;
	world->siblings = world->ring.exclusive && chance(2);
	world->fails = chance(3);
	world->output = (struct box){0, 0, SIDE, SIDE};
	pixman_region32_init_rect(&world->visible, 0, 0, SIDE, SIDE);
	pixman_region32_init_rect(&world->needed, 0, 0, SIDE, SIDE);
	ring_set_visible(&world->ring, &world->visible);
	EACH_PIXEL(x, y)
	{
		world->client[y][x] = 1;
	}
	for (int i = 0; i < STAGING_MAX; i++) {
		world->flights[i].sibling = -1;
		pixman_region32_init(&world->flights[i].stale);
		pixman_region32_init(&world->flights[i].news);
	}
}

static void world_finish(struct ring_world *world)
{
	ring_finish(&world->ring);
	pixman_region32_fini(&world->needed);
	pixman_region32_fini(&world->visible);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_fini(&world->flights[i].stale);
		pixman_region32_fini(&world->flights[i].news);
	}
}

/* As staging_check_readers(). */
static void check_readers(struct ring_world *world)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		bool busy = world->read[i];
		for (int j = 0; j < STAGING_MAX; j++) {
			busy |= world->flights[j].sibling == i;
		}
		world->ring.slots[i].busy = busy && world->ring.slots[i].exists;
	}
}

/* Checks the pixels that are shown, and the status. */
static void check(struct ring_world *world)
{
	enum staging_status status = ring_status(&world->ring, &world->needed);
	pixman_region32_t left, part;
	pixman_region32_init(&part);
	pixman_region32_init(&left);
	pixman_region32_copy(&left, &world->needed);
	for (int i = 0; i < STAGING_MAX; i++) {
		int shown[SIDE][SIDE], n;
		ring_take(&world->ring, i, &left, &part);
		const pixman_box32_t *boxes = pixman_region32_rectangles(&part, &n);
		memcpy(shown, world->memory[i], sizeof(shown));
		for (int b = 0; b < n; b++) {
			for (int y = boxes[b].y1; y < boxes[b].y2; y++) {
				for (int x = boxes[b].x1; x < boxes[b].x2; x++) {
					if (shown[y][x] == GARBAGE ||
						(status == STAGING_READY &&
							shown[y][x] != world->client[y][x])) {
						fail_msg("step %lld: pixel %d,%d of slot %d: %d, "
							 "not %d (status %d)",
							(long long)world->n_steps, x, y, i,
							shown[y][x], world->client[y][x], status);
					}
				}
			}
		}
	}
	assert_int_equal(status == STAGING_ABSENT, pixman_region32_not_empty(&left));
	world->n_ready += status == STAGING_READY;
	pixman_region32_fini(&part);
	pixman_region32_fini(&left);
}

/* Once the client's buffer is released, its pixels are in the ring. */
static void check_complete(const struct ring_world *world)
{
	bool complete = is_empty(&world->ring.owed);
	for (int i = 0; i < STAGING_MAX; i++) {
		complete &= !world->ring.slots[i].writing;
	}
	EACH_PIXEL(x, y)
	{
		bool found = !complete;
		for (int i = 0; i < STAGING_MAX; i++) {
			const struct ring_slot *slot = &world->ring.slots[i];
			found |= slot->exists && world->memory[i][y][x] == world->client[y][x] &&
				 !pixman_region32_contains_point(
					 (pixman_region32_t *)&slot->missing, x, y, NULL);
		}
		if (!found) {
			fail_msg(
				"step %lld: pixel %d,%d was lost", (long long)world->n_steps, x, y);
		}
	}
}

static void draw(struct ring_world *world)
{
	struct box all = {0, 0, SIDE, SIDE}, some = random_box(chance(3) ? SIDE : 4);
	pixman_region32_t damage;
	init_box(&damage, chance(3) ? &all : &some);
	world->version++;
	int now[SIDE][SIDE];
	EACH_PIXEL(x, y)
	{
		now[y][x] = world->version;
	}
	move_pixels(world->client, now, &damage);
	ring_damage(&world->ring, &damage);
	pixman_region32_fini(&damage);
}

/* Each output shows one side of the surface; a capture shows all. */
static void choose_output(struct ring_world *world)
{
	const int side = random_between(0, 2);
	world->output =
		(struct box){side == 1 ? SIDE / 2 : 0, 0, side == 2 ? SIDE : SIDE / 2, SIDE};
}

static void see(struct ring_world *world)
{
	const struct box *box = &world->output;
	pixman_region32_intersect_rect(&world->needed, &world->visible, box->x, box->y,
		(unsigned)box->width, (unsigned)box->height);
	ring_set_visible(&world->ring, &world->visible);
}

/* Drags a cover, opens or closes one, or captures everything. */
static void move_covers(struct ring_world *world)
{
	struct box all = {0, 0, SIDE, SIDE};
	pixman_region32_t cover;
	if (chance(4)) {
		world->cover = chance(2) ? (struct box){0} : random_box(SIDE / 2);
	} else {
		world->cover.x += random_between(-2, 2);
		world->cover.y += random_between(-2, 2);
	}
	if (chance(6)) {
		world->other = chance(2) ? (struct box){0} : random_box(SIDE);
	}
	region_set_box(&world->visible, &all);
	for (int i = 0; i < 2 && !chance(8); i++) {
		init_box(&cover, i == 0 ? &world->cover : &world->other);
		pixman_region32_subtract(&world->visible, &world->visible, &cover);
		pixman_region32_fini(&cover);
	}
	see(world);
}

/*
 * As staging_start_copy(): stale pixels come from a sibling, and gaps between news are copied, too.
 */
static void divide(struct ring_world *world, int index, pixman_region32_t *region)
{
	struct flight *flight = &world->flights[index];
	flight->sibling = -1;
	pixman_region32_clear(&flight->stale);
	pixman_region32_copy(&flight->news, region);
	if (world->siblings && !chance(8)) {
		pixman_region32_t fresh;
		pixman_region32_init(&fresh);
		ring_fresh(&world->ring, index, region, &fresh);
		pixman_region32_subtract(&flight->stale, region, &fresh);
		if (!is_empty(&flight->stale)) {
			flight->sibling = ring_find_sibling(&world->ring, index, &flight->stale);
		}
		if (flight->sibling >= 0) {
			pixman_region32_copy(&flight->news, &fresh);
		} else {
			pixman_region32_clear(&flight->stale);
		}
		pixman_region32_fini(&fresh);
	}
	if (chance(4)) {
		struct box box = random_box(SIDE / 2);
		pixman_region32_t gap, only;
		pixman_region32_init(&only);
		init_box(&gap, &box);
		ring_only(&world->ring, index, &only);
		pixman_region32_subtract(&gap, &gap, &only);
		pixman_region32_union(&flight->news, &flight->news, &gap);
		pixman_region32_fini(&gap);
		pixman_region32_fini(&only);
	}
	pixman_region32_union(region, &flight->stale, &flight->news);
	memcpy(flight->source, world->client, sizeof(flight->source));
}

/*
 * Fails unless no slot, free or read, could take the copy, or a part of it if parts can be shown,
 * without hiding visible pixels, none is being written, and memory is short or copies fail.
 */
static void check_need_to_hide(const struct ring_world *world)
{
	const struct ring *ring = &world->ring;
	assert_true(ring->full || world->fails);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_t only, rest;
		assert_false(ring->slots[i].writing);
		assert_true(ring->slots[i].exists || ring->full);
		if (!ring->slots[i].exists) {
			continue;
		}
		pixman_region32_init(&only);
		pixman_region32_init(&rest);
		ring_only(ring, i, &only);
		pixman_region32_intersect(&only, &only, (pixman_region32_t *)&world->visible);
		pixman_region32_intersect(&rest, (pixman_region32_t *)&ring->owed,
			(pixman_region32_t *)&world->needed);
		pixman_region32_subtract(&rest, &rest, &only);
		assert_true(ring->exclusive ? !is_empty(&only) : is_empty(&rest));
		pixman_region32_fini(&rest);
		pixman_region32_fini(&only);
	}
}

/* Returns whether visible pixels cannot be shown during a copy of the region into the slot. */
static bool hides(const struct ring_world *world, int index, const pixman_region32_t *region)
{
	pixman_region32_t only;
	pixman_region32_init(&only);
	ring_only(&world->ring, index, &only);
	pixman_region32_intersect(&only, &only, (pixman_region32_t *)&world->visible);
	if (!world->ring.exclusive) {
		pixman_region32_intersect(&only, &only, (pixman_region32_t *)region);
	}
	bool result = !is_empty(&only);
	pixman_region32_fini(&only);
	return result;
}

/* Chooses a slot, as staging_copy() does if memory for another one cannot be had. */
static int choose(struct ring_world *world, bool whole, pixman_region32_t *region)
{
	struct ring *ring = &world->ring;
	int index = ring_choose(ring, &world->needed, whole, region);
	if (index >= 0 && !ring->slots[index].exists && index >= world->n_memories) {
		assert_false(ring->full);
		ring->full = true;
		index = ring_choose(ring, &world->needed, whole, region);
	}
	return index;
}

/* Starts a copy. Returns whether one was started. */
static bool start(struct ring_world *world)
{
	bool whole = world->filtered || world->ring.exclusive;
	pixman_region32_t region;
	pixman_region32_init(&region);
	check_readers(world);
	int index = choose(world, whole, &region);
	if (index < 0 && ring_is_stuck(&world->ring, &world->needed, whole)) {
		check_need_to_hide(world);
		world->n_stuck++;
		world->ring.hides = chance(4);
		index = choose(world, whole, &region);
	}
	if (index >= 0) {
		struct ring_slot *slot = &world->ring.slots[index];
		assert_false(slot->writing || slot->busy || is_empty(&region));
		if (!slot->exists) {
			struct box all = {0, 0, SIDE, SIDE};
			pixman_region32_t new;
			init_box(&new, &all);
			move_pixels(world->memory[index], NULL, &new);
			pixman_region32_fini(&new);
			ring_add(&world->ring, index);
		}
		if (hides(world, index, &region)) {
			assert_true(world->ring.hides);
			world->n_hidden++;
		}
		divide(world, index, &region);
		ring_begin(&world->ring, index, &region);
		move_pixels(world->memory[index], NULL, &region);
		world->n_copies++;
		world->ring.hides = false;
	}
	pixman_region32_fini(&region);
	return index >= 0;
}

/* Ends the next step of the slot's copy. */
static void end(struct ring_world *world, int index, bool good)
{
	struct flight *flight = &world->flights[index];
	bool done = flight->sibling < 0 || !good;
	if (good) {
		move_pixels(world->memory[index],
			flight->sibling < 0 ? flight->source : world->memory[flight->sibling],
			flight->sibling < 0 ? &flight->news : &flight->stale);
	}
	flight->sibling = -1;
	if (done) {
		pixman_region32_t region;
		pixman_region32_init(&region);
		ring_end(&world->ring, index, good, &region);
		pixman_region32_fini(&region);
	}
}

/* Returns whether nothing is in flight and the newest pixels are there. */
static bool is_shown(const struct ring_world *world)
{
	bool shown = ring_status(&world->ring, &world->needed) == STAGING_READY;
	for (int i = 0; i < STAGING_MAX; i++) {
		shown &= !world->ring.slots[i].writing;
	}
	return shown;
}

/* All copies end well, and no pass reads: the newest content of `needed` must be reached soon. */
static void settle(struct ring_world *world)
{
	for (int round = 0; round < 40 && !is_shown(world); round++) {
		for (int i = 0; i < STAGING_MAX; i++) {
			world->read[i] = false;
			while (world->ring.slots[i].writing) {
				end(world, i, true);
			}
			check(world);
		}
		while (start(world)) {
			check(world);
		}
	}
	if (ring_status(&world->ring, &world->needed) != STAGING_READY) {
		fail_msg("step %lld: frozen", (long long)world->n_steps);
	}
}

/* A pass reads the slots that it shows, and ends later. */
static void show(struct ring_world *world)
{
	pixman_region32_t left, part;
	pixman_region32_init(&part);
	pixman_region32_init(&left);
	pixman_region32_copy(&left, &world->needed);
	for (int i = 0; i < STAGING_MAX; i++) {
		ring_take(&world->ring, i, &left, &part);
		world->read[i] |= !is_empty(&part);
	}
	pixman_region32_fini(&part);
	pixman_region32_fini(&left);
}

/* Frees a slot whose pixels others have too, as staging_release_memory() does. */
static void free_redundant(struct ring_world *world, int index)
{
	pixman_region32_t only;
	check_readers(world);
	const struct ring_slot *slot = &world->ring.slots[index];
	if (!slot->exists || slot->writing || slot->busy) {
		return;
	}
	pixman_region32_init(&only);
	ring_only(&world->ring, index, &only);
	if (is_empty(&only)) {
		ring_remove(&world->ring, index);
	}
	pixman_region32_fini(&only);
}

/* Ends a step of one copy in flight. */
static void end_any(struct ring_world *world)
{
	int first = random_between(0, STAGING_MAX - 1);
	for (int i = 0; i < STAGING_MAX; i++) {
		int index = (first + i) % STAGING_MAX;
		if (world->ring.slots[index].writing) {
			end(world, index, !world->fails || !chance(12));
			return;
		}
	}
}

static void act_rarely(struct ring_world *world)
{
	switch (random_between(0, 3)) {
	case 0: free_redundant(world, random_between(0, STAGING_MAX - 1)); break;
	case 1: world->filtered = !world->filtered; break;
	case 2: settle(world); break;
	default:
		/* Memory is tried again after a while. */
		world->n_memories = random_between(1, STAGING_MAX);
		world->ring.full = false;
		break;
	}
}

static void act(struct ring_world *world)
{
	switch (random_between(0, 9)) {
	case 0:
	case 1: draw(world); break;
	case 2: move_covers(world); break;
	case 3:
	case 4:
	case 5:
		if (chance(2)) {
			choose_output(world);
			see(world);
		}
		start(world);
		break;
	case 6:
	case 7: end_any(world); break;
	case 8:
		if (chance(3)) {
			show(world);
		}
		break;
	default:
		if (chance(8)) {
			act_rarely(world);
		} else {
			world->read[random_between(0, STAGING_MAX - 1)] = false;
		}
		break;
	}
	check(world);
	check_complete(world);
}

/* Counts the steps of all lives. */
static void no_pixel_is_wrong_or_frozen(void **state)
{
	static struct ring_world world;
	int64_t n = 0, n_copies = 0, n_ready = 0, n_stuck = 0, n_hidden = 0;
	while (n < STEPS) {
		world_init(&world);
		for (world.n_steps = 0; world.n_steps < LIFE; world.n_steps++) {
			act(&world);
		}
		settle(&world);
		n += world.n_steps;
		n_copies += world.n_copies;
		n_ready += world.n_ready;
		n_stuck += world.n_stuck;
		n_hidden += world.n_hidden;
		world_finish(&world);
	}
	print_message("%lld steps, %lld copies, %lld of them hid pixels, %lld were put off; "
		      "%lld times up to date\n",
		(long long)n, (long long)n_copies, (long long)n_hidden, (long long)n_stuck,
		(long long)n_ready);
	assert_true(n_copies > n / 20);
	assert_true(n_ready > n / 10);
	assert_in_range(n_hidden, n_copies / 1000, n_copies / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_pixel_is_wrong_or_frozen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
