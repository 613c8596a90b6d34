/* SPDX-License-Identifier: MIT */
/* A host compositor for tests: globals, and the requests of its client. */

#include "fractional-scale-v1-protocol.h"
#include "host_global.h"
#include "presentation-time-protocol.h"
#include "util/xalloc.h"
#include "viewporter-protocol.h"
#include "xdg-decoration-unstable-v1-protocol.h"
#include "xdg-shell-protocol.h"
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void unlink_resource(struct wl_resource *resource)
{
	wl_list_remove(wl_resource_get_link(resource));
}

/* Surfaces */

static struct host_surface *surface_of(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}

static void handle_attach(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *buffer, int32_t x, int32_t y)
{
	surface_of(resource)->pending_buffer = buffer;
	surface_of(resource)->pending_attach = true;
}

static void handle_damage_buffer(struct wl_client *client, struct wl_resource *resource, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
	struct host_surface *surface = surface_of(resource);
	surface->pending_n_damage++;
	memcpy(surface->damage, (int32_t[]){x, y, width, height}, sizeof(surface->damage));
}

static void handle_frame(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *callback = wl_resource_create(client, &wl_callback_interface, 1, id);
	assert(callback);
	wl_resource_set_implementation(callback, NULL, NULL, unlink_resource);
	wl_list_insert(&surface_of(resource)->pending_callbacks, wl_resource_get_link(callback));
}

static void handle_region(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *region)
{
}

static void take_buffer(struct host_surface *surface)
{
	surface->pending_attach = false;
	surface->buffer = surface->pending_buffer;
	if (!surface->buffer) {
		return;
	}
	struct wl_shm_buffer *shm = wl_shm_buffer_get(surface->buffer);
	surface->buffer_is_dmabuf = !shm;
	if (shm) {
		surface->buffer_width = wl_shm_buffer_get_width(shm);
		surface->buffer_height = wl_shm_buffer_get_height(shm);
	} else {
		const struct host_import *import = wl_resource_get_user_data(surface->buffer);
		surface->buffer_width = import->width;
		surface->buffer_height = import->height;
	}
}

static void handle_commit(struct wl_client *client, struct wl_resource *resource)
{
	struct host_surface *surface = surface_of(resource);
	surface->n_commits++;
	surface->n_damage = surface->pending_n_damage;
	surface->pending_n_damage = 0;
	surface->destination_width = surface->pending_width;
	surface->destination_height = surface->pending_height;
	wl_list_insert_list(&surface->callbacks, &surface->pending_callbacks);
	wl_list_init(&surface->pending_callbacks);
	wl_list_insert_list(&surface->feedbacks, &surface->pending_feedbacks);
	wl_list_init(&surface->pending_feedbacks);
	if (surface->pending_attach) {
		if (!surface->acknowledged) {
			wl_resource_post_error(surface->xdg_surface,
				XDG_SURFACE_ERROR_UNCONFIGURED_BUFFER, "not configured");
			return;
		}
		take_buffer(surface);
	} else if (!surface->configured && surface->toplevel) {
		const struct host_options *options = &surface->host->options;
		if (options->bound_width) {
			xdg_toplevel_send_configure_bounds(
				surface->toplevel, options->bound_width, options->bound_height);
		}
		host_configure(surface, options->width, options->height, 0);
	}
}

static void handle_buffer_transform(
	struct wl_client *client, struct wl_resource *resource, int32_t transform)
{
}

static void handle_buffer_scale(
	struct wl_client *client, struct wl_resource *resource, int32_t scale)
{
	surface_of(resource)->buffer_scale = scale;
}

static void handle_damage(struct wl_client *client, struct wl_resource *resource, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
}

static const struct wl_surface_interface surface_impl = {
	.destroy = host_destroy_resource,
	.attach = handle_attach,
	.damage = handle_damage,
	.frame = handle_frame,
	.set_opaque_region = handle_region,
	.set_input_region = handle_region,
	.commit = handle_commit,
	.set_buffer_transform = handle_buffer_transform,
	.set_buffer_scale = handle_buffer_scale,
	.damage_buffer = handle_damage_buffer,
};

/* Pending callbacks and feedback go with the surface. */
static void destroy_all(struct wl_list *resources)
{
	struct wl_resource *resource, *next;
	wl_resource_for_each_safe (resource, next, resources) {
		wl_resource_destroy(resource);
	}
}

static void handle_surface_gone(struct wl_resource *resource)
{
	struct host_surface *surface = surface_of(resource);
	surface->resource = NULL;
	destroy_all(&surface->pending_callbacks);
	destroy_all(&surface->callbacks);
	destroy_all(&surface->pending_feedbacks);
	destroy_all(&surface->feedbacks);
	free(surface->title);
	free(surface->app_id);
	surface->title = surface->app_id = NULL;
}

static void handle_create_surface(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct host *host = wl_resource_get_user_data(resource);
	struct host_surface *surface = &host->surfaces[host->n_surfaces++ % HOST_SURFACES_MAX];
	assert(!surface->resource);
	*surface = (struct host_surface){.host = host, .buffer_scale = 1};
	wl_list_init(&surface->pending_callbacks);
	wl_list_init(&surface->callbacks);
	wl_list_init(&surface->pending_feedbacks);
	wl_list_init(&surface->feedbacks);
	surface->resource = host_create_resource(
		client, &wl_surface_interface, resource, id, &surface_impl, surface);
	wl_resource_set_destructor(surface->resource, handle_surface_gone);
}

static void handle_region_rect(struct wl_client *client, struct wl_resource *resource, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
}

static const struct wl_region_interface region_impl = {
	.destroy = host_destroy_resource,
	.add = handle_region_rect,
	.subtract = handle_region_rect,
};

static void handle_create_region(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	host_create_resource(client, &wl_region_interface, resource, id, &region_impl, NULL);
}

static const struct wl_compositor_interface compositor_impl = {
	.create_surface = handle_create_surface,
	.create_region = handle_create_region,
};

/* Viewports and scales */

static void handle_set_source(struct wl_client *client, struct wl_resource *resource, wl_fixed_t x,
	wl_fixed_t y, wl_fixed_t width, wl_fixed_t height)
{
}

static void handle_set_destination(
	struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height)
{
	surface_of(resource)->pending_width = width;
	surface_of(resource)->pending_height = height;
}

static const struct wp_viewport_interface viewport_impl = {
	.destroy = host_destroy_resource,
	.set_source = handle_set_source,
	.set_destination = handle_set_destination,
};

static void handle_get_viewport(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface)
{
	host_create_resource(
		client, &wp_viewport_interface, resource, id, &viewport_impl, surface_of(surface));
}

static const struct wp_viewporter_interface viewporter_impl = {
	.destroy = host_destroy_resource,
	.get_viewport = handle_get_viewport,
};

static const struct wp_fractional_scale_v1_interface fractional_impl = {
	.destroy = host_destroy_resource,
};

static void handle_get_fractional_scale(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface_resource)
{
	struct host_surface *surface = surface_of(surface_resource);
	surface->fractional = host_create_resource(
		client, &wp_fractional_scale_v1_interface, resource, id, &fractional_impl, surface);
	if (surface->host->options.scale) {
		wp_fractional_scale_v1_send_preferred_scale(
			surface->fractional, surface->host->options.scale);
	}
}

static const struct wp_fractional_scale_manager_v1_interface fractional_manager_impl = {
	.destroy = host_destroy_resource,
	.get_fractional_scale = handle_get_fractional_scale,
};

static void handle_feedback(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *surface, uint32_t id)
{
	struct wl_resource *feedback = host_create_resource(
		client, &wp_presentation_feedback_interface, resource, id, NULL, NULL);
	wl_resource_set_destructor(feedback, unlink_resource);
	wl_list_insert(&surface_of(surface)->pending_feedbacks, wl_resource_get_link(feedback));
}

static const struct wp_presentation_interface presentation_impl = {
	.destroy = host_destroy_resource,
	.feedback = handle_feedback,
};

/* Windows */

static void handle_set_title(
	struct wl_client *client, struct wl_resource *resource, const char *title)
{
	free(surface_of(resource)->title);
	surface_of(resource)->title = xstrdup(title);
}

static void handle_set_app_id(
	struct wl_client *client, struct wl_resource *resource, const char *app_id)
{
	free(surface_of(resource)->app_id);
	surface_of(resource)->app_id = xstrdup(app_id);
}

static const struct xdg_toplevel_interface toplevel_impl = {
	.destroy = host_destroy_resource,
	.set_title = handle_set_title,
	.set_app_id = handle_set_app_id,
};

static void handle_get_toplevel(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	surface_of(resource)->toplevel = host_create_resource(client, &xdg_toplevel_interface,
		resource, id, &toplevel_impl, surface_of(resource));
}

static void handle_ack(struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
	surface_of(resource)->acknowledged = serial;
}

static const struct xdg_surface_interface xdg_surface_impl = {
	.destroy = host_destroy_resource,
	.get_toplevel = handle_get_toplevel,
	.ack_configure = handle_ack,
};

static void handle_get_xdg_surface(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface)
{
	surface_of(surface)->xdg_surface = host_create_resource(client, &xdg_surface_interface,
		resource, id, &xdg_surface_impl, surface_of(surface));
}

static void handle_pong(struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
}

static const struct xdg_wm_base_interface wm_base_impl = {
	.destroy = host_destroy_resource,
	.get_xdg_surface = handle_get_xdg_surface,
	.pong = handle_pong,
};

static void handle_set_mode(struct wl_client *client, struct wl_resource *resource, uint32_t mode)
{
	surface_of(resource)->decoration = mode;
}

static const struct zxdg_toplevel_decoration_v1_interface decoration_impl = {
	.destroy = host_destroy_resource,
	.set_mode = handle_set_mode,
};

static void handle_get_decoration(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *toplevel)
{
	host_create_resource(client, &zxdg_toplevel_decoration_v1_interface, resource, id,
		&decoration_impl, surface_of(toplevel));
}

static const struct zxdg_decoration_manager_v1_interface decoration_manager_impl = {
	.destroy = host_destroy_resource,
	.get_toplevel_decoration = handle_get_decoration,
};

void host_configure(struct host_surface *surface, int32_t width, int32_t height, uint32_t state)
{
	struct wl_array states;
	wl_array_init(&states);
	if (state) {
		*(uint32_t *)wl_array_add(&states, sizeof(state)) = state;
	}
	xdg_toplevel_send_configure(surface->toplevel, width, height, &states);
	wl_array_release(&states);
	surface->configured = ++surface->host->serial;
	xdg_surface_send_configure(surface->xdg_surface, surface->configured);
}

void host_frame_done(struct host_surface *surface)
{
	struct wl_resource *callback, *next;
	wl_resource_for_each_safe (callback, next, &surface->callbacks) {
		wl_callback_send_done(callback, 0);
		wl_resource_destroy(callback);
	}
}

void host_presented(struct host_surface *surface, int64_t when, uint32_t refresh, uint32_t flags)
{
	struct wl_resource *feedback, *next;
	wl_resource_for_each_safe (feedback, next, &surface->feedbacks) {
		wp_presentation_feedback_send_presented(feedback, 0, (uint32_t)(when / 1000000000),
			(uint32_t)(when % 1000000000), refresh, 1, 7, flags);
		wl_resource_destroy(feedback);
	}
}

void host_discarded(struct host_surface *surface)
{
	struct wl_resource *feedback, *next;
	wl_resource_for_each_safe (feedback, next, &surface->feedbacks) {
		wp_presentation_feedback_send_discarded(feedback);
		wl_resource_destroy(feedback);
	}
}

/* Globals */

HOST_BIND(compositor, wl_compositor_interface, compositor_impl)
HOST_BIND(wm_base, xdg_wm_base_interface, wm_base_impl)
HOST_BIND(viewporter, wp_viewporter_interface, viewporter_impl)
HOST_BIND(fractional, wp_fractional_scale_manager_v1_interface, fractional_manager_impl)
HOST_BIND(decoration, zxdg_decoration_manager_v1_interface, decoration_manager_impl)

static void bind_presentation(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct host *host = data;
	struct wl_resource *resource = host_bind(
		client, &wp_presentation_interface, version, id, &presentation_impl, host);
	wp_presentation_send_clock_id(resource, (uint32_t)host->options.presentation_clock);
}

static const struct wl_output_interface output_impl = {.release = host_destroy_resource};

static void bind_output(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct host *host = data;
	host->output = host_bind(client, &wl_output_interface, version, id, &output_impl, host);
	wl_output_send_geometry(host->output, 0, 0, 0, 0, 0, "Test", "Host", 0);
	wl_output_send_mode(host->output, WL_OUTPUT_MODE_CURRENT, 1920, 1080, 75000);
	wl_output_send_scale(host->output, 2);
	wl_output_send_done(host->output);
}

static void add_globals(struct host *host)
{
	const struct host_options *options = &host->options;
	wl_display_init_shm(host->display);
	host_add_global(host, false, &wl_compositor_interface, 5, bind_compositor);
	host_add_global(host, options->no_wm_base, &xdg_wm_base_interface, 6, bind_wm_base);
	host_add_global(host, options->no_viewporter, &wp_viewporter_interface, 1, bind_viewporter);
	host_add_global(host, options->no_fractional, &wp_fractional_scale_manager_v1_interface, 1,
		bind_fractional);
	host_add_global(
		host, options->no_presentation, &wp_presentation_interface, 1, bind_presentation);
	host_add_dmabuf(host);
	host_add_global(host, false, &zxdg_decoration_manager_v1_interface, 1, bind_decoration);
	host_add_global(host, false, &wl_output_interface, 3, bind_output);
	host_add_seat(host);
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct host *host = wl_container_of(listener, host, client_destroy);
	host->client = NULL;
}

struct host *host_create(const struct host_options *options)
{
	struct host *host = xcalloc(1, sizeof(*host));
	int fds[2];
	if (options) {
		host->options = *options;
	}
	host->display = wl_display_create();
	host->loop = wl_display_get_event_loop(host->display);
	add_globals(host);
	int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
	assert(error == 0);
	host->client = wl_client_create(host->display, fds[0]);
	assert(host->client);
	host->client_destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(host->client, &host->client_destroy);
	char number[16];
	snprintf(number, sizeof(number), "%d", fds[1]);
	setenv("WAYLAND_SOCKET", number, 1);
	return host;
}

void host_kill(struct host *host)
{
	if (host->client) {
		wl_client_destroy(host->client);
	}
}

void host_destroy(struct host *host)
{
	host_kill(host);
	wl_display_destroy(host->display);
	free(host);
}

bool host_turn(struct host *host)
{
	struct pollfd pollfd = {.fd = wl_event_loop_get_fd(host->loop), .events = POLLIN};
	bool busy = poll(&pollfd, 1, 0) > 0;
	wl_event_loop_dispatch(host->loop, 0);
	wl_display_flush_clients(host->display);
	return busy;
}

struct service {
	struct host *host;
	bool done;
};

static int handle_done(int fd, uint32_t mask, void *data)
{
	struct service *service = data;
	service->done = true;
	return 0;
}

static void *serve(void *data)
{
	struct service *service = data;
	while (!service->done) {
		wl_display_flush_clients(service->host->display);
		wl_event_loop_dispatch(service->host->loop, -1);
	}
	return NULL;
}

void host_serve(struct host *host, void (*call)(void *data), void *data)
{
	struct service service = {.host = host};
	int fd = eventfd(0, EFD_CLOEXEC);
	assert(fd >= 0);
	struct wl_event_source *source =
		wl_event_loop_add_fd(host->loop, fd, WL_EVENT_READABLE, handle_done, &service);
	pthread_t thread;
	int error = pthread_create(&thread, NULL, serve, &service);
	assert(error == 0);
	call(data);
	error = eventfd_write(fd, 1);
	assert(error == 0);
	pthread_join(thread, NULL);
	wl_event_source_remove(source);
	close(fd);
}
