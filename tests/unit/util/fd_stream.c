/* SPDX-License-Identifier: MIT */
/*
 * Streams: a client that shares the descriptor clears O_NONBLOCK, does not read, or closes its end.
 * A write that blocks ends the test by SIGALRM.
 */

#include "util/fd_stream.h"
#include "harness/descriptors.h"
#include "harness/unit.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/task.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/** Bytes beyond the room of any pipe or socket of the tests. */
#define SIZE ((size_t)4 << 20)
#define PIECE 65536
/** Time (s) after which a call has blocked. */
#define HANG 60

struct test {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct tasks *tasks;
	struct task_quota *quota;
	struct fd_stream *stream;
	int client; /* the client's descriptor of the stream's file */
	int reader; /* -1: the file is none to be read by pieces */
	int n_ready, n_numbers, n_descriptors;
	unsigned char data[SIZE], read[SIZE];
	size_t n_written, n_read;
	atomic_bool ended;
};

static void handle_ready(void *data)
{
	struct test *test = data;
	test->n_ready++;
}

/* Creates a stream of a duplicate of `fd`, whose flags the client changes as it likes. */
static void start(struct test *test, int fd, int reader)
{
	test->client = fd;
	test->reader = reader;
	test->stream = fd_stream_create(
		test->loop, test->tasks, test->quota, fd_dup(fd), handle_ready, test);
	assert_non_null(test->stream);
}

static void start_pipe(struct test *test)
{
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	start(test, fds[1], fds[0]);
}

static void start_socket(struct test *test)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	start(test, fds[0], fds[1]);
}

/* A FIFO that the client has opened for both directions. */
static void start_fifo(struct test *test)
{
	char folder[] = "/tmp/causeway-stream-XXXXXX", path[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	start(test, fd, fd_dup(fd));
	unlink(path);
	rmdir(folder);
}

static ssize_t write_next(struct test *test)
{
	size_t left = SIZE - test->n_written;
	ssize_t n = fd_stream_write(
		test->stream, test->data + test->n_written, left < PIECE ? left : PIECE);
	if (n > 0) {
		test->n_written += (size_t)n;
	}
	return n;
}

/* Writes until the file is full. */
static void fill(struct test *test)
{
	ssize_t n;
	while ((n = write_next(test)) > 0) {
	}
	assert_int_equal(n, 0);
	assert_in_range(test->n_written, 1, SIZE - 1);
}

static void drain(struct test *test, size_t most)
{
	ssize_t n = read(test->reader, test->read + test->n_read,
		most < SIZE - test->n_read ? most : SIZE - test->n_read);
	assert_true(n > 0);
	test->n_read += (size_t)n;
}

static void await_ready(struct test *test)
{
	int before = test->n_ready;
	while (test->n_ready == before) {
		wl_event_loop_dispatch(test->loop, 100);
	}
}

static void finish_all(struct test *test)
{
	while (test->n_read < SIZE) {
		if (test->n_written < SIZE) {
			write_next(test);
		}
		drain(test, 10000);
	}
	assert_memory_equal(test->read, test->data, SIZE);
}

static void expect_full_without_blocking(struct test *test)
{
	const int flags = fcntl(test->client, F_GETFL);
	assert_false(flags & O_NONBLOCK);
	fill(test);
	/* Without room, nothing is reported. */
	wl_event_loop_dispatch(test->loop, 0);
	assert_int_equal(test->n_ready, 0);
	while (test->n_ready == 0) {
		drain(test, 4096);
		wl_event_loop_dispatch(test->loop, 0);
	}
	assert_true(write_next(test) > 0);
	fill(test);
	assert_int_equal(fcntl(test->client, F_GETFL), flags);
	finish_all(test);
	/* All was written: no wake-ups are left. */
	test->n_ready = 0;
	wl_event_loop_dispatch(test->loop, 0);
	assert_int_equal(test->n_ready, 0);
}

static void full_pipe_does_not_block(void **state)
{
	start_pipe(*state);
	expect_full_without_blocking(*state);
}

static void full_fifo_does_not_block(void **state)
{
	start_fifo(*state);
	expect_full_without_blocking(*state);
}

static void full_socket_does_not_block(void **state)
{
	start_socket(*state);
	expect_full_without_blocking(*state);
}

/* The client's threads: one changes the flag, the test's reads. */
static void *toggle(void *data)
{
	struct test *test = data;
	while (!atomic_load(&test->ended)) {
		fcntl(test->client, F_SETFL, O_NONBLOCK);
		fcntl(test->client, F_SETFL, 0);
	}
	return NULL;
}

static void *read_all(void *data)
{
	struct test *test = data;
	for (size_t n = 1; test->n_read < SIZE; n = n % 9000 + 701) {
		drain(test, n);
	}
	return NULL;
}

static void expect_data_through_changing_flags(struct test *test)
{
	pthread_t toggler, reader;
	assert_int_equal(pthread_create(&toggler, NULL, toggle, test), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_all, test), 0);
	while (test->n_written < SIZE) {
		const size_t left = SIZE - test->n_written;
		ssize_t n = write_next(test);
		assert_true(n >= 0);
		if ((size_t)n < (left < PIECE ? left : PIECE)) {
			await_ready(test);
		}
	}
	pthread_join(reader, NULL);
	atomic_store(&test->ended, true);
	pthread_join(toggler, NULL);
	assert_memory_equal(test->read, test->data, SIZE);
}

static void pipe_passes_data_while_its_flags_change(void **state)
{
	start_pipe(*state);
	expect_data_through_changing_flags(*state);
}

static void socket_passes_data_while_its_flags_change(void **state)
{
	start_socket(*state);
	expect_data_through_changing_flags(*state);
}

static void expect_broken(struct test *test)
{
	fill(test);
	close(test->reader);
	test->reader = -1;
	await_ready(test);
	assert_int_equal(write_next(test), -EPIPE);
	/* A hangup is reported once. */
	test->n_ready = 0;
	wl_event_loop_dispatch(test->loop, 0);
	assert_int_equal(test->n_ready, 0);
}

/* SIGPIPE would end the test. */
static void closed_pipe_is_an_error(void **state)
{
	start_pipe(*state);
	expect_broken(*state);
}

static void closed_socket_is_an_error(void **state)
{
	start_socket(*state);
	expect_broken(*state);
}

static void read_end_is_an_error(void **state)
{
	struct test *test = *state;
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	start(test, fds[0], fds[1]);
	assert_int_equal(write_next(test), -EBADF);
}

static void file_is_written_on_a_thread(void **state)
{
	struct test *test = *state;
	start(test, fd_create_memory("stream", 0, false), -1);
	while (test->n_written < SIZE) {
		assert_int_equal(write_next(test), 0);
		assert_int_equal(write_next(test), 0); /* the thread goes on */
		await_ready(test);
		assert_int_equal(write_next(test), PIECE);
	}
	assert_int_equal(pread(test->client, test->read, SIZE, 0), SIZE);
	assert_memory_equal(test->read, test->data, SIZE);
}

static void unwritable_file_is_an_error(void **state)
{
	struct test *test = *state;
	start(test, open("/dev/full", O_WRONLY | O_CLOEXEC), -1);
	assert_int_equal(write_next(test), 0);
	await_ready(test);
	assert_int_equal(write_next(test), -ENOSPC);
}

/* Takes the number from an eventfd, so that one write to it can go on. */
static void take_number(struct test *test)
{
	struct pollfd poller = {.fd = test->client, .events = POLLIN};
	eventfd_t value;
	if (poll(&poller, 1, 10) > 0) {
		eventfd_read(test->client, &value);
		test->n_numbers++;
	}
	wl_event_loop_dispatch(test->loop, 0);
}

/* The counter of an eventfd is full: further numbers wait until it is read. */
static void file_that_blocks_is_abandoned(void **state)
{
	struct test *test = *state;
	const eventfd_t number = UINT64_MAX - 1;
	start(test, eventfd(0, EFD_CLOEXEC), -1);
	assert_int_equal(eventfd_write(test->client, number), 0);
	for (int i = 0; i < TASK_QUOTA_MAX; i++) {
		assert_int_equal(fd_stream_write(test->stream, &number, sizeof(number)), 0);
		fd_stream_destroy(test->stream);
		test->stream = fd_stream_create(test->loop, test->tasks, test->quota,
			fd_dup(test->client), handle_ready, test);
	}
	assert_int_equal(fd_stream_write(test->stream, &number, sizeof(number)), -EBUSY);
	while (!task_quota_has_room(test->quota)) {
		take_number(test);
	}
	assert_int_equal(fd_stream_write(test->stream, &number, sizeof(number)), 0);
	assert_int_equal(test->n_ready, 0);
	/* All writes end before the test; `ready` is called for the last one only. */
	while (test->n_numbers < TASK_QUOTA_MAX + 2 || test->n_ready == 0) {
		take_number(test);
	}
	assert_int_equal(fd_stream_write(test->stream, &number, sizeof(number)), sizeof(number));
	assert_int_equal(test->n_ready, 1);
}

static int set_up(void **state)
{
	static struct test test;
	memset(&test, 0, sizeof(test));
	test.n_descriptors = count_descriptors();
	test.loop = wl_event_loop_create();
	test.clock = clock_create_test(1000);
	test.tasks = tasks_create(test.loop, test.clock);
	test.quota = task_quota_create();
	test.client = test.reader = -1;
	for (size_t i = 0; i < SIZE; i++) {
		test.data[i] = (unsigned char)(i * 7 + i / 251);
	}
	alarm(HANG);
	*state = &test;
	return 0;
}

static int tear_down(void **state)
{
	struct test *test = *state;
	fd_stream_destroy(test->stream);
	fd_close(&test->client);
	fd_close(&test->reader);
	task_quota_release(test->quota);
	tasks_destroy(test->tasks);
	assert_false(clock_advance_to_next(test->clock));
	clock_destroy(test->clock);
	wl_event_loop_destroy(test->loop);
	expect_descriptors(test->n_descriptors);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
		TEST(full_pipe_does_not_block),
		TEST(full_fifo_does_not_block),
		TEST(full_socket_does_not_block),
		TEST(pipe_passes_data_while_its_flags_change),
		TEST(socket_passes_data_while_its_flags_change),
		TEST(closed_pipe_is_an_error),
		TEST(closed_socket_is_an_error),
		TEST(read_end_is_an_error),
		TEST(file_is_written_on_a_thread),
		TEST(unwritable_file_is_an_error),
		TEST(file_that_blocks_is_abandoned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
