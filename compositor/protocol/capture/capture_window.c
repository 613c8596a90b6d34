/* SPDX-License-Identifier: MIT */
/*
 * Windows as capture sources. A window is captured as committed, occluded or not, on a visible
 * workspace or not, so its damage comes from surface commits rather than from output frames.
 */

#include "capture.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "surface/subsurface.h"
#include "surface/transaction.h"
#include "util/clock.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* Period (ns) of frame callbacks for a window that is visible in captures only. */
#define HIDDEN_PERIOD INT64_C(16666667)

/* Fields for which the damage of a commit is complete. Other changes damage the whole surface. */
#define CONTENT_FIELDS                                                                             \
	(SURFACE_BUFFER | SURFACE_DAMAGE | SURFACE_BUFFER_DAMAGE | SURFACE_OPAQUE |                \
		SURFACE_INPUT | SURFACE_FRAME | SURFACE_FEEDBACK | SURFACE_CONTENT_TYPE |          \
		SURFACE_TEARING)

struct window_source {
	struct capture_source base;
	struct window *window; /* NULL once it is gone */
	struct wl_list watches; /* watch.link; the window's surface and its subsurfaces */
	struct timer callbacks;
	int64_t last_callbacks;
	struct wl_listener unmap, destroy, preferred, surface, lock;
};

/* One surface of the window. */
struct watch {
	struct window_source *source;
	struct surface *surface;
	struct wl_list link;
	int32_t width, height; /* logical, as of the last commit */
	struct wl_listener applied, map, unmap, destroy, new_subsurface, subsurface_destroy;
};

static void watch_surface(struct window_source *source, struct surface *surface);

static struct window_source *window_source(struct capture_source *base)
{
	struct window_source *source = wl_container_of(base, source, base);
	return source;
}

/* Uses the client's preferred scale, so that buffer pixels and captured pixels coincide. */
static bool view(struct capture_source *base, struct capture_view *out)
{
	const struct window *window = window_source(base)->window;
	if (!window || window_is_absent(window) || box_empty(&window->geometry)) {
		return false;
	}
	int x, y;
	scene_node_coords(&window->surface_tree->node, &x, &y);
	double scale = window->surface->preferred_scale;
	scale = scale > 0 ? scale : 1;
	const int width = scene_pixels(window->geometry.width, scale);
	const int height = scene_pixels(window->geometry.height, scale);
	*out = (struct capture_view){
		.view =
			{
				.x = x + window->geometry.x,
				.y = y + window->geometry.y,
				.scale = scale,
				.width = width > 1 ? width : 1,
				.height = height > 1 ? height : 1,
			},
		/* While the session is locked, capture the lock screen instead. */
		.root = base->protocols->server->shell->locked ? NULL : window->surface_tree,
	};
	return true;
}

static bool pointed_at(struct capture_source *base)
{
	const struct window_source *source = window_source(base);
	struct surface *focus = source->base.protocols->server->seat->pointer.focus;
	return source->window && focus && surface_root(focus) == source->window->surface;
}

static bool waits(const struct watch *watch)
{
	return !wl_list_empty(&watch->surface->current.frame_callbacks);
}

/* Clients wait for frame callbacks, which outputs omit for invisible surfaces. */
static void captured(struct capture_source *base)
{
	struct window_source *source = window_source(base);
	const struct watch *watch;
	wl_list_for_each (watch, &source->watches, link) {
		if (!source->callbacks.armed && waits(watch)) {
			int64_t now = clock_now(base->protocols->server->clock);
			int64_t next = source->last_callbacks + HIDDEN_PERIOD;
			timer_arm(&source->callbacks, next > now ? next : now);
		}
	}
}

static void handle_callbacks(struct timer *timer, int64_t now)
{
	struct window_source *source = wl_container_of(timer, source, callbacks);
	source->last_callbacks = now;
	/* updates which outputs show the surfaces */
	scene_update(source->base.protocols->server->scene);
	struct watch *watch;
	wl_list_for_each (watch, &source->watches, link) {
		const struct scene_surface *content = scene_surface_find(watch->surface);
		if (waits(watch) && content && content->primary_output < 0) {
			surface_send_frame_done(watch->surface, clock_ms(now));
		}
	}
}

static void unwatch(struct watch *watch)
{
	wl_list_remove(&watch->applied.link);
	wl_list_remove(&watch->map.link);
	wl_list_remove(&watch->unmap.link);
	wl_list_remove(&watch->destroy.link);
	wl_list_remove(&watch->new_subsurface.link);
	wl_list_remove(&watch->subsurface_destroy.link);
	wl_list_remove(&watch->link);
	free(watch);
}

static void unwatch_all(struct window_source *source)
{
	struct watch *watch, *next;
	wl_list_for_each_safe (watch, next, &source->watches, link) {
		unwatch(watch);
	}
}

static void leave(struct window_source *source)
{
	unwatch_all(source);
	timer_disarm(&source->callbacks);
	if (source->window) {
		wl_list_remove(&source->unmap.link);
		wl_list_remove(&source->destroy.link);
		wl_list_remove(&source->preferred.link);
		wl_list_remove(&source->surface.link);
		wl_list_remove(&source->lock.link);
		source->window = NULL;
	}
}

static void destroy(struct capture_source *base)
{
	struct window_source *source = window_source(base);
	leave(source);
	timer_finish(&source->callbacks);
	capture_source_finish(base);
	free(source);
}

static const struct capture_source_impl impl = {
	.view = view,
	.pointed_at = pointed_at,
	.captured = captured,
	.destroy = destroy,
};

/* Returns the position of the surface in the window's root surface, logical. */
static void locate(const struct surface *surface, int *x, int *y)
{
	*x = *y = 0;
	for (const struct subsurface *sub = surface->subsurface; sub && sub->parent;
		sub = sub->parent->subsurface) {
		*x = coord_sum(*x, sub->x);
		*y = coord_sum(*y, sub->y);
	}
}

static void damage_content(struct watch *watch)
{
	struct window_source *source = watch->source;
	const struct surface *surface = watch->surface;
	struct capture_view view;
	if (!source->base.impl->view(&source->base, &view)) {
		return;
	}
	pixman_region32_t damage;
	pixman_region32_init(&damage);
	surface_state_from_buffer(&surface->current, &damage, &surface->current.buffer_damage);
	int x, y;
	locate(surface, &x, &y);
	pixman_region32_translate(
		&damage, x - source->window->geometry.x, y - source->window->geometry.y);
	const double scale = view.view.scale / surface->density;
	region_scale(&damage, &damage, scale, scale);
	if (scale != 1 || surface->current.width != surface->current.buffer_width) {
		region_expand(&damage, &damage, 1); /* filters read neighbouring pixels */
	}
	pixman_region32_intersect_rect(&damage, &damage, 0, 0, (unsigned)source->base.width,
		(unsigned)source->base.height);
	if (pixman_region32_not_empty(&damage)) {
		capture_source_damage(&source->base, &damage);
	}
	pixman_region32_fini(&damage);
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct watch *watch = wl_container_of(listener, watch, applied);
	const struct surface_state *current = &watch->surface->current;
	bool moved = current->width != watch->width || current->height != watch->height ||
		     (current->fields & ~(uint32_t)CONTENT_FIELDS);
	watch->width = current->width;
	watch->height = current->height;
	capture_source_update(&watch->source->base);
	if (moved) {
		capture_source_damage_all(&watch->source->base);
	} else {
		damage_content(watch);
	}
}

static void handle_map(struct wl_listener *listener, void *data)
{
	struct watch *watch = wl_container_of(listener, watch, map);
	capture_source_damage_all(&watch->source->base);
}

static void handle_unmap(struct wl_listener *listener, void *data)
{
	struct watch *watch = wl_container_of(listener, watch, unmap);
	capture_source_damage_all(&watch->source->base);
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct watch *watch = wl_container_of(listener, watch, destroy);
	struct window_source *source = watch->source;
	unwatch(watch);
	capture_source_damage_all(&source->base);
}

/* Stops watching a surface and its subsurfaces, which may become part of another window. */
static void unwatch_tree(struct window_source *source, struct surface *root)
{
	struct watch *watch, *next;
	wl_list_for_each_safe (watch, next, &source->watches, link) {
		const struct surface *surface = watch->surface;
		while (surface != root && surface->subsurface && surface->subsurface->parent) {
			surface = surface->subsurface->parent;
		}
		if (surface == root) {
			unwatch(watch);
		}
	}
}

static void handle_subsurface_destroy(struct wl_listener *listener, void *data)
{
	struct watch *watch = wl_container_of(listener, watch, subsurface_destroy);
	struct window_source *source = watch->source;
	unwatch_tree(source, watch->surface);
	capture_source_damage_all(&source->base);
}

static void handle_new_subsurface(struct wl_listener *listener, void *data)
{
	struct watch *watch = wl_container_of(listener, watch, new_subsurface);
	const struct subsurface *subsurface = data;
	watch_surface(watch->source, subsurface->surface);
}

static void watch_children(struct window_source *source, const struct surface *surface)
{
	const struct surface_state *pending = &surface->pending;
	for (int i = 0; i < pending->n_children; i++) {
		if (pending->children[i].subsurface) {
			watch_surface(source, pending->children[i].subsurface->surface);
		}
	}
}

static void watch_surface(struct window_source *source, struct surface *surface)
{
	struct watch *watch = xcalloc(1, sizeof(*watch));
	watch->source = source;
	watch->surface = surface;
	watch->width = surface->current.width;
	watch->height = surface->current.height;
	signal_add(&surface->events.applied, &watch->applied, handle_applied);
	signal_add(&surface->events.map, &watch->map, handle_map);
	signal_add(&surface->events.unmap, &watch->unmap, handle_unmap);
	signal_add(&surface->events.destroy, &watch->destroy, handle_surface_destroy);
	signal_add(&surface->events.new_subsurface, &watch->new_subsurface, handle_new_subsurface);
	wl_list_init(&watch->subsurface_destroy.link);
	if (surface->subsurface) {
		signal_add(&surface->subsurface->events.destroy, &watch->subsurface_destroy,
			handle_subsurface_destroy);
	}
	wl_list_insert(&source->watches, &watch->link);
	watch_children(source, surface);
}

static void go(struct window_source *source)
{
	leave(source);
	capture_source_set_gone(&source->base);
}

static void handle_window_unmap(struct wl_listener *listener, void *data)
{
	struct window_source *source = wl_container_of(listener, source, unmap);
	go(source);
}

static void handle_window_destroy(struct wl_listener *listener, void *data)
{
	struct window_source *source = wl_container_of(listener, source, destroy);
	go(source);
}

static void handle_preferred(struct wl_listener *listener, void *data)
{
	struct window_source *source = wl_container_of(listener, source, preferred);
	capture_source_update(&source->base);
}

static void follow_surface(struct window_source *source)
{
	struct surface *surface = source->window->surface;
	signal_add(&surface->events.preferred, &source->preferred, handle_preferred);
	watch_surface(source, surface);
}

static void handle_surface(struct wl_listener *listener, void *data)
{
	struct window_source *source = wl_container_of(listener, source, surface);
	unwatch_all(source);
	wl_list_remove(&source->preferred.link);
	follow_surface(source);
	capture_source_update(&source->base);
	capture_source_damage_all(&source->base);
}

static void handle_lock(struct wl_listener *listener, void *data)
{
	struct window_source *source = wl_container_of(listener, source, lock);
	capture_source_damage_all(&source->base);
}

struct capture_source *capture_source_create_window(
	struct protocols *protocols, struct window *window)
{
	struct window_source *source = xcalloc(1, sizeof(*source));
	capture_source_init(&source->base, &impl, protocols);
	source->base.translucent = true;
	source->window = window;
	wl_list_init(&source->watches);
	timer_init(&source->callbacks, protocols->server->clock, handle_callbacks);
	signal_add(&window->events.unmap, &source->unmap, handle_window_unmap);
	signal_add(&window->events.destroy, &source->destroy, handle_window_destroy);
	signal_add(&window->events.surface, &source->surface, handle_surface);
	signal_add(&protocols->server->shell->events.lock, &source->lock, handle_lock);
	follow_surface(source);
	capture_source_update(&source->base);
	return &source->base;
}
