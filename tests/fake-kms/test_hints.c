/* SPDX-License-Identifier: MIT */
/*
 * Settings that a fullscreen surface requests of an output, VRR, content type and tearing, on cards
 * that refuse them: for good, for a while, or in one state of the output.
 */

#include "content-type-v1-client-protocol.h"
#include "frame/output.h"
#include "server/output.h"
#include "server_common.h"
#include "shell/window.h"
#include "tearing-control-v1-client-protocol.h"
#include "util/clock.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <stdio.h>
#include <xf86drmMode.h>

#define SECOND INT64_C(1000000000)

/* A setting, and the card's property for it; tearing has none. */
static const struct hint {
	const char *kind, *connector, *property;
} hints[] = {
	{"amdgpu", "DP-1", "VRR_ENABLED"},
	{"vc4", "HDMI-A-6", "content type"},
	{"amdgpu", "DP-1", NULL},
};
#define N_HINTS (sizeof(hints) / sizeof(hints[0]))

/* Both modes have the size, so that the game's buffer fills either. */
static const struct fake_screen screen = {
	.maker = "CWY",
	.name = "Games",
	.serial = 1,
	.modes = {{64, 48, 60}, {64, 48, 50}},
	.min_hz = 48,
	.max_hz = 144,
	.max_clock = 100,
	.vrr = true,
};
static const char *const configs[] = {
	"[output *]\nmode = 64x48@60\n",
	"[output *]\nmode = 64x48@50\n",
};

/* A game on one screen. */
struct game {
	struct world *world;
	struct fake_card *card;
	const struct hint *hint;
	struct peer_window *window;
	struct wp_content_type_v1 *type;
	struct wp_tearing_control_v1 *tearing;
};

static void start(struct game *game, struct world *world, const struct hint *hint)
{
	*game = (struct game){.world = world, .hint = hint};
	game->card = fake_card_create(hint->kind);
	fake_card_plug(game->card, hint->connector, &screen);
	begin(world, configs[0]);
	show(world, game->card, 3);
	struct peer *peer = peer_create(world->fixture);
	game->window = peer_window_create(peer, 0, 0, 64, 48, 0xff336699);
	window_request_fullscreen(peer_window_find(game->window), true, NULL);
	fixture_pump(world->fixture);
	peer_buffer_destroy(game->window->buffer);
	game->window->buffer = peer_buffer_create(peer, 64, 48, WL_SHM_FORMAT_XRGB8888);
	game->type = wp_content_type_manager_v1_get_surface_content_type(
		peer_bind(peer, &wp_content_type_manager_v1_interface, 0), game->window->surface);
	game->tearing = wp_tearing_control_manager_v1_get_tearing_control(
		peer_bind(peer, &wp_tearing_control_manager_v1_interface, 0),
		game->window->surface);
	peer_surface_show(game->window->surface, game->window->buffer);
	show(world, game->card, 4);
}

static void end(struct game *game)
{
	fixture_destroy(game->world->fixture);
	game->world->fixture = NULL;
	fake_reset_all();
}

static void draw(struct game *game, int n)
{
	for (int i = 0; i < n; i++) {
		peer_surface_show(game->window->surface, game->window->buffer);
		show(game->world, game->card, 2);
	}
}

/* Draws nothing, but answers frames that the compositor starts by itself. */
static void idle(struct game *game, int64_t ns)
{
	struct clock *clock = game->world->fixture->clock;
	for (const int64_t until = clock_now(clock) + ns; clock_now(clock) < until;) {
		show(game->world, game->card, 1);
	}
}

static void request(struct game *game, bool on)
{
	if (game->hint->property) {
		wp_content_type_v1_set_content_type(game->type,
			on ? WP_CONTENT_TYPE_V1_TYPE_GAME : WP_CONTENT_TYPE_V1_TYPE_NONE);
	} else {
		wp_tearing_control_v1_set_presentation_hint(
			game->tearing, on ? WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC
					  : WP_TEARING_CONTROL_V1_PRESENTATION_HINT_VSYNC);
	}
}

/* Refuses the setting's next request, or all requests with its property. */
static void refuse(struct game *game, int error)
{
	if (game->hint->property) {
		fake_card_refuse_property(game->card, game->hint->property, error);
	} else {
		fake_card_fail(game->card, error, error ? 1 : 0, true);
	}
}

static bool has(struct game *game)
{
	const char *property = game->hint->property;
	if (!property) {
		const uint64_t async = fake_card_counts(game->card).async;
		draw(game, 2);
		return fake_card_counts(game->card).async > async;
	}
	return fake_get(game->card,
		property[0] == 'V' ? fake_crtc_of(game->card, game->hint->connector)
				   : game->hint->connector,
		property);
}

static uint64_t refused(const struct game *game)
{
	return fake_card_counts(game->card).refused;
}

static void refusal_for_good_is_one_test_for_each_wish(void **state)
{
	for (size_t i = 0; i < N_HINTS; i++) {
		struct game game;
		start(&game, *state, &hints[i]);
		refuse(&game, EINVAL);
		request(&game, true);
		draw(&game, 30);
		assert_int_equal(refused(&game), 1);
		assert_false(has(&game));
		idle(&game, 60 * SECOND);
		draw(&game, 3);
		assert_int_equal(refused(&game), 1);
		request(&game, false);
		draw(&game, 2);
		refuse(&game, EINVAL);
		request(&game, true);
		draw(&game, 30);
		assert_int_equal(refused(&game), 2);
		request(&game, false);
		draw(&game, 2);
		refuse(&game, 0);
		request(&game, true);
		draw(&game, 2);
		assert_true(has(&game));
		end(&game);
	}
}

/* Also while the client draws nothing more. */
static void passing_refusal_is_tried_again(void **state)
{
	static const int errors[] = {EBUSY, ENOMEM, EIO, EACCES, EPERM, ENOSPC};
	for (size_t i = 0; i < N_HINTS * 6 * 2; i++) {
		struct game game;
		const bool draws = i / N_HINTS / 6;
		start(&game, *state, &hints[i % N_HINTS]);
		refuse(&game, errors[i / N_HINTS % 6]);
		request(&game, true);
		draw(&game, draws ? 25 : 2);
		assert_int_equal(refused(&game), 1);
		refuse(&game, 0);
		assert_false(has(&game));
		if (!draws) {
			idle(&game, SECOND + SECOND / 10);
		} else {
			draw(&game, 40);
		}
		assert_true(has(&game));
		assert_int_equal(refused(&game), 1);
		end(&game);
	}
}

/* The pauses grow, and end after ten minutes: an idle screen causes no wake-ups then. */
static void tries_become_rare_and_end(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		struct game game;
		start(&game, *state, &hints[i]);
		refuse(&game, EBUSY);
		request(&game, true);
		draw(&game, 2);
		assert_int_equal(refused(&game), 1);
		idle(&game, SECOND + SECOND / 10);
		assert_int_equal(refused(&game), 2);
		idle(&game, 60 * SECOND);
		assert_in_range(refused(&game), 6, 8);
		idle(&game, 700 * SECOND);
		const uint64_t most = refused(&game);
		assert_in_range(most, 20, 26);
		assert_false(clock_advance_to_next(game.world->fixture->clock));
		draw(&game, 3);
		assert_int_equal(refused(&game), most);
		refuse(&game, 0);
		idle(&game, 100 * SECOND);
		draw(&game, 3);
		assert_false(has(&game));
		/* A hotplug event starts them again. */
		fake_card_send_hotplug(game.card, hints[i].connector);
		idle(&game, 2 * SECOND);
		assert_true(has(&game));
		end(&game);
	}
}

/* A mode for which the card refuses the setting says nothing about others. */
static void refusal_of_one_mode_does_not_count_in_another(void **state)
{
	for (size_t i = 0; i < N_HINTS; i++) {
		struct game game;
		start(&game, *state, &hints[i]);
		refuse(&game, EINVAL);
		request(&game, true);
		draw(&game, 4);
		assert_false(has(&game));
		refuse(&game, 0);
		reload(game.world, configs[1]);
		idle(&game, 2 * SECOND);
		if (!hints[i].property) {
			draw(&game, 3);
		}
		assert_true(has(&game));
		end(&game);
	}
}

/* The session returns from another terminal, where another program may have changed the card. */
static void refusal_does_not_outlive_the_terminal(void **state)
{
	for (size_t i = 0; i < N_HINTS; i++) {
		struct game game;
		start(&game, *state, &hints[i]);
		refuse(&game, EINVAL);
		request(&game, true);
		draw(&game, 4);
		assert_false(has(&game));
		fake_seat_set_active(false);
		fixture_pump(game.world->fixture);
		refuse(&game, 0);
		fake_seat_set_active(true);
		idle(&game, 2 * SECOND);
		draw(&game, 3);
		assert_true(has(&game));
		end(&game);
	}
}

static uint32_t rate_of(struct game *game)
{
	size_t size;
	const drmModeModeInfo *mode = fake_get_blob(
		game->card, fake_crtc_of(game->card, game->hint->connector), "MODE_ID", &size);
	return mode ? mode->vrefresh : 0;
}

/* A mode is worth more than a setting that the card refuses in it. */
static void mode_is_set_without_a_refused_setting(void **state)
{
	static const int errors[] = {EINVAL, ERANGE, ENOSPC, ENOMEM};
	for (size_t i = 0; i < 2 * 4; i++) {
		struct game game;
		start(&game, *state, &hints[i % 2]);
		request(&game, true);
		draw(&game, 2);
		assert_true(has(&game));
		refuse(&game, errors[i / 2]);
		reload(game.world, configs[1]);
		draw(&game, 3);
		assert_int_equal(rate_of(&game), 50);
		assert_false(has(&game));
		const struct output *output = find_output(game.world, game.hint->connector);
		assert_false(output->adaptive_sync);
		assert_int_equal(output->content, OUTPUT_CONTENT_NONE);
		struct server_output *entry = find_entry(game.world, game.hint->connector);
		server_output_set_power(entry, false);
		assert_int_equal(width_of(game.card, game.hint->connector), 0);
		server_output_set_power(entry, true);
		draw(&game, 3);
		assert_int_equal(rate_of(&game), 50);
		assert_false(has(&game));
		refuse(&game, 0);
		reload(game.world, configs[0]);
		idle(&game, 2 * SECOND);
		draw(&game, 1);
		assert_int_equal(rate_of(&game), 60);
		assert_true(has(&game));
		end(&game);
	}
}

/* The setting of one output is refused, and the other one has it. */
static void refusal_of_one_output_does_not_count_for_another(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &screen);
	fake_card_plug(card, "DP-2", &screen);
	begin(world, configs[0]);
	show(world, card, 3);
	fake_card_fail(card, EBUSY, 1, true);
	reload(world, "[output *]\nmode = 64x48@60\nadaptive-sync = on\n");
	for (int i = 0; i < 2; i++) {
		scene_output_damage_all(world->fixture->server->scene->outputs[i]);
	}
	show(world, card, 6);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "VRR_ENABLED") +
				 fake_get(card, fake_crtc_of(card, "DP-2"), "VRR_ENABLED"),
		1);
	show(world, card, 70);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "VRR_ENABLED"), 1);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-2"), "VRR_ENABLED"), 1);
}

/* An overlay or a cursor on a plane of its own may be the reason. */
static void refusal_beside_other_planes_does_not_count_without_them(void **state)
{
	struct game game;
	start(&game, *state, &hints[0]);
	refuse(&game, EINVAL);
	request(&game, true);
	draw(&game, 4);
	refuse(&game, 0);
	idle(&game, 2 * SECOND);
	draw(&game, 4);
	assert_false(has(&game));
	fake_input_move(fake_input_add("Mouse", FAKE_MOUSE), 1, 1);
	idle(&game, 2 * SECOND);
	assert_true(has(&game));
	end(&game);
}

/* The card refuses the frame in any case: its test says nothing about the setting. */
static void refused_frame_does_not_count_as_a_refused_setting(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		struct game game;
		start(&game, *state, &hints[i]);
		fake_card_fail(game.card, EINVAL, 2, true);
		request(&game, true);
		draw(&game, 3);
		assert_int_equal(refused(&game), 2);
		assert_true(has(&game));
		end(&game);
	}
}

/* The tests pass, and the commits fail: after the second one, frames go on without the setting. */
static void refused_commits_do_not_stop_frames(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		struct game game;
		start(&game, *state, &hints[i]);
		fake_card_fail(game.card, EINVAL, 2, false);
		request(&game, true);
		draw(&game, 4);
		assert_int_equal(refused(&game), 2);
		assert_false(has(&game));
		const uint64_t flips = fake_card_counts(game.card).flips;
		draw(&game, 10);
		assert_true(fake_card_counts(game.card).flips >= flips + 10);
		draw(&game, 70);
		assert_true(has(&game));
		end(&game);
	}
}

/* The frame waits for the modeset of another output, and is refused after it. */
static void late_refusal_does_not_stop_frames(void **state)
{
	struct game game;
	start(&game, *state, &hints[0]);
	fake_card_set_modesets(game.card, FAKE_MODESETS_SHARED);
	fake_card_plug(game.card, "DP-2", &screen);
	fixture_pump(game.world->fixture);
	request(&game, true);
	peer_surface_show(game.window->surface, game.window->buffer);
	show(game.world, game.card, 2);
	fake_card_fail(game.card, EINVAL, 1, false);
	assert_true(fake_card_finish_modesets(game.card) > 0);
	fake_card_set_modesets(game.card, FAKE_MODESETS_AT_ONCE);
	const uint64_t flips = fake_card_counts(game.card).flips;
	show(game.world, game.card, 4);
	draw(&game, 4);
	assert_int_equal(refused(&game) > 0, true);
	assert_true(fake_card_counts(game.card).flips >= flips + 4);
	assert_false(has(&game));
	draw(&game, 70);
	assert_true(has(&game));
	end(&game);
}

static bool is_variable(struct game *game)
{
	return fake_get(game->card, fake_crtc_of(game->card, game->hint->connector), "VRR_ENABLED");
}

static void set_rate(struct game *game, const char *word)
{
	char text[100];
	snprintf(text, sizeof(text), "%sadaptive-sync = %s\n", configs[0], word);
	reload(game->world, text);
	draw(game, 2);
}

/* In each order, whether the window asks for it or not. */
static void variable_rate_follows_each_change_of_its_setting(void **state)
{
	static const char *const words[] = {"off", "auto", "fullscreen", "on"};
	struct game game;
	start(&game, *state, &hints[0]);
	for (int i = 0; i < 16; i++) {
		for (int plays = 0; plays < 2; plays++) {
			request(&game, plays);
			draw(&game, 2);
			set_rate(&game, words[i / 4]);
			set_rate(&game, words[i % 4]);
			const bool wanted = i % 4 >= 2 || (i % 4 == 1 && plays);
			assert_int_equal(is_variable(&game), wanted);
		}
	}
	end(&game);
}

/* The screen beside it has a variable rate. */
static void screen_without_a_variable_rate_is_lit_if_one_is_configured(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	static struct fake_screen fixed; /* the connector outlives the function */
	fixed = screen;
	fixed.vrr = false;
	fixed.serial = 2;
	fake_card_plug(card, "DP-1", &fixed);
	begin(world, "[output *]\nadaptive-sync = on\n");
	show(world, card, 3);
	assert_int_equal(width_of(card, "DP-1"), 64);
	fake_card_plug(card, "DP-2", &screen);
	show(world, card, 4);
	assert_int_equal(width_of(card, "DP-1"), 64);
	assert_int_equal(width_of(card, "DP-2"), 64);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "VRR_ENABLED"), 0);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-2"), "VRR_ENABLED"), 1);
}

static void variable_rate_ends_with_fullscreen(void **state)
{
	static const char *const words[] = {"auto", "fullscreen"};
	struct world *world = *state;
	for (size_t i = 0; i < 2; i++) {
		struct game game;
		start(&game, world, &hints[0]);
		set_rate(&game, words[i]);
		request(&game, true);
		draw(&game, 2);
		struct window *window = peer_window_find(game.window);
		struct peer_buffer *small =
			peer_buffer_create(game.window->peer, 32, 24, WL_SHM_FORMAT_XRGB8888);
		for (int j = 0; j < 3; j++) {
			assert_true(is_variable(&game));
			window_request_fullscreen(window, false, NULL);
			peer_surface_show(game.window->surface, small);
			show(world, game.card, 4);
			assert_false(is_variable(&game));
			window_request_fullscreen(window, true, NULL);
			draw(&game, 2);
		}
		end(&game);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(refusal_for_good_is_one_test_for_each_wish),
		TEST(passing_refusal_is_tried_again),
		TEST(tries_become_rare_and_end),
		TEST(refusal_of_one_mode_does_not_count_in_another),
		TEST(refusal_does_not_outlive_the_terminal),
		TEST(mode_is_set_without_a_refused_setting),
		TEST(refusal_of_one_output_does_not_count_for_another),
		TEST(refusal_beside_other_planes_does_not_count_without_them),
		TEST(refused_frame_does_not_count_as_a_refused_setting),
		TEST(refused_commits_do_not_stop_frames),
		TEST(late_refusal_does_not_stop_frames),
		TEST(variable_rate_follows_each_change_of_its_setting),
		TEST(screen_without_a_variable_rate_is_lit_if_one_is_configured),
		TEST(variable_rate_ends_with_fullscreen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
