/* SPDX-License-Identifier: MIT */
/* wp_single_pixel_buffer: buffers of a single colour. */

#include "buffer/color.h"
#include "protocol/protocol.h"
#include "single-pixel-buffer-v1-protocol.h"

static void handle_create_buffer(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
	buffer_resource_create(client, id, color_buffer_create(r, g, b, a));
}

static const struct wp_single_pixel_buffer_manager_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.create_u32_rgba_buffer = handle_create_buffer,
};

void single_pixel_buffer_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wp_single_pixel_buffer_manager_v1_interface, 1,
		&implementation, protocols, GLOBAL_PUBLIC);
}
