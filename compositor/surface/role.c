/* SPDX-License-Identifier: MIT */
/* Roles of surfaces, mapped or not, their account and the root of their tree. */

#include "surface/client.h"
#include "surface/internal.h"
#include "surface/subsurface.h"

struct account *surface_account(const struct surface *surface)
{
	return surface->client ? surface->client->account : NULL;
}

bool surface_set_role(struct surface *surface, const struct surface_role *role, void *data)
{
	if ((surface->role && surface->role != role) || surface->role_data) {
		return false;
	}
	surface->role = role;
	surface->role_data = data;
	return true;
}

void surface_clear_role_data(struct surface *surface)
{
	surface->role_data = NULL;
}

void surface_map(struct surface *surface)
{
	if (!surface->mapped) {
		surface->mapped = true;
		signal_emit(&surface->events.map, surface);
	}
}

void surface_unmap(struct surface *surface)
{
	if (surface->mapped) {
		surface->mapped = false;
		signal_emit(&surface->events.unmap, surface);
	}
}

struct surface *surface_root(struct surface *surface)
{
	while (surface->subsurface && surface->subsurface->parent) {
		surface = surface->subsurface->parent;
	}
	return surface;
}
