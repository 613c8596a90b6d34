/* SPDX-License-Identifier: MIT */
/*
 * The server: creates all parts in the order of their dependencies, connects them, and destroys
 * them in reverse.
 */

#include "server/server.h"
#include "backend/drm.h"
#include "backend/session.h"
#include "backend/wayland.h"
#include "backend_choice.h"
#include "children.h"
#include "configuration.h"
#include "content/device.h"
#include "copy/copier.h"
#include "gpu/power_watch.h"
#include "inputs.h"
#include "outputs.h"
#include "power.h"
#include "programs.h"
#include "protocol/protocols.h"
#include "render/text.h"
#include "render_device.h"
#include "scopes.h"
#include "seat/cursor.h"
#include "seat/seat.h"
#include "staging/staging.h"
#include "state.h"
#include "util/display_socket.h"
#include "util/event_source.h"
#include "util/file.h"
#include "util/log.h"
#include "util/realtime.h"
#include "util/task.h"
#include "util/xalloc.h"
#include "x_servers.h"
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool host_spawn(void *data, const char *const *argv, char **error)
{
	return server_spawn(data, argv, NULL, error);
}

static void host_quit(void *data)
{
	server_quit(data, EXIT_SUCCESS);
}

static bool host_reload(void *data, char **error)
{
	return server_reload(data, error);
}

static void host_switch_vt(void *data, int n)
{
	struct server *server = data;
	if (!server->session) {
		log_info("cannot switch to virtual terminal %d: the session is not on a "
			 "seat",
			n);
		return;
	}
	int error = session_switch_vt(server->session, n);
	if (error < 0) {
		log_warn("cannot switch to virtual terminal %d: %s", n, strerror(-error));
	}
}

static void handle_child_ended(void *data, pid_t pid, int code)
{
	struct server *server = data;
	if (server->x_servers) {
		x_servers_child_ended(server->x_servers, pid, code);
	}
	if (pid != server->command) {
		return;
	}
	server->command = 0;
	if (server->options->exit_with_child) {
		server_quit(server, code);
	}
}

static int handle_signal(int number, void *data)
{
	struct server *server = data;
	char *error = NULL;
	switch (number) {
	case SIGCHLD: children_reap(server->children, handle_child_ended, server); break;
	case SIGHUP:
		server_reload(server, &error);
		free(error);
		break;
	default: server_quit(server, EXIT_SUCCESS); break;
	}
	return 0;
}

static_assert(CONFIG_CURSOR_SIZE_MAX == CURSOR_SIZE_MAX, "sizes of cursors");

/** Called first, so that threads of libraries inherit the blocked signals. */
static bool catch_signals(struct server *server)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		server->signals[i] =
			wl_event_loop_add_signal(server->loop, numbers[i], handle_signal, server);
		if (!server->signals[i]) {
			return false;
		}
	}
	return true;
}

static bool create_loop(struct server *server, char **error)
{
	server->display = wl_display_create();
	if (!server->display) {
		*error = xasprintf("cannot create the Wayland display: %s", strerror(errno));
		return false;
	}
	server->loop = wl_display_get_event_loop(server->display);
	server->state->scopes = scopes_create(server->loop);
	if (!server->options->bare && !catch_signals(server)) {
		*error = xasprintf("cannot create a signalfd: %s", strerror(errno));
		return false;
	}
	server->owns_clock = !server->options->clock;
	server->clock = server->owns_clock ? clock_create(server->loop) : server->options->clock;
	if (!server->clock) {
		*error = xasprintf("cannot create a timer: %s", strerror(errno));
		return false;
	}
	server->tasks = tasks_create(server->loop, server->clock);
	if (!server->tasks) {
		*error = xasprintf("cannot create an eventfd: %s", strerror(errno));
		return false;
	}
	return true;
}

static void configure_copier(struct server *server)
{
	static const enum vulkan_queue_kind queues[] = {
		[CONFIG_QUEUE_TRANSFER] = VULKAN_QUEUE_TRANSFER,
		[CONFIG_QUEUE_COMPUTE] = VULKAN_QUEUE_COMPUTE,
		[CONFIG_QUEUE_GRAPHICS] = VULKAN_QUEUE_GRAPHICS,
		[CONFIG_QUEUE_ANY] = VULKAN_QUEUE_ANY,
	};
	static const char *const engines[] = {
		[CONFIG_ENGINE_AUTO] = NULL,
		[CONFIG_ENGINE_SDMA] = "sdma",
		[CONFIG_ENGINE_VULKAN] = "vulkan",
		[CONFIG_ENGINE_GLES] = "gles",
		[CONFIG_ENGINE_CPU] = "cpu",
	};
	server->copier->queue = queues[server->shell->config->gpu.queue];
	server->copier->only = engines[server->shell->config->gpu.engine];
	server->copier->linger = (int64_t)(server->shell->config->gpu.close_after * 1e9);
}

/* Hides the debug overlay, which would reveal hidden windows. */
static void handle_lock(struct wl_listener *listener, void *data)
{
	struct server *server = wl_container_of(listener, server, lock);
	server_set_overlay(server, server->state->overlay);
	throttle_set_locked(server->hidden, server->shell->locked);
}

static void host_set_power(void *data, bool on)
{
	struct server *server = data;
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		server_output_set_power(entry, on);
	}
	if (on) {
		server_screens_wake_absent(server);
	}
}

/* Applies a new configuration of the shell to all other parts. */
static void handle_configured(struct wl_listener *listener, void *data)
{
	struct server *server = wl_container_of(listener, server, configured);
	configure_copier(server);
	server_outputs_configure(server);
	server_inputs_configure(server);
	protocols_rules_changed(server->protocols);
	server_configure_x_servers(server);
	server_outputs_pace(server);
}

/** Creates seat, shell and inputs. The shell takes ownership of `config`. */
static void create_policy(struct server *server, struct config *config)
{
	static const struct shell_host host = {
		.spawn = host_spawn,
		.quit = host_quit,
		.reload = host_reload,
		.switch_vt = host_switch_vt,
		.set_power = host_set_power,
	};
	server->state->shell_host = host;
	server->state->shell_host.data = server;
	server->state->shell_host.display = server->socket ? server->socket->name : NULL;
	server->state->shell_host.has_vts = server->session;
	meter_init(server->meter, server->clock);
	server->scene = scene_create();
	throttle_init(server->hidden, server->scene, server->clock);
	server->seat = seat_create("seat0", server->scene, server->clock, seat_sink(), NULL);
	server->shell = shell_create(
		server->scene, server->seat, server->clock, &server->state->shell_host, config);
	server->text = text_create(server->loop);
	server->shell->text = server->text;
	server->shell->tasks = server->tasks;
	server->shell->helper_program = server->options->helper_program;
	signal_add(&server->shell->events.lock, &server->lock, handle_lock);
	configure_copier(server);
	/* Later changes would let clients keep buffers that no open engine reads. */
	server->copier->compressed = server->shell->config->gpu.compressed_copies;
}

static void handle_power_changed(struct wl_listener *listener, void *data)
{
	struct server *server = wl_container_of(listener, server, power_changed);
	server_outputs_pace(server);
	device_update_motion(server);
}

static void watch_power(struct server *server)
{
	if (server->options->bare) {
		return;
	}
	server->power = xcalloc(1, sizeof(*server->power));
	power_init(server->power, server->loop);
	signal_add(&server->power->events.changed, &server->power_changed, handle_power_changed);
}

static void unwatch_power(struct server *server)
{
	if (server->power) {
		wl_list_remove(&server->power_changed.link);
		power_finish(server->power);
		free(server->power);
	}
}

static void handle_backend_ended(struct wl_listener *listener, void *data)
{
	struct server *server = wl_container_of(listener, server, backend_ended);
	const char *why = data;
	if (why) {
		log_error("%s", why);
	}
	server_quit(server, why ? EXIT_FAILURE : EXIT_SUCCESS);
}

static bool open_socket(struct server *server, char **error)
{
	const char *name = server->options->socket;
	if (name && !*name) {
		return true;
	}
	server->socket = display_socket_open(name, error);
	return server->socket;
}

/** Starts accepting clients, after all globals are created. */
static bool accept_clients(struct server *server, char **error)
{
	if (!server->socket) {
		return true;
	}
	if (!protocols_listen(server->protocols, server->socket->fd)) {
		*error = xasprintf(
			"cannot watch the socket %s: %s", server->socket->path, strerror(errno));
		return false;
	}
	log_info("%s backend, socket %s", server->backend->impl->name, server->socket->name);
	return true;
}

/* Starts the programs of [session], then the command of the options. */
static bool start_command(struct server *server, char **error)
{
	char **start = server->shell->config->session.start;
	for (; start && *start; start++) {
		const char *const argv[] = {"/bin/sh", "-c", *start, NULL};
		char *wrong = NULL;
		if (spawn_session_program(server, argv, &wrong) < 0) {
			log_warn("cannot start '%s': %s", *start, wrong);
			free(wrong);
		}
	}
	if (!server->options->command) {
		return true;
	}
	pid_t pid =
		spawn_session_program(server, (const char *const *)server->options->command, error);
	if (pid < 0) {
		return false;
	}
	server->command = pid;
	return true;
}

static bool create_copier(struct server *server)
{
	char *path = file_cache_path("copy-costs");
	server->copier =
		copier_create(server->loop, server->clock, server->options->bare ? NULL : path);
	free(path);
	server->staging = staging_create(server->copier);
	if (!server->options->bare) {
		path = file_cache_path("copy-verdicts");
		staging_verify_copies(server->staging, server->tasks, path);
		free(path);
	}
	return true;
}

/** Creates the parts below the shell. */
static bool build_base(struct server *server, const struct config *config, char **error)
{
	return create_loop(server, error) && open_socket(server, error) &&
	       backends_create(server, config, error) && create_copier(server) &&
	       device_create(server, error);
}

static const struct server_impl impl = {
	.quit = server_quit,
	.reload = server_reload,
	.spawn = server_spawn,
	.x_environment = server_x_environment,
	.desktop_id = server_desktop_id,
	.set_overlay = server_set_overlay,
	.output_config = server_output_config,
	.output_mode = server_output_mode,
	.output_set_power = server_output_set_power,
	.outputs_test = server_outputs_test,
	.outputs_apply = server_outputs_apply,
};

static bool build(struct server *server, char **error)
{
	struct config *config = configuration_begin(server);
	if (!build_base(server, config, error) || !configuration_may_have_errors(server, error)) {
		config_destroy(config);
		return false;
	}
	create_policy(server, config);
	configuration_report(server);
	server->gpu_power = gpu_power_watch_create(server->gpus, server->loop, server->clock);
	server->protocols = protocols_create(server);
	watch_power(server);
	server_outputs_pace(server);
	device_update_motion(server);
	signal_add(&server->backend->events.ended, &server->backend_ended, handle_backend_ended);
	if (!backends_start(server, error) || !accept_clients(server, error)) {
		return false;
	}
	server_configure_x_servers(server);
	return start_command(server, error);
}

struct server *server_create(const struct server_options *options, char **error)
{
	struct server_state *state = xcalloc(1, sizeof(*state));
	struct server *server = &state->server;
	server->state = state;
	server->impl = &impl;
	server->gpus = &state->gpus;
	server->primary = &state->primary;
	server->hidden = &state->hidden;
	server->meter = &state->meter;
	server->options = options;
	wl_list_init(&server->outputs);
	wl_list_init(&server->state->screens);
	signals_init(&server->events, sizeof(server->events));
	signal_add(&server->events.configured, &server->configured, handle_configured);
	wl_list_init(&server->inputs);
	wl_list_init(&server->devices);
	wl_list_init(&server->new_output.link);
	wl_list_init(&server->new_input.link);
	wl_list_init(&server->input_added.link);
	wl_list_init(&server->backend_ended.link);
	gpu_list_init(server->gpus);
	server->children = children_create();
	if (!build(server, error)) {
		server_destroy(server);
		return NULL;
	}
	return server;
}

int server_run(struct server *server)
{
	/* Real-time priority is for display hardware: a host compositor waits for our frames. */
	if (backend_is_drm(server->backend)) {
		realtime_start();
	}
	while (!server->quitting) {
		do {
			clock_end_turn(server->clock);
			/* Destroys disconnected clients, which changes the scene. */
			protocols_flush(server->protocols);
			wl_event_loop_dispatch_idle(server->loop);
		} while (clock_is_pending(server->clock));
		/* Dispatching of idle sources may have begun another turn. */
		clock_end_turn(server->clock);
		wl_event_loop_dispatch(server->loop, -1);
	}
	return server->exit_code;
}

void server_quit(struct server *server, int exit_code)
{
	server->exit_code = exit_code;
	server->quitting = true;
}

static void destroy_loop(struct server *server)
{
	tasks_destroy(server->tasks);
	for (size_t i = 0; i < sizeof(server->signals) / sizeof(server->signals[0]); i++) {
		event_source_remove(&server->signals[i]);
	}
	if (server->owns_clock && server->clock) {
		clock_destroy(server->clock);
	}
	if (server->display) {
		wl_display_destroy(server->display);
	}
}

void server_destroy(struct server *server)
{
	if (!server) {
		return;
	}
	server_end_x_servers(server);
	protocols_destroy(server->protocols);
	gpu_power_watch_destroy(server->gpu_power);
	scopes_destroy(server->state->scopes);
	children_destroy(server->children);
	server_inputs_finish(server);
	server_outputs_finish(server);
	if (server->shell) {
		wl_list_remove(&server->lock.link);
	}
	shell_destroy(server->shell);
	text_destroy(server->text);
	configuration_finish(server);
	seat_destroy(server->seat);
	backends_destroy(server);
	if (server->scene) {
		throttle_finish(server->hidden);
		meter_finish(server->meter);
	}
	scene_destroy(server->scene);
	unwatch_power(server);
	device_destroy(server);
	staging_destroy(server->staging);
	copier_destroy(server->copier);
	gpu_list_finish(server->gpus);
	destroy_loop(server);
	display_socket_close(server->socket);
	free(server->state);
}
