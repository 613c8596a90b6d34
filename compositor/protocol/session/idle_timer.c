/* SPDX-License-Identifier: MIT */
/* Timers for a time without user input, which visible inhibitors hold. */

#include "idle.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include <stdlib.h>

static bool is_inhibited(const struct idle_timer *self)
{
	return !self->input_only && self->idle->n_inhibiting > 0;
}

static void restart(struct idle_timer *self, int64_t now)
{
	self->since = now;
	if (!is_inhibited(self)) {
		timer_arm(&self->timer, now + self->timeout);
	}
}

/*
 * Activity only updates `since`; the timer is re-armed here, when it fires, rather than for each
 * pointer motion.
 */
static void handle_timer(struct timer *timer, int64_t now)
{
	struct idle_timer *self = wl_container_of(timer, self, timer);
	int64_t due = self->since + self->timeout;
	if (now < due) {
		timer_arm(timer, due);
		return;
	}
	self->idled = true;
	self->changed(self, true);
}

static void handle_activity(struct wl_listener *listener, void *data)
{
	struct idle *idle = wl_container_of(listener, idle, activity);
	int64_t now = clock_now(idle->protocols->server->clock);
	struct idle_timer *self;
	wl_list_for_each (self, &idle->timers, link) {
		self->since = now;
		if (self->idled) {
			self->idled = false;
			self->changed(self, false);
			restart(self, now);
		}
	}
}

void idle_update_inhibited(struct idle *idle)
{
	int64_t now = clock_now(idle->protocols->server->clock);
	struct idle_timer *self;
	wl_list_for_each (self, &idle->timers, link) {
		if (self->input_only || self->idled) {
			continue;
		}
		timer_disarm(&self->timer);
		restart(self, now);
	}
}

void idle_timer_init(struct idle_timer *self, struct idle *idle)
{
	self->idle = idle;
	timer_init(&self->timer, idle->protocols->server->clock, handle_timer);
	wl_list_init(&self->link);
}

void idle_timer_start(struct idle_timer *self)
{
	wl_list_insert(self->idle->timers.prev, &self->link);
	restart(self, clock_now(self->timer.clock));
}

void idle_timer_finish(struct idle_timer *self)
{
	timer_finish(&self->timer);
	wl_list_remove(&self->link);
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct idle *idle = wl_container_of(listener, idle, destroy);
	wl_list_remove(&idle->activity.link);
	wl_list_remove(&idle->new_window.link);
	wl_list_remove(&idle->destroy.link);
	free(idle);
}

void idle_create(struct protocols *protocols)
{
	struct idle *idle = xcalloc(1, sizeof(*idle));
	protocols->idle = idle;
	idle->protocols = protocols;
	wl_list_init(&idle->timers);
	wl_list_init(&idle->new_window.link);
	signal_add(&protocols->server->seat->events.activity, &idle->activity, handle_activity);
	signal_add(&protocols->events.destroy, &idle->destroy, handle_protocols_destroy);
}
