/* SPDX-License-Identifier: MIT */
/* Programs that have device nodes open: names and numbers out of a folder like /proc. */

#include "clients/openers.h"
#include "harness/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/causeway-openers-XXXXXX";

static void add_process(const char *number, const char *name, const char *first, const char *second)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, number);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/comm", folder, number);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", name);
	assert_int_equal(fclose(file), 0);
	snprintf(path, sizeof(path), "%s/%s/fd", folder, number);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/fd/0", folder, number);
	assert_int_equal(symlink(first, path), 0);
	snprintf(path, sizeof(path), "%s/%s/fd/1", folder, number);
	assert_int_equal(symlink(second, path), 0);
}

static void remove_process(const char *number)
{
	static const char *const names[] = {"/comm", "/fd/0", "/fd/1", "/fd", ""};
	char path[128];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s%s", folder, number, names[i]);
		assert_int_equal(remove(path), 0);
	}
}

static void openers_are_listed_by_node(void **state)
{
	(void)state;
	static const struct {
		const char *nodes[3], *expected;
	} table[] = {
		{{"/dev/dri/renderD129"}, "two (20), one (100)"},
		{{"/dev/dri/renderD128", "/dev/dri/card1"}, "one (100)"},
		{{"/dev/dri/renderD12"}, ""},
		{{"/dev/nvidia#"}, "three (300)"},
		{{"/dev/nvidia1", "/dev/dri/renderD129"}, "two (20), one (100)"},
		{{NULL}, ""},
	};
	assert_non_null(mkdtemp(folder));
	add_process("100", "one", "/dev/dri/renderD128", "/dev/dri/renderD129");
	add_process("20", "two", "/dev/dri/renderD129", "/dev/dri/renderD129");
	add_process("300", "three", "/dev/nvidiactl", "/dev/nvidia0");
	add_process("400", "four", "/dev/nvidiactl", "/dev/nvidia-uvm");
	add_process("self", "five", "/dev/nvidia0", "/dev/dri/renderD129");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *text = openers_list(folder, table[i].nodes);
		assert_string_equal(text, table[i].expected);
		free(text);
	}
	remove_process("100");
	remove_process("20");
	remove_process("300");
	remove_process("400");
	remove_process("self");
	assert_int_equal(rmdir(folder), 0);
	char *text = openers_list(folder, table[0].nodes);
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(openers_are_listed_by_node)};
	return cmocka_run_group_tests_name("openers", tests, NULL, NULL);
}
