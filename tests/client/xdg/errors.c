/* SPDX-License-Identifier: MIT */
/* Protocol errors of xdg-shell and the extensions of its toplevels. */

#include "harness/client/protocol_errors.h"
#include "single-pixel-buffer-v1-client-protocol.h"
#include "xdg-activation-v1-client-protocol.h"
#include "xdg-decoration-unstable-v1-client-protocol.h"
#include "xdg-dialog-v1-client-protocol.h"
#include "xdg-foreign-unstable-v2-client-protocol.h"
#include "xdg-toplevel-drag-v1-client-protocol.h"
#include "xdg-toplevel-icon-v1-client-protocol.h"

static struct wl_surface *surface(struct peer *peer)
{
	return wl_compositor_create_surface(peer->compositor);
}

static struct xdg_surface *bare(struct peer *peer)
{
	return xdg_wm_base_get_xdg_surface(peer->wm_base, surface(peer));
}

static struct xdg_positioner *positioner(struct peer *peer)
{
	struct xdg_positioner *positioner = xdg_wm_base_create_positioner(peer->wm_base);
	xdg_positioner_set_size(positioner, 10, 10);
	xdg_positioner_set_anchor_rect(positioner, 0, 0, 1, 1);
	return positioner;
}

static struct peer_window *mapped(struct peer *peer)
{
	return peer_window_create(peer, 0, 0, 40, 40, 0xffffffff);
}

static void surface_of_another_role(struct peer *peer)
{
	struct wl_surface *child = surface(peer);
	wl_subcompositor_get_subsurface(peer->subcompositor, child, surface(peer));
	xdg_wm_base_get_xdg_surface(peer->wm_base, child);
}

static void two_for_one_surface(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	xdg_wm_base_get_xdg_surface(peer->wm_base, window->surface);
}

static void surface_with_a_buffer(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 8, 8, WL_SHM_FORMAT_XRGB8888);
	wl_surface_attach(wl_surface, buffer->buffer, 0, 0);
	xdg_wm_base_get_xdg_surface(peer->wm_base, wl_surface);
}

static void wm_base_before_its_surfaces(struct peer *peer)
{
	bare(peer);
	xdg_wm_base_destroy(peer->wm_base);
}

static void positioner_size(struct peer *peer, int32_t width, int32_t height)
{
	xdg_positioner_set_size(positioner(peer), width, height);
}

static void positioner_without_width(struct peer *peer)
{
	positioner_size(peer, 0, 10);
}

static void positioner_of_negative_height(struct peer *peer)
{
	positioner_size(peer, 10, -1);
}

static void negative_anchor_rectangle(struct peer *peer)
{
	xdg_positioner_set_anchor_rect(positioner(peer), 0, 0, 1, -1);
}

static void unknown_anchor(struct peer *peer)
{
	xdg_positioner_set_anchor(positioner(peer), 9);
}

static void unknown_gravity(struct peer *peer)
{
	xdg_positioner_set_gravity(positioner(peer), 9);
}

static void negative_parent_size(struct peer *peer)
{
	xdg_positioner_set_parent_size(positioner(peer), -1, 10);
}

static void popup_without_size(struct peer *peer)
{
	struct xdg_positioner *incomplete = xdg_wm_base_create_positioner(peer->wm_base);
	xdg_positioner_set_anchor_rect(incomplete, 0, 0, 1, 1);
	xdg_surface_get_popup(bare(peer), mapped(peer)->xdg_surface, incomplete);
}

static void popup_without_anchor(struct peer *peer)
{
	struct xdg_positioner *incomplete = xdg_wm_base_create_positioner(peer->wm_base);
	xdg_positioner_set_size(incomplete, 10, 10);
	xdg_surface_get_popup(bare(peer), mapped(peer)->xdg_surface, incomplete);
}

static void popup_of_nothing(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct xdg_surface *xdg_surface = xdg_wm_base_get_xdg_surface(peer->wm_base, wl_surface);
	xdg_surface_get_popup(xdg_surface, NULL, positioner(peer));
	wl_surface_commit(wl_surface);
}

static void popup_of_a_bare_surface(struct peer *peer)
{
	xdg_surface_get_popup(bare(peer), bare(peer), positioner(peer));
}

struct chain {
	struct xdg_popup *first, *second;
};

static struct chain chain(struct peer *peer)
{
	struct chain chain;
	struct xdg_surface *first = bare(peer);
	chain.first = xdg_surface_get_popup(first, mapped(peer)->xdg_surface, positioner(peer));
	chain.second = xdg_surface_get_popup(bare(peer), first, positioner(peer));
	return chain;
}

static void lower_popup_first(struct peer *peer)
{
	xdg_popup_destroy(chain(peer).first);
}

static void handle_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	xdg_surface_ack_configure(xdg_surface, serial);
}

static const struct xdg_surface_listener acknowledging = {.configure = handle_configure};

static void grab_after_mapping(struct peer *peer)
{
	struct peer_window *window = mapped(peer);
	struct wl_surface *wl_surface = surface(peer);
	struct xdg_surface *xdg_surface = xdg_wm_base_get_xdg_surface(peer->wm_base, wl_surface);
	struct xdg_popup *popup =
		xdg_surface_get_popup(xdg_surface, window->xdg_surface, positioner(peer));
	xdg_surface_add_listener(xdg_surface, &acknowledging, NULL);
	wl_surface_commit(wl_surface);
	fixture_pump(peer->fixture);
	struct peer_buffer *buffer = peer_buffer_create(peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(wl_surface, buffer);
	fixture_pump(peer->fixture);
	xdg_popup_grab(popup, peer->seat, 1);
}

static void commit_without_a_role(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	xdg_wm_base_get_xdg_surface(peer->wm_base, wl_surface);
	wl_surface_commit(wl_surface);
}

static void buffer_before_a_role(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	xdg_wm_base_get_xdg_surface(peer->wm_base, wl_surface);
	wl_surface_attach(wl_surface, buffer->buffer, 0, 0);
}

static void geometry_without_a_role(struct peer *peer)
{
	xdg_surface_set_window_geometry(bare(peer), 0, 0, 10, 10);
}

static void acknowledge_without_a_role(struct peer *peer)
{
	xdg_surface_ack_configure(bare(peer), 1);
}

static void toplevel_twice(struct peer *peer)
{
	struct xdg_surface *xdg_surface = bare(peer);
	xdg_surface_get_toplevel(xdg_surface);
	xdg_surface_get_toplevel(xdg_surface);
}

static void toplevel_and_popup(struct peer *peer)
{
	struct xdg_surface *xdg_surface = bare(peer);
	xdg_surface_get_toplevel(xdg_surface);
	xdg_surface_get_popup(xdg_surface, mapped(peer)->xdg_surface, positioner(peer));
}

static void buffer_before_configure(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct xdg_surface *xdg_surface = xdg_wm_base_get_xdg_surface(peer->wm_base, wl_surface);
	xdg_surface_get_toplevel(xdg_surface);
	struct peer_buffer *buffer = peer_buffer_create(peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(wl_surface, buffer);
}

static void acknowledge_what_was_not_sent(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	xdg_surface_ack_configure(window->xdg_surface, window->serial + 1000);
}

static void acknowledge_twice(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	xdg_surface_ack_configure(window->xdg_surface, window->serial);
}

static void note_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	*(uint32_t *)data = serial;
}

static const struct xdg_surface_listener noting = {.configure = note_configure};

/* Configured before the null buffer, which reset the surface. */
static void buffer_after_acknowledging_a_configure_from_before_an_unmap(struct peer *peer)
{
	uint32_t serial = 0;
	struct wl_surface *wl_surface = surface(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	struct xdg_surface *xdg_surface = xdg_wm_base_get_xdg_surface(peer->wm_base, wl_surface);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(xdg_surface);
	xdg_surface_add_listener(xdg_surface, &noting, &serial);
	wl_surface_commit(wl_surface);
	fixture_pump(peer->fixture);
	xdg_surface_ack_configure(xdg_surface, serial);
	peer_surface_show(wl_surface, buffer);
	fixture_pump(peer->fixture);
	xdg_toplevel_set_fullscreen(toplevel, NULL);
	fixture_pump(peer->fixture);
	uint32_t before = serial;
	wl_surface_attach(wl_surface, NULL, 0, 0);
	wl_surface_commit(wl_surface);
	wl_surface_commit(wl_surface);
	fixture_pump(peer->fixture);
	assert_int_not_equal(serial, before);
	xdg_surface_ack_configure(xdg_surface, before);
	peer_surface_show(wl_surface, buffer);
	fixture_pump(peer->fixture);
}

static void geometry_without_width(struct peer *peer)
{
	xdg_surface_set_window_geometry(mapped(peer)->xdg_surface, 0, 0, 0, 10);
}

static void geometry_of_negative_height(struct peer *peer)
{
	xdg_surface_set_window_geometry(mapped(peer)->xdg_surface, 0, 0, 10, -10);
}

static void xdg_surface_before_its_toplevel(struct peer *peer)
{
	xdg_surface_destroy(mapped(peer)->xdg_surface);
}

static void negative_least_size(struct peer *peer)
{
	xdg_toplevel_set_min_size(mapped(peer)->toplevel, -1, 10);
}

static void negative_greatest_size(struct peer *peer)
{
	xdg_toplevel_set_max_size(mapped(peer)->toplevel, 10, -1);
}

static void least_above_greatest(struct peer *peer)
{
	struct peer_window *window = mapped(peer);
	xdg_toplevel_set_max_size(window->toplevel, 50, 50);
	xdg_toplevel_set_min_size(window->toplevel, 51, 50);
	wl_surface_commit(window->surface);
}

static void unknown_edge(struct peer *peer)
{
	xdg_toplevel_resize(mapped(peer)->toplevel, peer->seat, 1, 11);
}

static void parent_of_itself(struct peer *peer)
{
	struct peer_window *window = mapped(peer);
	xdg_toplevel_set_parent(window->toplevel, window->toplevel);
}

static void parent_of_its_parent(struct peer *peer)
{
	struct peer_window *a = mapped(peer), *b = mapped(peer), *c = mapped(peer);
	xdg_toplevel_set_parent(b->toplevel, a->toplevel);
	xdg_toplevel_set_parent(c->toplevel, b->toplevel);
	xdg_toplevel_set_parent(a->toplevel, c->toplevel);
}

static struct zxdg_decoration_manager_v1 *decorations(struct peer *peer)
{
	return peer_bind(peer, &zxdg_decoration_manager_v1_interface, 0);
}

static void decoration_after_a_buffer(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	struct zxdg_decoration_manager_v1 *manager = decorations(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	wl_surface_attach(window->surface, buffer->buffer, 0, 0);
	zxdg_decoration_manager_v1_get_toplevel_decoration(manager, window->toplevel);
	wl_surface_commit(window->surface);
	fixture_pump(peer->fixture);
}

static void decoration_twice(struct peer *peer)
{
	struct zxdg_decoration_manager_v1 *manager = decorations(peer);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(bare(peer));
	zxdg_decoration_manager_v1_get_toplevel_decoration(manager, toplevel);
	zxdg_decoration_manager_v1_get_toplevel_decoration(manager, toplevel);
}

static void toplevel_before_its_decoration(struct peer *peer)
{
	struct zxdg_decoration_manager_v1 *manager = decorations(peer);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(bare(peer));
	zxdg_decoration_manager_v1_get_toplevel_decoration(manager, toplevel);
	xdg_toplevel_destroy(toplevel);
}

static void unknown_decoration_mode(struct peer *peer)
{
	struct zxdg_decoration_manager_v1 *manager = decorations(peer);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(bare(peer));
	zxdg_toplevel_decoration_v1_set_mode(
		zxdg_decoration_manager_v1_get_toplevel_decoration(manager, toplevel), 3);
}

static struct xdg_activation_token_v1 *used_token(struct peer *peer)
{
	struct xdg_activation_v1 *activation = peer_bind(peer, &xdg_activation_v1_interface, 0);
	struct xdg_activation_token_v1 *token = xdg_activation_v1_get_activation_token(activation);
	xdg_activation_token_v1_commit(token);
	return token;
}

static void token_committed_twice(struct peer *peer)
{
	xdg_activation_token_v1_commit(used_token(peer));
}

static void token_changed_after_commit(struct peer *peer)
{
	xdg_activation_token_v1_set_app_id(used_token(peer), "late");
}

static void export_of_a_surface_without_a_role(struct peer *peer)
{
	struct zxdg_exporter_v2 *exporter = peer_bind(peer, &zxdg_exporter_v2_interface, 0);
	zxdg_exporter_v2_export_toplevel(exporter, surface(peer));
}

static void imported_parent_of_a_surface_without_a_role(struct peer *peer)
{
	struct zxdg_importer_v2 *importer = peer_bind(peer, &zxdg_importer_v2_interface, 0);
	zxdg_imported_v2_set_parent_of(
		zxdg_importer_v2_import_toplevel(importer, "unknown"), surface(peer));
}

static void dialog_twice(struct peer *peer)
{
	struct xdg_wm_dialog_v1 *manager = peer_bind(peer, &xdg_wm_dialog_v1_interface, 0);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(bare(peer));
	xdg_wm_dialog_v1_get_xdg_dialog(manager, toplevel);
	xdg_wm_dialog_v1_get_xdg_dialog(manager, toplevel);
}

static struct wl_data_source *source_of(struct peer *peer)
{
	struct wl_data_device_manager *manager =
		peer_bind(peer, &wl_data_device_manager_interface, 0);
	return wl_data_device_manager_create_data_source(manager);
}

static struct xdg_toplevel_drag_v1 *drag_of(struct peer *peer, struct wl_data_source *source)
{
	struct xdg_toplevel_drag_manager_v1 *manager =
		peer_bind(peer, &xdg_toplevel_drag_manager_v1_interface, 0);
	return xdg_toplevel_drag_manager_v1_get_xdg_toplevel_drag(manager, source);
}

static void toplevel_drag_twice(struct peer *peer)
{
	struct wl_data_source *source = source_of(peer);
	drag_of(peer, source);
	drag_of(peer, source);
}

static void toplevel_drag_source_as_selection(struct peer *peer)
{
	struct wl_data_device_manager *manager =
		peer_bind(peer, &wl_data_device_manager_interface, 0);
	struct wl_data_source *source = source_of(peer);
	drag_of(peer, source);
	wl_data_device_set_selection(
		wl_data_device_manager_get_data_device(manager, peer->seat), source, 1);
}

static void second_toplevel_attached(struct peer *peer)
{
	struct xdg_toplevel_drag_v1 *drag = drag_of(peer, source_of(peer));
	xdg_toplevel_drag_v1_attach(drag, mapped(peer)->toplevel, 0, 0);
	xdg_toplevel_drag_v1_attach(drag, mapped(peer)->toplevel, 0, 0);
}

static struct xdg_toplevel_icon_v1 *icon_of(struct peer *peer)
{
	struct xdg_toplevel_icon_manager_v1 *manager =
		peer_bind(peer, &xdg_toplevel_icon_manager_v1_interface, 0);
	struct xdg_toplevel_icon_v1 *icon = xdg_toplevel_icon_manager_v1_create_icon(manager);
	struct peer_buffer *buffer = peer_buffer_create(peer, 10, 10, WL_SHM_FORMAT_ARGB8888);
	xdg_toplevel_icon_v1_add_buffer(icon, buffer->buffer, 1);
	xdg_toplevel_icon_manager_v1_set_icon(manager, mapped(peer)->toplevel, icon);
	return icon;
}

static void oblong_icon(struct peer *peer)
{
	struct xdg_toplevel_icon_manager_v1 *manager =
		peer_bind(peer, &xdg_toplevel_icon_manager_v1_interface, 0);
	struct peer_buffer *buffer = peer_buffer_create(peer, 10, 11, WL_SHM_FORMAT_ARGB8888);
	xdg_toplevel_icon_v1_add_buffer(
		xdg_toplevel_icon_manager_v1_create_icon(manager), buffer->buffer, 1);
}

static void icon_of_one_pixel(struct peer *peer)
{
	struct wp_single_pixel_buffer_manager_v1 *manager =
		peer_bind(peer, &wp_single_pixel_buffer_manager_v1_interface, 0);
	xdg_toplevel_icon_v1_add_buffer(xdg_toplevel_icon_manager_v1_create_icon(peer_bind(
						peer, &xdg_toplevel_icon_manager_v1_interface, 0)),
		wp_single_pixel_buffer_manager_v1_create_u32_rgba_buffer(manager, 0, 0, 0, 0), 1);
}

static void icon_named_after_it_is_set(struct peer *peer)
{
	xdg_toplevel_icon_v1_set_name(icon_of(peer), "late");
}

static void image_after_the_icon_is_set(struct peer *peer)
{
	struct peer_buffer *buffer = peer_buffer_create(peer, 9, 9, WL_SHM_FORMAT_ARGB8888);
	xdg_toplevel_icon_v1_add_buffer(icon_of(peer), buffer->buffer, 1);
}

static void buffer_before_its_icon(struct peer *peer)
{
	struct xdg_toplevel_icon_v1 *icon = xdg_toplevel_icon_manager_v1_create_icon(
		peer_bind(peer, &xdg_toplevel_icon_manager_v1_interface, 0));
	struct peer_buffer *buffer = peer_buffer_create(peer, 9, 9, WL_SHM_FORMAT_ARGB8888);
	xdg_toplevel_icon_v1_add_buffer(icon, buffer->buffer, 1);
	peer_buffer_destroy(buffer);
}

static const struct error_case cases[] = {
	ERROR_CASE(surface_of_another_role, xdg_wm_base, XDG_WM_BASE_ERROR_ROLE),
	ERROR_CASE(two_for_one_surface, xdg_wm_base, XDG_WM_BASE_ERROR_ROLE),
	ERROR_CASE(surface_with_a_buffer, xdg_wm_base, XDG_WM_BASE_ERROR_INVALID_SURFACE_STATE),
	ERROR_CASE_DESTROYED(wm_base_before_its_surfaces, XDG_WM_BASE_ERROR_DEFUNCT_SURFACES),
	ERROR_CASE(positioner_without_width, xdg_positioner, XDG_POSITIONER_ERROR_INVALID_INPUT),
	ERROR_CASE(
		positioner_of_negative_height, xdg_positioner, XDG_POSITIONER_ERROR_INVALID_INPUT),
	ERROR_CASE(negative_anchor_rectangle, xdg_positioner, XDG_POSITIONER_ERROR_INVALID_INPUT),
	ERROR_CASE(unknown_anchor, xdg_positioner, XDG_POSITIONER_ERROR_INVALID_INPUT),
	ERROR_CASE(unknown_gravity, xdg_positioner, XDG_POSITIONER_ERROR_INVALID_INPUT),
	ERROR_CASE(negative_parent_size, xdg_positioner, XDG_POSITIONER_ERROR_INVALID_INPUT),
	ERROR_CASE(popup_without_size, xdg_wm_base, XDG_WM_BASE_ERROR_INVALID_POSITIONER),
	ERROR_CASE(popup_without_anchor, xdg_wm_base, XDG_WM_BASE_ERROR_INVALID_POSITIONER),
	ERROR_CASE(popup_of_nothing, xdg_wm_base, XDG_WM_BASE_ERROR_INVALID_POPUP_PARENT),
	ERROR_CASE(popup_of_a_bare_surface, xdg_wm_base, XDG_WM_BASE_ERROR_INVALID_POPUP_PARENT),
	ERROR_CASE(lower_popup_first, xdg_wm_base, XDG_WM_BASE_ERROR_NOT_THE_TOPMOST_POPUP),
	ERROR_CASE(grab_after_mapping, xdg_popup, XDG_POPUP_ERROR_INVALID_GRAB),
	ERROR_CASE(commit_without_a_role, xdg_surface, XDG_SURFACE_ERROR_NOT_CONSTRUCTED),
	ERROR_CASE(buffer_before_a_role, xdg_surface, XDG_SURFACE_ERROR_UNCONFIGURED_BUFFER),
	ERROR_CASE(geometry_without_a_role, xdg_surface, XDG_SURFACE_ERROR_NOT_CONSTRUCTED),
	ERROR_CASE(acknowledge_without_a_role, xdg_surface, XDG_SURFACE_ERROR_NOT_CONSTRUCTED),
	ERROR_CASE(toplevel_twice, xdg_surface, XDG_SURFACE_ERROR_ALREADY_CONSTRUCTED),
	ERROR_CASE(toplevel_and_popup, xdg_surface, XDG_SURFACE_ERROR_ALREADY_CONSTRUCTED),
	ERROR_CASE(buffer_before_configure, xdg_surface, XDG_SURFACE_ERROR_UNCONFIGURED_BUFFER),
	ERROR_CASE(buffer_after_acknowledging_a_configure_from_before_an_unmap, xdg_surface,
		XDG_SURFACE_ERROR_UNCONFIGURED_BUFFER),
	ERROR_CASE(acknowledge_what_was_not_sent, xdg_surface, XDG_SURFACE_ERROR_INVALID_SERIAL),
	ERROR_CASE(acknowledge_twice, xdg_surface, XDG_SURFACE_ERROR_INVALID_SERIAL),
	ERROR_CASE(geometry_without_width, xdg_surface, XDG_SURFACE_ERROR_INVALID_SIZE),
	ERROR_CASE(geometry_of_negative_height, xdg_surface, XDG_SURFACE_ERROR_INVALID_SIZE),
	ERROR_CASE_DESTROYED(
		xdg_surface_before_its_toplevel, XDG_SURFACE_ERROR_DEFUNCT_ROLE_OBJECT),
	ERROR_CASE(negative_least_size, xdg_toplevel, XDG_TOPLEVEL_ERROR_INVALID_SIZE),
	ERROR_CASE(negative_greatest_size, xdg_toplevel, XDG_TOPLEVEL_ERROR_INVALID_SIZE),
	ERROR_CASE(least_above_greatest, xdg_toplevel, XDG_TOPLEVEL_ERROR_INVALID_SIZE),
	ERROR_CASE(unknown_edge, xdg_toplevel, XDG_TOPLEVEL_ERROR_INVALID_RESIZE_EDGE),
	ERROR_CASE(parent_of_itself, xdg_toplevel, XDG_TOPLEVEL_ERROR_INVALID_PARENT),
	ERROR_CASE(parent_of_its_parent, xdg_toplevel, XDG_TOPLEVEL_ERROR_INVALID_PARENT),
	ERROR_CASE(decoration_after_a_buffer, zxdg_toplevel_decoration_v1,
		ZXDG_TOPLEVEL_DECORATION_V1_ERROR_UNCONFIGURED_BUFFER),
	ERROR_CASE(decoration_twice, zxdg_toplevel_decoration_v1,
		ZXDG_TOPLEVEL_DECORATION_V1_ERROR_ALREADY_CONSTRUCTED),
	ERROR_CASE(toplevel_before_its_decoration, zxdg_toplevel_decoration_v1,
		ZXDG_TOPLEVEL_DECORATION_V1_ERROR_ORPHANED),
	ERROR_CASE(unknown_decoration_mode, zxdg_toplevel_decoration_v1,
		ZXDG_TOPLEVEL_DECORATION_V1_ERROR_INVALID_MODE),
	ERROR_CASE(token_committed_twice, xdg_activation_token_v1,
		XDG_ACTIVATION_TOKEN_V1_ERROR_ALREADY_USED),
	ERROR_CASE(token_changed_after_commit, xdg_activation_token_v1,
		XDG_ACTIVATION_TOKEN_V1_ERROR_ALREADY_USED),
	ERROR_CASE(export_of_a_surface_without_a_role, zxdg_exporter_v2,
		ZXDG_EXPORTER_V2_ERROR_INVALID_SURFACE),
	ERROR_CASE(imported_parent_of_a_surface_without_a_role, zxdg_imported_v2,
		ZXDG_IMPORTED_V2_ERROR_INVALID_SURFACE),
	ERROR_CASE(oblong_icon, xdg_toplevel_icon_v1, XDG_TOPLEVEL_ICON_V1_ERROR_INVALID_BUFFER),
	ERROR_CASE(
		icon_of_one_pixel, xdg_toplevel_icon_v1, XDG_TOPLEVEL_ICON_V1_ERROR_INVALID_BUFFER),
	ERROR_CASE(icon_named_after_it_is_set, xdg_toplevel_icon_v1,
		XDG_TOPLEVEL_ICON_V1_ERROR_IMMUTABLE),
	ERROR_CASE(image_after_the_icon_is_set, xdg_toplevel_icon_v1,
		XDG_TOPLEVEL_ICON_V1_ERROR_IMMUTABLE),
	ERROR_CASE(
		buffer_before_its_icon, xdg_toplevel_icon_v1, XDG_TOPLEVEL_ICON_V1_ERROR_NO_BUFFER),
	ERROR_CASE(dialog_twice, xdg_wm_dialog_v1, XDG_WM_DIALOG_V1_ERROR_ALREADY_USED),
	ERROR_CASE(toplevel_drag_twice, xdg_toplevel_drag_manager_v1,
		XDG_TOPLEVEL_DRAG_MANAGER_V1_ERROR_INVALID_SOURCE),
	ERROR_CASE(toplevel_drag_source_as_selection, wl_data_source,
		WL_DATA_SOURCE_ERROR_INVALID_SOURCE),
	ERROR_CASE(second_toplevel_attached, xdg_toplevel_drag_v1,
		XDG_TOPLEVEL_DRAG_V1_ERROR_TOPLEVEL_ATTACHED),
};

int main(void)
{
	return ERRORS_RUN("xdg/errors", cases, true);
}
