/* SPDX-License-Identifier: MIT */
/* JSON writer: reports as objects whose members are the fields. */

#include "json.h"
#include "causeway-control-v1-client-protocol.h"
#include "character.h"
#include <stdio.h>
#include <string.h>

static void print_part(const char *text, size_t size)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + size;
	putchar('"');
	while (at < end) {
		size_t length = character_length((const char *)at);
		if (length == 0) {
			fputs("\\ufffd", stdout);
		} else if (*at == '"' || *at == '\\') {
			printf("\\%c", *at);
		} else if (character_is_control((const char *)at, length)) {
			printf("\\u%04x", (unsigned)character_code((const char *)at, length));
		} else {
			fwrite(at, 1, length, stdout);
		}
		at += length ? length : 1;
	}
	putchar('"');
}

void json_print_text(const char *text)
{
	print_part(text, strlen(text));
}

/* Prints the lines of a text as an array. */
static void print_list(const char *text)
{
	putchar('[');
	for (const char *separator = ""; *text; separator = ", ") {
		size_t length = strcspn(text, "\n");
		fputs(separator, stdout);
		print_part(text, length);
		text += length + (text[length] == '\n');
	}
	putchar(']');
}

static void print_value(const struct field *field)
{
	switch (field->kind) {
	case CAUSEWAY_REPORT_V1_KIND_INTEGER:
	case CAUSEWAY_REPORT_V1_KIND_NUMBER:
	case CAUSEWAY_REPORT_V1_KIND_BOOLEAN: fputs(field->value, stdout); break;
	case CAUSEWAY_REPORT_V1_KIND_LIST: print_list(field->value); break;
	default: json_print_text(field->value); break;
	}
}

void json_print_record(const struct record *record, size_t first)
{
	putchar('{');
	for (size_t i = first; i < record->n_fields; i++) {
		fputs(i > first ? ", " : "", stdout);
		json_print_text(record->fields[i].name);
		fputs(": ", stdout);
		print_value(&record->fields[i]);
	}
	putchar('}');
}

void json_print_report(const struct report *report, bool single)
{
	if (single && report->n_records == 1) {
		json_print_record(&report->records[0], 0);
		putchar('\n');
		return;
	}
	putchar('[');
	for (size_t i = 0; i < report->n_records; i++) {
		fputs(i ? ",\n " : "", stdout);
		json_print_record(&report->records[i], 0);
	}
	fputs("]\n", stdout);
}
