/* SPDX-License-Identifier: MIT */
/* Order of left-to-right and right-to-left text in a line, by fribidi. */

#include "text_bidi.h"
#include "util/library.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

enum {
	LEFT_TO_RIGHT_EMBEDDING = 0x202a,
	RIGHT_TO_LEFT_EMBEDDING = 0x202b,
	LEFT_TO_RIGHT_OVERRIDE = 0x202d,
	RIGHT_TO_LEFT_OVERRIDE = 0x202e,
};

static bool is_control(uint32_t value)
{
	return value == 0x61c || value == 0x200e || value == 0x200f ||
	       (value >= LEFT_TO_RIGHT_EMBEDDING && value <= RIGHT_TO_LEFT_OVERRIDE) ||
	       (value >= 0x2066 && value <= 0x2069);
}

/* Properties of the characters of a line, and the order in which they are seen. */
struct places {
	uint8_t levels[TEXT_ORDER_MAX]; /* odd: right to left */
	bool attached[TEXT_ORDER_MAX]; /* a mark or joiner, shaped with the character before it */
	bool letter[TEXT_ORDER_MAX];
	int visual[TEXT_ORDER_MAX]; /* indices from left to right */
};

#ifdef CAUSEWAY_FRIBIDI

#include <fribidi.h>

struct text_bidi {
	void *handle;
	__typeof__(fribidi_get_bidi_types) *get_types;
	__typeof__(fribidi_get_bracket_types) *get_brackets;
	__typeof__(fribidi_get_par_embedding_levels_ex) *get_levels;
	__typeof__(fribidi_reorder_line) *reorder;
	__typeof__(fribidi_shape_mirroring) *mirror;
};

struct text_bidi *text_bidi_open(void)
{
	struct text_bidi *bidi = xcalloc(1, sizeof(*bidi));
	bidi->handle = dlopen("libfribidi.so.0", RTLD_NOW | RTLD_LOCAL);
	if (bidi->handle &&
		library_find(bidi->handle, "fribidi_get_bidi_types", &bidi->get_types) &&
		library_find(bidi->handle, "fribidi_get_bracket_types", &bidi->get_brackets) &&
		library_find(
			bidi->handle, "fribidi_get_par_embedding_levels_ex", &bidi->get_levels) &&
		library_find(bidi->handle, "fribidi_reorder_line", &bidi->reorder) &&
		library_find(bidi->handle, "fribidi_shape_mirroring", &bidi->mirror)) {
		return bidi;
	}
	log_warn("right-to-left text stays in logical order: %s",
		bidi->handle ? "libfribidi.so.0 has an unknown interface" : dlerror());
	text_bidi_close(bidi);
	return NULL;
}

void text_bidi_close(struct text_bidi *bidi)
{
	if (bidi && bidi->handle) {
		dlclose(bidi->handle);
	}
	free(bidi);
}

static bool find_places(
	const struct text_bidi *bidi, uint32_t *shown, size_t n, struct places *places)
{
	FriBidiCharType types[TEXT_ORDER_MAX];
	FriBidiBracketType brackets[TEXT_ORDER_MAX];
	FriBidiParType direction = FRIBIDI_PAR_ON;
	const int length = (int)n;
	FriBidiLevel *levels = (FriBidiLevel *)places->levels;
	bidi->get_types(shown, length, types);
	bidi->get_brackets(shown, length, types, brackets);
	if (!bidi->get_levels(types, brackets, length, &direction, levels) ||
		!bidi->reorder(0, types, length, 0, direction, levels, NULL, places->visual)) {
		return false;
	}
	bidi->mirror(levels, length, shown);
	for (size_t i = 0; i < n; i++) {
		places->attached[i] = types[i] == FRIBIDI_TYPE_NSM || types[i] == FRIBIDI_TYPE_BN;
		places->letter[i] = FRIBIDI_IS_STRONG(types[i]);
	}
	return true;
}

#else

struct text_bidi *text_bidi_open(void)
{
	return NULL;
}

void text_bidi_close(struct text_bidi *bidi)
{
}

static bool find_places(
	const struct text_bidi *bidi, uint32_t *shown, size_t n, struct places *places)
{
	return false;
}

#endif

/*
 * Returns true if right-to-left text is shaped together with the character before it. Spaces and
 * signs are runs of their own, since the font library keeps them in logical order.
 */
static bool joins(const struct places *places, size_t i)
{
	return places->attached[i] ||
	       (places->letter[i] && (places->letter[i - 1] || places->attached[i - 1]));
}

/* Adds the character to the right of the last run. Returns false if it needs a run of its own. */
static bool extend(const struct places *places, struct text_run *last, size_t at)
{
	if (!last->right_to_left && !(places->levels[at] & 1) && at == last->end) {
		last->end++;
		return true;
	}
	if (last->right_to_left && (places->levels[at] & 1) && at + 1 == last->start &&
		joins(places, last->start)) {
		last->start--;
		return true;
	}
	return false;
}

size_t text_order(const struct text_bidi *bidi, const uint32_t *codepoints, size_t n,
	uint32_t *shown, struct text_run *runs)
{
	struct places *places = xcalloc(1, sizeof(*places));
	size_t n_runs = 0;
	memcpy(shown, codepoints, n * sizeof(*shown));
	for (size_t i = 0; i < n; i++) {
		places->visual[i] = (int)i;
	}
	if (bidi && n > 0 && !find_places(bidi, shown, n, places)) {
		memset(places->levels, 0, sizeof(places->levels));
	}
	for (size_t i = 0; i < n; i++) {
		const size_t at = (size_t)places->visual[i];
		if (!is_control(codepoints[at]) &&
			(n_runs == 0 || !extend(places, &runs[n_runs - 1], at))) {
			runs[n_runs++] = (struct text_run){at, at + 1, places->levels[at] & 1};
		}
	}
	free(places);
	return n_runs;
}

size_t text_clean(uint32_t *codepoints, size_t n)
{
	static const struct {
		uint32_t first, last;
	} dropped[] = {{0x7f, 0x9f}, {0xad, 0xad}, {0x200b, 0x200b}, {0x2028, 0x2029},
		{0x2060, 0x2065}, {0x206a, 0x206f}, {0xfeff, 0xfeff}, {0xe0000, 0xe0fff}};
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t value = codepoints[i];
		size_t j = 0;
		while (j < sizeof(dropped) / sizeof(dropped[0]) &&
			(value < dropped[j].first || value > dropped[j].last)) {
			j++;
		}
		if (j == sizeof(dropped) / sizeof(dropped[0])) {
			codepoints[kept++] =
				value < ' '                       ? ' '
				: value == LEFT_TO_RIGHT_OVERRIDE ? LEFT_TO_RIGHT_EMBEDDING
				: value == RIGHT_TO_LEFT_OVERRIDE ? RIGHT_TO_LEFT_EMBEDDING
								  : value;
		}
	}
	return kept;
}
