/* SPDX-License-Identifier: MIT */
/*
 * Test client with a window of tiled buffers, rendered on an emulated GPU:
 * tiled-client [--title=TEXT] [--size=WxH] [--commits=N] [--frames=N] [--framed].
 *
 * The GPU and the modifier follow the compositor's dma-buf feedback. A disc bounces over a static
 * image; each frame commits N times (1) with minimal damage. The client stops after the given
 * number of frames; 0: never.
 */

#include "copy/amd/tiling.h"
#include "emulated.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "xdg-decoration-unstable-v1-client-protocol.h"
#include "xdg-shell-client-protocol.h"
#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <drm_fourcc.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <wayland-client.h>

#define DISC 64
#define STEP 3
#define N_IMAGES 3

struct place {
	int x, y;
};

struct image {
	struct wl_buffer *buffer;
	uint8_t *map;
	bool busy;
	struct place disc; /* shown in it */
};

struct pair {
	uint32_t format, padding;
	uint64_t modifier;
};

struct client {
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct xdg_wm_base *wm_base;
	struct zxdg_decoration_manager_v1 *decorations; /* NULL: no --framed */
	bool framed;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct wl_surface *surface;
	int width, height, n_commits, n_frames, drawn_frames;
	bool configured, drawn, waiting;
	/* The table of formats. */
	const struct pair *table;
	uint32_t table_size;
	dev_t main_device;
	uint64_t modifier; /* 0: no tiled modifier was offered yet */
	/* Rendering */
	amdgpu_device_handle device;
	struct tiling tiling;
	uint32_t pitch; /* pixels */
	struct image images[N_IMAGES];
	struct place disc, step, shown; /* now, per frame, and in the last commit */
};

static void fail(const char *what)
{
	fprintf(stderr, "tiled-client: %s\n", what);
	exit(EXIT_FAILURE);
}

/* Images */

static uint32_t *pixel_at(const struct client *client, const struct image *image, int x, int y)
{
	return (uint32_t *)(void *)(image->map + tiling_offset(&client->tiling, client->pitch,
							 (uint32_t)x, (uint32_t)y));
}

/* A color gradient under a grid, which shows misplaced blocks at once. */
static uint32_t background(const struct client *client, int x, int y)
{
	uint32_t red = 24 + 96 * (uint32_t)x / (uint32_t)client->width;
	uint32_t blue = 64 + 128 * (uint32_t)y / (uint32_t)client->height;

	return x % 64 == 0 || y % 64 == 0 ? 0x8090a0 : red << 16 | 48 << 8 | blue;
}

static void draw_background(
	const struct client *client, const struct image *image, struct place from, int w, int h)
{
	for (int y = from.y; y < from.y + h; y++) {
		for (int x = from.x; x < from.x + w; x++) {
			*pixel_at(client, image, x, y) = background(client, x, y);
		}
	}
}

static void draw_disc(const struct client *client, struct image *image, struct place at)
{
	for (int y = 0; y < DISC; y++) {
		for (int x = 0; x < DISC; x++) {
			int dx = 2 * x - DISC + 1, dy = 2 * y - DISC + 1;

			if (dx * dx + dy * dy < DISC * DISC) {
				*pixel_at(client, image, at.x + x, at.y + y) = 0xf0c040;
			}
		}
	}
	image->disc = at;
}

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct image *image = data;

	image->busy = false;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static int allocate(struct client *client, struct image *image)
{
	struct amdgpu_bo_alloc_request request = {
		.alloc_size = tiling_size(&client->tiling, client->pitch, (uint32_t)client->height),
		.phys_alignment = 65536,
		.preferred_heap = AMDGPU_GEM_DOMAIN_VRAM,
	};
	amdgpu_bo_handle bo;
	uint32_t fd = 0;
	void *map = NULL;

	if (amdgpu_bo_alloc(client->device, &request, &bo) < 0 || amdgpu_bo_cpu_map(bo, &map) < 0 ||
		amdgpu_bo_export(bo, amdgpu_bo_handle_type_dma_buf_fd, &fd) < 0) {
		fail("cannot allocate memory of the GPU");
	}
	image->map = map;
	return (int)fd;
}

static void make_image(struct client *client, struct image *image)
{
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(client->dmabuf);
	int fd = allocate(client, image);

	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, client->pitch * 4,
		(uint32_t)(client->modifier >> 32), (uint32_t)client->modifier);
	image->buffer = zwp_linux_buffer_params_v1_create_immed(
		params, client->width, client->height, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	close(fd);
	wl_buffer_add_listener(image->buffer, &buffer_listener, image);
	draw_background(client, image, (struct place){0, 0}, client->width, client->height);
	draw_disc(client, image, client->disc);
}

static void start_rendering(struct client *client)
{
	const struct emulated_gpu *gpu = emulated_find(minor(client->main_device));
	struct tiling_mode mode;
	uint32_t major, minor, block;
	int fd = gpu ? open(gpu->path, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0 || amdgpu_device_initialize(fd, &major, &minor, &client->device) < 0) {
		fail("the compositor's main device is no emulated GPU");
	}
	tiling_mode_from_modifier(&mode, client->modifier);
	tiling_init(&client->tiling, &mode, 2);
	block = client->tiling.block_width;
	client->pitch = ((uint32_t)client->width + block - 1) / block * block;
	for (int i = 0; i < N_IMAGES; i++) {
		make_image(client, &client->images[i]);
	}
}

/* Frames */

static void advance(int *at, int *step, int most)
{
	if (*at + *step < 0 || *at + *step > most) {
		*step = -*step;
	}
	*at += *step;
}

static struct image *find_free(struct client *client)
{
	for (int i = 0; i < N_IMAGES; i++) {
		if (!client->images[i].busy) {
			return &client->images[i];
		}
	}
	return NULL;
}

static void damage(const struct client *client, struct place at)
{
	wl_surface_damage_buffer(client->surface, at.x, at.y, DISC, DISC);
}

/* Returns false if all buffers are in use. */
static bool commit(struct client *client)
{
	struct image *image = find_free(client);

	if (!image) {
		return false;
	}
	advance(&client->disc.x, &client->step.x, client->width - DISC);
	advance(&client->disc.y, &client->step.y, client->height - DISC);
	draw_background(client, image, image->disc, DISC, DISC);
	draw_disc(client, image, client->disc);
	wl_surface_attach(client->surface, image->buffer, 0, 0);
	if (client->drawn) {
		damage(client, client->shown);
		damage(client, client->disc);
	} else {
		wl_surface_damage_buffer(client->surface, 0, 0, client->width, client->height);
	}
	wl_surface_commit(client->surface);
	image->busy = true;
	client->drawn = true;
	client->shown = client->disc;
	return true;
}

static void handle_frame(void *data, struct wl_callback *callback, uint32_t time);
static const struct wl_callback_listener frame_listener = {.done = handle_frame};

static void draw_frame(struct client *client)
{
	bool ended = client->n_frames > 0 && client->drawn_frames == client->n_frames;

	if (ended || client->waiting || !client->configured || !client->device ||
		!find_free(client)) {
		return;
	}
	wl_callback_add_listener(wl_surface_frame(client->surface), &frame_listener, client);
	client->waiting = true;
	client->drawn_frames++;
	for (int i = 0; i < client->n_commits && commit(client); i++) {
	}
}

static void handle_frame(void *data, struct wl_callback *callback, uint32_t time)
{
	struct client *client = data;

	wl_callback_destroy(callback);
	client->waiting = false;
}

/* Window */

static void handle_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	struct client *client = data;

	xdg_surface_ack_configure(xdg_surface, serial);
	client->configured = true;
}

static const struct xdg_surface_listener xdg_surface_listener = {.configure = handle_configure};

static void handle_size(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
	struct wl_array *states)
{
}

static void handle_close(void *data, struct xdg_toplevel *toplevel)
{
	exit(EXIT_SUCCESS);
}

static void handle_bounds(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height)
{
}

static void handle_capabilities(
	void *data, struct xdg_toplevel *toplevel, struct wl_array *capabilities)
{
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = handle_size,
	.close = handle_close,
	.configure_bounds = handle_bounds,
	.wm_capabilities = handle_capabilities,
};

static void handle_ping(void *data, struct xdg_wm_base *wm_base, uint32_t serial)
{
	xdg_wm_base_pong(wm_base, serial);
}

static const struct xdg_wm_base_listener wm_base_listener = {.ping = handle_ping};

static void make_window(struct client *client, const char *title)
{
	struct wl_region *region = wl_compositor_create_region(client->compositor);

	client->surface = wl_compositor_create_surface(client->compositor);
	wl_region_add(region, 0, 0, client->width, client->height);
	wl_surface_set_opaque_region(client->surface, region);
	wl_region_destroy(region);
	struct xdg_surface *xdg_surface =
		xdg_wm_base_get_xdg_surface(client->wm_base, client->surface);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(xdg_surface);
	xdg_wm_base_add_listener(client->wm_base, &wm_base_listener, client);
	xdg_surface_add_listener(xdg_surface, &xdg_surface_listener, client);
	xdg_toplevel_add_listener(toplevel, &toplevel_listener, client);
	xdg_toplevel_set_title(toplevel, title);
	xdg_toplevel_set_app_id(toplevel, "tiled-client");
	if (client->decorations) {
		zxdg_toplevel_decoration_v1_set_mode(
			zxdg_decoration_manager_v1_get_toplevel_decoration(
				client->decorations, toplevel),
			ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
	}
	wl_surface_commit(client->surface);
}

/* Dma-buf feedback */

static void handle_table(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, int32_t fd, uint32_t size)
{
	struct client *client = data;
	void *table = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	close(fd);
	if (table == MAP_FAILED) {
		fail("cannot map the table of formats");
	}
	client->table = table;
	client->table_size = size;
}

static void handle_main_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
	struct client *client = data;

	memcpy(&client->main_device, device->data, sizeof(client->main_device));
}

/* Compressed layouts need a real GPU. */
static bool can_draw(const struct pair *pair)
{
	struct tiling_mode mode;

	return pair->format == DRM_FORMAT_XRGB8888 &&
	       tiling_mode_from_modifier(&mode, pair->modifier) && !mode.dcc;
}

static void handle_formats(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *indices)
{
	struct client *client = data;
	const uint16_t *index;

	wl_array_for_each (index, indices) {
		if (!client->modifier && *index < client->table_size / sizeof(struct pair) &&
			can_draw(&client->table[*index])) {
			client->modifier = client->table[*index].modifier;
		}
	}
}

static void handle_target_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
}

static void handle_flags(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, uint32_t flags)
{
}

static void handle_nothing(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback)
{
}

static const struct zwp_linux_dmabuf_feedback_v1_listener feedback_listener = {
	.done = handle_nothing,
	.format_table = handle_table,
	.main_device = handle_main_device,
	.tranche_done = handle_nothing,
	.tranche_target_device = handle_target_device,
	.tranche_formats = handle_formats,
	.tranche_flags = handle_flags,
};

/* The compositor may learn the GPU's formats later; it then sends new feedback. */
static void choose_layout(struct client *client)
{
	struct zwp_linux_dmabuf_feedback_v1 *feedback =
		zwp_linux_dmabuf_v1_get_default_feedback(client->dmabuf);

	zwp_linux_dmabuf_feedback_v1_add_listener(feedback, &feedback_listener, client);
	while (!client->modifier && wl_display_dispatch(client->display) >= 0) {
	}
	zwp_linux_dmabuf_feedback_v1_destroy(feedback);
	if (!client->modifier) {
		fail("the connection to the compositor was lost");
	}
}

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct client *client = data;

	if (strcmp(interface, "wl_compositor") == 0) {
		client->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
	} else if (strcmp(interface, "xdg_wm_base") == 0) {
		client->wm_base = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
	} else if (strcmp(interface, "zxdg_decoration_manager_v1") == 0 && client->framed) {
		client->decorations =
			wl_registry_bind(registry, name, &zxdg_decoration_manager_v1_interface, 1);
	} else if (strcmp(interface, "zwp_linux_dmabuf_v1") == 0 && version >= 4) {
		client->dmabuf =
			wl_registry_bind(registry, name, &zwp_linux_dmabuf_v1_interface, 4);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void connect_client(struct client *client)
{
	client->display = wl_display_connect(NULL);
	if (!client->display) {
		fail("cannot connect to a compositor");
	}
	wl_registry_add_listener(
		wl_display_get_registry(client->display), &registry_listener, client);
	wl_display_roundtrip(client->display);
	if (!client->compositor || !client->wm_base || !client->dmabuf) {
		fail("the compositor sent no dma-buf feedback");
	}
}

static const char *parse(int argc, char **argv, struct client *client)
{
	static const struct option options[] = {
		{"title", required_argument, NULL, 't'},
		{"size", required_argument, NULL, 's'},
		{"commits", required_argument, NULL, 'c'},
		{"frames", required_argument, NULL, 'f'},
		{"framed", no_argument, NULL, 'd'},
		{0},
	};
	const char *title = "tiled";
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 't': title = optarg; break;
		case 'd': client->framed = true; break;
		case 'c': client->n_commits = atoi(optarg); break;
		case 'f': client->n_frames = atoi(optarg); break;
		case 's':
			if (sscanf(optarg, "%dx%d", &client->width, &client->height) != 2) {
				fail("--size needs WxH, such as 640x384");
			}
			break;
		default:
			fail("usage: tiled-client [--title=TEXT] [--size=WxH] [--commits=N] "
			     "[--frames=N] [--framed]");
		}
	}
	if (client->width < 2 * DISC || client->height < 2 * DISC || client->width > 8192 ||
		client->height > 8192 || client->n_commits < 1) {
		fail("invalid size or number");
	}
	return title;
}

int main(int argc, char **argv)
{
	struct client client = {.width = 640, .height = 400, .n_commits = 1, .step = {STEP, STEP}};
	const char *title = parse(argc, argv, &client);

	emulated_start();
	connect_client(&client);
	choose_layout(&client);
	start_rendering(&client);
	make_window(&client, title);
	do {
		draw_frame(&client);
	} while (wl_display_dispatch(client.display) >= 0);
	return EXIT_SUCCESS;
}
