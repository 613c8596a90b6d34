/* SPDX-License-Identifier: MIT */
/*
 * fill RRGGBB: shows a maximized window of one color and prints its events: "size WxH", "focus
 * yes|no", "key CODE down|up", "at X Y", "button CODE down|up", "closed".
 */

#include "harness/program.h"
#include "xdg-shell-client-protocol.h"
#include <stdio.h>
#include <stdlib.h>
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
	struct program_window window;
	uint32_t color;
	int32_t width, height; /* shown */
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
	wl_surface_attach(fill->window.surface, buffer, 0, 0);
	wl_surface_damage_buffer(fill->window.surface, 0, 0, fill->width, fill->height);
	wl_surface_commit(fill->window.surface);
	printf("size %dx%d\n", fill->width, fill->height);
}

static void handle_changed(struct program_window *window)
{
	struct fill *fill = wl_container_of(window, fill, window);
	if (window->closed) {
		printf("closed\n");
		return;
	}
	int32_t width = window->width > 0 ? window->width : 100;
	int32_t height = window->height > 0 ? window->height : 100;
	if (width != fill->width || height != fill->height) {
		fill->width = width;
		fill->height = height;
		draw(fill);
	}
}

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

static void listen_to_seat(void *data, void *seat)
{
	wl_seat_add_listener(seat, &seat_listener, data);
}

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
	const struct program_global globals[] = {
		{&wl_compositor_interface, 4, &fill.compositor},
		{&wl_shm_interface, 1, &fill.shm},
		{&xdg_wm_base_interface, 1, &fill.wm_base},
		{&wl_seat_interface, 1, &fill.seat, listen_to_seat, &fill, .optional = true},
	};
	if (!program_bind(display, globals, sizeof(globals) / sizeof(globals[0]))) {
		return EXIT_FAILURE;
	}
	fill.window.changed = handle_changed;
	program_window_open(&fill.window, fill.compositor, fill.wm_base);
	xdg_toplevel_set_title(fill.window.toplevel, "fill");
	xdg_toplevel_set_app_id(fill.window.toplevel, "fill");
	xdg_toplevel_set_maximized(fill.window.toplevel);
	wl_surface_commit(fill.window.surface);
	while (!fill.window.closed && wl_display_dispatch(display) >= 0) {
	}
	wl_display_disconnect(display);
	return fill.window.closed ? EXIT_SUCCESS : EXIT_FAILURE;
}
