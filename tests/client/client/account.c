/* SPDX-License-Identifier: MIT */
/*
 * Limits per client: a client that exceeds one is disconnected with an error that names the limit,
 * while a bystander is served.
 */

#include "util/account.h"
#include "backend/headless.h"
#include "commit-timing-v1-client-protocol.h"
#include "harness/descriptors.h"
#include "harness/peer.h"
#include "protocol/protocol.h"
#include "security-context-v1-client-protocol.h"
#include "surface/client.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/** Bytes by which one client may grow the heap: its account limit and 65536 small objects. */
#define HEAP_MAX ((size_t)164 << 20)

struct account_world {
	struct fixture *fixture;
	struct rlimit descriptors;
	struct peer *bystander, *hostile;
};

static char last_error[256];

static void handle_log(const char *format, va_list arguments)
{
	vsnprintf(last_error, sizeof(last_error), format, arguments);
}

static struct account *account_of(const struct peer *peer)
{
	return client_from_wl(peer->client)->account;
}

static int set_up_with(void **state, enum renderer_kind renderer)
{
	struct account_world *world = xcalloc(1, sizeof(*world));
	*state = world;
	world->fixture = fixture_create(&(struct fixture_options){.renderer = renderer});
	world->bystander = peer_create(world->fixture);
	world->hostile = peer_create(world->fixture);
	/* As on a system with a low hard limit, where descriptors could run out. */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &world->descriptors), 0);
	struct rlimit limit = {.rlim_cur = 1024, .rlim_max = world->descriptors.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	struct account_ledger *ledger = account_of(world->hostile)->ledger;
	ledger->account_limit[ACCOUNT_DESCRIPTORS] = 512;
	ledger->total_limit[ACCOUNT_DESCRIPTORS] = 768;
	last_error[0] = '\0';
	wl_log_set_handler_client(handle_log);
	return 0;
}

static int set_up(void **state)
{
	return set_up_with(state, RENDERER_PIXMAN);
}

static int set_up_gles(void **state)
{
	return set_up_with(state, RENDERER_GLES);
}

static int tear_down(void **state)
{
	struct account_world *world = *state;
	fixture_destroy(world->fixture);
	setrlimit(RLIMIT_NOFILE, &world->descriptors);
	free(world);
	return 0;
}

static size_t heap(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

/* A new pool of the bystander is mapped and its buffer accepted. */
static void check_bystander(struct account_world *world)
{
	assert_true(peer_alive(world->bystander));
	struct peer_buffer *buffer =
		peer_buffer_create(world->bystander, 8, 8, WL_SHM_FORMAT_XRGB8888);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->bystander));
	peer_buffer_destroy(buffer);
	fixture_pump(world->fixture);
}

static void check_disconnected(struct account_world *world, const char *limit)
{
	char text[64];
	snprintf(text, sizeof(text), "limit '%s'", limit);
	fixture_pump(world->fixture);
	assert_null(world->hostile->client);
	assert_int_equal(wl_display_get_error(world->hostile->display), ENOMEM);
	if (!strstr(last_error, text)) {
		fail_msg("\"%s\" does not say %s", last_error, text);
	}
	const struct account_ledger *ledger = account_of(world->bystander)->ledger;
	enum account_kind kind = 0;
	while (strcmp(account_kind_name(kind), limit) != 0) {
		kind++;
	}
	bool total = strstr(last_error, "all clients exceed ");
	int64_t value = (total ? ledger->total_limit : ledger->account_limit)[kind];
	bool mebibytes = kind == ACCOUNT_BYTES || kind == ACCOUNT_PIXELS;
	snprintf(text, sizeof(text), "%s %" PRId64 " %s", total ? "exceed" : "exceeds",
		mebibytes ? value / (1024 * 1024) : value, mebibytes ? "MiB" : "");
	if (!strstr(last_error, text)) {
		fail_msg("\"%s\" does not say \"%s\"", last_error, text);
	}
	check_bystander(world);
}

/* Queues commits far in the future, each with its own regions. */
static void queue_regions(struct peer *peer, struct wp_commit_timing_manager_v1 *timing)
{
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct wp_commit_timer_v1 *timer = wp_commit_timing_manager_v1_get_timer(timing, surface);
	struct wl_region *region = wl_compositor_create_region(peer->compositor);
	for (int i = 0; i < 1000; i++) {
		wl_region_add(region, i * 2, i * 2, 1, 1);
	}
	for (int i = 0; i < 32; i++) {
		wl_surface_set_opaque_region(surface, region);
		wl_surface_set_input_region(surface, region);
		wp_commit_timer_v1_set_timestamp(timer, 1, 0, 0);
		wl_surface_commit(surface);
	}
	wl_region_destroy(region);
}

static void regions_in_waiting_updates_are_bounded(void **state)
{
	struct account_world *world = *state;
	struct peer *peer = world->hostile;
	struct wp_commit_timing_manager_v1 *timing =
		peer_bind(peer, &wp_commit_timing_manager_v1_interface, 0);
	size_t before = heap(), most = before;
	int n = 0;
	for (; n < 400 && peer->client; n++) {
		queue_regions(peer, timing);
		fixture_pump(world->fixture);
		most = heap() > most ? heap() : most;
		if (n % 16 == 0) {
			check_bystander(world);
		}
	}
	assert_in_range(most - before, 0, HEAP_MAX);
	check_disconnected(world, "bytes");
}

/* All charges are returned. */
static void regions_are_uncharged(void **state)
{
	struct account_world *world = *state;
	struct peer *peer = world->hostile;
	struct wp_commit_timing_manager_v1 *timing =
		peer_bind(peer, &wp_commit_timing_manager_v1_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	fixture_pump(world->fixture);
	int64_t before = account_of(peer)->used[ACCOUNT_BYTES];
	assert_true(before > 0);
	wl_surface_destroy(surface);
	surface = wl_compositor_create_surface(peer->compositor);
	struct wl_region *region = wl_compositor_create_region(peer->compositor);
	for (int i = 0; i < 1000; i++) {
		wl_region_add(region, i * 2, i * 2, 1, 1);
	}
	struct wp_commit_timer_v1 *timer = wp_commit_timing_manager_v1_get_timer(timing, surface);
	for (int i = 0; i < 100; i++) {
		if (i >= 50) {
			wp_commit_timer_v1_set_timestamp(timer, 1, 0, 0);
		}
		wl_surface_set_opaque_region(surface, i % 3 ? region : NULL);
		wl_surface_set_input_region(surface, region);
		wl_surface_commit(surface);
	}
	fixture_pump(world->fixture);
	assert_true(account_of(peer)->used[ACCOUNT_BYTES] > before + 500000);
	wp_commit_timer_v1_destroy(timer);
	wl_region_destroy(region);
	wl_surface_destroy(surface);
	surface = wl_compositor_create_surface(peer->compositor);
	fixture_pump(world->fixture);
	assert_int_equal(account_of(peer)->used[ACCOUNT_BYTES], before);
}

static void titles_are_bounded(void **state)
{
	struct account_world *world = *state;
	struct peer *peer = world->hostile;
	char title[4000];
	memset(title, 'x', sizeof(title));
	title[sizeof(title) - 1] = '\0';
	size_t before = heap(), most = before;
	for (int n = 0; n < 20000 && peer->client; n++) {
		struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
		struct xdg_surface *xdg = xdg_wm_base_get_xdg_surface(peer->wm_base, surface);
		struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(xdg);
		xdg_toplevel_set_title(toplevel, title);
		xdg_toplevel_set_app_id(toplevel, title);
		if (n % 64 == 0) {
			fixture_pump(world->fixture);
			most = heap() > most ? heap() : most;
		}
	}
	assert_in_range(most - before, 0, HEAP_MAX);
	check_disconnected(world, "bytes");
}

static void mime_types_are_bounded(void **state)
{
	struct account_world *world = *state;
	struct peer *peer = world->hostile;
	struct wl_data_device_manager *manager =
		peer_bind(peer, &wl_data_device_manager_interface, 0);
	char type[4000];
	memset(type, 'x', sizeof(type));
	type[sizeof(type) - 1] = '\0';
	size_t before = heap(), most = before;
	for (int n = 0; n < 4000 && peer->client; n++) {
		struct wl_data_source *source = wl_data_device_manager_create_data_source(manager);
		for (int i = 0; i < 20; i++) {
			type[0] = (char)('a' + i);
			wl_data_source_offer(source, type);
		}
		fixture_pump(world->fixture);
		most = heap() > most ? heap() : most;
	}
	assert_in_range(most - before, 0, HEAP_MAX);
	check_disconnected(world, "bytes");
}

/* The surface keeps a buffer whose client objects are gone. */
static void commit_and_forget(struct peer *peer)
{
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	int fd = fd_create_memory("test-pool", 4096, false);
	assert_true(fd >= 0);
	struct wl_shm_pool *pool = wl_shm_create_pool(peer->shm, fd, 4096);
	struct wl_buffer *buffer =
		wl_shm_pool_create_buffer(pool, 0, 8, 8, 32, WL_SHM_FORMAT_XRGB8888);
	wl_surface_attach(surface, buffer, 0, 0);
	wl_surface_commit(surface);
	wl_buffer_destroy(buffer);
	wl_shm_pool_destroy(pool);
	fixture_pump(peer->fixture);
	close(fd);
}

static void buffers_without_objects_are_charged(void **state)
{
	struct account_world *world = *state;
	struct peer *peer = world->hostile;
	int n = 0;
	for (; n < 2000 && peer->client; n++) {
		commit_and_forget(peer);
		if (n % 32 == 0) {
			check_bystander(world);
		}
	}
	assert_in_range(n, 256, 512);
	check_disconnected(world, "descriptors");
}

/*
 * When all clients together exceed the process limit, the largest one is disconnected, not the last
 * to ask.
 */
static void largest_user_of_mappings_is_disconnected(void **state)
{
	struct account_world *world = *state;
	struct account_ledger *ledger = account_of(world->hostile)->ledger;
	struct peer *peers[4];
	ledger->total_limit[ACCOUNT_MAPPINGS] = 100;
	for (int i = 0; i < 30; i++) {
		commit_and_forget(world->hostile);
	}
	for (int i = 0; i < 4; i++) {
		peers[i] = peer_create(world->fixture);
		for (int j = 0; j < 20; j++) {
			commit_and_forget(peers[i]);
			assert_non_null(peers[i]->client);
			check_bystander(world);
		}
	}
	check_disconnected(world, "mappings");
	for (int i = 0; i < 4; i++) {
		assert_true(peer_alive(peers[i]));
	}
}

static void limit_of_objects_is_named(void **state)
{
	struct account_world *world = *state;
	for (int i = 0; i < 100000 && world->hostile->client; i++) {
		wl_compositor_create_region(world->hostile->compositor);
		if (i % 512 == 0) {
			fixture_pump(world->fixture);
		}
	}
	check_disconnected(world, "objects");
}

/*
 * Creates objects until they are counted, with a limit of `limit` objects then. Returns their
 * number, or 0 if the client was disconnected.
 */
static int64_t create_until_counted(struct account_world *world, int64_t limit)
{
	struct account_ledger *ledger = account_of(world->bystander)->ledger;
	int64_t usual = ledger->account_limit[ACCOUNT_OBJECTS];
	ledger->account_limit[ACCOUNT_OBJECTS] = 100; /* the next count is after as many */
	struct peer *peer = peer_create(world->fixture);
	ledger->account_limit[ACCOUNT_OBJECTS] = limit;
	for (int i = 0; i < 200 && peer->client && account_of(peer)->used[ACCOUNT_OBJECTS] == 0;
		i++) {
		wl_compositor_create_region(peer->compositor);
		fixture_pump(world->fixture);
	}
	int64_t n = peer->client ? account_of(peer)->used[ACCOUNT_OBJECTS] : 0;
	peer_destroy(peer);
	fixture_pump(world->fixture);
	ledger->account_limit[ACCOUNT_OBJECTS] = usual;
	return n;
}

static void limit_of_objects_is_inclusive(void **state)
{
	struct account_world *world = *state;
	int64_t n = create_until_counted(world, 1000);
	assert_in_range(n, 50, 101);
	assert_int_equal(create_until_counted(world, n), n);
	assert_int_equal(create_until_counted(world, n - 1), 0);
	assert_non_null(strstr(last_error, "objects"));
}

/* A client that never reads: its events accumulate in the server. */
static void keymaps_that_wait_are_charged(void **state)
{
	struct account_world *world = *state;
	struct peer *peer = world->hostile;
	headless_add_input(world->fixture->server->backend, INPUT_KEYBOARD, "keyboard");
	fixture_pump(world->fixture);
	int fd = wl_display_get_fd(peer->display), before = count_descriptors(), most = before;
	int small = 1;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	setsockopt(wl_client_get_fd(peer->client), SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (int i = 0; i < 20000 && peer->client; i++) {
		wl_seat_get_keyboard(peer->seat);
		if (i % 8 == 0) {
			wl_display_flush(peer->display);
			wl_event_loop_dispatch(world->fixture->server->loop, 0);
			int now = count_descriptors();
			most = now > most ? now : most;
		}
	}
	/* A client that does not read gets no error text. */
	assert_null(peer->client);
	assert_in_range(most - before, 0, 520);
	check_bystander(world);
}

static struct wp_security_context_v1 *make_context(struct peer *peer)
{
	struct wp_security_context_manager_v1 *manager =
		peer_bind(peer, &wp_security_context_manager_v1_interface, 0);
	const struct sockaddr family = {.sa_family = AF_UNIX}; /* the kernel picks a name */
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fds[2];
	assert_int_equal(bind(listener, &family, sizeof(family.sa_family)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	struct wp_security_context_v1 *context =
		wp_security_context_manager_v1_create_listener(manager, listener, fds[0]);
	wl_display_flush(peer->display);
	close(listener);
	close(fds[0]);
	close(fds[1]);
	return context;
}

/* Clients print error texts on terminals. */
static void strings_in_errors_are_printable_and_cut(void **state)
{
	struct account_world *world = *state;
	char name[2000] = "evil\033[2J\xc2\x9b\n";
	struct wp_security_context_v1 *context = make_context(world->hostile);
	memset(name + strlen(name), 'x', sizeof(name) - 1 - strlen(name));
	wp_security_context_v1_set_sandbox_engine(context, name);
	wp_security_context_v1_set_sandbox_engine(context, "two");
	fixture_pump(world->fixture);
	assert_int_equal(wl_display_get_error(world->hostile->display), EPROTO);
	assert_non_null(strstr(last_error, "'evil [2J? xxx"));
	assert_non_null(strstr(last_error, "xxx...'"));
	check_bystander(world);
}

/* A window of 200x100 has a texture of 80,000 bytes; pixman draws from the pool. */
static void textures_are_bounded(void **state)
{
	struct account_world *world = *state;
	struct account *account = account_of(world->hostile);
	account->ledger->account_limit[ACCOUNT_PIXELS] = 1000000;
	struct peer_window *first = peer_window_create(world->hostile, 0, 0, 200, 100, 0xffff0000);
	fixture_frames(world->fixture, 4);
	assert_int_equal(account->used[ACCOUNT_PIXELS], 80000);
	peer_window_destroy(first);
	fixture_frames(world->fixture, 4);
	assert_int_equal(account->used[ACCOUNT_PIXELS], 0);
	int n = 0;
	for (; n < 40 && world->hostile->client; n++) {
		struct peer_window *window = peer_window_create_unmapped(world->hostile);
		peer_surface_show(window->surface,
			peer_buffer_create(world->hostile, 200, 100, WL_SHM_FORMAT_XRGB8888));
		fixture_frames(world->fixture, 2);
	}
	assert_int_equal(n, 13);
	check_disconnected(world, "pixels");
}

/* Each event of a kind is sent to each of them. */
static void receivers_are_bounded(void **state)
{
	struct account_world *world = *state;
	struct peer *peer = world->hostile;
	const struct account *account = account_of(peer);
	headless_add_input(world->fixture->server->backend, INPUT_POINTER, "pointer");
	fixture_pump(world->fixture);
	int64_t before = account->used[ACCOUNT_RECEIVERS];
	struct wl_output *output = peer_bind(peer, &wl_output_interface, 0);
	assert_true(peer_alive(peer));
	assert_int_equal(account->used[ACCOUNT_RECEIVERS], before + 1);
	wl_output_release(output);
	for (int i = (int)before; i < 1024; i++) {
		if (i % 2 == 0) {
			peer_bind(peer, &wl_output_interface, 0);
		} else {
			wl_seat_get_pointer(peer->seat);
		}
	}
	assert_true(peer_alive(peer));
	assert_int_equal(account->used[ACCOUNT_RECEIVERS], 1024);
	wl_seat_get_pointer(peer->seat);
	check_disconnected(world, "receivers");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(regions_in_waiting_updates_are_bounded),
		TEST(regions_are_uncharged),
		TEST(titles_are_bounded),
		TEST(mime_types_are_bounded),
		TEST(buffers_without_objects_are_charged),
		TEST(largest_user_of_mappings_is_disconnected),
		TEST(limit_of_objects_is_named),
		TEST(limit_of_objects_is_inclusive),
		TEST(keymaps_that_wait_are_charged),
		TEST(strings_in_errors_are_printable_and_cut),
		TEST(receivers_are_bounded),
		cmocka_unit_test_setup_teardown(textures_are_bounded, set_up_gles, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
