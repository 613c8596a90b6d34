/* SPDX-License-Identifier: MIT */
/* SDMA plans: splits rectangles to fit the limits of a version. */

#include "copy/sdma/plan.h"
#include <errno.h>

/* A rectangle of one plane, in elements, and where it goes. */
struct window {
	uint32_t x, y, to_x, to_y;
	uint32_t width, height;
};

int sdma_plan_check(const struct sdma_plane *source, const struct sdma_plane *destination)
{
	if (source->log2_bytes != destination->log2_bytes ||
		source->elements != destination->elements) {
		return -ENOTSUP;
	}
	return source->tiled && destination->tiled ? -ENOTSUP : 0;
}

static uint64_t address(const struct sdma_plane *surface, uint32_t x, uint32_t y)
{
	return surface->va + (uint64_t)y * surface->stride + ((uint64_t)x << surface->log2_bytes);
}

/*
 * Rebases the window at x, y to an address nearby: coordinates stay small, and the part of the
 * address below a word becomes a coordinate.
 */
static struct sdma_linear linear_at(
	const struct sdma_plane *surface, uint32_t x, uint32_t y, uint32_t height)
{
	uint64_t va = address(surface, x, y);
	uint32_t pitch = surface->stride >> surface->log2_bytes;
	return (struct sdma_linear){
		.va = va & ~UINT64_C(3),
		.x = (uint32_t)(va & 3) >> surface->log2_bytes,
		.pitch = pitch,
		.slice = (uint64_t)pitch * height,
	};
}

static bool pitch_fits(unsigned version, const struct sdma_plane *surface, bool tiled)
{
	uint32_t pitch = surface->stride >> surface->log2_bytes;
	return surface->stride % (1u << surface->log2_bytes) == 0 &&
	       pitch <= sdma_limits_get(version).extent &&
	       pitch % sdma_pitch_alignment(version, surface->log2_bytes, tiled) == 0;
}

/*
 * Returns whether the rectangle lies between the starts of two rows after linear_at() moved the
 * origin.
 */
static bool linear_fits(const struct sdma_plane *surface, uint32_t x, uint32_t y, uint32_t width)
{
	struct sdma_linear linear = linear_at(surface, x, y, 1);
	return linear.x + width <= linear.pitch;
}

/*
 * From 5.0 on the engine computes the pitch from the width, rounded up to blocks: a wider pitch
 * must be passed as the width.
 */
static uint32_t tiled_width(unsigned version, const struct sdma_plane *surface)
{
	uint32_t block = surface->block_width;
	bool derived = surface->pitch == (surface->width + block - 1) / block * block;
	return version >= SDMA_VERSION(5, 0) && !derived ? surface->pitch : surface->width;
}

static void plan_tiled_part(struct sdma_stream *stream, unsigned version,
	const struct sdma_plane *tiled_surface, const struct sdma_plane *linear_surface,
	bool detile, const struct window *window)
{
	uint32_t tiled_x = detile ? window->x : window->to_x;
	uint32_t tiled_y = detile ? window->y : window->to_y;
	uint32_t x = detile ? window->to_x : window->x;
	uint32_t y = detile ? window->to_y : window->y;
	unsigned log2_bytes = tiled_surface->log2_bytes;
	uint32_t alignment = sdma_pitch_alignment(version, log2_bytes, true);
	uint32_t rows = pitch_fits(version, linear_surface, true) &&
					linear_fits(linear_surface, x, y, window->width)
				? window->height
				: 1;
	struct sdma_tiled tiled = {
		.va = tiled_surface->va,
		.x = tiled_x,
		.width = tiled_width(version, tiled_surface),
		.height = tiled_surface->height,
		.pitch = tiled_surface->pitch,
		.swizzle_mode = tiled_surface->swizzle_mode,
		.compression = tiled_surface->compressed ? &tiled_surface->compression : NULL,
	};
	for (uint32_t row = 0; row < window->height; row += rows) {
		struct sdma_linear linear = linear_at(linear_surface, x, y + row, rows);
		if (rows == 1) {
			/* A single row may have any pitch. */
			linear.pitch =
				(linear.x + window->width + alignment - 1) / alignment * alignment;
			linear.slice = linear.pitch;
		}
		tiled.y = tiled_y + row;
		sdma_emit_tiled(
			stream, version, log2_bytes, detile, &tiled, &linear, window->width, rows);
	}
}

static void plan_tiled(struct sdma_stream *stream, unsigned version,
	const struct sdma_plane *source, const struct sdma_plane *destination,
	const struct window *window)
{
	const struct sdma_plane *tiled = source->tiled ? source : destination;
	const struct sdma_plane *linear = source->tiled ? destination : source;
	/* Leave room for linear_at()'s x offset, and for the pitch of a single row. */
	uint32_t most = sdma_limits_get(version).extent - 4;
	struct window part = *window;
	while (part.width > 0) {
		uint32_t rest = part.width;
		if (part.width > most) {
			part.width = most;
		}
		plan_tiled_part(stream, version, tiled, linear, source->tiled, &part);
		rest -= part.width;
		part.x += part.width;
		part.to_x += part.width;
		part.width = rest;
	}
}

/* Returns whether a window packet can encode the start and the pitch of the rectangle. */
static bool window_fits(unsigned version, const struct sdma_plane *surface)
{
	/* Rows of words or more are word-aligned if the first row and the pitch are. */
	return pitch_fits(version, surface, false) &&
	       (surface->log2_bytes < 2 || surface->va % 4 == 0);
}

static void plan_linear(struct sdma_stream *stream, unsigned version,
	const struct sdma_plane *source, const struct sdma_plane *destination,
	const struct window *window)
{
	uint64_t bytes = (uint64_t)window->width << source->log2_bytes;
	uint64_t from = address(source, window->x, window->y);
	uint64_t to = address(destination, window->to_x, window->to_y);
	if (source->stride == destination->stride && bytes == source->stride) {
		sdma_emit_linear(stream, version, from, to, bytes * window->height);
	} else if (window->height > 1 && window_fits(version, source) &&
		   window_fits(version, destination) &&
		   linear_fits(source, window->x, window->y, window->width) &&
		   linear_fits(destination, window->to_x, window->to_y, window->width)) {
		struct sdma_linear in = linear_at(source, window->x, window->y, window->height);
		struct sdma_linear out =
			linear_at(destination, window->to_x, window->to_y, window->height);
		sdma_emit_window(stream, version, source->log2_bytes, &in, &out, window->width,
			window->height);
	} else {
		for (uint32_t row = 0; row < window->height; row++) {
			sdma_emit_linear(stream, version, from + (uint64_t)row * source->stride,
				to + (uint64_t)row * destination->stride, bytes);
		}
	}
}

void sdma_plan_box(struct sdma_stream *stream, unsigned version, const struct sdma_plane *source,
	const struct sdma_plane *destination, const pixman_box32_t *box, int32_t dx, int32_t dy)
{
	uint32_t hsub = source->hsub, vsub = source->vsub;
	uint32_t x1 = (uint32_t)box->x1 / source->group * source->group / hsub;
	uint32_t y1 = (uint32_t)box->y1 / vsub;
	uint32_t y2 = ((uint32_t)box->y2 + vsub - 1) / vsub;
	struct window window = {
		.x = x1 * source->elements,
		.y = y1,
		.to_x = (uint32_t)((int32_t)x1 + dx / (int32_t)hsub) * source->elements,
		.to_y = (uint32_t)((int32_t)y1 + dy / (int32_t)vsub),
		.width = sdma_plane_end(source, box->x2) - x1 * source->elements,
		.height = y2 - y1,
	};
	if (source->tiled || destination->tiled) {
		plan_tiled(stream, version, source, destination, &window);
	} else {
		plan_linear(stream, version, source, destination, &window);
	}
}
