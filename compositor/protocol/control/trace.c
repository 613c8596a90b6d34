/* SPDX-License-Identifier: MIT */
/*
 * The control protocol's trace: events as JSON in the Trace Event Format of Chrome and Perfetto.
 * Outputs are threads of process 1, surfaces are threads of their clients' processes.
 */

#include "causeway-control-v1-protocol.h"
#include "control.h"
#include "frame/meter.h"
#include "frame/stage.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "shell/window.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OUTPUTS_PID 1

struct trace {
	struct server *server;
	uint64_t next; /* number of the first event that was not sent */
};

/** A growing string. */
struct text {
	char *bytes;
	size_t n, size;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0) {
		return;
	}
	if (text->size - text->n <= (size_t)n) {
		text->size = text->size * 2 + (size_t)n + 1;
		text->bytes = xrealloc(text->bytes, text->size, 1);
	}
	va_start(args, format);
	vsnprintf(text->bytes + text->n, text->size - text->n, format, args);
	va_end(args);
	text->n += (size_t)n;
}

/** Adds a name from a program or monitor; characters that need escapes in JSON become '?'. */
static void add_name(struct text *text, const char *name)
{
	for (; name && *name; name++) {
		unsigned char c = (unsigned char)*name;
		add(text, "%c", c < 0x20 || c >= 0x7f || c == '"' || c == '\\' ? '?' : c);
	}
}

static void add_track(struct text *text, const char *what, int pid, uint32_t track,
	const char *name, const char *more)
{
	add(text, "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":\"", what,
		pid, track);
	add_name(text, name);
	if (more) {
		add(text, " ");
		add_name(text, more);
	}
	add(text, "\"}},\n");
}

static const struct meter_surface *find_surface(const struct meter *meter, uint32_t serial)
{
	const struct meter_surface *metered;
	wl_list_for_each (metered, &meter->surfaces, link) {
		if (metered->serial == serial) {
			return metered;
		}
	}
	return NULL;
}

static int pid_of(const struct meter_surface *metered)
{
	const struct client *client = metered ? metered->surface->client : NULL;
	return client ? (int)client->pid : 0;
}

/** Viewers accept repeated definitions of a track's name. */
static void add_tracks(struct text *text, const struct server *server)
{
	add_track(text, "process_name", OUTPUTS_PID, 0, "Causeway", NULL);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = server->scene->outputs[i];
		if (output) {
			add_track(text, "thread_name", OUTPUTS_PID, (uint32_t)i + 1,
				output->output->name, NULL);
		}
	}
	const struct meter_surface *metered;
	wl_list_for_each (metered, &server->meter->surfaces, link) {
		struct client *client = metered->surface->client;
		const struct window *window = window_from_surface(metered->surface);
		add_track(text, "process_name", pid_of(metered), 0,
			client ? control_client_name(client) : "client", NULL);
		add_track(text, "thread_name", pid_of(metered), metered->serial, "surface",
			window ? window->title : NULL);
	}
}

/** Adds a time in microseconds with nanosecond digits. */
static void add_time(struct text *text, const char *name, int64_t ns)
{
	add(text, ",\"%s\":%" PRId64 ".%03d", name, ns / 1000, (int)(ns % 1000));
}

static void add_event(struct text *text, const struct meter *meter, const struct meter_event *event)
{
	bool of_surface =
		event->stage == STAGE_SURFACE_COMMIT || event->stage == STAGE_SURFACE_WAIT;
	bool moment = event->stage == STAGE_SURFACE_COMMIT || event->stage == STAGE_PRESENTED;
	int pid = of_surface ? pid_of(find_surface(meter, event->track)) : OUTPUTS_PID;
	add(text, "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"%s\",\"pid\":%d,\"tid\":%u",
		frame_stage_name(event->stage), of_surface ? "surface" : "frame",
		moment ? "i" : "X", pid, of_surface ? event->track : event->track + 1);
	add_time(text, "ts", event->start);
	if (moment) {
		add(text, ",\"s\":\"t\"");
	} else {
		add_time(text, "dur", event->end - event->start);
	}
	add(text, ",\"args\":{\"number\":%" PRIu64 "}},\n", event->number);
}

static int write_file(const struct text *text)
{
	int fd = fd_create_memory("causeway-trace", 0, false);
	size_t done = 0;
	while (fd >= 0 && done < text->n) {
		ssize_t n = pwrite(fd, text->bytes + done, text->n - done, (off_t)done);
		if (n <= 0) {
			fd_close(&fd);
			return -1;
		}
		done += (size_t)n;
	}
	return fd;
}

static void handle_collect(struct wl_client *client, struct wl_resource *resource)
{
	struct trace *trace = wl_resource_get_user_data(resource);
	const struct meter *meter = trace->server->meter;
	uint64_t oldest = meter->n_events > METER_EVENTS ? meter->n_events - METER_EVENTS : 0;
	uint64_t lost = trace->next < oldest ? oldest - trace->next : 0;
	struct text text = {0};
	add_tracks(&text, trace->server);
	for (trace->next += lost; trace->next < meter->n_events; trace->next++) {
		add_event(&text, meter, &meter->events[trace->next % METER_EVENTS]);
	}
	int fd = write_file(&text);
	if (fd < 0) {
		wl_client_post_no_memory(client);
	} else {
		causeway_trace_v1_send_chunk(resource, fd, (uint32_t)text.n, (uint32_t)lost);
		fd_close(&fd);
	}
	free(text.bytes);
}

static const struct causeway_trace_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.collect = handle_collect,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct trace *trace = wl_resource_get_user_data(resource);
	meter_trace(trace->server->meter, false);
	free(trace);
}

void control_trace(struct server *server, struct wl_resource *resource)
{
	struct trace *trace = xcalloc(1, sizeof(*trace));
	trace->server = server;
	trace->next = server->meter->n_events;
	meter_trace(server->meter, true);
	wl_resource_set_implementation(resource, &implementation, trace, handle_resource_destroy);
}
