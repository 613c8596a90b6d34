/* SPDX-License-Identifier: MIT */
/* wp_cursor_shape: cursors chosen by name instead of drawn by the client. */

#include "cursor-shape-v1-protocol.h"
#include "util/xalloc.h"
#include "wl_seat.h"
#include <stdlib.h>

static const char *const shapes[] = {
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_DEFAULT] = "default",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_CONTEXT_MENU] = "context-menu",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_HELP] = "help",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_POINTER] = "pointer",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_PROGRESS] = "progress",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_WAIT] = "wait",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_CELL] = "cell",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_CROSSHAIR] = "crosshair",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_TEXT] = "text",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_VERTICAL_TEXT] = "vertical-text",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_ALIAS] = "alias",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_COPY] = "copy",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_MOVE] = "move",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NO_DROP] = "no-drop",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NOT_ALLOWED] = "not-allowed",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_GRAB] = "grab",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_GRABBING] = "grabbing",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_E_RESIZE] = "e-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_N_RESIZE] = "n-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NE_RESIZE] = "ne-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NW_RESIZE] = "nw-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_S_RESIZE] = "s-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_SE_RESIZE] = "se-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_SW_RESIZE] = "sw-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_W_RESIZE] = "w-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_EW_RESIZE] = "ew-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NS_RESIZE] = "ns-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NESW_RESIZE] = "nesw-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NWSE_RESIZE] = "nwse-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_COL_RESIZE] = "col-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_ROW_RESIZE] = "row-resize",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_ALL_SCROLL] = "all-scroll",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_ZOOM_IN] = "zoom-in",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_ZOOM_OUT] = "zoom-out",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_DND_ASK] = "dnd-ask",
	[WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_ALL_RESIZE] = "all-resize",
};

/** The wl_pointer or zwp_tablet_tool_v2 of a cursor shape device. */
struct shape_device {
	struct wl_resource *pointer, *tool; /* NULL: destroyed, or the other one is set */
	struct wl_listener target_destroy;
};

static void handle_set_shape(
	struct wl_client *client, struct wl_resource *resource, uint32_t serial, uint32_t shape)
{
	struct shape_device *device = wl_resource_get_user_data(resource);
	if (!wp_cursor_shape_device_v1_shape_is_valid(
		    shape, (uint32_t)wl_resource_get_version(resource))) {
		wl_resource_post_error(resource, WP_CURSOR_SHAPE_DEVICE_V1_ERROR_INVALID_SHAPE,
			"invalid cursor shape %u", shape);
		return;
	}
	if (device->pointer && pointer_may_set_cursor(device->pointer, serial)) {
		struct seat *seat = seat_from_pointer_resource(device->pointer);
		cursor_set_shape(&seat->cursor, shapes[shape]);
	}
	if (device->tool && tool_may_set_cursor(device->tool, serial)) {
		cursor_set_shape(&tool_from_resource(device->tool)->cursor, shapes[shape]);
	}
}

static const struct wp_cursor_shape_device_v1_interface device_impl = {
	.destroy = resource_handle_destroy,
	.set_shape = handle_set_shape,
};

static void handle_target_destroy(struct wl_listener *listener, void *data)
{
	struct shape_device *device = wl_container_of(listener, device, target_destroy);
	wl_list_remove(&device->target_destroy.link);
	wl_list_init(&device->target_destroy.link);
	device->pointer = NULL;
	device->tool = NULL;
}

static void destroy_device(struct wl_resource *resource)
{
	struct shape_device *device = wl_resource_get_user_data(resource);
	wl_list_remove(&device->target_destroy.link);
	free(device);
}

/* Returns NULL after posting no_memory. */
static struct shape_device *create_device(
	struct wl_resource *manager, uint32_t id, struct wl_resource *target)
{
	struct shape_device *device = xcalloc(1, sizeof(*device));
	if (!resource_create_child(manager, &wp_cursor_shape_device_v1_interface, id, &device_impl,
		    device, destroy_device)) {
		return NULL;
	}
	device->target_destroy.notify = handle_target_destroy;
	wl_resource_add_destroy_listener(target, &device->target_destroy);
	return device;
}

static void handle_get_pointer(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *pointer)
{
	struct shape_device *device = create_device(resource, id, pointer);
	if (device) {
		device->pointer = pointer;
	}
}

static void handle_get_tablet_tool(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *tool)
{
	struct shape_device *device = create_device(resource, id, tool);
	if (device) {
		device->tool = tool;
	}
}

static const struct wp_cursor_shape_manager_v1_interface manager_impl = {
	.destroy = resource_handle_destroy,
	.get_pointer = handle_get_pointer,
	.get_tablet_tool_v2 = handle_get_tablet_tool,
};

void cursor_shape_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wp_cursor_shape_manager_v1_interface, 2, &manager_impl,
		protocols, GLOBAL_PUBLIC);
}
