/* SPDX-License-Identifier: MIT */
/* Copied windows whose buffers have the pixels of their size are shown 1:1 at each scale. */

#include "harness/unit.h"
#include "scene/scene.h"
#include "shell/window.h"
#include "viewporter-client-protocol.h"
#include "world.h"
#include <drm_fourcc.h>

#define WIDTH 320
#define HEIGHT 240
#define ROUNDS 60

static enum renderer_kind renderer;

struct player {
	struct world *world;
	struct canvas canvas;
	struct peer_window *window;
	int scale; /* 120ths */
};

static int set_up_with(void **state, enum world_display display)
{
	const struct world_options options = {.width = WIDTH,
		.height = HEIGHT,
		.renderer = renderer,
		.all_formats = true,
		.display = display};
	*state = world_create_with(&options);
	return 0;
}

static int set_up(void **state)
{
	return set_up_with(state, WORLD_DISPLAY_CPU);
}

static int set_up_integrated(void **state)
{
	return set_up_with(state, WORLD_DISPLAY_INTEGRATED);
}

static struct scene_output *first_output(const struct player *player)
{
	return player->world->fixture->server->scene->outputs[0];
}

/* Compares the pixels on the output with those of the buffer. */
static void compare(const struct player *player, const char *when)
{
	const struct surface *surface =
		peer_surface_find(player->world->peer, player->window->surface);
	const struct scene_output *output = first_output(player);
	const int index = scene_surface_find(surface)->node.entry_index[output->index];
	const struct canvas *canvas = &player->canvas;
	assert_true(index >= 0);
	const struct box dst = output->entries[index].dst;
	struct image *shot = fixture_shot(player->world->fixture, 0);
	for (int y = dst.y > 0 ? dst.y : 0; y < HEIGHT && y < dst.y + canvas->height; y++) {
		for (int x = dst.x > 0 ? dst.x : 0; x < WIDTH && x < dst.x + canvas->width; x++) {
			uint32_t is = shot->pixels[y * WIDTH + x] & 0xffffff;
			uint32_t right = *canvas_pixel(canvas, x - dst.x, y - dst.y) & 0xffffff;
			if (is != right) {
				fail_msg("%s, scale %d/120, buffer %dx%d in %dx%d at %d,%d: "
					 "%d,%d is %06x, not %06x",
					when, player->scale, canvas->width, canvas->height,
					dst.width, dst.height, dst.x, dst.y, x, y, is, right);
			}
		}
	}
	image_destroy(shot);
}

/* Moves the window to a place where some of it is visible. */
static void place(const struct player *player)
{
	peer_window_place(player->window, random_between(-1, WIDTH * 120 / player->scale - 1),
		random_between(0, HEIGHT * 120 / player->scale - 1));
}

/* A window is opened, updated in part, and moved. */
static void play_round(struct player *player, struct wp_viewporter *viewporter)
{
	struct world *world = player->world;
	const int width = random_between(4, 200), height = random_between(4, 150);
	const int pixel_width = (width * player->scale + 60) / 120,
		  pixel_height = (height * player->scale + 60) / 120;
	struct canvas *canvas = &player->canvas;
	scene_output_set_scale(first_output(player), player->scale / 120.0);
	canvas_init_sized(canvas, world, pixel_width, pixel_height, DRM_FORMAT_XRGB8888,
		random_between(0, 2) == 0);
	canvas_draw(canvas, 0, 0, pixel_width, pixel_height, 1);
	player->window = peer_window_create_unmapped(world->peer);
	struct wp_viewport *viewport =
		wp_viewporter_get_viewport(viewporter, player->window->surface);
	wp_viewport_set_destination(viewport, width, height);
	canvas_commit(canvas, player->window, 0, 0, pixel_width, pixel_height);
	fixture_pump(world->fixture);
	place(player);
	fixture_frames(world->fixture, 4);
	compare(player, "first");
	int x = random_between(0, pixel_width - 1), y = random_between(0, pixel_height - 1);
	canvas_update(canvas, player->window, x, y, pixel_width - x, pixel_height - y, 7);
	fixture_frames(world->fixture, 3);
	compare(player, "updated");
	place(player);
	fixture_frames(world->fixture, 3);
	compare(player, "moved");
	wp_viewport_destroy(viewport);
	peer_window_destroy(player->window);
	canvas_finish(canvas);
	fixture_frames(world->fixture, 2);
}

/* Steps of 1/120 from 1/4 to 5. */
static void exact_copies_are_shown_pixel_by_pixel(void **state)
{
	struct player player = {.world = *state};
	static const int ranges[][2] = {{120, 360}, {30, 119}, {361, 600}};
	struct wp_viewporter *viewporter =
		peer_bind(player.world->peer, &wp_viewporter_interface, 1);
	random_seed(1);
	for (int i = 0; i < ROUNDS * 3; i++) {
		player.scale = random_between(ranges[i % 3][0], ranges[i % 3][1]);
		play_round(&player, viewporter);
	}
	wp_viewporter_destroy(viewporter);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			exact_copies_are_shown_pixel_by_pixel, set_up, world_tear_down),
		cmocka_unit_test_setup_teardown(
			exact_copies_are_shown_pixel_by_pixel, set_up_integrated, world_tear_down),
	};

	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("cross-gpu-scales", tests, NULL, NULL);
}
