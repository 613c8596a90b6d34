/* Registries: who asks for one is told of every global once, in one piece or one by one. */

#include "backend/headless.h"
#include "harness/peer.h"
#include "util/fd.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET_REGISTRY 1
#define SYNC 0
#define CALLBACK_DONE 0
#define REGISTRY_GLOBAL 0
#define HEADER 8 /* bytes */
/* What this many are told is more than the small socket below holds, and less than ends a connection. */
#define REGISTRIES 200
#define SMALL_SOCKET 16384
#define MAX_BYTES (1 << 20)

/** A connection without a library, so that nobody reads or sorts before the test does. */
struct raw {
	struct fixture *fixture;
	int fd;
	uint8_t bytes[MAX_BYTES]; /* that were received */
	size_t size, read;
};

/** An event as it came. */
struct event {
	uint32_t object, opcode;
	const uint8_t *arguments;
	size_t size; /* bytes of these */
};

static struct raw *connect_raw(struct fixture *fixture, int socket_size)
{
	struct raw *raw = calloc(1, sizeof(*raw));
	int fds[2];
	assert_non_null(raw);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_true(fd_set_nonblocking(fds[1]));
	if (socket_size > 0) {
		assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &socket_size,
					 sizeof(socket_size)),
			0);
	}
	raw->fixture = fixture;
	raw->fd = fds[1];
	assert_non_null(wl_client_create(fixture->server->display, fds[0]));
	return raw;
}

static void disconnect(struct raw *raw)
{
	close(raw->fd);
	fixture_pump(raw->fixture);
	free(raw);
}

/* Of wl_display, with a new id. */
static void request(struct raw *raw, uint32_t opcode, uint32_t id)
{
	const uint32_t words[] = {1, 12u << 16 | opcode, id};
	assert_int_equal(send(raw->fd, words, sizeof(words), MSG_NOSIGNAL), sizeof(words));
}

static void receive(struct raw *raw)
{
	ssize_t n;
	while ((n = recv(raw->fd, raw->bytes + raw->size, MAX_BYTES - raw->size, 0)) > 0) {
		raw->size += (size_t)n;
	}
	assert_true(n < 0 && errno == EAGAIN);
}

/* False if no more came. */
static bool next_event(struct raw *raw, struct event *event)
{
	uint32_t header[2];
	if (raw->size - raw->read < HEADER) {
		return false;
	}
	memcpy(header, raw->bytes + raw->read, sizeof(header));
	size_t size = header[1] >> 16;
	assert_true(size >= HEADER && size <= raw->size - raw->read);
	*event = (struct event){.object = header[0],
		.opcode = header[1] & 0xffff,
		.arguments = raw->bytes + raw->read + HEADER,
		.size = size - HEADER};
	raw->read += size;
	return true;
}

/** What one registry announced, as bytes without the registry's own number. */
struct announced {
	uint8_t bytes[8192];
	size_t size;
	int n;
};

static void note(struct announced *announced, const struct event *event)
{
	assert_int_equal(event->opcode, REGISTRY_GLOBAL);
	assert_true(announced->size + event->size <= sizeof(announced->bytes));
	memcpy(announced->bytes + announced->size, event->arguments, event->size);
	announced->size += event->size;
	announced->n++;
}

static void assert_same(const struct announced *a, const struct announced *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->bytes, b->bytes, a->size);
}

/* Reads until the callback `until` is done. Only `registry` may announce anything. */
static void read_announced(
	struct raw *raw, uint32_t registry, uint32_t until, struct announced *announced)
{
	struct event event;
	*announced = (struct announced){0};
	while (next_event(raw, &event)) {
		if (event.object == until) {
			assert_int_equal(event.opcode, CALLBACK_DONE);
			return;
		}
		if (event.object != 1) { /* which tells which numbers are free again */
			assert_int_equal(event.object, registry);
			note(announced, &event);
		}
	}
	fail_msg("the answer to registry %u is not complete", registry);
}

/* They have gone out before anything else is sent, and each is there once. */
static void test_at_once(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *peer = peer_create(fixture);
	struct raw *raw = connect_raw(fixture, 0);
	struct announced announced = {0};
	struct event event;
	request(raw, GET_REGISTRY, 2);
	wl_event_loop_dispatch(wl_display_get_event_loop(fixture->server->display), 0);
	receive(raw);
	while (next_event(raw, &event)) {
		assert_int_equal(event.object, 2);
		note(&announced, &event);
	}
	assert_int_equal(announced.n, peer->n_globals);
	assert_true(announced.n > 0);
	for (int i = 0; i < peer->n_globals; i++) {
		for (int j = 0; j < i; j++) {
			assert_int_not_equal(peer->globals[i].name, peer->globals[j].name);
		}
	}
	fixture_pump(fixture);
	receive(raw);
	assert_false(next_event(raw, &event));
	disconnect(raw);
	fixture_destroy(fixture);
}

/* Who does not read is told by way of what waits for it: the same, and in order. */
static void test_late_reader(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct raw *raw = connect_raw(fixture, SMALL_SOCKET);
	struct announced first, announced;
	for (uint32_t i = 0; i < REGISTRIES; i++) {
		request(raw, GET_REGISTRY, 2 + 2 * i);
		request(raw, SYNC, 3 + 2 * i);
		fixture_pump(fixture);
	}
	for (size_t before = SIZE_MAX; before != raw->size;) {
		before = raw->size;
		receive(raw);
		fixture_pump(fixture);
	}
	assert_true(raw->size > 4 * SMALL_SOCKET);
	read_announced(raw, 2, 3, &first);
	assert_true(first.n > 0);
	for (uint32_t i = 1; i < REGISTRIES; i++) {
		read_announced(raw, 2 + 2 * i, 3 + 2 * i, &announced);
		assert_same(&announced, &first);
	}
	disconnect(raw);
	fixture_destroy(fixture);
}

/* The last of all globals is withdrawn, and still known to libwayland. */
static void test_withdrawn(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *before = peer_create(fixture);
	struct output *output = headless_add_output(fixture->server->backend, 100, 100, 60000);
	fixture_pump(fixture);
	int n = before->n_globals;
	struct peer *with = peer_create(fixture);
	assert_int_equal(with->n_globals, n);
	headless_remove_output(output);
	fixture_pump(fixture);
	assert_int_equal(before->n_globals, n - 1);
	struct peer *without = peer_create(fixture);
	assert_int_equal(without->n_globals, n - 1);
	/* It hears of what comes, and may bind it. */
	headless_add_output(fixture->server->backend, 100, 100, 60000);
	fixture_pump(fixture);
	assert_int_equal(without->n_globals, n);
	wl_output_release(wl_registry_bind(
		without->registry, without->globals[n - 1].name, &wl_output_interface, 4));
	assert_true(peer_alive(without));
	fixture_destroy(fixture);
}

/* Nobody reads any more when it is told: that ends nobody else's connection. */
static void test_gone(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *peer = peer_create(fixture);
	struct raw *raw = connect_raw(fixture, 0);
	request(raw, GET_REGISTRY, 2);
	disconnect(raw);
	assert_true(peer_alive(peer));
	struct peer *next = peer_create(fixture);
	assert_int_equal(next->n_globals, peer->n_globals);
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_late_reader),
		cmocka_unit_test(test_withdrawn),
		cmocka_unit_test(test_gone),
	};
	unsetenv("WAYLAND_DEBUG"); /* it has libwayland announce everything */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
