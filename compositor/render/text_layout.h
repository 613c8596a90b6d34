/* SPDX-License-Identifier: MIT */
#pragma once

/** Line breaking for text drawing, without a library. */

#include <stddef.h>
#include <stdint.h>

#define TEXT_CODEPOINTS_MAX 4096
#define TEXT_LINES_MAX 64

struct text_line {
	size_t start, end; /* code points */
	int width; /* pixels, without the ellipsis */
	int ellipsis; /* it ends in an ellipsis */
};

/**
 * Decodes UTF-8; malformed bytes become U+FFFD, tabs spaces. Returns the number of code points, at
 * most `max`.
 */
size_t text_decode(const char *string, uint32_t *codepoints, size_t max);
/**
 * Breaks lines at newlines and, where they would be wider than max_width, between words or else
 * anywhere. The last of max_lines is cut so that an ellipsis fits if there is more. Returns the
 * number of lines.
 */
size_t text_break(const uint32_t *codepoints, const int *advances, size_t n, int max_width,
	int ellipsis_width, size_t max_lines, struct text_line *lines);
