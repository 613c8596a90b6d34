/* SPDX-License-Identifier: MIT */
/*
 * Formats announced for an emulated GPU: each of them, in each layout, is drawn, copied and composed,
 * and compared with the same pixels in shared memory that the CPU composes.
 */

#include "backend/headless.h"
#include "backend/output.h"
#include "buffer/allocator.h"
#include "buffer/shm.h"
#include "content/device.h"
#include "content/internal.h"
#include "frame/frame.h"
#include "harness/client/dmabuf_feedback.h"
#include "render/render.h"
#include "scene/scene.h"
#include "server/outputs.h"
#include "staging/staging.h"
#include "util/fd.h"
#include "util/signal.h"
#include "wl-drm-client-protocol.h"
#include "world.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define WIDTH 160
#define HEIGHT 96

/* Of a channel, in 255ths: renderers are exact, but drivers scale and convert in their own ways. */
#define TOLERANCE 0
#define DRIVER_TOLERANCE 3

static enum renderer_kind renderer;

/* A client's buffer on the emulated GPU, and the same pixels in shared memory. */
struct picture {
	struct world *world;
	const struct pixel_format *format;
	uint64_t modifier;
	struct wl_buffer *buffer;
	struct {
		uint32_t width, height; /* elements */
		uint8_t *shared; /* in shared memory, */
		size_t shared_stride;
		size_t offset, stride; /* on the GPU; bytes */
		struct tiling tiling;
	} planes[3];
	int fd;
	uint8_t *map;
	size_t size;
	struct buffer *reference;
	uint8_t *memory;
	size_t memory_size;
};

/* Shared memory */

/* Returns whether the CPU lacks the format: the reference has the same colours in another one. */
static bool is_narrow(const struct pixel_format *format)
{
	return format->fourcc == DRM_FORMAT_R8 || format->fourcc == DRM_FORMAT_GR88;
}

static void create_reference(struct picture *picture)
{
	const struct pixel_format *format = is_narrow(picture->format)
						    ? pixel_format_get(DRM_FORMAT_XRGB8888)
						    : picture->format;
	int32_t stride = pixel_format_min_stride(format, 0, WIDTH);
	int32_t size = (int32_t)pixel_format_size(format, (size_t)stride, HEIGHT);
	int fd = fd_create_memory("reference", size, true);
	assert_true(fd >= 0);
	picture->memory_size = (size_t)size;
	picture->memory =
		mmap(NULL, picture->memory_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(picture->memory != MAP_FAILED);
	struct shm_pool *pool = shm_pool_create(fd, size);
	picture->reference = shm_buffer_create(pool, 0, WIDTH, HEIGHT, stride, format->fourcc);
	shm_pool_unref(pool);
	uint8_t *next = picture->memory;
	for (int i = 0; i < format->n_planes; i++) {
		picture->planes[i].width = WIDTH / (i > 0 ? format->hsub : 1);
		picture->planes[i].height = HEIGHT / (i > 0 ? format->vsub : 1);
		picture->planes[i].shared = next;
		picture->planes[i].shared_stride =
			pixel_format_plane_stride(format, i, (size_t)stride);
		next += picture->planes[i].shared_stride * picture->planes[i].height;
	}
}

/* Composes the pixels in shared memory, by a renderer that has seen nothing before. */
static struct image *compose_reference(struct picture *picture)
{
	struct renderer *cpu = pixman_renderer_create();
	struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	struct texture *texture = NULL;
	pixman_region32_t all;
	bool holds;
	int fence;

	pixman_region32_init_rect(&all, 0, 0, WIDTH, HEIGHT);
	assert_true(renderer_texture_update(cpu, &texture, picture->reference, NULL, &holds));
	struct render_pass *pass = renderer_begin(cpu, target, -1);
	struct render_texture_options options = {
		.texture = texture,
		.src = {0, 0, WIDTH, HEIGHT},
		.dst = {0, 0, WIDTH, HEIGHT},
		.alpha = 1,
		.clip = &all,
		.filter = RENDER_FILTER_NEAREST,
		.opaque = true,
	};
	render_pass_add_texture(pass, &options);
	assert_true(render_pass_submit(pass, &fence));
	struct image *image = image_from_buffer(target);
	texture_destroy(texture);
	buffer_drop(target);
	renderer_destroy(cpu);
	pixman_region32_fini(&all);
	return image;
}

/* Buffers of the GPU */

static bool is_tiled(const struct picture *picture)
{
	return picture->modifier != DRM_FORMAT_MOD_LINEAR;
}

static const char *name_of(const struct picture *picture)
{
	static char text[64];
	char name[5];
	snprintf(text, sizeof(text), "%s %s", pixel_format_name(picture->format->fourcc, name),
		is_tiled(picture) ? "tiled" : "linear");
	return text;
}

/* Lays out the planes one after the other. */
static void lay_out(struct picture *picture)
{
	for (int i = 0; i < picture->format->n_planes; i++) {
		uint32_t pitch = picture->planes[i].width, bytes = picture->format->bytes[i];
		uint64_t size = (uint64_t)pitch * bytes * picture->planes[i].height;
		if (is_tiled(picture)) {
			struct tiling *tiling = &picture->planes[i].tiling;
			struct tiling_mode mode;
			assert_true(tiling_mode_from_modifier(&mode, picture->modifier));
			if (!tiling_init(tiling, &mode, (unsigned)__builtin_ctz(bytes))) {
				fail_msg("%s is announced, but does not exist", name_of(picture));
			}
			pitch = (pitch + tiling->block_width - 1) / tiling->block_width *
				tiling->block_width;
			size = tiling_size(tiling, pitch, picture->planes[i].height);
		}
		picture->planes[i].offset = picture->size;
		picture->planes[i].stride = (size_t)pitch * bytes;
		picture->size += (size_t)size;
	}
}

static uint8_t *element(const struct picture *picture, int plane, uint32_t x, uint32_t y)
{
	size_t bytes = picture->format->bytes[plane], stride = picture->planes[plane].stride;
	uint8_t *start = picture->map + picture->planes[plane].offset;
	return start + (is_tiled(picture) ? tiling_offset(&picture->planes[plane].tiling,
						    (uint32_t)(stride / bytes), x, y)
					  : y * stride + x * bytes);
}

static void create_buffer(struct picture *picture)
{
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(picture->world->dmabuf);
	void *map;

	lay_out(picture);
	picture->fd = fake_dmabuf_create(picture->size, &map);
	assert_true(picture->fd >= 0);
	picture->map = map;
	for (int i = 0; i < picture->format->n_planes; i++) {
		zwp_linux_buffer_params_v1_add(params, picture->fd, (uint32_t)i,
			(uint32_t)picture->planes[i].offset, (uint32_t)picture->planes[i].stride,
			(uint32_t)(picture->modifier >> 32), (uint32_t)picture->modifier);
	}
	picture->buffer = zwp_linux_buffer_params_v1_create_immed(
		params, WIDTH, HEIGHT, picture->format->fourcc, 0);
	zwp_linux_buffer_params_v1_destroy(params);
}

static void picture_init(
	struct picture *picture, struct world *world, uint32_t format, uint64_t modifier)
{
	*picture = (struct picture){
		.world = world, .format = pixel_format_get(format), .modifier = modifier};
	assert_non_null(picture->format);
	create_reference(picture);
	create_buffer(picture);
}

static void picture_finish(struct picture *picture)
{
	wl_buffer_destroy(picture->buffer);
	close(picture->fd);
	buffer_drop(picture->reference);
	munmap(picture->memory, picture->memory_size);
}

/* Drawing */

static bool is_half(uint32_t format)
{
	return format == DRM_FORMAT_ABGR16161616F || format == DRM_FORMAT_XBGR16161616F ||
	       format == DRM_FORMAT_ARGB16161616F || format == DRM_FORMAT_XRGB16161616F;
}

/* Stores the bytes of an element: noise of which every renderer makes the same colours. */
static void draw_element(
	const struct pixel_format *format, int plane, uint32_t noise, uint8_t *bytes)
{
	for (int i = 0; i < format->bytes[plane]; i++) {
		bytes[i] = (uint8_t)(noise >> (8 * (i % 4)));
		if (format->yuv && (format->bytes[0] == 1 || format->n_planes == 1 || i % 2)) {
			/* Colours within RGB: renderers clamp others in their own ways. */
			bytes[i] = (uint8_t)(100 + bytes[i] % 56);
		} else if (format->yuv) {
			bytes[i] &= (uint8_t)(0xff << (16 - format->depth));
		} else if (is_half(format->fourcc) && i % 2) {
			bytes[i] = (uint8_t)(0x30 + bytes[i] % 12); /* from 1/8 to 1 */
		}
	}
}

/* Draws an element into both memories. */
static void draw_both(struct picture *picture, int plane, uint32_t x, uint32_t y, uint32_t noise)
{
	const struct pixel_format *format = picture->format;
	uint8_t *shared = picture->planes[plane].shared + y * picture->planes[plane].shared_stride;
	uint8_t *own = element(picture, plane, x, y);
	draw_element(format, plane, noise, own);
	if (is_narrow(format)) {
		const uint8_t pixel[] = {0, format->bytes[0] > 1 ? own[1] : 0, own[0], 0xff};
		memcpy(shared + 4 * x, pixel, sizeof(pixel));
	} else {
		memcpy(shared + x * format->bytes[plane], own, format->bytes[plane]);
	}
}

/* Draws a box, which consists of whole chroma samples. */
static void draw(struct picture *picture, const struct box *box, uint32_t seed)
{
	const struct pixel_format *format = picture->format;
	for (int i = 0; i < format->n_planes; i++) {
		uint32_t h = i > 0 ? format->hsub : 1, v = i > 0 ? format->vsub : 1;
		uint32_t right = (uint32_t)(box->x + box->width) / h;
		uint32_t bottom = (uint32_t)(box->y + box->height) / v;
		for (uint32_t y = (uint32_t)box->y / v; y < bottom; y++) {
			for (uint32_t x = (uint32_t)box->x / h; x < right; x++) {
				uint32_t noise = (seed * 64 + y) * 2654435761U + x * 2246822519U;
				draw_both(picture, i, x, y, noise ^ noise >> 15);
			}
		}
	}
}

static void show(struct picture *picture, struct peer_window *window, const struct box *box)
{
	wl_surface_attach(window->surface, picture->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, box->x, box->y, box->width, box->height);
	wl_surface_commit(window->surface);
}

static int distance(uint32_t a, uint32_t b)
{
	int most = 0;
	for (int shift = 0; shift < 24; shift += 8) {
		int difference = (int)(a >> shift & 0xff) - (int)(b >> shift & 0xff);
		difference = difference < 0 ? -difference : difference;
		most = difference > most ? difference : most;
	}
	return most;
}

static void check(struct picture *picture, int frame)
{
	int tolerance = renderer == RENDERER_GLES ? DRIVER_TOLERANCE : TOLERANCE;
	struct image *actual = fixture_shot(picture->world->fixture, 0);
	struct image *expected = compose_reference(picture);
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		uint32_t is = actual->pixels[i], right = expected->pixels[i];
		if (distance(is, right) > tolerance) {
			fail_msg("%s: %06x, not %06x, at %d, %d of frame %d", name_of(picture), is,
				right, i % WIDTH, i / WIDTH, frame);
		}
	}
	image_destroy(actual);
	image_destroy(expected);
}

static struct peer_window *open_window(struct picture *picture)
{
	struct world *world = picture->world;
	struct peer_window *window = peer_window_create_unmapped(world->peer);
	struct wl_region *region = wl_compositor_create_region(world->peer->compositor);

	wl_region_add(region, 0, 0, WIDTH, HEIGHT);
	wl_surface_set_opaque_region(window->surface, region);
	wl_region_destroy(region);
	return window;
}

/* Whole frames, then parts of frames, each with other pixels than before. */
static void check_pair(struct world *world, uint32_t format, uint64_t modifier)
{
	static const struct box damage[] = {
		{0, 0, WIDTH, HEIGHT},
		{0, 0, WIDTH, HEIGHT},
		{16, 8, 64, 32},
		{40, 20, 66, 30},
		{100, 60, 60, 36},
		{0, 0, WIDTH, HEIGHT},
		{2, 2, 4, 4},
	};
	struct picture picture;
	picture_init(&picture, world, format, modifier);
	struct peer_window *window = open_window(&picture);
	for (int i = 0; i < (int)(sizeof(damage) / sizeof(damage[0])); i++) {
		draw(&picture, &damage[i], (uint32_t)i + 1);
		show(&picture, window, &damage[i]);
		fixture_pump(world->fixture);
		if (i == 0) {
			peer_window_place(window, 0, 0);
		}
		fixture_frames(world->fixture, 3);
		assert_true(peer_alive(world->peer));
		check(&picture, i);
	}
	peer_window_destroy(window);
	picture_finish(&picture);
	fixture_pump(world->fixture);
}

/* Announcements */

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

static void handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format,
	uint32_t high, uint32_t low)
{
	format_set_add(data, format, (uint64_t)high << 32 | low);
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

static void handle_drm_device(void *data, struct wl_drm *drm, const char *name)
{
}

static void handle_drm_format(void *data, struct wl_drm *drm, uint32_t format)
{
	format_set_add(data, format, DRM_FORMAT_MOD_INVALID);
}

static void handle_drm_authenticated(void *data, struct wl_drm *drm)
{
}

static void handle_drm_capabilities(void *data, struct wl_drm *drm, uint32_t value)
{
}

static const struct wl_drm_listener drm_listener = {
	.device = handle_drm_device,
	.format = handle_drm_format,
	.authenticated = handle_drm_authenticated,
	.capabilities = handle_drm_capabilities,
};

static void collect_feedback(struct world *world, uint32_t version, struct format_set *out)
{
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, version);
	struct feedback *feedback = feedback_create(world->peer, dmabuf, NULL);
	for (size_t i = 0; i < feedback->n_indices; i++) {
		const struct feedback_pair *pair = &feedback->table[feedback->indices[i]];
		format_set_add(out, pair->format, pair->modifier);
	}
	feedback_destroy(feedback);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
}

static void collect_events(struct world *world, struct format_set *out)
{
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);
	struct wl_drm *drm = peer_bind(world->peer, &wl_drm_interface, 0);
	zwp_linux_dmabuf_v1_add_listener(dmabuf, &dmabuf_listener, out);
	wl_drm_add_listener(drm, &drm_listener, out);
	fixture_pump(world->fixture);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
	wl_drm_destroy(drm);
}

static int set_up(void **state)
{
	/* Clients that have a GPU when they connect see feedback. */
	const struct world_options options = {.width = WIDTH,
		.height = HEIGHT,
		.config = "[gpu]\ndefault = discrete\n",
		.renderer = renderer,
		.all_formats = true};
	struct world *world = world_create_with(&options);
	/* Waits until the GPU's formats were read, on a thread. */
	struct canvas canvas;
	canvas_init(&canvas, world);
	canvas_finish(&canvas);
	*state = world;
	return 0;
}

/* The formats that users have are announced, and no others than can be shown. */
static void announced_pairs_are_shown(void **state)
{
	static const uint32_t copied[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
		DRM_FORMAT_XRGB2101010, DRM_FORMAT_ABGR16161616F, DRM_FORMAT_YUYV};
	static const uint32_t planar[] = {DRM_FORMAT_NV12, DRM_FORMAT_P010, DRM_FORMAT_YUV420};
	struct world *world = *state;
	const struct format_set *shown = &world->fixture->server->device->renderer->texture_formats;
	struct format_set pairs = {0}, events = {0};
	size_t n = 0;

	collect_feedback(world, 5, &pairs);
	collect_events(world, &events);
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
		if (format_set_has(shown, copied[i], DRM_FORMAT_MOD_LINEAR)) {
			assert_true(format_set_has(&pairs, copied[i], WORLD_MODIFIER));
			assert_true(format_set_has(&pairs, copied[i], DRM_FORMAT_MOD_LINEAR));
		}
	}
	/* Linear ones are imported. */
	for (size_t i = 0; i < sizeof(planar) / sizeof(planar[0]); i++) {
		assert_int_equal(format_set_has(&pairs, planar[i], DRM_FORMAT_MOD_LINEAR),
			format_set_has(shown, planar[i], DRM_FORMAT_MOD_LINEAR));
	}
	for (size_t i = 0; i < pairs.n_formats; i++) {
		const struct format_modifiers *entry = &pairs.formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++, n++) {
			check_pair(world, entry->format, entry->modifiers[m]);
		}
	}
	print_message("%zu pairs of %zu formats\n", n, pairs.n_formats);
	assert_true(format_set_equal(&pairs, &events));
	format_set_finish(&pairs);
	format_set_finish(&events);
}

/* Converted pixels are the client's, as the copies are: one texture for each buffer of the ring at most. */
static void expect_charge(struct world *world, struct peer_window *window)
{
	struct server *server = world->fixture->server;
	const struct surface *surface = peer_surface_find(world->peer, window->surface);
	const struct content *content = content_find((struct surface *)surface, server->device);
	int64_t textures = content->charged - (int64_t)server->staging->memory;
	assert_int_equal(textures % (WIDTH * HEIGHT * 4), 0);
	assert_in_range(textures / (WIDTH * HEIGHT * 4), 1, STAGING_MAX);
}

/* Copies that take longer than a frame: the old pixels stay, the new ones follow, also of two commits. */
static void converted_pixels_follow_late_copies(void **state)
{
	static const struct box all = {0, 0, WIDTH, HEIGHT}, part = {16, 8, 64, 32};
	struct world *world = *state;
	struct format_set pairs = {0};
	struct picture picture;

	collect_feedback(world, 5, &pairs);
	uint32_t format = format_set_has(&pairs, DRM_FORMAT_YUYV, WORLD_MODIFIER)
				  ? DRM_FORMAT_YUYV
				  : DRM_FORMAT_XRGB8888;
	format_set_finish(&pairs);
	picture_init(&picture, world, format, WORLD_MODIFIER);
	struct peer_window *window = open_window(&picture);
	draw(&picture, &all, 1);
	show(&picture, window, &all);
	fixture_pump(world->fixture);
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 3);
	check(&picture, 0);
	for (int i = 1; i < 8; i++) {
		struct image *before = fixture_shot(world->fixture, 0), *after;
		fake_gpu_hold(world->fake);
		draw(&picture, &all, 2 * (uint32_t)i);
		show(&picture, window, &all);
		fixture_frames(world->fixture, 2);
		after = fixture_shot(world->fixture, 0);
		struct image_difference difference;
		assert_true(image_compare(before, after, 0, 0, &difference));
		image_destroy(before);
		image_destroy(after);
		/* A second commit, while the first copy is in progress. */
		draw(&picture, &part, 2 * (uint32_t)i + 1);
		show(&picture, window, &part);
		fixture_frames(world->fixture, 1 + i % 3);
		fake_gpu_release(world->fake);
		fixture_frames(world->fixture, 3);
		check(&picture, i);
	}
	if (renderer == RENDERER_PIXMAN) {
		expect_charge(world, window);
	}
	peer_window_destroy(window);
	picture_finish(&picture);
}

/* A window that covers the picture, and leaves other parts of it visible in each frame. */
static void converted_pixels_follow_covers(void **state)
{
	static const struct box all = {0, 0, WIDTH, HEIGHT};
	struct world *world = *state;
	struct format_set pairs = {0};
	struct picture picture;

	collect_feedback(world, 5, &pairs);
	uint32_t format = format_set_has(&pairs, DRM_FORMAT_YUYV, WORLD_MODIFIER)
				  ? DRM_FORMAT_YUYV
				  : DRM_FORMAT_XRGB8888;
	format_set_finish(&pairs);
	picture_init(&picture, world, format, WORLD_MODIFIER);
	struct peer_window *window = open_window(&picture);
	draw(&picture, &all, 1);
	show(&picture, window, &all);
	fixture_pump(world->fixture);
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 3);
	struct peer_window *cover = world_cover(world, 0, 0, 60, 40);
	for (int i = 1; i < 12; i++) {
		const struct box part = {i * 46 % 80, i * 23 % 40, 80, 56};
		peer_window_place(cover, i * 37 % 100, i * 29 % 56);
		draw(&picture, &part, (uint32_t)i);
		show(&picture, window, &part);
		fixture_frames(world->fixture, 3);
		peer_window_place(cover, WIDTH, 0);
		fixture_frames(world->fixture, 3);
		check(&picture, i);
	}
	peer_window_destroy(cover);
	peer_window_destroy(window);
	picture_finish(&picture);
}

static void expect_route(
	struct world *world, struct peer_window *window, const char *route, const char *reason)
{
	const struct scene_output *output = world->fixture->server->scene->outputs[0];
	struct route_choice choice =
		frame_route(output, peer_surface_find(world->peer, window->surface));
	assert_string_equal(route_name(choice.source, choice.sink), route);
	assert_string_equal(route_choice_text(&choice, choice.reason), reason);
}

/* Buffers made for an output of their own GPU, whose window is then on another GPU's output. */
static void uncopied_window_names_the_reason(void **state)
{
	static const struct box all = {0, 0, WIDTH, HEIGHT};
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct picture tiled, linear;

	if (!format_set_has(&server->device->renderer->texture_formats, DRM_FORMAT_NV12,
		    DRM_FORMAT_MOD_LINEAR)) {
		return;
	}
	struct output *first = server->scene->outputs[0]->output;
	first->gpu = fixture_add_gpu(world->fixture, "pci-0000_00_02_0", "i915",
		"/emulated/renderD128", makedev(226, 128));
	server_outputs_hold(server, true);
	struct output *own = headless_add_output(server->backend, WIDTH, HEIGHT, 60000);
	own->gpu = world->gpu;
	server_outputs_hold(server, false);
	fixture_frames(world->fixture, 2);
	picture_init(&tiled, world, DRM_FORMAT_NV12, WORLD_MODIFIER);
	picture_init(&linear, world, DRM_FORMAT_NV12, DRM_FORMAT_MOD_LINEAR);
	draw(&tiled, &all, 1);
	draw(&linear, &all, 2);
	struct peer_window *window = open_window(&tiled);
	show(&tiled, window, &all);
	fixture_pump(world->fixture);
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 3);
	assert_true(peer_alive(world->peer));
	expect_route(world, window, "none", "no memory for copies has as many planes");
	show(&linear, window, &all);
	fixture_frames(world->fixture, 3);
	expect_route(world, window, "import", "its buffer belongs to another GPU");
	check(&linear, 0);
	assert_int_equal(world_copied(world), 0);
	peer_window_destroy(window);
	picture_finish(&tiled);
	picture_finish(&linear);
	own->gpu = first->gpu = NULL;
	signal_emit(&server->events.outputs_changed, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(announced_pairs_are_shown),
		TEST(converted_pixels_follow_late_copies),
		TEST(converted_pixels_follow_covers),
		TEST(uncopied_window_names_the_reason),
	};

	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
