/* SPDX-License-Identifier: MIT */
/* Push-to-talk: keys for programs without the focus, by bindings and by [xwayland] global-keys. */

#include "action.h"
#include "input.h"
#include "seat/seat.h"
#include "shell/window.h"
#include <fnmatch.h>

void pass_key(struct shell *shell, const char *pattern, const struct input_key_event *event)
{
	const struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (window->app_id && fnmatch(pattern, window->app_id, 0) == 0) {
			keyboard_pass(shell->seat, window->surface, event);
			return;
		}
	}
}

void pass_global_keys(struct shell *shell, uint32_t modifiers, xkb_keysym_t sym,
	const struct input_key_event *event)
{
	const struct config_key *key;
	if (shell->locked) {
		return;
	}
	wl_list_for_each (key, &shell->config->xwayland.global_keys, link) {
		if (key->sym == sym && config_key_suits(key, modifiers)) {
			keyboard_pass(shell->seat, NULL, event);
			return;
		}
	}
}

/* Bindings call pass_key() instead. Nothing else has a key to pass on. */
void action_pass(struct shell *shell, const char *argument)
{
}
