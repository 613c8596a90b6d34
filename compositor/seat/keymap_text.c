/* SPDX-License-Identifier: MIT */
/* Keymap texts from clients: refusal of input that crashes the XKB compiler of libxkbcommon. */

#include "seat/keymap.h"
#include <stdlib.h>
#include <string.h>

/** The highest keycode that libxkbcommon keeps in one array; Linux and X11 end at 775. */
#define KEYCODE_MAX 0xfff

enum token {
	TOKEN_END,
	TOKEN_BRACE,
	TOKEN_COMMA,
	TOKEN_EQUALS,
	TOKEN_KEY_NAME,
	TOKEN_NUMBER,
	TOKEN_ESCAPED_QUOTE,
	TOKEN_OTHER,
};

struct scan {
	const char *at;
	unsigned long long number;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static const char *skip_blanks(const char *at)
{
	for (;;) {
		if (*at == '#' || (at[0] == '/' && at[1] == '/')) {
			at += strcspn(at, "\n");
		} else if (*at && (strchr(" \t\r\n\v\f", *at) || (unsigned char)*at >= 0x80)) {
			at++; /* newer versions skip marks of text direction */
		} else {
			return at;
		}
	}
}

/* A backslash before a quote: the string ends there in libxkbcommon 1.5, and goes on in 1.9. */
static enum token scan_string(struct scan *scan)
{
	for (scan->at++; *scan->at && *scan->at != '"'; scan->at++) {
		if (scan->at[0] == '\\' && scan->at[1] == '"') {
			return TOKEN_ESCAPED_QUOTE;
		}
		scan->at += scan->at[0] == '\\' && scan->at[1] == '\\';
	}
	scan->at += *scan->at == '"';
	return TOKEN_OTHER;
}

static enum token scan_key_name(struct scan *scan)
{
	do {
		scan->at++;
	} while (*scan->at > ' ' && *scan->at < 0x7f && *scan->at != '>');
	scan->at += *scan->at == '>';
	return TOKEN_KEY_NAME;
}

static enum token scan_number(struct scan *scan)
{
	bool hexadecimal = scan->at[0] == '0' && scan->at[1] == 'x';
	char *end;
	scan->number = strtoull(scan->at, &end, hexadecimal ? 16 : 10);
	scan->at = end;
	return TOKEN_NUMBER;
}

/* The tokens of libxkbcommon's src/xkbcomp/scanner.c, as far as they matter here. */
static enum token scan_token(struct scan *scan)
{
	scan->at = skip_blanks(scan->at);
	switch (*scan->at) {
	case '\0': return TOKEN_END;
	case '"': return scan_string(scan);
	case '<': return scan_key_name(scan);
	case '{': scan->at++; return TOKEN_BRACE;
	case ',': scan->at++; return TOKEN_COMMA;
	case '=': scan->at++; return TOKEN_EQUALS;
	default: break;
	}
	if (*scan->at >= '0' && *scan->at <= '9') {
		return scan_number(scan);
	}
	do {
		scan->at++;
	} while (is_word(scan->at[-1]) && is_word(scan->at[0]));
	return TOKEN_OTHER;
}

const char *seat_keymap_text_fault(const char *text)
{
	struct scan scan = {.at = text};
	enum token before = TOKEN_OTHER, last = TOKEN_OTHER, token;
	while ((token = scan_token(&scan)) != TOKEN_END) {
		/* As in `key <A> {, [ x ] };`: version 1.5.0 writes through a NULL pointer. */
		if (last == TOKEN_BRACE && token == TOKEN_COMMA) {
			return "a list begins with a comma";
		}
		/* Version 1.5.0 allocates arrays of this size, and aborts from 2^28 on. */
		if (before == TOKEN_KEY_NAME && last == TOKEN_EQUALS && token == TOKEN_NUMBER &&
			scan.number > KEYCODE_MAX) {
			return "a keycode exceeds 4095";
		}
		if (token == TOKEN_ESCAPED_QUOTE) {
			return "a string has an escaped quotation mark";
		}
		before = last;
		last = token;
	}
	return NULL;
}
