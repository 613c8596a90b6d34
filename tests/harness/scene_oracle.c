/* SPDX-License-Identifier: MIT */
/* Naive composition of an output, pixel by pixel. */

#include "harness/scene_oracle.h"

#include <math.h>
#include <stdlib.h>

/* Rounds half away from zero. */
static int to_pixels(const struct oracle *oracle, int length)
{
	const long long twice = 2LL * length * oracle->steps;
	return (int)(twice >= 0 ? (twice + 120) / 240 : -((120 - twice) / 240));
}

struct point {
	double x, y;
};

static bool swaps(enum wl_output_transform transform)
{
	return transform == WL_OUTPUT_TRANSFORM_90 || transform == WL_OUTPUT_TRANSFORM_270 ||
	       transform == WL_OUTPUT_TRANSFORM_FLIPPED_90 ||
	       transform == WL_OUTPUT_TRANSFORM_FLIPPED_270;
}

/* Returns where a point of an upright picture of this size is stored. */
static struct point store(
	struct point at, enum wl_output_transform transform, double width, double height)
{
	switch (transform) {
	case WL_OUTPUT_TRANSFORM_NORMAL: return at;
	case WL_OUTPUT_TRANSFORM_90: return (struct point){at.y, width - at.x};
	case WL_OUTPUT_TRANSFORM_180: return (struct point){width - at.x, height - at.y};
	case WL_OUTPUT_TRANSFORM_270: return (struct point){height - at.y, at.x};
	case WL_OUTPUT_TRANSFORM_FLIPPED: return (struct point){width - at.x, at.y};
	case WL_OUTPUT_TRANSFORM_FLIPPED_90: return (struct point){at.y, at.x};
	case WL_OUTPUT_TRANSFORM_FLIPPED_180: return (struct point){at.x, height - at.y};
	case WL_OUTPUT_TRANSFORM_FLIPPED_270: return (struct point){height - at.y, width - at.x};
	}
	return at;
}

/* Returns which point of an upright picture of this size is stored here. */
static struct point restore(
	struct point at, enum wl_output_transform transform, double width, double height)
{
	switch (transform) {
	case WL_OUTPUT_TRANSFORM_90: return (struct point){width - at.y, at.x};
	case WL_OUTPUT_TRANSFORM_270: return (struct point){at.y, height - at.x};
	case WL_OUTPUT_TRANSFORM_FLIPPED_270: return (struct point){width - at.y, height - at.x};
	default: return store(at, transform, width, height);
	}
}

static void upright_size(const struct oracle *oracle, int *width, int *height)
{
	*width = swaps(oracle->transform) ? oracle->height : oracle->width;
	*height = swaps(oracle->transform) ? oracle->width : oracle->height;
}

void oracle_begin(struct oracle *oracle, const float background[static 4])
{
	const size_t n = (size_t)oracle->width * (size_t)oracle->height;
	if (!oracle->picture) {
		oracle->picture = calloc(n, sizeof(oracle->picture[0]));
	}
	for (int i = oracle->top * oracle->width; i < oracle->bottom * oracle->width; i++) {
		for (int c = 0; c < 4; c++) {
			oracle->picture[i].v[c] = background[c];
		}
	}
}

void oracle_finish(struct oracle *oracle)
{
	free(oracle->picture);
	oracle->picture = NULL;
}

struct oracle_origin oracle_origin(const struct oracle *oracle)
{
	return (struct oracle_origin){0, 0, oracle->x, oracle->y};
}

struct oracle_origin oracle_snap(
	const struct oracle *oracle, const struct oracle_origin *parent, int x, int y)
{
	return (struct oracle_origin){parent->left + to_pixels(oracle, x - parent->x),
		parent->top + to_pixels(oracle, y - parent->y), x, y};
}

/* Edges of a box in pixels. */
struct edges {
	int left, top, right, bottom;
};

/* A layer in the pixels of the upright output. */
struct layer {
	int left, top, right, bottom;
	struct edges drawn; /* its part that is drawn */
	const float *color; /* NULL: an image */
	const struct oracle_image *image;
	bool fits; /* the image has exactly the pixels of its size */
	bool same; /* the image has as many pixels as the layer */
	double width, height; /* of the upright image */
	int first_x, last_x, first_y, last_y; /* pixels of the image that are shown */
};

static int clamp(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

static int round_down(double value)
{
	const int whole = (int)value;
	return whole - (whole > value);
}

static int round_up(double value)
{
	return -round_down(-value);
}

/* Reads the pixel that contains the point, or the nearest one that is shown. */
static void read_nearest(
	const struct layer *layer, struct point at, double weight, struct oracle_color *sum)
{
	const int x = clamp(round_down(at.x), layer->first_x, layer->last_x);
	const int y = clamp(round_down(at.y), layer->first_y, layer->last_y);
	const uint32_t pixel = layer->image->pixels[y * layer->image->width + x];
	const float unit = (float)(weight / 255);
	sum->v[0] += (float)(pixel >> 16 & 255) * unit;
	sum->v[1] += (float)(pixel >> 8 & 255) * unit;
	sum->v[2] += (float)(pixel & 255) * unit;
	sum->v[3] += (float)(pixel >> 24) * unit;
}

/* Interpolates between the centres of four pixels. */
static void read_linear(
	const struct layer *layer, struct point at, double weight, struct oracle_color *sum)
{
	const double x = round_down(at.x - 0.5) + 0.5, y = round_down(at.y - 0.5) + 0.5;
	for (int i = 0; i < 4; i++) {
		const struct point near = {x + i % 2, y + i / 2};
		const double part = (1 - fabs(at.x - near.x)) * (1 - fabs(at.y - near.y));
		read_nearest(layer, near, weight * part, sum);
	}
}

/* Returns the colour at a point of the layer, relative to its corner. */
static struct oracle_color sample(const struct layer *layer, struct point at, bool magnified)
{
	const struct oracle_image *image = layer->image;
	struct oracle_color color = {{0}};
	const double width = layer->right - layer->left, height = layer->bottom - layer->top;
	if (layer->color) {
		for (int c = 0; c < 4; c++) {
			color.v[c] = layer->color[c];
		}
		return color;
	}
	if (layer->fits) {
		/* Pixels that are cut off are not read either. */
		at.x = at.x < width - 0.5 ? at.x : width - 0.5;
		at.y = at.y < height - 0.5 ? at.y : height - 0.5;
	} else {
		at.x *= layer->width / width;
		at.y *= layer->height / height;
	}
	at = store(at, image->transform, layer->width, layer->height);
	at.x += image->x;
	at.y += image->y;
	if ((layer->fits || layer->same) && !magnified) {
		read_nearest(layer, at, image->alpha, &color);
	} else {
		read_linear(layer, at, image->alpha, &color);
	}
	return color;
}

static int magnify(const struct oracle *oracle, int edge, int offset)
{
	return oracle->factor > 0 ? (int)round(edge * oracle->factor - offset) : edge;
}

static void blend(struct oracle_color *under, const struct oracle_color *over)
{
	const float left = 1 - over->v[3];
	for (int c = 0; c < 4; c++) {
		under->v[c] = over->v[c] + under->v[c] * left;
	}
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Returns the pixels that show a box of the upright output, as stored. */
static struct edges store_edges(const struct oracle *oracle, struct edges box)
{
	int width, height;
	upright_size(oracle, &width, &height);
	const struct point a =
		store((struct point){box.left, box.top}, oracle->transform, width, height);
	const struct point b =
		store((struct point){box.right, box.bottom}, oracle->transform, width, height);
	return (struct edges){
		(int)fmin(a.x, b.x), (int)fmin(a.y, b.y), (int)fmax(a.x, b.x), (int)fmax(a.y, b.y)};
}

static struct edges magnify_edges(const struct oracle *oracle, struct edges box)
{
	return (struct edges){magnify(oracle, box.left, oracle->lens_x),
		magnify(oracle, box.top, oracle->lens_y),
		magnify(oracle, box.right, oracle->lens_x),
		magnify(oracle, box.bottom, oracle->lens_y)};
}

static void add_layer(struct oracle *oracle, const struct layer *layer)
{
	int width, height;
	upright_size(oracle, &width, &height);
	const struct edges all = store_edges(
		oracle, (struct edges){layer->left, layer->top, layer->right, layer->bottom});
	const struct edges shown = magnify_edges(oracle, all);
	const struct edges drawn = magnify_edges(oracle, store_edges(oracle, layer->drawn));
	const int first_x = larger(drawn.left, 0), last_x = smaller(drawn.right, oracle->width);
	const int first_y = larger(drawn.top, oracle->top);
	const int last_y = smaller(drawn.bottom, oracle->bottom);
	for (int y = first_y; y < last_y; y++) {
		for (int x = first_x; x < last_x; x++) {
			struct point at = {(x + 0.5 - shown.left) * (all.right - all.left) /
							   (shown.right - shown.left) +
						   all.left,
				(y + 0.5 - shown.top) * (all.bottom - all.top) /
						(shown.bottom - shown.top) +
					all.top};
			at = restore(at, oracle->transform, width, height);
			at.x -= layer->left;
			at.y -= layer->top;
			const struct oracle_color color = sample(layer, at, oracle->factor > 0);
			blend(&oracle->picture[y * oracle->width + x], &color);
		}
	}
}

void oracle_set_clip(struct oracle *oracle, const struct oracle_box *global)
{
	oracle->clip = (struct oracle_box){0};
	if (global) {
		const int left = to_pixels(oracle, global->x - oracle->x);
		const int top = to_pixels(oracle, global->y - oracle->y);
		const int right = to_pixels(oracle, global->x + global->width - oracle->x);
		const int bottom = to_pixels(oracle, global->y + global->height - oracle->y);
		oracle->clip = (struct oracle_box){left, top, right - left, bottom - top};
	}
}

static void limit_to(struct edges *drawn, const struct edges *limits)
{
	drawn->left = larger(drawn->left, limits->left);
	drawn->top = larger(drawn->top, limits->top);
	drawn->right = smaller(drawn->right, limits->right);
	drawn->bottom = smaller(drawn->bottom, limits->bottom);
}

/* Limits the layer to the shape of its image, and to the clip. */
static void limit(const struct oracle *oracle, struct layer *layer, const struct oracle_box *box)
{
	const struct oracle_box *clip = &oracle->clip;
	struct edges drawn = {layer->left, layer->top, layer->right, layer->bottom};
	if (layer->image && layer->image->shape.width > 0) {
		const struct oracle_box *shape = &layer->image->shape;
		const double h = (double)(layer->right - layer->left) / box->width;
		const double v = (double)(layer->bottom - layer->top) / box->height;
		limit_to(&drawn, &(struct edges){layer->left + (int)round(shape->x * h),
					 layer->top + (int)round(shape->y * v),
					 layer->left + (int)round((shape->x + shape->width) * h),
					 layer->top + (int)round((shape->y + shape->height) * v)});
	}
	if (clip->width > 0) {
		limit_to(&drawn, &(struct edges){clip->x, clip->y, clip->x + clip->width,
					 clip->y + clip->height});
	}
	if (drawn.right < drawn.left || drawn.bottom < drawn.top) {
		drawn = (struct edges){0};
	}
	layer->drawn = drawn;
}

static struct layer find_layer(const struct oracle *oracle, const struct oracle_origin *origin,
	const struct oracle_box *box)
{
	return (struct layer){
		.left = origin->left + to_pixels(oracle, box->x - origin->x),
		.top = origin->top + to_pixels(oracle, box->y - origin->y),
		.right = origin->left + to_pixels(oracle, box->x - origin->x + box->width),
		.bottom = origin->top + to_pixels(oracle, box->y - origin->y + box->height),
	};
}

void oracle_add_rect(struct oracle *oracle, const struct oracle_origin *origin,
	const struct oracle_box *box, const float color[static 4])
{
	struct layer layer = find_layer(oracle, origin, box);
	layer.color = color;
	limit(oracle, &layer, box);
	add_layer(oracle, &layer);
}

void oracle_add_image(struct oracle *oracle, const struct oracle_origin *origin,
	const struct oracle_box *box, const struct oracle_image *image)
{
	struct layer layer = find_layer(oracle, origin, box);
	if (image->drawn) {
		layer.right = layer.left + (int)image->src_width;
		layer.bottom = layer.top + (int)image->src_height;
	}
	const bool turned = swaps(image->transform);
	const bool whole = image->x == floor(image->x) && image->y == floor(image->y);
	layer.width = turned ? image->src_height : image->src_width;
	layer.height = turned ? image->src_width : image->src_height;
	layer.image = image;
	layer.fits = layer.width == to_pixels(oracle, box->width) &&
		     layer.height == to_pixels(oracle, box->height) && whole && !image->fills;
	layer.same = layer.width == layer.right - layer.left &&
		     layer.height == layer.bottom - layer.top && whole;
	layer.first_x = round_down(image->x);
	layer.last_x = clamp(round_up(image->x + image->src_width) - 1, 0, image->width - 1);
	layer.first_y = round_down(image->y);
	layer.last_y = clamp(round_up(image->y + image->src_height) - 1, 0, image->height - 1);
	limit(oracle, &layer, box);
	add_layer(oracle, &layer);
}

bool oracle_accepts(const struct oracle *oracle, int x, int y, uint32_t pixel, int tolerance)
{
	const float *v = oracle->picture[y * oracle->width + x].v;
	for (int c = 0; c < 3; c++) {
		const float distance = v[c] * 255 - (float)(pixel >> (16 - 8 * c) & 255);
		if (distance > (float)tolerance || distance < (float)-tolerance) {
			return false;
		}
	}
	return true;
}

uint32_t oracle_pixel(const struct oracle *oracle, int x, int y)
{
	const float *v = oracle->picture[y * oracle->width + x].v;
	uint32_t pixel = 0;
	for (int c = 0; c < 3; c++) {
		pixel = pixel << 8 | (uint32_t)lrintf(fminf(1, v[c]) * 255);
	}
	return pixel;
}
