/* SPDX-License-Identifier: MIT */
/*
 * Retries of failed imports and uploads: memory or descriptors may be short for a while, and nobody
 * may draw the window again. A timer runs only while pixels are missing that are visible.
 */

#include "content/device.h"
#include "internal.h"

/* Time (ns) before the first retry. Each further one waits twice as long, at most MOST_NS. */
#define FIRST_NS INT64_C(1000000000)
#define MOST_NS INT64_C(30000000000)
/* Retries after which the time is MOST_NS. */
#define DOUBLINGS 5

void content_retry_arm(struct content_retry *retry, struct clock *clock,
	void (*fire)(struct timer *timer, int64_t now))
{
	if (!clock || retry->timer.armed) {
		return;
	}
	if (!retry->timer.clock) {
		timer_init(&retry->timer, clock, fire);
	}
	const int64_t wait = retry->n < DOUBLINGS ? FIRST_NS << retry->n : MOST_NS;
	retry->n += retry->n < DOUBLINGS;
	timer_arm(&retry->timer, clock_now(clock) + wait);
}

void content_retry_finish(struct content_retry *retry)
{
	if (retry->timer.clock) {
		timer_finish(&retry->timer);
	}
}

/* The next frame that shows the surface prepares the content again. */
static void handle_content(struct timer *timer, int64_t now)
{
	struct content *content = wl_container_of(timer, content, retry.timer);
	const struct surface_state *state = &content->surface->current;
	struct scene_surface *node = scene_surface_find(content->surface);
	if (node) {
		pixman_region32_t all;
		pixman_region32_init_rect(
			&all, 0, 0, (unsigned)state->buffer_width, (unsigned)state->buffer_height);
		scene_surface_damage(node, &all);
		pixman_region32_fini(&all);
	}
}

void content_retry_later(struct content *content)
{
	content_retry_arm(&content->retry, content->device->clock, handle_content);
}

void content_retry_end(struct content_retry *retry)
{
	if (retry->timer.armed) {
		timer_disarm(&retry->timer);
	}
	retry->n = 0;
}
