/* SPDX-License-Identifier: MIT */
/*
 * Flushing events to many clients, more than protocol/client/flush_queue.c tracks individually:
 * each gets its events, slow readers included, and disconnected clients are removed.
 */

#include "harness/peer.h"
#include "protocol/protocols.h"
#include "util/fd.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CROWD 20
/*
 * Two events of 12 bytes each; in total more than a socket buffer holds, and less than the limit of
 * pending events.
 */
#define ANSWER 24
#define ANSWERS 30000

static void check_all(struct peer *const *peers, int n)
{
	for (int i = 0; i < n; i++) {
		assert_true(peer_alive(peers[i]));
	}
}

static void clients_connect_and_disconnect(void **state)
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

/* Events reach clients that have sent no request since. */
static void idle_clients_get_events(void **state)
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

/** A connection without libwayland, on which the test alone reads. */
static int connect_raw(struct fixture *fixture, struct wl_client **client)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_true(fd_set_nonblocking(fds[1]));
	*client = wl_client_create(fixture->server->display, fds[0]);
	assert_non_null(*client);
	return fds[1];
}

/* While the socket is full, events are queued; they are sent as the client reads. */
static void slow_reader_gets_every_event(void **state)
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

/* The client disconnects with an event pending. */
static void client_can_disconnect_with_events_pending(void **state)
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
		cmocka_unit_test(clients_connect_and_disconnect),
		cmocka_unit_test(idle_clients_get_events),
		cmocka_unit_test(slow_reader_gets_every_event),
		cmocka_unit_test(client_can_disconnect_with_events_pending),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
