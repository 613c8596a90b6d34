/* SPDX-License-Identifier: MIT */
/* ext-session-lock: nothing of the session is shown, even after the locker crashes. */

#include "backend/headless.h"
#include "frame/output.h"
#include "harness/client/capturer.h"
#include "harness/client/locker.h"
#include "render/render.h"
#include "shell/input/input.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>

static void locked_session_shows_the_lock_surface_only(void **state)
{
	struct locked_world *world = *state;
	hide_pointer(world);
	fixture_settle(world->fixture);
	struct locker *locker = locker_create(world);
	/* No frame has been presented since. */
	assert_int_equal(locker->n_locked, 0);
	fixture_frames(world->fixture, 3);
	assert_int_equal(locker->n_locked, 1);
	expect_all(world, 0, 0);

	/* New windows stay hidden, too. */
	peer_window_create(world->peer, 60, 60, 50, 50, 0xffffffff);
	fixture_settle(world->fixture);
	expect_all(world, 0, 0);

	locker_show(locker, BLUE);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);

	locker_unlock(locker);
	fixture_settle(world->fixture);
	assert_int_equal(fixture_pixel(world->fixture, 150, 130), RED);
	assert_int_equal(locker->n_locked, 1);
	assert_int_equal(locker->n_finished, 0);
	/* No timer runs. */
	fixture_sleep(world->fixture, INT64_C(2500000000));
	assert_false(clock_advance_to_next(world->fixture->clock));
	locker_destroy(locker);
	assert_false(world->fixture->server->shell->locked);
}

static void magnified_session_shows_the_lock_surface_only(void **state)
{
	struct locked_world *world = *state;
	hide_pointer(world);
	struct shell *shell = world->fixture->server->shell;
	assert_true(shell_run_action(shell, "magnify-in", NULL));
	fixture_settle(world->fixture);
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);
	const double factor = magnifier_factor(shell);
	key(world, KEY_LEFTMETA, true);
	key(world, KEY_LEFTCTRL, true);
	key(world, KEY_EQUAL, true);
	fixture_settle(world->fixture);
	assert_true(magnifier_factor(shell) > factor);
	expect_all(world, 0, BLUE);
	locker_destroy(locker);
}

/* An empty session has no damage, but the locked event needs a frame. */
static void empty_session_is_locked(void **state)
{
	struct locked_world *world = *state;
	peer_destroy(world->peer);
	fixture_settle(world->fixture);
	struct locker *locker = locker_create(world);
	fixture_frames(world->fixture, 3);
	assert_int_equal(locker->n_locked, 1);
	locker_destroy(locker);
}

static void advance_until_flipping(struct locked_world *world, const struct frame_output *frame)
{
	for (int i = 0; i < 400 && frame->state != FRAME_FLIPPING; i++) {
		clock_advance(world->fixture->clock, 100000);
		fixture_pump(world->fixture);
	}
	assert_int_equal(frame->state, FRAME_FLIPPING);
}

/* A frame that was in flight may still show the session. */
static void locked_event_waits_for_a_frame_in_flight(void **state)
{
	struct locked_world *world = *state;
	struct frame_output *frame = frame_output_find(world->fixture->server->scene->outputs[0]);
	peer_buffer_fill(world->window->buffer, 0, 0, 200, 150, 0xff00ff00);
	peer_surface_show(world->window->surface, world->window->buffer);
	fixture_pump(world->fixture);
	advance_until_flipping(world, frame);
	uint64_t presented = frame->stats.presented;
	struct locker *locker = locker_create(world);
	while (frame->stats.presented == presented) {
		clock_advance(world->fixture->clock, 1000000);
		fixture_pump(world->fixture);
	}
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), 0x00ff00);
	assert_int_equal(locker->n_locked, 0);
	fixture_frames(world->fixture, 3);
	assert_int_equal(locker->n_locked, 1);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), 0);
	locker_destroy(locker);
}

/* After a dropped frame of the lock, the session may still be visible. */
static void dropped_frame_does_not_lock(void **state)
{
	struct locked_world *world = *state;
	struct frame_output *frame = frame_output_find(world->fixture->server->scene->outputs[0]);
	hide_pointer(world);
	fixture_settle(world->fixture);
	fixture_sleep(world->fixture, 5000000); /* into the middle of a refresh cycle */
	struct locker *locker = locker_create(world);
	advance_until_flipping(world, frame);
	struct output_present dropped = {.commit = frame->commit, .presented = false};
	signal_emit(&frame->events.presented, &dropped);
	fixture_pump(world->fixture);
	assert_int_equal(locker->n_locked, 0);
	fixture_frames(world->fixture, 3);
	assert_int_equal(locker->n_locked, 1);
	expect_all(world, 0, 0);
	locker_destroy(locker);
}

/* Nothing of the session is shown except the message about unlocking. */
static void expect_all_but_message(struct locked_world *world)
{
	const struct shell *shell = world->fixture->server->shell;
	const char *text = shell_message_text(shell, SHELL_MESSAGE_LOCK);
	assert_non_null(text);
	assert_non_null(strstr(text, "WAYLAND_DISPLAY="));
	struct image *image = fixture_shot(world->fixture, 0);
	for (int i = 0; i < image->width * image->height; i++) {
		assert_int_not_equal(image->pixels[i] & 0xffffff, RED);
	}
	assert_int_equal(image->pixels[image->width * image->height - 1], 0);
	image_destroy(image);
}

static void crash_of_the_locker_keeps_the_session_locked(void **state)
{
	struct locked_world *world = *state;
	hide_pointer(world);
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	fixture_settle(world->fixture);
	struct locker *late = locker_create(world);
	assert_int_equal(late->n_finished, 1);
	assert_int_equal(late->n_locked, 0);
	ext_session_lock_v1_destroy(late->lock);
	assert_true(peer_alive(late->peer));
	locker_destroy(late);
	assert_true(world->fixture->server->shell->locked);

	locker_destroy(locker);
	fixture_settle(world->fixture);
	assert_true(world->fixture->server->shell->locked);
	expect_all_but_message(world);

	locker = locker_create(world);
	fixture_frames(world->fixture, 3);
	assert_int_equal(locker->n_locked, 1);
	locker_show(locker, 0xffffff);
	fixture_settle(world->fixture);
	expect_all(world, 0, 0xffffff);
	locker_unlock(locker);
	fixture_settle(world->fixture);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), RED);
	locker_destroy(locker);
}

/* The session stays locked if the locker dies before its locked event. */
static void crash_before_the_lock_keeps_the_session_locked(void **state)
{
	struct locked_world *world = *state;
	locker_destroy(locker_create(world));
	fixture_settle(world->fixture);
	assert_true(world->fixture->server->shell->locked);
	expect_all_but_message(world);
}

static void new_outputs_are_locked(void **state)
{
	struct locked_world *world = *state;
	struct server *server = world->fixture->server;
	hide_pointer(world);
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	fixture_settle(world->fixture);
	struct output *second = headless_add_output(server->backend, 100, 80, 60000);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);
	expect_all(world, 1, 0);
	scene_output_set_scale(server->scene->outputs[0], 2);
	fixture_settle(world->fixture);
	assert_int_equal(locker->n_configures, 2);
	assert_int_equal(locker->width, WIDTH / 2);
	/* A window that moves to the first output when the second goes. */
	headless_remove_output(second);
	fixture_settle(world->fixture);
	headless_remove_output(server->scene->outputs[0]->output);
	fixture_pump(world->fixture);
	assert_null(server->shell->lock_focus);
	assert_true(peer_alive(locker->peer));
	headless_add_output(server->backend, WIDTH, HEIGHT, 60000);
	fixture_settle(world->fixture);
	expect_all(world, 0, 0);
	locker_unlock(locker);
	assert_true(peer_alive(locker->peer));
	locker_destroy(locker);
}

static void captured_window_is_black_while_locked(void **state)
{
	struct locked_world *world = *state;
	xdg_toplevel_set_title(world->window->toplevel, "secret");
	fixture_pump(world->fixture);
	struct peer *watcher = peer_create(world->fixture);
	struct capturer_session *session =
		capturer_session_create(watcher, capturer_window_source(watcher, "secret"), 0);
	fixture_pump(world->fixture);
	struct capturer_frame *frame = capturer_frame_create(session);
	fixture_frames(world->fixture, 3);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 100, 100), RED);
	capturer_frame_destroy(frame);

	struct locker *locker = locker_create(world);
	frame = capturer_frame_create(session);
	fixture_frames(world->fixture, 3);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 100, 100), 0);
	capturer_frame_destroy(frame);

	locker_unlock(locker);
	frame = capturer_frame_create(session);
	fixture_frames(world->fixture, 3);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 100, 100), RED);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
	locker_destroy(locker);
}

/*
 * After a device loss the screen is black until the lock surface has been drawn again, and never
 * shows the session.
 */
static void lost_device_never_shows_the_session(void **state)
{
	struct locked_world *world = *state;
	struct server *server = world->fixture->server;
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	hide_pointer(world);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);
	surface_release_buffer(peer_surface_find(locker->peer, locker->surface));
	signal_emit(&server->device->renderer->events.lost, NULL);
	for (int i = 0; i < 5; i++) {
		fixture_frames(world->fixture, 1);
		expect_all(world, 0, 0);
	}
	assert_int_equal(locker->n_configures, 2);
	assert_int_equal(locker->width, WIDTH);
	ext_session_lock_surface_v1_ack_configure(locker->lock_surface, locker->serial);
	peer_surface_show(locker->surface, locker->buffer);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);
	locker_unlock(locker);
	locker_destroy(locker);
}

/* A locker that acknowledges late gets the latest size then, however often the output changed. */
static void late_acknowledgement_gets_the_latest_size(void **state)
{
	struct locked_world *world = *state;
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	struct scene_output *output = world->fixture->server->scene->outputs[0];
	uint32_t first = 0;
	for (int i = 0; i < 400; i++) {
		scene_output_set_scale(output, i % 2 ? 1 : 2);
		fixture_pump(world->fixture);
		first = first || locker->n_configures < 2 ? first : locker->serial;
	}
	int n = locker->n_configures;
	assert_in_range(n, 2, 300); /* the rest is held back */
	scene_output_set_scale(output, 4);
	fixture_pump(world->fixture);
	assert_int_equal(locker->n_configures, n);
	ext_session_lock_surface_v1_ack_configure(locker->lock_surface, first);
	fixture_pump(world->fixture);
	assert_int_equal(locker->n_configures, n + 1);
	assert_int_equal(locker->width, WIDTH / 4);
	assert_int_equal(locker->height, HEIGHT / 4);
	locker_unlock(locker);
	locker_destroy(locker);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(locked_session_shows_the_lock_surface_only),
		TEST(magnified_session_shows_the_lock_surface_only),
		TEST(empty_session_is_locked),
		TEST(locked_event_waits_for_a_frame_in_flight),
		TEST(dropped_frame_does_not_lock),
		TEST(crash_of_the_locker_keeps_the_session_locked),
		TEST(crash_before_the_lock_keeps_the_session_locked),
		TEST(new_outputs_are_locked),
		TEST(captured_window_is_black_while_locked),
		TEST(lost_device_never_shows_the_session),
		TEST(late_acknowledgement_gets_the_latest_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
