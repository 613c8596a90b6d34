/* SPDX-License-Identifier: MIT */
/* A seat's cursor: the image at the pointer's position. */

#include "seat/cursor.h"
#include "seat/theme.h"
#include "surface/client.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The role has no state: the cursor that shows the surface listens to it. */
const struct surface_role cursor_role = {.name = "wl_pointer-cursor", .no_input = true};

static void place(struct cursor *cursor)
{
	cursor->scene->pointer = cursor->at;
	scene_node_set_position(&cursor->tree->node, (int)floor(cursor->at.x) - cursor->hotspot_x,
		(int)floor(cursor->at.y) - cursor->hotspot_y);
	signal_emit(&cursor->events.moved, cursor);
}

static void tell_changed(struct cursor *cursor)
{
	signal_emit(&cursor->events.changed, cursor);
}

/*
 * Shows images near the requested size unscaled; scales others (a theme without large images on an
 * output with a high scale).
 */
static double image_scale(const struct cursor *cursor)
{
	double wanted = cursor->size * cursor->scale, size = cursor->animation->size;
	return fabs(size - wanted) < 0.2 * wanted ? cursor->scale : size / cursor->size;
}

static void show_frame(struct cursor *cursor)
{
	const struct cursor_frame *frame = &cursor->animation->frames[cursor->frame];
	double scale = image_scale(cursor);
	scene_image_set(cursor->image, frame->buffer, (int)round(frame->buffer->width / scale),
		(int)round(frame->buffer->height / scale));
	cursor->hotspot_x = (int)round(frame->hotspot_x / scale);
	cursor->hotspot_y = (int)round(frame->hotspot_y / scale);
	place(cursor);
	tell_changed(cursor);
}

static bool is_seen(const struct cursor *cursor)
{
	return cursor->visible && scene_output_nearest(cursor->scene, cursor->at);
}

static void schedule(struct cursor *cursor, int64_t now)
{
	const struct cursor_animation *animation = cursor->animation;
	timer_disarm(&cursor->timer);
	if (animation && animation->n_frames > 1 && is_seen(cursor)) {
		/* Some files say 0, for the fastest animation. */
		int64_t delay = animation->frames[cursor->frame].delay;
		timer_arm(&cursor->timer, now + (delay < 10 ? 10 : delay) * INT64_C(1000000));
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct cursor *cursor = wl_container_of(timer, cursor, timer);
	cursor->frame = (cursor->frame + 1) % cursor->animation->n_frames;
	show_frame(cursor);
	schedule(cursor, now);
}

/* Loads the shape's images for the output under the pointer. */
static void load_shape(struct cursor *cursor)
{
	const struct cursor_animation *old = cursor->animation;
	struct scene_output *output = scene_output_nearest(cursor->scene, cursor->at);
	cursor->scale = output ? output->scale : 1;
	cursor->animation = NULL;
	if (cursor->shape && output) {
		cursor->animation = cursor_theme_get(
			cursor->theme, cursor->shape, (int)round(cursor->size * cursor->scale));
	}
	if (cursor->animation && cursor->animation != old) {
		cursor->frame = 0;
		show_frame(cursor);
	}
	if (cursor->image->node.enabled != (cursor->animation != NULL)) {
		scene_node_set_enabled(&cursor->image->node, cursor->animation);
		tell_changed(cursor);
	}
	schedule(cursor, clock_now(cursor->clock));
}

static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct cursor *cursor = wl_container_of(listener, cursor, layout_changed);
	load_shape(cursor);
}

static void show_surface(struct cursor *cursor)
{
	struct surface *surface = cursor->surface;
	if (surface_has_content(surface) && !surface->mapped) {
		surface_map(surface);
	} else if (!surface_has_content(surface) && surface->mapped) {
		surface_unmap(surface);
	}
}

static void handle_surface_applied(struct wl_listener *listener, void *data)
{
	struct cursor *cursor = wl_container_of(listener, cursor, surface_applied);
	/* The commit moved the content; the hotspot moves along. */
	cursor->hotspot_x = coord_sum(cursor->hotspot_x, -cursor->surface->current.dx);
	cursor->hotspot_y = coord_sum(cursor->hotspot_y, -cursor->surface->current.dy);
	show_surface(cursor);
	place(cursor);
	tell_changed(cursor);
}

static void forget_surface(struct cursor *cursor)
{
	wl_list_remove(&cursor->surface_destroy.link);
	wl_list_remove(&cursor->surface_applied.link);
	cursor->surface = NULL;
	cursor->surface_tree = NULL;
	tell_changed(cursor);
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	/* The surface's destruction destroys its scene node, too. */
	struct cursor *cursor = wl_container_of(listener, cursor, surface_destroy);
	forget_surface(cursor);
}

static void drop_surface(struct cursor *cursor)
{
	struct surface *surface = cursor->surface;
	struct scene_tree *tree = cursor->surface_tree;
	if (surface) {
		forget_surface(cursor);
		scene_node_destroy(&tree->node);
		if (surface->mapped) {
			surface_unmap(surface);
		}
	}
}

void cursor_init(struct cursor *cursor, struct scene *scene, struct clock *clock)
{
	*cursor = (struct cursor){.scene = scene, .clock = clock, .scale = 1};
	cursor->tree = scene_tree_create(&scene->cursor);
	cursor->image = scene_image_create(cursor->tree, NULL);
	signals_init(&cursor->events, sizeof(cursor->events));
	scene_node_set_enabled(&cursor->tree->node, false);
	timer_init(&cursor->timer, clock, handle_timer);
	signal_add(&scene->events.layout_changed, &cursor->layout_changed, handle_layout_changed);
	cursor_set_theme(cursor, NULL, 0);
	cursor_set_shape(cursor, "default");
}

void cursor_finish(struct cursor *cursor)
{
	drop_surface(cursor);
	timer_finish(&cursor->timer);
	wl_list_remove(&cursor->layout_changed.link);
	scene_node_destroy(&cursor->tree->node);
	cursor_theme_destroy(cursor->theme);
	free(cursor->shape);
}

void cursor_set_theme(struct cursor *cursor, const char *theme, int size)
{
	const char *variable;
	if (!theme) {
		variable = getenv("XCURSOR_THEME");
		theme = variable && *variable ? variable : "default";
	}
	if (size <= 0) {
		variable = getenv("XCURSOR_SIZE");
		size = variable ? atoi(variable) : 0;
	}
	if (strcmp(theme, "default") != 0 && !xcursor_has_theme(theme)) {
		log_warn("no cursor theme '%s' found: using the default theme", theme);
	}
	struct cursor_theme *old = cursor->theme;
	cursor->theme = cursor_theme_create(theme);
	cursor->size = size > 0 && size <= CURSOR_SIZE_MAX ? size : 24;
	cursor->animation = NULL;
	load_shape(cursor);
	cursor_theme_destroy(old);
}

void cursor_move(struct cursor *cursor, struct coord_global at)
{
	cursor->at = at;
	if (cursor->shape) {
		struct scene_output *output = scene_output_nearest(cursor->scene, at);
		if (output && output->scale != cursor->scale) {
			load_shape(cursor);
		}
	}
	place(cursor);
}

void cursor_set_shape(struct cursor *cursor, const char *shape)
{
	if (shape && cursor->shape && strcmp(shape, cursor->shape) == 0) {
		return;
	}
	drop_surface(cursor);
	free(cursor->shape);
	cursor->shape = xstrdup(shape);
	cursor->animation = NULL;
	load_shape(cursor);
}

void cursor_set_surface(
	struct cursor *cursor, struct surface *surface, int hotspot_x, int hotspot_y)
{
	if (!surface || cursor->shape) {
		cursor_set_shape(cursor, NULL);
	}
	if (!surface) {
		return;
	}
	assert(surface->role && surface->role->no_input);
	/* Cursors of X programs are in device pixels: their hotspot may be between logical ones. */
	const struct client *client = surface->client;
	const double density = client && client->x_server ? client->density : 1;
	const double x = hotspot_x / density, y = hotspot_y / density;
	cursor->hotspot_x = (int)ceil(x);
	cursor->hotspot_y = (int)ceil(y);
	scene_surface_set_density(surface, density, cursor->hotspot_x - x, cursor->hotspot_y - y);
	if (cursor->surface != surface) {
		drop_surface(cursor);
		cursor->surface = surface;
		cursor->surface_tree = scene_surface_tree_create(cursor->tree, surface);
		signal_add(
			&surface->events.destroy, &cursor->surface_destroy, handle_surface_destroy);
		signal_add(
			&surface->events.applied, &cursor->surface_applied, handle_surface_applied);
	}
	show_surface(cursor);
	place(cursor);
	tell_changed(cursor);
}

bool cursor_size(const struct cursor *cursor, int *width, int *height)
{
	if (cursor->surface) {
		const struct surface *surface = cursor->surface;
		*width = coord_round_up(surface->current.width / surface->density);
		*height = coord_round_up(surface->current.height / surface->density);
		return cursor->visible && cursor->surface->mapped;
	}
	*width = cursor->image->width;
	*height = cursor->image->height;
	return cursor->visible && cursor->image->node.enabled && cursor->image->buffer;
}

void cursor_set_visible(struct cursor *cursor, bool visible)
{
	if (cursor->visible != visible) {
		cursor->visible = visible;
		scene_node_set_enabled(&cursor->tree->node, visible);
		tell_changed(cursor);
	}
	schedule(cursor, clock_now(cursor->clock));
}
