/* Frames that are not bound to the grid: variable refresh rates, and tearing. */

#include "backend/headless.h"
#include "content-type-v1-client-protocol.h"
#include "pacer.h"
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
 * A game at 45 Hz on a screen of 60 with a variable rate: each of its frames shows at once, and the cursor
 * that moves a thousand times a second goes along.
 */
static void test_variable_rate(void **state)
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
	/* The game pauses: the cursor moves all the same, if more slowly. */
	frames = frame->stats.frames;
	for (int i = 0; i < 1000; i++) {
		move_cursor(fixture, mouse, i);
		pacing_step(fixture, MS);
	}
	assert_in_range(frame->stats.frames - frames, 27, 35);
	/* It is no game any more: the rate is fixed again. */
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_NONE);
	pacer_draw(pacer);
	fixture_settle(fixture);
	assert_false(output->adaptive_sync);
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(pacer);
}

/* Whoever fills the output and asks is shown at once; in a window it is not. */
static void test_tearing(void **state)
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
	for (int i = 0; i < 200; i++) {
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
	/* By a vblank, which torn frames have none of. */
	assert_int_equal(pacer->sequence[n - 1], 0);
	assert_int_not_equal(pacer->sequence[n], 0);
	peer_window_destroy(above);
	fixture_destroy(fixture);
	free(pacer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variable_rate),
		cmocka_unit_test(test_tearing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
