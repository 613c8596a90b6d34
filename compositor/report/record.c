/* SPDX-License-Identifier: MIT */
/* Records: a tree of named values, printed as text or as JSON. */

#include "record.h"
#include "util/xalloc.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wayland-util.h>

enum kind { OBJECT, LIST, TEXT, NUMBER, FLAG };

struct record {
	struct wl_list link; /* record.children of the parent */
	struct wl_list children;
	enum kind kind;
	char *key, *text;
	int64_t number; /* or flag */
	bool shortened;
};

static struct record *create(struct record *parent, const char *key, enum kind kind)
{
	struct record *record = xcalloc(1, sizeof(*record));
	record->kind = kind;
	record->key = xstrdup(key);
	wl_list_init(&record->children);
	wl_list_init(&record->link);
	if (parent) {
		wl_list_insert(parent->children.prev, &record->link);
	}
	return record;
}

struct record *record_create(void)
{
	return create(NULL, NULL, OBJECT);
}

void record_destroy(struct record *record)
{
	if (!record) {
		return;
	}
	struct record *child, *next;
	wl_list_for_each_safe (child, next, &record->children, link) {
		record_destroy(child);
	}
	wl_list_remove(&record->link);
	free(record->key);
	free(record->text);
	free(record);
}

struct record *record_add(struct record *parent, const char *key)
{
	return create(parent, key, OBJECT);
}

struct record *record_add_list(struct record *parent, const char *key)
{
	return create(parent, key, LIST);
}

void record_shorten(struct record *record)
{
	record->shortened = true;
}

void record_text(struct record *parent, const char *key, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&create(parent, key, TEXT)->text, format, arguments) < 0) {
		abort();
	}
	va_end(arguments);
}

void record_number(struct record *parent, const char *key, int64_t value)
{
	create(parent, key, NUMBER)->number = value;
}

void record_flag(struct record *parent, const char *key, bool value)
{
	create(parent, key, FLAG)->number = value;
}

void record_error(struct record *parent, const char *key, int error)
{
	record_text(parent, key, "%s", strerror(-error));
}

static bool is_scalar(const struct record *record)
{
	return record->kind != OBJECT && record->kind != LIST;
}

static void print_scalar(const struct record *record, FILE *file)
{
	switch (record->kind) {
	case TEXT: fputs(record->text, file); break;
	case NUMBER: fprintf(file, "%" PRId64, record->number); break;
	default: fputs(record->number ? "yes" : "no", file); break;
	}
}

/* Returns true for a list or an object of single values, which take one line. */
static bool is_inline(const struct record *record)
{
	const struct record *child;
	wl_list_for_each (child, &record->children, link) {
		if (!is_scalar(child)) {
			return false;
		}
	}
	return !is_scalar(record);
}

static void print_key(const char *key, FILE *file)
{
	for (; *key; key++) {
		putc(*key == '_' ? ' ' : *key, file);
	}
}

static void print_children(const struct record *record, int depth, FILE *file);

static void print_line(const struct record *record, FILE *file)
{
	const struct record *child;
	const char *separator = " ";
	wl_list_for_each (child, &record->children, link) {
		fputs(separator, file);
		if (child->key) {
			print_key(child->key, file);
			putc(' ', file);
		}
		print_scalar(child, file);
		separator = ", ";
	}
	fputs(wl_list_empty(&record->children) ? " none\n" : "\n", file);
}

static void print_one(const struct record *record, int depth, FILE *file)
{
	fprintf(file, "%*s", 2 * depth, "");
	if (record->key) {
		print_key(record->key, file);
		putc(':', file);
	} else if (!is_scalar(record)) {
		putc('-', file);
	}
	if (record->shortened) {
		fprintf(file, " %d, see the JSON\n", wl_list_length(&record->children));
	} else if (is_scalar(record)) {
		putc(' ', file);
		print_scalar(record, file);
		putc('\n', file);
	} else if (is_inline(record)) {
		print_line(record, file);
	} else {
		putc('\n', file);
		print_children(record, depth + 1, file);
	}
}

static void print_children(const struct record *record, int depth, FILE *file)
{
	const struct record *child;
	wl_list_for_each (child, &record->children, link) {
		print_one(child, depth, file);
	}
}

void record_print(const struct record *record, FILE *file)
{
	print_children(record, 0, file);
}

static void print_string(const char *text, FILE *file)
{
	putc('"', file);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\') {
			fprintf(file, "\\%c", *c);
		} else if (*c < 0x20 || *c >= 0x7f) {
			/*
			 * Names of drivers and devices are ASCII; anything else must stay valid
			 * JSON.
			 */
			fprintf(file, "\\u%04x", *c);
		} else {
			putc(*c, file);
		}
	}
	putc('"', file);
}

static void print_json(const struct record *record, int depth, FILE *file)
{
	bool list = record->kind == LIST;
	const struct record *child;
	switch (record->kind) {
	case TEXT: print_string(record->text, file); return;
	case NUMBER: fprintf(file, "%" PRId64, record->number); return;
	case FLAG: fputs(record->number ? "true" : "false", file); return;
	default: break;
	}
	putc(list ? '[' : '{', file);
	wl_list_for_each (child, &record->children, link) {
		fprintf(file, "\n%*s", 2 * depth + 2, "");
		if (!list) {
			print_string(child->key, file);
			fputs(": ", file);
		}
		print_json(child, depth + 1, file);
		fputs(child->link.next == &record->children ? "" : ",", file);
	}
	if (!wl_list_empty(&record->children)) {
		fprintf(file, "\n%*s", 2 * depth, "");
	}
	putc(list ? ']' : '}', file);
}

void record_print_json(const struct record *record, FILE *file)
{
	print_json(record, 0, file);
	putc('\n', file);
}
