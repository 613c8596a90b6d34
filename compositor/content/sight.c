/* SPDX-License-Identifier: MIT */
/*
 * Sight of a surface on one device: copies and textures on a GPU that no longer shows a window are
 * freed after a while.
 */

#include "content/device.h"
#include "internal.h"

/* Pixels are freed if their device has not shown a visible surface for this time (ns). */
#define UNSEEN_NS INT64_C(2000000000)

static bool is_seen(const struct content *content)
{
	const struct surface *surface = content->surface;
	return surface->visible && surface->outputs & content->device->outputs;
}

static bool is_previewed(const struct content *content)
{
	const struct scene_surface *node = scene_surface_find(content->surface);
	return node && scene_previews_outputs(node) & content->device->outputs;
}

/*
 * Frees the pixels if the client's buffer still has them. Surfaces that no device shows keep
 * theirs: they may return, as at a change of workspaces.
 */
void content_leave_sight(struct content *content)
{
	if (!content->left || !content->surface->current.buffer || content->pool.buffer ||
		content->deferred.upload || is_previewed(content)) {
		return;
	}
	content_set_source(content, NULL);
	content_drop_texture(content);
	buffer_replace(&content->held, NULL);
	content->uploaded = 0;
	content->stale = true;
	content_miss_all(content);
}

static void handle_unseen(struct timer *timer, int64_t now)
{
	struct content *content = wl_container_of(timer, content, unseen);
	content->left = true;
	content_leave_sight(content);
}

static void await_end(struct content *content)
{
	struct clock *clock = content->device->clock;
	if (content->seen) {
		content->left = false;
		if (content->unseen.clock) {
			timer_disarm(&content->unseen);
		}
	} else if (clock && content->surface->visible && !content->left && !content->unseen.armed) {
		if (!content->unseen.clock) {
			timer_init(&content->unseen, clock, handle_unseen);
		}
		timer_arm(&content->unseen, clock_now(clock) + UNSEEN_NS);
	}
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
	await_end(content);
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
	if (content->unseen.clock) {
		timer_finish(&content->unseen);
	}
}
