/* What nobody can see goes on at its own low pace, all of it in the same wake-ups. */

#include "frame/hidden.h"

#define NS_PER_S INT64_C(1000000000)

/* The next moment of a grid that all clients share. */
static int64_t next_moment(int64_t now, int64_t period)
{
	return (now / period + 1) * period;
}

static void arm(struct hidden *hidden)
{
	int64_t when = hidden->callbacks_due;
	if (when == 0 || (hidden->barriers_due != 0 && hidden->barriers_due < when)) {
		when = hidden->barriers_due;
	}
	if (when == 0) {
		timer_disarm(&hidden->timer);
	} else if (!hidden->timer.armed || hidden->timer.when != when) {
		timer_arm(&hidden->timer, when);
	}
}

/* What clients are not told of is our own and has to go on, also where they are told nothing. */
static bool may_call(const struct hidden *hidden, const struct frame_callback *callback)
{
	return hidden->period > 0 || !callback->told;
}

static bool has_callback(const struct hidden *hidden, const struct surface *surface)
{
	const struct frame_callback *callback;
	wl_list_for_each (callback, &surface->current.frame_callbacks, link) {
		if (may_call(hidden, callback)) {
			return true;
		}
	}
	return false;
}

static void look_at(struct hidden *hidden, const struct surface *surface)
{
	int64_t now = clock_now(hidden->clock);
	if (hidden->callbacks_due == 0 && has_callback(hidden, surface)) {
		hidden->callbacks_due =
			next_moment(now, hidden->period > 0 ? hidden->period : NS_PER_S);
	}
	if (hidden->barriers_due == 0 && surface->barrier) {
		hidden->barriers_due = next_moment(now, hidden->fifo_period);
	}
}

static void look_at_all(struct hidden *hidden)
{
	struct scene_surface *content;
	wl_list_for_each (content, &hidden->scene->hidden, waiting_link) {
		look_at(hidden, content->surface);
	}
	arm(hidden);
}

static void handle_waits(struct wl_listener *listener, void *data)
{
	struct hidden *hidden = wl_container_of(listener, hidden, waits);
	const struct scene_surface *content = data;
	if (content) {
		look_at(hidden, content->surface);
	} else if (wl_list_empty(&hidden->scene->hidden)) {
		hidden->callbacks_due = hidden->barriers_due = 0;
	}
	arm(hidden);
}

/* Feedback stays: what was never shown is discarded when something newer comes. */
static bool waits(const struct surface *surface)
{
	return surface->barrier || !wl_list_empty(&surface->current.frame_callbacks) ||
	       !wl_list_empty(&surface->current.feedbacks);
}

static void take_callbacks(struct hidden *hidden, struct wl_list *callbacks)
{
	struct scene_surface *content, *next;
	wl_list_for_each_safe (content, next, &hidden->scene->hidden, waiting_link) {
		struct surface_state *state = &content->surface->current;
		struct frame_callback *callback, *after;
		wl_list_for_each_safe (callback, after, &state->frame_callbacks, link) {
			if (may_call(hidden, callback)) {
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

static void latch_barriers(struct hidden *hidden)
{
	struct wl_list latched;
	struct scene_surface *content, *next;
	wl_list_init(&latched);
	wl_list_for_each_safe (content, next, &hidden->scene->hidden, waiting_link) {
		if (content->surface->barrier) {
			wl_list_remove(&content->waiting_link);
			wl_list_insert(latched.prev, &content->waiting_link);
		}
	}
	/* What applies now may set a barrier again, and so be on the scene's list again. */
	while (!wl_list_empty(&latched)) {
		content = wl_container_of(latched.next, content, waiting_link);
		wl_list_remove(&content->waiting_link);
		wl_list_init(&content->waiting_link);
		surface_latch(content->surface);
		if (wl_list_empty(&content->waiting_link) && waits(content->surface)) {
			wl_list_insert(hidden->scene->hidden.prev, &content->waiting_link);
		}
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct hidden *hidden = wl_container_of(timer, hidden, timer);
	struct wl_list callbacks;
	wl_list_init(&callbacks);
	if (hidden->callbacks_due != 0 && hidden->callbacks_due <= now) {
		take_callbacks(hidden, &callbacks);
		hidden->callbacks_due = 0;
	}
	if (hidden->barriers_due != 0 && hidden->barriers_due <= now) {
		hidden->barriers_due = 0;
		latch_barriers(hidden);
	}
	/* A callback may destroy others (its client goes): always take the first. */
	while (!wl_list_empty(&callbacks)) {
		struct frame_callback *callback = wl_container_of(callbacks.next, callback, link);
		wl_list_remove(&callback->link);
		wl_list_init(&callback->link);
		callback->done(callback, clock_ms(now));
	}
	arm(hidden);
}

void hidden_init(struct hidden *hidden, struct scene *scene, struct clock *clock)
{
	*hidden = (struct hidden){.scene = scene, .clock = clock, .fifo_period = NS_PER_S / 30};
	timer_init(&hidden->timer, clock, handle_timer);
	hidden->waits.notify = handle_waits;
	wl_signal_add(&scene->events.hidden, &hidden->waits);
}

void hidden_finish(struct hidden *hidden)
{
	timer_finish(&hidden->timer);
	wl_list_remove(&hidden->waits.link);
}

void hidden_set_rates(struct hidden *hidden, double rate, double fifo_rate)
{
	hidden->period = rate > 0 ? (int64_t)((double)NS_PER_S / rate) : 0;
	hidden->fifo_period = (int64_t)((double)NS_PER_S / fifo_rate);
	hidden->callbacks_due = hidden->barriers_due = 0;
	look_at_all(hidden);
}
