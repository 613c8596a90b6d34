/* SPDX-License-Identifier: MIT */
/* Visual order of lines with left-to-right and right-to-left text. */

#include "render/text_bidi.h"
#include "harness/unit.h"
#include <string.h>

/*
 * Capital letters stand for Hebrew ones. `expected` is the line as it is seen; right-to-left runs
 * are seen in reverse.
 */
static void expect(const char *string, const char *expected)
{
	uint32_t codepoints[64];
	struct text_run runs[64];
	char result[65] = "";
	size_t n = strlen(string), at = 0;
	for (size_t i = 0; i < n; i++) {
		bool capital = string[i] >= 'A' && string[i] <= 'Z';
		codepoints[i] = capital ? 0x5d0 + (uint32_t)(string[i] - 'A') : (uint8_t)string[i];
	}
	size_t n_runs = text_order(codepoints, n, runs);
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t j = runs[i].start; j < runs[i].end; j++) {
			size_t from =
				runs[i].right_to_left ? runs[i].end - 1 - (j - runs[i].start) : j;
			result[at++] = string[from];
		}
	}
	assert_int_equal(at, n);
	assert_string_equal(result, expected);
}

static void left_to_right_line_is_one_run(void **state)
{
	struct text_run runs[16];
	const uint32_t line[] = {'a', ' ', '1', '.', '5', '!', 0x301};
	assert_int_equal(text_order(line, 7, runs), 1);
	assert_int_equal(runs[0].end, 7);
	assert_false(runs[0].right_to_left);
	assert_int_equal(text_order(line, 0, runs), 0);
	expect("", "");
	expect("- vim: a.c -", "- vim: a.c -");
}

static void right_to_left_words_are_reversed_in_place(void **state)
{
	expect("vim ABC.txt", "vim CBA.txt");
	expect("x AB CD y", "x DC BA y");
	expect("x AB 12 y", "x 12 BA y");
}

static void right_to_left_line_starts_at_the_right(void **state)
{
	expect("ABC", "CBA");
	expect("ABC - vim", "vim - CBA");
	expect("AB x y CD", "DC x y BA");
	expect("AB 12:30 CD", "DC 12:30 BA");
	expect("AB 12 - CD!", "!DC - 12 BA");
}

static void invisible_characters_are_removed(void **state)
{
	uint32_t line[] = {'a', 0x202e, 'b', '\n', 0x7f, 0x2066, 0xfeff, 0x200d, 'c'};
	assert_int_equal(text_clean(line, 9), 5);
	assert_int_equal(line[1], 'b');
	assert_int_equal(line[2], ' ');
	assert_int_equal(line[3], 0x200d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(left_to_right_line_is_one_run),
		cmocka_unit_test(right_to_left_words_are_reversed_in_place),
		cmocka_unit_test(right_to_left_line_starts_at_the_right),
		cmocka_unit_test(invisible_characters_are_removed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
