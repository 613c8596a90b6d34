/* SPDX-License-Identifier: MIT */
/* Text properties. */

#include "harness/unit.h"
#include "xwayland/wm/base/text.h"
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *bytes;
	bool utf8;
	const char *want;
} rows[] = {
	{"ASCII", "xterm", false, "xterm"},
	{"Latin-1", "caf\xe9", false, "caf\xc3\xa9"},
	{"UTF8_STRING", "caf\xc3\xa9", true, "caf\xc3\xa9"},
	{"malformed UTF8_STRING", "caf\xe9", true, "caf?"},
	{"compound text with a UTF-8 segment", "a\x1b%G\xc3\xa9\x1b%@\xe9", false,
		"a\xc3\xa9\xc3\xa9"},
	{"compound text that designates Latin-1", "\x1b-A\xe9", false, "\xc3\xa9"},
	{"compound text in Latin-2", "a\x1b-B\xe9z", false, "a?z"},
	{"compound text in Japanese", "\x1b$(B01\x1b(Bok", false, "??ok"},
	{"control characters become spaces", "a\nb", false, "a b"},
	{"an escape at the end", "a\x1b", false, "a"},
	{"an endless escape", "a\x1b    ", false, "a"},
	{"ESC in UTF8_STRING is no escape", "a\x1b(B", true, "a (B"},
};

static void text_becomes_printable_utf8(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = xwm_text_decode(rows[i].bytes, strlen(rows[i].bytes), rows[i].utf8);
		if (strcmp(text, rows[i].want) != 0) {
			fail_msg("%s: \"%s\", not \"%s\"", rows[i].name, text, rows[i].want);
		}
		free(text);
	}
}

static void text_ends_at_its_length_and_at_nul(void **state)
{
	char *text = xwm_text_decode("abcdef", 3, false);
	assert_string_equal(text, "abc");
	free(text);
	text = xwm_text_decode("ab\0cd", 5, true);
	assert_string_equal(text, "ab");
	free(text);
}

static void latin_is_converted_both_ways(void **state)
{
	static const struct {
		const char *utf8, *latin;
		size_t used; /* unless the text has ended */
	} cases[] = {
		{"caf\xc3\xa9", "caf\xe9", 5},
		{"\xc2\x80\xc3\xbf\xc4\x80", "\x80\xff?", 6},
		{"a\xe2\x82\xac z", "a? z", 6},
		{"\xf0\x9f\x98\x80!", "?!", 5},
		{"a\xc3", "a?", 1},
		{"a\xe2\x82", "a?", 1},
		{"a\xf0\x9f\x98", "a?", 1},
		{"\xc3\xc3\xa9", "?\xe9", 3},
		{"\x80\xbf", "??", 2},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[16], back[16];
		const size_t length = strlen(cases[i].utf8), latin = strlen(cases[i].latin);
		size_t used = 0;
		memcpy(text, cases[i].utf8, length);
		assert_int_equal(xwm_text_to_latin(text, length, true, &used), latin);
		assert_int_equal(used, length);
		assert_memory_equal(text, cases[i].latin, latin);
		memcpy(text, cases[i].utf8, length);
		xwm_text_to_latin(text, length, false, &used);
		assert_int_equal(used, cases[i].used);
		if (!strchr(cases[i].latin, '?')) {
			assert_int_equal(xwm_text_from_latin(back, cases[i].latin, latin), length);
			assert_memory_equal(back, cases[i].utf8, length);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_becomes_printable_utf8),
		cmocka_unit_test(text_ends_at_its_length_and_at_nul),
		cmocka_unit_test(latin_is_converted_both_ways),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
