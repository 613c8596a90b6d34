/* SPDX-License-Identifier: MIT */
/* Lenses: magnification of an output's picture; the scene and its damage stay unmagnified. */

#include "scene/internal.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <math.h>

/* Bound of a magnified edge, so that differences of two of them fit an int. */
#define EDGE_MAX (1 << 29)

bool scene_output_set_lens(struct scene_output *output, double factor, struct coord_global at)
{
	const struct scene_view view = scene_output_view(output);
	struct scene_lens lens = {0};
	if (factor > 1) {
		const struct box point = {(int)floor(at.x), (int)floor(at.y), 0, 0};
		const struct box pixel = scene_view_to_pixels(&view, &point);
		const double x = fmax(0, fmin(pixel.x, view.width));
		const double y = fmax(0, fmin(pixel.y, view.height));
		lens.factor = factor;
		lens.x = (int)round(x * factor - x);
		lens.y = (int)round(y * factor - y);
	}
	const struct scene_lens *old = &output->lens;
	const bool changed = lens.factor != old->factor || lens.x != old->x || lens.y != old->y;
	if ((lens.factor > 0) != (old->factor > 0)) {
		/* Less of the list is opaque while it is magnified. */
		output->dirty = true;
		output->scene->dirty = true;
	}
	output->lens = lens;
	return changed;
}

struct coord_global scene_seen_at(struct scene *scene, struct coord_global at)
{
	const struct scene_output *output = scene_output_nearest(scene, at);
	if (!output || !scene_output_is_magnified(output)) {
		return at;
	}
	const struct scene_lens *lens = &output->lens;
	const struct scene_view view = scene_output_view(output);
	struct fbox pixel = {(at.x - view.x) * view.scale, (at.y - view.y) * view.scale, 0, 0};
	int width, height;
	scene_view_upright_size(&view, &width, &height);
	transform_fbox(&pixel, &pixel, view.transform, width, height);
	const struct coord_output shown = {
		(pixel.x + lens->x) / lens->factor, (pixel.y + lens->y) / lens->factor};
	return scene_output_to_global(output, shown);
}

/* Moves a magnified region by the offset of the lens, and clips it to the output. */
static void place(const struct scene_output *output, pixman_region32_t *region)
{
	const struct output_mode *mode = &output->output->mode;
	pixman_region32_translate(region, -output->lens.x, -output->lens.y);
	pixman_region32_intersect_rect(
		region, region, 0, 0, (unsigned)mode->width, (unsigned)mode->height);
}

void scene_lens_damage(
	const struct scene_output *output, pixman_region32_t *out, const pixman_region32_t *damage)
{
	/* The filter samples neighbours: their pixels change too. */
	region_expand(out, damage, 1);
	region_scale(out, out, output->lens.factor, output->lens.factor);
	place(output, out);
}

static int edge(const struct scene_lens *lens, double at, int offset)
{
	return (int)round(fmax(-EDGE_MAX, fmin(EDGE_MAX, at * lens->factor - offset)));
}

static struct box magnify_box(const struct scene_lens *lens, const struct box *box)
{
	const int x = edge(lens, box->x, lens->x), y = edge(lens, box->y, lens->y);
	return (struct box){x, y, edge(lens, (double)box->x + box->width, lens->x) - x,
		edge(lens, (double)box->y + box->height, lens->y) - y};
}

void scene_snapshot_magnify(struct scene_snapshot *snapshot, const struct scene_output *output,
	const pixman_region32_t *damage)
{
	const struct scene_lens *lens = &output->lens;
	*snapshot = (struct scene_snapshot){.max_entries = output->n_entries};
	snapshot->entries =
		output->n_entries ? xcalloc((size_t)output->n_entries, sizeof(snapshot->entries[0]))
				  : NULL;
	pixman_region32_init(&snapshot->uncovered);
	region_scale_nearest(&snapshot->uncovered, &output->uncovered, lens->factor, lens->factor);
	place(output, &snapshot->uncovered);
	for (int i = 0; i < output->n_entries; i++) {
		const struct scene_entry *from = &output->entries[i];
		struct scene_entry *to = &snapshot->entries[snapshot->n_entries];
		*to = *from;
		pixman_region32_init(&to->visible);
		pixman_region32_init(&to->opaque);
		region_scale_nearest(&to->visible, &from->visible, lens->factor, lens->factor);
		place(output, &to->visible);
		if (pixman_region32_contains_rectangle((pixman_region32_t *)damage,
			    &to->visible.extents) == PIXMAN_REGION_OUT) {
			scene_entry_finish(to);
			continue;
		}
		region_scale_nearest(&to->opaque, &from->opaque, lens->factor, lens->factor);
		place(output, &to->opaque);
		to->dst = magnify_box(lens, &from->dst);
		to->unscaled = false;
		snapshot->n_entries++;
	}
}
