/* SPDX-License-Identifier: MIT */
/* Throttling of invisible surfaces, with wake-ups shared by all of them. */

#include "frame/throttle.h"

#define NS_PER_S INT64_C(1000000000)

/* Returns the next multiple of the period, so that all clients share the wake-ups. */
static int64_t next_moment(int64_t now, int64_t period)
{
	return (now / period + 1) * period;
}

static void arm(struct throttle *throttle)
{
	int64_t when = throttle->callbacks_due;
	if (when == 0 || (throttle->barriers_due != 0 && throttle->barriers_due < when)) {
		when = throttle->barriers_due;
	}
	if (when == 0) {
		timer_disarm(&throttle->timer);
	} else if (!throttle->timer.armed || throttle->timer.when != when) {
		timer_arm(&throttle->timer, when);
	}
}

/* Internal callbacks must be called even if clients get none. */
static bool may_call(const struct throttle *throttle, const struct frame_callback *callback)
{
	return throttle->period > 0 || !callback->sends_event;
}

static bool has_callback(const struct throttle *throttle, const struct surface *surface)
{
	const struct frame_callback *callback;
	wl_list_for_each (callback, &surface->current.frame_callbacks, link) {
		if (may_call(throttle, callback)) {
			return true;
		}
	}
	return false;
}

static void note_surface(struct throttle *throttle, const struct surface *surface)
{
	int64_t now = clock_now(throttle->clock);
	if (throttle->callbacks_due == 0 && has_callback(throttle, surface)) {
		throttle->callbacks_due =
			next_moment(now, throttle->period > 0 ? throttle->period : NS_PER_S);
	}
	if (throttle->barriers_due == 0 && surface->barrier) {
		throttle->barriers_due = next_moment(now, throttle->fifo_period);
	}
}

static void note_all(struct throttle *throttle)
{
	struct scene_surface *content;
	wl_list_for_each (content, &throttle->scene->hidden, waiting_link) {
		note_surface(throttle, content->surface);
	}
	arm(throttle);
}

static void handle_waits(struct wl_listener *listener, void *data)
{
	struct throttle *throttle = wl_container_of(listener, throttle, waits);
	const struct scene_surface *content = data;
	if (content) {
		note_surface(throttle, content->surface);
	} else if (wl_list_empty(&throttle->scene->hidden)) {
		throttle->callbacks_due = throttle->barriers_due = 0;
	}
	arm(throttle);
}

/* Feedback is kept: it is discarded when a newer update supersedes it. */
static bool waits(const struct surface *surface)
{
	return surface->barrier || !wl_list_empty(&surface->current.frame_callbacks) ||
	       !wl_list_empty(&surface->current.feedbacks);
}

static void take_callbacks(struct throttle *throttle, struct wl_list *callbacks)
{
	struct scene_surface *content, *next;
	wl_list_for_each_safe (content, next, &throttle->scene->hidden, waiting_link) {
		struct surface_state *state = &content->surface->current;
		struct frame_callback *callback, *after;
		wl_list_for_each_safe (callback, after, &state->frame_callbacks, link) {
			if (may_call(throttle, callback)) {
				wl_list_remove(&callback->link);
				wl_list_insert(callbacks->prev, &callback->link);
			}
		}
		if (!waits(content->surface)) {
			wl_list_remove(&content->waiting_link);
			wl_list_init(&content->waiting_link);
		}
	}
}

static void latch_barriers(struct throttle *throttle)
{
	struct wl_list latched;
	struct scene_surface *content, *next;
	wl_list_init(&latched);
	wl_list_for_each_safe (content, next, &throttle->scene->hidden, waiting_link) {
		if (content->surface->barrier) {
			wl_list_remove(&content->waiting_link);
			wl_list_insert(latched.prev, &content->waiting_link);
		}
	}
	/* Updates that apply now may set a barrier again, and return to the scene's list. */
	while (!wl_list_empty(&latched)) {
		content = wl_container_of(latched.next, content, waiting_link);
		wl_list_remove(&content->waiting_link);
		wl_list_init(&content->waiting_link);
		surface_latch(content->surface);
		if (wl_list_empty(&content->waiting_link) && waits(content->surface)) {
			wl_list_insert(throttle->scene->hidden.prev, &content->waiting_link);
		}
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct throttle *throttle = wl_container_of(timer, throttle, timer);
	struct wl_list callbacks;
	wl_list_init(&callbacks);
	if (throttle->callbacks_due != 0 && throttle->callbacks_due <= now) {
		take_callbacks(throttle, &callbacks);
		throttle->callbacks_due = 0;
	}
	if (throttle->barriers_due != 0 && throttle->barriers_due <= now) {
		throttle->barriers_due = 0;
		latch_barriers(throttle);
	}
	frame_callbacks_send(&callbacks, clock_ms(now));
	arm(throttle);
}

void throttle_init(struct throttle *throttle, struct scene *scene, struct clock *clock)
{
	*throttle = (struct throttle){.scene = scene, .clock = clock, .fifo_period = NS_PER_S / 30};
	timer_init(&throttle->timer, clock, handle_timer);
	signal_add(&scene->events.hidden, &throttle->waits, handle_waits);
}

void throttle_finish(struct throttle *throttle)
{
	timer_finish(&throttle->timer);
	wl_list_remove(&throttle->waits.link);
}

void throttle_set_rates(struct throttle *throttle, double rate, double fifo_rate)
{
	throttle->period = rate > 0 ? (int64_t)((double)NS_PER_S / rate) : 0;
	throttle->fifo_period = (int64_t)((double)NS_PER_S / fifo_rate);
	throttle->callbacks_due = throttle->barriers_due = 0;
	note_all(throttle);
}
