/* SPDX-License-Identifier: MIT */
/* Log lines on stderr, and the enabled debug scopes. */

#include "util/log.h"
#include "util/printable.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES_MAX 2048

uint32_t log_scopes;

static const struct {
	enum log_scope scope;
	const char *name;
} scopes[] = {
	{LOG_BACKEND, "backend"},
	{LOG_BUFFER, "buffer"},
	{LOG_CONFIG, "config"},
	{LOG_COPY, "copy"},
	{LOG_FRAME, "frame"},
	{LOG_GPU, "gpu"},
	{LOG_PROTOCOL, "protocol"},
	{LOG_RENDER, "render"},
	{LOG_SCENE, "scene"},
	{LOG_SEAT, "seat"},
	{LOG_SHELL, "shell"},
	{LOG_SURFACE, "surface"},
};
#define N_SCOPES (sizeof(scopes) / sizeof(scopes[0]))

static uint32_t find_scope(const char *name, size_t length)
{
	if (length == 3 && memcmp(name, "all", 3) == 0) {
		uint32_t all = 0;
		for (size_t i = 0; i < N_SCOPES; i++) {
			all |= scopes[i].scope;
		}
		return all;
	}
	for (size_t i = 0; i < N_SCOPES; i++) {
		if (strlen(scopes[i].name) == length && memcmp(name, scopes[i].name, length) == 0) {
			return scopes[i].scope;
		}
	}
	return 0;
}

char *log_set_scopes(const char *list)
{
	uint32_t wanted = 0;
	while (*list != '\0') {
		size_t length = strcspn(list, ",");
		if (length > 0) {
			uint32_t scope = find_scope(list, length);
			if (scope == 0) {
				char *name = strndup(list, length);
				if (!name) {
					abort(); /* as xalloc.c, which logs */
				}
				return name;
			}
			wanted |= scope;
		}
		list += length;
		list += *list == ',';
	}
	log_scopes = wanted;
	return NULL;
}

const char *log_scope_names(void)
{
	return "backend,buffer,config,copy,frame,gpu,protocol,render,scene,seat,shell,surface";
}

/* One write per line, so that lines of several processes on one stderr do not mix. */
static void write_line(const char *label, const char *format, va_list args)
{
	char line[LINE_BYTES_MAX];
	int saved_errno = errno;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	size_t start = (size_t)snprintf(line, sizeof(line),
		"%lld.%03ld %s: ", (long long)now.tv_sec, now.tv_nsec / 1000000, label);
	vsnprintf(line + start, sizeof(line) - start, format, args);
	/* Strings of clients stay on one line and control no terminal. */
	size_t length = printable_clean(line);
	line[length++] = '\n';
	/* Errors of stderr cannot be reported. */
	if (write(STDERR_FILENO, line, length) < 0) {
		errno = saved_errno;
	}
	errno = saved_errno;
}

void log_error(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_line("error", format, args);
	va_end(args);
}

void log_warn(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_line("warn", format, args);
	va_end(args);
}

void log_info(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_line("info", format, args);
	va_end(args);
}

void log_debug_write(enum log_scope scope, const char *format, ...)
{
	const char *name = "debug";
	va_list args;
	for (size_t i = 0; i < N_SCOPES; i++) {
		if (scopes[i].scope == scope) {
			name = scopes[i].name;
		}
	}
	va_start(args, format);
	write_line(name, format, args);
	va_end(args);
}
