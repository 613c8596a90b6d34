/* SPDX-License-Identifier: MIT */
/* Pictures: reads files within limits, and scales images. */

#include "render/picture.h"
#include "picture_file.h"
#include "util/file.h"
#include "util/xalloc.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(FILE *file, int size_most, struct picture *picture)
{
	unsigned char start[4] = {0};
	size_t length = fread(start, 1, sizeof(start), file);
	rewind(file);
#ifdef CAUSEWAY_PNG
	if (length == 4 && memcmp(start, "\x89PNG", 4) == 0) {
		return picture_read_png(file, size_most, picture);
	}
#endif
#ifdef CAUSEWAY_JPEG
	if (length == 4 && memcmp(start, "\xff\xd8\xff", 3) == 0) {
		return picture_read_jpeg(file, size_most, picture);
	}
#endif
	return xstrdup(length == 4 ? "it has an unknown format" : "the file is too short");
}

FILE *picture_open(const char *path, off_t most, char **error)
{
	FILE *file = file_open_regular(path, most);
	if (!file) {
		*error = xstrdup(errno == EINVAL  ? "it is not a file"
				 : errno == EFBIG ? "the file is too large"
						  : strerror(errno));
	}
	return file;
}

char *picture_read(const char *path, int size_most, struct picture *picture)
{
	char *error = NULL;
	FILE *file = picture_open(path, PICTURE_FILE_MAX, &error);
	if (file) {
		error = read_file(file, size_most, picture);
		fclose(file);
	}
	return error;
}

void picture_finish(struct picture *picture)
{
	if (picture->image) {
		pixman_image_unref(picture->image);
	}
	picture->image = NULL;
}

/* Shrinks *length to `room` around its middle, and sets *at to the begin of the rest. */
static void center(double *at, double *length, double room)
{
	*at = (*length - fmin(*length, room)) / 2;
	*length = fmin(*length, room);
}

struct picture_place picture_place(
	enum picture_mode mode, int width, int height, int area_width, int area_height)
{
	struct picture_place place = {
		{0, 0, width, height}, {0, 0, area_width, area_height}, false};
	const double x = (double)area_width / width, y = (double)area_height / height;
	switch (mode) {
	case PICTURE_STRETCH: break;
	case PICTURE_FILL: {
		const double scale = fmax(x, y);
		center(&place.src.x, &place.src.width, area_width / scale);
		center(&place.src.y, &place.src.height, area_height / scale);
		break;
	}
	case PICTURE_FIT:
		place.dst.width = (int)fmax(1, round(width * fmin(x, y)));
		place.dst.height = (int)fmax(1, round(height * fmin(x, y)));
		break;
	case PICTURE_CENTER:
		center(&place.src.x, &place.src.width, area_width);
		center(&place.src.y, &place.src.height, area_height);
		place.src.x = floor(place.src.x);
		place.src.y = floor(place.src.y);
		place.dst.width = (int)place.src.width;
		place.dst.height = (int)place.src.height;
		break;
	case PICTURE_TILE:
		place.src = (struct fbox){0, 0, area_width, area_height};
		place.repeats = true;
		break;
	}
	place.dst.x = (area_width - place.dst.width) / 2;
	place.dst.y = (area_height - place.dst.height) / 2;
	return place;
}

/* Sets a filter that averages when the image shrinks and interpolates when it grows. */
static void set_filter(pixman_image_t *image, double x, double y)
{
	int n = 0;
	const pixman_kernel_t across = x > 1 ? PIXMAN_KERNEL_BOX : PIXMAN_KERNEL_IMPULSE;
	const pixman_kernel_t down = y > 1 ? PIXMAN_KERNEL_BOX : PIXMAN_KERNEL_IMPULSE;
	pixman_fixed_t *filter = pixman_filter_create_separable_convolution(&n,
		pixman_double_to_fixed(x), pixman_double_to_fixed(y), PIXMAN_KERNEL_LINEAR,
		PIXMAN_KERNEL_LINEAR, across, down, 4, 4);
	if (filter) {
		pixman_image_set_filter(image, PIXMAN_FILTER_SEPARABLE_CONVOLUTION, filter, n);
		free(filter);
	}
}

struct picture picture_scale(const struct picture *picture, const struct picture_place *place)
{
	const double x = place->src.width / place->dst.width;
	const double y = place->src.height / place->dst.height;
	struct picture scaled = {pixman_image_create_bits(PIXMAN_a8r8g8b8, place->dst.width,
					 place->dst.height, NULL, 0),
		picture->opaque};
	if (!scaled.image) {
		return scaled;
	}
	pixman_transform_t transform;
	pixman_transform_init_translate(&transform, pixman_double_to_fixed(place->src.x),
		pixman_double_to_fixed(place->src.y));
	/* Forgets the filter of an earlier call. */
	pixman_image_set_filter(picture->image, PIXMAN_FILTER_NEAREST, NULL, 0);
	if (x != 1 || y != 1) {
		pixman_transform_t factors;
		pixman_transform_init_scale(
			&factors, pixman_double_to_fixed(x), pixman_double_to_fixed(y));
		pixman_transform_multiply(&transform, &transform, &factors);
		set_filter(picture->image, x, y);
	}
	pixman_image_set_transform(picture->image, &transform);
	pixman_image_set_repeat(
		picture->image, place->repeats ? PIXMAN_REPEAT_NORMAL : PIXMAN_REPEAT_PAD);
	pixman_image_composite32(PIXMAN_OP_SRC, picture->image, NULL, scaled.image, 0, 0, 0, 0, 0,
		0, place->dst.width, place->dst.height);
	return scaled;
}
