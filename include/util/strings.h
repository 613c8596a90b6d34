/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * NULL-terminated lists of strings, as in arguments and environments; list and strings are
 * allocated.
 */

#include <stddef.h>

/** Appends a string, which the list owns, and returns the list; `list` NULL: a new one. */
char **strings_add(char **list, char *string) __attribute__((warn_unused_result));
/** Returns the number of strings; 0 for NULL. */
size_t strings_count(char *const *list);
/**
 * Joins strings as in "a, b or c", with `last` as the final separator, and returns the text, newly
 * allocated.
 */
char *strings_join(const char *const *list, const char *separator, const char *last);
/** Accepts NULL. */
void strings_destroy(char **list);
