/* SPDX-License-Identifier: MIT */
#pragma once

/** Output of reports as JSON. */

#include "report.h"

/**
 * Prints a text in quotes. Control characters are escaped, and bytes that are not UTF-8 become
 * U+FFFD.
 */
void json_print_text(const char *text);
/** Prints a record as an object, from its field `first` on. */
void json_print_record(const struct record *record, size_t first);
/** Prints an array of objects, or only the object if `single`. */
void json_print_report(const struct report *report, bool single);
