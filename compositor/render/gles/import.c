/* SPDX-License-Identifier: MIT */
/* Imports: dma-bufs as GL textures, cached for the lifetime of the buffer. */

#include "render/gles/gles_renderer.h"
#include "util/xalloc.h"
#include <GLES2/gl2ext.h>
#include <stdlib.h>
#include <unistd.h>

static void handle_buffer_destroy(struct addon *addon)
{
	struct gles_import *import = wl_container_of(addon, import, addon);
	gles_import_destroy(import);
}

static const struct addon_impl import_impl = {
	.name = "gles import",
	.destroy = handle_buffer_destroy,
};

void gles_import_destroy(struct gles_import *import)
{
	struct gles_renderer *renderer = import->renderer;
	struct gles_texture *texture, *next;
	bool usable = gles_enter(renderer);
	if (usable && !wl_list_empty(&import->textures)) {
		gles_flush_passes(renderer);
	}
	wl_list_for_each_safe (texture, next, &import->textures, import_link) {
		wl_list_remove(&texture->import_link);
		texture->import = NULL;
		texture->kind = GLES_TEXTURE_NONE;
	}
	if (usable) {
		gles_image_finish(renderer, &import->texture);
	}
	egl_destroy_image(renderer->egl, import->image);
	addon_finish(&import->addon);
	wl_list_remove(&import->link);
	free(import);
}

static void force_opaque(struct gles_import *import, uint32_t format)
{
	const struct pixel_format *info = pixel_format_get(format);
	if (import->texture.target == GL_TEXTURE_2D && !info->has_alpha) {
		glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A, GL_ONE);
	}
}

static int32_t round_up(int32_t value, int32_t to)
{
	return (value + to - 1) / to * to;
}

/*
 * Describes the same image with whole chroma samples: Mesa rounds the size of chroma planes down,
 * and stretches them over an odd image (dri_helpers.c, width_shift). Returns false if nothing
 * changes, or if rows or memory have no room.
 */
static bool complete_chroma(const struct dmabuf *dmabuf, struct dmabuf *out)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	if (!format || !format->yuv) {
		return false;
	}
	*out = *dmabuf;
	out->width = round_up(dmabuf->width, format->hsub);
	out->height = round_up(dmabuf->height, format->vsub);
	if (out->width == dmabuf->width && out->height == dmabuf->height) {
		return false;
	}
	off_t size = lseek(dmabuf->fd[0], 0, SEEK_END);
	return pixel_format_min_stride(format, 0, out->width) <= (int64_t)dmabuf->stride[0] &&
	       (off_t)dmabuf->offset[0] + (off_t)dmabuf->stride[0] * out->height <= size;
}

static EGLImageKHR import_image(struct gles_import *import, const struct dmabuf *dmabuf)
{
	struct egl *egl = import->renderer->egl;
	struct color_coding coding =
		color_coding_resolve(import->coding, dmabuf->width, dmabuf->height);
	struct dmabuf whole;
	if (complete_chroma(dmabuf, &whole)) {
		EGLImageKHR image = egl_import_coded(egl, &whole, coding);
		if (image != EGL_NO_IMAGE_KHR) {
			import->width = whole.width;
			import->height = whole.height;
			return image;
		}
	}
	import->width = dmabuf->width;
	import->height = dmabuf->height;
	return egl_import_coded(egl, dmabuf, coding);
}

static void init(struct gles_import *import, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	struct gles_renderer *renderer = import->renderer;
	struct egl *egl = renderer->egl;
	gles_clear_errors();
	import->coding = buffer->coding;
	import->image = import_image(import, dmabuf);
	if (import->image == EGL_NO_IMAGE_KHR) {
		return;
	}
	bool external = format_set_has(&egl->external, dmabuf->format, dmabuf->modifier);
	gles_image_init(
		renderer, &import->texture, external ? GL_TEXTURE_EXTERNAL_OES : GL_TEXTURE_2D);
	egl->proc.image_target_texture(import->texture.target, import->image);
	if (glGetError() != GL_NO_ERROR) {
		gles_image_finish(renderer, &import->texture);
		egl_destroy_image(egl, import->image);
		import->image = EGL_NO_IMAGE_KHR;
		return;
	}
	force_opaque(import, dmabuf->format);
	++renderer->base.stats.imports;
}

struct gles_import *gles_import_get(struct gles_renderer *renderer, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	if (!dmabuf ||
		!format_set_has(&renderer->egl->sampling, dmabuf->format, dmabuf->modifier)) {
		return NULL;
	}
	const void *key = &renderer->keys[buffer->coding.matrix][buffer->coding.range];
	struct addon *addon = addon_find(&buffer->addons, key, &import_impl);
	struct gles_import *import = addon ? wl_container_of(addon, import, addon) : NULL;
	if (!import) {
		import = xcalloc(1, sizeof(*import));
		import->renderer = renderer;
		import->image = EGL_NO_IMAGE_KHR;
		wl_list_init(&import->textures);
		wl_list_insert(&renderer->imports, &import->link);
		addon_init(&import->addon, &buffer->addons, key, &import_impl);
	}
	if (import->image == EGL_NO_IMAGE_KHR) {
		/* At the first calls, the eighth, the 16th, and so on. */
		if (import->n_refusals < 4 ||
			(import->n_refusals & (import->n_refusals + 1)) == 0) {
			init(import, buffer);
		}
		import->n_refusals++;
	} else if (renderer->base.gpu && import->texture.target == GL_TEXTURE_2D) {
		/* Ends a decompressed or cached copy that the driver may keep. */
		gles_bind_texture(renderer, GL_TEXTURE_2D, import->texture.id);
		renderer->egl->proc.image_target_texture(GL_TEXTURE_2D, import->image);
	}
	if (import->image == EGL_NO_IMAGE_KHR) {
		gles_check_lost(renderer);
		return NULL;
	}
	return import;
}
