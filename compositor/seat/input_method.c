/* SPDX-License-Identifier: MIT */
/* A seat's input method: its activation, and its edits of the active text field. */

#include "seat/input_method.h"
#include "seat/internal.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void reset(struct text_edit *edit)
{
	free(edit->preedit);
	free(edit->insert);
	*edit = (struct text_edit){0};
}

static void notify(struct input_method *method, enum input_method_event event)
{
	method->n_events++;
	if (event != INPUT_METHOD_CHANGED) {
		reset(&method->pending);
		method->active = event == INPUT_METHOD_ACTIVATED;
	}
	if (event == INPUT_METHOD_ACTIVATED) {
		method->active_since = method->n_events;
	}
	method->impl->notify(method, event);
}

void input_method_update(struct seat *seat)
{
	const struct seat_text *text = &seat->text;
	bool active = text->active && !text->suspended;
	if (text->method && text->method->active != active) {
		notify(text->method, active ? INPUT_METHOD_ACTIVATED : INPUT_METHOD_DEACTIVATED);
	}
}

void input_method_changed(struct seat *seat, bool anew)
{
	struct input_method *method = seat->text.method;
	if (method && method->active) {
		notify(method, anew ? INPUT_METHOD_ACTIVATED : INPUT_METHOD_CHANGED);
	}
}

bool input_method_init(
	struct input_method *method, struct seat *seat, const struct input_method_impl *impl)
{
	if (seat->text.method) {
		return false;
	}
	*method = (struct input_method){.impl = impl, .seat = seat};
	seat->text.method = method;
	input_method_update(seat);
	return true;
}

void input_method_finish(struct input_method *method)
{
	struct seat_text *text = &method->seat->text;
	text->method = NULL;
	reset(&method->pending);
	if (method->active) {
		method->pending.preedit = xstrdup("");
		text->active->impl->edit(text->active, &method->pending);
		reset(&method->pending);
	}
}

void input_method_set_preedit(
	struct input_method *method, const char *text, int32_t cursor_begin, int32_t cursor_end)
{
	free(method->pending.preedit);
	method->pending.preedit = xstrdup(text);
	method->pending.cursor_begin = cursor_begin;
	method->pending.cursor_end = cursor_end;
}

void input_method_insert(struct input_method *method, const char *text)
{
	free(method->pending.insert);
	method->pending.insert = xstrdup(text);
}

void input_method_delete(struct input_method *method, uint32_t before, uint32_t after)
{
	method->pending.deletes = true;
	method->pending.before = before;
	method->pending.after = after;
}

void input_method_commit(struct input_method *method, uint32_t n_received)
{
	struct text_field *field = method->seat->text.active;
	if (method->active && (int32_t)(n_received - method->active_since) >= 0) {
		field->impl->edit(field, &method->pending);
	}
	reset(&method->pending);
}

void seat_suspend_input_method(struct seat *seat, bool suspended)
{
	seat->text.suspended = suspended;
	input_method_update(seat);
}
