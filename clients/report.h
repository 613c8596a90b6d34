/* SPDX-License-Identifier: MIT */
#pragma once

/** Reports of the control protocol: collected, then printed. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct causeway_report_v1;
struct wl_display;

struct field {
	char *name, *value;
	uint32_t kind; /* enum causeway_report_v1_kind */
};

struct record {
	struct field *fields;
	size_t n_fields;
};

struct report {
	struct record *records;
	size_t n_records;
	bool done;
};

/** Waits until the report is complete. Returns false if the connection ends before. */
bool report_receive(
	struct report *report, struct causeway_report_v1 *proxy, struct wl_display *display);
void report_finish(struct report *report);
/** Returns the value of a field, or NULL. */
const char *report_find(const struct record *record, const char *name);
/** Appends a field with a text. */
void report_add(struct record *record, const char *name, const char *value);
/**
 * Adds the programs that have a GPU open to its record; the compositor lists those with buffers
 * only.
 */
void report_add_openers(struct record *gpu);

/** Prints one field per line, and an empty line between records. */
void report_print(const struct report *report);
/** Removes the records for which `keep` returns false. */
void report_filter(struct report *report,
	bool (*keep)(const struct record *record, const void *data), const void *data);
