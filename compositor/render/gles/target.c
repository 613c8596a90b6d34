/* SPDX-License-Identifier: MIT */
/*
 * Targets: dma-bufs as GL frame buffers, cached for the lifetime of the buffer; without dma-bufs,
 * textures whose pixels are copied to the buffer.
 */

#include "render/gles/gles_renderer.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <unistd.h>

/* Block size in which a software driver accesses its target. */
#define BLOCK 4

static void handle_buffer_destroy(struct addon *addon)
{
	struct gles_target *target = wl_container_of(addon, target, addon);
	gles_target_destroy(target);
}

static const struct addon_impl target_impl = {
	.name = "gles target",
	.destroy = handle_buffer_destroy,
};

static void attach(struct gles_target *target)
{
	if (target->memory) {
		glFramebufferTexture2D(
			GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->texture.id, 0);
	} else {
		glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
			target->renderbuffer);
	}
	target->renderer->state.attached = target;
}

void gles_bind_target(struct gles_target *target)
{
	struct gles_renderer *renderer = target->renderer;
	gles_bind_framebuffer(renderer, target->framebuffer);
	if (target->framebuffer == renderer->framebuffer && renderer->state.attached != target) {
		attach(target);
	}
}

static void release_framebuffer(struct gles_target *target)
{
	struct gles_renderer *renderer = target->renderer;
	if (target->framebuffer != renderer->framebuffer) {
		if (renderer->state.framebuffer == target->framebuffer) {
			renderer->state.framebuffer = 0;
		}
		glDeleteFramebuffers(1, &target->framebuffer);
	} else if (renderer->state.attached == target) {
		gles_bind_framebuffer(renderer, target->framebuffer);
		glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, 0);
	}
	if (renderer->state.attached == target) {
		renderer->state.attached = NULL;
	}
}

static void release(struct gles_target *target)
{
	struct gles_renderer *renderer = target->renderer;
	if (gles_enter(renderer)) {
		release_framebuffer(target);
		glDeleteRenderbuffers(1, &target->renderbuffer);
		gles_image_finish(renderer, &target->texture);
	}
	target->framebuffer = 0;
	egl_destroy_image(renderer->egl, target->image);
	target->image = EGL_NO_IMAGE_KHR;
	gles_memory_unref(target->memory);
	target->memory = NULL;
}

void gles_target_destroy(struct gles_target *target)
{
	if (target->framebuffer != 0) {
		release(target);
	}
	addon_finish(&target->addon);
	wl_list_remove(&target->link);
	free(target);
}

/*
 * llvmpipe draws whole blocks, also at the edges: the memory must have room, or it writes into the
 * next row, or past the end.
 */
static bool has_room(const struct dmabuf *dmabuf)
{
	int64_t width = (dmabuf->width + BLOCK - 1) / BLOCK * BLOCK;
	int64_t height = (dmabuf->height + BLOCK - 1) / BLOCK * BLOCK;
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	return dmabuf->stride[0] >= width * format->bytes[0] &&
	       lseek(dmabuf->fd[0], 0, SEEK_END) >= dmabuf->offset[0] + height * dmabuf->stride[0];
}

static bool create_import(struct gles_target *target, const struct dmabuf *dmabuf)
{
	struct egl *egl = target->renderer->egl;
	if (!target->renderer->base.gpu && !has_room(dmabuf)) {
		return false;
	}
	target->image = egl_import_dmabuf(egl, dmabuf);
	if (target->image == EGL_NO_IMAGE_KHR) {
		return false;
	}
	glGenRenderbuffers(1, &target->renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, target->renderbuffer);
	egl->proc.image_target_renderbuffer(GL_RENDERBUFFER, target->image);
	return true;
}

static bool create_texture(struct gles_target *target, const struct dmabuf *dmabuf)
{
	struct gles_renderer *renderer = target->renderer;
	int32_t width = dmabuf->width, height = dmabuf->height;
	if (width > renderer->egl->max_texture_size || height > renderer->egl->max_texture_size ||
		(size_t)width > sizeof(renderer->scratch) / sizeof(renderer->scratch[0])) {
		return false;
	}
	target->memory = gles_memory_create(dmabuf);
	if (!target->memory) {
		return false;
	}
	gles_image_init(renderer, &target->texture, GL_TEXTURE_2D);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
	gles_memory_load(renderer, target->memory, width, height);
	return true;
}

/* Returns whether the bound frame buffer can be drawn to. */
static bool complete(struct gles_target *target, const struct dmabuf *dmabuf)
{
	bool created = target->renderer->readback ? create_texture(target, dmabuf)
						  : create_import(target, dmabuf);
	if (created) {
		attach(target);
	}
	return created && glGetError() == GL_NO_ERROR &&
	       glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void init(struct gles_target *target, const struct dmabuf *dmabuf)
{
	struct gles_renderer *renderer = target->renderer;
	if (!format_set_has(&renderer->egl->rendering, dmabuf->format, dmabuf->modifier)) {
		return;
	}
	gles_clear_errors();
	target->framebuffer = renderer->framebuffer;
	if (target->framebuffer == 0) {
		glGenFramebuffers(1, &target->framebuffer);
	}
	gles_bind_framebuffer(renderer, target->framebuffer);
	if (!complete(target, dmabuf)) {
		release(target);
	}
}

struct gles_target *gles_target_get(struct gles_renderer *renderer, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	if (!dmabuf) {
		return NULL;
	}
	struct addon *addon = addon_find(&buffer->addons, renderer, &target_impl);
	struct gles_target *target;
	if (addon) {
		target = wl_container_of(addon, target, addon);
		if (target->framebuffer != 0) {
			return target;
		}
	}
	if (!gles_enter(renderer)) {
		return NULL;
	}
	if (!addon) {
		target = xcalloc(1, sizeof(*target));
		target->renderer = renderer;
		target->image = EGL_NO_IMAGE_KHR;
		wl_list_insert(&renderer->targets, &target->link);
		addon_init(&target->addon, &buffer->addons, renderer, &target_impl);
	}
	init(target, dmabuf);
	if (target->framebuffer == 0 && !gles_check_lost(renderer) && !target->told) {
		log_warn("gles: cannot render to a %dx%d buffer", buffer->width, buffer->height);
		target->told = true;
	}
	return target->framebuffer == 0 ? NULL : target;
}
