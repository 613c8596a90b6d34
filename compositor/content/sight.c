/* SPDX-License-Identifier: MIT */
/* Sight of a surface on one device: outputs of other devices may show it while these do not. */

#include "content/device.h"
#include "internal.h"

static bool is_seen(const struct content *content)
{
	const struct surface *surface = content->surface;
	return surface->visible && surface->outputs & content->device->outputs;
}

static void look(struct content *content)
{
	bool seen = is_seen(content);
	if (seen != content->seen) {
		content->seen = seen;
		if (content->source && content->source->see) {
			content->source->see(content);
		}
		content_next_see(content);
	}
}

static void handle_visible(struct wl_listener *listener, void *data)
{
	struct content *content = wl_container_of(listener, content, visible);
	look(content);
}

static void handle_outputs(struct wl_listener *listener, void *data)
{
	struct content *content = wl_container_of(listener, content, outputs);
	look(content);
}

void content_sight_init(struct content *content)
{
	struct surface *surface = content->surface;
	content->seen = is_seen(content);
	signal_add(&surface->events.visible, &content->visible, handle_visible);
	signal_add(&surface->events.outputs, &content->outputs, handle_outputs);
}

void content_sight_finish(struct content *content)
{
	wl_list_remove(&content->visible.link);
	wl_list_remove(&content->outputs.link);
}
