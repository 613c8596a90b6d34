/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Exported and imported toplevels of xdg-foreign: one client gets a handle of its window, by which
 * another client makes the window the parent of its own. Both versions of the protocol share the
 * handles.
 */

#include "protocol/protocol.h"
#include "xdg.h"

struct foreign_export;

/** An imported toplevel. */
struct foreign_import {
	struct foreign_export *export; /* NULL: none, or it was destroyed */
	struct wl_list link; /* foreign_export.imports */
	struct wl_list children; /* foreign_child.link */
	struct wl_resource *resource;
};

/**
 * Exports a toplevel until `resource` is destroyed; `resource` becomes inert with the toplevel.
 * Returns the handle, valid as long as the export.
 */
const char *foreign_export_create(struct wl_resource *resource, struct toplevel *toplevel);
/** Destroys the export of a resource. Has the signature of a wl_resource destructor. */
void foreign_export_handle_resource_destroy(struct wl_resource *resource);

/**
 * Imports the toplevel with this handle until `resource` is destroyed. An unknown handle is
 * answered with the event `destroyed`.
 */
void foreign_import_create(struct wl_resource *resource, const char *handle);
/**
 * Makes the imported window the parent of `toplevel`. Without effect if the export is gone, the
 * window would be its own ancestor, or the family has no room: the parent belongs to another
 * client, whose requests must not cause errors of this one.
 */
void foreign_import_set_parent_of(struct foreign_import *import, struct toplevel *toplevel);
/** Removes the parents set by the import. Has the signature of a wl_resource destructor. */
void foreign_import_handle_resource_destroy(struct wl_resource *resource);
