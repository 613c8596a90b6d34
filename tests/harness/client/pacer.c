/* SPDX-License-Identifier: MIT */
/* A window that records its commits, callbacks and presentations. */

#include "harness/client/pacer.h"
#include "frame/throttle.h"
#include "shell/window.h"
#include "util/clock.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct feedback {
	struct pacer *pacer;
	int64_t committed;
};

int64_t pacer_now(const struct pacer *pacer)
{
	return clock_now(pacer->fixture->clock);
}

static void handle_done(void *data, struct wl_callback *callback, uint32_t ms)
{
	struct pacer *pacer = data;
	pacer->n_done++;
	pacer->last_done = pacer_now(pacer);
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener callback_listener = {.done = handle_done};

static void handle_sync_output(
	void *data, struct wp_presentation_feedback *proxy, struct wl_output *output)
{
}

static void handle_presented(void *data, struct wp_presentation_feedback *proxy,
	uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds, uint32_t refresh,
	uint32_t sequence_high, uint32_t sequence_low, uint32_t flags)
{
	struct feedback *feedback = data;
	struct pacer *pacer = feedback->pacer;
	int64_t seconds = (int64_t)((uint64_t)seconds_high << 32 | seconds_low);
	assert_in_range(pacer->n_presented, 0, SHOWN_MAX - 1);
	pacer->committed[pacer->n_presented] = feedback->committed;
	pacer->shown[pacer->n_presented] = seconds * SECOND + nanoseconds;
	pacer->sequence[pacer->n_presented] = (uint64_t)sequence_high << 32 | sequence_low;
	pacer->n_presented++;
	free(feedback);
	wp_presentation_feedback_destroy(proxy);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *proxy)
{
	struct feedback *feedback = data;
	feedback->pacer->n_discarded++;
	free(feedback);
	wp_presentation_feedback_destroy(proxy);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};
struct pacer *pacer_create(struct fixture *fixture, int x, int y)
{
	struct pacer *pacer = xcalloc(1, sizeof(*pacer));
	pacer->fixture = fixture;
	pacer->peer = peer_create(fixture);
	pacer->window = peer_window_create(pacer->peer, x, y, 40, 40, 0xff808080);
	pacer->surface = pacer->window->surface;
	for (int i = 0; i < 3; i++) {
		pacer->buffers[i] = peer_buffer_create(pacer->peer, 40, 40, WL_SHM_FORMAT_XRGB8888);
	}
	pacer->presentation = peer_bind(pacer->peer, &wp_presentation_interface, 0);
	struct wp_fifo_manager_v1 *fifo = peer_bind(pacer->peer, &wp_fifo_manager_v1_interface, 0);
	pacer->fifo = wp_fifo_manager_v1_get_fifo(fifo, pacer->surface);
	struct wp_commit_timing_manager_v1 *timing =
		peer_bind(pacer->peer, &wp_commit_timing_manager_v1_interface, 0);
	pacer->timer = wp_commit_timing_manager_v1_get_timer(timing, pacer->surface);
	fixture_settle(fixture);
	return pacer;
}

void pacer_ask_callback(struct pacer *pacer)
{
	pacer->n_asked++;
	wl_callback_add_listener(wl_surface_frame(pacer->surface), &callback_listener, pacer);
}

void pacer_ask_feedback(struct pacer *pacer)
{
	struct feedback *feedback = xcalloc(1, sizeof(*feedback));
	*feedback = (struct feedback){.pacer = pacer, .committed = pacer_now(pacer)};
	wp_presentation_feedback_add_listener(
		wp_presentation_feedback(pacer->presentation, pacer->surface), &feedback_listener,
		feedback);
}

void pacer_draw(struct pacer *pacer)
{
	struct peer_buffer *buffer = pacer->buffers[pacer->next++ % 3];
	peer_buffer_fill(buffer, 0, 0, 40, 40, 0xff000000 | (uint32_t)pacer->next * 0x030507);
	peer_surface_show(pacer->surface, buffer);
}

struct surface *pacer_surface(struct pacer *pacer)
{
	return peer_surface_find(pacer->peer, pacer->surface);
}

void pacing_step(struct fixture *fixture, int64_t ns)
{
	clock_advance(fixture->clock, ns);
	fixture_pump(fixture);
}

void pacing_run_until(struct fixture *fixture, int64_t until)
{
	while (clock_now(fixture->clock) < until) {
		int64_t left = until - clock_now(fixture->clock);
		pacing_step(fixture, left < MS / 2 ? left : MS / 2);
	}
}

void pacer_hide(struct pacer *pacer)
{
	window_set_minimized(peer_window_find(pacer->window), true);
	fixture_settle(pacer->fixture);
}

struct pacer *pacer_create_full(struct fixture *fixture)
{
	struct pacer *pacer = pacer_create(fixture, 0, 0);
	window_request_fullscreen(peer_window_find(pacer->window), true, NULL);
	fixture_settle(fixture);
	for (int i = 0; i < 3; i++) {
		peer_buffer_destroy(pacer->buffers[i]);
		pacer->buffers[i] =
			peer_buffer_create(pacer->peer, 320, 240, WL_SHM_FORMAT_XRGB8888);
	}
	pacer_draw(pacer);
	fixture_settle(fixture);
	return pacer;
}

void pacing_set_rates(struct fixture *fixture, double all, double x)
{
	const struct throttle_rates rates = {.all = all, .x = x, .fifo = 30};
	throttle_set_rates(fixture->server->hidden, &rates);
}

void pacing_set_asleep(struct fixture *fixture, int i, bool asleep)
{
	struct output *output = fixture->server->scene->outputs[i]->output;
	output->asleep = asleep;
	signal_emit(&output->events.needs_frame, NULL);
}
