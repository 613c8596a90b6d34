/* SPDX-License-Identifier: MIT */
/*
 * FIFO barriers of surfaces (fifo-v1): an update waits until an output has latched the previous
 * one.
 */

#include "surface/internal.h"
#include "surface/transaction.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct barrier_blocker {
	struct blocker base;
	struct surface *surface; /* the update may have been merged into another one */
};

static void destroy(struct blocker *base)
{
	struct barrier_blocker *blocker = wl_container_of(base, blocker, base);
	blocker->surface->barrier_wait = NULL;
	free(blocker);
}

static const struct blocker_impl impl = {.destroy = destroy};

void barrier_hold(struct update *update)
{
	struct surface *surface = update->surface;
	/* Updates taken along by a parent's update wait for the parent's barrier only. */
	if (!(update->state.fields & SURFACE_WAIT_BARRIER) || !surface->barrier ||
		!surface->in_scene || update->parent || surface->barrier_wait) {
		return;
	}
	struct barrier_blocker *blocker = xcalloc(1, sizeof(*blocker));
	blocker->surface = surface;
	blocker_init(&blocker->base, &impl, update, 0);
	surface->barrier_wait = &blocker->base;
}

void surface_latch(struct surface *surface)
{
	surface->barrier = false;
	if (surface->barrier_wait) {
		blocker_clear(surface->barrier_wait);
	}
}

/* In an idle event source, because the surface is just being removed from the scene. */
static void handle_left_scene(void *data)
{
	struct surface *surface = data;
	surface->left_scene = NULL;
	if (!surface->in_scene) {
		surface_latch(surface);
	}
}

void surface_set_in_scene(struct surface *surface, bool in_scene)
{
	surface->in_scene = in_scene;
	if (!in_scene && surface->barrier_wait && !surface->left_scene) {
		surface->left_scene =
			wl_event_loop_add_idle(surface->loop, handle_left_scene, surface);
	}
}
