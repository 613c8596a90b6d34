/* SPDX-License-Identifier: MIT */
/*
 * Passes of the pixman renderer: every draw is executed at once, one composite per rectangle, which
 * reads each source pixel once and writes each target pixel once.
 */

#include "render/pixman/pixman_renderer.h"
#include "util/log.h"
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>

/* A fence that takes longer means that its device hangs (ms). */
#define FENCE_TIMEOUT_MS 1000

/*
 * pixman cuts the weights of interpolation off after 7 bits: half a step more makes that rounding
 * to nearest.
 */
#define BILINEAR_NUDGE (1.0 / 256)

/* Buffer of pixels whose channels are reordered: 16 KiB. */
#define SCRATCH 4096

static struct pixman_renderer *get_renderer(struct render_pass *pass)
{
	struct pixman_renderer *renderer = wl_container_of(pass->renderer, renderer, base);
	return renderer;
}

static bool wait_fence(int fence)
{
	struct pollfd poll_fd = {.fd = fence, .events = POLLIN};
	int n;
	do {
		n = fence < 0 ? 1 : poll(&poll_fd, 1, FENCE_TIMEOUT_MS);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

struct render_pass *pixman_pass_begin(struct renderer *base, struct buffer *target, int fence)
{
	struct pixman_renderer *renderer = wl_container_of(base, renderer, base);
	if (!wait_fence(fence)) {
		log_warn("pixman: the fence of a target did not signal");
		return NULL;
	}
	void *data;
	size_t stride;
	if (buffer_begin_access(target, BUFFER_READ | BUFFER_WRITE, &data, &stride) < 0) {
		return NULL;
	}
	struct raster *raster = pixman_renderer_raster(renderer, target);
	if (stride % sizeof(uint32_t) != 0 || (uintptr_t)data % sizeof(uint32_t) != 0 ||
		!raster_set(raster, target->format, target->width, target->height, data, stride)) {
		buffer_end_access(target);
		return NULL;
	}
	struct pixman_pass *pass = &renderer->pass;
	assert(!pass->base.target);
	pass->base.renderer = base;
	pass->base.target = buffer_lock(target);
	pass->image = raster->image;
	++base->stats.passes;
	return &pass->base;
}

bool pixman_pass_submit(struct render_pass *base, int *fence)
{
	buffer_end_access(base->target);
	buffer_unlock(base->target);
	base->target = NULL;
	*fence = -1;
	return true;
}

static uint16_t channel(float value)
{
	return (uint16_t)lrintf(fminf(fmaxf(value, 0), 1) * UINT16_MAX);
}

static pixman_image_t *solid_get(struct solid *solid, const pixman_color_t *color)
{
	if (solid->image && memcmp(&solid->color, color, sizeof(*color)) == 0) {
		return solid->image;
	}
	pixman_image_t *image = pixman_image_create_solid_fill(color);
	if (!image) {
		return NULL;
	}
	if (solid->image) {
		pixman_image_unref(solid->image);
	}
	solid->image = image;
	solid->color = *color;
	return image;
}

static void account(struct render_pass *pass, const struct clip *clip)
{
	uint64_t area = clip_area(*clip);
	pass->renderer->stats.pixels_drawn += area;
	pass->renderer->stats.draws += area > 0;
}

static void fill(struct render_pass *base, const float rgba[static 4], const struct box *box,
	const pixman_region32_t *region, bool overwrite)
{
	struct pixman_pass *pass = wl_container_of(base, pass, base);
	struct clip clip;
	clip_init(&clip, region, box, base->target->width, base->target->height);
	account(base, &clip);
	pixman_color_t color = {
		channel(rgba[0]), channel(rgba[1]), channel(rgba[2]), channel(rgba[3])};
	pixman_box32_t rect;
	if (overwrite || color.alpha == UINT16_MAX) {
		while (clip_next(&clip, &rect)) {
			pixman_image_fill_boxes(PIXMAN_OP_SRC, pass->image, &color, 1, &rect);
		}
		return;
	}
	pixman_image_t *solid = solid_get(&get_renderer(base)->fill, &color);
	while (solid && clip_next(&clip, &rect)) {
		pixman_image_composite32(PIXMAN_OP_OVER, solid, NULL, pass->image, 0, 0, 0, 0,
			rect.x1, rect.y1, rect.x2 - rect.x1, rect.y2 - rect.y1);
	}
}

void pixman_pass_add_rect(struct render_pass *base, const struct render_rect_options *options)
{
	fill(base, options->color, &options->box, options->clip, options->overwrite);
}

static void composite(
	const struct draw *draw, int32_t src_x, int32_t src_y, const pixman_box32_t *rect)
{
	pixman_filter_t filter =
		draw->sampling.nearest ? PIXMAN_FILTER_NEAREST : PIXMAN_FILTER_BILINEAR;
	pixman_image_set_repeat(draw->source, PIXMAN_REPEAT_PAD);
	pixman_image_set_filter(draw->source, filter, NULL, 0);
	pixman_image_composite32(draw->op, draw->source, draw->mask, draw->target, src_x, src_y, 0,
		0, rect->x1, rect->y1, rect->x2 - rect->x1, rect->y2 - rect->y1);
}

/* Returns whether source pixels can be copied unchanged; padding bits may differ. */
static bool same_pixels(pixman_format_code_t source, pixman_format_code_t target)
{
	return source == target ||
	       (PIXMAN_FORMAT_A(target) == 0 &&
		       PIXMAN_FORMAT_BPP(source) == PIXMAN_FORMAT_BPP(target) &&
		       PIXMAN_FORMAT_TYPE(source) == PIXMAN_FORMAT_TYPE(target) &&
		       PIXMAN_FORMAT_RGB(source) == PIXMAN_FORMAT_RGB(target));
}

static __attribute__((noinline)) void move_rows(char *to, ptrdiff_t to_stride, const char *from,
	ptrdiff_t from_stride, size_t row, int32_t height)
{
	for (; height > 0; height--, from += from_stride, to += to_stride) {
		/* A capture's buffer may share its pool with one that is shown. */
		memmove(to, from, row);
	}
}

/* The most common draw: rows are copied. Returns false if pixman has to draw. */
static bool is_copy(const struct draw *draw, const pixman_box32_t *rect)
{
	int32_t src_x = rect->x1 + draw->shift_x, src_y = rect->y1 + draw->shift_y;
	int32_t width = rect->x2 - rect->x1, height = rect->y2 - rect->y1;
	if (draw->op != PIXMAN_OP_SRC || draw->mask || src_x < 0 || src_y < 0 ||
		src_x + width > pixman_image_get_width(draw->source) ||
		src_y + height > pixman_image_get_height(draw->source)) {
		return false;
	}
	pixman_format_code_t format = pixman_image_get_format(draw->target);
	return same_pixels(pixman_image_get_format(draw->source), format) &&
	       PIXMAN_FORMAT_BPP(format) % 8 == 0;
}

static void copy_rows(const struct draw *draw, const pixman_box32_t *rect)
{
	int32_t src_x = rect->x1 + draw->shift_x, src_y = rect->y1 + draw->shift_y;
	int32_t width = rect->x2 - rect->x1, height = rect->y2 - rect->y1;
	pixman_format_code_t format = pixman_image_get_format(draw->target);
	size_t pixel = PIXMAN_FORMAT_BPP(format) / 8, row = pixel * (size_t)width;
	ptrdiff_t from_stride = pixman_image_get_stride(draw->source);
	ptrdiff_t to_stride = pixman_image_get_stride(draw->target);
	const char *from = (const char *)pixman_image_get_data(draw->source) + src_y * from_stride +
			   src_x * (ptrdiff_t)pixel;
	char *to = (char *)pixman_image_get_data(draw->target) + rect->y1 * to_stride +
		   rect->x1 * (ptrdiff_t)pixel;
	move_rows(to, to_stride, from, from_stride, row, height);
}

/* pixman is slow at reordering 32-bit channels. */
static bool is_swapped(const struct draw *draw)
{
	pixman_format_code_t source = pixman_image_get_format(draw->source);
	pixman_format_code_t target = pixman_image_get_format(draw->target);
	return PIXMAN_FORMAT_TYPE(source) == PIXMAN_TYPE_ABGR &&
	       PIXMAN_FORMAT_TYPE(target) == PIXMAN_TYPE_ARGB && PIXMAN_FORMAT_BPP(source) == 32 &&
	       PIXMAN_FORMAT_G(source) == 8;
}

static void swap_row(uint32_t *to, const uint32_t *from, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		uint32_t pixel = from[i];
		to[i] = (pixel & 0xff00ff00) | (pixel & 0xff) << 16 | (pixel >> 16 & 0xff);
	}
}

/* Reorders piece by piece, within the cache. Returns false if it exceeds the source. */
static bool draw_swapped(const struct draw *draw, const pixman_box32_t *rect)
{
	uint32_t scratch[SCRATCH];
	int32_t x1 = rect->x1 + draw->shift_x, y1 = rect->y1 + draw->shift_y;
	int32_t width = rect->x2 - rect->x1, height = rect->y2 - rect->y1;
	if (x1 < 0 || y1 < 0 || x1 + width > pixman_image_get_width(draw->source) ||
		y1 + height > pixman_image_get_height(draw->source)) {
		return false;
	}
	pixman_format_code_t format = pixman_image_get_format(draw->source) == PIXMAN_a8b8g8r8
					      ? PIXMAN_a8r8g8b8
					      : PIXMAN_x8r8g8b8;
	int32_t columns = width < SCRATCH ? width : SCRATCH, rows = SCRATCH / columns;
	pixman_image_t *piece = pixman_image_create_bits_no_clear(
		format, columns, rows, scratch, columns * (int)sizeof(scratch[0]));
	ptrdiff_t stride = pixman_image_get_stride(draw->source);
	const char *pixels = (const char *)pixman_image_get_data(draw->source) + y1 * stride +
			     x1 * (ptrdiff_t)sizeof(scratch[0]);
	for (int32_t y = 0; piece && y < height; y += rows) {
		int32_t h = height - y < rows ? height - y : rows;
		for (int32_t x = 0; x < width; x += columns) {
			int32_t w = width - x < columns ? width - x : columns;
			for (int32_t row = 0; row < h; row++) {
				const void *from = pixels + (y + row) * stride +
						   x * (ptrdiff_t)sizeof(scratch[0]);
				swap_row(scratch + row * columns, from, w);
			}
			pixman_image_composite32(draw->op, piece, draw->mask, draw->target, 0, 0, 0,
				0, rect->x1 + x, rect->y1 + y, w, h);
		}
	}
	if (piece) {
		pixman_image_unref(piece);
	}
	return piece;
}

static void draw_plain(const struct draw *draw, const pixman_box32_t *rect)
{
	if (is_swapped(draw) && draw_swapped(draw, rect)) {
		return;
	}
	pixman_image_set_transform(draw->source, NULL);
	composite(draw, rect->x1 + draw->shift_x, rect->y1 + draw->shift_y, rect);
}

static int32_t fixed(double value)
{
	return (int32_t)lrint(value * 65536);
}

/* The transform is exact in the middle of the tile. */
static void draw_tile(const struct draw *draw, const pixman_box32_t *tile)
{
	const struct sampling *s = &draw->sampling;
	double half_w = (tile->x2 - tile->x1) / 2.0, half_h = (tile->y2 - tile->y1) / 2.0;
	double x = tile->x1 + half_w - draw->dst.x, y = tile->y1 + half_h - draw->dst.y;
	double nudge = s->nearest ? 0 : BILINEAR_NUDGE;
	double u = s->ux * x + s->uy * y + s->u0 - s->bounds.x + nudge;
	double v = s->vx * x + s->vy * y + s->v0 - s->bounds.y + nudge;
	double ux = fixed(s->ux) / 65536.0, uy = fixed(s->uy) / 65536.0;
	double vx = fixed(s->vx) / 65536.0, vy = fixed(s->vy) / 65536.0;
	pixman_transform_t transform = {{
		{fixed(s->ux), fixed(s->uy), fixed(u - ux * half_w - uy * half_h)},
		{fixed(s->vx), fixed(s->vy), fixed(v - vx * half_w - vy * half_h)},
		{0, 0, pixman_fixed_1},
	}};
	pixman_image_set_transform(draw->source, &transform);
	composite(draw, 0, 0, tile);
}

static int32_t tile_end(int32_t start, int32_t end)
{
	return end - start > TILE_SIZE ? start + TILE_SIZE : end;
}

static void draw_sampled(const struct draw *draw, const pixman_box32_t *rect)
{
	/* A rotation without scaling is exact in any size, and faster in one go. */
	if (draw->sampling.exact) {
		draw_tile(draw, rect);
		return;
	}
	for (int32_t y = rect->y1; y < rect->y2; y = tile_end(y, rect->y2)) {
		for (int32_t x = rect->x1; x < rect->x2; x = tile_end(x, rect->x2)) {
			pixman_box32_t tile = {x, y, tile_end(x, rect->x2), tile_end(y, rect->y2)};
			draw_tile(draw, &tile);
		}
	}
}

static void draw_rect(struct pixman_renderer *renderer, const struct draw *draw, bool plain,
	const pixman_box32_t *rect)
{
	bool copy = plain && is_copy(draw, rect);
	enum pixman_tiles kind = copy                   ? PIXMAN_TILES_COPY
				 : draw->sampling.exact ? PIXMAN_TILES_PLAIN
							: PIXMAN_TILES_SAMPLED;
	void (*work)(const struct draw *draw, const pixman_box32_t *rect) = copy    ? copy_rows
									    : plain ? draw_plain
										    : draw_sampled;
	if (!pixman_tiles_draw(renderer, draw, rect, kind, work)) {
		work(draw, rect);
	}
}

static void draw_image(struct pixman_renderer *renderer, struct draw *draw, struct raster *raster,
	const struct render_texture_options *options, struct clip *clip)
{
	const struct sampling *s = &draw->sampling;
	bool plain = s->exact && options->transform == WL_OUTPUT_TRANSFORM_NORMAL;
	/* Without interpolation, nothing beyond src is read: no partial image is needed. */
	struct box all = {0, 0, raster->width, raster->height};
	if (s->exact) {
		draw->sampling.bounds = all;
	}
	draw->source = raster_part(raster, &s->bounds);
	if (!draw->source) {
		return;
	}
	draw->shift_x = (int32_t)options->src.x - draw->dst.x;
	draw->shift_y = (int32_t)options->src.y - draw->dst.y;
	pixman_box32_t rect;
	while (clip_next(clip, &rect)) {
		draw_rect(renderer, draw, plain, &rect);
	}
}

static void draw_buffer(struct draw *draw, struct pixman_renderer *renderer,
	struct pixman_texture *texture, const struct render_texture_options *options,
	struct clip *clip)
{
	void *data;
	size_t stride;
	/* The guard must surround every read; the memory may have moved since the update. */
	if (!texture->buffer ||
		buffer_begin_access(texture->buffer, BUFFER_READ, &data, &stride) < 0) {
		return;
	}
	struct raster *raster = pixman_renderer_raster(renderer, texture->buffer);
	if (raster_set(raster, texture->format, texture->base.width, texture->base.height, data,
		    stride)) {
		draw->buffer = texture->buffer;
		draw_image(renderer, draw, raster, options, clip);
	}
	buffer_end_access(texture->buffer);
}

static void draw_color(struct render_pass *pass, const struct pixman_texture *texture,
	const struct render_texture_options *options)
{
	float color[4];
	for (int i = 0; i < 4; ++i) {
		color[i] = texture->color[i] * options->alpha;
	}
	fill(pass, color, &options->dst, options->clip, false);
}

void pixman_pass_add_texture(struct render_pass *base, const struct render_texture_options *options)
{
	struct pixman_pass *pass = wl_container_of(base, pass, base);
	struct pixman_renderer *renderer = get_renderer(base);
	struct pixman_texture *texture = wl_container_of(options->texture, texture, base);
	struct draw draw = {.target = pass->image, .dst = options->dst};
	if (!sampling_init(&draw.sampling, options) || !(options->alpha > 0)) {
		return;
	}
	if (texture->kind == PIXMAN_TEXTURE_COLOR) {
		draw_color(base, texture, options);
		return;
	}
	struct clip clip;
	clip_init(&clip, options->clip, &options->dst, base->target->width, base->target->height);
	account(base, &clip);
	bool opaque = options->opaque || !pixel_format_get(texture->format)->has_alpha;
	draw.op = opaque && options->alpha >= 1 ? PIXMAN_OP_SRC : PIXMAN_OP_OVER;
	if (options->alpha < 1) {
		pixman_color_t color = {.alpha = channel(options->alpha)};
		draw.mask = solid_get(&renderer->alpha, &color);
		draw.mask_color = color;
	}
	if (texture->kind == PIXMAN_TEXTURE_COPY) {
		draw_image(renderer, &draw, &texture->copy, options, &clip);
	} else {
		draw_buffer(&draw, renderer, texture, options, &clip);
	}
}
