/* SPDX-License-Identifier: MIT */
/* causewayctl subscribe: the state of the session, then its changes, as lines of JSON. */

#include "subscribe.h"
#include "causeway-control-v1-client-protocol.h"
#include "connection.h"
#include "json.h"
#include "output.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wayland-client.h>

static const struct {
	const char *kind, *plural;
} kinds[] = {
	{"output", "outputs"},
	{"workspace", "workspaces"},
	{"window", "windows"},
	{"keyboard", "keyboards"},
	{"gpu", "gpus"},
};

static bool is_kind(const struct record *record, const char *kind)
{
	const char *value = report_find(record, "kind");
	return value && strcmp(value, kind) == 0;
}

/* Prints all objects of the first report on one line. The first field of a record is its kind. */
static void print_state(const struct report *report)
{
	fputs("{\"event\": \"state\"", stdout);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const char *separator = "";
		printf(", \"%s\": [", kinds[k].plural);
		for (size_t i = 0; i < report->n_records; i++) {
			if (is_kind(&report->records[i], kinds[k].kind)) {
				fputs(separator, stdout);
				json_print_record(&report->records[i], 1);
				separator = ", ";
			}
		}
		putchar(']');
	}
	for (size_t i = 0; i < report->n_records; i++) {
		if (is_kind(&report->records[i], "session")) {
			fputs(", \"session\": ", stdout);
			json_print_record(&report->records[i], 1);
		}
	}
	puts("}");
}

static void print_change(const struct record *record)
{
	const char *kind = report_find(record, "kind"), *removed = report_find(record, "removed");
	if (kind) {
		fputs("{\"event\": ", stdout);
		json_print_text(removed ? "removed" : "changed");
		fputs(", \"kind\": ", stdout);
		json_print_text(kind);
		fputs(", ", stdout);
		json_print_text(kind);
		fputs(": ", stdout);
		json_print_record(record, 1);
		puts("}");
	}
}

static void handle_changed(void *data, struct causeway_subscription_v1 *proxy)
{
	bool *changed = data;
	*changed = true;
}

static const struct causeway_subscription_v1_listener listener = {.changed = handle_changed};

/* Waits for events. Returns false when the session ends or nobody reads standard output. */
static bool wait_for_events(struct wl_display *display)
{
	struct pollfd fds[] = {
		{.fd = wl_display_get_fd(display), .events = POLLIN},
		{.fd = STDOUT_FILENO}, /* errors only */
	};
	while (wl_display_prepare_read(display) != 0) {
		if (wl_display_dispatch_pending(display) < 0) {
			return false;
		}
	}
	int ready = wl_display_flush(display) < 0 ? -1 : poll(fds, 2, -1);
	if (ready <= 0 || !(fds[0].revents & POLLIN) || fds[1].revents) {
		wl_display_cancel_read(display);
		return ready < 0 && errno == EINTR;
	}
	return wl_display_read_events(display) >= 0 && wl_display_dispatch_pending(display) >= 0;
}

int subscribe_run(struct connection *connection, int idle)
{
	if (!connection_supports(connection, CAUSEWAY_CONTROL_V1_SUBSCRIBE_SINCE_VERSION)) {
		return EXIT_FAILURE;
	}
	bool changed = false, alive = true;
	struct causeway_subscription_v1 *proxy =
		causeway_control_v1_subscribe(connection->control, (uint32_t)idle);
	causeway_subscription_v1_add_listener(proxy, &listener, &changed);
	for (bool first = true; alive; first = false) {
		struct report report;
		changed = false;
		alive = report_receive(
			&report, causeway_subscription_v1_get_changes(proxy), connection->display);
		for (size_t i = 0; alive && i < report.n_records; i++) {
			if (is_kind(&report.records[i], "gpu") &&
				!report_find(&report.records[i], "removed")) {
				report_add_openers(&report.records[i]);
			}
		}
		if (alive && first) {
			print_state(&report);
		}
		for (size_t i = 0; alive && !first && i < report.n_records; i++) {
			print_change(&report.records[i]);
		}
		report_finish(&report);
		alive = fflush(stdout) == 0 && alive;
		while (alive && !changed) {
			alive = wait_for_events(connection->display);
		}
	}
	causeway_subscription_v1_destroy(proxy);
	if (ferror(stdout) || output_is_closed()) {
		return EXIT_SUCCESS;
	}
	fputs("causewayctl: the connection to Causeway has ended\n", stderr);
	return EXIT_FAILURE;
}
