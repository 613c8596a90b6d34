/* SPDX-License-Identifier: MIT */
/*
 * Refusals of the GL driver that pass: imports and targets for which it was short of memory for a
 * while.
 */

#include "harness/renderers.h"

#include "buffer/dmabuf_buffer.h"
#include "render/gles/gles_renderer.h"
#include "util/fd.h"

#define X DRM_FORMAT_XRGB8888

static const struct rgba red = {{1, 0, 0, 1}};

static EGLImageKHR refuse(EGLDisplay display, EGLContext context, EGLenum target,
	EGLClientBuffer buffer, const EGLint *attributes)
{
	return EGL_NO_IMAGE_KHR;
}

static struct gles_renderer *get_gles(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *gles = wl_container_of(fixture->renderers[1], gles, base);
	if (gles->readback || !gles->egl->has.dmabuf_import) {
		skip_because("the driver imports no dma-bufs");
	}
	return gles;
}

static struct buffer *create_client_buffer(void)
{
	int fd = fd_create_memory("refusal-test", 64 * 80, true);
	struct dmabuf dmabuf;
	assert_true(fd >= 0);
	dmabuf_init_linear(&dmabuf, 16, 64, X, fd, 80);
	return dmabuf_buffer_create(&dmabuf, NULL);
}

static void refused_import_is_tried_again(void **state)
{
	struct gles_renderer *gles = get_gles(state);
	PFNEGLCREATEIMAGEKHRPROC create = gles->egl->proc.create_image;
	struct buffer *buffer = create_client_buffer();
	struct texture *texture = NULL;
	bool holds, updated = false;
	gles->egl->proc.create_image = refuse;
	for (int i = 0; i < 5; i++) {
		assert_false(renderer_texture_update(&gles->base, &texture, buffer, NULL, &holds));
	}
	gles->egl->proc.create_image = create;
	for (int i = 0; i < 5 && !updated; i++) {
		updated = renderer_texture_update(&gles->base, &texture, buffer, NULL, &holds);
	}
	assert_true(updated && holds);
	texture_destroy(texture);
	buffer_drop(buffer);
}

static int n_attempts;

static EGLImageKHR refuse_and_count(EGLDisplay display, EGLContext context, EGLenum target,
	EGLClientBuffer buffer, const EGLint *attributes)
{
	n_attempts++;
	return EGL_NO_IMAGE_KHR;
}

/* A buffer that the driver never takes must not be imported in each frame. */
static void lasting_refusal_costs_few_attempts(void **state)
{
	struct gles_renderer *gles = get_gles(state);
	PFNEGLCREATEIMAGEKHRPROC create = gles->egl->proc.create_image;
	struct buffer *buffer = create_client_buffer();
	struct texture *texture = NULL;
	bool holds;
	gles->egl->proc.create_image = refuse_and_count;
	for (int i = 0; i < 1000; i++) {
		assert_false(renderer_texture_update(&gles->base, &texture, buffer, NULL, &holds));
	}
	assert_in_range(n_attempts, 2, 12);
	gles->egl->proc.create_image = create;
	buffer_drop(buffer);
}

static void refused_target_is_tried_again(void **state)
{
	struct gles_renderer *gles = get_gles(state);
	PFNEGLCREATEIMAGEKHRPROC create = gles->egl->proc.create_image;
	struct test_image *target = create_target(X);
	pixman_region32_t clip;
	init_clip(&clip, false);
	gles->egl->proc.create_image = refuse;
	assert_null(renderer_begin(&gles->base, &target->base, -1));
	assert_null(renderer_begin(&gles->base, &target->base, -1));
	gles->egl->proc.create_image = create;
	struct render_pass *pass = renderer_begin(&gles->base, &target->base, -1);
	assert_non_null(pass);
	add_rect(pass, &(struct box){0, 0, TARGET_WIDTH, TARGET_HEIGHT}, &red, &clip, true);
	submit(pass);
	assert_pixel(target, 3, 4, &red);
	pixman_region32_fini(&clip);
	buffer_drop(&target->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			refused_import_is_tried_again, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			lasting_refusal_costs_few_attempts, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			refused_target_is_tried_again, renderers_setup, renderers_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
