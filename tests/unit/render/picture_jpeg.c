/* SPDX-License-Identifier: MIT */
/* JPEG pictures: all orientations of Exif, and four colours of ink. */

#include "harness/unit.h"
#include "render/picture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* After stdio.h, which it needs. */
#include <jpeglib.h>

/** Size of a picture: four blocks, each of one colour, since JPEG encodes blocks of 8x8. */
#define WIDTH 32
#define HEIGHT 16

static char path[] = "/tmp/causeway-jpeg-XXXXXX";

/* Luminance of the top left, top right, bottom left and bottom right block. */
static const unsigned char blocks[4] = {0, 80, 160, 240};

static int set_up(void **state)
{
	int fd = mkstemp(path);
	close(fd);
	return fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	return unlink(path);
}

/* Returns the length of a segment with an orientation, in a second entry of its directory. */
static unsigned write_exif(unsigned char *segment, int orientation, bool big)
{
	static const unsigned char little_endian[] = "Exif\0\0II\x2a\0\x08\0\0\0\x02\0"
						     "\x00\x01\x04\0\x01\0\0\0\x20\0\0\0"
						     "\x12\x01\x03\0\x01\0\0\0\0\0\0\0";
	static const unsigned char big_endian[] = "Exif\0\0MM\0\x2a\0\0\0\x08\0\x02"
						  "\x01\x00\0\x04\0\0\0\x01\0\0\0\x20"
						  "\x01\x12\0\x03\0\0\0\x01\0\0\0\0";
	memcpy(segment, big ? big_endian : little_endian, sizeof(big_endian) - 1);
	segment[36 + big] = (unsigned char)orientation;
	return sizeof(big_endian) - 1;
}

/* Writes a picture of one byte per sample. `n` is the number of samples per pixel: 1 or 4. */
static void write_jpeg(int n, bool adobe, const unsigned char *exif, unsigned exif_size)
{
	struct jpeg_compress_struct jpeg;
	struct jpeg_error_mgr errors;
	jpeg.err = jpeg_std_error(&errors);
	jpeg_create_compress(&jpeg);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	jpeg_stdio_dest(&jpeg, file);
	jpeg.image_width = WIDTH;
	jpeg.image_height = HEIGHT;
	jpeg.input_components = n;
	jpeg.in_color_space = n == 1 ? JCS_GRAYSCALE : JCS_CMYK;
	jpeg_set_defaults(&jpeg);
	jpeg_set_quality(&jpeg, 100, TRUE);
	jpeg.write_Adobe_marker = adobe;
	jpeg_start_compress(&jpeg, TRUE);
	if (exif_size > 0) {
		jpeg_write_marker(&jpeg, JPEG_APP0 + 1, exif, exif_size);
	}
	for (int y = 0; y < HEIGHT; y++) {
		unsigned char row[WIDTH * 4];
		for (int x = 0; x < WIDTH; x++) {
			const int block = 2 * (y / (HEIGHT / 2)) + x / (WIDTH / 2);
			/* Cyan, magenta, yellow, or black. */
			memset(&row[x * n], n == 1 ? blocks[block] : 0, (size_t)n);
			if (n == 4) {
				row[x * 4 + block] = 255;
			}
			for (int i = 0; adobe && i < n; i++) {
				row[x * n + i] = 255 - row[x * n + i];
			}
		}
		JSAMPROW rows[] = {row};
		jpeg_write_scanlines(&jpeg, rows, 1);
	}
	jpeg_finish_compress(&jpeg);
	jpeg_destroy_compress(&jpeg);
	assert_int_equal(fclose(file), 0);
}

/* Returns the pixel in the middle of a quarter of the picture. */
static uint32_t quarter(const struct picture *picture, int right, int bottom)
{
	const int width = pixman_image_get_width(picture->image);
	const int height = pixman_image_get_height(picture->image);
	const int stride = pixman_image_get_stride(picture->image) / 4;
	return pixman_image_get_data(picture->image)[(height / 4 + bottom * height / 2) * stride +
						     width / 4 + right * width / 2];
}

static void expect_quarters(const struct picture *picture, const int order[static 4])
{
	for (int i = 0; i < 4; i++) {
		const int wanted = blocks[order[i]];
		const int got = (int)(quarter(picture, i % 2, i / 2) >> 8 & 0xff);
		if (abs(got - wanted) > 2) {
			fail_msg("quarter %d: %d, not %d", i, got, wanted);
		}
	}
}

static void orientation_of_exif_turns_the_picture(void **state)
{
	/* The blocks at the top left, top right, bottom left and bottom right. */
	static const int orders[8][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {3, 2, 1, 0}, {2, 3, 0, 1},
		{0, 2, 1, 3}, {2, 0, 3, 1}, {3, 1, 2, 0}, {1, 3, 0, 2}};
	for (int i = 0; i < 16; i++) {
		unsigned char exif[64];
		const int orientation = i % 8 + 1;
		struct picture picture;
		write_jpeg(1, false, exif, write_exif(exif, orientation, i >= 8));
		assert_null(picture_read(path, WIDTH, &picture));
		assert_true(picture.opaque);
		assert_int_equal(
			pixman_image_get_width(picture.image), orientation >= 5 ? HEIGHT : WIDTH);
		expect_quarters(&picture, orders[orientation - 1]);
		picture_finish(&picture);
	}
}

static void broken_exif_is_ignored(void **state)
{
	static const int upright[4] = {0, 1, 2, 3};
	for (int i = 0; i < 4; i++) {
		unsigned char exif[64];
		struct picture picture;
		unsigned size = write_exif(exif, i == 0 ? 9 : 6, false);
		if (i == 1) {
			memset(&exif[10], 0xff, 4); /* offset of the directory */
		} else if (i == 2) {
			memset(&exif[14], 0xff, 2); /* number of entries */
			exif[28] = 0;
		} else if (i == 3) {
			size = 20;
		}
		write_jpeg(1, false, exif, size);
		assert_null(picture_read(path, WIDTH, &picture));
		expect_quarters(&picture, upright);
		picture_finish(&picture);
	}
}

static void inks_are_converted(void **state)
{
	static const uint32_t colors[4] = {0x00ffff, 0xff00ff, 0xffff00, 0x000000};
	for (int adobe = 0; adobe < 2; adobe++) {
		struct picture picture;
		write_jpeg(4, adobe, NULL, 0);
		assert_null(picture_read(path, WIDTH, &picture));
		for (int i = 0; i < 4; i++) {
			const uint32_t got = quarter(&picture, i % 2, i / 2);
			for (int shift = 0; shift < 24; shift += 8) {
				const int is = (int)(got >> shift & 0xff);
				const int wanted = (int)(colors[i] >> shift & 0xff);
				if (abs(is - wanted) > 3) {
					fail_msg("quarter %d: %08x, not %06x", i, got, colors[i]);
				}
			}
			assert_int_equal(got >> 24, 0xff);
		}
		picture_finish(&picture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orientation_of_exif_turns_the_picture),
		cmocka_unit_test(broken_exif_is_ignored),
		cmocka_unit_test(inks_are_converted),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
