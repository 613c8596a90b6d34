/* SPDX-License-Identifier: MIT */
/* Connections handed to processes that call accept(), by the kernel's notifications. */

#include "xwayland/acceptor.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "xwayland/channel.h"
#include "xwayland/start.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors of the process that plays the X server. */
enum { LISTEN = 10, CONTROL = 11, REPORT = 12 };

/* The answer to each connection that it accepts. */
struct greeting {
	int pid, cloexec, family, length;
};

/* In the process that plays the X server */

static void greet(bool with_flags)
{
	struct sockaddr_un address;
	memset(&address, 0x55, sizeof(address));
	socklen_t size = sizeof(address);
	int fd = with_flags ? accept4(LISTEN, (struct sockaddr *)&address, &size,
				      SOCK_CLOEXEC | SOCK_NONBLOCK)
			    : accept(LISTEN, (struct sockaddr *)&address, &size);
	struct greeting greeting = {.pid = fd < 0 ? -errno : (int)getpid(),
		.cloexec = fd < 0 ? 0 : fcntl(fd, F_GETFD),
		.family = address.sun_family,
		.length = (int)size};
	if (write(fd < 0 ? REPORT : fd, &greeting, sizeof(greeting)) != sizeof(greeting)) {
		_exit(1);
	}
	if (fd >= 0) {
		close(fd);
	}
}

static void handle_alarm(int signal)
{
}

/* Accepts on a real listening socket, whose calls the filter lets through. */
static void accept_otherwise(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t size = sizeof(sa_family_t);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(fd, (struct sockaddr *)&address, size);
	listen(fd, 1);
	size = sizeof(address);
	getsockname(fd, (struct sockaddr *)&address, &size);
	int done = connect(client, (struct sockaddr *)&address, size) == 0 &&
		   accept(fd, NULL, NULL) >= 0;
	if (write(REPORT, &done, sizeof(done)) != sizeof(done)) {
		_exit(1);
	}
}

/* Each letter is a step of the process; it repeats the last one. */
static int play(const char *steps)
{
	struct pollfd pollfd = {.fd = LISTEN, .events = POLLIN};
	const struct itimerval often = {{0, 1000}, {0, 1000}};
	sigset_t ready;
	int received;
	for (;; steps += steps[1] != '\0') {
		switch (*steps) {
		case 'a':
			poll(&pollfd, 1, -1);
			greet(false);
			break;
		case 'f':
			poll(&pollfd, 1, -1);
			greet(true);
			break;
		case 'e': greet(false); break; /* without waiting */
		case 'r': /* and again after SIGUSR1, which is blocked by then */
			sigemptyset(&ready);
			sigaddset(&ready, SIGUSR1);
			sigprocmask(SIG_BLOCK, &ready, NULL);
			poll(&pollfd, 1, -1);
			greet(false);
			sigwait(&ready, &received);
			break;
		case 'o': accept_otherwise(); break;
		case 's': /* signals without SA_RESTART */
			sigaction(SIGALRM, &(struct sigaction){.sa_handler = handle_alarm}, NULL);
			setitimer(ITIMER_REAL, &often, NULL);
			break;
		case 'x': { /* a process with a notification descriptor in a second one */
			char argument[] = X_START_ARGUMENT "11,10";
			char *argv[] = {argument, argument, NULL};
			int code = x_start(2, argv);
			return write(REPORT, &code, sizeof(code)) != sizeof(code);
		}
		case '.': pause(); break;
		default: return 0;
		}
	}
}

/* In the test */

struct acceptor_world {
	struct x_acceptor *acceptor;
	struct x_channel channel;
	int report;
	pid_t pid;
	pid_t bystander; /* a child that inherits descriptors; 0: none */
};

/* A child keeps copies of all descriptors between fork() and exec(). */
static void fork_bystander(struct acceptor_world *world)
{
	world->bystander = fork();
	while (world->bystander == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
}

static void end_bystander(struct acceptor_world *world)
{
	if (world->bystander) {
		kill(world->bystander, SIGKILL);
		waitpid(world->bystander, NULL, 0);
		world->bystander = 0;
	}
}

/* With a bystander, if `bystander`, that has the descriptors of the start. */
static void start_beside(struct acceptor_world *world, const char *steps, bool bystander)
{
	int control[2], report[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, report), 0);
	world->pid = fork();
	if (world->pid == 0) {
		char argument[] = X_START_ARGUMENT "11,10", program[] = "/proc/self/exe",
		     mode[] = "--play";
		char *argv[] = {argument, argument, program, mode, (char *)steps, NULL};
		/* Above the numbers of the targets, which may be those of the sources. */
		int from[] = {fcntl(world->channel.fds[1], F_DUPFD, 20),
			fcntl(control[1], F_DUPFD, 20), fcntl(report[1], F_DUPFD, 20)};
		dup2(from[0], LISTEN);
		dup2(from[1], CONTROL);
		dup2(from[2], REPORT);
		closefrom(REPORT + 1);
		if (!steps) {
			argv[2] = NULL;
		}
		_exit(x_start(steps ? 5 : 2, argv));
	}
	close(control[1]);
	close(report[1]);
	world->report = report[0];
	if (bystander) {
		fork_bystander(world);
	}
	assert_int_equal(
		x_acceptor_add(world->acceptor, world->pid, control[0], &world->channel), 0);
}

static void start(struct acceptor_world *world, const char *steps)
{
	start_beside(world, steps, false);
}

/* The acceptor has a pidfd of each process that it serves; this program opens no others. */
static int count_served(void)
{
	char line[128];
	int n = 0;
	DIR *folder = opendir("/proc/self/fdinfo");
	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder));) {
		char path[300];
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", entry->d_name);
		FILE *file = fopen(path, "re");
		while (file && fgets(line, sizeof(line), file)) {
			n += strncmp(line, "Pid:", 4) == 0;
		}
		if (file) {
			fclose(file);
		}
	}
	closedir(folder);
	return n;
}

static int wait_for_end(struct acceptor_world *world)
{
	int status;
	assert_int_equal(waitpid(world->pid, &status, 0), world->pid);
	world->pid = 0;
	await(count_served() == 0, (void)0);
	close(world->report);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void end(struct acceptor_world *world)
{
	kill(world->pid, SIGKILL);
	assert_int_equal(wait_for_end(world), 128 + SIGKILL);
}

/* Returns the program's end of a connection that is on its way. */
static int hand_over(struct acceptor_world *world)
{
	int pair[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(x_channel_send(&world->channel, pair[1]), 0);
	close(pair[1]);
	return pair[0];
}

static struct greeting await_greeting(int fd)
{
	struct greeting greeting;
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	assert_int_equal(poll(&pollfd, 1, 10000), 1);
	assert_int_equal(read(fd, &greeting, sizeof(greeting)), sizeof(greeting));
	return greeting;
}

static void a_process_accepts_the_connections_of_its_channel(void **state)
{
	struct acceptor_world *world = *state;
	start(world, "a");
	for (int i = 0; i < 100; i++) {
		int fd = hand_over(world);
		struct greeting greeting = await_greeting(fd);
		assert_int_equal(greeting.pid, world->pid);
		assert_int_equal(greeting.cloexec, 0);
		assert_int_equal(greeting.family, AF_UNIX);
		assert_int_equal(greeting.length, sizeof(sa_family_t));
		close(fd);
	}
	end(world);
}

static void connections_wait_for_the_start_of_a_process(void **state)
{
	struct acceptor_world *world = *state;
	int fds[20];
	for (int i = 0; i < 20; i++) {
		fds[i] = hand_over(world);
	}
	start(world, "a");
	for (int i = 0; i < 20; i++) {
		assert_int_equal(await_greeting(fds[i]).pid, world->pid);
		close(fds[i]);
	}
	end(world);
}

static void flags_of_accept4_are_those_of_the_new_descriptor(void **state)
{
	struct acceptor_world *world = *state;
	start(world, "f");
	int fd = hand_over(world);
	assert_int_equal(await_greeting(fd).cloexec, FD_CLOEXEC);
	close(fd);
	end(world);
}

static void an_empty_channel_has_nothing_to_accept(void **state)
{
	struct acceptor_world *world = *state;
	start(world, "e.");
	assert_int_equal(await_greeting(world->report).pid, -EAGAIN);
	end(world);
}

static void other_listening_sockets_are_left_alone(void **state)
{
	struct acceptor_world *world = *state;
	int done = 0;
	start(world, "o.");
	assert_int_equal(read(world->report, &done, sizeof(done)), sizeof(done));
	assert_true(done);
	end(world);
}

/* A call that a signal ended is made again; its connection must not be lost. */
static void interrupted_calls_lose_no_connection(void **state)
{
	struct acceptor_world *world = *state;
	start(world, "sa");
	for (int i = 0; i < 200; i++) {
		int fd = hand_over(world);
		assert_int_equal(await_greeting(fd).pid, world->pid);
		close(fd);
	}
	end(world);
}

static void connections_of_a_killed_process_reach_the_next_one(void **state)
{
	struct acceptor_world *world = *state;
	int fds[8];
	start(world, ".");
	for (int i = 0; i < 8; i++) {
		fds[i] = hand_over(world);
	}
	end(world);
	start(world, "a");
	for (int i = 0; i < 8; i++) {
		assert_int_equal(await_greeting(fds[i]).pid, world->pid);
		close(fds[i]);
	}
	end(world);
}

/* Xwayland would use all of its CPU time for a descriptor that has hung up. */
static void a_channel_does_not_hang_up_while_its_process_lives(void **state)
{
	struct acceptor_world *world = *state;
	start(world, ".");
	struct pollfd pollfd = {.fd = fcntl(world->channel.fds[1], F_DUPFD_CLOEXEC, 0)};
	x_channel_close(&world->channel);
	assert_int_equal(poll(&pollfd, 1, 50), 0);
	close(pollfd.fd);
	end(world);
}

static void refused_connections_are_closed(void **state)
{
	struct acceptor_world *world = *state;
	int fds[3] = {hand_over(world), hand_over(world), hand_over(world)};
	x_channel_refuse(&world->channel);
	for (int i = 0; i < 3; i++) {
		struct pollfd pollfd = {.fd = fds[i]};
		assert_int_equal(poll(&pollfd, 1, 0), 1);
		assert_true(pollfd.revents & POLLHUP);
		close(fds[i]);
	}
	assert_int_equal(x_channel_take(&world->channel), -EAGAIN);
}

static void a_full_channel_says_so(void **state)
{
	struct acceptor_world *world = *state;
	int pair[2], n = 0, error = 0;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	while (n < 100000 && (error = x_channel_send(&world->channel, pair[1])) == 0) {
		n++;
	}
	assert_true(error == -EAGAIN || error == -ETOOMANYREFS);
	assert_true(n >= 250);
	int fd = x_channel_take(&world->channel);
	assert_true(fd >= 0);
	close(fd);
	x_channel_refuse(&world->channel);
	assert_int_equal(x_channel_send(&world->channel, pair[1]), 0);
	close(pair[0]);
	close(pair[1]);
}

static void a_test_of_the_kernel_succeeds(void **state)
{
	struct acceptor_world *world = *state;
	int fd = hand_over(world);
	start(world, NULL);
	assert_int_equal(wait_for_end(world), 0);
	close(fd);
}

/* As below a supervisor of containers, or in a Causeway of a Causeway that is filtered itself. */
static void a_second_notification_descriptor_is_refused(void **state)
{
	struct acceptor_world *world = *state;
	int code = 0;
	start(world, "x");
	assert_int_equal(read(world->report, &code, sizeof(code)), sizeof(code));
	assert_int_equal(code, EBUSY);
	assert_int_equal(wait_for_end(world), 0);
}

static void greet_once(struct acceptor_world *world)
{
	int fd = hand_over(world);
	assert_int_equal(await_greeting(fd).pid, world->pid);
	close(fd);
}

/* An X server ends, and the next one starts at once: its child has copies of the descriptors. */
static void a_child_that_is_starting_does_not_revive_a_process(void **state)
{
	struct acceptor_world *world = *state;
	for (int i = 0; i < 3; i++) {
		start(world, "a");
		greet_once(world);
		fork_bystander(world);
		end(world);
		start(world, "a");
		greet_once(world);
		end(world);
		end_bystander(world);
	}
}

static void a_child_that_is_starting_delays_no_other_process(void **state)
{
	struct acceptor_world *world = *state, other = {.acceptor = world->acceptor};
	assert_int_equal(x_channel_open(&other.channel), 0);
	start_beside(world, "a", true);
	greet_once(world);
	start(&other, "a");
	greet_once(&other);
	greet_once(world);
	kill(other.pid, SIGKILL);
	waitpid(other.pid, NULL, 0);
	close(other.report);
	x_channel_close(&other.channel);
	await(count_served() == 1, (void)0);
	end_bystander(world);
	end(world);
}

/* Returns the limit before; no descriptor can be opened then. */
static struct rlimit forbid_files(void)
{
	struct rlimit before;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, before.rlim_max}), 0);
	return before;
}

/* The connection is lost, as with each server that has too many files open. */
static void a_process_goes_on_after_a_lack_of_descriptors(void **state)
{
	struct acceptor_world *world = *state;
	start(world, "ra");
	greet_once(world);
	int fds[3] = {hand_over(world), hand_over(world), hand_over(world)};
	const struct rlimit before = forbid_files();
	kill(world->pid, SIGUSR1);
	for (int i = 0; i < 3; i++) {
		char byte;
		/* poll() takes no descriptors at all then, so that this waits without a break. */
		for (int n = 0; n < 100000000 && recv(fds[i], &byte, 1, MSG_DONTWAIT) != 0; n++) {
		}
		assert_int_equal(recv(fds[i], &byte, 1, MSG_DONTWAIT), 0);
	}
	setrlimit(RLIMIT_NOFILE, &before);
	for (int i = 0; i < 3; i++) {
		close(fds[i]);
	}
	greet_once(world);
	end(world);
}

static void refused_connections_are_closed_for_lack_of_descriptors_too(void **state)
{
	struct acceptor_world *world = *state;
	int fds[3] = {hand_over(world), hand_over(world), hand_over(world)};
	const struct rlimit before = forbid_files();
	x_channel_refuse(&world->channel);
	setrlimit(RLIMIT_NOFILE, &before);
	for (int i = 0; i < 3; i++) {
		char byte;
		assert_int_equal(recv(fds[i], &byte, 1, MSG_DONTWAIT), 0);
		close(fds[i]);
	}
}

/* Nobody would answer its calls, which the kernel fails at once: it would repeat them for ever. */
static void a_process_ends_whose_notifications_are_lost(void **state)
{
	struct acceptor_world *world = *state;
	int control[2], status;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control), 0);
	world->pid = fork();
	while (world->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	assert_int_equal(
		x_acceptor_add(world->acceptor, world->pid, control[0], &world->channel), 0);
	const struct rlimit before = forbid_files();
	assert_int_equal(x_channel_send_fd(control[1], control[1]), 0);
	assert_int_equal(waitpid(world->pid, &status, 0), world->pid);
	setrlimit(RLIMIT_NOFILE, &before);
	world->pid = 0;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	await(count_served() == 0, (void)0);
	close(control[1]);
}

static int setup(void **state)
{
	struct acceptor_world *world = calloc(1, sizeof(*world));
	world->acceptor = x_acceptor_create();
	assert_non_null(world->acceptor);
	assert_int_equal(x_channel_open(&world->channel), 0);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct acceptor_world *world = *state;
	end_bystander(world);
	if (world->pid) {
		kill(world->pid, SIGKILL);
		waitpid(world->pid, NULL, 0);
	}
	x_channel_close(&world->channel);
	x_acceptor_destroy(world->acceptor);
	free(world);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--play") == 0) {
		return play(argv[2]);
	}
	const struct CMUnitTest tests[] = {
		TEST(a_process_accepts_the_connections_of_its_channel),
		TEST(connections_wait_for_the_start_of_a_process),
		TEST(flags_of_accept4_are_those_of_the_new_descriptor),
		TEST(an_empty_channel_has_nothing_to_accept),
		TEST(other_listening_sockets_are_left_alone),
		TEST(interrupted_calls_lose_no_connection),
		TEST(connections_of_a_killed_process_reach_the_next_one),
		TEST(a_channel_does_not_hang_up_while_its_process_lives),
		TEST(refused_connections_are_closed),
		TEST(a_full_channel_says_so),
		TEST(a_test_of_the_kernel_succeeds),
		TEST(a_second_notification_descriptor_is_refused),
		TEST(a_child_that_is_starting_does_not_revive_a_process),
		TEST(a_child_that_is_starting_delays_no_other_process),
		TEST(a_process_goes_on_after_a_lack_of_descriptors),
		TEST(refused_connections_are_closed_for_lack_of_descriptors_too),
		TEST(a_process_ends_whose_notifications_are_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
