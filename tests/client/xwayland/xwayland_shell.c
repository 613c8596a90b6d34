/* SPDX-License-Identifier: MIT */
/* Protocols for X servers: the test is the X server's connection, and its window manager. */

#include "harness/peer.h"
#include "protocol/protocol.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include "util/account.h"
#include "xwayland-keyboard-grab-unstable-v1-client-protocol.h"
#include "xwayland-shell-v1-client-protocol.h"
#include "xwayland/servers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct test {
	struct fixture *fixture;
	char folder[32];
	struct x_servers_host host;
	struct x_servers *x_servers;
	struct x_server *server;
	struct peer *peer; /* the X server */
	struct wl_compositor *compositor;
	struct xwayland_shell_v1 *shell;
	/* Calls of the window manager, the last ones. */
	struct surface *new_surface, *serial_surface;
	uint32_t id;
	uint64_t serial;
	int n_serials;
};

static const struct surface_role role = {.name = "X window"};

static void wm_destroy(void *wm)
{
}

static void wm_new_surface(void *wm, struct surface *surface, uint32_t id)
{
	struct test *test = wm;
	test->new_surface = surface;
	test->id = id;
}

static void wm_serial(void *wm, struct surface *surface, uint64_t serial)
{
	struct test *test = wm;
	test->serial_surface = surface;
	test->serial = serial;
	test->n_serials++;
}

static const struct x_server_wm_impl wm = {
	.role = &role,
	.destroy = wm_destroy,
	.new_surface = wm_new_surface,
	.surface_with_serial = wm_serial,
};

static struct gpu *no_gpu(void *data)
{
	return NULL;
}

/* No process is started: the test's connection is the server's. */
static void create_server(struct test *test)
{
	char path[64], *error = NULL;
	strcpy(test->folder, "/tmp/causeway-xshell-XXXXXX");
	assert_non_null(mkdtemp(test->folder));
	snprintf(path, sizeof(path), "%s/Xwayland", test->folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
	setenv("PATH", test->folder, 1);
	setenv("XDG_RUNTIME_DIR", test->folder, 1);
	test->host = (struct x_servers_host){
		.default_gpu = no_gpu,
		.find_surface = protocols_find_surface,
		.find_serial = protocols_find_serial,
	};
	struct x_servers_options options = {
		.loop = test->fixture->server->loop,
		.clock = test->fixture->clock,
		.host = &test->host,
		.wm = &wm,
		.folder = test->folder,
	};
	test->x_servers = x_servers_create(&options, &error);
	if (!test->x_servers) {
		fail_msg("%s", error);
	}
	test->server = x_server_for_gpu(test->x_servers, NULL);
	test->server->pid = getpid();
	test->server->wm = test;
}

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	int fds[2];
	test->fixture = fixture_create(NULL);
	create_server(test);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	test->server->wl_client =
		protocols_connect_x_server(test->fixture->server->protocols, test->server, fds[0]);
	assert_non_null(test->server->wl_client);
	test->peer = peer_create_on(test->fixture, fds[1]);
	test->compositor = peer_bind(test->peer, &wl_compositor_interface, 0);
	test->shell = peer_bind(test->peer, &xwayland_shell_v1_interface, 0);
	*state = test;
	return 0;
}

static int tear_down(void **state)
{
	struct test *test = *state;
	char command[64];
	test->server->pid = 0;
	test->server->wl_client = NULL;
	x_servers_destroy(test->x_servers);
	snprintf(command, sizeof(command), "/bin/rm -rf %s", test->folder);
	assert_int_equal(system(command), 0);
	return fixture_tear_down(state);
}

static struct surface *find(struct test *test, struct wl_surface *surface)
{
	return x_server_find_surface(test->server, wl_proxy_get_id((struct wl_proxy *)surface));
}

static void only_x_servers_see_their_globals(void **state)
{
	static const char *const names[] = {
		"xwayland_shell_v1", "zwp_xwayland_keyboard_grab_manager_v1"};
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_non_null(peer_find_global(test->peer, names[i]));
		assert_null(peer_find_global(other, names[i]));
	}
}

static void the_client_stands_for_its_server(void **state)
{
	struct test *test = *state;
	const struct client *client = test->server->client;
	assert_ptr_equal(client, client_from_wl(test->server->wl_client));
	assert_ptr_equal(client->x_server, test->server);
	assert_int_equal(client->pid, getpid());
	assert_int_equal(client->account->scale, ACCOUNT_SCALE_MANY);
	/* The process may be that of Causeway until Xwayland is executed. */
	assert_string_equal(client_exe(test->server->client), "Xwayland");
}

static void surfaces_are_found_by_their_object_id(void **state)
{
	struct test *test = *state;
	struct wl_surface *surface = wl_compositor_create_surface(test->compositor);
	struct wl_region *region = wl_compositor_create_region(test->compositor);
	fixture_pump(test->fixture);
	assert_non_null(test->new_surface);
	assert_int_equal(test->id, wl_proxy_get_id((struct wl_proxy *)surface));
	assert_ptr_equal(find(test, surface), test->new_surface);
	/* Another object, or none. */
	assert_null(
		x_server_find_surface(test->server, wl_proxy_get_id((struct wl_proxy *)region)));
	assert_null(x_server_find_surface(test->server, 4711));
	wl_surface_destroy(surface);
	fixture_pump(test->fixture);
	assert_null(x_server_find_surface(test->server, test->id));
}

static void surfaces_of_other_clients_are_no_x_windows(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	wl_compositor_create_surface(other->compositor);
	fixture_pump(test->fixture);
	assert_null(test->new_surface);
}

static void a_serial_applies_with_the_commit(void **state)
{
	struct test *test = *state;
	struct wl_surface *surface = wl_compositor_create_surface(test->compositor);
	struct xwayland_surface_v1 *object =
		xwayland_shell_v1_get_xwayland_surface(test->shell, surface);
	xwayland_surface_v1_set_serial(object, 7, 3);
	fixture_pump(test->fixture);
	const uint64_t serial = UINT64_C(3) << 32 | 7;
	assert_int_equal(test->n_serials, 0);
	assert_null(x_server_find_serial(test->server, serial));
	wl_surface_commit(surface);
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	assert_int_equal(test->n_serials, 1);
	assert_true(test->serial == serial);
	assert_ptr_equal(test->serial_surface, find(test, surface));
	assert_ptr_equal(x_server_find_serial(test->server, serial), test->serial_surface);
	assert_null(x_server_find_serial(test->server, 7));
	/* The association outlives the object, but not the surface. */
	xwayland_surface_v1_destroy(object);
	fixture_pump(test->fixture);
	assert_ptr_equal(x_server_find_serial(test->server, serial), test->serial_surface);
	wl_surface_destroy(surface);
	fixture_pump(test->fixture);
	assert_null(x_server_find_serial(test->server, serial));
}

static void zero_is_no_serial(void **state)
{
	struct test *test = *state;
	struct wl_surface *surface = wl_compositor_create_surface(test->compositor);
	xwayland_surface_v1_set_serial(
		xwayland_shell_v1_get_xwayland_surface(test->shell, surface), 0, 0);
	peer_expect_error(test->peer, &xwayland_surface_v1_interface,
		XWAYLAND_SURFACE_V1_ERROR_INVALID_SERIAL);
}

static void a_surface_gets_one_serial(void **state)
{
	struct test *test = *state;
	struct wl_surface *surface = wl_compositor_create_surface(test->compositor);
	struct xwayland_surface_v1 *object =
		xwayland_shell_v1_get_xwayland_surface(test->shell, surface);
	xwayland_surface_v1_set_serial(object, 1, 0);
	wl_surface_commit(surface);
	assert_true(peer_alive(test->peer));
	xwayland_surface_v1_set_serial(object, 2, 0);
	peer_expect_error(test->peer, &xwayland_surface_v1_interface,
		XWAYLAND_SURFACE_V1_ERROR_ALREADY_ASSOCIATED);
}

static void a_surface_gets_one_object(void **state)
{
	struct test *test = *state;
	struct wl_surface *surface = wl_compositor_create_surface(test->compositor);
	xwayland_shell_v1_get_xwayland_surface(test->shell, surface);
	assert_true(peer_alive(test->peer));
	xwayland_shell_v1_get_xwayland_surface(test->shell, surface);
	peer_expect_error(test->peer, &xwayland_shell_v1_interface, XWAYLAND_SHELL_V1_ERROR_ROLE);
}

static void a_surface_with_another_role_is_refused(void **state)
{
	struct test *test = *state;
	struct wl_surface *surface = wl_compositor_create_surface(test->compositor);
	struct wl_surface *parent = wl_compositor_create_surface(test->compositor);
	struct wl_subcompositor *subcompositor =
		peer_bind(test->peer, &wl_subcompositor_interface, 0);
	wl_subcompositor_get_subsurface(subcompositor, surface, parent);
	xwayland_shell_v1_get_xwayland_surface(test->shell, surface);
	peer_expect_error(test->peer, &xwayland_shell_v1_interface, XWAYLAND_SHELL_V1_ERROR_ROLE);
}

static bool is_inhibited(const struct test *test)
{
	return test->fixture->server->shell->shortcuts_inhibited;
}

static void a_keyboard_grab_inhibits_shortcuts_of_its_server_only(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	struct peer_window *window = peer_window_create(other, 0, 0, 50, 50, 0xffff0000);
	struct zwp_xwayland_keyboard_grab_manager_v1 *manager =
		peer_bind(test->peer, &zwp_xwayland_keyboard_grab_manager_v1_interface, 0);
	struct wl_seat *seat = peer_bind(test->peer, &wl_seat_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(test->compositor);
	struct wl_surface *focused = wl_compositor_create_surface(test->compositor);
	struct zwp_xwayland_keyboard_grab_v1 *grab =
		zwp_xwayland_keyboard_grab_manager_v1_grab_keyboard(manager, surface, seat);
	fixture_pump(test->fixture);
	/* Another program has the focus, and keeps it. */
	struct seat *server_seat = test->fixture->server->seat;
	assert_ptr_equal(server_seat->keyboard.focus, peer_surface_find(other, window->surface));
	assert_false(is_inhibited(test));
	keyboard_set_focus(server_seat, find(test, focused));
	assert_true(is_inhibited(test));
	keyboard_set_focus(server_seat, peer_surface_find(other, window->surface));
	assert_false(is_inhibited(test));
	keyboard_set_focus(server_seat, find(test, focused));
	zwp_xwayland_keyboard_grab_v1_destroy(grab);
	fixture_pump(test->fixture);
	assert_false(is_inhibited(test));
}

static void a_grab_ends_with_its_client(void **state)
{
	struct test *test = *state;
	struct zwp_xwayland_keyboard_grab_manager_v1 *manager =
		peer_bind(test->peer, &zwp_xwayland_keyboard_grab_manager_v1_interface, 0);
	struct wl_seat *seat = peer_bind(test->peer, &wl_seat_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(test->compositor);
	zwp_xwayland_keyboard_grab_manager_v1_grab_keyboard(manager, surface, seat);
	fixture_pump(test->fixture);
	keyboard_set_focus(test->fixture->server->seat, find(test, surface));
	assert_true(is_inhibited(test));
	test->server->wl_client = NULL;
	peer_destroy(test->peer);
	assert_false(is_inhibited(test));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(only_x_servers_see_their_globals),
		TEST(the_client_stands_for_its_server),
		TEST(surfaces_are_found_by_their_object_id),
		TEST(surfaces_of_other_clients_are_no_x_windows),
		TEST(a_serial_applies_with_the_commit),
		TEST(zero_is_no_serial),
		TEST(a_surface_gets_one_serial),
		TEST(a_surface_gets_one_object),
		TEST(a_surface_with_another_role_is_refused),
		TEST(a_keyboard_grab_inhibits_shortcuts_of_its_server_only),
		TEST(a_grab_ends_with_its_client),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
