/* SPDX-License-Identifier: MIT */
/* Backgrounds of outputs: gradients and pictures, by configuration. */

#include "harness/client/reload.h"
#include "harness/peer.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WIDTH 320
#define HEIGHT 240

struct test {
	struct fixture *fixture;
	char *path; /* of a picture */
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	const struct fixture_options options = {.renderer = renderer, .n_outputs = 2};
	test->fixture = fixture_create(&options);
	test->path = xasprintf("/tmp/causeway-wallpaper-%d.png", (int)getpid());
	*state = test;
	return 0;
}

static int tear_down(void **state)
{
	struct test *test = *state;
	unlink(test->path);
	free(test->path);
	return fixture_tear_down(state);
}

static uint32_t pixel(struct test *test, int output, int x, int y)
{
	fixture_settle(test->fixture);
	struct image *image = fixture_shot(test->fixture, output);
	uint32_t result = image->pixels[y * image->width + x] & 0xffffff;
	image_destroy(image);
	return result;
}

/* Writes a picture of four quarters. */
static void write_picture(struct test *test)
{
	static const uint32_t colors[] = {0xff0000, 0x00ff00, 0x0000ff, 0xffffff};
	struct image *image = image_create(64, 48);
	for (int y = 0; y < 48; y++) {
		for (int x = 0; x < 64; x++) {
			image->pixels[y * 64 + x] = colors[y / 24 * 2 + x / 32];
		}
	}
	assert_true(image_save(image, test->path));
	image_destroy(image);
}

static void configure(struct test *test, const char *format)
{
	char *text = xasprintf(format, test->path);
	assert_true(reload_text(test->fixture, text));
	free(text);
}

static void gradient_runs_from_top_to_bottom(void **state)
{
	struct test *test = *state;
	configure(test, "[look]\nbackground = #000040 #ff0040\n");
	assert_int_equal(pixel(test, 0, 0, 0), 0x000040);
	assert_int_equal(pixel(test, 0, WIDTH - 1, HEIGHT - 1), 0xff0040);
	assert_in_range(pixel(test, 1, 9, HEIGHT / 2), 0x7e0040, 0x810040);
	configure(test, "[look]\nbackground = #000040 #ff0040\n[output *]\ntransform = 90\n");
	/* As stored, the top is at a side. */
	assert_int_equal(pixel(test, 0, 0, 0), pixel(test, 0, 0, HEIGHT - 1));
	assert_int_equal(pixel(test, 0, 0, 9) + pixel(test, 0, WIDTH - 1, 9), 0xff0080);
}

static void picture_is_scaled_and_hidden_by_a_lock(void **state)
{
	struct test *test = *state;
	write_picture(test);
	configure(test, "[look]\nbackground-image = %s\n");
	assert_int_equal(pixel(test, 0, 80, 60), 0xff0000);
	assert_int_equal(pixel(test, 0, 240, 60), 0x00ff00);
	assert_int_equal(pixel(test, 1, 80, 180), 0x0000ff);
	assert_int_equal(pixel(test, 1, WIDTH - 1, HEIGHT - 1), 0xffffff);
	shell_lock(test->fixture->server->shell);
	assert_int_equal(pixel(test, 0, 80, 60), 0);
	shell_unlock(test->fixture->server->shell);
	assert_int_equal(pixel(test, 0, 80, 60), 0xff0000);
	configure(test, "[look]\nbackground = #102030\n");
	assert_int_equal(pixel(test, 0, 80, 60), 0x102030);
}

static void outputs_have_backgrounds_of_their_own(void **state)
{
	struct test *test = *state;
	write_picture(test);
	configure(test, "[look]\nbackground = #000000\nbackground-image = %s\n"
			"background-mode = center\n"
			"[output HEADLESS-2]\nbackground = #405060\nbackground-image = none\n");
	assert_int_equal(pixel(test, 0, 1, 1), 0);
	assert_int_equal(pixel(test, 0, (WIDTH - 64) / 2 + 1, (HEIGHT - 48) / 2 + 1), 0xff0000);
	assert_int_equal(pixel(test, 1, 160, 119), 0x405060);
}

static void unreadable_picture_leaves_the_colours(void **state)
{
	struct test *test = *state;
	configure(test, "[look]\nbackground = #112233\nbackground-image = %s\n");
	assert_int_equal(pixel(test, 0, 80, 60), 0x112233);
	/* A change while a task reads. */
	write_picture(test);
	test->fixture->holds_tasks = true;
	configure(test, "[look]\nbackground-mode = fit\nbackground-image = %s\n");
	test->fixture->holds_tasks = false;
	configure(test, "[look]\nbackground-image = none\nbackground = #445566\n");
	assert_int_equal(pixel(test, 0, 80, 60), 0x445566);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(int argc, char **argv)
{
	renderer = fixture_renderer(argc, argv);
	const struct CMUnitTest tests[] = {
		TEST(gradient_runs_from_top_to_bottom),
		TEST(picture_is_scaled_and_hidden_by_a_lock),
		TEST(outputs_have_backgrounds_of_their_own),
		TEST(unreadable_picture_leaves_the_colours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
