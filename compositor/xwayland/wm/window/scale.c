/* SPDX-License-Identifier: MIT */
/*
 * Scales: positions on the X screen, and sizes of X windows, against logical pixels.
 *
 * Positions are multiplied by the scale of the X screen. Sizes and contents are multiplied by the
 * window's density, which is another one if a rule says so.
 */

#include "scale.h"
#include "surface/surface.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/hints/hints.h"
#include <math.h>

/** Tolerance of rounding up or down: scales are multiples of 1/120. */
#define EPSILON 1e-6
/**
 * Largest distance (pixels of the X screen) of an input method's window from the window with the
 * text.
 */
#define NEXT_TO 32

static int32_t round_up(double value)
{
	return (int32_t)ceil(value - EPSILON);
}

static int32_t round_down(double value)
{
	return (int32_t)floor(value + EPSILON);
}

int32_t xwm_to_root(const struct xwm *wm, double logical)
{
	const double value = round(logical * wm->scale);
	return (int32_t)fmax(-X_POSITION_MAX, fmin(X_POSITION_MAX, value));
}

int32_t xwm_from_root(const struct xwm *wm, int32_t position)
{
	return (int32_t)lround(position / wm->scale);
}

static struct frame_extents frame_to_root(const struct xwm *wm, const struct frame_extents *frame)
{
	return (struct frame_extents){xwm_to_root(wm, frame->top), xwm_to_root(wm, frame->right),
		xwm_to_root(wm, frame->bottom), xwm_to_root(wm, frame->left)};
}

struct frame_extents xwin_frame(const struct xwin *window)
{
	const struct frame_extents frame = window_frame(window->window);
	return frame_to_root(window->wm, &frame);
}

struct frame_extents xwm_frame_estimate(const struct xwm *wm, bool floats)
{
	const struct frame_extents frame = shell_estimate_frame(wm->parts->shell, floats);
	return frame_to_root(wm, &frame);
}

/* A fullscreen window has exactly the size of its output as Xwayland is told. */
static bool fill_output(struct xwin *window, int32_t *width, int32_t *height)
{
	const struct scene_output *output = window_output(window->window);
	if (!output) {
		return false;
	}
	const struct box box = scene_output_box(output);
	if (*width != box.width || *height != box.height) {
		return false;
	}
	const struct scene_view view = scene_output_view(output);
	scene_view_upright_size(&view, width, height);
	*width = (int32_t)lround(*width * window->density / view.scale);
	*height = (int32_t)lround(*height * window->density / view.scale);
	const struct box root = {
		xwm_to_root(window->wm, box.x), xwm_to_root(window->wm, box.y), *width, *height};
	xwin_mode_apply(window, &root, width, height);
	return true;
}

void xwin_size_to_window(
	struct xwin *window, bool floating, int32_t x, int32_t y, int32_t *width, int32_t *height)
{
	const struct xwm *wm = window->wm;
	const double density = window->density;
	if ((window->window->states & WINDOW_FULLSCREEN) && fill_output(window, width, height)) {
		return;
	}
	if (!floating && density == wm->scale) {
		/* Edges are rounded, so that neighbours touch. */
		*width = xwm_to_root(wm, (double)x + *width) - xwm_to_root(wm, x);
		*height = xwm_to_root(wm, (double)y + *height) - xwm_to_root(wm, y);
		return;
	}
	/*
	 * With increments, the largest size that has this logical one, for
	 * xwm_size_hints_constrain().
	 */
	*width = window->hints.width_step > 1 ? round_up((*width + 1) * density) - 1
					      : round_up(*width * density);
	*height = window->hints.height_step > 1 ? round_up((*height + 1) * density) - 1
						: round_up(*height * density);
}

int32_t xwin_size_from_window(const struct xwin *window, int32_t size)
{
	const int32_t logical = round_down(size / window->density);
	return logical > 0 ? logical : 1;
}

void xwin_constrain(const struct xwin *window, int32_t *width, int32_t *height)
{
	*width = round_up((*width + 1) * window->density) - 1;
	*height = round_up((*height + 1) * window->density) - 1;
	xwm_size_hints_constrain(&window->hints, width, height);
	*width = xwin_size_from_window(window, *width);
	*height = xwin_size_from_window(window, *height);
}

static void limit(
	const struct xwin *window, int32_t least, int32_t most, int32_t *to_least, int32_t *to_most)
{
	*to_least = round_up(least / window->density);
	*to_most = most > 0 ? xwin_size_from_window(window, most) : 0;
	if (*to_most > 0 && *to_most < *to_least) {
		*to_least = *to_most;
	}
}

void xwin_limits_apply(struct xwin *window)
{
	const struct x_size_hints *hints = &window->hints;
	struct window_limits to;
	limit(window, hints->min_width, hints->max_width, &to.min_width, &to.max_width);
	limit(window, hints->min_height, hints->max_height, &to.min_height, &to.max_height);
	window_set_limits(window->window, &to);
}

/*
 * Returns the scale of device pixels, even if the X screen has logical ones; without outputs, the
 * last one.
 */
static double native_scale(const struct xwm *wm)
{
	double most = 0;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = wm->parts->scene->outputs[i];
		most = output ? fmax(most, output->scale) : most;
	}
	return fmax(1, most > 0 ? most : wm->native_scale);
}

void xwin_density_update(struct xwin *window)
{
	struct xwm *wm = window->wm;
	const double density = window_x_native(window->window) ? native_scale(wm) : 1;
	wm->has_rules = wm->has_rules || density != wm->scale;
	window->density = density;
	if (window->surface) {
		scene_surface_set_density(window->surface, density, 0, 0);
	}
}

/*
 * Returns the window of the same client that an override-redirect window was opened from, or NULL.
 */
static const struct xwin *find_owner(const struct xwin *window)
{
	const struct xwm *wm = window->wm;
	const struct xwin *owner, *found = NULL;
	wl_list_for_each (owner, &wm->stack, stack_link) {
		if (xwin_same_client(owner, window) &&
			(owner == wm->focus.window || !found || found != wm->focus.window)) {
			found = owner;
		}
	}
	return found;
}

/* Returns whether a window is on the focused one or next to it, as windows of input methods are. */
static bool is_at_focus(const struct xwin *window)
{
	const struct xwin *focus = window->wm->focus.window;
	const struct box *box = &window->box;
	return focus && focus->window && box->x >= focus->box.x - NEXT_TO &&
	       box->y >= focus->box.y - NEXT_TO &&
	       box->x - focus->box.x <= focus->box.width + NEXT_TO &&
	       box->y - focus->box.y <= focus->box.height + NEXT_TO;
}

void xwin_place_unmanaged(struct xwin *window)
{
	const struct xwm *wm = window->wm;
	const struct xwin *owner = wm->has_rules ? find_owner(window) : NULL;
	double x = window->box.x / wm->scale, y = window->box.y / wm->scale;
	window->density = wm->scale;
	if (owner) {
		window->density = owner->density;
	} else if (wm->has_rules && is_at_focus(window)) {
		owner = wm->focus.window;
	}
	if (owner && owner->density != wm->scale) {
		x = owner->window->x + (window->box.x - owner->box.x) / owner->density;
		y = owner->window->y + (window->box.y - owner->box.y) / owner->density;
	}
	const int32_t left = round_down(x), top = round_down(y);
	scene_node_set_position(&window->tree->node, left, top);
	scene_surface_set_density(
		window->surface, window->density, fmax(x - left, 0), fmax(y - top, 0));
}

static void rescale(struct xwin *window)
{
	const double old = window->density;
	xwin_density_update(window);
	const double ratio = window->density / old;
	window->own_width = (int32_t)lround(window->own_width * ratio);
	window->own_height = (int32_t)lround(window->own_height * ratio);
	xwin_limits_apply(window);
	xwin_mark(window, X_DIRTY_CONFIGURE | X_DIRTY_SIZE | X_DIRTY_POSITION | X_DIRTY_STATES |
				  X_DIRTY_SYNTHETIC);
}

void xwm_rescale(struct xwm *wm)
{
	const double native = native_scale(wm);
	const bool scaled = wm->server->scale != wm->scale;
	if (!scaled && native == wm->native_scale) {
		return;
	}
	wm->scale = wm->server->scale;
	wm->native_scale = native;
	wm->cursor_size = wm->parts->seat->cursor.size;
	wm->has_rules = false;
	struct xwin *window;
	wl_list_for_each (window, &wm->windows, link) {
		if (window->window) {
			rescale(window);
		}
	}
	wl_list_for_each (window, &wm->windows, link) {
		if (window->tree) {
			xwin_place_unmanaged(window);
		}
	}
	wm->root_dirty = true;
	wm->settings_dirty = wm->settings_dirty || scaled;
	xwm_flush_soon(wm);
}
