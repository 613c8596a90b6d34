/*
 * causeway_control_v1: asking and steering, for whoever may open its socket. Its clients see nothing
 * else, and nobody else sees it; see protocols.c.
 */

#include "control.h"
#include "causeway-control-v1-protocol.h"
#include "entrance.h"
#include "shell/app_rule.h"
#include "util/display_socket.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION 3
#define MAX_MESSAGE 3900 /* bytes of a string that fits into a message of 4096 */

struct control {
	struct protocols *protocols;
	int fd; /* listening; -1: there is no socket */
	char *path;
	struct entrance *entrance;
	struct wl_listener destroy;
};

static struct server *get_server(struct wl_resource *resource)
{
	struct control *control = wl_resource_get_user_data(resource);
	return control->protocols->server;
}

/** A new object for an answer; NULL after an error. Answers take no requests. */
static struct wl_resource *make_answer(
	struct wl_resource *resource, const struct wl_interface *interface, uint32_t id)
{
	struct wl_client *client = wl_resource_get_client(resource);
	struct wl_resource *answer =
		wl_resource_create(client, interface, wl_resource_get_version(resource), id);
	if (!answer) {
		wl_client_post_no_memory(client);
	}
	return answer;
}

static void cut(char *message)
{
	if (strlen(message) > MAX_MESSAGE) {
		memcpy(message + MAX_MESSAGE - 3, "...", sizeof("..."));
	}
}

/** Takes the message over. */
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

/** Takes the message over. */
static void fail(struct wl_resource *result, char *message)
{
	cut(message);
	causeway_result_v1_send_failed(result, message);
	wl_resource_destroy(result);
	free(message);
}

static void handle_destroy_control(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
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

/** Programs that keep their GPU although the rules have another one for them. */
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
	if (server_reload(get_server(resource), &error)) {
		char *stayers = list_stayers(get_server(resource));
		succeed_with(answer, stayers);
	} else {
		fail(answer, error);
	}
}

/** Pointers into the array, NULL-terminated, to be freed; NULL if the array is malformed. */
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

/** NULL if the selector is good, else why not. */
static char *check_gpu(const struct server *server, const char *selector)
{
	if (!selector || config_selector_valid(server->shell->config, selector)) {
		return NULL;
	}
	return xasprintf("'%.200s' is no GPU: it must be integrated, discrete, display, "
			 "pci-0000_03_00_0, 1002:73bf, renderD129 or an alias of [gpu]",
		selector);
}

static void handle_spawn(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_array *array, const char *gpu)
{
	struct server *server = get_server(resource);
	const char **argv = split_argv(array);
	if (!argv) {
		wl_resource_post_error(resource, CAUSEWAY_CONTROL_V1_ERROR_INVALID_ARGV,
			"argv is empty or not terminated");
		return;
	}
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	if (answer) {
		char *error = check_gpu(server, gpu);
		if (!error && server_spawn(server, argv, gpu, &error)) {
			succeed(answer);
		} else {
			fail(answer, error);
		}
	}
	free(argv);
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
			"%u is no overlay", overlay);
		return;
	}
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	if (answer) {
		server_set_overlay(get_server(resource), overlays[overlay]);
		succeed(answer);
	}
}

static void handle_quit(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *answer = make_answer(resource, &causeway_result_v1_interface, id);
	if (answer) {
		succeed(answer);
		wl_client_flush(client);
		server_quit(get_server(resource), EXIT_SUCCESS);
	}
}

/** Also one that only shows: selectors of programs stand for those that render. */
static bool is_meant(const struct server *server, const struct gpu *gpu, const char *selector)
{
	return gpu && (gpu_matches(gpu, selector) ||
			      gpu == gpu_select(server->shell->config, &server->gpus,
					     server->device.gpu, selector));
}

/** The first one's without a selector. */
static struct renderer *find_renderer(const struct server *server, const char *selector)
{
	if (!selector || is_meant(server, server->device.gpu, selector)) {
		return server->device.renderer;
	}
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->frame && is_meant(server, entry->frame->device->gpu, selector)) {
			return entry->frame->device->renderer;
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
		fail(answer, xasprintf("there is no renderer on '%.200s'", gpu));
	} else if (!renderer || !renderer->impl->lose) {
		fail(answer, xstrdup("the renderer has no context that could be lost"));
	} else {
		renderer->impl->lose(renderer);
		succeed(answer);
	}
}

static const struct causeway_control_v1_interface control_impl = {
	.destroy = handle_destroy_control,
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
};

static void bind_control(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &causeway_control_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &control_impl, data, NULL);
}

static void handle_came(void *data, struct wl_client *client)
{
	if (client) {
		client_from_wl(client)->control = true;
	}
}

/** As fd_listen(); the socket is at `path` only when it listens, and takes the place of a stale one. */
static int replace_socket(const char *path)
{
	/* The display's name is ours, by its lock, and so are these. */
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
		log_warn("%s: no control socket: %s", control->path, strerror(-control->fd));
		control->fd = -1;
		free(control->path);
		control->path = NULL;
		return;
	}
	control->entrance = entrance_create(control->protocols, control->fd, handle_came, control);
	if (control->entrance) {
		entrance_use_reserve(control->entrance);
	} else {
		log_warn("%s: it cannot be watched: %s", control->path, strerror(errno));
		/* Who connects would wait for ever. */
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
	entrance_destroy(control->entrance);
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
	control->destroy.notify = handle_destroy;
	wl_signal_add(&protocols->events.destroy, &control->destroy);
	protocols_add_global(protocols, &causeway_control_v1_interface, VERSION, control,
		bind_control, GLOBAL_PUBLIC);
	open_socket(control);
}
