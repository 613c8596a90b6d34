/* SPDX-License-Identifier: MIT */
/* zxdg_exporter_v1 and zxdg_importer_v1: parents of other clients, for older toolkits. */

#include "xdg-foreign-unstable-v1-protocol.h"
#include "xdg_foreign.h"

#define VERSION 1

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

/* Export */

static const struct zxdg_exported_v1_interface exported_impl = {
	.destroy = handle_destroy,
};

static void handle_export(struct wl_client *client, struct wl_resource *exporter, uint32_t id,
	struct wl_resource *surface)
{
	struct toplevel *toplevel = toplevel_from_surface(surface_from_resource(surface));
	if (!toplevel) {
		wl_client_post_implementation_error(client, "wl_surface@%u is not an xdg_toplevel",
			wl_resource_get_id(surface));
		return;
	}
	struct wl_resource *resource = wl_resource_create(
		client, &zxdg_exported_v1_interface, wl_resource_get_version(exporter), id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(
		resource, &exported_impl, NULL, foreign_export_handle_resource_destroy);
	zxdg_exported_v1_send_handle(resource, foreign_export_create(resource, toplevel));
}

static const struct zxdg_exporter_v1_interface exporter_impl = {
	.destroy = handle_destroy,
	.export = handle_export,
};

static void bind_exporter(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &zxdg_exporter_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &exporter_impl, NULL, NULL);
}

/* Import */

static void handle_set_parent_of(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *surface)
{
	struct toplevel *toplevel = toplevel_from_surface(surface_from_resource(surface));
	if (!toplevel) {
		wl_client_post_implementation_error(client, "wl_surface@%u is not an xdg_toplevel",
			wl_resource_get_id(surface));
		return;
	}
	foreign_import_set_parent_of(wl_resource_get_user_data(resource), toplevel);
}

static const struct zxdg_imported_v1_interface imported_impl = {
	.destroy = handle_destroy,
	.set_parent_of = handle_set_parent_of,
};

static void send_destroyed(struct foreign_import *import)
{
	zxdg_imported_v1_send_destroyed(import->resource);
}

static void handle_import(
	struct wl_client *client, struct wl_resource *importer, uint32_t id, const char *handle)
{
	struct wl_resource *resource = wl_resource_create(
		client, &zxdg_imported_v1_interface, wl_resource_get_version(importer), id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(
		resource, &imported_impl, NULL, foreign_import_handle_resource_destroy);
	foreign_import_create(resource, handle, send_destroyed);
}

static const struct zxdg_importer_v1_interface importer_impl = {
	.destroy = handle_destroy,
	.import = handle_import,
};

static void bind_importer(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &zxdg_importer_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &importer_impl, NULL, NULL);
}

void xdg_foreign_v1_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zxdg_exporter_v1_interface, VERSION, NULL, bind_exporter,
		GLOBAL_PUBLIC);
	protocols_add_global(protocols, &zxdg_importer_v1_interface, VERSION, NULL, bind_importer,
		GLOBAL_PUBLIC);
}
