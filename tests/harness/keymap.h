/* SPDX-License-Identifier: MIT */
#pragma once

/** Keymaps for keyboards of tests. */

struct xkb_context;

/**
 * Returns the text of a French keymap, which differs from a seat's default. The caller frees it.
 */
char *foreign_keymap(struct xkb_context *context);
