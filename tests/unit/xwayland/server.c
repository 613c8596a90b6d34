/* SPDX-License-Identifier: MIT */
/*
 * X servers: starts, ends and crashes of processes that the test plays, on its clock, with displays
 * in a folder of the test.
 */

#include "gpu/gpu.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "surface/client.h"
#include "util/clock.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include "xwayland/servers.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

struct world {
	char folder[32];
	struct wl_display *display;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct xwayland *xwayland;
	struct xwayland_server *server; /* the default one */
	struct xwayland_host host;
	struct gpu *default_gpu;
	struct client client;
	/* The process of the last start. */
	int n_starts;
	char *arguments;
	pid_t pid;
	int readiness; /* the write end of -displayfd; -1: none */
	struct gpu *gpu;
	bool stubborn; /* ignores SIGTERM */
	int spawn_error;
	/* The window manager. */
	int n_created, n_destroyed;
	bool fails, had_client;
};

/* Returns the index among the descriptors that `option` names. */
static int find_fd(const char *const *argv, const char *option)
{
	for (; *argv; argv++) {
		if (strcmp(*argv, option) == 0) {
			return atoi(argv[1]) - 3;
		}
	}
	fail_msg("no %s", option);
	return -1;
}

static pid_t host_spawn(void *data, const struct xwayland_server *server, const char *const *argv,
	const char *const *environment, const int *fds, int n_fds)
{
	struct world *world = data;
	if (world->spawn_error) {
		return world->spawn_error;
	}
	int index = find_fd(argv, "-displayfd");
	assert_in_range(index, 1, n_fds - 1);
	assert_string_equal(environment[0], "WAYLAND_SOCKET=3");
	world->readiness = dup(fds[index]);
	free(world->arguments);
	world->arguments = strings_join(argv, " ", " ");
	world->gpu = server->gpu;
	world->n_starts++;
	sigset_t blocked;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	world->pid = fork();
	if (world->pid == 0) {
		signal(SIGTERM, world->stubborn ? SIG_IGN : SIG_DFL);
		sigprocmask(SIG_UNBLOCK, &blocked, NULL);
		for (;;) {
			pause();
		}
	}
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	return world->pid;
}

static struct wl_client *host_connect(void *data, struct xwayland_server *server, int fd)
{
	struct world *world = data;
	server->client = &world->client;
	return wl_client_create(world->display, fd);
}

static struct gpu *host_default_gpu(void *data)
{
	struct world *world = data;
	return world->default_gpu;
}

static void *wm_create(void *data, struct xwayland_server *server, int fd)
{
	struct world *world = data;
	close(fd);
	world->n_created++;
	return world->fails ? NULL : world;
}

static void wm_destroy(void *wm)
{
	struct world *world = wm;
	world->n_destroyed++;
	world->had_client = world->server->client;
}

static const struct xwayland_wm_impl wm = {.create = wm_create, .destroy = wm_destroy};

static void write_program(const char *folder)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/Xwayland", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

static int setup(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	char *error = NULL;
	strcpy(world->folder, "/tmp/causeway-xserver-XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	write_program(world->folder);
	setenv("PATH", world->folder, 1);
	setenv("XDG_RUNTIME_DIR", world->folder, 1);
	world->readiness = -1;
	world->display = wl_display_create();
	world->loop = wl_display_get_event_loop(world->display);
	world->clock = clock_create_test(1000 * SECOND);
	world->host = (struct xwayland_host){
		.data = world,
		.spawn = host_spawn,
		.connect = host_connect,
		.default_gpu = host_default_gpu,
	};
	struct xwayland_options options = {
		.loop = world->loop,
		.clock = world->clock,
		.host = &world->host,
		.wm = &wm,
		.wm_data = world,
		.folder = world->folder,
		.settings = {.linger = 7, .per_gpu = true},
	};
	world->xwayland = xwayland_create(&options, &error);
	if (!world->xwayland) {
		fail_msg("%s", error);
	}
	world->server = xwayland_server_for_gpu(world->xwayland, NULL);
	*state = world;
	return 0;
}

static void kill_process(struct world *world)
{
	if (world->pid > 0) {
		kill(world->pid, SIGKILL);
		waitpid(world->pid, NULL, 0);
	}
	if (world->readiness >= 0) {
		close(world->readiness);
	}
	world->pid = 0;
	world->readiness = -1;
}

static int teardown(void **state)
{
	struct world *world = *state;
	char command[64];
	xwayland_destroy(world->xwayland);
	kill_process(world);
	wl_display_destroy(world->display);
	clock_destroy(world->clock);
	free(world->arguments);
	snprintf(command, sizeof(command), "/bin/rm -rf %s", world->folder);
	assert_int_equal(system(command), 0);
	free(world);
	return 0;
}

/* Handles all events that are due. */
static void dispatch(struct world *world)
{
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(world->loop, 0);
	}
}

/* Returns a connection to a display, which a server may not have accepted yet. */
static int connect_to(struct world *world, int number)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/.X11-unix/X%d", world->folder,
		number);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	dispatch(world);
	return fd;
}

static void report_readiness(struct world *world)
{
	assert_int_equal(write(world->readiness, "0\n", 2), 2);
	dispatch(world);
}

/* The process has ended with `code`. */
static void end(struct world *world, int code)
{
	pid_t pid = world->pid;
	kill_process(world);
	xwayland_child_ended(world->xwayland, pid, code);
}

static void crash(struct world *world)
{
	end(world, 128 + SIGSEGV);
}

static bool was_closed(int fd)
{
	char byte;
	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

static void no_process_and_no_timer_exist_before_the_first_connection(void **state)
{
	struct world *world = *state;
	dispatch(world);
	assert_int_equal(world->n_starts, 0);
	assert_int_equal(world->server->pid, 0);
	assert_false(clock_advance_to_next(world->clock));
}

static void the_first_connection_starts_one_process(void **state)
{
	struct world *world = *state;
	char expected[128];
	int first = connect_to(world, 0), second = connect_to(world, 0);
	assert_int_equal(world->n_starts, 1);
	assert_int_equal(world->server->pid, world->pid);
	snprintf(expected, sizeof(expected),
		"Xwayland :0 -rootless -terminate 7 -auth %s/causeway-x11-0.auth -listenfd 4 "
		"-displayfd 5 -wm 6",
		world->folder);
	assert_string_equal(world->arguments, expected);
	close(first);
	close(second);
}

static void a_ready_server_has_a_window_manager_and_no_timer(void **state)
{
	struct world *world = *state;
	int fd = connect_to(world, 0);
	assert_int_equal(world->n_created, 0);
	report_readiness(world);
	assert_int_equal(world->n_created, 1);
	assert_non_null(world->server->wm);
	assert_false(clock_advance_to_next(world->clock));
	end(world, 0);
	assert_int_equal(world->n_destroyed, 1);
	assert_false(world->had_client);
	assert_int_equal(world->server->pid, 0);
	close(fd);
}

/* Xwayland writes its number and the newline separately. */
static void readiness_is_the_newline(void **state)
{
	struct world *world = *state;
	int fd = connect_to(world, 0);
	assert_int_equal(write(world->readiness, "1", 1), 1);
	dispatch(world);
	assert_int_equal(world->n_created, 0);
	report_readiness(world);
	assert_int_equal(world->n_created, 1);
	close(fd);
}

static void a_crashed_server_starts_again_with_the_next_connection(void **state)
{
	struct world *world = *state;
	int fd = connect_to(world, 0);
	report_readiness(world);
	/* Xwayland accepts it. */
	end(world, 0);
	close(fd);
	int refused = connect_to(world, 0);
	assert_int_equal(world->n_starts, 2);
	report_readiness(world);
	crash(world);
	assert_int_equal(world->n_starts, 2);
	dispatch(world);
	assert_int_equal(world->n_starts, 3); /* the connection still waits */
	close(refused);
}

static void crash_after_readiness(struct world *world, int starts)
{
	assert_int_equal(world->n_starts, starts);
	report_readiness(world);
	crash(world);
	dispatch(world);
}

/* A connection waits all the time, for servers that accept none. */
static void starts_after_quick_crashes_pause_up_to_a_minute(void **state)
{
	static const int pauses[] = {1, 2, 4, 8, 16, 32, 60, 60};
	struct world *world = *state;
	int fd = connect_to(world, 0), starts = 1;
	crash_after_readiness(world, starts++);
	for (size_t i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
		crash_after_readiness(world, starts);
		clock_advance(world->clock, pauses[i] * SECOND - 1);
		dispatch(world);
		assert_int_equal(world->n_starts, starts++);
		clock_advance(world->clock, 1);
		dispatch(world);
	}
	close(fd);
}

static void a_crash_after_a_minute_counts_as_the_first(void **state)
{
	struct world *world = *state;
	int fd = connect_to(world, 0);
	for (int i = 1; i < 4; i++) {
		assert_int_equal(world->n_starts, i);
		report_readiness(world);
		clock_advance(world->clock, 60 * SECOND);
		crash(world);
		dispatch(world);
	}
	close(fd);
}

static void a_server_that_fails_at_its_start_closes_waiting_connections(void **state)
{
	struct world *world = *state;
	int fd = connect_to(world, 0);
	end(world, 1);
	assert_true(was_closed(fd));
	dispatch(world);
	assert_int_equal(world->n_starts, 1);
	close(fd);
	fd = connect_to(world, 0);
	assert_int_equal(world->n_starts, 2);
	close(fd);
}

static void a_program_that_cannot_be_started_closes_waiting_connections(void **state)
{
	struct world *world = *state;
	world->spawn_error = -ENOENT;
	int fd = connect_to(world, 0);
	assert_true(was_closed(fd));
	assert_int_equal(world->server->pid, 0);
	close(fd);
}

static bool has_ended(pid_t pid, int *status)
{
	return waitpid(pid, status, WNOHANG) == pid;
}

static void a_server_that_never_gets_ready_is_ended(void **state)
{
	struct world *world = *state;
	int status, fd = connect_to(world, 0);
	clock_advance(world->clock, 30 * SECOND - 1);
	assert_false(has_ended(world->pid, &status));
	clock_advance(world->clock, 1);
	await(has_ended(world->pid, &status), (void)0);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	pid_t pid = world->pid;
	world->pid = 0;
	xwayland_child_ended(world->xwayland, pid, 128 + SIGTERM);
	assert_true(was_closed(fd));
	close(fd);
}

static void a_server_that_ignores_its_end_is_killed(void **state)
{
	struct world *world = *state;
	int status;
	world->stubborn = true;
	int fd = connect_to(world, 0);
	report_readiness(world);
	xwayland_server_end(world->server);
	clock_advance(world->clock, 5 * SECOND - 1);
	assert_false(has_ended(world->pid, &status));
	clock_advance(world->clock, 1);
	await(has_ended(world->pid, &status), (void)0);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	pid_t pid = world->pid;
	world->pid = 0;
	xwayland_child_ended(world->xwayland, pid, 128 + SIGKILL);
	close(fd);
}

static void the_loss_of_its_client_ends_the_process(void **state)
{
	struct world *world = *state;
	int status, fd = connect_to(world, 0);
	report_readiness(world);
	wl_client_destroy(world->server->wl_client);
	assert_null(world->server->wl_client);
	await(has_ended(world->pid, &status), (void)0);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	pid_t pid = world->pid;
	world->pid = 0;
	assert_int_equal(world->n_destroyed, 0);
	xwayland_child_ended(world->xwayland, pid, 0);
	assert_int_equal(world->n_destroyed, 1);
	close(fd);
}

static void a_server_without_window_manager_is_ended(void **state)
{
	struct world *world = *state;
	int status;
	world->fails = true;
	int fd = connect_to(world, 0);
	report_readiness(world);
	await(has_ended(world->pid, &status), (void)0);
	pid_t pid = world->pid;
	world->pid = 0;
	xwayland_child_ended(world->xwayland, pid, 0);
	assert_int_equal(world->n_destroyed, 0);
	assert_true(was_closed(fd));
	close(fd);
}

static void init_gpu(struct gpu *gpu, const char *name)
{
	*gpu = (struct gpu){.bus_id = (char *)name};
	wl_signal_init(&gpu->events.gone);
}

static void each_gpu_has_one_server(void **state)
{
	struct world *world = *state;
	struct gpu a, b;
	init_gpu(&a, "a");
	init_gpu(&b, "b");
	world->default_gpu = &a;
	struct xwayland_server *other = xwayland_server_for_gpu(world->xwayland, &b);
	assert_ptr_not_equal(other, world->server);
	assert_int_equal(other->display, 1);
	assert_ptr_equal(xwayland_server_for_gpu(world->xwayland, &b), other);
	assert_ptr_equal(xwayland_server_for_gpu(world->xwayland, &a), world->server);
	assert_ptr_equal(xwayland_server_for_gpu(world->xwayland, NULL), world->server);
	int fd = connect_to(world, 1);
	assert_ptr_equal(world->gpu, &b);
	assert_int_equal(world->server->pid, 0);
	pid_t pid = world->pid;
	kill_process(world);
	xwayland_child_ended(world->xwayland, pid, 0);
	close(fd);
}

static void per_gpu_off_means_one_server(void **state)
{
	struct world *world = *state;
	struct gpu b;
	init_gpu(&b, "b");
	xwayland_configure(world->xwayland, &(struct xwayland_settings){.linger = 1});
	assert_ptr_equal(xwayland_server_for_gpu(world->xwayland, &b), world->server);
}

static void the_default_server_follows_the_configuration(void **state)
{
	struct world *world = *state;
	struct gpu a, b;
	init_gpu(&a, "a");
	init_gpu(&b, "b");
	world->default_gpu = &a;
	int fd = connect_to(world, 0);
	assert_ptr_equal(world->gpu, &a);
	report_readiness(world);
	world->default_gpu = &b;
	xwayland_configure(world->xwayland, &(struct xwayland_settings){.linger = 3});
	assert_ptr_equal(world->server->gpu, &a); /* while it runs */
	end(world, 0);
	dispatch(world);
	assert_ptr_equal(world->gpu, &b);
	assert_non_null(strstr(world->arguments, "-terminate 3 "));
	close(fd);
}

static void servers_of_a_removed_gpu_use_the_default_one(void **state)
{
	struct world *world = *state;
	struct gpu a, b;
	init_gpu(&a, "a");
	init_gpu(&b, "b");
	world->default_gpu = &a;
	xwayland_server_for_gpu(world->xwayland, &b);
	b.gone = true;
	int fd = connect_to(world, 1);
	assert_ptr_equal(world->gpu, &a);
	end(world, 0);
	close(fd);
}

static void a_server_ends_with_its_gpu(void **state)
{
	struct world *world = *state;
	struct gpu a, b;
	init_gpu(&a, "a");
	init_gpu(&b, "b");
	world->default_gpu = &a;
	int status, fd = connect_to(world, 0);
	report_readiness(world);
	world->default_gpu = &b;
	a.gone = true;
	wl_signal_emit(&a.events.gone, NULL);
	await(has_ended(world->pid, &status), (void)0);
	pid_t pid = world->pid;
	world->pid = 0;
	xwayland_child_ended(world->xwayland, pid, 128 + SIGTERM);
	dispatch(world);
	assert_ptr_equal(world->gpu, &b);
	assert_int_equal(world->n_starts, 2);
	end(world, 0);
	assert_true(wl_list_empty(&b.events.gone.listener_list));
	close(fd);
}

static int count_servers(const struct world *world)
{
	return wl_list_length(xwayland_servers(world->xwayland));
}

static void an_own_server_outlives_neither_program_nor_process(void **state)
{
	struct world *world = *state;
	char *error = NULL;
	struct xwayland_server *own = xwayland_server_create_own(world->xwayland, NULL, &error);
	assert_non_null(own);
	assert_ptr_not_equal(own, world->server);
	xwayland_server_set_program(own, 4242424);
	int fd = connect_to(world, own->display);
	report_readiness(world);
	xwayland_child_ended(world->xwayland, 4242424, 0);
	assert_int_equal(count_servers(world), 2); /* its windows may belong to other processes */
	world->server = own; /* for wm_destroy() */
	end(world, 0);
	assert_int_equal(count_servers(world), 1);
	close(fd);
}

static void an_own_server_ends_with_a_program_that_uses_none(void **state)
{
	struct world *world = *state;
	char *error = NULL;
	struct xwayland_server *own = xwayland_server_create_own(world->xwayland, NULL, &error);
	xwayland_server_set_program(own, 4242424);
	xwayland_child_ended(world->xwayland, 4242424, 1);
	assert_int_equal(count_servers(world), 1);
	own = xwayland_server_create_own(world->xwayland, NULL, &error);
	xwayland_server_set_program(own, -ENOENT);
	assert_int_equal(count_servers(world), 1);
}

static void own_servers_have_cookies_of_their_own(void **state)
{
	struct world *world = *state;
	char *error = NULL;
	struct xwayland_server *own = xwayland_server_create_own(world->xwayland, NULL, &error);
	char **environment = xwayland_server_environment(own);
	char expected[80];
	assert_string_equal(environment[0], "DISPLAY=:1");
	snprintf(expected, sizeof(expected), "XAUTHORITY=%s/causeway-x11-1.auth", world->folder);
	assert_string_equal(environment[1], expected);
	assert_int_equal(access(environment[1] + strlen("XAUTHORITY="), R_OK), 0);
	strings_destroy(environment);
}

static void servers_have_a_limit(void **state)
{
	struct world *world = *state;
	char *error = NULL;
	struct gpu b;
	init_gpu(&b, "b");
	while (count_servers(world) < XWAYLAND_SERVERS_MOST) {
		assert_non_null(xwayland_server_create_own(world->xwayland, NULL, &error));
	}
	assert_null(xwayland_server_create_own(world->xwayland, NULL, &error));
	assert_non_null(strstr(error, "16"));
	free(error);
	assert_ptr_equal(xwayland_server_for_gpu(world->xwayland, &b), world->server);
}

static void without_a_program_there_is_an_error(void **state)
{
	struct world *world = *state;
	char *error = NULL;
	setenv("PATH", "/nonexistent", 1);
	struct xwayland_options options = {.host = &world->host, .folder = world->folder};
	assert_null(xwayland_create(&options, &error));
	assert_string_equal(error, "Xwayland is not installed (package xwayland)");
	free(error);
	char **environment = xwayland_server_environment(NULL);
	assert_string_equal(environment[0], "DISPLAY");
	assert_string_equal(environment[1], "XAUTHORITY");
	strings_destroy(environment);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
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
		TEST(the_loss_of_its_client_ends_the_process),
		TEST(a_server_without_window_manager_is_ended),
		TEST(each_gpu_has_one_server),
		TEST(per_gpu_off_means_one_server),
		TEST(the_default_server_follows_the_configuration),
		TEST(servers_of_a_removed_gpu_use_the_default_one),
		TEST(a_server_ends_with_its_gpu),
		TEST(an_own_server_outlives_neither_program_nor_process),
		TEST(an_own_server_ends_with_a_program_that_uses_none),
		TEST(own_servers_have_cookies_of_their_own),
		TEST(servers_have_a_limit),
		TEST(without_a_program_there_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
