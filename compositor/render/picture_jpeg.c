/* SPDX-License-Identifier: MIT */
/* JPEG files, decoded by libjpeg (libjpeg-turbo). */

#include "picture_file.h"
#include "util/xalloc.h"
#include <dlfcn.h>
#include <jpeglib.h>
#include <setjmp.h>
#include <stdlib.h>

#if JPEG_LIB_VERSION >= 80
#define LIBRARY "libjpeg.so.8"
#else
#define LIBRARY "libjpeg.so.62"
#endif

/** Maximum number of scans: each takes time linear in the pixels. */
#define SCANS_MOST 100

struct library {
	void *handle;
	__typeof__(jpeg_std_error) *std_error;
	__typeof__(jpeg_CreateDecompress) *create;
	__typeof__(jpeg_destroy_decompress) *destroy;
	__typeof__(jpeg_stdio_src) *source;
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
	if (decoder->jpeg.input_scan_number > SCANS_MOST) {
		snprintf(decoder->message, sizeof(decoder->message), "it has too many scans");
		longjmp(decoder->failed, 1);
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
	library->read_header(jpeg, TRUE);
	char *error = picture_check_size(jpeg->image_width, jpeg->image_height, most);
	if (error) {
		return error;
	}
	jpeg->out_color_space = JCS_EXT_BGRA;
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
	}
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
	if (picture_find_function(handle, "jpeg_std_error", &library.std_error) &&
		picture_find_function(handle, "jpeg_CreateDecompress", &library.create) &&
		picture_find_function(handle, "jpeg_destroy_decompress", &library.destroy) &&
		picture_find_function(handle, "jpeg_stdio_src", &library.source) &&
		picture_find_function(handle, "jpeg_read_header", &library.read_header) &&
		picture_find_function(handle, "jpeg_start_decompress", &library.start) &&
		picture_find_function(handle, "jpeg_read_scanlines", &library.read)) {
		error = read_with(&library, file, size_most, picture);
	} else {
		error = xstrdup(LIBRARY " has an unknown interface");
	}
	dlclose(handle);
	return error;
}
