#pragma once

/** What the files of zwp_input_method_v2 share. */

#include "protocol.h"
#include "seat/input_method.h"

struct input_keyboard;

/** One of a client's that is the seat's. */
struct input_agent {
	struct input_method method;
	struct wl_resource *resource;
	struct protocols *protocols;
	struct input_keyboard *keyboard; /* NULL: it did not ask for keys */
	struct wl_list popups; /* input_popup.c */
};

/** input_method_keyboard.c. `agent` NULL: an inert one. It takes the place of an older one. */
void input_keyboard_create(
	struct input_agent *agent, struct wl_client *client, int version, uint32_t id);
/** Keys are its own while the agent is active. */
void input_keyboard_update(struct input_agent *agent);
/** It becomes inert, if there is one. */
void input_keyboard_orphan(struct input_agent *agent);

/** input_popup.c. `agent` NULL: an inert one. The input method's resource gets the error. */
void input_popup_create(struct input_agent *agent, struct wl_resource *method_resource, uint32_t id,
	struct surface *surface);
/** Popups show while the agent is active, beside the text. */
void input_popups_update(struct input_agent *agent);
void input_popups_orphan(struct input_agent *agent);
