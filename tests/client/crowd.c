/*
 * Many clients at once: each hears what it was told, also who reads late, and who goes is let go. The numbers
 * go over the bound from which on protocol/outbox.c remembers who was told something.
 */

#include "harness/peer.h"
#include "protocol/protocols.h"
#include "util/fd.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CROWD 20
/* Two events of 12 bytes each; more of them than a socket holds, less than ends the connection. */
#define ANSWER 24
#define ANSWERS 30000

static void check_all(struct peer *const *peers, int n)
{
	for (int i = 0; i < n; i++) {
		assert_true(peer_alive(peers[i]));
	}
}

static void test_come_and_go(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *peers[CROWD];
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < CROWD; i++) {
			peers[i] = peer_create(fixture);
			check_all(peers, i + 1);
		}
		for (int i = CROWD; i > 0; i--) {
			peer_destroy(peers[i - 1]);
			check_all(peers, i - 1);
		}
	}
	fixture_destroy(fixture);
}

/* What arrives is told to all, though none has asked for anything since. */
static void test_told_unasked(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *peers[CROWD];
	struct peer_window *windows[CROWD];
	for (int i = 0; i < CROWD; i++) {
		peers[i] = peer_create(fixture);
		windows[i] = peer_window_create(peers[i], 10 * i, 10, 8, 8, 0xff102030);
	}
	fixture_settle(fixture);
	for (int i = 0; i < CROWD; i++) {
		peer_buffer_fill(windows[i]->buffer, 0, 0, 8, 8, 0xff405060);
		windows[i]->buffer->n_released = 0;
		peer_surface_show(windows[i]->surface, windows[i]->buffer);
	}
	fixture_settle(fixture);
	for (int i = 0; i < CROWD; i++) {
		peer_surface_show(windows[i]->surface, windows[i]->buffer);
		wl_surface_attach(windows[i]->surface, NULL, 0, 0);
		wl_surface_commit(windows[i]->surface);
	}
	fixture_settle(fixture);
	for (int i = 0; i < CROWD; i++) {
		assert_true(windows[i]->buffer->n_released > 0);
		peer_window_destroy(windows[i]);
	}
	fixture_destroy(fixture);
}

/** A connection without a library, so that nobody reads before the test does. */
static int connect_raw(struct fixture *fixture, struct wl_client **client)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_true(fd_set_nonblocking(fds[1]));
	*client = wl_client_create(fixture->server->display, fds[0]);
	assert_non_null(*client);
	return fds[1];
}

/* The socket is full, what comes is kept, and goes out as soon as its client reads. */
static void test_late_reader(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *peers[CROWD];
	for (int i = 0; i < CROWD; i++) {
		peers[i] = peer_create(fixture);
	}
	struct wl_client *client;
	int fd = connect_raw(fixture, &client);
	const uint32_t sync[] = {1, 12u << 16, 2}; /* wl_display.sync, for object 2 */
	for (int i = 0; i < ANSWERS; i++) {
		assert_int_equal(send(fd, sync, sizeof(sync), MSG_NOSIGNAL), sizeof(sync));
		if (i % 100 == 99) {
			fixture_pump(fixture);
		}
	}
	check_all(peers, CROWD);
	size_t read = 0;
	static char bytes[4096];
	for (int idle = 0; idle < 3;) {
		ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
		if (n > 0) {
			read += (size_t)n;
			idle = 0;
		} else {
			assert_true(n < 0 && errno == EAGAIN);
			fixture_pump(fixture);
			idle++;
		}
	}
	assert_int_equal(read, (size_t)ANSWERS * ANSWER);
	close(fd);
	fixture_pump(fixture);
	fixture_destroy(fixture);
}

static void handle_gone(struct wl_listener *listener, void *data)
{
	wl_list_remove(&listener->link);
	listener->notify = NULL;
}

/* It goes while there is something for it. */
static void test_gone(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *peers[CROWD];
	for (int i = 0; i < CROWD; i++) {
		peers[i] = peer_create(fixture);
	}
	struct wl_client *client;
	int fd = connect_raw(fixture, &client);
	struct wl_listener gone = {.notify = handle_gone};
	wl_client_add_destroy_listener(client, &gone);
	const uint32_t sync[] = {1, 12u << 16, 2};
	assert_int_equal(send(fd, sync, sizeof(sync), MSG_NOSIGNAL), sizeof(sync));
	close(fd);
	fixture_pump(fixture);
	assert_null(gone.notify);
	check_all(peers, CROWD);
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_come_and_go),
		cmocka_unit_test(test_told_unasked),
		cmocka_unit_test(test_late_reader),
		cmocka_unit_test(test_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
