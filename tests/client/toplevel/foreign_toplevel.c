/* SPDX-License-Identifier: MIT */
/* zwlr_foreign_toplevel_manager_v1: window events for a taskbar, and its requests. */

#include "backend/headless.h"
#include "ext-foreign-toplevel-list-v1-client-protocol.h"
#include "harness/notes.h"
#include "harness/peer.h"
#include "shell/shell.h"
#include "wlr-foreign-toplevel-management-unstable-v1-client-protocol.h"
#include <stdlib.h>
#include <string.h>

/** A taskbar client, and an application with windows. */
struct test {
	struct fixture *fixture;
	struct peer *bar, *program;
	struct zwlr_foreign_toplevel_manager_v1 *manager;
	struct zwlr_foreign_toplevel_handle_v1 *handles[4];
	int n_handles;
	struct notes notes;
};

#define note(data, ...) notes_add(&((struct test *)(data))->notes, __VA_ARGS__)

static void handle_title(
	void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, const char *title)
{
	note(data, "title %s; ", title);
}

static void handle_app_id(
	void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, const char *app_id)
{
	note(data, "app %s; ", app_id);
}

static void handle_enter(
	void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, struct wl_output *output)
{
	note(data, "enter; ");
}

static void handle_leave(
	void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, struct wl_output *output)
{
	note(data, "leave; ");
}

static void handle_state(
	void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, struct wl_array *states)
{
	static const char *const names[] = {
		"maximized ", "minimized ", "activated ", "fullscreen "};
	const uint32_t *state;
	note(data, "is ");
	wl_array_for_each (state, states) {
		assert_in_range(*state, 0, 3);
		note(data, "%s", names[*state]);
	}
	note(data, "; ");
}

static void handle_done(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle)
{
	note(data, "done; ");
}

static void handle_closed(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle)
{
	note(data, "closed; ");
}

static void handle_parent(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle,
	struct zwlr_foreign_toplevel_handle_v1 *parent)
{
	note(data, parent ? "parent; " : "no parent; ");
}

static const struct zwlr_foreign_toplevel_handle_v1_listener handle_listener = {
	.title = handle_title,
	.app_id = handle_app_id,
	.output_enter = handle_enter,
	.output_leave = handle_leave,
	.state = handle_state,
	.done = handle_done,
	.closed = handle_closed,
	.parent = handle_parent,
};

static void handle_toplevel(void *data, struct zwlr_foreign_toplevel_manager_v1 *manager,
	struct zwlr_foreign_toplevel_handle_v1 *handle)
{
	struct test *test = data;
	assert_in_range(test->n_handles, 0, 3);
	test->handles[test->n_handles++] = handle;
	note(data, "window; ");
	zwlr_foreign_toplevel_handle_v1_add_listener(handle, &handle_listener, test);
}

static void handle_finished(void *data, struct zwlr_foreign_toplevel_manager_v1 *manager)
{
	note(data, "finished; ");
}

static const struct zwlr_foreign_toplevel_manager_v1_listener manager_listener = {
	.toplevel = handle_toplevel,
	.finished = handle_finished,
};

static void bind_manager(struct test *test, uint32_t version)
{
	test->manager = peer_bind(test->bar, &zwlr_foreign_toplevel_manager_v1_interface, version);
	zwlr_foreign_toplevel_manager_v1_add_listener(test->manager, &manager_listener, test);
}

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(NULL);
	test->notes.fixture = test->fixture;
	test->bar = peer_create(test->fixture);
	test->program = peer_create(test->fixture);
	peer_bind(test->bar, &wl_output_interface, 0);
	fixture_pump(test->fixture);
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

static void window_events_follow_each_change(void **state)
{
	struct test *test = *state;
	struct peer_window *old = peer_window_create(test->program, 0, 0, 50, 50, 0xffff0000);
	xdg_toplevel_set_title(old->toplevel, "old");
	fixture_pump(test->fixture);
	bind_manager(test, 3);
	heard(test, "window; title old; enter; is activated ; done; ");
	xdg_toplevel_set_app_id(old->toplevel, "program");
	heard(test, "app program; done; ");
	/* A new window takes the focus. */
	struct peer_window *new = peer_window_create(test->program, 60, 0, 50, 50, 0xffff0000);
	fixture_pump(test->fixture);
	assert_int_equal(test->n_handles, 2);
	forget(test);
	xdg_toplevel_set_parent(new->toplevel, old->toplevel);
	heard(test, "parent; done; ");
	xdg_toplevel_set_parent(new->toplevel, NULL);
	heard(test, "no parent; done; ");
	window_request_maximize(peer_window_find(new), true);
	fixture_pump(test->fixture);
	heard(test, "is maximized activated ; done; ");
	peer_window_destroy(new);
	heard(test, "is maximized ; done; is activated ; done; closed; ");
	/* Requests on a closed handle are ignored. */
	zwlr_foreign_toplevel_handle_v1_close(test->handles[1]);
	zwlr_foreign_toplevel_handle_v1_activate(test->handles[1], test->bar->seat);
	zwlr_foreign_toplevel_handle_v1_set_fullscreen(test->handles[1], NULL);
	zwlr_foreign_toplevel_handle_v1_unset_minimized(test->handles[1]);
	zwlr_foreign_toplevel_handle_v1_destroy(test->handles[1]);
	heard(test, "");
	/* Handles outlive the manager; new windows are not announced. */
	zwlr_foreign_toplevel_manager_v1_stop(test->manager);
	heard(test, "finished; ");
	xdg_toplevel_set_title(old->toplevel, "same");
	heard(test, "title same; done; ");
	new = peer_window_create(test->program, 60, 0, 50, 50, 0xffff0000);
	heard(test, "is ; done; ");
	peer_window_destroy(new);
	peer_window_destroy(old);
	heard(test, "is activated ; done; is ; done; closed; ");
}

static void requests_change_the_window(void **state)
{
	struct test *test = *state;
	struct peer_window *below = peer_window_create(test->program, 0, 0, 50, 50, 0xffff0000);
	struct window *window = peer_window_find(below);
	const struct shell *shell = test->fixture->server->shell;
	peer_window_create(test->program, 60, 0, 50, 50, 0xffff0000);
	bind_manager(test, 3);
	fixture_pump(test->fixture);
	assert_int_equal(test->n_handles, 2);
	struct zwlr_foreign_toplevel_handle_v1 *handle = test->handles[0];
	forget(test);
	assert_true(shell->focus != window);
	zwlr_foreign_toplevel_handle_v1_activate(handle, test->bar->seat);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, window);
	zwlr_foreign_toplevel_handle_v1_set_minimized(handle);
	fixture_pump(test->fixture);
	assert_true(window->minimized);
	assert_true(shell->focus != window);
	/* Restoring a window focuses it. */
	zwlr_foreign_toplevel_handle_v1_unset_minimized(handle);
	fixture_pump(test->fixture);
	assert_false(window->minimized);
	assert_ptr_equal(shell->focus, window);
	/* Maximizing and fullscreen do, too. */
	zwlr_foreign_toplevel_handle_v1_set_minimized(handle);
	zwlr_foreign_toplevel_handle_v1_set_maximized(handle);
	fixture_pump(test->fixture);
	assert_true(window->states & WINDOW_MAXIMIZED);
	assert_false(window->minimized);
	assert_ptr_equal(shell->focus, window);
	zwlr_foreign_toplevel_handle_v1_set_minimized(handle);
	zwlr_foreign_toplevel_handle_v1_unset_maximized(handle);
	fixture_pump(test->fixture);
	assert_true(window->minimized);
	zwlr_foreign_toplevel_handle_v1_set_fullscreen(handle, NULL);
	fixture_pump(test->fixture);
	assert_int_equal(
		window->states & (WINDOW_MAXIMIZED | WINDOW_FULLSCREEN), WINDOW_FULLSCREEN);
	assert_false(window->minimized);
	const char *fullscreen = strstr(test->notes.text, "is activated fullscreen ; done; ");
	assert_non_null(fullscreen);
	assert_null(strstr(fullscreen + 1, "is "));
	zwlr_foreign_toplevel_handle_v1_unset_fullscreen(handle);
	zwlr_foreign_toplevel_handle_v1_close(handle);
	fixture_pump(test->fixture);
	assert_false(window->states & WINDOW_FULLSCREEN);
	assert_true(below->closed);
	zwlr_foreign_toplevel_handle_v1_set_rectangle(
		handle, wl_compositor_create_surface(test->bar->compositor), 0, 0, 0, -1);
	peer_expect_error(test->bar, &zwlr_foreign_toplevel_handle_v1_interface,
		ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_ERROR_INVALID_RECTANGLE);
}

/* Adds an output to the right of the first. */
static struct output *add_output(struct test *test)
{
	struct output *output =
		headless_add_output(test->fixture->server->backend, 200, 100, 60000);
	assert_non_null(output);
	fixture_pump(test->fixture);
	return output;
}

/* A window is on the output that shows most of it, even while hidden. */
static void window_is_on_the_output_with_most_of_it(void **state)
{
	struct test *test = *state;
	struct peer_window *own = peer_window_create(test->program, 0, 0, 50, 50, 0xffff0000);
	add_output(test);
	/* The first output is bound. */
	const struct peer_global *last = NULL;
	for (int i = 0; i < test->bar->n_globals; i++) {
		if (strcmp(test->bar->globals[i].interface, wl_output_interface.name) == 0) {
			last = &test->bar->globals[i];
		}
	}
	bind_manager(test, 1);
	fixture_pump(test->fixture);
	forget(test);
	/* An output that the taskbar binds later. */
	peer_window_place(own, 340, 10);
	heard(test, "leave; done; ");
	wl_registry_bind(test->bar->registry, last->name, &wl_output_interface, 1);
	heard(test, "enter; done; ");
	peer_window_place(own, 10, 10);
	heard(test, "leave; enter; done; ");
	window_set_minimized(peer_window_find(own), true);
	heard(test, "is minimized ; done; ");
}

/* The output of an unchanged window is removed. */
static void window_moves_when_its_output_goes(void **state)
{
	struct test *test = *state;
	struct peer_window *own = peer_window_create(test->program, 0, 0, 50, 50, 0xffff0000);
	struct output *second = add_output(test);
	bind_manager(test, 1);
	peer_window_place(own, 340, 10);
	fixture_pump(test->fixture);
	forget(test);
	headless_remove_output(second);
	heard(test, "enter; done; ");
}

/* The parent's first content may come after its child's. */
static void parent_is_sent_once_mapped(void **state)
{
	struct test *test = *state;
	struct peer_window *child = peer_window_create(test->program, 0, 0, 50, 50, 0xffff0000);
	struct peer_window *parent = peer_window_create_unmapped(test->program);
	bind_manager(test, 3);
	forget(test);
	window_set_parent(peer_window_find(child), peer_window_find(parent));
	heard(test, "no parent; done; ");
	peer_surface_show(
		parent->surface, peer_buffer_create(test->program, 50, 50, WL_SHM_FORMAT_XRGB8888));
	heard(test, "window; enter; is ; no parent; done; parent; done; is ; done; "
		    "is activated ; done; ");
}

static void announcement_of_many_windows_is_not_too_long(void **state)
{
	struct fixture *fixture = fixture_create(&(struct fixture_options){0});
	struct peer *program = peer_create(fixture);
	char title[4000];
	memset(title, 'x', sizeof(title) - 1);
	title[sizeof(title) - 1] = '\0';
	for (int i = 0; i < 400; i++) { /* 1.6 MB of titles */
		struct peer_window *window = peer_window_create(program, 0, 0, 10, 10, 0xff00ff00);
		xdg_toplevel_set_title(window->toplevel, title);
		fixture_pump(fixture);
	}
	struct peer *bar = peer_create(fixture);
	peer_bind(bar, &zwlr_foreign_toplevel_manager_v1_interface, 0);
	fixture_pump(fixture);
	assert_true(peer_alive(bar));
	struct peer *list = peer_create(fixture);
	peer_bind(list, &ext_foreign_toplevel_list_v1_interface, 0);
	fixture_pump(fixture);
	assert_true(peer_alive(list));
	fixture_destroy(fixture);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(window_events_follow_each_change),
		TEST(requests_change_the_window),
		TEST(window_is_on_the_output_with_most_of_it),
		TEST(window_moves_when_its_output_goes),
		TEST(parent_is_sent_once_mapped),
		cmocka_unit_test(announcement_of_many_windows_is_not_too_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
