/* SPDX-License-Identifier: MIT */
/* ext-image-capture-source-v1: outputs and windows as sources for ext-image-copy-capture. */

#include "capture.h"
#include "ext-image-capture-source-v1-protocol.h"
#include "shell/window.h"

static const struct ext_image_capture_source_v1_interface source_impl = {
	.destroy = resource_handle_destroy,
};

struct capture_source *capture_source_from_resource(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}

static void handle_source_destroy(struct wl_resource *resource)
{
	capture_source_unref(capture_source_from_resource(resource));
}

/* Takes over the reference; `source` may be NULL. */
static void create_resource(struct wl_resource *manager, uint32_t id, struct capture_source *source)
{
	if (!resource_create(wl_resource_get_client(manager),
		    &ext_image_capture_source_v1_interface, wl_resource_get_version(manager), id,
		    &source_impl, source, handle_source_destroy)) {
		capture_source_unref(source);
	}
}

static void handle_create_output_source(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *output_resource)
{
	struct scene_output *output = output_from_resource(output_resource);
	create_resource(resource, id,
		output ? capture_source_create_output(wl_resource_get_user_data(resource), output)
		       : NULL);
}

static const struct ext_output_image_capture_source_manager_v1_interface output_manager_impl = {
	.create_source = handle_create_output_source,
	.destroy = resource_handle_destroy,
};

static void handle_create_window_source(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *handle)
{
	struct window *window = window_from_foreign_handle(handle);
	create_resource(resource, id,
		window && window->mapped
			? capture_source_create_window(wl_resource_get_user_data(resource), window)
			: NULL);
}

static const struct ext_foreign_toplevel_image_capture_source_manager_v1_interface
	window_manager_impl = {
		.create_source = handle_create_window_source,
		.destroy = resource_handle_destroy,
};

void image_capture_source_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &ext_output_image_capture_source_manager_v1_interface, 1,
		&output_manager_impl, protocols, GLOBAL_PRIVILEGED);
	protocols_add_global(protocols,
		&ext_foreign_toplevel_image_capture_source_manager_v1_interface, 1,
		&window_manager_impl, protocols, GLOBAL_PRIVILEGED);
}
