/* SPDX-License-Identifier: MIT */
/* The wlcs module: a server on a thread, and the calls that wlcs makes. */

#include "module.h"
#include "backend/headless.h"
#include "protocol/protocol.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wayland-client-core.h>

struct command {
	struct wl_list link;
	void (*run)(struct module *module, void *data);
	void *data;
	bool done;
};

/** A client, identified by the descriptor of its connection in wlcs. */
struct connection {
	struct wl_list link;
	int fd;
	struct wl_client *client;
	struct wl_listener destroy;
};

static int handle_wake(int fd, uint32_t mask, void *data)
{
	struct module *module = data;
	uint64_t n;
	if (read(fd, &n, sizeof(n)) != (ssize_t)sizeof(n)) {
		return 0;
	}
	pthread_mutex_lock(&module->lock);
	while (!wl_list_empty(&module->commands)) {
		struct command *command = wl_container_of(module->commands.next, command, link);
		wl_list_remove(&command->link);
		pthread_mutex_unlock(&module->lock);
		command->run(module, command->data);
		pthread_mutex_lock(&module->lock);
		command->done = true;
		pthread_cond_broadcast(&module->done);
	}
	pthread_mutex_unlock(&module->lock);
	return 0;
}

void module_call(struct module *module, void (*run)(struct module *module, void *data), void *data)
{
	if (!module->running) {
		run(module, data);
		return;
	}
	struct command command = {.run = run, .data = data};
	const uint64_t one = 1;
	pthread_mutex_lock(&module->lock);
	wl_list_insert(module->commands.prev, &command.link);
	if (write(module->wake, &one, sizeof(one)) != (ssize_t)sizeof(one)) {
		abort();
	}
	while (!command.done) {
		pthread_cond_wait(&module->done, &module->lock);
	}
	pthread_mutex_unlock(&module->lock);
}

static void *run_loop(void *data)
{
	struct module *module = data;
	server_run(module->server);
	return NULL;
}

static void start(WlcsDisplayServer *base)
{
	struct module *module = wl_container_of(base, module, base);
	if (pthread_create(&module->thread, NULL, run_loop, module) != 0) {
		abort();
	}
	module->running = true;
}

static void quit(struct module *module, void *data)
{
	server_quit(module->server, 0);
}

static void stop(WlcsDisplayServer *base)
{
	struct module *module = wl_container_of(base, module, base);
	if (!module->running) {
		return;
	}
	module_call(module, quit, NULL);
	pthread_join(module->thread, NULL);
	module->running = false;
}

static void remove_connection(struct connection *connection)
{
	wl_list_remove(&connection->destroy.link);
	wl_list_remove(&connection->link);
	free(connection);
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct connection *connection = wl_container_of(listener, connection, destroy);
	remove_connection(connection);
}

static void connect_client(struct module *module, void *data)
{
	int *fd = data;
	int fds[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
		abort();
	}
	struct connection *connection = xcalloc(1, sizeof(*connection));
	connection->fd = fds[1];
	connection->client = wl_client_create(module->server->display, fds[0]);
	if (!connection->client) {
		abort();
	}
	connection->destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(connection->client, &connection->destroy);
	wl_list_insert(&module->connections, &connection->link);
	*fd = fds[1];
}

static int create_client_socket(WlcsDisplayServer *base)
{
	struct module *module = wl_container_of(base, module, base);
	int fd = -1;
	module_call(module, connect_client, &fd);
	return fd;
}

struct position {
	int fd;
	uint32_t id;
	int x, y;
};

static void position_window(struct module *module, void *data)
{
	const struct position *position = data;
	struct connection *connection;
	/* Newest first: a descriptor number may be reused. */
	wl_list_for_each (connection, &module->connections, link) {
		if (connection->fd != position->fd) {
			continue;
		}
		struct wl_resource *resource =
			wl_client_get_object(connection->client, position->id);
		struct surface *surface = resource ? surface_from_resource(resource) : NULL;
		struct window *window = surface ? window_from_surface(surface) : NULL;
		struct layer *layer = surface ? layer_from_surface(surface) : NULL;
		if (window) {
			window_move_to(window, position->x, position->y);
		} else if (layer) {
			/* Until the next arrangement of its output. */
			scene_node_set_position(&layer->tree->node, position->x, position->y);
		}
		return;
	}
}

static void position_window_absolute(WlcsDisplayServer *base, struct wl_display *client,
	struct wl_surface *surface, int x, int y)
{
	struct module *module = wl_container_of(base, module, base);
	struct position position = {
		.fd = wl_display_get_fd(client),
		.id = wl_proxy_get_id((struct wl_proxy *)surface),
		.x = x,
		.y = y,
	};
	/* The request that creates the surface may still be pending. */
	wl_display_roundtrip(client);
	module_call(module, position_window, &position);
}

static const WlcsIntegrationDescriptor *get_descriptor(const WlcsDisplayServer *base)
{
	/* All extensions are claimed; tests of unsupported ones are excluded by name. */
	static const WlcsExtensionDescriptor extensions[] = {
		{"wl_compositor", 6},
		{"wl_subcompositor", 1},
		{"wl_shm", 2},
		{"wl_seat", 9},
		{"wl_output", 4},
		{"wl_data_device_manager", 3},
		{"xdg_wm_base", 7},
		{"zxdg_output_manager_v1", 3},
		{"zxdg_decoration_manager_v1", 1},
		{"xdg_activation_v1", 1},
		{"zwp_primary_selection_device_manager_v1", 1},
		{"zwp_pointer_constraints_v1", 1},
		{"zwp_relative_pointer_manager_v1", 1},
		{"zwlr_layer_shell_v1", 5},
		{"zwlr_virtual_pointer_manager_v1", 2},
		{"zwlr_screencopy_manager_v1", 3},
		{"zwp_virtual_keyboard_manager_v1", 1},
		{"wp_viewporter", 1},
		{"wp_fractional_scale_manager_v1", 1},
		{"wp_cursor_shape_manager_v1", 1},
		{"ext_foreign_toplevel_list_v1", 1},
		{"zwlr_foreign_toplevel_manager_v1", 3},
		{"zwp_linux_dmabuf_v1", 5},
	};
	static const WlcsIntegrationDescriptor descriptor = {
		.version = WLCS_INTEGRATION_DESCRIPTOR_VERSION,
		.num_extensions = sizeof(extensions) / sizeof(extensions[0]),
		.supported_extensions = extensions,
	};
	return &descriptor;
}

static WlcsDisplayServer *create_server(int argc, const char **argv)
{
	struct module *module = xcalloc(1, sizeof(*module));
	module->base = (WlcsDisplayServer){
		.version = WLCS_DISPLAY_SERVER_VERSION,
		.start = start,
		.stop = stop,
		.create_client_socket = create_client_socket,
		.position_window_absolute = position_window_absolute,
		.create_pointer = module_create_pointer,
		.create_touch = module_create_touch,
		.get_descriptor = get_descriptor,
	};
	/* Tests wait for frames, so the refresh rate is high. */
	module->output = (struct server_output_option){
		.width = 1280, .height = 1024, .refresh = 500000, .scale = 1};
	module->options = (struct server_options){
		.backend = BACKEND_HEADLESS,
		.renderer = RENDERER_PIXMAN,
		.socket = "",
		.outputs = &module->output,
		.n_outputs = 1,
		.bare = true,
		.memfd_dmabufs = true,
		.unasked_selections = true, /* tests set selections without a window */
		.unconfigured_buffers =
			true, /* wlcs clients draw without waiting for a configure event */
	};
	wl_list_init(&module->connections);
	wl_list_init(&module->commands);
	pthread_mutex_init(&module->lock, NULL);
	pthread_cond_init(&module->done, NULL);
	char *error = NULL;
	module->server = server_create(&module->options, &error);
	if (!module->server) {
		fprintf(stderr, "no server: %s\n", error);
		abort();
	}
	/* In a corner without windows: tests expect the pointer elsewhere at first. */
	pointer_warp(module->server->seat,
		(struct coord_global){module->output.width, module->output.height});
	/* Clients look for capabilities once, at the start. */
	headless_add_input(module->server->backend, INPUT_KEYBOARD, "wlcs keyboard");
	headless_add_input(module->server->backend, INPUT_POINTER, "wlcs idle pointer");
	headless_add_input(module->server->backend, INPUT_TOUCH, "wlcs idle touch screen");
	module->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	module->wake_source = wl_event_loop_add_fd(
		module->server->loop, module->wake, WL_EVENT_READABLE, handle_wake, module);
	assert(module->wake_source);
	return &module->base;
}

static void destroy_server(WlcsDisplayServer *base)
{
	struct module *module = wl_container_of(base, module, base);
	stop(base);
	wl_event_source_remove(module->wake_source);
	close(module->wake);
	server_destroy(module->server);
	assert(wl_list_empty(&module->connections));
	pthread_cond_destroy(&module->done);
	pthread_mutex_destroy(&module->lock);
	free(module);
}

__attribute__((visibility("default"))) const WlcsServerIntegration wlcs_server_integration = {
	.version = WLCS_SERVER_INTEGRATION_VERSION,
	.create_server = create_server,
	.destroy_server = destroy_server,
};
