#pragma once

/** Reports of the control protocol: collected, then printed for people or as JSON. */

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

/** Waits until all of it is there. False when the connection ends before. */
bool report_receive(
	struct report *report, struct causeway_report_v1 *proxy, struct wl_display *display);
void report_finish(struct report *report);

/** An array of objects; just the object with `single`. */
void report_print_json(const struct report *report, bool single);
/** A table if it fits on the terminal, else one field a line. */
void report_print(const struct report *report);
