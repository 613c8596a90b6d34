/* SPDX-License-Identifier: MIT */
/* Format facts of a driver that is short of memory for a moment. */

#include "gpu/egl.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include <GLES2/gl2.h>
#include <dlfcn.h>

static PFNEGLCREATEIMAGEKHRPROC create_image;
static void (*target_texture)(GLenum target, void *image);
static int n_calls, failing, n_failing; /* calls from `failing` on */
static EGLint pending = EGL_SUCCESS;
static GLenum gl_pending = GL_NO_ERROR;

/* As Mesa reports a lack of memory. */
EGLint eglGetError(void)
{
	EGLint (*real)(void);
	*(void **)&real = dlsym(RTLD_NEXT, "eglGetError");
	EGLint error = pending != EGL_SUCCESS ? pending : real();
	pending = EGL_SUCCESS;
	return error;
}

GLenum glGetError(void)
{
	GLenum (*real)(void);
	*(void **)&real = dlsym(RTLD_NEXT, "glGetError");
	GLenum error = gl_pending != GL_NO_ERROR ? gl_pending : real();
	gl_pending = GL_NO_ERROR;
	return error;
}

static bool fails(void)
{
	int call = n_calls++;
	return call >= failing && call < failing + n_failing;
}

static EGLImageKHR fail_import(EGLDisplay display, EGLContext context, EGLenum target,
	EGLClientBuffer buffer, const EGLint *attributes)
{
	if (fails()) {
		pending = EGL_BAD_ALLOC;
		return EGL_NO_IMAGE_KHR;
	}
	return create_image(display, context, target, buffer, attributes);
}

static void fail_texture(GLenum target, void *image)
{
	if (fails()) {
		gl_pending = GL_OUT_OF_MEMORY;
		return;
	}
	target_texture(target, image);
}

/* Finds the formats anew, while calls fail. */
static void find(struct egl *egl, int first, int n)
{
	n_calls = 0;
	failing = first;
	n_failing = n;
	format_set_finish(&egl->sampling);
	format_set_finish(&egl->external);
	format_set_finish(&egl->rendering);
	egl->uncertain = false;
	egl_find_formats(egl);
}

static struct egl *open_egl(bool texture)
{
	struct egl *egl = egl_create(NULL);
	if (!egl || !egl->has.dmabuf_import) {
		skip();
	}
	create_image = egl->proc.create_image;
	target_texture = egl->proc.image_target_texture;
	if (texture) {
		egl->proc.image_target_texture = fail_texture;
	} else {
		egl->proc.create_image = fail_import;
	}
	assert_true(egl_make_current(egl));
	return egl;
}

/* Each call fails once. */
static void check(bool texture)
{
	struct egl *egl = open_egl(texture);
	struct format_set sampling = {0}, rendering = {0};
	find(egl, 0, 0);
	format_set_copy(&sampling, &egl->sampling);
	format_set_copy(&rendering, &egl->rendering);
	const int n = n_calls;
	assert_true(n > 3);
	for (int i = 0; i < n; i++) {
		find(egl, i, 1);
		assert_true(n_calls >= n); /* refused imports are repeated anyway */
		assert_false(egl->uncertain);
		assert_true(format_set_equal(&sampling, &egl->sampling));
		assert_true(format_set_equal(&rendering, &egl->rendering));
	}
	format_set_finish(&rendering);
	format_set_finish(&sampling);
	egl_destroy(egl);
}

static void import_without_memory_is_no_fact(void **state)
{
	check(false);
}

static void texture_without_memory_is_no_fact(void **state)
{
	check(true);
}

/* Facts are uncertain, and so not cached, if the lack lasts. */
static void lasting_lack_of_memory_is_no_fact(void **state)
{
	struct egl *egl = open_egl(true);
	find(egl, 0, 1000000);
	assert_true(egl->uncertain);
	find(egl, 0, 0);
	assert_false(egl->uncertain);
	assert_true(egl->sampling.n_formats > 0);
	egl_destroy(egl);
}

/* Mesa says so of pairs that the driver cannot import. */
static void refused_import_is_a_fact(void **state)
{
	struct egl *egl = open_egl(false);
	find(egl, 0, 0);
	const size_t n = egl->sampling.n_formats;
	find(egl, 0, 1000000);
	assert_true(egl->sampling.n_formats < n);
	assert_false(egl->uncertain);
	egl_destroy(egl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(import_without_memory_is_no_fact),
		cmocka_unit_test(texture_without_memory_is_no_fact),
		cmocka_unit_test(lasting_lack_of_memory_is_no_fact),
		cmocka_unit_test(refused_import_is_a_fact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
