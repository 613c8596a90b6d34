/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * An input method types into the active text field of a seat (seat/text_field.h). A seat has at
 * most one.
 */

#include "seat/text_field.h"

struct input_method;

enum input_method_event {
	INPUT_METHOD_ACTIVATED, /* a field was activated or deactivated, or another one is active */
	INPUT_METHOD_CHANGED, /* the state of the active field changed */
	INPUT_METHOD_DEACTIVATED,
};

struct input_method_impl {
	/** Mandatory. seat->text.active is the field or NULL. Must not destroy objects. */
	void (*notify)(struct input_method *method, enum input_method_event event);
};

struct input_method {
	const struct input_method_impl *impl;
	struct seat *seat;
	bool active;
	uint32_t n_events; /* calls of notify */
	uint32_t active_since; /* n_events at the last INPUT_METHOD_ACTIVATED */
	/** Applied by input_method_commit(). */
	struct text_edit pending;
};

/**
 * Returns false, without need to call input_method_finish(), if the seat has an input method.
 * Activates it at once if a field is active.
 */
bool input_method_init(
	struct input_method *method, struct seat *seat, const struct input_method_impl *impl);
/** Removes the input method and its preedit text, without events to it. */
void input_method_finish(struct input_method *method);
void input_method_set_preedit(
	struct input_method *method, const char *text, int32_t cursor_begin, int32_t cursor_end);
void input_method_insert(struct input_method *method, const char *text);
void input_method_delete(struct input_method *method, uint32_t before, uint32_t after);
/**
 * Applies the pending edit to the active field. `n_received`: number of events that the input
 * method has received; an edit for a field that was active earlier is dropped.
 */
void input_method_commit(struct input_method *method, uint32_t n_received);
/** While `suspended` (the session is locked), the input method is inactive for any focus. */
void seat_suspend_input_method(struct seat *seat, bool suspended);
