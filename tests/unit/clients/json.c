/* SPDX-License-Identifier: MIT */
/* The JSON writer of causewayctl. */

#include "clients/json.h"
#include "causeway-control-v1-client-protocol.h"
#include "clients/character.h"
#include "harness/unit.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Redirects standard output to a file until finish(), which returns the text. */
static int stdout_before;
static char printed[4096];

static FILE *redirect(void)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	fflush(stdout);
	stdout_before = dup(STDOUT_FILENO);
	dup2(fileno(file), STDOUT_FILENO);
	return file;
}

static const char *finish(FILE *file)
{
	fflush(stdout);
	dup2(stdout_before, STDOUT_FILENO);
	close(stdout_before);
	ssize_t n = pread(fileno(file), printed, sizeof(printed) - 1, 0);
	printed[n > 0 ? n : 0] = '\0';
	fclose(file);
	return printed;
}

static void hostile_texts_are_valid_json(void **state)
{
	static const struct {
		const char *text, *json;
	} rows[] = {
		{"", "\"\""},
		{"plain", "\"plain\""},
		{"\"}, {\\", "\"\\\"}, {\\\\\""},
		{"a\nb\t\x01\x1f\x7f", "\"a\\u000ab\\u0009\\u0001\\u001f\\u007f\""},
		{"\u00e4\u20ac\U0001f600\U0010ffff", "\"\u00e4\u20ac\U0001f600\U0010ffff\""},
		{"\xff|\x80|\xc3", "\"\\ufffd|\\ufffd|\\ufffd\""},
		{"\xc0\xaf", "\"\\ufffd\\ufffd\""}, /* a slash in two bytes */
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* a surrogate */
		{"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* U+110000 */
		{"\xe2\x82", "\"\\ufffd\\ufffd\""}, /* cut */
		/* Terminals obey C1, as CSI, and turn the text after an override. */
		{"A\xc2\x9b"
		 "31mB\xc2\x80\xc2\x9f\xc2\xa0",
			"\"A\\u009b31mB\\u0080\\u009f\xc2\xa0\""},
		{"\u202eC\u2066\u2069\u200f\u2028\u061c\u200d",
			"\"\\u202eC\\u2066\\u2069\\u200f\\u2028\\u061c\u200d\""},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *file = redirect();
		json_print_text(rows[i].text);
		assert_string_equal(finish(file), rows[i].json);
	}
}

static void texts_for_a_terminal_control_nothing(void **state)
{
	static const char *const rows[][2] = {
		{"", ""},
		{"plain \u00e4\u20ac\U0001f600", "plain \u00e4\u20ac\U0001f600"},
		{"a\n\x1b[31m\x7f|", "a??[31m?|"},
		{"A\xc2\x9b"
		 "31mB\u202eC",
			"A?31mB?C"},
		{"\xc2\x80\xc2\x9f\xc2\xa0", "??\xc2\xa0"},
		{"\u2066x\u2069\u061c\u200e", "?x???"},
		{"\xff\xe2\x82", "???"},
		{"\u2027\u2028\u2029\u202f", "\u2027??\u202f"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[64];
		snprintf(text, sizeof(text), "%s", rows[i][0]);
		text_make_plain(text);
		assert_string_equal(text, rows[i][1]);
	}
}

static void lists_are_arrays_of_their_lines(void **state)
{
	char names[][8] = {"kind", "id", "n", "on", "list", "none"};
	char values[][16] = {"window", "a\"b", "-5", "true", "A (1)\n\n\xff,\"", ""};
	static const uint32_t kinds[] = {CAUSEWAY_REPORT_V1_KIND_STRING,
		CAUSEWAY_REPORT_V1_KIND_STRING, CAUSEWAY_REPORT_V1_KIND_INTEGER,
		CAUSEWAY_REPORT_V1_KIND_BOOLEAN, CAUSEWAY_REPORT_V1_KIND_LIST,
		CAUSEWAY_REPORT_V1_KIND_LIST};
	struct field fields[6];
	for (size_t i = 0; i < 6; i++) {
		fields[i] = (struct field){names[i], values[i], kinds[i]};
	}
	struct record record = {fields, 6};
	FILE *file = redirect();
	json_print_record(&record, 1);
	assert_string_equal(finish(file), "{\"id\": \"a\\\"b\", \"n\": -5, \"on\": true, "
					  "\"list\": [\"A (1)\", \"\", \"\\ufffd,\\\"\"], "
					  "\"none\": []}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_texts_are_valid_json),
		cmocka_unit_test(lists_are_arrays_of_their_lines),
		cmocka_unit_test(texts_for_a_terminal_control_nothing),
	};
	return cmocka_run_group_tests_name("clients/json", tests, NULL, NULL);
}
