/* SPDX-License-Identifier: MIT */
/*
 * GPU choice per client: made when the client connects, from facts about its process, and kept for
 * its lifetime. When the rules or the GPUs change, the choice is repeated for clients that can
 * switch.
 */

#include "apps/app_rule.h"
#include "gpu/gpu.h"
#include "protocol/protocol.h"
#include "shell/shell.h"
#include "util/log.h"
#include "util/printable.h"
#include "util/process.h"
#include "util/xalloc.h"
#include "xwayland/server.h"
#include <stdlib.h>

struct client_gpus {
	struct protocols *protocols;
	struct wl_listener new_client, client_facts, gpus_changed, destroy;
};

/** Returns true if there is more than one GPU; otherwise requests have no effect. */
static bool is_choice(const struct server *server)
{
	const struct gpu *gpu, *display = server_display_gpu(server);
	wl_list_for_each (gpu, &server->gpus->gpus, link) {
		if (gpu != display) {
			return true;
		}
	}
	return false;
}

unsigned client_gpu_facts(const struct protocols *protocols)
{
	const struct server *server = protocols->server;
	unsigned facts = app_rule_facts(server->shell->config);
	if (is_choice(server) || config_names_remote(server->shell->config)) {
		facts |= PROCESS_ENVIRONMENT | PROCESS_ANCESTORS;
	}
	if (facts != 0) {
		/*
		 * The log names the executable. Requesting it here avoids a second read later,
		 * which would free the facts that the choice refers to.
		 */
		facts |= PROCESS_EXE;
	}
	return facts;
}

static struct app_identity identify(const struct protocols *protocols, struct client *client)
{
	unsigned facts = client_gpu_facts(protocols);
	return (struct app_identity){
		.process = facts != 0 ? client_process(client, facts) : NULL,
		.sandbox_app_id = client->sandbox_app_id,
	};
}

static struct gpu_choice choose(const struct protocols *protocols, struct client *client)
{
	struct server *server = protocols->server;
	if (client->x_server) {
		return (struct gpu_choice){
			.gpu = client->x_server->gpu, .decider = GPU_BY_X_SERVER};
	}
	struct app_identity identity = identify(protocols, client);
	return gpu_choose_running(
		server->shell->config, server->gpus, server_display_gpu(server), &identity);
}

static const char *name(struct client *client)
{
	const char *exe = client_exe(client);
	return exe ? exe : "unknown";
}

static void describe(struct client *client, const struct gpu_choice *choice)
{
	if (choice->missing) {
		log_info("client %d (%s): there is no GPU '%s'%s%s: using %s", (int)client->pid,
			PRINTABLE(name(client)), PRINTABLE(choice->selector),
			choice->rule ? ", named by rule " : "",
			choice->rule ? choice->rule->name : "",
			choice->gpu ? choice->gpu->bus_id : "none");
	} else if (choice->decider == GPU_BY_X_SERVER) {
		log_debug(LOG_GPU, "client %d (%s): X server :%d, GPU %s", (int)client->pid,
			PRINTABLE(name(client)), client->x_server->display,
			choice->gpu ? choice->gpu->bus_id : "none");
	} else {
		log_debug(LOG_GPU, "client %d (%s): %s%s, GPU %s", (int)client->pid,
			PRINTABLE(name(client)), choice->rule ? "rule " : "no rule",
			choice->rule ? choice->rule->name : "",
			choice->gpu ? choice->gpu->bus_id : "none");
	}
}

static void set_rule(struct client *client, const struct config_app *rule)
{
	free(client->rule);
	client->rule = rule ? xstrdup(rule->name) : NULL;
}

void client_gpu_decide(struct protocols *protocols, struct client *client)
{
	struct gpu_choice choice = choose(protocols, client);
	set_rule(client, choice.rule);
	describe(client, &choice);
	client->remote = choice.remote ? xstrdup(choice.remote) : NULL;
	client->gpu = client->next_gpu = choice.gpu;
	client->sees_feedback = choice.gpu;
	client->sees_node = choice.gpu && choice.gpu->render_path;
}

/** Returns true if the client must be notified of a change. */
static bool decide_again(struct protocols *protocols, struct client *client)
{
	struct gpu_choice choice = choose(protocols, client);
	struct gpu *gpu = client->gpu, *next = client->next_gpu;
	set_rule(client, choice.rule);
	if (!client->sees_feedback) {
		return false;
	}
	client->next_gpu = choice.gpu;
	if (gpu && gpu->gone) {
		/* A removed GPU cannot be kept. If no GPU is left, the old one's name stays. */
		client->gpu = choice.gpu ? choice.gpu : gpu;
	}
	return client->gpu != gpu || client->next_gpu != next;
}

static void update(struct protocols *protocols, struct client *client)
{
	if (!client->control && decide_again(protocols, client)) {
		signal_emit(&protocols->events.client_gpu, client);
	}
}

static void update_all(struct protocols *protocols)
{
	struct wl_client *wl_client;
	wl_client_for_each (wl_client, wl_display_get_client_list(protocols->display)) {
		update(protocols, client_from_wl(wl_client));
	}
}

void protocols_rules_changed(struct protocols *protocols)
{
	signal_emit(&protocols->events.rules_changed, NULL);
	update_all(protocols);
}

void client_gpu_named(struct protocols *protocols, struct client *client, const char *app_id)
{
	struct app_identity identity = identify(protocols, client);
	if (client->named) {
		return; /* log the same warning only once */
	}
	client->named = true;
	const struct config_app *rule =
		app_rule_find_late(protocols->server->shell->config, &identity, app_id);
	if (rule) {
		log_warn("rule [app %s] matches client %d (%s) too late, by its window's app ID "
			 "'%s': a GPU is chosen when a program connects; match exe = %s, or start "
			 "the program from its desktop file",
			rule->name, (int)client->pid, PRINTABLE(name(client)), PRINTABLE(app_id),
			client_exe(client) ? client_exe(client) : "*/its-name");
	}
}

static void handle_new_client(struct wl_listener *listener, void *data)
{
	struct client_gpus *gpus = wl_container_of(listener, gpus, new_client);
	client_gpu_decide(gpus->protocols, data);
}

/* Globals may have been announced already: a change is sent as after a configuration reload. */
static void handle_client_facts(struct wl_listener *listener, void *data)
{
	struct client_gpus *gpus = wl_container_of(listener, gpus, client_facts);
	update(gpus->protocols, data);
}

static void handle_gpus_changed(struct wl_listener *listener, void *data)
{
	struct client_gpus *gpus = wl_container_of(listener, gpus, gpus_changed);
	update_all(gpus->protocols);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct client_gpus *gpus = wl_container_of(listener, gpus, destroy);
	wl_list_remove(&gpus->new_client.link);
	wl_list_remove(&gpus->client_facts.link);
	wl_list_remove(&gpus->gpus_changed.link);
	wl_list_remove(&gpus->destroy.link);
	free(gpus);
}

void client_gpus_create(struct protocols *protocols)
{
	struct client_gpus *gpus = xcalloc(1, sizeof(*gpus));
	gpus->protocols = protocols;
	signal_add(&protocols->events.new_client, &gpus->new_client, handle_new_client);
	signal_add(&protocols->events.client_facts, &gpus->client_facts, handle_client_facts);
	signal_add(
		&protocols->server->gpus->events.changed, &gpus->gpus_changed, handle_gpus_changed);
	signal_add(&protocols->events.destroy, &gpus->destroy, handle_destroy);
}
