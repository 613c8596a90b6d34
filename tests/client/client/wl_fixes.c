/* SPDX-License-Identifier: MIT */
/* wl_fixes: destruction of registries. */

#include "harness/peer.h"
#if WAYLAND_VERSION_MAJOR == 1 && WAYLAND_VERSION_MINOR < 24
#include "wl-fixes-client-protocol.h" /* part of libwayland 1.24 */
#endif

static void count_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	(*(int *)data)++;
}

static void ignore_removal(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener listener = {
	.global = count_global,
	.global_remove = ignore_removal,
};

static void destroyed_registry_is_freed_on_the_server(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *peer = peer_create(fixture);
	struct wl_fixes *fixes = peer_bind(peer, &wl_fixes_interface, 0);
	int n_globals = 0;
	struct wl_registry *registry = wl_display_get_registry(peer->display);
	wl_registry_add_listener(registry, &listener, &n_globals);
	fixture_pump(fixture);
	assert_int_equal(n_globals, peer->n_globals);
	uint32_t id = wl_proxy_get_id((struct wl_proxy *)registry);
	assert_non_null(wl_client_get_object(peer->client, id));

	wl_fixes_destroy_registry(fixes, registry);
	wl_registry_destroy(registry);
	fixture_pump(fixture);
	assert_null(wl_client_get_object(peer->client, id));

	/* Other registries stay. */
	struct wl_shm *shm = peer_bind(peer, &wl_shm_interface, 0);
	wl_fixes_destroy(fixes);
	assert_true(peer_alive(peer));
	wl_shm_destroy(shm);
	peer_destroy(peer);
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(destroyed_registry_is_freed_on_the_server),
	};
	return cmocka_run_group_tests_name("client/wl_fixes", tests, NULL, NULL);
}
