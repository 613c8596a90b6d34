/* SPDX-License-Identifier: MIT */
/* ext_idle_notify_v1: notifications after a time without user input. */

#include "ext-idle-notify-v1-protocol.h"
#include "idle.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct notification {
	struct idle_timer timer;
	struct wl_resource *resource;
};

static void handle_changed(struct idle_timer *timer, bool idle)
{
	struct notification *notification = wl_container_of(timer, notification, timer);
	if (idle) {
		ext_idle_notification_v1_send_idled(notification->resource);
	} else {
		ext_idle_notification_v1_send_resumed(notification->resource);
	}
}

static const struct ext_idle_notification_v1_interface notification_implementation = {
	.destroy = resource_handle_destroy,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct notification *notification = wl_resource_get_user_data(resource);
	idle_timer_finish(&notification->timer);
	free(notification);
}

static void create_notification(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	uint32_t timeout, struct wl_resource *seat, bool input_only)
{
	struct idle *idle = wl_resource_get_user_data(resource);
	struct notification *notification = xcalloc(1, sizeof(*notification));
	struct wl_resource *created =
		resource_create_child(resource, &ext_idle_notification_v1_interface, id,
			&notification_implementation, notification, handle_resource_destroy);
	if (!created) {
		return;
	}
	notification->resource = created;
	notification->timer = (struct idle_timer){
		.timeout = (int64_t)timeout * 1000000,
		.input_only = input_only,
		.changed = handle_changed,
	};
	idle_timer_init(&notification->timer, idle);
	if (seat_from_resource(seat)) {
		client_charge_receiver(created);
		idle_timer_start(&notification->timer);
	}
}

static void handle_get_idle_notification(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, uint32_t timeout, struct wl_resource *seat)
{
	create_notification(client, resource, id, timeout, seat, false);
}

static void handle_get_input_idle_notification(struct wl_client *client,
	struct wl_resource *resource, uint32_t id, uint32_t timeout, struct wl_resource *seat)
{
	create_notification(client, resource, id, timeout, seat, true);
}

static const struct ext_idle_notifier_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.get_idle_notification = handle_get_idle_notification,
	.get_input_idle_notification = handle_get_input_idle_notification,
};

void idle_notify_create(struct protocols *protocols)
{
	idle_create(protocols);
	protocols_add_global(protocols, &ext_idle_notifier_v1_interface, 2, &implementation,
		protocols->idle, GLOBAL_PUBLIC);
}
