/* SPDX-License-Identifier: MIT */
/* Fuzz target: keymaps that clients send. */

#include "fuzz/target.h"
#include "seat/keymap.h"
#include <stdlib.h>

static struct xkb_context *context;

/** libxkbcommon 1.5 leaks parts of some keymaps that have syntax errors. */
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void)
{
	return "leak:libxkbcommon.so\n";
}

static void ignore_log(
	struct xkb_context *xkb, enum xkb_log_level level, const char *format, va_list arguments)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!context) {
		context = xkb_context_new(XKB_CONTEXT_NO_DEFAULT_INCLUDES);
		xkb_context_set_log_fn(context, ignore_log);
	}
	char *text = target_text(data, size);
	struct seat_keymap *keymap = seat_keymap_parse(context, text);
	if (keymap) {
		struct seat_keymap *clone = seat_keymap_clone(keymap);
		xkb_state_update_key(keymap->state, 38, XKB_KEY_DOWN);
		xkb_state_update_mask(keymap->state, 0xff, 1, UINT32_MAX, 0, 3, UINT32_MAX);
		seat_keymap_modifiers(keymap);
		seat_keymap_unref(clone);
		seat_keymap_unref(keymap);
	}
	free(text);
	return 0;
}
