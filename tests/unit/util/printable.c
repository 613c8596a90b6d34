/* SPDX-License-Identifier: MIT */
/*
 * Untrusted strings in messages: control characters, malformed UTF-8, cutting between characters.
 */

#include "util/printable.h"
#include "harness/unit.h"
#include <string.h>

static void only_well_formed_utf8_is_a_character(void **state)
{
	assert_int_equal(utf8_character("a"), 1);
	assert_int_equal(utf8_character("\u00e9"), 2);
	assert_int_equal(utf8_character("\u20ac"), 3);
	assert_int_equal(utf8_character("\U0001f600"), 4);
	assert_int_equal(utf8_character("\x80"), 0);
	assert_int_equal(utf8_character("\xc3"), 0); /* ends early */
	assert_int_equal(utf8_character("\xc0\x80"), 0); /* overlong */
	assert_int_equal(utf8_character("\xed\xa0\x80"), 0); /* surrogate */
	assert_int_equal(utf8_character("\xf4\x90\x80\x80"), 0); /* beyond U+10FFFF */
}

static void check(const char *text, const char *expected)
{
	assert_string_equal(PRINTABLE(text), expected);
}

static void unprintable_characters_are_replaced(void **state)
{
	check(NULL, "");
	check("", "");
	check("plain caf\u00e9 \U0001f600", "plain caf\u00e9 \U0001f600");
	check("a\nb\033[2J\x7f", "a b [2J ");
	check("\xc2\x9b"
	      "2J\xc2\x85",
		"?2J?"); /* C1: CSI, NEL */
	check("\u202etxt.exe\u2066\u200b\ufeff", "?txt.exe???");
	check("\u2028\u2029", "??");
	check("a\xff\xc3", "a??");
}

static void long_strings_are_cut_between_characters(void **state)
{
	char text[300] = "", out[16];
	memset(text, 'x', PRINTABLE_SIZE - 1);
	check(text, text);
	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(strlen(PRINTABLE(text)), PRINTABLE_SIZE - 1);
	assert_string_equal(PRINTABLE(text) + PRINTABLE_SIZE - 4, "...");
	assert_string_equal(printable_copy(out, sizeof(out), "123456789012345"), "123456789012345");
	assert_string_equal(
		printable_copy(out, sizeof(out), "1234567890123456"), "123456789012...");
	assert_string_equal(
		printable_copy(out, sizeof(out), "12345678901\u20ac4567"), "12345678901...");
	assert_string_equal(
		printable_copy(out, sizeof(out), "123456789\u20ac4567"), "123456789\u20ac...");
	memset(text, '\x80', sizeof(text) - 1);
	assert_true(strlen(PRINTABLE(text)) < PRINTABLE_SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_well_formed_utf8_is_a_character),
		cmocka_unit_test(unprintable_characters_are_replaced),
		cmocka_unit_test(long_strings_are_cut_between_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
