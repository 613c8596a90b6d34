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
