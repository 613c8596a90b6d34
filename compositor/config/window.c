/* SPDX-License-Identifier: MIT */
/* Sections of the configuration about windows and workspaces. */

#include "parser.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct config_workspace *config_workspace_get(struct config_parser *parser, const char *name)
{
	struct config_workspace *workspace;
	wl_list_for_each (workspace, &parser->config->workspaces, link) {
		if (strcmp(workspace->name, name) == 0) {
			return workspace;
		}
	}
	workspace = xcalloc(1, sizeof(*workspace));
	workspace->name = xstrdup(name);
	wl_list_insert(parser->config->workspaces.prev, &workspace->link);
	return workspace;
}

void config_workspace_destroy(struct config_workspace *workspace)
{
	wl_list_remove(&workspace->link);
	free(workspace->name);
	free(workspace->output);
	free(workspace);
}

int config_layout_find(const struct config *config, const char *name)
{
	const struct config_workspace *workspace = config_workspace_find(config, name);
	return workspace && workspace->layout ? workspace->layout : config->layout.mode;
}

const struct config_workspace *config_workspace_find(const struct config *config, const char *name)
{
	const struct config_workspace *workspace;
	wl_list_for_each (workspace, &config->workspaces, link) {
		if (strcmp(workspace->name, name) == 0) {
			return workspace;
		}
	}
	return NULL;
}

/* Rejects a rule without patterns, which would match every window. */
static char *judge_window(const struct config *config, const void *subject)
{
	const struct config_window *window = subject;
	if (window->app_id || window->title || window->x_class || window->sandbox_app_id ||
		window->type || window->gpu) {
		return NULL;
	}
	return xstrdup(
		"the rule does not say which windows it is for; give at least one of app-id, "
		"title, class, sandbox-app-id, type, gpu");
}

struct config_window *config_window_get(struct config_parser *parser, const char *name)
{
	struct config_window *window;
	wl_list_for_each (window, &parser->config->windows, link) {
		if (strcmp(window->name, name) == 0) {
			return window;
		}
	}
	window = xcalloc(1, sizeof(*window));
	window->name = xstrdup(name);
	window->hidden_rate = -1;
	wl_list_insert(parser->config->windows.prev, &window->link);
	config_check_later(parser, NULL, judge_window, window);
	return window;
}

void config_window_destroy(struct config_window *window)
{
	wl_list_remove(&window->link);
	free(window->name);
	free(window->app_id);
	free(window->title);
	free(window->x_class);
	free(window->sandbox_app_id);
	free(window->gpu);
	free(window->workspace);
	free(window->workspace_place);
	free(window->output);
	free(window);
}

/* Parses two whole numbers with a separator between them. */
static bool parse_pair(
	const char *text, char separator, int32_t least, int32_t most, int32_t *a, int32_t *b)
{
	char first[16];
	const char *at = strchr(text, separator);
	size_t length = at ? (size_t)(at - text) : sizeof(first);
	if (length >= sizeof(first)) {
		return false;
	}
	memcpy(first, text, length);
	first[length] = '\0';
	return config_parse_integer(first, least, most, a) &&
	       config_parse_integer(at + 1, least, most, b);
}

const char *config_parse_window_size(const char *text, struct config_window *window)
{
	return parse_pair(text, 'x', 1, 32768, &window->width, &window->height)
		       ? NULL
		       : "a size, such as 800x600";
}

const char *config_parse_window_position(const char *text, struct config_window *window)
{
	window->has_position = parse_pair(text, ',', -32768, 32768, &window->x, &window->y);
	return window->has_position ? NULL : "a position, such as 100,50";
}
