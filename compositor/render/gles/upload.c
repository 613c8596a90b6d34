/* Uploads: the damaged rectangles of shm buffers are copied into GL textures. */

#include "render/gles/gles_renderer.h"

/* A buffer's memory as GL is told of it. */
struct source {
	const struct gles_format *format;
	const uint8_t *data;
	size_t stride; /* bytes */
	size_t bytes; /* of a pixel */
};

static void upload_rect(const struct source *source, const pixman_box32_t *rect)
{
	const struct gles_format *format = source->format;
	GLsizei width = rect->x2 - rect->x1, height = rect->y2 - rect->y1;
	if (source->stride % source->bytes == 0) {
		glPixelStorei(GL_UNPACK_ROW_LENGTH, (GLint)(source->stride / source->bytes));
		glPixelStorei(GL_UNPACK_SKIP_PIXELS, rect->x1);
		glPixelStorei(GL_UNPACK_SKIP_ROWS, rect->y1);
		glTexSubImage2D(GL_TEXTURE_2D, 0, rect->x1, rect->y1, width, height, format->layout,
			format->type, source->data);
		return;
	}
	/* GL counts strides in pixels: rows of three-byte pixels often do not end with one. */
	glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
	glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
	glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
	for (int32_t y = rect->y1; y < rect->y2; ++y) {
		const uint8_t *row = source->data + (size_t)y * source->stride +
				     (size_t)rect->x1 * source->bytes;
		glTexSubImage2D(
			GL_TEXTURE_2D, 0, rect->x1, y, width, 1, format->layout, format->type, row);
	}
}

/* Storage without content. False: out of memory. */
static bool create_storage(struct gles_renderer *renderer, const struct gles_format *format,
	const struct buffer *buffer, struct gles_image *image)
{
	gles_image_init(renderer, image, GL_TEXTURE_2D);
	glTexImage2D(GL_TEXTURE_2D, 0, format->internal, buffer->width, buffer->height, 0,
		format->layout, format->type, NULL);
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

static bool fits(const struct gles_texture *texture, const struct buffer *buffer)
{
	return texture->kind == GLES_TEXTURE_UPLOAD && texture->format == buffer->format &&
	       texture->base.width == buffer->width && texture->base.height == buffer->height;
}

static void upload(struct gles_renderer *renderer, const struct source *source,
	const struct buffer *buffer, const pixman_region32_t *region)
{
	struct box all = {0, 0, buffer->width, buffer->height};
	struct clip clip;
	clip_init(&clip, region, &all, buffer);
	uint64_t bytes = clip_area(clip) * source->bytes;
	pixman_box32_t rect;
	while (clip_next(&clip, &rect)) {
		upload_rect(source, &rect);
	}
	if (bytes > 0) {
		renderer->base.stats.bytes_uploaded += bytes;
		++renderer->base.stats.uploads;
	}
}

bool gles_texture_upload(struct gles_renderer *renderer, struct gles_texture *texture,
	struct buffer *buffer, const pixman_region32_t *damage)
{
	int32_t most = renderer->egl->max_texture_size;
	void *data;
	struct source source = {
		.format = gles_format_get(renderer->egl, buffer->format),
		.bytes = pixel_format_get(buffer->format)->bytes[0],
	};
	if (buffer->width > most || buffer->height > most ||
		buffer_begin_access(buffer, BUFFER_READ, &data, &source.stride) < 0) {
		return false;
	}
	source.data = data;
	bool ok = true;
	bool fresh = !fits(texture, buffer);
	if (fresh) {
		struct gles_image image;
		ok = create_storage(renderer, source.format, buffer, &image);
		if (ok) {
			gles_image_finish(renderer, &texture->upload);
			texture->upload = image;
			texture->kind = GLES_TEXTURE_UPLOAD;
			texture->format = buffer->format;
			texture->base.width = buffer->width;
			texture->base.height = buffer->height;
		}
	}
	if (ok) {
		pixman_region32_t all;
		pixman_region32_init_rect(
			&all, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
		gles_bind_texture(renderer, GL_TEXTURE_2D, texture->upload.id);
		upload(renderer, &source, buffer, damage && !fresh ? damage : &all);
		pixman_region32_fini(&all);
	}
	buffer_end_access(buffer);
	return ok;
}
