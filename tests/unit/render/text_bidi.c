/* SPDX-License-Identifier: MIT */
/* Visual order of lines with left-to-right and right-to-left text. */

#include "render/text_bidi.h"
#include "harness/unit.h"
#include <string.h>

/* Control characters of test strings. */
#define LRI "\001"
#define RLI "\002"
#define FSI "\003"
#define PDI "\004"
#define RLO "\005"
#define PDF "\006"
#define RLE "\016"
#define LRM "\017"
#define POINT "\020" /* a Hebrew point, a mark */

static uint32_t decode(char c)
{
	static const uint32_t controls[] = {
		[1] = 0x2066, 0x2067, 0x2068, 0x2069, 0x202e, 0x202c, [14] = 0x202b, 0x200e, 0x5b8};
	return c >= 'A' && c <= 'Z' ? 0x5d0 + (uint32_t)(c - 'A')
	       : c > 0 && c < ' '   ? controls[(uint8_t)c]
				    : (uint8_t)c;
}

static char encode(uint32_t value)
{
	return value == 0x5b8   ? POINT[0]
	       : value >= 0x5d0 ? (char)('A' + (int)(value - 0x5d0))
				: (char)value;
}

static struct text_bidi *bidi;

/*
 * Capital letters stand for Hebrew ones. `expected` is the line as it is seen; right-to-left runs
 * are seen in reverse.
 */
static void expect_with(const struct text_bidi *library, const char *string, const char *expected)
{
	uint32_t codepoints[64], shown[64];
	struct text_run runs[64];
	char result[65] = "";
	size_t n = 0, at = 0;
	for (; string[n]; n++) {
		codepoints[n] = decode(string[n]);
	}
	n = text_clean(codepoints, n);
	size_t n_runs = text_order(library, codepoints, n, shown, runs);
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t j = runs[i].start; j < runs[i].end; j++) {
			size_t from =
				runs[i].right_to_left ? runs[i].end - 1 - (j - runs[i].start) : j;
			result[at++] = encode(shown[from]);
		}
	}
	assert_string_equal(result, expected);
}

static void expect(const char *string, const char *expected)
{
	expect_with(bidi, string, expected);
}

static int open_library(void **state)
{
	bidi = text_bidi_open();
	return 0;
}

static int close_library(void **state)
{
	text_bidi_close(bidi);
	return 0;
}

/* A build without the library keeps the logical order. */
static int need_library(void **state)
{
	if (!bidi) {
		skip_because("this build has no fribidi");
	}
	return 0;
}

static void left_to_right_line_is_one_run(void **state)
{
	struct text_run runs[16];
	uint32_t shown[16];
	const uint32_t line[] = {'a', ' ', '1', '.', '5', '!', 0x301};
	assert_int_equal(text_order(bidi, line, 7, shown, runs), 1);
	assert_int_equal(runs[0].end, 7);
	assert_false(runs[0].right_to_left);
	assert_int_equal(text_order(bidi, line, 0, shown, runs), 0);
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

/* The font library shapes letters, marks and joiners of a word together. */
static void word_is_one_run(void **state)
{
	const uint32_t line[] = {0x5d0, 0x5b8, 0x5d1, 0x200d, 0x5d2, ' ', 0x627, 0x64b};
	struct text_run runs[8];
	uint32_t shown[8];
	assert_int_equal(text_order(bidi, line, 8, shown, runs), 3);
	assert_int_equal(runs[0].start, 6);
	assert_int_equal(runs[0].end, 8);
	assert_true(runs[0].right_to_left);
	assert_int_equal(runs[1].start, 5);
	assert_int_equal(runs[2].start, 0);
	assert_int_equal(runs[2].end, 5);
}

static void brackets_are_mirrored(void **state)
{
	expect("AB (CD)", "(DC) BA");
	expect("AB (vim) [CD]", "[DC] (vim) BA");
	expect("vim (AB) <CD>", "vim (BA) <DC>");
	expect("vim (AB", "vim (BA");
	expect("a (AB) b", "a (BA) b");
	expect("AB <5> CD", "DC <5> BA");
}

static void numbers_keep_their_direction(void **state)
{
	expect("AB 1.5-2", "1.5-2 BA");
	expect("AB 50% 12:30", "12:30 50% BA");
	expect("AB x1 2", "x1 2 BA");
	expect("1 AB", "BA 1");
	expect("a 1 AB 2 b", "a 1 2 BA b");
	expect("(1) AB - vim", "vim - BA (1)");
}

/* The tilde acts as an ellipsis, which has the same class. */
static void ellipsis_is_at_the_end_of_the_line(void **state)
{
	expect("AB CD~", "~DC BA");
	expect("AB vim~", "~vim BA");
	expect("vim AB~", "vim BA~");
	expect("vim " FSI "AB~", "vim ~BA");
}

static void isolates_and_marks_are_obeyed(void **state)
{
	expect(FSI "AB" PDI " - vim", "BA - vim");
	expect("vim: " FSI "AB 1" PDI " 2", "vim: 1 BA 2");
	expect("vim: AB 1 2", "vim: 2 1 BA");
	expect(LRM "AB - vim", "BA - vim");
	expect("x " RLI "a - AB", "x BA - a");
	expect(PDI PDF "AB" PDI " x", "x BA");
	expect(LRI RLI LRI FSI, "");
}

/* Letters in reverse would hide the extension of a file. */
static void overrides_change_no_direction_of_letters(void **state)
{
	expect("x" RLO "gpj.exe", "xgpj.exe");
	expect("x " RLO "gpj" PDF ".exe", "x gpj.exe");
	expect("x " RLE "a " RLO "b c" PDF " AB" PDF " y", "x BA b c a y");
}

static void nesting_is_unlimited(void **state)
{
	uint32_t codepoints[TEXT_ORDER_MAX], shown[TEXT_ORDER_MAX];
	static struct text_run runs[TEXT_ORDER_MAX];
	for (size_t i = 0; i < TEXT_ORDER_MAX; i++) {
		codepoints[i] = i % 2 ? 0x2067 : i % 4 ? 'a' : 0x5d0;
	}
	assert_int_equal(
		text_order(bidi, codepoints, TEXT_ORDER_MAX, shown, runs), TEXT_ORDER_MAX / 2);
}

static void order_without_the_library_is_logical(void **state)
{
	expect_with(NULL, "AB (12) " FSI "x" PDI " CD", "AB (12) x CD");
}

static void invisible_characters_are_removed(void **state)
{
	uint32_t line[] = {
		'a', 0x2028, 'b', '\n', 0x7f, 0x206a, 0xfeff, 0xe0041, 0xad, 0x200d, 'c'};
	assert_int_equal(text_clean(line, 11), 5);
	assert_int_equal(line[1], 'b');
	assert_int_equal(line[2], ' ');
	assert_int_equal(line[3], 0x200d);
}

#define TEST(function) cmocka_unit_test_setup(function, need_library)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(left_to_right_line_is_one_run),
		TEST(right_to_left_words_are_reversed_in_place),
		TEST(right_to_left_line_starts_at_the_right),
		TEST(word_is_one_run),
		TEST(brackets_are_mirrored),
		TEST(numbers_keep_their_direction),
		TEST(ellipsis_is_at_the_end_of_the_line),
		TEST(isolates_and_marks_are_obeyed),
		TEST(overrides_change_no_direction_of_letters),
		TEST(nesting_is_unlimited),
		cmocka_unit_test(order_without_the_library_is_logical),
		cmocka_unit_test(invisible_characters_are_removed),
	};
	return cmocka_run_group_tests(tests, open_library, close_library);
}
