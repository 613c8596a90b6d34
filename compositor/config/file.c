/* SPDX-License-Identifier: MIT */
/*
 * Configuration files: passes lines to inih one by one, so that every error knows its line number,
 * and follows includes.
 */

#include "parser.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 8
#define MAX_BYTES (1024 * 1024)
/* inih silently truncates names of sections and keys to 50 bytes, including the final NUL. */
#define MAX_NAME 49

struct source {
	struct config_parser *parser;
	FILE *stream;
	char *line;
	size_t capacity;
	bool expecting; /* the last line should have been a key with a value */
	bool stopped;
};

static void check_understood(struct source *source)
{
	if (source->expecting) {
		config_fail(source->parser, NULL,
			"this line is not understood; it must be KEY = "
			"VALUE, [SECTION] or a comment after ;");
		source->expecting = false;
	}
}

/** Checks a section line for length and closing bracket; inih parses it afterwards. */
static bool begin_section(struct config_parser *parser, const char *line)
{
	const char *end = strchr(line, ']');
	size_t length = end ? (size_t)(end - line - 1) : 0;
	parser->file->section_name[0] = '\0';
	if (!end || length > MAX_NAME) {
		parser->file->section = SECTION_UNKNOWN;
		config_fail(parser, NULL,
			end ? "the name of the section is too long; at most %d bytes are possible"
			    : "the section has no end; it must be [NAME] of at most %d bytes",
			MAX_NAME);
		return false;
	}
	char name[MAX_NAME + 1];
	memcpy(name, line + 1, length);
	name[length] = '\0';
	config_begin_section(parser, name);
	fprintf(parser->text, "[%s]\n", name);
	return true;
}

/**
 * Reads a line like getline(), but at most MAX_BYTES + 1 bytes: a device such as /dev/zero has no
 * end of line. Returns the length; 0 at the end.
 */
static size_t read_line(struct source *source)
{
	size_t length = 0;
	int c = 0;
	while (c != '\n' && length <= MAX_BYTES && (c = getc(source->stream)) != EOF) {
		if (length + 1 >= source->capacity) {
			source->capacity = source->capacity > 0 ? 2 * source->capacity : 128;
			source->line = xrealloc(source->line, source->capacity, 1);
		}
		source->line[length++] = (char)c;
	}
	if (length > 0) {
		source->line[length] = '\0';
	}
	return length;
}

/**
 * Returns the next line without its newline, at most `most` bytes; an empty one if it is invalid;
 * NULL at the end.
 */
static const char *next_line(struct source *source, int most)
{
	struct config_parser *parser = source->parser;
	if (source->stopped) {
		return NULL;
	}
	size_t length = read_line(source);
	if (length == 0) {
		return NULL;
	}
	parser->file->line++;
	parser->n_bytes += length;
	if (parser->n_bytes > MAX_BYTES || memchr(source->line, '\0', length)) {
		source->stopped = true;
		config_fail(
			parser, NULL, "this is no configuration: it must be text, at most 1 MiB");
		return NULL;
	}
	while (length > 0 && isspace((unsigned char)source->line[length - 1])) {
		source->line[--length] = '\0';
	}
	/* Skips the indentation, which inih would treat as a continuation. */
	const char *line = source->line + strspn(source->line, " \t");
	if (parser->file->line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) {
		line += 3;
	}
	if (strlen(line) > (size_t)most) {
		config_fail(parser, NULL,
			"the line is longer than %d bytes; a long command can go into a script",
			most);
		return "";
	}
	if (*line == '[') {
		return begin_section(parser, line) ? line : "";
	}
	source->expecting = *line && *line != ';' && *line != '#';
	return line;
}

static char *handle_read(char *buffer, int size, void *data)
{
	struct source *source = data;
	check_understood(source);
	const char *line = next_line(source, size - 3); /* room for \r\n\0 */
	if (!line) {
		return NULL;
	}
	snprintf(buffer, (size_t)size, "%s\n", line);
	return buffer;
}

static char *resolve(const char *from, const char *path)
{
	const char *slash = strrchr(from, '/');
	if (path[0] == '/' || !slash) {
		return xstrdup(path);
	}
	return xasprintf("%.*s/%s", (int)(slash - from), from, path);
}

static int handle_key(void *data, const char *section, const char *key, const char *value)
{
	struct source *source = data;
	struct config_parser *parser = source->parser;
	source->expecting = false;
	if (strlen(key) >= MAX_NAME) {
		config_fail(parser, NULL, "the key is too long; at most %d bytes are possible",
			MAX_NAME - 1);
	} else if (strcmp(key, "include") != 0) {
		config_set(parser, key, value);
		fprintf(parser->text, "%s=%s\n", key, value);
	} else if (*value == '\0') {
		config_fail(parser, key, "it must be the name of a file");
	} else {
		char *path = resolve(parser->file->path, value);
		config_read(parser, path);
		free(path);
		if (*parser->file->section_name) {
			fprintf(parser->text, "[%s]\n", parser->file->section_name);
		}
	}
	return 1;
}

static bool is_being_read(const struct config_parser *parser, const struct stat *status)
{
	for (const struct config_file *file = parser->file; file; file = file->parent) {
		struct stat other;
		if (stat(file->path, &other) == 0 && other.st_dev == status->st_dev &&
			other.st_ino == status->st_ino) {
			return true;
		}
	}
	return false;
}

/** Opens a file without blocking on FIFOs and devices. Returns NULL after an error. */
static FILE *open_file(struct config_parser *parser, const char *path)
{
	struct stat status;
	const char *key = parser->file->line > 0 ? "include" : NULL;
	const char *what = key ? path : "it"; /* the error's place names the first file */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) < 0) {
		config_fail(parser, key, "%s cannot be read: %s", what, strerror(errno));
		goto close_fd;
	}
	if (S_ISDIR(status.st_mode)) {
		config_fail(parser, key, "%s is a directory; it must be a file", what);
		goto close_fd;
	}
	if (key && is_being_read(parser, &status)) {
		config_fail(parser, key, "%s includes itself, directly or through others", path);
		goto close_fd;
	}
	FILE *stream = fdopen(fd, "r");
	if (stream) {
		return stream;
	}
	config_fail(parser, key, "%s cannot be read: %s", what, strerror(errno));
close_fd:
	if (fd >= 0) {
		close(fd);
	}
	return NULL;
}

static int depth(const struct config_file *file)
{
	int n = 0;
	for (; file; file = file->parent) {
		n++;
	}
	return n;
}

void config_read_stream(struct config_parser *parser, const char *path, FILE *stream)
{
	struct config_file file = {.parent = parser->file, .path = path};
	struct source source = {.parser = parser, .stream = stream};
	parser->file = &file;
	ini_parse_stream(handle_read, &source, handle_key, &source);
	if (ferror(stream)) {
		config_fail(parser, NULL, "the rest of the file cannot be read");
	}
	free(source.line);
	parser->file = file.parent;
}

void config_read(struct config_parser *parser, const char *path)
{
	struct config_file first = {.path = path};
	bool is_first = !parser->file;
	if (depth(parser->file) >= MAX_DEPTH) {
		config_fail(parser, "include", "files are included more than %d deep", MAX_DEPTH);
		return;
	}
	if (is_first) {
		parser->file = &first; /* for errors that name the file */
	}
	FILE *stream = open_file(parser, path);
	if (is_first) {
		parser->file = NULL;
	}
	if (stream) {
		config_read_stream(parser, path, stream);
		fclose(stream);
	}
}
