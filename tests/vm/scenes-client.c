/*
 * scenes-client: random scenes for the cases of the guest: a tree of subsurfaces over a fullscreen window,
 * in shared memory, sealed pools, dma-bufs and single colours; translucent, scaled, turned and hidden.
 *
 *   scenes-client SEED [DEVICE]
 *
 * What it shows follows from the seed alone. Each line on standard input has it change something; it prints
 * "step N" when the server has got all of that. Without a device, which makes its dma-bufs, they are shared
 * memory. Some surfaces are drawn again and again, always the same, as if they played a video. The pointer
 * is a square of CURSOR_SIZE pixels in one colour.
 */

#include "alpha-modifier-v1-client-protocol.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "single-pixel-buffer-v1-client-protocol.h"
#include "viewporter-client-protocol.h"
#include "xdg-shell-client-protocol.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#define WIDTH 640
#define HEIGHT 480
#define N_CHILDREN 9
#define CHANGES 3
#define CURSOR_SIZE 24
#define CURSOR_COLOR 0xffff00ffu
/** A child's buffers: what the server keeps, and as many to draw. */
#define N_BUFFERS 4

enum memory {
	MEMORY_SHM, /* whose file may shrink: it is uploaded */
	MEMORY_POOL, /* sealed, so that a device may read it in place */
	MEMORY_DMABUF,
	MEMORY_COLOR,
};

/* One that is retired goes with its release. */
struct picture {
	struct wl_buffer *buffer;
	struct child *child;
	uint32_t *pixels;
	size_t size, stride; /* bytes */
	bool busy, retired;
};

struct child {
	struct client *client;
	struct wl_surface *surface;
	struct wl_subsurface *subsurface; /* NULL: the window */
	struct wp_viewport *viewport;
	struct wp_alpha_modifier_surface_v1 *alpha;
	struct child *parent;
	enum memory memory;
	bool translucent, moving, hidden;
	bool waits; /* for a buffer */
	bool asked; /* for a frame callback */
	int32_t width, height; /* of its buffers */
	uint32_t *drawing; /* what they show */
	struct picture *pictures[N_BUFFERS];
};

struct client {
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_subcompositor *subcompositor;
	struct wl_shm *shm;
	struct wl_seat *seat;
	struct xdg_wm_base *wm_base;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct wp_viewporter *viewporter;
	struct wp_alpha_modifier_v1 *alpha;
	struct wp_single_pixel_buffer_manager_v1 *colors;
	int device; /* -1: none */
	uint64_t random;
	bool configured, has_pointer;
	struct child window, cursor, children[N_CHILDREN];
};

static void fail(const char *what)
{
	fprintf(stderr, "scenes-client: %s\n", what);
	exit(1);
}

static int between(struct client *client, int least, int most)
{
	client->random ^= client->random << 13;
	client->random ^= client->random >> 7;
	client->random ^= client->random << 17;
	return least + (int)((client->random >> 33) % (uint64_t)(most - least + 1));
}

/* --- Buffers. --- */

static struct wl_buffer *create_shm(struct child *child, struct picture *picture)
{
	bool pool = child->memory != MEMORY_SHM;
	picture->stride = (size_t)child->width * 4;
	picture->size = (picture->stride * (size_t)child->height + 4095) / 4096 * 4096;
	int fd = memfd_create("scenes-client", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)picture->size) < 0 ||
		(pool && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0)) {
		fail("no shared memory");
	}
	picture->pixels = mmap(NULL, picture->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct wl_shm_pool *shm_pool =
		wl_shm_create_pool(child->client->shm, fd, (int32_t)picture->size);
	struct wl_buffer *buffer = wl_shm_pool_create_buffer(shm_pool, 0, child->width,
		child->height, (int32_t)picture->stride,
		child->translucent ? WL_SHM_FORMAT_ARGB8888 : WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_destroy(shm_pool);
	close(fd);
	return buffer;
}

static struct wl_buffer *create_dmabuf(struct child *child, struct picture *picture)
{
	int device = child->client->device, fd;
	uint32_t handle, stride;
	uint64_t size, offset;
	if (drmModeCreateDumbBuffer(device, (uint32_t)child->width, (uint32_t)child->height, 32, 0,
		    &handle, &stride, &size) != 0 ||
		drmModeMapDumbBuffer(device, handle, &offset) != 0 ||
		drmPrimeHandleToFD(device, handle, DRM_CLOEXEC | DRM_RDWR, &fd) != 0) {
		fail("the device makes no buffer");
	}
	picture->stride = stride;
	picture->size = (size_t)size;
	picture->pixels = mmap(
		NULL, picture->size, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)offset);
	drmModeDestroyDumbBuffer(device, handle);
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(child->client->dmabuf);
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, stride, 0, 0);
	struct wl_buffer *buffer = zwp_linux_buffer_params_v1_create_immed(params, child->width,
		child->height, child->translucent ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	close(fd);
	return buffer;
}

static void destroy_picture(struct picture *picture)
{
	wl_buffer_destroy(picture->buffer);
	munmap(picture->pixels, picture->size);
	free(picture);
}

static void redraw(struct child *child);

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct picture *picture = data;
	struct child *child = picture->child;
	picture->busy = false;
	if (picture->retired) {
		destroy_picture(picture);
	} else if (child->waits) {
		redraw(child);
	}
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static struct picture *create_picture(struct child *child)
{
	struct picture *picture = calloc(1, sizeof(*picture));
	bool dmabuf = child->memory == MEMORY_DMABUF && child->client->device >= 0;
	if (!picture) {
		fail("no memory");
	}
	picture->child = child;
	picture->buffer = dmabuf ? create_dmabuf(child, picture) : create_shm(child, picture);
	if (picture->pixels == MAP_FAILED) {
		fail("a buffer cannot be mapped");
	}
	wl_buffer_add_listener(picture->buffer, &buffer_listener, picture);
	return picture;
}

/* NULL: all are in use. */
static struct picture *find_picture(struct child *child)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct picture **picture = &child->pictures[i];
		if (!*picture) {
			*picture = create_picture(child);
		}
		if (!(*picture)->busy) {
			return *picture;
		}
	}
	return NULL;
}

/* What the server still reads it may go on reading. */
static void retire_pictures(struct child *child)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct picture *picture = child->pictures[i];
		child->pictures[i] = NULL;
		if (picture && picture->busy) {
			picture->retired = true;
		} else if (picture) {
			destroy_picture(picture);
		}
	}
}

/* --- Drawing. --- */

static uint32_t random_color(struct child *child)
{
	struct client *client = child->client;
	int alpha = child->translucent ? between(client, 0, 255) : 255;
	uint32_t color = (uint32_t)alpha << 24;
	for (int shift = 0; shift < 24; shift += 8) {
		color |= (uint32_t)between(client, 0, alpha) << shift;
	}
	return color;
}

/* A rectangle of one colour, into what the next buffer shows. */
static void paint(struct child *child, int32_t x, int32_t y, int32_t width, int32_t height)
{
	uint32_t color = random_color(child);
	for (int32_t row = y; row < y + height; row++) {
		for (int32_t column = x; column < x + width; column++) {
			child->drawing[row * child->width + column] = color;
		}
	}
}

static void handle_frame(void *data, struct wl_callback *callback, uint32_t time)
{
	struct child *child = data;
	wl_callback_destroy(callback);
	child->asked = false;
	redraw(child);
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame};

static void commit(struct child *child)
{
	if (!child->asked) {
		child->asked = true;
		wl_callback_add_listener(wl_surface_frame(child->surface), &frame_listener, child);
	}
	wl_surface_commit(child->surface);
}

/* Attaches a buffer of what it shows; false: there is none free. */
static bool attach(struct child *child)
{
	struct picture *picture = find_picture(child);
	if (!picture) {
		return false;
	}
	for (int32_t y = 0; y < child->height; y++) {
		memcpy((char *)picture->pixels + (size_t)y * picture->stride,
			child->drawing + (size_t)(y * child->width), (size_t)child->width * 4);
	}
	picture->busy = true;
	wl_surface_attach(child->surface, picture->buffer, 0, 0);
	return true;
}

static void attach_color(struct child *child)
{
	uint32_t part[4];
	uint32_t color = random_color(child);
	for (int i = 0; i < 4; i++) {
		part[i] = (color >> 8 * i & 255) * 0x01010101u;
	}
	struct wl_buffer *buffer = wp_single_pixel_buffer_manager_v1_create_u32_rgba_buffer(
		child->client->colors, part[2], part[1], part[0], part[3]);
	wl_surface_attach(child->surface, buffer, 0, 0);
	wl_surface_damage_buffer(child->surface, 0, 0, 1, 1);
	/* One colour is no memory: it need not be there any longer. */
	wl_buffer_destroy(buffer);
}

/* As if it played something. */
static void redraw(struct child *child)
{
	if (!child->moving || child->hidden || child->memory == MEMORY_COLOR) {
		return;
	}
	child->waits = !attach(child);
	if (child->waits) {
		return;
	}
	wl_surface_damage_buffer(child->surface, 0, 0, child->width, child->height);
	commit(child);
}

/* What changed is in the next commit. A buffer is found, if need be among new ones. */
static void draw(struct child *child, int32_t x, int32_t y, int32_t width, int32_t height)
{
	child->hidden = false;
	if (child->memory == MEMORY_COLOR) {
		attach_color(child);
		return;
	}
	paint(child, x, y, width, height);
	if (!attach(child)) {
		retire_pictures(child);
		attach(child);
	}
	wl_surface_damage_buffer(child->surface, x, y, width, height);
}

/* --- What a child is like. --- */

static void choose_viewport(struct child *child)
{
	struct client *client = child->client;
	int least = child->width < child->height ? child->width : child->height;
	bool color = child->memory == MEMORY_COLOR, scaled = color || between(client, 0, 3) == 0;
	wp_viewport_set_source(child->viewport, wl_fixed_from_int(-1), wl_fixed_from_int(-1),
		wl_fixed_from_int(-1), wl_fixed_from_int(-1));
	wp_viewport_set_destination(child->viewport, -1, -1);
	if (scaled) {
		wp_viewport_set_destination(
			child->viewport, between(client, 10, 160), between(client, 10, 120));
	}
	if (scaled && !color && between(client, 0, 1)) {
		wp_viewport_set_source(child->viewport,
			wl_fixed_from_double(between(client, 0, 2 * least - 4) / 4.0),
			wl_fixed_from_double(between(client, 0, 2 * least - 4) / 4.0),
			wl_fixed_from_double(between(client, 1, least) / 2.0),
			wl_fixed_from_double(between(client, 1, least) / 2.0));
	}
}

static void choose_opaque(struct child *child)
{
	struct wl_region *region = wl_compositor_create_region(child->client->compositor);
	/* A part of it, beyond its edge too; never of what is translucent. */
	if (!child->translucent && between(child->client, 0, 1)) {
		wl_region_add(region, between(child->client, 0, 20), 0, 100, 100);
	}
	wl_surface_set_opaque_region(child->surface, region);
	wl_region_destroy(region);
}

static void choose_transform(struct child *child)
{
	wl_surface_set_buffer_transform(
		child->surface, between(child->client, 0, 1) ? between(child->client, 1, 7) : 0);
	choose_viewport(child);
}

static void choose_alpha(struct child *child)
{
	static const uint32_t factors[] = {UINT32_MAX, UINT32_MAX, 0x80000000, 0};
	wp_alpha_modifier_surface_v1_set_multiplier(
		child->alpha, factors[between(child->client, 0, 3)]);
}

static void choose_place(struct child *child)
{
	bool nested = child->parent->parent;
	/* Over the edges of the screen, and of parents, too. */
	wl_subsurface_set_position(child->subsurface,
		nested ? between(child->client, -120, 160)
		       : between(child->client, -50, WIDTH - 50),
		nested ? between(child->client, -90, 120)
		       : between(child->client, -50, HEIGHT - 50));
}

static void choose_kind(struct child *child)
{
	static const enum memory kinds[] = {
		MEMORY_SHM, MEMORY_POOL, MEMORY_COLOR, MEMORY_DMABUF, MEMORY_DMABUF, MEMORY_DMABUF};
	struct client *client = child->client;
	retire_pictures(child);
	child->memory = kinds[between(client, 0, sizeof(kinds) / sizeof(kinds[0]) - 1)];
	child->translucent = between(client, 0, 2) == 0;
	child->moving = between(client, 0, 2) > 0;
	bool color = child->memory == MEMORY_COLOR;
	child->width = color ? 1 : between(client, 4, 100) * 2;
	child->height = color ? 1 : between(client, 4, 80) * 2;
	free(child->drawing);
	child->drawing = calloc((size_t)(child->width * child->height), 4);
	choose_viewport(child);
	choose_opaque(child);
	draw(child, 0, 0, child->width, child->height);
}

/* What plays, in all memory that planes can show: it is on top as it begins. */
static void make_video(struct child *child)
{
	retire_pictures(child);
	child->memory = MEMORY_DMABUF;
	child->translucent = between(child->client, 0, 1);
	child->moving = true;
	child->width = 160;
	child->height = 96;
	free(child->drawing);
	child->drawing = calloc((size_t)(child->width * child->height), 4);
	wp_viewport_set_source(child->viewport, wl_fixed_from_int(-1), wl_fixed_from_int(-1),
		wl_fixed_from_int(-1), wl_fixed_from_int(-1));
	wp_viewport_set_destination(child->viewport, -1, -1);
	draw(child, 0, 0, child->width, child->height);
	wl_subsurface_set_position(child->subsurface, 30, 20);
}

static void draw_somewhere(struct child *child)
{
	int32_t x = between(child->client, 0, child->width - 1);
	int32_t y = between(child->client, 0, child->height - 1);
	draw(child, x, y, between(child->client, 1, child->width - x),
		between(child->client, 1, child->height - y));
}

static void hide(struct child *child)
{
	child->hidden = true;
	wl_surface_attach(child->surface, NULL, 0, 0);
}

static void change(struct child *child)
{
	struct wl_surface *parent = child->parent->surface;
	switch (between(child->client, 0, 9)) {
	case 0: choose_kind(child); break;
	case 1: choose_viewport(child); break;
	case 2: choose_transform(child); break;
	case 3: choose_alpha(child); break;
	case 4: choose_opaque(child); break;
	case 5: hide(child); break;
	case 6: wl_subsurface_place_above(child->subsurface, parent); break;
	case 7:
		if (between(child->client, 0, 1)) {
			wl_subsurface_set_sync(child->subsurface);
		} else {
			wl_subsurface_set_desync(child->subsurface);
		}
		break;
	case 8: draw_somewhere(child); break;
	default: choose_place(child); break;
	}
}

static void step(struct client *client)
{
	for (int i = 0; i < CHANGES; i++) {
		change(&client->children[between(client, 0, N_CHILDREN - 1)]);
	}
	/* Children before parents, so that nothing is held back. */
	for (int i = N_CHILDREN - 1; i >= 0; i--) {
		commit(&client->children[i]);
	}
	wl_surface_commit(client->window.surface);
}

/* --- The window. --- */

static void make_child(struct client *client, int i)
{
	struct child *child = &client->children[i];
	/* Half of them are children of children. */
	child->client = client;
	bool nested = i > 1 && i < N_CHILDREN - 1 && between(client, 0, 1);
	child->parent = nested ? &client->children[between(client, 0, i - 1)] : &client->window;
	child->surface = wl_compositor_create_surface(client->compositor);
	child->subsurface = wl_subcompositor_get_subsurface(
		client->subcompositor, child->surface, child->parent->surface);
	child->viewport = wp_viewporter_get_viewport(client->viewporter, child->surface);
	child->alpha = wp_alpha_modifier_v1_get_surface(client->alpha, child->surface);
	wl_subsurface_set_desync(child->subsurface);
	/* The pointer is the window's, wherever it is. */
	struct wl_region *nothing = wl_compositor_create_region(client->compositor);
	wl_surface_set_input_region(child->surface, nothing);
	wl_region_destroy(nothing);
	choose_place(child);
	choose_kind(child);
	if (i == N_CHILDREN - 1) {
		make_video(child);
	}
}

static void fill_window(struct child *window)
{
	window->memory = MEMORY_SHM;
	window->width = WIDTH;
	window->height = HEIGHT;
	window->drawing = calloc((size_t)WIDTH * HEIGHT, 4);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
		uint32_t x = i % WIDTH, y = i / WIDTH;
		window->drawing[i] = 0xff000000 | (x * 255 / WIDTH) << 16 |
				     (y * 255 / HEIGHT) << 8 | ((x / 8 + y / 8) % 2 ? 200 : 60);
	}
	attach(window);
	wl_surface_damage_buffer(window->surface, 0, 0, WIDTH, HEIGHT);
}

static void handle_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	struct client *client = data;
	xdg_surface_ack_configure(xdg_surface, serial);
	client->configured = true;
}

static const struct xdg_surface_listener xdg_surface_listener = {.configure = handle_configure};

static void ignore_size(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
	struct wl_array *states)
{
}

static void handle_close(void *data, struct xdg_toplevel *toplevel)
{
	exit(0);
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = ignore_size,
	.close = handle_close,
};

static void handle_ping(void *data, struct xdg_wm_base *wm_base, uint32_t serial)
{
	xdg_wm_base_pong(wm_base, serial);
}

static const struct xdg_wm_base_listener wm_base_listener = {.ping = handle_ping};

static void show(struct client *client)
{
	struct child *window = &client->window;
	window->client = client;
	window->surface = wl_compositor_create_surface(client->compositor);
	struct xdg_surface *xdg_surface =
		xdg_wm_base_get_xdg_surface(client->wm_base, window->surface);
	xdg_surface_add_listener(xdg_surface, &xdg_surface_listener, client);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(xdg_surface);
	xdg_toplevel_add_listener(toplevel, &toplevel_listener, client);
	xdg_toplevel_set_app_id(toplevel, "scenes");
	xdg_toplevel_set_fullscreen(toplevel, NULL);
	wl_surface_commit(window->surface);
	while (!client->configured && wl_display_dispatch(client->display) >= 0) {
	}
	for (int i = 0; i < N_CHILDREN; i++) {
		make_child(client, i);
	}
	for (int i = N_CHILDREN - 1; i >= 0; i--) {
		commit(&client->children[i]);
	}
	fill_window(window);
	wl_surface_commit(window->surface);
}

/* --- The pointer. --- */

static void handle_enter(void *data, struct wl_pointer *pointer, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
	struct client *client = data;
	struct child *cursor = &client->cursor;
	if (!cursor->surface) {
		cursor->client = client;
		cursor->width = cursor->height = CURSOR_SIZE;
		cursor->drawing = calloc((size_t)CURSOR_SIZE * CURSOR_SIZE, 4);
		for (int i = 0; i < CURSOR_SIZE * CURSOR_SIZE; i++) {
			cursor->drawing[i] = CURSOR_COLOR;
		}
		cursor->surface = wl_compositor_create_surface(client->compositor);
		attach(cursor);
		wl_surface_damage_buffer(cursor->surface, 0, 0, CURSOR_SIZE, CURSOR_SIZE);
		wl_surface_commit(cursor->surface);
	}
	wl_pointer_set_cursor(pointer, serial, cursor->surface, 0, 0);
}

static void ignore_leave(
	void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
}

static void ignore_motion(
	void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
}

static void ignore_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time,
	uint32_t button, uint32_t state)
{
}

static void ignore_axis(
	void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value)
{
}

static const struct wl_pointer_listener pointer_listener = {
	.enter = handle_enter,
	.leave = ignore_leave,
	.motion = ignore_motion,
	.button = ignore_button,
	.axis = ignore_axis,
};

static void handle_capabilities(void *data, struct wl_seat *seat, uint32_t capabilities)
{
	struct client *client = data;
	if ((capabilities & WL_SEAT_CAPABILITY_POINTER) && !client->has_pointer) {
		client->has_pointer = true;
		wl_pointer_add_listener(wl_seat_get_pointer(seat), &pointer_listener, data);
	}
}

static const struct wl_seat_listener seat_listener = {.capabilities = handle_capabilities};

/* --- The rest. --- */

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct client *client = data;
	const struct {
		const struct wl_interface *interface;
		uint32_t version;
		void *to;
	} wanted[] = {
		{&wl_compositor_interface, 4, &client->compositor},
		{&wl_subcompositor_interface, 1, &client->subcompositor},
		{&wl_shm_interface, 1, &client->shm},
		{&wl_seat_interface, 1, &client->seat},
		{&xdg_wm_base_interface, 1, &client->wm_base},
		{&zwp_linux_dmabuf_v1_interface, 3, &client->dmabuf},
		{&wp_viewporter_interface, 1, &client->viewporter},
		{&wp_alpha_modifier_v1_interface, 1, &client->alpha},
		{&wp_single_pixel_buffer_manager_v1_interface, 1, &client->colors},
	};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (strcmp(interface, wanted[i].interface->name) == 0) {
			*(void **)wanted[i].to = wl_registry_bind(
				registry, name, wanted[i].interface, wanted[i].version);
		}
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void connect_to_server(struct client *client)
{
	client->display = wl_display_connect(NULL);
	if (!client->display) {
		fail("no compositor");
	}
	struct wl_registry *registry = wl_display_get_registry(client->display);
	wl_registry_add_listener(registry, &registry_listener, client);
	wl_display_roundtrip(client->display);
	if (!client->compositor || !client->subcompositor || !client->shm || !client->wm_base ||
		!client->viewporter || !client->alpha || !client->colors ||
		(client->device >= 0 && !client->dmabuf)) {
		fail("the compositor lacks a global");
	}
	xdg_wm_base_add_listener(client->wm_base, &wm_base_listener, client);
	if (client->seat) {
		wl_seat_add_listener(client->seat, &seat_listener, client);
	}
}

static void say(struct client *client, int n)
{
	wl_display_roundtrip(client->display);
	printf("step %d\n", n);
	fflush(stdout);
}

/* False: standard input has ended. */
static bool wait_for_line(struct client *client)
{
	struct pollfd polled[] = {{.fd = wl_display_get_fd(client->display), .events = POLLIN},
		{.fd = STDIN_FILENO, .events = POLLIN}};
	char line[64];
	for (;;) {
		if (wl_display_dispatch_pending(client->display) < 0 ||
			wl_display_flush(client->display) < 0 || poll(polled, 2, -1) < 0) {
			fail("the connection is gone");
		}
		if (polled[0].revents) {
			/* At a leisurely rate: vkms goes on reading for its CRC what it shows no more. */
			usleep(30000);
			if (wl_display_dispatch(client->display) < 0) {
				fail("the connection is gone");
			}
		}
		if (polled[1].revents) {
			return read(STDIN_FILENO, line, sizeof(line)) > 0;
		}
	}
}

int main(int argc, char **argv)
{
	struct client client = {.device = -1};
	if (argc < 2) {
		fail("usage: scenes-client SEED [DEVICE]");
	}
	client.random = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	if (argc > 2 && (client.device = open(argv[2], O_RDWR | O_CLOEXEC)) < 0) {
		fail("no device");
	}
	connect_to_server(&client);
	show(&client);
	say(&client, 0);
	for (int n = 1; wait_for_line(&client); n++) {
		step(&client);
		say(&client, n);
	}
	return 0;
}
