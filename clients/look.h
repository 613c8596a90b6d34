#pragma once

/** What `causewayctl watch` shows of a report: some of its fields, as a table of one line a record. */

#include "report.h"

/** A field, what stands above it, and how it is written. */
struct look_column {
	const char *field, *head;
	enum { LOOK_TEXT, LOOK_BYTES } kind;
};

/** Lines are cut where the terminal ends; the last column is of a NULL field. Nothing for no records. */
void look_print(const struct report *report, const struct look_column *columns);

extern const struct look_column look_surfaces[], look_gpus[], look_totals[];
