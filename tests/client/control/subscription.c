/* SPDX-License-Identifier: MIT */
/* Subscriptions of the control protocol: the state, then its changes. */

#include "backend/headless.h"
#include "causeway-control-v1-client-protocol.h"
#include "gpu/gpu.h"
#include "harness/keymap.h"
#include "harness/peer.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <fcntl.h>
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

struct subscription_world {
	struct fixture *fixture;
	struct shell *shell;
	struct peer *peer, *control;
	struct causeway_control_v1 *manager;
	struct peer_window *window;
	struct causeway_subscription_v1 *subscription;
	int n_changed;
};

/** A report: "[name=value; ...]" of each record. */
struct report {
	char text[32768];
	bool done;
	int n_records;
};

static void handle_begin(void *data, struct causeway_report_v1 *proxy)
{
	struct report *report = data;
	report->n_records++;
	strcat(report->text, "[");
}

static void handle_field(void *data, struct causeway_report_v1 *proxy, const char *name,
	uint32_t kind, const char *value)
{
	struct report *report = data;
	size_t length = strlen(report->text);
	snprintf(report->text + length, sizeof(report->text) - length, "%s=%s; ", name, value);
}

static void handle_end(void *data, struct causeway_report_v1 *proxy)
{
	struct report *report = data;
	strcat(report->text, "]");
}

static void handle_done(void *data, struct causeway_report_v1 *proxy)
{
	struct report *report = data;
	report->done = true;
	causeway_report_v1_destroy(proxy);
}

static const struct causeway_report_v1_listener report_listener = {
	.begin_record = handle_begin,
	.field = handle_field,
	.end_record = handle_end,
	.done = handle_done,
};

static const struct report *get_changes(struct subscription_world *world)
{
	static struct report report;
	report = (struct report){0};
	causeway_report_v1_add_listener(causeway_subscription_v1_get_changes(world->subscription),
		&report_listener, &report);
	fixture_pump(world->fixture);
	assert_true(report.done);
	return &report;
}

static void assert_says(const struct report *report, const char *text)
{
	if (!strstr(report->text, text)) {
		puts(report->text);
		fail_msg("the report lacks '%s'", text);
	}
}

static void handle_changed(void *data, struct causeway_subscription_v1 *proxy)
{
	struct subscription_world *world = data;
	world->n_changed++;
}

static const struct causeway_subscription_v1_listener listener = {.changed = handle_changed};

static int set_up(void **state)
{
	struct subscription_world *world = xcalloc(1, sizeof(*world));
	const struct fixture_options options = {.n_outputs = 2};
	world->fixture = fixture_create(&options);
	world->shell = world->fixture->server->shell;
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 10, 10, 50, 50, 0xffffffff);
	world->control = peer_create_control(world->fixture);
	world->manager = peer_bind(world->control, &causeway_control_v1_interface, 0);
	world->subscription = causeway_control_v1_subscribe(world->manager, 60);
	causeway_subscription_v1_add_listener(world->subscription, &listener, world);
	fixture_settle(world->fixture);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct subscription_world *world = *state;
	fixture_destroy(world->fixture);
	free(world);
	return 0;
}

static void first_report_has_all_objects(void **state)
{
	struct subscription_world *world = *state;
	assert_int_equal(world->n_changed, 0);
	const struct report *report = get_changes(world);
	assert_says(
		report, "[kind=output; id=HEADLESS-1; name=HEADLESS-1; enabled=true; dark=false; ");
	assert_says(report,
		"[kind=workspace; id=1; name=1; number=1; output=HEADLESS-1; shown=true; "
		"focused=true; urgent=false; layout=floating; windows=1; ]");
	assert_says(report, "[kind=window; id=");
	assert_says(report, "workspace=1; output=HEADLESS-1; focused=true; maximized=false; ");
	assert_says(report, "[kind=session; id=session; focus=");
	assert_says(report,
		"workspace=1; output=HEADLESS-1; mode=default; locked=false; idle=false; ]");
}

static void later_reports_have_changed_objects_only(void **state)
{
	struct subscription_world *world = *state;
	get_changes(world);
	assert_string_equal(get_changes(world)->text, "");
	xdg_toplevel_set_title(world->window->toplevel, "quotes \" and \x01");
	fixture_settle(world->fixture);
	assert_int_equal(world->n_changed, 1);
	const struct report *report = get_changes(world);
	assert_int_equal(report->n_records, 1);
	assert_says(report, "title=quotes \" and \x01; ");

	window_set_minimized(peer_window_find(world->window), true);
	fixture_settle(world->fixture);
	report = get_changes(world);
	assert_int_equal(report->n_records, 2); /* the window, and the session without focus */
	assert_says(report, "minimized=true; ");
	assert_says(report, "[kind=session; id=session; workspace=1; ");

	peer_window_destroy(world->window);
	fixture_settle(world->fixture);
	assert_int_equal(world->n_changed, 3);
	report = get_changes(world);
	assert_int_equal(report->n_records, 2);
	assert_says(report, "windows=0; ]");
	assert_says(report, "; removed=true; ]");
	assert_int_equal(get_changes(world)->n_records, 0);
}

/* The compositor keeps neither the events nor the objects of the time between. */
static void client_that_does_not_ask_gets_one_event(void **state)
{
	struct subscription_world *world = *state;
	get_changes(world);
	char title[16];
	for (int i = 0; i < 100; i++) {
		snprintf(title, sizeof(title), "title %d", i);
		xdg_toplevel_set_title(world->window->toplevel, title);
		struct peer_window *other =
			peer_window_create(world->peer, 10, 10, 20, 20, 0xffffffff);
		fixture_pump(world->fixture);
		peer_window_destroy(other);
		fixture_pump(world->fixture);
	}
	assert_int_equal(world->n_changed, 1);
	const struct report *report = get_changes(world);
	assert_int_equal(report->n_records, 1);
	assert_says(report, "title=title 99; ");
}

static void workspaces_and_the_mode_are_followed(void **state)
{
	struct subscription_world *world = *state;
	get_changes(world);
	assert_true(shell_switch_workspace(world->shell, "mail"));
	fixture_settle(world->fixture);
	const struct report *report = get_changes(world);
	assert_says(report, "[kind=workspace; id=mail; name=mail; output=HEADLESS-1; shown=true; ");
	assert_says(report, "[kind=workspace; id=1; ");
	assert_says(report, "[kind=session; id=session; workspace=mail; ");
	assert_true(shell_switch_workspace(world->shell, "1"));
	fixture_settle(world->fixture);
	assert_says(get_changes(world), "[kind=workspace; id=mail; removed=true; ]");

	int before = world->n_changed;
	shell_lock(world->shell);
	fixture_settle(world->fixture);
	assert_int_equal(world->n_changed, before + 1);
	assert_says(get_changes(world), "locked=true; ");
	shell_unlock(world->shell);
}

static void keyboards_tell_their_layouts(void **state)
{
	struct subscription_world *world = *state;
	struct seat *seat = world->fixture->server->seat;
	get_changes(world);
	struct input_device *keyboard =
		headless_add_input(world->fixture->server->backend, INPUT_KEYBOARD, "Board");
	fixture_settle(world->fixture);
	assert_int_equal(world->n_changed, 1);
	assert_says(get_changes(world), "[kind=keyboard; id=Board; name=Board; layout=");
	assert_true(seat_set_keymap(seat, &(struct seat_keymap_names){.layout = "us,de"}));
	fixture_settle(world->fixture);
	assert_says(get_changes(world),
		"layout=English (US); index=0; layouts=English (US)\nGerman; ]");
	seat_next_layout(seat);
	fixture_settle(world->fixture);
	assert_says(get_changes(world), "layout=German; index=1; ");
	headless_remove_input(keyboard);
	fixture_settle(world->fixture);
	assert_says(get_changes(world), "[kind=keyboard; id=Board; removed=true; ]");
}

static void session_counts_as_idle_without_input(void **state)
{
	struct subscription_world *world = *state;
	struct input_device *keyboard =
		headless_add_input(world->fixture->server->backend, INPUT_KEYBOARD, "Board");
	fixture_settle(world->fixture);
	get_changes(world);
	int before = world->n_changed;
	clock_advance(world->fixture->clock, 59 * SECOND);
	fixture_pump(world->fixture);
	assert_int_equal(world->n_changed, before);
	clock_advance(world->fixture->clock, 2 * SECOND);
	fixture_pump(world->fixture);
	assert_int_equal(world->n_changed, before + 1);
	assert_says(get_changes(world), "idle=true; ]");
	struct input_key_event event = {.key = KEY_A, .pressed = true};
	signal_emit(&keyboard->events.key, &event);
	fixture_pump(world->fixture);
	assert_says(get_changes(world), "idle=false; ]");
}

static void gpus_report_losses_and_opened_nodes(void **state)
{
	struct subscription_world *world = *state;
	struct gpu_list *gpus = world->fixture->server->gpus;
	char node[] = "/tmp/causeway-node-XXXXXX";
	close(mkstemp(node));
	struct gpu gpu = {.fd = -1,
		.driver = (char *)"amdgpu",
		.render_path = node,
		.bus_id = (char *)"spare-gpu"};
	wl_list_insert(gpus->gpus.prev, &gpu.link);
	signal_emit(&gpus->events.changed, gpus);
	assert_says(get_changes(world), "[kind=gpu; id=spare-gpu; name=spare-gpu; driver=amdgpu; ");
	fixture_settle(world->fixture);
	int before = world->n_changed;
	gpu_list_count_loss(gpus, &gpu);
	fixture_settle(world->fixture);
	assert_int_equal(world->n_changed, before + 1);
	assert_says(get_changes(world), "open=false; role=spare; power=unknown; losses=1; ]");
	close(open(node, O_RDONLY | O_CLOEXEC));
	fixture_settle(world->fixture);
	assert_int_equal(world->n_changed, before + 2);
	assert_int_equal(get_changes(world)->n_records, 0);
	gpu.n_users = 1;
	close(open(node, O_RDONLY | O_CLOEXEC));
	fixture_settle(world->fixture);
	assert_says(get_changes(world), "open=true; ");
	wl_list_remove(&gpu.link);
	signal_emit(&gpus->events.changed, gpus);
	assert_says(get_changes(world), "[kind=gpu; id=spare-gpu; removed=true; ]");
	unlink(node);
}

/* Requests that come between a change and its event, and the end of the subscription there. */
static void request_replaces_a_due_event(void **state)
{
	struct subscription_world *world = *state;
	struct peer *other = peer_create(world->fixture);
	struct peer_window *second = peer_window_create(other, 10, 10, 20, 20, 0xffffffff);
	get_changes(world);
	for (int i = 0; i < 8; i++) {
		xdg_toplevel_set_title(world->window->toplevel, i % 2 ? "odd" : "even");
		wl_display_flush(world->peer->display);
		causeway_report_v1_destroy(
			causeway_subscription_v1_get_changes(world->subscription));
		if (i == 7) {
			causeway_subscription_v1_destroy(world->subscription);
		}
		wl_display_flush(world->control->display);
		xdg_toplevel_set_title(second->toplevel, i % 2 ? "even" : "odd");
		fixture_pump(world->fixture);
	}
	fixture_settle(world->fixture);
	assert_true(peer_alive(world->control));
	peer_window_destroy(second);
}

static void ended_subscription_gets_no_events(void **state)
{
	struct subscription_world *world = *state;
	get_changes(world);
	causeway_subscription_v1_destroy(world->subscription);
	fixture_pump(world->fixture);
	xdg_toplevel_set_title(world->window->toplevel, "later");
	shell_switch_workspace(world->shell, "2");
	fixture_settle(world->fixture);
	assert_true(peer_alive(world->control));
}

/* Asks for changes twice, causes one after each, and reads nothing between. */
static void ask_and_change_twice(struct subscription_world *world)
{
	static struct report reports[2];
	for (int i = 0; i < 2; i++) {
		reports[i] = (struct report){0};
		causeway_report_v1_add_listener(
			causeway_subscription_v1_get_changes(world->subscription), &report_listener,
			&reports[i]);
		causeway_result_v1_destroy(
			causeway_control_v1_run_action(world->manager, "workspace mail"));
		causeway_result_v1_destroy(
			causeway_control_v1_run_action(world->manager, "workspace 1"));
	}
}

static void changes_of_one_dispatch_send_one_event(void **state)
{
	struct subscription_world *world = *state;
	get_changes(world);
	ask_and_change_twice(world);
	fixture_settle(world->fixture);
	assert_int_equal(world->n_changed, 1);
	get_changes(world);
	ask_and_change_twice(world);
	causeway_subscription_v1_destroy(world->subscription);
	fixture_settle(world->fixture);
	assert_true(peer_alive(world->control));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(first_report_has_all_objects),
		TEST(later_reports_have_changed_objects_only),
		TEST(client_that_does_not_ask_gets_one_event),
		TEST(workspaces_and_the_mode_are_followed),
		TEST(keyboards_tell_their_layouts),
		TEST(session_counts_as_idle_without_input),
		TEST(gpus_report_losses_and_opened_nodes),
		TEST(request_replaces_a_due_event),
		TEST(ended_subscription_gets_no_events),
		TEST(changes_of_one_dispatch_send_one_event),
	};
	return cmocka_run_group_tests_name("control/subscription", tests, NULL, NULL);
}
