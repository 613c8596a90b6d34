/* SPDX-License-Identifier: MIT */
/* Staging: buffer objects that threads write pixels to, as sources of texture updates. */

#include "render/convert.h"
#include "render/gles/gles_renderer.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct gles_staging {
	struct render_staging base;
	GLuint id;
	bool mapped;
};

static struct gles_staging *from_base(struct render_staging *base)
{
	struct gles_staging *staging = wl_container_of(base, staging, base);
	return staging;
}

static struct gles_renderer *get_renderer(const struct gles_staging *staging)
{
	struct gles_renderer *renderer = wl_container_of(staging->base.renderer, renderer, base);
	return renderer;
}

static bool map(struct gles_staging *staging)
{
	GLsizeiptr size = (GLsizeiptr)(staging->base.stride * (size_t)staging->base.box.height);
	gles_clear_errors();
	glGenBuffers(1, &staging->id);
	glBindBuffer(GL_PIXEL_UNPACK_BUFFER, staging->id);
	glBufferData(GL_PIXEL_UNPACK_BUFFER, size, NULL, GL_STREAM_DRAW);
	if (glGetError() == GL_NO_ERROR) {
		staging->base.data = glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, size,
			GL_MAP_WRITE_BIT | GL_MAP_UNSYNCHRONIZED_BIT);
	}
	if (!staging->base.data) {
		glGetError(); /* the binding is ours */
	}
	staging->mapped = staging->base.data;
	/* Unbind: all other uploads would read from it. */
	glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
	return staging->mapped;
}

uint32_t gles_staging_format(const struct renderer *base, struct buffer *buffer)
{
	const struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	if (!renderer_takes_shm(base, buffer->format)) {
		return 0;
	}
	return gles_format_get(renderer->egl, buffer->format) ? buffer->format
							      : convert_format(buffer->format);
}

struct render_staging *gles_staging_create(struct renderer *base, struct buffer *buffer,
	const struct render_source *source, const struct box *box)
{
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	int32_t most = renderer->egl->max_texture_size;
	if (gles_staging_format(base, buffer) == 0 || box->x + box->width > most ||
		box->y + box->height > most || !gles_enter(renderer)) {
		return NULL;
	}
	struct gles_staging *staging = xcalloc(1, sizeof(*staging));
	bool good = render_staging_init(&staging->base, base, buffer, source, box);
	if (!good || !map(staging)) {
		gles_check_lost(renderer);
		gles_staging_destroy(&staging->base);
		return NULL;
	}
	return &staging->base;
}

/*
 * Returns false if the written pixels are lost (GL permits it after a mode change; it hardly
 * happens).
 */
static bool unmap(struct gles_staging *staging)
{
	bool good = !staging->mapped || glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
	staging->mapped = false;
	staging->base.data = NULL;
	return good;
}

bool gles_staging_upload(struct render_staging *base, struct texture **slot, int32_t width,
	int32_t height, const pixman_region32_t *region)
{
	struct gles_staging *staging = from_base(base);
	struct gles_renderer *renderer = get_renderer(staging);
	if (!gles_enter(renderer)) {
		return false;
	}
	gles_flush_passes(renderer);
	struct gles_texture *texture = gles_texture_from_slot(base->renderer, slot);
	glBindBuffer(GL_PIXEL_UNPACK_BUFFER, staging->id);
	bool done = unmap(staging) &&
		    gles_texture_upload_staged(renderer, texture, base, width, height, region);
	glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
	gles_texture_store(texture, slot, done);
	if (!done) {
		gles_check_lost(renderer);
	}
	return done;
}

void gles_staging_destroy(struct render_staging *base)
{
	struct gles_staging *staging = from_base(base);
	if (gles_enter(get_renderer(staging))) {
		glDeleteBuffers(1, &staging->id);
	}
	render_staging_finish(base);
	free(staging);
}
