/* SPDX-License-Identifier: MIT */
/* Latency measurements: latencies of surfaces, and the events of a trace. */

#include "frame/meter.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ns; updates that apply immediately take some microseconds, and are not reported as waiting. */
#define SHORTEST_WAIT 100000

static void forget(struct meter_surface *metered)
{
	addon_finish(&metered->addon);
	wl_list_remove(&metered->link);
	wl_list_remove(&metered->applied.link);
	free(metered);
}

static void destroy_addon(struct addon *addon)
{
	struct meter_surface *metered = wl_container_of(addon, metered, addon);
	forget(metered);
}

static const struct addon_impl addon_impl = {.name = "meter", .destroy = destroy_addon};

static struct meter_surface *find(const struct meter *meter, const struct surface *surface)
{
	struct addon *addon = addon_find(&surface->addons, meter, &addon_impl);
	struct meter_surface *metered;
	return addon ? wl_container_of(addon, metered, addon) : NULL;
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct meter_surface *metered = wl_container_of(listener, metered, applied);
	int64_t committed = metered->surface->current.committed;
	int64_t now = clock_now(metered->meter->clock);
	if (committed >= metered->meter->since && now - committed >= SHORTEST_WAIT) {
		meter_span(metered->meter, STAGE_SURFACE_WAIT, metered->serial,
			metered->surface->n_commits, committed, now);
	}
}

void meter_note_commit(struct meter *meter, struct surface *surface)
{
	struct meter_surface *metered = find(meter, surface);
	int64_t now = clock_now(meter->clock);
	if (!metered) {
		metered = xcalloc(1, sizeof(*metered));
		metered->meter = meter;
		metered->surface = surface;
		metered->serial = ++meter->n_serials;
		signal_add(&surface->events.applied, &metered->applied, handle_applied);
		addon_init(&metered->addon, &surface->addons, meter, &addon_impl);
		wl_list_insert(meter->surfaces.prev, &metered->link);
	}
	surface->pending.committed = now;
	meter_span(meter, STAGE_SURFACE_COMMIT, metered->serial, surface->n_commits + 1, now, now);
}

void meter_note_event(struct meter *meter, const struct meter_event *event)
{
	meter->events[meter->n_events++ % METER_EVENTS] = *event;
}

void meter_latch(struct meter *meter, const struct frame_output *frame,
	const struct surface *surface, bool ahead)
{
	if (!meter || !meter->active || surface->current.committed < meter->since) {
		return;
	}
	struct meter_surface *metered = find(meter, surface);
	if (metered && ahead) {
		metered->frame_ahead = frame;
		metered->ahead = surface->current.committed;
	} else if (metered) {
		metered->frame = frame;
		metered->in_flight = surface->current.committed;
	}
}

void meter_promote(struct meter *meter, const struct frame_output *frame)
{
	if (!meter || !meter->active) {
		return;
	}
	struct meter_surface *metered;
	wl_list_for_each (metered, &meter->surfaces, link) {
		if (metered->frame_ahead == frame) {
			metered->frame_ahead = NULL;
			metered->frame = frame;
			metered->in_flight = metered->ahead;
		}
	}
}

void meter_drop_ahead(struct meter *meter, const struct frame_output *frame)
{
	if (!meter || !meter->active) {
		return;
	}
	struct meter_surface *metered;
	wl_list_for_each (metered, &meter->surfaces, link) {
		if (metered->frame_ahead == frame) {
			metered->frame_ahead = NULL;
		}
	}
}

void meter_presented(struct meter *meter, const struct frame_output *frame, int64_t when)
{
	if (!meter || !meter->active) {
		return;
	}
	struct meter_surface *metered;
	wl_list_for_each (metered, &meter->surfaces, link) {
		if (metered->frame != frame) {
			continue;
		}
		metered->frame = NULL;
		if (when > 0) {
			metered->latencies[metered->n_latencies++ % METER_LATENCIES] =
				when - metered->in_flight;
		}
	}
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

int64_t meter_latency(const struct meter_surface *surface, double share)
{
	int64_t sorted[METER_LATENCIES];
	size_t n = surface->n_latencies < METER_LATENCIES ? (size_t)surface->n_latencies
							  : METER_LATENCIES;
	if (n == 0) {
		return 0;
	}
	memcpy(sorted, surface->latencies, n * sizeof(sorted[0]));
	qsort(sorted, n, sizeof(sorted[0]), compare);
	size_t index = (size_t)((double)n * share);
	return sorted[index < n ? index : n - 1];
}

/* Updates the state after a change of watchers or tracers. */
static void update(struct meter *meter)
{
	bool active = meter->n_watchers > 0 || meter->n_tracers > 0;
	if (active && !meter->active) {
		meter->since = clock_now(meter->clock);
	}
	meter->active = active;
	if (meter->n_tracers > 0 && !meter->events) {
		meter->events = xcalloc(METER_EVENTS, sizeof(*meter->events));
	} else if (meter->n_tracers == 0) {
		free(meter->events);
		meter->events = NULL;
	}
	struct meter_surface *metered, *next;
	wl_list_for_each_safe (metered, next, &meter->surfaces, link) {
		if (!active) {
			forget(metered);
		}
	}
}

void meter_watch(struct meter *meter, bool on)
{
	meter->n_watchers += on ? 1 : -1;
	update(meter);
}

void meter_trace(struct meter *meter, bool on)
{
	meter->n_tracers += on ? 1 : -1;
	update(meter);
}

void meter_init(struct meter *meter, struct clock *clock)
{
	*meter = (struct meter){.clock = clock};
	wl_list_init(&meter->surfaces);
}

void meter_finish(struct meter *meter)
{
	assert(meter->n_watchers == 0 && meter->n_tracers == 0);
	assert(wl_list_empty(&meter->surfaces));
}
