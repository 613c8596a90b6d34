/* SPDX-License-Identifier: MIT */
/* Capture source of the cursor, in pixels of the source that it is over. */

#include "capture.h"
#include "seat/cursor.h"
#include "seat/seat.h"
#include "util/box.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

struct cursor_source {
	struct capture_source base;
	struct capture_source *area; /* referenced */
	struct cursor *cursor;
	struct wl_listener cursor_changed, area_resized, area_gone;
};

static struct cursor_source *cursor_source(struct capture_source *base)
{
	struct cursor_source *source = wl_container_of(base, source, base);
	return source;
}

static int32_t pixels(int logical, double scale)
{
	int32_t size = (int32_t)round(logical * scale);
	return size > 0 ? size : 1;
}

/* Uses the orientation of the image that the client will put the cursor on. */
static bool view(struct capture_source *base, struct capture_view *out)
{
	struct cursor_source *source = cursor_source(base);
	const struct cursor *cursor = source->cursor;
	struct capture_view area;
	int width, height;
	if (!cursor_size(cursor, &width, &height) ||
		!source->area->impl->view(source->area, &area)) {
		return false;
	}
	double scale = area.view.scale;
	bool swap = transform_swaps(area.view.transform);
	*out = (struct capture_view){
		.view =
			{
				.x = (int)floor(cursor->at.x) - cursor->hotspot_x,
				.y = (int)floor(cursor->at.y) - cursor->hotspot_y,
				.scale = scale,
				.transform = area.view.transform,
				.width = pixels(swap ? height : width, scale),
				.height = pixels(swap ? width : height, scale),
			},
		.root = cursor->tree,
	};
	return true;
}

static void destroy(struct capture_source *base)
{
	struct cursor_source *source = cursor_source(base);
	wl_list_remove(&source->cursor_changed.link);
	wl_list_remove(&source->area_resized.link);
	wl_list_remove(&source->area_gone.link);
	capture_source_unref(source->area);
	capture_source_finish(base);
	free(source);
}

static const struct capture_source_impl impl = {.view = view, .destroy = destroy};

static void handle_cursor_changed(struct wl_listener *listener, void *data)
{
	struct cursor_source *source = wl_container_of(listener, source, cursor_changed);
	capture_source_update(&source->base);
	capture_source_damage_all(&source->base);
}

static void handle_area_resized(struct wl_listener *listener, void *data)
{
	struct cursor_source *source = wl_container_of(listener, source, area_resized);
	capture_source_update(&source->base);
}

static void handle_area_gone(struct wl_listener *listener, void *data)
{
	struct cursor_source *source = wl_container_of(listener, source, area_gone);
	capture_source_set_gone(&source->base);
}

struct capture_source *capture_source_create_cursor(
	struct protocols *protocols, struct seat *seat, struct capture_source *area)
{
	struct cursor_source *source = xcalloc(1, sizeof(*source));
	capture_source_init(&source->base, &impl, protocols);
	source->base.translucent = true;
	source->base.gone = area->gone;
	source->area = capture_source_ref(area);
	source->cursor = &seat->cursor;
	signal_add(&seat->cursor.events.changed, &source->cursor_changed, handle_cursor_changed);
	signal_add(&area->events.resized, &source->area_resized, handle_area_resized);
	signal_add(&area->events.gone, &source->area_gone, handle_area_gone);
	capture_source_update(&source->base);
	return &source->base;
}
