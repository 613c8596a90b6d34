/* SPDX-License-Identifier: MIT */
/*
 * Window of 3840x2160 rendered on another GPU: visible damage is copied once per presented frame,
 * other damage when it becomes visible.
 */

#include "buffer/allocator.h"
#include "frame/frame.h"
#include "protocol/protocol.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "viewporter-client-protocol.h"
#include "world.h"
#include <drm_fourcc.h>

#define WIDTH 3840
#define HEIGHT 2160
#define GROUND 0x336699
/* Side of the damage: a square whose right half lies on the right half of the output. */
#define SIDE 64
#define X (WIDTH / 2 - SIDE / 2)
#define Y 1000
#define CHANGE (UINT64_C(4) * SIDE * SIDE)

struct stage {
	struct world *world;
	struct canvas canvas;
	struct peer_window *window;
};

static void start(struct stage *stage)
{
	stage->world = world_create(WIDTH, HEIGHT);
	canvas_init(&stage->canvas, stage->world);
	canvas_fill(&stage->canvas, GROUND);
	stage->window = canvas_show(&stage->canvas);
	assert_int_equal(world_copied(stage->world), UINT64_C(4) * WIDTH * HEIGHT);
}

static void finish(struct stage *stage)
{
	canvas_finish(&stage->canvas);
	world_destroy(stage->world);
}

static uint64_t n_copies(const struct stage *stage)
{
	return stage->world->fixture->server->copier->totals.copies;
}

static void change(struct stage *stage, uint32_t seed)
{
	canvas_draw(&stage->canvas, X, Y, SIDE, SIDE, seed);
	canvas_commit(&stage->canvas, stage->window, X, Y, SIDE, SIDE);
	fixture_pump(stage->world->fixture);
}

/* Expects the client's pixels around the damage, and one color elsewhere. */
static void expect_pixels(const struct stage *stage, const struct image *image)
{
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			bool inside = x >= X && x < X + SIDE && y >= Y && y < Y + SIDE;
			uint32_t right = inside ? *canvas_pixel(&stage->canvas, x, y) : GROUND;

			if (image->pixels[y * WIDTH + x] != right) {
				fail_msg("%d, %d: %06x, not %06x", x, y,
					image->pixels[y * WIDTH + x], right);
			}
		}
	}
}

static void expect_screen(const struct stage *stage)
{
	struct image *shot = fixture_shot(stage->world->fixture, 0);

	expect_pixels(stage, shot);
	image_destroy(shot);
}

/* The covered half is copied after the cover is removed. */
static void half_covered_damage_is_copied_by_halves(void **state)
{
	struct stage stage;

	start(&stage);
	struct fixture *fixture = stage.world->fixture;
	struct peer_window *cover = world_cover(stage.world, WIDTH / 2, 0, WIDTH / 2, HEIGHT);
	uint64_t before = world_copied(stage.world);
	change(&stage, 7);
	fixture_frames(fixture, 3);
	assert_int_equal(world_copied(stage.world) - before, CHANGE / 2);
	canvas_expect(&stage.canvas, X, Y, SIDE / 2, SIDE);

	peer_window_place(cover, WIDTH, 0);
	fixture_frames(fixture, 4);
	expect_screen(&stage);
	assert_int_equal(world_copied(stage.world) - before, CHANGE);
	finish(&stage);
}

static void last_of_ten_commits_is_copied(void **state)
{
	struct stage stage;

	start(&stage);
	uint64_t before = world_copied(stage.world), copies = n_copies(&stage);
	for (uint32_t frame = 0; frame < 5; frame++) {
		for (uint32_t i = 0; i < 10; i++) {
			change(&stage, frame * 10 + i);
		}
		fixture_frames(stage.world->fixture, 1);
	}
	fixture_frames(stage.world->fixture, 2);
	assert_int_equal(n_copies(&stage) - copies, 5);
	assert_int_equal(world_copied(stage.world) - before, 5 * CHANGE);
	expect_screen(&stage);
	finish(&stage);
}

static void capture(struct stage *stage)
{
	struct server *server = stage->world->fixture->server;
	struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	struct frame_capture capture = {
		.root = peer_window_find(stage->window)->surface_tree,
		.box = {0, 0, WIDTH, HEIGHT},
	};
	int fence;

	assert_int_equal(frame_capture(server->scene, server->device, target, &capture, &fence),
		FRAME_CAPTURE_DRAWN);
	struct image *pixels = image_from_buffer(target);
	expect_pixels(stage, pixels);
	image_destroy(pixels);
	buffer_drop(target);
}

/* Covered completely, then minimized. A capture contains the client's last contents. */
static void hidden_window_is_not_copied_until_captured(void **state)
{
	struct stage stage;

	start(&stage);
	struct fixture *fixture = stage.world->fixture;
	struct peer_window *cover = world_cover(stage.world, 0, 0, WIDTH, HEIGHT);
	uint64_t before = world_copied(stage.world);
	for (uint32_t i = 0; i < 5; i++) {
		change(&stage, i);
		fixture_frames(fixture, 2);
	}
	assert_int_equal(world_copied(stage.world), before);
	capture(&stage);
	assert_int_equal(world_copied(stage.world) - before, CHANGE);

	peer_window_place(cover, WIDTH, 0);
	window_set_minimized(peer_window_find(stage.window), true);
	fixture_settle(fixture);
	for (uint32_t i = 0; i < 5; i++) {
		change(&stage, 10 + i);
		fixture_frames(fixture, 2);
	}
	assert_int_equal(world_copied(stage.world) - before, CHANGE);
	window_set_minimized(peer_window_find(stage.window), false);
	fixture_frames(fixture, 4);
	expect_screen(&stage);
	assert_int_equal(world_copied(stage.world) - before, 2 * CHANGE);
	finish(&stage);
}

/*
 * A game in a lower mode, enlarged to the output, by either filter: 44 % of the bytes of its frames
 * cross, which is the share of its pixels.
 */
static void lower_mode_crosses_with_its_own_pixels(void **state)
{
	for (int sharp = 0; sharp < 2; sharp++) {
		struct world *world = world_create(WIDTH, HEIGHT);
		struct canvas canvas;
		canvas_init_sized(&canvas, world, 2560, 1440, DRM_FORMAT_XRGB8888, false);
		canvas_fill(&canvas, GROUND);
		struct peer_window *window = peer_window_create_unmapped(world->peer);
		struct wp_viewporter *viewporter =
			peer_bind(world->peer, &wp_viewporter_interface, 1);
		wp_viewport_set_destination(
			wp_viewporter_get_viewport(viewporter, window->surface), WIDTH, HEIGHT);
		peer_surface_find(world->peer, window->surface)->rules.sharp = sharp;
		canvas_commit(&canvas, window, 0, 0, 2560, 1440);
		fixture_pump(world->fixture);
		peer_window_place(window, 0, 0);
		peer_surface_find(world->peer, window->surface)->rules.sharp = sharp;
		fixture_frames(world->fixture, 3);
		fixture_settle(world->fixture);
		uint64_t before = world_copied(world);
		for (uint32_t i = 0; i < 3; i++) {
			canvas_draw(&canvas, 0, 0, 2560, 1440, i);
			canvas_commit(&canvas, window, 0, 0, 2560, 1440);
			fixture_frames(world->fixture, 2);
		}
		const uint64_t copied = (world_copied(world) - before) / 3;
		print_message("%s: %llu of %d bytes per frame, %.1f %%\n",
			sharp ? "sharp" : "linear", (unsigned long long)copied, 4 * WIDTH * HEIGHT,
			100.0 * (double)copied / (4.0 * WIDTH * HEIGHT));
		assert_int_equal(copied, UINT64_C(4) * 2560 * 1440);
		canvas_finish(&canvas);
		world_destroy(world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_covered_damage_is_copied_by_halves),
		cmocka_unit_test(last_of_ten_commits_is_copied),
		cmocka_unit_test(hidden_window_is_not_copied_until_captured),
		cmocka_unit_test(lower_mode_crosses_with_its_own_pixels),
	};

	return cmocka_run_group_tests_name("large", tests, NULL, NULL);
}
