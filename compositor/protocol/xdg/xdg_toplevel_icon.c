/* SPDX-License-Identifier: MIT */
/* xdg_toplevel_icon_manager_v1: icons of windows. */

#include "buffer/shm.h"
#include "shell/icon.h"
#include "util/xalloc.h"
#include "xdg-toplevel-icon-v1-protocol.h"
#include "xdg.h"
#include <stdlib.h>

struct icon_object;

/** A wl_buffer of an icon, which must outlive the icon object. */
struct icon_buffer {
	struct icon_object *object;
	struct wl_listener destroy; /* link empty: none */
};

struct icon_object {
	struct wl_resource *resource;
	struct icon *icon;
	struct icon_buffer buffers[ICON_IMAGES_MAX]; /* by index of the image */
	bool immutable; /* it was set on a toplevel */
};

/* xdg_toplevel_icon_v1 */

static void unwatch(struct icon_buffer *buffer)
{
	wl_list_remove(&buffer->destroy.link);
	wl_list_init(&buffer->destroy.link);
}

static void handle_buffer_destroy(struct wl_listener *listener, void *data)
{
	struct icon_buffer *buffer = wl_container_of(listener, buffer, destroy);
	unwatch(buffer);
	wl_resource_post_error(buffer->object->resource, XDG_TOPLEVEL_ICON_V1_ERROR_NO_BUFFER,
		"a wl_buffer was destroyed before the icon that it was added to");
}

/* Returns NULL after posting an error. */
static struct icon_object *changeable(struct wl_resource *resource)
{
	struct icon_object *object = wl_resource_get_user_data(resource);
	if (object->immutable) {
		wl_resource_post_error(resource, XDG_TOPLEVEL_ICON_V1_ERROR_IMMUTABLE,
			"the icon is already set on a toplevel");
		return NULL;
	}
	return object;
}

static void handle_set_name(
	struct wl_client *client, struct wl_resource *resource, const char *name)
{
	struct icon_object *object = changeable(resource);
	if (object) {
		icon_set_name(object->icon, name);
	}
}

static void handle_add_buffer(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *buffer_resource, int32_t scale)
{
	struct icon_object *object = changeable(resource);
	struct buffer *buffer = buffer_from_resource(buffer_resource);
	if (!object) {
		return;
	}
	if (!buffer || !buffer_is_shm(buffer) || buffer->width != buffer->height) {
		wl_resource_post_error(resource, XDG_TOPLEVEL_ICON_V1_ERROR_INVALID_BUFFER,
			"icons need square buffers of shared memory");
		return;
	}
	int i = icon_add_image(object->icon, buffer, scale > 0 ? scale : 1);
	if (i >= 0) {
		unwatch(&object->buffers[i]);
		wl_resource_add_destroy_listener(buffer_resource, &object->buffers[i].destroy);
	}
}

static const struct xdg_toplevel_icon_v1_interface icon_impl = {
	.destroy = resource_handle_destroy,
	.set_name = handle_set_name,
	.add_buffer = handle_add_buffer,
};

static void handle_icon_destroy(struct wl_resource *resource)
{
	struct icon_object *object = wl_resource_get_user_data(resource);
	for (int i = 0; i < ICON_IMAGES_MAX; i++) {
		unwatch(&object->buffers[i]);
	}
	icon_unref(object->icon);
	free(object);
}

/* xdg_toplevel_icon_manager_v1 */

static void handle_create_icon(struct wl_client *client, struct wl_resource *manager, uint32_t id)
{
	struct icon_object *object = xcalloc(1, sizeof(*object));
	struct wl_resource *resource = resource_create_child(manager,
		&xdg_toplevel_icon_v1_interface, id, &icon_impl, object, handle_icon_destroy);
	if (!resource) {
		return;
	}
	object->resource = resource;
	object->icon = icon_create(client_from_wl(client)->account);
	for (int i = 0; i < ICON_IMAGES_MAX; i++) {
		object->buffers[i].object = object;
		object->buffers[i].destroy.notify = handle_buffer_destroy;
		wl_list_init(&object->buffers[i].destroy.link);
	}
}

static void handle_set_icon(struct wl_client *client, struct wl_resource *manager,
	struct wl_resource *toplevel_resource, struct wl_resource *icon_resource)
{
	struct toplevel *toplevel = toplevel_from_resource(toplevel_resource);
	struct icon_object *object =
		icon_resource ? wl_resource_get_user_data(icon_resource) : NULL;
	if (object) {
		object->immutable = true;
	}
	if (toplevel) {
		struct xdg_state *state = surface_extension_pending(&toplevel->xdg->extension);
		state->fields |= XDG_ICON;
		icon_unref(state->icon);
		state->icon =
			object && !icon_is_empty(object->icon) ? icon_ref(object->icon) : NULL;
	}
}

static const struct xdg_toplevel_icon_manager_v1_interface impl = {
	.destroy = resource_handle_destroy,
	.create_icon = handle_create_icon,
	.set_icon = handle_set_icon,
};

static void bind(struct wl_resource *resource, void *data)
{
	wl_resource_set_implementation(resource, &impl, NULL, NULL);
	/* Logical pixels: for title bars, and for window switchers. */
	xdg_toplevel_icon_manager_v1_send_icon_size(resource, 24);
	xdg_toplevel_icon_manager_v1_send_icon_size(resource, 48);
	xdg_toplevel_icon_manager_v1_send_done(resource);
}

void xdg_toplevel_icon_create(struct protocols *protocols)
{
	protocols_add_custom_global(
		protocols, &xdg_toplevel_icon_manager_v1_interface, 1, bind, NULL, GLOBAL_PUBLIC);
}
