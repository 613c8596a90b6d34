/* SPDX-License-Identifier: MIT */
/*
 * GPU time of passes by GL_EXT_disjoint_timer_query, read when available. The queries are GLES 3's,
 * with a target of the extension; 32 bits of ns are four seconds, and truncated values are
 * discarded (llvmpipe's first query returns hours).
 */

#include "render/gles/gles_renderer.h"
#include <GLES2/gl2ext.h>

/*
 * A query and its result cost 13 to 18 us of CPU time (H200, 60 frames per second), more than a
 * small pass takes: after the first passes, one small pass in 13 is measured. A prime number, so
 * that each of several outputs in turn is.
 */
#define FIRST_PASSES 64
#define SAMPLE 13

void gles_timer_start(struct gles_renderer *renderer, uint64_t pass, bool small)
{
	struct gles_timer *timer = &renderer->timers[pass % GLES_TIMERS];
	renderer->timing =
		renderer->egl->has.timers && (!small || pass <= FIRST_PASSES || pass % SAMPLE == 0);
	if (!renderer->timing) {
		return;
	}
	if (timer->query == 0) {
		glGenQueries(1, &timer->query);
	}
	/* Forgets an unread result of the query. */
	timer->pass = pass;
	glBeginQuery(GL_TIME_ELAPSED_EXT, timer->query);
}

void gles_timer_stop(struct gles_renderer *renderer)
{
	if (renderer->timing) {
		glEndQuery(GL_TIME_ELAPSED_EXT);
	}
}

/* The device's clock was disjoint: pending results are invalid. */
static bool is_disjoint(struct gles_renderer *renderer)
{
	GLint disjoint = 0;
	glGetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
	for (int i = 0; disjoint && i < GLES_TIMERS; i++) {
		renderer->timers[i].pass = 0;
	}
	return disjoint;
}

int64_t gles_pass_time(struct renderer *base, uint64_t pass)
{
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	struct gles_timer *timer = &renderer->timers[pass % GLES_TIMERS];
	if (pass == 0 || timer->pass != pass || !gles_enter(renderer)) {
		return -1;
	}
	GLuint available = 0, ns = 0;
	glGetQueryObjectuiv(timer->query, GL_QUERY_RESULT_AVAILABLE, &available);
	if (!available) {
		return -1;
	}
	/* Checked after the result, so that it covers the measured time. */
	if (is_disjoint(renderer)) {
		return -1;
	}
	glGetQueryObjectuiv(timer->query, GL_QUERY_RESULT, &ns);
	return ns < UINT32_MAX ? (int64_t)ns : -1;
}

void gles_timers_finish(struct gles_renderer *renderer)
{
	for (int i = 0; i < GLES_TIMERS; i++) {
		if (renderer->timers[i].query != 0) {
			glDeleteQueries(1, &renderer->timers[i].query);
		}
	}
}
