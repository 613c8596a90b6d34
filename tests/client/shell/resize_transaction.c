/* SPDX-License-Identifier: MIT */
/* Resize transactions with real clients: the pixels of all windows of a layout change in one frame. */

#include "harness/peer.h"
#include "shell/shell.h"
#include <stdlib.h>

struct test {
	struct fixture *fixture;
	struct shell *shell;
	struct peer *peers[2];
	struct peer_window *windows[2];
};

/* Draws the size of the last configure. */
static void redraw(struct test *test, int i)
{
	struct peer_window *window = test->windows[i];
	struct peer_buffer *buffer = peer_buffer_create(
		test->peers[i], window->width, window->height, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, window->width, window->height, i ? 0xff00ff00 : 0xffff0000);
	peer_surface_show(window->surface, buffer);
	fixture_pump(test->fixture);
}

static const struct box *geometry(struct test *test, int i)
{
	return &peer_window_find(test->windows[i])->geometry;
}

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(NULL);
	test->shell = test->fixture->server->shell;
	shell_run_action(test->shell, "layout", "columns");
	for (int i = 0; i < 2; i++) {
		test->peers[i] = peer_create(test->fixture);
		test->windows[i] = peer_window_create_unmapped(test->peers[i]);
		fixture_pump(test->fixture);
		redraw(test, i);
	}
	redraw(test, 0);
	fixture_frames(test->fixture, 3);
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;
	fixture_destroy(test->fixture);
	free(test);
	return 0;
}

static void update_is_held_until_all_clients_have_drawn(void **state)
{
	struct test *test = *state;
	int before = geometry(test, 0)->width;
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	assert_true(test->windows[0]->width < before);
	redraw(test, 0);
	fixture_frames(test->fixture, 2);
	assert_int_equal(geometry(test, 0)->width, before);
	redraw(test, 1);
	fixture_frames(test->fixture, 1);
	assert_int_equal(geometry(test, 0)->width, test->windows[0]->width);
	assert_int_equal(geometry(test, 1)->width, test->windows[1]->width);
	const struct window *second = peer_window_find(test->windows[1]);
	assert_int_equal(second->x, 10 + test->windows[0]->width + 12);
}

static void client_that_does_not_answer_is_not_waited_for(void **state)
{
	struct test *test = *state;
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	redraw(test, 0);
	fixture_sleep(test->fixture, 250000000);
	assert_int_equal(geometry(test, 0)->width, test->windows[0]->width);
	assert_true(geometry(test, 1)->width != test->windows[1]->width);
	redraw(test, 1);
	assert_int_equal(geometry(test, 1)->width, test->windows[1]->width);
}

static void client_that_leaves_is_not_waited_for(void **state)
{
	struct test *test = *state;
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	redraw(test, 0);
	peer_destroy(test->peers[1]);
	fixture_pump(test->fixture);
	fixture_frames(test->fixture, 1);
	redraw(test, 0);
	fixture_frames(test->fixture, 1);
	assert_int_equal(geometry(test, 0)->width, 300);
}

/* A window that hides its content does not wait for the others. */
static void held_window_can_be_unmapped(void **state)
{
	struct test *test = *state;
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	redraw(test, 0);
	wl_surface_attach(test->windows[0]->surface, NULL, 0, 0);
	wl_surface_commit(test->windows[0]->surface);
	fixture_pump(test->fixture);
	fixture_frames(test->fixture, 1);
	redraw(test, 1); /* the answer to `wider` */
	fixture_frames(test->fixture, 1);
	redraw(test, 1); /* alone */
	fixture_frames(test->fixture, 1);
	assert_int_equal(geometry(test, 1)->width, 300);
}

static void killed_client_is_disconnected(void **state)
{
	struct test *test = *state;
	assert_ptr_equal(test->shell->focus, peer_window_find(test->windows[1]));
	shell_run_action(test->shell, "kill", NULL);
	fixture_pump(test->fixture);
	assert_int_equal(wl_list_length(&test->shell->windows), 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(update_is_held_until_all_clients_have_drawn),
		TEST(client_that_does_not_answer_is_not_waited_for),
		TEST(client_that_leaves_is_not_waited_for),
		TEST(held_window_can_be_unmapped),
		TEST(killed_client_is_disconnected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
