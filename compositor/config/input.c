/* SPDX-License-Identifier: MIT */
/* [input PATTERN] and [keyboard]: matching of devices, and the settings of one device. */

#include "parser.h"
#include "util/xalloc.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char type_prefix[] = "type:";

static bool is_type(const char *pattern)
{
	return strncmp(pattern, type_prefix, strlen(type_prefix)) == 0;
}

static bool matches(const struct config_input *input, const char *name, const char *type)
{
	if (is_type(input->pattern)) {
		return strcmp(input->pattern + strlen(type_prefix), type) == 0;
	}
	return fnmatch(input->pattern, name, 0) == 0;
}

static char *judge_pattern(const struct config *config, const void *subject)
{
	static const char *const types[] = {
		"keyboard", "pointer", "touchpad", "touch", "tablet", "pad", "switch"};
	const struct config_input *input = subject;
	if (!is_type(input->pattern)) {
		return NULL;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(input->pattern + strlen(type_prefix), types[i]) == 0) {
			return NULL;
		}
	}
	return xasprintf("there is no type '%s'; types are keyboard, pointer, touchpad, touch, "
			 "tablet, pad and switch",
		input->pattern + strlen(type_prefix));
}

static void take_string(char **slot, char *value)
{
	if (value) {
		*slot = value;
	}
}

static void take_keyboard(struct config_keyboard *keyboard, const struct config_keyboard *over)
{
	take_string(&keyboard->rules, over->rules);
	take_string(&keyboard->model, over->model);
	if (over->layout) {
		/* A variant belongs to its layout. */
		keyboard->layout = over->layout;
		keyboard->variant = NULL;
	}
	take_string(&keyboard->variant, over->variant);
	take_string(&keyboard->options, over->options);
	if (over->repeat_rate >= 0) {
		keyboard->repeat_rate = over->repeat_rate;
	}
	if (over->repeat_delay >= 0) {
		keyboard->repeat_delay = over->repeat_delay;
	}
}

/* Compiles the keymap: an unknown layout would leave the session without keyboard. */
char *config_judge_keyboard(const struct config *config, const void *subject)
{
	struct config_keyboard keyboard = config->keyboard;
	take_keyboard(&keyboard, subject);
	struct xkb_context *context = xkb_context_new(XKB_CONTEXT_NO_FLAGS);
	if (!context) {
		return xstrdup("the keyboard data of xkb cannot be found");
	}
	xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL);
	struct xkb_rule_names names = {
		.rules = keyboard.rules,
		.model = keyboard.model,
		.layout = keyboard.layout,
		.variant = keyboard.variant,
		.options = keyboard.options,
	};
	struct xkb_keymap *keymap =
		xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS);
	xkb_keymap_unref(keymap);
	xkb_context_unref(context);
	return keymap ? NULL
		      : xstrdup("xkb has no such keyboard; layout and variant must be names "
				"that `man xkeyboard-config` lists, such as de or us");
}

static bool names_keymap(const struct config_keyboard *keyboard)
{
	return keyboard->rules || keyboard->model || keyboard->layout || keyboard->variant ||
	       keyboard->options;
}

bool config_input_take_keyboard(
	struct config_keyboard *keyboard, const struct config_keyboard *over)
{
	take_keyboard(keyboard, over);
	return names_keymap(over);
}

static char *judge_input_keyboard(const struct config *config, const void *subject)
{
	return names_keymap(subject) ? config_judge_keyboard(config, subject) : NULL;
}

struct config_input *config_input_get(struct config_parser *parser, const char *pattern)
{
	struct config_input *input;
	wl_list_for_each (input, &parser->config->inputs, link) {
		if (strcmp(input->pattern, pattern) == 0) {
			return input;
		}
	}
	input = xcalloc(1, sizeof(*input));
	input->pattern = xstrdup(pattern);
	input->keyboard.repeat_rate = -1;
	input->keyboard.repeat_delay = -1;
	wl_list_insert(parser->config->inputs.prev, &input->link);
	config_check_later(parser, NULL, judge_pattern, input);
	config_check_later(parser, NULL, judge_input_keyboard, &input->keyboard);
	return input;
}

void config_keyboard_finish(struct config_keyboard *keyboard)
{
	free(keyboard->rules);
	free(keyboard->model);
	free(keyboard->layout);
	free(keyboard->variant);
	free(keyboard->options);
}

void config_input_destroy(struct config_input *input)
{
	wl_list_remove(&input->link);
	config_keyboard_finish(&input->keyboard);
	free(input->settings.output);
	free(input->pattern);
	free(input);
}

void config_input_find(const struct config *config, const char *name, const char *type,
	struct input_settings *settings, struct config_keyboard *keyboard)
{
	*settings = (struct input_settings){0};
	*keyboard = config->keyboard;
	const struct config_input *input;
	wl_list_for_each (input, &config->inputs, link) {
		if (matches(input, name, type)) {
			input_settings_merge(settings, &input->settings);
			take_keyboard(keyboard, &input->keyboard);
		}
	}
}
