/* SPDX-License-Identifier: MIT */
/* Pictures: places in an area, and files within limits. */

#include "render/picture.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* clang-format off */
/* 8x8 pixels, all #c04020. */
static const unsigned char jpeg[] = {
	0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00,
	0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0xff, 0xdb, 0x00, 0x43, 0x00, 0x03, 0x02, 0x02,
	0x03, 0x02, 0x02, 0x03, 0x03, 0x03, 0x03, 0x04, 0x03, 0x03, 0x04, 0x05, 0x08, 0x05,
	0x05, 0x04, 0x04, 0x05, 0x0a, 0x07, 0x07, 0x06, 0x08, 0x0c, 0x0a, 0x0c, 0x0c, 0x0b,
	0x0a, 0x0b, 0x0b, 0x0d, 0x0e, 0x12, 0x10, 0x0d, 0x0e, 0x11, 0x0e, 0x0b, 0x0b, 0x10,
	0x16, 0x10, 0x11, 0x13, 0x14, 0x15, 0x15, 0x15, 0x0c, 0x0f, 0x17, 0x18, 0x16, 0x14,
	0x18, 0x12, 0x14, 0x15, 0x14, 0xff, 0xdb, 0x00, 0x43, 0x01, 0x03, 0x04, 0x04, 0x05,
	0x04, 0x05, 0x09, 0x05, 0x05, 0x09, 0x14, 0x0d, 0x0b, 0x0d, 0x14, 0x14, 0x14, 0x14,
	0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
	0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
	0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
	0x14, 0x14, 0x14, 0x14, 0xff, 0xc0, 0x00, 0x11, 0x08, 0x00, 0x08, 0x00, 0x08, 0x03,
	0x01, 0x11, 0x00, 0x02, 0x11, 0x01, 0x03, 0x11, 0x01, 0xff, 0xc4, 0x00, 0x14, 0x00,
	0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x07, 0xff, 0xc4, 0x00, 0x14, 0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xc4, 0x00,
	0x15, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x07, 0x08, 0xff, 0xc4, 0x00, 0x14, 0x11, 0x01, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0xff, 0xda, 0x00, 0x0c, 0x03, 0x01, 0x00, 0x02, 0x11, 0x03, 0x11, 0x00, 0x3f, 0x00,
	0x32, 0x0d, 0x2b, 0x37, 0xff, 0xd9,
};
/* clang-format on */

static char path[] = "/tmp/causeway-picture-XXXXXX";

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

static void write_file(const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

static void write_png(int width, int height, const uint32_t *pixels)
{
	png_image png = {.version = PNG_IMAGE_VERSION,
		.width = (png_uint_32)width,
		.height = (png_uint_32)height,
		.format = PNG_FORMAT_BGRA};
	assert_true(png_image_write_to_file(&png, path, 0, pixels, width * 4, NULL));
}

static void place_depends_on_the_mode(void **state)
{
	static const struct {
		enum picture_mode mode;
		int width, height; /* in an area of 200x100 */
		struct picture_place place;
	} cases[] = {
		{PICTURE_FILL, 100, 100, {{0, 25, 100, 50}, {0, 0, 200, 100}, false}},
		{PICTURE_FILL, 400, 100, {{100, 0, 200, 100}, {0, 0, 200, 100}, false}},
		{PICTURE_FIT, 100, 100, {{0, 0, 100, 100}, {50, 0, 100, 100}, false}},
		{PICTURE_FIT, 400, 100, {{0, 0, 400, 100}, {0, 25, 200, 50}, false}},
		{PICTURE_FIT, 10000, 1, {{0, 0, 10000, 1}, {0, 49, 200, 1}, false}},
		{PICTURE_STRETCH, 7, 300, {{0, 0, 7, 300}, {0, 0, 200, 100}, false}},
		{PICTURE_CENTER, 100, 50, {{0, 0, 100, 50}, {50, 25, 100, 50}, false}},
		{PICTURE_CENTER, 301, 50, {{50, 0, 200, 50}, {0, 25, 200, 50}, false}},
		{PICTURE_TILE, 3, 5, {{0, 0, 200, 100}, {0, 0, 200, 100}, true}},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct picture_place place =
			picture_place(cases[i].mode, cases[i].width, cases[i].height, 200, 100);
		if (!fbox_equal(&place.src, &cases[i].place.src) ||
			!box_equal(&place.dst, &cases[i].place.dst) ||
			place.repeats != cases[i].place.repeats) {
			fail_msg("case %d: %g,%g %gx%g to %d,%d %dx%d", (int)i, place.src.x,
				place.src.y, place.src.width, place.src.height, place.dst.x,
				place.dst.y, place.dst.width, place.dst.height);
		}
	}
}

static void png_is_read_premultiplied_and_scaled(void **state)
{
	static const uint32_t pixels[] = {0xffff0000, 0xff00ff00, 0x80ffffff, 0xff0000ff};
	struct picture picture;
	write_png(2, 2, pixels);
	assert_null(picture_read(path, 2, &picture));
	const uint32_t *data = pixman_image_get_data(picture.image);
	assert_int_equal(data[0], 0xffff0000);
	assert_int_equal(data[2], 0x80808080);
	assert_false(picture.opaque);
	struct picture_place place = picture_place(PICTURE_TILE, 2, 2, 5, 5);
	struct picture scaled = picture_scale(&picture, &place);
	data = pixman_image_get_data(scaled.image);
	assert_int_equal(data[4], 0xffff0000);
	assert_int_equal(data[3], 0xff00ff00);
	picture_finish(&scaled);
	place = picture_place(PICTURE_STRETCH, 2, 2, 1, 1);
	scaled = picture_scale(&picture, &place);
	const uint32_t mean = *pixman_image_get_data(scaled.image);
	assert_in_range(mean >> 24, 0xdd, 0xe1);
	assert_in_range(mean & 0xff, 0x5a, 0x68);
	picture_finish(&scaled);
	picture_finish(&picture);
}

/* One picture serves outputs of different sizes. */
static void picture_is_scaled_more_than_once(void **state)
{
	static const uint32_t pixels[] = {0xff000000, 0xffffffff, 0xff000000, 0xffffffff};
	static const struct {
		int size;
		unsigned first, last; /* blue */
	} cases[] = {{1, 0x80, 0x80}, {4, 0, 0xff}, {1, 0x80, 0x80}};
	struct picture picture;

	write_png(4, 1, pixels);
	assert_null(picture_read(path, 4, &picture));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct picture_place place = {{0, 0, 4, 1}, {0, 0, cases[i].size, 1}, false};
		struct picture scaled = picture_scale(&picture, &place);
		const uint32_t *row = pixman_image_get_data(scaled.image);
		assert_in_range(row[0] & 0xff, cases[i].first, cases[i].first + 2);
		assert_in_range(row[cases[i].size - 1] & 0xff, cases[i].last, cases[i].last + 2);
		picture_finish(&scaled);
	}
	picture_finish(&picture);
}

static void jpeg_is_read(void **state)
{
#ifndef CAUSEWAY_JPEG
	print_message("skip: %s: this build has no libjpeg\n", __func__);
	skip();
#endif
	struct picture picture;
	write_file(jpeg, sizeof(jpeg));
	assert_null(picture_read(path, 8, &picture));
	assert_true(picture.opaque);
	assert_int_equal(pixman_image_get_width(picture.image), 8);
	const uint32_t pixel = *pixman_image_get_data(picture.image);
	assert_in_range(pixel >> 16 & 0xff, 0xbd, 0xc3);
	assert_in_range(pixel & 0xff, 0x1d, 0x23);
	picture_finish(&picture);
}

static void expect_error(const char *file, int size_most, const char *wanted)
{
	struct picture picture;
	char *error = picture_read(file, size_most, &picture);
	if (!error || !strstr(error, wanted)) {
		fail_msg("'%s', not '%s'", error ? error : "read", wanted);
	}
	free(error);
}

static void unusable_files_are_refused(void **state)
{
	static const uint32_t pixels[] = {0, 0, 0, 0};
	char fifo[sizeof(path) + 5];
	expect_error("/nowhere", 10, "No such file");
	expect_error("/tmp", 10, "it is not a file");
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect_error(fifo, 10, "it is not a file");
	unlink(fifo);
	write_file("", 0);
	expect_error(path, 10, "too short");
	write_file("GIF89a", 6);
	expect_error(path, 10, "unknown format");
	write_png(2, 2, pixels);
	expect_error(path, 1, "2x2 pixels are too many");
	write_file("\x89PNG\r\n\x1a\n....", 12);
	expect_error(path, 10, "");
#ifdef CAUSEWAY_JPEG
	write_file(jpeg, sizeof(jpeg));
	expect_error(path, 7, "8x8 pixels are too many");
	write_file(jpeg, 4);
	expect_error(path, 10, "");
	unsigned char broken[sizeof(jpeg)];
	for (size_t i = 4; i < sizeof(jpeg); i++) { /* errors, or warnings with some pixels */
		struct picture picture = {NULL};
		memcpy(broken, jpeg, sizeof(jpeg));
		broken[i] ^= 0xff;
		write_file(broken, sizeof(broken));
		char *error = picture_read(path, 64, &picture);
		assert_true(!error == !!picture.image);
		free(error);
		picture_finish(&picture);
	}
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(place_depends_on_the_mode),
		cmocka_unit_test(png_is_read_premultiplied_and_scaled),
		cmocka_unit_test(picture_is_scaled_more_than_once),
		cmocka_unit_test(jpeg_is_read),
		cmocka_unit_test(unusable_files_are_refused),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
