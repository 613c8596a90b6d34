/* SPDX-License-Identifier: MIT */
/*
 * ext_session_lock_v1: session locks. The shell locks the session; this file decides which client
 * holds the lock. The session stays locked until the holder unlocks it: if the holder crashes or
 * disconnects, the session stays locked and another client may take over.
 */

#include "session_lock.h"
#include "ext-session-lock-v1-protocol.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

static bool is_holder(const struct session_lock *lock)
{
	return lock->manager->holder == lock;
}

/* Tells the holder that all outputs present the locked session. */
static void handle_presented(struct session_lock_manager *manager)
{
	struct session_lock *lock = manager->holder;
	if (lock && !lock->locked) {
		lock->locked = true;
		ext_session_lock_v1_send_locked(lock->resource);
	}
}

/* Hides the lock's surfaces and ends its hold. */
static void release(struct session_lock *lock)
{
	lock_surfaces_orphan(lock);
	if (is_holder(lock)) {
		session_lock_stop_waiting(lock->manager);
		lock->manager->holder = NULL;
	}
}

static void handle_lock_resource_destroy(struct wl_resource *resource)
{
	struct session_lock *lock = wl_resource_get_user_data(resource);
	bool lost = false;
	if (is_holder(lock)) {
		log_warn(
			"the lock client disconnected without unlocking: the session stays locked");
		lost = true;
	}
	struct protocols *protocols = lock->manager->protocols;
	release(lock);
	if (lost && !protocols->ending) {
		shell_set_lock_lost(protocols->server->shell, true);
	}
	free(lock);
}

static void handle_lock_destroy(struct wl_client *client, struct wl_resource *resource)
{
	const struct session_lock *lock = wl_resource_get_user_data(resource);
	if (lock->locked) {
		wl_resource_post_error(resource, EXT_SESSION_LOCK_V1_ERROR_INVALID_DESTROY,
			"the session is locked: destroy the lock with unlock_and_destroy");
		return;
	}
	wl_resource_destroy(resource);
}

static void handle_unlock_and_destroy(struct wl_client *client, struct wl_resource *resource)
{
	struct session_lock *lock = wl_resource_get_user_data(resource);
	if (!lock->locked) {
		wl_resource_post_error(resource, EXT_SESSION_LOCK_V1_ERROR_INVALID_UNLOCK,
			"unlock_and_destroy before the locked event");
		return;
	}
	if (is_holder(lock)) {
		struct shell *shell = lock->manager->protocols->server->shell;
		release(lock);
		shell_unlock(shell);
	}
	wl_resource_destroy(resource);
}

static void handle_get_lock_surface(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface, struct wl_resource *output)
{
	lock_surface_create(wl_resource_get_user_data(resource), id, surface, output);
}

static const struct ext_session_lock_v1_interface lock_implementation = {
	.destroy = handle_lock_destroy,
	.get_lock_surface = handle_get_lock_surface,
	.unlock_and_destroy = handle_unlock_and_destroy,
};

static void handle_lock(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct session_lock_manager *manager = wl_resource_get_user_data(resource);
	struct session_lock *lock = xcalloc(1, sizeof(*lock));
	struct wl_resource *created =
		resource_create_child(resource, &ext_session_lock_v1_interface, id,
			&lock_implementation, lock, handle_lock_resource_destroy);
	if (!created) {
		return;
	}
	lock->manager = manager;
	lock->resource = created;
	if (manager->holder) {
		ext_session_lock_v1_send_finished(created);
		return;
	}
	manager->holder = lock;
	shell_set_lock_lost(manager->protocols->server->shell, false);
	shell_lock(manager->protocols->server->shell);
	session_lock_await_outputs(manager, handle_presented);
}

static const struct ext_session_lock_manager_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.lock = handle_lock,
};

static void handle_output_removed(struct wl_listener *listener, void *data)
{
	struct session_lock_manager *manager = wl_container_of(listener, manager, output_removed);
	lock_surfaces_forget_output(manager, data);
}

static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct session_lock_manager *manager = wl_container_of(listener, manager, layout_changed);
	lock_surfaces_arrange(manager);
}

static void handle_press(struct wl_listener *listener, void *data)
{
	struct session_lock_manager *manager = wl_container_of(listener, manager, press);
	const struct seat_press *press = data;
	lock_surfaces_press(manager, press->surface);
}

static void handle_redraw(struct wl_listener *listener, void *data)
{
	struct session_lock_manager *manager = wl_container_of(listener, manager, redraw);
	lock_surfaces_redraw(manager);
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct session_lock_manager *manager = wl_container_of(listener, manager, destroy);
	wl_list_remove(&manager->output_removed.link);
	wl_list_remove(&manager->layout_changed.link);
	wl_list_remove(&manager->press.link);
	wl_list_remove(&manager->redraw.link);
	wl_list_remove(&manager->destroy.link);
	free(manager);
}

void session_lock_create(struct protocols *protocols)
{
	struct session_lock_manager *manager = xcalloc(1, sizeof(*manager));
	struct scene *scene = protocols->server->scene;
	manager->protocols = protocols;
	wl_list_init(&manager->surfaces);
	wl_list_init(&manager->waits);
	signal_add(&scene->events.output_removed, &manager->output_removed, handle_output_removed);
	signal_add(&scene->events.layout_changed, &manager->layout_changed, handle_layout_changed);
	signal_add(&protocols->server->seat->events.press, &manager->press, handle_press);
	signal_add(&protocols->server->shell->events.redraw, &manager->redraw, handle_redraw);
	signal_add(&protocols->events.destroy, &manager->destroy, handle_protocols_destroy);
	protocols_add_global(protocols, &ext_session_lock_manager_v1_interface, 1, &implementation,
		manager, GLOBAL_PRIVILEGED);
}
