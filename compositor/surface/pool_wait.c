/* SPDX-License-Identifier: MIT */
/* Content updates that wait for a pool of shared memory whose file is being examined. */

#include "buffer/shm.h"
#include "internal.h"
#include "surface/transaction.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct pool_blocker {
	struct blocker base;
	struct wl_listener opened;
};

static void destroy_blocker(struct blocker *base)
{
	struct pool_blocker *blocker = wl_container_of(base, blocker, base);
	wl_list_remove(&blocker->opened.link);
	free(blocker);
}

static const struct blocker_impl blocker_impl = {.destroy = destroy_blocker};

static void handle_opened(struct wl_listener *listener, void *data)
{
	struct pool_blocker *blocker = wl_container_of(listener, blocker, opened);
	blocker_clear(&blocker->base);
}

void update_wait_for_pool(struct update *update)
{
	struct buffer *buffer = update->state.buffer;
	if (!buffer_is_shm(buffer) || !shm_buffer_is_pending(buffer)) {
		return;
	}
	struct pool_blocker *blocker = xcalloc(1, sizeof(*blocker));
	blocker->opened.notify = handle_opened;
	shm_buffer_add_opened_listener(buffer, &blocker->opened);
	blocker_init(&blocker->base, &blocker_impl, update, SURFACE_BUFFER);
}
