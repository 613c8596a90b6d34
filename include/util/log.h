/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Log: one line on stderr per message.
 *
 * error: a bug or a broken machine. warn: bad, but possible. info: for the user. debug: for
 * developers of one part; off unless its scope is enabled, and then costs one test.
 *
 * The enabled scopes are global to the process, as stderr is: one of the two mutable globals of the
 * compositor (the other is the SIGBUS guard, buffer/sigbus.c).
 */

#include <stdint.h>

enum log_scope {
	LOG_BACKEND = 1 << 0,
	LOG_BUFFER = 1 << 1,
	LOG_CONFIG = 1 << 2,
	LOG_COPY = 1 << 3,
	LOG_FRAME = 1 << 4,
	LOG_GPU = 1 << 5,
	LOG_PROTOCOL = 1 << 6,
	LOG_RENDER = 1 << 7,
	LOG_SCENE = 1 << 8,
	LOG_SEAT = 1 << 9,
	LOG_SHELL = 1 << 10,
	LOG_SURFACE = 1 << 11,
};

extern uint32_t log_scopes; /* use log_debug() */

/**
 * Enables exactly the scopes of a comma-separated list ("frame,copy", or "all"; "" for none).
 * Returns NULL, or the first unknown name, newly allocated; then nothing changes.
 */
char *log_set_scopes(const char *list);

/** Comma-separated names of all scopes, for usage and errors. */
const char *log_scope_names(void);

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug_write(enum log_scope scope, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define log_debug(scope, ...)                                                                      \
	do {                                                                                       \
		if (log_scopes & (scope)) {                                                        \
			log_debug_write((scope), __VA_ARGS__);                                     \
		}                                                                                  \
	} while (0)
