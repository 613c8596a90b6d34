/* SPDX-License-Identifier: MIT */
/* Records of the control protocol: named fields, sent at once or compared first. */

#include "record.h"
#include "causeway-control-v1-protocol.h"
#include "util/printable.h"
#include "util/xalloc.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(struct control_record *record, const char *text, size_t size)
{
	if (record->size + size > record->room) {
		record->room = 2 * (record->size + size);
		record->bytes = xrealloc(record->bytes, record->room, 1);
	}
	memcpy(record->bytes + record->size, text, size);
	record->size += size;
}

static void add(struct control_record *record, enum causeway_report_v1_kind kind, const char *name,
	const char *value)
{
	const char digit = (char)('0' + kind);
	append(record, &digit, 1);
	append(record, name, strlen(name) + 1);
	append(record, value, strlen(value) + 1);
}

void control_record_finish(struct control_record *record)
{
	free(record->bytes);
	*record = (struct control_record){0};
}

void control_record_text(struct control_record *record, const char *name, const char *value)
{
	if (value) {
		add(record, CAUSEWAY_REPORT_V1_KIND_STRING, name, value);
	}
}

void control_record_integer(struct control_record *record, const char *name, int64_t value)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRId64, value);
	add(record, CAUSEWAY_REPORT_V1_KIND_INTEGER, name, text);
}

void control_record_number(struct control_record *record, const char *name, double value)
{
	char text[32];
	snprintf(text, sizeof(text), "%.3f", value);
	add(record, CAUSEWAY_REPORT_V1_KIND_NUMBER, name, text);
}

void control_record_bool(struct control_record *record, const char *name, bool value)
{
	add(record, CAUSEWAY_REPORT_V1_KIND_BOOLEAN, name, value ? "true" : "false");
}

void control_record_list(struct control_record *record, const char *name, const char *lines)
{
	add(record, CAUSEWAY_REPORT_V1_KIND_LIST, name, lines);
}

static const char *value_at(const char *field)
{
	return field + 1 + strlen(field + 1) + 1;
}

static const char *next_field(const char *field)
{
	const char *value = value_at(field);
	return value + strlen(value) + 1;
}

const char *control_record_value(const struct control_record *record, int index)
{
	const char *field = record->bytes;
	while (index-- > 0) {
		field = next_field(field);
	}
	return value_at(field);
}

uint64_t control_record_hash(const struct control_record *record)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
	for (size_t i = 0; i < record->size; i++) {
		hash = (hash ^ (unsigned char)record->bytes[i]) * UINT64_C(1099511628211);
	}
	return hash;
}

/* A message has at most 4096 bytes, including names and lengths. */
#define TEXT_BYTES_MAX 3900

/* The text is converted to valid UTF-8 and cut to the maximum size. */
static void send_field(
	struct wl_resource *report, const char *name, uint32_t kind, const char *text)
{
	char clean[TEXT_BYTES_MAX + 1];
	size_t n = 0;
	while (*text && n + 4 <= TEXT_BYTES_MAX) {
		size_t length = utf8_character(text);
		memcpy(clean + n, length ? text : "?", length ? length : 1);
		n += length ? length : 1;
		text += length ? length : 1;
	}
	clean[n] = '\0';
	causeway_report_v1_send_field(report, name, kind, clean);
}

void control_record_send(const struct control_record *record, struct wl_resource *report)
{
	const char *at = record->bytes, *end = at + record->size;
	causeway_report_v1_send_begin_record(report);
	for (; at < end; at = next_field(at)) {
		send_field(report, at + 1, (uint32_t)(*at - '0'), value_at(at));
	}
	causeway_report_v1_send_end_record(report);
}

void control_finish(struct wl_resource *report)
{
	causeway_report_v1_send_done(report);
	wl_resource_destroy(report);
}
