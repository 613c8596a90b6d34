/* SPDX-License-Identifier: MIT */
/*
 * Minimal Wayland server, as a lower bound of costs: floor [--output=WxH] -- COMMAND [ARG...].
 *
 * Damage of commits is copied with one memcpy per row into memory that represents a screen, once
 * per vblank of a virtual clock; then buffers are released and frame callbacks and presentation
 * events are sent. The server has no window management, input or occlusion, so the costs of a
 * compositor above the floor are its own. Runs COMMAND as a client and ends with it.
 */

#include "presentation-time-protocol.h"
#include "xdg-shell-protocol.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wayland-server.h>

#define REFRESH_NS (INT64_C(1000000000) / 60)
#define NS_PER_S INT64_C(1000000000)

struct floor_server {
	struct wl_display *display;
	int timer_fd;
	int64_t start; /* start of the vblank grid in ns */
	int64_t vblank; /* next vblank, if armed */
	bool armed;
	int width, height;
	uint32_t *screen;
	struct wl_list changed; /* in surface.link */
	pid_t child;
};

struct surface {
	struct floor_server *server;
	struct wl_resource *pending_buffer, *buffer;
	struct wl_listener pending_destroy, buffer_destroy;
	bool attached;
	/* Position on the screen: of the subsurface, or the corner for other surfaces. */
	int32_t x, y;
	/* Bounding box of the damage in buffer pixels. */
	int32_t x1, y1, x2, y2;
	struct wl_list pending_callbacks, callbacks; /* of resources */
	struct wl_list pending_feedbacks, feedbacks; /* of resources */
	struct wl_list link; /* in floor_server.changed; empty without changes */
};

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Screen */

static void arm(struct floor_server *server)
{
	if (server->armed) {
		return;
	}
	int64_t periods = (now_ns() - server->start) / REFRESH_NS + 1;
	int64_t when = server->vblank = server->start + periods * REFRESH_NS;
	struct itimerspec spec = {.it_value = {when / NS_PER_S, when % NS_PER_S}};
	timerfd_settime(server->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
	server->armed = true;
}

static int32_t least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static void copy(struct surface *surface)
{
	struct floor_server *server = surface->server;
	struct wl_shm_buffer *shm = wl_shm_buffer_get(surface->buffer);
	int32_t width = least(wl_shm_buffer_get_width(shm), server->width - surface->x);
	int32_t height = least(wl_shm_buffer_get_height(shm), server->height - surface->y);
	int32_t x1 = most(surface->x1, most(0, -surface->x)), x2 = least(surface->x2, width);
	int32_t y1 = most(surface->y1, most(0, -surface->y)), y2 = least(surface->y2, height);
	size_t stride = (size_t)wl_shm_buffer_get_stride(shm);
	if (x1 >= x2) {
		return;
	}
	wl_shm_buffer_begin_access(shm);
	const char *data = wl_shm_buffer_get_data(shm);
	for (int32_t y = y1; y < y2; y++) {
		size_t to = (size_t)(surface->y + y) * (size_t)server->width;
		memcpy(&server->screen[to + (size_t)(surface->x + x1)],
			data + (size_t)y * stride + (size_t)x1 * 4, (size_t)(x2 - x1) * 4);
	}
	wl_shm_buffer_end_access(shm);
}

static void set_buffer(
	struct wl_resource **slot, struct wl_listener *listener, struct wl_resource *buffer)
{
	if (*slot) {
		wl_list_remove(&listener->link);
	}
	*slot = buffer;
	if (buffer) {
		wl_resource_add_destroy_listener(buffer, listener);
	}
}

static void release(struct surface *surface)
{
	if (surface->buffer) {
		wl_buffer_send_release(surface->buffer);
		set_buffer(&surface->buffer, &surface->buffer_destroy, NULL);
	}
}

static void drop(struct wl_list *resources)
{
	struct wl_resource *resource, *next;
	wl_resource_for_each_safe (resource, next, resources) {
		wl_resource_destroy(resource);
	}
}

static void send_presented(struct surface *surface, int64_t when)
{
	struct wl_resource *feedback;
	uint64_t seconds = (uint64_t)(when / NS_PER_S);
	wl_resource_for_each (feedback, &surface->feedbacks) {
		wp_presentation_feedback_send_presented(feedback, (uint32_t)(seconds >> 32),
			(uint32_t)seconds, (uint32_t)(when % NS_PER_S), (uint32_t)REFRESH_NS, 0, 0,
			WP_PRESENTATION_FEEDBACK_KIND_VSYNC);
	}
	drop(&surface->feedbacks);
}

static int handle_vblank(int fd, uint32_t mask, void *data)
{
	struct floor_server *server = data;
	uint64_t expirations;
	uint32_t ms = (uint32_t)(now_ns() / 1000000);
	if (read(fd, &expirations, sizeof(expirations)) < 0) {
		return 0;
	}
	server->armed = false;
	while (!wl_list_empty(&server->changed)) {
		struct surface *surface = wl_container_of(server->changed.next, surface, link);
		wl_list_remove(&surface->link);
		wl_list_init(&surface->link);
		if (surface->buffer) {
			copy(surface);
		}
		release(surface);
		surface->x1 = surface->y1 = INT32_MAX;
		surface->x2 = surface->y2 = 0;
		struct wl_resource *callback, *next;
		wl_resource_for_each_safe (callback, next, &surface->callbacks) {
			wl_callback_send_done(callback, ms);
			wl_resource_destroy(callback);
		}
		send_presented(surface, server->vblank);
	}
	return 0;
}

/* Surfaces */

static void destroy_resource(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static void handle_attach(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *buffer, int32_t x, int32_t y)
{
	struct surface *surface = wl_resource_get_user_data(resource);
	set_buffer(&surface->pending_buffer, &surface->pending_destroy, buffer);
	surface->attached = true;
}

/* Surfaces are neither scaled nor transformed, so both kinds of damage are equal. */
static void handle_damage(struct wl_client *client, struct wl_resource *resource, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
	struct surface *surface = wl_resource_get_user_data(resource);
	int64_t x2 = (int64_t)x + width, y2 = (int64_t)y + height;
	surface->x1 = least(surface->x1, x);
	surface->y1 = least(surface->y1, y);
	x2 = x2 > INT32_MAX ? INT32_MAX : x2;
	y2 = y2 > INT32_MAX ? INT32_MAX : y2;
	surface->x2 = x2 > surface->x2 ? (int32_t)x2 : surface->x2;
	surface->y2 = y2 > surface->y2 ? (int32_t)y2 : surface->y2;
}

static void destroy_callback(struct wl_resource *resource)
{
	wl_list_remove(wl_resource_get_link(resource));
}

static void handle_frame(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct surface *surface = wl_resource_get_user_data(resource);
	struct wl_resource *callback = wl_resource_create(client, &wl_callback_interface, 1, id);
	wl_resource_set_implementation(callback, NULL, NULL, destroy_callback);
	wl_list_insert(surface->pending_callbacks.prev, wl_resource_get_link(callback));
}

static void handle_commit(struct wl_client *client, struct wl_resource *resource)
{
	struct surface *surface = wl_resource_get_user_data(resource);
	if (surface->attached) {
		if (surface->buffer != surface->pending_buffer) {
			release(surface);
		}
		set_buffer(&surface->buffer, &surface->buffer_destroy, surface->pending_buffer);
		set_buffer(&surface->pending_buffer, &surface->pending_destroy, NULL);
		surface->attached = false;
	}
	wl_list_insert_list(surface->callbacks.prev, &surface->pending_callbacks);
	wl_list_init(&surface->pending_callbacks);
	wl_list_insert_list(surface->feedbacks.prev, &surface->pending_feedbacks);
	wl_list_init(&surface->pending_feedbacks);
	if (wl_list_empty(&surface->link)) {
		wl_list_insert(surface->server->changed.prev, &surface->link);
		arm(surface->server);
	}
}

static void ignore_region(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *region)
{
}

static void ignore_int(struct wl_client *client, struct wl_resource *resource, int32_t value)
{
}

static void ignore_two_ints(
	struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y)
{
}

static const struct wl_surface_interface surface_implementation = {
	.destroy = destroy_resource,
	.attach = handle_attach,
	.damage = handle_damage,
	.frame = handle_frame,
	.set_opaque_region = ignore_region,
	.set_input_region = ignore_region,
	.commit = handle_commit,
	.set_buffer_transform = ignore_int,
	.set_buffer_scale = ignore_int,
	.damage_buffer = handle_damage,
	.offset = ignore_two_ints,
};

static void handle_pending_destroy(struct wl_listener *listener, void *data)
{
	struct surface *surface = wl_container_of(listener, surface, pending_destroy);
	set_buffer(&surface->pending_buffer, &surface->pending_destroy, NULL);
}

static void handle_buffer_destroy(struct wl_listener *listener, void *data)
{
	struct surface *surface = wl_container_of(listener, surface, buffer_destroy);
	set_buffer(&surface->buffer, &surface->buffer_destroy, NULL);
}

static void destroy_surface(struct wl_resource *resource)
{
	struct surface *surface = wl_resource_get_user_data(resource);
	set_buffer(&surface->pending_buffer, &surface->pending_destroy, NULL);
	set_buffer(&surface->buffer, &surface->buffer_destroy, NULL);
	drop(&surface->pending_callbacks);
	drop(&surface->callbacks);
	drop(&surface->pending_feedbacks);
	drop(&surface->feedbacks);
	wl_list_remove(&surface->link);
	free(surface);
}

static void handle_create_surface(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct surface *surface = calloc(1, sizeof(*surface));
	struct wl_resource *created = wl_resource_create(
		client, &wl_surface_interface, wl_resource_get_version(resource), id);
	surface->server = wl_resource_get_user_data(resource);
	surface->x1 = surface->y1 = INT32_MAX;
	surface->pending_destroy.notify = handle_pending_destroy;
	surface->buffer_destroy.notify = handle_buffer_destroy;
	wl_list_init(&surface->pending_callbacks);
	wl_list_init(&surface->callbacks);
	wl_list_init(&surface->pending_feedbacks);
	wl_list_init(&surface->feedbacks);
	wl_list_init(&surface->link);
	wl_resource_set_implementation(created, &surface_implementation, surface, destroy_surface);
}

static void ignore_box(struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y,
	int32_t width, int32_t height)
{
}

static const struct wl_region_interface region_implementation = {
	.destroy = destroy_resource,
	.add = ignore_box,
	.subtract = ignore_box,
};

static void handle_create_region(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *created = wl_resource_create(client, &wl_region_interface, 1, id);
	wl_resource_set_implementation(created, &region_implementation, NULL, NULL);
}

static const struct wl_compositor_interface compositor_implementation = {
	.create_surface = handle_create_surface,
	.create_region = handle_create_region,
};

/* Subsurfaces */

static void ignore_surface(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *sibling)
{
}

static void ignore(struct wl_client *client, struct wl_resource *resource)
{
}

/*
 * Applied at once, since positions are set once. Subsurfaces are destroyed before their surfaces
 * here.
 */
static void handle_set_position(
	struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y)
{
	struct surface *surface = wl_resource_get_user_data(resource);
	surface->x = x;
	surface->y = y;
}

static const struct wl_subsurface_interface subsurface_implementation = {
	.destroy = destroy_resource,
	.set_position = handle_set_position,
	.place_above = ignore_surface,
	.place_below = ignore_surface,
	.set_sync = ignore,
	.set_desync = ignore,
};

static void handle_get_subsurface(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface, struct wl_resource *parent)
{
	struct wl_resource *created = wl_resource_create(client, &wl_subsurface_interface, 1, id);
	wl_resource_set_implementation(
		created, &subsurface_implementation, wl_resource_get_user_data(surface), NULL);
}

static const struct wl_subcompositor_interface subcompositor_implementation = {
	.destroy = destroy_resource,
	.get_subsurface = handle_get_subsurface,
};

/* Presentation */

static void handle_feedback(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *surface_resource, uint32_t id)
{
	struct surface *surface = wl_resource_get_user_data(surface_resource);
	struct wl_resource *feedback =
		wl_resource_create(client, &wp_presentation_feedback_interface, 1, id);
	wl_resource_set_implementation(feedback, NULL, NULL, destroy_callback);
	wl_list_insert(surface->pending_feedbacks.prev, wl_resource_get_link(feedback));
}

static const struct wp_presentation_interface presentation_implementation = {
	.destroy = destroy_resource,
	.feedback = handle_feedback,
};

/* Windows: configured once, without further state */

static void ignore_string(
	struct wl_client *client, struct wl_resource *resource, const char *string)
{
}

static void ignore_output(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *output)
{
}

static void ignore_serial(struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
}

/* Requests of the measuring clients; others would crash the server. */
static const struct xdg_toplevel_interface toplevel_implementation = {
	.destroy = destroy_resource,
	.set_parent = ignore_surface,
	.set_title = ignore_string,
	.set_app_id = ignore_string,
	.set_max_size = ignore_two_ints,
	.set_min_size = ignore_two_ints,
	.set_maximized = ignore,
	.unset_maximized = ignore,
	.set_fullscreen = ignore_output,
	.unset_fullscreen = ignore,
	.set_minimized = ignore,
};

static void handle_get_toplevel(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *created = wl_resource_create(
		client, &xdg_toplevel_interface, wl_resource_get_version(resource), id);
	wl_resource_set_implementation(created, &toplevel_implementation, NULL, NULL);
	struct wl_array states;
	wl_array_init(&states);
	xdg_toplevel_send_configure(created, 0, 0, &states);
	xdg_surface_send_configure(resource, 1);
}

static const struct xdg_surface_interface xdg_surface_implementation = {
	.destroy = destroy_resource,
	.get_toplevel = handle_get_toplevel,
	.set_window_geometry = ignore_box,
	.ack_configure = ignore_serial,
};

static void handle_get_xdg_surface(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface)
{
	struct wl_resource *created = wl_resource_create(
		client, &xdg_surface_interface, wl_resource_get_version(resource), id);
	wl_resource_set_implementation(created, &xdg_surface_implementation, NULL, NULL);
}

static const struct xdg_wm_base_interface shell_implementation = {
	.destroy = destroy_resource,
	.get_xdg_surface = handle_get_xdg_surface,
	.pong = ignore_serial,
};

/* Globals and main */

static void bind_presentation(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wp_presentation_interface, (int)version, id);
	wl_resource_set_implementation(resource, &presentation_implementation, NULL, NULL);
	wp_presentation_send_clock_id(resource, CLOCK_MONOTONIC);
}

static void bind_compositor(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wl_compositor_interface, (int)version, id);
	wl_resource_set_implementation(resource, &compositor_implementation, data, NULL);
}

static void bind_subcompositor(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wl_subcompositor_interface, (int)version, id);
	wl_resource_set_implementation(resource, &subcompositor_implementation, data, NULL);
}

static void bind_shell(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &xdg_wm_base_interface, (int)version, id);
	wl_resource_set_implementation(resource, &shell_implementation, data, NULL);
}

static int handle_signal(int number, void *data)
{
	struct floor_server *server = data;
	if (number != SIGCHLD || waitpid(server->child, NULL, WNOHANG) == server->child) {
		wl_display_terminate(server->display);
	}
	return 0;
}

/* Signals are blocked for the event loop before; the child gets the previous mask. */
static bool start(struct floor_server *server, char **command)
{
	struct wl_event_loop *loop = wl_display_get_event_loop(server->display);
	wl_event_loop_add_signal(loop, SIGCHLD, handle_signal, server);
	wl_event_loop_add_signal(loop, SIGTERM, handle_signal, server);
	server->child = fork();
	if (server->child == 0) {
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	return server->child > 0;
}

int main(int argc, char **argv)
{
	struct floor_server server = {.width = 1920, .height = 1080};
	int at = 1;
	if (at < argc && sscanf(argv[at], "--output=%dx%d", &server.width, &server.height) == 2) {
		at++;
	}
	if (at + 1 >= argc || strcmp(argv[at], "--") != 0) {
		fprintf(stderr, "usage: %s [--output=WxH] -- COMMAND [ARG...]\n", argv[0]);
		return 2;
	}
	wl_list_init(&server.changed);
	server.screen = calloc((size_t)server.width * (size_t)server.height, 4);
	server.display = wl_display_create();
	server.start = now_ns();
	server.timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	wl_event_loop_add_fd(wl_display_get_event_loop(server.display), server.timer_fd,
		WL_EVENT_READABLE, handle_vblank, &server);
	wl_display_init_shm(server.display);
	wl_global_create(server.display, &wl_compositor_interface, 4, &server, bind_compositor);
	wl_global_create(
		server.display, &wl_subcompositor_interface, 1, &server, bind_subcompositor);
	wl_global_create(server.display, &xdg_wm_base_interface, 1, &server, bind_shell);
	wl_global_create(server.display, &wp_presentation_interface, 1, &server, bind_presentation);
	const char *socket = wl_display_add_socket_auto(server.display);
	if (!socket || setenv("WAYLAND_DISPLAY", socket, 1) < 0 || !start(&server, &argv[at + 1])) {
		fprintf(stderr, "cannot start: is XDG_RUNTIME_DIR set?\n");
		return 1;
	}
	wl_display_run(server.display);
	wl_display_destroy_clients(server.display);
	wl_display_destroy(server.display);
	close(server.timer_fd);
	free(server.screen);
	return 0;
}
