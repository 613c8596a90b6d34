/* SPDX-License-Identifier: MIT */
/*
 * Opaque regions of surfaces in output pixels. A pixel that samples a translucent one, or may once
 * the output is magnified, counts as translucent, since the entries below show through it.
 */

#include "scene/internal.h"
#include "util/region.h"
#include <math.h>

/*
 * Distance in buffer pixels from the centre of an output pixel to the far edge of those that a
 * linear filter reads, wherever the centre lies between them.
 */
#define FILTER_REACH 1.5
/* Edges of magnified entries are rounded: centres move by less than this, in output pixels. */
#define LENS_REACH 1

/* Computes the output pixels that a buffer pixel may change beyond its own. */
static int find_reach(const struct scene_entry *entry, double h, double v, bool magnified)
{
	if (!entry->unscaled || magnified) {
		return (int)ceil(FILTER_REACH * fmax(h, v)) + (magnified ? LENS_REACH : 0);
	}
	return entry->padded ? 1 : 0; /* a translucent edge is repeated */
}

void scene_opaque_pixels(const struct scene_surface *content, const struct scene_entry *entry,
	enum wl_output_transform transform, bool magnified, pixman_region32_t *out)
{
	const struct scene_look *look = &content->look;
	pixman_region32_t *opaque = (pixman_region32_t *)&content->opaque;
	const pixman_box32_t all = {0, 0, look->width, look->height};
	const pixman_region_overlap_t part = pixman_region32_contains_rectangle(opaque, &all);
	if (part == PIXMAN_REGION_IN) {
		region_set_box(out, &entry->dst);
		return;
	}
	if (part == PIXMAN_REGION_OUT || content->surface->density != 1) {
		return; /* the shape of an X window says nothing about its pixels */
	}
	const bool turned = transform_swaps(transform);
	const int width = turned ? entry->dst.height : entry->dst.width;
	const int height = turned ? entry->dst.width : entry->dst.height;
	/* Output pixels per buffer pixel, and buffer pixels per surface coordinate; upright. */
	const bool swaps = transform_swaps(look->transform);
	const double h = width / (swaps ? entry->src.height : entry->src.width);
	const double v = height / (swaps ? entry->src.width : entry->src.height);
	const double across = (swaps ? look->src.height : look->src.width) / look->width;
	const double down = (swaps ? look->src.width : look->src.height) / look->height;
	const int reach = find_reach(entry, h, v, magnified);
	pixman_region32_t translucent;
	pixman_region32_init_rect(
		&translucent, 0, 0, (unsigned)look->width, (unsigned)look->height);
	pixman_region32_subtract(&translucent, &translucent, opaque);
	region_scale(&translucent, &translucent, across * h, down * v);
	if (reach > 0) {
		region_expand(&translucent, &translucent, reach);
	}
	region_transform(&translucent, &translucent, transform, width, height);
	pixman_region32_translate(&translucent, entry->dst.x, entry->dst.y);
	region_set_box(out, &entry->dst);
	pixman_region32_subtract(out, out, &translucent);
	pixman_region32_fini(&translucent);
}
