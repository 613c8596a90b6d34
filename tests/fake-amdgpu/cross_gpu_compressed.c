/* SPDX-License-Identifier: MIT */
/* Windows of compressed (DCC) buffers, copied from another GPU. */

#include "harness/await.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "metadata.h"
#include "world.h"
#include <drm_fourcc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT
#define ON "[gpu]\ncompressed-copies = yes\n"
#define METADATA_OFFSET ((size_t)WIDTH * HEIGHT * 4)

/* A buffer with metadata behind its pixels, and the pixels that it stands for. */
struct picture {
	struct world *world;
	struct wl_buffer *buffer;
	struct tiling tiling;
	struct fake_metadata metadata;
	uint8_t *map;
	int fd;
	uint32_t expected[HEIGHT][WIDTH];
};

static void handle_created(
	void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *buffer)
{
	struct picture *picture = data;
	picture->buffer = buffer;
}

static void handle_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {
	.created = handle_created,
	.failed = handle_failed,
};

static void add_plane(struct zwp_linux_buffer_params_v1 *params, int fd, uint32_t plane,
	uint32_t offset, uint32_t stride)
{
	zwp_linux_buffer_params_v1_add(params, fd, plane, offset, stride,
		(uint32_t)(WORLD_MODIFIER_COMPRESSED >> 32), (uint32_t)WORLD_MODIFIER_COMPRESSED);
}

static struct zwp_linux_buffer_params_v1 *describe(struct picture *picture, int n_planes)
{
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(picture->world->dmabuf);
	add_plane(params, picture->fd, 0, 0, WIDTH * 4);
	if (n_planes > 1) {
		add_plane(params, picture->fd, 1, METADATA_OFFSET, picture->metadata.layout.pitch);
	}
	zwp_linux_buffer_params_v1_add_listener(params, &params_listener, picture);
	return params;
}

static void ask_for_buffer(struct picture *picture, int n_planes)
{
	struct zwp_linux_buffer_params_v1 *params = describe(picture, n_planes);
	zwp_linux_buffer_params_v1_create(params, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888, 0);
	fixture_pump(picture->world->fixture);
	zwp_linux_buffer_params_v1_destroy(params);
}

/* Waits until the GPU's formats were read, on a thread. */
static void await_formats(struct world *world)
{
	struct canvas canvas;
	canvas_init(&canvas, world);
	canvas_finish(&canvas);
}

static struct picture *picture_create(struct world *world, int n_planes)
{
	struct picture *picture = calloc(1, sizeof(*picture));
	struct tiling_mode mode;
	void *map;

	picture->world = world;
	assert_true(tiling_mode_from_modifier(&mode, WORLD_MODIFIER_COMPRESSED));
	assert_true(tiling_init(&picture->tiling, &mode, 2));
	assert_true(fake_metadata_init(&picture->metadata, &mode, 2, WIDTH, HEIGHT));
	assert_int_equal(METADATA_OFFSET, tiling_size(&picture->tiling, WIDTH, HEIGHT));
	picture->fd = fake_dmabuf_create(METADATA_OFFSET + picture->metadata.layout.size, &map);
	picture->map = map;
	/* Blocks that nothing was drawn to hold garbage, and metadata that says black. */
	memset(map, 0x5a, METADATA_OFFSET);
	memset(picture->map + METADATA_OFFSET, 0, picture->metadata.layout.size);
	await_formats(world);
	ask_for_buffer(picture, n_planes);
	return picture;
}

static void picture_destroy(struct picture *picture)
{
	wl_buffer_destroy(picture->buffer);
	close(picture->fd);
	free(picture);
}

static uint32_t *pixel_at(struct picture *picture, int x, int y)
{
	return (uint32_t *)(void *)(picture->map + tiling_offset(&picture->tiling, WIDTH,
							   (uint32_t)x, (uint32_t)y));
}

static uint8_t *key_at(struct picture *picture, int x, int y)
{
	return picture->map + METADATA_OFFSET +
	       fake_metadata_offset(&picture->metadata, (uint32_t)x, (uint32_t)y);
}

/* Changes a block of 8x8 pixels by its metadata alone. */
static void clear_block(struct picture *picture, int x, int y, uint8_t key, uint32_t pixel)
{
	*key_at(picture, x, y) = key;
	for (int j = 0; j < 8; j++) {
		for (int i = 0; i < 8; i++) {
			picture->expected[y + j][x + i] = pixel;
		}
	}
}

/* Draws pixels, which end a block's compression. */
static void draw_block(struct picture *picture, int x, int y, uint32_t seed)
{
	*key_at(picture, x, y) = FAKE_UNCOMPRESSED;
	for (int j = y; j < y + 8; j++) {
		for (int i = x; i < x + 8; i++) {
			picture->expected[j][i] =
				(seed * 2654435761U + (uint32_t)(j * 4099 + i * 17)) & 0xffffff;
			*pixel_at(picture, i, j) = picture->expected[j][i];
		}
	}
}

/* Fills a rectangle of whole blocks: drawn, white, black and of one colour in turn. */
static void paint(struct picture *picture, int x, int y, int width, int height, uint32_t seed)
{
	for (int j = y; j < y + height; j += 8) {
		for (int i = x; i < x + width; i += 8) {
			switch ((uint32_t)(i + 3 * j) / 8 % 5 + seed % 2) {
			case 0: clear_block(picture, i, j, 0xc0, 0xffffff); break;
			case 1: clear_block(picture, i, j, 0x40, 0x000000); break;
			case 2:
				draw_block(picture, i, j, seed);
				clear_block(picture, i, j, 0x10, picture->expected[j][i]);
				break;
			default: draw_block(picture, i, j, seed); break;
			}
		}
	}
}

static void expect(struct picture *picture)
{
	struct image *shot = fixture_shot(picture->world->fixture, 0);
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			uint32_t pixel = shot->pixels[y * WIDTH + x];
			if (pixel != picture->expected[y][x]) {
				fail_msg("%d, %d: %06x, not %06x", x, y, pixel,
					picture->expected[y][x]);
			}
		}
	}
	image_destroy(shot);
}

static struct peer_window *show(struct picture *picture)
{
	struct world *world = picture->world;
	struct peer_window *window = peer_window_create_unmapped(world->peer);
	wl_surface_attach(window->surface, picture->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, WIDTH, HEIGHT);
	wl_surface_commit(window->surface);
	fixture_pump(world->fixture);
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 3);
	fixture_settle(world->fixture);
	return window;
}

static int set_up(void **state)
{
	*state = world_create_configured(WIDTH, HEIGHT, ON);
	return 0;
}

static void compressed_window_is_copied_exactly(void **state)
{
	struct world *world = *state;
	struct picture *picture = picture_create(world, 2);
	assert_non_null(picture->buffer);
	paint(picture, 64, 32, 800, 400, 2);
	struct peer_window *window = show(picture);
	expect(picture);
	assert_int_equal(world_copied(world), WIDTH * HEIGHT * 4);
	/* Only damage is copied, whether pixels or metadata changed. */
	for (int i = 0; i < 6; i++) {
		uint64_t before = world_copied(world);
		int x = 40 * i + 16, y = 48 * i;
		paint(picture, x, y, 64, 48, (uint32_t)i);
		wl_surface_attach(window->surface, picture->buffer, 0, 0);
		wl_surface_damage_buffer(window->surface, x, y, 64, 24);
		wl_surface_damage_buffer(window->surface, x, y + 24, 32, 24);
		wl_surface_damage_buffer(window->surface, x + 32, y + 24, 32, 24);
		wl_surface_commit(window->surface);
		fixture_frames(world->fixture, 3);
		assert_int_equal(world_copied(world) - before, 64 * 48 * 4);
		expect(picture);
	}
	picture_destroy(picture);
}

static void buffer_without_metadata_is_not_copied(void **state)
{
	struct world *world = *state;
	struct picture *picture = picture_create(world, 1);
	if (picture->buffer) {
		show(picture);
	}
	assert_int_equal(world_copied(world), 0);
	assert_true(peer_alive(world->peer));
	picture_destroy(picture);
}

struct offers {
	bool plain, compressed, retiled;
};

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

static void handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format,
	uint32_t high, uint32_t low)
{
	struct offers *offers = data;
	uint64_t modifier = (uint64_t)high << 32 | low;
	offers->plain |= modifier == WORLD_MODIFIER;
	offers->compressed |= modifier == WORLD_MODIFIER_COMPRESSED;
	offers->retiled |= modifier == WORLD_MODIFIER_RETILED;
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

static void check_offers(struct world *world, bool compressed)
{
	struct offers offers = {0};
	await_formats(world);
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);
	zwp_linux_dmabuf_v1_add_listener(dmabuf, &dmabuf_listener, &offers);
	fixture_pump(world->fixture);
	assert_true(offers.plain);
	assert_int_equal(offers.compressed, compressed);
	assert_false(offers.retiled);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
}

static void compressed_layouts_are_offered_if_configured(void **state)
{
	struct world *world = world_create(WIDTH, HEIGHT);
	check_offers(world, false);
	world_destroy(world);
	world = world_create_configured(WIDTH, HEIGHT, ON);
	check_offers(world, true);
	world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			compressed_window_is_copied_exactly, set_up, world_tear_down),
		cmocka_unit_test_setup_teardown(
			buffer_without_metadata_is_not_copied, set_up, world_tear_down),
		cmocka_unit_test(compressed_layouts_are_offered_if_configured),
	};

	return cmocka_run_group_tests_name("compressed", tests, NULL, NULL);
}
