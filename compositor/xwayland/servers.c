/* SPDX-License-Identifier: MIT */
/*
 * All X servers of a session: which program gets which, and what they are told of their children.
 */

#include "xwayland/servers.h"
#include "arrivals.h"
#include "assignment.h"
#include "cookie.h"
#include "display.h"
#include "gpu/gpu.h"
#include "kernel_test.h"
#include "process.h"
#include "shared_display.h"
#include "surface/client.h"
#include "util/file.h"
#include "util/log.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

static struct x_server *find_default(struct x_servers *servers)
{
	struct x_server *server = wl_container_of(servers->list.next, server, link);
	return server;
}

/* Shared display */

static void assign(void *data, const struct process *process, struct x_assignment *assignment)
{
	struct x_servers *servers = data;
	if (process) {
		*assignment = x_assign(&servers->programs, process, servers->options.host);
	} else {
		assignment->reason = xstrdup("default, of an unknown program");
	}
	if (!assignment->server) {
		assignment->server = x_server_for_gpu(servers, assignment->gpu);
	}
}

static const struct x_channel *get_channel(const struct x_server *server)
{
	return &x_process_from_server((struct x_server *)server)->channel;
}

static void accept_connections(struct x_servers *servers)
{
	const struct x_arrivals_options options = {
		.servers = &servers->options,
		.display = servers->shared->display,
		.programs = &servers->programs,
		.data = servers,
		.assign = assign,
		.channel = get_channel,
	};
	servers->arrivals = x_arrivals_create(&options);
}

/** Gives the display to the default server; no other one has served a program yet. */
static void stop_sharing(struct x_servers *servers, int error)
{
	struct x_shared_display *shared = servers->shared;
	struct x_server *first = find_default(servers), *server, *next;
	log_info("each X server gets a display of its own, since accept() cannot be answered for "
		 "it: %s",
		strerror(error));
	servers->shared = NULL;
	x_process_set_display(x_process_from_server(first), shared->display);
	shared->display = NULL;
	wl_list_for_each_safe (server, next, &servers->list, link) {
		if (server != first && !server->own) {
			x_process_destroy(x_process_from_server(server));
		}
	}
	x_shared_display_destroy(shared);
}

static void handle_kernel_tested(void *data, int error)
{
	struct x_servers *servers = data;
	servers->kernel_test = NULL;
	if (error) {
		stop_sharing(servers, error);
	} else {
		accept_connections(servers);
	}
}

/** Opens the display of all servers. Returns false with *error. */
static bool share(struct x_servers *servers, char **error)
{
	const struct x_servers_options *options = &servers->options;
	if (options->one_display && options->helper_program) {
		servers->shared = x_shared_display_create(
			options->folder, options->settings.abstract_socket, error);
		return servers->shared;
	}
	return true;
}

static void test_kernel(struct x_servers *servers)
{
	int error;
	servers->kernel_test = x_kernel_test_start(&servers->options, servers->shared->acceptor,
		find_default(servers), handle_kernel_tested, servers, &error);
	if (!servers->kernel_test) {
		stop_sharing(servers, error);
	}
}

const char *x_servers_reason(const struct x_servers *servers, pid_t pid)
{
	const struct x_program *program;
	wl_list_for_each (program, &servers->programs.list, link) {
		if (program->pid == pid) {
			return program->reason;
		}
	}
	return NULL;
}

void x_servers_visit_programs(const struct x_servers *servers,
	void (*visit)(void *data, const struct x_server *server, pid_t pid, const char *exe,
		const char *reason),
	void *data)
{
	const struct x_program *program;
	wl_list_for_each_reverse (program, &servers->programs.list, link) {
		visit(data, program->server, program->pid, program->exe, program->reason);
	}
}

struct x_servers *x_servers_create(const struct x_servers_options *options, char **error)
{
	if (!file_has_program("Xwayland")) {
		*error = xstrdup("Xwayland is not installed (package xwayland)");
		return NULL;
	}
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	if (runtime) {
		x_cookie_clean(runtime);
	}
	struct x_servers *servers = xcalloc(1, sizeof(*servers));
	servers->options = *options;
	servers->options.folder = options->folder ? options->folder : "/tmp";
	wl_list_init(&servers->list);
	x_programs_init(&servers->programs, options->loop, options->clock);
	if (!share(servers, error) || !x_process_create(servers, NULL, false, error)) {
		x_servers_destroy(servers);
		return NULL;
	}
	if (servers->shared) {
		test_kernel(servers);
	}
	return servers;
}

void x_servers_destroy(struct x_servers *servers)
{
	if (!servers) {
		return;
	}
	x_kernel_test_destroy(servers->kernel_test);
	x_arrivals_destroy(servers->arrivals);
	x_programs_finish(&servers->programs);
	struct x_server *server, *next;
	wl_list_for_each_safe (server, next, &servers->list, link) {
		x_process_destroy(x_process_from_server(server));
	}
	x_shared_display_destroy(servers->shared);
	free(servers);
}

static void set_scale(struct x_servers *servers, struct x_server *server, double scale)
{
	server->scale = scale;
	if (server->client) {
		server->client->density = scale;
	}
	if (server->wm) {
		servers->options.wm->scaled(server->wm);
	}
}

void x_servers_configure(struct x_servers *servers, const struct x_servers_settings *settings)
{
	struct x_server *server;
	servers->options.settings = *settings;
	wl_list_for_each (server, &servers->list, link) {
		x_process_choose_gpu(x_process_from_server(server));
		if (server->scale != settings->scale) {
			set_scale(servers, server, settings->scale);
		}
	}
}

const struct wl_list *x_servers_list(const struct x_servers *servers)
{
	return &servers->list;
}

static struct x_server *create(struct x_servers *servers, struct gpu *gpu, bool own, char **error)
{
	if (servers->n >= X_SERVERS_MAX) {
		*error = xasprintf("there are %d X servers, which is the limit", servers->n);
		return NULL;
	}
	struct x_process *process = x_process_create(servers, gpu, own, error);
	return process ? &process->base : NULL;
}

/** Returns whether a program that has connected before would come back to the server. */
static bool has_programs(const struct x_servers *servers, const struct x_server *server)
{
	const struct x_program *program;
	wl_list_for_each (program, &servers->programs.list, link) {
		if (program->server == server) {
			return true;
		}
	}
	return false;
}

/**
 * Returns an idle server without a GPU or program that needs it, or NULL: a GPU that is plugged in
 * again is a new one, and the default GPU has the default server.
 */
static struct x_server *find_unused(struct x_servers *servers)
{
	const struct x_server *first = find_default(servers);
	struct x_server *server;
	wl_list_for_each (server, &servers->list, link) {
		if (server != first && !server->own &&
			x_process_from_server(server)->state == X_PROCESS_IDLE &&
			!has_programs(servers, server) &&
			(!server->gpu || server->gpu->gone || server->gpu == first->gpu)) {
			return server;
		}
	}
	return NULL;
}

struct x_server *x_server_for_gpu(struct x_servers *servers, struct gpu *gpu)
{
	x_process_choose_gpu(x_process_from_server(find_default(servers)));
	if (!gpu || !servers->options.settings.per_gpu || gpu == find_default(servers)->gpu) {
		return find_default(servers);
	}
	struct x_server *server;
	wl_list_for_each (server, &servers->list, link) {
		if (!server->own && server->gpu == gpu && server != find_default(servers)) {
			return server;
		}
	}
	server = find_unused(servers);
	if (server) {
		server->gpu = gpu;
		return server;
	}
	char *error = NULL;
	server = create(servers, gpu, false, &error);
	if (!server) {
		log_warn("the default X server is used: %s", error);
		free(error);
		return find_default(servers);
	}
	return server;
}

struct x_server *x_server_create_own(struct x_servers *servers, struct gpu *gpu, char **error)
{
	return create(servers, gpu, true, error);
}

void x_server_set_program(struct x_server *base, pid_t pid)
{
	struct x_process *process = x_process_from_server(base);
	process->program = pid < 0 ? -1 : pid;
	if (pid < 0 && process->state == X_PROCESS_IDLE) {
		x_process_destroy(process);
	}
}

char **x_server_environment(const struct x_server *base)
{
	if (!base) {
		return strings_add(strings_add(NULL, xstrdup("DISPLAY")), xstrdup("XAUTHORITY"));
	}
	const struct x_display *display =
		x_process_display(x_process_from_server((struct x_server *)base));
	char **environment = strings_add(NULL, xasprintf("DISPLAY=:%d", display->number));
	environment = strings_add(environment, xasprintf("XAUTHORITY=%s", display->cookie_path));
	/* Java draws nothing into a window before it gets a parent of the window manager. */
	return strings_add(environment, xstrdup("_JAVA_AWT_WM_NONREPARENTING=1"));
}

void x_servers_child_ended(struct x_servers *servers, pid_t pid, int code)
{
	if (x_kernel_test_child_ended(servers->kernel_test, pid, code)) {
		return;
	}
	struct x_server *base, *next;
	wl_list_for_each_safe (base, next, &servers->list, link) {
		struct x_process *process = x_process_from_server(base);
		if (base->pid == pid) {
			x_process_handle_end(process, code);
			return;
		}
		if (process->program == pid) {
			x_process_handle_program_end(process);
			return;
		}
	}
}

struct surface *x_server_find_surface(const struct x_server *server, uint32_t id)
{
	const struct x_servers_host *host =
		x_process_from_server((struct x_server *)server)->all->options.host;
	return server->wl_client ? host->find_surface(server->wl_client, id) : NULL;
}

struct surface *x_server_find_serial(const struct x_server *server, uint64_t serial)
{
	const struct x_servers_host *host =
		x_process_from_server((struct x_server *)server)->all->options.host;
	return server->wl_client ? host->find_serial(server->wl_client, serial) : NULL;
}

const struct surface_role *x_server_role(const struct x_server *server)
{
	const struct x_server_wm_impl *wm =
		x_process_from_server((struct x_server *)server)->all->options.wm;
	return wm ? wm->role : NULL;
}

void x_server_add_surface(struct x_server *base, struct surface *surface, uint32_t id)
{
	if (base->wm) {
		x_process_from_server(base)->all->options.wm->new_surface(base->wm, surface, id);
	}
}

void x_server_set_serial(struct x_server *base, struct surface *surface, uint64_t serial)
{
	if (base->wm) {
		x_process_from_server(base)->all->options.wm->surface_with_serial(
			base->wm, surface, serial);
	}
}
