/* SPDX-License-Identifier: MIT */
/*
 * Recovery of a locked session whose lock client has ended: instructions on screen, and restarts of
 * the configured locker.
 */

#include "session.h"
#include "shell/geometry/private.h"
#include "shell/input/action.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define SECOND INT64_C(1000000000)
/** A locker that ran this long is restarted immediately; ns. */
#define LONG_LIFE (60 * SECOND)

struct lock_lost {
	struct shell *shell;
	struct timer timer; /* restarts the locker */
	int64_t started, delay; /* ns */
};

static char *make_text(const struct shell *shell)
{
	const char *locker = shell->config->session.locker, *vt = getenv("XDG_VTNR");
	const char *display = shell->host->display ? shell->host->display : "wayland-1";
	char *again = locker ? xasprintf("It is being started again (%s).\n", locker) : xstrdup("");
	char *back = shell->host->has_vts && vt
			     ? xasprintf("Then come back with Ctrl+Alt+F%s. ", vt)
			     : xstrdup("");
	char *text = xasprintf(
		"The screen locker has ended, and the session stays locked.\n%s"
		"%s and run a locker:\n    WAYLAND_DISPLAY=%s %s &\n%sUnlock with that one.",
		again,
		shell->host->has_vts
			? "To get back in, switch to a text console (Ctrl+Alt+F3), log in"
			: "To get back in, open another terminal as the same user",
		display, locker ? locker : "swaylock", back);
	free(again);
	free(back);
	return text;
}

static void start(struct shell *shell, int64_t now)
{
	struct lock_lost *lost = shell->private->lock_lost;
	log_warn("starting the screen locker again: %s", shell->config->session.locker);
	shell_spawn(shell, shell->config->session.locker);
	lost->started = now;
	lost->delay = lost->delay == 0 ? SECOND : 2 * lost->delay;
	lost->delay = lost->delay < LONG_LIFE ? lost->delay : LONG_LIFE;
	/* Try again: it may end before it locks. */
	timer_arm(&lost->timer, now + lost->delay);
}

static void handle_timer(struct timer *timer, int64_t now)
{
	const struct lock_lost *lost = wl_container_of(timer, lost, timer);
	struct shell *shell = lost->shell;
	if (shell->config->session.locker) {
		start(shell, now);
	}
}

void shell_set_lock_lost(struct shell *shell, bool is_lost)
{
	struct lock_lost *lost = shell->private->lock_lost;
	int64_t now = clock_now(shell->clock);
	if (!is_lost) {
		timer_disarm(&lost->timer);
		shell_hide_message(shell, SHELL_MESSAGE_LOCK);
		return;
	}
	char *text = make_text(shell);
	shell_show_message(shell, SHELL_MESSAGE_LOCK, text, 0);
	free(text);
	if (!shell->config->session.locker) {
		return;
	}
	if (now - lost->started >= LONG_LIFE) {
		lost->delay = 0;
	}
	if (now >= lost->started + lost->delay) {
		start(shell, now);
	} else {
		timer_arm(&lost->timer, lost->started + lost->delay);
	}
}

void lock_lost_init(struct shell *shell)
{
	shell->private->lock_lost = xcalloc(1, sizeof(*shell->private->lock_lost));
	shell->private->lock_lost->shell = shell;
	shell->private->lock_lost->started = INT64_MIN / 2;
	timer_init(&shell->private->lock_lost->timer, shell->clock, handle_timer);
}

void lock_lost_finish(struct shell *shell)
{
	timer_finish(&shell->private->lock_lost->timer);
	free(shell->private->lock_lost);
}
