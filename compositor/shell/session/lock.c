/* SPDX-License-Identifier: MIT */
/* Session lock: hides the session and takes its input, for any lock protocol. */

#include "seat/seat.h"
#include "session.h"
#include "shell/input/input.h"
#include "shell/look/look.h"
#include "shell/shell.h"
#include "shell/views/views.h"
#include "shell/windows/motion.h"
#include "shell/windows/windows.h"

/* Hides the session's trees, which also stops input to them, and ends grabs in progress. */
static void set_locked(struct shell *shell, bool locked)
{
	if (locked) {
		cycle_cancel(shell);
		menu_close(shell);
		overview_close(shell);
		quit_cancel(shell);
		signal_emit(&shell->events.interrupt, NULL);
		motions_end(shell);
		keyboard_end_passed(shell->seat);
		shell_set_mode(shell, NULL); /* its bindings would hide the locked ones of [keys] */
	}
	/* An input method would see the password typed into a lock surface. */
	seat_suspend_input_method(shell->seat, true);
	shell->locked = locked;
	for (int i = 0; i < SHELL_LAYER_COUNT; i++) {
		scene_node_set_enabled(&shell->layers[i]->node, locked == (i == SHELL_LOCK));
	}
	shell_update_background(shell);
	seat_interrupt(shell->seat);
	focus_update_keyboard(shell);
	seat_suspend_input_method(shell->seat, locked);
	signal_emit(&shell->events.lock, shell);
}

void shell_lock(struct shell *shell)
{
	if (!shell->locked) {
		set_locked(shell, true);
	}
}

void shell_unlock(struct shell *shell)
{
	if (shell->locked) {
		shell->lock_focus = NULL;
		shell_set_lock_lost(shell, false);
		set_locked(shell, false);
	}
}

void shell_set_lock_focus(struct shell *shell, struct surface *surface)
{
	shell->lock_focus = surface;
	focus_update_keyboard(shell);
}
