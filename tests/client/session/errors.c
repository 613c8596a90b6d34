/* SPDX-License-Identifier: MIT */
/* Protocol errors of ext-session-lock. */

#include "ext-session-lock-v1-client-protocol.h"
#include "harness/client/protocol_errors.h"

/* The last configure event; a case has at most one configured lock surface. */
struct configured {
	uint32_t serial, width, height;
};

static void handle_configure(void *data, struct ext_session_lock_surface_v1 *proxy, uint32_t serial,
	uint32_t width, uint32_t height)
{
	struct configured *configured = data;
	*configured = (struct configured){serial, width, height};
}

static const struct ext_session_lock_surface_v1_listener surface_listener = {
	.configure = handle_configure,
};

static void handle_event(void *data, struct ext_session_lock_v1 *proxy)
{
}

static const struct ext_session_lock_v1_listener lock_listener = {
	.locked = handle_event,
	.finished = handle_event,
};

static struct ext_session_lock_v1 *lock(struct peer *peer)
{
	struct ext_session_lock_manager_v1 *manager =
		peer_bind(peer, &ext_session_lock_manager_v1_interface, 0);
	struct ext_session_lock_v1 *proxy = ext_session_lock_manager_v1_lock(manager);
	ext_session_lock_v1_add_listener(proxy, &lock_listener, NULL);
	return proxy;
}

static void destroyed_while_locked(struct peer *peer)
{
	struct ext_session_lock_v1 *proxy = lock(peer);
	fixture_frames(peer->fixture, 3);
	ext_session_lock_v1_destroy(proxy);
}

static void unlocked_too_early(struct peer *peer)
{
	ext_session_lock_v1_unlock_and_destroy(lock(peer));
}

static struct wl_output *output(struct peer *peer)
{
	return peer_bind(peer, &wl_output_interface, 0);
}

static void lock_with_a_role(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	ext_session_lock_v1_get_lock_surface(lock(peer), window->surface, output(peer));
}

static void lock_with_a_buffer(struct peer *peer)
{
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct peer_buffer *buffer = peer_buffer_create(peer, 4, 4, WL_SHM_FORMAT_XRGB8888);
	wl_surface_attach(surface, buffer->buffer, 0, 0);
	ext_session_lock_v1_get_lock_surface(lock(peer), surface, output(peer));
}

static void two_of_an_output(struct peer *peer)
{
	struct ext_session_lock_v1 *proxy = lock(peer);
	struct wl_output *where = output(peer);
	ext_session_lock_v1_get_lock_surface(
		proxy, wl_compositor_create_surface(peer->compositor), where);
	ext_session_lock_v1_get_lock_surface(
		proxy, wl_compositor_create_surface(peer->compositor), where);
}

static struct ext_session_lock_surface_v1 *lock_surface(
	struct peer *peer, struct wl_surface **surface, struct configured *configured)
{
	*surface = wl_compositor_create_surface(peer->compositor);
	struct ext_session_lock_surface_v1 *proxy =
		ext_session_lock_v1_get_lock_surface(lock(peer), *surface, output(peer));
	ext_session_lock_surface_v1_add_listener(proxy, &surface_listener, configured);
	fixture_pump(peer->fixture);
	assert_int_not_equal(configured->serial, 0);
	return proxy;
}

static void commit_before_ack(struct peer *peer)
{
	struct wl_surface *surface;
	struct configured configured = {0};
	lock_surface(peer, &surface, &configured);
	wl_surface_commit(surface);
	fixture_pump(peer->fixture);
}

static struct wl_surface *acked(struct peer *peer, struct configured *configured)
{
	struct wl_surface *surface;
	struct ext_session_lock_surface_v1 *proxy = lock_surface(peer, &surface, configured);
	ext_session_lock_surface_v1_ack_configure(proxy, configured->serial);
	return surface;
}

static void no_buffer(struct peer *peer)
{
	struct configured configured = {0};
	wl_surface_commit(acked(peer, &configured));
	fixture_pump(peer->fixture);
}

static void buffer_taken_away(struct peer *peer)
{
	struct configured configured = {0};
	struct wl_surface *surface = acked(peer, &configured);
	struct peer_buffer *buffer = peer_buffer_create(peer, (int32_t)configured.width,
		(int32_t)configured.height, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(surface, buffer);
	fixture_frames(peer->fixture, 2);
	assert_non_null(peer->client);
	wl_surface_attach(surface, NULL, 0, 0);
	wl_surface_commit(surface);
	fixture_pump(peer->fixture);
}

static void wrong_size(struct peer *peer)
{
	struct configured configured = {0};
	struct wl_surface *surface = acked(peer, &configured);
	struct peer_buffer *buffer = peer_buffer_create(peer, (int32_t)configured.width - 1,
		(int32_t)configured.height, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(surface, buffer);
	fixture_pump(peer->fixture);
}

static void unknown_serial(struct peer *peer)
{
	struct wl_surface *surface;
	struct configured configured = {0};
	struct ext_session_lock_surface_v1 *proxy = lock_surface(peer, &surface, &configured);
	ext_session_lock_surface_v1_ack_configure(proxy, configured.serial + 1000);
	fixture_pump(peer->fixture);
}

static void acked_twice(struct peer *peer)
{
	struct wl_surface *surface;
	struct configured configured = {0};
	struct ext_session_lock_surface_v1 *proxy = lock_surface(peer, &surface, &configured);
	ext_session_lock_surface_v1_ack_configure(proxy, configured.serial);
	ext_session_lock_surface_v1_ack_configure(proxy, configured.serial);
	fixture_pump(peer->fixture);
}

static const struct error_case cases[] = {
	ERROR_CASE_DESTROYED(unlocked_too_early, EXT_SESSION_LOCK_V1_ERROR_INVALID_UNLOCK),
	ERROR_CASE_DESTROYED(destroyed_while_locked, EXT_SESSION_LOCK_V1_ERROR_INVALID_DESTROY),
	ERROR_CASE(lock_with_a_role, ext_session_lock_v1, EXT_SESSION_LOCK_V1_ERROR_ROLE),
	ERROR_CASE(lock_with_a_buffer, ext_session_lock_v1,
		EXT_SESSION_LOCK_V1_ERROR_ALREADY_CONSTRUCTED),
	ERROR_CASE(
		two_of_an_output, ext_session_lock_v1, EXT_SESSION_LOCK_V1_ERROR_DUPLICATE_OUTPUT),
	ERROR_CASE(commit_before_ack, ext_session_lock_surface_v1,
		EXT_SESSION_LOCK_SURFACE_V1_ERROR_COMMIT_BEFORE_FIRST_ACK),
	ERROR_CASE(no_buffer, ext_session_lock_surface_v1,
		EXT_SESSION_LOCK_SURFACE_V1_ERROR_NULL_BUFFER),
	ERROR_CASE(buffer_taken_away, ext_session_lock_surface_v1,
		EXT_SESSION_LOCK_SURFACE_V1_ERROR_NULL_BUFFER),
	ERROR_CASE(wrong_size, ext_session_lock_surface_v1,
		EXT_SESSION_LOCK_SURFACE_V1_ERROR_DIMENSIONS_MISMATCH),
	ERROR_CASE(unknown_serial, ext_session_lock_surface_v1,
		EXT_SESSION_LOCK_SURFACE_V1_ERROR_INVALID_SERIAL),
	ERROR_CASE(acked_twice, ext_session_lock_surface_v1,
		EXT_SESSION_LOCK_SURFACE_V1_ERROR_INVALID_SERIAL),
};

int main(void)
{
	return ERRORS_RUN("session/errors", cases, true);
}
