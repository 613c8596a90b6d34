/* SPDX-License-Identifier: MIT */
/* An EGL display and GLES 3 context without a window system. */

#include "gpu/egl.h"
#include "gpu/gpu.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <EGL/eglext.h>
#include <GLES2/gl2ext.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* A fence that takes longer means that its device hangs (ns). */
#define FENCE_TIMEOUT_MS 1000

/* ISO C has no conversion from object to function pointers, but EGL's loader already returns one.
 */
#define LOAD(member, name) ((member) = (__typeof__(member))eglGetProcAddress(name))

static bool init_display_extensions(struct egl *egl)
{
	const char *list = eglQueryString(egl->display, EGL_EXTENSIONS);
	if (!egl_has_extension(list, "EGL_KHR_surfaceless_context") ||
		!(egl_has_extension(list, "EGL_KHR_no_config_context") ||
			egl_has_extension(list, "EGL_MESA_configless_context"))) {
		log_error("egl: contexts without surface and config are not supported");
		return false;
	}
	egl->has.dmabuf_import = egl_has_extension(list, "EGL_KHR_image_base") &&
				 egl_has_extension(list, "EGL_EXT_image_dma_buf_import");
	egl->has.dmabuf_modifiers =
		egl->has.dmabuf_import &&
		egl_has_extension(list, "EGL_EXT_image_dma_buf_import_modifiers");
	egl->has.native_fence = egl_has_extension(list, "EGL_ANDROID_native_fence_sync") &&
				egl_has_extension(list, "EGL_KHR_wait_sync");
	egl->has.robust = egl_has_extension(list, "EGL_EXT_create_context_robustness");
	LOAD(egl->proc.create_image, "eglCreateImageKHR");
	LOAD(egl->proc.destroy_image, "eglDestroyImageKHR");
	LOAD(egl->proc.create_sync, "eglCreateSyncKHR");
	LOAD(egl->proc.destroy_sync, "eglDestroySyncKHR");
	LOAD(egl->proc.wait_sync, "eglWaitSyncKHR");
	LOAD(egl->proc.dup_native_fence_fd, "eglDupNativeFenceFDANDROID");
	LOAD(egl->proc.query_formats, "eglQueryDmaBufFormatsEXT");
	LOAD(egl->proc.query_modifiers, "eglQueryDmaBufModifiersEXT");
	return true;
}

static EGLContext create_context(
	const struct egl *egl, EGLContext share, bool robust, bool priority)
{
	EGLint attributes[16];
	int n = 0;
	attributes[n++] = EGL_CONTEXT_MAJOR_VERSION;
	attributes[n++] = 3;
	if (robust) {
		attributes[n++] = EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT;
		attributes[n++] = EGL_LOSE_CONTEXT_ON_RESET_EXT;
	}
	if (priority) {
		attributes[n++] = EGL_CONTEXT_PRIORITY_LEVEL_IMG;
		attributes[n++] = EGL_CONTEXT_PRIORITY_HIGH_IMG;
	}
	attributes[n] = EGL_NONE;
	return eglCreateContext(egl->display, EGL_NO_CONFIG_KHR, share, attributes);
}

static bool try_context(struct egl *egl, bool robust, bool priority)
{
	egl->context = create_context(egl, EGL_NO_CONTEXT, robust, priority);
	return egl->context != EGL_NO_CONTEXT;
}

static bool init_context(struct egl *egl)
{
	const char *list = eglQueryString(egl->display, EGL_EXTENSIONS);
	bool priority = egl_has_extension(list, "EGL_IMG_context_priority");
	eglBindAPI(EGL_OPENGL_ES_API);
	/* Drivers may name an extension and yet refuse it to this process. */
	if (!try_context(egl, egl->has.robust, priority) &&
		!try_context(egl, egl->has.robust, false)) {
		egl->has.robust = false;
		if (!try_context(egl, false, false)) {
			log_error("egl: cannot create a GLES 3 context (0x%x)", eglGetError());
			return false;
		}
	}
	if (!eglMakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, egl->context)) {
		log_error("egl: cannot use the context (0x%x)", eglGetError());
		return false;
	}
	return true;
}

static void init_gl_extensions(struct egl *egl)
{
	const char *list = (const char *)glGetString(GL_EXTENSIONS);
	if (!egl_has_extension(list, "GL_OES_EGL_image")) {
		egl->has.dmabuf_import = egl->has.dmabuf_modifiers = false;
	}
	egl->has.external_images = egl_has_extension(list, "GL_OES_EGL_image_external_essl3");
	egl->has.bgra = egl_has_extension(list, "GL_EXT_texture_format_BGRA8888");
	egl->has.read_bgra = egl_has_extension(list, "GL_EXT_read_format_bgra");
	egl->has.buffer_storage = egl_has_extension(list, "GL_EXT_buffer_storage");
	egl->has.norm16 = egl_has_extension(list, "GL_EXT_texture_norm16");
	if (egl_has_extension(list, "GL_EXT_disjoint_timer_query")) {
		GLint bits = 0;
		glGetQueryiv(GL_TIME_ELAPSED_EXT, GL_QUERY_COUNTER_BITS_EXT, &bits);
		egl->has.timers = bits > 0;
	}
	LOAD(egl->proc.image_target_texture, "glEGLImageTargetTexture2DOES");
	LOAD(egl->proc.image_target_renderbuffer, "glEGLImageTargetRenderbufferStorageOES");
	if (egl->has.robust && egl_has_extension(list, "GL_KHR_robustness")) {
		LOAD(egl->proc.reset_status, "glGetGraphicsResetStatusKHR");
	} else if (egl->has.robust && egl_has_extension(list, "GL_EXT_robustness")) {
		LOAD(egl->proc.reset_status, "glGetGraphicsResetStatusEXT");
	}
	egl->has.robust = egl->proc.reset_status;
	GLint size = 0;
	glGetIntegerv(GL_MAX_TEXTURE_SIZE, &size);
	egl->max_texture_size = size;
}

struct egl *egl_create(struct gpu *gpu)
{
	struct egl *egl = xcalloc(1, sizeof(*egl));
	egl->gpu = gpu;
	egl->display = egl_open_display(gpu);
	egl->context = EGL_NO_CONTEXT;
	if (egl->display == EGL_NO_DISPLAY || !init_display_extensions(egl) || !init_context(egl)) {
		egl_destroy(egl);
		return NULL;
	}
	init_gl_extensions(egl);
	log_debug(LOG_GPU, "egl: %s, %s", (const char *)glGetString(GL_RENDERER),
		(const char *)glGetString(GL_VERSION));
	egl_find_formats(egl);
	egl->uncertain |= egl_is_lost(egl);
	return egl;
}

void egl_destroy(struct egl *egl)
{
	if (!egl) {
		return;
	}
	if (egl->context != EGL_NO_CONTEXT) {
		if (eglGetCurrentContext() == egl->context) {
			eglMakeCurrent(
				egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
		}
		eglDestroyContext(egl->display, egl->context);
	}
	/*
	 * EGL returns one display per platform device, and terminating it destroys all contexts on
	 * it. Displays without a GPU stay until the process ends.
	 */
	if (egl->display != EGL_NO_DISPLAY && egl->gpu && --egl->gpu->n_egl == 0) {
		eglTerminate(egl->display);
	}
	format_set_finish(&egl->sampling);
	format_set_finish(&egl->external);
	format_set_finish(&egl->rendering);
	free(egl);
}

EGLContext egl_create_shared_context(struct egl *egl)
{
	/* Contexts that share objects report resets in the same way. */
	return create_context(egl, egl->context, egl->has.robust, false);
}

void egl_use_on_thread(EGLDisplay display, EGLContext context)
{
	if (context == EGL_NO_CONTEXT) {
		eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
		eglReleaseThread();
	} else if (eglGetCurrentContext() != context) {
		eglBindAPI(EGL_OPENGL_ES_API);
		eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
	}
}

bool egl_make_current(struct egl *egl)
{
	if (egl->lost) {
		return false;
	}
	if (eglGetCurrentContext() == egl->context) {
		return true;
	}
	if (eglMakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, egl->context)) {
		return true;
	}
	EGLint error = eglGetError();
	if (error == EGL_CONTEXT_LOST) {
		egl->lost = true;
	} else {
		log_error("egl: cannot make the context current (0x%x)", error);
	}
	return false;
}

bool egl_is_lost(struct egl *egl)
{
	if (!egl->lost && egl->proc.reset_status && egl->proc.reset_status() != GL_NO_ERROR) {
		egl->lost = true;
	}
	return egl->lost;
}

int egl_export_fence(struct egl *egl)
{
	int fd = -1;
	if (egl->has.native_fence) {
		EGLSyncKHR sync =
			egl->proc.create_sync(egl->display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);
		if (sync != EGL_NO_SYNC_KHR) {
			/* The fence has a descriptor only once it is submitted. */
			glFlush();
			fd = egl->proc.dup_native_fence_fd(egl->display, sync);
			egl->proc.destroy_sync(egl->display, sync);
		}
	}
	return fd;
}

bool egl_create_fence(struct egl *egl, int *fence)
{
	*fence = egl_export_fence(egl);
	if (*fence >= 0) {
		return true;
	}
	int room = egl->has.native_fence ? fd_reserve() : -ENOTSUP;
	if (error_lacks_descriptor(room)) {
		return false;
	}
	fd_close(&room);
	glFinish();
	return true;
}

static void wait_on_cpu(int fence_fd)
{
	struct pollfd poll_fd = {.fd = fence_fd, .events = POLLIN};
	int n;
	do {
		n = poll(&poll_fd, 1, FENCE_TIMEOUT_MS);
	} while (n < 0 && errno == EINTR);
	if (n == 0) {
		log_warn("egl: a fence did not signal");
	}
}

void egl_wait_fence(struct egl *egl, int fence_fd)
{
	if (fence_fd < 0) {
		return;
	}
	int fd = egl->has.native_fence ? fd_dup(fence_fd) : -1;
	if (fd >= 0) {
		EGLint attributes[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fd, EGL_NONE};
		EGLSyncKHR sync = egl->proc.create_sync(
			egl->display, EGL_SYNC_NATIVE_FENCE_ANDROID, attributes);
		if (sync != EGL_NO_SYNC_KHR) { /* the sync object owns fd now */
			EGLint ok = egl->proc.wait_sync(egl->display, sync, 0);
			egl->proc.destroy_sync(egl->display, sync);
			if (ok) {
				return;
			}
		} else {
			close(fd);
		}
	}
	wait_on_cpu(fence_fd);
}

static GLuint compile(GLenum kind, const char *source)
{
	GLuint shader = glCreateShader(kind);
	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	GLint ok = GL_FALSE;
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	if (!ok) {
		char log[512] = "";
		glGetShaderInfoLog(shader, sizeof(log), NULL, log);
		log_error("egl: cannot compile a shader: %s", log);
		glDeleteShader(shader);
		return 0;
	}
	return shader;
}

GLuint egl_link_program(struct egl *egl, const char *vertex, const char *fragment)
{
	GLuint vertex_shader = compile(GL_VERTEX_SHADER, vertex);
	GLuint fragment_shader = vertex_shader ? compile(GL_FRAGMENT_SHADER, fragment) : 0;
	if (!fragment_shader) {
		glDeleteShader(vertex_shader);
		return 0;
	}
	GLuint program = glCreateProgram();
	glAttachShader(program, vertex_shader);
	glAttachShader(program, fragment_shader);
	glLinkProgram(program);
	/* The program keeps its shaders. */
	glDeleteShader(vertex_shader);
	glDeleteShader(fragment_shader);
	GLint ok = GL_FALSE;
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	if (!ok) {
		char log[512] = "";
		glGetProgramInfoLog(program, sizeof(log), NULL, log);
		log_error("egl: cannot link a program: %s", log);
		glDeleteProgram(program);
		return 0;
	}
	return program;
}
