/*
 * Large draws and conversions, shared out in tiles to a crew of threads. pixman's images change while
 * they are used, so each tile has its own; tiles are those of one thread, so that the picture is the same.
 */

#include "render/pixman/pixman_renderer.h"

/* Below so many pixels, waking threads costs more than they bring (tests/bench/RESULTS.md). */
#define LEAST_PIXELS (256 * 1024)
#define LEAST_COPIED (3 * 1024 * 1024)

/* Rows of a tile of what is not sampled. */
#define BAND 64

struct share {
	struct crew *crew;
	const struct draw *draw;
	struct buffer *source, *target;
	pixman_box32_t rect;
	int32_t tile_width, tile_height, columns;
	void (*work)(const struct draw *draw, const pixman_box32_t *tile);
	/* Of conversions. */
	const struct convert *convert;
	struct picture *picture;
};

static bool is_worth_it(const pixman_box32_t *rect, int64_t least)
{
	return (int64_t)(rect->x2 - rect->x1) * (rect->y2 - rect->y1) >= least;
}

static struct crew *get_crew(struct pixman_renderer *renderer)
{
	if (!renderer->crew && !renderer->alone) {
		renderer->crew = crew_create();
		renderer->alone = !renderer->crew;
	}
	return renderer->crew;
}

static pixman_box32_t tile_of(const struct share *share, int part)
{
	const pixman_box32_t *rect = &share->rect;
	int32_t x = rect->x1 + part % share->columns * share->tile_width;
	int32_t y = rect->y1 + part / share->columns * share->tile_height;
	return (pixman_box32_t){
		.x1 = x,
		.y1 = y,
		.x2 = rect->x2 - x > share->tile_width ? x + share->tile_width : rect->x2,
		.y2 = rect->y2 - y > share->tile_height ? y + share->tile_height : rect->y2,
	};
}

static void run(struct share *share, void (*work)(void *data, int part))
{
	const pixman_box32_t *rect = &share->rect;
	int32_t width = rect->x2 - rect->x1, height = rect->y2 - rect->y1;
	share->columns = (width + share->tile_width - 1) / share->tile_width;
	int rows = (height + share->tile_height - 1) / share->tile_height;
	crew_run(share->crew, share->columns * rows, work, share);
}

/* Another image of the same memory. */
static pixman_image_t *twin(pixman_image_t *image)
{
	return pixman_image_create_bits_no_clear(pixman_image_get_format(image),
		pixman_image_get_width(image), pixman_image_get_height(image),
		pixman_image_get_data(image), pixman_image_get_stride(image));
}

static void draw_with_twins(const struct share *share, const pixman_box32_t *tile)
{
	struct draw draw = *share->draw;
	draw.source = twin(share->draw->source);
	draw.target = twin(share->draw->target);
	draw.mask = share->draw->mask ? pixman_image_create_solid_fill(&draw.mask_color) : NULL;
	if (draw.source && draw.target && (draw.mask || !share->draw->mask)) {
		share->work(&draw, tile);
	}
	pixman_image_t *images[] = {draw.source, draw.target, draw.mask};
	for (int i = 0; i < 3; i++) {
		if (images[i]) {
			pixman_image_unref(images[i]);
		}
	}
}

static void draw_part(void *data, int part)
{
	const struct share *share = data;
	pixman_box32_t tile = tile_of(share, part);
	if (!crew_begin_access(share->crew, share->target, BUFFER_READ | BUFFER_WRITE)) {
		return;
	}
	if (crew_begin_access(share->crew, share->source, BUFFER_READ)) {
		draw_with_twins(share, &tile);
		crew_end_access(share->crew, share->source);
	}
	crew_end_access(share->crew, share->target);
}

bool pixman_share_draw(struct pixman_renderer *renderer, const struct draw *draw,
	const pixman_box32_t *rect, enum pixman_share kind,
	void (*work)(const struct draw *draw, const pixman_box32_t *tile))
{
	if (!is_worth_it(rect, kind == PIXMAN_SHARE_COPY ? LEAST_COPIED : LEAST_PIXELS) ||
		!get_crew(renderer)) {
		return false;
	}
	struct share share = {
		.crew = renderer->crew,
		.draw = draw,
		.source = draw->buffer,
		.target = renderer->pass.base.target,
		.rect = *rect,
		.tile_width = kind == PIXMAN_SHARE_SAMPLED ? TILE_SIZE : rect->x2 - rect->x1,
		.tile_height = kind == PIXMAN_SHARE_SAMPLED ? TILE_SIZE : BAND,
		.work = work,
	};
	run(&share, draw_part);
	return true;
}

static void convert_part(void *data, int part)
{
	const struct share *share = data;
	pixman_box32_t tile = tile_of(share, part);
	if (crew_begin_access(share->crew, share->source, BUFFER_READ)) {
		pixman_convert_box(share->picture, share->convert, &tile);
		crew_end_access(share->crew, share->source);
	}
}

void pixman_convert_box(
	struct picture *picture, const struct convert *convert, const pixman_box32_t *box)
{
	convert_rect(convert, box,
		picture->data + (size_t)box->y1 * picture->stride +
			(size_t)box->x1 * sizeof(uint32_t),
		picture->stride);
}

void pixman_share_convert(struct pixman_renderer *renderer, struct picture *picture,
	const struct convert *convert, struct buffer *buffer, const pixman_box32_t *box)
{
	if (!is_worth_it(box, LEAST_PIXELS) || !get_crew(renderer)) {
		pixman_convert_box(picture, convert, box);
		return;
	}
	struct share share = {
		.crew = renderer->crew,
		.source = buffer,
		.rect = *box,
		.tile_width = box->x2 - box->x1,
		.tile_height = BAND,
		.convert = convert,
		.picture = picture,
	};
	run(&share, convert_part);
}
