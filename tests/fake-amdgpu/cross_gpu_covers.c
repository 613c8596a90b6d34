/* SPDX-License-Identifier: MIT */
/* Windows of another GPU that change while something is moved over them, also scaled. */

#include "world.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(window_goes_on_after_a_cover_was_dragged),
		cmocka_unit_test(scaled_window_goes_on_after_a_cover_was_dragged),
	};

	return cmocka_run_group_tests_name("covers", tests, NULL, NULL);
}
