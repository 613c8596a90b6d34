/* SPDX-License-Identifier: MIT */
#pragma once

/** Layout and keys of the list of key bindings. */

#include <stdbool.h>
#include <xkbcommon/xkbcommon.h>

struct shell;

/** Returns the lines of `text` in two columns, newly allocated. Long lines of the first one are cut. */
char *help_in_columns(const char *text);
/** Hides the list for the key Escape. Returns true if it was shown. */
bool help_key(struct shell *shell, xkb_keysym_t sym);
