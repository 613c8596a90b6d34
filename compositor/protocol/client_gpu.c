/*
 * Which GPU each client is told to render on: decided when it connects, from who it is, and kept for its
 * life. When the rules or the GPUs change it is looked at again, for those who can follow.
 */

#include "protocol.h"
#include "shell/app_rule.h"
#include "util/log.h"
#include "util/process.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct client_gpus {
	struct protocols *protocols;
	struct wl_listener gpus_changed, destroy;
};

/** What its starter asked for, or that of whoever it was started by. */
static const char *find_wish(const struct process *process)
{
	while (process && !process->wish) {
		process = process->parent;
	}
	return process ? process->wish : NULL;
}

/** A GPU can be chosen: else nothing that a starter wishes makes a difference. */
static bool is_choice(const struct server *server)
{
	const struct gpu *gpu, *display = server_display_gpu(server);
	wl_list_for_each (gpu, &server->gpus.gpus, link) {
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
	if (is_choice(server)) {
		facts |= PROCESS_ENVIRONMENT | PROCESS_ANCESTORS;
	}
	if (facts != 0) {
		/* For the log: asked for later, it would be read with all else anew, which ends what the
		 * choice names. */
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
	struct app_identity identity = identify(protocols, client);
	struct gpu_wish wish = {.selector = find_wish(identity.process)};
	return gpu_choose(
		server->shell->config, &server->gpus, server_display_gpu(server), &identity, &wish);
}

static const char *name(struct client *client)
{
	const char *exe = client_exe(client);
	return exe ? exe : "unknown";
}

static void describe(struct client *client, const struct gpu_choice *choice)
{
	if (choice->missing) {
		log_info("client %d (%s): there is no GPU '%s'%s%s: it gets %s", (int)client->pid,
			name(client), choice->selector, choice->rule ? " as of rule " : "",
			choice->rule ? choice->rule->name : "",
			choice->gpu ? choice->gpu->bus_id : "none");
	} else {
		log_debug(LOG_GPU, "client %d (%s): %s%s, GPU %s", (int)client->pid, name(client),
			choice->rule ? "rule " : "no rule", choice->rule ? choice->rule->name : "",
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
	client->gpu = client->next_gpu = choice.gpu;
	client->sees_feedback = choice.gpu;
	client->sees_node = choice.gpu && choice.gpu->render_path;
}

/** True if there is something that it has to be told. */
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
		/* What is not there any more cannot be kept. Without any GPU, the name stays. */
		client->gpu = choice.gpu ? choice.gpu : gpu;
	}
	return client->gpu != gpu || client->next_gpu != next;
}

void client_gpu_update(struct protocols *protocols, struct client *client)
{
	if (!client->control && decide_again(protocols, client)) {
		signal_emit(&protocols->events.client_gpu, client);
	}
}

static void update(struct protocols *protocols)
{
	struct wl_client *wl_client;
	wl_client_for_each (wl_client, wl_display_get_client_list(protocols->display)) {
		client_gpu_update(protocols, client_from_wl(wl_client));
	}
}

void protocols_rules_changed(struct protocols *protocols)
{
	signal_emit(&protocols->events.rules_changed, NULL);
	update(protocols);
}

void client_gpu_named(struct protocols *protocols, struct client *client, const char *app_id)
{
	struct app_identity identity = identify(protocols, client);
	if (client->named) {
		return; /* once is enough: it would be the same words */
	}
	client->named = true;
	const struct config_app *rule =
		app_rule_find_late(protocols->server->shell->config, &identity, app_id);
	if (rule) {
		log_warn("rule [app %s] comes too late for client %d (%s), whose window says that "
			 "it is %s: a GPU is chosen when a program connects, so give exe = %s, or "
			 "start it by its desktop file",
			rule->name, (int)client->pid, name(client), app_id,
			client_exe(client) ? client_exe(client) : "*/its-name");
	}
}

static void handle_gpus_changed(struct wl_listener *listener, void *data)
{
	struct client_gpus *gpus = wl_container_of(listener, gpus, gpus_changed);
	update(gpus->protocols);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct client_gpus *gpus = wl_container_of(listener, gpus, destroy);
	wl_list_remove(&gpus->gpus_changed.link);
	wl_list_remove(&gpus->destroy.link);
	free(gpus);
}

void client_gpus_create(struct protocols *protocols)
{
	struct client_gpus *gpus = xcalloc(1, sizeof(*gpus));
	gpus->protocols = protocols;
	gpus->gpus_changed.notify = handle_gpus_changed;
	wl_signal_add(&protocols->server->gpus.events.changed, &gpus->gpus_changed);
	gpus->destroy.notify = handle_destroy;
	wl_signal_add(&protocols->events.destroy, &gpus->destroy);
}
