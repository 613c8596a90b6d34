/* SPDX-License-Identifier: MIT */
/*
 * demo-subsurfaces: one window with a tree of subsurfaces, for demonstrations and tests: above and
 * below their parent, synchronised and desynchronised, nested, and reaching beyond the window. Its
 * pixels depend only on the frame number.
 */

#include "xdg-shell-client-protocol.h"
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

#define WIDTH 400
#define HEIGHT 300
/* Hole in the window, which shows the panel below. */
#define HOLE_X 250
#define HOLE_Y 40
#define HOLE_WIDTH 100
#define HOLE_HEIGHT 70

enum panel_kind {
	PANEL_WINDOW,
	PANEL_BELOW, /* covered by its parent except for the hole */
	PANEL_SYNC,
	PANEL_NESTED, /* desynchronised, in a synchronised parent */
	PANEL_DEEP, /* translucent child of PANEL_NESTED */
	PANEL_FREE, /* desynchronised, with its own frame rate */
	PANEL_COUNT,
};

struct slot {
	struct wl_buffer *buffer;
	uint32_t *pixels;
	bool busy;
};

struct panel {
	struct demo *demo;
	enum panel_kind kind;
	int32_t width, height;
	struct wl_surface *surface;
	struct wl_subsurface *subsurface;
	struct slot slots[3];
	int frame;
	bool waiting; /* for a frame callback */
};

struct demo {
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_subcompositor *subcompositor;
	struct wl_shm *shm;
	struct xdg_wm_base *wm_base;
	struct panel panels[PANEL_COUNT];
	bool still, configured, closed;
	int frames; /* number of frames to present; 0: no limit */
};

/* Panels; colours are premultiplied ARGB, positions relative to the parent. */
static const struct {
	int parent;
	int32_t x, y, width, height;
	bool sync;
	uint32_t ground, mark;
} layout[PANEL_COUNT] = {
	[PANEL_WINDOW] = {-1, 0, 0, WIDTH, HEIGHT, false, 0xff2e3440, 0xff88c0d0},
	[PANEL_BELOW] = {PANEL_WINDOW, HOLE_X - 10, HOLE_Y - 10, HOLE_WIDTH + 20, HOLE_HEIGHT + 20,
		true, 0xffa3be8c, 0xff4c6e3c},
	[PANEL_SYNC] = {PANEL_WINDOW, 30, 40, 180, 140, true, 0xffbf616a, 0xfff0c0c4},
	[PANEL_NESTED] = {PANEL_SYNC, 60, 50, 100, 110, false, 0xffebcb8b, 0xff8a6d2b},
	[PANEL_DEEP] = {PANEL_NESTED, 50, 60, 80, 40, true, 0x80405080, 0xffd8dee9},
	[PANEL_FREE] = {PANEL_WINDOW, 290, 200, 150, 130, false, 0xffb48ead, 0xff5b3a55},
};

static bool is_hole(const struct panel *panel, int32_t x, int32_t y)
{
	return panel->kind == PANEL_WINDOW && x >= HOLE_X && x < HOLE_X + HOLE_WIDTH &&
	       y >= HOLE_Y && y < HOLE_Y + HOLE_HEIGHT;
}

/* Returns true for pixels of the border, and of a block that moves along the bottom. */
static bool is_mark(const struct panel *panel, int32_t x, int32_t y)
{
	int32_t width = panel->width, height = panel->height;
	int32_t room = width - 24, at = room > 0 ? panel->frame * 3 % room : 0;
	bool border = x < 2 || y < 2 || x >= width - 2 || y >= height - 2;
	return border || (x >= at + 4 && x < at + 20 && y >= height - 20 && y < height - 4);
}

static void draw(const struct panel *panel, uint32_t *pixels)
{
	for (int32_t y = 0; y < panel->height; y++) {
		for (int32_t x = 0; x < panel->width; x++) {
			uint32_t pixel = layout[panel->kind].ground;
			if (is_hole(panel, x, y)) {
				pixel = 0;
			} else if (is_mark(panel, x, y)) {
				pixel = layout[panel->kind].mark;
			}
			pixels[y * panel->width + x] = pixel;
		}
	}
}

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct slot *slot = data;
	slot->busy = false;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static bool make_slot(struct panel *panel, struct slot *slot)
{
	int32_t stride = panel->width * 4, size = stride * panel->height;
	int fd = memfd_create("demo-subsurfaces", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, size) < 0) {
		goto close_fd;
	}
	void *pixels = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pixels == MAP_FAILED) {
		goto close_fd;
	}
	struct wl_shm_pool *pool = wl_shm_create_pool(panel->demo->shm, fd, size);
	slot->buffer = wl_shm_pool_create_buffer(
		pool, 0, panel->width, panel->height, stride, WL_SHM_FORMAT_ARGB8888);
	wl_shm_pool_destroy(pool);
	close(fd);
	slot->pixels = pixels;
	wl_buffer_add_listener(slot->buffer, &buffer_listener, slot);
	return true;
close_fd:
	if (fd >= 0) {
		close(fd);
	}
	return false;
}

static void finish_slot(const struct panel *panel, struct slot *slot)
{
	if (slot->buffer) {
		wl_buffer_destroy(slot->buffer);
		munmap(slot->pixels, (size_t)panel->width * 4 * (size_t)panel->height);
	}
	*slot = (struct slot){0};
}

/* Returns NULL without memory, or if the compositor holds all buffers. */
static struct slot *free_slot(struct panel *panel)
{
	for (size_t i = 0; i < sizeof(panel->slots) / sizeof(panel->slots[0]); i++) {
		struct slot *slot = &panel->slots[i];
		if (!slot->buffer && !make_slot(panel, slot)) {
			return NULL;
		}
		if (!slot->busy) {
			return slot;
		}
	}
	return NULL;
}

static bool is_paced_by_window(const struct panel *panel)
{
	return panel->kind != PANEL_FREE;
}

static void next_frame(struct panel *panel);

static void handle_frame_done(void *data, struct wl_callback *callback, uint32_t time)
{
	struct panel *panel = data;
	wl_callback_destroy(callback);
	panel->waiting = false;
	next_frame(panel);
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame_done};

static void show(struct panel *panel)
{
	struct slot *slot = free_slot(panel);
	if (slot) {
		draw(panel, slot->pixels);
		wl_surface_attach(panel->surface, slot->buffer, 0, 0);
		wl_surface_damage_buffer(panel->surface, 0, 0, panel->width, panel->height);
		slot->busy = true;
	}
	bool own_pace = panel->kind == PANEL_WINDOW || panel->kind == PANEL_FREE;
	if (own_pace && !panel->demo->still && !panel->waiting) {
		wl_callback_add_listener(wl_surface_frame(panel->surface), &frame_listener, panel);
		panel->waiting = true;
	}
	wl_surface_commit(panel->surface);
}

/* Commits children first: synchronised ones are applied with the window's commit. */
static void show_tree(struct demo *demo)
{
	for (int i = PANEL_COUNT - 1; i >= 0; i--) {
		struct panel *panel = &demo->panels[i];
		if (is_paced_by_window(panel)) {
			panel->frame = demo->panels[PANEL_WINDOW].frame;
			show(panel);
		}
	}
}

static void next_frame(struct panel *panel)
{
	struct demo *demo = panel->demo;
	panel->frame++;
	if (panel->kind != PANEL_WINDOW) {
		show(panel);
	} else if (demo->frames > 0 && panel->frame >= demo->frames) {
		demo->closed = true;
	} else {
		show_tree(demo);
	}
}

static void handle_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	struct demo *demo = data;
	xdg_surface_ack_configure(xdg_surface, serial);
	if (!demo->configured) {
		demo->configured = true;
		show(&demo->panels[PANEL_FREE]);
		show_tree(demo);
	} else {
		wl_surface_commit(demo->panels[PANEL_WINDOW].surface);
	}
}

static const struct xdg_surface_listener xdg_surface_listener = {.configure = handle_configure};

/* The size is fixed. */
static void handle_toplevel_configure(void *data, struct xdg_toplevel *toplevel, int32_t width,
	int32_t height, struct wl_array *states)
{
}

static void handle_close(void *data, struct xdg_toplevel *toplevel)
{
	struct demo *demo = data;
	demo->closed = true;
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = handle_toplevel_configure,
	.close = handle_close,
};

static void handle_ping(void *data, struct xdg_wm_base *wm_base, uint32_t serial)
{
	xdg_wm_base_pong(wm_base, serial);
}

static const struct xdg_wm_base_listener wm_base_listener = {.ping = handle_ping};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct demo *demo = data;
	if (strcmp(interface, wl_compositor_interface.name) == 0 && version >= 4) {
		demo->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
	} else if (strcmp(interface, wl_subcompositor_interface.name) == 0) {
		demo->subcompositor =
			wl_registry_bind(registry, name, &wl_subcompositor_interface, 1);
	} else if (strcmp(interface, wl_shm_interface.name) == 0) {
		demo->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
	} else if (strcmp(interface, xdg_wm_base_interface.name) == 0) {
		demo->wm_base = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
		xdg_wm_base_add_listener(demo->wm_base, &wm_base_listener, demo);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void make_panels(struct demo *demo)
{
	for (int i = 0; i < PANEL_COUNT; i++) {
		struct panel *panel = &demo->panels[i];
		panel->demo = demo;
		panel->kind = (enum panel_kind)i;
		panel->width = layout[i].width;
		panel->height = layout[i].height;
		panel->surface = wl_compositor_create_surface(demo->compositor);
		if (layout[i].parent < 0) {
			continue;
		}
		struct wl_surface *parent = demo->panels[layout[i].parent].surface;
		panel->subsurface = wl_subcompositor_get_subsurface(
			demo->subcompositor, panel->surface, parent);
		wl_subsurface_set_position(panel->subsurface, layout[i].x, layout[i].y);
		if (!layout[i].sync) {
			wl_subsurface_set_desync(panel->subsurface);
		}
		if (i == PANEL_BELOW) {
			wl_subsurface_place_below(panel->subsurface, parent);
		}
	}
}

static void finish_panels(struct demo *demo)
{
	for (int i = PANEL_COUNT - 1; i >= 0; i--) {
		struct panel *panel = &demo->panels[i];
		if (panel->subsurface) {
			wl_subsurface_destroy(panel->subsurface);
		}
		wl_surface_destroy(panel->surface);
		for (size_t s = 0; s < sizeof(panel->slots) / sizeof(panel->slots[0]); s++) {
			finish_slot(panel, &panel->slots[s]);
		}
	}
}

static int run(struct demo *demo)
{
	make_panels(demo);
	struct wl_surface *surface = demo->panels[PANEL_WINDOW].surface;
	struct xdg_surface *xdg_surface = xdg_wm_base_get_xdg_surface(demo->wm_base, surface);
	xdg_surface_add_listener(xdg_surface, &xdg_surface_listener, demo);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(xdg_surface);
	xdg_toplevel_add_listener(toplevel, &toplevel_listener, demo);
	xdg_toplevel_set_title(toplevel, "Subsurfaces");
	xdg_toplevel_set_app_id(toplevel, "demo-subsurfaces");
	xdg_surface_set_window_geometry(xdg_surface, 0, 0, WIDTH, HEIGHT);
	xdg_toplevel_set_min_size(toplevel, WIDTH, HEIGHT);
	xdg_toplevel_set_max_size(toplevel, WIDTH, HEIGHT);
	wl_surface_commit(surface);
	int result = 0;
	while (!demo->closed && result >= 0) {
		result = wl_display_dispatch(demo->display);
	}
	xdg_toplevel_destroy(toplevel);
	xdg_surface_destroy(xdg_surface);
	finish_panels(demo);
	wl_display_roundtrip(demo->display);
	if (result < 0) {
		fprintf(stderr, "demo-subsurfaces: the connection ended: %s\n", strerror(errno));
	}
	return result < 0;
}

static int usage(FILE *out)
{
	fputs("usage: demo-subsurfaces [--frames=N] [--static]\n"
	      "  --frames=N  end after N frames\n"
	      "  --static draw only once\n",
		out);
	return out == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"frames", required_argument, NULL, 'f'},
		{"static", no_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct demo demo = {0};
	int option;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'f': demo.frames = atoi(optarg); break;
		case 's': demo.still = true; break;
		case 'h': return usage(stdout);
		default: return usage(stderr);
		}
		if (option == 'f' && demo.frames <= 0) {
			return usage(stderr);
		}
	}
	if (optind < argc || (demo.still && demo.frames > 0)) {
		return usage(stderr);
	}
	demo.display = wl_display_connect(NULL);
	if (!demo.display) {
		fputs("demo-subsurfaces: cannot connect to a Wayland display\n", stderr);
		return 1;
	}
	struct wl_registry *registry = wl_display_get_registry(demo.display);
	wl_registry_add_listener(registry, &registry_listener, &demo);
	wl_display_roundtrip(demo.display);
	int result = 1;
	if (demo.compositor && demo.subcompositor && demo.shm && demo.wm_base) {
		result = run(&demo);
	} else {
		fputs("demo-subsurfaces: the compositor lacks a protocol\n", stderr);
	}
	wl_registry_destroy(registry);
	wl_display_disconnect(demo.display);
	return result;
}
