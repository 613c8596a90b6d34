/* SPDX-License-Identifier: MIT */
/* Actions: every name of the configuration does something. */

#include "backend/headless.h"
#include "config/config.h"
#include "harness/client/reload.h"
#include "harness/peer.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "shell/input/input.h"
#include "shell/window.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Beyond the time limit for clients that draw no new size, ns. */
#define SLOW INT64_C(1000000000)
#define N_WINDOWS 3

/** How to see that an action does something. */
struct example {
	const char *action, *argument;
	const char *before; /* actions that are run first, separated by semicolons; NULL: none */
};

static const struct example examples[] = {
	{"spawn", "true"},
	{"close"},
	{"quit"},
	{"reload"},
	{"fullscreen"},
	{"maximize"},
	{"minimize"},
	{"restore", NULL, "minimize"},
	{"cycle"},
	{"cycle-back"},
	{"workspace", "2"},
	{"workspace-next", NULL, "move-to-workspace 3"},
	{"workspace-previous", NULL, "move-to-workspace 3"},
	{"workspace-back", NULL, "move-to-workspace 3;workspace 3"},
	{"workspace-to-output", "right"},
	{"move-to-workspace", "2"},
	{"follow-to-workspace", "2"},
	{"focus-output", "right"},
	{"move-to-output", "right"},
	{"focus", "left", "layout columns"},
	{"move", "left"},
	{"swap", "left", "layout columns"},
	{"join", "left", "layout columns"},
	{"resize", "wider"},
	{"width", "75", "layout columns"},
	{"tile", "top-left"},
	{"toggle-tabbed", NULL, "layout columns;join left"},
	{"toggle-floating", NULL, "layout columns"},
	{"focus-floating", NULL, "layout columns;toggle-floating"},
	{"focus-urgent"},
	{"layout", "columns"},
	{"gaps", "20", "layout columns"},
	{"sticky"},
	{"always-on-top"},
	{"scratchpad", NULL, "move-to-scratchpad"},
	{"move-to-scratchpad"},
	{"kill"},
	{"next-keyboard-layout"},
	{"mode", "go"},
	{"tile-left"},
	{"tile-right"},
	{"switch-vt", "2"},
	{"toggle-shortcuts"},
	{"help"},
	{"dpms", "off"},
	{"screenshot", "output"},
	{"overview"},
	{"magnify-in"},
	{"magnify-out", NULL, "magnify-in;magnify-in"},
	{"magnify-reset", NULL, "magnify-in"},
};

struct counts {
	int spawned, quit, reloaded, switched, powered, shortcuts;
	struct wl_listener toggle_shortcuts;
};

struct test {
	struct fixture *fixture;
	struct peer *peers[N_WINDOWS];
	struct peer_window *windows[N_WINDOWS];
	struct shell_host host;
	struct counts counts;
};

static bool spawn(void *data, const char *const *argv, char **error)
{
	((struct counts *)data)->spawned++;
	return true;
}

static void quit(void *data)
{
	((struct counts *)data)->quit++;
}

static bool reload(void *data, char **error)
{
	((struct counts *)data)->reloaded++;
	return true;
}

static void switch_vt(void *data, int n)
{
	((struct counts *)data)->switched += n;
}

static void set_power(void *data, bool on)
{
	((struct counts *)data)->powered++;
}

static void handle_shortcuts(struct wl_listener *listener, void *data)
{
	struct counts *counts = wl_container_of(listener, counts, toggle_shortcuts);
	counts->shortcuts++;
}

static int set_up(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	const struct fixture_options options = {.n_outputs = 2};
	test->fixture = fixture_create(&options);
	struct server *server = test->fixture->server;
	headless_add_input(server->backend, INPUT_KEYBOARD, "Board");
	assert_true(reload_text(test->fixture, "[mode go]\nF1 = close\n"));
	assert_true(seat_set_keymap(server->seat, &(struct seat_keymap_names){.layout = "us,de"}));
	for (int i = 0; i < N_WINDOWS; i++) {
		test->peers[i] = peer_create(test->fixture);
		test->windows[i] = peer_window_create(
			test->peers[i], 60 + 20 * i, 60 + 20 * i, 100, 80, 0xffffffff);
	}
	window_activate(peer_window_find(test->windows[0]), false);
	test->host = (struct shell_host){.spawn = spawn,
		.quit = quit,
		.reload = reload,
		.switch_vt = switch_vt,
		.set_power = set_power,
		.data = &test->counts,
		.has_vts = true};
	server->shell->host = &test->host;
	test->counts.toggle_shortcuts.notify = handle_shortcuts;
	wl_signal_add(&server->shell->events.toggle_shortcuts, &test->counts.toggle_shortcuts);
	*state = test;
	return 0;
}

static int tear_down(void **state)
{
	struct test *test = *state;
	wl_list_remove(&test->counts.toggle_shortcuts.link);
	return fixture_tear_down(state);
}

static void write_keyboard(void *data, const struct input_device *device, struct xkb_state *state)
{
	fprintf(data, "layout %u\n", xkb_state_serialize_layout(state, XKB_STATE_LAYOUT_EFFECTIVE));
}

static void write_window(FILE *file, const struct window *window)
{
	const struct box *tile = &window->private->tile;
	fprintf(file,
		"%s %d,%d %dx%d states %x tile %d,%d %dx%d covered %d flags %d%d%d%d%d on %s\n",
		window->identifier, window->x, window->y, window->private->want_width,
		window->private->want_height, window->states, tile->x, tile->y, tile->width,
		tile->height, window->private->tile_covered, window->minimized, window->sticky,
		window->on_top, window->private->floats, window_in_scratchpad(window),
		window->workspace->name);
}

/* Describes all that actions change, newly allocated. */
static char *describe(struct test *test)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	struct shell *shell = test->fixture->server->shell;
	const struct window *window;
	fixture_sleep(test->fixture, SLOW);
	wl_list_for_each (window, &shell->windows, link) {
		write_window(file, window);
	}
	const struct workspace *workspace;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		fprintf(file, "workspace %s on %s shown %d layout %d\n", workspace->name,
			workspace->output->output->name, workspace->shown, (int)workspace->layout);
	}
	for (int i = 0; i < N_WINDOWS; i++) {
		fprintf(file, "closed %d gone %d\n", test->windows[i]->closed,
			!test->peers[i]->client);
	}
	const struct counts *counts = &test->counts;
	fprintf(file, "focus %s on %s, mode %s, overview %d, help %d, host %d %d %d %d %d %d\n",
		shell->focus ? shell->focus->identifier : "none", shell_workspace(shell)->name,
		shell->mode ? shell->mode : "none", shell->private->overview != NULL,
		shell_message_text(shell, SHELL_MESSAGE_HELP) != NULL, counts->spawned,
		counts->quit, counts->reloaded, counts->switched, counts->powered,
		counts->shortcuts);
	const char *message = shell_message_text(shell, SHELL_MESSAGE_SESSION);
	fprintf(file, "message %s, magnified %g times\n", message ? message : "none",
		magnifier_factor(shell));
	seat_each_keyboard(test->fixture->server->seat, write_keyboard, file);
	fclose(file);
	return text;
}

static void run_all(struct shell *shell, const char *actions)
{
	char *copy = xstrdup(actions), *rest = copy, *action;
	while ((action = strsep(&rest, ";"))) {
		char *argument = action;
		strsep(&argument, " ");
		assert_true(shell_run_action(shell, action, argument));
	}
	free(copy);
}

static void try_example(const struct example *example)
{
	void *state;
	set_up(&state);
	struct test *test = state;
	struct shell *shell = test->fixture->server->shell;
	if (example->before) {
		run_all(shell, example->before);
	}
	assert_null(shell_check_target(shell, example->action, example->argument));
	char *before = describe(test);
	if (!shell_run_action(shell, example->action, example->argument)) {
		fail_msg("there is no action '%s'", example->action);
	}
	char *after = describe(test);
	if (strcmp(before, after) == 0) {
		fail_msg("the action '%s' does nothing:\n%s", example->action, before);
	}
	free(before);
	free(after);
	tear_down(&state);
}

static void every_action_does_something(void **state)
{
	const size_t n = sizeof(examples) / sizeof(examples[0]);
	size_t n_actions = 0;
	for (const struct config_action_info *info = config_actions(); info->name; info++) {
		size_t i = 0;
		if (config_action_needs_key(info->name)) {
			continue; /* input/passed_key */
		}
		while (i < n && strcmp(examples[i].action, info->name) != 0) {
			i++;
		}
		if (i == n) {
			fail_msg("the action '%s' lacks an example", info->name);
		}
		assert_true(!info->argument == !examples[i].argument);
		try_example(&examples[i]);
		n_actions++;
	}
	assert_int_equal(n_actions, n);
}

/* Keys are pressed on empty workspaces, too. */
static void every_action_is_found_without_windows(void **state)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		set_up(state);
		struct test *test = *state;
		for (int j = 0; j < N_WINDOWS; j++) {
			peer_destroy(test->peers[j]);
		}
		assert_true(shell_run_action(
			test->fixture->server->shell, examples[i].action, examples[i].argument));
		tear_down(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_action_does_something),
		cmocka_unit_test(every_action_is_found_without_windows),
	};
	return cmocka_run_group_tests_name("shell/actions", tests, NULL, NULL);
}
