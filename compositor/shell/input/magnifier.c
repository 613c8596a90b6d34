/* SPDX-License-Identifier: MIT */
/*
 * Magnifier: enlarges the output with the pointer or the text cursor, whichever moved last. The point
 * stays in place on the screen, so that all parts of the output can be reached.
 */

#include "action.h"
#include "frame/frame.h"
#include "input.h"
#include "seat/seat.h"
#include "seat/text_field.h"
#include "shell/shell.h"
#include <math.h>

#define FACTOR_MAX 16.0
/** Smaller factors result from rounding, and end the magnification. */
#define FACTOR_LEAST 1.01

static void update(struct shell *shell)
{
	const struct magnifier *magnifier = &shell->magnifier;
	const struct scene_output *magnified = scene_output_nearest(shell->scene, magnifier->at);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = shell->scene->outputs[i];
		struct frame_output *frame = output ? frame_output_find(output) : NULL;
		if (frame) {
			frame_output_magnify(
				frame, output == magnified ? magnifier->factor : 1, magnifier->at);
		}
	}
}

static void look_at(struct shell *shell, struct coord_global at)
{
	shell->magnifier.at = at;
	update(shell);
}

/* The surface under a motionless pointer may change, too. */
static void handle_moved(struct wl_listener *listener, void *data)
{
	struct shell *shell = wl_container_of(listener, shell, magnifier.moved);
	const struct coord_global at = shell->seat->pointer.at;
	struct coord_global *last = &shell->magnifier.pointer;
	if (at.x != last->x || at.y != last->y) {
		*last = at;
		look_at(shell, at);
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
	struct shell *shell = wl_container_of(listener, shell, magnifier.text);
	struct coord_global at, *last = &shell->magnifier.caret;
	if (!is_pressed(shell) && find_caret(data, &at) && (at.x != last->x || at.y != last->y)) {
		*last = at;
		look_at(shell, at);
	}
}

/* Follows a focus that was moved by a key to a window away from the pointer. */
static void handle_focus(struct wl_listener *listener, void *data)
{
	struct shell *shell = wl_container_of(listener, shell, magnifier.focus);
	const struct window *window = data;
	if (!window || is_pressed(shell)) {
		return;
	}
	const struct coord_global at = shell->seat->pointer.at;
	const struct box box = {
		window->x, window->y, window->geometry.width, window->geometry.height};
	if (!box_contains_point(&box, at.x, at.y)) {
		look_at(shell,
			(struct coord_global){box.x + box.width / 2.0, box.y + box.height / 2.0});
	}
}

static void handle_layout(struct wl_listener *listener, void *data)
{
	struct shell *shell = wl_container_of(listener, shell, magnifier.layout);
	update(shell);
}

static void begin(struct shell *shell)
{
	struct magnifier *magnifier = &shell->magnifier;
	struct seat *seat = shell->seat;
	magnifier->at = magnifier->pointer = seat->pointer.at;
	magnifier->caret = (struct coord_global){NAN, NAN};
	magnifier->moved.notify = handle_moved;
	magnifier->text.notify = handle_text;
	magnifier->focus.notify = handle_focus;
	magnifier->layout.notify = handle_layout;
	wl_signal_add(&seat->pointer.events.moved, &magnifier->moved);
	wl_signal_add(&seat->text.events.state, &magnifier->text);
	wl_signal_add(&shell->events.focus, &magnifier->focus);
	wl_signal_add(&shell->scene->events.layout_changed, &magnifier->layout);
}

static void end(struct shell *shell)
{
	wl_list_remove(&shell->magnifier.moved.link);
	wl_list_remove(&shell->magnifier.text.link);
	wl_list_remove(&shell->magnifier.focus.link);
	wl_list_remove(&shell->magnifier.layout.link);
}

static void set_factor(struct shell *shell, double factor)
{
	struct magnifier *magnifier = &shell->magnifier;
	const bool was_on = magnifier->factor > 1;
	magnifier->factor = factor < FACTOR_LEAST ? 1 : fmin(factor, FACTOR_MAX);
	const bool is_on = magnifier->factor > 1;
	if (is_on && !was_on) {
		begin(shell);
	} else if (was_on && !is_on) {
		end(shell);
	}
	update(shell);
}

static double step(const struct shell *shell)
{
	return 1 + shell->config->look.magnify_step / 100.0;
}

void action_magnify_in(struct shell *shell, const char *argument)
{
	set_factor(shell, fmax(shell->magnifier.factor, 1) * step(shell));
}

void action_magnify_out(struct shell *shell, const char *argument)
{
	set_factor(shell, shell->magnifier.factor / step(shell));
}

void action_magnify_reset(struct shell *shell, const char *argument)
{
	set_factor(shell, 1);
}

void magnifier_finish(struct shell *shell)
{
	if (shell->magnifier.factor > 1) {
		end(shell);
	}
}
