/* SPDX-License-Identifier: MIT */
/*
 * Configuration files: includes, unreadable and binary files, the default path, and the number of
 * errors.
 */

#include "harness/config_file.h"
#include "util/strings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void number_of_reported_errors_is_bounded(void **state)
{
	char text[4096] = "[power]\n", expected[128];
	for (int i = 0; i < 30; i++) {
		strcat(text, "nothing = 1\n");
	}
	char *error;
	assert_null(config_file_load(text, &error));
	for (int i = 2; i <= 21; i++) {
		snprintf(expected, sizeof(expected), "%s/a.ini:%d: power.nothing: ", config_folder,
			i);
		assert_non_null(strstr(error, expected));
	}
	assert_non_null(strstr(error, "\n... and 10 more"));
	free(error);
}

static void included_files_apply_in_place(void **state)
{
	static const char b[] = "include = sub/d.ini\n[power]\nhidden-rate = 3\n";
	static const char d[] = "[power]\nhidden-rate = 2\non-battery-rate = 7\n[keys]\n";
	char sub[128];
	snprintf(sub, sizeof(sub), "%s/sub", config_folder);
	mkdir(sub, 0700);
	config_file_write("sub/d.ini", d, strlen(d));
	config_file_write("b.ini", b, strlen(b));
	/* A section continues after an include. */
	struct config *config = config_file_load_good("[look]\ninclude = b.ini\nborder = 7\n");
	assert_true(config->power.hidden_rate == 3);
	assert_true(config->power.on_battery_rate == 7);
	assert_int_equal(config->look.border, 7);
	/* The text of all files together, as saved in the copy. */
	assert_string_equal(config->text,
		"[look]\n[power]\nhidden-rate=2\non-battery-rate=7\n[keys]\n"
		"[power]\nhidden-rate=3\n[look]\nborder=7\n");
	config_destroy(config);

	/* A loop through another folder, and an error in an included file. */
	static const char loop[] = "include = ../b.ini\n";
	config_file_write("sub/d.ini", loop, strlen(loop));
	char *error;
	assert_null(config_file_load("include = b.ini\n", &error));
	assert_non_null(strstr(error, "/sub/d.ini:1: include: "));
	assert_non_null(strstr(error, "includes itself"));
	free(error);
	static const char wrong[] = "[power]\n\nbad = 1\n";
	config_file_write("b.ini", wrong, strlen(wrong));
	assert_null(config_file_load("include = b.ini\n[power]\nworse = 1\n", &error));
	assert_non_null(strstr(error, "/b.ini:3: power.bad: "));
	assert_non_null(strstr(error, "/a.ini:3: power.worse: "));
	free(error);
}

static void unreadable_and_binary_files_are_errors(void **state)
{
	char *error = NULL;
	assert_null(config_load("/nonexistent/causeway.ini", &error));
	assert_string_equal(
		error, "/nonexistent/causeway.ini: it cannot be read: No such file or directory");
	free(error);
	assert_null(config_load("/", &error));
	free(error);
	alarm(20); /* an endless file is read up to the limit */
	assert_null(config_load("/dev/zero", &error));
	alarm(0);
	assert_non_null(strstr(error, "must be text"));
	free(error);
	error = NULL;
	struct config *config = config_load("/dev/null", &error);
	assert_non_null(config);
	config_destroy(config);

	static const char binary[] = "[power]\n\0\0\0";
	assert_null(config_load(config_file_write("a.ini", binary, sizeof(binary)), &error));
	assert_non_null(strstr(error, ":2: power: this is no configuration"));
	free(error);
	config = config_file_load_good("\xef\xbb\xbf[power]\r\nhidden-rate = 5\r\n");
	assert_true(config->power.hidden_rate == 5);
	config_destroy(config);
}

static void long_lines_and_comments_are_read(void **state)
{
	static char line[20000] = "[session]\nlocker = ";
	memset(line + strlen(line), 'y', 10000);
	struct config *config = config_file_load_good(line);
	assert_int_equal(strlen(config->session.locker), 10000);
	config_destroy(config);
	config = config_file_load_good("# a\n ; b\n[session] ; c\n"
				       "\tlocker : lock -c 'a;b' = c \n"
				       "[look]\nborder = 3 ; comment ; another\n");
	assert_string_equal(config->session.locker, "lock -c 'a;b' = c");
	assert_int_equal(config->look.border, 3);
	config_destroy(config);
}

static void semicolons_never_cut_a_command(void **state)
{
	static const struct {
		const char *section, *line, *place;
	} table[] = {
		{"keys", "Super+Y = spawn foot -e sh -c 'echo a ; sleep 9'", "Super+Y"},
		{"keys", "Super+Y = locked repeat spawn notify-send a ; notify-send b", "Super+Y"},
		{"keys", "Super+Y = release spawn foot\t; terminal", "Super+Y"},
		{"keys", "Super+MouseWheelUp = spawn a ;", "Super+MouseWheelUp"},
		{"mode size", "a = spawn a ; b", "a"},
		{"session", "start = waybar ; mako", "start"},
		{"session", "start = ; mako", "start"},
		{"session", "locker = swaylock ; systemctl suspend", "locker"},
		{"switches", "lid-closed = spawn a ; b", "lid-closed"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char text[256], expected[256], *error = NULL;
		snprintf(text, sizeof(text), "[%s]\n%s\n", table[i].section, table[i].line);
		snprintf(expected, sizeof(expected), "%s/a.ini:2: %s.%s: ' ;' begins a comment",
			config_folder, table[i].section, table[i].place);
		struct config *config = config_file_load(text, &error);
		if (config || strncmp(error, expected, strlen(expected)) != 0 ||
			!strstr(error, "write ';' without a space") || strchr(error, '\n')) {
			fail_msg("%s: %s", table[i].line, config ? "no error" : error);
		}
		free(error);
	}
	/* As the error says, and comments of other values. */
	struct config *config = config_file_load_good(
		"[keys]\nSuper+Y = spawn foot -e sh -c 'echo a; sleep 9'\nSuper+Q = none ; b\n"
		"Super+X = close ; the window\n[session]\nstart = a; b\n; c\n");
	config_file_expect_key(
		config, CONFIG_SUPER, XKB_KEY_y, "spawn", "foot -e sh -c 'echo a; sleep 9'");
	config_file_expect_key(config, CONFIG_SUPER, XKB_KEY_x, "close", NULL);
	assert_string_equal(config->session.start[0], "a; b");
	config_destroy(config);
}

static void included_folder_is_read_in_order(void **state)
{
	char sub[128];
	snprintf(sub, sizeof(sub), "%s/sub", config_folder);
	mkdir(sub, 0700);
	config_file_write("sub/20.ini", "[look]\nborder = 20\n", 19);
	config_file_write("sub/10.ini", "[look]\nborder = 10\nworkspaces = 3\n", 34);
	config_file_write("sub/30.bak", "no configuration", 16);
	config_file_write("sub/.40.ini", "no configuration", 16);
	char old[160], *error = NULL, **files = NULL, **stamps = NULL;
	snprintf(old, sizeof(old), "%s/d.ini", sub);
	unlink(old);
	struct config *config = config_load_files(
		config_file_write("a.ini", "include = sub\n", 14), &error, &files, &stamps);
	assert_non_null(config);
	assert_int_equal(config->look.border, 20);
	assert_int_equal(config->look.workspaces, 3);
	assert_int_equal(strings_count(files), 4); /* with the folder */
	assert_int_equal(strings_count(stamps), 4);
	strings_destroy(stamps);
	strings_destroy(files);
	config_destroy(config);
	config_file_write("sub/30.ini", "include = ../a.ini\n", 19);
	assert_null(config_file_load("include = sub\n", &error));
	assert_non_null(strstr(error, "/sub/30.ini:1: include: "));
	free(error);
	static const char *const names[] = {"10.ini", "20.ini", "30.ini", "30.bak", ".40.ini"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[192];
		snprintf(path, sizeof(path), "%s/%s", sub, names[i]);
		unlink(path);
	}
}

static void default_path_follows_xdg_config_home(void **state)
{
	char path[160];
	snprintf(path, sizeof(path), "%s/causeway", config_folder);
	mkdir(path, 0700);
	static const char text[] = "[look]\nborder = 9\n";
	config_file_write("causeway/causeway.ini", text, strlen(text));
	setenv("XDG_CONFIG_HOME", config_folder, 1);
	char *error = NULL;
	struct config *config = config_load(NULL, &error);
	assert_non_null(config);
	assert_int_equal(config->look.border, 9);
	snprintf(path, sizeof(path), "%s/causeway/causeway.ini", config_folder);
	assert_string_equal(config->path, path);
	config_destroy(config);
	unlink(path);
	snprintf(path, sizeof(path), "%s/causeway", config_folder);
	rmdir(path);
}

static void system_folders_are_searched_in_order(void **state)
{
	char path[160], folders[400];
	snprintf(path, sizeof(path), "%s/system", config_folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/system/causeway", config_folder);
	mkdir(path, 0700);
	static const char text[] = "[look]\nborder = 11\n";
	config_file_write("system/causeway/causeway.ini", text, strlen(text));
	snprintf(folders, sizeof(folders), "relative:%s/missing:%s/system", config_folder,
		config_folder);
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	setenv("XDG_CONFIG_DIRS", folders, 1);
	char *error = NULL;
	struct config *config = config_load(NULL, &error);
	assert_non_null(config);
	assert_int_equal(config->look.border, 11);
	config_destroy(config);
	unsetenv("XDG_CONFIG_DIRS");
	snprintf(path, sizeof(path), "%s/system/causeway/causeway.ini", config_folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/system/causeway", config_folder);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/system", config_folder);
	rmdir(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(number_of_reported_errors_is_bounded),
		cmocka_unit_test(included_files_apply_in_place),
		cmocka_unit_test(unreadable_and_binary_files_are_errors),
		cmocka_unit_test(long_lines_and_comments_are_read),
		cmocka_unit_test(semicolons_never_cut_a_command),
		cmocka_unit_test(included_folder_is_read_in_order),
		cmocka_unit_test(default_path_follows_xdg_config_home),
		cmocka_unit_test(system_folders_are_searched_in_order),
	};
	return cmocka_run_group_tests(tests, config_folder_create, config_folder_remove);
}
