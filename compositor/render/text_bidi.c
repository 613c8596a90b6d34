/* SPDX-License-Identifier: MIT */
/* Order of left-to-right and right-to-left text in a line. */

#include "text_bidi.h"
#include "util/xalloc.h"
#include <stdlib.h>

enum class {
	CLASS_LEFT, /* strong, left to right */
	CLASS_RIGHT, /* strong, right to left */
	CLASS_NUMBER,
	CLASS_SEPARATOR, /* belongs to a number if it is between two digits */
	CLASS_NEUTRAL,
};

struct range {
	uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t n, uint32_t value)
{
	for (size_t i = 0; i < n; i++) {
		if (value >= ranges[i].first && value <= ranges[i].last) {
			return true;
		}
	}
	return false;
}

#define IS_IN(ranges, value) is_in(ranges, sizeof(ranges) / sizeof((ranges)[0]), value)

static enum class class_of(uint32_t value) {
	static const struct range numbers[] = {{'0', '9'}, {0x660, 0x669}, {0x6f0, 0x6f9}};
	static const struct range separators[] = {{'+', '+'}, {',', '/'}, {':', ':'}};
	static const struct range right[] = {{0x590, 0x8ff}, {0xfb1d, 0xfdff}, {0xfe70, 0xfeff},
		{0x10800, 0x10fff}, {0x1e800, 0x1efff}};
	static const struct range neutral[] = {{0, '@'}, {'[', '`'}, {'{', 0xa9}, {0xab, 0xb4},
		{0xb6, 0xb9}, {0xbb, 0xbf}, {0xd7, 0xd7}, {0xf7, 0xf7}, {0x300, 0x36f},
		{0x2000, 0x2070}, {0x20a0, 0x20ff}, {0x2190, 0x2bff}, {0x3000, 0x3004},
		{0x3008, 0x3020}, {0xfe00, 0xfe0f}, {0x1f000, 0x1faff}};
	if (value < 0x80 && ((value | 0x20) >= 'a' && (value | 0x20) <= 'z')){return CLASS_LEFT;}
return IS_IN(numbers, value)      ? CLASS_NUMBER
       : IS_IN(separators, value) ? CLASS_SEPARATOR
       : IS_IN(right, value)      ? CLASS_RIGHT
       : IS_IN(neutral, value)    ? CLASS_NEUTRAL
				  : CLASS_LEFT;
}

static uint8_t base_level(const uint8_t *classes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (classes[i] == CLASS_LEFT || classes[i] == CLASS_RIGHT) {
			return classes[i] == CLASS_RIGHT;
		}
	}
	return 0;
}

/* Joins separators to the numbers around them, and numbers after left-to-right text to it. */
static void resolve_numbers(uint8_t *classes, size_t n, uint8_t base)
{
	uint8_t strong = base ? CLASS_RIGHT : CLASS_LEFT;
	for (size_t i = 0; i < n; i++) {
		if (classes[i] == CLASS_SEPARATOR) {
			bool inside =
				i > 0 && i + 1 < n && classes[i + 1] == CLASS_NUMBER &&
				(classes[i - 1] == CLASS_NUMBER ||
					(classes[i - 1] == CLASS_LEFT && strong == CLASS_LEFT));
			classes[i] = inside ? CLASS_NUMBER : CLASS_NEUTRAL;
		}
		if (classes[i] == CLASS_NUMBER && strong == CLASS_LEFT) {
			classes[i] = CLASS_LEFT;
		} else if (classes[i] == CLASS_LEFT || classes[i] == CLASS_RIGHT) {
			strong = classes[i];
		}
	}
}

/*
 * Neutral text between text of one direction takes that direction, other neutral text the line's.
 */
static void resolve_neutrals(uint8_t *classes, size_t n, uint8_t base)
{
	const uint8_t own = base ? CLASS_RIGHT : CLASS_LEFT;
	uint8_t before = own;
	for (size_t i = 0; i < n;) {
		if (classes[i] != CLASS_NEUTRAL) {
			before = classes[i] == CLASS_LEFT ? CLASS_LEFT : CLASS_RIGHT;
			i++;
			continue;
		}
		size_t end = i;
		while (end < n && classes[end] == CLASS_NEUTRAL) {
			end++;
		}
		uint8_t after = end == n                     ? own
				: classes[end] == CLASS_LEFT ? CLASS_LEFT
							     : CLASS_RIGHT;
		for (; i < end; i++) {
			classes[i] = before == after ? before : own;
		}
	}
}

static uint8_t level_of(uint8_t class, uint8_t base)
{
	return class == CLASS_RIGHT ? 1 : class == CLASS_NUMBER || base == 1 ? 2 : 0;
}

static void reverse(struct text_run *runs, uint8_t *levels, size_t first, size_t end)
{
	for (; first + 1 < end; first++, end--) {
		struct text_run run = runs[first];
		runs[first] = runs[end - 1];
		runs[end - 1] = run;
		uint8_t level = levels[first];
		levels[first] = levels[end - 1];
		levels[end - 1] = level;
	}
}

static void reverse_from_level(struct text_run *runs, uint8_t *levels, size_t n, uint8_t least)
{
	for (size_t i = 0; i < n; i++) {
		size_t first = i;
		while (i < n && levels[i] >= least) {
			i++;
		}
		reverse(runs, levels, first, i);
	}
}

/* Returns true for marks and joiners, which belong to the character before them. */
static bool is_attached(uint32_t value)
{
	return (value >= 0x300 && value <= 0x36f) || value == 0x200c || value == 0x200d;
}

/*
 * Returns true if right-to-left text is shaped together with the character before it. Spaces and
 * signs are runs of their own, since the font library keeps them in logical order.
 */
static bool joins(const uint32_t *codepoints, size_t i)
{
	return is_attached(codepoints[i]) ||
	       (class_of(codepoints[i]) == CLASS_RIGHT &&
		       (is_attached(codepoints[i - 1]) ||
			       class_of(codepoints[i - 1]) == CLASS_RIGHT));
}

size_t text_order(const uint32_t *codepoints, size_t n, struct text_run *runs)
{
	uint8_t *classes = xcalloc(n + 1, 1);
	for (size_t i = 0; i < n; i++) {
		classes[i] = i > 0 && is_attached(codepoints[i]) ? classes[i - 1]
								 : (uint8_t)class_of(codepoints[i]);
	}
	const uint8_t base = base_level(classes, n);
	resolve_numbers(classes, n, base);
	resolve_neutrals(classes, n, base);
	size_t n_runs = 0;
	uint8_t *levels = classes; /* of runs: never overtakes the classes */
	for (size_t i = 0; i < n; i++) {
		uint8_t level = level_of(classes[i], base);
		if (n_runs > 0 && levels[n_runs - 1] == level &&
			(level != 1 || joins(codepoints, i))) {
			runs[n_runs - 1].end = i + 1;
		} else {
			levels[n_runs] = level;
			runs[n_runs++] = (struct text_run){i, i + 1, level == 1};
		}
	}
	reverse_from_level(runs, levels, n_runs, 2);
	reverse_from_level(runs, levels, n_runs, 1);
	free(classes);
	return n_runs;
}

size_t text_clean(uint32_t *codepoints, size_t n)
{
	static const struct range dropped[] = {{0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c},
		{0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
		{0xfeff, 0xfeff}, {0xe0000, 0xe0fff}};
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (!IS_IN(dropped, codepoints[i])) {
			codepoints[kept++] = codepoints[i] < ' ' ? ' ' : codepoints[i];
		}
	}
	return kept;
}
