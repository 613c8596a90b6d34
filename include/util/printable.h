/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Untrusted strings in messages: valid UTF-8 without control characters, cut to a length.
 *
 * Titles, application ids, MIME types, names of programs and similar strings from clients pass
 * through PRINTABLE() before they enter the text of a protocol error, and before they enter a log
 * line that continues after them.
 */

#include <stddef.h>

/** Bytes of a printable string, with its NUL: libwayland cuts protocol errors at 128 bytes. */
#define PRINTABLE_SIZE 64

/**
 * Returns the length in bytes of the well-formed UTF-8 character at `text`, or 0 if it is
 * malformed.
 */
size_t utf8_character(const char *text);

/**
 * Makes NUL-terminated `text` printable in place and returns its new length. A control character of
 * ASCII becomes a space; malformed UTF-8, other control characters, line separators, invisible and
 * bidirectional format characters become a question mark.
 */
size_t printable_clean(char *text);

/**
 * Copies `text` to `out` and makes it printable. A string that exceeds `size` is cut between
 * characters and ends in "...". `size` is at least 8. NULL gives an empty string. Returns `out`.
 */
const char *printable_copy(char *out, size_t size, const char *text);

/** A printable copy of `text`, valid until the end of the enclosing block. */
#define PRINTABLE(text) printable_copy((char[PRINTABLE_SIZE]){0}, PRINTABLE_SIZE, text)
