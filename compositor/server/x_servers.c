/* SPDX-License-Identifier: MIT */
/* X servers of the session: joined with child processes, clients, GPUs and the configuration. */

#include "x_servers.h"
#include "apps/app_rule.h"
#include "apps/launch.h"
#include "children.h"
#include "gpu/environment.h"
#include "protocol/protocols.h"
#include "scene/scene.h"
#include "server/server.h"
#include "shell/shell.h"
#include "state.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/process.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include "xwayland/servers.h"
#include "xwayland/wm.h"
#include <math.h>
#include <stdlib.h>

/*
 * Time for the screens of a dock or a switch to leave or come one after the other, ns. During the
 * first one, X windows are too small, during the second one larger than needed.
 */
#define SETTLE_LARGER INT64_C(1000000000)
#define SETTLE_SMALLER INT64_C(5000000000)

static char **copy_all(char **list, const char *const *strings)
{
	for (; strings && *strings; strings++) {
		list = strings_add(list, xstrdup(*strings));
	}
	return list;
}

/* Libraries of the X server load drivers, which would wake other GPUs, as those of programs do. */
static pid_t host_spawn(void *data, const struct x_server *x_server, const char *const *argv,
	const char *const *environment, const int *fds, int n_fds, int error_fd)
{
	struct server *server = data;
	char **hidden = gpu_environment_hide_others(server->gpus,
		server->shell->config->gpu.hide_others ? x_server->gpu : NULL,
		server_display_gpu(server), NULL);
	char **all = copy_all(copy_all(NULL, (const char *const *)hidden), environment);
	struct child_start start = {
		.argv = argv,
		.environment = (const char *const *)all,
		.fds = fds,
		.n_fds = n_fds,
		.error_fd = error_fd,
		.many_files = true,
	};
	pid_t pid = children_spawn(server->children, &start);
	strings_destroy(all);
	strings_destroy(hidden);
	return pid;
}

static struct wl_client *host_connect(void *data, struct x_server *x_server, int fd)
{
	struct server *server = data;
	return protocols_connect_x_server(server->protocols, x_server, fd);
}

static struct gpu *host_default_gpu(void *data)
{
	struct server *server = data;
	const struct config *config = server->shell->config;
	struct gpu *display = server_display_gpu(server);
	struct gpu *gpu = gpu_select(config, server->gpus, display, config->gpu.default_selector);
	return gpu ? gpu : display;
}

static unsigned host_facts(void *data)
{
	const struct server *server = data;
	return app_rule_facts(server->shell->config) | PROCESS_ENVIRONMENT | PROCESS_ANCESTORS;
}

static struct x_choice host_choose(void *data, const struct process *process)
{
	struct server *server = data;
	const struct app_identity identity = {.process = process};
	const struct gpu_choice choice = gpu_choose_running(
		server->shell->config, server->gpus, server_display_gpu(server), &identity);
	return (struct x_choice){
		.gpu = choice.gpu,
		.rule = choice.decider == GPU_BY_RULE ? choice.rule->name : NULL,
		.wished = choice.decider == GPU_BY_SPAWN,
	};
}

/** Returns whether programs can be on different GPUs, so that X servers share a display. */
static bool shares_display(const struct server *server)
{
	const struct config *config = server->shell->config;
	const struct gpu *gpu;
	int n = 0;
	wl_list_for_each (gpu, &server->gpus->gpus, link) {
		n += gpu->render_path != NULL;
	}
	return config->xwayland.per_gpu &&
	       (config->xwayland.one_display == CONFIG_ONE_DISPLAY_YES ||
		       (config->xwayland.one_display == CONFIG_ONE_DISPLAY_AUTO && n > 1));
}

/** Returns NULL with *error, which the caller frees. */
static struct x_servers *create_servers(
	struct x_servers_options *options, struct x_selection_host *selections, char **error)
{
#ifdef CAUSEWAY_XWAYLAND
	options->wm = xwm_impl();
	selections->wm = xwm_selection_impl();
	selections->drag_wm = xwm_drag_impl();
	return x_servers_create(options, error);
#else
	*error = xstrdup("this Causeway was built without X servers (meson option xwayland)");
	return NULL;
#endif
}

/* Finds the output of the largest scale; NULL: there are no outputs. */
static const struct server_output *find_largest(const struct server *server)
{
	const struct server_output *entry, *largest = NULL;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->scene_output &&
			(!largest || entry->scene_output->scale > largest->scene_output->scale)) {
			largest = entry;
		}
	}
	return largest;
}

/* Follows the largest scale. A screen that drops its link returns with its scale. */
static void take_scale(struct server *server)
{
	struct server_state *state = server->state;
	const struct server_output *largest = find_largest(server);
	timer_disarm(&state->x_settle);
	if (largest) {
		state->x_scale = fmax(1, largest->scene_output->scale);
		state->x_screen = largest->screen;
	}
}

static bool has_screen(const struct server *server, const struct server_screen *screen)
{
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->screen == screen && entry->scene_output) {
			return true;
		}
	}
	return false;
}

/* Returns the pixels of X screens per logical pixel. */
static double x_scale(const struct server *server)
{
	return server->shell->config->xwayland.scale == CONFIG_X_SCALE_ONE
		       ? 1
		       : fmax(1, server->state->x_scale);
}

static struct x_servers_settings settings_of(const struct server *server)
{
	const struct config *config = server->shell->config;
	return (struct x_servers_settings){
		.linger = config->xwayland.linger,
		.per_gpu = config->xwayland.per_gpu,
		.abstract_socket = config->xwayland.abstract_socket,
		.scale = x_scale(server),
	};
}

static void configure(struct server *server)
{
	const struct x_servers_settings settings = settings_of(server);
	const struct x_server *x_server;
	bool scaled = false;
	wl_list_for_each (x_server, x_servers_list(server->x_servers), link) {
		scaled = scaled || x_server->scale != settings.scale;
	}
	x_servers_configure(server->x_servers, &settings);
	wl_list_for_each (x_server, x_servers_list(server->x_servers), link) {
		if (scaled && x_server->wl_client) {
			protocols_send_outputs(server->protocols, x_server->wl_client);
		}
	}
}

static void handle_settled(struct timer *timer, int64_t now)
{
	struct server_state *state = wl_container_of(timer, state, x_settle);
	take_scale(&state->server);
	configure(&state->server);
}

/* Returns whether a new scale comes from hotplug, not from the user or the first screen. */
static bool is_from_hotplug(const struct server *server, const struct server_output *largest)
{
	const struct server_state *state = server->state;
	const double scale = largest->scene_output->scale;
	const bool had = state->x_scale > 0 && largest->screen != state->x_screen;
	return had && (scale > state->x_scale || !has_screen(server, state->x_screen));
}

/*
 * The screens of a switch leave and come one after the other, in any order, and the panel under a
 * closed lid is lit between them: other scales wait until the screens have settled.
 */
static void handle_new_layout(void *data)
{
	struct server_state *state = data;
	struct server *server = &state->server;
	const struct server_output *largest = find_largest(server);
	state->x_layout_idle = NULL;
	if (!largest || largest->scene_output->scale == state->x_scale ||
		!is_from_hotplug(server, largest)) {
		take_scale(server);
		configure(server);
		return;
	}
	const bool grows = largest->scene_output->scale > state->x_scale;
	if (!state->x_settle.armed || state->x_grows != grows) {
		state->x_grows = grows;
		timer_arm(&state->x_settle,
			clock_now(server->clock) + (grows ? SETTLE_LARGER : SETTLE_SMALLER));
	}
}

/* Waits until all screens of an event have left: a monitor that leaves last changes no scale. */
static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct server_state *state = wl_container_of(listener, state, x_layout);
	if (!state->x_layout_idle) {
		state->x_layout_idle =
			wl_event_loop_add_idle(state->server.loop, handle_new_layout, state);
	}
}

static void ignore_layout(struct server_state *state)
{
	wl_list_remove(&state->x_layout.link);
	event_source_remove(&state->x_layout_idle);
	timer_finish(&state->x_settle);
}

static bool redeem_token(void *data, const char *token)
{
	struct server *server = data;
	return activation_token_redeem(server->protocols, token);
}

static void create(struct server *server, const struct x_servers_settings *settings)
{
	struct server_state *state = server->state;
	state->x_host = (struct x_servers_host){
		.data = server,
		.spawn = host_spawn,
		.connect = host_connect,
		.default_gpu = host_default_gpu,
		.facts = host_facts,
		.choose = host_choose,
		.find_surface = protocols_find_surface,
		.find_serial = protocols_find_serial,
	};
	struct x_servers_options options = {
		.loop = server->loop,
		.clock = server->clock,
		.host = &state->x_host,
		.tasks = server->tasks,
		.helper_program = server->options->helper_program,
		.one_display = shares_display(server),
		.settings = *settings,
		.wm_data = &state->xwm_parts,
	};
	state->xwm_parts = (struct xwm_parts){
		.loop = server->loop,
		.clock = server->clock,
		.tasks = server->tasks,
		.scene = server->scene,
		.seat = server->seat,
		.shell = server->shell,
		.selections = protocols_x_selections(server->protocols),
		.redeem_token = redeem_token,
		.data = server,
	};
	signal_add(&server->scene->events.layout_changed, &state->x_layout, handle_layout_changed);
	char *error = NULL;
	server->x_servers = create_servers(&options, state->xwm_parts.selections, &error);
	if (!server->x_servers) {
		log_info("X11 programs cannot run: %s", error);
		free(error);
		ignore_layout(state);
	}
}

void server_configure_x_servers(struct server *server)
{
	if (!server->shell->config->xwayland.enable) {
		server_end_x_servers(server);
	} else if (server->x_servers) {
		configure(server);
	} else {
		timer_init(&server->state->x_settle, server->clock, handle_settled);
		take_scale(server);
		const struct x_servers_settings settings = settings_of(server);
		create(server, &settings);
	}
}

void server_end_x_servers(struct server *server)
{
	if (server->x_servers) {
		ignore_layout(server->state);
	}
	x_servers_destroy(server->x_servers);
	server->x_servers = NULL;
}

static struct x_server *find_server(
	struct server *server, const struct launch *launch, struct x_server **own)
{
	*own = NULL;
	if (!server->x_servers) {
		return NULL;
	}
	if (launch->own_x_server) {
		char *error = NULL;
		*own = x_server_create_own(server->x_servers, launch->gpu, &error);
		if (!*own) {
			log_warn("%s gets no X server of its own, and so none: %s", launch->argv[0],
				error);
			free(error);
		}
		return *own;
	}
	return x_server_for_gpu(server->x_servers, launch->gpu);
}

char **server_x_environment(struct server *server, const char *gpu)
{
	const struct config *config = server->shell->config;
	if (!config->xwayland.enable) {
		return NULL;
	}
	struct gpu *chosen =
		gpu ? gpu_select(config, server->gpus, server_display_gpu(server), gpu) : NULL;
	return x_server_environment(
		server->x_servers ? x_server_for_gpu(server->x_servers, chosen) : NULL);
}

char **server_add_x_environment(struct server *server, const struct launch *launch,
	char **environment, struct x_server **own)
{
	const struct x_server *x_server = find_server(server, launch, own);
	if (!server->shell->config->xwayland.enable) {
		return environment; /* X servers of others, such as xwayland-satellite's */
	}
	char **changes = x_server_environment(x_server);
	environment = copy_all(environment, (const char *const *)changes);
	strings_destroy(changes);
	return environment;
}
