/* SPDX-License-Identifier: MIT */
/* Orientation of photographs: the tag of Exif, and images turned by it. */

#include "picture_file.h"
#include <string.h>

/** Length of the header of a segment with Exif, before the TIFF structure. */
#define HEADER 6
#define TAG_ORIENTATION 0x0112
#define TYPE_SHORT 3
/** Length of an entry of a TIFF directory. */
#define ENTRY 12

struct tiff {
	const unsigned char *data;
	size_t size;
	bool big; /* big-endian */
};

/* Reads an integer of 2 or 4 bytes. Returns 0 beyond the end. */
static uint32_t get(const struct tiff *tiff, size_t at, size_t length)
{
	uint32_t value = 0;
	if (at > tiff->size || tiff->size - at < length) {
		return 0;
	}
	for (size_t i = 0; i < length; i++) {
		value = value << 8 | tiff->data[at + (tiff->big ? i : length - 1 - i)];
	}
	return value;
}

int picture_find_orientation(const unsigned char *segment, size_t size)
{
	if (size < HEADER || memcmp(segment, "Exif\0\0", HEADER) != 0) {
		return 1;
	}
	struct tiff tiff = {.data = segment + HEADER, .size = size - HEADER};
	tiff.big = tiff.size > 0 && tiff.data[0] == 'M';
	const size_t directory = get(&tiff, 4, 4);
	const uint32_t n = get(&tiff, directory, 2);
	for (uint32_t i = 0; i < n; i++) {
		const size_t entry = directory + 2 + (size_t)i * ENTRY;
		const uint32_t value = get(&tiff, entry + 8, 2);
		if (get(&tiff, entry, 2) == TAG_ORIENTATION &&
			get(&tiff, entry + 2, 2) == TYPE_SHORT) {
			return value >= 1 && value <= 8 ? (int)value : 1;
		}
	}
	return 1;
}

pixman_image_t *picture_orient(pixman_image_t *image, int orientation)
{
	const bool swaps = orientation >= 5;
	const bool mirrors_x = orientation == 2 || orientation == 3 || orientation >= 7;
	const bool mirrors_y =
		orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
	const int width = pixman_image_get_width(image), height = pixman_image_get_height(image);
	const int stride = pixman_image_get_stride(image) / 4;
	const uint32_t *from = pixman_image_get_data(image);
	pixman_image_t *turned = pixman_image_create_bits_no_clear(
		PIXMAN_a8r8g8b8, swaps ? height : width, swaps ? width : height, NULL, 0);
	if (!turned) {
		return NULL;
	}
	uint32_t *to = pixman_image_get_data(turned);
	const int to_stride = pixman_image_get_stride(turned) / 4;
	for (int y = 0; y < height; y++) {
		const int to_y = mirrors_y ? height - 1 - y : y;
		for (int x = 0; x < width; x++) {
			const int to_x = mirrors_x ? width - 1 - x : x;
			to[swaps ? to_x * to_stride + to_y : to_y * to_stride + to_x] =
				from[y * stride + x];
		}
	}
	return turned;
}
