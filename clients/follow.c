/* SPDX-License-Identifier: MIT */
/* causewayctl watch and trace: reports and events until interrupted. */

#include "follow.h"
#include "causeway-control-v1-client-protocol.h"
#include "connection.h"
#include "json.h"
#include "look.h"
#include "report.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <wayland-client.h>

/* Interval of collections, in which only very many windows fill half of the compositor's buffer. */
#define COLLECT_MS 250

/** Returns a signalfd for SIGINT and SIGTERM. */
static int catch_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/** Waits for `ms`. Returns false after a signal. */
static bool wait_for(int signals, int ms)
{
	struct pollfd pollfd = {.fd = signals, .events = POLLIN};
	return poll(&pollfd, 1, ms) == 0;
}

/** Receives and prints a report. */
static bool print_report(struct connection *connection, struct causeway_report_v1 *proxy, bool json,
	const char *name, const struct look_column *columns)
{
	struct report report;
	bool received = report_receive(&report, proxy, connection->display);
	if (received && json) {
		printf("\"%s\": ", name);
		json_print_report(&report, columns == look_totals);
	} else if (received && report.n_records > 0) {
		look_print(&report, columns);
		putchar('\n');
	}
	report_finish(&report);
	return received;
}

/** Requests reports one by one, as events before a listener is added would be lost. */
static bool look(struct connection *connection, struct causeway_watch_v1 *watch, bool json)
{
	struct causeway_control_v1 *control = connection->control;
	const char *comma = json ? ", " : "";
	if (!json && isatty(STDOUT_FILENO)) {
		fputs("\033[H\033[2J", stdout);
	}
	fputs(json ? "{" : "", stdout);
	bool good = print_report(
		connection, causeway_watch_v1_list_outputs(watch), json, "outputs", look_paces);
	fputs(comma, stdout);
	good = good && print_report(connection, causeway_control_v1_list_gpus(control), json,
			       "gpus", look_gpus);
	fputs(comma, stdout);
	good = good && print_report(connection, causeway_watch_v1_list_surfaces(watch), json,
			       "surfaces", look_rates);
	fputs(comma, stdout);
	good = good && print_report(connection, causeway_control_v1_get_stats(control), json,
			       "stats", look_totals);
	fputs(json ? "}\n" : "", stdout);
	fflush(stdout);
	return good;
}

int follow_watch(struct connection *connection, bool json, int count)
{
	if (!connection_supports(connection, CAUSEWAY_CONTROL_V1_WATCH_SINCE_VERSION)) {
		return EXIT_FAILURE;
	}
	struct causeway_watch_v1 *watch = causeway_control_v1_watch(connection->control);
	int signals = catch_signals();
	bool good = true;
	/* Latencies are measured from now on: the first report comes after a second. */
	for (int i = 0; good && (count == 0 || i < count) && !ferror(stdout) &&
			wl_display_flush(connection->display) >= 0 && wait_for(signals, 1000);
		i++) {
		good = look(connection, watch, json);
	}
	close(signals);
	causeway_watch_v1_destroy(watch);
	return good ? EXIT_SUCCESS : connection_lost();
}

struct trace {
	FILE *file;
	bool waiting, failed, any;
	unsigned n_lost;
};

/** Adds the commas between chunks: a JSON array has none after its last object. */
static void write_chunk(struct trace *trace, const char *text, size_t size)
{
	while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ',')) {
		size--;
	}
	if (size == 0) {
		return;
	}
	fputs(trace->any ? ",\n" : "", trace->file);
	trace->failed |= fwrite(text, 1, size, trace->file) != size;
	trace->any = true;
}

static void handle_chunk(
	void *data, struct causeway_trace_v1 *proxy, int32_t fd, uint32_t size, uint32_t n_lost)
{
	struct trace *trace = data;
	char *text = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (text != MAP_FAILED) {
		write_chunk(trace, text, size);
		munmap(text, size);
	}
	close(fd);
	trace->n_lost += n_lost;
	trace->waiting = false;
}

static const struct causeway_trace_v1_listener trace_listener = {.chunk = handle_chunk};

static bool collect(
	struct connection *connection, struct causeway_trace_v1 *proxy, struct trace *trace)
{
	causeway_trace_v1_collect(proxy);
	trace->waiting = true;
	while (trace->waiting && wl_display_dispatch(connection->display) >= 0) {
	}
	return !trace->waiting;
}

int follow_trace(struct connection *connection, const char *file, int seconds)
{
	struct trace trace = {0};
	if (!connection_supports(connection, CAUSEWAY_CONTROL_V1_TRACE_SINCE_VERSION)) {
		return EXIT_FAILURE;
	}
	trace.file = fopen(file, "we");
	if (!trace.file) {
		fprintf(stderr, "causewayctl: %s: %s\n", file, strerror(errno));
		return EXIT_FAILURE;
	}
	struct causeway_trace_v1 *proxy = causeway_control_v1_trace(connection->control);
	causeway_trace_v1_add_listener(proxy, &trace_listener, &trace);
	wl_display_flush(connection->display);
	int signals = catch_signals(), ms = 0;
	bool good = true, more = true;
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", trace.file);
	while (good && more) {
		more = wait_for(signals, COLLECT_MS);
		ms += COLLECT_MS;
		more = more && (seconds == 0 || ms < seconds * 1000);
		good = collect(connection, proxy, &trace);
	}
	fputs("\n]}\n", trace.file);
	close(signals);
	causeway_trace_v1_destroy(proxy);
	trace.failed |= ferror(trace.file) != 0;
	trace.failed |= fclose(trace.file) != 0;
	if (trace.failed) {
		fprintf(stderr, "causewayctl: %s: write error, the file is incomplete\n", file);
	}
	if (trace.n_lost > 0) {
		fprintf(stderr, "causewayctl: %u events were lost\n", trace.n_lost);
	}
	return !good ? connection_lost() : trace.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
