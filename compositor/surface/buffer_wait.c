/* SPDX-License-Identifier: MIT */
/* Content updates that wait until the memory of their buffer is known. */

#include "buffer/shm.h"
#include "internal.h"
#include "surface/transaction.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct buffer_blocker {
	struct blocker base;
	struct buffer *buffer; /* locked: the update may lose it before */
	struct wl_listener known;
};

static void destroy_blocker(struct blocker *base)
{
	struct buffer_blocker *blocker = wl_container_of(base, blocker, base);
	wl_list_remove(&blocker->known.link);
	buffer_unlock(blocker->buffer);
	free(blocker);
}

static const struct blocker_impl blocker_impl = {.destroy = destroy_blocker};

static void handle_known(struct wl_listener *listener, void *data)
{
	struct buffer_blocker *blocker = wl_container_of(listener, blocker, known);
	blocker_clear(&blocker->base);
}

void update_wait_for_memory(struct update *update)
{
	struct buffer *buffer = update->state.buffer;
	struct wl_signal *known = buffer_known_signal(buffer);
	if (!known) {
		return;
	}
	struct buffer_blocker *blocker = xcalloc(1, sizeof(*blocker));
	blocker->buffer = buffer_lock(buffer);
	signal_add(known, &blocker->known, handle_known);
	blocker_init(&blocker->base, &blocker_impl, update, SURFACE_BUFFER);
}
