/* SPDX-License-Identifier: MIT */
/* On-screen messages: display, stacking above windows and dismissal. */

#include "backend/headless.h"
#include "harness/client/locker.h"
#include "harness/client/reload.h"
#include "render/text.h"
#include "shell/shell.h"
#include "util/signal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERROR_COLOR 0x5c1414

static bool reload(struct locked_world *world, const char *text)
{
	bool done = reload_text(world->fixture, text);
	fixture_settle(world->fixture);
	return done;
}

static int count(struct locked_world *world, uint32_t color)
{
	struct image *image = fixture_shot(world->fixture, 0);
	int n = 0;
	for (int i = 0; i < image->width * image->height; i++) {
		n += (image->pixels[i] & 0xffffff) == color;
	}
	image_destroy(image);
	return n;
}

static const char *session_text(const struct locked_world *world)
{
	return shell_message_text(world->fixture->server->shell, SHELL_MESSAGE_SESSION);
}

static void skip_without_font(struct locked_world *world)
{
	if (count(world, ERROR_COLOR) == 0) {
		print_message("skip: there is no font, or no library that draws it\n");
		skip();
	}
}

static void reload_error_shows_above_windows_until_a_good_reload(void **state)
{
	struct locked_world *world = *state;
	assert_false(reload(world, "[look]\nborder = wide\n"));
	assert_non_null(strstr(session_text(world), ":2: look.border: 'wide'"));
	skip_without_font(world);
	assert_true(count(world, ERROR_COLOR) > 1000);
	assert_true(count(world, 0xffffff) > 50);
	assert_true(reload(world, "[look]\nborder = 1\n"));
	assert_null(session_text(world));
	assert_int_equal(count(world, ERROR_COLOR), 0);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), RED);
}

static void click_hides_the_message_and_reaches_no_window(void **state)
{
	struct locked_world *world = *state;
	assert_false(reload(world, "[look]\nborder = wide\n"));
	skip_without_font(world);
	point(world, 100, 30);
	int n = world->n_buttons;
	press(world, true);
	press(world, false);
	assert_int_equal(world->n_buttons, n);
	assert_null(session_text(world));
	fixture_settle(world->fixture);
	assert_int_equal(count(world, ERROR_COLOR), 0);
}

static void warning_hides_after_its_time(void **state)
{
	struct locked_world *world = *state;
	assert_true(reload(world, "[output A]\nposition = 0,0\n[output B]\nposition = 0,0\n"));
	assert_non_null(strstr(session_text(world), "[output A] and [output B] overlap"));
	fixture_sleep(world->fixture, INT64_C(21000000000));
	assert_null(session_text(world));
}

static void warning_of_the_start_is_shown(void **state)
{
	static const char text[] = "[output A]\nposition = 0,0\n[output B]\nposition = 0,0\n";
	char path[] = "/tmp/causeway-start-XXXXXX";
	int fd = mkstemp(path);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	struct fixture *fixture = fixture_create(&(struct fixture_options){.config_path = path});
	unlink(path);
	const char *shown = shell_message_text(fixture->server->shell, SHELL_MESSAGE_SESSION);
	assert_non_null(shown);
	assert_non_null(strstr(shown, "[output A] and [output B] overlap"));
	fixture_destroy(fixture);
}

static void error_is_hidden_while_the_session_is_locked(void **state)
{
	struct locked_world *world = *state;
	hide_pointer(world);
	assert_false(reload(world, "[look]\nborder = wide\n"));
	struct locker *locker = locker_create(world);
	fixture_settle(world->fixture);
	expect_all(world, 0, 0);
	assert_false(reload(world, "[look]\nborder = wider\n"));
	expect_all(world, 0, 0);
	locker_show(locker, BLUE);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);
	locker_unlock(locker);
	fixture_settle(world->fixture);
	assert_non_null(strstr(session_text(world), "'wider'"));
	skip_without_font(world);
	locker_destroy(locker);
}

static void error_shows_on_later_outputs(void **state)
{
	struct locked_world *world = *state;
	assert_false(reload(world, "[look]\nborder = wide\n"));
	skip_without_font(world);
	headless_add_output(world->fixture->server->backend, 400, 300, 60000);
	fixture_settle(world->fixture);
	struct image *image = fixture_shot(world->fixture, 1);
	int n = 0;
	for (int i = 0; i < image->width * image->height; i++) {
		n += (image->pixels[i] & 0xffffff) == ERROR_COLOR;
	}
	image_destroy(image);
	assert_true(n > 1000);
}

static void lock_without_a_locker_shows_how_to_unlock(void **state)
{
	struct locked_world *world = *state;
	hide_pointer(world);
	struct shell *shell = world->fixture->server->shell;
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	locker_destroy(locker);
	fixture_settle(world->fixture);
	assert_non_null(shell_message_text(shell, SHELL_MESSAGE_LOCK));
	/* As the text says: another locker takes over, covers the text, and unlocks. */
	locker = locker_create(world);
	locker_show(locker, BLUE);
	fixture_settle(world->fixture);
	assert_null(shell_message_text(shell, SHELL_MESSAGE_LOCK));
	expect_all(world, 0, BLUE);
	locker_unlock(locker);
	assert_false(shell->locked);
	locker_destroy(locker);
}

static bool count_start(void *data, const char *const *argv, char **error)
{
	assert_string_equal(argv[2], "lock it");
	++*(int *)data;
	return true;
}

static void locker_is_restarted_with_growing_delays(void **state)
{
	struct locked_world *world = *state;
	int n = 0;
	struct shell *shell = world->fixture->server->shell;
	const struct shell_host *before = shell->host, host = {.spawn = count_start, .data = &n};
	assert_true(reload(world, "[session]\nlocker = lock it\n"));
	shell->host = &host;
	struct locker *locker = locker_create(world);
	locker_destroy(locker);
	assert_int_equal(n, 1);
	/* The locker fails to lock: it is started again after 1, 2 and 4 s. */
	fixture_sleep(world->fixture, INT64_C(1100000000));
	assert_int_equal(n, 2);
	fixture_sleep(world->fixture, INT64_C(1000000000));
	assert_int_equal(n, 2);
	fixture_sleep(world->fixture, INT64_C(1000000000));
	assert_int_equal(n, 3);
	/* A running locker is not started again. */
	locker = locker_create(world);
	fixture_sleep(world->fixture, INT64_C(61000000000));
	assert_int_equal(n, 3);
	locker_destroy(locker);
	assert_int_equal(n, 4);
	locker = locker_create(world);
	fixture_frames(world->fixture, 3);
	locker_unlock(locker);
	fixture_sleep(world->fixture, INT64_C(5000000000));
	assert_int_equal(n, 4);
	locker_destroy(locker);
	shell->host = before;
}

static bool keep_command(void *data, const char *const *argv, char **error)
{
	*(char **)data = strdup(argv[2]);
	return true;
}

static void missing_program_of_a_key_is_named(void **state)
{
	static const struct {
		const char *command, *named;
	} cases[] = {
		{"no-such-program --option",
			"This key needs no-such-program, which is not installed."},
		{"  no-such-program;true",
			"This key needs no-such-program, which is not installed."},
		{"no-such-one 5%+ || no-such-two -5%",
			"This key needs no-such-one or no-such-two, which are not installed."},
		{"/no/such/program", "This key needs /no/such/program, which is not installed."},
		{"no-such-one || sh -c true", NULL},
		{"sh -c true || no-such-one", NULL},
		{"sh -c true", NULL},
		{"A=1 no-such-program", NULL},
		{"$PROGRAM", NULL},
		{"exec no-such-program", NULL},
		{"org.no.Such.desktop", NULL},
		{"a || b || c || d || e", NULL},
	};
	struct locked_world *world = *state;
	struct shell *shell = world->fixture->server->shell;
	struct tasks *tasks = shell->tasks;
	char *kept = NULL;
	const struct shell_host host = {.spawn = keep_command, .data = &kept},
				*before = shell->host;
	shell->host = &host;
	shell->tasks = NULL; /* finds them at once */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		shell_hide_message(shell, SHELL_MESSAGE_SESSION);
		assert_true(shell_run_action(shell, "spawn", cases[i].command));
		assert_string_equal(kept, cases[i].command);
		free(kept);
		if (cases[i].named) {
			assert_string_equal(session_text(world), cases[i].named);
		} else if (session_text(world)) {
			fail_msg("%s: %s", cases[i].command, session_text(world));
		}
	}
	/* On a thread, once for a key that repeats. */
	shell->tasks = tasks;
	shell_hide_message(shell, SHELL_MESSAGE_SESSION);
	for (int i = 0; i < 5; i++) {
		assert_true(shell_run_action(shell, "spawn", "no-such-program"));
		free(kept);
	}
	for (int i = 0; i < 500 && !session_text(world); i++) {
		usleep(10000);
		fixture_pump(world->fixture);
	}
	assert_non_null(session_text(world));
	shell->host = before;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reload_error_shows_above_windows_until_a_good_reload),
		TEST(click_hides_the_message_and_reaches_no_window),
		TEST(warning_hides_after_its_time),
		cmocka_unit_test(warning_of_the_start_is_shown),
		TEST(error_is_hidden_while_the_session_is_locked),
		TEST(error_shows_on_later_outputs),
		TEST(lock_without_a_locker_shows_how_to_unlock),
		TEST(locker_is_restarted_with_growing_delays),
		TEST(missing_program_of_a_key_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
