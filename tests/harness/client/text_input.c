/* SPDX-License-Identifier: MIT */
/* Text fields and input methods of test clients. */

#include "harness/client/text_input.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Fields */

static void handle_enter(void *data, struct zwp_text_input_v3 *input, struct wl_surface *surface)
{
	struct field *field = data;
	assert_null(field->entered);
	field->entered = surface;
	notes_add(&field->notes, "enter; ");
}

static void handle_leave(void *data, struct zwp_text_input_v3 *input, struct wl_surface *surface)
{
	struct field *field = data;
	/* The client may have destroyed it by now. */
	assert_true(!surface || field->entered == surface);
	field->entered = NULL;
	notes_add(&field->notes, "leave; ");
}

static void handle_preedit(void *data, struct zwp_text_input_v3 *input, const char *text,
	int32_t cursor_begin, int32_t cursor_end)
{
	struct field *field = data;
	notes_add(&field->notes, "preedit %s %d %d; ", text, cursor_begin, cursor_end);
}

static void handle_insert(void *data, struct zwp_text_input_v3 *input, const char *text)
{
	struct field *field = data;
	notes_add(&field->notes, "insert %s; ", text);
}

static void handle_delete(
	void *data, struct zwp_text_input_v3 *input, uint32_t before, uint32_t after)
{
	struct field *field = data;
	notes_add(&field->notes, "delete %u %u; ", before, after);
}

static void handle_field_done(void *data, struct zwp_text_input_v3 *input, uint32_t serial)
{
	struct field *field = data;
	notes_add(&field->notes, "done %u; ", serial);
}

static const struct zwp_text_input_v3_listener field_listener = {
	.enter = handle_enter,
	.leave = handle_leave,
	.preedit_string = handle_preedit,
	.commit_string = handle_insert,
	.delete_surrounding_text = handle_delete,
	.done = handle_field_done,
};

struct field *field_create(struct peer *peer)
{
	struct field *field = xcalloc(1, sizeof(*field));
	field->notes.fixture = peer->fixture;
	field->peer = peer;
	struct zwp_text_input_manager_v3 *manager =
		peer_bind(peer, &zwp_text_input_manager_v3_interface, 0);
	field->input = zwp_text_input_manager_v3_get_text_input(manager, peer->seat);
	zwp_text_input_v3_add_listener(field->input, &field_listener, field);
	zwp_text_input_manager_v3_destroy(manager);
	fixture_pump(peer->fixture);
	return field;
}

void field_destroy(struct field *field)
{
	zwp_text_input_v3_destroy(field->input);
	fixture_pump(field->peer->fixture);
	free(field);
}

void field_enable(struct field *field)
{
	zwp_text_input_v3_enable(field->input);
	zwp_text_input_v3_commit(field->input);
	fixture_pump(field->peer->fixture);
}

void field_disable(struct field *field)
{
	zwp_text_input_v3_disable(field->input);
	zwp_text_input_v3_commit(field->input);
	fixture_pump(field->peer->fixture);
}

/* Typists */

static void handle_activate(void *data, struct zwp_input_method_v2 *method)
{
	struct typist *typist = data;
	notes_add(&typist->notes, "activate; ");
}

static void handle_deactivate(void *data, struct zwp_input_method_v2 *method)
{
	struct typist *typist = data;
	notes_add(&typist->notes, "deactivate; ");
}

static void handle_surrounding(void *data, struct zwp_input_method_v2 *method, const char *text,
	uint32_t cursor, uint32_t anchor)
{
	struct typist *typist = data;
	notes_add(&typist->notes, "around %s %u %u; ", text, cursor, anchor);
}

static void handle_cause(void *data, struct zwp_input_method_v2 *method, uint32_t cause)
{
	struct typist *typist = data;
	notes_add(&typist->notes, "cause %u; ", cause);
}

static void handle_type(
	void *data, struct zwp_input_method_v2 *method, uint32_t hint, uint32_t purpose)
{
	struct typist *typist = data;
	notes_add(&typist->notes, "type %x %u; ", hint, purpose);
}

static void handle_done(void *data, struct zwp_input_method_v2 *method)
{
	struct typist *typist = data;
	typist->n_done++;
	notes_add(&typist->notes, "done; ");
}

static void handle_unavailable(void *data, struct zwp_input_method_v2 *method)
{
	struct typist *typist = data;
	notes_add(&typist->notes, "unavailable; ");
}

static const struct zwp_input_method_v2_listener method_listener = {
	.activate = handle_activate,
	.deactivate = handle_deactivate,
	.surrounding_text = handle_surrounding,
	.text_change_cause = handle_cause,
	.content_type = handle_type,
	.done = handle_done,
	.unavailable = handle_unavailable,
};

struct typist *typist_create(struct peer *peer)
{
	struct typist *typist = xcalloc(1, sizeof(*typist));
	typist->notes.fixture = peer->fixture;
	typist->peer = peer;
	struct zwp_input_method_manager_v2 *manager =
		peer_bind(peer, &zwp_input_method_manager_v2_interface, 0);
	typist->method = zwp_input_method_manager_v2_get_input_method(manager, peer->seat);
	zwp_input_method_v2_add_listener(typist->method, &method_listener, typist);
	zwp_input_method_manager_v2_destroy(manager);
	fixture_pump(peer->fixture);
	return typist;
}

void typist_destroy(struct typist *typist)
{
	zwp_input_method_v2_destroy(typist->method);
	fixture_pump(typist->peer->fixture);
	free(typist);
}

void typist_commit(struct typist *typist)
{
	zwp_input_method_v2_commit(typist->method, typist->n_done);
	fixture_pump(typist->peer->fixture);
}
