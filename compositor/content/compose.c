/* SPDX-License-Identifier: MIT */
/* Composition: draws damaged and visible regions only, opaque parts without blending. */

#include "content/compose.h"
#include "content/content.h"
#include "internal.h"
#include <math.h>

/* Invisible entries (alpha 0) and entries on planes are not drawn. */
bool compose_region(
	const struct scene_entry *entry, const pixman_region32_t *damage, pixman_region32_t *out)
{
	/* Most entries of a long list are far from the damage. */
	const pixman_box32_t *a = &entry->visible.extents, *b = &damage->extents;
	if (a->x1 >= b->x2 || a->x2 <= b->x1 || a->y1 >= b->y2 || a->y2 <= b->y1) {
		return false;
	}
	if (!entry->node || entry->alpha == 0 || entry->place == PLACE_OVER ||
		entry->place == PLACE_PRIMARY) {
		return false;
	}
	pixman_region32_t *visible = (pixman_region32_t *)&entry->visible;
	if (damage->data) {
		/* Damage with many rectangles often contains an entry, or misses it, as a whole. */
		switch (pixman_region32_contains_rectangle(
			(pixman_region32_t *)damage, &visible->extents)) {
		case PIXMAN_REGION_OUT: return false;
		case PIXMAN_REGION_IN: return pixman_region32_copy(out, visible);
		case PIXMAN_REGION_PART: break;
		}
	}
	pixman_region32_intersect(out, visible, (pixman_region32_t *)damage);
	return pixman_region32_not_empty(out);
}

static void prepare(struct render_device *device, const struct scene_entry *entry,
	const pixman_region32_t *region, bool exact)
{
	if (entry->place == PLACE_UNDER || entry->black) {
		return;
	}
	if (entry->node->type == SCENE_IMAGE) {
		struct scene_image *image = wl_container_of(entry->node, image, node);
		if (!content_image(device, image->buffer)) {
			content_retry_images(device, image->node.scene);
		}
	}
	const struct scene_surface *shown = scene_entry_surface(entry);
	if (!shown) {
		return;
	}
	struct surface *surface = shown->surface;
	float color[4];
	if (surface->current.buffer && buffer_color(surface->current.buffer, color)) {
		return;
	}
	pixman_region32_t needed;
	pixman_region32_init(&needed);
	scene_entry_to_buffer(entry, &needed, region);
	struct content *content = content_get(surface, device);
	content->filtered = !entry->unscaled || !wl_list_empty(&shown->previews);
	(exact ? content_prepare : content_refresh)(content, &needed);
	content_before_pass(content, &needed);
	pixman_region32_fini(&needed);
}

static void draw_color(struct render_pass *pass, const struct box *box, const float color[4],
	float alpha, const pixman_region32_t *clip)
{
	struct render_rect_options options = {
		.box = *box,
		.color = {color[0] * alpha, color[1] * alpha, color[2] * alpha, color[3] * alpha},
		.clip = clip,
	};
	render_pass_add_rect(pass, &options);
}

/* Draws a rectangle row by row of equal colour, which renders alike on all devices. */
static void draw_gradient(struct render_pass *pass, const struct scene_entry *entry,
	const struct scene_rect *rect, const pixman_region32_t *region)
{
	const bool swaps = transform_swaps(entry->transform);
	const int width = swaps ? entry->dst.height : entry->dst.width;
	const int height = swaps ? entry->dst.width : entry->dst.height;
	float most = 0;
	for (int i = 0; i < 4; i++) {
		most = fmaxf(most, fabsf(rect->bottom[i] - rect->color[i]));
	}
	const int colors = (int)lroundf(most * 255) + 1, steps = colors < height ? colors : height;
	for (int i = 0; i < steps; i++) {
		const int y = (int)((int64_t)height * i / steps);
		struct box box = {0, y, width, (int)((int64_t)height * (i + 1) / steps) - y}, part;
		transform_box(&box, &box, entry->transform, width, height);
		box.x += entry->dst.x;
		box.y += entry->dst.y;
		const pixman_box32_t *all = &region->extents;
		const struct box extents = {all->x1, all->y1, all->x2 - all->x1, all->y2 - all->y1};
		if (!box_intersect(&part, &box, &extents)) {
			continue;
		}
		const float t = (float)i / (float)(steps > 1 ? steps - 1 : 1);
		float color[4];
		for (int j = 0; j < 4; j++) {
			float value = rect->color[j] + (rect->bottom[j] - rect->color[j]) * t;
			color[j] = roundf(value * 255) / 255;
		}
		draw_color(pass, &box, color, entry->alpha, region);
	}
}

static void clear(struct render_pass *pass, const struct box *box, const float color[4],
	const pixman_region32_t *clip)
{
	struct render_rect_options options = {
		.box = *box,
		.color = {color[0], color[1], color[2], color[3]},
		.clip = clip,
		.overwrite = true,
	};
	render_pass_add_rect(pass, &options);
}

/* Draws opaque and translucent parts separately, so that only the latter are blended. */
static void draw_texture(struct render_pass *pass, const struct scene_entry *entry,
	struct texture *texture, const pixman_region32_t *region)
{
	struct render_texture_options options = {
		.texture = texture,
		.src = entry->src,
		.shown = entry->padded ? &entry->shown : NULL,
		.dst = entry->dst,
		.transform = entry->transform,
		.alpha = entry->alpha,
		.filter = entry->unscaled ? RENDER_FILTER_NEAREST
			  : entry->sharp  ? RENDER_FILTER_SHARP
					  : RENDER_FILTER_BILINEAR,
	};
	bool all = entry->all_opaque;
	if (all || !pixman_region32_not_empty((pixman_region32_t *)&entry->opaque)) {
		options.clip = region;
		options.opaque = all;
		render_pass_add_texture(pass, &options);
		return;
	}
	pixman_region32_t part;
	pixman_region32_init(&part);
	pixman_region32_intersect(
		&part, (pixman_region32_t *)region, (pixman_region32_t *)&entry->opaque);
	if (pixman_region32_not_empty(&part)) {
		options.clip = &part;
		options.opaque = true;
		render_pass_add_texture(pass, &options);
	}
	pixman_region32_subtract(
		&part, (pixman_region32_t *)region, (pixman_region32_t *)&entry->opaque);
	if (pixman_region32_not_empty(&part)) {
		options.clip = &part;
		options.opaque = false;
		render_pass_add_texture(pass, &options);
	}
	pixman_region32_fini(&part);
}

/* Fills opaque pixels that the client's buffer does not provide: nothing was drawn below them. */
static void draw_absent(struct render_pass *pass, const struct scene_entry *entry,
	const pixman_region32_t *region, const float *background)
{
	pixman_region32_t absent;
	pixman_region32_init(&absent);
	pixman_region32_intersect(
		&absent, (pixman_region32_t *)region, (pixman_region32_t *)&entry->opaque);
	if (pixman_region32_not_empty(&absent)) {
		clear(pass, &entry->dst, background, &absent);
	}
	pixman_region32_fini(&absent);
}

static void draw_parts(struct render_pass *pass, const struct scene_entry *entry,
	struct content *content, const pixman_region32_t *region, const float *background)
{
	struct content_part parts[CONTENT_PARTS_MAX];
	pixman_region32_t pixels, left;
	pixman_region32_init(&pixels);
	pixman_region32_init(&left);
	scene_entry_to_buffer(entry, &pixels, region);
	int n = content_parts(content, &pixels, parts);
	pixman_region32_copy(&left, (pixman_region32_t *)region);
	/* The smallest first: scaled, a part also touches pixels of holes that others fill. */
	for (int i = n - 1; i >= 0; i--) {
		scene_entry_to_pixels(entry, &pixels, &parts[i].region);
		pixman_region32_intersect(&pixels, &pixels, &left);
		if (pixman_region32_not_empty(&pixels)) {
			draw_texture(pass, entry, parts[i].texture, &pixels);
			pixman_region32_subtract(&left, &left, &pixels);
		}
	}
	content_parts_finish(parts, n);
	draw_absent(pass, entry, &left, background);
	pixman_region32_fini(&left);
	pixman_region32_fini(&pixels);
}

static void draw_surface(struct render_device *device, struct render_pass *pass,
	const struct scene_entry *entry, const pixman_region32_t *region, const float *background)
{
	struct surface *surface = scene_entry_surface(entry)->surface;
	float color[4];
	if (surface->current.buffer && buffer_color(surface->current.buffer, color)) {
		draw_color(pass, &entry->dst, color, entry->alpha, region);
		return;
	}
	struct content *content = content_find(surface, device);
	struct texture *texture = content ? content_texture(content) : NULL;
	if (content && content_has_parts(content)) {
		draw_parts(pass, entry, content, region, background);
	} else if (texture) {
		draw_texture(pass, entry, texture, region);
	} else {
		/* E.g. the client truncated its pool. */
		draw_absent(pass, entry, region, background);
	}
}

static void draw(struct render_device *device, struct render_pass *pass,
	const struct scene_entry *entry, const pixman_region32_t *region, const float *background)
{
	static const float nothing[4] = {0, 0, 0, 0}, black[4] = {0, 0, 0, 1};
	if (entry->place == PLACE_UNDER) {
		clear(pass, &entry->dst, nothing, region);
		return;
	}
	if (entry->black) {
		clear(pass, &entry->dst, black, region);
		return;
	}
	switch (entry->node->type) {
	case SCENE_PREVIEW:
	case SCENE_SURFACE: draw_surface(device, pass, entry, region, background); break;
	case SCENE_RECT: {
		struct scene_rect *rect = wl_container_of(entry->node, rect, node);
		if (rect->gradient) {
			draw_gradient(pass, entry, rect, region);
		} else {
			draw_color(pass, &entry->dst, rect->color, entry->alpha, region);
		}
		break;
	}
	case SCENE_IMAGE: {
		struct scene_image *image = wl_container_of(entry->node, image, node);
		struct texture *texture = content_image(device, image->buffer);
		if (texture) {
			draw_texture(pass, entry, texture, region);
		}
		break;
	}
	case SCENE_TREE: break;
	}
}

static int64_t time_of(const struct compose_times *times)
{
	return times ? clock_now(times->clock) : 0;
}

bool compose_draw(struct render_device *device, const struct compose_list *list,
	struct buffer *target, const pixman_region32_t *damage, int *fence,
	struct compose_times *times)
{
	pixman_region32_t region;
	pixman_region32_init(&region);
	int64_t begun = time_of(times);
	struct render_stats before = device->renderer->stats;
	content_budget_begin(device);
	const struct scene_entry *first = NULL, *last = NULL;
	for (int i = 0; i < list->n_entries; i++) {
		const struct scene_entry *entry = &list->entries[i];
		if (compose_region(entry, damage, &region)) {
			prepare(device, entry, &region, list->exact);
			first = first ? first : entry;
			last = entry;
		}
	}
	/* Comparing counters is cheaper than reading the clock. */
	bool uploads = device->renderer->stats.bytes_uploaded != before.bytes_uploaded;
	int64_t uploaded = uploads ? time_of(times) : begun;
	buffer_will_write(target, damage);
	struct render_pass *pass = renderer_begin(device->renderer, target, -1);
	uint64_t number = device->renderer->stats.passes;
	if (!pass) {
		pixman_region32_fini(&region);
		return false;
	}
	pixman_region32_intersect(
		&region, (pixman_region32_t *)list->uncovered, (pixman_region32_t *)damage);
	if (pixman_region32_not_empty(&region)) {
		struct box all = {0, 0, target->width, target->height};
		clear(pass, &all, list->background, &region);
	}
	for (const struct scene_entry *entry = last; entry;
		entry = entry > first ? entry - 1 : NULL) {
		if (compose_region(entry, damage, &region)) {
			draw(device, pass, entry, &region, list->background);
		}
	}
	if (list->overlay) {
		list->overlay(list->data, pass, damage);
	}
	pixman_region32_fini(&region);
	bool done = render_pass_submit(pass, fence);
	content_pass_ended(device, *fence);
	if (times) {
		times->begun = begun;
		times->uploaded = uploaded;
		times->submitted = time_of(times);
		times->bytes = device->renderer->stats.bytes_uploaded - before.bytes_uploaded;
		times->pass = number;
		times->pixels = device->renderer->stats.pixels_drawn - before.pixels_drawn;
	}
	return done;
}
