/* SPDX-License-Identifier: MIT */
/* Compositor and a client that renders tiled buffers on an emulated GPU. */

#include "world.h"
#include "buffer/allocator.h"
#include "content/device.h"
#include "copy/cpu.h"
#include "copy/gles.h"
#include "copy/modifiers.h"
#include "copy/sdma.h"
#include "frame/frame.h"
#include "frame/internal.h"
#include "gpu/format.h"
#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include "harness/await.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/protocol.h"
#include "protocol/server_output.h"
#include "render/render.h"
#include "scene/scene.h"
#include "staging/ring.h"
#include "util/xalloc.h"
#include "video_memory.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PATH "/emulated/renderD129"
#define DISPLAY_PATH "/emulated/renderD128"

/* Copies that do not start within so many frames, or last longer (ms), never end. */
#define FRAMES_MAX 60
#define AWAIT_MS 20000

static int open_node(void *data)
{
	return fake_gpu_open(data);
}

static struct copy_engine *open_sdma(const struct world *world)
{
	struct sdma_options options = {.open_node = open_node, .data = world->fake};
	struct copy_engine *engine;

	assert_int_equal(sdma_engine_create(&options, &engine), 0);
	return engine;
}

static struct gpu *add_gpu(struct fixture *fixture, const struct fake_chip *chip)
{
	struct gpu *gpu =
		fixture_add_gpu(fixture, "pci-0000_03_00_0", "amdgpu", PATH, makedev(226, 129));

	gpu->vendor = 0x1002;
	gpu->device = 0x73bf;
	gpu->integrated = chip->integrated;
	return gpu;
}

/* Tiled memory shows each format whose pixels are 1, 2, 4 or 8 bytes. */
static void add_tiled_formats(struct format_set *shown)
{
	const size_t n = shown->n_formats;
	for (size_t i = 0; i < n; i++) {
		const struct pixel_format *format = pixel_format_get(shown->formats[i].format);
		if (format->n_planes == 1 && !(format->bytes[0] & (format->bytes[0] - 1))) {
			format_set_add(shown, format->fourcc, WORLD_MODIFIER);
		}
	}
}

/* The device's own renderer reads the memory of its emulated GPU. */
static void add_own_memory(struct world *world)
{
	struct render_device *device = world->fixture->server->device;
	world->own = video_memory_create(device->gpu, !device->renderer->cpu);
	world->replaced = device->allocator;
	device->allocator = world->own;
	if (device->renderer->cpu) {
		add_tiled_formats(&device->renderer->texture_formats);
	}
}

static void add_display(struct world *world, enum world_display display)
{
	world->display = fake_gpu_create(fake_chip_find("navi21"));
	fake_gpu_set_path(world->display, DISPLAY_PATH);
	struct gpu *gpu = fixture_add_gpu(
		world->fixture, "pci-0000_0a_00_0", "amdgpu", DISPLAY_PATH, makedev(226, 128));
	gpu->vendor = 0x1002;
	gpu->device = 0x73bf;
	gpu->integrated = display == WORLD_DISPLAY_INTEGRATED;
	world->fixture->server->device->gpu = gpu;
	if (display == WORLD_DISPLAY_DISCRETE) {
		add_own_memory(world);
	}
}

static void remove_display(struct world *world)
{
	struct render_device *device = world->fixture->server->device;
	device->gpu = NULL;
	if (world->own) {
		device->allocator = world->replaced;
	}
}

static void find_facts(struct gpu_facts *facts)
{
	format_set_add(&facts->sampling, DRM_FORMAT_XRGB8888, WORLD_MODIFIER_COMPRESSED);
	format_set_add(&facts->sampling, DRM_FORMAT_XRGB8888, WORLD_MODIFIER_RETILED);
	format_set_add(&facts->sampling, DRM_FORMAT_XRGB8888, WORLD_MODIFIER);
	format_set_add(&facts->sampling, DRM_FORMAT_XRGB8888, WORLD_MODIFIER_SDMA);
	struct gpu_reader *sdma = gpu_facts_add_reader(facts, "sdma");
	format_set_add(&sdma->layouts, DRM_FORMAT_XRGB8888, WORLD_MODIFIER_COMPRESSED);
	format_set_add(&sdma->layouts, DRM_FORMAT_XRGB8888, WORLD_MODIFIER);
	format_set_add(&sdma->layouts, DRM_FORMAT_XRGB8888, WORLD_MODIFIER_SDMA);
	struct gpu_reader *cpu = gpu_facts_add_reader(facts, "cpu");
	format_set_add(&cpu->layouts, DRM_FORMAT_XRGB8888, WORLD_MODIFIER);
	/* A reader that only proves what is left out. */
	format_set_add(&cpu->layouts, DRM_FORMAT_XRGB8888, WORLD_MODIFIER_RETILED);
}

/* All known formats, and the answers of the engines, as the probe of a GPU stores them. */
static void find_all_facts(
	const struct world *world, const struct world_options *options, struct gpu_facts *facts)
{
	const uint64_t modifiers[] = {options->chip ? options->modifiers[0] : WORLD_MODIFIER,
		options->chip ? options->modifiers[1] : WORLD_MODIFIER_SDMA, DRM_FORMAT_MOD_LINEAR,
		DRM_FORMAT_MOD_INVALID};
	struct copy_engine *sdma = open_sdma(world), *cpu;
	size_t n;
	const struct pixel_format *formats = pixel_format_table(&n);

	assert_int_equal(cpu_engine_create(&cpu), 0);
	struct format_set by_sdma = {0}, by_cpu = {0};
	for (size_t i = 0; i < n; i++) {
		uint32_t format = formats[i].fourcc;
		for (size_t m = 0; m < sizeof(modifiers) / sizeof(modifiers[0]); m++) {
			format_set_add(&facts->sampling, format, modifiers[m]);
			if (copy_engine_reads(sdma, format, modifiers[m])) {
				format_set_add(&by_sdma, format, modifiers[m]);
			}
		}
		/* The driver lets the CPU map no tiled buffers. */
		if (copy_engine_reads(cpu, format, DRM_FORMAT_MOD_LINEAR)) {
			format_set_add(&by_cpu, format, DRM_FORMAT_MOD_LINEAR);
		}
	}
	gpu_facts_add_reader(facts, "sdma")->layouts = by_sdma;
	gpu_facts_add_reader(facts, "cpu")->layouts = by_cpu;
	copy_engine_destroy(sdma);
	copy_engine_destroy(cpu);
}

/*
 * Adds the layouts that drivers choose, as the probe does: of each format that the driver samples.
 * The software renderer draws in linear ones.
 */
static void find_implicit_facts(struct gpu_facts *facts)
{
	struct copy_engine *gles;
	size_t n;
	const struct pixel_format *formats = pixel_format_table(&n);

	assert_int_equal(gles_engine_create(NULL, &gles), 0);
	struct gpu_reader *reader = gpu_facts_add_reader(facts, "gles");
	for (size_t i = 0; i < n; i++) {
		if (copy_engine_reads(gles, formats[i].fourcc, DRM_FORMAT_MOD_LINEAR)) {
			format_set_add(&reader->layouts, formats[i].fourcc, DRM_FORMAT_MOD_INVALID);
		}
	}
	copy_engine_destroy(gles);
}

/* Saves the GPU's formats, since there is no driver to query. */
static void save_facts(const struct world *world, const struct world_options *options)
{
	struct gpu_facts facts = {0};
	struct gpu_look look;

	copy_modifiers_look(&look, world->fixture->server->copier->queue);
	if (options->all_formats) {
		find_all_facts(world, options, &facts);
	} else {
		find_facts(&facts);
	}
	if (options->implicit) {
		find_implicit_facts(&facts);
	}
	char *path = format_cache_path(world->gpu),
	     *key = format_cache_key(world->gpu, look.variant);
	assert_int_equal(format_cache_save(path, key, &facts), 0);
	free(path);
	free(key);
	gpu_facts_finish(&facts);
}

static void write_config(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

static void handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format,
	uint32_t high, uint32_t low)
{
	format_set_add(data, format, (uint64_t)high << 32 | low);
}

void world_collect_pairs(struct world *world, struct format_set *out)
{
	static const struct zwp_linux_dmabuf_v1_listener listener = {
		.format = handle_format,
		.modifier = handle_modifier,
	};
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);
	zwp_linux_dmabuf_v1_add_listener(dmabuf, &listener, out);
	fixture_pump(world->fixture);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
}

/*
 * Waits until the formats of the client's GPU were read, on a thread. Before, a display that shows
 * tiled buffers takes the client's for its own.
 */
static void await_formats(struct world *world, const struct world_options *options)
{
	uint64_t modifier = options->chip ? options->modifiers[0] : WORLD_MODIFIER_SDMA;
	struct format_set pairs = {0};
	await(format_set_has(&pairs, DRM_FORMAT_XRGB8888, modifier),
		world_collect_pairs(world, &pairs));
	format_set_finish(&pairs);
}

enum world_display world_random_display(uint64_t seed)
{
	static const enum world_display displays[] = {
		WORLD_DISPLAY_CPU, WORLD_DISPLAY_INTEGRATED, WORLD_DISPLAY_DISCRETE};
	return displays[seed % 3];
}

struct world *world_create_with(const struct world_options *wanted)
{
	struct world *world = xcalloc(1, sizeof(*world));
	const char *config = wanted->config;
	struct fixture_options options = {.renderer = wanted->renderer,
		.width = wanted->width,
		.height = wanted->height,
		.n_outputs = wanted->n_outputs};

	world->width = wanted->width;
	world->height = wanted->height;
	strcpy(world->folder, "/tmp/causeway-frames-XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	setenv("XDG_CACHE_HOME", world->folder, 1);
	char *path = config ? xasprintf("%s/causeway.ini", world->folder) : NULL;
	if (config) {
		write_config(path, config);
		options.config_path = path;
	}
	world->chip = wanted->chip ? wanted->chip : "navi21";
	const struct fake_chip *chip = fake_chip_find(world->chip);
	world->fake = fake_gpu_create(chip);
	fake_gpu_set_path(world->fake, PATH);
	world->fixture = fixture_create(&options);
	free(path);
	world->gpu = add_gpu(world->fixture, chip);
	if (wanted->display != WORLD_DISPLAY_CPU) {
		add_display(world, wanted->display);
	}
	save_facts(world, wanted);
	world->peer = peer_create(world->fixture);
	client_from_wl(world->peer->client)->gpu = world->gpu;
	world->dmabuf = peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);
	if (wanted->all_formats) {
		await_formats(world, wanted);
	}
	return world;
}

struct world *world_create_configured(int width, int height, const char *config)
{
	return world_create_with(
		&(const struct world_options){.width = width, .height = height, .config = config});
}

struct world *world_create(int width, int height)
{
	return world_create_configured(width, height, NULL);
}

void world_add_device(struct world *world)
{
	struct server *server = world->fixture->server;
	struct server_output *output;
	world->renderer = pixman_renderer_create();
	world->allocator = memory_allocator_create();
	world->second = render_device_create(NULL, world->renderer, world->allocator);
	world->second->copier = server->device->copier;
	world->second->staging = server->device->staging;
	render_device_join(world->second, server->device);
	wl_list_for_each (output, &server->outputs, link) {
		if (output->scene_output == server->scene->outputs[1]) {
			frame_output_destroy(output->frame);
			output->frame = frame_output_create(
				output->scene_output, world->second, server->clock);
		}
	}
}

static void remove_device(struct world *world)
{
	render_device_finish(world->second);
	render_device_destroy(world->second);
	allocator_destroy(world->allocator);
	renderer_destroy(world->renderer);
}

void world_set_costs(struct world *world)
{
	char text[] = "causeway copy costs 1\n1002:73bf>cpu sdma out 62000 0.22\n"
		      "1002:73bf>integrated sdma out 62000 0.22\n"
		      "1002:73bf>own sdma in 62000 0.22\n";
	struct cost_table *costs = &world->fixture->server->copier->costs;
	FILE *file = fmemopen(text, sizeof(text) - 1, "r");
	assert_non_null(file);
	cost_table_finish(costs);
	cost_table_init(costs);
	cost_table_read(costs, file);
	fclose(file);
}

void world_destroy(struct world *world)
{
	if (world->display) {
		remove_display(world);
	}
	fixture_destroy(world->fixture);
	allocator_destroy(world->own);
	if (world->second) {
		remove_device(world);
	}
	assert_null(fake_gpu_fault(world->fake));
	assert_null(world->display ? fake_gpu_fault(world->display) : NULL);
	fake_reset_all();
	char *command = xasprintf("rm -r %s", world->folder);
	assert_int_equal(system(command), 0);
	free(command);
	free(world);
}

int world_set_up(void **state)
{
	*state = world_create(WORLD_WIDTH, WORLD_HEIGHT);
	return 0;
}

int world_tear_down(void **state)
{
	world_destroy(*state);
	return 0;
}

const char *world_describe(const struct world *world)
{
	static char text[64];
	const struct gpu *display = world->fixture->server->device->gpu;
	snprintf(text, sizeof(text), "%s for %s", world->chip,
		!display              ? "the CPU"
		: display->integrated ? "an integrated GPU"
				      : "a discrete GPU");
	return text;
}

enum copies {
	COPIES_COMPLETE,
	COPIES_OWED,
	COPIES_IN_FLIGHT,
};

static enum copies find_copies(const struct staging *staging)
{
	const struct staging_ring *ring;
	enum copies copies = COPIES_COMPLETE;
	wl_list_for_each (ring, &staging->rings, link) {
		if (staging_in_flight(ring)) {
			return COPIES_IN_FLIGHT;
		}
		copies = staging_is_complete(ring) ? copies : COPIES_OWED;
	}
	return copies;
}

void world_await_copies(struct world *world)
{
	const struct staging *staging = world->fixture->server->staging;
	enum copies copies;
	int n_frames = 0;
	fixture_frames(world->fixture, 1);
	for (int ms = 0; ms < AWAIT_MS && n_frames < FRAMES_MAX &&
			 (copies = find_copies(staging)) != COPIES_COMPLETE;) {
		if (copies == COPIES_OWED) {
			fixture_frames(world->fixture, 1);
			n_frames++;
		} else {
			/* The thread of an engine does not follow the test's clock. */
			poll(NULL, 0, 1);
			fixture_pump(world->fixture);
			ms++;
		}
	}
	fixture_frames(world->fixture, 2);
}

uint64_t world_copied(const struct world *world)
{
	return world->fixture->server->copier->totals.bytes;
}

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct canvas *canvas = data;

	canvas->n_released++;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static void handle_created(
	void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *buffer)
{
	struct canvas *canvas = data;

	canvas->buffer = buffer;
}

static void handle_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {
	.created = handle_created,
	.failed = handle_failed,
};

static void ask_for_buffer(struct canvas *canvas)
{
	struct world *world = canvas->world;
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(world->dmabuf);

	uint64_t modifier = canvas->linear ? DRM_FORMAT_MOD_LINEAR : WORLD_MODIFIER;
	zwp_linux_buffer_params_v1_add(params, canvas->fd, 0, 0, canvas->pitch * canvas->bytes,
		(uint32_t)(modifier >> 32), (uint32_t)modifier);
	zwp_linux_buffer_params_v1_add_listener(params, &params_listener, canvas);
	zwp_linux_buffer_params_v1_create(params, canvas->width, canvas->height, canvas->format, 0);
	fixture_pump(world->fixture);
	zwp_linux_buffer_params_v1_destroy(params);
}

static void create_buffer(struct canvas *canvas)
{
	void *map;

	canvas->fd = fake_dmabuf_create(canvas->size, &map);
	assert_true(canvas->fd >= 0);
	canvas->map = map;
	/* A thread queries the GPU's formats on first use. */
	ask_for_buffer(canvas);
	await(canvas->buffer, ask_for_buffer(canvas));
	wl_buffer_add_listener(canvas->buffer, &buffer_listener, canvas);
}

void canvas_init_sized(struct canvas *canvas, struct world *world, int width, int height,
	uint32_t format, bool linear)
{
	*canvas = (struct canvas){.world = world,
		.width = width,
		.height = height,
		.format = format,
		.bytes = pixel_format_get(format)->bytes[0],
		.linear = linear};
	if (linear) {
		canvas->pitch = ((uint32_t)width + 63) / 64 * 64;
		canvas->size = (size_t)canvas->pitch * canvas->bytes * (size_t)height;
	} else {
		struct tiling_mode mode;

		assert_true(tiling_mode_from_modifier(&mode, WORLD_MODIFIER));
		assert_true(tiling_init(
			&canvas->tiling, &mode, (unsigned)__builtin_ctz(canvas->bytes)));
		uint32_t block = canvas->tiling.block_width;
		canvas->pitch = ((uint32_t)width + block - 1) / block * block;
		canvas->size = tiling_size(&canvas->tiling, canvas->pitch, (uint32_t)height);
	}
	create_buffer(canvas);
}

void canvas_init_linear(struct canvas *canvas, struct world *world)
{
	canvas_init_sized(canvas, world, world->width, world->height, DRM_FORMAT_XRGB8888, true);
}

void canvas_init(struct canvas *canvas, struct world *world)
{
	canvas_init_sized(canvas, world, world->width, world->height, DRM_FORMAT_XRGB8888, false);
}

void canvas_finish(struct canvas *canvas)
{
	wl_buffer_destroy(canvas->buffer);
	close(canvas->fd);
}

void canvas_map(struct canvas *canvas)
{
	assert_int_equal(fcntl(canvas->fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
}

uint8_t *canvas_bytes(const struct canvas *canvas, int x, int y)
{
	return canvas->map +
	       (canvas->linear ? ((size_t)y * canvas->pitch + (size_t)x) * canvas->bytes
			       : tiling_offset(
					 &canvas->tiling, canvas->pitch, (uint32_t)x, (uint32_t)y));
}

uint32_t *canvas_pixel(const struct canvas *canvas, int x, int y)
{
	return (uint32_t *)(void *)canvas_bytes(canvas, x, y);
}

void canvas_fill(struct canvas *canvas, uint32_t pixel)
{
	uint32_t *pixels = (uint32_t *)(void *)canvas->map;

	for (size_t i = 0; i < canvas->size / sizeof(*pixels); i++) {
		pixels[i] = pixel;
	}
}

void canvas_draw(struct canvas *canvas, int x, int y, int width, int height, uint32_t seed)
{
	for (int row = y; row < y + height; row++) {
		for (int column = x; column < x + width; column++) {
			*canvas_pixel(canvas, column, row) =
				(seed * 2654435761u + (uint32_t)(row * 4099 + column * 17)) &
				0xffffff;
		}
	}
}

void canvas_commit(
	struct canvas *canvas, struct peer_window *window, int x, int y, int width, int height)
{
	wl_surface_attach(window->surface, canvas->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, x, y, width, height);
	wl_surface_commit(window->surface);
}

void canvas_show_color(struct canvas *canvas, struct peer_window *window, uint32_t color)
{
	canvas_fill(canvas, 0xff000000 | color);
	canvas_commit(canvas, window, 0, 0, canvas->width, canvas->height);
}

void canvas_update(struct canvas *canvas, struct peer_window *window, int x, int y, int width,
	int height, uint32_t seed)
{
	canvas_draw(canvas, x, y, width, height, seed);
	canvas_commit(canvas, window, x, y, width, height);
}

struct peer_window *canvas_show(struct canvas *canvas)
{
	struct world *world = canvas->world;
	struct peer_window *window = peer_window_create_unmapped(world->peer);

	canvas_commit(canvas, window, 0, 0, world->width, world->height);
	fixture_pump(world->fixture);
	peer_window_place(window, 0, 0);
	/* The first frame lacks the buffer, since the engine opens on a thread. */
	fixture_frames(world->fixture, 3);
	fixture_settle(world->fixture);
	return window;
}

struct peer_window *canvas_open(struct canvas *canvas, struct world *world)
{
	canvas_init(canvas, world);
	canvas_draw(canvas, 0, 0, world->width, world->height, 1);
	return canvas_show(canvas);
}

void canvas_expect(const struct canvas *canvas, int x, int y, int width, int height)
{
	struct image *shot = fixture_shot(canvas->world->fixture, 0);

	for (int row = y; row < y + height; row++) {
		for (int column = x; column < x + width; column++) {
			uint32_t pixel = shot->pixels[row * canvas->world->width + column];

			if (pixel != *canvas_pixel(canvas, column, row)) {
				fail_msg("%d, %d: %06x, not %06x", column, row, pixel,
					*canvas_pixel(canvas, column, row));
			}
		}
	}
	image_destroy(shot);
}

struct peer_window *world_cover(struct world *world, int x, int y, int width, int height)
{
	struct peer_window *cover =
		peer_window_create(world->peer, x, y, width, height, 0xff204060);
	struct wl_region *region = wl_compositor_create_region(world->peer->compositor);

	wl_region_add(region, 0, 0, width, height);
	wl_surface_set_opaque_region(cover->surface, region);
	wl_surface_commit(cover->surface);
	wl_region_destroy(region);
	fixture_settle(world->fixture);
	return cover;
}
