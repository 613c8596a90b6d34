/* SPDX-License-Identifier: MIT */
#pragma once

/** A compiled keymap with its state and the file that clients map. */

#include "seat/seat.h"

struct seat_keymap {
	int n_refs;
	char *names; /* joined RMLVO names; NULL: sent by a client */
	struct xkb_keymap *keymap;
	struct xkb_state *state;
	char *string;
	int fd;
	uint32_t size; /* with the final NUL */
};

/** Compiles a client's keymap. Returns NULL if the text has errors. */
struct seat_keymap *seat_keymap_parse(struct xkb_context *context, const char *text);
/**
 * Scans a client's keymap for text that crashes libxkbcommon or makes it allocate without bound.
 * Returns the fault, or NULL for text that can be compiled.
 */
const char *seat_keymap_text_fault(const char *text);
/** Compiles a keymap by names; returns NULL if there is none. */
struct seat_keymap *seat_keymap_compile(
	struct xkb_context *context, const struct seat_keymap_names *names);
bool seat_keymap_names_default(const struct seat_keymap_names *names);
/** Returns true if the keymap was compiled from these names. */
bool seat_keymap_is(const struct seat_keymap *keymap, const struct seat_keymap_names *names);
/** Returns another state of the same keymap; NULL if the file cannot be created. */
struct seat_keymap *seat_keymap_clone(const struct seat_keymap *keymap);
struct input_modifiers_event seat_keymap_modifiers(const struct seat_keymap *keymap);
/** Accepts NULL. */
void seat_keymap_unref(struct seat_keymap *keymap);
