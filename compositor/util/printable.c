/* SPDX-License-Identifier: MIT */
/* Untrusted strings in messages: UTF-8 validation, removal of control characters, cutting. */

#include "util/printable.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t utf8_character(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = bytes[0] < 0x80                       ? 1
			: bytes[0] >= 0xc2 && bytes[0] < 0xe0 ? 2
			: bytes[0] >= 0xe0 && bytes[0] < 0xf0 ? 3
			: bytes[0] >= 0xf0 && bytes[0] < 0xf5 ? 4
							      : 0;
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80) {
			return 0;
		}
	}
	bool overlong =
		(bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xf0 && bytes[1] < 0x90);
	bool surrogate = bytes[0] == 0xed && bytes[1] >= 0xa0;
	bool beyond = bytes[0] == 0xf4 && bytes[1] >= 0x90;
	return length > 1 && (overlong || surrogate || beyond) ? 0 : length;
}

static uint32_t decode(const char *text, size_t length)
{
	static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t code = (unsigned char)text[0] & first_bits[length];
	for (size_t i = 1; i < length; i++) {
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	}
	return code;
}

/*
 * C1 controls include CSI, which starts escape sequences of terminals; format characters reorder or
 * hide text.
 */
static bool is_printable(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{0x00, 0x1f},
		{0x7f, 0x9f},
		{0x061c, 0x061c},
		{0x200b, 0x200f},
		{0x2028, 0x202e},
		{0x2060, 0x206f},
		{0xfeff, 0xfeff},
		{0xfff9, 0xfffb},
		{0xe0000, 0xe007f},
	};
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		if (code >= hidden[i].first && code <= hidden[i].last) {
			return false;
		}
	}
	return true;
}

size_t printable_clean(char *text)
{
	size_t written = 0;
	for (const char *from = text; *from;) {
		size_t length = utf8_character(from);
		uint32_t code = length > 0 ? decode(from, length) : 0;
		if (length > 0 && is_printable(code)) {
			memmove(text + written, from, length);
			written += length;
		} else {
			text[written++] = length == 1 ? ' ' : '?';
		}
		from += length > 0 ? length : 1;
	}
	text[written] = '\0';
	return written;
}

const char *printable_copy(char *out, size_t size, const char *text)
{
	static const char ellipsis[] = "...";
	size_t n = 0;
	bool cut = false;
	while (text && text[n] && !cut) {
		size_t length = utf8_character(text + n);
		length = length > 0 ? length : 1;
		cut = n + length >= size;
		n += cut ? 0 : length;
	}
	while (cut && n + sizeof(ellipsis) > size) {
		n--;
		while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) {
			n--;
		}
	}
	if (n > 0) {
		memcpy(out, text, n);
	}
	out[n] = '\0';
	n = printable_clean(out);
	if (cut) {
		memcpy(out + n, ellipsis, sizeof(ellipsis));
	}
	return out;
}
