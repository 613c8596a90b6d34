/* SPDX-License-Identifier: MIT */
/* zwp_text_input_v3: text fields of clients, for the seat's input method. */

#include "protocol/protocol.h"
#include "seat/seat.h"
#include "text-input-unstable-v3-protocol.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define ALL_HINTS (2 * ZWP_TEXT_INPUT_V3_CONTENT_HINT_MULTILINE - 1)

struct text_input {
	struct text_field field;
	struct wl_resource *resource;
};

static void enter(struct text_field *field, struct surface *surface)
{
	const struct text_input *input = wl_container_of(field, input, field);
	zwp_text_input_v3_send_enter(input->resource, surface_resource(surface));
}

static void leave(struct text_field *field, struct surface *surface)
{
	const struct text_input *input = wl_container_of(field, input, field);
	zwp_text_input_v3_send_leave(input->resource, surface_resource(surface));
}

static void edit(struct text_field *field, const struct text_edit *edit)
{
	const struct text_input *input = wl_container_of(field, input, field);
	struct wl_resource *resource = input->resource;
	if (edit->preedit) {
		zwp_text_input_v3_send_preedit_string(
			resource, edit->preedit, edit->cursor_begin, edit->cursor_end);
	}
	if (edit->insert) {
		zwp_text_input_v3_send_commit_string(resource, edit->insert);
	}
	if (edit->deletes) {
		zwp_text_input_v3_send_delete_surrounding_text(resource, edit->before, edit->after);
	}
	zwp_text_input_v3_send_done(resource, field->n_commits);
}

static const struct text_field_impl field_impl = {
	.enter = enter,
	.leave = leave,
	.edit = edit,
};

/* Returns NULL if the resource is inert. */
static struct text_field *field_of(struct wl_resource *resource)
{
	struct text_input *input = wl_resource_get_user_data(resource);
	return input ? &input->field : NULL;
}

static void handle_enable(struct wl_client *client, struct wl_resource *resource)
{
	struct text_field *field = field_of(resource);
	if (field) {
		text_field_enable(field);
	}
}

static void handle_disable(struct wl_client *client, struct wl_resource *resource)
{
	struct text_field *field = field_of(resource);
	if (field) {
		text_field_disable(field);
	}
}

static void handle_set_surrounding_text(struct wl_client *client, struct wl_resource *resource,
	const char *text, int32_t cursor, int32_t anchor)
{
	struct text_field *field = field_of(resource);
	if (field) {
		text_field_set_surrounding(field, text, cursor, anchor);
	}
}

static void handle_set_text_change_cause(
	struct wl_client *client, struct wl_resource *resource, uint32_t cause)
{
	struct text_field *field = field_of(resource);
	if (field) {
		field->pending.facts |= TEXT_CAUSE;
		field->pending.cause = cause == ZWP_TEXT_INPUT_V3_CHANGE_CAUSE_INPUT_METHOD
					       ? cause
					       : ZWP_TEXT_INPUT_V3_CHANGE_CAUSE_OTHER;
	}
}

static void handle_set_content_type(
	struct wl_client *client, struct wl_resource *resource, uint32_t hint, uint32_t purpose)
{
	struct text_field *field = field_of(resource);
	if (field) {
		field->pending.facts |= TEXT_CONTENT_TYPE;
		field->pending.hint = hint & ALL_HINTS;
		field->pending.purpose = purpose <= ZWP_TEXT_INPUT_V3_CONTENT_PURPOSE_TERMINAL
						 ? purpose
						 : ZWP_TEXT_INPUT_V3_CONTENT_PURPOSE_NORMAL;
	}
}

static void handle_set_cursor_rectangle(struct wl_client *client, struct wl_resource *resource,
	int32_t x, int32_t y, int32_t width, int32_t height)
{
	struct text_field *field = field_of(resource);
	if (field) {
		field->pending.facts |= TEXT_RECTANGLE;
		field->pending.rectangle =
			box_clamp(x, y, width < 0 ? 0 : width, height < 0 ? 0 : height);
	}
}

static void handle_commit(struct wl_client *client, struct wl_resource *resource)
{
	struct text_field *field = field_of(resource);
	if (field) {
		text_field_commit(field);
	}
}

static const struct zwp_text_input_v3_interface text_input_impl = {
	.destroy = resource_handle_destroy,
	.enable = handle_enable,
	.disable = handle_disable,
	.set_surrounding_text = handle_set_surrounding_text,
	.set_text_change_cause = handle_set_text_change_cause,
	.set_content_type = handle_set_content_type,
	.set_cursor_rectangle = handle_set_cursor_rectangle,
	.commit = handle_commit,
};

static void destroy(struct wl_resource *resource)
{
	struct text_input *input = wl_resource_get_user_data(resource);
	if (input) {
		text_field_finish(&input->field);
		free(input);
	}
}

static void handle_get_text_input(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *seat_resource)
{
	struct seat *seat = seat_from_resource(seat_resource);
	struct text_input *input = seat ? xcalloc(1, sizeof(*input)) : NULL;
	struct wl_resource *created = resource_create_child(
		resource, &zwp_text_input_v3_interface, id, &text_input_impl, input, destroy);
	if (created && input) {
		input->resource = created;
		client_charge_receiver(created);
		text_field_init(&input->field, seat, client_from_wl(client), &field_impl);
	}
}

static const struct zwp_text_input_manager_v3_interface manager_impl = {
	.destroy = resource_handle_destroy,
	.get_text_input = handle_get_text_input,
};

void text_input_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zwp_text_input_manager_v3_interface, 1, &manager_impl,
		protocols, GLOBAL_PUBLIC);
}
