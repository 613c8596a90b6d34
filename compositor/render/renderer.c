/* SPDX-License-Identifier: MIT */
/* Common code of renderers: initialisation, geometry of draws, their rectangles. */

#include "render/renderer.h"
#include "util/xalloc.h"
#include <stdlib.h>

/*
 * Interpolated coordinates are a little off in either direction. Where a target pixel's centre
 * falls between two texels, this makes all renderers choose the same one.
 */
#define NEAREST_NUDGE (1.0 / 256)

void renderer_init(struct renderer *renderer, const struct renderer_impl *impl, struct gpu *gpu)
{
	*renderer = (struct renderer){.impl = impl, .gpu = gpu};
	signals_init(&renderer->events, sizeof(renderer->events));
}

void renderer_finish(struct renderer *renderer)
{
	signal_emit(&renderer->events.destroy, renderer);
	format_set_finish(&renderer->texture_formats);
	format_set_finish(&renderer->target_formats);
	free(renderer->shm_formats);
}

void renderer_destroy(struct renderer *renderer)
{
	if (renderer) {
		renderer->impl->destroy(renderer);
	}
}

void renderer_add_shm_format(struct renderer *renderer, uint32_t format)
{
	renderer->shm_formats = xrealloc(renderer->shm_formats, renderer->n_shm_formats + 1,
		sizeof(renderer->shm_formats[0]));
	renderer->shm_formats[renderer->n_shm_formats++] = format;
}

bool renderer_takes_shm(const struct renderer *renderer, uint32_t format)
{
	for (size_t i = 0; i < renderer->n_shm_formats; ++i) {
		if (renderer->shm_formats[i] == format) {
			return true;
		}
	}
	return false;
}

/* Maps a point of the target's unit square to the source's. */
struct unit_map {
	int ux, uy, u0, vx, vy, v0;
};

/* Inverses of the transforms: a rotation by 90 moves (u, v) to (v, 1 - u), and so on. */
static const struct unit_map unit_maps[] = {
	[WL_OUTPUT_TRANSFORM_NORMAL] = {1, 0, 0, 0, 1, 0},
	[WL_OUTPUT_TRANSFORM_90] = {0, -1, 1, 1, 0, 0},
	[WL_OUTPUT_TRANSFORM_180] = {-1, 0, 1, 0, -1, 1},
	[WL_OUTPUT_TRANSFORM_270] = {0, 1, 0, -1, 0, 1},
	[WL_OUTPUT_TRANSFORM_FLIPPED] = {-1, 0, 1, 0, 1, 0},
	[WL_OUTPUT_TRANSFORM_FLIPPED_90] = {0, 1, 0, 1, 0, 0},
	[WL_OUTPUT_TRANSFORM_FLIPPED_180] = {1, 0, 0, 0, -1, 1},
	[WL_OUTPUT_TRANSFORM_FLIPPED_270] = {0, -1, 1, -1, 0, 1},
};

static bool whole(double value)
{
	return value == (double)(int)value;
}

bool sampling_init(struct sampling *sampling, const struct render_texture_options *options)
{
	const struct fbox *src = &options->src;
	const struct box *dst = &options->dst;
	if (box_empty(dst) || !(src->width > 0) || !(src->height > 0)) {
		return false;
	}
	struct box all = {0, 0, options->texture->width, options->texture->height};
	struct box touched = options->shown ? *options->shown : fbox_outset(src);
	if (!box_intersect(&sampling->bounds, &all, &touched)) {
		return false;
	}
	const struct unit_map *unit = &unit_maps[options->transform & 7];
	sampling->ux = unit->ux * src->width / dst->width;
	sampling->uy = unit->uy * src->width / dst->height;
	sampling->u0 = unit->u0 * src->width + src->x;
	sampling->vx = unit->vx * src->height / dst->width;
	sampling->vy = unit->vy * src->height / dst->height;
	sampling->v0 = unit->v0 * src->height + src->y;
	bool swaps = transform_swaps(options->transform);
	sampling->exact = src->width == (swaps ? dst->height : dst->width) &&
			  src->height == (swaps ? dst->width : dst->height) && whole(src->x) &&
			  whole(src->y) && !options->shown;
	sampling->nearest = sampling->exact || options->filter == RENDER_FILTER_NEAREST;
	const double across = swaps ? dst->height : dst->width;
	const double down = swaps ? dst->width : dst->height;
	sampling->sharp = options->filter == RENDER_FILTER_SHARP && !sampling->exact &&
			  across >= src->width && down >= src->height;
	if (sampling->nearest) {
		sampling->u0 += NEAREST_NUDGE;
		sampling->v0 += NEAREST_NUDGE;
	}
	return true;
}

static int32_t min(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t max(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static bool cut(const struct clip *clip, const pixman_box32_t *rect, pixman_box32_t *out)
{
	out->x1 = max(rect->x1, clip->bounds.x1);
	out->y1 = max(rect->y1, clip->bounds.y1);
	out->x2 = min(rect->x2, clip->bounds.x2);
	out->y2 = min(rect->y2, clip->bounds.y2);
	return out->x1 < out->x2 && out->y1 < out->y2;
}

static int32_t end(int64_t at, int32_t most)
{
	return at < most ? (int32_t)at : most;
}

void clip_init(struct clip *clip, const pixman_region32_t *region, const struct box *box,
	int32_t width, int32_t height)
{
	int n = 0;
	/* pixman's getter takes a non-const region, but does not change it. */
	clip->next = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	clip->end = clip->next + n;
	clip->bounds = (pixman_box32_t){
		.x1 = max(box->x, 0),
		.y1 = max(box->y, 0),
		.x2 = end((int64_t)box->x + box->width, width),
		.y2 = end((int64_t)box->y + box->height, height),
	};
}

bool clip_next(struct clip *clip, pixman_box32_t *rect)
{
	while (clip->next < clip->end) {
		if (cut(clip, clip->next++, rect)) {
			return true;
		}
	}
	return false;
}

uint64_t clip_area(struct clip clip)
{
	uint64_t area = 0;
	pixman_box32_t rect;
	while (clip_next(&clip, &rect)) {
		area += (uint64_t)(rect.x2 - rect.x1) * (uint64_t)(rect.y2 - rect.y1);
	}
	return area;
}
