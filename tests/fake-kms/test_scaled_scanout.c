/* SPDX-License-Identifier: MIT */
/* Fullscreen windows on planes at output scales that do not divide the mode. */

#include "frame/frame.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "server/output.h"
#include "server_common.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "viewporter-client-protocol.h"
#include <drm_fourcc.h>
#include <stdio.h>
#include <string.h>

#define CARD "i915" /* whose primary planes do not scale */
#define CONNECTOR "HDMI-A-2"

static const struct fake_screen screen = {
	.maker = "CWY",
	.name = "Many modes",
	.serial = 4004,
	.mm_width = 600,
	.mm_height = 340,
	.modes = {{2560, 1440, 60}, {1920, 1080, 60}, {1366, 768, 60}},
	.min_hz = 50,
	.max_hz = 76,
	.max_clock = 600,
};

struct player {
	struct world *world;
	struct fake_card *card;
	struct peer_window *window;
	struct wp_viewport *viewport;
};

/* Commits buffers of one size, which the viewport maps to the size of the last configure. */
static void play(struct player *player, int width, int height)
{
	struct peer_window *window = player->window;
	struct drawn drawn[2];
	for (int i = 0; i < 2; i++) {
		drawn[i] = draw_on(player->card, window->peer, width, height, DRM_FORMAT_XRGB8888);
	}
	wp_viewport_set_destination(player->viewport, window->width, window->height);
	for (int i = 0; i < 6; i++) {
		attach(player->world, player->card, window, &drawn[i % 2]);
	}
	drop(&drawn[0]);
	drop(&drawn[1]);
}

/* Returns the number of planes with a frame buffer. */
static int count_planes(struct fake_card *card)
{
	int n = 0;
	for (int i = 0; i < 16; i++) {
		char name[16];
		struct fake_scan scan;
		snprintf(name, sizeof(name), "plane-%d", i);
		n += fake_get_scan(card, name, &scan);
	}
	return n;
}

/* Fails unless the primary plane alone shows the part of the buffer that the screen has. */
static void expect_direct(struct player *player, const char *config, int width, int height)
{
	struct scene_output *output = find_entry(player->world, CONNECTOR)->scene_output;
	struct fake_card *card = player->card;
	struct fake_scan scan;
	struct route_choice choice = frame_route(
		output, peer_surface_find(player->window->peer, player->window->surface));
	const char *primary = fake_primary_of(card, CONNECTOR);
	if (strcmp(route_name(choice.source, choice.sink), "scan-out") != 0) {
		fail_msg("%s, buffer %dx%d: %s, %s", config, width, height,
			route_name(choice.source, choice.sink),
			route_choice_text(&choice, choice.reason));
	}
	if (count_planes(card) != 1) {
		fail_msg("%s, buffer %dx%d: composed below it", config, width, height);
	}
	assert_true(fake_get_scan(card, primary, &scan));
	assert_int_equal(scan.crtc_width, output->output->mode.width);
	assert_int_equal(scan.crtc_height, output->output->mode.height);
	assert_int_equal(scan.width, scan.crtc_width);
	assert_int_equal(scan.height, scan.crtc_height);
	/* Pixels beyond the right and lower edges are cut off, at the other ends if turned. */
	const int over = output->transform == WL_OUTPUT_TRANSFORM_180;
	assert_int_equal(fake_get(card, primary, "SRC_X") >> 16, over * (width - scan.width));
	assert_int_equal(fake_get(card, primary, "SRC_Y") >> 16, over * (height - scan.height));
}

static void open_player(
	struct player *player, struct world *world, const char *card, const char *connector)
{
	*player = (struct player){.world = world, .card = fake_card_create(card)};
	fake_card_plug(player->card, connector, &screen);
	begin(world, "");
	struct peer *peer = peer_create(world->fixture);
	player->window = peer_window_create(peer, 0, 0, 640, 480, 0xff336699);
	player->viewport = wp_viewporter_get_viewport(
		peer_bind(peer, &wp_viewporter_interface, 1), player->window->surface);
	window_request_fullscreen(peer_window_find(player->window), true, NULL);
	show(world, player->card, 3);
}

/*
 * The logical size is rounded, so a buffer for it may have some pixels more than the screen. Games
 * choose the pixels of the mode.
 */
static void check_scales(struct world *world, const char *transform)
{
	static const int modes[][2] = {{1920, 1080}, {1366, 768}, {2560, 1440}};
	static const int steps[] = {
		61, 77, 90, 113, 120, 132, 144, 150, 160, 167, 180, 192, 210, 240, 270, 301};
	struct player player;
	open_player(&player, world, CARD, CONNECTOR);
	if (strcmp(transform, "180") == 0) {
		wl_surface_set_buffer_transform(player.window->surface, WL_OUTPUT_TRANSFORM_180);
	}
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) * 3; i++) {
		const int *mode = modes[i % 3];
		const double scale = steps[i / 3] / 120.0;
		char config[160];
		snprintf(config, sizeof(config),
			"[output *]\nmode = %dx%d\nscale = %.6f\ntransform = %s\n", mode[0],
			mode[1], scale, transform);
		reload(player.world, config);
		show(player.world, player.card, 3);
		const int width = scene_pixels(player.window->width, scale);
		const int height = scene_pixels(player.window->height, scale);
		play(&player, mode[0], mode[1]);
		expect_direct(&player, config, mode[0], mode[1]);
		play(&player, width, height);
		expect_direct(&player, config, width, height);
	}
}

static void fullscreen_windows_are_scanned_out_at_each_scale(void **state)
{
	check_scales(*state, "normal");
}

static void turned_windows_are_scanned_out_at_each_scale(void **state)
{
	check_scales(*state, "180");
}

/*
 * Planes turn the buffers of clients that do not. The pixels beyond the screen are the right column
 * and the lowest row of the buffer.
 */
static void planes_turn_all_of_the_screen(void **state)
{
	static const char *const transforms[] = {"normal", "90", "180", "270"};
	static const int steps[] = {150, 160, 180, 210};
	struct player player;
	open_player(&player, *state, "amdgpu", "DP-1");
	for (int i = 0; i < 16; i++) {
		const double scale = steps[i / 4] / 120.0;
		char config[160];
		struct fake_scan scan;
		snprintf(config, sizeof(config),
			"[output *]\nmode = 1366x768\nscale = %.6f\ntransform = %s\n", scale,
			transforms[i % 4]);
		reload(player.world, config);
		show(player.world, player.card, 3);
		const struct peer_window *window = player.window;
		play(&player, scene_pixels(window->width, scale),
			scene_pixels(window->height, scale));
		const char *primary = fake_primary_of(player.card, "DP-1");
		if (fake_get(player.card, primary, "rotation") != 1u << i % 4) {
			fail_msg("%s: the plane does not turn it", config);
		}
		assert_true(fake_get_scan(player.card, primary, &scan));
		assert_int_equal(scan.crtc_width, 1366);
		assert_int_equal(scan.crtc_height, 768);
		assert_int_equal(scan.width, i % 2 ? 768 : 1366);
		assert_int_equal(scan.height, i % 2 ? 1366 : 768);
		assert_int_equal(fake_get(player.card, primary, "SRC_X"), 0);
		assert_int_equal(fake_get(player.card, primary, "SRC_Y"), 0);
	}
}

/* A viewport that scales the mode's pixels to a window that is larger than the screen. */
static void other_sizes_are_scaled(void **state)
{
	struct player player;
	open_player(&player, *state, CARD, CONNECTOR);
	reload(player.world, "[output *]\nmode = 1920x1080\nscale = 1.75\n");
	show(player.world, player.card, 3);
	player.window->width++;
	play(&player, 1920, 1080);
	const struct scene_output *output = find_entry(player.world, CONNECTOR)->scene_output;
	assert_int_equal(output->n_entries, 1);
	assert_false(output->entries[0].unscaled);
	assert_int_equal(output->entries[0].dst.width, 1923);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(fullscreen_windows_are_scanned_out_at_each_scale),
		TEST(turned_windows_are_scanned_out_at_each_scale),
		TEST(planes_turn_all_of_the_screen),
		TEST(other_sizes_are_scaled),
	};
	return cmocka_run_group_tests_name("scaled-scanout", tests, NULL, NULL);
}
