/* SPDX-License-Identifier: MIT */
/* The magnifier on the screen: its picture and damage, and how the view follows the user. */

#include "backend/headless.h"
#include "frame/frame.h"
#include "harness/client/capturer.h"
#include "harness/client/reload.h"
#include "harness/client/text_input.h"
#include "harness/hand.h"
#include "harness/peer.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>
#include <math.h>
#include <stdlib.h>

#define WIDTH 320
#define HEIGHT 240
#define RED 0xff0000
#define GREEN 0x00ff00

struct test {
	struct fixture *fixture;
	struct input_device *keyboard, *pointer;
	struct peer *peer;
	struct peer_window *window; /* 160x120 at 40, 40 on the first of two outputs */
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	const struct fixture_options options = {.renderer = renderer, .n_outputs = 2};
	test->fixture = fixture_create(&options);
	struct backend *backend = test->fixture->server->backend;
	test->keyboard = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	test->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
	test->peer = peer_create(test->fixture);
	test->window = peer_window_create(test->peer, 40, 40, 160, 120, 0xff000000 | RED);
	fixture_settle(test->fixture);
	*state = test;
	return 0;
}

static struct scene_output *output(struct test *test, int i)
{
	return test->fixture->server->scene->outputs[i];
}

static const struct frame_stats *stats(struct test *test)
{
	return frame_output_stats(frame_output_find(output(test, 0)));
}

static void run(struct test *test, const char *action)
{
	assert_true(shell_run_action(test->fixture->server->shell, action, NULL));
	fixture_settle(test->fixture);
}

/* Moves the pointer to a part of the first output. */
static void point(struct test *test, double x, double y)
{
	const struct box box = scene_output_box(output(test, 0));
	const struct coord_global at = {box.x + x * box.width, box.y + y * box.height};
	pointer_warp(test->fixture->server->seat, at);
	fixture_settle(test->fixture);
}

static int channel(uint32_t pixel, int i)
{
	return (int)(pixel >> (8 * i) & 0xff);
}

static bool is_alike(uint32_t a, uint32_t b, int tolerance)
{
	return abs(channel(a, 0) - channel(b, 0)) <= tolerance &&
	       abs(channel(a, 1) - channel(b, 1)) <= tolerance &&
	       abs(channel(a, 2) - channel(b, 2)) <= tolerance;
}

/* Returns true if the pixels around have the same colour, so that no filter changes it. */
static bool is_flat(const struct image *image, int x, int y)
{
	const uint32_t *pixels = image->pixels;
	for (int v = y - 1; v <= y + 1; v++) {
		for (int u = x - 1; u <= x + 1; u++) {
			if (u < 0 || v < 0 || u >= image->width || v >= image->height ||
				!is_alike(pixels[v * image->width + u],
					pixels[y * image->width + x], 2)) {
				return false;
			}
		}
	}
	return true;
}

/*
 * Compares the picture with an enlarged one, in its areas of one colour. `x`, `y`: the fixed pixel.
 */
static void assert_enlarged(
	const struct image *seen, const struct image *usual, double factor, int x, int y)
{
	int n = 0;
	for (int v = 0; v < seen->height; v++) {
		for (int u = 0; u < seen->width; u++) {
			const int from_u = (int)floor((u + 0.5 + x * (factor - 1)) / factor);
			const int from_v = (int)floor((v + 0.5 + y * (factor - 1)) / factor);
			if (!is_flat(usual, from_u, from_v)) {
				continue;
			}
			const uint32_t expected = usual->pixels[from_v * usual->width + from_u];
			const uint32_t found = seen->pixels[v * seen->width + u];
			if (!is_alike(found, expected, 4)) {
				fail_msg("%d,%d: %06x instead of %06x", u, v, found, expected);
			}
			n++;
		}
	}
	assert_true(n > seen->width * seen->height / 2);
}

static void picture_is_enlarged_around_the_pointer(void **state)
{
	static const char *const transforms[] = {"normal", "90", "180", "270", "flipped",
		"flipped-90", "flipped-180", "flipped-270"};
	static const double scales[] = {1, 1.25, 2, 1.5};
	struct test *test = *state;
	for (int i = 0; i < 8; i++) {
		char *text = xasprintf("[look]\nbackground = #102030 #806040\nmagnify-step = 70\n"
				       "[output *]\nscale = %g\ntransform = %s\n",
			scales[i % 4], transforms[i]);
		assert_true(reload_text(test->fixture, text));
		free(text);
		peer_window_place(test->window, 30, 20);
		point(test, 0.14 * i, 0.9 - 0.12 * i);
		struct image *usual = fixture_shot(test->fixture, 0);
		run(test, "magnify-in");
		struct image *seen = fixture_shot(test->fixture, 0);
		const struct coord_global at = test->fixture->server->seat->pointer.at;
		const struct scene_view view = scene_output_view(output(test, 0));
		const struct box pixel = scene_view_to_pixels(
			&view, &(struct box){(int)floor(at.x), (int)floor(at.y), 0, 0});
		assert_enlarged(seen, usual, 1.7, pixel.x, pixel.y);
		run(test, "magnify-reset");
		struct image *after = fixture_shot(test->fixture, 0);
		struct image_difference difference;
		assert_true(image_compare(usual, after, 0, 0, &difference));
		image_destroy(usual);
		image_destroy(seen);
		image_destroy(after);
	}
}

static void draw(struct test *test, int x, int y, int width, int height, uint32_t pixel)
{
	struct peer_window *window = test->window;
	peer_buffer_fill(window->buffer, x, y, width, height, pixel);
	wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, x, y, width, height);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
}

/* The factor is 1.25 to the power of 3: edges are between pixels. */
static void damage_draws_the_same_as_whole_frames(void **state)
{
	struct test *test = *state;
	srand(7);
	point(test, 0.3, 0.4);
	for (int i = 0; i < 3; i++) {
		run(test, "magnify-in");
		draw(test, 0, 0, 1, 1, 0xff000000); /* so that all buffers have the new view */
	}
	const uint64_t drawn = test->fixture->server->device->renderer->stats.pixels_drawn;
	for (int i = 0; i < 12; i++) {
		const int x = rand() % 150, y = rand() % 110;
		draw(test, x, y, 1 + rand() % 10, 1 + rand() % 10,
			0xff000000 | (uint32_t)rand() % 0xffffff);
	}
	const uint64_t most = (uint64_t)12 * 3 * 28 * 28; /* by buffer age */
	assert_in_range(
		test->fixture->server->device->renderer->stats.pixels_drawn - drawn, 1, most);
	struct image *parts = fixture_shot(test->fixture, 0);
	scene_output_damage_all(output(test, 0));
	fixture_settle(test->fixture);
	struct image *whole = fixture_shot(test->fixture, 0);
	struct image_difference difference;
	/* The steps of pixman's sampling are rounded, from the start of each part. */
	assert_true(image_compare(parts, whole, 2, 0, &difference));
	image_destroy(parts);
	image_destroy(whole);
}

static void magnified_output_draws_no_frames(void **state)
{
	struct test *test = *state;
	run(test, "magnify-in");
	fixture_frames(test->fixture, 10);
	const uint64_t before = stats(test)->frames;
	fixture_frames(test->fixture, 60);
	assert_int_equal(stats(test)->frames, before);
	run(test, "magnify-reset");
	fixture_frames(test->fixture, 10);
	const uint64_t after = stats(test)->frames;
	run(test, "magnify-reset");
	fixture_frames(test->fixture, 10);
	assert_int_equal(stats(test)->frames, after);
}

static void keys_and_wheel_magnify(void **state)
{
	struct test *test = *state;
	struct fixture *fixture = test->fixture;
	hand_key(fixture, test->keyboard, KEY_LEFTMETA, true);
	hand_key(fixture, test->keyboard, KEY_LEFTCTRL, true);
	hand_key(fixture, test->keyboard, KEY_EQUAL, true);
	hand_key(fixture, test->keyboard, KEY_EQUAL, false);
	assert_true(output(test, 0)->lens.factor == 1.25);
	struct input_axis_event turn = {.value = -15, .value120 = -120};
	signal_emit(&test->pointer->events.axis, &turn);
	assert_true(output(test, 0)->lens.factor == 1.25 * 1.25);
	hand_key(fixture, test->keyboard, KEY_MINUS, true);
	hand_key(fixture, test->keyboard, KEY_MINUS, false);
	assert_true(output(test, 0)->lens.factor == 1.25);
	hand_key(fixture, test->keyboard, KEY_0, true);
	hand_key(fixture, test->keyboard, KEY_0, false);
	assert_false(scene_output_is_magnified(output(test, 0)));
	for (int i = 0; i < 40; i++) {
		run(test, "magnify-in");
	}
	assert_true(output(test, 0)->lens.factor == 16);
}

static void captures_show_the_usual_size(void **state)
{
	struct test *test = *state;
	point(test, 0, 0);
	struct image *usual = fixture_shot(test->fixture, 0);
	run(test, "magnify-in");
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(test->peer, &zwlr_screencopy_manager_v1_interface, 0);
	struct capturer_frame *frame = capturer_screencopy(test->peer, manager, NULL);
	capturer_screencopy_copy(frame, false);
	fixture_settle(test->fixture);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 190, 150), RED);
	assert_int_equal(capturer_pixel(frame, 210, 150), usual->pixels[150 * WIDTH + 210]);
	capturer_frame_destroy(frame);
	image_destroy(usual);
}

static void text_cursor_stays_in_place(void **state)
{
	struct test *test = *state;
	struct field *field = field_create(test->peer);
	fixture_pump(test->fixture);
	draw(test, 120, 100, 4, 12, 0xff000000 | GREEN);
	point(test, 0, 0);
	for (int i = 0; i < 6; i++) {
		run(test, "magnify-in");
	}
	assert_int_not_equal(fixture_pixel(test->fixture, 162, 146), GREEN);
	const uint64_t damaged = stats(test)->pixels_damaged;
	zwp_text_input_v3_enable(field->input);
	zwp_text_input_v3_set_cursor_rectangle(field->input, 120, 100, 4, 12);
	zwp_text_input_v3_commit(field->input);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 162, 146), GREEN);
	/* Shared screens do not change. */
	assert_int_equal(stats(test)->pixels_damaged, damaged);
	/* The pointer takes over when it moves, and keeps the view when the text does not. */
	point(test, 0.02, 0.02);
	assert_int_not_equal(fixture_pixel(test->fixture, 162, 146), GREEN);
	zwp_text_input_v3_commit(field->input);
	fixture_settle(test->fixture);
	assert_int_not_equal(fixture_pixel(test->fixture, 162, 146), GREEN);
	field_destroy(field);
}

static void window_that_gets_the_focus_is_seen(void **state)
{
	struct test *test = *state;
	struct peer_window *other =
		peer_window_create(test->peer, 280, 200, 20, 20, 0xff000000 | GREEN);
	point(test, 0, 0);
	for (int i = 0; i < 6; i++) {
		run(test, "magnify-in");
	}
	window_focus(peer_window_find(test->window));
	window_focus(peer_window_find(other));
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 290, 210), GREEN);
	/* A click keeps the view. */
	point(test, 0.3, 0.3);
	const struct scene_lens lens = output(test, 0)->lens;
	window_focus(peer_window_find(test->window));
	assert_int_equal(output(test, 0)->lens.x, lens.x);
}

static void touch_reaches_the_place_that_is_seen(void **state)
{
	struct test *test = *state;
	struct peer_window *small = peer_window_create(test->peer, 24, 4, 8, 8, 0xff000000 | GREEN);
	window_focus(peer_window_find(test->window));
	point(test, 0, 0);
	for (int i = 0; i < 10; i++) {
		run(test, "magnify-in");
	}
	struct input_device *screen =
		headless_add_input(test->fixture->server->backend, INPUT_TOUCH, "touch screen");
	screen->output = xstrdup(output(test, 0)->output->name);
	assert_int_equal(fixture_pixel(test->fixture, 260, 70), GREEN);
	struct input_touch_event event = {.id = 1, .x = 260.0 / WIDTH, .y = 70.0 / HEIGHT};
	signal_emit(&screen->events.touch_down, &event);
	signal_emit(&screen->events.touch_up, &event);
	signal_emit(&screen->events.touch_frame, NULL);
	fixture_pump(test->fixture);
	assert_ptr_equal(test->fixture->server->shell->focus, peer_window_find(small));
}

static void output_with_the_pointer_is_magnified(void **state)
{
	struct test *test = *state;
	run(test, "magnify-in");
	assert_true(scene_output_is_magnified(output(test, 0)));
	assert_false(scene_output_is_magnified(output(test, 1)));
	pointer_warp(test->fixture->server->seat, (struct coord_global){WIDTH + 50, 50});
	assert_false(scene_output_is_magnified(output(test, 0)));
	assert_true(scene_output_is_magnified(output(test, 1)));
}

int main(int argc, char **argv)
{
	renderer = fixture_renderer(argc, argv);
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(picture_is_enlarged_around_the_pointer),
		TEST(damage_draws_the_same_as_whole_frames),
		TEST(magnified_output_draws_no_frames),
		TEST(keys_and_wheel_magnify),
		TEST(captures_show_the_usual_size),
		TEST(text_cursor_stays_in_place),
		TEST(window_that_gets_the_focus_is_seen),
		TEST(touch_reaches_the_place_that_is_seen),
		TEST(output_with_the_pointer_is_magnified),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
