#pragma once

/** Keymaps that tests give to keyboards. */

struct xkb_context;

/** The text of another layout than that of a seat, French. The caller frees it. */
char *foreign_keymap(struct xkb_context *context);
