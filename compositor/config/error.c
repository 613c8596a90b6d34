/* SPDX-License-Identifier: MIT */
/* Errors of configuration files: their place, and checks that wait until all files are read. */

#include "parser.h"
#include "util/xalloc.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ERRORS_MAX 20

char *config_place(const struct config_parser *parser, const char *key)
{
	const struct config_file *file = parser->file;
	const char *section = file->section_name;
	if (file->line == 0) {
		return xstrdup(file->path);
	}
	if (!key) {
		return xasprintf(
			"%s:%d%s%s", file->path, file->line, *section ? ": " : "", section);
	}
	return xasprintf(
		"%s:%d: %s%s%s", file->path, file->line, section, *section ? "." : "", key);
}

FILE *config_open_text(char **text, size_t *size)
{
	FILE *stream = open_memstream(text, size);
	if (!stream) {
		abort(); /* out of memory, as in xmalloc() */
	}
	return stream;
}

static void add_error(struct config_parser *parser, const char *where, const char *what)
{
	if (++parser->n_errors > ERRORS_MAX) {
		return;
	}
	if (!parser->errors) {
		parser->errors = config_open_text(&parser->error_text, &parser->error_size);
	}
	fprintf(parser->errors, "%s%s: %s", parser->n_errors > 1 ? "\n" : "", where, what);
}

void config_fail(struct config_parser *parser, const char *key, const char *format, ...)
{
	char what[1024]; /* the names of all actions are longer than 512 bytes */
	va_list arguments;
	if (parser->n_errors >= ERRORS_MAX) {
		parser->n_errors++;
		return;
	}
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	char *where = config_place(parser, key);
	add_error(parser, where, what);
	free(where);
}

void config_check_later(struct config_parser *parser, const char *key,
	char *(*judge)(const struct config *config, const void *subject), const void *subject)
{
	struct config_check *check = xcalloc(1, sizeof(*check));
	check->judge = judge;
	check->subject = subject;
	check->place = config_place(parser, key);
	wl_list_insert(parser->checks.prev, &check->link);
}

void config_run_checks(struct config_parser *parser)
{
	struct config_check *check, *next;
	wl_list_for_each_safe (check, next, &parser->checks, link) {
		char *wrong = check->judge(parser->config, check->subject);
		if (wrong) {
			add_error(parser, check->place, wrong);
			free(wrong);
		}
		wl_list_remove(&check->link);
		free(check->place);
		free(check);
	}
}

char *config_take_errors(struct config_parser *parser)
{
	if (parser->n_errors == 0) {
		return NULL;
	}
	if (parser->n_errors > ERRORS_MAX) {
		fprintf(parser->errors, "\n... and %d more", parser->n_errors - ERRORS_MAX);
	}
	fclose(parser->errors);
	return parser->error_text;
}
