/* SPDX-License-Identifier: MIT */
/* ext_workspace_manager_v1: events for a bar, and its requests. */

#include "backend/headless.h"
#include "ext-workspace-v1-client-protocol.h"
#include "harness/notes.h"
#include "harness/peer.h"
#include "shell/shell.h"
#include <stdlib.h>
#include <string.h>

struct test {
	struct fixture *fixture;
	struct shell *shell;
	struct peer *bar, *program;
	struct ext_workspace_manager_v1 *manager;
	struct ext_workspace_group_handle_v1 *groups[4];
	struct ext_workspace_handle_v1 *workspaces[8];
	int n_groups, n_workspaces;
	struct notes notes;
};

#define note(data, ...) notes_add(&((struct test *)(data))->notes, __VA_ARGS__)

static int index_of(struct test *test, struct ext_workspace_handle_v1 *handle)
{
	int i = 0;
	while (i < test->n_workspaces && test->workspaces[i] != handle) {
		i++;
	}
	return i;
}

static void handle_group_capabilities(
	void *data, struct ext_workspace_group_handle_v1 *group, uint32_t capabilities)
{
	assert_int_equal(capabilities, 1);
}

static void handle_output_enter(
	void *data, struct ext_workspace_group_handle_v1 *group, struct wl_output *output)
{
	note(data, "output; ");
}

static void handle_output_leave(
	void *data, struct ext_workspace_group_handle_v1 *group, struct wl_output *output)
{
	note(data, "no output; ");
}

static void handle_workspace_enter(void *data, struct ext_workspace_group_handle_v1 *group,
	struct ext_workspace_handle_v1 *workspace)
{
	note(data, "enter %d; ", index_of(data, workspace));
}

static void handle_workspace_leave(void *data, struct ext_workspace_group_handle_v1 *group,
	struct ext_workspace_handle_v1 *workspace)
{
	note(data, "leave %d; ", index_of(data, workspace));
}

static void handle_group_removed(void *data, struct ext_workspace_group_handle_v1 *group)
{
	note(data, "group removed; ");
}

static const struct ext_workspace_group_handle_v1_listener group_listener = {
	.capabilities = handle_group_capabilities,
	.output_enter = handle_output_enter,
	.output_leave = handle_output_leave,
	.workspace_enter = handle_workspace_enter,
	.workspace_leave = handle_workspace_leave,
	.removed = handle_group_removed,
};

static void handle_id(void *data, struct ext_workspace_handle_v1 *handle, const char *id)
{
	note(data, "id %s; ", id);
}

static void handle_name(void *data, struct ext_workspace_handle_v1 *handle, const char *name)
{
	note(data, "name %s; ", name);
}

static void handle_coordinates(
	void *data, struct ext_workspace_handle_v1 *handle, struct wl_array *coordinates)
{
	assert_int_equal(coordinates->size, 4);
	note(data, "at %u; ", *(uint32_t *)coordinates->data);
}

static void handle_state(void *data, struct ext_workspace_handle_v1 *handle, uint32_t state)
{
	note(data, "%d is%s%s; ", index_of(data, handle), state & 1 ? " active" : "",
		state & 2 ? " urgent" : "");
}

static void handle_capabilities(
	void *data, struct ext_workspace_handle_v1 *handle, uint32_t capabilities)
{
	assert_int_equal(capabilities, 1 | 8);
}

static void handle_removed(void *data, struct ext_workspace_handle_v1 *handle)
{
	note(data, "%d removed; ", index_of(data, handle));
}

static const struct ext_workspace_handle_v1_listener workspace_listener = {
	.id = handle_id,
	.name = handle_name,
	.coordinates = handle_coordinates,
	.state = handle_state,
	.capabilities = handle_capabilities,
	.removed = handle_removed,
};

static void handle_group(void *data, struct ext_workspace_manager_v1 *manager,
	struct ext_workspace_group_handle_v1 *group)
{
	struct test *test = data;
	assert_in_range(test->n_groups, 0, 3);
	test->groups[test->n_groups++] = group;
	ext_workspace_group_handle_v1_add_listener(group, &group_listener, data);
	note(data, "group; ");
}

static void handle_workspace(void *data, struct ext_workspace_manager_v1 *manager,
	struct ext_workspace_handle_v1 *workspace)
{
	struct test *test = data;
	assert_in_range(test->n_workspaces, 0, 7);
	test->workspaces[test->n_workspaces++] = workspace;
	ext_workspace_handle_v1_add_listener(workspace, &workspace_listener, data);
}

static void handle_done(void *data, struct ext_workspace_manager_v1 *manager)
{
	note(data, "done; ");
}

static void handle_finished(void *data, struct ext_workspace_manager_v1 *manager)
{
	note(data, "finished; ");
}

static const struct ext_workspace_manager_v1_listener manager_listener = {
	.workspace_group = handle_group,
	.workspace = handle_workspace,
	.done = handle_done,
	.finished = handle_finished,
};

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(NULL);
	test->notes.fixture = test->fixture;
	test->shell = test->fixture->server->shell;
	test->bar = peer_create(test->fixture);
	test->program = peer_create(test->fixture);
	peer_bind(test->bar, &wl_output_interface, 0);
	fixture_pump(test->fixture);
	test->manager = peer_bind(test->bar, &ext_workspace_manager_v1_interface, 1);
	ext_workspace_manager_v1_add_listener(test->manager, &manager_listener, test);
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

static void bar_follows_each_change(void **state)
{
	struct test *test = *state;
	heard(test, "group; output; id 1; name 1; at 0; enter 0; 0 is active; done; ");
	struct peer_window *window = peer_window_create(test->program, 0, 0, 50, 50, 0xffff0000);
	forget(test);
	shell_switch_workspace(test->shell, "mail");
	heard(test, "id mail; name mail; 0 is; enter 1; 1 is active; done; ");
	window_activate(peer_window_find(window), false);
	heard(test, "0 is urgent; done; ");
	shell_switch_workspace(test->shell, "1");
	heard(test, "0 is active; leave 1; 1 removed; done; ");
	/* Requests on a removed workspace are ignored. */
	ext_workspace_handle_v1_activate(test->workspaces[1]);
	ext_workspace_handle_v1_assign(test->workspaces[1], test->groups[0]);
	ext_workspace_manager_v1_commit(test->manager);
	ext_workspace_handle_v1_destroy(test->workspaces[1]);
	heard(test, "");
}

static void requests_take_effect_at_the_commit(void **state)
{
	struct test *test = *state;
	peer_window_create(test->program, 0, 0, 50, 50, 0xffff0000);
	shell_switch_workspace(test->shell, "2");
	fixture_pump(test->fixture);
	ext_workspace_handle_v1_activate(test->workspaces[0]);
	forget(test);
	assert_string_equal(shell_workspace(test->shell)->name, "2");
	ext_workspace_manager_v1_commit(test->manager);
	fixture_pump(test->fixture);
	assert_string_equal(shell_workspace(test->shell)->name, "1");
	ext_workspace_group_handle_v1_create_workspace(test->groups[0], "web");
	ext_workspace_manager_v1_commit(test->manager);
	fixture_pump(test->fixture);
	assert_string_equal(shell_workspace(test->shell)->name, "web");
}

static void outputs_are_groups(void **state)
{
	struct test *test = *state;
	forget(test);
	struct output *output =
		headless_add_output(test->fixture->server->backend, 200, 100, 60000);
	heard(test, "group; id 2; name 2; at 1; enter 1; 1 is active; done; ");
	assert_int_equal(test->n_groups, 2);
	peer_window_create(test->program, 0, 0, 50, 50, 0xffff0000);
	forget(test);
	ext_workspace_handle_v1_assign(test->workspaces[0], test->groups[1]);
	ext_workspace_manager_v1_commit(test->manager);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell_find_workspace(test->shell, "1")->output->output, output);
	forget(test);
	output_destroy(output);
	fixture_pump(test->fixture);
	assert_non_null(strstr(test->notes.text, "group removed; done; "));
	/* A destroyed group is not used again. */
	ext_workspace_group_handle_v1_create_workspace(test->groups[1], "late");
	ext_workspace_handle_v1_assign(test->workspaces[0], test->groups[1]);
	ext_workspace_manager_v1_commit(test->manager);
	fixture_pump(test->fixture);
	assert_null(shell_find_workspace(test->shell, "late"));
}

/* Binds the output that was announced last. */
static void bind_last_output(struct test *test)
{
	const struct peer *bar = test->bar;
	int i = bar->n_globals - 1;
	while (strcmp(bar->globals[i].interface, "wl_output") != 0) {
		i--;
	}
	wl_registry_bind(bar->registry, bar->globals[i].name, &wl_output_interface, 1);
}

/* The global of an output is announced at the time of its group, so that no client has bound it. */
static void group_of_a_new_output_enters_it_when_it_is_bound(void **state)
{
	struct test *test = *state;
	headless_add_output(test->fixture->server->backend, 200, 100, 60000);
	fixture_pump(test->fixture);
	assert_int_equal(test->n_groups, 2);
	forget(test);
	bind_last_output(test);
	heard(test, "output; done; ");
	ext_workspace_group_handle_v1_destroy(test->groups[1]);
	bind_last_output(test);
	heard(test, "");
}

/* Requests without capability, without effect, or with objects of another manager. */
static void requests_without_a_capability_are_ignored(void **state)
{
	struct test *test = *state, other = {.shell = test->shell};
	char name[WORKSPACE_NAME_MAX + 2];
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	other.notes.fixture = test->fixture;
	forget(test);
	ext_workspace_handle_v1_deactivate(test->workspaces[0]);
	ext_workspace_handle_v1_remove(test->workspaces[0]);
	ext_workspace_group_handle_v1_create_workspace(test->groups[0], name);
	ext_workspace_manager_v1_commit(test->manager);
	ext_workspace_manager_v1_commit(test->manager);
	heard(test, "");
	assert_non_null(shell_find_workspace(test->shell, "1"));
	assert_null(shell_find_workspace(test->shell, name));
	/* Groups of another manager. */
	headless_add_output(test->fixture->server->backend, 200, 100, 60000);
	other.manager = peer_bind(test->bar, &ext_workspace_manager_v1_interface, 1);
	ext_workspace_manager_v1_add_listener(other.manager, &manager_listener, &other);
	fixture_pump(test->fixture);
	assert_int_equal(other.n_groups, 2);
	const struct scene_output *before = shell_find_workspace(test->shell, "1")->output;
	for (int i = 0; i < 2; i++) {
		ext_workspace_handle_v1_assign(test->workspaces[0], other.groups[i]);
	}
	ext_workspace_manager_v1_commit(test->manager);
	ext_workspace_manager_v1_commit(other.manager);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell_find_workspace(test->shell, "1")->output, before);
	assert_true(peer_alive(test->bar));
}

static void stopped_manager_sends_nothing(void **state)
{
	struct test *test = *state;
	forget(test);
	ext_workspace_manager_v1_stop(test->manager);
	heard(test, "finished; ");
	shell_switch_workspace(test->shell, "2");
	ext_workspace_handle_v1_activate(test->workspaces[0]);
	ext_workspace_group_handle_v1_create_workspace(test->groups[0], "x");
	ext_workspace_handle_v1_destroy(test->workspaces[0]);
	ext_workspace_group_handle_v1_destroy(test->groups[0]);
	heard(test, "");
}

/* A client may destroy objects in any order, and ask for more workspaces than there can be. */
static void objects_may_be_destroyed_early(void **state)
{
	struct test *test = *state;
	forget(test);
	ext_workspace_handle_v1_destroy(test->workspaces[0]);
	for (int i = 0; i < 3 * WORKSPACES_MAX; i++) {
		ext_workspace_group_handle_v1_create_workspace(test->groups[0], "1");
	}
	ext_workspace_group_handle_v1_destroy(test->groups[0]);
	ext_workspace_manager_v1_commit(test->manager);
	fixture_pump(test->fixture);
	shell_switch_workspace(test->shell, "2");
	fixture_pump(test->fixture);
	assert_int_equal(test->n_workspaces, 2);
	assert_int_equal(test->n_groups, 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bar_follows_each_change),
		TEST(requests_take_effect_at_the_commit),
		TEST(outputs_are_groups),
		TEST(group_of_a_new_output_enters_it_when_it_is_bound),
		TEST(requests_without_a_capability_are_ignored),
		TEST(stopped_manager_sends_nothing),
		TEST(objects_may_be_destroyed_early),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
