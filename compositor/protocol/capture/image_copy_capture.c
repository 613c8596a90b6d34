/* SPDX-License-Identifier: MIT */
/* ext-image-copy-capture-v1: the manager, which creates sessions for a source or its cursor. */

#include "copy_capture.h"
#include "ext-image-copy-capture-v1-protocol.h"

static void handle_create_session(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *source, uint32_t options)
{
	struct protocols *protocols = wl_resource_get_user_data(resource);
	if (options & ~(uint32_t)EXT_IMAGE_COPY_CAPTURE_MANAGER_V1_OPTIONS_PAINT_CURSORS) {
		wl_resource_post_error(resource,
			EXT_IMAGE_COPY_CAPTURE_MANAGER_V1_ERROR_INVALID_OPTION,
			"invalid options 0x%x", options);
		return;
	}
	bool cursor = options & EXT_IMAGE_COPY_CAPTURE_MANAGER_V1_OPTIONS_PAINT_CURSORS;
	copy_session_create(resource, id, capture_source_from_resource(source),
		cursor ? protocols->server->seat : NULL);
}

static void handle_create_pointer_cursor_session(struct wl_client *client,
	struct wl_resource *resource, uint32_t id, struct wl_resource *source,
	struct wl_resource *pointer)
{
	copy_cursor_create(resource, id, capture_source_from_resource(source),
		seat_from_pointer_resource(pointer));
}

static const struct ext_image_copy_capture_manager_v1_interface manager_impl = {
	.create_session = handle_create_session,
	.create_pointer_cursor_session = handle_create_pointer_cursor_session,
	.destroy = resource_handle_destroy,
};

void image_copy_capture_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &ext_image_copy_capture_manager_v1_interface, 1,
		&manager_impl, protocols, GLOBAL_PRIVILEGED);
}
