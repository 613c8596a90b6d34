/* SPDX-License-Identifier: MIT */
/* Presses on buttons of title bars, by pointer or touch. */

#include "internal.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct button_press {
	struct pointer_grab pointer;
	struct touch_grab touch;
	bool by_touch;
	int32_t touch_id;
	struct coord_global at; /* of the touch */
	struct seat *seat;
	struct window *window; /* NULL: destroyed, or unmapped */
	enum config_button button;
	struct wl_listener unmap;
};

static bool is_over_button(const struct button_press *press)
{
	struct coord_global at = press->by_touch ? press->at : press->seat->pointer.at;
	return press->window && title_bar_button_at(press->window, at) == press->button;
}

static void show(const struct button_press *press)
{
	if (press->window) {
		title_bar_hover(press->window->shell, press->window,
			is_over_button(press) ? press->button : CONFIG_BUTTON_NONE, true);
	}
}

static void run(struct window *window, enum config_button button)
{
	switch (button) {
	case CONFIG_BUTTON_NONE: break;
	case CONFIG_BUTTON_MINIMIZE: window_request_minimize(window); break;
	case CONFIG_BUTTON_MAXIMIZE:
		window_request_maximize(window, !(window->states & WINDOW_MAXIMIZED));
		break;
	case CONFIG_BUTTON_CLOSE: window_close(window); break;
	}
}

/* Ends the grab, which frees the press, and runs the action if the release was on the button. */
static void release(struct button_press *press)
{
	struct window *window = is_over_button(press) ? press->window : NULL;
	enum config_button button = press->button;
	if (press->by_touch) {
		touch_end_grab(press->seat);
	} else {
		pointer_end_grab(press->seat);
	}
	if (window) {
		struct shell *shell = window->shell;
		run(window, button);
		pointer_hover(shell);
	}
}

static void finish(struct button_press *press)
{
	if (press->window) {
		title_bar_hover(press->window->shell, press->window, CONFIG_BUTTON_NONE, false);
	}
	wl_list_remove(&press->unmap.link);
	free(press);
}

static void handle_motion(struct pointer_grab *grab, int64_t time)
{
	struct button_press *press = wl_container_of(grab, press, pointer);
	show(press);
}

static void handle_button(struct pointer_grab *grab, const struct input_button_event *event)
{
	struct button_press *press = wl_container_of(grab, press, pointer);
	if (!event->pressed && press->seat->pointer.n_buttons == 0) {
		release(press);
	}
}

static void handle_pointer_end(struct pointer_grab *grab)
{
	struct button_press *press = wl_container_of(grab, press, pointer);
	finish(press);
}

static const struct pointer_grab_impl pointer_impl = {
	.motion = handle_motion,
	.button = handle_button,
	.end = handle_pointer_end,
};

static void handle_touch_down(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
}

static void handle_touch_up(struct touch_grab *grab, int64_t time, int32_t id)
{
	struct button_press *press = wl_container_of(grab, press, touch);
	if (id == press->touch_id) {
		release(press);
	}
}

static void handle_touch_motion(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	struct button_press *press = wl_container_of(grab, press, touch);
	if (id == press->touch_id) {
		press->at = at;
		show(press);
	}
}

static void handle_touch_end(struct touch_grab *grab)
{
	struct button_press *press = wl_container_of(grab, press, touch);
	finish(press);
}

static const struct touch_grab_impl touch_impl = {
	.down = handle_touch_down,
	.up = handle_touch_up,
	.motion = handle_touch_motion,
	.end = handle_touch_end,
};

static void handle_unmap(struct wl_listener *listener, void *data)
{
	struct button_press *press = wl_container_of(listener, press, unmap);
	title_bar_hover(press->window->shell, press->window, CONFIG_BUTTON_NONE, false);
	press->window = NULL;
	wl_list_remove(&press->unmap.link);
	wl_list_init(&press->unmap.link);
}

void title_button_press(struct window *window, const struct seat_press *event)
{
	struct seat *seat = window->shell->seat;
	struct button_press *press = xcalloc(1, sizeof(*press));
	press->pointer.impl = &pointer_impl;
	press->touch.impl = &touch_impl;
	press->by_touch = event->touch;
	press->touch_id = event->touch_id;
	press->at = event->at;
	press->seat = seat;
	press->window = window;
	press->button = title_bar_button_at(window, event->at);
	press->unmap.notify = handle_unmap;
	wl_signal_add(&window->events.unmap, &press->unmap);
	if (press->by_touch) {
		touch_start_grab(seat, &press->touch);
	} else {
		pointer_start_grab(seat, &press->pointer);
	}
	show(press);
}
