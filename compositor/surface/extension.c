/* SPDX-License-Identifier: MIT */
/* Extension states of surfaces, which are part of their content updates. */

#include "surface/internal.h"
#include "surface/transaction.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

/*
 * Each state is stored with its functions, because states are merged without access to the surface.
 */
struct slot {
	const struct surface_extension_impl *impl;
	max_align_t state[];
};

static struct slot *slot_from_state(void *state)
{
	return wl_container_of(state, (struct slot *)NULL, state);
}

static void *get_state(
	struct surface_state *state, int index, const struct surface_extension_impl *impl)
{
	if (index >= state->n_extensions) {
		state->extensions = xrealloc(
			state->extensions, (size_t)index + 1, sizeof(state->extensions[0]));
		while (state->n_extensions <= index) {
			state->extensions[state->n_extensions++] = NULL;
		}
	}
	if (!state->extensions[index]) {
		struct slot *slot = xcalloc(1, sizeof(*slot) + impl->state_size);
		slot->impl = impl;
		if (impl->init) {
			impl->init(slot->state);
		}
		state->extensions[index] = slot->state;
	}
	assert(slot_from_state(state->extensions[index])->impl == impl);
	return state->extensions[index];
}

void surface_state_merge_extension(struct surface_state *to, struct surface_state *from, int index)
{
	void *state = from->extensions[index];
	if (state) {
		const struct surface_extension_impl *impl = slot_from_state(state)->impl;
		impl->merge(get_state(to, index, impl), state);
	}
}

void surface_state_drop_extension(struct surface_state *state, int index)
{
	if (index >= state->n_extensions || !state->extensions[index]) {
		return;
	}
	struct slot *slot = slot_from_state(state->extensions[index]);
	if (slot->impl->finish) {
		slot->impl->finish(slot->state);
	}
	free(slot);
	state->extensions[index] = NULL;
}

static bool is_taken(const struct surface *surface, int index)
{
	struct surface_extension *extension;
	wl_list_for_each (extension, &surface->extensions, link) {
		if (extension->index == index) {
			return true;
		}
	}
	return false;
}

void surface_extension_init(struct surface_extension *extension, struct surface *surface,
	const struct surface_extension_impl *impl)
{
	int index = 0;
	while (is_taken(surface, index)) {
		index++;
	}
	*extension = (struct surface_extension){.impl = impl, .surface = surface, .index = index};
	wl_list_insert(surface->extensions.prev, &extension->link);
	if (index >= surface->n_extensions) {
		surface->n_extensions = index + 1;
	}
	get_state(&surface->pending, index, impl);
	get_state(&surface->current, index, impl);
}

void surface_extension_finish(struct surface_extension *extension)
{
	struct surface *surface = extension->surface;
	surface_state_drop_extension(&surface->pending, extension->index);
	surface_state_drop_extension(&surface->current, extension->index);
	struct update *update;
	wl_list_for_each (update, &surface->queue, link) {
		surface_state_drop_extension(&update->state, extension->index);
	}
	wl_list_for_each (update, &surface->spares, link) {
		surface_state_drop_extension(&update->state, extension->index);
	}
	wl_list_remove(&extension->link);
	extension->surface = NULL;
}

void *surface_extension_pending(struct surface_extension *extension)
{
	return extension->surface->pending.extensions[extension->index];
}

void *surface_extension_of(
	const struct surface_extension *extension, const struct surface_state *state)
{
	return extension->index < state->n_extensions ? state->extensions[extension->index] : NULL;
}

void *surface_extension_current(struct surface_extension *extension)
{
	return extension->surface->current.extensions[extension->index];
}
