/* SPDX-License-Identifier: MIT */
#pragma once

/** Tables of `causewayctl watch`: selected fields of a report, one line per record. */

#include "report.h"

/** A field, its column head and its format. */
struct look_column {
	const char *field, *head;
	enum { LOOK_TEXT, LOOK_BYTES } kind;
};

/**
 * Prints a report, with lines cut at the terminal's width; prints nothing without records. The last
 * element of `columns` has a NULL field.
 */
void look_print(const struct report *report, const struct look_column *columns);

extern const struct look_column look_surfaces[], look_gpus[], look_totals[];
