/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Direction of text in a line, by the Unicode Bidirectional Algorithm of fribidi. The first strong
 * character decides the direction of the line.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Maximum number of code points of a line. */
#define TEXT_ORDER_MAX 512

struct text_bidi;

struct text_run {
	size_t start, end; /* code points */
	bool right_to_left;
};

/** Loads fribidi. Logs a failure, and returns NULL. */
struct text_bidi *text_bidi_open(void);
/** Accepts NULL. */
void text_bidi_close(struct text_bidi *bidi);
/**
 * Splits a line into runs of one direction, in visual order from left to right and without marks,
 * embeddings and isolates. `shown` receives the code points, with mirrored brackets in
 * right-to-left runs. Without `bidi`, all runs are left to right. Returns the number of runs;
 * `runs` and `shown` have room for `n`, at most TEXT_ORDER_MAX.
 */
size_t text_order(const struct text_bidi *bidi, const uint32_t *codepoints, size_t n,
	uint32_t *shown, struct text_run *runs);
/**
 * Removes the code points that are invisible, except marks, embeddings and isolates. Replaces line
 * breaks by spaces, and overrides, which would show letters in reverse, by embeddings. Returns the
 * new number of code points.
 */
size_t text_clean(uint32_t *codepoints, size_t n);
