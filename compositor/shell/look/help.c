/* SPDX-License-Identifier: MIT */
/* Help on the screen: the list of key bindings, the mode, and the first keys of a new user. */

#include "look.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Duration (ns) of the hint. */
#define WELCOME_TIME INT64_C(60000000000)
/** Columns of a combination, and bytes of an action. */
#define COLUMN 22
#define ACTION_MAX 60

static void write_combination(FILE *stream, const struct config_key *key)
{
	static const struct {
		uint32_t modifier;
		const char *name;
	} names[] = {{CONFIG_ANY, "Any+"}, {CONFIG_SUPER, "Super+"}, {CONFIG_CTRL, "Ctrl+"},
		{CONFIG_ALT, "Alt+"}, {CONFIG_SHIFT, "Shift+"}};
	char symbol[64] = "";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		fputs(key->modifiers & names[i].modifier ? names[i].name : "", stream);
	}
	if (key->button) {
		char name[CONFIG_BUTTON_NAME_SIZE];
		config_button_name(key->button, name);
		fputs(name, stream);
		return;
	}
	if (key->sym == XKB_KEY_Next || key->sym == XKB_KEY_Prior) {
		/* Keyboards and the configuration have names other than xkb's. */
		fputs(key->sym == XKB_KEY_Next ? "Page_Down" : "Page_Up", stream);
		return;
	}
	xkb_keysym_get_name(key->sym, symbol, sizeof(symbol));
	if (symbol[1] == '\0' && symbol[0] >= 'a' && symbol[0] <= 'z') {
		symbol[0] = (char)(symbol[0] - 'a' + 'A');
	}
	fputs(symbol, stream);
}

static char *combination_of(const struct config_key *key)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream) {
		abort(); /* out of memory, as in xmalloc() */
	}
	write_combination(stream, key);
	fclose(stream);
	return text;
}

/* Returns true for a binding of a digit to that number, such as Super+3 = workspace 3. */
static bool is_numbered(const struct config_key *key)
{
	return key->argument && key->sym >= XKB_KEY_1 && key->sym <= XKB_KEY_9 &&
	       key->argument[0] == (char)('1' + (key->sym - XKB_KEY_1)) && !key->argument[1];
}

/* Returns the last of the bindings that continue a numbered one, or the binding itself. */
static const struct config_key *last_of_series(
	const struct config *config, const struct config_key *first)
{
	const struct config_key *key, *last = first;
	wl_list_for_each (key, &config->keys, link) {
		if (is_numbered(key) && key->modifiers == first->modifiers &&
			strcmp(key->action, first->action) == 0 && key->sym == last->sym + 1) {
			last = key;
		}
	}
	return last;
}

static bool continues_series(const struct config *config, const struct config_key *key)
{
	const struct config_key *other;
	wl_list_for_each (other, &config->keys, link) {
		if (is_numbered(other) && other->modifiers == key->modifiers &&
			strcmp(other->action, key->action) == 0 && other->sym + 1 == key->sym) {
			return true;
		}
	}
	return false;
}

static void write_binding(FILE *stream, const struct config *config, const struct config_key *key)
{
	char *combination = combination_of(key);
	if (!is_numbered(key)) {
		fprintf(stream, "%-*s %s%s%.*s\n", COLUMN, combination, key->action,
			key->argument ? " " : "", ACTION_MAX, key->argument ? key->argument : "");
	} else if (!continues_series(config, key)) {
		const struct config_key *last = last_of_series(config, key);
		char *range = last == key ? xstrdup(combination)
					  : xasprintf("%s ... %s", combination, last->argument);
		fprintf(stream, "%-*s %s %s%s%s\n", COLUMN, range, key->action, key->argument,
			last == key ? "" : " ... ", last == key ? "" : last->argument);
		free(range);
	}
	free(combination);
}

char *help_bindings(const struct config *config)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream) {
		abort(); /* out of memory, as in xmalloc() */
	}
	const struct config_key *key;
	wl_list_for_each (key, &config->keys, link) {
		if (!key->mode) {
			write_binding(stream, config, key);
		}
	}
	fprintf(stream, "%-*s %s\n", COLUMN, "Escape", "close this list");
	fprintf(stream, "%-*s %s\n", COLUMN, "Ctrl+Alt+BackSpace", "quit");
	fprintf(stream, "%-*s %s", COLUMN, "Ctrl+Alt+F1 ... F12", "switch to another terminal");
	fclose(stream);
	return text;
}

bool help_key(struct shell *shell, xkb_keysym_t sym)
{
	if (sym != XKB_KEY_Escape || shell->locked ||
		!shell_message_text(shell, SHELL_MESSAGE_HELP)) {
		return false;
	}
	shell_hide_message(shell, SHELL_MESSAGE_HELP);
	return true;
}

void shell_toggle_help(struct shell *shell)
{
	if (shell_message_text(shell, SHELL_MESSAGE_HELP)) {
		shell_hide_message(shell, SHELL_MESSAGE_HELP);
		return;
	}
	char *text = help_bindings(shell->config);
	shell_show_message(shell, SHELL_MESSAGE_HELP, text, 0);
	free(text);
}

/* Returns the combination of the first binding of this action and command, or NULL. */
static char *find_combination(const struct config *config, const char *action, const char *argument)
{
	const struct config_key *key;
	wl_list_for_each (key, &config->keys, link) {
		if (strcmp(key->action, action) == 0 &&
			(!argument || strcmp(key->argument, argument) == 0)) {
			return combination_of(key);
		}
	}
	return NULL;
}

/* Returns the name of the mode, and the key that ends it. */
static char *describe_mode(const struct shell *shell)
{
	const struct config_key *key;
	wl_list_for_each (key, &shell->config->keys, link) {
		if (key->mode && strcmp(key->mode, shell->mode) == 0 &&
			strcmp(key->action, "mode") == 0 && strcmp(key->argument, "default") == 0) {
			char *keys = combination_of(key);
			char *text = xasprintf("mode %s (%s: end)", shell->mode, keys);
			free(keys);
			return text;
		}
	}
	return xasprintf("mode %s", shell->mode);
}

void shell_set_mode(struct shell *shell, const char *name)
{
	free(shell->mode);
	shell->mode = name ? xstrdup(name) : NULL;
	if (name) {
		char *text = describe_mode(shell);
		shell_show_message(shell, SHELL_MESSAGE_MODE, text, 0);
		free(text);
	} else {
		shell_hide_message(shell, SHELL_MESSAGE_MODE);
	}
	signal_emit(&shell->events.mode, NULL);
}

void shell_show_welcome(struct shell *shell)
{
	static const struct {
		const char *action, *argument, *what;
	} rows[] = {
		{"spawn", CONFIG_TERMINAL, "terminal"},
		{"spawn", CONFIG_LAUNCHER, "start a program"},
		{"help", NULL, "all keys"},
		{"quit", NULL, "end the session"},
	};
	char *text = xstrdup("Welcome to Causeway. There is no configuration file yet.\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *keys = find_combination(shell->config, rows[i].action, rows[i].argument);
		if (keys) {
			char *longer = xasprintf("%s\n%s: %s", text, keys, rows[i].what);
			free(text);
			text = longer;
		}
		free(keys);
	}
	shell_show_message(shell, SHELL_MESSAGE_SESSION, text, WELCOME_TIME);
	free(text);
}
