/* SPDX-License-Identifier: MIT */
/*
 * Descriptors on a file system that does not answer: the event loop continues, other clients are
 * served, and the client that sent the descriptor is disconnected. Threads leave other files in
 * time.
 */

#include "util/fd.h"
#include "harness/fuse.h"
#include "harness/keymap.h"
#include "harness/peer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/client/client_fd.h"
#include "seat/seat.h"
#include "security-context-v1-client-protocol.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

/** Time (ns) after which the compositor has given up. */
#define LONG (INT64_C(6) * 1000000000)
/** Time (s) after which a thread has hung. */
#define HANG 60
/** Time (us) between looks at streams that threads leave, and the number of looks. */
#define LOOK 20000
#define LOOKS_MAX 1500

/** Why FUSE is unavailable; NULL: it is available. */
static const char *no_fuse;

struct test {
	struct fixture *fixture;
	struct peer *peer, *bystander;
	struct fuse *fuse; /* NULL: unavailable */
};

static int setup(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	test->fixture = fixture_create(NULL);
	test->peer = peer_create(test->fixture);
	test->bystander = peer_create(test->fixture);
	test->fuse = no_fuse ? NULL : fuse_create();
	alarm(HANG);
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;
	fixture_destroy(test->fixture);
	if (test->fuse) {
		fuse_destroy(test->fuse);
	}
	free(test);
	return 0;
}

#define need_fuse(test)                                                                            \
	do {                                                                                       \
		if (no_fuse) {                                                                     \
			print_message("skip: %s: %s\n", __func__, no_fuse);                        \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

/* Sends the peer's requests, closes `fd` and hangs the file system. */
static void send_and_hang(struct test *test, int fd)
{
	wl_display_flush(test->peer->display);
	close(fd);
	fuse_hang(test->fuse);
	test->fixture->holds_tasks = true;
}

static void expect_served(struct test *test)
{
	fixture_pump(test->fixture);
	assert_true(peer_alive(test->bystander));
	/* A thread has accessed the file. */
	for (int i = 0; i < 1000 && fuse_n_unanswered(test->fuse) == 0; i++) {
		usleep(10000);
	}
	assert_true(fuse_n_unanswered(test->fuse) > 0);
}

static void expect_disconnected(struct test *test)
{
	fixture_sleep(test->fixture, LONG);
	assert_false(peer_alive(test->peer));
	assert_true(peer_alive(test->bystander));
}

static void pool_that_does_not_answer_disconnects_its_client(void **state)
{
	struct test *test = *state;
	need_fuse(test);
	int fd = fuse_open(test->fuse);
	struct peer_window *window = peer_window_create_unmapped(test->peer);
	struct wl_shm_pool *pool = wl_shm_create_pool(test->peer->shm, fd, 65536);
	struct wl_buffer *buffer =
		wl_shm_pool_create_buffer(pool, 0, 64, 64, 256, WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_resize(pool, 131072);
	wl_shm_pool_destroy(pool);
	wl_surface_attach(window->surface, buffer, 0, 0);
	wl_surface_commit(window->surface);
	send_and_hang(test, fd);
	expect_served(test);
	assert_false(peer_surface_find(test->peer, window->surface)->mapped);
	expect_disconnected(test);
	wl_buffer_destroy(buffer);
}

static void pool_on_fuse_is_refused(void **state)
{
	struct test *test = *state;
	need_fuse(test);
	int fd = fuse_open(test->fuse);
	wl_shm_pool_destroy(wl_shm_create_pool(test->peer->shm, fd, 4096));
	close(fd);
	fixture_pump(test->fixture);
	assert_false(peer_alive(test->peer));
}

static void many_descriptors_disconnect_their_client(void **state)
{
	struct test *test = *state;
	need_fuse(test);
	int fd = fuse_open(test->fuse);
	for (int i = 0; i < 9; i++) {
		wl_shm_create_pool(test->peer->shm, fd, 4096);
	}
	send_and_hang(test, fd);
	expect_served(test);
	assert_false(peer_alive(test->peer));
}

static void dmabuf_on_fuse_fails(void **state)
{
	struct test *test = *state;
	need_fuse(test);
	int fd = fuse_open(test->fuse);
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(test->peer, &zwp_linux_dmabuf_v1_interface, 3);
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf);
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, 256, 0, 0);
	zwp_linux_buffer_params_v1_create(params, 64, 64, DRM_FORMAT_XRGB8888, 0);
	send_and_hang(test, fd);
	expect_served(test);
	assert_true(peer_alive(test->peer));
}

static void keymap_that_does_not_answer_disconnects_its_client(void **state)
{
	struct test *test = *state;
	need_fuse(test);
	int fd = fuse_open(test->fuse);
	struct zwp_virtual_keyboard_manager_v1 *manager =
		peer_bind(test->peer, &zwp_virtual_keyboard_manager_v1_interface, 0);
	struct zwp_virtual_keyboard_v1 *device =
		zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(manager, test->peer->seat);
	zwp_virtual_keyboard_v1_keymap(device, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, 4096);
	zwp_virtual_keyboard_v1_key(device, 1, 30, 1);
	send_and_hang(test, fd);
	expect_served(test);
	expect_disconnected(test);
}

static void security_context_on_fuse_is_refused(void **state)
{
	struct test *test = *state;
	need_fuse(test);
	int fd = fuse_open(test->fuse);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	sa_family_t unnamed = AF_UNIX; /* the kernel picks an abstract name */
	assert_int_equal(bind(listener, (struct sockaddr *)&unnamed, sizeof(unnamed)), 0);
	assert_int_equal(listen(listener, 1), 0);
	struct wp_security_context_manager_v1 *manager =
		peer_bind(test->peer, &wp_security_context_manager_v1_interface, 0);
	wp_security_context_manager_v1_create_listener(manager, listener, fd);
	close(listener);
	send_and_hang(test, fd);
	expect_served(test);
	assert_false(peer_alive(test->peer));
}

/* Opens a file in the working directory. Returns the reason if that is not on a local disk. */
static const char *open_disk_file(int *fd)
{
	char path[] = "causeway-files-XXXXXX";
	struct statfs system;
	*fd = mkostemp(path, O_CLOEXEC);
	if (*fd < 0) {
		return "no file can be made here";
	}
	unlink(path);
	if (fstatfs(*fd, &system) < 0 || system.f_type == TMPFS_MAGIC ||
		system.f_type == OVERLAYFS_SUPER_MAGIC || system.f_type == FUSE_SUPER_MAGIC) {
		close(*fd);
		return "the build folder is not on a disk";
	}
	return NULL;
}

#define need_disk(fd)                                                                              \
	do {                                                                                       \
		const char *reason = open_disk_file(fd);                                           \
		if (reason) {                                                                      \
			print_message("skip: %s: %s\n", __func__, reason);                         \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

/* As the examples of wayland-rs do: all requests are sent at once. */
static void pool_on_disk_is_shown(void **state)
{
	struct test *test = *state;
	uint32_t pixels[32 * 32];
	int fd;
	need_disk(&fd);
	for (int i = 0; i < 32 * 32; i++) {
		pixels[i] = 0xff336699;
	}
	assert_int_equal(write(fd, pixels, sizeof(pixels)), sizeof(pixels));
	struct peer_window *window = peer_window_create_unmapped(test->peer);
	struct wl_shm_pool *pool = wl_shm_create_pool(test->peer->shm, fd, sizeof(pixels));
	struct wl_buffer *buffer =
		wl_shm_pool_create_buffer(pool, 0, 32, 32, 128, WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_destroy(pool);
	wl_surface_attach(window->surface, buffer, 0, 0);
	wl_surface_damage(window->surface, 0, 0, 32, 32);
	wl_surface_commit(window->surface);
	close(fd);
	fixture_pump(test->fixture);
	peer_window_place(window, 10, 10);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 20, 20), 0x336699);
	wl_buffer_destroy(buffer);
}

/* As with signals: one byte at a time, each after an interruption, whose errno stays. */
static atomic_bool interrupts; /* read on threads */
static atomic_bool is_busy; /* files have no data now, as O_NONBLOCK allows them to say */

ssize_t __real_pread64(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t offset);

ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t offset)
{
	static _Thread_local bool interrupted;
	if (is_busy) {
		errno = EAGAIN;
		return -1;
	}
	if (!interrupts) {
		return __real_pread64(fd, data, size, offset);
	}
	interrupted = !interrupted;
	if (interrupted) {
		errno = EINTR;
		return -1;
	}
	ssize_t n = __real_pread64(fd, data, 1, offset);
	errno = EINTR;
	return n;
}

struct reading {
	char text[64];
	ssize_t length;
	bool done;
};

static void handle_read(void *owner, char *data, ssize_t length, size_t size)
{
	struct reading *reading = owner;
	reading->done = true;
	reading->length = length;
	if (data) {
		memcpy(reading->text, data, (size_t)length);
	}
	free(data);
}

static void interrupted_read_continues_to_the_end(void **state)
{
	struct test *test = *state;
	struct reading reading = {0};
	int fd;
	need_disk(&fd);
	assert_int_equal(write(fd, "content", 7), 7);
	interrupts = true;
	client_fd_read(test->peer->client, fd, sizeof(reading.text), handle_read, &reading);
	fixture_pump(test->fixture);
	interrupts = false;
	assert_true(reading.done);
	assert_int_equal(reading.length, 7);
	assert_string_equal(reading.text, "content");
}

static void busy_file_is_read_once(void **state)
{
	struct test *test = *state;
	struct reading reading = {0};
	is_busy = true;
	client_fd_read(test->peer->client, fd_create_memory("busy", 100, false),
		sizeof(reading.text), handle_read, &reading);
	fixture_pump(test->fixture);
	is_busy = false;
	assert_true(reading.done);
	assert_int_equal(reading.length, -EAGAIN);
}

/* Reads of devices may wait for ever. */
static void device_is_not_read(void **state)
{
	struct test *test = *state;
	struct reading reading = {0};
	client_fd_read(test->peer->client, open("/dev/zero", O_RDONLY | O_CLOEXEC),
		sizeof(reading.text), handle_read, &reading);
	fixture_pump(test->fixture);
	assert_true(reading.done);
	assert_int_equal(reading.length, -EINVAL);
}

/* The client takes the data of this file back between poll() and the read. */
static atomic_int taken_back = -1;

int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	char data[64];
	int result = __real_poll(fds, n, timeout);
	if (result > 0 && n == 1 && fds->fd == taken_back && fds->revents == POLLIN) {
		assert_true(read(fds->fd, data, sizeof(data)) > 0);
	}
	return result;
}

static bool is_left(int fd)
{
	struct pollfd poller = {.fd = fd};
	return __real_poll(&poller, 1, 0) > 0;
}

/* Each is a pipe or socket: {the compositor's end, the client's}. */
static void expect_left(int (*pairs)[2], int n)
{
	int n_left = 0;
	for (int i = 0; i < LOOKS_MAX && n_left < n; i++) {
		usleep(LOOK);
		n_left = 0;
		for (int k = 0; k < n; k++) {
			n_left += is_left(pairs[k][1]);
		}
		/* The first two trickle. */
		for (int k = 0; k < 2 && !is_left(pairs[k][1]); k++) {
			assert_int_equal(write(pairs[k][1], "x", 1), 1);
		}
	}
	assert_int_equal(n_left, n);
}

/* Flags are those of the client: calls wait. */
static void thread_leaves_a_stream_in_time(void **state)
{
	struct test *test = *state;
	struct reading readings[4] = {0};
	int pairs[4][2];
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < 4; i++) {
		const int type = SOCK_STREAM | SOCK_CLOEXEC;
		assert_int_equal(i % 2 == 0 ? pipe2(pairs[i], O_CLOEXEC)
					    : socketpair(AF_UNIX, type, 0, pairs[i]),
			0);
	}
	taken_back = pairs[2][0];
	test->fixture->holds_tasks = true;
	for (int i = 0; i < 4; i++) {
		client_fd_read(test->peer->client, pairs[i][0], 65536, handle_read, &readings[i]);
	}
	usleep(LOOK);
	assert_int_equal(write(pairs[2][1], "taken", 5), 5);
	expect_left(pairs, 4);
	taken_back = -1;
	test->fixture->holds_tasks = false;
	fixture_pump(test->fixture);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(readings[i].length, -ETIMEDOUT);
		close(pairs[i][1]);
	}
}

/* As wtype does: keys follow the keymap at once. */
static void keymap_on_disk_is_read_before_keys_are_played(void **state)
{
	struct test *test = *state;
	int fd;
	need_disk(&fd);
	char *text = foreign_keymap(test->fixture->server->seat->keyboard.context);
	uint32_t size = (uint32_t)strlen(text) + 1;
	assert_int_equal(write(fd, text, size), size);
	struct zwp_virtual_keyboard_manager_v1 *manager =
		peer_bind(test->peer, &zwp_virtual_keyboard_manager_v1_interface, 0);
	struct zwp_virtual_keyboard_v1 *device =
		zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(manager, test->peer->seat);
	zwp_virtual_keyboard_v1_keymap(device, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, size);
	zwp_virtual_keyboard_v1_key(device, 1, 30, 1);
	close(fd);
	fixture_pump(test->fixture);
	assert_true(peer_alive(test->peer));
	assert_int_equal(test->fixture->server->seat->keyboard.n_keys, 1);
	zwp_virtual_keyboard_v1_key(device, 2, 30, 0);
	fixture_pump(test->fixture);
	free(text);
}

int main(void)
{
	no_fuse = fuse_prepare();
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(pool_that_does_not_answer_disconnects_its_client),
		TEST(pool_on_fuse_is_refused),
		TEST(many_descriptors_disconnect_their_client),
		TEST(dmabuf_on_fuse_fails),
		TEST(keymap_that_does_not_answer_disconnects_its_client),
		TEST(security_context_on_fuse_is_refused),
		TEST(pool_on_disk_is_shown),
		TEST(interrupted_read_continues_to_the_end),
		TEST(device_is_not_read),
		TEST(thread_leaves_a_stream_in_time),
		TEST(keymap_on_disk_is_read_before_keys_are_played),
		TEST(busy_file_is_read_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
