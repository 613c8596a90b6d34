/* SPDX-License-Identifier: MIT */
/* The control protocol's watch: schedule predictions of outputs, and latency of surfaces. */

#include "backend/output.h"
#include "causeway-control-v1-protocol.h"
#include "control.h"
#include "frame/duration_histogram.h"
#include "frame/frame.h"
#include "frame/meter.h"
#include "frame/schedule.h"
#include "frame/stage.h"
#include "gpu/gpu.h"
#include "protocol/server_output.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include "util/clock.h"
#include <stdio.h>

static double ms(int64_t ns)
{
	return (double)ns / 1e6;
}

static void add_stage(
	struct control_record *record, const struct schedule *schedule, enum frame_stage stage)
{
	const struct schedule_work *work = &schedule->stages[stage];
	char name[32];
	if (work->recent.n_samples == 0) {
		return;
	}
	snprintf(name, sizeof(name), "%s_predicted", frame_stage_name(stage));
	control_record_number(record, name, ms(work->estimate));
	snprintf(name, sizeof(name), "%s_median", frame_stage_name(stage));
	control_record_number(record, name, ms(duration_histogram_median(&work->recent)));
	snprintf(name, sizeof(name), "%s_last", frame_stage_name(stage));
	control_record_number(record, name, ms(work->last));
}

static void write_output(
	struct wl_resource *report, const struct output *output, const struct frame_output *frame)
{
	const struct schedule *schedule = frame_output_timing(frame);
	struct control_record fields = {0}, *const record = &fields;
	control_record_text(record, "output", output->name);
	if (schedule->refresh > 0) {
		control_record_number(record, "refresh", 1e9 / (double)schedule->refresh);
	}
	control_record_bool(record, "variable", output->adaptive_sync);
	control_record_integer(record, "frames", (int64_t)frame_output_stats(frame)->frames);
	control_record_integer(record, "presented", (int64_t)frame_output_stats(frame)->presented);
	control_record_integer(record, "late", (int64_t)schedule->misses);
	control_record_number(record, "starts_before", ms(schedule_lead(schedule)));
	control_record_number(record, "margin", ms(schedule->settings.margin + schedule->slack));
	for (enum frame_stage stage = 0; stage < STAGE_COUNT; stage++) {
		add_stage(record, schedule, stage);
	}
	control_record_send(record, report);
	control_record_finish(record);
}

static struct wl_resource *make_report(struct wl_resource *resource, uint32_t id)
{
	return resource_create_child(resource, &causeway_report_v1_interface, id, NULL, NULL, NULL);
}

static void handle_list_outputs(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	const struct server *server = wl_resource_get_user_data(resource);
	struct wl_resource *report = make_report(resource, id);
	if (!report) {
		return;
	}
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->frame) {
			write_output(report, entry->output, entry->frame);
		}
	}
	control_finish(report);
}

static void write_surface(struct wl_resource *report, const struct server *server,
	const struct meter_surface *metered)
{
	struct surface *surface = metered->surface;
	const struct scene_surface *content = scene_surface_find(surface);
	int output = content ? content->primary_output : -1;
	struct control_record fields = {0}, *const record = &fields;
	if (surface->client) {
		control_add_client(record, surface->client);
	}
	control_add_window(record, surface);
	if (surface->current.buffer && surface->current.buffer->home) {
		control_record_text(record, "buffer_gpu", surface->current.buffer->home->bus_id);
	}
	control_add_accounting(record, surface, output >= 0 ? server->scene->outputs[output] : NULL,
		clock_now(server->clock));
	control_record_number(record, "latency_p50", ms(meter_latency(metered, 0.5)));
	control_record_number(record, "latency_p99", ms(meter_latency(metered, 0.99)));
	control_record_send(record, report);
	control_record_finish(record);
}

static void handle_list_surfaces(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	const struct server *server = wl_resource_get_user_data(resource);
	struct wl_resource *report = make_report(resource, id);
	if (!report) {
		return;
	}
	const struct meter_surface *metered;
	wl_list_for_each (metered, &server->meter->surfaces, link) {
		if (metered->n_latencies > 0) {
			write_surface(report, server, metered);
		}
	}
	control_finish(report);
}

static const struct causeway_watch_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.list_outputs = handle_list_outputs,
	.list_surfaces = handle_list_surfaces,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct server *server = wl_resource_get_user_data(resource);
	meter_watch(server->meter, false);
}

void control_watch(struct server *server, struct wl_resource *watch)
{
	meter_watch(server->meter, true);
	wl_resource_set_implementation(watch, &implementation, server, handle_resource_destroy);
}
