/* SPDX-License-Identifier: MIT */
/* Text properties: Latin-1, compound text and UTF-8. */

#include "text.h"
#include "util/printable.h"
#include "util/xalloc.h"
#include "xwm.h"

#define ESCAPE 0x1b

/* Returns the length of an escape sequence of compound text: intermediate bytes and a final one. */
static size_t escape_length(const unsigned char *at, const unsigned char *end)
{
	const unsigned char *p = at + 1;
	while (p < end && *p >= 0x20 && *p <= 0x2f) {
		p++;
	}
	return (size_t)((p < end ? p + 1 : end) - at);
}

/** Decoding of compound text (ICCCM 2.7.1 and "Compound Text Encoding"). */
struct decoder {
	char *out;
	bool utf8; /* between ESC % G and ESC % @ */
	bool latin_left, latin_right; /* the character sets in use are ASCII and Latin-1 */
};

static void escape(struct decoder *decoder, const unsigned char *at, size_t length)
{
	if (length == 3 && at[1] == '%') {
		decoder->utf8 = at[2] == 'G';
	} else if (length == 3 && (at[1] == '(' || at[1] == ')')) {
		*(at[1] == '(' ? &decoder->latin_left : &decoder->latin_right) =
			at[1] == '(' ? at[2] == 'B' : at[2] == 'A';
	} else if (length == 3 && at[1] == '-') {
		decoder->latin_right = at[2] == 'A';
	} else if (length == 4 && at[1] == '$') {
		*(at[2] == '(' ? &decoder->latin_left : &decoder->latin_right) = false;
	}
}

static void put(struct decoder *decoder, unsigned char byte)
{
	if (decoder->utf8 || byte < 0x20) {
		*decoder->out++ = (char)byte;
	} else if (!(byte < 0x80 ? decoder->latin_left : decoder->latin_right)) {
		*decoder->out++ = '?';
	} else if (byte < 0x80) {
		*decoder->out++ = (char)byte;
	} else {
		*decoder->out++ = (char)(0xc0 | byte >> 6);
		*decoder->out++ = (char)(0x80 | (byte & 0x3f));
	}
}

char *xwm_text_decode(const char *bytes, size_t length, bool utf8)
{
	const unsigned char *at = (const unsigned char *)bytes, *end = at + length;
	char *text = xcalloc(1, 2 * length + 1); /* a Latin-1 character may take two bytes */
	struct decoder decoder = {
		.out = text, .utf8 = utf8, .latin_left = true, .latin_right = true};
	while (at < end && *at) {
		if (*at == ESCAPE && !utf8) {
			size_t skipped = escape_length(at, end);
			escape(&decoder, at, skipped);
			at += skipped;
		} else {
			put(&decoder, *at++);
		}
	}
	*decoder.out = '\0';
	printable_clean(text);
	return text;
}

size_t xwm_text_from_latin(char *out, const char *bytes, size_t length)
{
	char *to = out;
	for (size_t i = 0; i < length; i++) {
		const unsigned char byte = (unsigned char)bytes[i];
		if (byte >= 0x80) {
			*to++ = (char)(0xc0 | byte >> 6);
		}
		*to++ = (char)(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
	}
	return (size_t)(to - out);
}

/* Returns the length of a character by its first byte. */
static size_t character_length(unsigned char first)
{
	return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Returns how many bytes belong to the character: fewer if it is malformed. */
static size_t character_end(const unsigned char *at, size_t length)
{
	size_t n = 1;
	while (n < length && (at[n] & 0xc0) == 0x80) {
		n++;
	}
	return n;
}

size_t xwm_text_to_latin(char *bytes, size_t length, bool ended, size_t *used)
{
	const unsigned char *at = (const unsigned char *)bytes, *end = at + length;
	char *to = bytes;
	while (at < end) {
		const size_t whole = character_length(*at), left = (size_t)(end - at);
		const size_t n = character_end(at, whole < left ? whole : left);
		if (n < whole && n == left && !ended) {
			break;
		}
		const bool latin = n == 2 && (*at == 0xc2 || *at == 0xc3);
		*to++ = *at < 0x80 ? (char)*at
			: latin    ? (char)((*at & 3) << 6 | (at[1] & 0x3f))
				   : '?';
		at += n;
	}
	*used = (size_t)(at - (const unsigned char *)bytes);
	return (size_t)(to - bytes);
}
