/* SPDX-License-Identifier: MIT */
/* The action quit: keys and buttons ask on the screen first, commands do not. */

#include "backend/headless.h"
#include "harness/client/locker.h"
#include "harness/client/reload.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include <linux/input-event-codes.h>
#include <string.h>

/** Longer than the question is shown, ns. */
#define LONG INT64_C(16000000000)

struct quits {
	struct shell_host host;
	const struct shell_host *before;
	int n;
};

static struct quits quits;

static void note_quit(void *data)
{
	quits.n++;
}

static int begin(void **state)
{
	set_up(state);
	struct locked_world *world = *state;
	struct shell *shell = world->fixture->server->shell;
	quits = (struct quits){.host = *shell->host, .before = shell->host};
	quits.host.quit = note_quit;
	shell->host = &quits.host;
	return 0;
}

static int end(void **state)
{
	struct locked_world *world = *state;
	world->fixture->server->shell->host = quits.before;
	return fixture_tear_down(state);
}

static bool asks(const struct locked_world *world)
{
	return shell_message_text(world->fixture->server->shell, SHELL_MESSAGE_QUIT);
}

static void type(struct locked_world *world, uint32_t code)
{
	key(world, code, true);
	key(world, code, false);
}

/* Returns the number of events of this key that the window got. */
static int typed(struct locked_world *world, uint32_t code)
{
	fixture_pump(world->fixture);
	const int before = world->n_keys;
	type(world, code);
	fixture_pump(world->fixture);
	return world->n_keys - before;
}

/* Super+Shift+E */
static void press_quit(struct locked_world *world)
{
	key(world, KEY_LEFTMETA, true);
	key(world, KEY_LEFTSHIFT, true);
	type(world, KEY_E);
	key(world, KEY_LEFTSHIFT, false);
	key(world, KEY_LEFTMETA, false);
}

static void expect_question(struct locked_world *world)
{
	press_quit(world);
	assert_true(asks(world));
	assert_int_equal(quits.n, 0);
}

static void first_press_asks_and_a_second_one_ends(void **state)
{
	struct locked_world *world = *state;
	expect_question(world);
	/* The keyboard stays with the window. */
	assert_ptr_equal(world->fixture->server->seat->keyboard.focus,
		peer_surface_find(world->peer, world->window->surface));
	press_quit(world);
	assert_int_equal(quits.n, 1);
	assert_false(asks(world));
}

static void return_confirms_and_reaches_no_window(void **state)
{
	struct locked_world *world = *state;
	static const uint32_t codes[] = {KEY_ENTER, KEY_KPENTER};
	for (int i = 0; i < 2; i++) {
		quits.n = 0;
		expect_question(world);
		assert_int_equal(typed(world, codes[i]), 0);
		assert_int_equal(quits.n, 1);
		assert_false(asks(world));
		/* Without a question, the key is the window's. */
		assert_int_equal(typed(world, codes[i]), 2);
		assert_int_equal(quits.n, 1);
	}
}

static void escape_cancels_and_reaches_no_window(void **state)
{
	struct locked_world *world = *state;
	expect_question(world);
	assert_int_equal(typed(world, KEY_ESC), 0);
	assert_false(asks(world));
	assert_int_equal(typed(world, KEY_ESC), 2);
	assert_int_equal(typed(world, KEY_ENTER), 2);
	assert_int_equal(quits.n, 0);
	expect_question(world); /* again, from the beginning */
}

static void question_has_an_end(void **state)
{
	struct locked_world *world = *state;
	expect_question(world);
	fixture_sleep(world->fixture, LONG);
	assert_false(asks(world));
	assert_int_equal(typed(world, KEY_ENTER), 2);
	expect_question(world);
}

/* A user who has not seen the question types on; a later Return must not end the session. */
static void typing_on_cancels(void **state)
{
	struct locked_world *world = *state;
	expect_question(world);
	assert_int_equal(typed(world, KEY_L), 2);
	assert_false(asks(world));
	assert_int_equal(typed(world, KEY_ENTER), 2);
	assert_int_equal(quits.n, 0);
	/* So does another binding, also one of Return. */
	assert_true(reload_text(world->fixture, "[keys]\nSuper+Return = help\n"));
	expect_question(world);
	key(world, KEY_LEFTMETA, true);
	assert_true(asks(world)); /* a modifier alone keeps it */
	type(world, KEY_ENTER);
	key(world, KEY_LEFTMETA, false);
	assert_false(asks(world));
	assert_int_equal(quits.n, 0);
}

static void held_key_confirms_nothing(void **state)
{
	struct locked_world *world = *state;
	assert_true(reload_text(world->fixture, "[keys]\nSuper+X = repeat quit\n"));
	key(world, KEY_LEFTMETA, true);
	key(world, KEY_X, true);
	fixture_sleep(world->fixture, INT64_C(3000000000));
	assert_true(asks(world));
	assert_int_equal(quits.n, 0);
	key(world, KEY_X, false);
	type(world, KEY_X);
	assert_int_equal(quits.n, 1);
	key(world, KEY_LEFTMETA, false);
}

static void releases_and_buttons_ask_too(void **state)
{
	struct locked_world *world = *state;
	assert_true(reload_text(
		world->fixture, "[keys]\nSuper+X = release quit\nAlt+MouseLeft = quit\n"));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(quits.n, 0);
		key(world, KEY_LEFTMETA, true);
		type(world, KEY_X);
		key(world, KEY_LEFTMETA, false);
		assert_int_equal(asks(world), i == 0);
	}
	assert_int_equal(quits.n, 1);
	quits.n = 0;
	key(world, KEY_LEFTALT, true);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(quits.n, 0);
		press(world, true);
		press(world, false);
		assert_int_equal(asks(world), i == 0);
	}
	assert_int_equal(quits.n, 1);
	key(world, KEY_LEFTALT, false);
}

static void click_on_the_question_cancels(void **state)
{
	struct locked_world *world = *state;
	expect_question(world);
	fixture_settle(world->fixture);
	const struct scene_hit hit =
		scene_at(world->fixture->server->scene, (struct coord_global){160, 120});
	if (hit.data == peer_surface_find(world->peer, world->window->surface)) {
		print_message("skip: %s: there is no font\n", __func__);
		skip();
	}
	point(world, 160, 120);
	press(world, true);
	press(world, false);
	assert_false(asks(world));
	assert_int_equal(quits.n, 0);
	expect_question(world);
}

static void commands_ask_nothing(void **state)
{
	struct locked_world *world = *state;
	assert_true(shell_run_action(world->fixture->server->shell, "quit", NULL));
	assert_int_equal(quits.n, 1);
	assert_false(asks(world));
}

/* A way out when nothing is shown any more. */
static void emergency_combination_asks_nothing(void **state)
{
	struct locked_world *world = *state;
	key(world, KEY_LEFTCTRL, true);
	key(world, KEY_LEFTALT, true);
	type(world, KEY_BACKSPACE);
	assert_int_equal(quits.n, 1);
	assert_false(asks(world));
	key(world, KEY_LEFTALT, false);
	key(world, KEY_LEFTCTRL, false);
}

static void lock_cancels_and_locked_quit_asks_nothing(void **state)
{
	struct locked_world *world = *state;
	expect_question(world);
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	assert_false(asks(world));
	press_quit(world); /* not bound for a locked session */
	type(world, KEY_ENTER);
	assert_int_equal(quits.n, 0);
	assert_false(asks(world));
	assert_true(reload_text(world->fixture, "[keys]\nSuper+Shift+E = locked quit\n"));
	press_quit(world);
	assert_int_equal(quits.n, 1);
	assert_false(asks(world));
	quits.n = 0;
	fixture_frames(world->fixture, 3);
	locker_unlock(locker);
	expect_question(world);
	locker_destroy(locker);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(first_press_asks_and_a_second_one_ends),
		TEST(return_confirms_and_reaches_no_window),
		TEST(escape_cancels_and_reaches_no_window),
		TEST(question_has_an_end),
		TEST(typing_on_cancels),
		TEST(held_key_confirms_nothing),
		TEST(releases_and_buttons_ask_too),
		TEST(click_on_the_question_cancels),
		TEST(commands_ask_nothing),
		TEST(emergency_combination_asks_nothing),
		TEST(lock_cancels_and_locked_quit_asks_nothing),
	};
	return cmocka_run_group_tests_name("shell/quit", tests, NULL, NULL);
}
