/* SPDX-License-Identifier: MIT */
/*
 * Tiled multi-threaded drawing and conversion for pixman. Images change while pixman uses them, so
 * each tile has its own. Tiles have the borders of single-threaded drawing, so the result is
 * identical.
 */

#include "render/pixman/pixman_renderer.h"

/* Pixels below which waking threads costs more than it saves (tests/bench/RESULTS.md). */
#define LEAST_PIXELS (256 * 1024)
#define LEAST_COPIED (3 * 1024 * 1024)

/* Height of a tile of a draw that does not sample, in rows. */
#define BAND 64

struct tiles {
	struct worker_pool *pool;
	const struct draw *draw;
	struct buffer *source, *target;
	pixman_box32_t rect;
	int32_t tile_width, tile_height, columns;
	void (*work)(const struct draw *draw, const pixman_box32_t *tile);
	/* Conversions only. */
	const struct convert *convert;
	struct raster *raster;
};

static bool is_worth_it(const pixman_box32_t *rect, int64_t least)
{
	return (int64_t)(rect->x2 - rect->x1) * (rect->y2 - rect->y1) >= least;
}

static struct worker_pool *get_pool(struct pixman_renderer *renderer)
{
	if (!renderer->pool && !renderer->alone) {
		renderer->pool = worker_pool_create();
		renderer->alone = !renderer->pool;
	}
	return renderer->pool;
}

static pixman_box32_t tile_of(const struct tiles *tiles, int part)
{
	const pixman_box32_t *rect = &tiles->rect;
	int32_t x = rect->x1 + part % tiles->columns * tiles->tile_width;
	int32_t y = rect->y1 + part / tiles->columns * tiles->tile_height;
	return (pixman_box32_t){
		.x1 = x,
		.y1 = y,
		.x2 = rect->x2 - x > tiles->tile_width ? x + tiles->tile_width : rect->x2,
		.y2 = rect->y2 - y > tiles->tile_height ? y + tiles->tile_height : rect->y2,
	};
}

static void run(struct tiles *tiles, void (*work)(void *data, int part))
{
	const pixman_box32_t *rect = &tiles->rect;
	int32_t width = rect->x2 - rect->x1, height = rect->y2 - rect->y1;
	tiles->columns = (width + tiles->tile_width - 1) / tiles->tile_width;
	int rows = (height + tiles->tile_height - 1) / tiles->tile_height;
	worker_pool_run(tiles->pool, tiles->columns * rows, work, tiles);
}

/* Returns another image of the same memory. */
static pixman_image_t *clone_image(pixman_image_t *image)
{
	return pixman_image_create_bits_no_clear(pixman_image_get_format(image),
		pixman_image_get_width(image), pixman_image_get_height(image),
		pixman_image_get_data(image), pixman_image_get_stride(image));
}

static void draw_with_clones(const struct tiles *tiles, const pixman_box32_t *tile)
{
	struct draw draw = *tiles->draw;
	draw.source = clone_image(tiles->draw->source);
	draw.target = clone_image(tiles->draw->target);
	draw.mask = tiles->draw->mask ? pixman_image_create_solid_fill(&draw.mask_color) : NULL;
	if (draw.source && draw.target && (draw.mask || !tiles->draw->mask)) {
		tiles->work(&draw, tile);
	}
	pixman_image_t *images[] = {draw.source, draw.target, draw.mask};
	for (int i = 0; i < 3; i++) {
		if (images[i]) {
			pixman_image_unref(images[i]);
		}
	}
}

/* Buffers count accesses for one thread only. */
static bool begin_access(const struct tiles *tiles, struct buffer *buffer, unsigned access)
{
	void *data;
	size_t stride;
	if (!buffer) {
		return true;
	}
	worker_pool_lock(tiles->pool);
	bool begun = buffer_begin_access(buffer, access, &data, &stride) == 0;
	worker_pool_unlock(tiles->pool);
	return begun;
}

static void end_access(const struct tiles *tiles, struct buffer *buffer)
{
	if (buffer) {
		worker_pool_lock(tiles->pool);
		buffer_end_access(buffer);
		worker_pool_unlock(tiles->pool);
	}
}

static void draw_part(void *data, int part)
{
	const struct tiles *tiles = data;
	pixman_box32_t tile = tile_of(tiles, part);
	if (!begin_access(tiles, tiles->target, BUFFER_READ | BUFFER_WRITE)) {
		return;
	}
	if (begin_access(tiles, tiles->source, BUFFER_READ)) {
		draw_with_clones(tiles, &tile);
		end_access(tiles, tiles->source);
	}
	end_access(tiles, tiles->target);
}

bool pixman_tiles_draw(struct pixman_renderer *renderer, const struct draw *draw,
	const pixman_box32_t *rect, enum pixman_tiles kind,
	void (*work)(const struct draw *draw, const pixman_box32_t *tile))
{
	if (!is_worth_it(rect, kind == PIXMAN_TILES_COPY ? LEAST_COPIED : LEAST_PIXELS) ||
		!get_pool(renderer)) {
		return false;
	}
	struct tiles tiles = {
		.pool = renderer->pool,
		.draw = draw,
		.source = draw->buffer,
		.target = renderer->pass.base.target,
		.rect = *rect,
		.tile_width = kind == PIXMAN_TILES_SAMPLED ? TILE_SIZE : rect->x2 - rect->x1,
		.tile_height = kind == PIXMAN_TILES_SAMPLED ? TILE_SIZE : BAND,
		.work = work,
	};
	run(&tiles, draw_part);
	return true;
}

/* Converts on this thread. */
static void convert_box(
	struct raster *raster, const struct convert *convert, const pixman_box32_t *box)
{
	convert_rect(convert, box,
		raster->data + (size_t)box->y1 * raster->stride +
			(size_t)box->x1 * sizeof(uint32_t),
		raster->stride);
}

static void convert_part(void *data, int part)
{
	const struct tiles *tiles = data;
	pixman_box32_t tile = tile_of(tiles, part);
	if (begin_access(tiles, tiles->source, BUFFER_READ)) {
		convert_box(tiles->raster, tiles->convert, &tile);
		end_access(tiles, tiles->source);
	}
}

void pixman_tiles_convert(struct pixman_renderer *renderer, struct raster *raster,
	const struct convert *convert, struct buffer *buffer, const pixman_box32_t *box)
{
	if (!is_worth_it(box, LEAST_PIXELS) || !get_pool(renderer)) {
		convert_box(raster, convert, box);
		return;
	}
	struct tiles tiles = {
		.pool = renderer->pool,
		.source = buffer,
		.rect = *box,
		.tile_width = box->x2 - box->x1,
		.tile_height = BAND,
		.convert = convert,
		.raster = raster,
	};
	run(&tiles, convert_part);
}
