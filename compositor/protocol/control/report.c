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
#include "protocol/server_output.h"
#include "render/render.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "surface/state.h"
#include "surface/surface.h"
#include "util/realtime.h"
#include <math.h>
#include <string.h>

static void add_format(struct control_record *record, const char *name, uint32_t format)
{
	char text[5];
	control_record_text(record, name, pixel_format_name(format, text));
}

static const char *transform_name(enum wl_output_transform transform)
{
	static const char *const names[] = {"normal", "90", "180", "270", "flipped", "flipped-90",
		"flipped-180", "flipped-270"};
	return names[transform & 7];
}

static void add_place(struct control_record *record, const struct scene_output *output)
{
	struct box box = scene_output_box(output);
	control_record_integer(record, "x", box.x);
	control_record_integer(record, "y", box.y);
	control_record_integer(record, "logical_width", box.width);
	control_record_integer(record, "logical_height", box.height);
	control_record_number(record, "scale", output->scale);
	control_record_text(record, "transform", transform_name(output->transform));
}

static void add_frames(struct control_record *record, const struct frame_stats *stats)
{
	control_record_integer(record, "frames", (int64_t)stats->frames);
	control_record_integer(record, "presented", (int64_t)stats->presented);
	control_record_integer(record, "missed", (int64_t)stats->missed);
	control_record_integer(record, "scanouts", (int64_t)stats->scanouts);
	control_record_integer(record, "composed_by_cpu", (int64_t)stats->by_cpu);
	control_record_integer(record, "cursors_drawn", (int64_t)stats->cursors_drawn);
	control_record_integer(record, "plane_tests", (int64_t)stats->tests);
	control_record_integer(record, "pixels_damaged", (int64_t)stats->pixels_damaged);
}

static void add_output(struct control_record *record, const struct server_output *entry)
{
	const struct output *output = entry->output;
	control_record_text(record, "name", output->name);
	control_record_bool(record, "enabled", entry->scene_output != NULL);
	if (entry->dark) {
		control_record_bool(record, "dark", true);
	}
	if (entry->power_refused || (entry->lowered && !entry->scene_output)) {
		control_record_bool(record, "refused", true);
	}
	if (entry->lacks && !entry->output->enabled) {
		control_record_text(record, "reason", entry->lacks);
	}
	if (entry->lendable) {
		control_record_bool(record, "lent", output->leased);
	}
	control_record_text(record, "make", output->make);
	control_record_text(record, "model", output->model);
	control_record_text(record, "serial", output->serial);
	if (output->physical_width > 0) {
		control_record_integer(record, "physical_width", output->physical_width);
		control_record_integer(record, "physical_height", output->physical_height);
	}
	if (output->gpu) {
		control_record_text(record, "gpu", output->gpu->bus_id);
	}
	if (entry->scene_output) {
		control_record_integer(record, "width", output->mode.width);
		control_record_integer(record, "height", output->mode.height);
		control_record_number(record, "refresh", output->mode.refresh / 1000.0);
		if (output->mode.interlaced) {
			control_record_bool(record, "interlaced", true);
		}
		if (output->adaptive_sync) {
			control_record_bool(record, "adaptive_sync", true);
		}
		if (output->bit_depth > 0) {
			control_record_integer(record, "bit_depth", output->bit_depth);
		}
		if (entry->lowered || entry->depth_refused) {
			control_record_bool(record, "lowered", true);
		}
		add_place(record, entry->scene_output);
	}
	if (entry->frame) {
		add_frames(record, frame_output_stats(entry->frame));
	}
}

void control_report_outputs(struct server *server, struct wl_resource *report)
{
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		struct control_record record = {0};
		add_output(&record, entry);
		control_record_send(&record, report);
		control_record_finish(&record);
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

void control_add_client(struct control_record *record, struct client *client)
{
	control_record_integer(record, "pid", client->pid);
	control_record_text(record, "client", control_client_name(client));
	if (client->sandboxed) {
		control_record_text(
			record, "sandbox", client->sandbox_app_id ? client->sandbox_app_id : "");
	}
}

void control_add_window(struct control_record *record, struct surface *surface)
{
	struct window *window = window_from_surface(surface);
	if (window) {
		control_record_text(record, "application", window->app_id);
		control_record_text(record, "title", window->title);
	}
}

static void add_tag(struct control_record *record, struct surface *surface)
{
	struct window *window = window_from_surface(surface);
	if (window) {
		control_record_text(record, "tag", window->tag);
		control_record_text(record, "description", window->description);
	}
}

static void add_content(struct control_record *record, struct surface *surface)
{
	const struct surface_state *state = &surface->current;
	control_record_text(record, "role", surface->role ? surface->role->name : "none");
	control_record_integer(record, "width", lround(state->width / surface->density));
	control_record_integer(record, "height", lround(state->height / surface->density));
	control_record_integer(record, "buffer_width", state->buffer_width);
	control_record_integer(record, "buffer_height", state->buffer_height);
	control_record_text(record, "buffer", buffer_kind(state->buffer));
	if (state->buffer) {
		add_format(record, "format", state->buffer->format);
	}
	if (state->buffer && state->buffer->home) {
		control_record_text(record, "buffer_gpu", state->buffer->home->bus_id);
	}
}

/** `output` NULL: the surface is on no output. */
static void write_surface(struct wl_resource *report, struct surface *surface,
	struct scene_output *output, int64_t now)
{
	struct control_record record = {0};
	control_add_client(&record, surface->client);
	control_add_rendering(&record, surface->client);
	control_add_window(&record, surface);
	add_tag(&record, surface);
	add_content(&record, surface);
	control_add_accounting(&record, surface, output, now);
	control_record_send(&record, report);
	control_record_finish(&record);
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
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
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

static void add_clients(struct control_record *record, struct server *server)
{
	int64_t n_clients = 0, n_objects = 0;
	struct wl_client *client;
	wl_client_for_each (client, wl_display_get_client_list(server->display)) {
		n_clients++;
		wl_client_for_each_resource(client, count, &n_objects);
	}
	control_record_integer(record, "clients", n_clients);
	control_record_integer(record, "objects", n_objects);
	control_record_integer(record, "windows", wl_list_length(&server->shell->windows));
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
	struct control_record fields = {0}, *const record = &fields;
	add_clients(record, server);
	control_add_sum(record, server);
	add_frames(record, &sum);
	control_record_bool(record, "realtime", realtime_is_on());
	if (renderer) {
		control_record_text(record, "renderer", renderer->impl->name);
		control_record_integer(record, "passes", (int64_t)renderer->stats.passes);
		control_record_integer(record, "draws", (int64_t)renderer->stats.draws);
		control_record_integer(
			record, "pixels_drawn", (int64_t)renderer->stats.pixels_drawn);
		control_record_integer(record, "uploads", (int64_t)renderer->stats.uploads);
		control_record_integer(
			record, "bytes_uploaded", (int64_t)renderer->stats.bytes_uploaded);
		control_record_integer(record, "imports", (int64_t)renderer->stats.imports);
	}
	if (server->copier) {
		const struct copier_totals *copies = &server->copier->totals;
		control_record_integer(record, "copies", (int64_t)copies->copies);
		control_record_integer(record, "copies_failed", (int64_t)copies->failures);
		control_record_integer(record, "bytes_copied", (int64_t)copies->bytes);
	}
	control_record_send(record, report);
	control_record_finish(record);
	control_finish(report);
}
