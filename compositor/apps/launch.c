/* SPDX-License-Identifier: MIT */
/* Preparation of a program start: the matching rule, and the environment for its GPU. */

#include "apps/launch.h"
#include "apps/app_rule.h"
#include "apps/confine.h"
#include "apps/desktop_entry.h"
#include "apps/scope.h"
#include "gpu/environment.h"
#include "gpu/gpu.h"
#include "remote.h"
#include "starter.h"
#include "terminal.h"
#include "util/file.h"
#include "util/process.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **copy(const char *const *list)
{
	char **result = NULL;
	for (; *list; list++) {
		result = strings_add(result, xstrdup(*list));
	}
	return result;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_desktop_file(const char *name)
{
	const char *ending = strrchr(name, '.');
	return ending && ending != name && strcmp(ending, ".desktop") == 0 && !strchr(name, '/');
}

/* Identity: rules are matched before the program runs. */

/** Returns the path of the executable with links resolved, or NULL. */
static char *find_executable(const char *name)
{
	char resolved[PATH_MAX], *found = file_find_program(name);
	char *path = found && realpath(found, resolved) ? xstrdup(resolved) : NULL;
	free(found);
	return path;
}

/**
 * Copies the first word of a shell command line, without its single quotes, and moves *line behind
 * it. Returns false if the shell would do more with the line.
 */
static bool take_word(const char **line, char *word)
{
	bool quoted = false, plain = true;
	for (; plain && **line && (quoted || !strchr(" \t", **line)); ++*line) {
		if (**line == '\'') {
			quoted = !quoted;
		} else {
			plain = quoted || !strchr("|&;<>()$`\\\"*?[]#~%!{}\n", **line);
			*word++ = **line;
		}
	}
	*word = '\0';
	*line += strspn(*line, " \t");
	return plain && !quoted;
}

/**
 * Splits a shell command line of a program and its arguments, with single quotes at most; NULL for
 * any other.
 */
static char **split_plain(const char *line)
{
	char **words = NULL, *word = xcalloc(strlen(line) + 1, 1);
	bool plain = true;
	line += strspn(line, " \t");
	while (*line && plain) {
		plain = take_word(&line, word);
		words = strings_add(words, xstrdup(word));
	}
	free(word);
	/* The first word with an equals sign is an assignment. */
	if (!words || !plain || strchr(words[0], '=')) {
		strings_destroy(words);
		return NULL;
	}
	return words;
}

/** Returns the arguments of the program itself, also for `sh -c 'program argument'`. */
static char **find_arguments(char *const *argv)
{
	bool shell = strings_count(argv) == 3 && strcmp(argv[1], "-c") == 0 &&
		     (strcmp(argv[0], "/bin/sh") == 0 || strcmp(argv[0], "sh") == 0);
	char **words = shell ? split_plain(argv[2]) : NULL;
	return words ? words : copy((const char *const *)argv);
}

static char *join(char *const *list)
{
	char *line = xstrdup(*list);
	while (*++list) {
		char *longer = xasprintf("%s %s", line, *list);
		free(line);
		line = longer;
	}
	return line;
}

static struct process predict(char *const *argv, struct process *parent)
{
	char **arguments = find_arguments(argv);
	struct process process = {
		.parent = parent,
		.exe = find_executable(arguments[0]),
		.cmdline = join(arguments),
	};
	strings_destroy(arguments);
	return process;
}

/* Environment */

/** Adds a change and takes ownership; replaces one for the same variable. */
static void add(struct launch *launch, char *change)
{
	size_t length = strcspn(change, "=");
	for (char **old = launch->environment; old && *old; old++) {
		if (strcspn(*old, "=") == length && strncmp(*old, change, length) == 0) {
			free(*old);
			*old = change;
			return;
		}
	}
	launch->environment = strings_add(launch->environment, change);
}

static void add_all(struct launch *launch, char *const *changes)
{
	for (; changes && *changes; changes++) {
		add(launch, xstrdup(*changes));
	}
}

/**
 * Hides other GPUs from a program whose GPU was chosen for it. All others see every GPU, and so do
 * launchers, terminals and panels with a rule, since their child processes inherit the variables.
 */
static void hide_others(struct launch *launch, const struct launch_context *context,
	const struct gpu_choice *choice, bool starts_others)
{
	const bool chosen = choice->decider != GPU_BY_DEFAULT && !choice->missing;
	const bool hides = context->config->gpu.hide_others && chosen && !starts_others;
	char **changes = gpu_environment_hide_others(context->gpus, hides ? choice->gpu : NULL,
		context->display, choice->rule ? choice->rule->env : NULL);
	add_all(launch, changes);
	strings_destroy(changes);
}

static void take_gpu(struct launch *launch, const struct launch_context *context,
	const struct gpu_choice *choice, bool starts_others)
{
	/* A rule for a terminal alone, say, leaves the other GPUs to the programs in it. */
	const bool exclusive =
		!starts_others || choice->decider != GPU_BY_RULE || choice->rule->children;
	char **changes = gpu_environment(context->gpus, choice->gpu, exclusive);
	add_all(launch, changes);
	strings_destroy(changes);
	if (choice->decider != GPU_BY_RULE) {
		/*
		 * Rules match again when the program connects; any other decision must be passed
		 * on.
		 */
		add(launch, xasprintf("%s=%s", LAUNCH_GPU_VARIABLE, choice->selector));
	} else {
		add(launch, xasprintf("%s=%s", LAUNCH_RULE_VARIABLE, choice->rule->name));
	}
}

/** Returns false if the rule cannot be obeyed. */
static bool confine_launch(struct launch *launch, const struct launch_context *context,
	const struct gpu_choice *choice, char **error)
{
	if (!choice->rule || choice->rule->see != CONFIG_SEE_OWN || !choice->gpu) {
		return true;
	}
	char *problem = confine_problem();
	if (problem) {
		*error = xasprintf("[app %s] see = own: %s", choice->rule->name, problem);
		free(problem);
		return false;
	}
	launch->nodes = confine_nodes(context->gpus, choice->gpu);
	return true;
}

static char *make_unit(const struct launch *launch, const char *exe)
{
	return scope_name(
		launch->desktop_id ? launch->desktop_id : name_of(exe ? exe : launch->argv[0]));
}

/**
 * Turns the program into one of waypipe, for another machine. Only the compositor's side needs
 * variables here: by CAUSEWAY_GPU, it knows waypipe's connections.
 */
static bool send_away(struct launch *launch, const struct launch_context *context,
	const struct gpu_choice *choice, char **error)
{
	const struct config_app *rule = choice->decider == GPU_BY_RULE ? choice->rule : NULL;
	const struct remote remote = {
		.host = choice->remote,
		.node = choice->gpu ? choice->gpu->render_path : NULL,
		.compression = context->compression ? context->compression
			       : rule               ? rule->compression
						    : 0,
		.video = context->video ? context->video
			 : rule         ? rule->video
					: 0,
		.asks = context->asks,
	};
	char **arguments = remote_arguments(&remote, launch->argv, error);
	if (!arguments) {
		return false;
	}
	strings_destroy(launch->argv);
	launch->argv = arguments;
	add(launch, xasprintf("%s=%s", LAUNCH_GPU_VARIABLE, choice->selector));
	return true;
}

static bool choose(struct launch *launch, const struct launch_context *context,
	const struct gpu_wish *wish, char **error)
{
	struct process process = predict(launch->argv, context->parent);
	process.desktop_id = launch->desktop_id;
	launch->unit = context->scopes ? make_unit(launch, process.exe) : NULL;
	process.unit = launch->unit;
	struct app_identity identity = {.process = &process};
	struct gpu_choice choice =
		gpu_choose(context->config, context->gpus, context->display, &identity, wish);
	const struct config_app *inherited =
		choice.rule || choice.decider != GPU_BY_DEFAULT
			? NULL
			: app_rule_of_children(context->config, context->rule);
	if (inherited) {
		/* The launcher has ended, so that its rule does not match an ancestor. */
		choice = gpu_choose_by_rule(
			context->config, context->gpus, context->display, &identity, inherited);
	}
	const bool starts_others = context->session || starter_is_known(process.exe);
	free(process.exe);
	free(process.cmdline);
	if (choice.decider == GPU_BY_SPAWN && choice.missing) {
		*error = xasprintf("there is no GPU '%s' in this machine", wish->selector);
		return false;
	}
	if (choice.remote) {
		return send_away(launch, context, &choice, error);
	}
	if (choice.decider == GPU_BY_DEFAULT && context->fallback) {
		choice.selector = context->fallback;
		choice.missing = false;
		choice.gpu = gpu_select(
			context->config, context->gpus, context->display, choice.selector);
	}
	if (choice.gpu && !choice.missing &&
		(choice.decider != GPU_BY_DEFAULT || context->fallback)) {
		take_gpu(launch, context, &choice, starts_others);
		launch->gpu = choice.gpu;
	}
	if (!confine_launch(launch, context, &choice, error)) {
		return false;
	}
	launch->own_x_server = choice.rule && choice.rule->x_server == CONFIG_X_SERVER_OWN;
	hide_others(launch, context, &choice, starts_others);
	add_all(launch, choice.rule ? choice.rule->env : NULL);
	return true;
}

static bool read_desktop_file(
	struct launch *launch, const char *const *argv, struct gpu_wish *wish, char **error)
{
	struct desktop_entry entry;
	if (!desktop_entry_find(&entry, argv[0], error)) {
		return false;
	}
	launch->argv = desktop_entry_arguments(&entry, argv + 1, error);
	if (launch->argv && entry.terminal) {
		char **arguments = terminal_arguments(launch->argv);
		strings_destroy(launch->argv);
		launch->argv = arguments;
		if (!arguments) {
			*error = xasprintf("%s: it needs a terminal: install foot or "
					   "xdg-terminal-exec, or set TERMINAL",
				entry.file);
		}
	}
	launch->directory = xstrdup(entry.directory);
	launch->desktop_id = xstrdup(entry.id);
	launch->desktop_file = xstrdup(entry.file);
	wish->prefers_discrete = entry.prefers_discrete;
	desktop_entry_finish(&entry);
	return launch->argv;
}

/** Takes over what a launcher knows of the program: its desktop file. */
static void adopt_desktop_file(struct launch *launch, const char *id, struct gpu_wish *wish)
{
	static const char *const no_files[] = {NULL};
	struct desktop_entry entry;
	char *error = NULL, **arguments = NULL;
	char *name = is_desktop_file(id) ? xstrdup(id) : xasprintf("%s.desktop", id);
	if (desktop_entry_find(&entry, name, &error)) {
		arguments = desktop_entry_arguments(&entry, no_files, &error);
		if (arguments && strcmp(name_of(arguments[0]), name_of(launch->argv[0])) == 0) {
			launch->desktop_id = xstrdup(entry.id);
			launch->desktop_file = xstrdup(entry.file);
			wish->prefers_discrete = entry.prefers_discrete;
		}
		desktop_entry_finish(&entry);
	}
	strings_destroy(arguments);
	free(error);
	free(name);
}

bool launch_prepare(struct launch *launch, const struct launch_context *context,
	const char *const *argv, const char *gpu, char **error)
{
	struct gpu_wish wish = {.selector = gpu};
	*launch = (struct launch){0};
	if (!is_desktop_file(argv[0])) {
		launch->argv = copy(argv);
		if (context->desktop_id) {
			adopt_desktop_file(launch, context->desktop_id, &wish);
		}
	} else if (!read_desktop_file(launch, argv, &wish, error)) {
		launch_finish(launch);
		return false;
	}
	if (!choose(launch, context, &wish, error)) {
		launch_finish(launch);
		return false;
	}
	return true;
}

void launch_finish(struct launch *launch)
{
	strings_destroy(launch->argv);
	strings_destroy(launch->environment);
	free(launch->directory);
	free(launch->desktop_id);
	free(launch->desktop_file);
	free(launch->nodes);
	free(launch->unit);
	*launch = (struct launch){0};
}
