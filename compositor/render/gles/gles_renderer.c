/* SPDX-License-Identifier: MIT */
/* GLES renderer: composes with GLES 3 on a GPU, or in software without one. */

#include "render/gles/gles_renderer.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <GLES2/gl2ext.h>
#include <stdlib.h>
#include <string.h>

static void lose(struct renderer *base)
{
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	renderer->egl->lost = true;
	gles_check_lost(renderer);
}

static bool test_import(struct renderer *base, const struct dmabuf *dmabuf)
{
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	struct egl *egl = renderer->egl;
	if (!format_set_has(&egl->sampling, dmabuf->format, dmabuf->modifier) ||
		!gles_enter(renderer)) {
		return false;
	}
	EGLImageKHR image = egl_import_dmabuf(egl, dmabuf);
	if (image == EGL_NO_IMAGE_KHR) {
		gles_check_lost(renderer);
		return false;
	}
	bool external = format_set_has(&egl->external, dmabuf->format, dmabuf->modifier);
	struct gles_image texture;
	gles_clear_errors();
	gles_image_init(renderer, &texture, external ? GL_TEXTURE_EXTERNAL_OES : GL_TEXTURE_2D);
	egl->proc.image_target_texture(texture.target, image);
	bool ok = glGetError() == GL_NO_ERROR;
	gles_image_finish(renderer, &texture);
	egl_destroy_image(egl, image);
	return ok && !gles_check_lost(renderer);
}

static void destroy(struct renderer *base)
{
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	struct gles_import *import, *next_import;
	wl_list_for_each_safe (import, next_import, &renderer->imports, link) {
		gles_import_destroy(import);
	}
	struct gles_target *target, *next_target;
	wl_list_for_each_safe (target, next_target, &renderer->targets, link) {
		gles_target_destroy(target);
	}
	gles_readback_finish(renderer);
	if (gles_enter(renderer)) {
		for (int i = 0; i < GLES_PROGRAM_COUNT; ++i) {
			glDeleteProgram(renderer->programs[i].id);
		}
		glDeleteBuffers(1, &renderer->vertices);
		glDeleteFramebuffers(1, &renderer->framebuffer);
		gles_timers_finish(renderer);
	}
	gles_pass_free(renderer->spare);
	event_source_remove(&renderer->tell_lost);
	egl_destroy(renderer->egl);
	renderer_finish(base);
	free(renderer);
}

static void take_formats(struct gles_renderer *renderer)
{
	struct renderer *base = &renderer->base;
	format_set_finish(&base->texture_formats);
	format_set_copy(&base->texture_formats, &renderer->egl->sampling);
	if (!renderer->readback || base->target_formats.n_formats == 0) {
		format_set_finish(&base->target_formats);
		format_set_copy(&base->target_formats, &renderer->egl->rendering);
	}
	base->uncertain = renderer->egl->uncertain;
}

static size_t count_pairs(const struct format_set *set)
{
	size_t n = 0;
	for (size_t i = 0; i < set->n_formats; i++) {
		n += set->formats[i].n_modifiers;
	}
	return n;
}

static bool find_formats(struct renderer *base)
{
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	const size_t n = count_pairs(&base->texture_formats) + count_pairs(&base->target_formats);
	if (!gles_enter(renderer)) {
		return false;
	}
	/* The tests bind objects of their own, and none at the end. */
	gles_bind_texture(renderer, GL_TEXTURE_2D, 0);
	gles_bind_texture(renderer, GL_TEXTURE_EXTERNAL_OES, 0);
	gles_bind_framebuffer(renderer, 0);
	egl_find_formats(renderer->egl);
	take_formats(renderer);
	return count_pairs(&base->texture_formats) + count_pairs(&base->target_formats) > n;
}

static const struct renderer_impl impl = {
	.name = "gles",
	.destroy = destroy,
	.texture_update = gles_texture_update,
	.texture_destroy = gles_texture_destroy,
	.begin = gles_pass_begin,
	.add_texture = gles_pass_add_texture,
	.add_rect = gles_pass_add_rect,
	.submit = gles_pass_submit,
	.test_import = test_import,
	.staging_format = gles_staging_format,
	.staging_create = gles_staging_create,
	.staging_upload = gles_staging_upload,
	.staging_destroy = gles_staging_destroy,
	.pass_time = gles_pass_time,
	.find_formats = find_formats,
	.lose = lose,
};

/* State that never changes. */
static void init_state(struct gles_renderer *renderer)
{
	glGenBuffers(1, &renderer->vertices);
	glBindBuffer(GL_ARRAY_BUFFER, renderer->vertices);
	glEnableVertexAttribArray(0);
	glVertexAttribPointer(0, 2, GL_SHORT, GL_FALSE, 0, NULL);
	glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
	glDisable(GL_DITHER);
	glEnable(GL_SCISSOR_TEST);
	glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
	const char *vendor = (const char *)glGetString(GL_VENDOR);
	if (vendor && strstr(vendor, "NVIDIA")) {
		glGenFramebuffers(1, &renderer->framebuffer);
	}
}

struct renderer *gles_renderer_create(struct gpu *gpu, struct wl_event_loop *loop)
{
	struct egl *egl = egl_create(gpu);
	if (!egl) {
		return NULL;
	}
	if (egl->rendering.n_formats == 0 && gpu) {
		log_error("gles: the driver has no format to render to");
		egl_destroy(egl);
		return NULL;
	}
	struct gles_renderer *renderer = xcalloc(1, sizeof(*renderer));
	renderer_init(&renderer->base, &impl, gpu);
	renderer->egl = egl;
	renderer->loop = loop;
	wl_list_init(&renderer->imports);
	wl_list_init(&renderer->targets);
	wl_list_init(&renderer->passes);
	init_state(renderer);
	if (egl->rendering.n_formats == 0) {
		gles_readback_init(renderer);
	}
	gles_find_shm_formats(&renderer->base, egl);
	take_formats(renderer);
	return &renderer->base;
}
