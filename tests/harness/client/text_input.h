/* SPDX-License-Identifier: MIT */
#pragma once

/** Clients with text fields and input method clients, both of which record their events. */

#include "harness/notes.h"
#include "harness/peer.h"
#include "input-method-unstable-v2-client-protocol.h"
#include "text-input-unstable-v3-client-protocol.h"
#include <wayland-client.h>

/** A text field: "enter", "leave", "preedit TEXT 0 1", "insert TEXT", "delete 1 2", "done 1". */
struct field {
	struct notes notes;
	struct peer *peer;
	struct zwp_text_input_v3 *input;
	struct wl_surface *entered; /* NULL: none */
};

/**
 * An input method: "activate", "around TEXT 1 1", "cause 1", "type 1 2", "done", "deactivate",
 * "unavailable".
 */
struct typist {
	struct notes notes;
	struct peer *peer;
	struct zwp_input_method_v2 *method;
	uint32_t n_done;
};

/** Bind the seat of `peer`. */
struct field *field_create(struct peer *peer);
struct typist *typist_create(struct peer *peer);
/** Call while the peer exists. Afterwards use free(). */
void field_destroy(struct field *field);
void typist_destroy(struct typist *typist);

/** Enables the field and commits, without further state. */
void field_enable(struct field *field);
void field_disable(struct field *field);
/** Commits with the serial of the last done event. */
void typist_commit(struct typist *typist);
