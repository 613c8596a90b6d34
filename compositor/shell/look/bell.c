/* SPDX-License-Identifier: MIT */
/* Visual bell: flashes the title bar of the focused window, and marks other windows urgent. */

#include "look.h"
#include "shell/shell.h"

/** Duration (ns) of a flash, and from its start to that of the next one. */
#define FLASH INT64_C(150000000)
#define INTERVAL INT64_C(600000000)

static void end_flash(struct shell *shell)
{
	struct window *window = shell->bell.window;
	shell->bell.window = NULL;
	decoration_update(window);
}

static void handle_end(struct timer *timer, int64_t now)
{
	struct shell *shell = wl_container_of(timer, shell, bell.timer);
	end_flash(shell);
}

void window_ring(struct window *window)
{
	struct shell *shell = window->shell;
	int64_t now = clock_now(shell->clock);
	if (!window->mapped) {
		return;
	}
	if (shell->focus != window) {
		window_activate(window, false);
		return;
	}
	if (window->decorated && now >= shell->bell.next) {
		if (shell->bell.window && shell->bell.window != window) {
			end_flash(shell);
		}
		shell->bell.window = window;
		shell->bell.next = now + INTERVAL;
		timer_arm(&shell->bell.timer, now + FLASH);
		decoration_update(window);
	}
}

static void handle_before_unmap(struct wl_listener *listener, void *data)
{
	struct shell *shell = wl_container_of(listener, shell, bell.before_unmap);
	if (shell->bell.window == data) {
		timer_disarm(&shell->bell.timer);
		end_flash(shell);
	}
}

void bell_init(struct shell *shell)
{
	timer_init(&shell->bell.timer, shell->clock, handle_end);
	shell->bell.before_unmap.notify = handle_before_unmap;
	wl_signal_add(&shell->events.before_unmap, &shell->bell.before_unmap);
}

void bell_finish(struct shell *shell)
{
	timer_finish(&shell->bell.timer);
	wl_list_remove(&shell->bell.before_unmap.link);
}
