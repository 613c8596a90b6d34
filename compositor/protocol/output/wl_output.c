/* SPDX-License-Identifier: MIT */
/* wl_output: one global per output of the scene. */

#include "output.h"
#include "protocol/protocols.h"
#include "scene/scene.h"
#include "util/addon.h"
#include "util/box.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct output_tracking {
	struct protocols *protocols;
	struct wl_list objects; /* output_object.link */
	struct wl_listener added, removed, layout_changed, destroy;
};

enum change {
	CHANGE_GEOMETRY = 1 << 0,
	CHANGE_MODE = 1 << 1,
	CHANGE_SCALE = 1 << 2,
	CHANGE_DESCRIPTION = 1 << 3,
	CHANGE_LOGICAL = 1 << 4, /* of xdg-output */
	CHANGE_ALL = CHANGE_GEOMETRY | CHANGE_MODE | CHANGE_SCALE | CHANGE_DESCRIPTION,
};

static void destroy_addon(struct addon *addon)
{
	addon_finish(addon);
}

static const struct addon_impl addon_impl = {.name = "wl_output", .destroy = destroy_addon};

static struct output_object *find_object(const struct scene_output *output)
{
	struct addon *addon = addon_find(&output->output->addons, output, &addon_impl);
	struct output_object *object;
	return addon ? wl_container_of(addon, object, addon) : NULL;
}

/* Returns false if the string was sent already. */
static bool take_string(char **sent, const char *now)
{
	if (*sent && strcmp(*sent, now) == 0) {
		return false;
	}
	free(*sent);
	*sent = xstrdup(now);
	return true;
}

/* Returns false if the monitor has the properties that were sent last. */
static bool take_monitor(struct output_sent *sent, const struct output *output)
{
	bool changed = output->physical_width != sent->physical_width ||
		       output->physical_height != sent->physical_height ||
		       output->subpixel != sent->subpixel;
	changed = take_string(&sent->make, output->make ? output->make : "unknown") || changed;
	changed = take_string(&sent->model, output->model ? output->model : "unknown") || changed;
	sent->physical_width = output->physical_width;
	sent->physical_height = output->physical_height;
	sent->subpixel = output->subpixel;
	return changed;
}

/* Copies the output's current state to `sent` and returns the changes. */
static uint32_t take_changes(struct output_object *object)
{
	const struct scene_output *scene_output = object->output;
	const struct output *output = scene_output->output;
	struct output_sent *sent = &object->sent;
	struct box box = scene_output_box(scene_output);
	int32_t scale = (int32_t)ceil(scene_output->scale);
	const char *description = output->description ? output->description : output->name;
	uint32_t changes = 0;
	if (take_monitor(sent, output) || box.x != sent->box.x || box.y != sent->box.y ||
		scene_output->transform != sent->transform) {
		changes |= CHANGE_GEOMETRY;
	}
	if (!box_equal(&box, &sent->box)) {
		changes |= CHANGE_LOGICAL;
	}
	if (output->mode.width != sent->mode.width || output->mode.height != sent->mode.height ||
		output->mode.refresh != sent->mode.refresh) {
		changes |= CHANGE_MODE;
	}
	changes |= scale != sent->scale ? CHANGE_SCALE : 0;
	changes |= take_string(&sent->description, description) ? CHANGE_DESCRIPTION : 0;
	sent->box = box;
	sent->mode = output->mode;
	sent->scale = scale;
	sent->transform = scene_output->transform;
	return changes;
}

static void send_geometry(struct wl_resource *resource, const struct output_object *object)
{
	const struct output_sent *sent = &object->sent;
	wl_output_send_geometry(resource, sent->box.x, sent->box.y, sent->physical_width,
		sent->physical_height, sent->subpixel, sent->make, sent->model, sent->transform);
}

static void send_mode(struct wl_resource *resource, const struct output_object *object)
{
	const struct output_mode *mode = &object->sent.mode;
	uint32_t flags = WL_OUTPUT_MODE_CURRENT;
	const struct output *output = object->output->output;
	for (size_t i = 0; i < output->n_modes; i++) {
		const struct output_mode *one = &output->modes[i];
		if (one->preferred && one->width == mode->width && one->height == mode->height &&
			one->refresh == mode->refresh) {
			flags |= WL_OUTPUT_MODE_PREFERRED;
		}
	}
	wl_output_send_mode(resource, flags, mode->width, mode->height, mode->refresh);
}

static void send(struct wl_resource *resource, const struct output_object *object, uint32_t changes)
{
	int version = wl_resource_get_version(resource);
	if (changes & CHANGE_GEOMETRY) {
		send_geometry(resource, object);
	}
	if (changes & CHANGE_MODE) {
		send_mode(resource, object);
	}
	if ((changes & CHANGE_SCALE) && version >= WL_OUTPUT_SCALE_SINCE_VERSION) {
		wl_output_send_scale(resource, object->sent.scale);
	}
	if ((changes & CHANGE_DESCRIPTION) && version >= WL_OUTPUT_DESCRIPTION_SINCE_VERSION) {
		wl_output_send_description(resource, object->sent.description);
	}
}

static void send_done(struct wl_resource *resource)
{
	if (wl_resource_get_version(resource) >= WL_OUTPUT_DONE_SINCE_VERSION) {
		wl_output_send_done(resource);
	}
}

static void update(struct output_object *object)
{
	uint32_t changes = take_changes(object);
	struct wl_resource *resource;
	if (changes == 0) {
		return;
	}
	wl_resource_for_each (resource, &object->xdg_resources) {
		if (changes & CHANGE_DESCRIPTION) {
			xdg_output_send_description(resource, object);
		}
		if (changes & CHANGE_LOGICAL) {
			xdg_output_send(resource, object);
			xdg_output_send_done(resource);
		}
	}
	wl_resource_for_each (resource, &object->resources) {
		send(resource, object, changes);
		send_done(resource);
	}
}

/* Resources */

static const struct wl_output_interface implementation = {
	.release = resource_handle_destroy,
};

static void bind(struct wl_resource *resource, void *data)
{
	struct output_object *object = data; /* NULL: the output is gone */
	wl_resource_set_implementation(resource, &implementation, object, resource_unlink);
	if (!object) {
		wl_list_init(wl_resource_get_link(resource));
		return;
	}
	/* A window that enters the output is announced on each of its objects. */
	client_charge_receiver(resource);
	wl_list_insert(object->resources.prev, wl_resource_get_link(resource));
	if (wl_resource_get_version(resource) >= WL_OUTPUT_NAME_SINCE_VERSION) {
		wl_output_send_name(resource, object->output->output->name);
	}
	send(resource, object, CHANGE_ALL);
	send_done(resource);
	signal_emit(&object->protocols->events.output_bound, resource);
}

struct scene_output *output_from_resource(struct wl_resource *resource)
{
	struct output_object *object = output_object_from_resource(resource);
	return object ? object->output : NULL;
}

void output_for_each_resource(struct scene_output *output, struct wl_client *client,
	void (*each)(struct wl_resource *resource, void *data), void *data)
{
	struct output_object *object = find_object(output);
	struct wl_resource *resource, *next;
	if (!object) {
		return;
	}
	wl_resource_for_each_safe (resource, next, &object->resources) {
		if (wl_resource_get_client(resource) == client) {
			each(resource, data);
		}
	}
}

void protocols_send_outputs(struct protocols *protocols, struct wl_client *client)
{
	struct scene *scene = protocols->server->scene;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct output_object *object =
			scene->outputs[i] ? find_object(scene->outputs[i]) : NULL;
		struct wl_resource *resource;
		if (!object) {
			continue;
		}
		wl_resource_for_each (resource, &object->xdg_resources) {
			if (wl_resource_get_client(resource) == client) {
				xdg_output_send(resource, object);
				xdg_output_send_done(resource);
			}
		}
		wl_resource_for_each (resource, &object->resources) {
			if (wl_resource_get_client(resource) == client) {
				send_done(resource);
			}
		}
	}
}

/* Outputs */

static void destroy_object(struct output_object *object)
{
	protocols_remove_global(object->protocols, object->global);
	resources_make_inert(&object->resources);
	resources_make_inert(&object->xdg_resources);
	addon_finish(&object->addon);
	wl_list_remove(&object->link);
	wl_list_remove(&object->changed.link);
	free(object->sent.description);
	free(object->sent.make);
	free(object->sent.model);
	free(object);
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct output_object *object = wl_container_of(listener, object, changed);
	update(object);
}

static void add(struct output_tracking *tracking, struct scene_output *output)
{
	struct output_object *object = xcalloc(1, sizeof(*object));
	object->protocols = tracking->protocols;
	object->output = output;
	wl_list_init(&object->resources);
	wl_list_init(&object->xdg_resources);
	wl_list_insert(tracking->objects.prev, &object->link);
	addon_init(&object->addon, &output->output->addons, output, &addon_impl);
	signal_add(&output->output->events.changed, &object->changed, handle_changed);
	take_changes(object);
	object->global = protocols_add_custom_global(
		tracking->protocols, &wl_output_interface, 4, bind, object, GLOBAL_PUBLIC);
}

static void handle_added(struct wl_listener *listener, void *data)
{
	struct output_tracking *tracking = wl_container_of(listener, tracking, added);
	add(tracking, data);
}

static void handle_removed(struct wl_listener *listener, void *data)
{
	struct output_object *object = find_object(data);
	if (object) {
		destroy_object(object);
	}
}

static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct output_tracking *tracking = wl_container_of(listener, tracking, layout_changed);
	struct output_object *object;
	wl_list_for_each (object, &tracking->objects, link) {
		update(object);
	}
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct output_tracking *tracking = wl_container_of(listener, tracking, destroy);
	struct output_object *object, *next;
	wl_list_for_each_safe (object, next, &tracking->objects, link) {
		destroy_object(object);
	}
	wl_list_remove(&tracking->added.link);
	wl_list_remove(&tracking->removed.link);
	wl_list_remove(&tracking->layout_changed.link);
	wl_list_remove(&tracking->destroy.link);
	free(tracking);
}

void wl_output_create(struct protocols *protocols)
{
	struct scene *scene = protocols->server->scene;
	struct output_tracking *tracking = xcalloc(1, sizeof(*tracking));
	tracking->protocols = protocols;
	wl_list_init(&tracking->objects);
	signal_add(&scene->events.output_added, &tracking->added, handle_added);
	signal_add(&scene->events.output_removed, &tracking->removed, handle_removed);
	signal_add(&scene->events.layout_changed, &tracking->layout_changed, handle_layout_changed);
	signal_add(&protocols->events.destroy, &tracking->destroy, handle_protocols_destroy);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (scene->outputs[i]) {
			add(tracking, scene->outputs[i]);
		}
	}
}
