/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The table of protocols. A new protocol is one file with `void NAME_create(struct protocols *)`,
 * one row here, and one row among the privileged globals if other programs could be watched or
 * controlled through it.
 *
 * Clients see globals in the order of the rows. Each create function makes its globals with
 * protocols_add_global() or protocols_add_custom_global(), and frees its state on
 * protocols.events.destroy.
 */

struct protocols;

/* clang-format off */
#define PROTOCOLS(ROW) \
	ROW(wl_compositor) \
	ROW(wl_subcompositor) \
	ROW(wl_shm) \
	ROW(linux_dmabuf) \
	ROW(linux_drm_syncobj) \
	ROW(wl_output) \
	ROW(viewporter) \
	ROW(fractional_scale) \
	ROW(single_pixel_buffer) \
	ROW(presentation) \
	ROW(alpha_modifier) \
	ROW(color_representation) \
	ROW(content_type) \
	ROW(fifo) \
	ROW(commit_timing) \
	ROW(tearing_control) \
	ROW(xdg_output) \
	ROW(wl_seat) \
	ROW(selections) \
	ROW(wl_data_device) \
	ROW(primary_selection) \
	ROW(data_control) \
	ROW(x_selection) \
	ROW(x_drag) \
	ROW(cursor_shape) \
	ROW(pointer_constraints) \
	ROW(pointer_gestures) \
	ROW(relative_pointer) \
	ROW(pointer_warp) \
	ROW(tablet) \
	ROW(keyboard_shortcuts_inhibit) \
	ROW(wlr_virtual_pointer) \
	ROW(virtual_keyboard) \
	ROW(text_input) \
	ROW(input_method) \
	ROW(xdg_shell) \
	ROW(xdg_decoration) \
	ROW(kde_server_decoration) \
	ROW(xdg_activation) \
	ROW(xdg_dialog) \
	ROW(xdg_foreign) \
	ROW(xdg_foreign_v2) \
	ROW(xdg_foreign_v1) \
	ROW(xdg_system_bell) \
	ROW(xdg_toplevel_drag) \
	ROW(xdg_toplevel_icon) \
	ROW(xdg_toplevel_tag) \
	ROW(wlr_layer_shell) \
	ROW(foreign_toplevel_list) \
	ROW(ext_workspace) \
	ROW(wlr_foreign_toplevel) \
	ROW(image_capture_source) \
	ROW(image_copy_capture) \
	ROW(wlr_screencopy) \
	ROW(idle_notify) \
	ROW(idle_inhibit) \
	ROW(wlr_output_management) \
	ROW(wlr_output_power) \
	ROW(wlr_gamma_control) \
	ROW(drm_lease_protocol) \
	ROW(session_lock) \
	ROW(security_context) \
	ROW(wl_fixes) \
	ROW(xwayland_shell) \
	ROW(xwayland_keyboard_grab) \
	ROW(control)

/**
 * Globals hidden from clients of a security context: their interfaces can watch or control other
 * programs. Security contexts are among them because they do not nest.
 */
#define PRIVILEGED_GLOBALS(ROW) \
	ROW(ext_data_control_manager_v1) \
	ROW(ext_foreign_toplevel_image_capture_source_manager_v1) \
	ROW(ext_foreign_toplevel_list_v1) \
	ROW(ext_image_copy_capture_manager_v1) \
	ROW(ext_output_image_capture_source_manager_v1) \
	ROW(ext_session_lock_manager_v1) \
	ROW(ext_workspace_manager_v1) \
	ROW(wp_drm_lease_device_v1) \
	ROW(wp_security_context_manager_v1) \
	ROW(zwlr_data_control_manager_v1) \
	ROW(zwlr_foreign_toplevel_manager_v1) \
	ROW(zwlr_gamma_control_manager_v1) \
	ROW(zwlr_layer_shell_v1) \
	ROW(zwlr_output_manager_v1) \
	ROW(zwlr_output_power_manager_v1) \
	ROW(zwlr_screencopy_manager_v1) \
	ROW(zwlr_virtual_pointer_manager_v1) \
	ROW(zwp_input_method_manager_v2) \
	ROW(zwp_virtual_keyboard_manager_v1)
/* clang-format on */

#define DECLARE_CREATE(name) void name##_create(struct protocols *protocols);
PROTOCOLS(DECLARE_CREATE)
#undef DECLARE_CREATE
