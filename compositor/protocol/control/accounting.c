/* SPDX-License-Identifier: MIT */
/*
 * Accounting of surface content for reports: the route to the screen and its reason, the bytes
 * copied, and the numbers of updates presented, superseded and hidden.
 */

#include "content/route.h"
#include "control.h"
#include "frame/frame.h"
#include "protocol/protocol.h"
#include "scene/output.h"
#include "surface/client.h"
#include "surface/surface.h"
#include "util/clock.h"
#include "util/rate.h"
#include <string.h>

/** Returns whether the client forwards windows of another machine: waypipe, however started. */
static bool is_remote(struct client *client)
{
	const char *exe = client_exe(client), *slash = exe ? strrchr(exe, '/') : NULL;
	return client->remote || (exe && strcmp(slash ? slash + 1 : exe, "waypipe") == 0);
}

/** Adds the current route of the surface, its cost per frame, and the next best route. */
static void add_route(struct control_record *record, const struct scene_output *output,
	const struct surface *surface)
{
	struct route_choice choice = frame_route(output, surface);
	const char *route = route_name(choice.source, choice.sink);
	if (surface->client && is_remote(surface->client)) {
		control_record_text(record, "route", "remote");
		control_record_text(record, "remote", surface->client->remote);
		control_record_text(record, "local_route", route);
	} else {
		control_record_text(record, "route", route);
	}
	if (choice.source == SOURCE_COPY) {
		control_record_text(record, "engine", choice.engine);
	}
	control_record_text(record, "reason", route_choice_text(&choice, choice.reason));
	if (choice.source == SOURCE_NONE) {
		return;
	}
	control_record_number(record, "cost_us", (double)choice.cost.time / 1e3);
	if (choice.n_others > 0) {
		const struct route_option *other = &choice.other;
		control_record_text(record, "runner_up", route_name(other->source, other->sink));
		control_record_number(record, "runner_up_us", (double)other->cost.time / 1e3);
		if (other->refused != REASON_BEST) {
			control_record_text(record, "runner_up_refused",
				route_choice_text(&choice, other->refused));
		}
	}
}

void surface_totals_add(struct surface_totals *totals, const struct surface *surface)
{
	uint64_t seen = surface->n_shown + surface->n_hidden;
	totals->n_superseded += surface->n_commits > seen ? surface->n_commits - seen : 0;
	totals->n_commits += surface->n_commits;
	totals->n_shown += surface->n_shown;
	totals->n_hidden += surface->n_hidden;
	totals->bytes_uploaded += surface->bytes_uploaded;
	totals->bytes_copied += surface->bytes_copied;
}

/** Adds rates of the last full second, and averages per presented update. */
static void add_totals(struct control_record *record, const struct surface_totals *totals,
	uint64_t upload_rate, uint64_t copy_rate)
{
	control_record_integer(record, "committed", (int64_t)totals->n_commits);
	control_record_integer(record, "shown", (int64_t)totals->n_shown);
	control_record_integer(record, "superseded", (int64_t)totals->n_superseded);
	control_record_integer(record, "hidden", (int64_t)totals->n_hidden);
	control_record_integer(record, "uploaded", (int64_t)totals->bytes_uploaded);
	control_record_integer(record, "uploaded_per_second", (int64_t)upload_rate);
	control_record_integer(record, "copied", (int64_t)totals->bytes_copied);
	control_record_integer(record, "copied_per_second", (int64_t)copy_rate);
	if (totals->n_shown > 0) {
		double n = (double)totals->n_shown;
		control_record_number(
			record, "uploaded_per_frame", (double)totals->bytes_uploaded / n);
		control_record_number(record, "copied_per_frame", (double)totals->bytes_copied / n);
	}
}

void control_add_accounting(struct control_record *record, const struct surface *surface,
	const struct scene_output *output, int64_t now)
{
	struct surface_totals totals = {0};
	if (output) {
		control_record_text(record, "output", output->output->name);
		add_route(record, output, surface);
	}
	surface_totals_add(&totals, surface);
	add_totals(record, &totals, rate_get(&surface->upload_rate, now),
		rate_get(&surface->copy_rate, now));
}

struct sum {
	struct surface_totals totals;
	uint64_t upload_rate, copy_rate;
	int64_t now;
};

static enum wl_iterator_result visit(struct wl_resource *resource, void *data)
{
	struct sum *sum = data;
	if (strcmp(wl_resource_get_class(resource), "wl_surface") == 0) {
		const struct surface *surface = surface_from_resource(resource);
		surface_totals_add(&sum->totals, surface);
		sum->upload_rate += rate_get(&surface->upload_rate, sum->now);
		sum->copy_rate += rate_get(&surface->copy_rate, sum->now);
	}
	return WL_ITERATOR_CONTINUE;
}

void control_add_sum(struct control_record *record, const struct server *server)
{
	struct sum sum = {.totals = server->protocols->gone, .now = clock_now(server->clock)};
	struct wl_client *client;
	wl_client_for_each (client, wl_display_get_client_list(server->display)) {
		wl_client_for_each_resource(client, visit, &sum);
	}
	add_totals(record, &sum.totals, sum.upload_rate, sum.copy_rate);
}
