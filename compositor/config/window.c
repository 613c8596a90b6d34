/* SPDX-License-Identifier: MIT */
/* Sections of the configuration about workspaces. */

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
