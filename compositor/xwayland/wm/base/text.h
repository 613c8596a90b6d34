/* SPDX-License-Identifier: MIT */
#pragma once

/** Text properties. */

#include <stdbool.h>
#include <stddef.h>

/**
 * Converts a text property to UTF-8 without control characters: UTF8_STRING (`utf8`), or STRING and
 * COMPOUND_TEXT, of which the parts in Latin-1 and UTF-8 are kept. The caller frees the string.
 */
char *xwm_text_decode(const char *bytes, size_t length, bool utf8);
/**
 * Converts Latin-1 to UTF-8; `out` has room for twice the length. Returns the length of the result.
 */
size_t xwm_text_from_latin(char *out, const char *bytes, size_t length);
/**
 * Converts UTF-8 to Latin-1 in place; other characters become question marks. Unless the text has
 * `ended`, a character at its end of which bytes are missing is left out. Returns the length of the
 * result, and in *used that of the converted text.
 */
size_t xwm_text_to_latin(char *bytes, size_t length, bool ended, size_t *used);
