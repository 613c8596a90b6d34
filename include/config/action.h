/* SPDX-License-Identifier: MIT */
#pragma once

/** Actions of keys, buttons, switches and causewayctl: the rows of config/actions.def. */

#include <stdbool.h>

enum config_argument {
#define ARGUMENT(kind, need, words, other) CONFIG_ARGUMENT_##kind,
#include "config/actions.def"
};

struct config_action_info {
	const char *name;
	enum config_argument argument;
};

/** A parsed action. Its strings are allocated. */
struct config_action {
	char *name, *argument; /* name NULL: none */
};

/** Returns all actions; the last has no name. */
const struct config_action_info *config_actions(void);
/** Returns the action of this name, or NULL. */
const struct config_action_info *config_action_find(const char *name);
/** Returns true for actions that may run in a locked session. */
bool config_action_may_be_locked(const char *action);
/** Returns true for actions that only the binding of a key can run. */
bool config_action_needs_key(const char *action);
/**
 * Parses "ACTION [ARGUMENT]" and replaces `action`, whose strings the caller frees; "none" clears
 * it. Returns NULL, or an error that the caller frees.
 */
char *config_set_action(struct config_action *action, const char *text);
