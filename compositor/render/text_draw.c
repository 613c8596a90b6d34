/* SPDX-License-Identifier: MIT */
/*
 * Text drawing with fcft. The library is loaded at the first request instead of linked: it brings
 * fontconfig, FreeType and HarfBuzz, which are useless to a session without text.
 */

#include "text_draw.h"
#include "text_bidi.h"
#include "text_layout.h"
#include "util/library.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <fcft/fcft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Fonts kept open, so that titles that change often do not search for them again. */
#define FONTS 3

struct text_library {
	void *handle; /* NULL: the library cannot be used */
	struct text_bidi *bidi; /* NULL: right-to-left text stays in logical order */
	bool warned; /* that there is no font */
	__typeof__(fcft_init) *init;
	__typeof__(fcft_fini) *fini;
	__typeof__(fcft_capabilities) *capabilities;
	__typeof__(fcft_from_name) *from_name;
	__typeof__(fcft_destroy) *destroy;
	__typeof__(fcft_rasterize_char_utf32) *rasterize;
	__typeof__(fcft_rasterize_text_run_utf32) *shape;
	__typeof__(fcft_text_run_destroy) *run_destroy;
	struct {
		struct fcft_font *font; /* NULL: unused */
		char *name;
		int size;
	} fonts[FONTS]; /* most recently used first */
};

struct text_library *text_library_open(void)
{
	struct text_library *library = xcalloc(1, sizeof(*library));
	library->handle = dlopen("libfcft.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!library->handle) {
		log_warn("cannot draw text: %s", dlerror());
		return library;
	}
	if (!library_find(library->handle, "fcft_init", &library->init) ||
		!library_find(library->handle, "fcft_capabilities", &library->capabilities) ||
		!library_find(library->handle, "fcft_from_name", &library->from_name) ||
		!library_find(library->handle, "fcft_destroy", &library->destroy) ||
		!library_find(library->handle, "fcft_rasterize_char_utf32", &library->rasterize) ||
		!library->init(FCFT_LOG_COLORIZE_NEVER, false, FCFT_LOG_CLASS_NONE)) {
		log_warn("cannot draw text: libfcft.so.4 has an unknown interface");
		dlclose(library->handle);
		library->handle = NULL;
		return library;
	}
	library_find(library->handle, "fcft_fini", &library->fini);
	if (!(library->capabilities() & FCFT_CAPABILITY_TEXT_RUN_SHAPING) ||
		!library_find(library->handle, "fcft_rasterize_text_run_utf32", &library->shape) ||
		!library_find(library->handle, "fcft_text_run_destroy", &library->run_destroy)) {
		library->shape = NULL;
	}
	library->bidi = text_bidi_open();
	return library;
}

static void forget_font(struct text_library *library, int i)
{
	if (library->fonts[i].font) {
		library->destroy(library->fonts[i].font);
		free(library->fonts[i].name);
	}
	library->fonts[i].font = NULL;
}

void text_library_close(struct text_library *library)
{
	if (library->handle) {
		for (int i = 0; i < FONTS; i++) {
			forget_font(library, i);
		}
		if (library->fini) {
			library->fini();
		}
		dlclose(library->handle);
	}
	text_bidi_close(library->bidi);
	free(library);
}

/* Returns a font that the library keeps, or NULL. */
static struct fcft_font *open_font(struct text_library *library, const char *name, int size)
{
	char attributes[32];
	for (int i = 0; i < FONTS && library->fonts[i].font; i++) {
		if (library->fonts[i].size == size && strcmp(library->fonts[i].name, name) == 0) {
			return library->fonts[i].font;
		}
	}
	snprintf(attributes, sizeof(attributes), "pixelsize=%d", size);
	struct fcft_font *font = library->from_name(1, &name, attributes);
	if (!font) {
		if (!library->warned) {
			log_warn("cannot draw text: no font is installed");
		}
		library->warned = true;
		return NULL;
	}
	forget_font(library, FONTS - 1);
	memmove(&library->fonts[1], &library->fonts[0], (FONTS - 1) * sizeof(library->fonts[0]));
	library->fonts[0].font = font;
	library->fonts[0].name = xstrdup(name);
	library->fonts[0].size = size;
	return font;
}

static void draw_glyph(
	pixman_image_t *image, pixman_image_t *color, const struct fcft_glyph *glyph, int x, int y)
{
	bool colored = pixman_image_get_format(glyph->pix) == PIXMAN_a8r8g8b8;
	pixman_image_composite32(PIXMAN_OP_OVER, colored ? glyph->pix : color,
		colored ? NULL : glyph->pix, image, 0, 0, 0, 0, x + glyph->x, y - glyph->y,
		glyph->width, glyph->height);
}

static pixman_image_t *create_color(uint32_t rgb)
{
	return pixman_image_create_solid_fill(&(pixman_color_t){
		.red = (uint16_t)((rgb >> 16 & 0xff) * 0x101),
		.green = (uint16_t)((rgb >> 8 & 0xff) * 0x101),
		.blue = (uint16_t)((rgb & 0xff) * 0x101),
		.alpha = 0xffff,
	});
}

static pixman_image_t *draw_lines(const struct fcft_font *font, uint32_t rgb,
	const struct fcft_glyph *const *glyphs, const struct text_line *lines, size_t n_lines,
	const struct fcft_glyph *ellipsis)
{
	int width = 1;
	for (size_t i = 0; i < n_lines; i++) {
		int extra = lines[i].ellipsis && ellipsis ? ellipsis->advance.x : 0;
		width = lines[i].width + extra > width ? lines[i].width + extra : width;
	}
	pixman_image_t *image = pixman_image_create_bits(
		PIXMAN_a8r8g8b8, width, font->height * (int)n_lines, NULL, 0);
	pixman_image_t *color = image ? create_color(rgb) : NULL;
	for (size_t i = 0; color && i < n_lines; i++) {
		int x = 0, y = font->height * (int)i + font->ascent;
		for (size_t at = lines[i].start; at < lines[i].end; at++) {
			if (glyphs[at]) {
				draw_glyph(image, color, glyphs[at], x, y);
				x += glyphs[at]->advance.x;
			}
		}
		if (lines[i].ellipsis && ellipsis) {
			draw_glyph(image, color, ellipsis, x, y);
		}
	}
	if (color) {
		pixman_image_unref(color);
	}
	return image;
}

struct paragraph {
	uint32_t codepoints[TEXT_CODEPOINTS_MAX];
	const struct fcft_glyph *glyphs[TEXT_CODEPOINTS_MAX];
	int advances[TEXT_CODEPOINTS_MAX];
	struct text_line lines[TEXT_LINES_MAX];
};

static pixman_image_t *draw_paragraph(const struct text_library *library, struct fcft_font *font,
	const struct text_style *style, const char *string)
{
	struct paragraph *self = xcalloc(1, sizeof(*self));
	size_t n = text_decode(string, self->codepoints, TEXT_CODEPOINTS_MAX);
	for (size_t i = 0; i < n; i++) {
		self->glyphs[i] =
			self->codepoints[i] == '\n'
				? NULL
				: library->rasterize(font, self->codepoints[i], FCFT_SUBPIXEL_NONE);
		self->advances[i] = self->glyphs[i] ? self->glyphs[i]->advance.x : 0;
	}
	const struct fcft_glyph *ellipsis = library->rasterize(font, 0x2026, FCFT_SUBPIXEL_NONE);
	size_t most = style->max_lines < TEXT_LINES_MAX ? (size_t)style->max_lines : TEXT_LINES_MAX;
	size_t n_lines = text_break(self->codepoints, self->advances, n, style->max_width,
		ellipsis ? ellipsis->advance.x : 0, most, self->lines);
	pixman_image_t *image = n_lines == 0 ? NULL
					     : draw_lines(font, style->color, self->glyphs,
						       self->lines, n_lines, ellipsis);
	free(self);
	return image;
}

/* A title: its characters, and its glyphs from left to right. */
struct title {
	uint32_t codepoints[TEXT_TITLE_MAX + 1]; /* and an ellipsis */
	uint32_t shown[TEXT_TITLE_MAX + 1]; /* with mirrored brackets */
	size_t n;
	int advances[TEXT_TITLE_MAX + 1]; /* of the characters' glyphs */
	struct text_run runs[TEXT_TITLE_MAX + 1];
	struct fcft_text_run *shaped[TEXT_TITLE_MAX + 1]; /* of `runs`; NULL: not shaped */
	size_t n_runs;
	int width;
};

static void release_runs(const struct text_library *library, struct title *title)
{
	for (size_t i = 0; i < title->n_runs; i++) {
		if (title->shaped[i]) {
			library->run_destroy(title->shaped[i]);
		}
	}
	title->n_runs = 0;
}

/* Measures a run without shaping, which some builds of the library lack. */
static void measure_run(
	const struct text_library *library, struct fcft_font *font, struct title *title, size_t run)
{
	for (size_t i = title->runs[run].start; i < title->runs[run].end; i++) {
		const struct fcft_glyph *glyph =
			library->rasterize(font, title->shown[i], FCFT_SUBPIXEL_NONE);
		title->advances[i] = glyph ? glyph->advance.x : 0;
		title->width += title->advances[i];
	}
}

static void shape_title(
	const struct text_library *library, struct fcft_font *font, struct title *title)
{
	release_runs(library, title);
	memset(title->advances, 0, sizeof(title->advances));
	title->width = 0;
	title->n_runs =
		text_order(library->bidi, title->codepoints, title->n, title->shown, title->runs);
	for (size_t i = 0; i < title->n_runs; i++) {
		const struct text_run *run = &title->runs[i];
		title->shaped[i] = library->shape
					   ? library->shape(font, run->end - run->start,
						     &title->shown[run->start], FCFT_SUBPIXEL_NONE)
					   : NULL;
		if (!title->shaped[i]) {
			measure_run(library, font, title, i);
			continue;
		}
		for (size_t j = 0; j < title->shaped[i]->count; j++) {
			size_t at = run->start + (size_t)title->shaped[i]->cluster[j];
			int advance = title->shaped[i]->glyphs[j]->advance.x;
			title->width += advance;
			title->advances[at < run->end ? at : run->end - 1] += advance;
		}
	}
}

/* Cuts the title so that it fits with an ellipsis. */
static void cut_title(const struct text_library *library, struct fcft_font *font,
	struct title *title, int max_width)
{
	const struct fcft_glyph *ellipsis = library->rasterize(font, 0x2026, FCFT_SUBPIXEL_NONE);
	int width = ellipsis ? ellipsis->advance.x : 0;
	size_t n = 0;
	while (n < title->n && width + title->advances[n] <= max_width) {
		width += title->advances[n++];
	}
	/* Another shape of a letter at the cut may be wider. */
	for (int tries = 0; tries < 4; tries++) {
		while (n > 0 && (title->advances[n] == 0 || title->codepoints[n - 1] == ' ')) {
			n--; /* keeps marks with their letters */
		}
		title->codepoints[n] = 0x2026;
		title->n = n + 1;
		shape_title(library, font, title);
		if (title->width <= max_width || n == 0) {
			return;
		}
		n--;
	}
}

static void draw_run(const struct text_library *library, struct fcft_font *font,
	const struct title *title, size_t run, pixman_image_t *image, pixman_image_t *color, int *x)
{
	const struct fcft_text_run *shaped = title->shaped[run];
	const struct text_run *range = &title->runs[run];
	size_t n = shaped ? shaped->count : range->end - range->start;
	for (size_t i = 0; i < n; i++) {
		size_t at = range->right_to_left ? range->end - 1 - i : range->start + i;
		const struct fcft_glyph *glyph =
			shaped ? shaped->glyphs[i]
			       : library->rasterize(font, title->shown[at], FCFT_SUBPIXEL_NONE);
		if (glyph) {
			draw_glyph(image, color, glyph, *x, font->ascent);
			*x += glyph->advance.x;
		}
	}
}

static pixman_image_t *draw_title(const struct text_library *library, struct fcft_font *font,
	const struct text_style *style, const char *string)
{
	struct title *title = xcalloc(1, sizeof(*title));
	title->n = text_clean(
		title->codepoints, text_decode(string, title->codepoints, TEXT_TITLE_MAX));
	shape_title(library, font, title);
	if (title->width > style->max_width) {
		cut_title(library, font, title, style->max_width);
	}
	pixman_image_t *image = NULL, *color = NULL;
	if (title->width > 0 && title->width <= style->max_width) {
		/* Hinted glyphs may reach below the rounded descent. */
		image = pixman_image_create_bits(
			PIXMAN_a8r8g8b8, title->width, font->ascent + font->descent + 1, NULL, 0);
		color = image ? create_color(style->color) : NULL;
	}
	int x = 0;
	for (size_t i = 0; color && i < title->n_runs; i++) {
		draw_run(library, font, title, i, image, color, &x);
	}
	if (color) {
		pixman_image_unref(color);
	}
	release_runs(library, title);
	free(title);
	return image;
}

pixman_image_t *text_library_draw(
	struct text_library *library, const struct text_style *style, const char *string)
{
	struct fcft_font *font =
		library->handle
			? open_font(library, style->font ? style->font : "sans-serif", style->size)
			: NULL;
	if (!font) {
		return NULL;
	}
	return style->title ? draw_title(library, font, style, string)
			    : draw_paragraph(library, font, style, string);
}
