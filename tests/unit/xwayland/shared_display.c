/* SPDX-License-Identifier: MIT */
/* One display for the X servers of all GPUs: which server gets a connection, and when. */

#include "harness/await.h"
#include "harness/unit.h"
#include "harness/x_servers.h"
#include "util/process.h"
#include "util/strings.h"
#include "xwayland/channel.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct gpu gpu_a, gpu_b;
/* The choice of the host for processes other than the test. */
static struct gpu *choice;

static struct x_choice choose_for_children(const struct process *process)
{
	const bool other = process->pid != getpid();
	return (struct x_choice){.gpu = other ? choice : &gpu_a, .rule = other ? "clock" : NULL};
}

/* Starts a program that connects and stays. */
static pid_t start_program(struct servers_world *world)
{
	int pipe_fds[2];
	char byte = 0;
	assert_int_equal(pipe(pipe_fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		world_open_connection(world, 0);
		if (write(pipe_fds[1], &byte, 1) != 1) {
			_exit(1);
		}
		for (;;) {
			pause();
		}
	}
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return pid;
}

static void end_program(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Connects, and dispatches until the connection is in the channel of the server that runs. */
static int connect_and_take(struct servers_world *world)
{
	int taken = -EAGAIN, fd = world_connect(world, 0);
	await((taken = x_channel_receive_fd(world->listening)) >= 0, world_dispatch(world));
	close(taken);
	return fd;
}

static void passed(struct servers_world *world)
{
	world->default_gpu = &gpu_a;
	world->choose = choose_for_children;
	choice = &gpu_b;
	world_finish_kernel_test(world, 0);
}

static void connections_wait_for_the_test_of_the_kernel(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	assert_int_equal(world->n_starts, 0);
	passed(world);
	await(world->n_starts == 1, world_dispatch(world));
	assert_ptr_equal(world->gpu, &gpu_a);
	assert_non_null(strstr(world->arguments, "helper --x-server=4,5 Xwayland :1000 -rootless"));
	close(fd);
}

static char *display_of(const struct x_server *server)
{
	char **environment = x_server_environment(server);
	char *display = strdup(environment[0]);
	strings_destroy(environment);
	return display;
}

/* On a slow machine, the process of the test needs long to start. */
static void late_test_of_the_kernel_still_shares_the_display(void **state)
{
	struct servers_world *world = *state;
	int fd = world_connect(world, 0);
	clock_advance(world->clock, 30 * SECOND);
	passed(world);
	pid_t pid = start_program(world);
	await(world->n_starts == 2, world_dispatch(world));
	assert_ptr_equal(world->gpu, &gpu_b);
	end_program(pid);
	close(fd);
}

static void all_servers_have_one_display_and_cookie(void **state)
{
	struct servers_world *world = *state;
	passed(world);
	struct x_server *other = x_server_for_gpu(world->x_servers, &gpu_b);
	assert_ptr_not_equal(other, world->server);
	char **first = x_server_environment(world->server), **second = x_server_environment(other);
	assert_string_equal(first[0], "DISPLAY=:0");
	for (int i = 0; i < 3; i++) {
		assert_string_equal(first[i], second[i]);
	}
	assert_int_equal(other->display, 1001);
	strings_destroy(first);
	strings_destroy(second);
}

static void a_server_of_a_single_program_keeps_a_display(void **state)
{
	struct servers_world *world = *state;
	char *error = NULL;
	passed(world);
	struct x_server *own = x_server_create_own(world->x_servers, &gpu_b, &error);
	assert_non_null(own);
	char *display = display_of(own);
	assert_string_equal(display, "DISPLAY=:1");
	free(display);
}

/* The default server serves the display as without sharing, so that no program notices. */
static void check_fallback(struct servers_world *world)
{
	char *display = display_of(world->server);
	assert_string_equal(display, "DISPLAY=:0");
	free(display);
	display = display_of(x_server_for_gpu(world->x_servers, &gpu_b));
	assert_string_equal(display, "DISPLAY=:1");
	free(display);
	assert_null(strstr(world->arguments ? world->arguments : "", "helper"));
}

static void each_server_gets_a_display_if_the_kernel_refuses(void **state)
{
	struct servers_world *world = *state;
	world->default_gpu = &gpu_a;
	int fd = world_connect(world, 0);
	/* One that exists already is replaced. */
	x_server_for_gpu(world->x_servers, &gpu_b);
	world_finish_kernel_test(world, EBUSY);
	world_dispatch(world);
	assert_int_equal(world->n_starts, 1);
	check_fallback(world);
	close(fd);
}

static void each_server_gets_a_display_if_the_test_does_not_end(void **state)
{
	struct servers_world *world = *state;
	world->default_gpu = &gpu_a;
	clock_advance(world->clock, 60 * SECOND - 1);
	char *display = display_of(x_server_for_gpu(world->x_servers, &gpu_b));
	assert_string_equal(display, "DISPLAY=:0");
	free(display);
	clock_advance(world->clock, 1);
	check_fallback(world);
}

static void a_program_gets_the_server_of_its_gpu(void **state)
{
	struct servers_world *world = *state;
	passed(world);
	pid_t pid = start_program(world);
	await(world->n_starts == 1, world_dispatch(world));
	assert_ptr_equal(world->gpu, &gpu_b);
	assert_non_null(strstr(world->arguments, "Xwayland :1001 "));
	assert_int_equal(world->server->pid, 0);
	end_program(pid);
}

static void a_process_keeps_its_server(void **state)
{
	struct servers_world *world = *state;
	passed(world);
	int first = world_connect(world, 0);
	await(world->n_starts == 1, world_dispatch(world));
	assert_ptr_equal(world->gpu, &gpu_a);
	close(x_channel_receive_fd(world->listening));
	const int choices = world->n_choices;
	world->default_gpu = &gpu_b; /* as after a reload */
	for (int i = 0; i < 10; i++) {
		close(connect_and_take(world));
	}
	assert_int_equal(world->n_choices, choices);
	assert_int_equal(world->n_starts, 1);
	close(first);
}

static void connections_of_a_process_that_is_read_wait_together(void **state)
{
	struct servers_world *world = *state;
	int fds[8];
	for (int i = 0; i < 8; i++) {
		fds[i] = world_connect(world, 0);
	}
	passed(world);
	await(world->n_starts == 1, world_dispatch(world));
	for (int i = 0; i < 8; i++) {
		int fd = x_channel_receive_fd(world->listening);
		assert_true(fd >= 0);
		close(fd);
		close(fds[i]);
	}
	assert_int_equal(world->n_choices, 1);
}

static void a_connection_that_has_ended_starts_no_server(void **state)
{
	struct servers_world *world = *state;
	close(world_connect(world, 0));
	passed(world);
	for (int i = 0; i < 50; i++) {
		world_dispatch(world);
		usleep(1000);
	}
	assert_int_equal(world->n_starts, 0);
}

/* Takes connections that are handed to the server that runs, as far as there are any. */
static int take_all(struct servers_world *world)
{
	int n = 0;
	for (int round = 0; round < 20; round++) {
		for (int fd; (fd = x_channel_receive_fd(world->listening)) >= 0; n++) {
			close(fd);
		}
		clock_advance(world->clock, SECOND / 4);
		world_dispatch(world);
	}
	return n;
}

/* Connects as often as a server that takes nothing may be waited for, and further 20 times. */
static int fill(struct servers_world *world, int fds[static 400])
{
	int n = 0, n_closed = 0;
	close(connect_and_take(world));
	world_report_readiness(world);
	while (n < 400 && n_closed < 20) {
		fds[n] = world_connect(world, 0);
		n_closed += world_was_closed(fds[n++]);
	}
	assert_int_equal(n_closed, 20);
	return n;
}

static void close_fds(const int *fds, int n)
{
	for (int i = 0; i < n; i++) {
		close(fds[i]);
	}
}

/* A server that is stopped takes nothing; programs wait as before a full listening socket. */
static void connections_beyond_a_full_channel_wait(void **state)
{
	struct servers_world *world = *state;
	int fds[400];
	passed(world);
	const int n = fill(world, fds);
	assert_true(n >= 270);
	assert_int_equal(take_all(world), n - 20);
	close_fds(fds, n);
	/* Nothing is retried then. */
	assert_false(clock_advance_to_next(world->clock));
}

static void a_server_that_accepts_nothing_delays_no_program_of_another(void **state)
{
	struct servers_world *world = *state;
	int fds[400];
	passed(world);
	const int n = fill(world, fds);
	pid_t pid = start_program(world);
	await(world->n_starts == 2, world_dispatch(world));
	assert_ptr_equal(world->gpu, &gpu_b);
	end_program(pid);
	close_fds(fds, n);
}

static void waiting_connections_that_have_ended_make_room(void **state)
{
	struct servers_world *world = *state;
	int fds[400];
	passed(world);
	const int n = fill(world, fds);
	/* The last ones are held; the channel has the others. */
	close_fds(fds + n - 36, 36);
	clock_advance(world->clock, SECOND / 4);
	world_dispatch(world);
	assert_false(clock_advance_to_next(world->clock));
	close_fds(fds, n - 36);
}

static void connections_wait_for_free_descriptors(void **state)
{
	struct servers_world *world = *state;
	struct rlimit before;
	passed(world);
	close(connect_and_take(world));
	int fd = world_open_connection(world, 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, before.rlim_max}), 0);
	for (int i = 0; i < 10; i++) {
		world_dispatch(world);
		clock_advance(world->clock, SECOND / 4);
	}
	setrlimit(RLIMIT_NOFILE, &before);
	assert_false(world_was_closed(fd));
	clock_advance(world->clock, SECOND / 4);
	world_dispatch(world);
	int taken = x_channel_receive_fd(world->listening);
	assert_true(taken >= 0);
	close(taken);
	close(fd);
}

/* A server without a process is given to another GPU only if no program would come back to it. */
static void a_server_of_living_programs_keeps_its_gpu(void **state)
{
	struct servers_world *world = *state;
	struct gpu gpu_c;
	world_init_gpu(&gpu_c, "c");
	passed(world);
	pid_t pid = start_program(world);
	await(world->n_starts == 1, world_dispatch(world));
	world_report_readiness(world);
	struct x_server *server = x_server_for_gpu(world->x_servers, &gpu_b);
	close(x_channel_receive_fd(world->listening));
	world_end(world, 0); /* its linger ended */
	world->default_gpu = &gpu_b; /* a reload */
	assert_ptr_not_equal(x_server_for_gpu(world->x_servers, &gpu_c), server);
	assert_ptr_equal(server->gpu, &gpu_b);
	end_program(pid);
	struct gpu gpu_d;
	world_init_gpu(&gpu_d, "d");
	world_dispatch(world);
	assert_ptr_equal(x_server_for_gpu(world->x_servers, &gpu_d), server);
}

static void connections_that_a_crashed_server_did_not_take_start_it_again(void **state)
{
	struct servers_world *world = *state;
	passed(world);
	int fd = world_connect(world, 0);
	await(world->n_starts == 1, world_dispatch(world));
	world_report_readiness(world);
	world_end(world, 128 + SIGSEGV);
	world_dispatch(world);
	assert_int_equal(world->n_starts, 2);
	assert_false(world_was_closed(fd) && errno != EAGAIN);
	int taken = x_channel_receive_fd(world->listening);
	assert_true(taken >= 0);
	close(taken);
	close(fd);
}

/* The process has a copy of the channel, and may be stopped. */
static void the_end_of_x_servers_closes_waiting_connections(void **state)
{
	struct servers_world *world = *state;
	passed(world);
	int fd = world_connect(world, 0);
	await(world->n_starts == 1, world_dispatch(world));
	x_servers_destroy(world->x_servers);
	world->x_servers = NULL;
	assert_true(world_was_closed(fd));
	close(fd);
}

static void a_server_that_fails_at_its_start_closes_waiting_connections(void **state)
{
	struct servers_world *world = *state;
	passed(world);
	int fd = world_connect(world, 0);
	await(world->n_starts == 1, world_dispatch(world));
	world_end(world, 1);
	assert_true(world_was_closed(fd));
	close(fd);
}

static void nothing_wakes_an_idle_session(void **state)
{
	struct servers_world *world = *state;
	passed(world);
	close(connect_and_take(world));
	world_report_readiness(world);
	assert_false(clock_advance_to_next(world->clock));
}

static int setup(void **state)
{
	world_init_gpu(&gpu_a, "a");
	world_init_gpu(&gpu_b, "b");
	return world_setup_shared(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(connections_wait_for_the_test_of_the_kernel),
		TEST(late_test_of_the_kernel_still_shares_the_display),
		TEST(all_servers_have_one_display_and_cookie),
		TEST(a_server_of_a_single_program_keeps_a_display),
		TEST(each_server_gets_a_display_if_the_kernel_refuses),
		TEST(each_server_gets_a_display_if_the_test_does_not_end),
		TEST(a_program_gets_the_server_of_its_gpu),
		TEST(a_process_keeps_its_server),
		TEST(connections_of_a_process_that_is_read_wait_together),
		TEST(a_connection_that_has_ended_starts_no_server),
		TEST(connections_beyond_a_full_channel_wait),
		TEST(a_server_that_accepts_nothing_delays_no_program_of_another),
		TEST(waiting_connections_that_have_ended_make_room),
		TEST(connections_wait_for_free_descriptors),
		TEST(a_server_of_living_programs_keeps_its_gpu),
		TEST(connections_that_a_crashed_server_did_not_take_start_it_again),
		TEST(the_end_of_x_servers_closes_waiting_connections),
		TEST(a_server_that_fails_at_its_start_closes_waiting_connections),
		TEST(nothing_wakes_an_idle_session),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
