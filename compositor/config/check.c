/* SPDX-License-Identifier: MIT */
/*
 * Configuration warnings: well-formed settings without effect. Overlapping outputs, bindings that
 * no key press matches, missing workspaces, xkb names that the rules lack.
 */

#include "parser.h"
#include "util/box.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void warn(char **warnings, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	char *joined = *warnings ? xasprintf("%s\n%s", *warnings, text) : xstrdup(text);
	free(*warnings);
	*warnings = joined;
}

/* Outputs */

/*
 * Computes the area of an output. Returns false without a position in the section. Without a mode,
 * the area is one pixel.
 */
static bool section_box(const struct config_output *output, struct box *box)
{
	if (!output->enabled || !output->has_position) {
		return false;
	}
	double scale = output->has_scale ? output->scale : 1;
	double width = output->has_mode ? output->width / scale : 1;
	double height = output->has_mode ? output->height / scale : 1;
	bool turned = output->has_transform && (output->transform & WL_OUTPUT_TRANSFORM_90);
	*box = (struct box){
		.x = output->x,
		.y = output->y,
		.width = (int)fmax(1, round(turned ? height : width)),
		.height = (int)fmax(1, round(turned ? width : height)),
	};
	return true;
}

char *config_find_overlaps(const struct config *config)
{
	char *warnings = NULL;
	const struct config_output *a, *b;
	wl_list_for_each (a, &config->outputs, link) {
		struct box first, second, common;
		if (!section_box(a, &first)) {
			continue;
		}
		for (const struct wl_list *at = a->link.next; at != &config->outputs;
			at = at->next) {
			b = wl_container_of(at, b, link);
			if (section_box(b, &second) && box_intersect(&common, &first, &second)) {
				warn(&warnings,
					"%s: [output %s] and [output %s] overlap at %d,%d; "
					"positions are in logical pixels (the mode divided by the "
					"scale)",
					config->path, a->name, b->name, common.x, common.y);
			}
		}
	}
	return warnings;
}

/* Workspaces and modes */

/* Returns true if the name is a number beyond the limit. Longer numbers are plain names. */
static bool is_missing(const struct config *config, const char *name)
{
	const size_t length = strlen(name);
	return length <= 2 && strspn(name, "0123456789") == length && *name != '0' &&
	       strtol(name, NULL, 10) > config->look.workspaces;
}

static bool takes_workspace(const char *action)
{
	const struct config_action_info *info = config_action_find(action);
	return info && info->argument == CONFIG_ARGUMENT_WORKSPACE;
}

static void warn_missing(
	const struct config *config, const char *place, const char *name, char **warnings)
{
	warn(warnings, "%s: there is no workspace %s; [look] workspaces = %d, and may be up to 32",
		place, name, config->look.workspaces);
}

static void check_action(const struct config *config, const char *place, const char *action,
	const char *argument, char **warnings)
{
	if (action && argument && takes_workspace(action) && is_missing(config, argument)) {
		warn_missing(config, place, argument, warnings);
	} else if (action && argument && strcmp(action, "mode") == 0 &&
		   !config_has_mode(config, argument)) {
		warn(warnings, "%s: there is no [mode %s] with bindings", place, argument);
	}
}

static void check_actions(const struct config *config, char **warnings)
{
	const struct config_switches *switches = &config->switches;
	const struct {
		const char *name;
		const struct config_action *action;
	} actions[] = {
		{"lid-closed", &switches->lid_closed},
		{"lid-opened", &switches->lid_opened},
		{"tablet-mode-on", &switches->tablet_mode_on},
		{"tablet-mode-off", &switches->tablet_mode_off},
	};
	const struct config_key *key;
	wl_list_for_each (key, &config->keys, link) {
		if (key->place) {
			check_action(config, key->place, key->action, key->argument, warnings);
		}
	}
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		const struct config_action *action = actions[i].action;
		char *place = xasprintf("%s: switches.%s", config->path, actions[i].name);
		check_action(config, place, action->name, action->argument, warnings);
		free(place);
	}
}

static void check_windows(const struct config *config, char **warnings)
{
	const struct config_window *window;
	wl_list_for_each (window, &config->windows, link) {
		if (window->workspace && is_missing(config, window->workspace)) {
			warn_missing(config, window->workspace_place, window->workspace, warnings);
		}
	}
}

/* Keys */

#define KEYMAPS_MAX 16

/** The configuration's keymaps, each compiled once. */
struct keymaps {
	struct xkb_keymap *list[KEYMAPS_MAX];
	int n;
};

/** Keys that type a symbol, and the symbol to bind them by. */
struct finding {
	bool unshifted, other_level;
	bool shift; /* the other level is the one of Shift */
	xkb_keysym_t name;
};

static void look_at_key(
	struct xkb_keymap *keymap, xkb_keycode_t code, xkb_keysym_t wanted, struct finding *finding)
{
	xkb_layout_index_t n_layouts = xkb_keymap_num_layouts_for_key(keymap, code);
	for (xkb_layout_index_t layout = 0; layout < n_layouts; layout++) {
		xkb_level_index_t n = xkb_keymap_num_levels_for_key(keymap, code, layout);
		const xkb_keysym_t *first;
		if (n == 0 ||
			xkb_keymap_key_get_syms_by_level(keymap, code, layout, 0, &first) <= 0) {
			continue;
		}
		for (xkb_level_index_t level = 0; level < n; level++) {
			const xkb_keysym_t *symbols;
			int count = xkb_keymap_key_get_syms_by_level(
				keymap, code, layout, level, &symbols);
			if (count <= 0 || xkb_keysym_to_lower(symbols[0]) != wanted) {
				continue;
			}
			if (level == 0) {
				finding->unshifted = true;
			} else if (!finding->other_level) {
				finding->other_level = true;
				finding->shift = level == 1;
				finding->name = xkb_keysym_to_lower(first[0]);
			}
		}
	}
}

static struct finding find_symbol(const struct keymaps *keymaps, xkb_keysym_t wanted)
{
	struct finding finding = {0};
	/* Digits and Latin letters also match by key position: see seat/shortcut.c. */
	finding.unshifted = (wanted >= XKB_KEY_0 && wanted <= XKB_KEY_9) ||
			    (wanted >= XKB_KEY_a && wanted <= XKB_KEY_z);
	for (int i = 0; i < keymaps->n; i++) {
		struct xkb_keymap *keymap = keymaps->list[i];
		xkb_keycode_t last = xkb_keymap_max_keycode(keymap);
		for (xkb_keycode_t code = xkb_keymap_min_keycode(keymap); code <= last; code++) {
			look_at_key(keymap, code, wanted, &finding);
		}
	}
	return finding;
}

static void combination(char *text, size_t size, uint32_t modifiers, xkb_keysym_t sym)
{
	char name[64];
	xkb_keysym_get_name(sym, name, sizeof(name));
	snprintf(text, size, "%s%s%s%s%s%s", modifiers & CONFIG_ANY ? "Any+" : "",
		modifiers & CONFIG_SUPER ? "Super+" : "", modifiers & CONFIG_CTRL ? "Ctrl+" : "",
		modifiers & CONFIG_ALT ? "Alt+" : "", modifiers & CONFIG_SHIFT ? "Shift+" : "",
		name);
}

static void check_keys(const struct config *config, const struct keymaps *keymaps, char **warnings)
{
	const struct config_key *key;
	wl_list_for_each (key, &config->keys, link) {
		if (!key->place || key->button || keymaps->n == 0) {
			continue;
		}
		struct finding finding = find_symbol(keymaps, key->sym);
		if (finding.unshifted) {
			continue;
		}
		char right[128];
		combination(right, sizeof(right),
			key->modifiers | (finding.shift ? (uint32_t)CONFIG_SHIFT : 0),
			finding.name);
		if (finding.other_level) {
			warn(warnings,
				"%s: this never fires, because a key is named by its symbol "
				"without modifiers; write %s",
				key->place, right);
		} else {
			warn(warnings, "%s: this never fires: no key of the layout has this symbol",
				key->place);
		}
	}
}

/* xkb */

/** Destination of xkb's messages, and the section that they are about. */
struct complaint {
	const struct config *config;
	const char *section;
	char **warnings;
};

__attribute__((format(printf, 3, 0))) static void handle_xkb_log(struct xkb_context *context,
	enum xkb_log_level level, const char *format, va_list arguments)
{
	static const char start[] = "Unrecognized RMLVO ";
	const struct complaint *complaint = xkb_context_get_user_data(context);
	char line[256], kind[16], name[128];
	vsnprintf(line, sizeof(line), format, arguments);
	const char *found = strstr(line, start);
	if (found && sscanf(found + strlen(start), "%15s \"%127[^\"]", kind, name) == 2) {
		warn(complaint->warnings,
			"%s: %s: xkb has no %s '%s'; `man xkeyboard-config` lists them",
			complaint->config->path, complaint->section, kind, name);
	}
}

/* Returns true if the file contains the word. */
static bool has_word(const char *path, const char *word)
{
	FILE *file = fopen(path, "re");
	char line[1024];
	bool found = false;
	while (file && !found && fgets(line, sizeof(line), file)) {
		char *rest = NULL;
		for (char *part = strtok_r(line, " \t\n", &rest); part && !found;
			part = strtok_r(NULL, " \t\n", &rest)) {
			found = strcmp(part, word) == 0;
		}
	}
	if (file) {
		fclose(file);
	}
	return found;
}

/* Searches the lists of the rules: the rules accept unknown models silently. */
static bool knows_model(struct xkb_context *context, const char *rules, const char *model)
{
	static const char *const ends[] = {"", ".lst"};
	unsigned n = xkb_context_num_include_paths(context);
	bool readable = false;
	for (unsigned i = 0; i < n; i++) {
		for (size_t j = 0; j < sizeof(ends) / sizeof(ends[0]); j++) {
			char *path =
				xasprintf("%s/rules/%s%s", xkb_context_include_path_get(context, i),
					rules ? rules : "evdev", ends[j]);
			FILE *file = fopen(path, "re");
			readable |= file && j == 1;
			if (file) {
				fclose(file);
			}
			bool found = has_word(path, model);
			free(path);
			if (found) {
				return true;
			}
		}
	}
	return !readable;
}

static void check_keyboard(const struct config *config, const struct config_keyboard *keyboard,
	const char *section, struct keymaps *keymaps, char **warnings)
{
	struct complaint complaint = {config, section, warnings};
	struct xkb_context *context = xkb_context_new(XKB_CONTEXT_NO_FLAGS);
	if (!context) {
		return;
	}
	xkb_context_set_user_data(context, &complaint);
	xkb_context_set_log_fn(context, handle_xkb_log);
	struct xkb_rule_names names = {
		.rules = keyboard->rules,
		.model = keyboard->model,
		.layout = keyboard->layout,
		.variant = keyboard->variant,
		.options = keyboard->options,
	};
	if (keyboard->model && *keyboard->model &&
		!knows_model(context, keyboard->rules, keyboard->model)) {
		warn(warnings, "%s: %s: xkb has no model '%s'; `man xkeyboard-config` lists them",
			config->path, section, keyboard->model);
	}
	struct xkb_keymap *keymap =
		xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS);
	if (keymap && keymaps->n < KEYMAPS_MAX) {
		keymaps->list[keymaps->n++] = keymap;
	} else {
		xkb_keymap_unref(keymap);
	}
	xkb_context_unref(context); /* keymaps keep it, but log no more messages */
}

char *config_find_mistakes(const struct config *config)
{
	char *warnings = config_find_overlaps(config);
	struct keymaps keymaps = {0};
	check_keyboard(config, &config->keyboard, "keyboard", &keymaps, &warnings);
	const struct config_input *input;
	wl_list_for_each (input, &config->inputs, link) {
		struct config_keyboard keyboard = config->keyboard;
		if (config_input_take_keyboard(&keyboard, &input->keyboard)) {
			char *section = xasprintf("input %s", input->pattern);
			check_keyboard(config, &keyboard, section, &keymaps, &warnings);
			free(section);
		}
	}
	check_keys(config, &keymaps, &warnings);
	check_actions(config, &warnings);
	check_windows(config, &warnings);
	for (int i = 0; i < keymaps.n; i++) {
		xkb_keymap_unref(keymaps.list[i]);
	}
	return warnings;
}
