/* SPDX-License-Identifier: MIT */
/* Tables of causewayctl: widths, cut names, left-out columns, units, and combined fields. */

#include "clients/look.h"
#include "harness/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stands for the report that is received: only its fields are used. */
const char *report_find(const struct record *record, const char *name)
{
	for (size_t i = 0; i < record->n_fields; i++) {
		if (strcmp(record->fields[i].name, name) == 0) {
			return record->fields[i].value;
		}
	}
	return NULL;
}

void report_add(struct record *record, const char *name, const char *value)
{
	record->fields =
		reallocarray(record->fields, record->n_fields + 1, sizeof(*record->fields));
	record->fields[record->n_fields++] =
		(struct field){.name = strdup(name), .value = strdup(value)};
}

static void clear(struct record *record)
{
	for (size_t i = 0; i < record->n_fields; i++) {
		free(record->fields[i].name);
		free(record->fields[i].value);
	}
	free(record->fields);
	*record = (struct record){0};
}

/* Returns the printed table; the caller frees it. */
static char *print(struct record *records, size_t n, const struct look_column *columns)
{
	char *text = NULL;
	size_t size;
	FILE *screen = stdout, *stream = open_memstream(&text, &size);
	stdout = stream;
	look_print(&(struct report){.records = records, .n_records = n}, columns);
	stdout = screen;
	fclose(stream);
	return text;
}

static void expect_widths(const char *text, size_t most)
{
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		size_t n = 0;
		for (const char *at = line; *at != '\n'; at++) {
			n += ((unsigned char)*at & 0xc0) != 0x80;
		}
		assert_true(n <= most);
	}
}

static void long_names_are_cut_to_eighty_columns(void **state)
{
	struct record records[2] = {0};
	char title[300];
	memset(title, 'x', sizeof(title) - 1);
	title[sizeof(title) - 1] = '\0';
	for (int i = 0; i < 2; i++) {
		report_add(&records[i], "title", i ? "\xc3\xa4\xc3\xb6\x01" : title);
		report_add(&records[i], "client", i ? "foot" : title);
		report_add(&records[i], "output", "HEADLESS-1");
		report_add(&records[i], "buffer_gpu", "pci-0000_03_00_0");
		report_add(&records[i], "route", "copy");
		report_add(&records[i], "copied", "5242880");
		report_add(&records[i], "uploaded", "12");
	}
	char *text = print(records, 2, look_surfaces);
	expect_widths(text, 80);
	assert_non_null(strstr(text, "x\xe2\x80\xa6  "));
	assert_non_null(strstr(text, "\n\xc3\xa4\xc3\xb6?  "));
	assert_non_null(strstr(text, "0000_03_00_0  copy"));
	assert_null(strstr(text, "pci-"));
	assert_non_null(strstr(text, "5.0M"));
	free(text);
	clear(&records[0]);
	clear(&records[1]);
}

static void wide_and_combining_characters_keep_columns_aligned(void **state)
{
	struct record records[3] = {0};
	static const char *const titles[] = {"plain", "\u65e5\u672c", "e\u0301"};
	for (int i = 0; i < 3; i++) {
		report_add(&records[i], "title", titles[i]);
		report_add(&records[i], "application", "foot");
	}
	static const struct look_column columns[] = {
		{"title", "title", LOOK_NAME}, {"application", "application", LOOK_NAME}, {0}};
	char *text = print(records, 3, columns);
	assert_string_equal(text, "title  application\n"
				  "plain  foot\n"
				  "\u65e5\u672c   foot\n"
				  "e\u0301      foot\n");
	free(text);
	for (int i = 0; i < 3; i++) {
		clear(&records[i]);
	}
}

static void last_columns_are_left_out_of_narrow_lines(void **state)
{
	static const struct look_column columns[] = {
		{"a", "a", LOOK_TEXT}, {"b", "b", LOOK_TEXT}, {"c", "c", LOOK_NAME}, {0}};
	struct record record = {0};
	char wide[71];
	memset(wide, 'x', 70);
	wide[70] = '\0';
	report_add(&record, "a", wide);
	report_add(&record, "b", "123456789");
	report_add(&record, "c", "name");
	char *text = print(&record, 1, columns);
	expect_widths(text, 80);
	assert_null(strstr(text, "123456789"));
	free(text);
	clear(&record);
	text = print(&record, 0, columns);
	assert_string_equal(text, "");
	free(text);
}

static void fields_are_combined_for_tables(void **state)
{
	static const char *const output[][2] = {{"name", "DP-1"}, {"enabled", "true"},
		{"dark", "true"}, {"width", "2560"}, {"height", "1440"}, {"refresh", "143.970"},
		{"x", "-10"}, {"y", "0"}};
	struct record record = {0};
	for (size_t i = 0; i < sizeof(output) / sizeof(output[0]); i++) {
		report_add(&record, output[i][0], output[i][1]);
	}
	look_complete(&record);
	assert_string_equal(report_find(&record, "mode"), "2560x1440@143.97");
	assert_string_equal(report_find(&record, "position"), "-10,0");
	assert_string_equal(report_find(&record, "state"), "standby");
	clear(&record);
	static const char *const window[][2] = {{"title", "a"}, {"pid", "12"}, {"width", "20"},
		{"height", "10"}, {"focused", "true"}, {"maximized", "true"},
		{"minimized", "false"}};
	for (size_t i = 0; i < sizeof(window) / sizeof(window[0]); i++) {
		report_add(&record, window[i][0], window[i][1]);
	}
	look_complete(&record);
	assert_string_equal(report_find(&record, "size"), "20x10");
	assert_string_equal(report_find(&record, "state"), "focused maximized");
	assert_true(look_matches(&record, "A"));
	assert_true(look_matches(&record, "12"));
	assert_false(look_matches(&record, "1"));
	clear(&record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_names_are_cut_to_eighty_columns),
		cmocka_unit_test(wide_and_combining_characters_keep_columns_aligned),
		cmocka_unit_test(last_columns_are_left_out_of_narrow_lines),
		cmocka_unit_test(fields_are_combined_for_tables),
	};
	return cmocka_run_group_tests_name("look", tests, NULL, NULL);
}
