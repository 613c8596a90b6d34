/* Locking the session: what hides it and takes input from it, whoever holds the lock. */

#include "internal.h"
#include "seat/seat.h"
#include "util/signal.h"

/* Trees that are not shown are not hit either: what is left to do is what began before. */
static void set_locked(struct shell *shell, bool locked)
{
	if (locked) {
		cycle_finish(shell);
		grab_cancel(shell);
	}
	/* A lock's fields are for hands alone: an input method would learn what is typed there. */
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
