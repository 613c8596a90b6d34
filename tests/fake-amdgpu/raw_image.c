/* SPDX-License-Identifier: MIT */
/*
 * Client buffers of any format on the emulated GPU, and their composition by the CPU as a
 * reference.
 */

#include "raw_image.h"
#include "buffer/allocator.h"
#include "buffer/shm.h"
#include "frame/frame.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "raw_color.h"
#include "render/render.h"
#include "shell/window.h"
#include "util/fd.h"
#include "wl-drm-client-protocol.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Rows of all planes start at whole elements. */
#define STRIDE_UNIT 24

/* Alignment (bytes) of rows that drivers lay out themselves. */
#define ROW_UNIT 256

/* Chroma samples at the right and at the bottom belong to fewer pixels than others. */
#define ODD_WIDTH 129
#define ODD_HEIGHT 67

/* Of a channel, in 255ths: renderers are exact, but drivers scale and convert in their own ways. */
#define DRIVER_TOLERANCE 3

/* Shared memory */

/* Returns whether the CPU lacks the format: the reference has the same colours in another one. */
static bool is_narrow(const struct pixel_format *format)
{
	return format->fourcc == DRM_FORMAT_R8 || format->fourcc == DRM_FORMAT_GR88;
}

static void create_reference(struct raw_image *image)
{
	const struct pixel_format *format =
		is_narrow(image->format) ? pixel_format_get(DRM_FORMAT_XRGB8888) : image->format;
	int32_t stride = pixel_format_min_stride(format, 0, image->width);
	stride = (stride + STRIDE_UNIT - 1) / STRIDE_UNIT * STRIDE_UNIT;
	int32_t size = (int32_t)pixel_format_size(format, (size_t)stride, image->height);
	int fd = fd_create_memory("reference", size, true);
	assert_true(fd >= 0);
	image->memory_size = (size_t)size;
	image->memory = mmap(NULL, image->memory_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(image->memory != MAP_FAILED);
	struct shm_pool *pool = shm_pool_create(fd, size);
	image->reference =
		shm_buffer_create(pool, 0, image->width, image->height, stride, format->fourcc);
	shm_pool_unref(pool);
	uint8_t *next = image->memory;
	for (int i = 0; i < format->n_planes; i++) {
		image->shared[i].start = next;
		image->shared[i].stride = pixel_format_plane_stride(format, i, (size_t)stride);
		next += image->shared[i].stride *
			(size_t)pixel_format_plane_height(format, i, image->height);
	}
}

/* Composes the pixels in shared memory, by a renderer that has seen nothing before. */
static struct image *compose_reference(struct raw_image *image)
{
	struct renderer *cpu = pixman_renderer_create();
	struct buffer *target =
		memory_buffer_create(image->width, image->height, DRM_FORMAT_XRGB8888);
	struct texture *texture = NULL;
	pixman_region32_t all;
	bool holds;
	int fence;

	pixman_region32_init_rect(&all, 0, 0, (unsigned)image->width, (unsigned)image->height);
	assert_true(renderer_texture_update(cpu, &texture, image->reference, NULL, &holds));
	struct render_pass *pass = renderer_begin(cpu, target, -1);
	struct render_texture_options options = {
		.texture = texture,
		.src = {0, 0, image->width, image->height},
		.dst = {0, 0, image->width, image->height},
		.alpha = 1,
		.clip = &all,
		.filter = RENDER_FILTER_NEAREST,
		.opaque = true,
	};
	render_pass_add_texture(pass, &options);
	assert_true(render_pass_submit(pass, &fence));
	struct image *composed = image_from_buffer(target);
	texture_destroy(texture);
	buffer_drop(target);
	renderer_destroy(cpu);
	pixman_region32_fini(&all);
	return composed;
}

/* Buffers of the GPU */

static bool is_tiled(const struct raw_image *image)
{
	return image->modifier != DRM_FORMAT_MOD_LINEAR &&
	       image->modifier != DRM_FORMAT_MOD_INVALID;
}

static const char *name_of(const struct raw_image *image)
{
	static char text[128];
	char name[5];
	snprintf(text, sizeof(text), "%s %s of %s", pixel_format_name(image->format->fourcc, name),
		is_tiled(image)                             ? "tiled"
		: image->modifier == DRM_FORMAT_MOD_INVALID ? "implicit"
							    : "linear",
		world_describe(image->world));
	return text;
}

/* Lays out the planes one after the other. */
static void lay_out(struct raw_image *image)
{
	for (int i = 0; i < image->format->n_planes; i++) {
		uint32_t bytes = image->format->bytes[i], unit = 1;
		if (image->modifier == DRM_FORMAT_MOD_INVALID) {
			unit = ROW_UNIT / bytes * (ROW_UNIT % bytes ? bytes : 1);
		}
		plane_layout_init(&image->planes[i], image->format, i, image->width, image->height,
			image->modifier);
		image->size += plane_layout_place(&image->planes[i], image->size, unit);
	}
}

uint8_t *raw_image_element(const struct raw_image *image, int plane, uint32_t x, uint32_t y)
{
	return image->map + plane_layout_at(&image->planes[plane], x, y);
}

static void create_implicit_buffer(struct raw_image *image)
{
	struct wl_drm *drm = peer_bind(image->world->peer, &wl_drm_interface, 2);
	/* The software renderer, which stands for the driver, requires memory that stays. */
	assert_int_equal(fcntl(image->fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);

	image->buffer = wl_drm_create_prime_buffer(drm, image->fd, image->width, image->height,
		image->format->fourcc, (int32_t)image->planes[0].offset,
		(int32_t)image->planes[0].stride, (int32_t)image->planes[1].offset,
		(int32_t)image->planes[1].stride, (int32_t)image->planes[2].offset,
		(int32_t)image->planes[2].stride);
	wl_drm_destroy(drm);
}

static void create_explicit_buffer(struct raw_image *image)
{
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(image->world->dmabuf);

	for (int i = 0; i < image->format->n_planes; i++) {
		zwp_linux_buffer_params_v1_add(params, image->fd, (uint32_t)i,
			(uint32_t)image->planes[i].offset, (uint32_t)image->planes[i].stride,
			(uint32_t)(image->modifier >> 32), (uint32_t)image->modifier);
	}
	image->buffer = zwp_linux_buffer_params_v1_create_immed(
		params, image->width, image->height, image->format->fourcc, 0);
	zwp_linux_buffer_params_v1_destroy(params);
}

static void create_buffer(struct raw_image *image)
{
	void *map;

	lay_out(image);
	image->fd = fake_dmabuf_create(image->size, &map);
	assert_true(image->fd >= 0);
	image->map = map;
	if (image->modifier == DRM_FORMAT_MOD_INVALID) {
		create_implicit_buffer(image);
	} else {
		create_explicit_buffer(image);
	}
}

void raw_image_init_sized(struct raw_image *image, struct world *world, uint32_t format,
	uint64_t modifier, int32_t width, int32_t height)
{
	*image = (struct raw_image){.world = world,
		.format = pixel_format_get(format),
		.modifier = modifier,
		.width = width,
		.height = height};
	assert_non_null(image->format);
	create_reference(image);
	create_buffer(image);
}

void raw_image_init(
	struct raw_image *image, struct world *world, uint32_t format, uint64_t modifier)
{
	raw_image_init_sized(image, world, format, modifier, RAW_IMAGE_WIDTH, RAW_IMAGE_HEIGHT);
}

void raw_image_finish(struct raw_image *image)
{
	wl_buffer_destroy(image->buffer);
	close(image->fd);
	buffer_drop(image->reference);
	munmap(image->memory, image->memory_size);
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
static void draw_both(struct raw_image *image, int plane, uint32_t x, uint32_t y, uint32_t noise)
{
	const struct pixel_format *format = image->format;
	uint8_t *shared = image->shared[plane].start + y * image->shared[plane].stride;
	uint8_t *own = raw_image_element(image, plane, x, y);
	draw_element(format, plane, noise, own);
	if (is_narrow(format)) {
		const uint8_t pixel[] = {0, format->bytes[0] > 1 ? own[1] : 0, own[0], 0xff};
		memcpy(shared + 4 * x, pixel, sizeof(pixel));
	} else {
		memcpy(shared + x * format->bytes[plane], own, format->bytes[plane]);
	}
}

static int32_t divide_up(int32_t value, int32_t by)
{
	return (value + by - 1) / by;
}

void raw_image_draw(struct raw_image *image, const struct box *box, uint32_t seed)
{
	const struct pixel_format *format = image->format;
	for (int i = 0; i < format->n_planes; i++) {
		int32_t h = i > 0 ? format->hsub : 1, v = i > 0 ? format->vsub : 1;
		uint32_t right = (uint32_t)divide_up(box->x + box->width, h);
		uint32_t bottom = (uint32_t)divide_up(box->y + box->height, v);
		if (box->x + box->width == image->width) {
			right = image->planes[i].width; /* with the padding of packed pairs */
		}
		for (uint32_t y = (uint32_t)(box->y / v); y < bottom; y++) {
			for (uint32_t x = (uint32_t)(box->x / h); x < right; x++) {
				uint32_t noise = (seed * 64 + y) * 2654435761U + x * 2246822519U;
				draw_both(image, i, x, y, noise ^ noise >> 15);
			}
		}
	}
}

void raw_image_show(struct raw_image *image, struct peer_window *window, const struct box *box)
{
	wl_surface_attach(window->surface, image->buffer, 0, 0);
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

/* Compares with the CPU's composition, and with colours that the test computes itself. */
static void compare(struct raw_image *image, const struct image *actual, int tolerance,
	const char *where, int frame)
{
	struct image *expected = compose_reference(image);
	assert_true(actual->width >= image->width && actual->height >= image->height);
	for (int32_t y = 0; y < image->height; y++) {
		for (int32_t x = 0; x < image->width; x++) {
			uint32_t is = actual->pixels[y * actual->width + x];
			uint32_t composed = expected->pixels[y * image->width + x];
			uint32_t right = raw_color_at(image, x, y);
			if (distance(is, composed) > tolerance ||
				distance(is, right) > raw_color_tolerance(image) + tolerance) {
				fail_msg("%s, %dx%d: %06x, not %06x (composed: %06x), at %d, %d "
					 "of frame %d, %s",
					name_of(image), image->width, image->height, is, right,
					composed, x, y, frame, where);
			}
		}
	}
	image_destroy(expected);
}

void raw_image_check(struct raw_image *image, int tolerance, int frame)
{
	struct image *actual = fixture_shot(image->world->fixture, 0);
	compare(image, actual, tolerance, "on the screen", frame);
	image_destroy(actual);
}

void raw_image_check_capture(
	struct raw_image *image, struct peer_window *window, int tolerance, int frame)
{
	struct server *server = image->world->fixture->server;
	struct buffer *target =
		memory_buffer_create(image->width, image->height, DRM_FORMAT_XRGB8888);
	struct frame_capture capture = {
		.root = peer_window_find(window)->surface_tree,
		.box = {0, 0, image->width, image->height},
	};
	int fence = -1;
	assert_true(frame_capture(server->scene, server->device, target, &capture, &fence));
	struct image *actual = image_from_buffer(target);
	compare(image, actual, tolerance, "in a capture", frame);
	image_destroy(actual);
	buffer_drop(target);
	fd_close(&fence);
}

static struct peer_window *open_window(struct raw_image *image)
{
	struct world *world = image->world;
	struct peer_window *window = peer_window_create_unmapped(world->peer);
	struct wl_region *region = wl_compositor_create_region(world->peer->compositor);

	wl_region_add(region, 0, 0, image->width, image->height);
	wl_surface_set_opaque_region(window->surface, region);
	wl_region_destroy(region);
	return window;
}

struct peer_window *raw_image_open(struct raw_image *image)
{
	const struct box all = {0, 0, image->width, image->height};
	struct fixture *fixture = image->world->fixture;
	struct peer_window *window = open_window(image);
	raw_image_show(image, window, &all);
	fixture_pump(fixture);
	peer_window_place(window, 0, 0);
	world_await_copies(image->world);
	return window;
}

int raw_image_tolerance(enum renderer_kind renderer)
{
	return renderer == RENDERER_GLES ? DRIVER_TOLERANCE : 0;
}

/* Whole frames, then parts of frames, each with other pixels than before. */
static void check_sized(struct world *world, uint32_t format, uint64_t modifier, int32_t width,
	int32_t height, int tolerance)
{
	const struct box damage[] = {
		{0, 0, width, height},
		{0, 0, width, height},
		{16, 8, 64, 32},
		{40, 20, 66, 30},
		{100, 60, width - 100, height - 60},
		{0, 0, width, height},
		{2, 2, 4, 4},
		{width / 2 * 2 - 2, height / 2 * 2 - 2, width % 2 + 2, height % 2 + 2},
	};
	struct raw_image image;
	raw_image_init_sized(&image, world, format, modifier, width, height);
	struct peer_window *window = NULL;
	for (int i = 0; i < (int)(sizeof(damage) / sizeof(damage[0])); i++) {
		raw_image_draw(&image, &damage[i], (uint32_t)i + 1);
		if (window) {
			raw_image_show(&image, window, &damage[i]);
			world_await_copies(world);
		} else {
			window = raw_image_open(&image);
		}
		assert_true(peer_alive(world->peer));
		raw_image_check(&image, tolerance, i);
		raw_image_check_capture(&image, window, tolerance, i);
	}
	peer_window_destroy(window);
	raw_image_finish(&image);
	fixture_pump(world->fixture);
}

void raw_image_check_updates(struct world *world, uint32_t format, uint64_t modifier, int tolerance)
{
	check_sized(world, format, modifier, RAW_IMAGE_WIDTH, RAW_IMAGE_HEIGHT, tolerance);
	check_sized(world, format, modifier, ODD_WIDTH, ODD_HEIGHT, tolerance);
}
