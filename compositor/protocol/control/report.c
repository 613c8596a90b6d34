/* SPDX-License-Identifier: MIT */
/* Reports of the control protocol: state and statistics, as records of named fields. */

#include "backend/output.h"
#include "buffer/shm.h"
#include "causeway-control-v1-protocol.h"
#include "content/device.h"
#include "control.h"
#include "copy/copier.h"
#include "frame/frame.h"
#include "gpu/format.h"
#include "gpu/gpu.h"
#include "render/render.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "server/output.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "surface/state.h"
#include "surface/surface.h"
#include "util/printable.h"
#include "util/realtime.h"
#include "util/xalloc.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message has at most 4096 bytes, including names and lengths. */
#define MAX_TEXT 3900

/** The text is converted to valid UTF-8 and cut to the maximum size. */
void control_add_field(
	struct wl_resource *report, const char *name, uint32_t kind, const char *text)
{
	char clean[MAX_TEXT + 1];
	size_t n = 0;
	while (*text && n + 4 <= MAX_TEXT) {
		size_t length = utf8_character(text);
		memcpy(clean + n, length ? text : "?", length ? length : 1);
		n += length ? length : 1;
		text += length ? length : 1;
	}
	clean[n] = '\0';
	causeway_report_v1_send_field(report, name, kind, clean);
}

void control_add_text(struct wl_resource *report, const char *name, const char *text)
{
	if (text) {
		control_add_field(report, name, CAUSEWAY_REPORT_V1_KIND_STRING, text);
	}
}

void control_add_integer(struct wl_resource *report, const char *name, int64_t value)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRId64, value);
	causeway_report_v1_send_field(report, name, CAUSEWAY_REPORT_V1_KIND_INTEGER, text);
}

void control_add_number(struct wl_resource *report, const char *name, double value)
{
	char text[32];
	snprintf(text, sizeof(text), "%.3f", value);
	causeway_report_v1_send_field(report, name, CAUSEWAY_REPORT_V1_KIND_NUMBER, text);
}

void control_add_bool(struct wl_resource *report, const char *name, bool value)
{
	causeway_report_v1_send_field(
		report, name, CAUSEWAY_REPORT_V1_KIND_BOOLEAN, value ? "true" : "false");
}

static void add_format(struct wl_resource *report, const char *name, uint32_t format)
{
	char text[5];
	control_add_text(report, name, pixel_format_name(format, text));
}

void control_finish(struct wl_resource *report)
{
	causeway_report_v1_send_done(report);
	wl_resource_destroy(report);
}

static const char *transform_name(enum wl_output_transform transform)
{
	static const char *const names[] = {"normal", "90", "180", "270", "flipped", "flipped-90",
		"flipped-180", "flipped-270"};
	return names[transform & 7];
}

static void add_place(struct wl_resource *report, const struct scene_output *output)
{
	struct box box = scene_output_box(output);
	control_add_integer(report, "x", box.x);
	control_add_integer(report, "y", box.y);
	control_add_integer(report, "logical_width", box.width);
	control_add_integer(report, "logical_height", box.height);
	control_add_number(report, "scale", output->scale);
	control_add_text(report, "transform", transform_name(output->transform));
}

static void add_frames(struct wl_resource *report, const struct frame_stats *stats)
{
	control_add_integer(report, "frames", (int64_t)stats->frames);
	control_add_integer(report, "presented", (int64_t)stats->presented);
	control_add_integer(report, "missed", (int64_t)stats->missed);
	control_add_integer(report, "scanouts", (int64_t)stats->scanouts);
	control_add_integer(report, "composed_by_cpu", (int64_t)stats->by_cpu);
	control_add_integer(report, "cursors_drawn", (int64_t)stats->cursors_drawn);
	control_add_integer(report, "plane_tests", (int64_t)stats->tests);
	control_add_integer(report, "pixels_damaged", (int64_t)stats->pixels_damaged);
}

static void write_output(struct wl_resource *report, const struct server_output *entry)
{
	const struct output *output = entry->output;
	causeway_report_v1_send_begin_record(report);
	control_add_text(report, "name", output->name);
	control_add_bool(report, "enabled", entry->scene_output != NULL);
	if (entry->dark) {
		control_add_bool(report, "dark", true);
	}
	if (entry->lendable) {
		control_add_bool(report, "lent", output->leased);
	}
	control_add_text(report, "make", output->make);
	control_add_text(report, "model", output->model);
	control_add_text(report, "serial", output->serial);
	if (output->physical_width > 0) {
		control_add_integer(report, "physical_width", output->physical_width);
		control_add_integer(report, "physical_height", output->physical_height);
	}
	if (output->gpu) {
		control_add_text(report, "gpu", output->gpu->bus_id);
	}
	if (entry->scene_output) {
		control_add_integer(report, "width", output->mode.width);
		control_add_integer(report, "height", output->mode.height);
		control_add_number(report, "refresh", output->mode.refresh / 1000.0);
		if (output->adaptive_sync) {
			control_add_bool(report, "adaptive_sync", true);
		}
		if (output->bit_depth > 0) {
			control_add_integer(report, "bit_depth", output->bit_depth);
		}
		if (entry->lowered) {
			control_add_bool(report, "lowered", true);
		}
		add_place(report, entry->scene_output);
	}
	if (entry->frame) {
		add_frames(report, frame_output_stats(entry->frame));
	}
	causeway_report_v1_send_end_record(report);
}

void control_report_outputs(struct server *server, struct wl_resource *report)
{
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		write_output(report, entry);
	}
	control_finish(report);
}

static const char *buffer_kind(struct buffer *buffer)
{
	float color[4];
	if (!buffer) {
		return "released"; /* its pixels were copied */
	}
	return buffer_color(buffer, color) ? "color" : buffer_is_shm(buffer) ? "shm" : "dma-buf";
}

void control_add_client(struct wl_resource *report, struct client *client)
{
	control_add_integer(report, "pid", client->pid);
	control_add_text(report, "client", control_client_name(client));
	if (client->sandboxed) {
		control_add_text(
			report, "sandbox", client->sandbox_app_id ? client->sandbox_app_id : "");
	}
}

void control_add_window(struct wl_resource *report, struct surface *surface)
{
	struct window *window = window_from_surface(surface);
	if (window) {
		control_add_text(report, "application", window->app_id);
		control_add_text(report, "title", window->title);
	}
}

static void add_tag(struct wl_resource *report, struct surface *surface)
{
	struct window *window = window_from_surface(surface);
	if (window && window->tag) {
		control_add_text(report, "tag", window->tag);
	}
	if (window && window->description) {
		control_add_text(report, "description", window->description);
	}
}

static void add_content(struct wl_resource *report, struct surface *surface)
{
	const struct surface_state *state = &surface->current;
	control_add_text(report, "role", surface->role ? surface->role->name : "none");
	control_add_integer(report, "width", lround(state->width / surface->density));
	control_add_integer(report, "height", lround(state->height / surface->density));
	control_add_integer(report, "buffer_width", state->buffer_width);
	control_add_integer(report, "buffer_height", state->buffer_height);
	control_add_text(report, "buffer", buffer_kind(state->buffer));
	if (state->buffer) {
		add_format(report, "format", state->buffer->format);
	}
	if (state->buffer && state->buffer->home) {
		control_add_text(report, "buffer_gpu", state->buffer->home->bus_id);
	}
}

/** `output` NULL: the surface is on no output. */
static void write_surface(struct wl_resource *report, struct surface *surface,
	struct scene_output *output, int64_t now)
{
	causeway_report_v1_send_begin_record(report);
	control_add_client(report, surface->client);
	control_add_rendering(report, surface->client);
	control_add_window(report, surface);
	add_tag(report, surface);
	add_content(report, surface);
	control_add_accounting(report, surface, output, now);
	causeway_report_v1_send_end_record(report);
}

struct surface_report {
	struct server *server;
	struct wl_resource *report;
	int64_t now;
};

static enum wl_iterator_result visit(struct wl_resource *resource, void *data)
{
	struct surface_report *state = data;
	if (strcmp(wl_resource_get_class(resource), "wl_surface") != 0) {
		return WL_ITERATOR_CONTINUE;
	}
	struct surface *surface = surface_from_resource(resource);
	if (!surface || !surface_has_content(surface)) {
		return WL_ITERATOR_CONTINUE;
	}
	bool written = false;
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		if (state->server->scene->outputs[i] && (surface->outputs & (1u << i))) {
			write_surface(state->report, surface, state->server->scene->outputs[i],
				state->now);
			written = true;
		}
	}
	if (!written) {
		write_surface(state->report, surface, NULL, state->now);
	}
	return WL_ITERATOR_CONTINUE;
}

void control_report_surfaces(struct server *server, struct wl_resource *report)
{
	struct surface_report state = {
		.server = server, .report = report, .now = clock_now(server->clock)};
	struct wl_list *clients = wl_display_get_client_list(server->display);
	struct wl_client *client;
	wl_client_for_each (client, clients) {
		wl_client_for_each_resource(client, visit, &state);
	}
	control_finish(report);
}

static enum wl_iterator_result count(struct wl_resource *resource, void *data)
{
	int64_t *n = data;
	(*n)++;
	return WL_ITERATOR_CONTINUE;
}

static void add_clients(struct wl_resource *report, struct server *server)
{
	int64_t n_clients = 0, n_objects = 0;
	struct wl_client *client;
	wl_client_for_each (client, wl_display_get_client_list(server->display)) {
		n_clients++;
		wl_client_for_each_resource(client, count, &n_objects);
	}
	control_add_integer(report, "clients", n_clients);
	control_add_integer(report, "objects", n_objects);
	control_add_integer(report, "windows", wl_list_length(&server->shell->windows));
}

void control_report_stats(struct server *server, struct wl_resource *report)
{
	const struct renderer *renderer = server->device->renderer;
	struct frame_stats sum = {0};
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->frame) {
			const struct frame_stats *stats = frame_output_stats(entry->frame);
			sum.frames += stats->frames;
			sum.presented += stats->presented;
			sum.missed += stats->missed;
			sum.scanouts += stats->scanouts;
			sum.by_cpu += stats->by_cpu;
			sum.cursors_drawn += stats->cursors_drawn;
			sum.tests += stats->tests;
			sum.pixels_damaged += stats->pixels_damaged;
		}
	}
	causeway_report_v1_send_begin_record(report);
	add_clients(report, server);
	control_add_sum(report, server);
	add_frames(report, &sum);
	control_add_bool(report, "realtime", realtime_is_on());
	if (renderer) {
		control_add_text(report, "renderer", renderer->impl->name);
		control_add_integer(report, "passes", (int64_t)renderer->stats.passes);
		control_add_integer(report, "draws", (int64_t)renderer->stats.draws);
		control_add_integer(report, "pixels_drawn", (int64_t)renderer->stats.pixels_drawn);
		control_add_integer(report, "uploads", (int64_t)renderer->stats.uploads);
		control_add_integer(
			report, "bytes_uploaded", (int64_t)renderer->stats.bytes_uploaded);
		control_add_integer(report, "imports", (int64_t)renderer->stats.imports);
	}
	if (server->copier) {
		const struct copier_totals *copies = &server->copier->totals;
		control_add_integer(report, "copies", (int64_t)copies->copies);
		control_add_integer(report, "copies_failed", (int64_t)copies->failures);
		control_add_integer(report, "bytes_copied", (int64_t)copies->bytes);
	}
	causeway_report_v1_send_end_record(report);
	control_finish(report);
}
