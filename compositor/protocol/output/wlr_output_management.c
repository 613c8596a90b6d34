/* SPDX-License-Identifier: MIT */
/*
 * zwlr_output_manager: properties of all outputs. Configuration requests are in
 * wlr_output_configuration.c.
 */

#include "backend/output.h"
#include "config/config.h"
#include "output_management.h"
#include "protocol/server_output.h"
#include "scene/scene.h"
#include "util/event_source.h"
#include "util/xalloc.h"
#include "wlr-output-management-unstable-v1-protocol.h"
#include <stdlib.h>
#include <string.h>

enum change {
	CHANGE_ENABLED = 1 << 0,
	CHANGE_MODE = 1 << 1,
	CHANGE_POSITION = 1 << 2,
	CHANGE_TRANSFORM = 1 << 3,
	CHANGE_SCALE = 1 << 4,
	CHANGE_ADAPTIVE_SYNC = 1 << 5,
	CHANGE_MODES = 1 << 6, /* the list of modes */
	CHANGE_ALL = (1 << 7) - 1,
};

/* Modes */

static const struct zwlr_output_mode_v1_interface mode_implementation = {
	.release = resource_handle_destroy,
};

static void let_go_mode(struct mode_object *mode)
{
	if (mode->object) {
		wl_list_remove(&mode->link);
		mode->object = NULL;
	}
}

static void destroy_mode(struct wl_resource *resource)
{
	struct mode_object *mode = wl_resource_get_user_data(resource);
	let_go_mode(mode);
	free(mode);
}

static void finish_mode(struct mode_object *mode)
{
	zwlr_output_mode_v1_send_finished(mode->resource);
	let_go_mode(mode);
}

static void send_mode(struct head_object *object, const struct output_mode *mode)
{
	struct mode_object *created = xcalloc(1, sizeof(*created));
	struct wl_resource *resource = resource_create_child(object->resource,
		&zwlr_output_mode_v1_interface, 0, &mode_implementation, created, destroy_mode);
	if (!resource) {
		return;
	}
	created->resource = resource;
	created->object = object;
	created->mode = *mode;
	wl_list_insert(object->modes.prev, &created->link);
	zwlr_output_head_v1_send_mode(object->resource, resource);
	zwlr_output_mode_v1_send_size(resource, mode->width, mode->height);
	if (mode->refresh > 0) {
		zwlr_output_mode_v1_send_refresh(resource, mode->refresh);
	}
	if (mode->preferred) {
		zwlr_output_mode_v1_send_preferred(resource);
	}
}

static struct mode_object *find_mode(struct head_object *object, const struct output_mode *mode)
{
	struct mode_object *one;
	wl_list_for_each (one, &object->modes, link) {
		if (output_mode_equal(&one->mode, mode)) {
			return one;
		}
	}
	return NULL;
}

static bool has_mode(const struct output_mode *modes, size_t n, const struct output_mode *mode)
{
	for (size_t i = 0; i < n; i++) {
		if (output_mode_equal(&modes[i], mode) && modes[i].preferred == mode->preferred) {
			return true;
		}
	}
	return false;
}

static void send_modes(struct head_object *object)
{
	const struct output_head *head = object->head;
	struct mode_object *mode, *next;
	wl_list_for_each_safe (mode, next, &object->modes, link) {
		if (!has_mode(head->modes, head->n_modes, &mode->mode)) {
			finish_mode(mode);
		}
	}
	for (size_t i = 0; i < head->n_modes; i++) {
		if (!find_mode(object, &head->modes[i])) {
			send_mode(object, &head->modes[i]);
		}
	}
}

/* Heads, as clients see them */

static const struct zwlr_output_head_v1_interface head_implementation = {
	.release = resource_handle_destroy,
};

static void let_go(struct head_object *object)
{
	struct mode_object *mode, *next;
	wl_list_for_each_safe (mode, next, &object->modes, link) {
		let_go_mode(mode);
	}
	if (object->head) {
		wl_list_remove(&object->link);
		object->head = NULL;
	}
}

static void destroy_head_object(struct wl_resource *resource)
{
	struct head_object *object = wl_resource_get_user_data(resource);
	let_go(object);
	free(object);
}

static void send_place(struct head_object *object, uint32_t changes)
{
	const struct output_head_state *sent = &object->head->sent;
	struct mode_object *current = find_mode(object, &sent->mode);
	/* A mode resource that was recreated must be sent as current again. */
	if ((changes & (CHANGE_MODE | CHANGE_MODES)) && current) {
		zwlr_output_head_v1_send_current_mode(object->resource, current->resource);
	}
	if (changes & CHANGE_POSITION) {
		zwlr_output_head_v1_send_position(object->resource, sent->x, sent->y);
	}
	if (changes & CHANGE_TRANSFORM) {
		zwlr_output_head_v1_send_transform(object->resource, (int32_t)sent->transform);
	}
	if (changes & CHANGE_SCALE) {
		zwlr_output_head_v1_send_scale(object->resource, wl_fixed_from_double(sent->scale));
	}
}

static void send_changes(struct head_object *object, uint32_t changes)
{
	const struct output_head_state *sent = &object->head->sent;
	if (changes & CHANGE_MODES) {
		send_modes(object);
	}
	if (changes & CHANGE_ENABLED) {
		zwlr_output_head_v1_send_enabled(object->resource, sent->enabled);
	}
	if (sent->enabled) {
		/* Properties that are not sent while the head is disabled. */
		send_place(object, changes & CHANGE_ENABLED ? CHANGE_ALL : changes);
	}
	if ((changes & CHANGE_ADAPTIVE_SYNC) &&
		wl_resource_get_version(object->resource) >=
			ZWLR_OUTPUT_HEAD_V1_ADAPTIVE_SYNC_SINCE_VERSION) {
		zwlr_output_head_v1_send_adaptive_sync(object->resource,
			sent->adaptive_sync ? ZWLR_OUTPUT_HEAD_V1_ADAPTIVE_SYNC_STATE_ENABLED
					    : ZWLR_OUTPUT_HEAD_V1_ADAPTIVE_SYNC_STATE_DISABLED);
	}
}

static void send_identity(struct wl_resource *resource, const struct output *output)
{
	zwlr_output_head_v1_send_name(resource, output->name);
	zwlr_output_head_v1_send_description(
		resource, output->description ? output->description : output->name);
	if (output->physical_width > 0 && output->physical_height > 0) {
		zwlr_output_head_v1_send_physical_size(
			resource, output->physical_width, output->physical_height);
	}
	if (wl_resource_get_version(resource) < ZWLR_OUTPUT_HEAD_V1_MAKE_SINCE_VERSION) {
		return;
	}
	if (output->make) {
		zwlr_output_head_v1_send_make(resource, output->make);
	}
	if (output->model) {
		zwlr_output_head_v1_send_model(resource, output->model);
	}
	if (output->serial) {
		zwlr_output_head_v1_send_serial_number(resource, output->serial);
	}
}

static void send_head(struct output_head *head, struct wl_resource *manager)
{
	struct head_object *object = xcalloc(1, sizeof(*object));
	struct wl_resource *resource =
		resource_create_child(manager, &zwlr_output_head_v1_interface, 0,
			&head_implementation, object, destroy_head_object);
	if (!resource) {
		return;
	}
	object->resource = resource;
	object->manager = manager;
	object->head = head;
	wl_list_init(&object->modes);
	wl_list_insert(head->objects.prev, &object->link);
	zwlr_output_manager_v1_send_head(manager, resource);
	send_identity(resource, head->output->output);
	send_changes(object, CHANGE_ALL);
}

/* Heads */

static struct output_head_state describe(const struct server_output *entry)
{
	struct config_output config;
	entry->server->impl->output_config(entry, &config);
	return (struct output_head_state){
		.enabled = config.enabled,
		.mode = entry->server->impl->output_mode(entry),
		.x = config.x,
		.y = config.y,
		.transform = config.transform,
		.scale = config.scale,
		.adaptive_sync = config.adaptive_sync == CONFIG_ADAPTIVE_SYNC_ON,
	};
}

static uint32_t compare(const struct output_head_state *a, const struct output_head_state *b)
{
	uint32_t changes = 0;
	changes |= a->enabled != b->enabled ? CHANGE_ENABLED : 0;
	changes |= !output_mode_equal(&a->mode, &b->mode) ? CHANGE_MODE : 0;
	changes |= a->x != b->x || a->y != b->y ? CHANGE_POSITION : 0;
	changes |= a->transform != b->transform ? CHANGE_TRANSFORM : 0;
	changes |= a->scale != b->scale ? CHANGE_SCALE : 0;
	changes |= a->adaptive_sync != b->adaptive_sync ? CHANGE_ADAPTIVE_SYNC : 0;
	return changes;
}

/**
 * Returns the output's modes and `current`, its mode, which may be custom. The caller frees the
 * array.
 */
static struct output_mode *list_modes(
	const struct output *output, const struct output_mode *current, size_t *n)
{
	struct output_mode *modes = xcalloc(output->n_modes + 1, sizeof(*modes));
	*n = 0;
	bool listed = current->width <= 0;
	for (size_t i = 0; i < output->n_modes; i++) {
		bool twice = false;
		for (size_t j = 0; j < *n; j++) {
			twice = twice || output_mode_equal(&modes[j], &output->modes[i]);
		}
		if (!twice) {
			modes[(*n)++] = output->modes[i];
		}
		listed = listed || output_mode_equal(current, &output->modes[i]);
	}
	if (!listed) {
		modes[*n] = *current;
		modes[(*n)++].preferred = false;
	}
	return modes;
}

/** Updates the head's list of modes after its current mode. Returns true if it changed. */
static bool take_modes(struct output_head *head)
{
	size_t n;
	struct output_mode *modes = list_modes(head->output->output, &head->sent.mode, &n);
	bool changed = n != head->n_modes;
	for (size_t i = 0; i < n && !changed; i++) {
		changed = !has_mode(head->modes, head->n_modes, &modes[i]);
	}
	free(head->modes);
	head->modes = modes;
	head->n_modes = n;
	return changed;
}

static char *identify(const struct output *output)
{
	return xasprintf("%s\n%s\n%s\n%s\n%dx%d", output->description ? output->description : "",
		output->make ? output->make : "", output->model ? output->model : "",
		output->serial ? output->serial : "", output->physical_width,
		output->physical_height);
}

/** Returns false if a different monitor is connected now. */
static bool is_same(const struct output_head *head)
{
	char *identity = identify(head->output->output);
	bool same = strcmp(identity, head->identity) == 0;
	free(identity);
	return same && !head->output->lendable;
}

static bool update_head(struct output_head *head)
{
	struct output_head_state now = describe(head->output);
	uint32_t changes = compare(&head->sent, &now);
	head->sent = now;
	changes |= take_modes(head) ? CHANGE_MODES : 0;
	if (changes != 0) {
		struct head_object *object;
		wl_list_for_each (object, &head->objects, link) {
			send_changes(object, changes);
		}
	}
	return changes != 0;
}

static void destroy_head(struct output_head *head)
{
	struct head_object *object, *next;
	wl_list_for_each_safe (object, next, &head->objects, link) {
		struct mode_object *mode, *next_mode;
		wl_list_for_each_safe (mode, next_mode, &object->modes, link) {
			finish_mode(mode);
		}
		zwlr_output_head_v1_send_finished(object->resource);
		let_go(object);
	}
	wl_list_remove(&head->gone.link);
	wl_list_remove(&head->link);
	free(head->identity);
	free(head->modes);
	free(head);
}

static void send_done(struct output_management *management)
{
	struct wl_resource *manager;
	management->serial++;
	wl_resource_for_each (manager, &management->managers) {
		zwlr_output_manager_v1_send_done(manager, management->serial);
	}
}

static void handle_gone(struct wl_listener *listener, void *data)
{
	struct output_head *head = wl_container_of(listener, head, gone);
	struct output_management *management = head->management;
	destroy_head(head);
	send_done(management);
}

static void create_head(struct output_management *management, struct server_output *output)
{
	struct output_head *head = xcalloc(1, sizeof(*head));
	head->management = management;
	head->output = output;
	wl_list_init(&head->objects);
	wl_list_insert(management->heads.prev, &head->link);
	signal_add(&output->events.destroy, &head->gone, handle_gone);
	head->identity = identify(output->output);
	head->sent = describe(output);
	take_modes(head);
	struct wl_resource *manager;
	wl_resource_for_each (manager, &management->managers) {
		send_head(head, manager);
	}
}

static struct output_head *find_head(
	const struct output_management *management, const struct server_output *output)
{
	struct output_head *head;
	wl_list_for_each (head, &management->heads, link) {
		if (head->output == output) {
			return head;
		}
	}
	return NULL;
}

/* Rounds of events */

static void update(struct output_management *management)
{
	bool changed = false;
	event_source_remove(&management->round);
	struct server_output *output;
	wl_list_for_each (output, &management->protocols->server->outputs, link) {
		struct output_head *head = find_head(management, output);
		if (head && !is_same(head)) {
			destroy_head(head);
			head = NULL;
			changed = true;
		}
		if (head) {
			changed = update_head(head) || changed;
		} else if (!output->lendable) {
			create_head(management, output);
			changed = true;
		}
	}
	if (changed) {
		send_done(management);
	}
}

static void handle_round(void *data)
{
	struct output_management *management = data;
	management->round = NULL; /* idle sources are removed when they fire */
	update(management);
}

/** Many changes arrive together; they are sent as one group. */
static void begin_round(struct output_management *management)
{
	if (!management->round) {
		management->round = wl_event_loop_add_idle(
			management->protocols->server->loop, handle_round, management);
	}
}

static void handle_outputs_changed(struct wl_listener *listener, void *data)
{
	struct output_management *management =
		wl_container_of(listener, management, outputs_changed);
	begin_round(management);
}

static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct output_management *management =
		wl_container_of(listener, management, layout_changed);
	begin_round(management);
}

/* Managers */

static void handle_create_configuration(
	struct wl_client *client, struct wl_resource *resource, uint32_t id, uint32_t serial)
{
	output_configuration_create(wl_resource_get_user_data(resource), client,
		(uint32_t)wl_resource_get_version(resource), id, serial);
}

static void handle_stop(struct wl_client *client, struct wl_resource *resource)
{
	zwlr_output_manager_v1_send_finished(resource);
	wl_resource_destroy(resource);
}

static const struct zwlr_output_manager_v1_interface implementation = {
	.create_configuration = handle_create_configuration,
	.stop = handle_stop,
};

/** Makes the heads inert: without the manager nothing would end their groups of events. */
static void destroy_manager(struct wl_resource *resource)
{
	struct output_management *management = wl_resource_get_user_data(resource);
	struct output_head *head;
	wl_list_for_each (head, &management->heads, link) {
		struct head_object *object, *next;
		wl_list_for_each_safe (object, next, &head->objects, link) {
			if (object->manager == resource) {
				let_go(object);
			}
		}
	}
	wl_list_remove(wl_resource_get_link(resource));
}

static void bind(struct wl_resource *resource, void *data)
{
	struct output_management *management = data;
	update(management);
	wl_resource_set_implementation(resource, &implementation, management, destroy_manager);
	client_charge_receiver(resource);
	wl_list_insert(management->managers.prev, wl_resource_get_link(resource));
	struct output_head *head;
	wl_list_for_each (head, &management->heads, link) {
		send_head(head, resource);
	}
	zwlr_output_manager_v1_send_done(resource, management->serial);
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct output_management *management = wl_container_of(listener, management, destroy);
	struct output_head *head, *next;
	wl_list_for_each_safe (head, next, &management->heads, link) {
		destroy_head(head);
	}
	event_source_remove(&management->round);
	wl_list_remove(&management->outputs_changed.link);
	wl_list_remove(&management->layout_changed.link);
	wl_list_remove(&management->destroy.link);
	free(management);
}

void wlr_output_management_create(struct protocols *protocols)
{
	struct server *server = protocols->server;
	struct output_management *management = xcalloc(1, sizeof(*management));
	management->update = update;
	management->protocols = protocols;
	wl_list_init(&management->managers);
	wl_list_init(&management->heads);
	signal_add(&server->events.outputs_changed, &management->outputs_changed,
		handle_outputs_changed);
	signal_add(&server->scene->events.layout_changed, &management->layout_changed,
		handle_layout_changed);
	signal_add(&protocols->events.destroy, &management->destroy, handle_protocols_destroy);
	protocols_add_custom_global(protocols, &zwlr_output_manager_v1_interface, 4, bind,
		management, GLOBAL_PRIVILEGED);
}
