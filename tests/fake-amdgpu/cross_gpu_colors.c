/* SPDX-License-Identifier: MIT */
/*
 * Video of another GPU: its color representation, and the default by size, apply to the copies
 * that are composed, captured and put on planes.
 */

#include "buffer/allocator.h"
#include "color-representation-v1-client-protocol.h"
#include "content/copies.h"
#include "content/internal.h"
#include "content/source.h"
#include "frame/frame.h"
#include "raw_image.h"
#include "scene/scene.h"
#include "shell/window.h"
#include "util/account.h"
#include <math.h>
#include <stdlib.h>

#define WIDTH RAW_IMAGE_WIDTH
#define HEIGHT RAW_IMAGE_HEIGHT

/* Of a channel, in 255ths: renderers are exact, but drivers scale and convert in their own ways. */
#define DRIVER_TOLERANCE 3

/* A size whose default is BT.709. */
#define HD_WIDTH 1280

static enum renderer_kind renderer;
static const struct box all = {0, 0, WIDTH, HEIGHT};

struct film {
	struct world *world;
	struct raw_image images[2]; /* shown in turns */
	struct peer_window *window;
	struct wp_color_representation_manager_v1 *manager;
	struct wp_color_representation_surface_v1 *representation;
	int n; /* commits */
};

static int tolerance(void)
{
	return renderer == RENDERER_GLES ? DRIVER_TOLERANCE : 0;
}

static int set_up(void **state)
{
	const struct world_options options = {.width = WIDTH,
		.height = HEIGHT,
		.config = "[gpu]\ndefault = discrete\n",
		.renderer = renderer,
		.all_formats = true};
	struct world *world = world_create_with(&options);
	struct canvas canvas;
	/* Waits until the GPU's formats were read, on a thread. */
	canvas_init(&canvas, world);
	canvas_finish(&canvas);
	*state = world;
	return 0;
}

static bool shows_video(const struct world *world)
{
	return format_set_has(&world->fixture->server->device->renderer->texture_formats,
		DRM_FORMAT_YUYV, DRM_FORMAT_MOD_LINEAR);
}

static void film_init(struct film *film, struct world *world)
{
	*film = (struct film){.world = world};
	for (int i = 0; i < 2; i++) {
		raw_image_init(&film->images[i], world, DRM_FORMAT_YUYV, WORLD_MODIFIER);
		raw_image_draw(&film->images[i], &all, (uint32_t)i);
	}
	film->manager = peer_bind(world->peer, &wp_color_representation_manager_v1_interface, 0);
}

static void film_open(struct film *film)
{
	film->window = peer_window_create_unmapped(film->world->peer);
	film->representation = wp_color_representation_manager_v1_get_surface(
		film->manager, film->window->surface);
}

static void film_finish(struct film *film)
{
	wp_color_representation_surface_v1_destroy(film->representation);
	wp_color_representation_manager_v1_destroy(film->manager);
	peer_window_destroy(film->window);
	for (int i = 0; i < 2; i++) {
		raw_image_finish(&film->images[i]);
	}
}

/* Draws and commits the next image. */
static void film_show(struct film *film)
{
	struct raw_image *image = &film->images[++film->n % 2];
	raw_image_draw(image, &all, (uint32_t)film->n + 7);
	raw_image_show(image, film->window, &all);
}

static void set_coding(struct film *film, struct color_coding coding)
{
	static const uint32_t coefficients[] = {
		[COLOR_MATRIX_BT601] = WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT601,
		[COLOR_MATRIX_BT709] = WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
		[COLOR_MATRIX_BT2020] = WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT2020,
	};
	wp_color_representation_surface_v1_set_coefficients_and_range(film->representation,
		coefficients[coding.matrix],
		coding.range == COLOR_RANGE_FULL
			? WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL
			: WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_LIMITED);
}

static struct content *content_of(const struct film *film)
{
	return content_find(peer_surface_find(film->world->peer, film->window->surface),
		film->world->fixture->server->device);
}

/* As for a plane, before anything is composed. */
static void expect_plane(const struct film *film, struct color_coding coding)
{
	const struct content *content = content_of(film);
	const struct buffer *plane = content->source->plane_buffer(content);
	assert_non_null(plane);
	assert_true(color_coding_equal(plane->coding, coding));
	assert_int_equal(plane->width, WIDTH);
	assert_int_equal(plane->height, HEIGHT);
}

/* Composed, captured, and on a plane. */
static void expect_coding(struct film *film, struct color_coding coding)
{
	struct raw_image *image = &film->images[film->n % 2];
	struct server *server = film->world->fixture->server;
	image->reference->coding = coding;
	raw_image_check(image, tolerance(), film->n);

	struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	struct frame_capture capture = {
		.root = peer_window_find(film->window)->surface_tree, .box = {0, 0, WIDTH, HEIGHT}};
	int fence;
	assert_true(frame_capture(server->scene, server->device, target, &capture, &fence));
	struct image *captured = image_from_buffer(target);
	struct image *shot = fixture_shot(film->world->fixture, 0);
	struct image_difference difference;
	assert_true(image_compare(captured, shot, tolerance(), 0, &difference));
	image_destroy(captured);
	image_destroy(shot);
	buffer_drop(target);
	expect_plane(film, coding);
}

static const struct color_coding codings[] = {
	{COLOR_MATRIX_BT709, COLOR_RANGE_FULL},
	{COLOR_MATRIX_BT601, COLOR_RANGE_LIMITED},
	{COLOR_MATRIX_BT2020, COLOR_RANGE_LIMITED},
	{COLOR_MATRIX_BT709, COLOR_RANGE_LIMITED},
	{COLOR_MATRIX_BT601, COLOR_RANGE_FULL},
	{COLOR_MATRIX_BT2020, COLOR_RANGE_FULL},
};

#define N_CODINGS (sizeof(codings) / sizeof(codings[0]))

static void copies_have_the_representation_of_the_surface(void **state)
{
	struct film film;
	if (!shows_video(*state)) {
		skip(); /* the driver does not import YUYV */
	}
	film_init(&film, *state);
	film_open(&film);
	set_coding(&film, codings[0]);
	film_show(&film);
	fixture_pump(film.world->fixture);
	peer_window_place(film.window, 0, 0);
	fixture_frames(film.world->fixture, 4);
	expect_coding(&film, codings[0]);
	for (size_t i = 0; i < 2 * N_CODINGS; i++) {
		set_coding(&film, codings[i % N_CODINGS]);
		film_show(&film);
		fixture_frames(film.world->fixture, 4);
		expect_coding(&film, codings[i % N_CODINGS]);
		/* Later buffers keep it. */
		film_show(&film);
		fixture_frames(film.world->fixture, 3);
		expect_coding(&film, codings[i % N_CODINGS]);
	}
	wp_color_representation_surface_v1_destroy(film.representation);
	film_show(&film);
	fixture_frames(film.world->fixture, 4);
	expect_coding(&film, (struct color_coding){0});
	film.representation =
		wp_color_representation_manager_v1_get_surface(film.manager, film.window->surface);
	film_finish(&film);
}

/* The buffer is released by then: nothing is copied. */
static void representation_changes_without_a_new_buffer(void **state)
{
	struct film film;
	if (!shows_video(*state)) {
		skip();
	}
	film_init(&film, *state);
	film_open(&film);
	film_show(&film);
	fixture_pump(film.world->fixture);
	peer_window_place(film.window, 0, 0);
	fixture_frames(film.world->fixture, 4);
	expect_coding(&film, (struct color_coding){0});
	uint64_t copied = world_copied(film.world);
	for (size_t i = 0; i < 2 * N_CODINGS; i++) {
		set_coding(&film, codings[i % N_CODINGS]);
		wl_surface_commit(film.window->surface);
		fixture_pump(film.world->fixture);
		expect_plane(&film, codings[i % N_CODINGS]);
		fixture_frames(film.world->fixture, 3);
		expect_coding(&film, codings[i % N_CODINGS]);
	}
	assert_int_equal(world_copied(film.world), copied);
	film_finish(&film);
}

/*
 * The buffer is still needed below a cover: its copied pixels are shown in other colors at once.
 */
static void representation_changes_before_all_is_copied(void **state)
{
	struct film film;
	if (!shows_video(*state)) {
		skip();
	}
	film_init(&film, *state);
	struct fixture *fixture = film.world->fixture;
	film_open(&film);
	film_show(&film);
	fixture_pump(fixture);
	peer_window_place(film.window, 0, 0);
	fixture_frames(fixture, 4);
	world_cover(film.world, WIDTH / 2, 0, WIDTH, HEIGHT);
	for (size_t i = 0; i < N_CODINGS; i++) {
		film_show(&film);
		fixture_frames(fixture, 4);
		assert_non_null(content_of(&film)->surface->current.buffer);
		struct image *before = fixture_shot(fixture, 0);
		fake_gpu_hold(film.world->fake);
		set_coding(&film, codings[i]);
		wl_surface_commit(film.window->surface);
		fixture_frames(fixture, 2);
		struct image *now = fixture_shot(fixture, 0);
		fake_gpu_release(film.world->fake);
		fixture_frames(fixture, 4);
		struct image *after = fixture_shot(fixture, 0);
		struct image_difference difference;
		assert_false(image_compare(before, now, 0, 0, &difference));
		assert_true(image_compare(now, after, 0, 0, &difference));
		image_destroy(before);
		image_destroy(now);
		image_destroy(after);
	}
	film_finish(&film);
}

/* Renderers convert video to pixels of their own, which count as the client's memory. */
static void converted_copies_are_charged_to_the_client(void **state)
{
	struct film film;
	if (!shows_video(*state)) {
		skip();
	}
	film_init(&film, *state);
	film_open(&film);
	for (int i = 0; i < 6; i++) {
		film_show(&film);
		fixture_frames(film.world->fixture, 4);
	}
	const struct content *content = content_of(&film);
	const struct source_copy *copy = content->copy;
	int n = 0;
	for (int i = 0; i < STAGING_MAX; i++) {
		n += copy->textures[i].texture && !copy->textures[i].holds;
	}
	assert_int_equal(n > 0, renderer == RENDERER_PIXMAN);
	assert_int_equal(content->charged, content_copy_memory(copy) + n * WIDTH * HEIGHT * 4);
	assert_true(content->account->used[ACCOUNT_PIXELS] >= content->charged);
	film_finish(&film);
}

/* Old pixels are never shown in the colors of new ones. */
static void representation_waits_for_the_copy_of_its_buffer(void **state)
{
	struct film film;
	if (!shows_video(*state)) {
		skip();
	}
	film_init(&film, *state);
	film_open(&film);
	film_show(&film);
	fixture_pump(film.world->fixture);
	peer_window_place(film.window, 0, 0);
	fixture_frames(film.world->fixture, 4);
	struct image *before = fixture_shot(film.world->fixture, 0);
	fake_gpu_hold(film.world->fake);
	set_coding(&film, codings[0]);
	film_show(&film);
	for (int i = 0; i < 10; i++) {
		fixture_frames(film.world->fixture, 1);
		struct image *now = fixture_shot(film.world->fixture, 0);
		struct image_difference difference;
		assert_true(image_compare(before, now, 0, 0, &difference));
		image_destroy(now);
	}
	image_destroy(before);
	fake_gpu_release(film.world->fake);
	fixture_frames(film.world->fixture, 3);
	expect_coding(&film, codings[0]);
	film_finish(&film);
}

/* Updates of hidden windows wait for no copies, which are late when it appears again. */
static void window_that_appears_shows_no_old_pixels_in_new_colors(void **state)
{
	struct film film;
	if (!shows_video(*state)) {
		skip();
	}
	film_init(&film, *state);
	struct fixture *fixture = film.world->fixture;
	film_open(&film);
	film_show(&film);
	fixture_pump(fixture);
	peer_window_place(film.window, 0, 0);
	fixture_frames(fixture, 4);
	for (size_t i = 0; i < N_CODINGS; i++) {
		window_set_minimized(peer_window_find(film.window), true);
		fixture_settle(fixture);
		fake_gpu_hold(film.world->fake);
		set_coding(&film, codings[i]);
		film_show(&film);
		fixture_frames(fixture, 2);
		window_set_minimized(peer_window_find(film.window), false);
		for (int j = 0; j < 10; j++) {
			fixture_frames(fixture, 1);
			/* A row of the background instead of noise. */
			const uint32_t pixel = fixture_pixel(fixture, 8, 8);
			assert_int_equal(fixture_pixel(fixture, 60, 8), pixel);
			assert_int_equal(fixture_pixel(fixture, 91, 8), pixel);
		}
		fake_gpu_release(film.world->fake);
		fixture_frames(fixture, 4);
		expect_coding(&film, codings[i]);
	}
	film_finish(&film);
}

/* Returns the color of all pixels with these codes, in limited range. */
static uint32_t convert(struct color_coding coding, int luma, int u, int v)
{
	double red, blue;
	color_coding_weights(coding, &red, &blue);
	double y = (luma - 16) / 219.0, cb = (u - 128) / 224.0, cr = (v - 128) / 224.0;
	double r = y + 2 * (1 - red) * cr, b = y + 2 * (1 - blue) * cb;
	double g = (y - red * r - blue * b) / (1 - red - blue);
	return (uint32_t)lround(fmin(fmax(r, 0), 1) * 255) << 16 |
	       (uint32_t)lround(fmin(fmax(g, 0), 1) * 255) << 8 |
	       (uint32_t)lround(fmin(fmax(b, 0), 1) * 255);
}

static void expect_near(struct world *world, uint32_t color)
{
	uint32_t pixel = fixture_pixel(world->fixture, 8, 8);
	for (int shift = 0; shift < 24; shift += 8) {
		int difference = (int)(pixel >> shift & 0xff) - (int)(color >> shift & 0xff);
		if (abs(difference) > DRIVER_TOLERANCE) {
			fail_msg("%06x, not %06x", pixel, color);
		}
	}
}

/* The size of the client's buffer decides, not that of the window. */
static void default_follows_the_size_of_the_buffer(void **state)
{
	static const struct {
		int width, height;
		enum color_matrix matrix;
	} sizes[] = {
		{64, 64, COLOR_MATRIX_BT601},
		{HD_WIDTH, 64, COLOR_MATRIX_BT709},
		{HD_WIDTH - 2, 576, COLOR_MATRIX_BT601},
		{64, 578, COLOR_MATRIX_BT709},
	};
	struct world *world = *state;
	if (!shows_video(world)) {
		skip();
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct canvas canvas;
		canvas_init_sized(
			&canvas, world, sizes[i].width, sizes[i].height, DRM_FORMAT_YUYV, true);
		/* In memory: 120, 100, 120, 160. */
		canvas_fill(&canvas, 160u << 24 | 120u << 16 | 100u << 8 | 120u);
		struct peer_window *window = peer_window_create_unmapped(world->peer);
		canvas_commit(&canvas, window, 0, 0, canvas.width, canvas.height);
		fixture_pump(world->fixture);
		peer_window_place(window, 0, 0);
		fixture_frames(world->fixture, 4);
		assert_true(world_copied(world) > 0);
		expect_near(
			world, convert((struct color_coding){sizes[i].matrix, COLOR_RANGE_LIMITED},
				       120, 100, 160));
		peer_window_destroy(window);
		canvas_finish(&canvas);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(copies_have_the_representation_of_the_surface),
		TEST(representation_changes_without_a_new_buffer),
		TEST(representation_changes_before_all_is_copied),
		TEST(converted_copies_are_charged_to_the_client),
		TEST(representation_waits_for_the_copy_of_its_buffer),
		TEST(window_that_appears_shows_no_old_pixels_in_new_colors),
		TEST(default_follows_the_size_of_the_buffer),
	};

	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("colors", tests, NULL, NULL);
}
