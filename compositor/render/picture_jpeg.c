/* SPDX-License-Identifier: MIT */
/* JPEG files, decoded by libjpeg (libjpeg-turbo). */

#include "picture_file.h"
#include "util/library.h"
#include "util/xalloc.h"
#include <jpeglib.h>
#include <setjmp.h>
#include <stdlib.h>

#if JPEG_LIB_VERSION >= 80
#define LIBRARY "libjpeg.so.8"
#else
#define LIBRARY "libjpeg.so.62"
#endif

/** Maximum number of scans: each takes time linear in the pixels. */
#define SCANS_MAX 100

struct library {
	void *handle;
	__typeof__(jpeg_std_error) *std_error;
	__typeof__(jpeg_CreateDecompress) *create;
	__typeof__(jpeg_destroy_decompress) *destroy;
	__typeof__(jpeg_stdio_src) *source;
	__typeof__(jpeg_save_markers) *save_markers;
	__typeof__(jpeg_read_header) *read_header;
	__typeof__(jpeg_start_decompress) *start;
	__typeof__(jpeg_read_scanlines) *read;
};

struct decoder {
	struct jpeg_decompress_struct jpeg;
	struct jpeg_error_mgr errors;
	struct jpeg_progress_mgr progress;
	jmp_buf failed;
	char message[JMSG_LENGTH_MAX];
	pixman_image_t *image;
	int orientation; /* of Exif */
};

static void handle_error(j_common_ptr jpeg)
{
	struct decoder *decoder = jpeg->client_data;
	decoder->errors.format_message(jpeg, decoder->message);
	longjmp(decoder->failed, 1);
}

static void ignore_message(j_common_ptr jpeg)
{
}

static void handle_progress(j_common_ptr jpeg)
{
	struct decoder *decoder = jpeg->client_data;
	if (decoder->jpeg.input_scan_number > SCANS_MAX) {
		snprintf(decoder->message, sizeof(decoder->message), "it has too many scans");
		longjmp(decoder->failed, 1);
	}
}

static int find_orientation(const struct jpeg_decompress_struct *jpeg)
{
	for (jpeg_saved_marker_ptr marker = jpeg->marker_list; marker; marker = marker->next) {
		const int found = picture_find_orientation(marker->data, marker->data_length);
		if (found != 1) {
			return found;
		}
	}
	return 1;
}

/*
 * Converts a row of cyan, magenta, yellow and black to pixels. Programs of Adobe store them
 * inverted.
 */
static void convert_inks(unsigned char *row, unsigned width, bool inverted)
{
	for (unsigned x = 0; x < width; x++, row += 4) {
		const unsigned flip = inverted ? 0 : 255, black = row[3] ^ flip;
		const unsigned red = (row[0] ^ flip) * black / 255;
		row[1] = (unsigned char)((row[1] ^ flip) * black / 255);
		row[0] = (unsigned char)((row[2] ^ flip) * black / 255);
		row[2] = (unsigned char)red;
		row[3] = 255;
	}
}

/* Returns an error, newly allocated. The library's errors jump to `failed`. */
static char *decode(const struct library *library, struct decoder *decoder, FILE *file, int most)
{
	struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
	library->create(jpeg, JPEG_LIB_VERSION, sizeof(*jpeg));
	jpeg->client_data = decoder;
	jpeg->progress = &decoder->progress;
	decoder->progress.progress_monitor = handle_progress;
	library->source(jpeg, file);
	library->save_markers(jpeg, JPEG_APP0 + 1, UINT16_MAX);
	library->read_header(jpeg, TRUE);
	decoder->orientation = find_orientation(jpeg);
	char *error = picture_check_size(jpeg->image_width, jpeg->image_height, most);
	if (error) {
		return error;
	}
	const bool inks = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
	jpeg->out_color_space = inks ? JCS_CMYK : JCS_EXT_BGRA;
	decoder->image = pixman_image_create_bits_no_clear(
		PIXMAN_a8r8g8b8, (int)jpeg->image_width, (int)jpeg->image_height, NULL, 0);
	if (!decoder->image) {
		return xstrdup("out of memory");
	}
	unsigned char *data = (unsigned char *)pixman_image_get_data(decoder->image);
	const size_t stride = (size_t)pixman_image_get_stride(decoder->image);
	library->start(jpeg);
	while (jpeg->output_scanline < jpeg->output_height) {
		JSAMPROW row = data + jpeg->output_scanline * stride;
		library->read(jpeg, &row, 1);
		if (inks) {
			convert_inks(row, jpeg->output_width, jpeg->saw_Adobe_marker);
		}
	}
	return NULL;
}

/* Replaces the image by an upright one. Returns an error, newly allocated. */
static char *turn(struct decoder *decoder)
{
	if (decoder->orientation == 1) {
		return NULL;
	}
	pixman_image_t *turned = picture_orient(decoder->image, decoder->orientation);
	if (!turned) {
		return xstrdup("out of memory");
	}
	pixman_image_unref(decoder->image);
	decoder->image = turned;
	return NULL;
}

static char *read_with(
	const struct library *library, FILE *file, int size_most, struct picture *picture)
{
	struct decoder *decoder = xcalloc(1, sizeof(*decoder));
	char *error;
	decoder->jpeg.err = library->std_error(&decoder->errors);
	decoder->jpeg.client_data = decoder;
	decoder->errors.error_exit = handle_error;
	decoder->errors.output_message = ignore_message;
	if (setjmp(decoder->failed) == 0) {
		error = decode(library, decoder, file, size_most);
	} else {
		error = xstrdup(decoder->message);
	}
	library->destroy(&decoder->jpeg);
	error = error ? error : turn(decoder);
	if (!error) {
		*picture = (struct picture){decoder->image, true};
	} else if (decoder->image) {
		pixman_image_unref(decoder->image);
	}
	free(decoder);
	return error;
}

char *picture_read_jpeg(FILE *file, int size_most, struct picture *picture)
{
	struct library library = {dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL)};
	void *handle = library.handle;
	char *error;
	if (!handle) {
		return xstrdup(dlerror());
	}
	if (library_find(handle, "jpeg_std_error", &library.std_error) &&
		library_find(handle, "jpeg_CreateDecompress", &library.create) &&
		library_find(handle, "jpeg_destroy_decompress", &library.destroy) &&
		library_find(handle, "jpeg_stdio_src", &library.source) &&
		library_find(handle, "jpeg_save_markers", &library.save_markers) &&
		library_find(handle, "jpeg_read_header", &library.read_header) &&
		library_find(handle, "jpeg_start_decompress", &library.start) &&
		library_find(handle, "jpeg_read_scanlines", &library.read)) {
		error = read_with(&library, file, size_most, picture);
	} else {
		error = xstrdup(LIBRARY " has an unknown interface");
	}
	dlclose(handle);
	return error;
}
