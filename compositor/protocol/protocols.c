/* SPDX-License-Identifier: MIT */
/* All protocols together: their creation and end. */

#include "protocol.h"
#include "table.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

void protocols_flush(struct protocols *protocols)
{
	flush_queue_flush(protocols->flush_queue);
}

/** Creates the protocols in the order in which clients see the globals. */
static void create_all(struct protocols *protocols)
{
	protocols->flush_queue = flush_queue_create(protocols);
	client_tracking_create(protocols);
	client_gpus_create(protocols);
#define CREATE(name) name##_create(protocols);
	PROTOCOLS(CREATE)
#undef CREATE
}

struct protocols *protocols_create(struct server *server)
{
	struct protocols *protocols = xcalloc(1, sizeof(*protocols));
	protocols->server = server;
	protocols->display = server->display;
	globals_init(protocols);
	signals_init(&protocols->events, sizeof(protocols->events));
	create_all(protocols);
	return protocols;
}

bool protocols_listen(struct protocols *protocols, int fd)
{
	protocols->listener = client_listener_create(protocols, fd, NULL, NULL);
	return protocols->listener;
}

void protocols_destroy(struct protocols *protocols)
{
	if (!protocols) {
		return;
	}
	protocols->ending = true;
	client_listener_destroy(protocols->listener);
	wl_display_destroy_clients(protocols->display);
	signal_emit(&protocols->events.destroy, protocols);
	assert(signals_are_unused(&protocols->events, sizeof(protocols->events)));
	globals_finish(protocols);
	free(protocols);
}
