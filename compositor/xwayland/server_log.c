/* SPDX-License-Identifier: MIT */
/* The log of an X server. */

#include "server_log.h"
#include "util/fd.h"
#include "util/log.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/** Lines around each report of xkbcomp, whose own lines begin with ">". */
#define HEADER "The XKEYBOARD keymap compiler (xkbcomp) reports:"
#define FOOTER "Errors from xkbcomp are not fatal to the X server"
/** Begins lines that continue a message. */
#define CONTINUATION ">          "
/** Bytes that are read at most in a turn. */
#define TURN 4096
/** Turns for the remainder after the server's end: a full pipe. */
#define LAST_TURNS 16

static bool is_known(const char *line)
{
	return strstr(line, "Unsupported maximum keycode") ||
	       strstr(line, "Could not resolve keysym");
}

static bool is_dropped(struct x_log_filter *filter, const char *line)
{
	const bool continues = strncmp(line, CONTINUATION, strlen(CONTINUATION)) == 0;
	filter->dropped = line[0] == '>' && (is_known(line) || (filter->dropped && continues));
	return filter->dropped;
}

int x_log_filter(struct x_log_filter *filter, const char *line, const char *lines[2])
{
	int n = 0;
	if (strcmp(line, HEADER) == 0) {
		*filter = (struct x_log_filter){.state = X_LOG_REPORT};
		return 0;
	}
	if (filter->state != X_LOG_PLAIN && strcmp(line, FOOTER) == 0) {
		const bool logged = filter->state == X_LOG_LOGGED_REPORT;
		filter->state = X_LOG_PLAIN;
		lines[0] = line;
		return logged;
	}
	if (filter->state != X_LOG_PLAIN && is_dropped(filter, line)) {
		return 0;
	}
	if (filter->state == X_LOG_REPORT) {
		filter->state = X_LOG_LOGGED_REPORT;
		lines[n++] = HEADER;
	}
	lines[n++] = line;
	return n;
}

static void end_line(struct x_server_log *log)
{
	const char *lines[2];
	log->line[log->length] = '\0';
	log->length = 0;
	const int n = x_log_filter(&log->filter, log->line, lines);
	for (int i = 0; i < n; i++) {
		log_info("X server :%d: %s", log->display, lines[i]);
	}
}

/* Returns false at the end. */
static bool read_some(struct x_server_log *log)
{
	char bytes[TURN];
	const ssize_t n = read(log->fd, bytes, sizeof(bytes));
	for (ssize_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			log->line[log->length++] = bytes[i];
		}
		if (bytes[i] == '\n' || log->length == sizeof(log->line) - 1) {
			end_line(log);
		}
	}
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void handle_output(void *data)
{
	struct x_server_log *log = data;
	if (!read_some(log)) {
		x_server_log_stop(log);
	}
}

void x_server_log_start(struct x_server_log *log, struct wl_event_loop *loop, struct clock *clock,
	int display, int fd)
{
	*log = (struct x_server_log){.fd = fd, .display = display};
	fd_watch_start(&log->watch, loop, clock, fd, handle_output, log);
}

void x_server_log_stop(struct x_server_log *log)
{
	if (log->fd < 0) {
		return;
	}
	fd_watch_stop(&log->watch);
	for (int i = 0; i < LAST_TURNS && read_some(log); i++) {
	}
	if (log->length > 0) {
		end_line(log);
	}
	fd_close(&log->fd);
}
