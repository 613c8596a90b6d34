/* SPDX-License-Identifier: MIT */
/* Animations on the screen: slides of workspaces, glides and fades, paced by frames. */

#include "backend/headless.h"
#include "backend/input.h"
#include "frame/frame.h"
#include "harness/client/reload.h"
#include "harness/peer.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "util/signal.h"
#include "util/xalloc.h"

#define WIDTH 320
#define RED 0xff0000
#define GREEN 0x00ff00

struct test {
	struct fixture *fixture;
	struct peer *peer;
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	const struct fixture_options options = {.renderer = renderer, .n_outputs = 2};
	test->fixture = fixture_create(&options);
	test->peer = peer_create(test->fixture);
	assert_true(reload_text(test->fixture, "[look]\nanimations = yes\nanimation-time = 100\n"));
	fixture_settle(test->fixture);
	*state = test;
	return 0;
}

static void run(struct test *test, const char *action, const char *argument)
{
	assert_true(shell_run_action(test->fixture->server->shell, action, argument));
}

static const struct frame_stats *stats(struct test *test, int output)
{
	return frame_output_stats(frame_output_find(test->fixture->server->scene->outputs[output]));
}

/* Maps a window of the output's size on a workspace. */
static struct peer_window *fill(struct test *test, const char *workspace, uint32_t color)
{
	run(test, "workspace", workspace);
	struct peer_window *window =
		peer_window_create(test->peer, 0, 0, WIDTH, 240, 0xff000000 | color);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 160, 200), color);
	return window;
}

/* Returns the width of the red part, which must be left of a green one. */
static int red_part(struct test *test)
{
	struct image *image = fixture_shot(test->fixture, 0);
	const uint32_t *row = &image->pixels[200 * image->width]; /* below the cursor */
	int x = 0;
	while (x < WIDTH && row[x] == RED) {
		x++;
	}
	for (int i = x; i < WIDTH; i++) {
		assert_int_equal(row[i], GREEN);
	}
	image_destroy(image);
	return x;
}

static void workspaces_slide_side_by_side(void **state)
{
	struct test *test = *state;
	fill(test, "1", RED);
	fill(test, "3", GREEN);
	run(test, "workspace", "1");
	int last = 0, steps = 0;
	for (int i = 0; last < WIDTH && i < 20; i++) {
		fixture_frames(test->fixture, 1);
		int now = red_part(test);
		assert_true(now >= last);
		steps += now > last;
		last = now;
	}
	assert_int_equal(last, WIDTH);
	assert_in_range(steps, 4, 7);
}

static void screen_is_still_after_the_end(void **state)
{
	struct test *test = *state;
	fill(test, "1", RED);
	fill(test, "3", GREEN);
	run(test, "workspace", "1");
	fixture_frames(test->fixture, 12);
	struct image *after = fixture_shot(test->fixture, 0);
	const uint64_t presented = stats(test, 0)->presented;
	assert_false(test->fixture->server->scene->outputs[0]->animated);
	fixture_frames(test->fixture, 60);
	assert_int_equal(stats(test, 0)->presented, presented);
	assert_true(reload_text(test->fixture, "[look]\nanimations = no\n"));
	run(test, "workspace", "3");
	fixture_settle(test->fixture);
	run(test, "workspace", "1");
	fixture_settle(test->fixture);
	struct image *without = fixture_shot(test->fixture, 0);
	struct image_difference difference;
	assert_true(image_compare(after, without, 0, 0, &difference));
	image_destroy(after);
	image_destroy(without);
}

static void other_outputs_present_nothing(void **state)
{
	struct test *test = *state;
	fill(test, "1", RED);
	run(test, "workspace", "3");
	const uint64_t before = stats(test, 1)->presented, own = stats(test, 0)->presented;
	fixture_frames(test->fixture, 12);
	assert_true(stats(test, 0)->presented > own + 3);
	assert_int_equal(stats(test, 1)->presented, before);
}

static void glide_damages_what_moves(void **state)
{
	struct test *test = *state;
	peer_window_create(test->peer, 40, 40, 50, 40, 0xff000000 | RED);
	fixture_settle(test->fixture);
	const struct frame_stats *now = stats(test, 0);
	const struct frame_stats before = *now;
	run(test, "move", "right"); /* by 16 pixels */
	fixture_frames(test->fixture, 12);
	const uint64_t frames = now->frames - before.frames;
	assert_in_range(frames, 4, 7);
	assert_true(now->pixels_damaged > before.pixels_damaged);
	assert_true(now->pixels_damaged - before.pixels_damaged <= frames * (50 + 16) * 40);
	assert_int_equal(fixture_pixel(test->fixture, 56, 60), RED);
	assert_int_not_equal(fixture_pixel(test->fixture, 55, 60), RED);
}

static void new_window_and_its_title_bar_fade_in(void **state)
{
	struct test *test = *state;
	const int red = 0xff;
	struct peer_window *window = peer_window_create(test->peer, 40, 60, 200, 100, 0xff000000);
	window_set_decorated(peer_window_find(window), true);
	fixture_settle(test->fixture);
	const uint32_t title = fixture_pixel(test->fixture, 60, 45);
	peer_window_destroy(window);
	fixture_settle(test->fixture);
	const uint32_t background = fixture_pixel(test->fixture, 60, 45);
	window = peer_window_create(test->peer, 40, 60, 200, 100, 0xff000000 | RED);
	window_set_decorated(peer_window_find(window), true);
	fixture_frames(test->fixture, 2);
	const uint32_t half = fixture_pixel(test->fixture, 60, 100);
	assert_in_range(half >> 16, 1 + (background >> 16), red - 1);
	const uint32_t bar = fixture_pixel(test->fixture, 60, 45);
	assert_int_not_equal(bar, background);
	assert_int_not_equal(bar, title);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 60, 100), RED);
	assert_int_equal(fixture_pixel(test->fixture, 60, 45), title);
}

static void swipe(struct test *test, struct input_device *pad, enum input_phase phase, double dx)
{
	struct input_gesture_event event = {
		.time = clock_now(test->fixture->clock),
		.gesture = INPUT_SWIPE,
		.phase = phase,
		.fingers = 4,
		.dx = dx,
	};
	signal_emit(&pad->events.gesture, &event);
	fixture_frames(test->fixture, 1);
}

static void workspace_follows_the_fingers(void **state)
{
	struct test *test = *state;
	struct fixture *fixture = test->fixture;
	struct input_device *pad =
		headless_add_input(fixture->server->backend, INPUT_POINTER, "touch pad");
	assert_true(reload_text(fixture,
		"[look]\nanimations = yes\nanimation-time = 100\n"
		"[keys]\nSwipe4Left = workspace-next\nSwipe4Right = workspace-previous\n"));
	fill(test, "1", RED);
	fill(test, "3", GREEN);
	run(test, "workspace", "1");
	fixture_settle(fixture);
	swipe(test, pad, INPUT_BEGIN, 0);
	for (int i = 1; i <= 6; i++) {
		swipe(test, pad, INPUT_UPDATE, -50); /* 400 are the width of the output */
		assert_int_equal(red_part(test), WIDTH - i * WIDTH / 8);
	}
	swipe(test, pad, INPUT_UPDATE, 25);
	assert_int_equal(red_part(test), WIDTH - 11 * WIDTH / 16);
	swipe(test, pad, INPUT_END, 0);
	fixture_settle(fixture);
	assert_int_equal(red_part(test), 0);
}

static void go_on(struct wl_listener *listener, void *data)
{
	struct scene_animation *animation = data;
	animation->continues = true;
}

static void handle_callback(void *data, struct wl_callback *callback, uint32_t time)
{
	int *n = data;
	wl_callback_destroy(callback);
	++*n;
}

static void still_animation_delays_no_frame_callback(void **state)
{
	static const struct wl_callback_listener callback_listener = {.done = handle_callback};
	struct test *test = *state;
	struct peer_window *window = fill(test, "1", RED);
	struct scene *scene = test->fixture->server->scene;
	struct wl_listener animate = {.notify = go_on};
	wl_signal_add(&scene->events.animate, &animate);
	scene_output_animate(scene->outputs[0]);
	fixture_frames(test->fixture, 2);
	const uint64_t frames = stats(test, 0)->frames;
	int n = 0;
	for (int i = 1; i <= 3; i++) {
		wl_callback_add_listener(wl_surface_frame(window->surface), &callback_listener, &n);
		wl_surface_commit(window->surface);
		fixture_frames(test->fixture, 3);
		assert_int_equal(n, i);
	}
	assert_int_equal(stats(test, 0)->frames, frames);
	assert_true(scene->outputs[0]->animated);
	wl_list_remove(&animate.link);
	fixture_settle(test->fixture);
}

static void headless_outputs_are_not_animated_by_default(void **state)
{
	struct test *test = *state;
	fill(test, "1", RED);
	assert_true(reload_text(test->fixture, ""));
	run(test, "workspace", "3");
	assert_false(test->fixture->server->scene->outputs[0]->animated);
}

int main(int argc, char **argv)
{
	renderer = fixture_renderer(argc, argv);
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(workspaces_slide_side_by_side),
		TEST(screen_is_still_after_the_end),
		TEST(other_outputs_present_nothing),
		TEST(glide_damages_what_moves),
		TEST(new_window_and_its_title_bar_fade_in),
		TEST(workspace_follows_the_fingers),
		TEST(still_animation_delays_no_frame_callback),
		TEST(headless_outputs_are_not_animated_by_default),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
