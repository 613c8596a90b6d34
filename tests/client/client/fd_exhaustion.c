/* SPDX-License-Identifier: MIT */
/*
 * Exhausted file descriptors: new clients wait, connected clients go on, and everything recovers.
 */

#include "harness/peer.h"
#include "protocol/client/listener.h"
#include "protocol/protocol.h"
#include "security-context-v1-client-protocol.h"
#include "util/display_socket.h"
#include "util/fd.h"
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

struct test {
	char folder[40];
	struct rlimit limit;
	struct fixture *fixture;
	struct peer *resident;
	struct peer_window *window;
};

static int delete (const char *path, const struct stat *status, int type, struct FTW *walk)
{
	return remove(path);
}

static int set_up(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	*state = test;
	strcpy(test->folder, "/tmp/causeway-descriptors-XXXXXX");
	assert_non_null(mkdtemp(test->folder));
	setenv("XDG_RUNTIME_DIR", test->folder, 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &test->limit), 0);
	test->fixture = fixture_create(&(struct fixture_options){.socket = "wayland-1"});
	test->resident = peer_create(test->fixture);
	return 0;
}

static int tear_down(void **state)
{
	struct test *test = *state;
	setrlimit(RLIMIT_NOFILE, &test->limit);
	fixture_destroy(test->fixture);
	nftw(test->folder, delete, 8, FTW_DEPTH | FTW_PHYS);
	free(test);
	return 0;
}

/** Sets the limit so that no descriptor can be opened until have_plenty(). */
static void run_out(const struct test *test)
{
	int lowest = fd_dup(STDIN_FILENO);
	assert_true(lowest >= 0);
	close(lowest);
	struct rlimit limit = {.rlim_cur = (rlim_t)lowest, .rlim_max = test->limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void have_plenty(const struct test *test)
{
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &test->limit), 0);
}

static int n_clients(const struct test *test)
{
	return wl_list_length(wl_display_get_client_list(test->fixture->server->display));
}

/** Connects; the server accepts later. */
static int knock(const struct sockaddr_un *address, size_t length)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	assert_int_equal(connect(fd, (const struct sockaddr *)address, size), 0);
	return fd;
}

/** The resident can still update its window. */
static void check_resident(const struct test *test, uint32_t color)
{
	assert_true(peer_alive(test->resident));
	peer_buffer_fill(test->window->buffer, 0, 0, 32, 32, 0xff000000 | color);
	peer_surface_show(test->window->surface, test->window->buffer);
	fixture_frames(test->fixture, 3);
	assert_int_equal(fixture_pixel(test->fixture, 5, 5), color);
}

/** Presents frames until the outputs have all the buffers they need. */
static void show_resident(struct test *test)
{
	test->window = peer_window_create(test->resident, 0, 0, 32, 32, 0xff102030);
	for (uint32_t i = 0; i < 4; i++) {
		check_resident(test, 0x102030 + i);
	}
}

static void check_waits(struct test *test, const struct sockaddr_un *address, size_t length)
{
	show_resident(test);
	int before = n_clients(test);
	int fd = knock(address, length);
	run_out(test);
	/* The loop goes idle despite the waiting connection, and retries from time to time. */
	fixture_pump(test->fixture);
	assert_int_equal(n_clients(test), before);
	check_resident(test, 0x405060);
	fixture_sleep(test->fixture, 3 * SECOND);
	assert_int_equal(n_clients(test), before);
	have_plenty(test);
	fixture_sleep(test->fixture, SECOND + SECOND / 2);
	assert_int_equal(n_clients(test), before + 1);
	struct peer *late = peer_create_on(test->fixture, fd);
	assert_true(peer_alive(late));
	/* The next connection is accepted at once. */
	close(knock(address, length));
	struct peer *next = peer_create_on(test->fixture, knock(address, length));
	assert_true(peer_alive(next));
	check_resident(test, 0x708090);
}

static void new_clients_wait_for_descriptors(void **state)
{
	struct test *test = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/wayland-1", test->folder);
	check_waits(test, &address, strlen(address.sun_path) + 1);
}

static void sandboxed_clients_wait_for_descriptors(void **state)
{
	struct test *test = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/sandbox", test->folder);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), ends[2];
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	struct wp_security_context_manager_v1 *manager =
		peer_bind(test->resident, &wp_security_context_manager_v1_interface, 0);
	struct wp_security_context_v1 *context =
		wp_security_context_manager_v1_create_listener(manager, fd, ends[0]);
	wp_security_context_v1_commit(context);
	fixture_pump(test->fixture);
	close(fd);
	close(ends[0]);
	check_waits(test, &address, strlen(address.sun_path) + 1);
	close(ends[1]);
}

/* Reserved descriptors are kept for connected clients and for the control socket. */
static void reserve_serves_connected_clients_and_control(void **state)
{
	struct test *test = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/wayland-1", test->folder);
	struct rlimit limit = {.rlim_cur = 200, .rlim_max = test->limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	int before = n_clients(test), knocks[60], n = 0;
	show_resident(test);
	for (; n < 60; n++) {
		knocks[n] = knock(&address, strlen(address.sun_path) + 1);
	}
	fixture_pump(test->fixture);
	assert_true(n_clients(test) > before);
	assert_true(n_clients(test) < before + 60);
	for (int i = 0; i < 16; i++) {
		struct peer_buffer *buffer =
			peer_buffer_create(test->resident, 8, 8, WL_SHM_FORMAT_XRGB8888);
		assert_true(peer_alive(test->resident));
		peer_buffer_destroy(buffer);
	}
	check_resident(test, 0xa0b0c0);
	/* Connections to the control socket, for example. */
	int entered = n_clients(test);
	struct sockaddr_un helpers = {.sun_family = AF_UNIX};
	snprintf(helpers.sun_path, sizeof(helpers.sun_path), "%s/helpers", test->folder);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&helpers, sizeof(helpers)), 0);
	assert_int_equal(listen(fd, 8), 0);
	struct client_listener *listener =
		client_listener_create(test->fixture->server->protocols, fd, NULL, NULL);
	client_listener_use_reserve(listener);
	int helper = knock(&helpers, strlen(helpers.sun_path) + 1);
	fixture_pump(test->fixture);
	assert_int_equal(n_clients(test), entered + 1);
	client_listener_destroy(listener);
	close(fd);
	close(helper);
	while (n > 0) {
		close(knocks[--n]);
	}
	fixture_sleep(test->fixture, 2 * SECOND);
	assert_int_equal(n_clients(test), before);
}

/* A frame that failed without descriptors is drawn once they are available. */
static void missed_frame_is_drawn_later(void **state)
{
	struct test *test = *state;
	test->window = peer_window_create(test->resident, 0, 0, 32, 32, 0xff102030);
	run_out(test);
	fixture_sleep(test->fixture, 3 * SECOND);
	assert_true(peer_alive(test->resident));
	have_plenty(test);
	/* Retries become rarer, down to one a second. */
	fixture_sleep(test->fixture, SECOND);
	check_resident(test, 0x405060);
}

/* A display name is taken while its lock is held; leftover files are replaced. */
static void display_names_are_locked(void **state)
{
	struct test *test = *state;
	char path[64], *error = NULL;
	assert_null(display_socket_open("wayland-1", &error));
	assert_non_null(strstr(error, "/wayland-1"));
	assert_non_null(strstr(error, "--socket"));
	free(error);
	struct display_socket *second = display_socket_open(NULL, &error);
	assert_non_null(second);
	assert_string_equal(second->name, "wayland-2");
	/* As after a crash. */
	close(second->fd);
	close(second->lock_fd);
	second->fd = second->lock_fd = -1;
	struct display_socket *third = display_socket_open(NULL, &error);
	assert_non_null(third);
	assert_string_equal(third->name, "wayland-2");
	display_socket_close(third);
	display_socket_close(second);
	snprintf(path, sizeof(path), "%s/none", test->folder);
	setenv("XDG_RUNTIME_DIR", path, 1);
	assert_null(display_socket_open(NULL, &error));
	assert_non_null(strstr(error, "XDG_RUNTIME_DIR"));
	free(error);
	run_out(test);
	setenv("XDG_RUNTIME_DIR", test->folder, 1);
	assert_null(display_socket_open(NULL, &error));
	assert_non_null(strstr(error, "ulimit"));
	free(error);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			new_clients_wait_for_descriptors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			sandboxed_clients_wait_for_descriptors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			reserve_serves_connected_clients_and_control, set_up, tear_down),
		cmocka_unit_test_setup_teardown(missed_frame_is_drawn_later, set_up, tear_down),
		cmocka_unit_test_setup_teardown(display_names_are_locked, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
