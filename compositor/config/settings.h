/* SPDX-License-Identifier: MIT */
#pragma once

/** Tables of the configuration's sections and keys. */

#include "parser.h"

enum value_type {
	VALUE_STRING,
	VALUE_GLOB,
	VALUE_BOOL,
	VALUE_INTEGER,
	VALUE_NUMBER,
	VALUE_COLOR,
	VALUE_BACKGROUND,
	VALUE_FILE,
	VALUE_SELECTOR,
	VALUE_ENABLED,
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
	VALUE_WIDTHS,
	VALUE_GLOBAL_KEYS,
	VALUE_WINDOW_SIZE,
	VALUE_WINDOW_POSITION,
	VALUE_OPACITY,
	VALUE_BUTTONS,
	VALUE_COMMAND,
	VALUE_COMMANDS, /* each line adds one */
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

/** A section: its name and its keys. */
struct section_info {
	const char *name; /* up to the space before NAME */
	enum config_section section;
	bool named;
	const struct setting *settings; /* the last has no key; NULL: bindings */
};

/** Returns all sections; the last has no name. */
const struct section_info *config_sections(void);
