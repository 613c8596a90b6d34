/*
 * fill RRGGBB: a maximised window of one colour that says on standard output what happens to it:
 * "size WxH", "focus yes|no", "key CODE down|up", "at X Y", "button CODE down|up", "closed".
 */

#include "xdg-shell-client-protocol.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

struct fill {
	struct wl_compositor *compositor;
	struct wl_shm *shm;
	struct wl_seat *seat;
	struct wl_keyboard *keyboard;
	struct wl_pointer *pointer;
	struct xdg_wm_base *wm_base;
	struct wl_surface *surface;
	uint32_t color;
	int32_t width, height; /* told */
	int32_t shown_width, shown_height;
	bool closed;
};

static void handle_release(void *data, struct wl_buffer *buffer)
{
	wl_buffer_destroy(buffer);
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static void draw(struct fill *fill)
{
	int32_t stride = fill->width * 4, size = stride * fill->height;
	int fd = memfd_create("fill", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, size) != 0) {
		perror("fill: memory");
		exit(EXIT_FAILURE);
	}
	uint32_t *pixels = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pixels == MAP_FAILED) {
		perror("fill: memory");
		exit(EXIT_FAILURE);
	}
	for (int32_t i = 0; i < fill->width * fill->height; i++) {
		pixels[i] = fill->color;
	}
	munmap(pixels, (size_t)size);
	struct wl_shm_pool *pool = wl_shm_create_pool(fill->shm, fd, size);
	struct wl_buffer *buffer = wl_shm_pool_create_buffer(
		pool, 0, fill->width, fill->height, stride, WL_SHM_FORMAT_XRGB8888);
	wl_buffer_add_listener(buffer, &buffer_listener, fill);
	wl_shm_pool_destroy(pool);
	close(fd);
	wl_surface_attach(fill->surface, buffer, 0, 0);
	wl_surface_damage_buffer(fill->surface, 0, 0, fill->width, fill->height);
	wl_surface_commit(fill->surface);
	fill->shown_width = fill->width;
	fill->shown_height = fill->height;
	printf("size %dx%d\n", fill->width, fill->height);
}

static void handle_toplevel_configure(void *data, struct xdg_toplevel *toplevel, int32_t width,
	int32_t height, struct wl_array *states)
{
	struct fill *fill = data;
	fill->width = width > 0 ? width : 100;
	fill->height = height > 0 ? height : 100;
}

static void handle_close(void *data, struct xdg_toplevel *toplevel)
{
	struct fill *fill = data;
	fill->closed = true;
	printf("closed\n");
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = handle_toplevel_configure,
	.close = handle_close,
};

static void handle_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	struct fill *fill = data;
	xdg_surface_ack_configure(xdg_surface, serial);
	if (fill->width != fill->shown_width || fill->height != fill->shown_height) {
		draw(fill);
	}
}

static const struct xdg_surface_listener xdg_surface_listener = {.configure = handle_configure};

static void handle_ping(void *data, struct xdg_wm_base *wm_base, uint32_t serial)
{
	xdg_wm_base_pong(wm_base, serial);
}

static const struct xdg_wm_base_listener wm_base_listener = {.ping = handle_ping};

static void handle_keymap(
	void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
	close(fd);
}

static void handle_enter(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	struct wl_surface *surface, struct wl_array *keys)
{
	printf("focus yes\n");
}

static void handle_leave(
	void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
	printf("focus no\n");
}

static void handle_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time,
	uint32_t key, uint32_t state)
{
	printf("key %u %s\n", key, state == WL_KEYBOARD_KEY_STATE_PRESSED ? "down" : "up");
}

static void handle_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
}

static const struct wl_keyboard_listener keyboard_listener = {
	.keymap = handle_keymap,
	.enter = handle_enter,
	.leave = handle_leave,
	.key = handle_key,
	.modifiers = handle_modifiers,
};

static void handle_pointer_enter(void *data, struct wl_pointer *pointer, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
	printf("at %.0f %.0f\n", wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void handle_pointer_leave(
	void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
}

static void handle_motion(
	void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
	printf("at %.0f %.0f\n", wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void handle_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time,
	uint32_t button, uint32_t state)
{
	printf("button %u %s\n", button, state == WL_POINTER_BUTTON_STATE_PRESSED ? "down" : "up");
}

static void handle_axis(
	void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value)
{
}

static const struct wl_pointer_listener pointer_listener = {
	.enter = handle_pointer_enter,
	.leave = handle_pointer_leave,
	.motion = handle_motion,
	.button = handle_button,
	.axis = handle_axis,
};

static void handle_capabilities(void *data, struct wl_seat *seat, uint32_t capabilities)
{
	struct fill *fill = data;
	if ((capabilities & WL_SEAT_CAPABILITY_KEYBOARD) && !fill->keyboard) {
		fill->keyboard = wl_seat_get_keyboard(seat);
		wl_keyboard_add_listener(fill->keyboard, &keyboard_listener, fill);
	}
	if ((capabilities & WL_SEAT_CAPABILITY_POINTER) && !fill->pointer) {
		fill->pointer = wl_seat_get_pointer(seat);
		wl_pointer_add_listener(fill->pointer, &pointer_listener, fill);
	}
}

static const struct wl_seat_listener seat_listener = {.capabilities = handle_capabilities};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct fill *fill = data;
	if (strcmp(interface, "wl_compositor") == 0) {
		fill->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
	} else if (strcmp(interface, "wl_shm") == 0) {
		fill->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
	} else if (strcmp(interface, "xdg_wm_base") == 0) {
		fill->wm_base = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
		xdg_wm_base_add_listener(fill->wm_base, &wm_base_listener, fill);
	} else if (strcmp(interface, "wl_seat") == 0) {
		fill->seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
		wl_seat_add_listener(fill->seat, &seat_listener, fill);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

int main(int argc, char **argv)
{
	struct fill fill = {0};
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2) {
		fputs("usage: fill RRGGBB\n", stderr);
		return 2;
	}
	fill.color = (uint32_t)strtoul(argv[1], NULL, 16);
	struct wl_display *display = wl_display_connect(NULL);
	if (!display) {
		perror("fill: no display");
		return EXIT_FAILURE;
	}
	struct wl_registry *registry = wl_display_get_registry(display);
	wl_registry_add_listener(registry, &registry_listener, &fill);
	wl_display_roundtrip(display);
	if (!fill.compositor || !fill.shm || !fill.wm_base) {
		fputs("fill: globals are missing\n", stderr);
		return EXIT_FAILURE;
	}
	fill.surface = wl_compositor_create_surface(fill.compositor);
	struct xdg_surface *xdg_surface = xdg_wm_base_get_xdg_surface(fill.wm_base, fill.surface);
	xdg_surface_add_listener(xdg_surface, &xdg_surface_listener, &fill);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(xdg_surface);
	xdg_toplevel_add_listener(toplevel, &toplevel_listener, &fill);
	xdg_toplevel_set_title(toplevel, "fill");
	xdg_toplevel_set_app_id(toplevel, "fill");
	xdg_toplevel_set_maximized(toplevel);
	wl_surface_commit(fill.surface);
	while (!fill.closed && wl_display_dispatch(display) >= 0) {
	}
	wl_display_disconnect(display);
	return fill.closed ? EXIT_SUCCESS : EXIT_FAILURE;
}
