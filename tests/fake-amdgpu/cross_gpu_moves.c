/* SPDX-License-Identifier: MIT */
/*
 * Windows of another GPU that move to another output, or are hidden, while their next buffer is
 * copied: what they showed stays on screen.
 */

#include "harness/image.h"
#include "presentation-time-client-protocol.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "world.h"
#include <drm_fourcc.h>

#define WIDTH 320 /* of each output */
#define HEIGHT 240
#define RED 0xc80000
#define BLUE 0x0000c8
#define N_PLACES 5

struct place {
	const char *name;
	int x, y;
	bool on[2]; /* outputs that show the window */
};

static const struct place places[N_PLACES] = {
	{"first", 20, 20, {true, false}},
	{"second", WIDTH + 20, 20, {false, true}},
	{"both, mostly the first", WIDTH - 120, 20, {true, true}},
	{"both, mostly the second", WIDTH - 40, 20, {true, true}},
	{"edge of the second", 2 * WIDTH - 60, 60, {false, true}},
};

struct asked {
	int n_presented, n_discarded;
};

static void handle_sync_output(
	void *data, struct wp_presentation_feedback *proxy, struct wl_output *output)
{
}

static void handle_presented(void *data, struct wp_presentation_feedback *proxy,
	uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds, uint32_t refresh,
	uint32_t sequence_high, uint32_t sequence_low, uint32_t flags)
{
	struct asked *asked = data;
	asked->n_presented++;
	wp_presentation_feedback_destroy(proxy);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *proxy)
{
	struct asked *asked = data;
	asked->n_discarded++;
	wp_presentation_feedback_destroy(proxy);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

/* Returns the first column of the window at the place that an output shows. */
static int first_column(const struct place *place, int output)
{
	const int hidden = output * WIDTH - place->x;
	return hidden > 0 ? hidden : 0;
}

/* Returns a pixel of the window at the place, in a column of the window. */
static uint32_t find_shown(
	const struct world *world, const struct place *place, int output, int column)
{
	struct image *image = fixture_shot(world->fixture, output);
	const int x = place->x + column - output * WIDTH;
	assert_in_range(x, 0, WIDTH - 1);
	const uint32_t pixel = image->pixels[(place->y + 2) * image->width + x] & 0xffffff;
	image_destroy(image);
	return pixel;
}

static void move(struct peer_window *window, const struct place *place)
{
	window_move_to(peer_window_find(window), place->x, place->y);
}

/* Fails unless the first pixel of the window has the colour on each output that shows it. */
static void expect(
	struct world *world, const struct place *from, const struct place *to, uint32_t color)
{
	for (int i = 0; i < 2; i++) {
		if (!to->on[i]) {
			continue;
		}
		const uint32_t pixel = find_shown(world, to, i, first_column(to, i) + 2);
		if (pixel != color) {
			fail_msg("%s to %s, output %d: %06x, not %06x", from->name, to->name, i,
				pixel, color);
		}
	}
}

/* A window, and the buffer that replaces its first one. */
struct moved {
	struct world *world;
	struct canvas old, new;
	struct peer_window *window;
	struct asked asked;
};

/* Opens a red window, whose blue buffer waits for its copy. */
static void open_moved(
	struct moved *moved, const struct place *place, int width, int height, int n_devices)
{
	const struct world_options options = {
		.width = WIDTH, .height = HEIGHT, .n_outputs = 2, .all_formats = true};
	*moved = (struct moved){.world = world_create_with(&options)};
	struct world *world = moved->world;
	if (n_devices > 1) {
		world_add_device(world);
	}
	canvas_init_sized(&moved->old, world, 200, 150, DRM_FORMAT_XRGB8888, false);
	canvas_fill(&moved->old, 0xff000000 | RED);
	struct peer_window *window = moved->window = canvas_show(&moved->old);
	move(window, place);
	fixture_frames(world->fixture, 3);
	canvas_init_sized(&moved->new, world, width, height, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	struct wp_presentation *presentation =
		peer_bind(world->peer, &wp_presentation_interface, 0);
	wp_presentation_feedback_add_listener(
		wp_presentation_feedback(presentation, window->surface), &feedback_listener,
		&moved->asked);
	canvas_show_color(&moved->new, window, BLUE);
	fixture_frames(world->fixture, 2);
}

static void close_moved(struct moved *moved)
{
	canvas_finish(&moved->old);
	canvas_finish(&moved->new);
	world_destroy(moved->world);
}

static void move_during_copy(
	const struct place *from, const struct place *to, int width, int height)
{
	struct moved moved;
	open_moved(&moved, from, width, height, 1);
	struct fixture *fixture = moved.world->fixture;
	move(moved.window, to);
	fixture_frames(fixture, 1);
	for (int i = 0; i < 10; i++) {
		fixture_frames(fixture, 1);
		expect(moved.world, from, to, RED);
		assert_int_equal(moved.asked.n_presented + moved.asked.n_discarded, 0);
	}
	fake_gpu_release(moved.world->fake);
	fixture_frames(fixture, 5);
	expect(moved.world, from, to, BLUE);
	assert_int_equal(moved.asked.n_presented, 1);
	close_moved(&moved);
}

/* A buffer of the same size applies at once, and one of another size waits for its copy. */
static void content_stays_on_each_way_between_outputs(void **state)
{
	for (int from = 0; from < N_PLACES; from++) {
		for (int to = 0; to < N_PLACES; to++) {
			move_during_copy(&places[from], &places[to], 180, 130);
			move_during_copy(&places[from], &places[to], 200, 150);
		}
	}
}

/* Returns a column of the window that an output shows at both places; -1: there is none. */
static int find_column(const struct place *from, const struct place *to, int output)
{
	const int first_from = first_column(from, output), first_to = first_column(to, output);
	const int column = (first_from > first_to ? first_from : first_to) + 2;
	const int end = (output + 1) * WIDTH;
	const bool is_shown = from->x + column < end && to->x + column < end;
	return from->on[output] && to->on[output] && is_shown ? column : -1;
}

/*
 * A device whose output shows the window again keeps its pixels while any device that had them
 * shows the window: the update waits for both.
 */
static void expect_kept(const struct moved *moved, const struct place *const path[static 3],
	const char *when, bool is_held)
{
	const bool waits = (path[0]->on[0] && path[1]->on[0]) || (path[0]->on[1] && path[1]->on[1]);
	for (int i = 0; i < 2; i++) {
		const int column = find_column(path[0], path[2], i);
		if (!waits || column < 0) {
			continue;
		}
		const uint32_t pixel = find_shown(moved->world, path[2], i, column);
		if (pixel != RED && (is_held || pixel != BLUE)) {
			fail_msg("%s, %s, %s: output %d shows %06x %s", path[0]->name,
				path[1]->name, path[2]->name, i, pixel, when);
		}
	}
}

static void return_during_copy(const struct place *const path[static 3])
{
	struct moved moved;
	open_moved(&moved, path[0], 180, 130, 2);
	struct fixture *fixture = moved.world->fixture;
	move(moved.window, path[1]);
	fixture_frames(fixture, 3);
	move(moved.window, path[2]);
	fixture_frames(fixture, 3);
	for (int i = 0; i < 4; i++) {
		fixture_frames(fixture, 1);
		expect_kept(&moved, path, "during the copies", true);
		assert_int_equal(moved.asked.n_presented + moved.asked.n_discarded, 0);
	}
	for (int i = 0; i < 6; i++) {
		fake_gpu_step(moved.world->fake, 1);
		fixture_frames(fixture, 1);
		expect_kept(&moved, path, "after a copy", false);
	}
	fake_gpu_release(moved.world->fake);
	fixture_frames(fixture, 5);
	expect(moved.world, path[0], path[2], BLUE);
	assert_int_equal(moved.asked.n_presented, 1);
	close_moved(&moved);
}

/* Each output is composed by a device of its own, which copies the new buffer, too. */
static void content_stays_on_devices_that_the_window_leaves_and_returns_to(void **state)
{
	for (int i = 0; i < N_PLACES * N_PLACES * N_PLACES; i++) {
		return_during_copy((const struct place *[]){&places[i % N_PLACES],
			&places[i / N_PLACES % N_PLACES], &places[i / (N_PLACES * N_PLACES)]});
	}
}

static void wait_ends_as_without_a_move(void **state)
{
	for (int n_devices = 1; n_devices <= 2; n_devices++) {
		struct moved moved;
		open_moved(&moved, &places[2], 180, 130, n_devices);
		struct world *world = moved.world;
		const struct surface *surface =
			peer_surface_find(world->peer, moved.window->surface);
		for (int i = 1; i < 18; i++) {
			move(moved.window, &places[i % N_PLACES]);
			fixture_sleep(world->fixture, INT64_C(100000000));
		}
		assert_int_equal(surface->current.buffer_width, 200);
		fixture_sleep(world->fixture, INT64_C(400000000));
		assert_int_equal(surface->current.buffer_width, 180);
		fake_gpu_release(world->fake);
		fake_gpu_fault(world->fake); /* its memory is gone */
		close_moved(&moved);
	}
}

/* The second of two sizes waits for the first one's frame, and its copy has not begun. */
static void sizes_after_a_hidden_one_wait_for_their_copies(void **state)
{
	struct moved moved;
	const struct place *place = &places[0];
	open_moved(&moved, place, 180, 130, 1);
	struct world *world = moved.world;
	struct canvas first, last;
	canvas_init_sized(&first, world, 190, 140, DRM_FORMAT_XRGB8888, false);
	canvas_init_sized(&last, world, 170, 120, DRM_FORMAT_XRGB8888, false);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	expect(world, place, place, BLUE);
	const struct surface *surface = peer_surface_find(world->peer, moved.window->surface);
	canvas_show_color(&first, moved.window, RED);
	fixture_pump(world->fixture);
	assert_int_equal(surface->current.buffer_width, 190);
	canvas_show_color(&moved.new, moved.window, BLUE);
	fixture_pump(world->fixture);
	assert_int_equal(surface->n_queued, 1);
	window_set_minimized(peer_window_find(moved.window), true);
	fixture_frames(world->fixture, 3);
	assert_int_equal(surface->n_queued, 0);
	window_set_minimized(peer_window_find(moved.window), false);
	fixture_frames(world->fixture, 4);
	expect(world, place, place, BLUE);
	fixture_sleep(world->fixture, INT64_C(2500000000)); /* longer than an update waits */
	fake_gpu_hold(world->fake);
	canvas_show_color(&last, moved.window, RED);
	for (int i = 0; i < 10; i++) {
		fixture_frames(world->fixture, 1);
		expect(world, place, place, BLUE);
	}
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	expect(world, place, place, RED);
	canvas_finish(&first);
	canvas_finish(&last);
	close_moved(&moved);
}

#define GREEN 0x00c800

/*
 * Two devices copy updates of another format or size, but only one of them the tiled buffer before:
 * the other one reads its linear predecessor in place. The copy of one device is done when the
 * update takes over a newer one for the other device.
 */
static void show_after_a_linear_buffer(const struct place *place, int width, uint32_t format)
{
	struct world *world = world_create_with(&(const struct world_options){.width = WIDTH,
		.height = HEIGHT,
		.n_outputs = 2,
		.all_formats = true,
		.display = WORLD_DISPLAY_INTEGRATED});
	world_add_device(world);
	world_set_costs(world);
	struct canvas linear, tiled, first, last;
	canvas_init_sized(&linear, world, 200, 3, DRM_FORMAT_XRGB8888, true);
	canvas_init_sized(&tiled, world, 200, 3, DRM_FORMAT_XRGB8888, false);
	canvas_init_sized(&first, world, width, 3, format, false);
	canvas_init_sized(&last, world, width, 3, format, false);
	canvas_fill(&linear, 0xff000000 | RED);
	struct peer_window *window = canvas_show(&linear);
	move(window, place);
	fixture_frames(world->fixture, 4);
	expect(world, place, place, RED);
	fake_gpu_hold(world->fake);
	canvas_show_color(&tiled, window, BLUE);
	fixture_frames(world->fixture, 2);
	expect(world, place, place, RED);
	canvas_show_color(&first, window, RED);
	fixture_frames(world->fixture, 2);
	canvas_show_color(&last, window, GREEN);
	fixture_frames(world->fixture, 2);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 5);
	expect(world, place, place, GREEN);
	canvas_finish(&linear);
	canvas_finish(&tiled);
	canvas_finish(&first);
	canvas_finish(&last);
	world_destroy(world);
}

static void newest_of_waiting_updates_is_shown_on_two_devices(void **state)
{
	static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888};
	for (int i = 0; i < N_PLACES; i++) {
		for (int format = 0; format < 2; format++) {
			show_after_a_linear_buffer(&places[i], 200, formats[format]);
			show_after_a_linear_buffer(&places[i], 180, formats[format]);
		}
	}
}

/*
 * An integrated GPU reads no buffer that is written: the right half, which the written buffer alone
 * has, is absent when it becomes visible, and is drawn into each buffer of the output after that.
 */
static void pixels_return_when_the_copy_that_hid_them_ends(void **state)
{
	const int half = WIDTH / 2;
	struct world *world = world_create_with(&(const struct world_options){
		.width = WIDTH, .height = HEIGHT, .display = WORLD_DISPLAY_INTEGRATED});
	struct canvas first, second, third, fourth;
	struct peer_window *window = canvas_open(&first, world);
	canvas_expect(&first, 0, 0, WIDTH, HEIGHT);
	canvas_init(&second, world);
	canvas_init(&third, world);
	canvas_init(&fourth, world);
	peer_window_place(window, half, 0);
	fixture_settle(world->fixture);
	canvas_update(&second, window, 0, 0, WIDTH, HEIGHT, 2);
	fixture_frames(world->fixture, 4);
	fake_gpu_hold(world->fake);
	canvas_update(&third, window, 0, 0, WIDTH, HEIGHT, 3);
	fixture_frames(world->fixture, 2);
	canvas_update(&fourth, window, 0, 0, WIDTH, HEIGHT, 4);
	fixture_frames(world->fixture, 2);
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 4);
	canvas_expect(&second, 0, 0, half, HEIGHT);
	assert_int_not_equal(
		fixture_pixel(world->fixture, half + 8, 8), *canvas_pixel(&first, half + 8, 8));
	fake_gpu_step(world->fake, 1);
	fixture_frames(world->fixture, 2);
	canvas_expect(&third, 0, 0, half, HEIGHT);
	canvas_expect(&first, half, 0, half, HEIGHT);
	/* Small changes draw into one buffer of the output after the other. */
	for (int i = 0; i < 4; i++) {
		peer_window_destroy(world_cover(world, 0, 0, 8, 8));
		canvas_expect(&first, half, 0, half, HEIGHT);
		fixture_frames(world->fixture, 1);
		canvas_expect(&first, half, 0, half, HEIGHT);
	}
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	canvas_expect(&fourth, 0, 0, WIDTH, HEIGHT);
	peer_window_destroy(window);
	canvas_finish(&first);
	canvas_finish(&second);
	canvas_finish(&third);
	canvas_finish(&fourth);
	world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_stays_on_each_way_between_outputs),
		cmocka_unit_test(content_stays_on_devices_that_the_window_leaves_and_returns_to),
		cmocka_unit_test(wait_ends_as_without_a_move),
		cmocka_unit_test(sizes_after_a_hidden_one_wait_for_their_copies),
		cmocka_unit_test(newest_of_waiting_updates_is_shown_on_two_devices),
		cmocka_unit_test(pixels_return_when_the_copy_that_hid_them_ends),
	};
	return cmocka_run_group_tests_name("moves", tests, NULL, NULL);
}
