/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Configuration parser: its position in the files, and the errors so far. Parsing continues after
 * an error, so that all errors are reported at once.
 */

#include "config/config.h"
#include <stddef.h>
#include <stdio.h>

enum config_section {
	SECTION_NONE, /* before the first */
	SECTION_UNKNOWN, /* already reported; its keys are skipped */
	SECTION_GENERAL,
	SECTION_GPU,
	SECTION_APP,
	SECTION_OUTPUT,
	SECTION_INPUT,
	SECTION_FRAME,
	SECTION_POWER,
	SECTION_KEYS,
	SECTION_KEYBOARD,
	SECTION_SWITCHES,
	SECTION_XWAYLAND,
	SECTION_SESSION,
	SECTION_LOOK,
	SECTION_DECORATION,
	SECTION_WORKSPACE,
	SECTION_LAYOUT,
	SECTION_MODE,
	SECTION_WINDOW,
};

/** A file being read, included by `parent`. */
struct config_file {
	struct config_file *parent;
	const char *path;
	int line;
	bool has_comment; /* a comment was cut off the current line */
	/** Current section; each included file has its own. */
	enum config_section section;
	char section_name[64]; /* as written, for errors */
	char mode[64]; /* in SECTION_MODE */
	struct config_app *app; /* in SECTION_APP */
	struct config_output *output; /* in SECTION_OUTPUT */
	struct config_input *input; /* in SECTION_INPUT */
	struct config_workspace *workspace; /* in SECTION_WORKSPACE */
	struct config_window *window; /* in SECTION_WINDOW */
};

struct config_parser {
	struct config *config;
	struct config_file *file;
	FILE *errors; /* writes `error_text`; NULL: no errors */
	char *error_text;
	size_t error_size;
	int n_errors;
	size_t n_bytes; /* of all files so far */
	FILE *text; /* config.text so far */
	char **files; /* files and folders read so far, NULL-terminated; NULL: none */
	char **stamps; /* file_stamp() of each before it was read */
	struct wl_list checks; /* deferred until all files are read: config_check.link */
	bool checks_keyboard; /* `checks` contains the one of [keyboard] */
};

/** A check that needs the complete configuration, and the place to report. */
struct config_check {
	struct wl_list link;
	/** Mandatory. Returns NULL, or a newly allocated error. */
	char *(*judge)(const struct config *config, const void *subject);
	const void *subject; /* part of the configuration */
	char *place; /* "FILE:LINE: SECTION.KEY" */
};

/**
 * error.c: adds "FILE:LINE: SECTION.KEY: ..." to the errors. `key` NULL: the whole line or section.
 */
void config_fail(struct config_parser *parser, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void config_check_later(struct config_parser *parser, const char *key,
	char *(*judge)(const struct config *config, const void *subject), const void *subject);
/** Runs the deferred checks, which add to the errors, and frees them. */
void config_run_checks(struct config_parser *parser);
/** Closes the errors. Returns their text, which the caller frees, or NULL if there are none. */
char *config_take_errors(struct config_parser *parser);
/** Opens a stream to memory; the caller frees the text after fclose(). */
FILE *config_open_text(char **text, size_t *size);

/** Returns "FILE:LINE: SECTION.KEY", newly allocated. `key` NULL: the whole line or section. */
char *config_place(const struct config_parser *parser, const char *key);

/** file.c: reads a file and the files that it includes. */
void config_read(struct config_parser *parser, const char *path);
/** Parses an open stream as the file `path`. The caller keeps the stream. */
void config_read_stream(struct config_parser *parser, const char *path, FILE *stream);

/** section.c: begin a section ("app foot"), and set a key in it. */
void config_begin_section(struct config_parser *parser, const char *name);
void config_set(struct config_parser *parser, const char *key, const char *value);

/** value.c: parsers of values. Return NULL, or a static description of the allowed values. */
const char *config_parse_bool(const char *text, bool *value);
/** Parses "auto", "off" or milliseconds. */
const char *config_parse_render_time(const char *text, double *value);
const char *config_parse_position(const char *text, struct config_output *output);
const char *config_parse_mode(const char *text, struct config_output *output);
const char *config_parse_transform(const char *text, struct config_output *output);
const char *config_parse_color_matrix(const char *text, struct config_output *output);
const char *config_parse_color(const char *text, uint32_t *value);
/** Sets the colours. */
const char *config_parse_background(const char *text, struct config_background *background);
/** Replaces *path, which the caller frees: absolute, or "" for "none". */
const char *config_parse_file(const char *text, char **path);
const char *config_parse_buttons(const char *text, enum config_button *buttons);
/** Parse plain decimal numbers. Return false if the text is no number in [min, max]. */
bool config_parse_number(const char *text, double min, double max, double *value);
bool config_parse_integer(const char *text, int32_t min, int32_t max, int32_t *value);

/** Parses ascending percentages, which are separated by spaces. */
const char *config_parse_widths(const char *text, struct config *config);
/** Replaces the list of [xwayland] global-keys. Returns NULL, or an error that the caller frees. */
char *config_parse_global_keys(const char *text, struct config *config);
void config_forget_global_keys(struct config *config);
const char *config_parse_speed(const char *text, struct input_settings *settings);
const char *config_parse_button(const char *text, uint32_t *value);
const char *config_parse_matrix(const char *text, struct input_settings *settings);

/** input.c */
struct config_input *config_input_get(struct config_parser *parser, const char *pattern);
void config_input_destroy(struct config_input *input);
void config_keyboard_finish(struct config_keyboard *keyboard);
/** For config_check_later(): checks that the section's keymap compiles. */
char *config_judge_keyboard(const struct config *config, const void *keyboard);
/**
 * Overrides the settings of [keyboard] by those of a device's section. Returns false if the keymap
 * stays the same.
 */
bool config_input_take_keyboard(
	struct config_keyboard *keyboard, const struct config_keyboard *over);

/**
 * action.c: parses "ACTION [ARGUMENT]", and sets the two to new strings. Returns NULL, or an error
 * that the caller frees.
 */
char *config_parse_action(const char *text, char **name, char **argument);

/**
 * key.c: binds a key combination. `place` is the line of the file, for warnings; NULL for
 * defaults. Returns NULL, or an error that the caller frees.
 */
char *config_bind(
	struct config *config, const char *combination, const char *action, const char *place);
/** Like config_bind(), for a [mode NAME]; NULL: [keys]. */
char *config_bind_in(struct config *config, const char *mode, const char *combination,
	const char *action, const char *place);
/** Returns whether a bound action, after `locked`, `release` and `repeat`, runs a command. */
bool config_is_command(const char *action);
void config_key_destroy(struct config_key *key);
void config_bind_defaults(struct config *config);

/** window.c */
struct config_workspace *config_workspace_get(struct config_parser *parser, const char *name);
struct config_window *config_window_get(struct config_parser *parser, const char *name);
void config_window_destroy(struct config_window *window);
/** Parses WIDTHxHEIGHT or X,Y of a window rule. Return as the parsers of values. */
const char *config_parse_window_size(const char *text, struct config_window *window);
const char *config_parse_window_position(const char *text, struct config_window *window);
void config_workspace_destroy(struct config_workspace *workspace);

/** selector.c: sets a key "alias.NAME" of [gpu]. */
void config_set_alias(struct config_parser *parser, const char *key, const char *value);
