/* On-screen messages: when they show, above what, and what hides them. */

#include "backend/headless.h"
#include "lock_common.h"
#include "render/text.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERROR_COLOR 0x5c1414

static bool reload(struct world *world, const char *text)
{
	char path[] = "/tmp/causeway-message-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	world->fixture->options.config_path = path;
	char *error = NULL;
	bool done = server_reload(world->fixture->server, &error);
	world->fixture->options.config_path = NULL;
	free(error);
	unlink(path);
	fixture_settle(world->fixture);
	return done;
}

static int count(struct world *world, uint32_t color)
{
	struct picture *picture = fixture_shot(world->fixture, 0);
	int n = 0;
	for (int i = 0; i < picture->width * picture->height; i++) {
		n += (picture->pixels[i] & 0xffffff) == color;
	}
	picture_destroy(picture);
	return n;
}

static const char *session_text(const struct world *world)
{
	return shell_message_text(world->fixture->server->shell, SHELL_MESSAGE_SESSION);
}

static void skip_without_font(struct world *world)
{
	if (count(world, ERROR_COLOR) == 0) {
		print_message("no font, or no library that draws it\n");
		skip();
	}
}

static void test_reload_error_shows_above_windows_until_a_good_reload(void **state)
{
	struct world *world = *state;
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

static void test_click_hides_the_message_and_reaches_no_window(void **state)
{
	struct world *world = *state;
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

static void test_warning_hides_after_its_time(void **state)
{
	struct world *world = *state;
	assert_true(reload(world, "[output A]\nposition = 0,0\n[output B]\nposition = 0,0\n"));
	assert_non_null(strstr(session_text(world), "[output A] and [output B] overlap"));
	fixture_sleep(world->fixture, INT64_C(21000000000));
	assert_null(session_text(world));
}

static void test_error_is_hidden_while_the_session_is_locked(void **state)
{
	struct world *world = *state;
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

static void test_error_shows_on_outputs_that_come_later(void **state)
{
	struct world *world = *state;
	assert_false(reload(world, "[look]\nborder = wide\n"));
	skip_without_font(world);
	headless_add_output(world->fixture->server->backend, 400, 300, 60000);
	fixture_settle(world->fixture);
	struct picture *picture = fixture_shot(world->fixture, 1);
	int n = 0;
	for (int i = 0; i < picture->width * picture->height; i++) {
		n += (picture->pixels[i] & 0xffffff) == ERROR_COLOR;
	}
	picture_destroy(picture);
	assert_true(n > 1000);
}

static void test_lock_without_a_locker_says_how_to_get_in(void **state)
{
	struct world *world = *state;
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

static void test_locker_is_started_again_with_growing_pauses(void **state)
{
	struct world *world = *state;
	int n = 0;
	struct shell *shell = world->fixture->server->shell;
	const struct shell_host *before = shell->host, host = {.spawn = count_start, .data = &n};
	assert_true(reload(world, "[session]\nlocker = lock it\n"));
	shell->host = &host;
	struct locker *locker = locker_create(world);
	locker_destroy(locker);
	assert_int_equal(n, 1);
	/* It does not come up: again after 1, 2 and 4 s. */
	fixture_sleep(world->fixture, INT64_C(1100000000));
	assert_int_equal(n, 2);
	fixture_sleep(world->fixture, INT64_C(1000000000));
	assert_int_equal(n, 2);
	fixture_sleep(world->fixture, INT64_C(1000000000));
	assert_int_equal(n, 3);
	/* It does, and is not started while it lives. */
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

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_reload_error_shows_above_windows_until_a_good_reload),
		TEST(test_click_hides_the_message_and_reaches_no_window),
		TEST(test_warning_hides_after_its_time),
		TEST(test_error_is_hidden_while_the_session_is_locked),
		TEST(test_error_shows_on_outputs_that_come_later),
		TEST(test_lock_without_a_locker_says_how_to_get_in),
		TEST(test_locker_is_started_again_with_growing_pauses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
