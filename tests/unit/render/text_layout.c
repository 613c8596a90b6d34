/* SPDX-License-Identifier: MIT */
/* Line breaking of text: words, long words, newlines, ellipses, and invalid UTF-8. */

#include "render/text_layout.h"
#include "harness/unit.h"
#include <string.h>

/*
 * Every code point is ten pixels wide. In `expected`, | separates lines and $ stands for an
 * ellipsis.
 */
static void expect(const char *string, int width, size_t max_lines, const char *expected)
{
	uint32_t codepoints[256];
	int advances[256];
	struct text_line lines[16];
	char result[512] = "";
	size_t n = text_decode(string, codepoints, 256), at = 0;
	for (size_t i = 0; i < n; i++) {
		advances[i] = codepoints[i] == '\n' ? 0 : 10;
	}
	size_t n_lines = text_break(codepoints, advances, n, width, 10, max_lines, lines);
	for (size_t i = 0; i < n_lines; i++) {
		for (size_t j = lines[i].start; j < lines[i].end; j++) {
			result[at++] = codepoints[j] < 0x80 ? (char)codepoints[j] : '?';
		}
		if (lines[i].ellipsis) {
			result[at++] = '$';
		}
		result[at++] = i + 1 < n_lines ? '|' : '\0';
		assert_true(lines[i].width + (lines[i].ellipsis ? 10 : 0) <= width);
	}
	assert_string_equal(result, expected);
}

static void lines_break_between_words(void **state)
{
	expect("", 100, 16, "");
	expect("one two", 70, 16, "one two");
	expect("one two", 60, 16, "one|two");
	expect("one\n\ntwo", 100, 16, "one||two");
	expect("abcdefgh", 30, 16, "abc|def|gh");
	expect("a bcdefgh", 30, 16, "a|bcd|efg|h");
}

static void last_line_ends_in_an_ellipsis(void **state)
{
	expect("one two three", 50, 2, "one|two$");
	expect("one two", 50, 1, "one$");
	expect("abcdefgh", 40, 1, "abc$");
	expect("one\ntwo", 100, 1, "one$");
	expect("one\ntwo", 100, 2, "one|two");
}

static void invalid_utf8_is_replaced(void **state)
{
	uint32_t codepoints[16];
	assert_int_equal(text_decode("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", codepoints, 16), 3);
	assert_int_equal(codepoints[0], 0xe4);
	assert_int_equal(codepoints[1], 0x20ac);
	assert_int_equal(codepoints[2], 0x1f600);
	static const char *const bad[] = {"\x80", "\xc3", "\xe2\x82", "\xff", "\xed\xa0\x80",
		"\xe0\x80\x80", "\xf4\x90\x80\x80"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t n = text_decode(bad[i], codepoints, 16);
		assert_true(n >= 1);
		assert_int_equal(codepoints[0], 0xfffd);
	}
	assert_int_equal(text_decode("\t\r\x01x", codepoints, 16), 2);
	assert_int_equal(codepoints[0], ' ');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_break_between_words),
		cmocka_unit_test(last_line_ends_in_an_ellipsis),
		cmocka_unit_test(invalid_utf8_is_replaced),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
