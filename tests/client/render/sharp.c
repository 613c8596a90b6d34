/* SPDX-License-Identifier: MIT */
/* [window] upscale = sharp: pixels around the damage, and windows that are not enlarged. */

#include "harness/client/reload.h"
#include "harness/peer.h"
#include "scene/scene.h"
#include "shell/window.h"
#include "viewporter-client-protocol.h"
#include <stdlib.h>
#include <string.h>

#define SIDE 40
#define SHOWN 60

static enum renderer_kind renderer;

struct sharp {
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *window;
	struct peer_buffer *buffers[2];
	struct wp_viewport *viewport;
};

static void paint(struct sharp *sharp, int x, int y, uint32_t color)
{
	for (int i = 0; i < 2; i++) {
		peer_buffer_fill(sharp->buffers[i], x, y, 1, 1, color);
	}
}

static void start(struct sharp *sharp, const char *config)
{
	sharp->fixture = fixture_create(
		&(struct fixture_options){.width = 200, .height = 120, .renderer = renderer});
	assert_true(reload_text(sharp->fixture, config));
	sharp->peer = peer_create(sharp->fixture);
	sharp->window = peer_window_create_unmapped(sharp->peer);
	for (int i = 0; i < 2; i++) {
		sharp->buffers[i] =
			peer_buffer_create(sharp->peer, SIDE, SIDE, WL_SHM_FORMAT_XRGB8888);
	}
	srand(1);
	for (int i = 0; i < SIDE * SIDE; i++) {
		paint(sharp, i % SIDE, i / SIDE, (uint32_t)rand() & 0xffffff);
	}
	struct wp_viewporter *viewporter = peer_bind(sharp->peer, &wp_viewporter_interface, 1);
	sharp->viewport = wp_viewporter_get_viewport(viewporter, sharp->window->surface);
	wp_viewport_set_destination(sharp->viewport, SHOWN, SHOWN);
	peer_surface_show(sharp->window->surface, sharp->buffers[0]);
	fixture_pump(sharp->fixture);
	peer_window_place(sharp->window, 20, 30);
	fixture_settle(sharp->fixture);
}

static struct image *shot_anew(struct sharp *sharp)
{
	scene_output_damage_all(sharp->fixture->server->scene->outputs[0]);
	fixture_settle(sharp->fixture);
	return fixture_shot(sharp->fixture, 0);
}

/* Coordinates of other rectangles differ in their last bits. */
static void expect_same(const struct image *a, const struct image *b)
{
	struct image_difference difference;
	if (!image_compare(a, b, 2, 0, &difference)) {
		fail_msg("pixels at the damage are outdated");
	}
}

static void change_texel(struct sharp *sharp, int step)
{
	const int x = rand() % SIDE, y = rand() % SIDE;
	paint(sharp, x, y, (uint32_t)rand() & 0xffffff);
	wl_surface_attach(sharp->window->surface, sharp->buffers[step % 2]->buffer, 0, 0);
	wl_surface_damage_buffer(sharp->window->surface, x, y, 1, 1);
	wl_surface_commit(sharp->window->surface);
	fixture_settle(sharp->fixture);
}

/* The filter samples two neighbours on each side: their pixels change with a texel. */
static void damage_reaches_all_pixels_that_change(void **state)
{
	struct sharp sharp;
	start(&sharp, "[window game]\ntype = normal\nupscale = sharp\n");
	for (int i = 0; i < 20; i++) {
		/* The first ones repaint buffers that lack the last whole frame. */
		for (int step = 0; step < 6; step++) {
			change_texel(&sharp, step);
		}
		struct image *partial = fixture_shot(sharp.fixture, 0);
		struct image *whole = shot_anew(&sharp);
		expect_same(partial, whole);
		image_destroy(partial);
		image_destroy(whole);
	}
	fixture_destroy(sharp.fixture);
}

static struct image *shot_of(const char *config, int32_t width, int32_t height)
{
	struct sharp sharp;
	start(&sharp, config);
	wp_viewport_set_destination(sharp.viewport, width, height);
	wl_surface_commit(sharp.window->surface);
	fixture_settle(sharp.fixture);
	struct image *shot = shot_anew(&sharp);
	fixture_destroy(sharp.fixture);
	return shot;
}

static bool differs(int32_t width, int32_t height)
{
	struct image *linear =
		shot_of("[window game]\ntype = normal\nupscale = linear\n", width, height);
	struct image *sharp =
		shot_of("[window game]\ntype = normal\nupscale = sharp\n", width, height);
	const bool same = memcmp(linear->pixels, sharp->pixels,
				  (size_t)(linear->width * linear->height) * 4) == 0;
	image_destroy(linear);
	image_destroy(sharp);
	return !same;
}

/* On one axis or both: the filter enlarges. */
static void only_enlarged_windows_are_filtered(void **state)
{
	const bool gles = renderer == RENDERER_GLES;
	assert_false(differs(SIDE, SIDE));
	assert_false(differs(SIDE / 2, SIDE / 2));
	assert_false(differs(SIDE / 2, SHOWN));
	assert_int_equal(differs(SHOWN, SHOWN), gles);
	assert_int_equal(differs(SHOWN, SIDE), gles);
}

int main(int argc, char **argv)
{
	renderer = fixture_renderer(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_reaches_all_pixels_that_change),
		cmocka_unit_test(only_enlarged_windows_are_filtered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
