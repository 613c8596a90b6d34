/* SPDX-License-Identifier: MIT */
/* X servers of a test, with processes that it plays. */

#include "x_servers.h"
#include "unit.h"
#include "util/strings.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Starts a process that waits for a signal. */
static pid_t fork_sleeper(bool stubborn)
{
	sigset_t blocked;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	pid_t pid = fork();
	if (pid == 0) {
		signal(SIGTERM, stubborn ? SIG_IGN : SIG_DFL);
		sigprocmask(SIG_UNBLOCK, &blocked, NULL);
		for (;;) {
			pause();
		}
	}
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	return pid;
}

static void keep(int *fd, int new)
{
	if (*fd >= 0) {
		close(*fd);
	}
	*fd = dup(new);
}

static pid_t host_spawn(void *data, const struct x_server *server, const char *const *argv,
	const char *const *environment, const int *fds, int n_fds, int error_fd)
{
	struct servers_world *world = data;
	if (world->spawn_error) {
		return world->spawn_error;
	}
	if (strncmp(argv[0], "Xwayland", 8) != 0 && !argv[2]) {
		world->kernel_test = fork_sleeper(false);
		return world->kernel_test;
	}
	int index = find_fd(argv, "-displayfd");
	assert_in_range(index, 1, n_fds - 1);
	assert_string_equal(environment[0], "WAYLAND_SOCKET=3");
	keep(&world->listening, fds[find_fd(argv, "-listenfd")]);
	world->readiness = dup(fds[index]);
	free(world->arguments);
	world->arguments = strings_join(argv, " ", " ");
	world->gpu = server->gpu;
	world->n_starts++;
	world->pid = fork_sleeper(world->stubborn);
	return world->pid;
}

static struct wl_client *host_connect(void *data, struct x_server *server, int fd)
{
	struct servers_world *world = data;
	server->client = &world->client;
	return wl_client_create(world->display, fd);
}

static struct gpu *host_default_gpu(void *data)
{
	struct servers_world *world = data;
	return world->default_gpu;
}

static unsigned host_facts(void *data)
{
	return 0;
}

static struct x_choice host_choose(void *data, const struct process *process)
{
	struct servers_world *world = data;
	world->n_choices++;
	return world->choose ? world->choose(process) : (struct x_choice){NULL};
}

static void *wm_create(void *data, struct x_server *server, int fd)
{
	struct servers_world *world = data;
	close(fd);
	world->n_created++;
	return world->fails ? NULL : world;
}

static void wm_destroy(void *wm)
{
	struct servers_world *world = wm;
	world->n_destroyed++;
	world->had_client = world->server->client;
}

static const struct x_server_wm_impl wm = {.create = wm_create, .destroy = wm_destroy};

static void write_program(const char *folder)
{
	char path[64];
	if (!folder) {
		fail_msg("there is no folder for the program");
		return;
	}
	snprintf(path, sizeof(path), "%s/Xwayland", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

static int set_up(void **state, bool shared)
{
	struct servers_world *world = xcalloc(1, sizeof(*world));
	char *error = NULL;
	strcpy(world->folder, "/tmp/causeway-xserver-XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	write_program(world->folder);
	setenv("PATH", world->folder, 1);
	setenv("XDG_RUNTIME_DIR", world->folder, 1);
	world->readiness = world->listening = -1;
	world->display = wl_display_create();
	world->loop = wl_display_get_event_loop(world->display);
	world->clock = clock_create_test(1000 * SECOND);
	world->host = (struct x_servers_host){
		.data = world,
		.spawn = host_spawn,
		.connect = host_connect,
		.default_gpu = host_default_gpu,
		.facts = host_facts,
		.choose = host_choose,
	};
	world->tasks = tasks_create(world->loop, world->clock);
	struct x_servers_options options = {
		.loop = world->loop,
		.clock = world->clock,
		.host = &world->host,
		.wm = &wm,
		.wm_data = world,
		.tasks = world->tasks,
		.helper_program = "helper",
		.one_display = shared,
		.folder = world->folder,
		.settings = {.linger = 7, .per_gpu = true},
	};
	world->x_servers = x_servers_create(&options, &error);
	if (!world->x_servers) {
		fail_msg("%s", error);
	}
	world->server = x_server_for_gpu(world->x_servers, NULL);
	*state = world;
	return 0;
}

int world_setup(void **state)
{
	return set_up(state, false);
}

int world_setup_shared(void **state)
{
	return set_up(state, true);
}

void world_finish_kernel_test(struct servers_world *world, int code)
{
	pid_t pid = world->kernel_test;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	world->kernel_test = 0;
	x_servers_child_ended(world->x_servers, pid, code);
	world_dispatch(world);
}

void world_kill_process(struct servers_world *world)
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

int world_teardown(void **state)
{
	struct servers_world *world = *state;
	char command[64];
	x_servers_destroy(world->x_servers);
	world_kill_process(world);
	if (world->kernel_test) {
		kill(world->kernel_test, SIGKILL);
		waitpid(world->kernel_test, NULL, 0);
	}
	if (world->listening >= 0) {
		close(world->listening);
	}
	tasks_destroy(world->tasks);
	wl_display_destroy(world->display);
	clock_destroy(world->clock);
	free(world->arguments);
	snprintf(command, sizeof(command), "/bin/rm -rf %s", world->folder);
	assert_int_equal(system(command), 0);
	free(world);
	return 0;
}

void world_dispatch(struct servers_world *world)
{
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(world->loop, 0);
	}
}

int world_open_connection(const struct servers_world *world, int number)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/.X11-unix/X%d", world->folder,
		number);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

int world_connect(struct servers_world *world, int number)
{
	int fd = world_open_connection(world, number);
	world_dispatch(world);
	return fd;
}

void world_report_readiness(struct servers_world *world)
{
	assert_int_equal(write(world->readiness, "0\n", 2), 2);
	world_dispatch(world);
}

void world_end(struct servers_world *world, int code)
{
	pid_t pid = world->pid;
	world_kill_process(world);
	x_servers_child_ended(world->x_servers, pid, code);
}

bool world_was_closed(int fd)
{
	char byte;
	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

bool world_has_ended(pid_t pid, int *status)
{
	return waitpid(pid, status, WNOHANG) == pid;
}

void world_init_gpu(struct gpu *gpu, const char *name)
{
	*gpu = (struct gpu){.bus_id = (char *)name};
	wl_signal_init(&gpu->events.gone);
}

int world_count_servers(const struct servers_world *world)
{
	return wl_list_length(x_servers_list(world->x_servers));
}
