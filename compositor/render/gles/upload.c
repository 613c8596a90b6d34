/* SPDX-License-Identifier: MIT */
/* Uploads: damaged rectangles of shm buffers, or of staging, are copied into GL textures. */

#include "render/convert.h"
#include "render/gles/gles_renderer.h"
#include <stdint.h>

/* Pixels in GL's terms. */
struct source {
	const struct gles_format *format;
	uintptr_t data; /* of pixel 0, 0: memory, or an offset in the buffer object that is bound */
	size_t stride; /* bytes */
	size_t bytes; /* bytes per uploaded pixel */
	const struct convert *convert; /* conversion for GL; NULL: none */
};

static const void *pixel_at(const struct source *source, int32_t x, int32_t y)
{
	uintptr_t at = source->data + (size_t)y * source->stride + (size_t)x * source->bytes;
	return (const void *)at;
}

static void upload_rect(
	struct gles_renderer *renderer, const struct source *source, const pixman_box32_t *rect)
{
	const struct gles_format *format = source->format;
	GLsizei width = rect->x2 - rect->x1, height = rect->y2 - rect->y1;
	if (source->stride % source->bytes == 0) {
		gles_set_row_length(renderer, (GLint)(source->stride / source->bytes));
		glTexSubImage2D(GL_TEXTURE_2D, 0, rect->x1, rect->y1, width, height, format->layout,
			format->type, pixel_at(source, rect->x1, rect->y1));
		return;
	}
	/* GL counts strides in pixels: rows of three-byte pixels often end within one. */
	gles_set_row_length(renderer, 0);
	for (int32_t y = rect->y1; y < rect->y2; ++y) {
		glTexSubImage2D(GL_TEXTURE_2D, 0, rect->x1, y, width, 1, format->layout,
			format->type, pixel_at(source, rect->x1, y));
	}
}

/* Converts the rectangle band by band while uploading. */
static void upload_converted(
	struct gles_renderer *renderer, const struct source *source, const pixman_box32_t *rect)
{
	int32_t width = rect->x2 - rect->x1;
	int32_t rows = (int32_t)(sizeof(renderer->scratch) / sizeof(renderer->scratch[0])) / width;
	gles_set_row_length(renderer, 0);
	for (pixman_box32_t band = *rect; band.y1 < rect->y2; band.y1 = band.y2) {
		band.y2 = rect->y2 - band.y1 > rows ? band.y1 + rows : rect->y2;
		convert_rect(source->convert, &band, renderer->scratch, (size_t)width * 4);
		glTexSubImage2D(GL_TEXTURE_2D, 0, band.x1, band.y1, width, band.y2 - band.y1,
			source->format->layout, source->format->type, renderer->scratch);
	}
}

/* Creates storage without content. Returns false if out of memory. */
static bool create_storage(struct gles_renderer *renderer, const struct gles_format *format,
	int32_t width, int32_t height, struct gles_image *image)
{
	gles_image_init(renderer, image, GL_TEXTURE_2D);
	glTexImage2D(GL_TEXTURE_2D, 0, format->internal, width, height, 0, format->layout,
		format->type, NULL);
	if (glGetError() != GL_NO_ERROR) {
		gles_image_finish(renderer, image);
		return false;
	}
	static const GLenum names[] = {GL_TEXTURE_SWIZZLE_R, GL_TEXTURE_SWIZZLE_G,
		GL_TEXTURE_SWIZZLE_B, GL_TEXTURE_SWIZZLE_A};
	for (int i = 0; i < 4; ++i) {
		glTexParameteri(GL_TEXTURE_2D, names[i], format->swizzle[i]);
	}
	return true;
}

static bool has_storage(const struct gles_texture *texture, const struct gles_format *format,
	int32_t width, int32_t height)
{
	return texture->kind == GLES_TEXTURE_UPLOAD && texture->format == format->format &&
	       texture->base.width == width && texture->base.height == height;
}

/* Uploads the rectangles to the bound texture. Returns false if the device is out of memory. */
static bool upload_rects(
	struct gles_renderer *renderer, const struct source *source, struct clip *clip)
{
	uint64_t bytes = clip_area(*clip) * source->bytes;
	pixman_box32_t rect;
	while (clip_next(clip, &rect)) {
		if (source->convert) {
			upload_converted(renderer, source, &rect);
		} else {
			upload_rect(renderer, source, &rect);
		}
	}
	if (bytes > 0) {
		renderer->base.stats.bytes_uploaded += bytes;
		++renderer->base.stats.uploads;
	}
	return glGetError() == GL_NO_ERROR;
}

/*
 * Uploads a region to the texture, with new storage if size or format differ. On failure, the
 * storage stays as it was, apart from pixels of the region.
 */
static bool upload(struct gles_renderer *renderer, struct gles_texture *texture,
	const struct source *source, int32_t width, int32_t height, const pixman_region32_t *region)
{
	struct box all = {0, 0, width, height};
	struct clip clip;
	struct gles_image fresh = {0};
	gles_clear_errors();
	if (has_storage(texture, source->format, width, height)) {
		gles_bind_texture(renderer, GL_TEXTURE_2D, texture->upload.id);
	} else if (!create_storage(renderer, source->format, width, height, &fresh)) {
		return false;
	}
	clip_init(&clip, region, &all, width, height);
	if (!upload_rects(renderer, source, &clip)) {
		gles_image_finish(renderer, &fresh);
		return false;
	}
	if (fresh.id != 0) {
		gles_image_finish(renderer, &texture->upload);
		texture->upload = fresh;
		texture->kind = GLES_TEXTURE_UPLOAD;
		texture->format = source->format->format;
		texture->base.width = width;
		texture->base.height = height;
	}
	return true;
}

bool gles_texture_upload(struct gles_renderer *renderer, struct gles_texture *texture,
	struct buffer *buffer, const pixman_region32_t *damage)
{
	int32_t most = renderer->egl->max_texture_size;
	size_t widest = sizeof(renderer->scratch) / sizeof(renderer->scratch[0]);
	struct convert convert;
	void *data;
	struct source source = {
		.format = gles_format_get(renderer->egl, buffer->format),
		.bytes = pixel_format_get(buffer->format)->bytes[0],
	};
	if (buffer->width > most || buffer->height > most ||
		buffer_begin_access(buffer, BUFFER_READ, &data, &source.stride) < 0) {
		return false;
	}
	bool ok = true;
	if (!source.format) {
		source.format = gles_format_get(renderer->egl, convert_format(buffer->format));
		source.bytes = sizeof(renderer->scratch[0]);
		source.convert = &convert;
		ok = (size_t)buffer->width <= widest &&
		     convert_init(&convert, buffer,
			     &(struct render_source){data, source.stride, buffer->coding});
	}
	source.data = (uintptr_t)data;
	if (ok) {
		pixman_region32_t all;
		pixman_region32_init_rect(
			&all, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
		bool partial = damage &&
			       has_storage(texture, source.format, buffer->width, buffer->height);
		ok = upload(renderer, texture, &source, buffer->width, buffer->height,
			partial ? damage : &all);
		pixman_region32_fini(&all);
	}
	buffer_end_access(buffer);
	return ok;
}

bool gles_texture_upload_staged(struct gles_renderer *renderer, struct gles_texture *texture,
	const struct render_staging *staging, int32_t width, int32_t height,
	const pixman_region32_t *region)
{
	struct source source = {
		.format = gles_format_get(renderer->egl, staging->format),
		.stride = staging->stride,
		.bytes = pixel_format_get(staging->format)->bytes[0],
	};
	/* The box's first pixel is at 0; earlier pixels are never read. */
	source.data -=
		(size_t)staging->box.y * source.stride + (size_t)staging->box.x * source.bytes;
	return upload(renderer, texture, &source, width, height, region);
}
