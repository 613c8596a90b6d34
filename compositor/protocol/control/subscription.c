/* SPDX-License-Identifier: MIT */
/*
 * causeway_subscription_v1: changes of outputs, workspaces, windows, keyboards, GPUs and the
 * session. A change sends one event; the objects that differ from the last report are found when
 * the client asks for them, so that a slow client costs no memory for the changes that it misses.
 */

#include "causeway-control-v1-protocol.h"
#include "control.h"
#include "gpu/gpu.h"
#include "gpu/power_watch.h"
#include "protocol/server.h"
#include "protocol/server_output.h"
#include "protocol/session/idle.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/event_source.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct listener {
	struct wl_listener base;
	struct subscription *self;
};

/* A window or output whose signals are listened to. */
struct watched {
	struct wl_list link; /* subscription.watched */
	const void *object;
	struct listener events[5];
	struct wl_listener end;
};

/* An object as last reported. */
struct known {
	char *kind, *id;
	uint64_t hash;
	bool seen; /* by the current request */
};

struct subscription {
	struct wl_resource *resource;
	struct server *server;
	struct wl_list watched; /* watched.link */
	struct known *known; /* in the order of the last report */
	size_t n_known;
	bool asked; /* the next change sends an event */
	struct wl_event_source *announcement; /* sends it; NULL: none is due */
	bool counts_idle;
	struct idle_timer idle;
	struct listener events[9];
	struct listener gpu_power;
	struct wl_listener new_window, outputs_changed;
};

static void handle_announcement(void *data)
{
	struct subscription *self = data;
	self->announcement = NULL; /* idle sources are removed after their call */
	causeway_subscription_v1_send_changed(self->resource);
}

static void mark(struct subscription *self)
{
	/* An event that is due announces this change as well. */
	if (self->asked && !self->announcement) {
		self->announcement =
			wl_event_loop_add_idle(self->server->loop, handle_announcement, self);
	}
	self->asked = false;
}

static void handle_change(struct wl_listener *base, void *data)
{
	struct listener *listener = wl_container_of(base, listener, base);
	mark(listener->self);
}

static void listen(struct subscription *self, struct listener *listener, struct wl_signal *signal)
{
	listener->self = self;
	signal_add(signal, &listener->base, handle_change);
}

static void unwatch(struct watched *watched)
{
	for (size_t i = 0; i < sizeof(watched->events) / sizeof(watched->events[0]); i++) {
		if (watched->events[i].self) {
			wl_list_remove(&watched->events[i].base.link);
		}
	}
	wl_list_remove(&watched->end.link);
	wl_list_remove(&watched->link);
	free(watched);
}

static void handle_end(struct wl_listener *listener, void *data)
{
	struct watched *watched = wl_container_of(listener, watched, end);
	mark(watched->events[0].self);
	unwatch(watched);
}

static struct watched *watch(struct subscription *self, const void *object, struct wl_signal *end)
{
	struct watched *watched = xcalloc(1, sizeof(*watched));
	watched->object = object;
	signal_add(end, &watched->end, handle_end);
	wl_list_insert(&self->watched, &watched->link);
	return watched;
}

static void watch_window(struct subscription *self, struct window *window)
{
	struct watched *watched = watch(self, window, &window->events.unmap);
	listen(self, &watched->events[0], &window->events.title);
	listen(self, &watched->events[1], &window->events.app_id);
	listen(self, &watched->events[2], &window->events.states);
	listen(self, &watched->events[3], &window->events.parent);
}

static void handle_new_window(struct wl_listener *listener, void *data)
{
	struct subscription *self = wl_container_of(listener, self, new_window);
	watch_window(self, data);
	mark(self);
}

static bool is_watched(const struct subscription *self, const void *object)
{
	const struct watched *watched;
	wl_list_for_each (watched, &self->watched, link) {
		if (watched->object == object) {
			return true;
		}
	}
	return false;
}

static void watch_outputs(struct subscription *self)
{
	struct server_output *entry;
	wl_list_for_each (entry, &self->server->outputs, link) {
		if (!is_watched(self, entry)) {
			struct watched *watched = watch(self, entry, &entry->events.destroy);
			listen(self, &watched->events[0], &entry->events.power);
		}
	}
}

static void handle_outputs_changed(struct wl_listener *listener, void *data)
{
	struct subscription *self = wl_container_of(listener, self, outputs_changed);
	watch_outputs(self);
	mark(self);
}

static void handle_idle(struct idle_timer *timer, bool idle)
{
	struct subscription *self = wl_container_of(timer, self, idle);
	mark(self);
}

struct sweep {
	struct subscription *self;
	struct wl_resource *report;
	struct known *found;
	size_t n_found, room;
	size_t next; /* where the next object is expected in self->known */
};

/* Returns the object as last reported, or NULL. Objects usually keep their order. */
static struct known *find(struct sweep *sweep, const char *kind, const char *id)
{
	struct subscription *self = sweep->self;
	for (size_t i = 0; i < self->n_known; i++) {
		size_t at = (sweep->next + i) % self->n_known;
		struct known *known = &self->known[at];
		if (strcmp(known->id, id) == 0 && strcmp(known->kind, kind) == 0) {
			sweep->next = at + 1;
			return known;
		}
	}
	return NULL;
}

static void visit(void *data, struct control_record *record)
{
	struct sweep *sweep = data;
	struct subscription *self = sweep->self;
	if (self->counts_idle && strcmp(control_record_value(record, 0), "session") == 0) {
		control_record_bool(record, "idle", self->idle.idled);
	}
	const char *kind = control_record_value(record, 0), *id = control_record_value(record, 1);
	const uint64_t hash = control_record_hash(record);
	struct known *known = find(sweep, kind, id);
	if (known) {
		known->seen = true;
	}
	if (!known || known->hash != hash) {
		control_record_send(record, sweep->report);
	}
	if (sweep->n_found == sweep->room) {
		sweep->room = 2 * sweep->room + 16;
		sweep->found = xrealloc(sweep->found, sweep->room, sizeof(*sweep->found));
	}
	sweep->found[sweep->n_found++] = (struct known){xstrdup(kind), xstrdup(id), hash, false};
}

static void clear_known(struct subscription *self)
{
	for (size_t i = 0; i < self->n_known; i++) {
		free(self->known[i].kind);
		free(self->known[i].id);
	}
	free(self->known);
}

static void send_removed(const struct known *known, struct wl_resource *report)
{
	struct control_record record = {0};
	control_record_text(&record, "kind", known->kind);
	control_record_text(&record, "id", known->id);
	control_record_bool(&record, "removed", true);
	control_record_send(&record, report);
	control_record_finish(&record);
}

static void cancel_announcement(struct subscription *self)
{
	event_source_remove(&self->announcement);
}

static bool is_found(const struct sweep *sweep, const struct known *known)
{
	for (size_t i = 0; i < sweep->n_found; i++) {
		if (strcmp(sweep->found[i].id, known->id) == 0 &&
			strcmp(sweep->found[i].kind, known->kind) == 0) {
			return true;
		}
	}
	return false;
}

static void handle_get_changes(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct subscription *self = wl_resource_get_user_data(resource);
	struct wl_resource *report = resource_create_child(
		resource, &causeway_report_v1_interface, id, NULL, NULL, NULL);
	if (!report) {
		return;
	}
	cancel_announcement(self); /* this report has the changes */
	client_expect_windows(client, self->server->shell);
	struct sweep sweep = {.self = self, .report = report};
	control_each_object(self->server, ~0u, false, visit, &sweep);
	for (size_t i = 0; i < self->n_known; i++) {
		/* Keyboards of one name share their id. */
		if (!self->known[i].seen && !is_found(&sweep, &self->known[i])) {
			send_removed(&self->known[i], report);
		}
	}
	clear_known(self);
	self->known = sweep.found;
	self->n_known = sweep.n_found;
	self->asked = true;
	control_finish(report);
}

static const struct causeway_subscription_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.get_changes = handle_get_changes,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct subscription *self = wl_resource_get_user_data(resource);
	struct watched *watched, *next;
	wl_list_for_each_safe (watched, next, &self->watched, link) {
		unwatch(watched);
	}
	for (size_t i = 0; i < sizeof(self->events) / sizeof(self->events[0]); i++) {
		wl_list_remove(&self->events[i].base.link);
	}
	gpu_power_watch_remove(self->server->gpu_power, &self->gpu_power.base);
	wl_list_remove(&self->new_window.link);
	wl_list_remove(&self->outputs_changed.link);
	cancel_announcement(self);
	if (self->counts_idle) {
		idle_timer_finish(&self->idle);
	}
	clear_known(self);
	free(self);
}

static void start_idle(struct subscription *self, uint32_t seconds)
{
	self->counts_idle = true;
	self->idle.timeout = (int64_t)seconds * 1000000000;
	self->idle.changed = handle_idle;
	idle_timer_init(&self->idle, self->server->protocols->idle);
	idle_timer_start(&self->idle);
}

void control_subscribe(struct server *server, struct wl_resource *resource, uint32_t idle)
{
	struct subscription *self = xcalloc(1, sizeof(*self));
	self->resource = resource;
	self->server = server;
	wl_list_init(&self->watched);
	struct shell *shell = server->shell;
	struct wl_signal *const signals[] = {&shell->events.focus, &shell->events.workspaces,
		&shell->events.new_workspace, &shell->events.lock, &shell->events.mode,
		&server->seat->keyboard.events.changed, &server->gpus->events.changed,
		&server->gpus->events.lost, &server->scene->events.layout_changed};
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		listen(self, &self->events[i], signals[i]);
	}
	self->gpu_power.self = self;
	self->gpu_power.base.notify = handle_change;
	gpu_power_watch_add(server->gpu_power, &self->gpu_power.base);
	signal_add(&shell->events.new_window, &self->new_window, handle_new_window);
	signal_add(&server->events.outputs_changed, &self->outputs_changed, handle_outputs_changed);
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		watch_window(self, window);
	}
	watch_outputs(self);
	if (idle > 0) {
		start_idle(self, idle);
	}
	wl_resource_set_implementation(resource, &implementation, self, handle_resource_destroy);
	client_charge_receiver(resource);
}
