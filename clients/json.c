/* SPDX-License-Identifier: MIT */
/* JSON writer: reports as objects whose members are the fields. */

#include "json.h"
#include "causeway-control-v1-client-protocol.h"
#include <stdio.h>
#include <string.h>

/* Returns the length of the UTF-8 character at the start of the text, or 0 if there is none. */
static size_t character_length(const unsigned char *text)
{
	static const struct {
		unsigned char least, most; /* first byte */
		unsigned char second_least, second_most;
		size_t length;
	} forms[] = {
		{0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, /* shorter forms exist below */
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, /* surrogates above */
		{0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}, /* U+10FFFF is the last */
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (text[0] < forms[i].least || text[0] > forms[i].most) {
			continue;
		}
		if (forms[i].length > 1 &&
			(text[1] < forms[i].second_least || text[1] > forms[i].second_most)) {
			return 0;
		}
		for (size_t at = 2; at < forms[i].length; at++) {
			if ((text[at] & 0xc0) != 0x80) {
				return 0;
			}
		}
		return forms[i].length;
	}
	return 0;
}

static void print_part(const char *text, size_t size)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + size;
	putchar('"');
	while (at < end) {
		size_t length = character_length(at);
		if (length == 0) {
			fputs("\\ufffd", stdout);
		} else if (*at == '"' || *at == '\\') {
			printf("\\%c", *at);
		} else if (*at < 0x20 || *at == 0x7f) {
			printf("\\u%04x", *at);
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
