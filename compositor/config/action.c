/* SPDX-License-Identifier: MIT */
/* Actions by name, and the check of their arguments. */

#include "config/action.h"
#include "parser.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *need; /* for errors */
	const char *words[9];
	const char *other; /* name of the text that is allowed, too */
} arguments[] = {
#define ARGUMENT(kind, need, words, other) {need, words, other},
#include "config/actions.def"
};

const struct config_action_info *config_actions(void)
{
	static const struct config_action_info actions[] = {
#define ACTION(name, function, argument, effect, details) {name, CONFIG_ARGUMENT_##argument},
#include "config/actions.def"
		{NULL},
	};
	return actions;
}

static const struct config_action_info *find(const char *name, size_t length)
{
	for (const struct config_action_info *info = config_actions(); info->name; info++) {
		if (info->name[0] == name[0] && strncmp(info->name, name, length) == 0 &&
			!info->name[length]) {
			return info;
		}
	}
	return NULL;
}

const struct config_action_info *config_action_find(const char *name)
{
	return find(name, strlen(name));
}

/* Allows only actions that are safe before authentication, or explicitly configured. */
bool config_action_may_be_locked(const char *action)
{
	static const char *const names[] = {"spawn", "quit", "reload", "switch-vt", "dpms",
		"magnify-in", "magnify-out", "magnify-reset"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], action) == 0) {
			return true;
		}
	}
	return false;
}

bool config_action_needs_key(const char *action)
{
	return strcmp(action, "pass") == 0;
}

static char *action_names(void)
{
	static const char *const names[] = {
		"none",
#define ACTION(name, function, argument, effect, details) name,
#include "config/actions.def"
		NULL,
	};
	return strings_join(names, ", ", ", ");
}

static bool is_argument(enum config_argument kind, const char *text)
{
	double percent;
	int32_t number;
	for (const char *const *word = arguments[kind].words; *word; word++) {
		if (strcmp(*word, text) == 0) {
			return true;
		}
	}
	switch (kind) {
	case CONFIG_ARGUMENT_GAP:
		text += *text == '+' || *text == '-';
		return config_parse_integer(text, 0, 200, &number);
	case CONFIG_ARGUMENT_NONE: return !*text;
	case CONFIG_ARGUMENT_NUMBER: return config_parse_integer(text, 1, 99, &number);
	case CONFIG_ARGUMENT_WIDTH: return config_parse_number(text, 5, 100, &percent);
	case CONFIG_ARGUMENT_WORKSPACE:
		return text[strspn(text, "0123456789")] ||
		       config_parse_integer(text, 1, 99, &number);
	default: return arguments[kind].other && *text;
	}
}

/* Returns NULL, or an error that the caller frees. */
static char *check_argument(const struct config_action_info *info, const char *argument)
{
	const enum config_argument kind = info->argument;
	if (is_argument(kind, argument)) {
		return NULL;
	}
	char *words = strings_join(arguments[kind].words, ", ", " or ");
	const bool listed = *words && !arguments[kind].other;
	char *error = xasprintf("the action %s %s %s%s%s", info->name,
		kind == CONFIG_ARGUMENT_NONE ? "takes" : "needs", arguments[kind].need,
		listed ? ": " : "", listed ? words : "");
	free(words);
	return error;
}

char *config_parse_action(const char *text, char **name, char **value)
{
	const size_t length = strcspn(text, " \t");
	const char *argument = text + length + strspn(text + length, " \t");
	const struct config_action_info *info = find(text, length);
	char *error = NULL;
	if (!info) {
		char *names = action_names();
		error = xasprintf(
			"there is no action '%.*s'; actions are %s", (int)length, text, names);
		free(names);
	} else {
		error = check_argument(info, argument);
	}
	if (!error) {
		*name = xstrdup(info->name);
		*value = *argument ? xstrdup(argument) : NULL;
	}
	return error;
}

char *config_set_action(struct config_action *action, const char *text)
{
	struct config_action parsed = {0};
	char *error = strcmp(text, "none") != 0
			      ? config_parse_action(text, &parsed.name, &parsed.argument)
			      : NULL;
	if (!error && parsed.name && config_action_needs_key(parsed.name)) {
		error = xasprintf("the action %s works with keys only", parsed.name);
		free(parsed.name);
		free(parsed.argument);
	}
	if (!error) {
		free(action->name);
		free(action->argument);
		*action = parsed;
	}
	return error;
}
