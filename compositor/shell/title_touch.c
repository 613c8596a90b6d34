/* SPDX-License-Identifier: MIT */
/* Touches of title bars: a drag moves the window, a long press opens its menu. */

#include "internal.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/** Duration of a long press, ns. */
#define LONG_PRESS INT64_C(500000000)
/** Distance from which a touch counts as a drag, logical pixels. */
#define THRESHOLD 8.0

struct title_touch {
	struct touch_grab grab;
	struct timer timer;
	struct window *window;
	struct wl_listener unmap;
	int32_t id;
	struct coord_global from;
};

static void handle_down(struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
}

static void handle_up(struct touch_grab *grab, int64_t time, int32_t id)
{
	const struct title_touch *touch = wl_container_of(grab, touch, grab);
	if (id == touch->id) {
		touch_end_grab(grab->seat);
	}
}

static void handle_motion(struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	const struct title_touch *touch = wl_container_of(grab, touch, grab);
	if (id != touch->id || hypot(at.x - touch->from.x, at.y - touch->from.y) < THRESHOLD) {
		return;
	}
	struct seat *seat = grab->seat;
	struct window *window = touch->window;
	touch_end_grab(seat);
	window_request_move(window, seat, true, id);
}

static void handle_end(struct touch_grab *grab)
{
	struct title_touch *touch = wl_container_of(grab, touch, grab);
	timer_finish(&touch->timer);
	wl_list_remove(&touch->unmap.link);
	free(touch);
}

static const struct touch_grab_impl impl = {
	.down = handle_down,
	.up = handle_up,
	.motion = handle_motion,
	.end = handle_end,
};

static void handle_long_press(struct timer *timer, int64_t now)
{
	const struct title_touch *touch = wl_container_of(timer, touch, timer);
	struct window *window = touch->window;
	const struct coord_global at = touch->from;
	touch_end_grab(touch->grab.seat);
	window_open_menu(window, at);
}

static void handle_unmap(struct wl_listener *listener, void *data)
{
	const struct title_touch *touch = wl_container_of(listener, touch, unmap);
	touch_end_grab(touch->grab.seat);
}

void title_touch_start(struct window *window, const struct seat_press *press)
{
	struct shell *shell = window->shell;
	struct title_touch *touch = xcalloc(1, sizeof(*touch));
	touch->grab.impl = &impl;
	touch->window = window;
	touch->id = press->touch_id;
	touch->from = press->at;
	touch->unmap.notify = handle_unmap;
	wl_signal_add(&window->events.unmap, &touch->unmap);
	timer_init(&touch->timer, shell->clock, handle_long_press);
	timer_arm(&touch->timer, clock_now(shell->clock) + LONG_PRESS);
	touch_start_grab(shell->seat, &touch->grab);
}
