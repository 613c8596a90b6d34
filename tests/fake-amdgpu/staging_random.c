/* SPDX-License-Identifier: MIT */
/*
 * Random life of staging rings on emulated GPUs, with a reference of each pixel: clients draw,
 * change size, format and layout, and draw again into buffers that were released early; covers
 * move on two outputs with and without filters, captures need all pixels; copies are late or fail,
 * passes and planes read, memory is refused, the window is hidden for seconds. The cost of a
 * rectangle is lowered with the size of the window, so that holes of some pixels are not merged.
 */

#include "harness/steps.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include "staging_life.h"
#include "util/region.h"
#include <errno.h>

#define FRAME INT64_C(16000000) /* ns */
#define HELD_MAX 24 /* frames; engines are given up after half a second */

/* Frames until all pixels are the newest ones, when nothing delays copies or makes them fail. */
#define FRAMES_MAX 8

#define STEPS 2000 /* of a life */
#define N_STEPS 1000000

static bool chance(int one_of)
{
	return random_between(1, one_of) == 1;
}

/* Frames */

static void dispatch(struct life *life)
{
	for (int i = 0; i < 3; i++) {
		wl_event_loop_dispatch(life->pair.loop, 0);
	}
	while (life->pair.copier->n_opening > 0) {
		wl_event_loop_dispatch(life->pair.loop, -1);
	}
	if (life->pair.copier->costs.changed) {
		life_set_costs(life);
	}
}

/* The pass asks for the part that it draws: what other outputs or windows have damaged. */
static void draw_part(struct life *life, const struct view *view)
{
	const char *reason;
	pixman_region32_t part;
	pixman_region32_init_rect(&part, random_between(0, SIDE - 1), random_between(0, SIDE - 1),
		(unsigned)random_between(20, 200), (unsigned)random_between(20, 200));
	pixman_region32_intersect(&part, &part, (pixman_region32_t *)&view->needed);
	if (pixman_region32_not_empty(&part)) {
		staging_copy(
			life->ring, &life->current->buffer->base, &part, view->filtered, &reason);
	}
	pixman_region32_fini(&part);
}

static void set_shown(struct life *life)
{
	pixman_region32_t shown;
	pixman_region32_init(&shown);
	for (int i = 0; i < CAPTURE; i++) {
		pixman_region32_union(&shown, &shown, &life->views[i].needed);
	}
	staging_set_shown(life->ring, &shown);
	pixman_region32_fini(&shown);
}

/* As content_gather() and the pass after it. */
static void draw_view(struct life *life, struct view *view)
{
	const char *reason = NULL;
	if (!view->due || life->hidden) {
		return;
	}
	view->due = false;
	set_shown(life);
	enum staging_status status = staging_status(life->ring, &view->needed);
	bool absent = status == STAGING_ABSENT;
	if (!life->current && status != STAGING_READY) {
		life_fail(life, "a released buffer is needed");
	}
	if (life->current) {
		struct buffer *buffer = &life->current->buffer->base;
		status = staging_copy(life->ring, buffer, &view->needed, view->filtered, &reason);
		if (status == STAGING_POINTLESS) {
			staging_insist(life->ring);
			status = staging_copy(
				life->ring, buffer, &view->needed, view->filtered, &reason);
		}
	}
	while (life->pair.copier->n_opening > 0) {
		wl_event_loop_dispatch(life->pair.loop, -1);
	}
	if (!absent && status == STAGING_REFUSED &&
		staging_status(life->ring, &view->needed) == STAGING_ABSENT) {
		life_fail(life, "a refused copy hides pixels");
	}
	life_show(life, view, NULL);
	if (status == STAGING_REFUSED && view == &life->views[CAPTURE] &&
		staging_is_refused_for_good(life->ring)) {
		pixman_region32_clear(&view->needed); /* the capture fails */
	}
	if (status != STAGING_READY) {
		return;
	}
	life->n_shown++;
	if (view == &life->views[CAPTURE]) {
		pixman_region32_clear(&view->needed);
	}
	if (life->current && staging_is_complete(life->ring) && chance(2)) {
		life->n_released++;
		life_drop_current(life);
	}
	if (life->current && chance(3)) {
		draw_part(life, view);
	}
}

static void release_gpus(struct life *life)
{
	for (int i = 0; i < 2; i++) {
		fake_gpu_release(life->pair.fakes[i]);
		life->held[i] = false;
	}
}

static void make_frame(struct life *life)
{
	dispatch(life);
	for (int i = 0; i < N_VIEWS; i++) {
		draw_view(life, &life->views[i]);
	}
	life->n_held = life->held[0] || life->held[1] ? life->n_held + 1 : 0;
	if (life->n_held > HELD_MAX) {
		release_gpus(life);
	}
	clock_advance(life->pair.clock, FRAME);
}

static bool is_newest(struct life *life)
{
	bool newest = true;
	for (int i = 0; i < N_VIEWS; i++) {
		newest &= staging_status(life->ring, &life->views[i].needed) == STAGING_READY;
	}
	return newest;
}

/* Returns whether the window becomes up to date, although no event but the ring's asks for it. */
static bool catches_up(struct life *life, int n, int64_t pause)
{
	for (int i = 0; i < n; i++) {
		make_frame(life);
		if (is_newest(life)) {
			return true;
		}
		clock_advance(life->pair.clock, pause);
	}
	return false;
}

static void set_hidden(struct life *life, bool hidden)
{
	life->hidden = hidden;
	staging_set_seen(life->ring, !hidden);
	if (!hidden) {
		life_request_frames(life);
	}
}

/*
 * Copies and passes end; memory is there again. Buffers that the kernel has refused for good are
 * replaced by the client.
 */
static void settle(struct life *life)
{
	for (int i = 0; i < 2; i++) {
		fake_gpu_fail_imports(life->pair.fakes[i], 0, 0);
		fake_gpu_fail_next(life->pair.fakes[i], 0, 0);
		fake_gpu_fail_jobs(life->pair.fakes[i], 0);
	}
	release_gpus(life);
	life_end_passes(life);
	if (life->hidden) {
		set_hidden(life, false);
	}
	bool disturbed = life->disturbed;
	life->disturbed = false;
	if (catches_up(life, FRAMES_MAX, 0)) {
		return;
	}
	bool refused = life->current && gpu_engines_have_refused(life->ring->source,
						&life->current->buffer->base, COPY_SOURCE);
	if ((disturbed || refused) && catches_up(life, 40, 12 * FRAME)) {
		return;
	}
	if (refused) {
		life_drop_images(life);
		dispatch(life);
		life_create_images(life);
		life_commit(life, true);
		if (catches_up(life, 40, 12 * FRAME)) {
			return;
		}
	}
	life_fail(life, "frozen");
}

/* Other events */

static void move_cover(struct life *life)
{
	struct view *view = &life->views[random_between(0, CAPTURE - 1)];
	if (chance(5)) {
		view->cover = chance(2) ? (struct box){0} : life_random_box(20, 40);
	} else {
		view->cover.x += random_between(-8, 8);
		view->cover.y += random_between(-8, 8);
	}
	life_need(life, view);
}

static void disturb(struct life *life)
{
	struct fake_gpu *fake = life->pair.fakes[random_between(0, 1)];
	life->disturbed = true;
	switch (random_between(0, 2)) {
	case 0:
		fake_gpu_fail_imports(fake, chance(2) ? ENOMEM : EINVAL, random_between(1, 3));
		break;
	case 1: fake_gpu_fail_next(fake, ENOMEM, 1); break;
	default:
		if (chance(8)) {
			fake_gpu_fail_jobs(fake, 1);
		}
		break;
	}
}

static void change_view(struct life *life)
{
	struct view *view = &life->views[random_between(0, CAPTURE)];
	if (view == &life->views[CAPTURE]) {
		struct box all = life_all(life);
		region_set_box(&view->needed, &all);
	} else {
		view->filtered = !view->filtered;
	}
	view->due = true;
}

static void change_rarely(struct life *life)
{
	switch (random_between(0, 7)) {
	case 0:
	case 1: disturb(life); break;
	case 2:
	case 3: settle(life); break;
	case 4: life_remake(life); break;
	case 5: set_hidden(life, !life->hidden); break;
	case 6:
		if (life->hidden) {
			release_gpus(life);
			dispatch(life);
			clock_advance(life->pair.clock, 200 * FRAME);
		}
		break;
	default: change_view(life); break;
	}
}

static void act(struct life *life)
{
	int gpu = random_between(0, 1);
	switch (random_between(0, 15)) {
	case 0:
	case 1:
	case 2:
	case 3: life_commit(life, false); break;
	case 4:
	case 5: move_cover(life); break;
	case 6:
	case 7: life_read(life); break;
	case 8: life_end_oldest_pass(life); break;
	case 9:
		life->held[gpu] = !life->held[gpu];
		(life->held[gpu] ? fake_gpu_hold : fake_gpu_release)(life->pair.fakes[gpu]);
		break;
	case 10:
		fake_gpu_release(life->pair.fakes[gpu]);
		life->held[gpu] = false;
		break;
	case 11:
		if (life->held[gpu]) {
			fake_gpu_step(life->pair.fakes[gpu], 1);
		}
		break;
	case 12:
		if (chance(4)) {
			change_rarely(life);
		}
		break;
	default: break;
	}
	make_frame(life);
}

static void life_finish(struct life *life)
{
	life_end_passes(life);
	release_gpus(life);
	life_drop_current(life);
	dispatch(life);
	staging_ring_destroy(life->ring);
	life_drop_images(life);
	for (int i = 0; i < N_VIEWS; i++) {
		pixman_region32_fini(&life->views[i].needed);
	}
	for (int i = 0; i < 2; i++) {
		fake_gpu_fault(life->pair.fakes[i]); /* copies that were made to fail */
	}
	pair_finish(&life->pair);
}

static void windows_never_show_wrong_pixels_nor_freeze(void **state)
{
	static struct life life;
	uint64_t n_shown = 0, n_released = 0, n_discarded = 0;
	life_find_offsets();
	struct steps *steps = steps_begin("staging-random", "CAUSEWAY_SEED", N_STEPS);
	while (steps_next(steps)) {
		life_init(&life, (int)steps->seed);
		for (life.step = 0; life.step < STEPS; life.step++) {
			act(&life);
		}
		settle(&life);
		steps->n += STEPS;
		n_shown += life.n_shown;
		n_released += life.n_released;
		n_discarded += life.n_discarded;
		life_finish(&life);
	}
	print_message("%llu times up to date, %llu early releases, %llu rings discarded\n",
		(unsigned long long)n_shown, (unsigned long long)n_released,
		(unsigned long long)n_discarded);
	assert_true(n_shown > steps->n / 20);
	/* A single life may have none. */
	assert_true(steps->n < 20 * STEPS || (n_released > steps->n / 1000 && n_discarded > 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_never_show_wrong_pixels_nor_freeze),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
