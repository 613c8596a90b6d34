/* SPDX-License-Identifier: MIT */
/*
 * Clients whose /proc files do not answer: one thread holds the lock of the process's memory map
 * while a FUSE file system hangs. Other clients are served, and so is this one, without the facts
 * that cannot be read.
 */

#include "util/process.h"
#include "harness/await.h"
#include "harness/descriptors.h"
#include "harness/fuse.h"
#include "harness/peer.h"
#include "protocol/protocol.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "causeway-test-program" /* argv[0] of the processes that this test starts */
#define CONTROL_FD 3
#define FUSE_FD 4
#define SECOND INT64_C(1000000000)
#define RULES "[app words]\ncmdline = * words*\n"

/* Why FUSE is unavailable; NULL: it is available. */
static const char *no_fuse;

struct test {
	char folder[32], config[64];
	struct fixture *fixture;
	struct peer *bystander;
	struct fuse *fuse; /* NULL: unavailable */
	pid_t pid;
	int control;
};

/* The child process */

static int connect_to_server(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/wayland-1",
		getenv("XDG_RUNTIME_DIR"));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? fd : -1;
}

struct lock_holder {
	char *page; /* of a file on FUSE */
	atomic_int turn;
};

/* Waits for the writeback of the page, holding the lock of its mapping. */
static void *write_page(void *data)
{
	struct lock_holder *holder = data;
	while (holder->turn < 1) {
		usleep(1000);
	}
	*(volatile char *)holder->page = 2;
	return NULL;
}

/*
 * Waits for the lock of the mapping, holding the lock of the memory map that readers of
 * /proc/PID/cmdline need.
 */
static void *unmap_page(void *data)
{
	struct lock_holder *holder = data;
	while (holder->turn < 2) {
		usleep(1000);
	}
	munmap(holder->page, 4096);
	return NULL;
}

/* Dirties the page and starts the threads while FUSE still answers. */
static bool prepare_hang(struct lock_holder *holder)
{
	pthread_t thread;
	holder->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, FUSE_FD, 0);
	if (holder->page == MAP_FAILED) {
		return false;
	}
	*(volatile char *)holder->page = 1;
	return pthread_create(&thread, NULL, write_page, holder) == 0 &&
	       pthread_create(&thread, NULL, unmap_page, holder) == 0;
}

static void hang(struct lock_holder *holder)
{
	sync_file_range(FUSE_FD, 0, 4096, SYNC_FILE_RANGE_WRITE);
	holder->turn = 1;
	usleep(50000);
	holder->turn = 2;
	usleep(50000);
}

/*
 * For each byte 'c' from the test, connects once more; 'x' closes all connections, 'h' hangs.
 * Answers each.
 */
static int run_program(char **argv)
{
	static struct lock_holder holder;
	int fds[64], n = 0;
	char byte;
	if (strcmp(argv[1], "hangs") == 0 && !prepare_hang(&holder)) {
		return 1;
	}
	/* Loads the code of connect_to_server() before anything hangs. */
	close(connect_to_server());
	while (read(CONTROL_FD, &byte, 1) == 1) {
		if (byte == 'c' && (fds[n++] = connect_to_server()) < 0) {
			return 1;
		}
		while (byte == 'x' && n > 0) {
			close(fds[--n]);
		}
		if (byte == 'h') {
			hang(&holder);
		}
		if (write(CONTROL_FD, &byte, 1) != 1) {
			return 1;
		}
	}
	return 0;
}

/* The test process */

static void set_rules(struct test *test, const char *text)
{
	char *error = NULL;
	FILE *file = fopen(test->config, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	if (test->fixture && !server_reload(test->fixture->server, &error)) {
		fail_msg("%s", error);
	}
}

static int setup(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	strcpy(test->folder, "/tmp/causeway-proc-XXXXXX");
	assert_non_null(mkdtemp(test->folder));
	setenv("XDG_RUNTIME_DIR", test->folder, 1);
	snprintf(test->config, sizeof(test->config), "%s/causeway.ini", test->folder);
	set_rules(test, "");
	test->fixture = fixture_create(
		&(struct fixture_options){.socket = "wayland-1", .config_path = test->config});
	test->bystander = peer_create(test->fixture);
	test->fuse = no_fuse ? NULL : fuse_create();
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;
	fixture_destroy(test->fixture);
	/* Until FUSE is gone, the child cannot be killed. */
	if (test->fuse) {
		fuse_destroy(test->fuse);
	}
	if (test->pid > 0) {
		close(test->control);
		kill(test->pid, SIGKILL);
		waitpid(test->pid, NULL, 0);
	}
	unlink(test->config);
	rmdir(test->folder);
	free(test);
	return 0;
}

#define need_fuse()                                                                                \
	do {                                                                                       \
		if (no_fuse) {                                                                     \
			print_message("skip: %s: %s\n", __func__, no_fuse);                        \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static void tell(struct test *test, char byte)
{
	assert_int_equal(write(test->control, &byte, 1), 1);
	assert_int_equal(read(test->control, &byte, 1), 1);
}

static void start(struct test *test, const char *argument)
{
	int control[2];
	int fuse = test->fuse ? fuse_open(test->fuse) : -1;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control), 0);
	test->pid = fork();
	if (test->pid == 0) {
		int from = fcntl(control[1], F_DUPFD, FUSE_FD + 1);
		int file = fuse < 0 ? -1 : fcntl(fuse, F_DUPFD, FUSE_FD + 1);
		dup2(from, CONTROL_FD);
		if (file >= 0) {
			dup2(file, FUSE_FD);
			close(file);
		}
		close(from);
		execl("/proc/self/exe", PROGRAM, argument, NULL);
		_exit(127);
	}
	close(control[1]);
	if (fuse >= 0) {
		close(fuse);
	}
	test->control = control[0];
	tell(test, '.');
	fixture_pump(test->fixture);
}

/* Returns true if a read of the command line blocks. */
static bool cmdline_hangs(const struct test *test)
{
	char path[32], byte;
	int ends[2];
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)test->pid);
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		int fd = open(path, O_RDONLY);
		ssize_t n = read(fd, &byte, 1);
		_exit(write(ends[1], &byte, 1) == n);
	}
	close(ends[1]);
	struct pollfd pollfd = {.fd = ends[0], .events = POLLIN};
	bool hangs = poll(&pollfd, 1, 500) == 0;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	return hangs;
}

/* Starts a program whose arguments cannot be read. */
static bool start_hanging(struct test *test)
{
	start(test, "hangs");
	fuse_hang(test->fuse);
	test->fixture->holds_tasks = true;
	tell(test, 'h');
	return cmdline_hangs(test);
}

#define need_hang(test)                                                                            \
	do {                                                                                       \
		if (!start_hanging(test)) {                                                        \
			print_message("skip: %s: this kernel reads the arguments\n", __func__);    \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static int n_clients(const struct test *test)
{
	return wl_list_length(wl_display_get_client_list(test->fixture->server->display));
}

static struct client *newest(const struct test *test)
{
	struct wl_list *clients = wl_display_get_client_list(test->fixture->server->display);
	return client_from_wl(wl_client_from_link(clients->prev));
}

static void expect_served(struct test *test)
{
	fixture_pump(test->fixture);
	assert_true(tasks_n_pending(test->fixture->server->tasks) > 0);
	assert_true(peer_alive(test->bystander));
}

static void arguments_that_do_not_answer_delay_their_client_only(void **state)
{
	struct test *test = *state;
	need_fuse();
	set_rules(test, RULES);
	fixture_pump(test->fixture);
	need_hang(test);
	tell(test, 'c');
	expect_served(test);
	assert_int_equal(n_clients(test), 1);
	fixture_sleep(test->fixture, 2 * SECOND);
	assert_int_equal(n_clients(test), 2);
	assert_int_equal(newest(test)->pid, test->pid);
	assert_null(newest(test)->rule);
	/* Readable facts are known. */
	assert_non_null(client_exe(newest(test)));
	assert_true(peer_alive(test->bystander));
}

/* Collects the log on stderr. */
static void sleep_and_read_log(struct test *test, int64_t ns, char *log, size_t size)
{
	int ends[2], saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	dup2(ends[1], STDERR_FILENO);
	fixture_sleep(test->fixture, ns);
	dup2(saved, STDERR_FILENO);
	ssize_t n = read(ends[0], log, size - 1);
	log[n > 0 ? n : 0] = '\0';
	close(saved);
	close(ends[0]);
	close(ends[1]);
}

/* The log says once why rules do not match. */
static void later_rules_do_not_block(void **state)
{
	struct test *test = *state;
	need_fuse();
	need_hang(test);
	tell(test, 'c');
	fixture_pump(test->fixture);
	assert_int_equal(n_clients(test), 2);
	set_rules(test, RULES "[app rest]\nexe = *\n");
	expect_served(test);
	char log[4096];
	sleep_and_read_log(test, 2 * SECOND, log, sizeof(log));
	assert_int_equal(tasks_n_pending(test->fixture->server->tasks), 0);
	assert_string_equal(newest(test)->rule, "rest");
	assert_non_null(strstr(log, "cannot read its command line, its memory does not answer: "
				    "rules with cmdline do not match it"));
	/* The arguments are not read again. */
	set_rules(test, "[app other]\ncmdline = * words*\n[app rest]\nexe = *\n");
	fixture_pump(test->fixture);
	assert_int_equal(tasks_n_pending(test->fixture->server->tasks), 0);
}

/* More clients than threads and than the socket's backlog. */
static void many_clients_that_do_not_answer_are_served_in_the_end(void **state)
{
	struct test *test = *state;
	need_fuse();
	set_rules(test, RULES);
	fixture_pump(test->fixture);
	need_hang(test);
	for (int i = 0; i < 40; i++) {
		tell(test, 'c');
	}
	expect_served(test);
	assert_in_range(tasks_n_pending(test->fixture->server->tasks), 1, TASK_QUOTA_MAX);
	fixture_sleep(test->fixture, 5 * SECOND);
	assert_int_equal(n_clients(test), 41);
	assert_true(peer_alive(test->bystander));
}

static void hangup_before_the_deadline_leaves_no_client(void **state)
{
	struct test *test = *state;
	need_fuse();
	set_rules(test, RULES);
	fixture_pump(test->fixture);
	need_hang(test);
	for (int i = 0; i < 20; i++) {
		tell(test, 'c');
	}
	expect_served(test);
	tell(test, 'x');
	fixture_pump(test->fixture);
	assert_int_equal(tasks_n_pending(test->fixture->server->tasks), 0);
	fixture_sleep(test->fixture, 2 * SECOND);
	assert_int_equal(n_clients(test), 1);
}

static void rule_by_arguments_is_known_when_a_client_connects(void **state)
{
	struct test *test = *state;
	set_rules(test, RULES);
	start(test, "words");
	int before = count_descriptors();
	for (int i = 0; i < 20; i++) {
		tell(test, 'c');
	}
	fixture_pump(test->fixture);
	assert_int_equal(n_clients(test), 21);
	assert_string_equal(newest(test)->rule, "words");
	tell(test, 'x');
	fixture_pump(test->fixture);
	assert_int_equal(n_clients(test), 1);
	assert_in_range(count_descriptors(), 0, before);
}

static void later_rule_is_found(void **state)
{
	struct test *test = *state;
	start(test, "words");
	tell(test, 'c');
	fixture_pump(test->fixture);
	assert_null(newest(test)->rule);
	set_rules(test, RULES);
	fixture_pump(test->fixture);
	assert_string_equal(newest(test)->rule, "words");
}

static void client_connects_at_once_if_rules_need_no_memory(void **state)
{
	struct test *test = *state;
	set_rules(test, "[app name]\nexe = *\nchildren = yes\n");
	fixture_pump(test->fixture);
	start(test, "words");
	tell(test, 'c');
	if (!client_is_pinned(
		    test->fixture->server->protocols, wl_client_get_fd(test->bystander->client))) {
		print_message("skip: %s: this kernel has no SO_PEERPIDFD\n", __func__);
		skip();
	}
	wl_event_loop_dispatch(test->fixture->server->loop, 0);
	assert_int_equal(n_clients(test), 2);
	assert_string_equal(newest(test)->rule, "name");
}

int main(int argc, char **argv)
{
	if (strcmp(argv[0], PROGRAM) == 0) {
		return run_program(argv);
	}
	no_fuse = fuse_prepare();
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(arguments_that_do_not_answer_delay_their_client_only),
		TEST(later_rules_do_not_block),
		TEST(many_clients_that_do_not_answer_are_served_in_the_end),
		TEST(hangup_before_the_deadline_leaves_no_client),
		TEST(rule_by_arguments_is_known_when_a_client_connects),
		TEST(later_rule_is_found),
		TEST(client_connects_at_once_if_rules_need_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
