/* SPDX-License-Identifier: MIT */
/*
 * Key names for bindings: by the layout's symbol, and for non-Latin layouts also by a Latin one, so
 * that bindings work with Russian or Greek layouts without switching. Keys of the digit row also
 * match by position, since French layouts type digits with Shift.
 */

#include "seat/internal.h"
#include <linux/input-event-codes.h>
#include <string.h>

/** The first code point after Unicode's Latin letters. */
#define LATIN_END 0x250

static xkb_keysym_t symbol_in(
	const struct seat_keyboard *keyboard, uint32_t key, xkb_layout_index_t layout)
{
	const xkb_keysym_t *symbols;
	int n = xkb_keymap_key_get_syms_by_level(
		keyboard->keymap, key + XKB_OFFSET, layout, 0, &symbols);
	return n > 0 ? symbols[0] : XKB_KEY_NoSymbol;
}

static xkb_layout_index_t layout_of(const struct seat_keyboard *keyboard, uint32_t key)
{
	return xkb_state_key_get_layout(keyboard->state, key + XKB_OFFSET);
}

/* Checks the key A of US layouts: it types a letter in all layouts. */
static bool is_latin(const struct seat_keyboard *keyboard, xkb_layout_index_t layout)
{
	uint32_t letter = xkb_keysym_to_utf32(symbol_in(keyboard, KEY_A, layout));
	return letter != 0 && letter < LATIN_END;
}

static xkb_keysym_t by_place(uint32_t key)
{
	static const struct {
		uint32_t first;
		const char *symbols;
	} rows[] = {
		{KEY_1, "1234567890"},
		{KEY_Q, "qwertyuiop"},
		{KEY_A, "asdfghjkl"},
		{KEY_Z, "zxcvbnm"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (key >= rows[i].first && key - rows[i].first < strlen(rows[i].symbols)) {
			/* Keysyms equal ASCII for these characters. */
			return (xkb_keysym_t)rows[i].symbols[key - rows[i].first];
		}
	}
	return XKB_KEY_NoSymbol;
}

static xkb_keysym_t other_name(const struct seat_keyboard *keyboard, uint32_t key)
{
	if (key >= KEY_1 && key <= KEY_0) {
		return by_place(key);
	}
	if (is_latin(keyboard, layout_of(keyboard, KEY_A))) {
		return XKB_KEY_NoSymbol;
	}
	xkb_layout_index_t n = xkb_keymap_num_layouts(keyboard->keymap);
	for (xkb_layout_index_t i = 0; i < n; i++) {
		if (is_latin(keyboard, i)) {
			return symbol_in(keyboard, key, i);
		}
	}
	return by_place(key);
}

void shortcut_names(
	const struct seat_keyboard *keyboard, uint32_t key, xkb_keysym_t names[static 2])
{
	names[0] = names[1] = XKB_KEY_NoSymbol;
	if (!keyboard->state) {
		return;
	}
	names[0] = symbol_in(keyboard, key, layout_of(keyboard, key));
	names[1] = other_name(keyboard, key);
	if (names[1] == names[0]) {
		names[1] = XKB_KEY_NoSymbol;
	}
}
