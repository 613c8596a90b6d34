/* Descriptors are out: who comes then waits, who is there goes on, and nothing is lost for good. */

#include "harness/peer.h"
#include "protocol/entrance.h"
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
	char folder[32];
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
	strcpy(test->folder, "/tmp/causeway-scarcity-XXXXXX");
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

/** Nothing more can be opened until there is plenty again. */
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

/** A connection that the server has not accepted yet. */
static int knock(const struct sockaddr_un *address, size_t length)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	assert_int_equal(connect(fd, (const struct sockaddr *)address, size), 0);
	return fd;
}

/** The resident still draws and is shown. */
static void check_resident(const struct test *test, uint32_t color)
{
	assert_true(peer_alive(test->resident));
	peer_buffer_fill(test->window->buffer, 0, 0, 32, 32, 0xff000000 | color);
	peer_surface_show(test->window->surface, test->window->buffer);
	fixture_frames(test->fixture, 3);
	assert_int_equal(fixture_pixel(test->fixture, 5, 5), color);
}

/** With all that screens need to show one frame after the other. */
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
	/* It comes to rest, though somebody waits in front of it, and looks again from time to time. */
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
	/* And the next one is let in at once. */
	close(knock(address, length));
	struct peer *next = peer_create_on(test->fixture, knock(address, length));
	assert_true(peer_alive(next));
	check_resident(test, 0x708090);
}

static void test_display(void **state)
{
	struct test *test = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/wayland-1", test->folder);
	check_waits(test, &address, strlen(address.sun_path) + 1);
}

static void test_security_context(void **state)
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

/* Some are left, but those are for who is there, and for who helps. */
static void test_reserve(void **state)
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
	/* Such as whoever comes by the control socket. */
	int entered = n_clients(test);
	struct sockaddr_un helpers = {.sun_family = AF_UNIX};
	snprintf(helpers.sun_path, sizeof(helpers.sun_path), "%s/helpers", test->folder);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&helpers, sizeof(helpers)), 0);
	assert_int_equal(listen(fd, 8), 0);
	struct entrance *entrance =
		entrance_create(test->fixture->server->protocols, fd, NULL, NULL);
	entrance_use_reserve(entrance);
	int helper = knock(&helpers, strlen(helpers.sun_path) + 1);
	fixture_pump(test->fixture);
	assert_int_equal(n_clients(test), entered + 1);
	entrance_destroy(entrance);
	close(fd);
	close(helper);
	while (n > 0) {
		close(knocks[--n]);
	}
	fixture_sleep(test->fixture, 2 * SECOND);
	assert_int_equal(n_clients(test), before);
}

/* What could not be drawn for want of descriptors is drawn when they are there again. */
static void test_no_frame(void **state)
{
	struct test *test = *state;
	test->window = peer_window_create(test->resident, 0, 0, 32, 32, 0xff102030);
	run_out(test);
	fixture_sleep(test->fixture, 3 * SECOND);
	assert_true(peer_alive(test->resident));
	have_plenty(test);
	/* It is tried ever more seldom, but at least so often. */
	fixture_sleep(test->fixture, SECOND);
	check_resident(test, 0x405060);
}

/* The name is somebody's as long as its lock is; what is left of who had it is replaced. */
static void test_names(void **state)
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
	/* As one that was killed. */
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
		cmocka_unit_test_setup_teardown(test_display, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_security_context, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_reserve, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_frame, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
