/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by the files of zwp_input_method_v2. */

#include "protocol/protocol.h"
#include "seat/input_method.h"

struct input_keyboard;

/** The input method object that is active for the seat. */
struct input_agent {
	struct input_method method;
	struct wl_resource *resource;
	struct protocols *protocols;
	struct input_keyboard *keyboard; /* NULL: no keyboard grab was requested */
	struct wl_list popups; /* owner: input_popup.c */
};

/**
 * Creates a keyboard grab, which replaces an older one. `agent` NULL: inert. Defined in
 * input_method_keyboard.c.
 */
void input_keyboard_create(
	struct input_agent *agent, struct wl_client *client, int version, uint32_t id);
/** Activates the keyboard grab while the agent is active. */
void input_keyboard_update(struct input_agent *agent);
/** Makes the agent's keyboard grab inert, if there is one. */
void input_keyboard_orphan(struct input_agent *agent);

/**
 * Creates an input popup; an error is posted on the input method's resource. `agent` NULL: inert.
 * Defined in input_popup.c.
 */
void input_popup_create(struct input_agent *agent, struct wl_resource *method_resource, uint32_t id,
	struct surface *surface);
/** Shows or hides the popups: they are visible beside the text while the agent is active. */
void input_popups_update(struct input_agent *agent);
void input_popups_orphan(struct input_agent *agent);
