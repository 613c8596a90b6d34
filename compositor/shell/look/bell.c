/* SPDX-License-Identifier: MIT */
/* Visual bell: flashes the title bar of the focused window, and marks other windows urgent. */

#include "look.h"
#include "shell/geometry/private.h"
#include "util/xalloc.h"
#include <stdlib.h>

/** Duration (ns) of a flash, and from its start to that of the next one. */
#define FLASH INT64_C(150000000)
#define INTERVAL INT64_C(600000000)

struct bell {
	struct shell *shell;
	struct wl_listener before_unmap;
	struct timer timer; /* ends the flash */
	int64_t next; /* ns; earlier bells do not flash */
};

static void end_flash(struct shell *shell)
{
	struct window *window = shell->private->flashing;
	shell->private->flashing = NULL;
	decoration_update(window);
}

static void handle_end(struct timer *timer, int64_t now)
{
	const struct bell *bell = wl_container_of(timer, bell, timer);
	end_flash(bell->shell);
}

void window_ring(struct window *window)
{
	struct shell *shell = window->shell;
	struct bell *bell = shell->private->bell;
	int64_t now = clock_now(shell->clock);
	if (!window->mapped) {
		return;
	}
	if (shell->focus != window) {
		window_activate(window, false);
		return;
	}
	if (window->private->decorated && now >= bell->next) {
		if (shell->private->flashing && shell->private->flashing != window) {
			end_flash(shell);
		}
		shell->private->flashing = window;
		bell->next = now + INTERVAL;
		timer_arm(&bell->timer, now + FLASH);
		decoration_update(window);
	}
}

static void handle_before_unmap(struct wl_listener *listener, void *data)
{
	const struct bell *bell = wl_container_of(listener, bell, before_unmap);
	struct shell *shell = bell->shell;
	if (shell->private->flashing == data) {
		timer_disarm(&shell->private->bell->timer);
		end_flash(shell);
	}
}

void bell_init(struct shell *shell)
{
	struct bell *bell = xcalloc(1, sizeof(*bell));
	shell->private->bell = bell;
	bell->shell = shell;
	timer_init(&bell->timer, shell->clock, handle_end);
	signal_add(&shell->events.before_unmap, &bell->before_unmap, handle_before_unmap);
}

void bell_finish(struct shell *shell)
{
	struct bell *bell = shell->private->bell;
	timer_finish(&bell->timer);
	wl_list_remove(&bell->before_unmap.link);
	free(bell);
}
