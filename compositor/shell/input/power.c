/* SPDX-License-Identifier: MIT */
/* Power of the outputs by an action: off until there is input. */

#include "action.h"
#include "input.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/** Time (ns) in which the rest of the input that powered the outputs off does not wake them. */
#define SETTLE INT64_C(300000000)
/** Time (ns) after input woke the outputs in which it does not toggle them as well. */
#define AWAKE INT64_C(1000000000)

struct power {
	struct shell *shell;
	bool dark; /* the user has powered the outputs off */
	int64_t tried; /* ns; when the outputs were last powered on or off by this; 0: never */
	struct wl_listener wake; /* while `dark` */
};

/* The release of the key that powered the outputs off does not count. */
static void handle_activity(struct wl_listener *listener, void *data)
{
	const struct power *power = wl_container_of(listener, power, wake);
	struct shell *shell = power->shell;
	if (!data && clock_now(shell->clock) - power->tried >= SETTLE) {
		shell_set_dark(shell, false);
	}
}

void shell_set_dark(struct shell *shell, bool dark)
{
	struct power *power = shell->private->power;
	const bool changes = power->dark != dark;
	if (!dark && !changes) {
		return;
	}
	power->dark = dark;
	power->tried = clock_now(shell->clock);
	/* A repeated request includes outputs that clients powered on. */
	shell->host->set_power(shell->host->data, !dark);
	if (dark && changes) {
		signal_add(&shell->seat->events.activity, &power->wake, handle_activity);
	} else if (changes) {
		wl_list_remove(&power->wake.link);
	}
}

bool shell_is_dark(const struct shell *shell)
{
	return shell->private->power->dark;
}

void shell_power_init(struct shell *shell)
{
	shell->private->power = xcalloc(1, sizeof(*shell->private->power));
	shell->private->power->shell = shell;
}

void shell_power_finish(struct shell *shell)
{
	struct power *power = shell->private->power;
	if (power->dark) {
		wl_list_remove(&power->wake.link);
	}
	free(shell->private->power);
}

static bool has_just_woken(const struct shell *shell)
{
	const struct power *power = shell->private->power;
	return !power->dark && power->tried && clock_now(shell->clock) - power->tried < AWAKE;
}

void action_dpms(struct shell *shell, const char *argument)
{
	const struct power *power = shell->private->power;
	const bool toggle = strcmp(argument, "toggle") == 0;
	const bool on = toggle ? power->dark : strcmp(argument, "on") == 0;
	if (toggle && has_just_woken(shell)) {
		return; /* by the key that toggles */
	}
	if (on && !power->dark) {
		shell->host->set_power(shell->host->data, true); /* of a client */
	}
	shell_set_dark(shell, !on);
}
