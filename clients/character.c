/* SPDX-License-Identifier: MIT */
/* Characters of texts in UTF-8: those that control a terminal are told from others. */

#include "character.h"
#include <string.h>

size_t character_length(const char *bytes)
{
	const unsigned char *text = (const unsigned char *)bytes;
	static const struct {
		unsigned char least, most; /* first byte */
		unsigned char second_least, second_most;
		size_t length;
	} forms[] = {
		{0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, /* shorter forms exist below */
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, /* surrogates above */
		{0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}, /* U+10FFFF is the last */
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (text[0] < forms[i].least || text[0] > forms[i].most) {
			continue;
		}
		if (forms[i].length > 1 &&
			(text[1] < forms[i].second_least || text[1] > forms[i].second_most)) {
			return 0;
		}
		for (size_t at = 2; at < forms[i].length; at++) {
			if ((text[at] & 0xc0) != 0x80) {
				return 0;
			}
		}
		return forms[i].length;
	}
	return 0;
}

uint32_t character_code(const char *text, size_t length)
{
	const unsigned char *bytes = (const unsigned char *)text;
	uint32_t code = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		code = code << 6 | (bytes[i] & 0x3f);
	}
	return code;
}

bool character_is_control(const char *text, size_t length)
{
	static const struct {
		uint32_t first, last;
	} controls[] = {
		{0x00, 0x1f}, {0x7f, 0x9f}, /* C0, DEL and C1 */
		{0x61c, 0x61c}, {0x200e, 0x200f}, /* directions */
		{0x2028, 0x202e}, {0x2066, 0x2069}, /* lines, embeddings, overrides and isolates */
	};
	const uint32_t code = character_code(text, length);
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
		if (code >= controls[i].first && code <= controls[i].last) {
			return true;
		}
	}
	return false;
}

void text_make_plain(char *text)
{
	char *to = text;
	for (size_t length; *text; text += length) {
		length = character_length(text);
		const bool plain = length > 0 && !character_is_control(text, length);
		length = length > 0 ? length : 1;
		if (plain) {
			memmove(to, text, length);
			to += length;
		} else {
			*to++ = '?';
		}
	}
	*to = '\0';
}
