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
	.staging_create = gles_staging_create,
	.staging_upload = gles_staging_upload,
	.staging_destroy = gles_staging_destroy,
	.pass_time = gles_pass_time,
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
	format_set_copy(&renderer->base.texture_formats, &egl->sampling);
	format_set_copy(&renderer->base.target_formats, &egl->rendering);
	return &renderer->base;
}
