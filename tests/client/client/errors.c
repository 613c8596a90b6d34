/* SPDX-License-Identifier: MIT */
/* Protocol errors of the registry, of security contexts, and of a seat without the capability. */

#include "harness/client/protocol_errors.h"
#include "security-context-v1-client-protocol.h"
#include <sys/socket.h>
#include <unistd.h>

static void touch_that_never_was(struct peer *peer)
{
	wl_seat_get_touch(peer->seat);
}

static void global_that_is_not_there(struct peer *peer)
{
	wl_registry_bind(peer->registry, 4000, &wl_compositor_interface, 1);
}

static void global_of_another_interface(struct peer *peer)
{
	const struct peer_global *global = peer_find_global(peer, "wl_shm");
	wl_registry_bind(peer->registry, global->name, &wl_compositor_interface, 1);
}

static void global_of_version_zero(struct peer *peer)
{
	const struct peer_global *global = peer_find_global(peer, "wl_shm");
	wl_registry_bind(peer->registry, global->name, &wl_shm_interface, 0);
}

static struct wp_security_context_v1 *context(struct peer *peer)
{
	struct wp_security_context_manager_v1 *manager =
		peer_bind(peer, &wp_security_context_manager_v1_interface, 0);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fds[2];
	assert_true(listener >= 0);
	assert_int_equal(pipe(fds), 0);
	/* The kernel picks a name. */
	const struct sockaddr family = {.sa_family = AF_UNIX};
	assert_int_equal(bind(listener, &family, sizeof(family.sa_family)), 0);
	assert_int_equal(listen(listener, 1), 0);
	struct wp_security_context_v1 *context =
		wp_security_context_manager_v1_create_listener(manager, listener, fds[0]);
	wl_display_flush(peer->display);
	close(listener);
	close(fds[0]);
	close(fds[1]);
	return context;
}

static void listener_that_is_no_socket(struct peer *peer)
{
	struct wp_security_context_manager_v1 *manager =
		peer_bind(peer, &wp_security_context_manager_v1_interface, 0);
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	wp_security_context_manager_v1_create_listener(manager, fds[0], fds[1]);
	wl_display_flush(peer->display);
	close(fds[0]);
	close(fds[1]);
}

static void context_committed_twice(struct peer *peer)
{
	struct wp_security_context_v1 *used = context(peer);
	wp_security_context_v1_commit(used);
	wp_security_context_v1_commit(used);
}

static void metadata_after_commit(struct peer *peer)
{
	struct wp_security_context_v1 *used = context(peer);
	wp_security_context_v1_commit(used);
	wp_security_context_v1_set_app_id(used, "late");
}

static void metadata_twice(struct peer *peer)
{
	struct wp_security_context_v1 *named = context(peer);
	wp_security_context_v1_set_sandbox_engine(named, "one");
	wp_security_context_v1_set_sandbox_engine(named, "two");
}

#define CONTEXT(error) WP_SECURITY_CONTEXT_V1_ERROR_##error

static const struct error_case cases[] = {
	ERROR_CASE(touch_that_never_was, wl_seat, WL_SEAT_ERROR_MISSING_CAPABILITY),
	ERROR_CASE(global_that_is_not_there, wl_registry, WL_DISPLAY_ERROR_INVALID_OBJECT),
	ERROR_CASE(global_of_another_interface, wl_registry, WL_DISPLAY_ERROR_INVALID_OBJECT),
	ERROR_CASE(global_of_version_zero, wl_registry, WL_DISPLAY_ERROR_INVALID_OBJECT),
	ERROR_CASE(listener_that_is_no_socket, wp_security_context_manager_v1,
		WP_SECURITY_CONTEXT_MANAGER_V1_ERROR_INVALID_LISTEN_FD),
	ERROR_CASE(context_committed_twice, wp_security_context_v1, CONTEXT(ALREADY_USED)),
	ERROR_CASE(metadata_after_commit, wp_security_context_v1, CONTEXT(ALREADY_USED)),
	ERROR_CASE(metadata_twice, wp_security_context_v1, CONTEXT(ALREADY_SET)),
};

int main(void)
{
	return ERRORS_RUN("client/errors", cases, false);
}
