/* SPDX-License-Identifier: MIT */
/*
 * Resize transactions with real clients: the pixels of all windows of a layout change in one frame.
 */

#include "content/internal.h"
#include "harness/peer.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "shell/windows/tiling.h"
#include "shell/windows/windows.h"
#include <stdlib.h>
#include <string.h>

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

static int setup_with(void **state, enum renderer_kind renderer)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture =
		fixture_create(&(struct fixture_options){.renderer = renderer, .n_outputs = 2});
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

static int setup(void **state)
{
	return setup_with(state, RENDERER_PIXMAN);
}

static int setup_gles(void **state)
{
	return setup_with(state, RENDERER_GLES);
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

static void late_client_is_not_awaited_again_until_it_answers_in_time(void **state)
{
	struct test *test = *state;
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	redraw(test, 0);
	fixture_sleep(test->fixture, 250000000);
	const struct window *second = peer_window_find(test->windows[1]);
	assert_true(second->private->transaction.late);
	redraw(test, 1); /* too late */
	assert_true(second->private->transaction.late);
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	assert_false(second->private->transaction.waiting);
	redraw(test, 1);
	assert_false(second->private->transaction.late);
}

static void window_mapped_again_is_not_late(void **state)
{
	struct test *test = *state;
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	redraw(test, 0);
	fixture_sleep(test->fixture, 250000000);
	const struct window *second = peer_window_find(test->windows[1]);
	assert_true(second->private->transaction.late);
	wl_surface_attach(test->windows[1]->surface, NULL, 0, 0);
	wl_surface_commit(test->windows[1]->surface);
	fixture_pump(test->fixture);
	assert_false(second->mapped);
	assert_false(second->private->transaction.late);
}

static void locked_session_awaits_no_client(void **state)
{
	struct test *test = *state;
	shell_lock(test->shell);
	shell_run_action(test->shell, "resize", "wider");
	assert_false(transaction_is_active(test->shell));
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

static struct wl_output *second_output(struct peer *peer)
{
	uint32_t name = 0;
	for (int i = 0; i < peer->n_globals; i++) {
		if (strcmp(peer->globals[i].interface, wl_output_interface.name) == 0) {
			name = peer->globals[i].name;
		}
	}
	return wl_registry_bind(peer->registry, name, &wl_output_interface, 1);
}

enum departure { TO_OUTPUT, TO_PARENT, TO_FLOATING, DEPARTURES };

static void leave_columns(struct test *test, enum departure departure, struct peer_window *parent)
{
	struct peer_window *window = test->windows[0];
	if (departure == TO_OUTPUT) {
		struct wl_output *output = second_output(test->peers[0]);
		xdg_toplevel_set_fullscreen(window->toplevel, output);
		wl_output_destroy(output);
	} else if (departure == TO_PARENT) {
		xdg_toplevel_set_parent(window->toplevel, parent->toplevel);
	} else {
		struct window *found = peer_window_find(window);
		window_set_floats(found, true);
	}
	fixture_pump(test->fixture);
}

/* Answers a transaction, with content or without, unmaps the window, and takes it out. */
static void depart(struct test *test, enum departure departure, bool content)
{
	struct peer_window *parent = peer_window_create(test->peers[0], 0, 0, 50, 50, 0xff0000ff);
	struct window *window = peer_window_find(test->windows[0]);
	struct workspace *workspace;
	wl_list_for_each (workspace, &test->shell->workspaces, link) {
		workspace_set_layout(workspace, CONFIG_LAYOUT_COLUMNS);
	}
	window_focus(window);
	for (int i = 0; i < 5; i++) { /* the parent misses the time limit */
		redraw(test, 0);
		redraw(test, 1);
		fixture_sleep(test->fixture, 100000000);
	}
	int serial = test->windows[0]->n_configures;
	shell_run_action(test->shell, "resize", "narrower");
	fixture_pump(test->fixture);
	assert_true(test->windows[0]->n_configures > serial);
	assert_true(window->private->transaction.waiting);
	if (content) {
		redraw(test, 0);
		assert_non_null(window->private->transaction.hold);
	}
	wl_surface_attach(test->windows[0]->surface, NULL, 0, 0);
	wl_surface_commit(test->windows[0]->surface);
	leave_columns(test, departure, parent);
	fixture_sleep(test->fixture, 500000000);
	assert_false(window->mapped);
	assert_null(window->private->tiled);
	assert_null(test->shell->private->grab);
	assert_false(transaction_is_active(test->shell));
	assert_true(peer_alive(test->peers[0]) && peer_alive(test->peers[1]));
}

static void window_that_unmaps_can_leave_the_columns(void **state)
{
	for (int i = 0; i < 2 * DEPARTURES; i++) {
		void *each = NULL;
		setup(&each);
		depart(each, i / 2, i % 2);
		teardown(&each);
	}
}

/* A synchronised subsurface is part of the update that is held. */
static void subsurface_keeps_its_content_while_its_parent_is_held(void **state)
{
	struct test *test = *state;
	struct peer *peer = test->peers[0];
	struct wl_surface *child = wl_compositor_create_surface(peer->compositor);
	peer_subsurface(peer, child, test->windows[0]->surface, 4, 4);
	struct peer_buffer *buffers[2];
	for (int i = 0; i < 2; i++) {
		buffers[i] = peer_buffer_create(peer, 20, 20, WL_SHM_FORMAT_XRGB8888);
		peer_buffer_fill(buffers[i], 0, 0, 20, 20, i ? 0xffffff00 : 0xff0000ff);
	}
	peer_surface_show(child, buffers[0]);
	redraw(test, 0);
	fixture_frames(test->fixture, 3);
	const struct window *first = peer_window_find(test->windows[0]);
	assert_int_equal(fixture_pixel(test->fixture, first->x + 10, first->y + 10), 0x0000ff);
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	peer_surface_show(child, buffers[1]);
	redraw(test, 0);
	fixture_frames(test->fixture, 3);
	assert_true(transaction_is_active(test->shell));
	assert_int_equal(fixture_pixel(test->fixture, first->x + 10, first->y + 10), 0x0000ff);
	redraw(test, 1);
	fixture_frames(test->fixture, 3);
	assert_int_equal(fixture_pixel(test->fixture, first->x + 10, first->y + 10), 0xffff00);
}

/* The clients have drawn, but their pixels are too many for the uploads of a frame. */
static void windows_change_once_their_content_can_be_shown(void **state)
{
	struct test *test = *state;
	const struct window *second = peer_window_find(test->windows[1]);
	const int width = geometry(test, 0)->width, x = second->x;
	content_device_from(test->fixture->server->device)->upload_budget = 1000;
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	fixture_block_uploads(test->fixture);
	redraw(test, 0);
	redraw(test, 1);
	for (int i = 0; i < 5; i++) {
		fixture_frames(test->fixture, 1);
		assert_true(transaction_is_active(test->shell));
		assert_int_equal(geometry(test, 0)->width, width);
		assert_int_equal(second->x, x);
	}
	fixture_open_uploads(test->fixture);
	fixture_frames(test->fixture, 2);
	assert_false(transaction_is_active(test->shell));
	assert_int_equal(geometry(test, 0)->width, test->windows[0]->width);
	assert_int_equal(geometry(test, 1)->width, test->windows[1]->width);
	assert_int_equal(second->x, 10 + test->windows[0]->width + 12);
}

/* The time limit is that of clients. */
static void client_is_not_late_if_its_upload_is(void **state)
{
	struct test *test = *state;
	const struct window *second = peer_window_find(test->windows[1]);
	content_device_from(test->fixture->server->device)->upload_budget = 1000;
	shell_run_action(test->shell, "resize", "wider");
	fixture_pump(test->fixture);
	fixture_block_uploads(test->fixture);
	redraw(test, 0);
	redraw(test, 1);
	fixture_sleep(test->fixture, 250000000);
	assert_false(transaction_is_active(test->shell));
	assert_int_equal(second->x, 10 + test->windows[0]->width + 12);
	assert_false(second->private->transaction.late);
	fixture_open_uploads(test->fixture);
	fixture_frames(test->fixture, 2);
	assert_int_equal(geometry(test, 1)->width, test->windows[1]->width);
	shell_run_action(test->shell, "resize", "narrower");
	fixture_pump(test->fixture);
	redraw(test, 0);
	fixture_sleep(test->fixture, 250000000);
	assert_true(second->private->transaction.late);
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
		TEST(late_client_is_not_awaited_again_until_it_answers_in_time),
		TEST(window_mapped_again_is_not_late),
		TEST(locked_session_awaits_no_client),
		TEST(client_that_leaves_is_not_waited_for),
		TEST(held_window_can_be_unmapped),
		cmocka_unit_test(window_that_unmaps_can_leave_the_columns),
		TEST(subsurface_keeps_its_content_while_its_parent_is_held),
		cmocka_unit_test_setup_teardown(
			windows_change_once_their_content_can_be_shown, setup_gles, teardown),
		cmocka_unit_test_setup_teardown(
			client_is_not_late_if_its_upload_is, setup_gles, teardown),
		TEST(killed_client_is_disconnected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
