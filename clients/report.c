/* SPDX-License-Identifier: MIT */
/* Reports of the control protocol: receiving and printing. */

#include "report.h"
#include "causeway-control-v1-client-protocol.h"
#include "character.h"
#include "openers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *array, size_t n, size_t size)
{
	void *grown = reallocarray(array, n, size);
	if (!grown) {
		fputs("causewayctl: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	return grown;
}

static char *copy(const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(grow(NULL, size, 1), text, size);
}

static void add(struct record *record, const char *name, uint32_t kind, const char *value)
{
	record->fields = grow(record->fields, record->n_fields + 1, sizeof(*record->fields));
	record->fields[record->n_fields++] =
		(struct field){.name = copy(name), .value = copy(value), .kind = kind};
}

void report_add(struct record *record, const char *name, const char *value)
{
	add(record, name, CAUSEWAY_REPORT_V1_KIND_STRING, value);
}

void report_add_openers(struct record *gpu)
{
	char *text = openers_of_gpu(report_find(gpu, "driver"), report_find(gpu, "card"),
		report_find(gpu, "render_node"));
	report_add(gpu, "opened_by", text);
	free(text);
}

static void handle_begin(void *data, struct causeway_report_v1 *proxy)
{
	struct report *report = data;
	report->records = grow(report->records, report->n_records + 1, sizeof(*report->records));
	report->records[report->n_records++] = (struct record){0};
}

static void handle_field(void *data, struct causeway_report_v1 *proxy, const char *name,
	uint32_t kind, const char *value)
{
	struct report *report = data;
	if (report->n_records == 0) {
		return;
	}
	add(&report->records[report->n_records - 1], name, kind, value);
}

static void handle_end(void *data, struct causeway_report_v1 *proxy)
{
}

static void handle_done(void *data, struct causeway_report_v1 *proxy)
{
	struct report *report = data;
	report->done = true;
}

static const struct causeway_report_v1_listener listener = {
	.begin_record = handle_begin,
	.field = handle_field,
	.end_record = handle_end,
	.done = handle_done,
};

bool report_receive(
	struct report *report, struct causeway_report_v1 *proxy, struct wl_display *display)
{
	*report = (struct report){0};
	causeway_report_v1_add_listener(proxy, &listener, report);
	while (!report->done && wl_display_dispatch(display) >= 0) {
	}
	causeway_report_v1_destroy(proxy);
	return report->done;
}

static void record_finish(struct record *record)
{
	for (size_t i = 0; i < record->n_fields; i++) {
		free(record->fields[i].name);
		free(record->fields[i].value);
	}
	free(record->fields);
}

void report_filter(struct report *report,
	bool (*keep)(const struct record *record, const void *data), const void *data)
{
	size_t n = 0;
	for (size_t i = 0; i < report->n_records; i++) {
		if (keep(&report->records[i], data)) {
			report->records[n++] = report->records[i];
		} else {
			record_finish(&report->records[i]);
		}
	}
	report->n_records = n;
}

void report_finish(struct report *report)
{
	for (size_t i = 0; i < report->n_records; i++) {
		record_finish(&report->records[i]);
	}
	free(report->records);
	*report = (struct report){0};
}

static const struct field *find(const struct record *record, const char *name)
{
	for (size_t i = 0; i < record->n_fields; i++) {
		if (strcmp(record->fields[i].name, name) == 0) {
			return &record->fields[i];
		}
	}
	return NULL;
}

const char *report_find(const struct record *record, const char *name)
{
	const struct field *field = find(record, name);
	return field ? field->value : NULL;
}

void report_print(const struct report *report)
{
	int longest = 0;
	for (size_t i = 0; i < report->n_records; i++) {
		for (size_t j = 0; j < report->records[i].n_fields; j++) {
			int needed = (int)strlen(report->records[i].fields[j].name);
			longest = needed > longest ? needed : longest;
		}
	}
	for (size_t i = 0; i < report->n_records; i++) {
		fputs(i ? "\n" : "", stdout);
		for (size_t j = 0; j < report->records[i].n_fields; j++) {
			printf("%-*s  ", longest, report->records[i].fields[j].name);
			text_make_plain(report->records[i].fields[j].value);
			puts(report->records[i].fields[j].value);
		}
	}
}
