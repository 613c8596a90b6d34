/* SPDX-License-Identifier: MIT */
/* Routes of surfaces and their reasons, read through the control protocol. */

#include "harness/client/route_reader.h"
#include <stdio.h>
#include <string.h>

static void handle_begin(void *data, struct causeway_report_v1 *proxy)
{
	struct route_reader *reader = data;
	reader->current = (struct route_report){0};
}

static void handle_field(void *data, struct causeway_report_v1 *proxy, const char *name,
	uint32_t kind, const char *value)
{
	struct route_reader *reader = data;
	struct route_report *report = &reader->current;
	const struct {
		const char *name;
		char *text;
	} fields[] = {
		{reader->name, report->key},
		{"route", report->route},
		{"reason", report->reason},
		{"engine", report->engine},
		{"runner_up", report->runner_up},
		{"runner_up_refused", report->runner_up_refused},
	};
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strcmp(name, fields[i].name) == 0) {
			snprintf(fields[i].text, ROUTE_TEXT, "%s", value);
		}
	}
}

static void handle_end(void *data, struct causeway_report_v1 *proxy)
{
	struct route_reader *reader = data;
	if (!reader->listed && strcmp(reader->current.key, reader->value) == 0) {
		reader->found = reader->current;
		reader->listed = true;
	}
}

static void handle_done(void *data, struct causeway_report_v1 *proxy)
{
	struct route_reader *reader = data;
	reader->done = true;
	causeway_report_v1_destroy(proxy);
}

static const struct causeway_report_v1_listener listener = {
	.begin_record = handle_begin,
	.field = handle_field,
	.end_record = handle_end,
	.done = handle_done,
};

void route_reader_init(struct route_reader *reader, struct fixture *fixture)
{
	*reader = (struct route_reader){.peer = peer_create_control(fixture)};
	reader->control = peer_bind(reader->peer, &causeway_control_v1_interface, 0);
}

const struct route_report *route_find(
	struct route_reader *reader, const char *name, const char *value)
{
	reader->name = name;
	reader->value = value;
	reader->listed = reader->done = false;
	causeway_report_v1_add_listener(
		causeway_control_v1_list_surfaces(reader->control), &listener, reader);
	fixture_pump(reader->peer->fixture);
	assert_true(reader->done);
	return reader->listed ? &reader->found : NULL;
}

const struct route_report *route_read(
	struct route_reader *reader, const char *name, const char *value)
{
	const struct route_report *report = route_find(reader, name, value);
	if (!report) {
		fail_msg("no surface with %s %s", name, value);
	}
	return report;
}
