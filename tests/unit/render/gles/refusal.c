/* SPDX-License-Identifier: MIT */
/*
 * Refusals of the GL driver that pass: imports, targets and uploads of which it was short of memory
 * for a while, and errors of earlier calls.
 */

#include "harness/renderers.h"

#include "buffer/dmabuf_buffer.h"
#include "render/gles/gles_renderer.h"
#include "util/fd.h"
#include <dlfcn.h>
#include <stdlib.h>

#define X DRM_FORMAT_XRGB8888

static const struct rgba red = {{1, 0, 0, 1}}, green = {{0, 1, 0, 1}};

/* Number of the next uploads that fail. */
static int n_failing;

void glTexSubImage2D(GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height,
	GLenum format, GLenum type, const void *pixels)
{
	void (*upload)(GLenum, GLint, GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, const void *);
	*(void **)&upload = dlsym(RTLD_NEXT, "glTexSubImage2D");
	/* Any error will do. */
	bool fails = n_failing > 0;
	n_failing -= fails;
	upload(target, level, x, y, fails ? -1 : width, height, format, type, pixels);
}

static int n_textures;

void glGenTextures(GLsizei n, GLuint *ids)
{
	void (*generate)(GLsizei, GLuint *);
	*(void **)&generate = dlsym(RTLD_NEXT, "glGenTextures");
	n_textures += n;
	generate(n, ids);
}

void glDeleteTextures(GLsizei n, const GLuint *ids)
{
	void (*delete)(GLsizei, const GLuint *);
	*(void **)&delete = dlsym(RTLD_NEXT, "glDeleteTextures");
	n_textures -= n;
	delete (n, ids);
}

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

static void cause_error(struct gles_renderer *gles)
{
	assert_true(gles_enter(gles));
	glEnable(GL_NONE);
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

/* The callers' retries, which are seconds apart, are real ones. */
static void first_refusals_are_tried_again_at_each_call(void **state)
{
	struct gles_renderer *gles = get_gles(state);
	PFNEGLCREATEIMAGEKHRPROC create = gles->egl->proc.create_image;
	bool holds;
	for (int i = 0; i < 4; i++) {
		struct buffer *buffer = create_client_buffer();
		struct texture *texture = NULL;
		gles->egl->proc.create_image = refuse;
		for (int j = 0; j < i; j++) {
			assert_false(renderer_texture_update(
				&gles->base, &texture, buffer, NULL, &holds));
		}
		gles->egl->proc.create_image = create;
		assert_true(renderer_texture_update(&gles->base, &texture, buffer, NULL, &holds));
		texture_destroy(texture);
		buffer_drop(buffer);
	}
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

/* The missing pixels stay missing for the caller, and the texture is unchanged. */
static void failed_upload_is_reported(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *gles = wl_container_of(fixture->renderers[1], gles, base);
	struct test_image *image = test_image_create(20, 20, X, false, 0);
	struct test_image *other = test_image_create(24, 20, X, false, 0);
	struct test_image *target = create_target(X);
	struct texture *texture = NULL;
	bool holds;
	pixman_region32_t clip;
	init_clip(&clip, false);
	fill_image(image, &red);
	fill_image(other, &green);
	int n_before = n_textures;
	n_failing = 1;
	assert_false(renderer_texture_update(&gles->base, &texture, &image->base, NULL, &holds));
	assert_null(texture);
	assert_true(renderer_texture_update(&gles->base, &texture, &image->base, NULL, &holds));
	n_failing = 1;
	assert_false(renderer_texture_update(&gles->base, &texture, &other->base, NULL, &holds));
	assert_int_equal(texture->width, 20);
	draw_whole(&gles->base, target, texture, &clip);
	assert_pixel(target, 3, 4, &red);
	fill_image(image, &green);
	n_failing = 1;
	assert_false(renderer_texture_update(&gles->base, &texture, &image->base, NULL, &holds));
	assert_true(renderer_texture_update(&gles->base, &texture, &image->base, NULL, &holds));
	draw_whole(&gles->base, target, texture, &clip);
	assert_pixel(target, 3, 4, &green);
	assert_true(renderer_texture_update(&gles->base, &texture, &other->base, NULL, &holds));
	assert_int_equal(n_textures, n_before + 1);
	texture_destroy(texture);
	pixman_region32_fini(&clip);
	buffer_drop(&target->base);
	buffer_drop(&other->base);
	buffer_drop(&image->base);
}

static void earlier_errors_refuse_nothing(void **state)
{
	struct gles_renderer *gles = get_gles(state);
	struct test_image *image = test_image_create(20, 20, X, false, 0);
	struct test_image *target = create_target(X);
	struct buffer *buffer = create_client_buffer();
	struct texture *texture = NULL;
	bool holds;
	cause_error(gles);
	assert_true(gles->base.impl->test_import(&gles->base, buffer_dmabuf(buffer)));
	cause_error(gles);
	assert_true(renderer_texture_update(&gles->base, &texture, buffer, NULL, &holds));
	cause_error(gles);
	assert_true(renderer_texture_update(&gles->base, &texture, &image->base, NULL, &holds));
	cause_error(gles);
	assert_true(renderer_texture_update(&gles->base, &texture, &image->base, NULL, &holds));
	cause_error(gles);
	struct render_staging *staging = renderer_staging_create(
		&gles->base, &image->base, &(struct render_source){0}, &(struct box){0, 0, 20, 20});
	assert_non_null(staging);
	render_staging_destroy(staging);
	cause_error(gles);
	struct render_pass *pass = renderer_begin(&gles->base, &target->base, -1);
	assert_non_null(pass);
	submit(pass);
	texture_destroy(texture);
	buffer_drop(buffer);
	buffer_drop(&target->base);
	buffer_drop(&image->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			refused_import_is_tried_again, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(first_refusals_are_tried_again_at_each_call,
			renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			lasting_refusal_costs_few_attempts, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			refused_target_is_tried_again, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			failed_upload_is_reported, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			earlier_errors_refuse_nothing, renderers_setup, renderers_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
