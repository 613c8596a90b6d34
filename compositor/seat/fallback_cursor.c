/* SPDX-License-Identifier: MIT */
/* Fallback cursor without a cursor theme: a black arrow with a white edge. */

#include "seat/theme.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <math.h>

/** Corners in a 24x24 square, the tip first. */
static const struct point {
	double x, y;
} corners[] = {{1, 1}, {1, 18}, {5, 14.2}, {7.6, 20.4}, {10.4, 19.2}, {7.8, 13.2}, {13.2, 13.2}};

#define N_CORNERS (sizeof(corners) / sizeof(corners[0]))
#define SQUARE 24.0
/** Width of the white edge, in the same units. */
#define EDGE 1.1
/** Samples per pixel, in each direction. */
#define SAMPLES 4

static bool inside(double x, double y)
{
	bool odd = false;
	for (size_t i = 0; i < N_CORNERS; i++) {
		const struct point *a = &corners[i], *b = &corners[(i + 1) % N_CORNERS];
		if ((a->y > y) != (b->y > y) &&
			x < (b->x - a->x) * (y - a->y) / (b->y - a->y) + a->x) {
			odd = !odd;
		}
	}
	return odd;
}

static double edge_distance(double x, double y)
{
	double least = SQUARE;
	for (size_t i = 0; i < N_CORNERS; i++) {
		const struct point *a = &corners[i], *b = &corners[(i + 1) % N_CORNERS];
		double dx = b->x - a->x, dy = b->y - a->y;
		double t = ((x - a->x) * dx + (y - a->y) * dy) / (dx * dx + dy * dy);
		t = fmin(fmax(t, 0), 1);
		least = fmin(least, hypot(a->x + t * dx - x, a->y + t * dy - y));
	}
	return least;
}

static uint32_t pixel(int px, int py, double unit)
{
	int covered = 0, white = 0;
	for (int sy = 0; sy < SAMPLES; sy++) {
		for (int sx = 0; sx < SAMPLES; sx++) {
			double x = (px + (sx + 0.5) / SAMPLES) * unit;
			double y = (py + (sy + 0.5) / SAMPLES) * unit;
			if (inside(x, y)) {
				covered++;
				white += edge_distance(x, y) < EDGE;
			}
		}
	}
	uint32_t alpha = (uint32_t)covered * 255 / (SAMPLES * SAMPLES);
	uint32_t value = (uint32_t)white * 255 / (SAMPLES * SAMPLES);
	return alpha << 24 | value << 16 | value << 8 | value;
}

bool cursor_draw_fallback(int size, struct cursor_animation *out)
{
	struct buffer *buffer = memory_buffer_create(size, size, DRM_FORMAT_ARGB8888);
	void *data;
	size_t stride;
	if (!buffer) {
		return false;
	}
	if (buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride) < 0) {
		buffer_drop(buffer);
		return false;
	}
	double unit = SQUARE / size;
	for (int y = 0; y < size; y++) {
		uint32_t *row = (uint32_t *)((char *)data + (size_t)y * stride);
		for (int x = 0; x < size; x++) {
			row[x] = pixel(x, y, unit);
		}
	}
	buffer_end_access(buffer);
	out->size = size;
	out->n_frames = 1;
	out->frames = xcalloc(1, sizeof(*out->frames));
	out->frames[0] = (struct cursor_frame){
		.buffer = buffer,
		.hotspot_x = (int)(1 / unit),
		.hotspot_y = (int)(1 / unit),
	};
	return true;
}
