/* SPDX-License-Identifier: MIT */
/*
 * The layout of outputs: positions follow changes of the set, modes and scales, the order is
 * stable, and the pointer reaches each output.
 */

#include "backend/headless.h"
#include "backend/input.h"
#include "backend/output.h"
#include "harness/client/reload.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "server/output.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
	struct fixture *fixture;
	struct input_device *mouse;
};

static int set_up_outputs(void **state, int n)
{
	struct test *test = xcalloc(1, sizeof(*test));
	const struct fixture_options options = {.n_outputs = n};
	test->fixture = fixture_create(&options);
	test->mouse = headless_add_input(test->fixture->server->backend, INPUT_POINTER, "Mouse");
	*state = test;
	return 0;
}

static int set_up(void **state)
{
	return set_up_outputs(state, 3);
}

static int set_up_four(void **state)
{
	return set_up_outputs(state, 4);
}

static struct scene_output *find(struct test *test, int i)
{
	const char name[] = {'H', 'E', 'A', 'D', 'L', 'E', 'S', 'S', '-', (char)('1' + i), '\0'};
	return scene_output_find_name(test->fixture->server->scene, name);
}

static void configure(struct test *test, const char *text)
{
	assert_true(reload_text(test->fixture, text));
}

static void assert_box(struct test *test, int i, int x, int y, int width, int height)
{
	const struct scene_output *output = find(test, i);
	assert_non_null(output);
	const struct box box = scene_output_box(output);
	assert_int_equal(box.x, x);
	assert_int_equal(box.y, y);
	assert_int_equal(box.width, width);
	assert_int_equal(box.height, height);
}

static void move_by(struct test *test, double dx, double dy)
{
	struct input_motion_event event = {.dx = dx, .dy = dy};
	signal_emit(&test->mouse->events.motion, &event);
}

static bool has_pointer(struct test *test, int i)
{
	const struct scene *scene = test->fixture->server->scene;
	return scene_output_nearest((struct scene *)scene,
		       test->fixture->server->seat->pointer.at) == find(test, i);
}

static void put_pointer(struct test *test, double x, double y)
{
	pointer_warp(test->fixture->server->seat, (struct coord_global){x, y});
}

/* Moves the pointer in small steps. Returns true if it reaches the output. */
static bool walk(struct test *test, int i, double dx, double dy)
{
	for (int n = 0; n < 200 && !has_pointer(test, i); n++) {
		move_by(test, dx, dy);
	}
	return has_pointer(test, i);
}

static void row_follows_scale_mode_and_rotation(void **state)
{
	struct test *test = *state;
	assert_box(test, 0, 0, 0, 320, 240);
	assert_box(test, 1, 320, 0, 320, 240);
	configure(test, "[output HEADLESS-1]\nscale = 2\n");
	assert_box(test, 0, 0, 0, 160, 120);
	assert_box(test, 1, 160, 0, 320, 240);
	assert_box(test, 2, 480, 0, 320, 240);
	put_pointer(test, 10, 10);
	assert_true(walk(test, 1, 5, 0));
	configure(test, "[output HEADLESS-1]\nmode = 640x480\n");
	assert_box(test, 0, 0, 0, 640, 480);
	assert_box(test, 1, 640, 0, 320, 240);
	configure(test, "[output HEADLESS-1]\ntransform = 90\n");
	assert_box(test, 0, 0, 0, 240, 320);
	assert_box(test, 1, 240, 0, 320, 240);
	/* The host of a nested session resizes a window. */
	struct output *output = find(test, 0)->output;
	struct output_state request;
	output_state_init(&request);
	request.fields = OUTPUT_MODE;
	request.mode = (struct output_mode){.width = 400, .height = 300, .refresh = 60000};
	signal_emit(&output->events.request_state, &request);
	assert_box(test, 1, 300, 0, 320, 240);
}

static void order_stays_when_an_output_is_switched_off_and_on(void **state)
{
	struct test *test = *state;
	configure(test, "[output HEADLESS-1]\nenabled = no\n");
	assert_null(find(test, 0));
	assert_box(test, 1, 0, 0, 320, 240);
	configure(test, "[output HEADLESS-1]\nmode = 200x100\n");
	assert_box(test, 0, 0, 0, 200, 100);
	assert_box(test, 1, 200, 0, 320, 240);
	assert_box(test, 2, 520, 0, 320, 240);
}

/* Returns an output that has the name and serial number of one that was removed. */
static void replug(struct test *test, int i, int width)
{
	struct server *server = test->fixture->server;
	struct output *output = find(test, i)->output;
	char *name = xstrdup(output->name);
	headless_remove_output(output);
	fixture_pump(test->fixture);
	/* Names count upwards: rename the next one before the server learns of it. */
	struct wl_listener *added = &server->new_output;
	wl_list_remove(&added->link);
	output = headless_add_output(server->backend, width, 240, 60000);
	signal_add(&server->backend->events.new_output, added, added->notify);
	free(output->name);
	output->name = name;
	signal_emit(&server->backend->events.new_output, output);
	fixture_pump(test->fixture);
}

static void screen_returns_to_its_place(void **state)
{
	struct test *test = *state;
	for (int i = 0; i < 3; i++) {
		replug(test, i, 320);
		assert_box(test, 0, 0, 0, 320, 240);
		assert_box(test, 1, 320, 0, 320, 240);
		assert_box(test, 2, 640, 0, 320, 240);
	}
	headless_remove_output(find(test, 1)->output);
	assert_box(test, 0, 0, 0, 320, 240);
	assert_box(test, 2, 320, 0, 320, 240);
}

static void output_without_position_avoids_those_with_one(void **state)
{
	struct test *test = *state;
	configure(test, "[output HEADLESS-2]\nposition = 0,0\n");
	assert_box(test, 1, 0, 0, 320, 240);
	assert_box(test, 0, 320, 0, 320, 240);
	assert_box(test, 2, 640, 0, 320, 240);
	configure(test, "[output HEADLESS-2]\n");
	assert_box(test, 0, 0, 0, 320, 240);
	assert_box(test, 1, 320, 0, 320, 240);
}

static struct server_output *find_entry(struct test *test, int i)
{
	struct server_output *entry;
	wl_list_for_each (entry, &test->fixture->server->outputs, link) {
		if (entry->scene_output && entry->scene_output == find(test, i)) {
			return entry;
		}
	}
	fail();
	return NULL;
}

static void client_sets_a_position_only_if_it_names_one(void **state)
{
	struct test *test = *state;
	struct server_output_change changes[3];
	for (int i = 0; i < 3; i++) {
		changes[i].output = find_entry(test, i);
		server_output_config(changes[i].output, &changes[i].config);
	}
	changes[0].config.has_scale = true;
	changes[0].config.scale = 2;
	assert_true(server_outputs_apply(changes, 3));
	assert_box(test, 1, 160, 0, 320, 240);
	for (int i = 0; i < 3; i++) {
		server_output_config(changes[i].output, &changes[i].config);
	}
	changes[1].config.has_position = true;
	changes[1].config.x = 1000;
	changes[1].config.y = -50;
	assert_true(server_outputs_apply(changes, 3));
	assert_box(test, 1, 1000, -50, 320, 240);
	assert_box(test, 2, 1320, -50, 320, 240);
	headless_remove_output(find(test, 0)->output);
	assert_box(test, 1, 1000, -50, 320, 240);
	assert_box(test, 2, 1320, -50, 320, 240);
}

static void pointer_crosses_gaps(void **state)
{
	struct test *test = *state;
	configure(test, "[output HEADLESS-1]\nposition = 0,0\n"
			"[output HEADLESS-2]\nposition = 1000,100\n"
			"[output HEADLESS-3]\nposition = 1500,900\n");
	put_pointer(test, 300, 150);
	assert_true(walk(test, 1, 3, 0));
	assert_true(test->fixture->server->seat->pointer.at.y == 150);
	assert_true(walk(test, 0, -3, 0));
	/* Not beside the other output. */
	put_pointer(test, 300, 20);
	assert_false(walk(test, 1, 3, 0));
	assert_false(walk(test, 2, 3, 0));
	/* From corner to corner. */
	put_pointer(test, 1100, 300);
	assert_true(walk(test, 2, 7, 7));
	assert_true(walk(test, 1, -7, -7));
}

/* Puts two outputs to the right of the first one and below it, and switches another one off. */
static void put_around(struct test *test, int first, int right, int below, int off)
{
	char text[512];
	configure(test, "");
	snprintf(text, sizeof(text),
		"[output HEADLESS-%d]\nposition = 0,0\n"
		"[output HEADLESS-%d]\nposition = 1000,50\n"
		"[output HEADLESS-%d]\nposition = 30,900\n"
		"[output HEADLESS-%d]\nenabled = no\n",
		first + 1, right + 1, below + 1, off + 1);
	configure(test, text);
	assert_null(test->fixture->server->scene->outputs[off]);
}

/* The outputs that are left have other numbers in the layout than in the scene's table. */
static void pointer_crosses_gaps_whichever_output_is_gone(void **state)
{
	struct test *test = *state;
	const struct coord_global *at = &test->fixture->server->seat->pointer.at;
	for (int i = 0; i < 4 * 4 * 4; i++) {
		const int first = i / 16, right = i / 4 % 4, below = i % 4;
		if (first == right || first == below || right == below) {
			continue;
		}
		put_around(test, first, right, below, 6 - first - right - below);
		put_pointer(test, 300, 150);
		assert_true(walk(test, right, 3, 0));
		assert_true(at->y == 150);
		assert_true(walk(test, first, -3, 0));
		assert_true(at->y == 150);
		put_pointer(test, 100, 200);
		assert_true(walk(test, below, 0, 3));
		assert_true(at->x == 100);
		assert_true(walk(test, first, 0, -3));
		assert_true(at->x == 100);
		put_pointer(test, 1010, 280);
		assert_true(walk(test, below, -7, 7));
		assert_true(walk(test, right, 7, -7));
		/* Nothing is there. */
		put_pointer(test, 100, 100);
		assert_false(walk(test, right, 0, -3) || walk(test, below, -3, 0));
		assert_true(has_pointer(test, first));
		put_pointer(test, 1100, 280);
		assert_false(walk(test, below, 0, 3) || walk(test, first, 3, 0));
		assert_true(has_pointer(test, right));
	}
}

static void pointer_stays_at_edges_without_a_gap(void **state)
{
	struct test *test = *state;
	/* HEADLESS-3 touches the second one, and lies beyond a free edge of the first one. */
	configure(test, "[output HEADLESS-1]\nposition = 0,0\n"
			"[output HEADLESS-2]\nposition = 320,100\n"
			"[output HEADLESS-3]\nposition = 640,0\n");
	put_pointer(test, 100, 20);
	assert_false(walk(test, 1, 5, 0));
	assert_true(has_pointer(test, 0));
	put_pointer(test, 100, 120);
	assert_true(walk(test, 1, 5, 0));
	assert_true(walk(test, 2, 5, 0));
}

/* The first output is half as high: it has no part beside the lower half of the second one. */
static void pointer_leaves_the_free_side_of_a_taller_output(void **state)
{
	struct test *test = *state;
	configure(test, "[output HEADLESS-1]\nscale = 2\n");
	assert_box(test, 1, 160, 0, 320, 240);
	put_pointer(test, 161, 239);
	assert_true(walk(test, 0, -2, -2));
	put_pointer(test, 161, 239);
	assert_false(walk(test, 0, -2, 0));
	assert_true(walk(test, 0, -2, -2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			row_follows_scale_mode_and_rotation, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(order_stays_when_an_output_is_switched_off_and_on,
			set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			screen_returns_to_its_place, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			output_without_position_avoids_those_with_one, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			client_sets_a_position_only_if_it_names_one, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(pointer_crosses_gaps, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(pointer_crosses_gaps_whichever_output_is_gone,
			set_up_four, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			pointer_leaves_the_free_side_of_a_taller_output, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			pointer_stays_at_edges_without_a_gap, set_up, fixture_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
