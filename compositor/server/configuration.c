/* SPDX-License-Identifier: MIT */
/*
 * The server's configuration: loading, and reloading. The last valid one is saved, and replaces one
 * with errors at the start of a session: ending the session would leave its user without a screen
 * to correct the file on.
 */

#include "configuration.h"
#include "backend/drm.h"
#include "backend/wayland.h"
#include "config/copy.h"
#include "config_watch.h"
#include "outputs.h"
#include "server/server.h"
#include "shell/shell.h"
#include "util/file.h"
#include "util/log.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <stdlib.h>

/** Duration of warnings on screen, ns. */
#define WARNING_TIME INT64_C(20000000000)

/* Watches the files that were read, or else the one that the user may create. */
static void watch_files(
	struct server *server, const struct config *config, char **files, char **stamps)
{
	bool watch = config ? config->watch : true; /* a file with errors will be corrected */
	if (watch && !files) {
		char *path = config_home_path();
		files = path ? strings_add(NULL, path) : NULL;
		stamps = path ? strings_add(NULL, file_stamp(path)) : NULL;
	}
	strings_destroy(server->config_files);
	strings_destroy(server->config_stamps);
	server->config_files = watch ? files : NULL;
	server->config_stamps = watch ? stamps : NULL;
	if (!watch) {
		strings_destroy(files);
		strings_destroy(stamps);
	}
	if (server->config_watch) { /* else at the start: there is no event loop yet */
		config_watch_set(server->config_watch, server->config_files, server->config_stamps);
	}
}

static struct config *load(struct server *server, char **error)
{
	const struct server_options *options = server->options;
	if (options->bare && !options->config_path) {
		struct config *config = config_create_default();
		config->xwayland.enable = false;
		config->look.background.top = config->look.background.bottom = 0x1f2a36;
		return config;
	}
	char **files, **stamps;
	struct config *config = config_load_files(options->config_path, error, &files, &stamps);
	watch_files(server, config, files, stamps);
	return config;
}

static void handle_saved(void *data)
{
	struct server *server = data;
	char *error = NULL;
	server_reload(server, &error); /* reports errors itself */
	free(error);
}

static void keep_copy(struct server *server, const struct config *config)
{
	if (server->config_copy && config->text) {
		config_copy_save(server->config_copy, config->text);
	}
}

static char *copy_path(const struct server_options *options)
{
	if (options->config_copy) {
		return xstrdup(options->config_copy);
	}
	return options->bare ? NULL : file_state_path("last-good.ini");
}

struct config *configuration_begin(struct server *server)
{
	char *path = copy_path(server->options);
	server->config_copy = path ? config_copy_create(path) : NULL;
	struct config *config = load(server, &server->config_error);
	if (config) {
		keep_copy(server, config);
		return config;
	}
	config = server->config_copy ? config_copy_load(server->config_copy) : NULL;
	server->runs_copy = config != NULL;
	return config ? config : config_create_default();
}

bool configuration_may_have_errors(struct server *server, char **error)
{
	if (!server->config_error || backend_is_drm(server->backend)) {
		return true;
	}
	*error = server->config_error;
	server->config_error = NULL;
	return false;
}

static void show_error(struct server *server, const char *error, const char *in_force)
{
	char *text =
		xasprintf("The configuration has errors; %s.\n\n%s\n\nCorrect them and read it "
			  "again with Super+Shift+C or `causewayctl reload`. A click hides this.",
			in_force, error);
	shell_show_message(server->shell, SHELL_MESSAGE_SESSION, text, 0);
	free(text);
}

/* Reports the warnings that are fast to find; --check-config finds the others. */
static void show_warnings(struct server *server, const struct config *config)
{
	char *warnings = config_find_overlaps(config);
	if (warnings) {
		log_warn("%s", warnings);
		shell_show_message(server->shell, SHELL_MESSAGE_SESSION, warnings, WARNING_TIME);
		free(warnings);
	}
}

void configuration_report(struct server *server)
{
	server->config_watch =
		config_watch_create(server->loop, server->clock, handle_saved, server);
	config_watch_set(server->config_watch, server->config_files, server->config_stamps);
	if (!server->config_error) {
		show_warnings(server, server->shell->config);
		const bool seen =
			backend_is_drm(server->backend) || backend_is_wayland(server->backend);
		if (!server->shell->config->path && seen && !server->options->bare) {
			shell_show_welcome(server->shell);
		}
		return;
	}
	const char *in_force = server->runs_copy ? "the last good one is in force"
						 : "the built-in defaults are in force";
	log_error("the configuration has errors; %s:\n%s", in_force, server->config_error);
	show_error(server, server->config_error, in_force);
	free(server->config_error);
	server->config_error = NULL;
}

void configuration_finish(struct server *server)
{
	config_watch_destroy(server->config_watch);
	strings_destroy(server->config_files);
	strings_destroy(server->config_stamps);
	config_copy_destroy(server->config_copy);
	free(server->config_error);
}

bool server_reload(struct server *server, char **error)
{
	struct config *config = load(server, error);
	if (!config) {
		log_warn("the configuration stays as it was:\n%s", *error);
		show_error(server, *error, "the one before stays in force");
		return false;
	}
	keep_copy(server, config);
	server_outputs_compare(server, config);
	shell_set_config(server->shell, config);
	signal_emit(&server->events.configured, NULL);
	shell_hide_message(server->shell, SHELL_MESSAGE_SESSION);
	show_warnings(server, config);
	log_info("configuration: %s", config->path ? config->path : "built-in defaults");
	return true;
}
