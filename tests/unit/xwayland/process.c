/* SPDX-License-Identifier: MIT */
/* X servers: starts, ends and crashes of their processes. */

#include "harness/await.h"
#include "harness/unit.h"
#include "harness/x_servers.h"
#include "util/strings.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void crash(struct servers_world *world)
{
	world_end(world, 128 + SIGSEGV);
}

static void no_process_and_no_timer_exist_before_the_first_connection(void **state)
{
	struct servers_world *world = *state;
	world_dispatch(world);
	assert_int_equal(world->n_starts, 0);
	assert_int_equal(world->server->pid, 0);
	assert_false(clock_advance_to_next(world->clock));
}

static void the_first_connection_starts_one_process(void **state)
{
	struct servers_world *world = *state;
	char expected[160];
	char **environment = x_server_environment(world->server);
	int first = world_connect(world, 0), second = world_connect(world, 0);
	assert_int_equal(world->n_starts, 1);
	assert_int_equal(world->server->pid, world->pid);
	snprintf(expected, sizeof(expected),
		"Xwayland :0 -rootless -terminate 7 -auth %s -listenfd 4 -displayfd 5 -wm 6",
		environment[1] + strlen("XAUTHORITY="));
	assert_string_equal(world->arguments, expected);
	strings_destroy(environment);
	close(first);
	close(second);
}

static void a_ready_server_has_a_window_manager_and_no_timer(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	assert_int_equal(world->n_created, 0);
	world_report_readiness(world);
	assert_int_equal(world->n_created, 1);
	assert_non_null(world->server->wm);
	assert_false(clock_advance_to_next(world->clock));
	world_end(world, 0);
	assert_int_equal(world->n_destroyed, 1);
	assert_false(world->had_client);
	assert_int_equal(world->server->pid, 0);
	close(fd);
}

/* Xwayland writes its number and the newline separately. */
static void readiness_is_the_newline(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	assert_int_equal(write(world->readiness, "1", 1), 1);
	world_dispatch(world);
	assert_int_equal(world->n_created, 0);
	world_report_readiness(world);
	assert_int_equal(world->n_created, 1);
	close(fd);
}

static void a_crashed_server_starts_again_with_the_next_connection(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	world_report_readiness(world);
	/* Xwayland accepts it. */
	world_end(world, 0);
	close(fd);
	int refused = world_connect(world, 0);
	assert_int_equal(world->n_starts, 2);
	world_report_readiness(world);
	crash(world);
	assert_int_equal(world->n_starts, 2);
	world_dispatch(world);
	assert_int_equal(world->n_starts, 3); /* the connection still waits */
	close(refused);
}

static void crash_after_readiness(struct servers_world *world, int starts)
{
	assert_int_equal(world->n_starts, starts);
	world_report_readiness(world);
	crash(world);
	world_dispatch(world);
}

/* A connection waits all the time, for servers that accept none. */
static void starts_after_quick_crashes_pause_up_to_a_minute(void **state)
{
	static const int pauses[] = {1, 2, 4, 8, 16, 32, 60, 60};
	struct servers_world *world = *state;
	int fd = world_connect(world, 0), starts = 1;
	crash_after_readiness(world, starts++);
	for (size_t i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
		crash_after_readiness(world, starts);
		clock_advance(world->clock, pauses[i] * SECOND - 1);
		world_dispatch(world);
		assert_int_equal(world->n_starts, starts++);
		clock_advance(world->clock, 1);
		world_dispatch(world);
	}
	close(fd);
}

static void a_crash_after_a_minute_counts_as_the_first(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	for (int i = 1; i < 4; i++) {
		assert_int_equal(world->n_starts, i);
		world_report_readiness(world);
		clock_advance(world->clock, 60 * SECOND);
		crash(world);
		world_dispatch(world);
	}
	close(fd);
}

static void a_server_that_fails_at_its_start_closes_waiting_connections(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	world_end(world, 1);
	assert_true(world_was_closed(fd));
	world_dispatch(world);
	assert_int_equal(world->n_starts, 1);
	close(fd);
	fd = world_connect(world, 0);
	assert_int_equal(world->n_starts, 2);
	close(fd);
}

static void a_program_that_cannot_be_started_closes_waiting_connections(void **state)
{
	struct servers_world *world = *state;
	world->spawn_error = -ENOENT;
	int fd = world_connect(world, 0);
	assert_true(world_was_closed(fd));
	assert_int_equal(world->server->pid, 0);
	close(fd);
}

static void a_server_that_never_gets_ready_is_ended(void **state)
{
	struct servers_world *world = *state;
	int status, fd = world_connect(world, 0);
	clock_advance(world->clock, 30 * SECOND - 1);
	assert_false(world_has_ended(world->pid, &status));
	clock_advance(world->clock, 1);
	await(world_has_ended(world->pid, &status), (void)0);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	pid_t pid = world->pid;
	world->pid = 0;
	x_servers_child_ended(world->x_servers, pid, 128 + SIGTERM);
	assert_true(world_was_closed(fd));
	close(fd);
}

static void a_server_that_ignores_its_end_is_killed(void **state)
{
	struct servers_world *world = *state;
	int status;
	world->stubborn = true;
	int fd = world_connect(world, 0);
	world_report_readiness(world);
	x_server_end(world->server);
	clock_advance(world->clock, 5 * SECOND - 1);
	assert_false(world_has_ended(world->pid, &status));
	clock_advance(world->clock, 1);
	await(world_has_ended(world->pid, &status), (void)0);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	pid_t pid = world->pid;
	world->pid = 0;
	x_servers_child_ended(world->x_servers, pid, 128 + SIGKILL);
	close(fd);
}

/* A process that hangs in the kernel is never reaped. */
static void a_server_that_survives_sigkill_is_given_up(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	pid_t first = world->pid;
	world->pid = 0; /* unreaped until the end of the test */
	close(world->readiness);
	clock_advance(world->clock, 35 * SECOND);
	assert_null(world->server->wl_client);
	clock_advance(world->clock, 2 * SECOND - 1);
	assert_false(world_was_closed(fd) || world->server->pid != first);
	clock_advance(world->clock, 1);
	assert_true(world_was_closed(fd));
	assert_int_equal(world->server->pid, 0);
	close(fd);
	fd = world_connect(world, 0);
	assert_int_equal(world->n_starts, 2);
	x_servers_child_ended(world->x_servers, first, 128 + SIGKILL);
	assert_int_equal(world->server->pid, world->pid);
	assert_int_equal(waitpid(first, NULL, 0), first);
	close(fd);
}

static void the_loss_of_its_client_ends_the_process(void **state)
{
	struct servers_world *world = *state;
	int status, fd = world_connect(world, 0);
	world_report_readiness(world);
	wl_client_destroy(world->server->wl_client);
	assert_null(world->server->wl_client);
	await(world_has_ended(world->pid, &status), (void)0);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	pid_t pid = world->pid;
	world->pid = 0;
	assert_int_equal(world->n_destroyed, 0);
	x_servers_child_ended(world->x_servers, pid, 0);
	assert_int_equal(world->n_destroyed, 1);
	close(fd);
}

/* Xwayland exits with 0 after a protocol error. A connection waits all the time. */
static void disconnected_servers_pause_as_after_crashes(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(world->n_starts, i);
		world_report_readiness(world);
		wl_client_destroy(world->server->wl_client);
		world_end(world, 0);
		world_dispatch(world);
	}
	assert_int_equal(world->n_starts, 2);
	clock_advance(world->clock, 1 * SECOND);
	world_dispatch(world);
	assert_int_equal(world->n_starts, 3);
	close(fd);
}

/* The connection of a process closes before it can be reaped. */
static void servers_that_end_by_themselves_do_not_pause(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(world->n_starts, i);
		world_report_readiness(world);
		pid_t pid = world->pid;
		world_kill_process(world);
		world_dispatch(world);
		assert_null(world->server->wl_client);
		x_servers_child_ended(world->x_servers, pid, 0);
		world_dispatch(world);
	}
	assert_int_equal(world->n_starts, 4);
	close(fd);
}

static void a_server_without_window_manager_is_ended(void **state)
{
	struct servers_world *world = *state;
	int status;
	world->fails = true;
	int fd = world_connect(world, 0);
	world_report_readiness(world);
	await(world_has_ended(world->pid, &status), (void)0);
	pid_t pid = world->pid;
	world->pid = 0;
	x_servers_child_ended(world->x_servers, pid, 0);
	assert_int_equal(world->n_destroyed, 0);
	assert_true(world_was_closed(fd));
	close(fd);
}

static void waiting_connections_survive_a_gpu_that_goes_during_the_start(void **state)
{
	struct servers_world *world = *state;
	struct gpu a, b;
	world_init_gpu(&a, "a");
	world_init_gpu(&b, "b");
	world->default_gpu = &a;
	int fd = world_connect(world, 0);
	world->default_gpu = &b;
	a.gone = true;
	wl_signal_emit(&a.events.gone, NULL);
	world_end(world, 128 + SIGTERM);
	assert_false(world_was_closed(fd));
	world_dispatch(world);
	assert_int_equal(world->n_starts, 2);
	assert_ptr_equal(world->gpu, &b);
	world_end(world, 0);
	close(fd);
}

static void a_server_ends_with_its_gpu(void **state)
{
	struct servers_world *world = *state;
	struct gpu a, b;
	world_init_gpu(&a, "a");
	world_init_gpu(&b, "b");
	world->default_gpu = &a;
	int status, fd = world_connect(world, 0);
	world_report_readiness(world);
	world->default_gpu = &b;
	a.gone = true;
	wl_signal_emit(&a.events.gone, NULL);
	await(world_has_ended(world->pid, &status), (void)0);
	pid_t pid = world->pid;
	world->pid = 0;
	x_servers_child_ended(world->x_servers, pid, 128 + SIGTERM);
	world_dispatch(world);
	assert_ptr_equal(world->gpu, &b);
	assert_int_equal(world->n_starts, 2);
	world_end(world, 0);
	assert_true(wl_list_empty(&b.events.gone.listener_list));
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)
	static const struct CMUnitTest tests[] = {
		TEST(no_process_and_no_timer_exist_before_the_first_connection),
		TEST(the_first_connection_starts_one_process),
		TEST(a_ready_server_has_a_window_manager_and_no_timer),
		TEST(readiness_is_the_newline),
		TEST(a_crashed_server_starts_again_with_the_next_connection),
		TEST(starts_after_quick_crashes_pause_up_to_a_minute),
		TEST(a_crash_after_a_minute_counts_as_the_first),
		TEST(a_server_that_fails_at_its_start_closes_waiting_connections),
		TEST(a_program_that_cannot_be_started_closes_waiting_connections),
		TEST(a_server_that_never_gets_ready_is_ended),
		TEST(a_server_that_ignores_its_end_is_killed),
		TEST(a_server_that_survives_sigkill_is_given_up),
		TEST(the_loss_of_its_client_ends_the_process),
		TEST(disconnected_servers_pause_as_after_crashes),
		TEST(servers_that_end_by_themselves_do_not_pause),
		TEST(a_server_without_window_manager_is_ended),
		TEST(waiting_connections_survive_a_gpu_that_goes_during_the_start),
		TEST(a_server_ends_with_its_gpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
