/* SPDX-License-Identifier: MIT */
/* Touches of title bars: a drag moves the window, a long press opens its menu. */

#include "input.h"
#include "press_grab.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/** Duration of a long press, ns. */
#define LONG_PRESS INT64_C(500000000)
/** Distance from which a touch counts as a drag, logical pixels. */
#define THRESHOLD 8.0

struct title_touch {
	struct press_grab grab;
	struct timer timer;
	struct window *window;
	struct wl_listener unmap;
	struct coord_global from;
};

static void handle_motion(struct press_grab *grab)
{
	const struct title_touch *touch = wl_container_of(grab, touch, grab);
	const int32_t id = grab->touch_id;
	if (hypot(grab->at.x - touch->from.x, grab->at.y - touch->from.y) < THRESHOLD) {
		return;
	}
	struct window *window = touch->window;
	press_grab_end(grab);
	window_request_move(window, window->shell->seat, true, id);
}

static void handle_end(struct press_grab *grab)
{
	struct title_touch *touch = wl_container_of(grab, touch, grab);
	timer_finish(&touch->timer);
	wl_list_remove(&touch->unmap.link);
	free(touch);
}

static const struct press_grab_impl impl = {
	.motion = handle_motion,
	.release = press_grab_end,
	.end = handle_end,
};

static void handle_long_press(struct timer *timer, int64_t now)
{
	struct title_touch *touch = wl_container_of(timer, touch, timer);
	struct window *window = touch->window;
	const struct coord_global at = touch->from;
	press_grab_end(&touch->grab);
	window_open_menu(window, at);
}

static void handle_unmap(struct wl_listener *listener, void *data)
{
	struct title_touch *touch = wl_container_of(listener, touch, unmap);
	press_grab_end(&touch->grab);
}

void title_touch_start(struct window *window, const struct seat_press *press)
{
	struct shell *shell = window->shell;
	struct title_touch *touch = xcalloc(1, sizeof(*touch));
	press_grab_init(&touch->grab, &impl, shell->seat, true, press->touch_id);
	touch->window = window;
	touch->from = press->at;
	signal_add(&window->events.unmap, &touch->unmap, handle_unmap);
	timer_init(&touch->timer, shell->clock, handle_long_press);
	timer_arm(&touch->timer, clock_now(shell->clock) + LONG_PRESS);
	press_grab_start(&touch->grab, NULL);
}
