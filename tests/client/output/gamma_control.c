/* SPDX-License-Identifier: MIT */
/*
 * zwlr_gamma_control_v1: exclusive control of an output's gamma table, its sources, and its reset.
 */

#include "backend/headless.h"
#include "harness/descriptors.h"
#include "harness/peer.h"
#include "protocol/client/client_fd.h"
#include "scene/scene.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include "wlr-gamma-control-unstable-v1-client-protocol.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZE 256
#define BYTES ((size_t)3 * SIZE * sizeof(uint16_t))
/** Time (s) after which a call has blocked. */
#define HANG 60

/* The fixture's output, with an emulated gamma table. */
struct gamma_world {
	struct fixture *fixture;
	struct peer *peer;
	struct zwlr_gamma_control_manager_v1 *manager;
	struct output *output; /* NULL: has no gamma table */
	const struct output_impl *real;
	struct output_impl impl;
	uint16_t table[3 * SIZE]; /* most recently set */
	bool set, refuses;
	int n_commits;
	int n_descriptors; /* before the test */
};

struct control {
	struct zwlr_gamma_control_v1 *proxy;
	uint32_t size;
	int n_sizes, n_failed;
};

static bool commit(struct output *output, const struct output_state *state, uint32_t number)
{
	struct gamma_world *world = wl_container_of(output->impl, world, impl);
	if (state->fields == OUTPUT_GAMMA) {
		world->n_commits++;
		world->set = state->gamma != NULL;
		if (state->gamma) {
			memcpy(world->table, state->gamma, BYTES);
		}
		return !world->refuses;
	}
	output->impl = world->real;
	bool done = world->real->commit(output, state, number);
	output->impl = &world->impl;
	return done;
}

static bool test(struct output *output, const struct output_state *state)
{
	struct gamma_world *world = wl_container_of(output->impl, world, impl);
	output->impl = world->real;
	bool possible = world->real->test(output, state);
	output->impl = &world->impl;
	return possible;
}

static void restore_impl(struct gamma_world *world)
{
	if (world->output) {
		world->output->impl = world->real;
		world->output = NULL;
	}
}

static void destroy(struct output *output)
{
	struct gamma_world *world = wl_container_of(output->impl, world, impl);
	restore_impl(world);
	output_destroy(output);
}

static void give_table(struct gamma_world *world)
{
	world->output = world->fixture->server->scene->outputs[0]->output;
	world->output->gamma_size = SIZE;
	world->real = world->output->impl;
	world->impl = (struct output_impl){.destroy = destroy, .test = test, .commit = commit};
	world->output->impl = &world->impl;
}

static void handle_size(void *data, struct zwlr_gamma_control_v1 *proxy, uint32_t size)
{
	struct control *control = data;
	control->size = size;
	control->n_sizes++;
}

static void handle_failed(void *data, struct zwlr_gamma_control_v1 *proxy)
{
	struct control *control = data;
	control->n_failed++;
}

static const struct zwlr_gamma_control_v1_listener listener = {
	.gamma_size = handle_size,
	.failed = handle_failed,
};

static void hold(struct gamma_world *world, struct peer *peer, struct control *control)
{
	struct wl_output *output = peer_bind(peer, &wl_output_interface, 0);
	struct zwlr_gamma_control_manager_v1 *manager =
		peer == world->peer ? world->manager
				    : peer_bind(peer, &zwlr_gamma_control_manager_v1_interface, 0);
	*control = (struct control){0};
	control->proxy = zwlr_gamma_control_manager_v1_get_gamma_control(manager, output);
	zwlr_gamma_control_v1_add_listener(control->proxy, &listener, control);
	fixture_pump(world->fixture);
}

static void fill(uint16_t table[3 * SIZE], int first)
{
	for (int i = 0; i < 3 * SIZE; i++) {
		table[i] = (uint16_t)(first + i);
	}
}

static void expect(const struct gamma_world *world, int first)
{
	uint16_t table[3 * SIZE];
	fill(table, first);
	assert_true(world->set);
	assert_memory_equal(world->table, table, BYTES);
}

/* Leaves the file offset at the end, as clients that wrote the file do. */
static int write_file(int fd, int first, size_t size)
{
	uint16_t table[3 * SIZE + 1] = {0};
	assert_true(fd >= 0);
	fill(table, first);
	assert_int_equal(write(fd, table, size), size);
	return fd;
}

static void send_fd(struct gamma_world *world, struct control *control, int fd)
{
	zwlr_gamma_control_v1_set_gamma(control->proxy, fd);
	close(fd);
	fixture_pump(world->fixture);
}

static void set_memory(struct gamma_world *world, struct control *control, int first, size_t size)
{
	send_fd(world, control, write_file(fd_create_memory("gamma", 0, false), first, size));
}

static int set_up(void **state)
{
	struct gamma_world *world = xcalloc(1, sizeof(*world));
	world->n_descriptors = count_descriptors();
	world->fixture = fixture_create(NULL);
	world->peer = peer_create(world->fixture);
	world->manager = peer_bind(world->peer, &zwlr_gamma_control_manager_v1_interface, 0);
	fixture_settle(world->fixture);
	alarm(HANG);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct gamma_world *world = *state;
	restore_impl(world);
	fixture_destroy(world->fixture);
	expect_descriptors(world->n_descriptors);
	free(world);
	return 0;
}

static void output_without_gamma_fails(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	hold(world, world->peer, &control);
	assert_int_equal(control.n_failed, 1);
	assert_int_equal(control.n_sizes, 0);
	set_memory(world, &control, 0, BYTES);
	assert_true(peer_alive(world->peer));
	assert_int_equal(control.n_failed, 1);
}

static void table_is_set_and_reset(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	give_table(world);
	hold(world, world->peer, &control);
	assert_int_equal(control.size, SIZE);
	assert_int_equal(control.n_sizes, 1);
	set_memory(world, &control, 100, BYTES);
	expect(world, 100);
	set_memory(world, &control, 200, BYTES);
	expect(world, 200);
	assert_int_equal(world->n_commits, 2);
	zwlr_gamma_control_v1_destroy(control.proxy);
	fixture_pump(world->fixture);
	assert_false(world->set);
	assert_int_equal(world->n_commits, 3);
	/* Without a table set, there is nothing to reset. */
	hold(world, world->peer, &control);
	zwlr_gamma_control_v1_destroy(control.proxy);
	fixture_pump(world->fixture);
	assert_int_equal(world->n_commits, 3);
}

static void one_client_controls_an_output(void **state)
{
	struct gamma_world *world = *state;
	struct control control, late;
	give_table(world);
	hold(world, world->peer, &control);
	set_memory(world, &control, 100, BYTES);
	struct peer *other = peer_create(world->fixture);
	hold(world, other, &late);
	assert_int_equal(late.n_failed, 1);
	assert_int_equal(late.n_sizes, 0);
	set_memory(world, &late, 200, BYTES);
	expect(world, 100);
	/* The client that has control disconnects. */
	peer_destroy(world->peer);
	fixture_pump(world->fixture);
	assert_false(world->set);
	hold(world, other, &late);
	assert_int_equal(late.n_failed, 0);
	assert_int_equal(late.size, SIZE);
}

/*
 * Sends the reading end of a pipe or socket that gets its table later. Pumping does not wait for
 * it.
 */
static void send_stream(struct gamma_world *world, struct control *control, int fd)
{
	world->fixture->holds_tasks = true;
	send_fd(world, control, fd);
}

/* Pumps until threads have read the complete tables. */
static void await_threads(struct gamma_world *world)
{
	world->fixture->holds_tasks = false;
	fixture_pump(world->fixture);
}

static void expect_served(struct gamma_world *world)
{
	struct peer *bystander = peer_create(world->fixture);
	assert_true(peer_alive(bystander));
	peer_destroy(bystander);
	fixture_pump(world->fixture);
}

/* A table may arrive in parts. */
static void expect_table_in_parts(
	struct gamma_world *world, struct control *control, const int fds[2])
{
	uint16_t table[3 * SIZE];
	fill(table, 100);
	send_stream(world, control, fds[0]);
	assert_int_equal(write(fds[1], table, 500), 500);
	fixture_pump(world->fixture);
	assert_int_equal(world->n_commits, 0);
	assert_int_equal(write(fds[1], (char *)table + 500, BYTES - 500), BYTES - 500);
	close(fds[1]);
	await_threads(world);
	expect(world, 100);
	assert_int_equal(world->n_commits, 1);
}

static void table_can_arrive_through_a_pipe(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	int fds[2];
	give_table(world);
	hold(world, world->peer, &control);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	expect_table_in_parts(world, &control, fds);
	/* The last table counts. */
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	send_stream(world, &control, fds[0]);
	set_memory(world, &control, 200, BYTES);
	close(fds[1]);
	await_threads(world);
	expect(world, 200);
	assert_true(peer_alive(world->peer));
	/* The control is destroyed before the table is complete. */
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	send_stream(world, &control, fds[0]);
	zwlr_gamma_control_v1_destroy(control.proxy);
	fixture_pump(world->fixture);
	close(fds[1]);
	await_threads(world);
	assert_false(world->set);
}

static void table_can_arrive_through_a_socket(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	int fds[2];
	give_table(world);
	hold(world, world->peer, &control);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	expect_table_in_parts(world, &control, fds);
}

/* Clients without memfd_create() use such files. */
static int unlinked_file(int first)
{
	char path[] = "/var/tmp/causeway-gamma-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);
	unlink(path);
	return write_file(fd, first, BYTES);
}

static void table_can_be_an_unlinked_file(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	give_table(world);
	hold(world, world->peer, &control);
	send_fd(world, &control, unlinked_file(100));
	expect(world, 100);
	/* Of two that follow each other, the last one stays. */
	int fd = unlinked_file(200);
	zwlr_gamma_control_v1_set_gamma(control.proxy, fd);
	close(fd);
	send_fd(world, &control, unlinked_file(300));
	expect(world, 300);
	assert_true(peer_alive(world->peer));
	assert_int_equal(control.n_failed, 0);
}

/*
 * The client shares the flags of the file. A read that blocks the compositor ends the test by
 * SIGALRM.
 */
static void client_that_clears_o_nonblock_blocks_nobody(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	int pipes[2], sockets[2];
	give_table(world);
	hold(world, world->peer, &control);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
	const int shared[] = {fd_dup(pipes[0]), fd_dup(sockets[0])};
	const int sources[] = {pipes[0], sockets[0]}, ends[] = {pipes[1], sockets[1]};
	for (int i = 0; i < 2; i++) {
		send_stream(world, &control, sources[i]);
		assert_int_equal(fcntl(shared[i], F_SETFL, 0), 0);
		assert_int_equal(write(ends[i], "first", 5), 5);
		expect_served(world);
		assert_int_equal(control.n_failed, 0);
	}
	/* The client dies while its table is read. */
	peer_destroy(world->peer);
	expect_served(world);
	assert_int_equal(world->n_commits, 0);
	for (int i = 0; i < 2; i++) {
		close(shared[i]);
		close(ends[i]);
	}
}

/* Sends a pipe as the table of a new control. Returns the writing end. */
static int send_pipe(struct gamma_world *world, struct control *control)
{
	int fds[2];
	give_table(world);
	hold(world, world->peer, control);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	send_stream(world, control, fds[0]);
	return fds[1];
}

static void silent_pipe_fails(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	int end = send_pipe(world, &control);
	fixture_sleep(world->fixture, CLIENT_FD_TIMEOUT + 1);
	assert_int_equal(control.n_failed, 1);
	assert_true(peer_alive(world->peer));
	assert_int_equal(world->n_commits, 0);
	/* Others can control the output now. */
	struct control next;
	hold(world, world->peer, &next);
	assert_int_equal(next.size, SIZE);
	close(end);
}

static void output_removal_ends_the_reading(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	uint16_t table[3 * SIZE] = {0};
	int end = send_pipe(world, &control);
	headless_remove_output(world->output);
	fixture_pump(world->fixture);
	assert_int_equal(control.n_failed, 1);
	assert_int_equal(write(end, table, BYTES), BYTES);
	close(end);
	await_threads(world);
	assert_true(peer_alive(world->peer));
	assert_int_equal(control.n_failed, 1);
	assert_int_equal(world->n_commits, 0);
}

static void expect_invalid(struct gamma_world *world)
{
	peer_expect_error(world->peer, &zwlr_gamma_control_v1_interface,
		ZWLR_GAMMA_CONTROL_V1_ERROR_INVALID_GAMMA);
	assert_int_equal(world->n_commits, 0);
}

static void short_table_is_an_error(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	give_table(world);
	hold(world, world->peer, &control);
	set_memory(world, &control, 0, BYTES - 1);
	expect_invalid(world);
}

static void long_table_is_an_error(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	give_table(world);
	hold(world, world->peer, &control);
	set_memory(world, &control, 0, BYTES + 1);
	expect_invalid(world);
}

static void incomplete_pipe_is_an_error(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	int end = send_pipe(world, &control);
	assert_int_equal(write(end, "short", 5), 5);
	close(end);
	await_threads(world);
	expect_invalid(world);
}

static void longer_pipe_is_an_error(void **state)
{
	uint16_t table[3 * SIZE + 1] = {0};
	struct gamma_world *world = *state;
	struct control control;
	int end = send_pipe(world, &control);
	assert_int_equal(write(end, table, BYTES + 1), BYTES + 1);
	close(end);
	await_threads(world);
	expect_invalid(world);
}

static void unreadable_file_fails(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	give_table(world);
	hold(world, world->peer, &control);
	send_fd(world, &control, open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	assert_int_equal(control.n_failed, 1);
	assert_int_equal(world->n_commits, 0);
	assert_true(peer_alive(world->peer));
}

static void unreadable_pipe_fails(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	int fds[2];
	give_table(world);
	hold(world, world->peer, &control);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	send_fd(world, &control, fds[1]);
	assert_int_equal(control.n_failed, 1);
	assert_true(peer_alive(world->peer));
	close(fds[0]);
}

static void refused_table_fails(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	give_table(world);
	hold(world, world->peer, &control);
	world->refuses = true;
	set_memory(world, &control, 100, BYTES);
	assert_int_equal(control.n_failed, 1);
	assert_int_equal(world->n_commits, 1);
	assert_true(peer_alive(world->peer));
}

static void output_removal_fails_its_control(void **state)
{
	struct gamma_world *world = *state;
	struct control control;
	give_table(world);
	hold(world, world->peer, &control);
	set_memory(world, &control, 100, BYTES);
	struct output *output = world->output;
	headless_remove_output(output);
	fixture_pump(world->fixture);
	assert_int_equal(control.n_failed, 1);
	set_memory(world, &control, 200, BYTES);
	assert_true(peer_alive(world->peer));
	assert_int_equal(control.n_failed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
		TEST(output_without_gamma_fails),
		TEST(table_is_set_and_reset),
		TEST(one_client_controls_an_output),
		TEST(table_can_arrive_through_a_pipe),
		TEST(table_can_arrive_through_a_socket),
		TEST(table_can_be_an_unlinked_file),
		TEST(client_that_clears_o_nonblock_blocks_nobody),
		TEST(silent_pipe_fails),
		TEST(output_removal_ends_the_reading),
		TEST(short_table_is_an_error),
		TEST(long_table_is_an_error),
		TEST(incomplete_pipe_is_an_error),
		TEST(longer_pipe_is_an_error),
		TEST(unreadable_file_fails),
		TEST(unreadable_pipe_fails),
		TEST(refused_table_fails),
		TEST(output_removal_fails_its_control),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
