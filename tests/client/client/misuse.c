/* SPDX-License-Identifier: MIT */
/*
 * Malicious and broken clients: malformed messages, unread events, endless objects, truncated
 * memory. The server disconnects the client, serves others, and stays within the limits of
 * util/account.c.
 */

#include "harness/client/capturer.h"
#include "harness/client/world.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include "viewporter-client-protocol.h"
#include "wlr-screencopy-unstable-v1-client-protocol.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** A connection without libwayland, for arbitrary bytes. */
struct raw {
	struct fixture *fixture;
	struct wl_client *client; /* NULL after the disconnect */
	struct wl_listener destroy;
	int fd;
};

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct raw *raw = wl_container_of(listener, raw, destroy);
	raw->client = NULL;
}

static void raw_init(struct raw *raw, struct fixture *fixture)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_true(fd_set_nonblocking(fds[1]));
	raw->fixture = fixture;
	raw->fd = fds[1];
	raw->client = wl_client_create(fixture->server->display, fds[0]);
	assert_non_null(raw->client);
	raw->destroy.notify = handle_destroy;
	wl_client_add_destroy_listener(raw->client, &raw->destroy);
}

static void raw_finish(struct raw *raw)
{
	close(raw->fd);
	fixture_pump(raw->fixture);
	assert_null(raw->client);
}

/** Returns false once the connection has ended. */
static bool raw_send(struct raw *raw, const void *data, size_t size)
{
	const char *bytes = data;
	while (size > 0 && raw->client) {
		ssize_t n = send(raw->fd, bytes, size, MSG_NOSIGNAL);
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		} else if (errno != EAGAIN) {
			return false;
		}
		fixture_pump(raw->fixture);
	}
	return raw->client;
}

/** Returns the code of the wl_display.error received, -1 if there is none. */
static int raw_error(struct raw *raw)
{
	static char buffer[65536];
	ssize_t n = recv(raw->fd, buffer, sizeof(buffer), 0);
	for (ssize_t at = 0; at + 16 <= n;) {
		uint32_t words[4];
		memcpy(words, buffer + at, sizeof(words));
		if (words[0] == 1 && (words[1] & 0xffff) == 0) {
			return (int)words[3];
		}
		at += words[1] >> 16;
	}
	return -1;
}

static void check_bystander(struct world *world, uint32_t color)
{
	assert_true(peer_alive(world->other));
	peer_buffer_fill(world->window->buffer, 0, 0, 32, 32, 0xff000000 | color);
	peer_surface_show(world->window->surface, world->window->buffer);
	fixture_frames(world->fixture, 3);
	peer_window_place(world->window, 0, 0);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 16, 16), color);
}

#define MESSAGE(object, opcode, size) (object), ((uint32_t)(size) << 16 | (opcode))
#define GET_REGISTRY(id) MESSAGE(1, 1, 12), (id)

/** Each follows wl_display.get_registry, which creates object 2. */
static const struct malformed {
	const char *name;
	int code; /* of wl_display; -1: the connection ends without an error */
	uint32_t words[12];
	int n_words;
} malformed[] = {
	{"no such object", WL_DISPLAY_ERROR_INVALID_OBJECT, {MESSAGE(999, 0, 8)}, 2},
	{"no such object of the server's", WL_DISPLAY_ERROR_INVALID_OBJECT,
		{MESSAGE(0xff000000, 0, 8)}, 2},
	{"object zero", WL_DISPLAY_ERROR_INVALID_OBJECT, {MESSAGE(0, 0, 8)}, 2},
	{"no such request", WL_DISPLAY_ERROR_INVALID_METHOD, {MESSAGE(1, 2, 8)}, 2},
	{"no such request by far", WL_DISPLAY_ERROR_INVALID_METHOD, {MESSAGE(1, 0xffff, 8)}, 2},
	{"argument missing", WL_DISPLAY_ERROR_INVALID_METHOD, {MESSAGE(1, 0, 8)}, 2},
	{"new object zero", WL_DISPLAY_ERROR_INVALID_METHOD, {MESSAGE(1, 0, 12), 0}, 3},
	{"new object of the server's range", WL_DISPLAY_ERROR_INVALID_METHOD,
		{MESSAGE(1, 0, 12), 0xff000001}, 3},
	{"new object far ahead", WL_DISPLAY_ERROR_INVALID_METHOD, {MESSAGE(1, 0, 12), 0x00ffffff},
		3},
	{"new object that is there", WL_DISPLAY_ERROR_INVALID_METHOD, {GET_REGISTRY(2)}, 3},
	{"string longer than its message", WL_DISPLAY_ERROR_INVALID_METHOD,
		{MESSAGE(2, 0, 24), 1, 4096, 0x616161, 1, 3}, 6},
	{"string of 4 GiB", WL_DISPLAY_ERROR_INVALID_METHOD,
		{MESSAGE(2, 0, 24), 1, 0xffffffff, 0x616161, 1, 3}, 6},
	{"string without an end", WL_DISPLAY_ERROR_INVALID_METHOD,
		{MESSAGE(2, 0, 28), 1, 4, 0x61616161, 1, 3, 0}, 7},
	{"string that is absent", WL_DISPLAY_ERROR_INVALID_METHOD,
		{MESSAGE(2, 0, 24), 1, 0, 1, 3, 0}, 6},
	{"size below the header's", -1, {MESSAGE(1, 0, 4)}, 2},
	{"size of zero", -1, {MESSAGE(1, 0, 0)}, 2},
	{"size that is no multiple of four", WL_DISPLAY_ERROR_INVALID_METHOD,
		{MESSAGE(1, 0, 9), 3, 0}, 4},
};

static void malformed_messages_are_errors(void **state)
{
	struct world *world = *state;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		static const uint32_t registry[] = {GET_REGISTRY(2)};
		const struct malformed *test = &malformed[i];
		struct raw raw;
		raw_init(&raw, world->fixture);
		assert_true(raw_send(&raw, registry, sizeof(registry)));
		raw_error(&raw);
		raw_send(&raw, test->words, (size_t)test->n_words * 4);
		int code = raw_error(&raw);
		if (test->code >= 0 && (raw.client || code != test->code)) {
			fail_msg("%s: %s, error %d instead of %d", test->name,
				raw.client ? "still connected" : "disconnected", code, test->code);
		}
		raw_finish(&raw);
		check_bystander(world, 0x102030 + (uint32_t)i);
	}
}

/** wl_shm.create_pool without ancillary data. */
static void missing_descriptor_disconnects(void **state)
{
	struct world *world = *state;
	struct raw raw;
	raw_init(&raw, world->fixture);
	const uint32_t name = peer_find_global(world->other, "wl_shm")->name;
	const uint32_t words[] = {
		GET_REGISTRY(2),
		MESSAGE(2, 0, 32),
		name,
		7,
		0x735f6c77,
		0x00006d68,
		1,
		3,
		MESSAGE(3, 0, 16),
		4,
		4096,
	};
	raw_send(&raw, words, sizeof(words));
	assert_null(raw.client);
	raw_finish(&raw);
	check_bystander(world, 0x405060);
}

static void partial_message_waits_for_the_rest(void **state)
{
	struct world *world = *state;
	static const uint32_t words[] = {MESSAGE(1, 1, 12), 2};
	for (size_t n = 1; n < sizeof(words); n++) {
		struct raw raw;
		raw_init(&raw, world->fixture);
		raw_send(&raw, words, n);
		assert_non_null(raw.client);
		raw_finish(&raw);
	}
	check_bystander(world, 0x506070);
}

/** Repeatable random messages, none of which may crash the server. */
static void random_messages_do_not_crash(void **state)
{
	struct world *world = *state;
	uint32_t seed = 1;
	for (int round = 0; round < 300; round++) {
		static const uint32_t registry[] = {GET_REGISTRY(2)};
		uint32_t words[64];
		for (size_t i = 0; i < 64; i++) {
			seed = seed * 1664525 + 1013904223;
			words[i] = seed >> 8;
		}
		/* Plausible headers get further than random ones. */
		words[0] = 1 + round % 2;
		words[1] = (uint32_t)(8 + words[1] % 62 * 4) << 16 | words[2] % 3;
		struct raw raw;
		raw_init(&raw, world->fixture);
		raw_send(&raw, registry, sizeof(registry));
		raw_send(&raw, words, sizeof(words));
		raw_finish(&raw);
	}
	check_bystander(world, 0x607080);
}

static size_t heap(void)
{
	return mallinfo2().uordblks;
}

/** A client that never reads: at most 1 MiB is queued for it, besides the kernel's buffers. */
static void client_that_never_reads_is_disconnected(void **state)
{
	struct world *world = *state;
	struct raw raw;
	raw_init(&raw, world->fixture);
	size_t before = heap(), most = before;
	int sent = 0;
	/* Each answer has 24 bytes: done and delete_id. */
	for (; sent < 400000; sent++) {
		const uint32_t sync[] = {MESSAGE(1, 0, 12), 2};
		if (!raw_send(&raw, sync, sizeof(sync))) {
			break;
		}
		most = heap() > most ? heap() : most;
	}
	assert_null(raw.client);
	assert_in_range(sent, 1000, 200000);
	assert_in_range(most - before, 0, 4 << 20);
	raw_finish(&raw);
	check_bystander(world, 0x708090);
}

/** The limit is 65536 objects, checked at least every 4096. */
static void number_of_objects_is_limited(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	int made = 0;
	for (; made < 100000 && peer->client; made++) {
		wl_compositor_create_region(peer->compositor);
		if (made % 512 == 0) {
			fixture_pump(world->fixture);
		}
	}
	fixture_pump(world->fixture);
	assert_null(peer->client);
	assert_in_range(made, 60000, 65536 + 4096 + 1024);
	assert_int_equal(wl_display_get_error(peer->display), ENOMEM);
	peer_destroy(peer);
	check_bystander(world, 0x8090a0);
}

static void many_surfaces_are_served(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	for (int i = 0; i < 20000; i++) {
		struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
		wl_surface_commit(surface);
		if (i % 512 == 0) {
			fixture_pump(world->fixture);
		}
	}
	assert_true(peer_alive(peer));
	check_bystander(world, 0x90a0b0);
	peer_destroy(peer);
	check_bystander(world, 0xa0b0c0);
}

/** The number of objects over time is unlimited. */
static void destroyed_objects_do_not_count(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	for (int i = 0; i < 100000; i++) {
		struct wl_region *region = wl_compositor_create_region(peer->compositor);
		wl_region_add(region, i, i, 10, 10);
		wl_region_destroy(region);
		if (i % 512 == 0) {
			fixture_pump(world->fixture);
		}
	}
	assert_true(peer_alive(peer));
	peer_destroy(peer);
	check_bystander(world, 0xb0c0d0);
}

static struct wl_region *ragged(struct peer *peer, int n)
{
	struct wl_region *region = wl_compositor_create_region(peer->compositor);
	for (int i = 0; i < n; i++) {
		wl_region_add(region, i * 2, i * 2, 1, 1);
	}
	return region;
}

/** A region is limited to 1024 rectangles. */
static void rectangles_of_a_region_are_limited(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	struct peer_window *window = peer_window_create(peer, 0, 0, 32, 32, 0xff112233);
	struct wl_region *region = ragged(peer, 1000);
	wl_surface_set_opaque_region(window->surface, region);
	wl_surface_set_input_region(window->surface, region);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 2);
	assert_true(peer_alive(peer));
	ragged(peer, 2000);
	fixture_pump(world->fixture);
	assert_int_equal(wl_display_get_error(peer->display), ENOMEM);
	peer_destroy(peer);
	check_bystander(world, 0xc0d0e0);
}

/** Pools far larger than memory, which cost address space only. */
static void huge_pools_leave_other_clients_served(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	int fd = fd_create_memory("test-pool", 4096, false);
	assert_true(fd >= 0);
	for (int i = 0; i < 200; i++) {
		wl_shm_create_pool(peer->shm, fd, INT32_MAX);
		fixture_pump(world->fixture);
	}
	close(fd);
	/* The kernel may refuse so many mappings; other clients must be served in any case. */
	peer_alive(peer);
	peer_destroy(peer);
	check_bystander(world, 0xd0e0f0);
}

/** A client may have 4096 descriptors, one of which is its connection. */
static void descriptors_of_a_client_are_limited(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	int made = 0;
	for (; made < 10000 && peer->client; made++) {
		int fd = fd_create_memory("test-pool", 4096, false);
		assert_true(fd >= 0);
		wl_shm_create_pool(peer->shm, fd, 4096);
		/* The server has its own descriptor once it has received it. */
		fixture_pump(world->fixture);
		close(fd);
	}
	assert_null(peer->client);
	assert_in_range(made, 4000, 4096);
	assert_int_equal(wl_display_get_error(peer->display), ENOMEM);
	check_bystander(world, 0xd8e8f8);
	peer_destroy(peer);
	/* All descriptors are closed. */
	int fd = fd_create_memory("test-pool", 4096, false);
	assert_in_range(fd, 0, 200);
	close(fd);
}

/** A buffer beyond the end of its file is a client error when it is read. */
static void pool_beyond_its_file_is_an_error(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	int fd = fd_create_memory("test-pool", 4096, false);
	struct peer_window *window = peer_window_create_unmapped(peer);
	capturer_set_guard();
	struct wl_shm_pool *pool = wl_shm_create_pool(peer->shm, fd, 1024 * 1024 * 4);
	struct wl_buffer *buffer =
		wl_shm_pool_create_buffer(pool, 0, 1024, 1024, 4096, WL_SHM_FORMAT_XRGB8888);
	wl_surface_attach(window->surface, buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, 1024, 1024);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 3);
	peer_expect_error(peer, &wl_buffer_interface, WL_SHM_ERROR_INVALID_FD);
	close(fd);
	peer_destroy(peer);
	check_bystander(world, 0xe0f001);
}

/** The file is truncated under a shown window that is drawn again. */
static void truncated_pool_is_an_error(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	struct peer_window *window = peer_window_create(peer, 40, 40, 64, 64, 0xff00ff00);
	fixture_frames(world->fixture, 3);
	capturer_set_guard();
	assert_int_equal(ftruncate(window->buffer->fd, 0), 0);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(world->fixture, 3);
	peer_expect_error(peer, &wl_buffer_interface, WL_SHM_ERROR_INVALID_FD);
	peer_destroy(peer);
	check_bystander(world, 0xf00112);
}

/**
 * Many commits with a frame callback each: queued callbacks are limited by the number of objects
 * only.
 */
static void many_commits_are_served(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	struct peer_window *window = peer_window_create(peer, 40, 40, 64, 64, 0xff00ff00);
	for (int i = 0; i < 20000; i++) {
		peer_surface_show(window->surface, window->buffer);
		if (i % 256 == 0) {
			fixture_pump(world->fixture);
		}
	}
	assert_true(peer_alive(peer));
	check_bystander(world, 0x011223);
	peer_destroy(peer);
}

/** Captures an output into memory that overlaps the shown buffer by all but a few pixels. */
static void capture_can_overlap_its_source(void **state)
{
	enum { WIDTH = 320, HEIGHT = 240, STRIDE = WIDTH * 4, APART = 48 };
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(peer, &zwlr_screencopy_manager_v1_interface, 0);
	struct wl_output *output = peer_bind(peer, &wl_output_interface, 0);
	const int32_t size = STRIDE * HEIGHT + APART;
	int fd = fd_create_memory("test-pool", size, false);
	assert_true(fd >= 0);
	struct wl_shm_pool *pool = wl_shm_create_pool(peer->shm, fd, size);
	struct wl_buffer *shown =
		wl_shm_pool_create_buffer(pool, 0, WIDTH, HEIGHT, STRIDE, WL_SHM_FORMAT_XRGB8888);
	struct wl_buffer *captured = wl_shm_pool_create_buffer(
		pool, APART, WIDTH, HEIGHT, STRIDE, WL_SHM_FORMAT_XRGB8888);
	struct peer_window *window = peer_window_create(peer, 0, 0, 8, 8, 0xff000000);
	wl_surface_attach(window->surface, shown, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, WIDTH, HEIGHT);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 3);
	struct zwlr_screencopy_frame_v1 *frame =
		zwlr_screencopy_manager_v1_capture_output(manager, 0, output);
	zwlr_screencopy_frame_v1_copy(frame, captured);
	fixture_frames(world->fixture, 3);
	assert_true(peer_alive(peer));
	close(fd);
	peer_destroy(peer);
	check_bystander(world, 0x122334);
}

/** Nested surfaces with sizes and positions at the limits of the integers. */
static void extreme_positions_are_served(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	struct wp_viewporter *viewporter = peer_bind(peer, &wp_viewporter_interface, 0);
	struct peer_window *window = peer_window_create(peer, 159, 159, 16, 16, 0xff000000);
	struct wp_viewport *viewport = wp_viewporter_get_viewport(viewporter, window->surface);
	wp_viewport_set_destination(viewport, INT32_MAX - 1, INT32_MAX - 1);
	const int32_t places[] = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN};
	struct wl_surface *parent = window->surface;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct wl_surface *child = wl_compositor_create_surface(peer->compositor);
		peer_subsurface(peer, child, parent, places[i], places[i]);
		wl_surface_attach(child, window->buffer->buffer, 0, 0);
		wl_surface_commit(child);
		parent = child;
	}
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 3);
	/* Another window must be placed beside it. */
	peer_window_create_unmapped(peer);
	peer_surface_show(peer_window_create_unmapped(peer)->surface, window->buffer);
	fixture_frames(world->fixture, 3);
	assert_true(peer_alive(peer));
	peer_destroy(peer);
	check_bystander(world, 0x233445);
}

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	const struct fixture_options options = {.renderer = renderer};
	world->fixture = fixture_create(&options);
	world->other = peer_create(world->fixture);
	world->window = peer_window_create(world->other, 0, 0, 32, 32, 0xff000000);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	peer_window_destroy(world->window);
	fixture_destroy(world->fixture);
	free(world);
	return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(int argc, char **argv)
{
	renderer = fixture_renderer(argc, argv);
	const struct CMUnitTest tests[] = {
		TEST(malformed_messages_are_errors),
		TEST(missing_descriptor_disconnects),
		TEST(partial_message_waits_for_the_rest),
		TEST(random_messages_do_not_crash),
		TEST(client_that_never_reads_is_disconnected),
		TEST(number_of_objects_is_limited),
		TEST(many_surfaces_are_served),
		TEST(destroyed_objects_do_not_count),
		TEST(rectangles_of_a_region_are_limited),
		TEST(huge_pools_leave_other_clients_served),
		TEST(descriptors_of_a_client_are_limited),
		TEST(pool_beyond_its_file_is_an_error),
		TEST(truncated_pool_is_an_error),
		TEST(many_commits_are_served),
		TEST(capture_can_overlap_its_source),
		TEST(extreme_positions_are_served),
	};
	capturer_learn_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
