/* SPDX-License-Identifier: MIT */
/* Cursor themes: images of shapes, loaded once per size. */

#include "seat/theme.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cursor_theme {
	char *name;
	struct wl_list animations; /* cursor_animation.link; most recently used first */
	bool scarce; /* a lookup failed for lack of descriptors or memory */
};

/** Range of image sizes, pixels. */
#define IMAGE_SIZE_MIN 8
#define IMAGE_SIZE_MAX 512
/**
 * Maximum number of cached shapes: each image uses a descriptor, and new scales add sizes. Enough
 * for all shapes at two or three scales.
 */
#define KEPT_MAX 96

/** CSS names, and similar names in older themes. */
static const struct {
	const char *shape;
	const char *names[4];
} old_names[] = {
	{"default", {"left_ptr", "arrow", "top_left_arrow"}},
	{"context-menu", {"left_ptr"}},
	{"help", {"question_arrow", "whats_this", "left_ptr_help"}},
	{"pointer", {"hand2", "pointing_hand", "hand1", "hand"}},
	{"progress", {"left_ptr_watch", "half-busy", "watch"}},
	{"wait", {"watch"}},
	{"cell", {"plus", "crosshair", "cross"}},
	{"crosshair", {"cross", "tcross"}},
	{"text", {"xterm", "ibeam"}},
	{"vertical-text", {"xterm"}},
	{"alias", {"link", "dnd-link"}},
	{"copy", {"dnd-copy", "plus"}},
	{"move", {"dnd-move", "fleur", "size_all"}},
	{"no-drop", {"dnd-none", "not-allowed", "forbidden", "crossed_circle"}},
	{"not-allowed", {"crossed_circle", "forbidden", "no-drop"}},
	{"grab", {"openhand", "hand1"}},
	{"grabbing", {"closedhand", "dnd-none", "fleur"}},
	{"e-resize", {"right_side", "size_hor"}},
	{"n-resize", {"top_side", "size_ver"}},
	{"ne-resize", {"top_right_corner", "size_bdiag"}},
	{"nw-resize", {"top_left_corner", "size_fdiag"}},
	{"s-resize", {"bottom_side", "size_ver"}},
	{"se-resize", {"bottom_right_corner", "size_fdiag"}},
	{"sw-resize", {"bottom_left_corner", "size_bdiag"}},
	{"w-resize", {"left_side", "size_hor"}},
	{"ew-resize", {"sb_h_double_arrow", "h_double_arrow", "size_hor"}},
	{"ns-resize", {"sb_v_double_arrow", "v_double_arrow", "size_ver"}},
	{"nesw-resize", {"fd_double_arrow", "size_bdiag"}},
	{"nwse-resize", {"bd_double_arrow", "size_fdiag"}},
	{"col-resize", {"split_h", "sb_h_double_arrow", "h_double_arrow"}},
	{"row-resize", {"split_v", "sb_v_double_arrow", "v_double_arrow"}},
	{"all-scroll", {"fleur", "size_all"}},
	{"zoom-in", {"zoom_in", "left_ptr"}},
	{"zoom-out", {"zoom_out", "left_ptr"}},
	{"dnd-ask", {"dnd-copy", "copy"}},
	{"all-resize", {"move", "fleur", "size_all"}},
};

struct cursor_theme *cursor_theme_create(const char *name)
{
	struct cursor_theme *theme = xcalloc(1, sizeof(*theme));
	theme->name = xstrdup(name);
	wl_list_init(&theme->animations);
	return theme;
}

static void forget(struct cursor_animation *animation)
{
	wl_list_remove(&animation->link);
	cursor_animation_finish(animation);
	free(animation->shape);
	free(animation);
}

void cursor_theme_destroy(struct cursor_theme *theme)
{
	if (!theme) {
		return;
	}
	struct cursor_animation *animation, *next;
	wl_list_for_each_safe (animation, next, &theme->animations, link) {
		forget(animation);
	}
	free(theme->name);
	free(theme);
}

static bool load_name(
	struct cursor_theme *theme, const char *name, int size, struct cursor_animation *out)
{
	char *path = xcursor_find(theme->name, name);
	if (!path) {
		return false;
	}
	bool good = xcursor_load(path, size, out);
	if (!good) {
		int error = errno;
		theme->scarce |= error == EMFILE || error == ENFILE || error == ENOMEM;
		log_warn("cursor %s: %s", path,
			error == EINVAL ? "not an Xcursor file" : strerror(error));
	}
	free(path);
	return good;
}

static bool load_shape(
	struct cursor_theme *theme, const char *shape, int size, struct cursor_animation *out)
{
	if (load_name(theme, shape, size, out)) {
		return true;
	}
	for (size_t i = 0; i < sizeof(old_names) / sizeof(old_names[0]); i++) {
		if (strcmp(old_names[i].shape, shape) != 0) {
			continue;
		}
		for (int j = 0; j < 4 && old_names[i].names[j]; j++) {
			if (load_name(theme, old_names[i].names[j], size, out)) {
				return true;
			}
		}
	}
	return false;
}

/** Finds a cached shape; a fallback image only if asked for. */
static struct cursor_animation *find(
	const struct cursor_theme *theme, const char *shape, int size, bool fallback)
{
	struct cursor_animation *animation;
	wl_list_for_each (animation, &theme->animations, link) {
		if (animation->wanted_size == size && animation->fallback == fallback &&
			strcmp(animation->shape, shape) == 0) {
			return animation;
		}
	}
	return NULL;
}

static bool load(
	struct cursor_theme *theme, const char *shape, int size, struct cursor_animation *animation)
{
	theme->scarce = false;
	if (load_shape(theme, shape, size, animation) ||
		load_shape(theme, "default", size, animation)) {
		animation->fallback = theme->scarce;
		return true;
	}
	log_debug(LOG_SEAT, "cursor theme %s has no %s", theme->name, shape);
	animation->fallback = theme->scarce;
	return cursor_draw_fallback(size, animation);
}

/** Caches an animation, at the front of a list limited to `most`. */
static const struct cursor_animation *keep(
	struct cursor_theme *theme, struct cursor_animation *animation)
{
	wl_list_insert(&theme->animations, &animation->link);
	if (wl_list_length(&theme->animations) > KEPT_MAX) {
		struct cursor_animation *last = wl_container_of(theme->animations.prev, last, link);
		forget(last);
	}
	return animation;
}

const struct cursor_animation *cursor_theme_get(
	struct cursor_theme *theme, const char *shape, int size)
{
	size = size < IMAGE_SIZE_MIN   ? IMAGE_SIZE_MIN
	       : size > IMAGE_SIZE_MAX ? IMAGE_SIZE_MAX
				       : size;
	struct cursor_animation *known = find(theme, shape, size, false);
	if (known) {
		wl_list_remove(&known->link);
		return keep(theme, known);
	}
	struct cursor_animation *animation = xcalloc(1, sizeof(*animation));
	animation->wanted_size = size;
	bool loaded = load(theme, shape, size, animation);
	known = find(theme, shape, size, true);
	if (loaded && (!animation->fallback || !known)) {
		animation->shape = xstrdup(shape);
		return keep(theme, animation);
	}
	if (loaded) {
		cursor_animation_finish(animation);
	}
	free(animation);
	if (!known && !wl_list_empty(&theme->animations)) {
		/* Another shape's image is better than none. */
		known = wl_container_of(theme->animations.next, known, link);
	}
	return known;
}
