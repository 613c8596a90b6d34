/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Text fields: text input state of clients, and edits by an input method. At most one field of a
 * seat is active: the first one enabled on the surface with the keyboard focus.
 *
 * Texts are UTF-8; lengths and positions are in bytes.
 */

#include "util/box.h"
#include <stdbool.h>
#include <stdint.h>
#include <wayland-util.h>

struct client;
struct seat;
struct surface;
struct text_field;

/** State that a field has set; other members of text_state are undefined. */
enum text_fact {
	TEXT_SURROUNDING = 1 << 0,
	TEXT_CAUSE = 1 << 1,
	TEXT_CONTENT_TYPE = 1 << 2,
	TEXT_RECTANGLE = 1 << 3,
};

struct text_state {
	uint32_t facts; /* enum text_fact */
	char *surrounding; /* owned; without the preedit text */
	uint32_t cursor,
		anchor; /* in `surrounding`, at the first byte of a character or at the end */
	uint32_t cause; /* enum zwp_text_input_v3_change_cause; 0: not given */
	uint32_t hint, purpose; /* as in zwp_text_input_v3 */
	struct box rectangle; /* around the cursor, surface coordinates */
};

/** An edit by an input method, applied atomically. */
struct text_edit {
	char *preedit; /* owned; NULL: no preedit text */
	int32_t cursor_begin, cursor_end; /* in preedit; both -1: hidden */
	char *insert; /* owned; NULL: none */
	bool deletes;
	uint32_t before, after; /* bytes around the cursor to delete */
};

/** Sends events to the client. All are mandatory, and must not destroy fields. */
struct text_field_impl {
	/** `surface` belongs to the field's client and has the keyboard focus. */
	void (*enter)(struct text_field *field, struct surface *surface);
	void (*leave)(struct text_field *field, struct surface *surface);
	void (*edit)(struct text_field *field, const struct text_edit *edit);
};

/** Enables or disables the field in a commit. */
enum text_toggle {
	TEXT_KEEP,
	TEXT_ENABLE,
	TEXT_DISABLE,
};

struct text_field {
	struct wl_list link; /* seat.text.fields */
	const struct text_field_impl *impl;
	struct seat *seat;
	const struct client *client;
	struct surface *surface; /* of its client, with the keyboard focus; NULL: none */
	/** Pending until text_field_commit(). */
	enum text_toggle toggle;
	struct text_state pending;
	struct text_state current; /* while the field is active */
	uint32_t n_commits;
};

/** Enters at once if a surface of the client has the keyboard focus. */
void text_field_init(struct text_field *field, struct seat *seat, const struct client *client,
	const struct text_field_impl *impl);
void text_field_finish(struct text_field *field);
/** Discards the pending state. */
void text_field_enable(struct text_field *field);
void text_field_disable(struct text_field *field);
/**
 * Copies the text. Ignores the surrounding text if it exceeds 4000 bytes, or if a position is
 * invalid (outside, or within a character).
 */
void text_field_set_surrounding(
	struct text_field *field, const char *text, int32_t cursor, int32_t anchor);
void text_field_commit(struct text_field *field);

/** Sends leave to all fields of the seat that have a surface. */
void text_fields_leave(struct seat *seat);
/** Sends enter to the fields of the client of `surface`, which has the keyboard focus. */
void text_fields_enter(struct seat *seat, struct surface *surface);
