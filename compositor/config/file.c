/* SPDX-License-Identifier: MIT */
/* Configuration files: sections, keys and values by line, and included files and folders. */

#include "util/file.h"
#include "parser.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 8
#define BYTES_MAX (1024 * 1024)
/* Bytes of the name of a section or key. */
#define NAME_BYTES_MAX 49
/* Files of an included folder. */
#define FILES_MAX 256

struct source {
	struct config_parser *parser;
	FILE *stream;
	char *line;
	size_t capacity;
	bool stopped;
};

/** Begins the section of a line that starts with a bracket. */
static void begin_section(struct config_parser *parser, const char *line)
{
	const char *end = strchr(line, ']');
	size_t length = end ? (size_t)(end - line - 1) : 0;
	parser->file->section_name[0] = '\0';
	if (!end || length > NAME_BYTES_MAX) {
		parser->file->section = SECTION_UNKNOWN;
		config_fail(parser, NULL,
			end ? "the name of the section is too long; at most %d bytes are possible"
			    : "the section has no end; it must be [NAME] of at most %d bytes",
			NAME_BYTES_MAX);
		return;
	}
	char name[NAME_BYTES_MAX + 1];
	memcpy(name, line + 1, length);
	name[length] = '\0';
	config_begin_section(parser, name);
	fprintf(parser->text, "[%s]\n", name);
}

/**
 * Reads a line like getline(), but at most BYTES_MAX + 1 bytes: a device such as /dev/zero has no
 * end of line. Returns the length; 0 at the end.
 */
static size_t read_line(struct source *source)
{
	size_t length = 0;
	int c = 0;
	while (c != '\n' && length <= BYTES_MAX && (c = getc(source->stream)) != EOF) {
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

/* Returns the next line without its newline and spaces at both ends; NULL at the end. */
static char *next_line(struct source *source)
{
	struct config_parser *parser = source->parser;
	size_t length = source->stopped ? 0 : read_line(source);
	if (length == 0) {
		return NULL;
	}
	parser->file->line++;
	parser->n_bytes += length;
	if (parser->n_bytes > BYTES_MAX || memchr(source->line, '\0', length)) {
		source->stopped = true;
		config_fail(
			parser, NULL, "this is no configuration: it must be text, at most 1 MiB");
		return NULL;
	}
	while (length > 0 && isspace((unsigned char)source->line[length - 1])) {
		source->line[--length] = '\0';
	}
	char *line = source->line;
	if (parser->file->line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) {
		line += 3;
	}
	return line + strspn(line, " \t");
}

static char *resolve(const char *from, const char *path)
{
	const char *slash = strrchr(from, '/');
	if (path[0] == '/' || !slash) {
		return xstrdup(path);
	}
	return xasprintf("%.*s/%s", (int)(slash - from), from, path);
}

static void include(struct config_parser *parser, const char *value)
{
	if (*value == '\0') {
		config_fail(parser, "include", "it must be the name of a file or folder");
		return;
	}
	char *path = resolve(parser->file->path, value);
	config_read(parser, path);
	free(path);
	if (*parser->file->section_name) {
		fprintf(parser->text, "[%s]\n", parser->file->section_name);
	}
}

/**
 * Ends a line before a comment: a semicolon at the start or after a space. Returns whether there is
 * one.
 */
static bool cut_comment(char *text)
{
	for (char *at = text; *at; at++) {
		if (*at == ';' && (at == text || isspace((unsigned char)at[-1]))) {
			*at = '\0';
			return true;
		}
	}
	return false;
}

static void trim_end(char *text)
{
	size_t length = strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1])) {
		text[--length] = '\0';
	}
}

static void read_key(struct config_parser *parser, char *line)
{
	parser->file->has_comment = cut_comment(line);
	char *separator = line + strcspn(line, "=:");
	if (!*separator) {
		config_fail(parser, NULL,
			"this line is not understood; it must be KEY = "
			"VALUE, [SECTION] or a comment after ;");
		return;
	}
	char *value = separator + 1 + strspn(separator + 1, " \t");
	*separator = '\0';
	trim_end(line);
	trim_end(value);
	if (strlen(line) >= NAME_BYTES_MAX) {
		config_fail(parser, NULL, "the key is too long; at most %d bytes are possible",
			NAME_BYTES_MAX - 1);
	} else if (strcmp(line, "include") == 0) {
		include(parser, value);
	} else {
		config_set(parser, line, value);
		fprintf(parser->text, "%s=%s\n", line, value);
	}
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

static int is_configuration(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return entry->d_name[0] != '.' && length > 4 &&
	       strcmp(entry->d_name + length - 4, ".ini") == 0;
}

/* Reads the files of a folder that end in .ini, in the order of their names. */
static void read_folder(struct config_parser *parser, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_configuration, alphasort);
	if (n < 0) {
		config_fail(parser, "include", "%s cannot be read: %s", path, strerror(errno));
		return;
	}
	if (n > FILES_MAX) {
		config_fail(parser, "include", "%s has more than %d files", path, FILES_MAX);
	}
	for (int i = 0; i < n; i++) {
		char *file = n <= FILES_MAX ? xasprintf("%s/%s", path, entries[i]->d_name) : NULL;
		if (file) {
			config_read(parser, file);
		}
		free(file);
		free(entries[i]);
	}
	free(entries);
}

/**
 * Opens a file without blocking on FIFOs and devices; reads a folder instead. Returns NULL after
 * that and after an error.
 */
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
		if (key) {
			read_folder(parser, path);
		} else {
			config_fail(parser, key, "%s is a directory; it must be a file", what);
		}
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
	for (char *line = next_line(&source); line; line = next_line(&source)) {
		if (*line == '[') {
			begin_section(parser, line);
		} else if (*line && *line != ';' && *line != '#') {
			read_key(parser, line);
		}
	}
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
	if (depth(parser->file) >= DEPTH_MAX) {
		config_fail(parser, "include", "files are included more than %d deep", DEPTH_MAX);
		return;
	}
	if (is_first) {
		parser->file = &first; /* for errors that name the file */
	}
	parser->files = strings_add(parser->files, xstrdup(path));
	parser->stamps = strings_add(parser->stamps, file_stamp(path));
	FILE *stream = open_file(parser, path);
	if (is_first) {
		parser->file = NULL;
	}
	if (stream) {
		config_read_stream(parser, path, stream);
		fclose(stream);
	}
}
