/* SPDX-License-Identifier: MIT */
/* Values of the configuration: parsers for numbers, colours and modes. */

#include "parser.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_MAX 32768 /* pixels */
#define POSITION_MAX 1000000 /* logical pixels */

bool config_parse_number(const char *text, double min, double max, double *value)
{
	size_t length = strlen(text);
	char *end;
	if (length == 0 || length > 16 || strspn(text, "-0123456789.") != length) {
		return false;
	}
	double number = strtod(text, &end);
	if (*end != '\0' || number < min || number > max) {
		return false;
	}
	*value = number;
	return true;
}

bool config_parse_integer(const char *text, int32_t min, int32_t max, int32_t *value)
{
	double number;
	if (strchr(text, '.') || !config_parse_number(text, min, max, &number)) {
		return false;
	}
	*value = (int32_t)number;
	return true;
}

const char *config_parse_bool(const char *text, bool *value)
{
	static const char *const words[][2] = {
		{"no", "yes"}, {"false", "true"}, {"off", "on"}, {"0", "1"}};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (int j = 0; j < 2; j++) {
			if (strcmp(text, words[i][j]) == 0) {
				*value = j == 1;
				return NULL;
			}
		}
	}
	return "yes or no";
}

const char *config_parse_render_time(const char *text, double *value)
{
	if (strcmp(text, "auto") == 0) {
		*value = CONFIG_RENDER_TIME_AUTO;
	} else if (strcmp(text, "off") == 0) {
		*value = CONFIG_RENDER_TIME_OFF;
	} else if (!config_parse_number(text, 0, 1000, value)) {
		return "auto, off or milliseconds from 0 to 1000";
	}
	return NULL;
}

/** Splits "AcB" at the first `separator` c; copies both parts into buffers of 32 bytes. */
static bool split(const char *text, char separator, char first[static 32], char second[static 32])
{
	const char *at = strchr(text, separator);
	if (!at || at - text > 31 || strlen(at + 1) > 31) {
		return false;
	}
	memcpy(first, text, (size_t)(at - text));
	first[at - text] = '\0';
	strcpy(second, at + 1);
	return true;
}

const char *config_parse_position(const char *text, struct config_output *output)
{
	char x[32], y[32];
	if (!split(text, ',', x, y) ||
		!config_parse_integer(
			x + strspn(x, " "), -POSITION_MAX, POSITION_MAX, &output->x) ||
		!config_parse_integer(
			y + strspn(y, " "), -POSITION_MAX, POSITION_MAX, &output->y)) {
		return "X,Y in logical pixels, such as 1920,0";
	}
	output->has_position = true;
	return NULL;
}

const char *config_parse_mode(const char *text, struct config_output *output)
{
	static const char wanted[] =
		"WxH, WxHi, WxH@HZ or WxHi@HZ, such as 2560x1440@144, or preferred";
	char size[32], rate[32], width[32], height[32];
	double hz = 0;
	if (strcmp(text, "preferred") == 0) {
		output->has_mode = false;
		return NULL;
	}
	if (strchr(text, '@')) {
		if (!split(text, '@', size, rate) || !config_parse_number(rate, 1, 1000, &hz) ||
			!split(size, 'x', width, height)) {
			return wanted;
		}
	} else if (!split(text, 'x', width, height)) {
		return wanted;
	}
	size_t length = strlen(height);
	bool interlaced = length > 0 && height[length - 1] == 'i';
	height[length - interlaced] = '\0';
	if (!config_parse_integer(width, 1, SIDE_MAX, &output->width) ||
		!config_parse_integer(height, 1, SIDE_MAX, &output->height)) {
		return wanted;
	}
	output->interlaced = interlaced;
	output->refresh = (int32_t)lround(hz * 1000);
	output->has_mode = true;
	return NULL;
}

const char *config_parse_transform(const char *text, struct config_output *output)
{
	static const char *const names[] = {
		[WL_OUTPUT_TRANSFORM_NORMAL] = "normal",
		[WL_OUTPUT_TRANSFORM_90] = "90",
		[WL_OUTPUT_TRANSFORM_180] = "180",
		[WL_OUTPUT_TRANSFORM_270] = "270",
		[WL_OUTPUT_TRANSFORM_FLIPPED] = "flipped",
		[WL_OUTPUT_TRANSFORM_FLIPPED_90] = "flipped-90",
		[WL_OUTPUT_TRANSFORM_FLIPPED_180] = "flipped-180",
		[WL_OUTPUT_TRANSFORM_FLIPPED_270] = "flipped-270",
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			output->transform = (enum wl_output_transform)i;
			output->has_transform = true;
			return NULL;
		}
	}
	return "normal, 90, 180, 270, flipped, flipped-90, flipped-180 or flipped-270";
}

const char *config_parse_widths(const char *text, struct config *config)
{
	static const char wanted[] =
		"one to 8 ascending percentages from 5 to 100, such as 33 50 67";
	double widths[CONFIG_WIDTHS_MAX];
	int n = 0;
	while (*(text += strspn(text, " \t"))) {
		char word[17];
		size_t length = strcspn(text, " \t");
		if (n == CONFIG_WIDTHS_MAX || length >= sizeof(word)) {
			return wanted;
		}
		memcpy(word, text, length);
		word[length] = '\0';
		if (!config_parse_number(word, 5, 100, &widths[n]) ||
			(n > 0 && widths[n] <= widths[n - 1])) {
			return wanted;
		}
		n++;
		text += length;
	}
	if (n == 0) {
		return wanted;
	}
	for (int i = 0; i < n; i++) {
		config->layout.widths[i] = widths[i] / 100;
	}
	config->layout.n_widths = n;
	return NULL;
}

const char *config_parse_color(const char *text, uint32_t *value)
{
	if (text[0] != '#' || strlen(text) != 7 ||
		strspn(text + 1, "0123456789abcdefABCDEF") != 6) {
		return "a colour as #rrggbb";
	}
	*value = (uint32_t)strtoul(text + 1, NULL, 16);
	return NULL;
}

const char *config_parse_background(const char *text, struct config_background *background)
{
	char top[32], bottom[32];
	uint32_t colors[2];
	if (!split(text, ' ', top, bottom)) {
		snprintf(top, sizeof(top), "%.31s", text);
		snprintf(bottom, sizeof(bottom), "%.31s", text);
	}
	if (config_parse_color(top, &colors[0]) ||
		config_parse_color(bottom + strspn(bottom, " "), &colors[1])) {
		return "a colour as #rrggbb, or two from top to bottom";
	}
	background->top = colors[0];
	background->bottom = colors[1];
	return NULL;
}

const char *config_parse_file(const char *text, char **path)
{
	const char *home = getenv("HOME");
	char *result = NULL;
	if (strcmp(text, "none") == 0) {
		result = xstrdup("");
	} else if (text[0] == '/') {
		result = xstrdup(text);
	} else if (strncmp(text, "~/", 2) == 0 && home) {
		result = xasprintf("%s%s", home, text + 1);
	}
	if (!result) {
		return "a path that begins with / or ~/, or none";
	}
	free(*path);
	*path = result;
	return NULL;
}

const char *config_parse_buttons(const char *text, enum config_button *buttons)
{
	static const char *const names[] = {"", "minimize", "maximize", "close"};
	enum config_button result[CONFIG_BUTTONS] = {CONFIG_BUTTON_NONE};
	int n = 0;
	if (strcmp(text, "none") == 0) {
		memcpy(buttons, result, sizeof(result));
		return NULL;
	}
	while (*text) {
		size_t length = strcspn(text, " ");
		int button = CONFIG_BUTTON_CLOSE;
		while (button > 0 && (strlen(names[button]) != length ||
					     strncmp(names[button], text, length) != 0)) {
			button--;
		}
		for (int i = 0; i < n; i++) {
			button = (int)result[i] == button ? 0 : button;
		}
		if (button == 0 || n == CONFIG_BUTTONS) {
			return "none, or minimize, maximize and close in any order, each once";
		}
		result[n++] = (enum config_button)button;
		text += length + strspn(text + length, " ");
	}
	memcpy(buttons, result, sizeof(result));
	return n > 0 ? NULL : "none, or minimize, maximize and close in any order, each once";
}

const char *config_parse_speed(const char *text, struct input_settings *settings)
{
	if (!config_parse_number(text, -1, 1, &settings->speed)) {
		return "a number from -1 to 1";
	}
	settings->has_speed = true;
	return NULL;
}

const char *config_parse_button(const char *text, uint32_t *value)
{
	static const struct {
		const char *name;
		uint32_t code;
	} buttons[] = {
		{"left", BTN_LEFT},
		{"right", BTN_RIGHT},
		{"middle", BTN_MIDDLE},
		{"side", BTN_SIDE},
		{"extra", BTN_EXTRA},
		{"forward", BTN_FORWARD},
		{"back", BTN_BACK},
		{"task", BTN_TASK},
	};
	for (size_t i = 0; i < sizeof(buttons) / sizeof(buttons[0]); i++) {
		if (strcmp(buttons[i].name, text) == 0) {
			*value = buttons[i].code;
			return NULL;
		}
	}
	return "left, right, middle, side, extra, forward, back or task";
}

/** Parses exactly n numbers separated by spaces or commas. */
static bool parse_numbers(const char *text, double most, int n, double *numbers)
{
	char copy[160];
	if (strlen(text) >= sizeof(copy)) {
		return false;
	}
	strcpy(copy, text);
	int found = 0;
	char *rest = copy, *word;
	while ((word = strsep(&rest, " \t,"))) {
		if (*word == '\0') {
			continue;
		}
		if (found == n || !config_parse_number(word, -most, most, &numbers[found])) {
			return false;
		}
		found++;
	}
	return found == n;
}

const char *config_parse_matrix(const char *text, struct input_settings *settings)
{
	double numbers[6];
	if (!parse_numbers(text, 1000, 6, numbers)) {
		return "six numbers, such as 1 0 0 0 1 0";
	}
	memcpy(settings->calibration, numbers, sizeof(numbers));
	settings->has_calibration = true;
	return NULL;
}

const char *config_parse_color_matrix(const char *text, struct config_output *output)
{
	double numbers[9];
	if (strcmp(text, "none") == 0) {
		output->has_color_matrix = false;
		return NULL;
	}
	if (!parse_numbers(text, 16, 9, numbers)) {
		return "nine numbers from -16 to 16, such as 1 0 0 0 1 0 0 0 1, or none";
	}
	memcpy(output->color_matrix, numbers, sizeof(numbers));
	output->has_color_matrix = true;
	return NULL;
}
