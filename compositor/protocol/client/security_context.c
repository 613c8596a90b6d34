/* SPDX-License-Identifier: MIT */
/*
 * wp_security_context_v1: listening sockets for sandboxed programs. Clients that connect through
 * them see no privileged globals; see globals.c.
 */

#include "client_fd.h"
#include "listener.h"
#include "protocol/protocol.h"
#include "security-context-v1-protocol.h"
#include "util/account.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/printable.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/**
 * Maximum number of contexts of all clients. Contexts outlive the clients that created them, so
 * client accounts cannot limit them.
 */
#define CONTEXTS_MAX 256
/** Number of descriptors held by a context. */
#define N_DESCRIPTORS 2

struct security_contexts {
	struct protocols *protocols;
	int n_contexts;
	struct wl_list contexts; /* committed contexts: security_context.link */
	struct wl_listener destroy;
};

/** Owned by its resource until committed, by the list of committed contexts then. */
struct security_context {
	struct security_contexts *contexts;
	struct wl_list link;
	int listen_fd, close_fd;
	struct client_listener *listener;
	struct wl_event_source *close_source;
	char *engine, *app_id, *instance_id; /* charged to the account */
	struct account *account;
	struct task_quota *task_quota; /* of all its clients together */
};

static void destroy_context(struct security_context *context)
{
	wl_list_remove(&context->link);
	client_listener_destroy(context->listener);
	event_source_remove(&context->close_source);
	fd_close(&context->listen_fd);
	fd_close(&context->close_fd);
	account_free_string(context->account, context->engine);
	account_free_string(context->account, context->app_id);
	account_free_string(context->account, context->instance_id);
	account_uncharge(context->account, ACCOUNT_DESCRIPTORS, N_DESCRIPTORS);
	account_unref(context->account);
	task_quota_release(context->task_quota);
	context->contexts->n_contexts--;
	free(context);
}

static void handle_client(void *data, struct wl_client *wl_client)
{
	struct security_context *context = data;
	if (!wl_client) {
		destroy_context(context);
		return;
	}
	struct client *client = client_from_wl(wl_client);
	client->sandboxed = true;
	client_share_task_quota(wl_client, context->task_quota);
	client->sandbox_engine = xstrdup(context->engine);
	client->sandbox_app_id = xstrdup(context->app_id);
	client->sandbox_instance_id = xstrdup(context->instance_id);
	client_gpu_decide(context->contexts->protocols, client);
}

static int handle_close(int fd, uint32_t mask, void *data)
{
	destroy_context(data);
	return 0;
}

/** Returns NULL after posting an error if the context was already committed. */
static struct security_context *get_context(struct wl_resource *resource)
{
	struct security_context *context = wl_resource_get_user_data(resource);
	if (!context) {
		wl_resource_post_error(resource, WP_SECURITY_CONTEXT_V1_ERROR_ALREADY_USED,
			"the security context is already committed");
	}
	return context;
}

static void set_once(struct wl_resource *resource, struct security_context *context, char **slot,
	const char *value)
{
	if (*slot) {
		wl_resource_post_error(resource, WP_SECURITY_CONTEXT_V1_ERROR_ALREADY_SET,
			"already set to '%s'", PRINTABLE(*slot));
	} else {
		*slot = account_strdup(context->account, value);
	}
}

static void handle_set_engine(
	struct wl_client *client, struct wl_resource *resource, const char *name)
{
	struct security_context *context = get_context(resource);
	if (context) {
		set_once(resource, context, &context->engine, name);
	}
}

static void handle_set_app_id(
	struct wl_client *client, struct wl_resource *resource, const char *app_id)
{
	struct security_context *context = get_context(resource);
	if (context) {
		set_once(resource, context, &context->app_id, app_id);
	}
}

static void handle_set_instance_id(
	struct wl_client *client, struct wl_resource *resource, const char *instance_id)
{
	struct security_context *context = get_context(resource);
	if (context) {
		set_once(resource, context, &context->instance_id, instance_id);
	}
}

static void handle_commit(struct wl_client *client, struct wl_resource *resource)
{
	struct security_context *context = get_context(resource);
	if (!context) {
		return;
	}
	struct protocols *protocols = context->contexts->protocols;
	wl_resource_set_user_data(resource, NULL);
	wl_list_remove(&context->link);
	wl_list_insert(&context->contexts->contexts, &context->link);
	context->listener =
		client_listener_create(protocols, context->listen_fd, handle_client, context);
	if (context->listener) {
		client_listener_use_threads(context->listener);
	}
	/* Hangups are reported although no event is requested. */
	context->close_source = wl_event_loop_add_fd(
		protocols->server->loop, context->close_fd, 0, handle_close, context);
	if (!context->listener || !context->close_source) {
		wl_client_post_implementation_error(
			client, "cannot watch the descriptors of the security context");
		destroy_context(context);
	}
}

static const struct wp_security_context_v1_interface context_impl = {
	.destroy = resource_handle_destroy,
	.set_sandbox_engine = handle_set_engine,
	.set_app_id = handle_set_app_id,
	.set_instance_id = handle_set_instance_id,
	.commit = handle_commit,
};

static void handle_context_resource_destroy(struct wl_resource *resource)
{
	struct security_context *context = wl_resource_get_user_data(resource);
	if (context) {
		destroy_context(context);
	}
}

static int socket_option(int fd, int option)
{
	int value = -1;
	socklen_t size = sizeof(value);
	return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

static bool is_listening(int fd)
{
	return socket_option(fd, SO_ACCEPTCONN) == 1 && socket_option(fd, SO_DOMAIN) == AF_UNIX &&
	       socket_option(fd, SO_TYPE) == SOCK_STREAM;
}

static bool check_listener(struct wl_client *client, struct wl_resource *manager, int listen_fd)
{
	if (client_from_wl(client)->sandboxed) {
		wl_resource_post_error(manager, WP_SECURITY_CONTEXT_MANAGER_V1_ERROR_NESTED,
			"a client of a security context cannot create another one");
		return false;
	}
	if (!is_listening(listen_fd) || !fd_set_nonblocking(listen_fd)) {
		wl_resource_post_error(manager,
			WP_SECURITY_CONTEXT_MANAGER_V1_ERROR_INVALID_LISTEN_FD,
			"listen_fd must be a listening stream socket of the local domain");
		return false;
	}
	return true;
}

static void handle_create_listener(struct wl_client *client, struct wl_resource *manager,
	uint32_t id, int listen_fd, int close_fd)
{
	struct security_contexts *contexts = wl_resource_get_user_data(manager);
	if (!check_listener(client, manager, listen_fd)) {
		goto close_fds;
	}
	/* Watching a file on FUSE would send requests to the program that serves it. */
	if (!fd_is_pipe(close_fd) && !fd_is_local_socket(close_fd)) {
		wl_client_post_implementation_error(
			client, "close_fd of a security context must be a pipe or a local socket");
		goto close_fds;
	}
	if (contexts->n_contexts >= CONTEXTS_MAX) {
		log_warn("client %d asks for a security context beyond all %d",
			(int)client_from_wl(client)->pid, CONTEXTS_MAX);
		wl_client_post_no_memory(client);
		goto close_fds;
	}
	struct wl_resource *resource = wl_resource_create(
		client, &wp_security_context_v1_interface, wl_resource_get_version(manager), id);
	if (!resource) {
		wl_client_post_no_memory(client);
		goto close_fds;
	}
	struct security_context *context = xcalloc(1, sizeof(*context));
	context->contexts = contexts;
	context->task_quota = task_quota_create();
	contexts->n_contexts++;
	context->account = account_ref(client_from_wl(client)->account);
	account_charge(context->account, ACCOUNT_DESCRIPTORS, N_DESCRIPTORS);
	context->listen_fd = listen_fd;
	context->close_fd = close_fd;
	wl_list_init(&context->link);
	wl_resource_set_implementation(
		resource, &context_impl, context, handle_context_resource_destroy);
	return;
close_fds:
	client_fd_close(client, listen_fd);
	client_fd_close(client, close_fd);
}

static const struct wp_security_context_manager_v1_interface manager_impl = {
	.destroy = resource_handle_destroy,
	.create_listener = handle_create_listener,
};

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct security_contexts *contexts = wl_container_of(listener, contexts, destroy);
	struct security_context *context, *next;
	wl_list_for_each_safe (context, next, &contexts->contexts, link) {
		destroy_context(context);
	}
	wl_list_remove(&contexts->destroy.link);
	free(contexts);
}

void security_context_create(struct protocols *protocols)
{
	struct security_contexts *contexts = xcalloc(1, sizeof(*contexts));
	contexts->protocols = protocols;
	wl_list_init(&contexts->contexts);
	signal_add(&protocols->events.destroy, &contexts->destroy, handle_destroy);
	protocols_add_global(protocols, &wp_security_context_manager_v1_interface, 1, &manager_impl,
		contexts, GLOBAL_PRIVILEGED);
}
