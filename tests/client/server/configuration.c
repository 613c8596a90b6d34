/* SPDX-License-Identifier: MIT */
/* The configuration is read again when one of its files is saved; commands run at the start. */

#include "harness/await.h"
#include "harness/fixture.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct test {
	struct fixture *fixture;
	char folder[64];
};

static char *path_of(const struct test *test, const char *name)
{
	return xasprintf("%s/%s", test->folder, name);
}

static void save(const struct test *test, const char *name, const char *text)
{
	char *path = path_of(test, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static void start(struct test *test, const char *text)
{
	save(test, "a.ini", text);
	char *path = path_of(test, "a.ini");
	test->fixture = fixture_create(&(struct fixture_options){.config_path = path});
	test->fixture->options.config_path = path; /* until the end of the test */
}

static int create_folder(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	strcpy(test->folder, "/tmp/causeway-watch-XXXXXX");
	*state = test;
	return mkdtemp(test->folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	struct test *test = *state;
	char *command = xasprintf("rm -r %s", test->folder);
	int code = system(command);
	free(command);
	if (test->fixture) {
		free((char *)test->fixture->options.config_path);
		test->fixture->options.config_path = NULL;
		fixture_destroy(test->fixture);
	}
	free(test);
	return code;
}

static int border(struct test *test)
{
	fixture_pump(test->fixture);
	fixture_sleep(test->fixture, 300000000);
	return test->fixture->server->shell->config->look.border;
}

static void saved_configuration_is_read_again(void **state)
{
	struct test *test = *state;
	start(test, "[look]\nborder = 3\n");
	assert_int_equal(border(test), 3);
	save(test, "a.ini", "[look]\nborder = 4\n");
	assert_int_equal(border(test), 4);
	save(test, "a.ini", "[look]\nborder = 5\n");
	assert_int_equal(border(test), 5);

	/* Another file in the folder, and a file with an error, which is then corrected. */
	save(test, "b.ini", "[look]\nborder = 6\n");
	assert_int_equal(border(test), 5);
	save(test, "a.ini", "[look]\nborder = wide\n");
	assert_int_equal(border(test), 5);
	assert_non_null(shell_message_text(test->fixture->server->shell, SHELL_MESSAGE_SESSION));
	save(test, "a.ini", "[look]\nborder = 7\n");
	assert_int_equal(border(test), 7);
	assert_null(shell_message_text(test->fixture->server->shell, SHELL_MESSAGE_SESSION));
}

static void replaced_configuration_is_read_again(void **state)
{
	struct test *test = *state;
	start(test, "[look]\nborder = 3\n");
	for (int i = 4; i < 7; i++) {
		char text[64];
		snprintf(text, sizeof(text), "[look]\nborder = %d\n", i);
		save(test, "a.ini~", text);
		char *from = path_of(test, "a.ini~"), *to = path_of(test, "a.ini");
		assert_int_equal(rename(from, to), 0);
		free(from);
		free(to);
		assert_int_equal(border(test), i);
	}
}

static void included_files_and_folders_are_watched(void **state)
{
	struct test *test = *state;
	char *folder = path_of(test, "conf.d");
	assert_int_equal(mkdir(folder, 0700), 0);
	save(test, "b.ini", "[look]\nborder = 3\n");
	start(test, "include = b.ini\ninclude = conf.d\n");
	assert_int_equal(border(test), 3);
	save(test, "b.ini", "[look]\nborder = 4\n");
	assert_int_equal(border(test), 4);
	save(test, "conf.d/20.ini", "[look]\nborder = 20\n");
	assert_int_equal(border(test), 20);
	save(test, "conf.d/10.ini", "[look]\nborder = 10\n");
	assert_int_equal(border(test), 20);
	save(test, "conf.d/30.txt", "[look]\nborder = 30\n");
	assert_int_equal(border(test), 20);
	char *last = path_of(test, "conf.d/20.ini");
	unlink(last);
	assert_int_equal(border(test), 10);
	free(last);
	free(folder);
}

static void link_to_the_configuration_is_followed(void **state)
{
	struct test *test = *state;
	char *folder = path_of(test, "real"), *link = path_of(test, "a.ini");
	assert_int_equal(mkdir(folder, 0700), 0);
	save(test, "real/c.ini", "[look]\nborder = 3\n");
	assert_int_equal(symlink("real/c.ini", link), 0);
	start(test, "[look]\nborder = 4\n"); /* writes to the target */
	assert_int_equal(border(test), 4);
	save(test, "real/c.ini", "[look]\nborder = 5\n");
	assert_int_equal(border(test), 5);
	free(folder);
	free(link);
}

static void watching_can_be_switched_off(void **state)
{
	struct test *test = *state;
	start(test, "[general]\nwatch = no\n[look]\nborder = 3\n");
	save(test, "a.ini", "[look]\nborder = 4\n");
	assert_int_equal(border(test), 3);
	char *error = NULL;
	assert_true(server_reload(test->fixture->server, &error));
	assert_int_equal(border(test), 4);
	save(test, "a.ini", "[look]\nborder = 5\n");
	assert_int_equal(border(test), 5);
}

static void commands_run_once_at_the_start(void **state)
{
	struct test *test = *state;
	char *text = xasprintf("[session]\nstart = echo one >>%s/one\nstart = echo two >%s/two\n",
		test->folder, test->folder);
	start(test, text);
	char *one = path_of(test, "one"), *two = path_of(test, "two");
	for (int i = 0; i < 10000 && (access(one, F_OK) != 0 || access(two, F_OK) != 0); i++) {
		fixture_pump(test->fixture);
		usleep(1000);
	}
	assert_int_equal(access(one, F_OK), 0);
	assert_int_equal(access(two, F_OK), 0);
	unlink(two);
	save(test, "a.ini", text);
	border(test);
	assert_int_not_equal(access(two, F_OK), 0);
	free(one);
	free(two);
	free(text);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, create_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(saved_configuration_is_read_again),
		TEST(replaced_configuration_is_read_again),
		TEST(included_files_and_folders_are_watched),
		TEST(link_to_the_configuration_is_followed),
		TEST(watching_can_be_switched_off),
		TEST(commands_run_once_at_the_start),
	};
	return cmocka_run_group_tests_name("server/configuration", tests, NULL, NULL);
}
