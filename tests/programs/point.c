/* SPDX-License-Identifier: MIT */
/*
 * point WIDTH HEIGHT: a virtual pointer on a screen of this size. Reads "X Y [left|right [X Y]]"
 * from standard input, a line each: moves, clicks, or drags to the second point, and then writes
 * "done".
 */

#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wayland-client.h>

#define STEPS 8

struct globals {
	struct zwlr_virtual_pointer_manager_v1 *manager;
};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct globals *globals = data;
	if (strcmp(interface, "zwlr_virtual_pointer_manager_v1") == 0) {
		globals->manager = wl_registry_bind(
			registry, name, &zwlr_virtual_pointer_manager_v1_interface, 1);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

struct pointer {
	struct wl_display *display;
	struct zwlr_virtual_pointer_v1 *proxy;
	uint32_t width, height;
};

static uint32_t now_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint32_t)(time.tv_sec * 1000 + time.tv_nsec / 1000000);
}

static void end_group(struct pointer *pointer)
{
	zwlr_virtual_pointer_v1_frame(pointer->proxy);
	if (wl_display_roundtrip(pointer->display) < 0) {
		perror("point: the connection ended");
		exit(EXIT_FAILURE);
	}
}

static void move(struct pointer *pointer, uint32_t x, uint32_t y)
{
	zwlr_virtual_pointer_v1_motion_absolute(
		pointer->proxy, now_ms(), x, y, pointer->width, pointer->height);
	end_group(pointer);
}

static void button(struct pointer *pointer, uint32_t code, bool pressed)
{
	zwlr_virtual_pointer_v1_button(pointer->proxy, now_ms(), code,
		pressed ? WL_POINTER_BUTTON_STATE_PRESSED : WL_POINTER_BUTTON_STATE_RELEASED);
	end_group(pointer);
}

static uint32_t number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

static void drag(struct pointer *pointer, const uint32_t from[2], const uint32_t to[2])
{
	for (uint32_t i = 1; i <= STEPS; i++) {
		move(pointer, (from[0] * (STEPS - i) + to[0] * i) / STEPS,
			(from[1] * (STEPS - i) + to[1] * i) / STEPS);
		/* Programs that grab the pointer need a moment before the release. */
		nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
	}
}

/* Returns false for a line that is no command. */
static bool run(struct pointer *pointer, const char *line)
{
	uint32_t from[2], to[2];
	char name[8] = "";
	int n = sscanf(line, "%u %u %7s %u %u", &from[0], &from[1], name, &to[0], &to[1]);
	if (n < 2) {
		return false;
	}
	move(pointer, from[0], from[1]);
	if (n > 2) {
		const uint32_t code = strcmp(name, "right") == 0 ? BTN_RIGHT : BTN_LEFT;
		button(pointer, code, true);
		if (n == 5) {
			drag(pointer, from, to);
		}
		button(pointer, code, false);
	}
	return true;
}

int main(int argc, char **argv)
{
	struct globals globals = {0};
	if (argc != 3) {
		fputs("usage: point WIDTH HEIGHT\n", stderr);
		return 2;
	}
	struct pointer pointer = {
		.display = wl_display_connect(NULL),
		.width = number(argv[1]),
		.height = number(argv[2]),
	};
	if (!pointer.display) {
		perror("point: no display");
		return EXIT_FAILURE;
	}
	struct wl_registry *registry = wl_display_get_registry(pointer.display);
	wl_registry_add_listener(registry, &registry_listener, &globals);
	wl_display_roundtrip(pointer.display);
	if (!globals.manager) {
		fputs("point: no virtual pointers\n", stderr);
		return EXIT_FAILURE;
	}
	pointer.proxy =
		zwlr_virtual_pointer_manager_v1_create_virtual_pointer(globals.manager, NULL);
	char line[64];
	bool good = true;
	while (good && fgets(line, sizeof(line), stdin)) {
		good = run(&pointer, line);
		puts("done");
		fflush(stdout);
	}
	zwlr_virtual_pointer_v1_destroy(pointer.proxy);
	zwlr_virtual_pointer_manager_v1_destroy(globals.manager);
	wl_registry_destroy(registry);
	wl_display_roundtrip(pointer.display);
	wl_display_disconnect(pointer.display);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
