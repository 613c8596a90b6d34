/* SPDX-License-Identifier: MIT */
/* xdg-output: position and size of outputs in logical pixels. */

#include "output.h"
#include "scene/output.h"
#include "surface/client.h"
#include "util/box.h"
#include "xdg-output-unstable-v1-protocol.h"
#include <math.h>

static const struct zxdg_output_v1_interface output_implementation = {
	.destroy = resource_handle_destroy,
};

static int to_density(int value, double density)
{
	return coord_clamp(lround(value * density));
}

void xdg_output_send(struct wl_resource *resource, const struct output_object *object)
{
	struct box box = object->sent.box;
	const double density = client_from_wl(wl_resource_get_client(resource))->density;
	if (density != 1) {
		/* From pixels: an output of this scale has exactly the size of its mode. */
		const struct scene_view view = scene_output_view(object->output);
		scene_view_upright_size(&view, &box.width, &box.height);
		box = (struct box){to_density(box.x, density), to_density(box.y, density),
			to_density(box.width, density / view.scale),
			to_density(box.height, density / view.scale)};
	}
	zxdg_output_v1_send_logical_position(resource, box.x, box.y);
	zxdg_output_v1_send_logical_size(resource, box.width, box.height);
}

void xdg_output_send_description(struct wl_resource *resource, const struct output_object *object)
{
	if (wl_resource_get_version(resource) >= 3) {
		zxdg_output_v1_send_description(resource, object->sent.description);
	}
}

void xdg_output_send_done(struct wl_resource *resource)
{
	/* Since version 3, wl_output.done replaces this event. */
	if (wl_resource_get_version(resource) < 3) {
		zxdg_output_v1_send_done(resource);
	}
}

static void handle_get_xdg_output(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *output_resource)
{
	struct output_object *object = output_object_from_resource(output_resource);
	int version = wl_resource_get_version(resource);
	struct wl_resource *created = resource_create(client, &zxdg_output_v1_interface, version,
		id, &output_implementation, object, resource_unlink);
	if (!created) {
		return;
	}
	if (!object) {
		wl_list_init(wl_resource_get_link(created));
		return;
	}
	client_charge_receiver(created);
	wl_list_insert(object->xdg_resources.prev, wl_resource_get_link(created));
	xdg_output_send(created, object);
	if (version >= ZXDG_OUTPUT_V1_NAME_SINCE_VERSION) {
		zxdg_output_v1_send_name(created, object->output->output->name);
		zxdg_output_v1_send_description(created, object->sent.description);
	}
	xdg_output_send_done(created);
	if (version >= 3 &&
		wl_resource_get_version(output_resource) >= WL_OUTPUT_DONE_SINCE_VERSION) {
		wl_output_send_done(output_resource);
	}
}

static const struct zxdg_output_manager_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.get_xdg_output = handle_get_xdg_output,
};

void xdg_output_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zxdg_output_manager_v1_interface, 3, &implementation,
		protocols, GLOBAL_PUBLIC);
}
