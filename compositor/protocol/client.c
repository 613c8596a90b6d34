/* Clients: who is connected, and the bounds within which one can burden the compositor. */

#include "protocol.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Bytes that wait for a client that does not read; it is disconnected when more would. */
#define MAX_BUFFER_SIZE (1024 * 1024)
/** Objects that a client may have. Its objects are counted only now and then: see census(). */
#define MAX_OBJECTS 65536
#define CENSUS_STEP 4096

struct client_tracking {
	struct wl_listener client_created, destroy;
};

struct tracked_client {
	struct client base;
	struct wl_listener resource_created;
	int until_census; /* objects that may still be made before they are counted */
};

struct client *client_from_wl(struct wl_client *client)
{
	return wl_client_get_user_data(client);
}

static char *read_exe(pid_t pid)
{
	char link[32], path[PATH_MAX];
	if (pid <= 0) {
		return NULL;
	}
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	if (length < 0) {
		return NULL;
	}
	path[length] = '\0';
	return xstrdup(path);
}

static enum wl_iterator_result count(struct wl_resource *resource, void *data)
{
	int *n = data;
	(*n)++;
	return WL_ITERATOR_CONTINUE;
}

/**
 * A client that keeps making objects runs out of them, as if out of memory. Counting all of them
 * every few thousand keeps what is made per frame (callbacks, feedback) free of bookkeeping.
 */
static void census(struct tracked_client *client, struct wl_client *wl_client)
{
	int n = 0;
	wl_client_for_each_resource(wl_client, count, &n);
	if (n > MAX_OBJECTS) {
		log_warn("client %d has %d objects: disconnected", (int)client->base.pid, n);
		wl_client_post_no_memory(wl_client);
	}
	client->until_census = MAX_OBJECTS - n > CENSUS_STEP ? MAX_OBJECTS - n : CENSUS_STEP;
}

static void handle_resource_created(struct wl_listener *listener, void *data)
{
	struct tracked_client *client = wl_container_of(listener, client, resource_created);
	struct wl_resource *resource = data;
	if (--client->until_census <= 0) {
		census(client, wl_resource_get_client(resource));
	}
}

/** The last that happens to a client: its resources are gone. */
static void destroy_client(void *data)
{
	struct tracked_client *client = data;
	free(client->base.exe);
	free(client->base.sandbox_engine);
	free(client->base.sandbox_app_id);
	free(client->base.sandbox_instance_id);
	free(client);
}

static void handle_client_created(struct wl_listener *listener, void *data)
{
	struct wl_client *wl_client = data;
	struct tracked_client *client = xcalloc(1, sizeof(*client));
	struct client *base = &client->base;
	wl_client_get_credentials(wl_client, &base->pid, &base->uid, &base->gid);
	base->exe = read_exe(base->pid);
	client->until_census = MAX_OBJECTS;
	client->resource_created.notify = handle_resource_created;
	wl_client_add_resource_created_listener(wl_client, &client->resource_created);
	wl_client_set_user_data(wl_client, client, destroy_client);
	log_debug(LOG_PROTOCOL, "client %d (%s) connected", (int)base->pid,
		base->exe ? base->exe : "unknown");
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct client_tracking *tracking = wl_container_of(listener, tracking, destroy);
	wl_list_remove(&tracking->client_created.link);
	wl_list_remove(&tracking->destroy.link);
	free(tracking);
}

void client_tracking_create(struct protocols *protocols)
{
	struct client_tracking *tracking = xcalloc(1, sizeof(*tracking));
	tracking->client_created.notify = handle_client_created;
	wl_display_add_client_created_listener(protocols->display, &tracking->client_created);
	tracking->destroy.notify = handle_destroy;
	wl_signal_add(&protocols->events.destroy, &tracking->destroy);
	wl_display_set_default_max_buffer_size(protocols->display, MAX_BUFFER_SIZE);
}
