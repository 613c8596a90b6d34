/* SPDX-License-Identifier: MIT */
/* xdg_wm_dialog_v1: modal dialogs. */

#include "util/xalloc.h"
#include "xdg-dialog-v1-protocol.h"
#include "xdg.h"
#include <stdlib.h>

struct dialog_object {
	struct toplevel *toplevel; /* NULL once destroyed */
};

void dialog_orphan(struct dialog_object *object)
{
	object->toplevel->dialog = NULL;
	object->toplevel = NULL;
}

static void set_modal(struct wl_resource *resource, bool modal)
{
	struct dialog_object *object = wl_resource_get_user_data(resource);
	if (object->toplevel) {
		window_set_modal(object->toplevel->window, modal);
	}
}

static void handle_set_modal(struct wl_client *client, struct wl_resource *resource)
{
	set_modal(resource, true);
}

static void handle_unset_modal(struct wl_client *client, struct wl_resource *resource)
{
	set_modal(resource, false);
}

static const struct xdg_dialog_v1_interface dialog_impl = {
	.destroy = resource_handle_destroy,
	.set_modal = handle_set_modal,
	.unset_modal = handle_unset_modal,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct dialog_object *object = wl_resource_get_user_data(resource);
	if (object->toplevel) {
		window_set_modal(object->toplevel->window, false);
		dialog_orphan(object);
	}
	free(object);
}

static void handle_get(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	struct wl_resource *toplevel_resource)
{
	struct toplevel *toplevel = toplevel_from_resource(toplevel_resource);
	if (toplevel && toplevel->dialog) {
		wl_resource_post_error(manager, XDG_WM_DIALOG_V1_ERROR_ALREADY_USED,
			"xdg_toplevel@%u already has a dialog object",
			wl_resource_get_id(toplevel_resource));
		return;
	}
	struct dialog_object *object = xcalloc(1, sizeof(*object));
	struct wl_resource *resource = resource_create_child(manager, &xdg_dialog_v1_interface, id,
		&dialog_impl, object, handle_resource_destroy);
	if (!resource) {
		return;
	}
	if (toplevel) {
		object->toplevel = toplevel;
		toplevel->dialog = object;
	}
}

static const struct xdg_wm_dialog_v1_interface impl = {
	.destroy = resource_handle_destroy,
	.get_xdg_dialog = handle_get,
};

void xdg_dialog_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &xdg_wm_dialog_v1_interface, 1, &impl, NULL, GLOBAL_PUBLIC);
}
