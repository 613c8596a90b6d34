#pragma once

/**
 * A text field: where a client takes text, as it tells itself, and as an input method types into it. At
 * most one of a seat is active: the first that was enabled on the surface with the keyboard.
 *
 * Texts are UTF-8; what counts in them counts bytes.
 */

#include "util/box.h"
#include <stdbool.h>
#include <stdint.h>
#include <wayland-util.h>

struct client;
struct seat;
struct surface;
struct text_field;

/** What a field has told of itself. Nothing else of the state means anything. */
enum text_fact {
	TEXT_SURROUNDING = 1 << 0,
	TEXT_CAUSE = 1 << 1,
	TEXT_CONTENT_TYPE = 1 << 2,
	TEXT_RECTANGLE = 1 << 3,
};

struct text_state {
	uint32_t facts; /* enum text_fact */
	char *surrounding; /* owned; without what is being composed */
	uint32_t cursor, anchor; /* in it, at the first byte of a character or the end */
	uint32_t cause; /* enum zwp_text_input_v3_change_cause; 0 if it was not told */
	uint32_t hint, purpose; /* as in zwp_text_input_v3 */
	struct box rectangle; /* around the cursor, surface coordinates */
};

/** What an input method does to a field, at once. */
struct text_edit {
	char *preedit; /* owned; NULL: nothing is being composed */
	int32_t cursor_begin, cursor_end; /* in preedit; both -1: hidden */
	char *insert; /* owned; NULL: nothing */
	bool deletes;
	uint32_t before, after; /* bytes around the cursor to delete */
};

/** Tells the client. All mandatory; they destroy no fields. */
struct text_field_impl {
	/** `surface` is of its client and has the keyboard now. */
	void (*enter)(struct text_field *field, struct surface *surface);
	void (*leave)(struct text_field *field, struct surface *surface);
	void (*edit)(struct text_field *field, const struct text_edit *edit);
};

/** What a commit does to the field as a whole. */
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
	struct surface *surface; /* of its client, with the keyboard; NULL: none */
	/** Until text_field_commit(); set by the functions below. */
	enum text_toggle toggle;
	struct text_state pending;
	struct text_state current; /* while it is active */
	uint32_t n_commits;
};

/** Enters at once if a surface of the client has the keyboard. */
void text_field_init(struct text_field *field, struct seat *seat, const struct client *client,
	const struct text_field_impl *impl);
void text_field_finish(struct text_field *field);
/** Forgets what is pending. */
void text_field_enable(struct text_field *field);
void text_field_disable(struct text_field *field);
/** Copies the text. What cannot be so is not told at all: a cursor outside, or within a character, or over 4000 bytes. */
void text_field_set_surrounding(
	struct text_field *field, const char *text, int32_t cursor, int32_t anchor);
void text_field_commit(struct text_field *field);

/** All fields of the seat leave the surface that they are in. */
void text_fields_leave(struct seat *seat);
/** The fields of the client of `surface`, which has the keyboard, enter it. */
void text_fields_enter(struct seat *seat, struct surface *surface);
