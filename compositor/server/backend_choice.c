/* SPDX-License-Identifier: MIT */
/*
 * Choice of the backend: DRM with a session, a window in another Wayland compositor, or headless.
 */

#include "backend_choice.h"
#include "backend/drm.h"
#include "backend/headless.h"
#include "backend/libinput.h"
#include "backend/session.h"
#include "backend/wayland.h"
#include "content/device.h"
#include "gpu/gpu.h"
#include "gpu/watch.h"
#include "inputs.h"
#include "outputs.h"
#include "server/server.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void add_wayland_outputs(struct server *server)
{
	const struct server_output_option usual = {
		.width = 1280, .height = 720, .refresh = 60000, .scale = 1};
	const struct server_options *options = server->options;
	int n = options->n_outputs > 0 ? options->n_outputs : 1;
	for (int i = 0; i < n; i++) {
		const struct server_output_option *option =
			options->n_outputs > 0 ? &options->outputs[i] : &usual;
		wayland_add_output(server->backend, option->width, option->height, option->refresh,
			option->scale, options->n_outputs == 0);
	}
}

static void add_headless_outputs(struct server *server)
{
	const struct server_output_option usual = {
		.width = 1920, .height = 1080, .refresh = 60000, .scale = 1};
	const struct server_options *options = server->options;
	int n = options->n_outputs > 0 ? options->n_outputs : 1;
	for (int i = 0; i < n; i++) {
		const struct server_output_option *option =
			options->n_outputs > 0 ? &options->outputs[i] : &usual;
		struct output *output = headless_add_output(
			server->backend, option->width, option->height, option->refresh);
		output->preferred_scale = option->scale;
	}
}

static bool has_cards(const struct server *server)
{
	const struct gpu *gpu;
	wl_list_for_each (gpu, &server->gpus->gpus, link) {
		if (gpu->primary_path) {
			return true;
		}
	}
	return false;
}

static bool create_drm(struct server *server, const struct config *config, char **error)
{
	static const enum drm_overlays overlays[] = {
		[CONFIG_OVERLAYS_AUTO] = DRM_OVERLAYS_AUTO,
		[CONFIG_OVERLAYS_YES] = DRM_OVERLAYS_ON,
		[CONFIG_OVERLAYS_NO] = DRM_OVERLAYS_OFF,
	};
	if (!has_cards(server)) {
		*error = xstrdup("there is no graphics card with screens (no /dev/dri/card*)");
		return false;
	}
	server->session = session_create(server->loop, error);
	if (!server->session) {
		return false;
	}
	const struct drm_options options = {
		.primary = config_primary_gpu(config),
		.overlays = overlays[config->gpu.overlays],
	};
	server->backend = drm_backend_create(
		server->loop, server->clock, server->session, server->gpus, &options, error);
	if (!server->backend) {
		goto destroy_session;
	}
	server->input = libinput_backend_create(server->loop, server->session, error);
	if (!server->input) {
		goto destroy_backend;
	}
	return true;
destroy_backend:
	backend_destroy(server->backend);
	server->backend = NULL;
destroy_session:
	session_destroy(server->session);
	server->session = NULL;
	return false;
}

static bool create_headless(struct server *server)
{
	server->backend = headless_backend_create(server->loop, server->clock);
	add_headless_outputs(server);
	return true;
}

static bool create_any(struct server *server, const struct config *config, char **error)
{
	if (wayland_backend_has_host()) {
		server->backend = wayland_backend_create(server->loop, server->clock, error);
		return server->backend;
	}
	char *reason = NULL;
	if (create_drm(server, config, &reason)) {
		return true;
	}
	log_info("running headless: %s", reason);
	free(reason);
	return create_headless(server);
}

bool backends_create(struct server *server, const struct config *config, char **error)
{
	switch (server->options->backend) {
	case BACKEND_DRM: return create_drm(server, config, error);
	case BACKEND_WAYLAND:
		server->backend = wayland_backend_create(server->loop, server->clock, error);
		return server->backend;
	case BACKEND_AUTO: return create_any(server, config, error);
	case BACKEND_HEADLESS: break;
	}
	return create_headless(server);
}

static void handle_release_outputs(void *data)
{
	struct server *server = data;
	server->release_outputs = NULL;
	server_outputs_hold(server, false);
}

/* A dock adds several outputs at once: they are enabled together. */
static void handle_new_output(struct wl_listener *listener, void *data)
{
	struct server *server = wl_container_of(listener, server, new_output);
	if (!server->holds_outputs && backend_is_drm(server->backend)) {
		server_outputs_hold(server, true);
		server->release_outputs =
			wl_event_loop_add_idle(server->loop, handle_release_outputs, server);
	}
	server_outputs_add(server, data);
}

static void handle_new_input(struct wl_listener *listener, void *data)
{
	struct server *server = wl_container_of(listener, server, new_input);
	server_inputs_add(server, data);
}

static void handle_input_added(struct wl_listener *listener, void *data)
{
	struct server *server = wl_container_of(listener, server, input_added);
	server_inputs_add(server, data);
}

bool backends_start(struct server *server, char **error)
{
	if (!backend_is_drm(server->backend) && !server->options->bare) {
		server->gpu_watch = gpu_watch_create(server->gpus, server->loop);
	}
	if (backend_is_wayland(server->backend)) {
		wayland_backend_set_gpu(server->backend, server->device->gpu);
		add_wayland_outputs(server);
	}
	signal_add(&server->backend->events.new_output, &server->new_output, handle_new_output);
	signal_add(&server->backend->events.new_input, &server->new_input, handle_new_input);
	server_outputs_hold(server, true);
	bool started = backend_start(server->backend);
	if (started && server->input) {
		/* First, since a closed lid keeps the panel off. */
		signal_add(
			&server->input->events.new_input, &server->input_added, handle_input_added);
		backend_start(server->input);
	}
	server_outputs_hold(server, false);
	if (!started) {
		*error = xasprintf("cannot start the %s backend", server->backend->impl->name);
		return false;
	}
	return true;
}

void backends_destroy(struct server *server)
{
	gpu_watch_destroy(server->gpu_watch);
	event_source_remove(&server->release_outputs);
	wl_list_remove(&server->new_output.link);
	wl_list_remove(&server->new_input.link);
	wl_list_remove(&server->input_added.link);
	wl_list_remove(&server->backend_ended.link);
	backend_destroy(server->input);
	backend_destroy(server->backend);
	session_destroy(server->session);
}
