/* SPDX-License-Identifier: MIT */
#pragma once

/** Keys of the list of key bindings. */

#include <stdbool.h>
#include <xkbcommon/xkbcommon.h>

struct shell;

/** Hides the list for the key Escape. Returns true if it was shown. */
bool help_key(struct shell *shell, xkb_keysym_t sym);
