/* SPDX-License-Identifier: MIT */
/* Windows of another GPU that change while something is moved over them, also scaled. */

#include "content/copies.h"
#include "content/internal.h"
#include "frame/frame.h"
#include "staging/staging.h"
#include "world.h"
#include <drm_fourcc.h>
#include <string.h>

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT
#define N_FRAMES 4

/*
 * An output of scale 2 shows the window, of scale 1, with a filter: each frame needs a whole
 * buffer.
 */
static const char scaled[] = "[output HEADLESS-1]\nscale = 2\n";

/* Changes all of the window and fails unless the output shows the new color. */
static void update(struct canvas *canvas, struct peer_window *window, int i)
{
	uint32_t color = 0x010101 * (uint32_t)(i + 1);
	canvas_fill(canvas, color);
	canvas_commit(canvas, window, 0, 0, WIDTH, HEIGHT);
	fixture_frames(canvas->world->fixture, 4);
	struct image *shot = fixture_shot(canvas->world->fixture, 0);
	for (int at = 0; at < WIDTH * HEIGHT; at += 61) {
		if (shot->pixels[at] != color) {
			fail_msg("frame %d: %d, %d: %06x, not %06x", i, at % WIDTH, at / WIDTH,
				shot->pixels[at], color);
		}
	}
	image_destroy(shot);
}

/* The cover is moved in the frame of each commit, as a window that is dragged over a video. */
static void drag(struct canvas *canvas, struct peer_window *window, int n_moves)
{
	struct world *world = canvas->world;
	struct peer_window *cover = world_cover(world, 40, 60, 200, 150);
	for (int i = 0; i < n_moves; i++) {
		canvas_fill(canvas, 0x800000 + (uint32_t)i);
		canvas_commit(canvas, window, 0, 0, WIDTH, HEIGHT);
		peer_window_place(cover, 40 + 30 * i, 60 + 10 * i);
		fixture_frames(world->fixture, 2);
	}
	peer_window_destroy(cover);
	fixture_settle(world->fixture);
}

static void try_covers(struct world *world)
{
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	for (int n_moves = 1; n_moves < 9; n_moves += n_moves < 4 ? 1 : 4) {
		drag(&canvas, window, n_moves);
		for (int i = 0; i < N_FRAMES; i++) {
			update(&canvas, window, i);
		}
	}
	canvas_finish(&canvas);
}

static void scaled_window_goes_on_after_a_cover_was_dragged(void **state)
{
	struct world *world = world_create_configured(WIDTH, HEIGHT, scaled);
	try_covers(world);
	world_destroy(world);
}

static void window_goes_on_after_a_cover_was_dragged(void **state)
{
	struct world *world = world_create(WIDTH, HEIGHT);
	try_covers(world);
	world_destroy(world);
}

#define SIDE 240 /* of each of two outputs */
#define LEFT 120 /* of a window across both */
#define TOP 20

static void expect_across(const struct canvas *canvas, const char *when, int n_updates)
{
	for (int i = 0; i < 2; i++) {
		struct image *shot = fixture_shot(canvas->world->fixture, i);
		for (int at = 0; at < canvas->width * canvas->height; at++) {
			const int x = at % canvas->width, y = at / canvas->width;
			const int column = x + LEFT - i * SIDE;
			const uint32_t pixel = *canvas_pixel(canvas, x, y) & 0xffffff;
			if (column < 0 || column >= SIDE) {
				continue;
			}
			const uint32_t shown = shot->pixels[(y + TOP) * SIDE + column] & 0xffffff;
			if (shown != pixel) {
				fail_msg("%s, %d updates: %d,%d is %06x, not %06x", when, n_updates,
					x, y, shown, pixel);
			}
		}
		image_destroy(shot);
	}
}

/* Draws all of the window but the covered box, on its four sides. */
static void draw_around(struct canvas *canvas, struct peer_window *window, const struct box *box)
{
	const int right = box->x + box->width, bottom = box->y + box->height;
	const struct box sides[] = {{0, 0, canvas->width, box->y},
		{0, bottom, canvas->width, canvas->height - bottom},
		{0, box->y, box->x, box->height},
		{right, box->y, canvas->width - right, box->height}};
	for (int i = 0; i < 4; i++) {
		canvas_update(canvas, window, sides[i].x, sides[i].y, sides[i].width,
			sides[i].height, 50 + (uint32_t)i);
		fixture_frames(canvas->world->fixture, 3);
	}
}

static uint64_t count_frames(const struct world *world)
{
	uint64_t n = 0;
	for (int i = 0; i < 2; i++) {
		const struct scene_output *output = world->fixture->server->scene->outputs[i];
		n += frame_output_stats(frame_output_find(output))->frames;
	}
	return n;
}

/*
 * A GPU shows nothing of a buffer that a copy writes. A cover goes away during that, from pixels
 * that only this buffer has: they are shown when the copy ends, on the output that the copy is for
 * and on the other one, and no frame is drawn in vain until then.
 */
static void uncover_during_copy(bool covers_second, bool draws_second, int n_updates)
{
	struct world *world = world_create_with(&(const struct world_options){.width = SIDE,
		.height = SIDE,
		.n_outputs = 2,
		.display = WORLD_DISPLAY_INTEGRATED});
	const struct box covered = {covers_second ? 140 : 20, 30, 60, 40};
	struct canvas canvas;
	canvas_init_sized(&canvas, world, 240, 150, DRM_FORMAT_XRGB8888, false);
	canvas_draw(&canvas, 0, 0, 240, 150, 1);
	struct peer_window *window = canvas_show(&canvas);
	peer_window_place(window, LEFT, TOP);
	fixture_frames(world->fixture, 6);
	expect_across(&canvas, "at first", n_updates);
	struct peer_window *cover = world_cover(
		world, LEFT + covered.x, TOP + covered.y, covered.width, covered.height);
	draw_around(&canvas, window, &covered);
	for (int i = 0; i <= n_updates; i++) {
		if (i == n_updates) {
			fake_gpu_hold(world->fake);
		}
		canvas_update(
			&canvas, window, draws_second ? 180 : 60, 110, 20, 20, 70 + (uint32_t)i);
		fixture_frames(world->fixture, 3);
	}
	peer_window_destroy(cover);
	fixture_frames(world->fixture, 4);
	const uint64_t n_frames = count_frames(world);
	fixture_frames(world->fixture, 12);
	assert_int_equal(count_frames(world), n_frames);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 6);
	expect_across(&canvas, "uncovered", n_updates);
	canvas_finish(&canvas);
	world_destroy(world);
}

static void pixels_that_a_copy_hides_are_shown_after_it(void **state)
{
	for (int i = 0; i < 2 * 2 * 6; i++) {
		uncover_during_copy(i % 2, i / 2 % 2, i / 4);
	}
}

/* Counts the pixels of the box that the outputs show; fails if they lose one. */
static int count_shown(const struct canvas *canvas, const struct box *box, bool *had)
{
	struct image *shots[2];
	int n = 0;
	for (int i = 0; i < 2; i++) {
		shots[i] = fixture_shot(canvas->world->fixture, i);
	}
	for (int at = 0; at < box->width * box->height; at++) {
		const int x = box->x + at % box->width, y = box->y + at / box->width;
		const int column = (x + LEFT) % SIDE, output = (x + LEFT) / SIDE;
		const uint32_t shown = shots[output]->pixels[(y + TOP) * SIDE + column];
		const bool has = (shown & 0xffffff) == (*canvas_pixel(canvas, x, y) & 0xffffff);
		if (had[at] && !has) {
			fail_msg("%d,%d was shown in the last frame only: %06x", x, y, shown);
		}
		had[at] = has;
		n += has;
	}
	image_destroy(shots[0]);
	image_destroy(shots[1]);
	return n;
}

/*
 * The same, while another copy, which ends at once, gives the uncovered pixels to another buffer.
 * Returns whether it does so.
 */
static bool uncover_before_copy(bool covers_second, bool draws_second, int n_updates)
{
	struct world *world = world_create_with(&(const struct world_options){.width = SIDE,
		.height = SIDE,
		.n_outputs = 2,
		.display = WORLD_DISPLAY_INTEGRATED});
	const struct box covered = {covers_second ? 140 : 20, 30, 60, 40};
	static bool had[60 * 40];
	struct canvas canvas;
	int n = 0;
	memset(had, 0, sizeof(had));
	canvas_init_sized(&canvas, world, 240, 150, DRM_FORMAT_XRGB8888, false);
	canvas_draw(&canvas, 0, 0, 240, 150, 1);
	struct peer_window *window = canvas_show(&canvas);
	peer_window_place(window, LEFT, TOP);
	fixture_frames(world->fixture, 6);
	struct peer_window *cover = world_cover(
		world, LEFT + covered.x, TOP + covered.y, covered.width, covered.height);
	draw_around(&canvas, window, &covered);
	for (int i = 0; i <= n_updates; i++) {
		if (i == n_updates) {
			fake_gpu_hold(world->display);
		}
		canvas_update(&canvas, window, (draws_second ? 140 : 0) + 80 * (i % 2), 100, 20, 20,
			70 + (uint32_t)i);
		fixture_frames(world->fixture, 3);
	}
	peer_window_destroy(cover);
	for (int i = 0; i < 12; i++) {
		if (i % 4 == 1) {
			canvas_update(&canvas, window, 60, 0, 20, 20, 80 + (uint32_t)i);
		}
		fixture_frames(world->fixture, 1);
		n = count_shown(&canvas, &covered, had);
	}
	fake_gpu_release(world->display);
	fixture_frames(world->fixture, 6);
	expect_across(&canvas, "uncovered", n_updates);
	canvas_finish(&canvas);
	world_destroy(world);
	return n > 0;
}

static void pixels_that_a_copy_hides_stay_once_another_copy_shows_them(void **state)
{
	int n = 0;
	for (int i = 0; i < 2 * 2 * 6; i++) {
		n += uncover_before_copy(i % 2, i / 2 % 2, i / 4);
	}
	assert_true(n > 0);
}

/* A plane shows one buffer: pixels that are in two of them stay with the composition. */
static void window_in_two_buffers_is_not_for_planes(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	const struct content *content = content_find(
		peer_surface_find(world->peer, window->surface), world->fixture->server->device);
	struct staging_part parts[STAGING_MAX];
	pixman_region32_t whole;
	bool split = false;
	pixman_region32_init_rect(&whole, 0, 0, WIDTH, HEIGHT);
	struct peer_window *cover = world_cover(world, WIDTH / 2, 0, WIDTH / 2, HEIGHT);
	for (int i = 0; i < 4; i++) {
		canvas_update(&canvas, window, 10 * i, 10 * i, 200, 100, (uint32_t)i + 5);
		fixture_frames(world->fixture, 3);
		const int n = staging_parts(content->copy->ring, &whole, parts);
		const struct buffer *buffer = content->source->plane_buffer(content);
		assert_int_equal(buffer != NULL, staging_is_whole(content->copy->ring));
		split |= n > 1;
		staging_parts_finish(parts, n);
	}
	assert_true(split);
	peer_window_destroy(cover);
	pixman_region32_fini(&whole);
	canvas_finish(&canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(window_goes_on_after_a_cover_was_dragged),
		cmocka_unit_test(scaled_window_goes_on_after_a_cover_was_dragged),
		cmocka_unit_test(pixels_that_a_copy_hides_are_shown_after_it),
		cmocka_unit_test(pixels_that_a_copy_hides_stay_once_another_copy_shows_them),
		cmocka_unit_test_setup_teardown(
			window_in_two_buffers_is_not_for_planes, world_set_up, world_tear_down),
	};

	return cmocka_run_group_tests_name("covers", tests, NULL, NULL);
}
