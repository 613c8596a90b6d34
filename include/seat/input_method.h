#pragma once

/**
 * An input method: what types into the active text field of a seat (seat/text_field.h) in the user's
 * stead. A seat has one at most.
 */

#include "seat/text_field.h"

struct input_method;

enum input_method_event {
	INPUT_METHOD_ACTIVATED, /* there is an active field, or another one */
	INPUT_METHOD_CHANGED, /* the active field has told more */
	INPUT_METHOD_DEACTIVATED,
};

struct input_method_impl {
	/** Mandatory. The field is seat->text.active, or there is none. Destroys nothing. */
	void (*tell)(struct input_method *method, enum input_method_event event);
};

struct input_method {
	const struct input_method_impl *impl;
	struct seat *seat;
	bool active;
	uint32_t n_told; /* calls of tell */
	uint32_t active_since; /* n_told with the last INPUT_METHOD_ACTIVATED */
	/** Until input_method_commit(). */
	struct text_edit pending;
};

/** False if the seat has one; nothing needs to be finished then. Active at once if a field is. */
bool input_method_init(
	struct input_method *method, struct seat *seat, const struct input_method_impl *impl);
/** What it was composing goes; it is told nothing. */
void input_method_finish(struct input_method *method);
void input_method_set_preedit(
	struct input_method *method, const char *text, int32_t cursor_begin, int32_t cursor_end);
void input_method_insert(struct input_method *method, const char *text);
void input_method_delete(struct input_method *method, uint32_t before, uint32_t after);
/**
 * Does what is pending to the active field. `n_heard`: how often it was told, as far as it knows; what was
 * meant for a field that it was active in before is dropped.
 */
void input_method_commit(struct input_method *method, uint32_t n_heard);
/** While `suspended` it is not active, whatever has the keyboard: the session is locked. */
void seat_suspend_input_method(struct seat *seat, bool suspended);
