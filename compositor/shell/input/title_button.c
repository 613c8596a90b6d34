/* SPDX-License-Identifier: MIT */
/* Presses on buttons of title bars, by pointer or touch. */

#include "input.h"
#include "press_grab.h"
#include "shell/look/look.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct button_press {
	struct press_grab grab;
	struct window *window; /* NULL: destroyed, or unmapped */
	enum config_button button;
	struct wl_listener unmap;
};

static bool is_over_button(const struct button_press *press)
{
	return press->window && title_bar_button_at(press->window, press->grab.at) == press->button;
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

static void handle_motion(struct press_grab *grab)
{
	const struct button_press *press = wl_container_of(grab, press, grab);
	show(press);
}

/* Ends the grab, which frees the press, and runs the action if the release was on the button. */
static void handle_release(struct press_grab *grab)
{
	const struct button_press *press = wl_container_of(grab, press, grab);
	struct window *window = is_over_button(press) ? press->window : NULL;
	enum config_button button = press->button;
	press_grab_end(grab);
	if (window) {
		struct shell *shell = window->shell;
		run(window, button);
		pointer_hover(shell);
	}
}

static void handle_end(struct press_grab *grab)
{
	struct button_press *press = wl_container_of(grab, press, grab);
	if (press->window) {
		title_bar_hover(press->window->shell, press->window, CONFIG_BUTTON_NONE, false);
	}
	wl_list_remove(&press->unmap.link);
	free(press);
}

static const struct press_grab_impl impl = {
	.motion = handle_motion,
	.release = handle_release,
	.end = handle_end,
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
	struct button_press *press = xcalloc(1, sizeof(*press));
	press_grab_init(&press->grab, &impl, window->shell->seat, event->touch, event->touch_id);
	press->window = window;
	press->button = title_bar_button_at(window, event->at);
	signal_add(&window->events.unmap, &press->unmap, handle_unmap);
	press_grab_start(&press->grab, NULL);
	show(press);
}
