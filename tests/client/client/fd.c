/* SPDX-License-Identifier: MIT */
/*
 * Descriptors on a file system that does not answer: the event loop continues, other clients are
 * served, and the client that sent the descriptor is disconnected.
 */

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
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

/** Time (ns) after which the compositor has given up. */
#define LONG (INT64_C(6) * 1000000000)

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

ssize_t __real_pread64(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t offset);

ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t offset)
{
	static _Thread_local bool interrupted;
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
		TEST(keymap_on_disk_is_read_before_keys_are_played),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
