/* SPDX-License-Identifier: MIT */
#pragma once

/** Tables of reports: selected fields, one line per record. */

#include "report.h"

/** A field, its column head and its format. */
struct look_column {
	const char *field, *head;
	enum {
		LOOK_TEXT,
		LOOK_NAME, /* may be cut */
		LOOK_GPU, /* without "pci-" */
		LOOK_BYTES,
	} kind;
};

/**
 * Prints a table that fits the terminal, or 80 columns: names are cut, then the last columns are
 * left out. Prints nothing without records. The last element of `columns` has a NULL field.
 */
void look_print(const struct report *report, const struct look_column *columns);
/** Adds the fields that tables combine of others: mode, position and state, or size. */
void look_complete(struct record *record);
/** Returns true if a name of the record contains `text`, or if it is the process id. */
bool look_matches(const struct record *record, const char *text);

/** Columns of lists, and of the reports of `watch`. */
extern const struct look_column look_workspaces[], look_keyboards[];
extern const struct look_column look_surfaces[], look_windows[], look_outputs[], look_gpus[];
extern const struct look_column look_paces[], look_rates[], look_totals[];
