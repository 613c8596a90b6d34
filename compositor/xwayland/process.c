/* SPDX-License-Identifier: MIT */
/*
 * One X server: its display or channel is open while no process runs. The first connection starts
 * Xwayland, which accepts that connection and all others itself, and ends some time after the last
 * one.
 */

#include "process.h"
#include "acceptor.h"
#include "display.h"
#include "gpu/gpu.h"
#include "shared_display.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include "xwayland/start.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** Time limit (ns) of a start. */
#define START_LIMIT INT64_C(30000000000)
/** Time (ns) between SIGTERM and SIGKILL. */
#define END_LIMIT INT64_C(5000000000)
/** Time (ns) between SIGKILL and giving up a process that hangs in the kernel. */
#define KILL_LIMIT INT64_C(2000000000)
/** Shortest time (ns) that an own server waits for connections after the end of its program. */
#define LINGER_LEAST INT64_C(10000000000)
/** A crash (ns) after the start or later is not counted with earlier ones. */
#define CRASH_PERIOD INT64_C(60000000000)
/** Longest pause (s) after crashes. */
#define PAUSE_MAX 60
/** The first descriptor that the process inherits. */
#define FIRST_FD 3
#define FDS_MAX 6
#define ARGUMENTS_MAX 24

struct x_process *x_process_from_server(struct x_server *base)
{
	struct x_process *process = wl_container_of(base, process, base);
	return process;
}

static const struct x_servers_options *options(const struct x_process *process)
{
	return &process->all->options;
}

static int64_t now(const struct x_process *process)
{
	return clock_now(options(process)->clock);
}

static void handle_connection(void *data);

/** Gets the descriptors that the process listens on. Returns their number. */
static int list_sources(const struct x_process *process, int fds[static 2])
{
	if (!process->display) {
		fds[0] = process->channel.fds[1];
		return 1;
	}
	for (int i = 0; i < process->display->n_fds; i++) {
		fds[i] = process->display->fds[i];
	}
	return process->display->n_fds;
}

static void watch_sources(struct x_process *process)
{
	int fds[2], n = list_sources(process, fds);
	for (int i = 0; i < n; i++) {
		fd_watch_start(&process->listening[i], options(process)->loop,
			options(process)->clock, fds[i], handle_connection, process);
	}
}

static void unwatch_sources(struct x_process *process)
{
	for (int i = 0; i < 2; i++) {
		fd_watch_stop(&process->listening[i]);
	}
}

/** Closes waiting connections, so that their programs get an error. */
static void refuse_connections(struct x_process *process)
{
	if (process->display) {
		x_display_refuse(process->display);
	} else {
		x_channel_refuse(&process->channel);
	}
}

static void close_startup(struct x_process *process)
{
	fd_watch_stop(&process->readiness);
	fd_close(&process->readiness_fd);
	fd_close(&process->wm_fd);
}

static void end_process(struct x_process *process)
{
	if (process->state == X_PROCESS_STARTING || process->state == X_PROCESS_RUNNING) {
		close_startup(process);
		process->state = X_PROCESS_ENDING;
		kill(process->base.pid, SIGTERM);
		timer_arm(&process->timer, now(process) + END_LIMIT);
	}
}

static bool has_hung_up(struct wl_client *client)
{
	struct pollfd fd = {.fd = wl_client_get_fd(client)};
	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLHUP);
}

/*
 * The client's surfaces are destroyed later. Xwayland ends without this connection, unless it
 * hangs, and exits with 0 even after a protocol error.
 */
static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct x_process *process = wl_container_of(listener, process, client_destroy);
	wl_list_remove(&process->client_destroy.link);
	if (process->state == X_PROCESS_STARTING || process->state == X_PROCESS_RUNNING) {
		process->was_cut = !has_hung_up(process->base.wl_client);
	}
	process->base.wl_client = NULL;
	process->base.client = NULL;
	end_process(process);
}

/* The next connection starts a process on the default GPU. */
static void handle_gpu_gone(struct wl_listener *listener, void *data)
{
	struct x_process *process = wl_container_of(listener, process, gpu_gone);
	wl_list_remove(&process->gpu_gone.link);
	wl_list_init(&process->gpu_gone.link);
	log_warn("X server :%d ends with its GPU %s", process->base.display,
		process->base.gpu->bus_id);
	x_server_end(&process->base);
}

/* A process that hangs in the kernel may never be reaped: the session goes on without it. */
static void kill_process(struct x_process *process)
{
	kill(process->base.pid, SIGKILL);
	process->was_killed = true;
	if (process->base.wl_client) {
		wl_client_destroy(process->base.wl_client);
	}
	timer_arm(&process->timer, now(process) + KILL_LIMIT);
}

static bool has_lost_program(const struct x_process *process)
{
	return process->base.own && process->program < 0;
}

/**
 * Watches for connections. The first process of a program may only have started others, so an own
 * server without its program gives them some time to connect.
 */
static void wait_for_connections(struct x_process *process)
{
	watch_sources(process);
	if (has_lost_program(process)) {
		int64_t linger = options(process)->settings.linger * INT64_C(1000000000);
		process->lingers = true;
		timer_arm(&process->timer,
			now(process) + (linger > LINGER_LEAST ? linger : LINGER_LEAST));
	}
}

static void handle_timer(struct timer *timer, int64_t time)
{
	struct x_process *process = wl_container_of(timer, process, timer);
	switch (process->state) {
	case X_PROCESS_IDLE:
		if (process->lingers) {
			x_process_destroy(process);
		} else {
			wait_for_connections(process);
		}
		break;
	case X_PROCESS_STARTING:
		log_warn("X server :%d (process %d) does not get ready; it is ended",
			process->base.display, (int)process->base.pid);
		end_process(process);
		break;
	case X_PROCESS_RUNNING: break;
	case X_PROCESS_ENDING:
		if (process->was_killed) {
			log_error("X server :%d: process %d is given up, since it survives SIGKILL",
				process->base.display, (int)process->base.pid);
			x_process_handle_end(process, 128 + SIGKILL);
		} else {
			kill_process(process);
		}
		break;
	}
}

/* Xwayland writes the number of the display and a newline once it accepts connections. */
static void handle_readiness(void *data)
{
	struct x_process *process = data;
	char text[16];
	ssize_t length = read(process->readiness_fd, text, sizeof(text));
	if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
		return;
	}
	if (length > 0 && !memchr(text, '\n', (size_t)length)) {
		return;
	}
	fd_watch_stop(&process->readiness);
	fd_close(&process->readiness_fd);
	if (length <= 0) {
		return; /* the process has ended, or the timer ends it */
	}
	timer_disarm(&process->timer);
	process->state = X_PROCESS_RUNNING;
	process->was_ready = true;
	log_info("X server :%d is ready, process %d, GPU %s", process->base.display,
		(int)process->base.pid, process->base.gpu ? process->base.gpu->bus_id : "none");
	const struct x_server_wm_impl *wm = options(process)->wm;
	if (!wm) {
		return;
	}
	int fd = process->wm_fd;
	process->wm_fd = -1;
	process->base.wm = wm->create(options(process)->wm_data, &process->base, fd);
	if (!process->base.wm) {
		log_error("X server :%d has no window manager; it is ended", process->base.display);
		process->was_ready = false;
		end_process(process);
	}
}

/* Descriptors of a start: ours, and those that the process inherits. */
struct start_fds {
	int wayland[2], readiness[2], wm[2], log[2];
	int control[2]; /* for the acceptor; -1: the process accepts by itself */
};

static void close_pair(int pair[2])
{
	fd_close(&pair[0]);
	fd_close(&pair[1]);
}

static void close_fds(struct start_fds *fds)
{
	close_pair(fds->wayland);
	close_pair(fds->readiness);
	close_pair(fds->wm);
	close_pair(fds->log);
	close_pair(fds->control);
}

/** Returns 0 or -errno. */
static int open_fds(struct start_fds *fds, bool wm, bool control)
{
	*fds = (struct start_fds){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds->wayland) < 0 ||
		pipe2(fds->readiness, O_CLOEXEC | O_NONBLOCK) < 0 ||
		/* A full pipe loses text: the X server must not wait for this process. */
		pipe2(fds->log, O_CLOEXEC | O_NONBLOCK) < 0 ||
		(wm && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds->wm) < 0) ||
		(control &&
			socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds->control) < 0)) {
		int error = errno;
		close_fds(fds);
		return -error;
	}
	return 0;
}

/* Arguments and descriptors of a start. */
struct arguments {
	const char *argv[ARGUMENTS_MAX];
	int n;
	char numbers[FDS_MAX][16];
	int fds[FDS_MAX], n_fds;
};

static void add_argument(struct arguments *arguments, const char *argument)
{
	assert(arguments->n < ARGUMENTS_MAX);
	arguments->argv[arguments->n++] = argument;
}

/** Adds a descriptor to inherit; returns its number in the process. */
static int add_fd(struct arguments *arguments, int fd)
{
	assert(arguments->n_fds < FDS_MAX);
	arguments->fds[arguments->n_fds] = fd;
	return FIRST_FD + arguments->n_fds++;
}

/** Adds an option whose value is the number of a descriptor. */
static void add_fd_option(struct arguments *arguments, const char *option, int fd)
{
	const int number = add_fd(arguments, fd);
	char *text = arguments->numbers[number - FIRST_FD];
	snprintf(text, sizeof(arguments->numbers[0]), "%d", number);
	add_argument(arguments, option);
	add_argument(arguments, text);
}

/** Runs Xwayland with its ends of `fds`. Returns its pid or -errno. */
static pid_t spawn(const struct x_process *process, const struct start_fds *fds)
{
	static const char *const environment[] = {
		"WAYLAND_SOCKET=3", "WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", NULL};
	struct arguments arguments = {.n = 0};
	char start_argument[48], display[16], linger[16];
	int sources[2], n_sources = list_sources(process, sources);
	snprintf(display, sizeof(display), ":%d", process->base.display);
	snprintf(linger, sizeof(linger), "%d", options(process)->settings.linger);
	add_fd(&arguments, fds->wayland[1]);
	if (fds->control[1] >= 0) {
		const int control = add_fd(&arguments, fds->control[1]);
		/* The channel follows as the next descriptor. */
		snprintf(start_argument, sizeof(start_argument), X_START_ARGUMENT "%d,%d", control,
			control + 1);
		add_argument(&arguments, options(process)->helper_program);
		add_argument(&arguments, start_argument);
	}
	add_argument(&arguments, "Xwayland");
	add_argument(&arguments, display);
	add_argument(&arguments, "-rootless");
	add_argument(&arguments, "-terminate");
	add_argument(&arguments, linger);
	add_argument(&arguments, "-auth");
	add_argument(&arguments, x_process_display(process)->cookie_path);
	for (int i = 0; i < n_sources; i++) {
		add_fd_option(&arguments, "-listenfd", sources[i]);
	}
	add_fd_option(&arguments, "-displayfd", fds->readiness[1]);
	if (fds->wm[1] >= 0) {
		add_fd_option(&arguments, "-wm", fds->wm[1]);
	}
	add_argument(&arguments, NULL);
	const struct x_servers_host *host = options(process)->host;
	return host->spawn(host->data, &process->base, arguments.argv, environment, arguments.fds,
		arguments.n_fds, fds->log[1]);
}

void x_process_choose_gpu(struct x_process *process)
{
	const struct x_servers_host *host = options(process)->host;
	bool first = process->all->list.next == &process->base.link;
	if (process->state != X_PROCESS_IDLE) {
		return;
	}
	if (first || !process->base.gpu || process->base.gpu->gone) {
		process->base.gpu = host->default_gpu(host->data);
	}
}

/** Starts the process. Returns 0 or -errno. */
static int start(struct x_process *process)
{
	const struct x_servers_host *host = options(process)->host;
	struct start_fds fds;
	int error = open_fds(&fds, options(process)->wm, !process->display);
	if (error < 0) {
		return error;
	}
	x_process_choose_gpu(process);
	pid_t pid = spawn(process, &fds);
	fd_close(&fds.wayland[1]);
	fd_close(&fds.readiness[1]);
	fd_close(&fds.wm[1]);
	fd_close(&fds.log[1]);
	fd_close(&fds.control[1]);
	if (pid < 0) {
		close_fds(&fds);
		return pid;
	}
	process->state = X_PROCESS_STARTING;
	process->asked_to_end = process->was_ready = false;
	process->was_cut = process->was_killed = false;
	process->started = now(process);
	process->readiness_fd = fds.readiness[0];
	process->wm_fd = fds.wm[0];
	process->base.pid = pid;
	if (process->base.gpu) {
		signal_add(&process->base.gpu->events.gone, &process->gpu_gone, handle_gpu_gone);
	}
	timer_arm(&process->timer, process->started + START_LIMIT);
	fd_watch_start(&process->readiness, options(process)->loop, options(process)->clock,
		process->readiness_fd, handle_readiness, process);
	x_server_log_start(&process->log, options(process)->loop, options(process)->clock,
		process->base.display, fds.log[0]);
	process->base.wl_client = host->connect(host->data, &process->base, fds.wayland[0]);
	if (process->base.wl_client) {
		process->client_destroy.notify = handle_client_destroy;
		wl_client_add_destroy_listener(process->base.wl_client, &process->client_destroy);
	} else {
		end_process(process);
	}
	if (!process->display && x_acceptor_add(process->all->shared->acceptor, pid, fds.control[0],
					 &process->channel) < 0) {
		end_process(process);
	}
	return 0;
}

/**
 * Waits before the next start, longer after each crash in quick succession; not after the first.
 */
static void pause_or_watch(struct x_process *process)
{
	if (process->n_crashes < 2) {
		wait_for_connections(process);
		return;
	}
	int doublings = process->n_crashes - 2;
	int pause = doublings < 6 ? 1 << doublings : PAUSE_MAX;
	log_warn("X server :%d ended %d times in quick succession; it can start again in %d s",
		process->base.display, process->n_crashes, pause);
	timer_arm(&process->timer, now(process) + INT64_C(1000000000) * pause);
}

static void count_crash(struct x_process *process)
{
	bool quick = now(process) - process->started < CRASH_PERIOD;
	process->n_crashes = quick ? process->n_crashes + 1 : 1;
}

static void handle_connection(void *data)
{
	struct x_process *process = data;
	unwatch_sources(process);
	timer_disarm(&process->timer);
	process->lingers = false;
	int error = start(process);
	if (error < 0) {
		log_error("cannot start Xwayland for display :%d: %s", process->base.display,
			strerror(-error));
		refuse_connections(process);
		process->started = now(process);
		count_crash(process);
		pause_or_watch(process);
	}
}

/** Frees everything that belongs to the process. */
static void forget_process(struct x_process *process)
{
	timer_disarm(&process->timer);
	close_startup(process);
	x_server_log_stop(&process->log);
	wl_list_remove(&process->gpu_gone.link);
	wl_list_init(&process->gpu_gone.link);
	process->state = X_PROCESS_ENDING;
	if (process->base.wl_client) {
		wl_client_destroy(process->base.wl_client);
	}
	if (process->base.wm) {
		options(process)->wm->destroy(process->base.wm);
		process->base.wm = NULL;
	}
	process->base.pid = 0;
	process->state = X_PROCESS_IDLE;
}

void x_process_handle_end(struct x_process *process, int code)
{
	bool crashed =
		!process->asked_to_end && (code != 0 || !process->was_ready || process->was_cut);
	pid_t pid = process->base.pid;
	forget_process(process);
	if (!process->was_ready && !process->asked_to_end) {
		refuse_connections(process);
	}
	if (crashed) {
		count_crash(process);
		log_warn("X server :%d (process %d) ended unexpectedly, with code %d; the next "
			 "connection starts it again",
			process->base.display, (int)pid, code);
	} else {
		process->n_crashes = 0;
		log_info("X server :%d has ended", process->base.display);
	}
	if (has_lost_program(process)) {
		x_process_destroy(process);
	} else {
		pause_or_watch(process);
	}
}

void x_process_handle_program_end(struct x_process *process)
{
	process->program = -1;
	/* An armed timer is the pause after a crash, which ends with the same wait. */
	if (process->state == X_PROCESS_IDLE && !process->timer.armed) {
		unwatch_sources(process);
		wait_for_connections(process);
	}
}

const struct x_display *x_process_display(const struct x_process *process)
{
	return process->display ? process->display : process->all->shared->display;
}

/** Opens the source of connections. Returns false with *error. */
static bool open_source(struct x_process *process, char **error)
{
	const struct x_servers_options *options = &process->all->options;
	if (process->all->shared && !process->base.own) {
		const int result = x_channel_open(&process->channel);
		if (result < 0) {
			*error = xasprintf(
				"cannot open a channel for an X server: %s", strerror(-result));
			return false;
		}
		process->base.display = x_shared_display_next_number(process->all->shared);
		return true;
	}
	process->display =
		x_display_open(options->folder, options->settings.abstract_socket, error);
	if (!process->display || !x_display_write_cookie(process->display, error)) {
		x_display_close(process->display);
		return false;
	}
	process->base.display = process->display->number;
	return true;
}

struct x_process *x_process_create(
	struct x_servers *servers, struct gpu *gpu, bool own, char **error)
{
	struct x_process *process = xcalloc(1, sizeof(*process));
	process->all = servers;
	process->base.gpu = gpu;
	process->base.own = own;
	process->base.scale = servers->options.settings.scale;
	process->channel = (struct x_channel){{-1, -1}};
	if (!open_source(process, error)) {
		free(process);
		return NULL;
	}
	process->readiness_fd = process->wm_fd = process->log.fd = -1;
	wl_list_init(&process->gpu_gone.link);
	timer_init(&process->timer, servers->options.clock, handle_timer);
	wl_list_insert(servers->list.prev, &process->base.link);
	servers->n++;
	x_process_choose_gpu(process);
	watch_sources(process);
	return process;
}

void x_process_set_display(struct x_process *process, struct x_display *display)
{
	assert(process->state == X_PROCESS_IDLE && !process->display);
	unwatch_sources(process);
	x_channel_close(&process->channel);
	process->display = display;
	process->base.display = display->number;
	watch_sources(process);
}

void x_process_destroy(struct x_process *process)
{
	if (process->base.pid) {
		kill(process->base.pid, SIGTERM);
	}
	forget_process(process);
	unwatch_sources(process);
	timer_finish(&process->timer);
	/* The X server has a copy of the source, and may take long to end. */
	refuse_connections(process);
	x_display_close(process->display);
	x_channel_close(&process->channel);
	wl_list_remove(&process->base.link);
	process->all->n--;
	free(process);
}

void x_server_end(struct x_server *base)
{
	struct x_process *process = x_process_from_server(base);
	process->asked_to_end = true;
	end_process(process);
}
