/* SPDX-License-Identifier: MIT */
/* Power of the outputs by an action: off until there is input. */

#include "action.h"
#include "input.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include <string.h>

/** Time (ns) in which the rest of the input that powered the outputs off does not wake them. */
#define SETTLE INT64_C(300000000)
/** Time (ns) after input woke the outputs in which it does not toggle them as well. */
#define AWAKE INT64_C(1000000000)

/* The release of the key that powered the outputs off does not count. */
static void handle_activity(struct wl_listener *listener, void *data)
{
	struct shell *shell = wl_container_of(listener, shell, wake);
	if (!data && clock_now(shell->clock) - shell->power_tried >= SETTLE) {
		shell_set_dark(shell, false);
	}
}

void shell_set_dark(struct shell *shell, bool dark)
{
	if (shell->dark == dark) {
		return;
	}
	shell->power_tried = clock_now(shell->clock);
	shell->host->set_power(shell->host->data, !dark);
	if (dark) {
		shell->wake.notify = handle_activity;
		wl_signal_add(&shell->seat->events.activity, &shell->wake);
	} else {
		wl_list_remove(&shell->wake.link);
	}
	shell->dark = dark;
}

void shell_power_finish(struct shell *shell)
{
	if (shell->dark) {
		wl_list_remove(&shell->wake.link);
	}
}

static bool has_just_woken(const struct shell *shell)
{
	return !shell->dark && shell->power_tried &&
	       clock_now(shell->clock) - shell->power_tried < AWAKE;
}

void action_dpms(struct shell *shell, const char *argument)
{
	const bool toggle = strcmp(argument, "toggle") == 0;
	const bool on = toggle ? shell->dark : strcmp(argument, "on") == 0;
	if (toggle && has_just_woken(shell)) {
		return; /* by the key that toggles */
	}
	if (on && !shell->dark) {
		shell->host->set_power(shell->host->data, true); /* of a client */
	}
	shell_set_dark(shell, !on);
}
