/* SPDX-License-Identifier: MIT */
/* Arguments that are valid, or almost. */

#include "fuzz/argument.h"
#include "util/fd.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wayland-client-protocol.h>

#define POOL_SIZE (320 * 240 * 4 + 2048)

struct range {
	const char *interface, *request;
	int32_t lo, hi;
};

/** Ranges of arguments whose other values are protocol errors. */
static const struct range ranges[] = {
	{"wl_surface", "attach", 0, 0},
	{"wl_surface", "offset", -20, 20},
	{"wl_surface", "set_buffer_scale", 1, 3},
	{"wl_surface", "set_buffer_transform", 0, 7},
	{"wl_surface", "damage", -10, 300},
	{"wl_surface", "damage_buffer", -10, 300},
	{"wl_region", "add", -10, 300},
	{"wl_region", "subtract", -10, 300},
	{"wl_subsurface", "set_position", -50, 200},
	{"wl_data_source", "set_actions", 0, 7},
	{"wl_data_offer", "set_actions", 0, 7},
	{"wp_viewport", "set_source", 0, 16},
	{"wp_viewport", "set_destination", 1, 200},
	{"xdg_positioner", "set_size", 1, 200},
	{"xdg_positioner", "set_anchor_rect", 0, 64},
	{"xdg_positioner", "set_anchor", 0, 8},
	{"xdg_positioner", "set_gravity", 0, 8},
	{"xdg_positioner", "set_constraint_adjustment", 0, 63},
	{"xdg_positioner", "set_offset", -100, 100},
	{"xdg_positioner", "set_parent_size", 0, 300},
	{"xdg_surface", "set_window_geometry", 1, 200},
	{"xdg_toplevel", "resize", 0, 2},
	{"xdg_toplevel", "set_min_size", 0, 50},
	{"xdg_toplevel", "set_max_size", 50, 300},
	{"org_kde_kwin_server_decoration", "request_mode", 0, 2},
	{"xdg_toplevel_icon_v1", "add_buffer", 1, 3},
	{"zwlr_layer_shell_v1", "get_layer_surface", 0, 3},
	{"zwlr_layer_surface_v1", "set_size", 1, 200},
	{"zwlr_layer_surface_v1", "set_anchor", 0, 15},
	{"zwlr_layer_surface_v1", "set_exclusive_zone", -2, 60},
	{"zwlr_layer_surface_v1", "set_margin", -20, 60},
	{"zwlr_layer_surface_v1", "set_keyboard_interactivity", 0, 2},
	{"zwlr_layer_surface_v1", "set_layer", 0, 3},
	{"zwlr_layer_surface_v1", "set_exclusive_edge", 0, 8},
	{"zwlr_output_power_v1", "set_mode", 0, 1},
	{"wp_color_representation_surface_v1", "set_chroma_location", 1, 6},
	{"wp_color_representation_surface_v1", "set_coefficients_and_range", 1, 2},
	{"zwlr_screencopy_manager_v1", "capture_output_region", -10, 320},
	{"zwlr_virtual_pointer_v1", "button", 0x10f, 0x114},
	{"zwlr_virtual_pointer_v1", "axis", 0, 1},
	{"zwlr_virtual_pointer_v1", "axis_source", 0, 3},
	{"zwlr_virtual_pointer_v1", "axis_discrete", 0, 1},
	{"zwlr_virtual_pointer_v1", "axis_stop", 0, 1},
	{"zwlr_virtual_pointer_v1", "motion_absolute", 0, 320},
	{"zwp_virtual_keyboard_v1", "modifiers", 0, 7},
	{"zwp_virtual_keyboard_v1", "key", 0, 130},
	{"zwp_pointer_constraints_v1", "lock_pointer", 1, 2},
	{"zwp_pointer_constraints_v1", "confine_pointer", 1, 2},
	{"zxdg_toplevel_decoration_v1", "set_mode", 1, 2},
	{"wp_cursor_shape_device_v1", "set_shape", 1, 34},
	{"ext_image_copy_capture_manager_v1", "create_session", 0, 1},
	{"ext_image_copy_capture_frame_v1", "damage_buffer", 0, 300},
};

static const int32_t extremes[] = {0, -1, 1, INT32_MAX, INT32_MIN, INT32_MAX - 1, 32768, 65536,
	0x7fffff00, -32769, 1 << 24, 1 << 30};

#define N(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))

uint32_t argument_number(struct random *random, const char *interface, const char *request,
	char type, const uint32_t *serials)
{
	int unit = type == 'f' ? 256 : 1;
	int die = random_between(random, 0, 999);
	if (die < 12) {
		return (uint32_t)extremes[random_between(random, 0, N(extremes) - 1)];
	}
	for (int i = 0; i < N(ranges); i++) {
		if (strcmp(ranges[i].interface, interface) == 0 &&
			strcmp(ranges[i].request, request) == 0) {
			return (uint32_t)random_between(
				random, ranges[i].lo * unit, ranges[i].hi * unit);
		}
	}
	if (type == 'u' && die < 500) {
		return serials[random_between(random, 0, WIRE_N_SERIALS - 1)];
	}
	if (die < 800) {
		return (uint32_t)random_between(random, 0, 9 * unit);
	}
	return (uint32_t)random_between(random, type == 'u' ? 0 : -100 * unit, 330 * unit);
}

uint32_t argument_bytes(struct random *random, bool string, char *bytes)
{
	static const char *const strings[] = {"", "a", "text/plain", "text/plain;charset=utf-8",
		"HEADLESS-1", "\xff\xfe\x80", "%s%n%s", "two\nlines", "x-special/\t",
		"0123456789abcdef0123456789abcdef"};
	uint32_t size;
	if (string && random_chance(random, 90)) {
		return (uint32_t)snprintf(bytes, 4096, "%s",
			       strings[random_between(random, 0, N(strings) - 1)]) +
		       1;
	}
	size = (uint32_t)random_between(random, 1, random_chance(random, 20) ? 3900 : 64);
	for (uint32_t i = 0; i < size; i++) {
		bytes[i] = (char)random_between(random, 1, 255);
	}
	bytes[size - 1] = string ? '\0' : bytes[size - 1];
	return size;
}

int argument_fd(struct random *random)
{
	static const char keymap[] =
		"xkb_keymap { xkb_keycodes { include \"evdev+aliases(qwerty)\" };\n"
		"xkb_types { include \"complete\" };\nxkb_compat { include \"complete\" };\n"
		"xkb_symbols { include \"pc+us+inet(evdev)\" };\n};\n";
	int ends[2], fd;
	int die = random_between(random, 0, 99);
	if (die < 80) {
		static const int32_t sizes[] = {
			320 * 240 * 4, 320 * 240 * 4, 65536, 4096, 4095, 1, 0};
		fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (ftruncate(fd, sizes[random_between(random, 0, N(sizes) - 1)]) != 0) {
			return fd;
		}
		if (die >= 60 && write(fd, keymap, sizeof(keymap)) < 0) {
			return fd;
		}
		if (die == 0) {
			fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
		}
		return fd;
	}
	if (die < 90 && pipe2(ends, O_CLOEXEC) == 0) {
		int given = random_between(random, 0, 1);
		close(ends[!given]);
		return ends[given];
	}
	return open(die < 95 ? "/dev/null" : "/", O_RDONLY | O_CLOEXEC);
}

static bool matches(const char *interface, const char *request, const char *a, const char *b)
{
	return strcmp(interface, a) == 0 && strcmp(request, b) == 0;
}

static void fit_buffer(struct random *random, struct wire_argument *arguments)
{
	static const int32_t sizes[][2] = {
		{320, 240}, {320, 240}, {1, 1}, {16, 16}, {64, 64}, {64, 64}, {33, 7}, {240, 320}};
	int i = random_between(random, 0, N(sizes) - 1);
	arguments[1].value =
		random_chance(random, 80) ? 0 : 4u * (uint32_t)random_between(random, 0, 31);
	arguments[2].value = (uint32_t)sizes[i][0];
	arguments[3].value = (uint32_t)sizes[i][1];
	arguments[4].value = (uint32_t)sizes[i][0] * 4;
	arguments[5].value =
		random_chance(random, 50) ? WL_SHM_FORMAT_XRGB8888 : WL_SHM_FORMAT_ARGB8888;
}

static uint32_t fd_size(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	return size > 0 ? (uint32_t)size : 4096;
}

/** Pools are sometimes larger than their file, so that reading them fails. */
static void fit_pool(struct random *random, struct wire_argument *arguments)
{
	struct stat stat;
	uint32_t size = fd_size(arguments[1].fd);
	if (fstat(arguments[1].fd, &stat) == 0 && S_ISREG(stat.st_mode) &&
		random_chance(random, 85) && ftruncate(arguments[1].fd, POOL_SIZE) == 0) {
		size = POOL_SIZE;
	} else if (random_chance(random, 70)) {
		close(arguments[1].fd);
		arguments[1].fd = fd_create_memory("fuzz", POOL_SIZE, random_chance(random, 10));
		size = POOL_SIZE;
	}
	arguments[2].value = size;
}

/** Linear or tiled, as on emulated GPUs. */
static void fit_plane(struct random *random, struct wire_argument *arguments)
{
	static const uint64_t modifiers[] = {
		0, 0, UINT64_C(0x0200000020801b03), UINT64_C(0x0200000000000901)};
	uint64_t modifier = modifiers[random_between(random, 0, N(modifiers) - 1)];
	arguments[1].value = random_chance(random, 97) ? 0 : (uint32_t)random_between(random, 0, 3);
	arguments[2].value = 0;
	arguments[3].value = modifier || random_chance(random, 50) ? 2048 : 256;
	arguments[4].value = (uint32_t)(modifier >> 32);
	arguments[5].value = (uint32_t)modifier;
}

static void fit_dmabuf(struct wire_argument *arguments, int at)
{
	arguments[at].value = 64;
	arguments[at + 1].value = 16;
	arguments[at + 2].value = DRM_FORMAT_XRGB8888;
	arguments[at + 3].value = 0;
}

void argument_fit(struct random *random, const char *interface, const char *request,
	struct wire_argument *arguments)
{
	if (random_chance(random, 4)) {
		return;
	}
	if (matches(interface, request, "wl_shm", "create_pool")) {
		fit_pool(random, arguments);
	} else if (matches(interface, request, "wl_shm_pool", "create_buffer")) {
		fit_buffer(random, arguments);
	} else if (matches(interface, request, "wl_shm_pool", "resize")) {
		arguments[0].value = (uint32_t)random_between(random, POOL_SIZE, POOL_SIZE + 4095);
	} else if (matches(interface, request, "zwp_virtual_keyboard_v1", "keymap")) {
		arguments[0].value = 1;
		arguments[2].value = fd_size(arguments[1].fd);
	} else if (matches(interface, request, "zwp_linux_buffer_params_v1", "add")) {
		fit_plane(random, arguments);
	} else if (matches(interface, request, "zwp_linux_buffer_params_v1", "create")) {
		fit_dmabuf(arguments, 0);
	} else if (matches(interface, request, "zwp_linux_buffer_params_v1", "create_immed")) {
		fit_dmabuf(arguments, 1);
	} else if (matches(interface, request, "wl_data_offer", "set_actions")) {
		arguments[0].value = 7;
		arguments[1].value = UINT32_C(1) << random_between(random, 0, 2);
	}
}

bool request_is_destructor(const char *request)
{
	return strcmp(request, "destroy") == 0 || strcmp(request, "release") == 0;
}

bool request_wants_fresh(const char *request)
{
	static const char *const wishes[] = {"get_xdg_surface", "get_subsurface",
		"get_layer_surface", "set_cursor", "get_lock_surface", "get_viewport",
		"get_surface", "get_fractional_scale", "get_surface_content_type",
		"get_tearing_control", "inhibit_shortcuts", "get_fifo", "get_timer"};
	for (int i = 0; i < N(wishes); i++) {
		if (strcmp(request, wishes[i]) == 0) {
			return true;
		}
	}
	return false;
}

bool request_is_rash(const char *interface, const char *request)
{
	static const char *const rash[][2] = {
		{"wl_drm", "create_buffer"},
		{"wl_drm", "create_planar_buffer"},
		{"wl_drm", "create_prime_buffer"},
		{"wp_security_context_manager_v1", "create_listener"},
		{"wl_data_device", "start_drag"},
		{"wl_fixes", "destroy_registry"},
		{"wl_subcompositor", "get_subsurface"},
		{"wl_subsurface", "place_above"},
		{"wl_subsurface", "place_below"},
		{"ext_image_copy_capture_frame_v1", "capture"},
		{"ext_image_copy_capture_frame_v1", "damage_buffer"},
		{"ext_session_lock_v1", "unlock_and_destroy"},
		{"xdg_positioner", "set_size"},
		{"xdg_toplevel", "set_parent"},
		{"xdg_toplevel_drag_manager_v1", "get_xdg_toplevel_drag"},
		{"xdg_toplevel_drag_v1", "attach"},
		{"xdg_toplevel_icon_v1", "add_buffer"},
		{"xdg_wm_dialog_v1", "get_xdg_dialog"},
		{"zwp_pointer_constraints_v1", "lock_pointer"},
		{"zwp_pointer_constraints_v1", "confine_pointer"},
		{"zxdg_decoration_manager_v1", "get_toplevel_decoration"},
		{"zxdg_exporter_v1", "export"},
		{"zxdg_exporter_v2", "export_toplevel"},
		{"zxdg_imported_v1", "set_parent_of"},
		{"zxdg_imported_v2", "set_parent_of"},
		{"xdg_surface", "ack_configure"},
		{"zwlr_layer_surface_v1", "ack_configure"},
		{"xdg_surface", "destroy"},
		{"xdg_surface", "get_toplevel"},
		{"xdg_surface", "get_popup"},
		{"xdg_wm_base", "get_xdg_surface"},
		{"xdg_wm_base", "destroy"},
		{"zwlr_layer_shell_v1", "get_layer_surface"},
		{"zwp_virtual_keyboard_manager_v1", "create_virtual_keyboard"},
		{"zwp_linux_buffer_params_v1", "create"},
		{"zwp_linux_buffer_params_v1", "create_immed"},
	};
	for (int i = 0; i < N(rash); i++) {
		if (matches(interface, request, rash[i][0], rash[i][1])) {
			return true;
		}
	}
	return false;
}
