/* SPDX-License-Identifier: MIT */
/* Rules for programs: matching, and the choice of a GPU. */

#include "apps/app_rule.h"
#include "gpu/gpu.h"
#include "util/process.h"
#include "util/xalloc.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/** Matches a glob. A missing pattern matches everything; an unknown text matches no pattern. */
static bool matches(const char *pattern, const char *text)
{
	return !pattern || (text && fnmatch(pattern, text, 0) == 0);
}

/** Matches ids with and without ".desktop". */
static bool matches_id(const char *pattern, const char *id)
{
	if (matches(pattern, id)) {
		return true;
	}
	char *file = id ? xasprintf("%s.desktop", id) : NULL;
	bool found = file && fnmatch(pattern, file, 0) == 0;
	free(file);
	return found;
}

unsigned app_rule_facts(const struct config *config)
{
	unsigned facts = 0;
	const struct config_app *app;
	wl_list_for_each (app, &config->apps, link) {
		facts |= (app->exe ? PROCESS_EXE : 0) | (app->cmdline ? PROCESS_CMDLINE : 0) |
			 (app->unit ? PROCESS_UNIT : 0) |
			 (app->desktop_id ? PROCESS_ENVIRONMENT : 0) |
			 (app->children ? PROCESS_ANCESTORS : 0);
	}
	return facts;
}

static bool matches_process(const struct config_app *app, const struct process *process)
{
	if (!app->exe && !app->cmdline && !app->unit && !app->desktop_id) {
		return true;
	}
	return process && matches(app->exe, process->exe) &&
	       matches(app->cmdline, process->cmdline) && matches(app->unit, process->unit) &&
	       matches_id(app->desktop_id, process->desktop_id);
}

static bool matches_processes(const struct config_app *app, const struct process *process)
{
	bool found = matches_process(app, process);
	while (!found && app->children && process && process->parent) {
		process = process->parent;
		found = matches_process(app, process);
	}
	return found;
}

const struct config_app *app_rule_find(
	const struct config *config, const struct app_identity *identity)
{
	const struct config_app *app;
	wl_list_for_each (app, &config->apps, link) {
		if (matches(app->sandbox_app_id, identity->sandbox_app_id) &&
			matches_processes(app, identity->process)) {
			return app;
		}
	}
	return NULL;
}

const struct config_app *app_rule_find_late(
	const struct config *config, const struct app_identity *identity, const char *app_id)
{
	const struct config_app *found = app_rule_find(config, identity), *app;
	struct process named = identity->process ? *identity->process : (struct process){0};
	named.desktop_id = (char *)app_id;
	wl_list_for_each (app, &config->apps, link) {
		if (app == found) {
			return NULL; /* matches already, and comes first */
		}
		if ((app->desktop_id || app->sandbox_app_id) &&
			matches_id(app->sandbox_app_id, app_id) && matches_process(app, &named)) {
			return app;
		}
	}
	return NULL;
}

struct gpu *gpu_select(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const char *selector)
{
	selector = config_selector_resolve(config, selector);
	return strcmp(selector, "display") == 0 ? display : gpu_list_select(list, selector);
}

struct gpu_choice gpu_choose(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const struct app_identity *identity, const struct gpu_wish *wish)
{
	struct gpu_choice choice = {.rule = app_rule_find(config, identity)};
	if (wish->selector) {
		choice.decider = GPU_BY_SPAWN;
		choice.selector = wish->selector;
	} else if (choice.rule && choice.rule->gpu) {
		choice.decider = GPU_BY_RULE;
		choice.selector = choice.rule->gpu;
	} else if (wish->prefers_discrete && gpu_list_select(list, "discrete")) {
		choice.decider = GPU_BY_DESKTOP_FILE;
		choice.selector = "discrete";
	} else {
		choice.decider = GPU_BY_DEFAULT;
		choice.selector = config->gpu.default_selector;
	}
	const char *resolved = config_selector_resolve(config, choice.selector);
	if (config_selector_is_remote(resolved)) {
		choice.remote = resolved + strlen(CONFIG_REMOTE);
	}
	choice.gpu = gpu_select(config, list, display, choice.selector);
	if (!choice.gpu) {
		choice.missing = !choice.remote && strcmp(choice.selector, "display") != 0;
		choice.gpu = gpu_select(config, list, display, config->gpu.default_selector);
	}
	choice.gpu = choice.gpu ? choice.gpu : display;
	return choice;
}

/** Returns the wish of the process or of its nearest ancestor with one, or NULL. */
static const char *find_wish(const struct process *process)
{
	while (process && !process->wish) {
		process = process->parent;
	}
	return process ? process->wish : NULL;
}

/** Returns whether the process was started with a rule, not its parent. */
static bool was_started_with(const struct process *process, const char *rule)
{
	const char *before = process->parent ? process->parent->rule : NULL;
	return process->rule && (!before || strcmp(before, rule) != 0);
}

/**
 * Returns the rule that the process was started with, under another name perhaps, as by a script;
 * or that an ancestor was started with, if it applies to children. NULL: none.
 */
static const struct config_app *find_inherited(
	const struct config *config, const struct process *process)
{
	const struct process *first = process;
	const struct config_app *app;
	while (first && !first->rule) {
		first = first->parent;
	}
	wl_list_for_each (app, &config->apps, link) {
		if (first && app->gpu && strcmp(app->name, first->rule) == 0) {
			return app->children || was_started_with(process, app->name) ? app : NULL;
		}
	}
	return NULL;
}

struct gpu_choice gpu_choose_by_rule(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const struct app_identity *identity, const struct config_app *rule)
{
	const struct gpu_wish selector = {.selector = rule->gpu};
	struct gpu_choice choice = gpu_choose(config, list, display, identity, &selector);
	choice.decider = GPU_BY_RULE;
	choice.rule = rule;
	return choice;
}

const struct config_app *app_rule_of_children(const struct config *config, const char *name)
{
	const struct config_app *app;
	wl_list_for_each (app, &config->apps, link) {
		if (name && strcmp(app->name, name) == 0) {
			return app->gpu && app->children ? app : NULL;
		}
	}
	return NULL;
}

struct gpu_choice gpu_choose_running(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const struct app_identity *identity)
{
	const struct gpu_wish wish = {.selector = find_wish(identity->process)};
	struct gpu_choice choice = gpu_choose(config, list, display, identity, &wish);
	const struct config_app *inherited =
		choice.rule || wish.selector ? NULL : find_inherited(config, identity->process);
	return inherited ? gpu_choose_by_rule(config, list, display, identity, inherited) : choice;
}
