#pragma once

/**
 * What the files that read the configuration share: the parser's place in the files, and the errors
 * so far. Reading goes on after an error, so that all of them can be told at once.
 */

#include "shell/config.h"
#include <stddef.h>
#include <stdio.h>

enum config_section {
	SECTION_NONE, /* before the first */
	SECTION_UNKNOWN, /* was reported; its keys are skipped */
	SECTION_GPU,
	SECTION_APP,
	SECTION_OUTPUT,
	SECTION_INPUT,
	SECTION_FRAME,
	SECTION_POWER,
	SECTION_KEYS,
	SECTION_KEYBOARD,
	SECTION_SWITCHES,
	SECTION_SESSION,
	SECTION_LOOK,
};

/** A file that is being read; `parent` includes it. */
struct config_file {
	struct config_file *parent;
	const char *path;
	int line;
	/** As far as this file has come; an included file has a section of its own. */
	enum config_section section;
	char section_name[64]; /* as written, for errors */
	struct config_app *app; /* in SECTION_APP */
	struct config_output *output; /* in SECTION_OUTPUT */
	struct config_input *input; /* in SECTION_INPUT */
};

struct config_parser {
	struct config *config;
	struct config_file *file;
	char *errors; /* NULL: none */
	int n_errors;
	size_t n_bytes; /* of all files so far */
	FILE *text; /* config.text so far */
	struct wl_list checks; /* for when all has been read: config_check.link */
};

/** Something that can only be judged when everything has been read, and where it stands. */
struct config_check {
	struct wl_list link;
	/** Mandatory. NULL if it is good, else what is wrong, newly allocated. */
	char *(*judge)(const struct config *config, const void *subject);
	const void *subject; /* part of the configuration */
	char *place; /* "FILE:LINE: SECTION.KEY" */
};

/** Adds "FILE:LINE: SECTION.KEY: ..." to the errors. `key` NULL: the line or section as such. */
void config_fail(struct config_parser *parser, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void config_check_later(struct config_parser *parser, const char *key,
	char *(*judge)(const struct config *config, const void *subject), const void *subject);

/** Returns "FILE:LINE: SECTION.KEY", newly allocated. `key` NULL: the line or section as such. */
char *config_place(const struct config_parser *parser, const char *key);

/** config_file.c: a file with all that it includes. */
void config_read(struct config_parser *parser, const char *path);
/** Parses an open stream as the file `path`; the stream stays the caller's. */
void config_read_stream(struct config_parser *parser, const char *path, FILE *stream);

/** config_section.c: a section begins ("app foot"), a key of it is given. */
void config_begin_section(struct config_parser *parser, const char *name);
void config_set(struct config_parser *parser, const char *key, const char *value);

/** config_value.c: NULL, or what the value would have to be, as a static string. */
const char *config_parse_bool(const char *text, bool *value);
/** "auto", "off" or milliseconds. */
const char *config_parse_render_time(const char *text, double *value);
const char *config_parse_position(const char *text, struct config_output *output);
const char *config_parse_mode(const char *text, struct config_output *output);
const char *config_parse_transform(const char *text, struct config_output *output);
const char *config_parse_color_matrix(const char *text, struct config_output *output);
const char *config_parse_color(const char *text, uint32_t *value);
/** Plain decimal numbers only. False if it is none or not in [min, max]. */
bool config_parse_number(const char *text, double min, double max, double *value);
bool config_parse_integer(const char *text, int32_t min, int32_t max, int32_t *value);

const char *config_parse_speed(const char *text, struct input_settings *settings);
const char *config_parse_button(const char *text, uint32_t *value);
const char *config_parse_matrix(const char *text, struct input_settings *settings);

/** config_input.c */
struct config_input *config_input_get(struct config_parser *parser, const char *pattern);
void config_input_destroy(struct config_input *input);
void config_keyboard_finish(struct config_keyboard *keyboard);
/** For config_check_later(): the layout that the section makes is one that xkb has. */
char *config_judge_keyboard(const struct config *config, const void *keyboard);
/** Puts the settings of a device's section over those of [keyboard]. Returns false if the keymap stays the same. */
bool config_input_take_keyboard(
	struct config_keyboard *keyboard, const struct config_keyboard *over);

/**
 * config_key.c: binds a combination of keys. `place` is the line of the file, for warnings; NULL for defaults.
 * Returns NULL, or an error that the caller frees.
 */
char *config_bind(
	struct config *config, const char *combination, const char *action, const char *place);
/** Likewise; takes the place of what `action` was, "none" of all. */
char *config_set_action(struct config_action *action, const char *text);
void config_bind_defaults(struct config *config);

/** config_selector.c: well formed, and no alias. */
bool config_selector_is_plain(const char *selector);
