/* Clients: who is connected, and the bounds within which one can burden the compositor. */

#include "client_account.h"
#include "linux-dmabuf-v1-protocol.h"
#include "protocol.h"
#include "security-context-v1-protocol.h"
#include "util/log.h"
#include "util/process.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <unistd.h>

/** Bytes that wait for a client that does not read; it is disconnected when more would. */
#define MAX_BUFFER_SIZE (1024 * 1024)
/** Objects that a client may have. Its objects are counted only now and then: see census(). */
#define MAX_OBJECTS 65536
#define CENSUS_STEP 4096
/**
 * Of these, the ones that hold files and mappings, which all clients share the number of: pools,
 * buffers, parameters of dma-bufs. Counted as seldom.
 */
#define MAX_HOLDERS 4096
#define HOLDERS_STEP 512

#define N_HOLDERS 4

struct client_tracking {
	struct protocols *protocols;
	struct account_ledger *ledger;
	/**
	 * Classes of objects that are looked for. Every frame makes some: interfaces lie far apart, and to look
	 * for their names there would be a line of the cache for each.
	 */
	const char *holders[N_HOLDERS];
	/** The kernel keeps clients apart from who gets their number later: they are read when needed. */
	bool pins;
	struct wl_listener client_created, destroy;
};

struct tracked_client {
	struct client base;
	struct wl_client *wl_client;
	const struct client_tracking *tracking;
	struct process *process; /* NULL: not read so far, or unknown */
	unsigned facts; /* that were read of it, or that there was nothing to read of */
	struct task_quota *task_quota;
	struct wl_listener resource_created;
	/** Objects, and holders of files, that may still be made before they are counted. */
	int until_census, until_holders;
};

struct client *client_from_wl(struct wl_client *client)
{
	return wl_client_get_user_data(client);
}

struct protocols *client_protocols(struct wl_client *wl_client)
{
	struct tracked_client *client = wl_container_of(client_from_wl(wl_client), client, base);
	return client->tracking->protocols;
}

struct task_quota *client_task_quota(struct wl_client *wl_client)
{
	struct tracked_client *client = wl_container_of(client_from_wl(wl_client), client, base);
	return client->task_quota;
}

static bool is_holder(const struct client_tracking *tracking, const char *class)
{
	for (size_t i = 0; i < N_HOLDERS; i++) {
		if (class == tracking->holders[i]) { /* it is the very string */
			return true;
		}
	}
	return false;
}

struct population {
	const struct client_tracking *tracking;
	int objects, holders;
};

static enum wl_iterator_result count(struct wl_resource *resource, void *data)
{
	struct population *population = data;
	population->objects++;
	population->holders += is_holder(population->tracking, wl_resource_get_class(resource));
	return WL_ITERATOR_CONTINUE;
}

/** How many more may be made before counting again. */
static int until_next(int n, int most, int step)
{
	return most - n > step ? most - n : step;
}

/**
 * A client that keeps making objects runs out of them, as if out of memory. Counting all of them
 * every few thousand keeps what is made per frame (callbacks, feedback) free of bookkeeping.
 */
static void census(struct tracked_client *client, struct wl_client *wl_client)
{
	struct population n = {.tracking = client->tracking};
	wl_client_for_each_resource(wl_client, count, &n);
	account_set(client->base.account, ACCOUNT_OBJECTS, n.objects);
	if (n.holders > MAX_HOLDERS) {
		log_warn("client %d has %d pools and buffers: disconnected", (int)client->base.pid,
			n.holders);
		wl_client_post_no_memory(wl_client);
	}
	client->until_census = until_next(n.objects, MAX_OBJECTS, CENSUS_STEP);
	client->until_holders = until_next(n.holders, MAX_HOLDERS, HOLDERS_STEP);
}

static void handle_resource_created(struct wl_listener *listener, void *data)
{
	struct tracked_client *client = wl_container_of(listener, client, resource_created);
	struct wl_resource *resource = data;
	const struct client_tracking *tracking = client->tracking;
	const char *class = wl_resource_get_class(resource);
	client->until_census--;
	client->until_holders -= is_holder(tracking, class);
	if (client->until_census <= 0 || client->until_holders <= 0) {
		census(client, wl_resource_get_client(resource));
	}
}

/** The last that happens to a client: its resources are gone. */
static void destroy_client(void *data)
{
	struct tracked_client *client = data;
	client_account_finish(&client->base);
	free(client->base.rule);
	process_destroy(client->process);
	task_quota_release(client->task_quota);
	free(client->base.sandbox_engine);
	free(client->base.sandbox_app_id);
	free(client->base.sandbox_instance_id);
	free(client);
}

/** What we started by way of desktop files, among a process and its ancestors. */
static void name_own_children(const struct server *server, struct process *process)
{
	for (; process; process = process->parent) {
		const char *id = server_desktop_id(server, process->pid, process->start);
		if (id) {
			free(process->desktop_id);
			process->desktop_id = xstrdup(id);
		}
	}
}

/* All again: what is known of a process is of one moment. */
static void read_process(struct tracked_client *client, unsigned facts)
{
	client->facts |= facts;
	/* What the compositor itself was started by says nothing about who it starts. */
	struct process *process =
		process_read_peer(wl_client_get_fd(client->wl_client), getpid(), client->facts);
	if (!process) {
		return; /* it has gone: what was known stays */
	}
	if (client->facts & PROCESS_ENVIRONMENT) {
		name_own_children(client->tracking->protocols->server, process);
	}
	process_destroy(client->process);
	client->process = process;
}

const struct process *client_process(struct client *base, unsigned facts)
{
	struct tracked_client *client = wl_container_of(base, client, base);
	if (facts & ~client->facts) {
		read_process(client, facts);
	}
	return client->process;
}

const char *client_exe(struct client *client)
{
	const struct process *process = client_process(client, PROCESS_EXE);
	return process ? process->exe : NULL;
}

static void handle_client_created(struct wl_listener *listener, void *data)
{
	struct client_tracking *tracking = wl_container_of(listener, tracking, client_created);
	struct wl_client *wl_client = data;
	struct tracked_client *client = xcalloc(1, sizeof(*client));
	struct client *base = &client->base;
	wl_client_get_credentials(wl_client, &base->pid, &base->uid, &base->gid);
	client->wl_client = wl_client;
	client->tracking = tracking;
	client_account_init(base, tracking->ledger, wl_client);
	client->task_quota = task_quota_create();
	tracking->pins = tracking->pins || process_peers_are_pinned(wl_client_get_fd(wl_client));
	if (!tracking->pins) {
		read_process(client, PROCESS_ALL);
	}
	client->until_census = MAX_OBJECTS;
	client->until_holders = MAX_HOLDERS;
	client->resource_created.notify = handle_resource_created;
	wl_client_add_resource_created_listener(wl_client, &client->resource_created);
	wl_client_set_user_data(wl_client, client, destroy_client);
	log_debug(LOG_PROTOCOL, "client %d connected", (int)base->pid);
	client_gpu_decide(tracking->protocols, base);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct client_tracking *tracking = wl_container_of(listener, tracking, destroy);
	wl_list_remove(&tracking->client_created.link);
	wl_list_remove(&tracking->destroy.link);
	account_ledger_unref(tracking->ledger);
	free(tracking);
}

void client_tracking_create(struct protocols *protocols)
{
	struct client_tracking *tracking = xcalloc(1, sizeof(*tracking));
	tracking->protocols = protocols;
	tracking->ledger = client_ledger_create();
	tracking->holders[0] = wl_buffer_interface.name;
	tracking->holders[1] = wl_shm_pool_interface.name;
	tracking->holders[2] = zwp_linux_buffer_params_v1_interface.name;
	tracking->holders[3] = wp_security_context_v1_interface.name;
	tracking->client_created.notify = handle_client_created;
	wl_display_add_client_created_listener(protocols->display, &tracking->client_created);
	tracking->destroy.notify = handle_destroy;
	wl_signal_add(&protocols->events.destroy, &tracking->destroy);
	wl_display_set_default_max_buffer_size(protocols->display, MAX_BUFFER_SIZE);
}
