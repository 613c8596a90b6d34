/* SPDX-License-Identifier: MIT */
#pragma once

/** Characters of texts in UTF-8, such as titles, which come from clients. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Returns the length of the UTF-8 character at the start of the text, or 0 if there is none. */
size_t character_length(const char *text);
/** Returns the number in Unicode of the character of this length. */
uint32_t character_code(const char *text, size_t length);
/**
 * Returns whether the character controls a terminal or the direction or lines of a text, instead
 * of being shown.
 */
bool character_is_control(const char *text, size_t length);
/** Replaces such characters, and bytes that are no characters, by question marks. */
void text_make_plain(char *text);
