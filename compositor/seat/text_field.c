/* SPDX-License-Identifier: MIT */
/* Text fields: activation, and their state. */

#include "seat/text_field.h"
#include "seat/internal.h"
#include "surface/client.h"
#include "surface/surface.h"
#include "util/account.h"
#include <string.h>

/* Bytes; the protocol's limit, for programs with older libraries. */
#define SURROUNDING_MAX 4000

static void reset(struct text_field *field, struct text_state *state)
{
	account_free_string(field->client->account, state->surrounding);
	*state = (struct text_state){0};
}

static void deactivate(struct text_field *field)
{
	struct seat_text *text = &field->seat->text;
	if (text->active == field) {
		text->active = NULL;
		input_method_update(field->seat);
	}
	reset(field, &field->current);
}

static void enter(struct text_field *field, struct surface *surface)
{
	field->surface = surface;
	field->impl->enter(field, surface);
}

static void forget_pending(struct text_field *field)
{
	field->toggle = TEXT_KEEP;
	reset(field, &field->pending);
}

void text_fields_leave(struct seat *seat)
{
	struct text_field *field;
	wl_list_for_each (field, &seat->text.fields, link) {
		struct surface *surface = field->surface;
		if (surface) {
			field->surface = NULL;
			forget_pending(field);
			deactivate(field);
			field->impl->leave(field, surface);
		}
	}
}

void text_fields_enter(struct seat *seat, struct surface *surface)
{
	struct text_field *field;
	wl_list_for_each (field, &seat->text.fields, link) {
		if (surface && field->client == surface->client) {
			enter(field, surface);
		}
	}
}

void text_field_init(struct text_field *field, struct seat *seat, const struct client *client,
	const struct text_field_impl *impl)
{
	*field = (struct text_field){.impl = impl, .seat = seat, .client = client};
	wl_list_insert(seat->text.fields.prev, &field->link);
	struct surface *focus = seat->keyboard.focus;
	if (focus && focus->client == client) {
		enter(field, focus);
	}
}

void text_field_finish(struct text_field *field)
{
	wl_list_remove(&field->link);
	deactivate(field);
	forget_pending(field);
}

void text_field_enable(struct text_field *field)
{
	forget_pending(field);
	field->toggle = TEXT_ENABLE;
}

void text_field_disable(struct text_field *field)
{
	field->toggle = TEXT_DISABLE;
}

/* Returns true for the first byte of a character and for the end. */
static bool is_index(const char *text, size_t length, int32_t index)
{
	return index >= 0 && (size_t)index <= length && ((uint8_t)text[index] & 0xc0) != 0x80;
}

void text_field_set_surrounding(
	struct text_field *field, const char *text, int32_t cursor, int32_t anchor)
{
	struct text_state *pending = &field->pending;
	size_t length = strlen(text);
	if (length > SURROUNDING_MAX || !is_index(text, length, cursor) ||
		!is_index(text, length, anchor)) {
		return;
	}
	account_free_string(field->client->account, pending->surrounding);
	pending->surrounding = account_strdup(field->client->account, text);
	pending->cursor = (uint32_t)cursor;
	pending->anchor = (uint32_t)anchor;
	pending->facts |= TEXT_SURROUNDING;
}

static void apply_pending(struct text_field *field)
{
	struct text_state *to = &field->current, *from = &field->pending;
	if (from->facts & TEXT_SURROUNDING) {
		account_free_string(field->client->account, to->surrounding);
		to->surrounding = from->surrounding;
		from->surrounding = NULL;
		to->cursor = from->cursor;
		to->anchor = from->anchor;
	}
	if (from->facts & TEXT_CONTENT_TYPE) {
		to->hint = from->hint;
		to->purpose = from->purpose;
	}
	if (from->facts & TEXT_RECTANGLE) {
		to->rectangle = from->rectangle;
	}
	/* The cause applies to a single commit. */
	to->cause = from->facts & TEXT_CAUSE ? from->cause : 0;
	to->facts |= from->facts;
}

void text_field_commit(struct text_field *field)
{
	struct seat_text *text = &field->seat->text;
	field->n_commits++;
	if (field->toggle == TEXT_DISABLE) {
		deactivate(field);
	} else if (field->toggle == TEXT_ENABLE && field->surface && !text->active) {
		apply_pending(field);
		text->active = field;
		input_method_update(field->seat);
	} else if (text->active == field) {
		if (field->toggle == TEXT_ENABLE) {
			reset(field, &field->current);
		}
		apply_pending(field);
		input_method_changed(field->seat, field->toggle == TEXT_ENABLE);
	}
	forget_pending(field);
	if (text->active == field) {
		signal_emit(&text->events.state, field);
	}
}
