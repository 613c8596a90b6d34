/* SPDX-License-Identifier: MIT */
/*
 * causeway_control_v1: queries and commands for clients that may open its socket. Those clients see
 * no other global, and other clients do not see this one; see globals.c.
 */

#include "control.h"
#include "apps/app_rule.h"
#include "causeway-control-v1-protocol.h"
#include "content/device.h"
#include "frame/frame.h"
#include "gpu/gpu.h"
#include "protocol/client/listener.h"
#include "protocol/server_output.h"
#include "render/render.h"
#include "shell/shell.h"
#include "util/display_socket.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/printable.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MESSAGE_MAX 3900 /* maximum size (bytes) of a string in a message of 4096 */

struct control {
	struct protocols *protocols;
	int fd; /* listening; -1: no socket */
	char *path;
	struct client_listener *listener;
	struct wl_listener destroy;
};

static struct server *get_server(struct wl_resource *resource)
{
	struct control *control = wl_resource_get_user_data(resource);
	return control->protocols->server;
}

/** Creates an object for an answer, which has no requests. Returns NULL after posting an error. */
static struct wl_resource *make_answer(
	struct wl_resource *resource, const struct wl_interface *interface, uint32_t id)
{
	return resource_create_child(resource, interface, id, NULL, NULL, NULL);
}

static void cut(char *message)
{
	if (strlen(message) > MESSAGE_MAX) {
		memcpy(message + MESSAGE_MAX - 3, "...", sizeof("..."));
	}
}

/** Sends success. Takes over the message. */
static void succeed_with(struct wl_resource *result, char *message)
{
	cut(message);
	causeway_result_v1_send_ok(result, message);
	wl_resource_destroy(result);
	free(message);
}

static void succeed(struct wl_resource *result)
{
	succeed_with(result, xstrdup(""));
}

/** Sends failure. Takes over the message. */
static void fail(struct wl_resource *result, char *message)
{
	cut(message);
	causeway_result_v1_send_failed(result, message);
	wl_resource_destroy(result);
	free(message);
}

static void report(struct wl_resource *resource, uint32_t id,
	void (*write)(struct server *server, struct wl_resource *report))
{
	struct wl_resource *answer = make_answer(resource, &causeway_report_v1_interface, id);
	if (answer) {
		write(get_server(resource), answer);
	}
}

static void handle_list_outputs(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	report(resource, id, control_report_outputs);
}

static void handle_list_surfaces(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	report(resource, id, control_report_surfaces);
}

static void handle_list_gpus(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	report(resource, id, control_report_gpus);
}

static void handle_get_stats(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	report(resource, id, control_report_stats);
}

static void handle_screenshot(
	struct wl_client *client, struct wl_resource *resource, uint32_t id, const char *output)
{
	struct wl_resource *answer = make_answer(resource, &causeway_screenshot_v1_interface, id);
	if (answer) {
		control_screenshot(get_server(resource), answer, output);
	}
}

/** Lists the programs that keep their GPU although the rules choose another one for them now. */
static char *list_stayers(struct server *server)
{
	char *list = xstrdup("");
	struct wl_client *wl_client;
	wl_client_for_each (wl_client, wl_display_get_client_list(server->display)) {
		struct client *client = client_from_wl(wl_client);
		if (client->next_gpu != client->gpu && client->next_gpu) {
			char *longer = xasprintf("%s%s%s (%d): %s applies at next start", list,
				*list ? "\n" : "", control_client_name(client), (int)client->pid,
				client->next_gpu->bus_id);
			free(list);
			list = longer;
		}
	}
	return list;
}

static void handle_reload(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	char *error = NULL;
	if (!answer) {
		return;
	}
	struct server *server = get_server(resource);
	if (server->impl->reload(server, &error)) {
		char *stayers = list_stayers(server);
		succeed_with(answer, stayers);
	} else {
		fail(answer, error);
	}
}

/**
 * Returns a NULL-terminated array of pointers into `array`, to be freed by the caller, or NULL if
 * the array is malformed.
 */
static const char **split_argv(const struct wl_array *array)
{
	const char *bytes = array->data;
	size_t n = 0;
	if (array->size == 0 || bytes[array->size - 1] != '\0') {
		return NULL;
	}
	for (size_t i = 0; i < array->size; i++) {
		n += bytes[i] == '\0';
	}
	const char **argv = xcalloc(n + 1, sizeof(*argv));
	for (size_t i = 0; i < n; i++) {
		argv[i] = bytes;
		bytes += strlen(bytes) + 1;
	}
	return argv;
}

/** Returns NULL if the selector is valid, otherwise an error message. */
static char *check_gpu(const struct server *server, const char *selector)
{
	if (!selector || config_selector_valid(server->shell->config, selector)) {
		return NULL;
	}
	return xasprintf("'%s' is not a GPU selector: it must be integrated, discrete, display, "
			 "pci-0000_03_00_0, 1002:73bf, renderD129 or an alias of [gpu]",
		PRINTABLE(selector));
}

static void handle_spawn(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_array *array, const char *gpu)
{
	struct server *server = get_server(resource);
	const char **argv = split_argv(array);
	if (!argv) {
		wl_resource_post_error(resource, CAUSEWAY_CONTROL_V1_ERROR_INVALID_ARGV,
			"argv is empty or its last string is not terminated");
		return;
	}
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	if (answer) {
		char *error = check_gpu(server, gpu);
		if (!error && server->impl->spawn(server, argv, gpu, &error)) {
			succeed(answer);
		} else {
			fail(answer, error);
		}
	}
	free(argv);
}

static void handle_get_x_server(
	struct wl_client *client, struct wl_resource *resource, uint32_t id, const char *gpu)
{
	struct server *server = get_server(resource);
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	if (!answer) {
		return;
	}
	char *error = check_gpu(server, gpu);
	if (error) {
		fail(answer, error);
		return;
	}
	char **changes = server->impl->x_environment(server, gpu), *lines = xstrdup("");
	for (char **change = changes; change && *change; change++) {
		char *longer = xasprintf("%s%s\n", lines, *change);
		free(lines);
		lines = longer;
	}
	strings_destroy(changes);
	succeed_with(answer, lines);
}

static void handle_watch(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *watch = make_answer(resource, &causeway_watch_v1_interface, id);
	if (watch) {
		control_watch(get_server(resource), watch);
	}
}

static void handle_trace(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *trace = make_answer(resource, &causeway_trace_v1_interface, id);
	if (trace) {
		control_trace(get_server(resource), trace);
	}
}

static void handle_set_overlay(
	struct wl_client *client, struct wl_resource *resource, uint32_t id, uint32_t overlay)
{
	static const enum frame_overlay overlays[] = {
		[CAUSEWAY_CONTROL_V1_OVERLAY_OFF] = FRAME_OVERLAY_OFF,
		[CAUSEWAY_CONTROL_V1_OVERLAY_ROUTES] = FRAME_OVERLAY_ROUTES,
		[CAUSEWAY_CONTROL_V1_OVERLAY_DAMAGE] = FRAME_OVERLAY_DAMAGE,
	};
	if (overlay >= sizeof(overlays) / sizeof(overlays[0])) {
		wl_resource_post_error(resource, CAUSEWAY_CONTROL_V1_ERROR_INVALID_OVERLAY,
			"invalid overlay %u", overlay);
		return;
	}
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	if (answer) {
		struct server *server = get_server(resource);
		server->impl->set_overlay(server, overlays[overlay]);
		succeed(answer);
	}
}

static void handle_run_action(
	struct wl_client *client, struct wl_resource *resource, uint32_t id, const char *text)
{
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	struct shell *shell = get_server(resource)->shell;
	if (!answer) {
		return;
	}
	struct config_action action = {0};
	char *error = config_set_action(&action, text);
	if (!error && !action.name) {
		error = xstrdup("'none' is no action to run");
	} else if (!error && shell->locked && !config_action_may_be_locked(action.name)) {
		error = xasprintf("the session is locked: %s does not run", action.name);
	} else if (!error) {
		error = shell_check_target(shell, action.name, action.argument);
	}
	if (error) {
		fail(answer, error);
	} else {
		succeed(answer); /* first: the action may end the session */
		wl_client_flush(client);
		shell_run_action(shell, action.name, action.argument);
	}
	free(action.name);
	free(action.argument);
}

static void handle_quit(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	if (answer) {
		succeed(answer);
		wl_client_flush(client);
		struct server *server = get_server(resource);
		server->impl->quit(server, EXIT_SUCCESS);
	}
}

/**
 * Returns true if the selector matches the GPU. Display-only GPUs match, too; selectors of programs
 * match only GPUs that render.
 */
static bool is_selected(const struct server *server, const struct gpu *gpu, const char *selector)
{
	return gpu &&
	       (gpu_matches(gpu, selector) || gpu == gpu_select(server->shell->config, server->gpus,
							     server->device->gpu, selector));
}

/** Returns the first matching renderer; without a selector, the first one. */
static struct renderer *find_renderer(const struct server *server, const char *selector)
{
	if (!selector || is_selected(server, server->device->gpu, selector)) {
		return server->device->renderer;
	}
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		const struct render_device *device =
			entry->frame ? frame_output_device(entry->frame) : NULL;
		if (device && is_selected(server, device->gpu, selector)) {
			return device->renderer;
		}
	}
	return NULL;
}

static void handle_lose_renderer(
	struct wl_client *client, struct wl_resource *resource, uint32_t id, const char *gpu)
{
	struct server *server = get_server(resource);
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	if (!answer) {
		return;
	}
	struct renderer *renderer = find_renderer(server, gpu);
	if (gpu && !renderer) {
		fail(answer, xasprintf("there is no renderer on GPU '%s'", PRINTABLE(gpu)));
	} else if (!renderer || !renderer->impl->lose) {
		fail(answer, xstrdup("this renderer does not support losing its context"));
	} else {
		renderer->impl->lose(renderer);
		succeed(answer);
	}
}

static void handle_list_windows(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	report(resource, id, control_report_windows);
}

static void handle_list_workspaces(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	report(resource, id, control_report_workspaces);
}

static void handle_list_keyboards(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	report(resource, id, control_report_keyboards);
}

static void handle_subscribe(
	struct wl_client *client, struct wl_resource *resource, uint32_t id, uint32_t idle)
{
	struct wl_resource *subscription =
		make_answer(resource, &causeway_subscription_v1_interface, id);
	if (subscription) {
		control_subscribe(get_server(resource), subscription, idle);
	}
}

static const struct causeway_control_v1_interface control_impl = {
	.destroy = resource_handle_destroy,
	.list_outputs = handle_list_outputs,
	.list_surfaces = handle_list_surfaces,
	.list_gpus = handle_list_gpus,
	.get_stats = handle_get_stats,
	.screenshot = handle_screenshot,
	.reload = handle_reload,
	.spawn = handle_spawn,
	.quit = handle_quit,
	.lose_renderer = handle_lose_renderer,
	.watch = handle_watch,
	.trace = handle_trace,
	.set_overlay = handle_set_overlay,
	.list_windows = handle_list_windows,
	.run_action = handle_run_action,
	.list_workspaces = handle_list_workspaces,
	.list_keyboards = handle_list_keyboards,
	.subscribe = handle_subscribe,
	.get_x_server = handle_get_x_server,
};

static void handle_client(void *data, struct wl_client *client)
{
	if (client) {
		client_from_wl(client)->control = true;
	}
}

/**
 * Creates a listening socket like fd_listen() and moves it to `path` once it listens, replacing a
 * stale one.
 */
static int replace_socket(const char *path)
{
	/* The lock of the display's name also protects this path. */
	char *fresh = xasprintf("%s.new", path);
	unlink(fresh);
	int fd = fd_listen(fresh, S_IRUSR | S_IWUSR);
	if (fd >= 0 && rename(fresh, path) < 0) {
		int error = errno;
		unlink(fresh);
		close(fd);
		fd = -error;
	}
	free(fresh);
	return fd;
}

static void open_socket(struct control *control)
{
	const struct server *server = control->protocols->server;
	const char *folder = getenv("XDG_RUNTIME_DIR");
	if (!server->socket || !folder || server->options->bare) {
		return;
	}
	control->path = xasprintf("%s/causeway-%s.ctl", folder, server->socket->name);
	control->fd = replace_socket(control->path);
	if (control->fd < 0) {
		log_warn("%s: cannot create the control socket: %s", control->path,
			strerror(-control->fd));
		control->fd = -1;
		free(control->path);
		control->path = NULL;
		return;
	}
	control->listener =
		client_listener_create(control->protocols, control->fd, handle_client, control);
	if (control->listener) {
		client_listener_use_reserve(control->listener);
	} else {
		log_warn("%s: cannot watch the control socket: %s", control->path, strerror(errno));
		/* Otherwise clients could connect, but would wait forever. */
		fd_close(&control->fd);
		unlink(control->path);
		free(control->path);
		control->path = NULL;
	}
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct control *control = wl_container_of(listener, control, destroy);
	wl_list_remove(&control->destroy.link);
	client_listener_destroy(control->listener);
	if (control->path) {
		unlink(control->path);
	}
	fd_close(&control->fd);
	free(control->path);
	free(control);
}

void control_create(struct protocols *protocols)
{
	struct control *control = xcalloc(1, sizeof(*control));
	control->protocols = protocols;
	control->fd = -1;
	signal_add(&protocols->events.destroy, &control->destroy, handle_destroy);
	protocols_add_global(protocols, &causeway_control_v1_interface, 7, &control_impl, control,
		GLOBAL_PUBLIC);
	open_socket(control);
}
