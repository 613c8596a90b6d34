/* SPDX-License-Identifier: MIT */
/* Protocol errors of data devices and data control. */

#include "ext-data-control-v1-client-protocol.h"
#include "harness/client/protocol_errors.h"

static struct wl_data_device_manager *manager(struct peer *peer)
{
	return peer_bind(peer, &wl_data_device_manager_interface, 0);
}

static void drag_icon_with_a_role(struct peer *peer)
{
	struct wl_data_device_manager *data = manager(peer);
	struct peer_window *window = peer_window_create(peer, 0, 0, 32, 32, 0xffffffff);
	struct wl_data_device *device = wl_data_device_manager_get_data_device(data, peer->seat);
	wl_data_device_start_drag(device, NULL, window->surface, window->surface, 1);
}

static void unknown_drag_actions(struct peer *peer)
{
	struct wl_data_source *source = wl_data_device_manager_create_data_source(manager(peer));
	wl_data_source_set_actions(source, 8);
}

static void drag_actions_twice(struct peer *peer)
{
	struct wl_data_source *source = wl_data_device_manager_create_data_source(manager(peer));
	wl_data_source_set_actions(source, WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY);
	wl_data_source_set_actions(source, WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY);
}

static void drag_source_as_selection(struct peer *peer)
{
	struct wl_data_device_manager *data = manager(peer);
	struct wl_data_device *device = wl_data_device_manager_get_data_device(data, peer->seat);
	struct wl_data_source *source = wl_data_device_manager_create_data_source(data);
	wl_data_source_set_actions(source, WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY);
	wl_data_device_set_selection(device, source, 1);
}

static void control_source_twice(struct peer *peer)
{
	struct ext_data_control_manager_v1 *manager =
		peer_bind(peer, &ext_data_control_manager_v1_interface, 0);
	struct ext_data_control_device_v1 *device =
		ext_data_control_manager_v1_get_data_device(manager, peer->seat);
	struct ext_data_control_source_v1 *source =
		ext_data_control_manager_v1_create_data_source(manager);
	ext_data_control_device_v1_set_selection(device, source);
	ext_data_control_device_v1_set_primary_selection(device, source);
}

static void type_offered_after_use(struct peer *peer)
{
	struct ext_data_control_manager_v1 *manager =
		peer_bind(peer, &ext_data_control_manager_v1_interface, 0);
	struct ext_data_control_device_v1 *device =
		ext_data_control_manager_v1_get_data_device(manager, peer->seat);
	struct ext_data_control_source_v1 *source =
		ext_data_control_manager_v1_create_data_source(manager);
	ext_data_control_device_v1_set_selection(device, source);
	ext_data_control_source_v1_offer(source, "text/plain");
}

static const struct error_case cases[] = {
	ERROR_CASE(drag_icon_with_a_role, wl_data_device, WL_DATA_DEVICE_ERROR_ROLE),
	ERROR_CASE(unknown_drag_actions, wl_data_source, WL_DATA_SOURCE_ERROR_INVALID_ACTION_MASK),
	ERROR_CASE(drag_actions_twice, wl_data_source, WL_DATA_SOURCE_ERROR_INVALID_ACTION_MASK),
	ERROR_CASE(drag_source_as_selection, wl_data_source, WL_DATA_SOURCE_ERROR_INVALID_SOURCE),
	ERROR_CASE(control_source_twice, ext_data_control_device_v1,
		EXT_DATA_CONTROL_DEVICE_V1_ERROR_USED_SOURCE),
	ERROR_CASE(type_offered_after_use, ext_data_control_source_v1,
		EXT_DATA_CONTROL_SOURCE_V1_ERROR_INVALID_OFFER),
};

int main(void)
{
	return ERRORS_RUN("selection/errors", cases, false);
}
