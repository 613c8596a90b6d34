/* SPDX-License-Identifier: MIT */
#pragma once

/** Records of the control protocol. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_resource;

/** Fields in the order of their addition. Zero-initialised: none. */
struct control_record {
	char *bytes; /* of each field: a digit for its kind, name and value with their final NULs */
	size_t size, room;
};

void control_record_finish(struct control_record *record);
/** Add a field. A text of NULL is left out. */
void control_record_text(struct control_record *record, const char *name, const char *value);
void control_record_integer(struct control_record *record, const char *name, int64_t value);
void control_record_number(struct control_record *record, const char *name, double value);
void control_record_bool(struct control_record *record, const char *name, bool value);
/** Adds a list of texts, one per line. */
void control_record_list(struct control_record *record, const char *name, const char *lines);
/** Returns the value of a field, valid until another one is added. The record must have so many. */
const char *control_record_value(const struct control_record *record, int index);
/** Returns a hash of all fields. */
uint64_t control_record_hash(const struct control_record *record);
/** Sends begin_record, the fields and end_record on a causeway_report_v1. */
void control_record_send(const struct control_record *record, struct wl_resource *report);
/** Ends the report. */
void control_finish(struct wl_resource *report);
