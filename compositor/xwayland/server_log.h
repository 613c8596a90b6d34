/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The log of an X server: its standard error, without the warnings that xkbcomp prints for each
 * keymap. X11 has no keycodes above 255, and xkbcomp does not know the newest symbols; nothing can
 * be done about either.
 */

#include "util/fd_watch.h"
#include <stddef.h>

/** Longer lines are cut into several. */
#define X_LOG_LINE 256

struct x_log_filter {
	enum {
		X_LOG_PLAIN,
		X_LOG_REPORT, /* in a report of xkbcomp without anything to log so far */
		X_LOG_LOGGED_REPORT,
	} state;
	bool dropped; /* the last line; those that continue it are dropped, too */
};

/** Puts the lines to log for a further line of the server into `lines`; returns their number. */
int x_log_filter(struct x_log_filter *filter, const char *line, const char *lines[2]);

struct x_server_log {
	struct fd_watch watch;
	int fd; /* -1: none */
	int display;
	struct x_log_filter filter;
	char line[X_LOG_LINE];
	size_t length;
};

/** Logs the text from `fd`, and takes the descriptor over, until x_server_log_stop(). */
void x_server_log_start(struct x_server_log *log, struct wl_event_loop *loop, struct clock *clock,
	int display, int fd);
/** Logs the remainder, and closes the descriptor. Accepts a stopped log. */
void x_server_log_stop(struct x_server_log *log);
