/* SPDX-License-Identifier: MIT */
/*
 * Magnifier: enlarges the output with the pointer or the text cursor, whichever moved last. The
 * point stays in place on the screen, so that all parts of the output can be reached.
 */

#include "action.h"
#include "frame/frame.h"
#include "input.h"
#include "seat/seat.h"
#include "seat/text_field.h"
#include "shell/geometry/private.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

#define FACTOR_MAX 16.0
/** Smaller factors result from rounding, and end the magnification. */
#define FACTOR_LEAST 1.01

struct magnifier {
	struct shell *shell;
	double factor; /* above 1 */
	struct coord_global at; /* stays in place on its output, which is magnified */
	struct coord_global pointer, caret; /* as last followed */
	struct wl_listener moved, text, focus, layout;
};

double magnifier_factor(const struct shell *shell)
{
	return shell->private->magnifier ? shell->private->magnifier->factor : 1;
}

static void update(const struct magnifier *magnifier)
{
	struct scene *scene = magnifier->shell->scene;
	const struct scene_output *magnified = scene_output_nearest(scene, magnifier->at);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = scene->outputs[i];
		struct frame_output *frame = output ? frame_output_find(output) : NULL;
		if (frame) {
			frame_output_magnify(
				frame, output == magnified ? magnifier->factor : 1, magnifier->at);
		}
	}
}

static void look_at(struct magnifier *magnifier, struct coord_global at)
{
	magnifier->at = at;
	update(magnifier);
}

/* The surface under a motionless pointer may change, too. */
static void handle_moved(struct wl_listener *listener, void *data)
{
	struct magnifier *magnifier = wl_container_of(listener, magnifier, moved);
	const struct coord_global at = magnifier->shell->seat->pointer.at;
	struct coord_global *last = &magnifier->pointer;
	if (at.x != last->x || at.y != last->y) {
		*last = at;
		look_at(magnifier, at);
	}
}

static double clamp(double value, double most)
{
	return fmax(0, fmin(value, most));
}

/* Computes the middle of a text cursor. Returns false if the program does not tell it. */
static bool find_caret(const struct text_field *field, struct coord_global *out)
{
	const struct scene_surface *content =
		field->surface ? scene_surface_find(field->surface) : NULL;
	const struct box *box = &field->current.rectangle;
	int x, y;
	if (!content || !(field->current.facts & TEXT_RECTANGLE) ||
		!scene_node_coords(&content->node, &x, &y)) {
		return false;
	}
	out->x = x + clamp(box->x + box->width / 2.0, content->look.width);
	out->y = y + clamp(box->y + box->height / 2.0, content->look.height);
	return true;
}

/* The view stays while a press maps motion through it. */
static bool is_pressed(const struct shell *shell)
{
	return shell->seat->pointer.n_buttons > 0 || shell->seat->touch.n_points > 0;
}

static void handle_text(struct wl_listener *listener, void *data)
{
	struct magnifier *magnifier = wl_container_of(listener, magnifier, text);
	struct coord_global at, *last = &magnifier->caret;
	if (!is_pressed(magnifier->shell) && find_caret(data, &at) &&
		(at.x != last->x || at.y != last->y)) {
		*last = at;
		look_at(magnifier, at);
	}
}

/* Follows a focus that was moved by a key to a window away from the pointer. */
static void handle_focus(struct wl_listener *listener, void *data)
{
	struct magnifier *magnifier = wl_container_of(listener, magnifier, focus);
	const struct window *window = data;
	if (!window || is_pressed(magnifier->shell)) {
		return;
	}
	const struct coord_global at = magnifier->shell->seat->pointer.at;
	const struct box box = {
		window->x, window->y, window->geometry.width, window->geometry.height};
	if (!box_contains_point(&box, at.x, at.y)) {
		look_at(magnifier,
			(struct coord_global){box.x + box.width / 2.0, box.y + box.height / 2.0});
	}
}

static void handle_layout(struct wl_listener *listener, void *data)
{
	struct magnifier *magnifier = wl_container_of(listener, magnifier, layout);
	update(magnifier);
}

static struct magnifier *create(struct shell *shell)
{
	struct magnifier *magnifier = xcalloc(1, sizeof(*magnifier));
	struct seat *seat = shell->seat;
	magnifier->shell = shell;
	magnifier->at = magnifier->pointer = seat->pointer.at;
	magnifier->caret = (struct coord_global){NAN, NAN};
	signal_add(&seat->pointer.events.moved, &magnifier->moved, handle_moved);
	signal_add(&seat->text.events.state, &magnifier->text, handle_text);
	signal_add(&shell->events.focus, &magnifier->focus, handle_focus);
	signal_add(&shell->scene->events.layout_changed, &magnifier->layout, handle_layout);
	return magnifier;
}

void magnifier_finish(struct shell *shell)
{
	struct magnifier *magnifier = shell->private->magnifier;
	if (magnifier) {
		wl_list_remove(&magnifier->moved.link);
		wl_list_remove(&magnifier->text.link);
		wl_list_remove(&magnifier->focus.link);
		wl_list_remove(&magnifier->layout.link);
		free(magnifier);
		shell->private->magnifier = NULL;
	}
}

static void set_factor(struct shell *shell, double factor)
{
	const bool on = factor >= FACTOR_LEAST;
	if (on && !shell->private->magnifier) {
		shell->private->magnifier = create(shell);
	}
	if (shell->private->magnifier) {
		shell->private->magnifier->factor = on ? fmin(factor, FACTOR_MAX) : 1;
		update(shell->private->magnifier);
	}
	if (!on) {
		magnifier_finish(shell);
	}
}

static double step(const struct shell *shell)
{
	return 1 + shell->config->look.magnify_step / 100.0;
}

void action_magnify_in(struct shell *shell, const char *argument)
{
	set_factor(shell, magnifier_factor(shell) * step(shell));
}

void action_magnify_out(struct shell *shell, const char *argument)
{
	set_factor(shell, magnifier_factor(shell) / step(shell));
}

void action_magnify_reset(struct shell *shell, const char *argument)
{
	set_factor(shell, 1);
}
