/* SPDX-License-Identifier: MIT */
/* Throttling of invisible surfaces, with wake-ups shared by all of them. */

#include "frame/throttle.h"
#include "surface/client.h"
#include "surface/surface.h"

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

static bool is_awake(const struct scene *scene)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (scene->outputs[i] && scene->outputs[i]->awake) {
			return true;
		}
	}
	return false;
}

static int64_t at_least(int64_t period, int64_t least)
{
	return period > 0 && period < least ? least : period;
}

/* Returns the time between the surface's callbacks, ns; 0: none. */
static int64_t find_period(const struct throttle *throttle, struct surface *surface)
{
	const int64_t rule = surface_root(surface)->rules.hidden_period;
	if (rule != 0) {
		return rule > 0 ? at_least(rule, throttle->least) : 0;
	}
	if (surface->client && surface->client->x_server && !throttle->locked &&
		is_awake(throttle->scene)) {
		return at_least(throttle->x_period, throttle->least);
	}
	return throttle->period;
}

/* Barriers clear at least as often as callbacks are sent. */
static int64_t find_fifo_period(const struct throttle *throttle, struct surface *surface)
{
	const int64_t period = find_period(throttle, surface);
	return period > 0 && period < throttle->fifo_period ? period : throttle->fifo_period;
}

/* Internal callbacks must be called even if clients get none. */
static bool may_call(int64_t period, const struct frame_callback *callback)
{
	return period > 0 || !callback->sends_event;
}

static bool has_callback(const struct surface *surface, int64_t period)
{
	const struct frame_callback *callback;
	wl_list_for_each (callback, &surface->current.frame_callbacks, link) {
		if (may_call(period, callback)) {
			return true;
		}
	}
	return false;
}

static void advance(int64_t *due, int64_t when)
{
	*due = *due == 0 || when < *due ? when : *due;
}

static void note_surface(struct throttle *throttle, struct scene_surface *content, int64_t now)
{
	struct surface *surface = content->surface;
	const int64_t period = find_period(throttle, surface);
	if (content->callback_due == 0 && has_callback(surface, period)) {
		content->callback_due = next_moment(now, period > 0 ? period : NS_PER_S);
	}
	if (content->callback_due != 0) {
		advance(&throttle->callbacks_due, content->callback_due);
	}
	if (content->barrier_due == 0 && surface->barrier) {
		content->barrier_due = next_moment(now, find_fifo_period(throttle, surface));
	}
	if (content->barrier_due != 0) {
		advance(&throttle->barriers_due, content->barrier_due);
	}
}

static void note_all(struct throttle *throttle)
{
	const int64_t now = clock_now(throttle->clock);
	struct scene_surface *content;
	throttle->callbacks_due = throttle->barriers_due = 0;
	wl_list_for_each (content, &throttle->scene->hidden, waiting_link) {
		content->callback_due = content->barrier_due = 0;
		note_surface(throttle, content, now);
	}
	arm(throttle);
}

static void handle_waits(struct wl_listener *listener, void *data)
{
	struct throttle *throttle = wl_container_of(listener, throttle, waits);
	struct scene_surface *content = data;
	if (content) {
		note_surface(throttle, content, clock_now(throttle->clock));
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

static void take_callbacks_of(
	const struct throttle *throttle, struct scene_surface *content, struct wl_list *callbacks)
{
	const int64_t period = find_period(throttle, content->surface);
	struct frame_callback *callback, *next;
	wl_list_for_each_safe (callback, next, &content->surface->current.frame_callbacks, link) {
		if (may_call(period, callback)) {
			wl_list_remove(&callback->link);
			wl_list_insert(callbacks->prev, &callback->link);
		}
	}
	if (!waits(content->surface)) {
		wl_list_remove(&content->waiting_link);
		wl_list_init(&content->waiting_link);
	}
}

static void take_callbacks(struct throttle *throttle, struct wl_list *callbacks, int64_t now)
{
	struct scene_surface *content, *next;
	throttle->callbacks_due = 0;
	wl_list_for_each_safe (content, next, &throttle->scene->hidden, waiting_link) {
		if (content->callback_due > now) {
			advance(&throttle->callbacks_due, content->callback_due);
		} else if (content->callback_due != 0) {
			content->callback_due = 0;
			take_callbacks_of(throttle, content, callbacks);
		}
	}
}

static void latch_barriers(struct throttle *throttle, int64_t now)
{
	struct wl_list latched;
	struct scene_surface *content, *next;
	wl_list_init(&latched);
	throttle->barriers_due = 0;
	wl_list_for_each_safe (content, next, &throttle->scene->hidden, waiting_link) {
		if (content->barrier_due > now) {
			advance(&throttle->barriers_due, content->barrier_due);
		} else if (content->barrier_due != 0) {
			wl_list_remove(&content->waiting_link);
			wl_list_insert(latched.prev, &content->waiting_link);
		}
	}
	/* Updates that apply now may set a barrier again, and return to the scene's list. */
	while (!wl_list_empty(&latched)) {
		content = wl_container_of(latched.next, content, waiting_link);
		wl_list_remove(&content->waiting_link);
		wl_list_init(&content->waiting_link);
		content->barrier_due = 0;
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
		take_callbacks(throttle, &callbacks, now);
	}
	if (throttle->barriers_due != 0 && throttle->barriers_due <= now) {
		latch_barriers(throttle, now);
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

/* Returns the time between two events, ns; 0: none. */
static int64_t period_of(double rate)
{
	return rate > 0 ? (int64_t)((double)NS_PER_S / rate) : 0;
}

void throttle_set_rates(struct throttle *throttle, const struct throttle_rates *rates)
{
	throttle->period = period_of(rates->all);
	throttle->x_period = period_of(rates->x);
	throttle->fifo_period = period_of(rates->fifo);
	throttle->least = period_of(rates->most);
	note_all(throttle);
}

void throttle_set_locked(struct throttle *throttle, bool locked)
{
	if (throttle->locked != locked) {
		throttle->locked = locked;
		note_all(throttle);
	}
}

bool throttle_sends(const struct throttle *throttle, struct surface *surface)
{
	return find_period(throttle, surface) > 0;
}
