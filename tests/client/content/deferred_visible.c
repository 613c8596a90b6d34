/* SPDX-License-Identifier: MIT */
/*
 * Deferred uploads of windows of which other pixels become visible: by a move during the upload of
 * an update, or by an update that maps the buffer to the surface in another way.
 */

#include "content/internal.h"
#include "frame/internal.h"
#include "harness/await.h"
#include "harness/peer.h"
#include "surface/surface.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include "viewporter-client-protocol.h"

#define WIDTH 200
#define HEIGHT 180
#define GREEN 0xff00ff00u
#define BLUE 0xff0000ffu
#define RED 0xffff0000u
/* Less than the pixels that become visible by a move of 100. */
#define BUDGET 10000

struct visible_world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	struct render_device *device;
	struct peer *peer;
	struct peer_window *window;
	struct wp_viewport *viewport;
	struct content *content;
};

static void show(struct visible_world *world, uint32_t color)
{
	struct peer_buffer *buffer =
		peer_buffer_create(world->peer, WIDTH, HEIGHT, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, WIDTH, HEIGHT, color);
	peer_surface_show(world->window->surface, buffer);
	fixture_pump(world->fixture);
}

static int set_up(void **state)
{
	struct visible_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(
		&(struct fixture_options){.renderer = RENDERER_GLES, .width = 320, .height = 240});
	world->device = world->fixture->server->device;
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 0, 0, WIDTH, HEIGHT, RED);
	struct wp_viewporter *viewporter = peer_bind(world->peer, &wp_viewporter_interface, 0);
	world->viewport = wp_viewporter_get_viewport(viewporter, world->window->surface);
	fixture_settle(world->fixture);
	world->content =
		content_find(peer_surface_find(world->peer, world->window->surface), world->device);
	content_device_from(world->device)->upload_budget = BUDGET;
	*state = world;
	return 0;
}

static void expect(struct visible_world *world, int x, uint32_t color)
{
	assert_int_equal(fixture_pixel(world->fixture, x, 10), color & 0xffffff);
}

enum mapping { TRANSFORM, SCALE, SOURCE };

static void map_buffer(struct visible_world *world, enum mapping mapping, bool next)
{
	struct wl_surface *surface = world->window->surface;
	switch (mapping) {
	case TRANSFORM:
		wl_surface_set_buffer_transform(
			surface, next ? WL_OUTPUT_TRANSFORM_180 : WL_OUTPUT_TRANSFORM_NORMAL);
		break;
	case SCALE: wl_surface_set_buffer_scale(surface, next ? 1 : 2); break;
	case SOURCE:
		wp_viewport_set_source(world->viewport, wl_fixed_from_int(next ? 100 : 0), 0,
			wl_fixed_from_int(100), wl_fixed_from_int(HEIGHT));
		wp_viewport_set_destination(world->viewport, 100, HEIGHT);
		break;
	}
}

/* The part of the buffer that will be visible is another one. */
static void check_mapping(struct visible_world *world, enum mapping mapping, int x)
{
	map_buffer(world, mapping, false);
	show(world, GREEN);
	fixture_frames(world->fixture, 4);
	peer_window_place(world->window, x, 0);
	fixture_frames(world->fixture, 4);
	expect(world, 10, GREEN);
	/* Only one upload is made before the pixels are compared. */
	fixture_block_uploads(world->fixture);
	map_buffer(world, mapping, true);
	show(world, BLUE);
	fixture_frames(world->fixture, 2);
	expect(world, 10, GREEN);
	struct content_device *device = content_device_from(world->device);
	assert_false(wl_list_empty(&device->uploads));
	fixture_open_uploads(world->fixture);
	fixture_block_uploads(world->fixture);
	await(!world->content->deferred.blocker.update, fixture_pump(world->fixture));
	fixture_frames(world->fixture, 2);
	expect(world, 10, BLUE);
}

static void transformed_update_shows_no_old_pixels(void **state)
{
	check_mapping(*state, TRANSFORM, -100);
}

static void scaled_update_shows_no_old_pixels(void **state)
{
	check_mapping(*state, SCALE, -50);
}

static void cropped_update_shows_no_old_pixels(void **state)
{
	check_mapping(*state, SOURCE, 0);
}

/* Shows an update of which the left half is beside the output. */
static void show_half(struct visible_world *world)
{
	peer_window_place(world->window, -100, 0);
	fixture_frames(world->fixture, 4);
	show(world, GREEN);
}

/* Lets an update apply, of which a move then shows pixels that were not uploaded with it. */
static void uncover_during_wait(struct visible_world *world)
{
	show_half(world);
	assert_null(world->content->deferred.blocker.update);
	fixture_block_uploads(world->fixture);
	peer_window_place(world->window, 0, 0);
	show(world, BLUE);
	assert_non_null(world->content->deferred.blocker.update);
}

/* The next update waits for the presentation of the one before, then takes the upload's place. */
static void update_that_waits_follows_an_upload_of_visible_pixels(void **state)
{
	struct visible_world *world = *state;
	uncover_during_wait(world);
	fixture_frames(world->fixture, 3);
	fixture_open_uploads(world->fixture);
	fixture_frames(world->fixture, 4);
	expect(world, 10, BLUE);
	expect(world, 190, BLUE);
	assert_null(world->content->deferred.blocker.update);
}

/* The frame that needs them is drawn and not presented yet, so that the next update still waits. */
static void visible_pixels_are_shown_before_the_update_that_waits(void **state)
{
	struct visible_world *world = *state;
	struct fixture *fixture = world->fixture;
	const struct content_deferred *deferred = &world->content->deferred;
	uncover_during_wait(world);
	const struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	assert_int_equal(frame->state, FRAME_QUEUED);
	clock_advance(fixture->clock, frame->timer.when - clock_now(fixture->clock));
	fixture_pump(fixture);
	assert_true(deferred->upload && deferred->of_current);
	assert_true(frame_wait_is_active(&deferred->shown));
	fixture_open_uploads(fixture);
	await(!deferred->upload || !deferred->of_current, fixture_pump(fixture));
	fixture_block_uploads(fixture);
	assert_null(deferred->upload);
	assert_non_null(deferred->blocker.update);
	fixture_frames(fixture, 3);
	expect(world, 10, GREEN);
	expect(world, 190, GREEN);
	fixture_open_uploads(fixture);
	fixture_frames(fixture, 4);
	expect(world, 10, BLUE);
	expect(world, 190, BLUE);
}

/* Pixels under upload are not uploaded by each frame as well. */
static void frames_leave_pixels_to_their_upload(void **state)
{
	struct visible_world *world = *state;
	show_half(world);
	fixture_frames(world->fixture, 4);
	fixture_block_uploads(world->fixture);
	peer_window_place(world->window, 0, 0);
	fixture_frames(world->fixture, 2);
	assert_true(world->content->deferred.upload && world->content->deferred.of_current);
	const uint64_t before = world->device->renderer->stats.bytes_uploaded;
	for (int i = 1; i < 6; i++) {
		peer_window_place(world->window, i, i);
		fixture_frames(world->fixture, 1);
	}
	assert_int_equal(world->device->renderer->stats.bytes_uploaded, before);
	fixture_open_uploads(world->fixture);
	fixture_frames(world->fixture, 2);
	expect(world, 20, GREEN);
	expect(world, 190, GREEN);
}

/* Commits a buffer in which boxes are red and the rest is green; the last box is damaged. */
static void show_boxes(struct visible_world *world, const struct box *boxes, int n)
{
	struct peer_buffer *buffer =
		peer_buffer_create(world->peer, WIDTH, HEIGHT, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, WIDTH, HEIGHT, GREEN);
	for (int i = 0; i < n; i++) {
		peer_buffer_fill(
			buffer, boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height, RED);
	}
	const struct box *last = &boxes[n - 1];
	wl_surface_attach(world->window->surface, buffer->buffer, 0, 0);
	wl_surface_damage_buffer(
		world->window->surface, last->x, last->y, last->width, last->height);
	wl_surface_commit(world->window->surface);
	fixture_pump(world->fixture);
}

/* Fails unless boxes are red and the rest of the window is green. */
static void expect_boxes(struct visible_world *world, const struct box *boxes, int n)
{
	struct image *shot = fixture_shot(world->fixture, 0);
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			uint32_t expected = GREEN;
			for (int i = 0; i < n; i++) {
				const struct box *box = &boxes[i];
				bool in = x >= box->x && y >= box->y && x < box->x + box->width &&
					  y < box->y + box->height;
				expected = in ? RED : expected;
			}
			if (shot->pixels[y * shot->width + x] != (expected & 0xffffff)) {
				fail_msg("%d updates: %d,%d is %06x", n, x, y,
					shot->pixels[y * shot->width + x]);
			}
		}
	}
	image_destroy(shot);
}

/*
 * The upload in progress is of pixels that updates change: inside, outside and across its edge.
 * Such updates wait for uploads of their own, apply while the window is hidden, or fit the budget
 * by now.
 */
static void upload_of_older_pixels_does_not_replace_newer_ones(void **state)
{
	static const struct box boxes[] = {{10, 5, 12, 9}, {94, 40, 12, 9}, {150, 20, 12, 9},
		{0, 100, 30, 40}, {10, 8, 20, 9}};
	enum { WAITS, HIDDEN, FITS, N_WAYS };
	struct visible_world *world = *state;
	struct content_device *device = content_device_from(world->device);
	for (int i = 0; i < N_WAYS * 5; i++) {
		const int way = i % N_WAYS, n = 1 + i / N_WAYS;
		show_half(world);
		fixture_frames(world->fixture, 4);
		fixture_block_uploads(world->fixture);
		peer_window_place(world->window, 0, 0);
		fixture_frames(world->fixture, 2);
		assert_true(world->content->deferred.upload && world->content->deferred.of_current);
		if (way == HIDDEN) {
			peer_window_place(world->window, -1000, 0);
			fixture_frames(world->fixture, 2);
		}
		device->upload_budget = way == FITS ? WIDTH * HEIGHT * 8 : BUDGET;
		for (int update = 1; update <= n; update++) {
			show_boxes(world, boxes, update);
			fixture_frames(world->fixture, 3);
		}
		fixture_open_uploads(world->fixture);
		fixture_frames(world->fixture, 6);
		peer_window_place(world->window, 0, 0);
		fixture_frames(world->fixture, 6);
		expect_boxes(world, boxes, n);
		device->upload_budget = BUDGET;
	}
}

/* The upload in progress has pixels of the next buffer: those of this one are due in the frame. */
static void pixels_beside_an_upload_of_an_update_are_shown(void **state)
{
	struct visible_world *world = *state;
	show_half(world);
	fixture_frames(world->fixture, 4);
	fixture_block_uploads(world->fixture);
	map_buffer(world, TRANSFORM, true); /* all of the buffer is uploaded */
	show(world, BLUE);
	assert_true(world->content->deferred.upload && !world->content->deferred.of_current);
	peer_window_place(world->window, -90, 0); /* less than the budget */
	fixture_frames(world->fixture, 2);
	expect(world, 5, GREEN);
	expect(world, 50, GREEN);
	fixture_open_uploads(world->fixture);
	fixture_frames(world->fixture, 4);
	expect(world, 5, BLUE);
	expect(world, 50, BLUE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(transformed_update_shows_no_old_pixels),
		TEST(scaled_update_shows_no_old_pixels),
		TEST(cropped_update_shows_no_old_pixels),
		TEST(update_that_waits_follows_an_upload_of_visible_pixels),
		TEST(visible_pixels_are_shown_before_the_update_that_waits),
		TEST(frames_leave_pixels_to_their_upload),
		TEST(upload_of_older_pixels_does_not_replace_newer_ones),
		TEST(pixels_beside_an_upload_of_an_update_are_shown),
	};
	return cmocka_run_group_tests_name("deferred uploads", tests, NULL, NULL);
}
