/* SPDX-License-Identifier: MIT */
/* The configuration as a value: loading, lookup and destruction. */

#include "config/config.h"
#include "parser.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Folders searched if $XDG_CONFIG_DIRS is unset, as a list of that form: of the installation, then
 * the usual one.
 */
#ifndef CAUSEWAY_CONFIG_DIRS
#define CAUSEWAY_CONFIG_DIRS "/etc/xdg"
#endif

struct config *config_create_default(void)
{
	struct config *config = xcalloc(1, sizeof(*config));
	wl_list_init(&config->gpu.aliases);
	wl_list_init(&config->apps);
	wl_list_init(&config->outputs);
	wl_list_init(&config->workspaces);
	wl_list_init(&config->windows);
	wl_list_init(&config->inputs);
	wl_list_init(&config->keys);
	wl_list_init(&config->xwayland.global_keys);
	config->gpu.default_selector = xstrdup("display");
	config->gpu.close_after = 5;
	config->gpu.queue = CONFIG_QUEUE_TRANSFER;
	config->gpu.engine = CONFIG_ENGINE_AUTO;
	config->gpu.hide_others = true;
	config->session.scopes = true;
	config->gpu.overlays = CONFIG_OVERLAYS_AUTO;
	config->frame.margin = 1.5;
	config->frame.max_render_time = CONFIG_RENDER_TIME_AUTO;
	config->power.hidden_rate = 1;
	config->power.hidden_fifo_rate = 30;
	config->power.on_battery_rate = 60;
	config->keyboard.repeat_rate = 25;
	config->keyboard.repeat_delay = 600;
	config->switches.lid_covers_panel = true;
	config->watch = true;
	config->look.workspaces = 9;
	config->look.background.top = 0x33475b;
	config->look.background.bottom = 0x141b24;
	config->look.background.mode = CONFIG_BACKGROUND_FILL;
	config->look.border = 2;
	config->look.animations = CONFIG_ANIMATIONS_AUTO;
	config->look.animation_time = 150;
	config->look.magnify_step = 25;
	config->layout.mode = CONFIG_LAYOUT_FLOATING;
	config->layout.overflow = 1;
	config->layout.center = 1;
	config->layout.new_window = CONFIG_NEW_WINDOW_RIGHT;
	config->layout.gap = 8;
	config->layout.border = 2;
	config->layout.snap = true;
	config->layout.width = 50;
	config->layout.n_widths = 3;
	config->layout.widths[0] = 1.0 / 3;
	config->layout.widths[1] = 0.5;
	config->layout.widths[2] = 2.0 / 3;
	const struct config_frame_colors theme = {
		CONFIG_COLOR_THEME, CONFIG_COLOR_THEME, CONFIG_COLOR_THEME};
	config->decoration = (struct config_decoration){
		.theme = CONFIG_THEME_DARK,
		.font_size = 13,
		.title_height = 28,
		.title_align = CONFIG_TITLE_CENTER,
		.buttons = {CONFIG_BUTTON_MINIMIZE, CONFIG_BUTTON_MAXIMIZE, CONFIG_BUTTON_CLOSE},
		.active = theme,
		.inactive = theme,
		.urgent = theme,
	};
	config->xwayland.enable = true;
	config->xwayland.per_gpu = true;
	config->xwayland.one_display = CONFIG_ONE_DISPLAY_AUTO;
	config->xwayland.linger = 10;
	config->xwayland.scale = CONFIG_X_SCALE_NATIVE;
	config->xwayland.hidden_rate = 60;
	config_bind_defaults(config);
	return config;
}

static void destroy_app(struct config_app *app)
{
	wl_list_remove(&app->link);
	free(app->name);
	free(app->exe);
	free(app->cmdline);
	free(app->unit);
	free(app->sandbox_app_id);
	free(app->desktop_id);
	free(app->gpu);
	for (char **entry = app->env; entry && *entry; entry++) {
		free(*entry);
	}
	free(app->env);
	free(app);
}

static void destroy_lists(struct config *config)
{
	struct config_alias *alias, *next_alias;
	wl_list_for_each_safe (alias, next_alias, &config->gpu.aliases, link) {
		wl_list_remove(&alias->link);
		free(alias->name);
		free(alias->selector);
		free(alias);
	}
	struct config_app *app, *next_app;
	struct config_window *window, *next_window;
	wl_list_for_each_safe (window, next_window, &config->windows, link) {
		config_window_destroy(window);
	}
	struct config_workspace *workspace, *next_workspace;
	wl_list_for_each_safe (workspace, next_workspace, &config->workspaces, link) {
		config_workspace_destroy(workspace);
	}
	wl_list_for_each_safe (app, next_app, &config->apps, link) {
		destroy_app(app);
	}
	struct config_output *output, *next_output;
	wl_list_for_each_safe (output, next_output, &config->outputs, link) {
		wl_list_remove(&output->link);
		free(output->name);
		free(output->background.image);
		free(output);
	}
	struct config_input *input, *next_input;
	wl_list_for_each_safe (input, next_input, &config->inputs, link) {
		config_input_destroy(input);
	}
	struct config_key *key, *next_key;
	wl_list_for_each_safe (key, next_key, &config->keys, link) {
		config_key_destroy(key);
	}
	config_forget_global_keys(config);
}

static void finish_action(struct config_action *action)
{
	free(action->name);
	free(action->argument);
}

void config_destroy(struct config *config)
{
	if (!config) {
		return;
	}
	destroy_lists(config);
	free(config->path);
	free(config->text);
	free(config->session.locker);
	strings_destroy(config->session.start);
	free(config->gpu.default_selector);
	free(config->gpu.primary);
	config_keyboard_finish(&config->keyboard);
	finish_action(&config->switches.lid_closed);
	finish_action(&config->switches.lid_opened);
	finish_action(&config->switches.tablet_mode_on);
	finish_action(&config->switches.tablet_mode_off);
	free(config->look.cursor_theme);
	free(config->look.background.image);
	free(config->decoration.font);
	free(config);
}

const struct config_output *config_output_find(
	const struct config *config, const char *name, const char *screen)
{
	const struct config_output *output;
	wl_list_for_each (output, &config->outputs, link) {
		if (strcmp(output->name, name) == 0) {
			return output;
		}
	}
	wl_list_for_each (output, &config->outputs, link) {
		if (fnmatch(output->name, name, 0) == 0 ||
			(screen && fnmatch(output->name, screen, 0) == 0)) {
			return output;
		}
	}
	return NULL;
}

const struct config_output *config_output_match(const struct config *config, const char *name,
	const char *make, const char *model, const char *serial)
{
	char *screen = make || model
			       ? xasprintf("%s %s %s", make ? make : "Unknown",
					 model ? model : "Unknown", serial ? serial : "Unknown")
			       : NULL;
	const struct config_output *section = config_output_find(config, name, screen);
	free(screen);
	return section;
}

struct config_background config_background_of(
	const struct config *config, const struct config_output *output)
{
	struct config_background result = config->look.background;
	const struct config_background *own = output ? &output->background : &result;
	if (own->top != CONFIG_COLOR_NONE) {
		result.top = own->top;
		result.bottom = own->bottom;
	}
	result.image = own->image ? own->image : result.image;
	result.mode = own->mode ? own->mode : result.mode;
	return result;
}

bool config_output_equal(const struct config_output *a, const struct config_output *b)
{
	if (!a || !b) {
		return a == b;
	}
	if (a->has_mode != b->has_mode || a->has_position != b->has_position ||
		a->has_scale != b->has_scale || a->has_transform != b->has_transform ||
		a->has_color_matrix != b->has_color_matrix) {
		return false;
	}
	for (size_t i = 0; a->has_color_matrix && i < 9; i++) {
		if (a->color_matrix[i] != b->color_matrix[i]) {
			return false;
		}
	}
	bool same_mode =
		!a->has_mode ||
		(a->width == b->width && a->height == b->height && a->refresh == b->refresh &&
			a->interlaced == b->interlaced && a->timing == b->timing);
	bool same_place = !a->has_position || (a->x == b->x && a->y == b->y);
	return same_mode && same_place && (!a->has_scale || a->scale == b->scale) &&
	       (!a->has_transform || a->transform == b->transform) && a->enabled == b->enabled &&
	       a->has_enabled == b->has_enabled && a->scan_out == b->scan_out &&
	       a->max_render_time == b->max_render_time && a->adaptive_sync == b->adaptive_sync &&
	       a->tearing == b->tearing && a->cpu_composition == b->cpu_composition &&
	       a->bit_depth == b->bit_depth && a->lease == b->lease;
}

/** Returns "FOLDER/causeway/causeway.ini", newly allocated, if there is such a file, else NULL. */
static char *find_in(const char *folder, size_t length)
{
	char *path = xasprintf("%.*s/causeway/causeway.ini", (int)length, folder);
	if (access(path, F_OK) == 0) {
		return path;
	}
	free(path);
	return NULL;
}

/** Looks in the folders of a list such as $XDG_CONFIG_DIRS, relative ones excepted. */
static char *find_in_list(const char *folders)
{
	while (*folders) {
		size_t length = strcspn(folders, ":");
		char *path = folders[0] == '/' ? find_in(folders, length) : NULL;
		if (path) {
			return path;
		}
		folders += length + (folders[length] == ':');
	}
	return NULL;
}

char *config_home_path(void)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	if (base && base[0] == '/') {
		return xasprintf("%s/causeway/causeway.ini", base);
	}
	return home && home[0] == '/' ? xasprintf("%s/.config/causeway/causeway.ini", home) : NULL;
}

/** Returns the path of the configuration file, newly allocated, or NULL if there is none. */
static char *find_file(void)
{
	char *path = config_home_path();
	if (path && access(path, F_OK) != 0) {
		free(path);
		path = NULL;
	}
	const char *folders = getenv("XDG_CONFIG_DIRS");
	return path ? path : find_in_list(folders && *folders ? folders : CAUSEWAY_CONFIG_DIRS);
}

static void begin(struct config_parser *parser, size_t *size)
{
	parser->config = config_create_default();
	wl_list_init(&parser->checks);
	parser->text = config_open_text(&parser->config->text, size);
}

/** Returns the configuration, or NULL with *error set if the parser found errors. */
static struct config *finish(struct config_parser *parser, char **error)
{
	config_run_checks(parser);
	fclose(parser->text);
	*error = config_take_errors(parser);
	if (!*error) {
		return parser->config;
	}
	config_destroy(parser->config);
	return NULL;
}

struct config *config_load_files(const char *path, char **error, char ***files, char ***stamps)
{
	struct config_parser parser = {0};
	size_t size;
	char *file = path ? xstrdup(path) : find_file();
	if (!file) {
		*files = *stamps = NULL;
		return config_create_default();
	}
	begin(&parser, &size);
	parser.config->path = file;
	config_read(&parser, parser.config->path);
	*files = parser.files;
	*stamps = parser.stamps;
	return finish(&parser, error);
}

struct config *config_load(const char *path, char **error)
{
	char **files, **stamps;
	struct config *config = config_load_files(path, error, &files, &stamps);
	strings_destroy(files);
	strings_destroy(stamps);
	return config;
}

struct config *config_parse(const char *path, FILE *stream, char **error)
{
	struct config_parser parser = {0};
	size_t size;
	begin(&parser, &size);
	parser.config->path = xstrdup(path);
	config_read_stream(&parser, path, stream);
	strings_destroy(parser.files);
	strings_destroy(parser.stamps);
	return finish(&parser, error);
}
