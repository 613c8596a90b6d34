/* SPDX-License-Identifier: MIT */
/* Sections of the configuration and their keys. */

#include "parser.h"
#include "settings.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** Of a section. */
#define SETTINGS_MAX 32

/** Rejects a rule without keys, which would match every program. */
static char *judge_app(const struct config *config, const void *subject)
{
	const struct config_app *app = subject;
	if (app->exe || app->cmdline || app->unit || app->sandbox_app_id || app->desktop_id) {
		return NULL;
	}
	return xstrdup("the rule does not say which programs it is for; give at least one of exe, "
		       "cmdline, unit, sandbox-app-id, desktop-id");
}

static struct config_app *get_app(struct config_parser *parser, const char *name)
{
	struct config_app *app;
	wl_list_for_each (app, &parser->config->apps, link) {
		if (strcmp(app->name, name) == 0) {
			return app;
		}
	}
	app = xcalloc(1, sizeof(*app));
	app->name = xstrdup(name);
	wl_list_insert(parser->config->apps.prev, &app->link);
	config_check_later(parser, NULL, judge_app, app);
	return app;
}

static struct config_output *get_output(struct config_parser *parser, const char *name)
{
	struct config_output *output;
	wl_list_for_each (output, &parser->config->outputs, link) {
		if (strcmp(output->name, name) == 0) {
			return output;
		}
	}
	output = xcalloc(1, sizeof(*output));
	output->name = xstrdup(name);
	output->enabled = true;
	output->scan_out = true;
	output->max_render_time = CONFIG_RENDER_TIME_UNSET;
	output->adaptive_sync = CONFIG_ADAPTIVE_SYNC_AUTO;
	output->tearing = true;
	output->cpu_composition = true;
	output->bit_depth = CONFIG_BIT_DEPTH_AUTO;
	output->lease = CONFIG_LEASE_AUTO;
	output->background.top = output->background.bottom = CONFIG_COLOR_NONE;
	wl_list_insert(parser->config->outputs.prev, &output->link);
	return output;
}

void config_begin_section(struct config_parser *parser, const char *name)
{
	struct config_file *file = parser->file;
	size_t length = strcspn(name, " \t");
	const char *label = name + length + strspn(name + length, " \t");
	strncpy(file->section_name, name, sizeof(file->section_name) - 1);
	file->section = SECTION_UNKNOWN;
	for (const struct section_info *info = config_sections(); info->name; info++) {
		if (strlen(info->name) != length || strncmp(info->name, name, length) != 0) {
			continue;
		}
		if (info->named != (*label != '\0')) {
			config_fail(parser, NULL,
				info->named ? "the section needs a name; it must be [%s NAME]"
					    : "the section takes no name; it must be [%s]",
				info->name);
			return;
		}
		file->section = info->section;
	}
	if (file->section == SECTION_APP) {
		file->app = get_app(parser, label);
	} else if (file->section == SECTION_OUTPUT) {
		file->output = get_output(parser, label);
	} else if (file->section == SECTION_INPUT) {
		file->input = config_input_get(parser, label);
	} else if (file->section == SECTION_MODE) {
		snprintf(file->mode, sizeof(file->mode), "%s", label);
	} else if (file->section == SECTION_WINDOW) {
		file->window = config_window_get(parser, label);
	} else if (file->section == SECTION_WORKSPACE) {
		file->workspace = config_workspace_get(parser, label);
	} else if (file->section == SECTION_KEYBOARD && !parser->checks_keyboard) {
		/* Once, however many such sections there are: compiling a keymap takes long. */
		parser->checks_keyboard = true;
		config_check_later(parser, NULL, config_judge_keyboard, &parser->config->keyboard);
	} else if (file->section == SECTION_UNKNOWN) {
		config_fail(parser, NULL,
			"there is no such section; sections are general, gpu, app NAME, "
			"output NAME, input PATTERN, frame, power, keys, keyboard, switches, "
			"xwayland, session, look, decoration, layout, workspace NAME, mode NAME "
			"and window NAME");
	}
}

static char *judge_selector(const struct config *config, const void *subject)
{
	char *const *selector = subject;
	if (config_selector_valid(config, *selector)) {
		return NULL;
	}
	return xasprintf("'%s' is no GPU; it must be integrated, discrete, display, "
			 "pci-0000_03_00_0, 1002:73bf, renderD129 or an alias of [gpu]",
		*selector);
}

/** Rejects other machines, on which Causeway cannot compose. */
static char *judge_local_selector(const struct config *config, const void *subject)
{
	char *const *selector = subject;
	if (config_selector_is_remote(config_selector_resolve(config, *selector))) {
		return xasprintf(
			"'%s' is a GPU of another machine, which only a rule can name", *selector);
	}
	return judge_selector(config, subject);
}

static void set_string(char **slot, const char *value)
{
	free(*slot);
	*slot = xstrdup(value);
}

static void add_env(struct config_parser *parser, struct config_app *app, const char *value)
{
	size_t name = strcspn(value, "=");
	size_t n = 0;
	if (name == 0 || value[name] != '=' || isdigit((unsigned char)*value) ||
		strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") !=
			name) {
		config_fail(parser, "env", "'%s': it must be NAME=VALUE", value);
		return;
	}
	while (app->env && app->env[n]) {
		n++;
	}
	app->env = xrealloc(app->env, n + 2, sizeof(*app->env));
	app->env[n] = xstrdup(value);
	app->env[n + 1] = NULL;
}

/** Sets a key of an output. Returns NULL, or a description of the allowed values. */
static const char *set_output(
	struct config_output *output, const struct setting *setting, const char *value)
{
	switch (setting->type) {
	case VALUE_ENABLED:
		output->has_enabled = true;
		return config_parse_bool(value, &output->enabled);
	case VALUE_MODE: return config_parse_mode(value, output);
	case VALUE_POSITION: return config_parse_position(value, output);
	case VALUE_TRANSFORM: return config_parse_transform(value, output);
	case VALUE_COLOR_MATRIX: return config_parse_color_matrix(value, output);
	default: break;
	}
	if (!config_parse_number(value, 0.25, 10, &output->scale)) {
		return "a number from 0.25 to 10";
	}
	output->has_scale = true;
	return NULL;
}

/** Sets a choice; yes or no if `words` is NULL. */
static void set_choice(
	struct config_parser *parser, const struct setting *setting, const char *value, int *slot)
{
	bool on;
	if (!setting->words) {
		const char *wanted = config_parse_bool(value, &on);
		if (wanted) {
			config_fail(parser, setting->key, "'%s': it must be %s", value, wanted);
		} else {
			*slot = on ? INPUT_ON : INPUT_OFF;
		}
		return;
	}
	for (int i = 0; setting->words[i]; i++) {
		if (strcmp(setting->words[i], value) == 0) {
			*slot = i + 1;
			return;
		}
	}
	char *wanted = strings_join(setting->words, ", ", " or ");
	config_fail(parser, setting->key, "'%s': it must be %s", value, wanted);
	free(wanted);
}

static void fail_value(struct config_parser *parser, const struct setting *setting,
	const char *value, const char *wanted)
{
	if (wanted) {
		config_fail(parser, setting->key, "'%s': it must be %s", value, wanted);
	}
}

/* Frees the error. */
static void fail_text(struct config_parser *parser, const struct setting *setting, char *error)
{
	if (error) {
		config_fail(parser, setting->key, "%s", error);
		free(error);
	}
}

/* Returns whether the line's comment is part of a command, or could be; then reports the line. */
static bool refuse_comment(struct config_parser *parser, const char *key)
{
	if (parser->file->has_comment) {
		config_fail(parser, key,
			"' ;' begins a comment, which cannot follow a command; write ';' without a "
			"space before it to separate commands, and comments on lines of their own");
	}
	return parser->file->has_comment;
}

static void set_action(struct config_parser *parser, const struct setting *setting,
	struct config_action *action, const char *value)
{
	if (config_is_command(value) && refuse_comment(parser, setting->key)) {
		return;
	}
	fail_text(parser, setting, config_set_action(action, value));
}

static void set_value(struct config_parser *parser, const struct setting *setting, void *target,
	const char *value)
{
	void *slot = (char *)target + setting->offset;
	switch (setting->type) {
	case VALUE_STRING: set_string(slot, value); break;
	case VALUE_GLOB:
		fail_value(parser, setting, value, *value ? NULL : "a pattern, such as */blender");
		set_string(slot, value);
		break;
	case VALUE_BOOL: fail_value(parser, setting, value, config_parse_bool(value, slot)); break;
	case VALUE_INTEGER:
		if (!config_parse_integer(value, setting->min, setting->max, slot)) {
			config_fail(parser, setting->key,
				"'%s': it must be a whole number from %d to %d", value,
				setting->min, setting->max);
		}
		break;
	case VALUE_NUMBER:
		if (!config_parse_number(value, setting->min, setting->max, slot)) {
			config_fail(parser, setting->key, "'%s': it must be a number from %d to %d",
				value, setting->min, setting->max);
		}
		break;
	case VALUE_COLOR:
		fail_value(parser, setting, value, config_parse_color(value, slot));
		break;
	case VALUE_BACKGROUND:
		fail_value(parser, setting, value, config_parse_background(value, slot));
		break;
	case VALUE_FILE: fail_value(parser, setting, value, config_parse_file(value, slot)); break;
	case VALUE_SELECTOR:
		set_string(slot, value);
		config_check_later(parser, setting->key,
			setting->max ? judge_selector : judge_local_selector, slot);
		break;
	case VALUE_RENDER_TIME:
		fail_value(parser, setting, value, config_parse_render_time(value, slot));
		break;
	case VALUE_BUTTONS:
		fail_value(parser, setting, value, config_parse_buttons(value, slot));
		break;
	case VALUE_ENV: add_env(parser, target, value); break;
	case VALUE_COMMAND:
		if (!refuse_comment(parser, setting->key)) {
			set_string(slot, value);
		}
		break;
	case VALUE_COMMANDS:
		if (refuse_comment(parser, setting->key)) {
			break;
		}
		fail_value(parser, setting, value, *value ? NULL : "a command");
		*(char ***)slot = strings_add(*(char ***)slot, xstrdup(value));
		break;
	case VALUE_ACTION: set_action(parser, setting, slot, value); break;
	case VALUE_CHOICE: set_choice(parser, setting, value, slot); break;
	case VALUE_SPEED:
		fail_value(parser, setting, value, config_parse_speed(value, slot));
		break;
	case VALUE_BUTTON:
		fail_value(parser, setting, value, config_parse_button(value, slot));
		break;
	case VALUE_WIDTHS:
		fail_value(parser, setting, value, config_parse_widths(value, parser->config));
		break;
	case VALUE_GLOBAL_KEYS:
		fail_text(parser, setting, config_parse_global_keys(value, parser->config));
		break;
	case VALUE_WINDOW_SIZE:
		fail_value(parser, setting, value, config_parse_window_size(value, target));
		break;
	case VALUE_WINDOW_POSITION:
		fail_value(parser, setting, value, config_parse_window_position(value, target));
		break;
	case VALUE_OPACITY:
		fail_value(parser, setting, value,
			config_parse_number(value, 0.05, 1, slot) ? NULL
								  : "a number from 0.05 to 1");
		break;
	case VALUE_MATRIX:
		fail_value(parser, setting, value, config_parse_matrix(value, slot));
		break;
	case VALUE_ENABLED:
	case VALUE_MODE:
	case VALUE_POSITION:
	case VALUE_SCALE:
	case VALUE_TRANSFORM:
	case VALUE_COLOR_MATRIX:
		fail_value(parser, setting, value, set_output(target, setting, value));
		break;
	}
}

static void bind_key(struct config_parser *parser, const char *key, const char *value)
{
	if (config_is_command(value) && refuse_comment(parser, key)) {
		return;
	}
	char *place = config_place(parser, key);
	const char *mode = parser->file->section == SECTION_MODE ? parser->file->mode : NULL;
	char *wrong = config_bind_in(parser->config, mode, key, value, place);
	if (wrong) {
		config_fail(parser, key, "%s", wrong);
		free(wrong);
	}
	free(place);
}

static void fail_unknown_key(
	struct config_parser *parser, const struct setting *settings, const char *key)
{
	const char *keys[SETTINGS_MAX + 1] = {NULL};
	for (size_t n = 0; settings[n].key && n < SETTINGS_MAX; n++) {
		keys[n] = settings[n].key;
	}
	char *names = strings_join(keys, ", ", ", ");
	config_fail(parser, key, "there is no such key; this section has %s%s", names,
		parser->file->section == SECTION_GPU ? " and alias.NAME" : "");
	free(names);
}

static void set_in(struct config_parser *parser, const struct setting *settings, const char *key,
	const char *value)
{
	struct config_file *file = parser->file;
	void *target = file->section == SECTION_APP         ? (void *)file->app
		       : file->section == SECTION_OUTPUT    ? (void *)file->output
		       : file->section == SECTION_INPUT     ? (void *)file->input
		       : file->section == SECTION_WINDOW    ? (void *)file->window
		       : file->section == SECTION_WORKSPACE ? (void *)file->workspace
							    : (void *)parser->config;
	for (const struct setting *setting = settings; setting->key; setting++) {
		if (strcmp(setting->key, key) == 0) {
			set_value(parser, setting, target, value);
			if (file->section == SECTION_WINDOW && strcmp(key, "workspace") == 0) {
				free(file->window->workspace_place);
				file->window->workspace_place = config_place(parser, key);
			}
			return;
		}
	}
	fail_unknown_key(parser, settings, key);
}

void config_set(struct config_parser *parser, const char *key, const char *value)
{
	enum config_section section = parser->file->section;
	if (section == SECTION_UNKNOWN) {
		return;
	}
	if (section == SECTION_NONE) {
		config_fail(parser, key, "only include can stand before the first [SECTION]");
		return;
	}
	if (section == SECTION_KEYS || section == SECTION_MODE) {
		bind_key(parser, key, value);
		return;
	}
	if (section == SECTION_GPU && strncmp(key, "alias.", strlen("alias.")) == 0) {
		config_set_alias(parser, key, value);
		return;
	}
	for (const struct section_info *info = config_sections(); info->name; info++) {
		if (info->section == section) {
			set_in(parser, info->settings, key, value);
		}
	}
}
