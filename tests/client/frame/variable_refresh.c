/* SPDX-License-Identifier: MIT */
/* Frames outside the fixed refresh cycle: variable refresh rate and tearing. */

#include "backend/headless.h"
#include "content-type-v1-client-protocol.h"
#include "frame/output.h"
#include "harness/client/pacer.h"
#include "harness/client/reload.h"
#include "shell/window.h"
#include "tearing-control-v1-client-protocol.h"
#include "util/signal.h"
#include <stdlib.h>

static void move_cursor(struct fixture *fixture, struct input_device *mouse, int i)
{
	struct input_motion_event event = {.dx = i % 2 ? 3 : -3, .dx_unaccel = i % 2 ? 3 : -3};
	signal_emit(&mouse->events.motion, &event);
	fixture_pump(fixture);
}

/*
 * A game at 45 Hz on a 60 Hz output with variable refresh: each frame is presented at once, and
 * cursor motion at 1000 Hz causes no frames of its own.
 */
static void game_frames_are_presented_at_once(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct input_device *mouse =
		headless_add_input(fixture->server->backend, INPUT_POINTER, "mouse");
	struct pacer *pacer = pacer_create_full(fixture);
	struct wp_content_type_manager_v1 *manager =
		peer_bind(pacer->peer, &wp_content_type_manager_v1_interface, 0);
	struct wp_content_type_v1 *type =
		wp_content_type_manager_v1_get_surface_content_type(manager, pacer->surface);
	struct output *output = fixture->server->scene->outputs[0]->output;
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	assert_false(output->adaptive_sync);
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_GAME);
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_true(output->adaptive_sync);

	uint64_t frames = frame->stats.frames;
	int64_t next = pacer_now(pacer), interval = SECOND / 45, began = pacer_now(pacer);
	for (int i = 0; i < 2000; i++) {
		move_cursor(fixture, mouse, i);
		if (pacer_now(pacer) >= next) {
			pacer_ask_feedback(pacer);
			pacer_draw(pacer);
			next += interval;
		}
		pacing_step(fixture, MS / 2);
		move_cursor(fixture, mouse, i);
		pacing_step(fixture, MS / 2);
	}
	int64_t seconds = (pacer_now(pacer) - began) / SECOND;
	assert_int_equal(seconds, 2);
	assert_in_range(pacer->n_presented, 88, 91);
	assert_in_range(frame->stats.frames - frames, 88, 94);
	for (int i = 5; i < pacer->n_presented; i++) {
		assert_in_range(pacer->shown[i] - pacer->committed[i], 0, MS);
	}
	/* While the game pauses, the cursor moves at a reduced rate. */
	frames = frame->stats.frames;
	for (int i = 0; i < 1000; i++) {
		move_cursor(fixture, mouse, i);
		pacing_step(fixture, MS);
	}
	assert_in_range(frame->stats.frames - frames, 27, 35);
	/* Another content type: the refresh rate is fixed again. */
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_NONE);
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_false(output->adaptive_sync);
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(pacer);
}

/* Makes the pacer's window a game, for which the refresh rate is variable. */
static void begin_game(struct pacer *pacer)
{
	struct wp_content_type_manager_v1 *manager =
		peer_bind(pacer->peer, &wp_content_type_manager_v1_interface, 0);
	struct wp_content_type_v1 *type =
		wp_content_type_manager_v1_get_surface_content_type(manager, pacer->surface);
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_GAME);
	pacer_draw(pacer);
	fixture_settle(pacer->fixture);
	assert_true(pacer->fixture->server->scene->outputs[0]->output->adaptive_sync);
}

/* Each callback is answered by a commit that changes no pixel, like those of idle animations. */
static void commits_without_damage_are_paced(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create_full(fixture);
	begin_game(pacer);
	const int before = pacer->n_done;
	int answered = pacer->n_done - 1;
	const int64_t end = pacer_now(pacer) + SECOND;
	while (pacer_now(pacer) < end) {
		if (pacer->n_done != answered) {
			answered = pacer->n_done;
			pacer_ask_callback(pacer);
			wl_surface_commit(pacer->surface);
		}
		pacing_step(fixture, MS / 4);
	}
	assert_in_range(pacer->n_done - before, 55, 61);
	fixture_destroy(fixture);
	free(pacer);
}

/* The barrier of each is cleared by a refresh of its own. */
static void barriers_without_damage_are_paced(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create_full(fixture);
	begin_game(pacer);
	const int64_t began = pacer_now(pacer);
	for (int i = 0; i < 10; i++) {
		wp_fifo_v1_set_barrier(pacer->fifo);
		wp_fifo_v1_wait_barrier(pacer->fifo);
		wl_surface_commit(pacer->surface);
	}
	fixture_pump(fixture);
	while (pacer_surface(pacer)->n_queued > 0) {
		pacing_step(fixture, MS / 4);
	}
	assert_in_range(pacer_now(pacer) - began, 7 * PERIOD, 11 * PERIOD);
	fixture_destroy(fixture);
	free(pacer);
}

static void handle_sync_output(
	void *data, struct wp_presentation_feedback *feedback, struct wl_output *output)
{
}

static void handle_presented(void *data, struct wp_presentation_feedback *feedback,
	uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds, uint32_t refresh,
	uint32_t sequence_high, uint32_t sequence_low, uint32_t flags)
{
	*(uint32_t *)data = refresh;
}

static void handle_discarded(void *data, struct wp_presentation_feedback *feedback)
{
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

/*
 * Returns the refresh period that the next commit's feedback contains; `drawn`: with new content.
 */
static uint32_t feedback_refresh(struct pacer *pacer, bool drawn)
{
	uint32_t refresh = UINT32_MAX;
	wp_presentation_feedback_add_listener(
		wp_presentation_feedback(pacer->presentation, pacer->surface), &feedback_listener,
		&refresh);
	if (drawn) {
		pacer_draw(pacer);
	} else {
		wl_surface_commit(pacer->surface);
	}
	fixture_settle(pacer->fixture);
	return refresh;
}

static void feedback_has_no_period_with_variable_refresh(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create_full(fixture);
	struct wp_content_type_manager_v1 *manager =
		peer_bind(pacer->peer, &wp_content_type_manager_v1_interface, 0);
	struct wp_content_type_v1 *type =
		wp_content_type_manager_v1_get_surface_content_type(manager, pacer->surface);
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_in_range(feedback_refresh(pacer, true), PERIOD - 1, PERIOD + 1);
	assert_in_range(feedback_refresh(pacer, false), PERIOD - 1, PERIOD + 1);
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_GAME);
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_true(fixture->server->scene->outputs[0]->output->adaptive_sync);
	assert_int_equal(feedback_refresh(pacer, true), 0);
	assert_int_equal(feedback_refresh(pacer, false), 0);
	fixture_destroy(fixture);
	free(pacer);
}

/* A fullscreen surface that asks for tearing is presented at once; a window is not. */
static void tearing_needs_a_fullscreen_surface(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create_full(fixture);
	struct wp_tearing_control_manager_v1 *manager =
		peer_bind(pacer->peer, &wp_tearing_control_manager_v1_interface, 0);
	struct wp_tearing_control_v1 *tearing =
		wp_tearing_control_manager_v1_get_tearing_control(manager, pacer->surface);
	wp_tearing_control_v1_set_presentation_hint(
		tearing, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
	pacer_draw(pacer);
	fixture_settle(fixture);
	const struct schedule *schedule =
		&frame_output_find(fixture->server->scene->outputs[0])->schedule;
	const int64_t vblank = schedule->last_present;
	for (int i = 0; i < 200; i++) {
		/* Torn frames are presented between vblanks, whose time stays known. */
		assert_int_equal((schedule->last_present - vblank) % PERIOD, 0);
		pacer_ask_feedback(pacer);
		pacer_draw(pacer);
		pacing_step(fixture, 0);
		pacing_step(fixture, 3 * MS);
		assert_int_equal(pacer->n_presented, i + 1);
		assert_int_equal(pacer->shown[i], pacer->committed[i]);
	}
	window_request_fullscreen(peer_window_find(pacer->window), false, NULL);
	struct peer_window *above = peer_window_create(pacer->peer, 10, 10, 50, 50, 0xff00ff00);
	fixture_settle(fixture);
	int n = pacer->n_presented;
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_int_equal(pacer->n_presented, n + 1);
	/* Presented at a vblank; torn frames have no sequence number. */
	assert_int_equal(pacer->sequence[n - 1], 0);
	assert_int_not_equal(pacer->sequence[n], 0);
	/* The backend is asked again for the next fullscreen surface. */
	peer_window_destroy(above);
	window_request_fullscreen(peer_window_find(pacer->window), true, NULL);
	fixture_settle(fixture);
	for (int i = 0; i < 3; i++) {
		pacer_ask_feedback(pacer);
		pacer_draw(pacer);
		fixture_settle(fixture);
	}
	assert_int_equal(pacer->n_presented, n + 4);
	assert_int_equal(pacer->sequence[n + 3], 0);
	fixture_destroy(fixture);
	free(pacer);
}

/* The ways in which a game that tears stops, and its output shows other windows. */
enum stop {
	STOP_HINT,
	STOP_FULLSCREEN,
	STOP_MINIMIZED,
	STOP_COVERED,
	STOP_UNMAPPED,
	STOP_DESTROYED,
	STOP_FORBIDDEN,
	N_STOPS,
};

static void stop_tearing(struct pacer *game, struct wp_tearing_control_v1 *tearing, enum stop stop)
{
	struct window *window = peer_window_find(game->window);
	switch (stop) {
	case STOP_HINT:
		wp_tearing_control_v1_set_presentation_hint(
			tearing, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_VSYNC);
		pacer_draw(game);
		break;
	case STOP_FULLSCREEN: window_request_fullscreen(window, false, NULL); break;
	case STOP_MINIMIZED: pacer_hide(game); break;
	case STOP_COVERED: /* by another fullscreen window */ break;
	case STOP_UNMAPPED:
		wl_surface_attach(game->surface, NULL, 0, 0);
		wl_surface_commit(game->surface);
		break;
	case STOP_DESTROYED: peer_window_destroy(game->window); break;
	case STOP_FORBIDDEN:
		assert_true(reload_text(game->fixture, "[output *]\ntearing = false\n"));
		break;
	case N_STOPS: break;
	}
	fixture_settle(game->fixture);
}

/* Of two commits in a period, the frame before the vblank shows the second. */
static void expect_late_frames(struct pacer *pacer)
{
	const struct frame_output *frame =
		frame_output_find(pacer->fixture->server->scene->outputs[0]);
	for (int i = 0; i < 4; i++) {
		pacer_draw(pacer);
		fixture_settle(pacer->fixture);
		const int discarded = pacer->n_discarded, presented = pacer->n_presented;
		const int64_t vblank = schedule_next_vblank(&frame->schedule, pacer_now(pacer));
		for (int n = 0; n < 2; n++) {
			pacing_run_until(pacer->fixture, vblank + (2 + 6 * n) * MS);
			pacer_ask_feedback(pacer);
			pacer_draw(pacer);
			fixture_pump(pacer->fixture);
		}
		pacing_run_until(pacer->fixture, vblank + PERIOD + MS);
		assert_int_equal(pacer->n_discarded, discarded + 1);
		assert_int_equal(pacer->n_presented, presented + 1);
	}
}

/* Frames that started at once would ignore later content, and the limit of the rate. */
static void frames_start_late_again_after_a_tearing_game(void **state)
{
	for (enum stop stop = 0; stop < N_STOPS; stop++) {
		struct fixture *fixture = fixture_create(NULL);
		struct pacer *other = pacer_create(fixture, 10, 10);
		expect_late_frames(other);
		struct pacer *game = pacer_create_full(fixture);
		struct wp_tearing_control_v1 *tearing =
			wp_tearing_control_manager_v1_get_tearing_control(
				peer_bind(game->peer, &wp_tearing_control_manager_v1_interface, 0),
				game->surface);
		wp_tearing_control_v1_set_presentation_hint(
			tearing, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
		for (int i = 0; i < 3; i++) {
			pacer_ask_feedback(game);
			pacer_draw(game);
			fixture_settle(fixture);
		}
		assert_int_equal(game->sequence[game->n_presented - 1], 0); /* torn */
		stop_tearing(game, tearing, stop);
		struct pacer *seen = stop == STOP_FORBIDDEN || stop == STOP_HINT ? game : other;
		if (stop == STOP_FULLSCREEN) {
			seen = pacer_create(fixture, 10, 10);
		} else if (stop == STOP_COVERED) {
			seen = pacer_create_full(fixture);
		}
		expect_late_frames(seen);
		fixture_destroy(fixture);
		if (seen != other && seen != game) {
			free(seen);
		}
		free(other);
		free(game);
	}
}

/* Rules replace the wishes of the client, which has none here. */
static void rules_set_tearing_and_variable_refresh(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	assert_true(reload_text(fixture, "[window game]\ntype = normal\ntearing = yes\n"));
	struct pacer *pacer = pacer_create_full(fixture);
	const struct output *output = fixture->server->scene->outputs[0]->output;
	struct surface *surface = peer_surface_find(pacer->peer, pacer->surface);
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_false(output->adaptive_sync);
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_int_equal(pacer->sequence[pacer->n_presented - 1], 0); /* torn */

	surface->rules.tearing = SURFACE_WISH_OFF;
	surface->rules.variable = SURFACE_WISH_ON;
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_true(output->adaptive_sync);
	surface->rules.variable = SURFACE_WISH_OFF;
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_false(output->adaptive_sync);
	/* The setting of the output comes first. */
	surface->rules.variable = SURFACE_WISH_ON;
	assert_true(reload_text(fixture, "[output *]\nadaptive-sync = off\n"));
	surface->rules.variable = SURFACE_WISH_ON;
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_false(output->adaptive_sync);
	surface->rules.variable = SURFACE_WISH_OFF;
	surface->rules.tearing = SURFACE_WISH_OFF;
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_int_not_equal(pacer->sequence[pacer->n_presented - 1], 0);
	fixture_destroy(fixture);
	free(pacer);
}

/* The kernel refuses frames that tear and change another setting. */
static void handle_drawn(struct wl_listener *listener, void *data)
{
	const struct frame_drawn *drawn = data;
	assert_false(drawn->frame->torn && drawn->frame->hints.sent);
}

static void settings_change_without_tearing(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create_full(fixture);
	struct scene_output *shown = fixture->server->scene->outputs[0];
	struct surface *surface = peer_surface_find(pacer->peer, pacer->surface);
	struct wl_listener drawn = {.notify = handle_drawn};
	wl_signal_add(&frame_output_events(frame_output_find(shown))->drawn, &drawn);
	surface->rules.tearing = SURFACE_WISH_ON;
	for (int i = 0; i < 12; i++) {
		surface->rules.variable = i / 2 % 2 ? SURFACE_WISH_ON : SURFACE_WISH_OFF;
		pacer_ask_feedback(pacer);
		pacer_draw(pacer);
		fixture_settle(fixture);
		assert_int_equal(shown->output->adaptive_sync, i / 2 % 2);
	}
	assert_int_equal(pacer->sequence[pacer->n_presented - 1], 0); /* torn */
	wl_list_remove(&drawn.link);
	fixture_destroy(fixture);
	free(pacer);
}

struct animator {
	struct wl_listener animate;
	struct scene_node *node;
	int n_frames;
};

static void handle_animate(struct wl_listener *listener, void *data)
{
	struct animator *animator = wl_container_of(listener, animator, animate);
	struct scene_animation *animation = data;
	animator->n_frames++;
	scene_node_set_position(animator->node, animator->n_frames % 50, 0);
	animation->continues = true;
}

/* Frames of the cursor alone would wait longer than those of an animation. */
static void animation_keeps_its_rate_while_the_cursor_moves(void **state)
{
	static const float color[4] = {0, 0, 1, 1};
	struct fixture *fixture = fixture_create(NULL);
	struct input_device *mouse =
		headless_add_input(fixture->server->backend, INPUT_POINTER, "mouse");
	struct pacer *pacer = pacer_create_full(fixture);
	struct scene *scene = fixture->server->scene;
	struct scene_tree *tree = scene_tree_create(&scene->root);
	struct animator animator = {.animate.notify = handle_animate, .node = &tree->node};
	scene_rect_create(tree, 20, 20, color);
	assert_true(reload_text(fixture, "[output *]\nadaptive-sync = on\n"));
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_true(scene->outputs[0]->output->adaptive_sync);
	wl_signal_add(&scene->events.animate, &animator.animate);
	scene_output_animate(scene->outputs[0]);
	for (int i = 0; i < 1000; i++) {
		move_cursor(fixture, mouse, i);
		pacing_step(fixture, MS);
	}
	assert_in_range(animator.n_frames, 57, 61);
	wl_list_remove(&animator.animate.link);
	scene_node_destroy(&tree->node);
	fixture_destroy(fixture);
	free(pacer);
}

/* Other windows are seen through it, and change at rates of their own. */
static void translucent_surface_changes_no_setting(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create_full(fixture);
	const struct output *output = fixture->server->scene->outputs[0]->output;
	const struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	pacer_surface(pacer)->rules.variable = SURFACE_WISH_ON;
	pacer_surface(pacer)->rules.tearing = SURFACE_WISH_ON;
	for (int i = 0; i < 4; i++) {
		const bool opaque = i % 2 == 0;
		peer_surface_show(pacer->surface,
			peer_buffer_create(pacer->peer, 320, 240,
				opaque ? WL_SHM_FORMAT_XRGB8888 : WL_SHM_FORMAT_ARGB8888));
		fixture_settle(fixture);
		fixture_settle(fixture);
		assert_int_equal(output->adaptive_sync, opaque);
		assert_int_equal(frame->hints.tears, opaque);
	}
	fixture_destroy(fixture);
	free(pacer);
}

/* By rule, by the client, or by the names of programs that are games. */
static void content_type_of_a_rule_decides(void **state)
{
	static const struct {
		const char *rule, *app_id;
		bool variable;
	} cases[] = {
		{"", "editor", false},
		{"", "steam_app_440", true},
		{"", "pinball.exe", true},
		{"", "gamescope", true},
		{"", "steam", false},
		{"content-type = game\n", "editor", true},
		{"content-type = video\n", "editor", true},
		{"content-type = photo\n", "editor", false},
		{"content-type = none\n", "steam_app_440", false},
		{"adaptive-sync = no\n", "steam_app_440", false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *fixture = fixture_create(NULL);
		char text[128];
		snprintf(text, sizeof(text), "[window a]\ntype = normal\n%s", cases[i].rule);
		assert_true(reload_text(fixture, text));
		struct peer *peer = peer_create(fixture);
		struct peer_window *window = peer_window_create_unmapped(peer);
		xdg_toplevel_set_app_id(window->toplevel, cases[i].app_id);
		xdg_toplevel_set_fullscreen(window->toplevel, NULL);
		wl_surface_commit(window->surface);
		fixture_pump(fixture);
		const struct output *output = fixture->server->scene->outputs[0]->output;
		peer_surface_show(
			window->surface, peer_buffer_create(peer, output->mode.width,
						 output->mode.height, WL_SHM_FORMAT_XRGB8888));
		fixture_settle(fixture);
		print_message("%s %s\n", cases[i].app_id, cases[i].rule);
		assert_int_equal(output->adaptive_sync, cases[i].variable);
		fixture_destroy(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(game_frames_are_presented_at_once),
		cmocka_unit_test(commits_without_damage_are_paced),
		cmocka_unit_test(barriers_without_damage_are_paced),
		cmocka_unit_test(feedback_has_no_period_with_variable_refresh),
		cmocka_unit_test(tearing_needs_a_fullscreen_surface),
		cmocka_unit_test(frames_start_late_again_after_a_tearing_game),
		cmocka_unit_test(rules_set_tearing_and_variable_refresh),
		cmocka_unit_test(settings_change_without_tearing),
		cmocka_unit_test(animation_keeps_its_rate_while_the_cursor_moves),
		cmocka_unit_test(translucent_surface_changes_no_setting),
		cmocka_unit_test(content_type_of_a_rule_decides),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
