/* SPDX-License-Identifier: MIT */
/*
 * Cursor sessions of ext-image-copy-capture-v1: the cursor's position in a source, and a capture
 * session for its image, for clients that compose it themselves.
 */

#include "copy_capture.h"
#include "ext-image-copy-capture-v1-protocol.h"
#include "seat/cursor.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct copy_cursor {
	struct wl_resource *resource;
	struct capture_source *source; /* referenced; NULL: gone */
	struct seat *seat;
	bool has_session;
	/** As sent last. */
	bool inside;
	int x, y, hotspot_x, hotspot_y;
	struct wl_listener moved, changed, updated, resized, gone;
};

static void leave(struct copy_cursor *cursor)
{
	if (cursor->inside) {
		cursor->inside = false;
		ext_image_copy_capture_cursor_session_v1_send_leave(cursor->resource);
	}
}

static void update(struct copy_cursor *cursor)
{
	struct box image;
	int x, y;
	if (!capture_source_find_cursor(cursor->source, cursor->seat, &image, &x, &y)) {
		leave(cursor);
		return;
	}
	int hotspot_x = x - image.x, hotspot_y = y - image.y;
	bool entered = !cursor->inside;
	if (entered) {
		cursor->inside = true;
		ext_image_copy_capture_cursor_session_v1_send_enter(cursor->resource);
	}
	if (entered || x != cursor->x || y != cursor->y) {
		cursor->x = x;
		cursor->y = y;
		ext_image_copy_capture_cursor_session_v1_send_position(cursor->resource, x, y);
	}
	if (entered || hotspot_x != cursor->hotspot_x || hotspot_y != cursor->hotspot_y) {
		cursor->hotspot_x = hotspot_x;
		cursor->hotspot_y = hotspot_y;
		ext_image_copy_capture_cursor_session_v1_send_hotspot(
			cursor->resource, hotspot_x, hotspot_y);
	}
}

static void handle_moved(struct wl_listener *listener, void *data)
{
	struct copy_cursor *cursor = wl_container_of(listener, cursor, moved);
	update(cursor);
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct copy_cursor *cursor = wl_container_of(listener, cursor, changed);
	update(cursor);
}

/* A window may move or be raised while the cursor stays. */
static void handle_updated(struct wl_listener *listener, void *data)
{
	struct copy_cursor *cursor = wl_container_of(listener, cursor, updated);
	update(cursor);
}

static void handle_resized(struct wl_listener *listener, void *data)
{
	struct copy_cursor *cursor = wl_container_of(listener, cursor, resized);
	update(cursor);
}

static void leave_source(struct copy_cursor *cursor)
{
	if (cursor->source) {
		wl_list_remove(&cursor->moved.link);
		wl_list_remove(&cursor->changed.link);
		wl_list_remove(&cursor->updated.link);
		wl_list_remove(&cursor->resized.link);
		wl_list_remove(&cursor->gone.link);
		capture_source_unref(cursor->source);
		cursor->source = NULL;
	}
}

static void handle_gone(struct wl_listener *listener, void *data)
{
	struct copy_cursor *cursor = wl_container_of(listener, cursor, gone);
	leave(cursor);
	leave_source(cursor);
}

static void join_source(struct copy_cursor *cursor, struct capture_source *source)
{
	struct cursor *shown = &cursor->seat->cursor;
	cursor->source = capture_source_ref(source);
	signal_add(&shown->events.moved, &cursor->moved, handle_moved);
	signal_add(&shown->events.changed, &cursor->changed, handle_changed);
	signal_add(&cursor->seat->scene->events.updated, &cursor->updated, handle_updated);
	signal_add(&source->events.resized, &cursor->resized, handle_resized);
	signal_add(&source->events.gone, &cursor->gone, handle_gone);
	update(cursor);
}

static void handle_get_capture_session(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct copy_cursor *cursor = wl_resource_get_user_data(resource);
	if (cursor->has_session) {
		wl_resource_post_error(resource,
			EXT_IMAGE_COPY_CAPTURE_CURSOR_SESSION_V1_ERROR_DUPLICATE_SESSION,
			"the cursor session already has a capture session");
		return;
	}
	cursor->has_session = true;
	struct capture_source *image = NULL;
	if (cursor->source) {
		image = capture_source_create_cursor(
			cursor->source->protocols, cursor->seat, cursor->source);
	}
	copy_session_create(resource, id, image, NULL);
	capture_source_unref(image);
}

static const struct ext_image_copy_capture_cursor_session_v1_interface cursor_impl = {
	.destroy = resource_handle_destroy,
	.get_capture_session = handle_get_capture_session,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct copy_cursor *cursor = wl_resource_get_user_data(resource);
	leave_source(cursor);
	free(cursor);
}

void copy_cursor_create(
	struct wl_resource *parent, uint32_t id, struct capture_source *source, struct seat *seat)
{
	struct copy_cursor *cursor = xcalloc(1, sizeof(*cursor));
	struct wl_resource *resource =
		resource_create_child(parent, &ext_image_copy_capture_cursor_session_v1_interface,
			id, &cursor_impl, cursor, handle_resource_destroy);
	if (!resource) {
		return;
	}
	cursor->resource = resource;
	cursor->seat = seat;
	if (source && !source->gone && seat) {
		join_source(cursor, source);
	}
}
