/* SPDX-License-Identifier: MIT */
/* The Wayland backend: the connection to the host compositor as an event source. */

#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include "wayland.h"
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Timeout for answers of the host during startup, ms. */
#define PATIENCE 10000

static const struct backend_impl backend_impl;

static struct wayland_backend *wayland_from_base(struct backend *backend)
{
	assert(backend->impl == &backend_impl);
	return wl_container_of(backend, (struct wayland_backend *)NULL, base);
}

/* libwayland logs protocol errors itself, in addition to our line: silence it. */
__attribute__((format(printf, 1, 0))) static void log_client(const char *format, va_list args)
{
	char line[256];
	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = '\0';
	log_debug(LOG_BACKEND, "libwayland-client: %s", line);
}

static char *describe_end(struct wayland_backend *backend)
{
	int error = wl_display_get_error(backend->display);
	if (error == EPROTO) {
		const struct wl_interface *interface = NULL;
		uint32_t code = wl_display_get_protocol_error(backend->display, &interface, NULL);
		return xasprintf("the host compositor reported protocol error %u of %s", code,
			interface ? interface->name : "a destroyed object");
	}
	if (error == 0 || error == EPIPE || error == ECONNRESET) {
		return xstrdup("the host compositor is gone");
	}
	return xasprintf("the host compositor is gone: %s", strerror(error));
}

static void end(struct wayland_backend *backend)
{
	if (backend->gone) {
		return;
	}
	backend->gone = true;
	event_source_remove(&backend->source);
	if (backend->started) {
		char *why = describe_end(backend);
		signal_emit(&backend->base.events.ended, why);
		free(why);
	}
}

/** Returns false if the connection has ended. */
static bool read_events(struct wayland_backend *backend)
{
	struct wl_display *display = backend->display;
	while (wl_display_prepare_read(display) != 0) {
		if (wl_display_dispatch_pending(display) < 0) {
			return false;
		}
	}
	return wl_display_read_events(display) == 0 && wl_display_dispatch_pending(display) >= 0;
}

static int handle_host(int fd, uint32_t mask, void *data)
{
	struct wayland_backend *backend = data;
	bool alive = true;
	if (mask & (WL_EVENT_READABLE | WL_EVENT_HANGUP | WL_EVENT_ERROR)) {
		alive = read_events(backend);
	}
	if (alive && (mask & WL_EVENT_HANGUP) && !(mask & WL_EVENT_READABLE)) {
		alive = false;
	}
	if (!alive) {
		end(backend);
		return 0;
	}
	wayland_flush(backend);
	return 0;
}

/** Blocks; only during startup, before the event loop runs. */
static bool wait_until(
	struct wayland_backend *backend, bool (*done)(const void *), const void *data)
{
	struct wl_display *display = backend->display;
	while (!done(data)) {
		while (wl_display_prepare_read(display) != 0) {
			if (wl_display_dispatch_pending(display) < 0) {
				return false;
			}
		}
		bool full = wl_display_flush(display) < 0 && errno == EAGAIN;
		struct pollfd pollfd = {.fd = wl_display_get_fd(display),
			.events = full ? POLLIN | POLLOUT : POLLIN};
		if (!done(data) && poll(&pollfd, 1, PATIENCE) <= 0) {
			wl_display_cancel_read(display);
			return false;
		}
		if (!(pollfd.revents & (POLLIN | POLLHUP | POLLERR))) {
			wl_display_cancel_read(display);
		} else if (wl_display_read_events(display) < 0) {
			return false;
		}
		if (wl_display_dispatch_pending(display) < 0) {
			return false;
		}
	}
	return true;
}

static void handle_done(void *data, struct wl_callback *callback, uint32_t serial)
{
	*(bool *)data = true;
}

static const struct wl_callback_listener done_listener = {.done = handle_done};

static bool is_true(const void *data)
{
	return *(const bool *)data;
}

static bool round_trip(struct wayland_backend *backend)
{
	bool answered = false;
	struct wl_callback *callback = wl_display_sync(backend->display);
	wl_callback_add_listener(callback, &done_listener, &answered);
	bool ok = wait_until(backend, is_true, &answered);
	wl_callback_destroy(callback);
	return ok;
}

static void handle_ping(void *data, struct xdg_wm_base *wm_base, uint32_t serial)
{
	xdg_wm_base_pong(wm_base, serial);
}

static const struct xdg_wm_base_listener wm_base_listener = {.ping = handle_ping};

static void handle_clock_id(void *data, struct wp_presentation *presentation, uint32_t id)
{
	struct wayland_backend *backend = data;
	backend->presentation_clock = (clockid_t)id;
}

static const struct wp_presentation_listener presentation_listener = {.clock_id = handle_clock_id};

static void listen_wm_base(struct wayland_backend *backend)
{
	xdg_wm_base_add_listener(backend->wm_base, &wm_base_listener, backend);
}

static void listen_presentation(struct wayland_backend *backend)
{
	wp_presentation_add_listener(backend->presentation, &presentation_listener, backend);
}

/** Globals that are bound once. `newest`: the latest version supported; `least`: required. */
static const struct global {
	const struct wl_interface *interface;
	uint32_t least, newest;
	size_t offset; /* of the proxy in struct wayland_backend */
	/** Adds listeners before the first event; NULL: the interface has no events. */
	void (*listen)(struct wayland_backend *backend);
} globals[] = {
	{&wl_compositor_interface, 4, 6, offsetof(struct wayland_backend, compositor)},
	{&wl_shm_interface, 1, 1, offsetof(struct wayland_backend, shm), wayland_listen_shm},
	{&xdg_wm_base_interface, 1, 6, offsetof(struct wayland_backend, wm_base), listen_wm_base},
	{&wp_viewporter_interface, 1, 1, offsetof(struct wayland_backend, viewporter)},
	{&wp_fractional_scale_manager_v1_interface, 1, 1,
		offsetof(struct wayland_backend, fractional)},
	{&wp_presentation_interface, 1, 2, offsetof(struct wayland_backend, presentation),
		listen_presentation},
	{&zxdg_decoration_manager_v1_interface, 1, 1, offsetof(struct wayland_backend, decoration)},
	{&zwp_linux_dmabuf_v1_interface, 3, 4, offsetof(struct wayland_backend, dmabuf),
		wayland_listen_dmabuf},
	{&zwp_relative_pointer_manager_v1_interface, 1, 1,
		offsetof(struct wayland_backend, relative)},
	{&zwp_pointer_gestures_v1_interface, 1, 3, offsetof(struct wayland_backend, gestures)},
};

#define N_REQUIRED 3 /* required globals come first; windows work without the others */

static void **proxy_of(struct wayland_backend *backend, const struct global *global)
{
	return (void **)((char *)backend + global->offset);
}

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct wayland_backend *backend = data;
	if (strcmp(interface, wl_output_interface.name) == 0) {
		wayland_screen_add(backend, name, version);
	} else if (strcmp(interface, wl_seat_interface.name) == 0) {
		wayland_seat_add(backend, name, version);
	}
	for (size_t i = 0; i < sizeof(globals) / sizeof(globals[0]); i++) {
		const struct global *global = &globals[i];
		void **proxy = proxy_of(backend, global);
		if (strcmp(interface, global->interface->name) != 0 || *proxy ||
			version < global->least) {
			continue;
		}
		*proxy = wl_registry_bind(registry, name, global->interface,
			version < global->newest ? version : global->newest);
		if (global->listen) {
			global->listen(backend);
		}
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
	struct wayland_backend *backend = data;
	struct wayland_screen *screen, *next_screen;
	wl_list_for_each_safe (screen, next_screen, &backend->screens, link) {
		if (screen->name == name) {
			wayland_screen_destroy(screen);
		}
	}
	struct wayland_seat *seat, *next_seat;
	wl_list_for_each_safe (seat, next_seat, &backend->seats, link) {
		if (seat->name == name) {
			wayland_seat_destroy(seat);
		}
	}
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static bool connect_to_host(struct wayland_backend *backend, char **error)
{
	const char *name = getenv("WAYLAND_SOCKET") ? "WAYLAND_SOCKET" : getenv("WAYLAND_DISPLAY");
	if (!name) {
		*error = xstrdup("no host compositor: WAYLAND_DISPLAY is not set");
		return false;
	}
	char *shown = xstrdup(name);
	backend->display = wl_display_connect(NULL);
	if (!backend->display) {
		*error = xasprintf("cannot connect to the host compositor at %s (%s): try "
				   "--backend=headless",
			shown, strerror(errno));
	}
	free(shown);
	return backend->display;
}

static bool ask_host(struct wayland_backend *backend, char **error)
{
	backend->registry = wl_display_get_registry(backend->display);
	wl_registry_add_listener(backend->registry, &registry_listener, backend);
	if (!round_trip(backend)) {
		*error = xstrdup("the host compositor does not answer");
		return false;
	}
	for (size_t i = 0; i < N_REQUIRED; i++) {
		if (!*proxy_of(backend, &globals[i])) {
			*error = xasprintf("the host compositor has no %s of version %u or later",
				globals[i].interface->name, globals[i].least);
			return false;
		}
	}
	/* Receive the initial events of the globals. */
	if (!round_trip(backend)) {
		*error = xstrdup("the host compositor does not answer");
		return false;
	}
	return true;
}

bool wayland_backend_has_host(void)
{
	const char *display = getenv("WAYLAND_DISPLAY");
	return getenv("WAYLAND_SOCKET") || (display && *display);
}

struct backend *wayland_backend_create(
	struct wl_event_loop *loop, struct clock *clock, char **error)
{
	struct wayland_backend *backend = xcalloc(1, sizeof(*backend));
	backend_init(&backend->base, &backend_impl);
	backend->loop = loop;
	backend->clock = clock;
	backend->presentation_clock = CLOCK_MONOTONIC;
	wl_list_init(&backend->screens);
	wl_list_init(&backend->seats);
	wl_list_init(&backend->outputs);
	wl_log_set_handler_client(log_client);
	if (!connect_to_host(backend, error) || !ask_host(backend, error)) {
		backend_destroy(&backend->base);
		return NULL;
	}
	backend->base.memory_only = backend->dmabuf_formats.n_formats == 0;
	return &backend->base;
}

bool backend_is_wayland(const struct backend *backend)
{
	return backend->impl == &backend_impl;
}

void wayland_backend_set_gpu(struct backend *base, struct gpu *gpu)
{
	wayland_from_base(base)->gpu = gpu;
}

static bool all_announced(const void *data)
{
	const struct wayland_backend *backend = data;
	struct wayland_output *output;
	wl_list_for_each (output, &backend->outputs, link) {
		if (!output->announced) {
			return false;
		}
	}
	return true;
}

static bool start(struct backend *base)
{
	struct wayland_backend *backend = wayland_from_base(base);
	struct wayland_output *output, *next;
	wl_list_for_each_safe (output, next, &backend->outputs, link) {
		wayland_window_open(output);
	}
	/* Clients behave badly without an output at their start: wait for the windows. */
	if (!wait_until(backend, all_announced, backend)) {
		char *why = describe_end(backend);
		log_error("%s", wl_display_get_error(backend->display)
					? why
					: "the host compositor does not configure our windows");
		free(why);
		return false;
	}
	backend->source = wl_event_loop_add_fd(backend->loop, wl_display_get_fd(backend->display),
		WL_EVENT_READABLE, handle_host, backend);
	if (!backend->source) {
		log_error("cannot watch the connection to the host compositor");
		return false;
	}
	backend->started = true;
	struct wayland_seat *seat;
	wl_list_for_each (seat, &backend->seats, link) {
		wayland_seat_announce(seat);
	}
	wayland_flush(backend);
	return true;
}

static void destroy_globals(struct wayland_backend *backend)
{
	for (size_t i = 0; i < sizeof(globals) / sizeof(globals[0]); i++) {
		void **proxy = proxy_of(backend, &globals[i]);
		if (*proxy) {
			/*
			 * The host destroys its objects when the connection closes: no requests are
			 * needed.
			 */
			wl_proxy_destroy(*proxy);
		}
	}
	if (backend->registry) {
		wl_registry_destroy(backend->registry);
	}
}

static void destroy(struct backend *base)
{
	struct wayland_backend *backend = wayland_from_base(base);
	backend->started = false;
	struct wayland_output *output, *next_output;
	wl_list_for_each_safe (output, next_output, &backend->outputs, link) {
		wayland_output_destroy(output);
	}
	struct wayland_seat *seat, *next_seat;
	wl_list_for_each_safe (seat, next_seat, &backend->seats, link) {
		wayland_seat_destroy(seat);
	}
	struct wayland_screen *screen, *next_screen;
	wl_list_for_each_safe (screen, next_screen, &backend->screens, link) {
		wayland_screen_destroy(screen);
	}
	event_source_remove(&backend->source);
	wayland_formats_finish(backend);
	if (backend->display) {
		destroy_globals(backend);
		wl_display_flush(backend->display);
		wl_display_disconnect(backend->display);
	}
	backend_finish(base);
	free(backend);
}

static const struct backend_impl backend_impl = {
	.name = "wayland",
	.start = start,
	.destroy = destroy,
};
