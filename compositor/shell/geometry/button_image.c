/* SPDX-License-Identifier: MIT */
/* Images of the buttons in title bars: lines and discs by their distance from each pixel. */

#include "button_image.h"
#include <math.h>
#include <stddef.h>

#define CLOSE_RED 0xd9483b
#define CLOSE_RED_PRESSED 0xb5332a

/* Logical pixels. */
#define GLYPH_SIZE 10
#define DISC_SIZE 22
#define STROKE 1.2

struct glyph {
	enum button_shape shape;
	double low, high; /* edges of the glyph, whole pixels */
	double stroke; /* pixels */
};

/* Returns how much of the pixel at this distance from an edge is inside; negative distances are. */
static double coverage(double distance)
{
	return fmin(1, fmax(0, 0.5 - distance));
}

static double box_distance(double x, double y, double x1, double y1, double x2, double y2)
{
	return fmax(fmax(x1 - x, x - x2), fmax(y1 - y, y - y2));
}

static double frame_coverage(
	double x, double y, double x1, double y1, double x2, double y2, double stroke)
{
	double outer = box_distance(x, y, x1, y1, x2, y2);
	double inner = box_distance(x, y, x1 + stroke, y1 + stroke, x2 - stroke, y2 - stroke);
	return coverage(outer) * (1 - coverage(inner));
}

/* Returns the distance from a line between two points. */
static double line_distance(double x, double y, double x1, double y1, double x2, double y2)
{
	double dx = x2 - x1, dy = y2 - y1;
	double along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy);
	along = fmin(1, fmax(0, along));
	return hypot(x - x1 - along * dx, y - y1 - along * dy);
}

static double glyph_coverage(const struct glyph *glyph, double x, double y)
{
	const double low = glyph->low, high = glyph->high, stroke = glyph->stroke;
	const double line = fmax(1, round(stroke - 0.25)), shift = fmax(2, round((high - low) / 4));
	switch (glyph->shape) {
	case BUTTON_MINIMIZE: {
		double top = round((low + high - line) / 2);
		return coverage(box_distance(x, y, low, top, high, top + line));
	}
	case BUTTON_MAXIMIZE: return frame_coverage(x, y, low, low, high, high, line);
	case BUTTON_RESTORE: {
		double front = frame_coverage(x, y, low, low + shift, high - shift, high, line);
		double hidden = coverage(box_distance(x, y, low, low + shift, high - shift, high));
		double back = frame_coverage(x, y, low + shift, low, high, high - shift, line);
		return fmax(front, back * (1 - hidden));
	}
	case BUTTON_CLOSE: {
		double inset = stroke / 2, a = low + inset, b = high - inset;
		double near =
			fmin(line_distance(x, y, a, a, b, b), line_distance(x, y, a, b, b, a));
		return coverage(near - stroke / 2);
	}
	}
	return 0;
}

struct color {
	double r, g, b;
};

static struct color color_of(uint32_t rgb)
{
	return (struct color){rgb >> 16 & 0xff, rgb >> 8 & 0xff, rgb & 0xff};
}

/* Blends a glyph over a disc of another colour. Returns a premultiplied pixel. */
static uint32_t blend(struct color glyph, double over, struct color disc, double under)
{
	double rest = under * (1 - over);
	return (uint32_t)lround((over + rest) * 255) << 24 |
	       (uint32_t)lround(glyph.r * over + disc.r * rest) << 16 |
	       (uint32_t)lround(glyph.g * over + disc.g * rest) << 8 |
	       (uint32_t)lround(glyph.b * over + disc.b * rest);
}

pixman_image_t *button_image_create(
	enum button_shape shape, enum button_state state, uint32_t rgb, int size, double scale)
{
	pixman_image_t *image = pixman_image_create_bits(PIXMAN_a8r8g8b8, size, size, NULL, 0);
	if (!image) {
		return NULL;
	}
	const double side = fmin(round(GLYPH_SIZE * scale), size - 2);
	const double low = floor((size - side) / 2);
	const struct glyph glyph = {shape, low, low + side, STROKE * scale};
	const double radius = fmin(DISC_SIZE * scale, size - 2) / 2, middle = low + side / 2;
	const bool red = shape == BUTTON_CLOSE && state != BUTTON_NORMAL;
	const double opacity = state == BUTTON_NORMAL    ? 0
			       : red                     ? 1
			       : state == BUTTON_PRESSED ? 0.3
							 : 0.16;
	const struct color front = color_of(red ? 0xffffff : rgb);
	const struct color disc = color_of(!red                      ? rgb
					   : state == BUTTON_PRESSED ? CLOSE_RED_PRESSED
								     : CLOSE_RED);
	uint32_t *row = pixman_image_get_data(image);
	const int stride = pixman_image_get_stride(image) / (int)sizeof(*row);
	for (int y = 0; y < size; y++, row += stride) {
		for (int x = 0; x < size; x++) {
			double away = hypot(x + 0.5 - middle, y + 0.5 - middle) - radius;
			row[x] = blend(front, glyph_coverage(&glyph, x + 0.5, y + 0.5), disc,
				opacity * coverage(away));
		}
	}
	return image;
}
