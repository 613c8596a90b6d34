/* SPDX-License-Identifier: MIT */
/* Sections of the configuration and their keys. */

#include "parser.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** Of a section. */
#define MAX_SETTINGS 32

enum value_type {
	VALUE_STRING,
	VALUE_GLOB,
	VALUE_BOOL,
	VALUE_INTEGER,
	VALUE_NUMBER,
	VALUE_COLOR,
	VALUE_SELECTOR,
	VALUE_MODE,
	VALUE_POSITION,
	VALUE_SCALE,
	VALUE_TRANSFORM,
	VALUE_ENV,
	VALUE_CHOICE,
	VALUE_SPEED,
	VALUE_BUTTON,
	VALUE_MATRIX,
	VALUE_COLOR_MATRIX,
	VALUE_RENDER_TIME,
	VALUE_ACTION,
	VALUE_BUTTONS,
	VALUE_COMMAND,
};

/** A key: the member that stores it, and the allowed values. */
struct setting {
	const char *key;
	enum value_type type;
	/** In struct config, or in the struct of the section: config_app, config_output ... */
	size_t offset;
	int32_t min, max; /* of numbers */
	const char *const *words; /* of choices, in the order of their values, which begin at 1 */
};

/* In the order of enum config_queue. */
static const char *const queue_words[] = {"transfer", "compute", "graphics", "any", NULL};

/* In the order of enum config_engine. */
static const char *const engine_words[] = {"auto", "sdma", "vulkan", "gles", "cpu", NULL};

/* In the order of enum config_overlays. */
static const char *const overlays_words[] = {"auto", "yes", "no", NULL};

static const struct setting gpu_settings[] = {
	{"default", VALUE_SELECTOR, offsetof(struct config, gpu.default_selector)},
	{"primary", VALUE_SELECTOR, offsetof(struct config, gpu.primary)},
	{"close-after", VALUE_NUMBER, offsetof(struct config, gpu.close_after), 0, 3600},
	{"queue", VALUE_CHOICE, offsetof(struct config, gpu.queue), 0, 0, queue_words},
	{"engine", VALUE_CHOICE, offsetof(struct config, gpu.engine), 0, 0, engine_words},
	{"overlays", VALUE_CHOICE, offsetof(struct config, gpu.overlays), 0, 0, overlays_words},
	{"hide-others", VALUE_BOOL, offsetof(struct config, gpu.hide_others)},
	{NULL},
};

static const struct setting app_settings[] = {
	{"exe", VALUE_GLOB, offsetof(struct config_app, exe)},
	{"cmdline", VALUE_GLOB, offsetof(struct config_app, cmdline)},
	{"unit", VALUE_GLOB, offsetof(struct config_app, unit)},
	{"sandbox-app-id", VALUE_GLOB, offsetof(struct config_app, sandbox_app_id)},
	{"desktop-id", VALUE_GLOB, offsetof(struct config_app, desktop_id)},
	{"children", VALUE_BOOL, offsetof(struct config_app, children)},
	{"gpu", VALUE_SELECTOR, offsetof(struct config_app, gpu)},
	{"env", VALUE_ENV, 0},
	{"x-server", VALUE_CHOICE, offsetof(struct config_app, x_server), 0, 0,
		(const char *const[]){"shared", "own", NULL}},
	{NULL},
};

/* In the order of enum config_adaptive_sync. */
static const char *const adaptive_sync_words[] = {"off", "auto", "fullscreen", "on", NULL};

/* In the order of enum config_bit_depth. */
static const char *const bit_depth_words[] = {"auto", "8", "10", NULL};

/* In the order of enum config_lease. */
static const char *const lease_words[] = {"auto", "yes", "no", NULL};

static const struct setting output_settings[] = {
	{"enabled", VALUE_BOOL, offsetof(struct config_output, enabled)},
	{"mode", VALUE_MODE, 0},
	{"position", VALUE_POSITION, 0},
	{"scale", VALUE_SCALE, 0},
	{"transform", VALUE_TRANSFORM, 0},
	{"max-render-time", VALUE_RENDER_TIME, offsetof(struct config_output, max_render_time)},
	{"adaptive-sync", VALUE_CHOICE, offsetof(struct config_output, adaptive_sync), 0, 0,
		adaptive_sync_words},
	{"tearing", VALUE_BOOL, offsetof(struct config_output, tearing)},
	{"scan-out", VALUE_BOOL, offsetof(struct config_output, scan_out)},
	{"cpu-composition", VALUE_BOOL, offsetof(struct config_output, cpu_composition)},
	{"bit-depth", VALUE_CHOICE, offsetof(struct config_output, bit_depth), 0, 0,
		bit_depth_words},
	{"color-matrix", VALUE_COLOR_MATRIX, 0},
	{"lease", VALUE_CHOICE, offsetof(struct config_output, lease), 0, 0, lease_words},
	{NULL},
};

static const struct setting frame_settings[] = {
	{"margin", VALUE_NUMBER, offsetof(struct config, frame.margin), 0, 100},
	{"max-render-time", VALUE_RENDER_TIME, offsetof(struct config, frame.max_render_time)},
	{NULL},
};

/*
 * Programs with several windows freeze if the fifo barriers of a covered one clear rarely or never.
 */
static const struct setting power_settings[] = {
	{"hidden-rate", VALUE_NUMBER, offsetof(struct config, power.hidden_rate), 0, 1000},
	{"hidden-fifo-rate", VALUE_NUMBER, offsetof(struct config, power.hidden_fifo_rate), 10,
		1000},
	{"on-battery-rate", VALUE_NUMBER, offsetof(struct config, power.on_battery_rate), 0, 1000},
	{NULL},
};

static const struct setting keyboard_settings[] = {
	{"rules", VALUE_STRING, offsetof(struct config, keyboard.rules)},
	{"model", VALUE_STRING, offsetof(struct config, keyboard.model)},
	{"layout", VALUE_STRING, offsetof(struct config, keyboard.layout)},
	{"variant", VALUE_STRING, offsetof(struct config, keyboard.variant)},
	{"options", VALUE_STRING, offsetof(struct config, keyboard.options)},
	{"repeat-rate", VALUE_INTEGER, offsetof(struct config, keyboard.repeat_rate), 0, 1000},
	{"repeat-delay", VALUE_INTEGER, offsetof(struct config, keyboard.repeat_delay), 1, 10000},
	{NULL},
};

#define OPTION(key, option, words)                                                                 \
	{                                                                                          \
		key, VALUE_CHOICE, offsetof(struct config_input, settings.options[option]), 0, 0,  \
			words                                                                      \
	}

static const struct setting input_settings[] = {
	OPTION("send-events", INPUT_SEND_EVENTS,
		((const char *const[]){"enabled", "disabled", "without-mouse", NULL})),
	OPTION("acceleration-profile", INPUT_ACCELERATION,
		((const char *const[]){"flat", "adaptive", NULL})),
	{"acceleration-speed", VALUE_SPEED, offsetof(struct config_input, settings)},
	OPTION("natural-scroll", INPUT_NATURAL_SCROLL, NULL),
	OPTION("scroll-method", INPUT_SCROLL_METHOD,
		((const char *const[]){"none", "two-finger", "edge", "button", NULL})),
	{"scroll-button", VALUE_BUTTON, offsetof(struct config_input, settings.scroll_button)},
	OPTION("tap", INPUT_TAP, NULL),
	OPTION("tap-button-map", INPUT_TAP_BUTTONS,
		((const char *const[]){"left-right-middle", "left-middle-right", NULL})),
	OPTION("drag", INPUT_DRAG, NULL),
	OPTION("drag-lock", INPUT_DRAG_LOCK, NULL),
	OPTION("click-method", INPUT_CLICK_METHOD,
		((const char *const[]){"none", "areas", "fingers", NULL})),
	OPTION("disable-while-typing", INPUT_DISABLE_WHILE_TYPING, NULL),
	OPTION("left-handed", INPUT_LEFT_HANDED, NULL),
	OPTION("middle-emulation", INPUT_MIDDLE_EMULATION, NULL),
	{"calibration-matrix", VALUE_MATRIX, offsetof(struct config_input, settings)},
	{"map-to-output", VALUE_STRING, offsetof(struct config_input, settings.output)},
	{"rules", VALUE_STRING, offsetof(struct config_input, keyboard.rules)},
	{"model", VALUE_STRING, offsetof(struct config_input, keyboard.model)},
	{"layout", VALUE_STRING, offsetof(struct config_input, keyboard.layout)},
	{"variant", VALUE_STRING, offsetof(struct config_input, keyboard.variant)},
	{"options", VALUE_STRING, offsetof(struct config_input, keyboard.options)},
	{"repeat-rate", VALUE_INTEGER, offsetof(struct config_input, keyboard.repeat_rate), 0,
		1000},
	{"repeat-delay", VALUE_INTEGER, offsetof(struct config_input, keyboard.repeat_delay), 1,
		10000},
	{NULL},
};

static const struct setting switches_settings[] = {
	{"lid-covers-panel", VALUE_BOOL, offsetof(struct config, switches.lid_covers_panel)},
	{"lid-closed", VALUE_ACTION, offsetof(struct config, switches.lid_closed)},
	{"lid-opened", VALUE_ACTION, offsetof(struct config, switches.lid_opened)},
	{"tablet-mode-on", VALUE_ACTION, offsetof(struct config, switches.tablet_mode_on)},
	{"tablet-mode-off", VALUE_ACTION, offsetof(struct config, switches.tablet_mode_off)},
	{NULL},
};

static const struct setting xwayland_settings[] = {
	{"enable", VALUE_BOOL, offsetof(struct config, xwayland.enable)},
	{"linger", VALUE_INTEGER, offsetof(struct config, xwayland.linger), 0, 86400},
	{"per-gpu", VALUE_BOOL, offsetof(struct config, xwayland.per_gpu)},
	{"abstract-socket", VALUE_BOOL, offsetof(struct config, xwayland.abstract_socket)},
	{NULL},
};

static const struct setting general_settings[] = {
	{"watch", VALUE_BOOL, offsetof(struct config, watch)},
	{NULL},
};

static const struct setting session_settings[] = {
	{"start", VALUE_COMMAND, offsetof(struct config, session.start)},
	{"locker", VALUE_STRING, offsetof(struct config, session.locker)},
	{NULL},
};

static const struct setting look_settings[] = {
	{"cursor-theme", VALUE_STRING, offsetof(struct config, look.cursor_theme)},
	{"cursor-size", VALUE_INTEGER, offsetof(struct config, look.cursor_size), 1,
		CONFIG_CURSOR_SIZE_MOST},
	{"workspaces", VALUE_INTEGER, offsetof(struct config, look.workspaces), 1, 32},
	{"background", VALUE_COLOR, offsetof(struct config, look.background)},
	{"border", VALUE_INTEGER, offsetof(struct config, look.border), 0, 64},
	{NULL},
};

static const struct setting decoration_settings[] = {
	{"theme", VALUE_CHOICE, offsetof(struct config, decoration.theme), 0, 0,
		(const char *const[]){"dark", "light", NULL}},
	{"font", VALUE_STRING, offsetof(struct config, decoration.font)},
	{"font-size", VALUE_INTEGER, offsetof(struct config, decoration.font_size), 6, 64},
	{"title-height", VALUE_INTEGER, offsetof(struct config, decoration.title_height), 12, 128},
	{"title-align", VALUE_CHOICE, offsetof(struct config, decoration.title_align), 0, 0,
		(const char *const[]){"left", "center", NULL}},
	{"buttons", VALUE_BUTTONS, offsetof(struct config, decoration.buttons)},
	{"active", VALUE_COLOR, offsetof(struct config, decoration.active.title)},
	{"active-text", VALUE_COLOR, offsetof(struct config, decoration.active.text)},
	{"active-border", VALUE_COLOR, offsetof(struct config, decoration.active.border)},
	{"inactive", VALUE_COLOR, offsetof(struct config, decoration.inactive.title)},
	{"inactive-text", VALUE_COLOR, offsetof(struct config, decoration.inactive.text)},
	{"inactive-border", VALUE_COLOR, offsetof(struct config, decoration.inactive.border)},
	{"urgent", VALUE_COLOR, offsetof(struct config, decoration.urgent.title)},
	{"urgent-text", VALUE_COLOR, offsetof(struct config, decoration.urgent.text)},
	{"urgent-border", VALUE_COLOR, offsetof(struct config, decoration.urgent.border)},
	{NULL},
};

static const struct setting workspace_settings[] = {
	{"output", VALUE_STRING, offsetof(struct config_workspace, output)},
	{NULL},
};

static const struct {
	const char *name; /* up to the space before NAME */
	enum config_section section;
	bool named;
	const struct setting *settings;
} sections[] = {
	{"general", SECTION_GENERAL, false, general_settings},
	{"gpu", SECTION_GPU, false, gpu_settings},
	{"app", SECTION_APP, true, app_settings},
	{"output", SECTION_OUTPUT, true, output_settings},
	{"input", SECTION_INPUT, true, input_settings},
	{"frame", SECTION_FRAME, false, frame_settings},
	{"power", SECTION_POWER, false, power_settings},
	{"keys", SECTION_KEYS, false, NULL},
	{"keyboard", SECTION_KEYBOARD, false, keyboard_settings},
	{"switches", SECTION_SWITCHES, false, switches_settings},
	{"xwayland", SECTION_XWAYLAND, false, xwayland_settings},
	{"session", SECTION_SESSION, false, session_settings},
	{"look", SECTION_LOOK, false, look_settings},
	{"decoration", SECTION_DECORATION, false, decoration_settings},
	{"workspace", SECTION_WORKSPACE, true, workspace_settings},
};

#define N_SECTIONS (sizeof(sections) / sizeof(sections[0]))

/** Rejects a rule without keys, which would match every program. */
static char *judge_app(const struct config *config, const void *subject)
{
	const struct config_app *app = subject;
	if (app->exe || app->cmdline || app->unit || app->sandbox_app_id || app->desktop_id) {
		return NULL;
	}
	return xstrdup("the rule says not which programs it is for; give at least one of exe, "
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
	for (size_t i = 0; i < N_SECTIONS; i++) {
		if (strlen(sections[i].name) != length ||
			strncmp(sections[i].name, name, length) != 0) {
			continue;
		}
		if (sections[i].named != (*label != '\0')) {
			config_fail(parser, NULL,
				sections[i].named ? "the section needs a name; it must be [%s NAME]"
						  : "the section takes no name; it must be [%s]",
				sections[i].name);
			return;
		}
		file->section = sections[i].section;
	}
	if (file->section == SECTION_APP) {
		file->app = get_app(parser, label);
	} else if (file->section == SECTION_OUTPUT) {
		file->output = get_output(parser, label);
	} else if (file->section == SECTION_INPUT) {
		file->input = config_input_get(parser, label);
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
			"xwayland, session, look, decoration and workspace NAME");
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

static void set_action(struct config_parser *parser, const struct setting *setting,
	struct config_action *action, const char *value)
{
	char *wrong = config_set_action(action, value);
	if (wrong) {
		config_fail(parser, setting->key, "%s", wrong);
		free(wrong);
	}
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
	case VALUE_SELECTOR:
		set_string(slot, value);
		config_check_later(parser, setting->key, judge_selector, slot);
		break;
	case VALUE_RENDER_TIME:
		fail_value(parser, setting, value, config_parse_render_time(value, slot));
		break;
	case VALUE_BUTTONS:
		fail_value(parser, setting, value, config_parse_buttons(value, slot));
		break;
	case VALUE_ENV: add_env(parser, target, value); break;
	case VALUE_COMMAND:
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
	case VALUE_MATRIX:
		fail_value(parser, setting, value, config_parse_matrix(value, slot));
		break;
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
	char *place = config_place(parser, key);
	char *wrong = config_bind(parser->config, key, value, place);
	if (wrong) {
		config_fail(parser, key, "%s", wrong);
		free(wrong);
	}
	free(place);
}

static void fail_unknown_key(
	struct config_parser *parser, const struct setting *settings, const char *key)
{
	const char *keys[MAX_SETTINGS + 1] = {NULL};
	for (size_t n = 0; settings[n].key && n < MAX_SETTINGS; n++) {
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
		       : file->section == SECTION_WORKSPACE ? (void *)file->workspace
							    : (void *)parser->config;
	for (const struct setting *setting = settings; setting->key; setting++) {
		if (strcmp(setting->key, key) == 0) {
			set_value(parser, setting, target, value);
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
	if (section == SECTION_KEYS) {
		bind_key(parser, key, value);
		return;
	}
	if (section == SECTION_GPU && strncmp(key, "alias.", strlen("alias.")) == 0) {
		config_set_alias(parser, key, value);
		return;
	}
	for (size_t i = 0; i < N_SECTIONS; i++) {
		if (sections[i].section == section) {
			set_in(parser, sections[i].settings, key, value);
		}
	}
}
