/* SPDX-License-Identifier: MIT */
/*
 * Keymaps for tests. They are written, read and written again, since xkbcommon 1.7 truncates long
 * names of keysyms when it writes a keymap and does not recognise them when it reads it.
 */

#include "harness/keymap.h"
#include <stdlib.h>
#include <xkbcommon/xkbcommon.h>

char *foreign_keymap(struct xkb_context *context)
{
	struct xkb_keymap *keymap = xkb_keymap_new_from_names(
		context, &(struct xkb_rule_names){.layout = "fr"}, XKB_KEYMAP_COMPILE_NO_FLAGS);
	char *written = xkb_keymap_get_as_string(keymap, XKB_KEYMAP_FORMAT_TEXT_V1);
	xkb_keymap_unref(keymap);
	keymap = xkb_keymap_new_from_string(
		context, written, XKB_KEYMAP_FORMAT_TEXT_V1, XKB_KEYMAP_COMPILE_NO_FLAGS);
	free(written);
	char *text = xkb_keymap_get_as_string(keymap, XKB_KEYMAP_FORMAT_TEXT_V1);
	xkb_keymap_unref(keymap);
	return text;
}
