/* SPDX-License-Identifier: MIT */
/* ext_idle_notify_v1: notifications after a time without user input. */

#include "ext-idle-notify-v1-protocol.h"
#include "idle.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 2

struct notification {
	struct wl_list link; /* idle.notifications; points to itself if the seat was gone */
	struct wl_resource *resource;
	struct idle *idle;
	int64_t timeout; /* ns */
	/** Time of the last input, or the last time an inhibitor was active. */
	int64_t since;
	bool input_only; /* inhibitors are ignored */
	bool idled;
	struct timer timer; /* disarmed while idled or inhibited */
};

static bool is_inhibited(const struct notification *notification)
{
	return !notification->input_only && notification->idle->n_inhibiting > 0;
}

static void restart(struct notification *notification, int64_t now)
{
	notification->since = now;
	if (!is_inhibited(notification)) {
		timer_arm(&notification->timer, now + notification->timeout);
	}
}

/*
 * Activity only updates `since`; the timer is re-armed here, when it fires, rather than for each
 * pointer motion.
 */
static void handle_timer(struct timer *timer, int64_t now)
{
	struct notification *notification = wl_container_of(timer, notification, timer);
	int64_t due = notification->since + notification->timeout;
	if (now < due) {
		timer_arm(timer, due);
		return;
	}
	notification->idled = true;
	ext_idle_notification_v1_send_idled(notification->resource);
}

static void handle_activity(struct wl_listener *listener, void *data)
{
	struct idle *idle = wl_container_of(listener, idle, activity);
	int64_t now = clock_now(idle->protocols->server->clock);
	struct notification *notification;
	wl_list_for_each (notification, &idle->notifications, link) {
		notification->since = now;
		if (notification->idled) {
			notification->idled = false;
			ext_idle_notification_v1_send_resumed(notification->resource);
			restart(notification, now);
		}
	}
}

void idle_update_inhibited(struct idle *idle)
{
	int64_t now = clock_now(idle->protocols->server->clock);
	struct notification *notification;
	wl_list_for_each (notification, &idle->notifications, link) {
		if (notification->input_only || notification->idled) {
			continue;
		}
		timer_disarm(&notification->timer);
		restart(notification, now);
	}
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static const struct ext_idle_notification_v1_interface notification_implementation = {
	.destroy = handle_destroy,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct notification *notification = wl_resource_get_user_data(resource);
	timer_finish(&notification->timer);
	wl_list_remove(&notification->link);
	free(notification);
}

static void create_notification(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	uint32_t timeout, struct wl_resource *seat, bool input_only)
{
	struct idle *idle = wl_resource_get_user_data(resource);
	struct wl_resource *created = wl_resource_create(
		client, &ext_idle_notification_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct clock *clock = idle->protocols->server->clock;
	struct notification *notification = xcalloc(1, sizeof(*notification));
	notification->resource = created;
	notification->idle = idle;
	notification->timeout = (int64_t)timeout * 1000000;
	notification->input_only = input_only;
	timer_init(&notification->timer, clock, handle_timer);
	wl_list_init(&notification->link);
	wl_resource_set_implementation(
		created, &notification_implementation, notification, handle_resource_destroy);
	if (seat_from_resource(seat)) {
		client_charge_receiver(created);
		wl_list_insert(idle->notifications.prev, &notification->link);
		restart(notification, clock_now(clock));
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
	.destroy = handle_destroy,
	.get_idle_notification = handle_get_idle_notification,
	.get_input_idle_notification = handle_get_input_idle_notification,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &ext_idle_notifier_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct idle *idle = wl_container_of(listener, idle, destroy);
	wl_list_remove(&idle->activity.link);
	wl_list_remove(&idle->destroy.link);
	free(idle);
}

void idle_notify_create(struct protocols *protocols)
{
	struct idle *idle = xcalloc(1, sizeof(*idle));
	protocols->idle = idle;
	idle->protocols = protocols;
	wl_list_init(&idle->notifications);
	idle->activity.notify = handle_activity;
	wl_signal_add(&protocols->server->seat->events.activity, &idle->activity);
	idle->destroy.notify = handle_protocols_destroy;
	wl_signal_add(&protocols->events.destroy, &idle->destroy);
	protocols_add_global(
		protocols, &ext_idle_notifier_v1_interface, VERSION, idle, bind, GLOBAL_PUBLIC);
}
