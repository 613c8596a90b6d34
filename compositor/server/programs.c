/* SPDX-License-Identifier: MIT */
/* Programs started as clients: by key bindings, the control socket and the command line. */

#include "programs.h"
#include "apps/confine.h"
#include "apps/launch.h"
#include "apps/scope.h"
#include "children.h"
#include "protocol/protocols.h"
#include "scopes.h"
#include "server/server.h"
#include "shell/shell.h"
#include "state.h"
#include "util/display_socket.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include "x_servers.h"
#include "xwayland/servers.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/** Number of the descriptor by which a new process waits for its scope. */
#define HOLD_FD 3

/** Returns the environment changes for clients; free with strings_destroy(). */
static char **make_environment(const struct server *server)
{
	const struct config *config = server->shell->config;
	char **environment = strings_add(
		NULL, server->socket ? xasprintf("WAYLAND_DISPLAY=%s", server->socket->name)
				     : xstrdup("WAYLAND_DISPLAY"));
	/* Variables that are meant for the compositor itself. */
	environment = strings_add(environment, xstrdup("WAYLAND_SOCKET"));
	environment = strings_add(environment, xstrdup(LAUNCH_GPU_VARIABLE));
	environment = strings_add(environment, xstrdup(LAUNCH_RULE_VARIABLE));
	environment = strings_add(environment, xstrdup("XDG_SESSION_TYPE=wayland"));
	/* "wlroots" makes portals choose a backend for the wlr protocols. */
	environment = strings_add(environment, xstrdup("XDG_CURRENT_DESKTOP=Causeway:wlroots"));
	char *token = activation_token_create(server->protocols);
	environment = strings_add(environment, xasprintf("XDG_ACTIVATION_TOKEN=%s", token));
	/* For X programs, which pass it on as _NET_STARTUP_ID. */
	environment = strings_add(environment, xasprintf("DESKTOP_STARTUP_ID=%s", token));
	free(token);
	if (config->look.cursor_theme) {
		environment = strings_add(
			environment, xasprintf("XCURSOR_THEME=%s", config->look.cursor_theme));
	}
	if (config->look.cursor_size > 0) {
		environment = strings_add(
			environment, xasprintf("XCURSOR_SIZE=%d", config->look.cursor_size));
	}
	return environment;
}

/** Returns the arguments of the new process; free with strings_destroy(). */
static char **make_arguments(const struct server *server, const struct launch *launch)
{
	char **argv = NULL;
	if (launch->unit) {
		assert(server->options->helper_program);
		argv = strings_add(argv, xstrdup(server->options->helper_program));
		argv = strings_add(
			argv, xasprintf(SCOPE_HOLD_ARGUMENT "%d,%s", HOLD_FD, launch->unit));
	}
	if (launch->nodes) {
		assert(server->options->helper_program);
		argv = strings_add(argv, xstrdup(server->options->helper_program));
		argv = strings_add(argv, xasprintf(CONFINE_ARGUMENT "%s", launch->nodes));
	}
	for (char **argument = launch->argv; *argument; argument++) {
		argv = strings_add(argv, xstrdup(*argument));
	}
	return argv;
}

static pid_t start(struct server *server, const struct launch *launch, char **error)
{
	struct x_server *own;
	char **environment =
		server_add_x_environment(server, launch, make_environment(server), &own);
	for (char **change = launch->environment; change && *change; change++) {
		environment = strings_add(environment, xstrdup(*change));
	}
	char **argv = make_arguments(server, launch);
	int hold[2] = {-1, -1};
	if (launch->unit && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, hold) < 0) {
		log_debug(LOG_BACKEND, "no systemd scope for a program: %s", strerror(errno));
	}
	struct child_start child = {
		.argv = (const char *const *)argv,
		.environment = (const char *const *)environment,
		.directory = launch->directory,
		.desktop_id = launch->desktop_id,
		.fds = &hold[1],
		.n_fds = hold[1] >= 0,
	};
	pid_t pid = children_spawn(server->children, &child);
	fd_close(&hold[1]);
	if (pid > 0 && hold[0] >= 0) {
		scopes_request(server->state->scopes, launch->unit, pid, launch->argv[0], hold[0]);
	} else {
		fd_close(&hold[0]);
	}
	strings_destroy(argv);
	strings_destroy(environment);
	if (own) {
		x_server_set_program(own, pid);
	}
	if (pid < 0) {
		const char *in = launch->directory ? " in " : "";
		*error = xasprintf("cannot start %s%s%s: %s", launch->argv[0], in,
			launch->directory ? launch->directory : "", strerror(-pid));
	}
	return pid;
}

static pid_t prepare_and_start(
	struct server *server, const char *const *argv, const char *gpu, bool session, char **error)
{
	struct launch launch;
	struct launch_context context = {
		.config = server->shell->config,
		.gpus = server->gpus,
		.display = server_display_gpu(server),
		.scopes = server->shell->config->session.scopes &&
			  scopes_usable(server->state->scopes),
		.session = session,
	};
	if (!launch_prepare(&launch, &context, argv, gpu, error)) {
		return -EINVAL;
	}
	pid_t pid = start(server, &launch, error);
	launch_finish(&launch);
	return pid;
}

pid_t spawn_program(struct server *server, const char *const *argv, const char *gpu, char **error)
{
	return prepare_and_start(server, argv, gpu, false, error);
}

pid_t spawn_session_program(struct server *server, const char *const *argv, char **error)
{
	return prepare_and_start(server, argv, NULL, true, error);
}

bool server_spawn(struct server *server, const char *const *argv, const char *gpu, char **error)
{
	return spawn_program(server, argv, gpu, error) > 0;
}

const char *server_desktop_id(const struct server *server, pid_t pid, uint64_t start_time)
{
	return children_desktop_id(server->children, pid, start_time);
}
