/* SPDX-License-Identifier: MIT */
/* Desktop files: the keys that are read, and the expansion of Exec lines. */

#include "apps/desktop_entry.h"
#include "harness/unit.h"
#include "util/strings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/causeway-desktop-XXXXXX";

static const char *const names[] = {"applications/a.desktop", "applications/kde/b.desktop",
	"applications/kde-x/y", "applications/kde-x", "applications/kde", "applications"};

static int make_folder(void **state)
{
	char path[128];
	assert_non_null(mkdtemp(folder));
	for (int i = 5; i >= 2; i--) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	setenv("XDG_DATA_HOME", folder, 1);
	setenv("XDG_DATA_DIRS", "/nonexistent", 1);
	return 0;
}

static int remove_folder(void **state)
{
	char path[128];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
	return rmdir(folder);
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void keys_of_the_main_group_are_read(void **state)
{
	struct desktop_entry entry;
	char *error = NULL;
	write_file(names[0], "# a comment\n"
			     "[Desktop Entry]\n"
			     "Type=Application\n"
			     "Name = Two  words \n"
			     "Name[de]=Zwei\n"
			     "Exec=sh -c \"a\\\\sb\" \\s%f\n"
			     "Icon=icon\n"
			     "Path=/tmp\n"
			     "PrefersNonDefaultGPU=true\n"
			     "[Desktop Action x]\n"
			     "Exec=other\n"
			     "Terminal=true\n");
	assert_true(desktop_entry_find(&entry, "a.desktop", &error));
	assert_string_equal(entry.id, "a");
	assert_string_equal(entry.name, "Two  words");
	assert_string_equal(entry.exec, "sh -c \"a\\sb\"  %f");
	assert_string_equal(entry.icon, "icon");
	assert_string_equal(entry.directory, "/tmp");
	assert_false(entry.terminal);
	assert_true(entry.prefers_discrete);
	desktop_entry_finish(&entry);
}

static void discrete_gpu_preference_is_a_boolean(void **state)
{
	static const struct {
		const char *line;
		bool prefers;
	} table[] = {{"", false}, {"PrefersNonDefaultGPU=false\n", false},
		{"PrefersNonDefaultGPU=true\n", true}, {"X-KDE-RunOnDiscreteGpu=true\n", true},
		{"X-KDE-RunOnDiscreteGpu=yes\n", false},
		{"[Other]\nPrefersNonDefaultGPU=true\n", false}};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct desktop_entry entry;
		char text[256], *error = NULL;
		snprintf(text, sizeof(text), "[Desktop Entry]\nType=Application\nExec=x\n%s",
			table[i].line);
		write_file(names[0], text);
		assert_true(desktop_entry_find(&entry, "a.desktop", &error));
		assert_int_equal(entry.prefers_discrete, table[i].prefers);
		desktop_entry_finish(&entry);
	}
}

static void ids_are_found_in_data_folders(void **state)
{
	struct desktop_entry entry;
	char *error = NULL;
	write_file(names[1], "[Desktop Entry]\nType=Application\nExec=b\n");
	/* Folders become dashes in IDs. */
	assert_true(desktop_entry_find(&entry, "kde-b.desktop", &error));
	assert_string_equal(entry.id, "kde-b");
	desktop_entry_finish(&entry);
	/* Any of the dashes may be a folder. */
	static const char *const nested[] = {"kde-x/my-app.desktop", "kde-x/y/z-z.desktop",
		"kde/x-my-other.desktop", "a-b-c.desktop"};
	static const char *const ids[] = {"kde-x-my-app.desktop", "kde-x-y-z-z.desktop",
		"kde-x-my-other.desktop", "a-b-c.desktop"};
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		char path[128];
		snprintf(path, sizeof(path), "applications/%s", nested[i]);
		write_file(path, "[Desktop Entry]\nType=Application\nExec=b\n");
		assert_true(desktop_entry_find(&entry, ids[i], &error));
		assert_non_null(strstr(entry.file, nested[i]));
		assert_int_equal(remove(entry.file), 0);
		desktop_entry_finish(&entry);
	}
	static const char *const missing[] = {"b.desktop", "../a.desktop", "kde-c.desktop",
		"kde-x-.desktop", "-.desktop", "kde--b.desktop"};
	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		assert_false(desktop_entry_find(&entry, missing[i], &error));
		assert_non_null(error);
		free(error);
	}
}

static void unusable_entries_are_errors(void **state)
{
	static const char *const texts[] = {"", "[Desktop Entry]\nType=Link\nExec=x\n",
		"[Desktop Entry]\nType=Application\n", "Type=Application\nExec=x\n",
		"[Desktop Entry]\nType=Application\nExec=x\nHidden=true\n"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct desktop_entry entry;
		char *error = NULL;
		write_file(names[0], texts[i]);
		assert_false(desktop_entry_find(&entry, "a.desktop", &error));
		assert_non_null(error);
		free(error);
	}
}

static void assert_no_entry(const char *expected)
{
	struct desktop_entry entry;
	char *error = NULL;
	assert_false(desktop_entry_find(&entry, "a.desktop", &error));
	assert_non_null(error);
	if (!strstr(error, expected)) {
		fail_msg("%s", error);
	}
	free(error);
}

static void only_regular_files_are_read(void **state)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, names[0]);
	/* Opening a FIFO would wait for its writer. */
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	assert_no_entry("must be a regular file");
	unlink(path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_no_entry("must be a regular file");
	alarm(0);
	unlink(path);
	write_file(names[0], "");
	assert_int_equal(truncate(path, 256 * 1024 + 1), 0);
	assert_no_entry("larger than");
}

static void expansion_is_bounded(void **state)
{
	static const char *const none[] = {NULL};
	enum { LONG = 250000, MOST = 16384 };
	char *exec = malloc(LONG + 1), *name = malloc(LONG + 1), *error = NULL;
	memset(name, 'n', LONG);
	name[LONG] = '\0';
	for (int i = 0; i < LONG; i++) {
		exec[i] = i % 2 ? ' ' : 'x';
	}
	exec[LONG] = '\0';
	struct desktop_entry entry = {
		.exec = exec, .file = (char *)"/x/y.desktop", .name = name, .icon = name};
	assert_null(desktop_entry_arguments(&entry, none, &error));
	assert_non_null(strstr(error, "longer than 16384"));
	free(error);
	exec[MOST] = '\0';
	char **argv = desktop_entry_arguments(&entry, none, &error);
	assert_int_equal(strings_count(argv), MOST / 2);
	strings_destroy(argv);
	/* Short field codes with long expansions, as whole arguments and inside arguments. */
	static const char *const codes[] = {"%c", "%c ", "%i "};
	for (int i = 0; i < 3; i++) {
		for (size_t at = 0; at < MOST; at++) {
			exec[at] = codes[i][at % strlen(codes[i])];
		}
		assert_null(desktop_entry_arguments(&entry, none, &error));
		assert_non_null(strstr(error, "longer than 1048576"));
		free(error);
	}
	free(exec);
	free(name);
}

static void exec_lines_become_arguments(void **state)
{
	static const char *const two[] = {"one", "t wo", NULL}, *const none[] = {NULL};
	static const struct {
		const char *exec;
		const char *const *files;
		const char *result; /* arguments, each ended by a bar; NULL: malformed */
	} table[] = {
		{"prog", none, "prog|"},
		{"prog  -a\t-b", none, "prog|-a|-b|"},
		{"prog %f", two, "prog|one|"},
		{"prog %F -x", two, "prog|one|t wo|-x|"},
		{"prog %U", none, "prog|"},
		{"prog --file=%u", two, "prog|--file=one|"},
		{"prog %i %c %k", none, "prog|--icon|pic|The Name|/x/y.desktop|"},
		{"prog 100%% %d%m", none, "prog|100%||"},
		{"prog", two, "prog|one|t wo|"},
		{"\"my prog\" \"a \\\" \\$b\" c", none, "my prog|a \" $b|c|"},
		{"prog \"%f\"", two, "prog|%f|one|t wo|"},
		{"prog \"100%% sure %f\"", none, "prog|100% sure %f|"},
		{"sh -c \"date +%%H%%\" %%H", none, "sh|-c|date +%H%|%H|"},
		{"prog \"%\" \"%%%\"", none, "prog|%|%%|"},
		{"prog 'single quoted' 'a\"b\\c %f %%'", none, "prog|single quoted|a\"b\\c %f %|"},
		{"prog \"it's\" a'b c'd", none, "prog|it's|ab cd|"},
		{"prog 'open", none, NULL},
		/* As Wine writes them. */
		{"wine C:\\\\windows\\\\start.exe /Unix /c:/Start\\ Menu/a.lnk", none,
			"wine|C:\\windows\\start.exe|/Unix|/c:/Start Menu/a.lnk|"},
		{"prog \"open", none, NULL},
		{"", none, NULL},
		{"   ", none, NULL},
		{"\"\" x", none, NULL},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct desktop_entry entry = {.exec = (char *)table[i].exec,
			.file = (char *)"/x/y.desktop",
			.name = (char *)"The Name",
			.icon = (char *)"pic"};
		char *error = NULL, joined[256] = "";
		char **argv = desktop_entry_arguments(&entry, table[i].files, &error);
		for (char **argument = argv; argument && *argument; argument++) {
			strcat(strcat(joined, *argument), "|");
		}
		if (table[i].result) {
			assert_non_null(argv);
			assert_string_equal(joined, table[i].result);
		} else {
			assert_null(argv);
			assert_non_null(error);
		}
		strings_destroy(argv);
		free(error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_the_main_group_are_read),
		cmocka_unit_test(discrete_gpu_preference_is_a_boolean),
		cmocka_unit_test(ids_are_found_in_data_folders),
		cmocka_unit_test(unusable_entries_are_errors),
		cmocka_unit_test(only_regular_files_are_read),
		cmocka_unit_test(expansion_is_bounded),
		cmocka_unit_test(exec_lines_become_arguments),
	};
	return cmocka_run_group_tests_name("desktop_entry", tests, make_folder, remove_folder);
}
