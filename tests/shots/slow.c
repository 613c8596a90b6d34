/* SPDX-License-Identifier: MIT */
/*
 * The slow model: renders a stack of layers pixel by pixel, from the definitions of the protocol,
 * without code of the compositor.
 */

#include "shots.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void slow_add(struct slow *slow, const struct slow_layer *layer)
{
	assert_in_range(slow->n_layers, 0, SLOW_MAX - 1);
	size_t size = (size_t)layer->buffer_width * layer->buffer_height * 4;
	uint32_t *pixels = malloc(size);
	assert_non_null(pixels);
	memcpy(pixels, layer->pixels, size);
	struct slow_layer *added = &slow->layers[slow->n_layers++];
	*added = *layer;
	added->pixels = pixels;
}

void slow_add_buffer(struct slow *slow, const struct peer_buffer *buffer, int x, int y)
{
	slow_add(slow, &(struct slow_layer){.x = x,
			       .y = y,
			       .width = buffer->width,
			       .height = buffer->height,
			       .pixels = buffer->pixels,
			       .buffer_width = buffer->width,
			       .buffer_height = buffer->height,
			       .alpha = 1});
}

void slow_clear(struct slow *slow)
{
	for (int i = 0; i < slow->n_layers; i++) {
		free((void *)slow->layers[i].pixels);
	}
	slow->n_layers = 0;
}

/**
 * Converts x, y in a transformed area of width x height to coordinates of its content:
 * counter-clockwise rotation, of content that was mirrored left to right if flipped.
 */
static void transform_point(
	enum wl_output_transform transform, double width, double height, double *x, double *y)
{
	double in_x = *x, in_y = *y;
	if (transform & WL_OUTPUT_TRANSFORM_FLIPPED) {
		in_x = width - in_x;
	}
	for (int turns = transform & 3; turns > 0; turns--) {
		/* A quarter turn counter-clockwise: right becomes up, down becomes right. */
		double turned_x = in_y, turned_y = width - in_x, swap = width;
		in_x = turned_x;
		in_y = turned_y;
		width = height;
		height = swap;
	}
	*x = in_x;
	*y = in_y;
}

/** Returns the point of the layer's buffer at a logical position in the layer. */
static uint32_t sample(const struct slow_layer *layer, double x, double y)
{
	transform_point(layer->transform, layer->width, layer->height, &x, &y);
	bool swaps = layer->transform & 1;
	int column = (int)floor(x * layer->buffer_width / (swaps ? layer->height : layer->width));
	int row = (int)floor(y * layer->buffer_height / (swaps ? layer->width : layer->height));
	return layer->pixels[row * layer->buffer_width + column];
}

static double channel(uint32_t pixel, int shift)
{
	return (pixel >> shift & 0xff) / 255.0;
}

static void blend(double rgb[3], const struct slow_layer *layer, uint32_t pixel)
{
	double alpha = (layer->opaque ? 1 : channel(pixel, 24)) * layer->alpha;
	for (int i = 0; i < 3; i++) {
		rgb[i] = channel(pixel, 16 - 8 * i) * layer->alpha + rgb[i] * (1 - alpha);
	}
}

static uint32_t shade(const struct slow *slow, double x, double y)
{
	double rgb[3];
	for (int i = 0; i < 3; i++) {
		rgb[i] = channel(slow->background, 16 - 8 * i);
	}
	for (int i = 0; i < slow->n_layers; i++) {
		const struct slow_layer *layer = &slow->layers[i];
		double in_x = x - layer->x, in_y = y - layer->y;
		if (in_x >= 0 && in_y >= 0 && in_x < layer->width && in_y < layer->height) {
			blend(rgb, layer, sample(layer, in_x, in_y));
		}
	}
	uint32_t pixel = 0;
	for (int i = 0; i < 3; i++) {
		pixel = pixel << 8 | (uint32_t)lround(rgb[i] * 255);
	}
	return pixel;
}

struct image *slow_draw(const struct slow *slow)
{
	struct image *image = image_create(slow->width, slow->height);
	bool swaps = slow->transform & 1;
	int width = swaps ? slow->height : slow->width, height = swaps ? slow->width : slow->height;
	/* Each pixel of the upright image moves to its place in the output's transform. */
	for (int y = 0; y < height; y++) {
		for (int x = 0; x < width; x++) {
			double to_x = x + 0.5, to_y = y + 0.5;
			uint32_t pixel = shade(slow, to_x / slow->scale, to_y / slow->scale);
			transform_point(slow->transform, width, height, &to_x, &to_y);
			image->pixels[(int)to_y * slow->width + (int)to_x] = pixel;
		}
	}
	return image;
}
