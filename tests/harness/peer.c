/* SPDX-License-Identifier: MIT */
/* Peers: clients in the server's own process, their connections, globals and protocol errors. */

#include "harness/peer.h"
#include "protocol/protocol.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct peer *peer = data;
	peer->globals = xrealloc(peer->globals, peer->n_globals + 1, sizeof(*peer->globals));
	peer->globals[peer->n_globals++] = (struct peer_global){
		.interface = xstrdup(interface), .name = name, .version = version};
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
	struct peer *peer = data;
	for (int i = 0; i < peer->n_globals; i++) {
		if (peer->globals[i].name == name) {
			free(peer->globals[i].interface);
			peer->globals[i] = peer->globals[--peer->n_globals];
			return;
		}
	}
	fail_msg("the server removed a global that it had not made");
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void handle_ping(void *data, struct xdg_wm_base *wm_base, uint32_t serial)
{
	xdg_wm_base_pong(wm_base, serial);
}

static const struct xdg_wm_base_listener wm_base_listener = {.ping = handle_ping};

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct peer *peer = wl_container_of(listener, peer, client_destroy);
	peer->client = NULL;
	wl_list_remove(&peer->client_destroy.link);
	wl_list_init(&peer->client_destroy.link);
}

const struct peer_global *peer_find_global(const struct peer *peer, const char *interface)
{
	for (int i = 0; i < peer->n_globals; i++) {
		if (strcmp(peer->globals[i].interface, interface) == 0) {
			return &peer->globals[i];
		}
	}
	return NULL;
}

void *peer_bind(struct peer *peer, const struct wl_interface *interface, uint32_t version)
{
	const struct peer_global *global = peer_find_global(peer, interface->name);
	if (!global) {
		fail_msg("the server has no %s", interface->name);
	}
	uint32_t most = global->version < (uint32_t)interface->version
				? global->version
				: (uint32_t)interface->version;
	return wl_registry_bind(peer->registry, global->name, interface,
		version && version < most ? version : most);
}

/** The client's side of a connection. */
static struct peer *connect_peer(struct fixture *fixture, int fd)
{
	struct peer *peer = xcalloc(1, sizeof(*peer));
	peer->fixture = fixture;
	wl_list_init(&peer->buffers);
	wl_list_init(&peer->windows);
	peer->display = wl_display_connect_to_fd(fd);
	assert_non_null(peer->display);
	wl_list_insert(fixture->peers.prev, &peer->link);
	peer->registry = wl_display_get_registry(peer->display);
	wl_registry_add_listener(peer->registry, &registry_listener, peer);
	return peer;
}

static void watch_client(struct peer *peer, struct wl_client *client)
{
	assert_non_null(client);
	peer->client = client;
	peer->client_destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(client, &peer->client_destroy);
}

struct peer *peer_create_on(struct fixture *fixture, int fd)
{
	struct peer *peer = connect_peer(fixture, fd);
	fixture_pump(fixture);
	/* The server's object of this client is the latest one. */
	struct wl_list *clients = wl_display_get_client_list(fixture->server->display);
	assert_false(wl_list_empty(clients));
	watch_client(peer, wl_client_from_link(clients->prev));
	return peer;
}

struct peer *peer_create(struct fixture *fixture)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	struct wl_client *client = wl_client_create(fixture->server->display, fds[0]);
	struct peer *peer = connect_peer(fixture, fds[1]);
	watch_client(peer, client);
	fixture_pump(fixture);
	peer->compositor = peer_bind(peer, &wl_compositor_interface, 0);
	peer->subcompositor = peer_bind(peer, &wl_subcompositor_interface, 0);
	peer->shm = peer_bind(peer, &wl_shm_interface, 0);
	peer->seat = peer_bind(peer, &wl_seat_interface, 0);
	peer->wm_base = peer_bind(peer, &xdg_wm_base_interface, 0);
	xdg_wm_base_add_listener(peer->wm_base, &wm_base_listener, peer);
	fixture_pump(fixture);
	assert_int_equal(wl_display_get_error(peer->display), 0);
	return peer;
}

struct peer *peer_create_control(struct fixture *fixture)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	struct wl_client *client = wl_client_create(fixture->server->display, fds[0]);
	assert_non_null(client);
	client_from_wl(client)->control = true;
	return peer_create_on(fixture, fds[1]);
}

void peer_destroy(struct peer *peer)
{
	if (!peer) {
		return;
	}
	wl_list_remove(&peer->link);
	wl_display_disconnect(peer->display);
	fixture_pump(peer->fixture);
	if (peer->client) {
		fail_msg("the server did not notice that a client is gone");
	}
	peer_forget(peer);
	for (int i = 0; i < peer->n_globals; i++) {
		free(peer->globals[i].interface);
	}
	free(peer->globals);
	free(peer);
}

static void handle_sync_done(void *data, struct wl_callback *callback, uint32_t serial)
{
	*(bool *)data = true;
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener sync_listener = {.done = handle_sync_done};

bool peer_alive(struct peer *peer)
{
	bool done = false;
	if (wl_display_get_error(peer->display) != 0) {
		return false;
	}
	struct wl_callback *callback = wl_display_sync(peer->display);
	wl_callback_add_listener(callback, &sync_listener, &done);
	fixture_pump(peer->fixture);
	return done;
}

void peer_expect_error(struct peer *peer, const struct wl_interface *interface, uint32_t code)
{
	const char *want = interface ? interface->name : "(unknown object)";
	fixture_pump(peer->fixture);
	int error = wl_display_get_error(peer->display);
	if (error == 0) {
		fail_msg("no error came; expected %s error %u", want, code);
	}
	if (error != EPROTO) {
		fail_msg("expected %s error %u; the connection ended with: %s", want, code,
			strerror(error));
	}
	const struct wl_interface *got_interface = NULL;
	uint32_t got = wl_display_get_protocol_error(peer->display, &got_interface, NULL);
	const char *name = got_interface ? got_interface->name : "(unknown object)";
	if (strcmp(name, want) != 0 || got != code) {
		fail_msg("expected %s error %u, got %s error %u", want, code, name, got);
	}
}
