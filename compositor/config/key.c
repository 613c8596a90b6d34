/* SPDX-License-Identifier: MIT */
/* Key bindings of the configuration: combinations, actions and defaults. */

#include "parser.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	uint32_t modifier;
} modifiers[] = {
	{"Shift", CONFIG_SHIFT},
	{"Ctrl", CONFIG_CTRL},
	{"Control", CONFIG_CTRL},
	{"Alt", CONFIG_ALT},
	{"Super", CONFIG_SUPER},
	{"Logo", CONFIG_SUPER},
	{"Any", CONFIG_ANY},
};

static uint32_t find_modifier(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		if (strlen(modifiers[i].name) == length &&
			strncasecmp(modifiers[i].name, name, length) == 0) {
			return modifiers[i].modifier;
		}
	}
	return 0;
}

static bool has_command_modifier(const struct config_key *key)
{
	return key->modifiers & (CONFIG_SUPER | CONFIG_CTRL | CONFIG_ALT);
}

static char *parse_button(struct config_key *key)
{
	bool plain =
		key->button == BTN_LEFT || key->button == BTN_RIGHT || key->button == BTN_MIDDLE;
	bool wheel = (key->button & ~(uint32_t)CONFIG_DOWN) == CONFIG_WHEEL;
	if ((plain || wheel) && !has_command_modifier(key)) {
		return xstrdup("a wheel or a button that clicks must come with Super, Ctrl or Alt: "
			       "windows would not get it any more");
	}
	return NULL;
}

static char *parse_combination(const char *text, struct config_key *key)
{
	const char *plus;
	const char *rest = text;
	while ((plus = strchr(rest, '+'))) {
		uint32_t modifier = find_modifier(rest, (size_t)(plus - rest));
		if (!modifier) {
			return xasprintf("there is no modifier '%.*s'; it must be Super, Ctrl, "
					 "Alt, Shift or Any (the key + is called plus)",
				(int)(plus - rest), rest);
		}
		key->modifiers |= modifier;
		rest = plus + 1;
	}
	key->button = config_button_find(rest);
	if (key->button) {
		return parse_button(key);
	}
	key->sym = xkb_keysym_from_name(rest, XKB_KEYSYM_NO_FLAGS);
	if (key->sym == XKB_KEY_NoSymbol) {
		key->sym = xkb_keysym_from_name(rest, XKB_KEYSYM_CASE_INSENSITIVE);
	}
	if (key->sym == XKB_KEY_NoSymbol) {
		return xasprintf("there is no key '%s'; it must be the name of a keysym, such as "
				 "Return, a, 1, F1 or XF86AudioMute",
			rest);
	}
	key->sym = xkb_keysym_to_lower(key->sym);
	return NULL;
}

/*
 * Keys that type text need a modifier, except in a mode, which the user leaves again, and if the
 * focus gets them, too.
 */
static char *check_text_key(const struct config_key *key, const char *mode)
{
	const bool passed = key->action && config_action_needs_key(key->action);
	if (!mode && !passed && !key->button && !has_command_modifier(key) &&
		xkb_keysym_to_utf32(key->sym) >= ' ' && xkb_keysym_to_utf32(key->sym) != 0x7f) {
		return xstrdup("a key that types text must come with Super, Ctrl or Alt: it could "
			       "not be typed any more");
	}
	return NULL;
}

void config_key_destroy(struct config_key *key)
{
	wl_list_remove(&key->link);
	free(key->action);
	free(key->argument);
	free(key->place);
	free(key->mode);
	free(key);
}

static bool is_same_mode(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void unbind(struct config *config, const struct config_key *same, const char *mode)
{
	struct config_key *key, *next;
	wl_list_for_each_safe (key, next, &config->keys, link) {
		if (key->modifiers == same->modifiers && key->sym == same->sym &&
			key->button == same->button && is_same_mode(key->mode, mode) &&
			(key->release == same->release || !same->action)) {
			config_key_destroy(key);
		}
	}
}

bool config_key_is_reserved(uint32_t modifiers, xkb_keysym_t sym)
{
	return modifiers == (CONFIG_CTRL | CONFIG_ALT) &&
	       (sym == XKB_KEY_BackSpace || (sym >= XKB_KEY_F1 && sym <= XKB_KEY_F12));
}

bool config_key_suits(const struct config_key *key, uint32_t modifiers)
{
	const uint32_t wanted = key->modifiers & CONFIG_MODIFIERS,
		       held = modifiers & CONFIG_MODIFIERS;
	return key->modifiers & CONFIG_ANY ? (held & wanted) == wanted : held == wanted;
}

bool config_has_mode(const struct config *config, const char *name)
{
	if (strcmp(name, "default") == 0) {
		return true;
	}
	const struct config_key *key;
	wl_list_for_each (key, &config->keys, link) {
		if (key->mode && strcmp(key->mode, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Skips a word at the start of the text. Returns false if the text starts with another one. */
static bool take_word(const char **text, const char *word)
{
	size_t length = strcspn(*text, " \t");
	if (length != strlen(word) || strncmp(*text, word, length) != 0) {
		return false;
	}
	*text += length + strspn(*text + length, " \t");
	return true;
}

/* Sets the flags of [locked] [release] [repeat] ACTION. Returns the text after them. */
static const char *take_flags(const char *text, struct config_key *key)
{
	bool any = true;
	while (any) {
		bool locked = take_word(&text, "locked");
		bool release = take_word(&text, "release");
		bool repeat = take_word(&text, "repeat");
		key->locked = key->locked || locked;
		key->release = key->release || release;
		key->repeat = key->repeat || repeat;
		any = locked || release || repeat;
	}
	return text;
}

bool config_is_command(const char *action)
{
	struct config_key flags = {0};
	action = take_flags(action, &flags);
	return take_word(&action, "spawn");
}

/* [locked] [release] [repeat] ACTION [ARGUMENT] */
static char *parse_bound_action(const char *text, struct config_key *key)
{
	text = take_flags(text, key);
	if (key->release && (key->repeat || key->button >= CONFIG_WHEEL)) {
		return xstrdup("release works with keys and mouse buttons, and without repeat");
	}
	char *error = config_parse_action(text, &key->action, &key->argument);
	if (!error && config_action_needs_key(key->action) &&
		(key->release || key->repeat || key->button)) {
		error = xstrdup("the action pass works with keys, without release and repeat: the "
				"program gets the release, too");
		free(key->action);
		free(key->argument);
		return error;
	}
	if (error || !key->locked || config_action_may_be_locked(key->action)) {
		return error;
	}
	error = xasprintf(
		"the action %s cannot be locked; only spawn, quit, reload, switch-vt, dpms "
		"and magnify-... work in a locked session",
		key->action);
	free(key->action);
	free(key->argument);
	return error;
}

static bool is_locked_quit(const struct config_key *key)
{
	return key->sym == XKB_KEY_BackSpace && key->action && key->locked &&
	       !(key->modifiers & CONFIG_ANY) && strcmp(key->action, "quit") == 0;
}

char *config_bind(
	struct config *config, const char *combination, const char *action, const char *place)
{
	return config_bind_in(config, NULL, combination, action, place);
}

char *config_bind_in(struct config *config, const char *mode, const char *combination,
	const char *action, const char *place)
{
	struct config_key key = {0};
	char *error = parse_combination(combination, &key);
	if (error) {
		return error;
	}
	bool bound = strcmp(action, "none") != 0;
	error = bound ? parse_bound_action(action, &key) : NULL;
	if (error) {
		return error;
	}
	error = check_text_key(&key, mode);
	if (error) {
		free(key.action);
		free(key.argument);
		return error;
	}
	if (config_key_is_reserved(key.modifiers & CONFIG_MODIFIERS, key.sym) &&
		!is_locked_quit(&key)) {
		free(key.action);
		free(key.argument);
		return xstrdup("Ctrl+Alt with F1 to F12 or BackSpace is the way out of a session, "
			       "and cannot be bound (but Ctrl+Alt+BackSpace = locked quit)");
	}
	unbind(config, &key, mode);
	if (bound) {
		struct config_key *added = xcalloc(1, sizeof(*added));
		*added = key;
		added->place = place ? xstrdup(place) : NULL;
		added->mode = mode ? xstrdup(mode) : NULL;
		wl_list_insert(config->keys.prev, &added->link);
	}
	return NULL;
}

void config_forget_global_keys(struct config *config)
{
	struct config_key *key, *next;
	wl_list_for_each_safe (key, next, &config->xwayland.global_keys, link) {
		config_key_destroy(key);
	}
}

char *config_parse_global_keys(const char *text, struct config *config)
{
	char *copy = xstrdup(text), *rest = copy, *word, *error = NULL;
	config_forget_global_keys(config);
	while (!error && (word = strsep(&rest, " \t"))) {
		struct config_key key = {0};
		if (!*word || strcmp(word, "none") == 0) {
			continue;
		}
		error = parse_combination(word, &key);
		if (!error && key.button) {
			error = xstrdup("it must be a list of keys: buttons are not passed on");
		} else if (!error && wl_list_length(&config->xwayland.global_keys) ==
					     CONFIG_GLOBAL_KEYS_MAX) {
			error = xstrdup("it must be a list of at most 16 keys");
		}
		if (!error) {
			struct config_key *added = xcalloc(1, sizeof(*added));
			*added = key;
			wl_list_insert(config->xwayland.global_keys.prev, &added->link);
		}
	}
	free(copy);
	return error;
}

static void bind_default(struct config *config, const char *combination, const char *action)
{
	char *error = config_bind(config, combination, action, NULL);
	if (error) {
		abort(); /* the tables below are wrong */
	}
}

void config_bind_defaults(struct config *config)
{
	static const struct {
		const char *combination, *action;
	} table[] = {
		{"Super+Return", "spawn " CONFIG_TERMINAL},
		{"Super+D", "spawn " CONFIG_LAUNCHER},
		{"Super+F1", "help"},
		{"Super+Q", "close"},
		{"Super+F", "fullscreen"},
		{"Super+M", "maximize"},
		{"Super+H", "minimize"},
		{"Super+Shift+H", "restore"},
		{"Super+Tab", "cycle"},
		{"Super+Shift+Tab", "cycle-back"},
		{"Super+Left", "tile-left"},
		{"Super+Right", "tile-right"},
		{"Super+Shift+C", "reload"},
		{"Super+Shift+E", "quit"},
		{"Super+Escape", "toggle-shortcuts"},
		{"Super+Alt+Left", "focus left"},
		{"Super+Alt+Right", "focus right"},
		{"Super+Alt+Up", "focus up"},
		{"Super+Alt+Down", "focus down"},
		{"Super+Shift+Left", "move left"},
		{"Super+Shift+Right", "move right"},
		{"Super+Shift+Up", "move up"},
		{"Super+Shift+Down", "move down"},
		{"Super+comma", "join left"},
		{"Super+period", "join right"},
		{"Super+R", "width next"},
		{"Super+W", "toggle-tabbed"},
		{"Super+minus", "repeat resize narrower"},
		{"Super+equal", "repeat resize wider"},
		{"Super+Shift+minus", "repeat resize shorter"},
		{"Super+Shift+equal", "repeat resize taller"},
		{"Super+V", "toggle-floating"},
		{"Super+Shift+V", "focus-floating"},
		{"Super+T", "layout toggle"},
		{"Super+U", "focus-urgent"},
		{"Super+O", "overview"},
		{"Pinch4In", "overview"},
		{"Super+S", "scratchpad"},
		{"Super+Shift+S", "move-to-scratchpad"},
		{"Super+space", "next-keyboard-layout"},
		{"Super+Page_Down", "workspace-next"},
		{"Super+Page_Up", "workspace-previous"},
		{"Super+MouseWheelDown", "workspace-next"},
		{"Super+MouseWheelUp", "workspace-previous"},
		{"Swipe4Left", "focus right"},
		{"Swipe4Right", "focus left"},
		{"Swipe4Up", "workspace-next"},
		{"Swipe4Down", "workspace-previous"},
		{"Print", "screenshot output"},
		{"Shift+Print", "screenshot region"},
		{"Alt+Print", "screenshot window"},
		{"Super+grave", "workspace-back"},
		{"Super+Ctrl+Left", "focus-output left"},
		{"Super+Ctrl+Right", "focus-output right"},
		{"Super+Ctrl+Up", "focus-output up"},
		{"Super+Ctrl+Down", "focus-output down"},
		{"Super+Ctrl+Shift+Left", "move-to-output left"},
		{"Super+Ctrl+Shift+Right", "move-to-output right"},
		{"Super+Ctrl+Shift+Up", "move-to-output up"},
		{"Super+Ctrl+Shift+Down", "move-to-output down"},
		{"Super+Ctrl+equal", "locked repeat magnify-in"},
		{"Super+Ctrl+minus", "locked repeat magnify-out"},
		{"Super+Ctrl+0", "locked magnify-reset"},
		{"Super+Ctrl+MouseWheelUp", "locked magnify-in"},
		{"Super+Ctrl+MouseWheelDown", "locked magnify-out"},
		{"Super+L", "spawn swaylock -f"},
		{"XF86ScreenSaver", "spawn swaylock -f"},
		{"XF86AudioRaiseVolume",
			"locked spawn wpctl set-volume -l 1 @DEFAULT_AUDIO_SINK@ 5%+ || "
			"pactl set-sink-volume @DEFAULT_SINK@ +5%"},
		{"XF86AudioLowerVolume",
			"locked spawn wpctl set-volume @DEFAULT_AUDIO_SINK@ 5%- || "
			"pactl set-sink-volume @DEFAULT_SINK@ -5%"},
		{"XF86AudioMute", "locked spawn wpctl set-mute @DEFAULT_AUDIO_SINK@ toggle || "
				  "pactl set-sink-mute @DEFAULT_SINK@ toggle"},
		{"XF86AudioMicMute", "locked spawn wpctl set-mute @DEFAULT_AUDIO_SOURCE@ toggle || "
				     "pactl set-source-mute @DEFAULT_SOURCE@ toggle"},
		{"XF86AudioPlay", "locked spawn playerctl play-pause"},
		{"XF86AudioPause", "locked spawn playerctl pause"},
		{"XF86AudioStop", "locked spawn playerctl stop"},
		{"XF86AudioNext", "locked spawn playerctl next"},
		{"XF86AudioPrev", "locked spawn playerctl previous"},
		{"XF86MonBrightnessUp", "locked spawn brightnessctl set +5%"},
		{"XF86MonBrightnessDown", "locked spawn brightnessctl -n set 5%-"},
	};
	char combination[32], action[32];
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		bind_default(config, table[i].combination, table[i].action);
	}
	for (int i = 1; i <= 9; i++) {
		snprintf(combination, sizeof(combination), "Super+%d", i);
		snprintf(action, sizeof(action), "workspace %d", i);
		bind_default(config, combination, action);
		snprintf(combination, sizeof(combination), "Super+Shift+%d", i);
		snprintf(action, sizeof(action), "move-to-workspace %d", i);
		bind_default(config, combination, action);
	}
}
