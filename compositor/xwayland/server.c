/* SPDX-License-Identifier: MIT */
/*
 * One X server: its display is open while no process runs. The first connection starts Xwayland,
 * which accepts that connection and all others itself, and ends some time after the last one.
 */

#include "server.h"
#include "cookie.h"
#include "display.h"
#include "gpu/gpu.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/random_name.h"
#include "util/xalloc.h"
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
#define ARGUMENTS_MAX 24

struct x_server *x_server_from_base(struct xwayland_server *base)
{
	struct x_server *server = wl_container_of(base, server, base);
	return server;
}

static const struct xwayland_options *options(const struct x_server *server)
{
	return &server->xwayland->options;
}

static int64_t now(const struct x_server *server)
{
	return clock_now(options(server)->clock);
}

static void handle_connection(void *data);

static void watch_display(struct x_server *server)
{
	for (int i = 0; i < server->display->n_fds; i++) {
		fd_watch_start(&server->listening[i], options(server)->loop, options(server)->clock,
			server->display->fds[i], handle_connection, server);
	}
}

static void unwatch_display(struct x_server *server)
{
	for (int i = 0; i < server->display->n_fds; i++) {
		fd_watch_stop(&server->listening[i]);
	}
}

static void close_startup(struct x_server *server)
{
	fd_watch_stop(&server->readiness);
	fd_close(&server->readiness_fd);
	fd_close(&server->wm_fd);
}

static void end_process(struct x_server *server)
{
	if (server->state == X_SERVER_STARTING || server->state == X_SERVER_RUNNING) {
		close_startup(server);
		server->state = X_SERVER_ENDING;
		kill(server->base.pid, SIGTERM);
		timer_arm(&server->timer, now(server) + END_LIMIT);
	}
}

static bool has_hung_up(struct wl_client *client)
{
	struct pollfd fd = {.fd = wl_client_get_fd(client)};
	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLHUP);
}

/*
 * The client's surfaces are destroyed later. Xwayland ends without this connection, unless it hangs,
 * and exits with 0 even after a protocol error.
 */
static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct x_server *server = wl_container_of(listener, server, client_destroy);
	wl_list_remove(&server->client_destroy.link);
	if (server->state == X_SERVER_STARTING || server->state == X_SERVER_RUNNING) {
		server->was_cut = !has_hung_up(server->base.wl_client);
	}
	server->base.wl_client = NULL;
	server->base.client = NULL;
	end_process(server);
}

/* The next connection starts a process on the default GPU. */
static void handle_gpu_gone(struct wl_listener *listener, void *data)
{
	struct x_server *server = wl_container_of(listener, server, gpu_gone);
	wl_list_remove(&server->gpu_gone.link);
	wl_list_init(&server->gpu_gone.link);
	log_warn("X server :%d ends with its GPU %s", server->base.display,
		server->base.gpu->bus_id);
	xwayland_server_end(&server->base);
}

/* A process that hangs in the kernel may never be reaped: the session goes on without it. */
static void kill_process(struct x_server *server)
{
	kill(server->base.pid, SIGKILL);
	server->was_killed = true;
	if (server->base.wl_client) {
		wl_client_destroy(server->base.wl_client);
	}
	timer_arm(&server->timer, now(server) + KILL_LIMIT);
}

static bool has_lost_program(const struct x_server *server)
{
	return server->base.own && server->program < 0;
}

/**
 * Watches the display. The first process of a program may only have started others, so an own server
 * without its program gives them some time to connect.
 */
static void wait_for_connections(struct x_server *server)
{
	watch_display(server);
	if (has_lost_program(server)) {
		int64_t linger = options(server)->settings.linger * INT64_C(1000000000);
		server->lingers = true;
		timer_arm(&server->timer,
			now(server) + (linger > LINGER_LEAST ? linger : LINGER_LEAST));
	}
}

static void handle_timer(struct timer *timer, int64_t time)
{
	struct x_server *server = wl_container_of(timer, server, timer);
	switch (server->state) {
	case X_SERVER_IDLE:
		if (server->lingers) {
			x_server_destroy(server);
		} else {
			wait_for_connections(server);
		}
		break;
	case X_SERVER_STARTING:
		log_warn("X server :%d (process %d) does not get ready; it is ended",
			server->base.display, (int)server->base.pid);
		end_process(server);
		break;
	case X_SERVER_RUNNING: break;
	case X_SERVER_ENDING:
		if (server->was_killed) {
			log_error("X server :%d: process %d is given up, since it survives SIGKILL",
				server->base.display, (int)server->base.pid);
			x_server_handle_end(server, 128 + SIGKILL);
		} else {
			kill_process(server);
		}
		break;
	}
}

/* Xwayland writes the number of the display and a newline once it accepts connections. */
static void handle_readiness(void *data)
{
	struct x_server *server = data;
	char text[16];
	ssize_t length = read(server->readiness_fd, text, sizeof(text));
	if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
		return;
	}
	if (length > 0 && !memchr(text, '\n', (size_t)length)) {
		return;
	}
	fd_watch_stop(&server->readiness);
	fd_close(&server->readiness_fd);
	if (length <= 0) {
		return; /* the process has ended, or the timer ends it */
	}
	timer_disarm(&server->timer);
	server->state = X_SERVER_RUNNING;
	server->was_ready = true;
	log_info("X server :%d is ready, process %d, GPU %s", server->base.display,
		(int)server->base.pid, server->base.gpu ? server->base.gpu->bus_id : "none");
	const struct xwayland_wm_impl *wm = options(server)->wm;
	if (!wm) {
		return;
	}
	int fd = server->wm_fd;
	server->wm_fd = -1;
	server->base.wm = wm->create(options(server)->wm_data, &server->base, fd);
	if (!server->base.wm) {
		log_error("X server :%d has no window manager; it is ended", server->base.display);
		server->was_ready = false;
		end_process(server);
	}
}

/* Descriptors of a start: ours, and those that the process inherits. */
struct start_fds {
	int wayland[2], readiness[2], wm[2], log[2];
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
}

/** Returns 0 or -errno. */
static int open_fds(struct start_fds *fds, bool wm)
{
	*fds = (struct start_fds){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds->wayland) < 0 ||
		pipe2(fds->readiness, O_CLOEXEC | O_NONBLOCK) < 0 ||
		/* A full pipe loses text: the X server must not wait for this process. */
		pipe2(fds->log, O_CLOEXEC | O_NONBLOCK) < 0 ||
		(wm && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds->wm) < 0)) {
		int error = errno;
		close_fds(fds);
		return -error;
	}
	return 0;
}

/** Runs Xwayland with its ends of `fds`. Returns its pid or -errno. */
static pid_t spawn(const struct x_server *server, const struct start_fds *fds)
{
	static const char *const environment[] = {
		"WAYLAND_SOCKET=3", "WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", NULL};
	int inherited[5], n_fds = 0, n = 0;
	char display[16], linger[16], numbers[5][16];
	const char *argv[ARGUMENTS_MAX];
	snprintf(display, sizeof(display), ":%d", server->base.display);
	snprintf(linger, sizeof(linger), "%d", options(server)->settings.linger);
	inherited[n_fds++] = fds->wayland[1];
	argv[n++] = "Xwayland";
	argv[n++] = display;
	argv[n++] = "-rootless";
	argv[n++] = "-terminate";
	argv[n++] = linger;
	argv[n++] = "-auth";
	argv[n++] = server->cookie_path;
	for (int i = 0; i < server->display->n_fds; i++) {
		snprintf(numbers[n_fds], sizeof(numbers[0]), "%d", FIRST_FD + n_fds);
		argv[n++] = "-listenfd";
		argv[n++] = numbers[n_fds];
		inherited[n_fds++] = server->display->fds[i];
	}
	snprintf(numbers[n_fds], sizeof(numbers[0]), "%d", FIRST_FD + n_fds);
	argv[n++] = "-displayfd";
	argv[n++] = numbers[n_fds];
	inherited[n_fds++] = fds->readiness[1];
	if (fds->wm[1] >= 0) {
		snprintf(numbers[n_fds], sizeof(numbers[0]), "%d", FIRST_FD + n_fds);
		argv[n++] = "-wm";
		argv[n++] = numbers[n_fds];
		inherited[n_fds++] = fds->wm[1];
	}
	argv[n] = NULL;
	assert(n < ARGUMENTS_MAX);
	const struct xwayland_host *host = options(server)->host;
	return host->spawn(
		host->data, &server->base, argv, environment, inherited, n_fds, fds->log[1]);
}

void x_server_choose_gpu(struct x_server *server)
{
	const struct xwayland_host *host = options(server)->host;
	bool first = server->xwayland->servers.next == &server->base.link;
	if (server->state != X_SERVER_IDLE) {
		return;
	}
	if (first || !server->base.gpu || server->base.gpu->gone) {
		server->base.gpu = host->default_gpu(host->data);
	}
}

/** Starts the process. Returns 0 or -errno. */
static int start(struct x_server *server)
{
	const struct xwayland_host *host = options(server)->host;
	struct start_fds fds;
	int error = open_fds(&fds, options(server)->wm);
	if (error < 0) {
		return error;
	}
	x_server_choose_gpu(server);
	pid_t pid = spawn(server, &fds);
	fd_close(&fds.wayland[1]);
	fd_close(&fds.readiness[1]);
	fd_close(&fds.wm[1]);
	fd_close(&fds.log[1]);
	if (pid < 0) {
		close_fds(&fds);
		return pid;
	}
	server->state = X_SERVER_STARTING;
	server->asked_to_end = server->was_ready = false;
	server->was_cut = server->was_killed = false;
	server->started = now(server);
	server->readiness_fd = fds.readiness[0];
	server->wm_fd = fds.wm[0];
	server->base.pid = pid;
	if (server->base.gpu) {
		wl_signal_add(&server->base.gpu->events.gone, &server->gpu_gone);
	}
	timer_arm(&server->timer, server->started + START_LIMIT);
	fd_watch_start(&server->readiness, options(server)->loop, options(server)->clock,
		server->readiness_fd, handle_readiness, server);
	x_server_log_start(&server->log, options(server)->loop, options(server)->clock,
		server->base.display, fds.log[0]);
	server->base.wl_client = host->connect(host->data, &server->base, fds.wayland[0]);
	if (server->base.wl_client) {
		server->client_destroy.notify = handle_client_destroy;
		wl_client_add_destroy_listener(server->base.wl_client, &server->client_destroy);
	} else {
		end_process(server);
	}
	return 0;
}

/** Waits before the next start, longer after each crash in quick succession; not after the first. */
static void pause_or_watch(struct x_server *server)
{
	if (server->n_crashes < 2) {
		wait_for_connections(server);
		return;
	}
	int doublings = server->n_crashes - 2;
	int pause = doublings < 6 ? 1 << doublings : PAUSE_MAX;
	log_warn("X server :%d ended %d times in quick succession; it can start again in %d s",
		server->base.display, server->n_crashes, pause);
	timer_arm(&server->timer, now(server) + INT64_C(1000000000) * pause);
}

static void count_crash(struct x_server *server)
{
	bool quick = now(server) - server->started < CRASH_PERIOD;
	server->n_crashes = quick ? server->n_crashes + 1 : 1;
}

static void handle_connection(void *data)
{
	struct x_server *server = data;
	unwatch_display(server);
	timer_disarm(&server->timer);
	server->lingers = false;
	int error = start(server);
	if (error < 0) {
		log_error("cannot start Xwayland for display :%d: %s", server->base.display,
			strerror(-error));
		x_display_refuse(server->display);
		server->started = now(server);
		count_crash(server);
		pause_or_watch(server);
	}
}

/** Frees everything that belongs to the process. */
static void forget_process(struct x_server *server)
{
	timer_disarm(&server->timer);
	close_startup(server);
	x_server_log_stop(&server->log);
	wl_list_remove(&server->gpu_gone.link);
	wl_list_init(&server->gpu_gone.link);
	server->state = X_SERVER_ENDING;
	if (server->base.wl_client) {
		wl_client_destroy(server->base.wl_client);
	}
	if (server->base.wm) {
		options(server)->wm->destroy(server->base.wm);
		server->base.wm = NULL;
	}
	server->base.pid = 0;
	server->state = X_SERVER_IDLE;
}

void x_server_handle_end(struct x_server *server, int code)
{
	bool crashed =
		!server->asked_to_end && (code != 0 || !server->was_ready || server->was_cut);
	pid_t pid = server->base.pid;
	forget_process(server);
	if (!server->was_ready && !server->asked_to_end) {
		x_display_refuse(server->display);
	}
	if (crashed) {
		count_crash(server);
		log_warn("X server :%d (process %d) ended unexpectedly, with code %d; the next "
			 "connection starts it again",
			server->base.display, (int)pid, code);
	} else {
		server->n_crashes = 0;
		log_info("X server :%d has ended", server->base.display);
	}
	if (has_lost_program(server)) {
		x_server_destroy(server);
	} else {
		pause_or_watch(server);
	}
}

void x_server_handle_program_end(struct x_server *server)
{
	server->program = -1;
	/* An armed timer is the pause after a crash, which ends with the same wait. */
	if (server->state == X_SERVER_IDLE && !server->timer.armed) {
		unwatch_display(server);
		wait_for_connections(server);
	}
}

struct x_server *x_server_create(struct xwayland *xwayland, struct gpu *gpu, bool own, char **error)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	if (!runtime || !*runtime) {
		*error = xstrdup("XDG_RUNTIME_DIR is not set: it is the folder for X cookies");
		return NULL;
	}
	struct x_display *display = x_display_open(
		xwayland->options.folder, xwayland->options.settings.abstract_socket, error);
	if (!display) {
		return NULL;
	}
	/* Programs of a destroyed server must not get the cookie of a later one with its number. */
	char name[RANDOM_NAME_SIZE];
	random_name(name);
	char *path = xasprintf("%s/" X_COOKIE_PREFIX "%d-%s.auth", runtime, display->number, name);
	int result = x_cookie_write(path, display->number);
	int cookie_fd = result < 0 ? result : x_cookie_hold(path);
	if (cookie_fd < 0) {
		*error = xasprintf(
			"cannot write the cookie file %s: %s", path, strerror(-cookie_fd));
		free(path);
		x_display_close(display);
		return NULL;
	}
	struct x_server *server = xcalloc(1, sizeof(*server));
	server->base.display = display->number;
	server->base.gpu = gpu;
	server->base.own = own;
	server->base.scale = xwayland->options.settings.scale;
	server->xwayland = xwayland;
	server->display = display;
	server->cookie_path = path;
	server->cookie_fd = cookie_fd;
	server->readiness_fd = server->wm_fd = server->log.fd = -1;
	server->gpu_gone.notify = handle_gpu_gone;
	wl_list_init(&server->gpu_gone.link);
	timer_init(&server->timer, xwayland->options.clock, handle_timer);
	wl_list_insert(xwayland->servers.prev, &server->base.link);
	xwayland->n_servers++;
	x_server_choose_gpu(server);
	watch_display(server);
	return server;
}

void x_server_destroy(struct x_server *server)
{
	if (server->base.pid) {
		kill(server->base.pid, SIGTERM);
	}
	forget_process(server);
	unwatch_display(server);
	timer_finish(&server->timer);
	x_display_close(server->display);
	unlink(server->cookie_path);
	close(server->cookie_fd);
	free(server->cookie_path);
	wl_list_remove(&server->base.link);
	server->xwayland->n_servers--;
	free(server);
}

void xwayland_server_end(struct xwayland_server *base)
{
	struct x_server *server = x_server_from_base(base);
	server->asked_to_end = true;
	end_process(server);
}
