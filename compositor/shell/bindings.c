/* Key bindings: the keys of the configuration run actions. */

#include "internal.h"
#include "seat/seat.h"
#include <string.h>

#define MODIFIERS (CONFIG_SHIFT | CONFIG_CTRL | CONFIG_ALT | CONFIG_SUPER)

static bool handle_key(void *data, struct seat *seat, uint32_t modifiers, xkb_keysym_t sym,
	const struct input_key_event *event)
{
	struct shell *shell = data;
	if (!event->pressed) {
		return false;
	}
	const struct config_key *key;
	wl_list_for_each (key, &shell->config->keys, link) {
		if (shell->locked && strcmp(key->action, "switch-vt") != 0) {
			continue; /* it is the locker's */
		}
		if (key->sym == xkb_keysym_to_lower(sym) &&
			key->modifiers == (modifiers & MODIFIERS)) {
			/* The action may replace the configuration: the key is not touched
			 * after it. */
			shell_run_action(shell, key->action, key->argument);
			return true;
		}
	}
	return false;
}

void bindings_init(struct shell *shell)
{
	shell->seat->keyboard.filter = handle_key;
	shell->seat->keyboard.filter_data = shell;
}

void bindings_finish(struct shell *shell)
{
	shell->seat->keyboard.filter = NULL;
	shell->seat->keyboard.filter_data = NULL;
}
