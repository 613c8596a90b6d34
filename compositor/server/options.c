/* SPDX-License-Identifier: MIT */
/* Command line: parsing and checks, without side effects. */

#include "options.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_MAX 32768 /* pixels */
#define HZ_MIN 1.0
#define HZ_MAX 1000.0
#define SCALE_MIN 0.25
#define SCALE_MAX 10.0

/** Applies a value. Returns NULL, or a description of the allowed values. */
typedef const char *(*apply_func)(struct options *options, const char *value);

static const char *apply_backend(struct options *options, const char *value)
{
	static const char *const names[] = {
		[BACKEND_DRM] = "drm",
		[BACKEND_WAYLAND] = "wayland",
		[BACKEND_HEADLESS] = "headless",
	};
	for (int i = BACKEND_DRM; i <= BACKEND_HEADLESS; i++) {
		if (strcmp(value, names[i]) == 0) {
			options->server.backend = (enum backend_kind)i;
			return NULL;
		}
	}
	return "drm, wayland or headless";
}

static const char *apply_renderer(struct options *options, const char *value)
{
	if (strcmp(value, "gles") == 0) {
		options->server.renderer = RENDERER_GLES;
	} else if (strcmp(value, "pixman") == 0) {
		options->server.renderer = RENDERER_PIXMAN;
	} else {
		return "gles or pixman";
	}
	return NULL;
}

static const char *apply_config(struct options *options, const char *value)
{
	options->server.config_path = value;
	return *value ? NULL : "the name of a file";
}

static const char *apply_socket(struct options *options, const char *value)
{
	options->server.socket = value;
	return *value && !strchr(value, '/') ? NULL : "a name without slashes, such as wayland-1";
}

static const char *apply_output(struct options *options, const char *value)
{
	struct server_options *server = &options->server;
	struct server_output_option output;
	if (!options_parse_output(value, &output)) {
		return "WxH[@HZ][*SCALE], such as 1920x1080@60*1.25";
	}
	server->outputs = xrealloc(
		server->outputs, (size_t)server->n_outputs + 1, sizeof(server->outputs[0]));
	server->outputs[server->n_outputs++] = output;
	return NULL;
}

static const char *apply_hardware_report(struct options *options, const char *value)
{
	options->hardware_report = value;
	return *value ? NULL : "the name of a file";
}

static const char *apply_log(struct options *options, const char *value)
{
	options->log = value;
	return NULL;
}

static const struct {
	const char *name;
	apply_func apply;
} valued[] = {
	{"--backend", apply_backend},
	{"--renderer", apply_renderer},
	{"--config", apply_config},
	{"--socket", apply_socket},
	{"--output", apply_output},
	{"--log", apply_log},
	{"--hardware-report", apply_hardware_report},
};

const char *options_usage(void)
{
	return "usage: causeway [--backend=drm|wayland|headless] [--renderer=gles|pixman]\n"
	       "                [--config=FILE] [--socket=NAME] [--output=WxH[@HZ][*SCALE]]...\n"
	       "                [--log=SCOPE,...] [--exit-with-child] [--check-config]\n"
	       "                [--hardware-report=FILE] [--version] [--help]\n"
	       "                [-- COMMAND [ARG...]]\n";
}

/** Parses a plain decimal number and advances *text past it. Returns a negative number on error. */
static double parse_decimal(const char **text)
{
	size_t length = strspn(*text, "0123456789.");
	char *end;
	if (length == 0 || length > 16) {
		return -1;
	}
	double value = strtod(*text, &end);
	if (end != *text + length) {
		return -1;
	}
	*text = end;
	return value;
}

static int32_t parse_size(const char **text)
{
	size_t length = strspn(*text, "0123456789");
	if (length == 0 || length > 5) {
		return -1;
	}
	char *end;
	long value = strtol(*text, &end, 10);
	*text = end;
	return value >= 1 && value <= SIDE_MAX ? (int32_t)value : -1;
}

bool options_parse_output(const char *text, struct server_output_option *output)
{
	*output = (struct server_output_option){.refresh = 60000, .scale = 1};
	output->width = parse_size(&text);
	if (output->width < 0 || *text++ != 'x') {
		return false;
	}
	output->height = parse_size(&text);
	if (output->height < 0) {
		return false;
	}
	if (*text == '@') {
		text++;
		double hz = parse_decimal(&text);
		if (!(hz >= HZ_MIN && hz <= HZ_MAX)) {
			return false;
		}
		output->refresh = (int32_t)lround(hz * 1000);
	}
	if (*text == '*') {
		text++;
		output->scale = parse_decimal(&text);
		if (!(output->scale >= SCALE_MIN && output->scale <= SCALE_MAX)) {
			return false;
		}
	}
	return *text == '\0';
}

static bool parse_flag(struct options *options, const char *argument)
{
	if (strcmp(argument, "--exit-with-child") == 0) {
		options->server.exit_with_child = true;
	} else if (strcmp(argument, "--check-config") == 0) {
		options->check_config = true;
	} else if (strcmp(argument, "--help") == 0) {
		options->help = true;
	} else if (strcmp(argument, "--version") == 0) {
		options->version = true;
	} else {
		return false;
	}
	return true;
}

/**
 * Parses an option of `valued` at argv[*i], whose value may be the next argument. Returns NULL or
 * an error.
 */
static char *parse_valued(struct options *options, int argc, char *const *argv, int *i)
{
	const char *argument = argv[*i];
	size_t length = strcspn(argument, "=");
	for (size_t v = 0; v < sizeof(valued) / sizeof(valued[0]); v++) {
		if (strlen(valued[v].name) != length ||
			strncmp(argument, valued[v].name, length) != 0) {
			continue;
		}
		const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
		if (!value && *i + 1 < argc) {
			value = argv[++*i];
		}
		if (!value) {
			return xasprintf("%s needs a value", valued[v].name);
		}
		const char *wanted = valued[v].apply(options, value);
		return wanted ? xasprintf("%s=%s: it must be %s", valued[v].name, value, wanted)
			      : NULL;
	}
	return xasprintf(argument[0] == '-' ? "there is no option %s"
					    : "unexpected argument %s: a command goes after --",
		argument);
}

static char *check_together(const struct options *options)
{
	const struct server_options *server = &options->server;
	if (server->exit_with_child && !server->command) {
		return xstrdup("--exit-with-child needs a command after --");
	}
	if (server->n_outputs > 0 && server->backend == BACKEND_DRM) {
		return xstrdup("--output goes with the wayland and headless backends only");
	}
	return NULL;
}

bool options_parse(struct options *options, int argc, char *const *argv, char **error)
{
	*options = (struct options){0};
	*error = NULL;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			if (i + 1 == argc) {
				*error = xstrdup("there is no command after --");
				return false;
			}
			options->server.command = argv + i + 1;
			break;
		}
		if (parse_flag(options, argv[i])) {
			continue;
		}
		*error = parse_valued(options, argc, argv, &i);
		if (*error) {
			return false;
		}
	}
	*error = check_together(options);
	return !*error;
}

void options_finish(struct options *options)
{
	free(options->server.outputs);
	options->server.outputs = NULL;
}
