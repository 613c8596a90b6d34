/* SPDX-License-Identifier: MIT */
/* Entries: conversion of regions between buffer pixels and output pixels, and their damage. */

#include "scene/internal.h"
#include "util/region.h"

/* Computes the output pixels per buffer pixel, along the buffer's axes. */
static void entry_scale(const struct scene_entry *entry, double *x, double *y)
{
	bool swap = transform_swaps(entry->transform);
	*x = (swap ? entry->dst.height : entry->dst.width) / entry->src.width;
	*y = (swap ? entry->dst.width : entry->dst.height) / entry->src.height;
}

bool scene_entry_enlarges(const struct scene_entry *entry)
{
	double x, y;
	entry_scale(entry, &x, &y);
	return x >= 1 && y >= 1;
}

static bool is_whole(double value)
{
	return value == (double)(int)value;
}

void scene_entry_set_source(
	struct scene_entry *entry, const struct fbox *src, enum wl_output_transform transform)
{
	double x, y;
	entry->src = *src;
	entry->transform = transform;
	entry_scale(entry, &x, &y);
	entry->unscaled = x == 1 && y == 1 && is_whole(src->x) && is_whole(src->y);
}

/*
 * Computes the offset from buffer to output. Returns false unless the mapping is a mere
 * translation, as it is for most entries.
 */
static bool entry_shift(const struct scene_entry *entry, int *x, int *y)
{
	*x = entry->dst.x - (int)entry->src.x;
	*y = entry->dst.y - (int)entry->src.y;
	return entry->transform == WL_OUTPUT_TRANSFORM_NORMAL && entry->unscaled && !entry->padded;
}

/* A filter samples neighbours, and pixels at the edge may be repeated: those change too. */
static int entry_reach(const struct scene_entry *entry)
{
	return entry->sharp ? 2 : entry->unscaled && !entry->padded ? 0 : 1;
}

void scene_entry_to_pixels(const struct scene_entry *entry, pixman_region32_t *out,
	const pixman_region32_t *buffer_region)
{
	int shift_x, shift_y;
	if (entry_shift(entry, &shift_x, &shift_y)) {
		pixman_region32_copy(out, buffer_region);
		pixman_region32_translate(out, shift_x, shift_y);
		pixman_region32_intersect(out, out, &entry->visible);
		return;
	}
	double sx, sy;
	entry_scale(entry, &sx, &sy);
	int reach = entry_reach(entry);
	int n;
	const pixman_box32_t *rects =
		pixman_region32_rectangles((pixman_region32_t *)buffer_region, &n);
	pixman_region32_t result;
	pixman_region32_init(&result);
	for (int i = 0; i < n; i++) {
		struct fbox box = {
			.x = rects[i].x1 - reach - entry->src.x,
			.y = rects[i].y1 - reach - entry->src.y,
			.width = rects[i].x2 - rects[i].x1 + 2 * reach,
			.height = rects[i].y2 - rects[i].y1 + 2 * reach,
		};
		transform_fbox(&box, &box, entry->transform, entry->src.width, entry->src.height);
		bool swap = transform_swaps(entry->transform);
		double fx = swap ? sy : sx, fy = swap ? sx : sy;
		struct fbox scaled = {entry->dst.x + box.x * fx, entry->dst.y + box.y * fy,
			box.width * fx, box.height * fy};
		struct box pixels = fbox_outset(&scaled);
		if (!box_empty(&pixels)) {
			pixman_region32_union_rect(&result, &result, pixels.x, pixels.y,
				(unsigned)pixels.width, (unsigned)pixels.height);
		}
	}
	pixman_region32_intersect(out, &result, &entry->visible);
	pixman_region32_fini(&result);
}

void scene_entry_to_buffer(const struct scene_entry *entry, pixman_region32_t *out,
	const pixman_region32_t *pixel_region)
{
	int shift_x, shift_y;
	if (entry_shift(entry, &shift_x, &shift_y)) {
		/* The region is visible, hence inside src already. */
		pixman_region32_copy(out, pixel_region);
		pixman_region32_translate(out, -shift_x, -shift_y);
		return;
	}
	double sx, sy;
	entry_scale(entry, &sx, &sy);
	int reach = entry_reach(entry);
	enum wl_output_transform back = transform_invert(entry->transform);
	int n;
	const pixman_box32_t *rects =
		pixman_region32_rectangles((pixman_region32_t *)pixel_region, &n);
	pixman_region32_t result;
	pixman_region32_init(&result);
	for (int i = 0; i < n; i++) {
		struct fbox box = {
			.x = rects[i].x1 - entry->dst.x,
			.y = rects[i].y1 - entry->dst.y,
			.width = rects[i].x2 - rects[i].x1,
			.height = rects[i].y2 - rects[i].y1,
		};
		transform_fbox(&box, &box, back, entry->dst.width, entry->dst.height);
		struct fbox scaled = {entry->src.x + box.x / sx - reach,
			entry->src.y + box.y / sy - reach, box.width / sx + 2 * reach,
			box.height / sy + 2 * reach};
		struct box pixels = fbox_outset(&scaled);
		if (!box_empty(&pixels)) {
			pixman_region32_union_rect(&result, &result, pixels.x, pixels.y,
				(unsigned)pixels.width, (unsigned)pixels.height);
		}
	}
	struct box source = entry->padded ? entry->shown : fbox_outset(&entry->src);
	pixman_region32_intersect_rect(
		out, &result, source.x, source.y, (unsigned)source.width, (unsigned)source.height);
	pixman_region32_fini(&result);
}

void scene_entry_finish(struct scene_entry *entry)
{
	pixman_region32_fini(&entry->visible);
	pixman_region32_fini(&entry->opaque);
}

void scene_damage_add(pixman_region32_t *damage, const pixman_region32_t *region)
{
	pixman_region32_union(damage, damage, (pixman_region32_t *)region);
	region_simplify(damage, SCENE_DAMAGE_MAX);
}

void scene_damage_entry(struct scene_output *output, const struct scene_entry *entry,
	const pixman_region32_t *region)
{
	if (entry->alpha <= 0) {
		return; /* invisible */
	}
	bool composed = entry->place == PLACE_COMPOSED || entry->place == PLACE_UNDER;
	scene_damage_add(composed ? &output->damage : &output->direct, region);
}
