/* SPDX-License-Identifier: MIT */
/* Line breaking for text drawing: UTF-8 to code points to lines. */

#include "text_layout.h"

#define REPLACEMENT 0xfffd

/* Returns the length of the UTF-8 sequence that begins with `first`; 0: invalid. */
static int sequence_length(uint8_t first)
{
	return first < 0x80                    ? 1
	       : first >= 0xc2 && first < 0xe0 ? 2
	       : (first & 0xf0) == 0xe0        ? 3
	       : first >= 0xf0 && first < 0xf5 ? 4
					       : 0;
}

static uint32_t decode_one(const uint8_t **at)
{
	int length = sequence_length(**at);
	uint32_t value = length == 1 ? **at : **at & (0x7fu >> length);
	(*at)++;
	for (int i = 1; i < length; i++) {
		if ((**at & 0xc0) != 0x80) {
			return REPLACEMENT;
		}
		value = value << 6 | (**at & 0x3f);
		(*at)++;
	}
	return length == 0 || (length == 3 && value < 0x800) ||
			       (value >= 0xd800 && value < 0xe000) ||
			       (length == 4 && (value < 0x10000 || value > 0x10ffff))
		       ? REPLACEMENT
		       : value;
}

size_t text_decode(const char *string, uint32_t *codepoints, size_t max)
{
	const uint8_t *at = (const uint8_t *)string;
	size_t n = 0;
	while (*at && n < max) {
		uint32_t value = decode_one(&at);
		if (value == '\n' || value >= ' ') {
			codepoints[n++] = value;
		} else if (value == '\t') {
			codepoints[n++] = ' ';
		}
	}
	return n;
}

/* Finds the end of the line that starts at `start`, and the start of the next one. */
static size_t find_end(const uint32_t *codepoints, const int *advances, size_t start, size_t n,
	int max_width, size_t *next)
{
	int width = 0;
	size_t space = start;
	size_t i = start;
	for (; i < n && codepoints[i] != '\n'; i++) {
		width += advances[i];
		if (width > max_width && i > start) {
			*next = space > start ? space + 1 : i;
			return space > start ? space : i;
		}
		if (codepoints[i] == ' ') {
			space = i;
		}
	}
	*next = i < n ? i + 1 : n;
	return i;
}

static int width_of(const int *advances, size_t start, size_t end)
{
	int width = 0;
	for (size_t i = start; i < end; i++) {
		width += advances[i];
	}
	return width;
}

size_t text_break(const uint32_t *codepoints, const int *advances, size_t n, int max_width,
	int ellipsis_width, size_t max_lines, struct text_line *lines)
{
	size_t n_lines = 0, start = 0;
	while (start < n && n_lines < max_lines) {
		size_t next, end = find_end(codepoints, advances, start, n, max_width, &next);
		struct text_line *line = &lines[n_lines++];
		*line = (struct text_line){start, end, width_of(advances, start, end), 0};
		if (n_lines == max_lines && next < n) {
			line->ellipsis = 1;
			while (line->end > start && line->width + ellipsis_width > max_width) {
				line->width -= advances[--line->end];
			}
		}
		start = next;
	}
	return n_lines;
}
