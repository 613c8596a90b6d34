/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Objects that extend a surface: wp_viewport, wp_fifo and others. A surface has at most one of each
 * kind. Objects whose surface was destroyed are inert.
 */

#include "protocol/protocol.h"
#include "surface/surface.h"
#include "util/addon.h"

struct surface_object {
	const struct surface_object_kind *kind;
	struct wl_resource *resource;
	struct surface *surface; /* NULL: destroyed */
	struct addon addon; /* on the surface */
};

enum surface_object_inert {
	SURFACE_OBJECT_IGNORES,
	SURFACE_OBJECT_POSTS_ERROR,
};

struct surface_object_kind {
	const struct wl_interface *interface;
	const void *requests;
	size_t size; /* of the struct, whose first member is the surface_object */
	uint32_t exists_error; /* of the manager: the surface already has an object of this kind */
	enum surface_object_inert inert; /* effect of requests on inert objects */
	uint32_t inert_error;
	/** Optional. Handles a new object. */
	void (*init)(struct surface_object *object);
	/**
	 * Optional. Resets the pending state and removes listeners from the surface, before the
	 * object or the surface is destroyed.
	 */
	void (*leave)(struct surface_object *object);

	const struct wl_interface *manager_interface;
	const void *manager_requests;
	int version;
};

/** Adds the global of the kind's manager, whose resources have the kind as user data. */
void surface_objects_add_global(
	struct protocols *protocols, const struct surface_object_kind *kind);
/** Creates an object. Posts an error if the surface has one of this kind. */
void surface_object_create(const struct surface_object_kind *kind, struct wl_resource *manager,
	uint32_t id, struct wl_resource *surface_resource);
/** Handles a request of a manager: surface_object_create() with the manager's kind. */
void surface_object_handle_get(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	struct wl_resource *surface_resource);

/** Returns the surface's object of this kind, or NULL. */
struct surface_object *surface_object_find(
	const struct surface *surface, const struct surface_object_kind *kind);
/** Returns the object, or NULL if it is inert, after posting the kind's error. */
struct surface_object *surface_object_from_resource(struct wl_resource *resource);
/** Returns the object's surface, or NULL if the object is inert, after posting the kind's error. */
struct surface *surface_object_surface(struct wl_resource *resource);
