/* SPDX-License-Identifier: MIT */
/* The test of the kernel: the start of an X server, with a program that accepts one connection. */

#include "kernel_test.h"
#include "acceptor.h"
#include "channel.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include "xwayland/start.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/** Time limit (ns). A slow machine needs seconds to start a process, and X programs wait for it. */
#define LIMIT INT64_C(60000000000)

struct x_kernel_test {
	pid_t pid;
	struct x_channel channel;
	int connection; /* our end of the one that the process accepts */
	struct timer timer;
	void (*done)(void *data, int error);
	void *data;
};

static void finish(struct x_kernel_test *test, int error)
{
	void (*done)(void *data, int error) = test->done;
	void *data = test->data;
	x_kernel_test_destroy(test);
	done(data, error);
}

static void handle_timeout(struct timer *timer, int64_t time)
{
	struct x_kernel_test *test = wl_container_of(timer, test, timer);
	finish(test, ETIMEDOUT);
}

/** Puts a connection into the channel. Returns 0 or -errno. */
static int add_connection(struct x_kernel_test *test)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		return -errno;
	}
	test->connection = pair[0];
	const int error = x_channel_send(&test->channel, pair[1]);
	close(pair[1]);
	return error;
}

/** Starts the process. Returns 0 or -errno. */
static int spawn(struct x_kernel_test *test, const struct x_servers_options *options,
	struct x_acceptor *acceptor, const struct x_server *server)
{
	static const char *const environment[] = {"DISPLAY", NULL};
	const char *const argv[] = {options->helper_program, X_START_ARGUMENT "3,4", NULL};
	int control[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0) {
		return -errno;
	}
	const int fds[] = {control[1], test->channel.fds[1]};
	const pid_t pid =
		options->host->spawn(options->host->data, server, argv, environment, fds, 2, 0);
	close(control[1]);
	if (pid < 0) {
		close(control[0]);
		return pid;
	}
	test->pid = pid;
	return x_acceptor_add(acceptor, pid, control[0], &test->channel);
}

struct x_kernel_test *x_kernel_test_start(const struct x_servers_options *options,
	struct x_acceptor *acceptor, const struct x_server *server,
	void (*done)(void *data, int error), void *data, int *error)
{
	struct x_kernel_test *test = xcalloc(1, sizeof(*test));
	test->done = done;
	test->data = data;
	test->connection = -1;
	timer_init(&test->timer, options->clock, handle_timeout);
	int result = x_channel_open(&test->channel);
	result = result < 0 ? result : add_connection(test);
	result = result < 0 ? result : spawn(test, options, acceptor, server);
	if (result < 0) {
		x_kernel_test_destroy(test);
		*error = -result;
		return NULL;
	}
	timer_arm(&test->timer, clock_now(options->clock) + LIMIT);
	return test;
}

bool x_kernel_test_child_ended(struct x_kernel_test *test, pid_t pid, int code)
{
	if (!test || test->pid != pid) {
		return false;
	}
	test->pid = 0;
	finish(test, code);
	return true;
}

void x_kernel_test_destroy(struct x_kernel_test *test)
{
	if (!test) {
		return;
	}
	if (test->pid) {
		kill(test->pid, SIGKILL);
	}
	timer_finish(&test->timer);
	fd_close(&test->connection);
	x_channel_close(&test->channel);
	free(test);
}
