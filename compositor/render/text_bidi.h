/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Direction of text in a line: a subset of the Unicode Bidirectional Algorithm, without explicit
 * embeddings, isolates and paired brackets. The first strong character decides the line's
 * direction.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_run {
	size_t start, end; /* code points */
	bool right_to_left;
};

/**
 * Splits a line into runs of one direction, in visual order from left to right. Returns the number
 * of runs; `runs` has room for `n`.
 */
size_t text_order(const uint32_t *codepoints, size_t n, struct text_run *runs);
/**
 * Removes the code points that are invisible or that change the direction of others, and replaces
 * line breaks by spaces. Returns the new number of code points.
 */
size_t text_clean(uint32_t *codepoints, size_t n);
