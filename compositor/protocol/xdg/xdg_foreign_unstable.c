/* SPDX-License-Identifier: MIT */
/*
 * zxdg_exporter and zxdg_importer, versions 1 (for older toolkits) and 2: parents of other clients.
 * The versions differ in names and errors only, so both share the requests and events of version 2.
 */

#include "xdg-foreign-unstable-v1-protocol.h"
#include "xdg-foreign-unstable-v2-protocol.h"
#include "xdg_foreign.h"
#include <stddef.h>

#define SAME_REQUEST(of, v1, v2)                                                                   \
	_Static_assert(offsetof(struct zxdg_##of##_v1_interface, v1) ==                            \
			       offsetof(struct zxdg_##of##_v2_interface, v2),                      \
		#of)

SAME_REQUEST(exporter, export, export_toplevel);
SAME_REQUEST(importer, import, import_toplevel);
SAME_REQUEST(imported, set_parent_of, set_parent_of);
_Static_assert(ZXDG_EXPORTED_V1_HANDLE == ZXDG_EXPORTED_V2_HANDLE, "handle");
_Static_assert(ZXDG_IMPORTED_V1_DESTROYED == ZXDG_IMPORTED_V2_DESTROYED, "destroyed");

struct version {
	const struct wl_interface *exporter, *exported, *importer, *imported;
};

static const struct version v1 = {
	&zxdg_exporter_v1_interface,
	&zxdg_exported_v1_interface,
	&zxdg_importer_v1_interface,
	&zxdg_imported_v1_interface,
};
static const struct version v2 = {
	&zxdg_exporter_v2_interface,
	&zxdg_exported_v2_interface,
	&zxdg_importer_v2_interface,
	&zxdg_imported_v2_interface,
};

/*
 * Returns the toplevel of the surface. Without one, posts `error`, which version 1 lacks, and
 * returns NULL.
 */
static struct toplevel *find_toplevel(
	struct wl_resource *resource, bool has_error, uint32_t error, struct wl_resource *surface)
{
	static const char message[] = "wl_surface@%u is not an xdg_toplevel";
	struct toplevel *toplevel = toplevel_from_surface(surface_from_resource(surface));
	if (!toplevel && has_error) {
		wl_resource_post_error(resource, error, message, wl_resource_get_id(surface));
	} else if (!toplevel) {
		wl_client_post_implementation_error(
			wl_resource_get_client(resource), message, wl_resource_get_id(surface));
	}
	return toplevel;
}

/* Export */

static const struct zxdg_exported_v2_interface exported_impl = {
	.destroy = resource_handle_destroy,
};

static void handle_export_toplevel(struct wl_client *client, struct wl_resource *exporter,
	uint32_t id, struct wl_resource *surface)
{
	const struct version *version = wl_resource_get_user_data(exporter);
	struct toplevel *toplevel = find_toplevel(
		exporter, version == &v2, ZXDG_EXPORTER_V2_ERROR_INVALID_SURFACE, surface);
	if (!toplevel) {
		return;
	}
	struct wl_resource *resource =
		resource_create(client, version->exported, wl_resource_get_version(exporter), id,
			&exported_impl, NULL, foreign_export_handle_resource_destroy);
	if (!resource) {
		return;
	}
	zxdg_exported_v2_send_handle(resource, foreign_export_create(resource, toplevel));
}

static const struct zxdg_exporter_v2_interface exporter_impl = {
	.destroy = resource_handle_destroy,
	.export_toplevel = handle_export_toplevel,
};

/* Import */

static const struct zxdg_imported_v2_interface imported_impl;

static void handle_set_parent_of(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *surface)
{
	bool has_error = wl_resource_instance_of(resource, v2.imported, &imported_impl);
	struct toplevel *toplevel =
		find_toplevel(resource, has_error, ZXDG_IMPORTED_V2_ERROR_INVALID_SURFACE, surface);
	if (toplevel) {
		foreign_import_set_parent_of(wl_resource_get_user_data(resource), toplevel);
	}
}

static const struct zxdg_imported_v2_interface imported_impl = {
	.destroy = resource_handle_destroy,
	.set_parent_of = handle_set_parent_of,
};

static void handle_import_toplevel(
	struct wl_client *client, struct wl_resource *importer, uint32_t id, const char *handle)
{
	const struct version *version = wl_resource_get_user_data(importer);
	struct wl_resource *resource =
		resource_create(client, version->imported, wl_resource_get_version(importer), id,
			&imported_impl, NULL, foreign_import_handle_resource_destroy);
	if (!resource) {
		return;
	}
	foreign_import_create(resource, handle);
}

static const struct zxdg_importer_v2_interface importer_impl = {
	.destroy = resource_handle_destroy,
	.import_toplevel = handle_import_toplevel,
};

static void add_globals(struct protocols *protocols, const struct version *version)
{
	protocols_add_global(
		protocols, version->exporter, 1, &exporter_impl, (void *)version, GLOBAL_PUBLIC);
	protocols_add_global(
		protocols, version->importer, 1, &importer_impl, (void *)version, GLOBAL_PUBLIC);
}

void xdg_foreign_v1_create(struct protocols *protocols)
{
	add_globals(protocols, &v1);
}

void xdg_foreign_v2_create(struct protocols *protocols)
{
	add_globals(protocols, &v2);
}
