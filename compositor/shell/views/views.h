/* SPDX-License-Identifier: MIT */
#pragma once

/** Views that take the keyboard: window switcher, overview and the question before the end. */

#include "shell/shell.h"
#include <xkbcommon/xkbcommon.h>

struct input_key_event;
struct seat_press;

/* cycle.c */
#define DROPPED_KEYS_MAX 8
/** Keys whose press a grab of the shell kept from clients. */
struct dropped_keys {
	uint32_t codes[DROPPED_KEYS_MAX];
	int n;
};
/**
 * Returns false for the release of a key whose press the focus got: it must get the release, too.
 */
bool dropped_keys_take(struct dropped_keys *keys, const struct input_key_event *event);
/** Selects the next window, or focuses it if no modifier is held. */
void cycle_step(struct shell *shell, bool back);
/** End the switching: with the focus of the selected window, or as before. */
void cycle_finish(struct shell *shell);
void cycle_cancel(struct shell *shell);
/** Handles a key during the switching. Returns false if it has no meaning there. */
bool cycle_key(struct shell *shell, xkb_keysym_t sym);
/** Selects the pressed window; a press elsewhere cancels. Returns true for a press on the panel. */
bool cycle_press(struct shell *shell, const struct seat_press *press);
/** Selects the window under the pointer. */
void cycle_hover(struct shell *shell);

/* overview.c */
/** Shows all workspaces, until the user has chosen one or leaves. */
void overview_open(struct shell *shell);
void overview_close(struct shell *shell);
/** Handles a key while the overview is open. Returns false if it has no meaning there. */
bool overview_key(struct shell *shell, uint32_t modifiers, xkb_keysym_t sym);
/** Chooses the pressed window or workspace. Returns false without overview. */
bool overview_press(struct shell *shell, const struct seat_press *press);
/** Selects the item under the pointer. */
void overview_hover(struct shell *shell);

/* quit.c */
/** Asks for the end of the session on the screen; ends it if that question is shown already. */
void quit_ask(struct shell *shell);
/** Hides the question. */
void quit_cancel(struct shell *shell);
/**
 * Handles a key while the question is shown: Return confirms, any other key but that of the action
 * cancels. `binding` is the one of the key, or NULL. Returns whether the key is consumed.
 */
bool quit_key(struct shell *shell, xkb_keysym_t sym, const struct config_key *binding);
