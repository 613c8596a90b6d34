/* SPDX-License-Identifier: MIT */
/* Power of the outputs by an action: off until there is input. */

#include "internal.h"
#include "seat/seat.h"
#include <string.h>

/* The release of the key that powered the outputs off does not count. */
static void handle_activity(struct wl_listener *listener, void *data)
{
	struct shell *shell = wl_container_of(listener, shell, wake);
	if (!data) {
		shell_set_dark(shell, false);
	}
}

void shell_set_dark(struct shell *shell, bool dark)
{
	if (shell->dark == dark) {
		return;
	}
	shell->dark = dark;
	if (dark) {
		shell->wake.notify = handle_activity;
		wl_signal_add(&shell->seat->events.activity, &shell->wake);
	} else {
		wl_list_remove(&shell->wake.link);
	}
	shell->host->set_power(shell->host->data, !dark);
}

void shell_power_finish(struct shell *shell)
{
	if (shell->dark) {
		wl_list_remove(&shell->wake.link);
	}
}

void action_dpms(struct shell *shell, const char *argument)
{
	const bool on = strcmp(argument, "on") == 0;
	if (on && !shell->dark) {
		shell->host->set_power(shell->host->data, true); /* of a client */
	}
	shell_set_dark(shell, strcmp(argument, "toggle") == 0 ? !shell->dark : !on);
}
