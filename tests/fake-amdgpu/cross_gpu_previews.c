/* SPDX-License-Identifier: MIT */
/*
 * Previews of a window of another GPU: they show all pixels while the window is partly covered or
 * on an output of another device, and while copies are late.
 */

#include "backend/headless.h"
#include "harness/unit.h"
#include "scene/scene.h"
#include "server/outputs.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "world.h"
#include <drm_fourcc.h>

#define WIDTH 480
#define HEIGHT 200
#define SIDE 160 /* of the window */
#define PREVIEW 80
#define PREVIEW_X 300
#define PREVIEW_Y 40
#define STEPS 400
#define FRAMES_HELD 5
/* Pixels of the window are red, those of the background and of covers are not. */
#define RED 0x800000u

static struct scene_tree *open_preview(struct world *world, struct peer_window *window)
{
	struct scene_tree *preview =
		scene_preview_create(world->fixture->server->shell->layers[SHELL_OVERLAY],
			peer_window_find(window)->surface_tree, &(struct box){0, 0, SIDE, SIDE},
			PREVIEW, PREVIEW);
	scene_node_set_position(&preview->node, PREVIEW_X, PREVIEW_Y);
	return preview;
}

/* Fails unless all of the preview has pixels of the window. */
static void expect_pixels(struct world *world, int step)
{
	struct image *shot = fixture_shot(world->fixture, 0);
	for (int y = PREVIEW_Y + 1; y < PREVIEW_Y + PREVIEW - 1; y++) {
		for (int x = PREVIEW_X + 1; x < PREVIEW_X + PREVIEW - 1; x++) {
			if (!(shot->pixels[y * shot->width + x] & RED)) {
				fail_msg("%s, step %d: no pixel of the window at %d, %d",
					world_describe(world), step, x, y);
			}
		}
	}
	image_destroy(shot);
}

static void paint(struct canvas *canvas, const struct box *box, uint32_t color)
{
	for (int y = box->y; y < box->y + box->height; y++) {
		for (int x = box->x; x < box->x + box->width; x++) {
			*canvas_pixel(canvas, x, y) = 0xff000000 | RED | color;
		}
	}
}

static void commit(struct canvas *canvas, struct peer_window *window, const struct box *box)
{
	canvas_commit(canvas, window, box->x, box->y, box->width, box->height);
}

/* A copy of the same pixels as a whole changes nothing. */
static void expect_newest(struct canvas *canvas, struct peer_window *window, int step)
{
	const struct box all = {0, 0, SIDE, SIDE};
	struct world *world = canvas->world;
	fixture_frames(world->fixture, 8);
	struct image *before = fixture_shot(world->fixture, 0);
	commit(canvas, window, &all);
	fixture_frames(world->fixture, 8);
	struct image *after = fixture_shot(world->fixture, 0);
	for (int y = PREVIEW_Y; y < PREVIEW_Y + PREVIEW; y++) {
		for (int x = PREVIEW_X; x < PREVIEW_X + PREVIEW; x++) {
			const int at = y * before->width + x;
			if (before->pixels[at] != after->pixels[at]) {
				fail_msg("%s, step %d: %06x at %d, %d, not %06x",
					world_describe(world), step, before->pixels[at], x, y,
					after->pixels[at]);
			}
		}
	}
	image_destroy(before);
	image_destroy(after);
}

static void act(struct canvas *canvas, struct peer_window *window, struct peer_window *cover)
{
	const struct box box = {random_between(0, SIDE - 1), random_between(0, SIDE - 1), 1, 1};
	const struct box some = {
		box.x, box.y, random_between(1, SIDE - box.x), random_between(1, SIDE - box.y)};
	switch (random_between(0, 3)) {
	case 0:
	case 1:
		if (canvas->n_released > 0) {
			canvas->n_released = 0;
			paint(canvas, &some, (uint32_t)random_between(0, 0xffff));
			commit(canvas, window, &some);
		}
		break;
	case 2: peer_window_place(cover, box.x - 80, box.y - 80); break;
	default: break;
	}
}

static void preview_shows_all_pixels_of_a_covered_window(void **state)
{
	static const enum world_display displays[] = {
		WORLD_DISPLAY_CPU, WORLD_DISPLAY_INTEGRATED, WORLD_DISPLAY_DISCRETE};
	for (size_t i = 0; i < sizeof(displays) / sizeof(displays[0]); i++) {
		const struct world_options options = {.width = WIDTH,
			.height = HEIGHT,
			.display = displays[i],
			.all_formats = true};
		struct world *world = world_create_with(&options);
		struct canvas canvas;
		int n_held = 0;
		random_seed(i + 1);
		world_set_costs(world);
		canvas_init_sized(&canvas, world, SIDE, SIDE, DRM_FORMAT_XRGB8888, false);
		paint(&canvas, &(struct box){0, 0, SIDE, SIDE}, 0);
		struct peer_window *window = canvas_show(&canvas);
		peer_window_place(window, 0, 0);
		struct peer_window *cover = world_cover(world, 20, 20, 100, 100);
		struct scene_tree *preview = open_preview(world, window);
		world_await_copies(world);
		for (int step = 0; step < STEPS; step++) {
			if (n_held == 0 && random_between(0, 5) == 0) {
				fake_gpu_hold(world->fake);
				n_held = 1;
			} else if (n_held > 0 && ++n_held > random_between(1, FRAMES_HELD)) {
				fake_gpu_release(world->fake);
				n_held = 0;
			}
			act(&canvas, window, cover);
			fixture_frames(world->fixture, 1);
			expect_pixels(world, step);
			if (random_between(0, 15) == 0) {
				fake_gpu_release(world->fake);
				n_held = 0;
				expect_newest(&canvas, window, step);
			}
		}
		fake_gpu_release(world->fake);
		scene_node_destroy(&preview->node);
		canvas_finish(&canvas);
		world_destroy(world);
	}
}

/* One staging buffer has the last update, another one the rest; the client has its buffer back. */
static void preview_that_opens_later_shows_both_parts(void **state)
{
	static const struct box all = {0, 0, SIDE, SIDE}, part = {60, 40, 6, 60};
	for (int translucent = 0; translucent < 2; translucent++) {
		const struct world_options options = {
			.width = WIDTH, .height = HEIGHT, .all_formats = true};
		struct world *world = world_create_with(&options);
		struct canvas canvas;
		world_set_costs(world);
		canvas_init_sized(&canvas, world, SIDE, SIDE, DRM_FORMAT_ARGB8888, false);
		canvas_fill(&canvas, translucent ? 0x80800000 : 0xff800000);
		struct peer_window *window = canvas_show(&canvas);
		peer_window_place(window, 0, 0);
		world_await_copies(world);
		commit(&canvas, window, &all);
		world_await_copies(world);
		const int n = canvas.n_released;
		if (!translucent) {
			paint(&canvas, &part, 0x00ff00);
		}
		commit(&canvas, window, &part);
		fixture_frames(world->fixture, 4);
		assert_int_equal(canvas.n_released, n + 1);
		struct scene_tree *preview = open_preview(world, window);
		fixture_frames(world->fixture, 4);
		struct image *shot = fixture_shot(world->fixture, 0);
		const int corner = (PREVIEW_Y + 2) * shot->width + PREVIEW_X + 2;
		for (int y = 2; y < PREVIEW - 2; y++) {
			for (int x = 2; x < PREVIEW - 2; x++) {
				const uint32_t pixel =
					shot->pixels[corner + (y - 2) * shot->width + x - 2];
				const bool inside = x >= 30 && x < 33 && y >= 20 && y < 50;
				if (translucent) {
					assert_int_equal(pixel, shot->pixels[corner]);
				} else if (inside) {
					assert_int_equal(pixel & 0xffffff, 0x80ff00);
				}
			}
		}
		image_destroy(shot);
		scene_node_destroy(&preview->node);
		canvas_finish(&canvas);
		world_destroy(world);
	}
}

/* Pixels of windows that other devices show are freed there after a while. */
static void preview_stays_on_a_device_without_the_window(void **state)
{
	const struct world_options options = {.width = WIDTH, .height = HEIGHT};
	struct world *world = world_create_with(&options);
	struct server *server = world->fixture->server;
	const struct box all = {0, 0, SIDE, SIDE};
	struct canvas canvas;
	server_outputs_hold(server, true);
	headless_add_output(server->backend, WIDTH, HEIGHT, 60000);
	server_outputs_hold(server, false);
	world_add_device(world);
	fixture_frames(world->fixture, 2);
	canvas_init_sized(&canvas, world, SIDE, SIDE, DRM_FORMAT_XRGB8888, false);
	paint(&canvas, &all, 0);
	struct peer_window *window = canvas_show(&canvas);
	peer_window_place(window, WIDTH + 10, 10);
	struct scene_tree *preview = open_preview(world, window);
	fixture_frames(world->fixture, 8);
	for (int step = 0; step < 100; step++) {
		fake_gpu_hold(world->fake);
		paint(&canvas, &all, (uint32_t)step);
		commit(&canvas, window, &all);
		fixture_frames(world->fixture, 2);
		expect_pixels(world, step);
		fake_gpu_release(world->fake);
		fixture_frames(world->fixture, 2);
		expect_pixels(world, step);
	}
	scene_node_destroy(&preview->node);
	canvas_finish(&canvas);
	world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preview_shows_all_pixels_of_a_covered_window),
		cmocka_unit_test(preview_that_opens_later_shows_both_parts),
		cmocka_unit_test(preview_stays_on_a_device_without_the_window),
	};

	return cmocka_run_group_tests_name("previews", tests, NULL, NULL);
}
