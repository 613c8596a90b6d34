/* SPDX-License-Identifier: MIT */
/*
 * Replacements for entry points of libEGL that differ on an EGL device. The dynamic linker finds
 * them first, in the program itself.
 */

#include "egl_device.h"
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <dlfcn.h>
#include <drm_fourcc.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#define DEVICES_MAX 16
#define EXTENSIONS_MAX 16384

/* Entry points have no argument for state. */
static struct {
	char extensions[2][EXTENSIONS_MAX]; /* client extensions, and those of the display */
	GLsync fence;
	PFNEGLCREATEIMAGEKHRPROC create_image;
} device;

typedef void (*proc)(void);

static proc find_next(const char *name)
{
	/* POSIX allows this conversion, ISO C does not. */
	union {
		void *object;
		proc function;
	} found = {.object = dlsym(RTLD_NEXT, name)};
	return found.function;
}

static proc find_extension(const char *name)
{
	proc (*find)(const char *name) = (proc(*)(const char *name))find_next("eglGetProcAddress");
	return find(name);
}

const char *eglQueryString(EGLDisplay display, EGLint name)
{
	const char *(*query)(EGLDisplay, EGLint) =
		(const char *(*)(EGLDisplay, EGLint))find_next("eglQueryString");
	const char *real = query(display, name);
	if (name != EGL_EXTENSIONS) {
		return real;
	}
	char *all = device.extensions[display != EGL_NO_DISPLAY];
	snprintf(all, EXTENSIONS_MAX, "%s %s", real ? real : "",
		display == EGL_NO_DISPLAY ? "EGL_MESA_platform_surfaceless"
					  : "EGL_EXT_image_dma_buf_import EGL_KHR_wait_sync "
					    "EGL_ANDROID_native_fence_sync");
	return all;
}

EGLDisplay eglGetPlatformDisplay(EGLenum platform, void *native, const EGLAttrib *attributes)
{
	PFNEGLQUERYDEVICESEXTPROC query =
		(PFNEGLQUERYDEVICESEXTPROC)find_extension("eglQueryDevicesEXT");
	PFNEGLGETPLATFORMDISPLAYEXTPROC get =
		(PFNEGLGETPLATFORMDISPLAYEXTPROC)find_extension("eglGetPlatformDisplayEXT");
	EGLDeviceEXT devices[DEVICES_MAX];
	EGLint n = 0;
	for (EGLint i = 0; query && get && query(DEVICES_MAX, devices, &n) && i < n; i++) {
		EGLDisplay display = get(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL);
		if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL)) {
			return display;
		}
	}
	return EGL_NO_DISPLAY;
}

static EGLint find_attribute(const EGLint *attributes, EGLint name)
{
	for (; *attributes != EGL_NONE; attributes += 2) {
		if (*attributes == name) {
			return attributes[1];
		}
	}
	return 0;
}

static EGLImageKHR create_image(EGLDisplay display, EGLContext context, EGLenum target,
	EGLClientBuffer buffer, const EGLint *attributes)
{
	static const EGLint none[] = {EGL_NONE};
	GLint bound;
	GLuint texture;
	glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, find_attribute(attributes, EGL_WIDTH),
		find_attribute(attributes, EGL_HEIGHT));
	EGLImageKHR image = device.create_image(display, eglGetCurrentContext(),
		EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)texture, none);
	/* The EGL image keeps the memory. */
	glBindTexture(GL_TEXTURE_2D, (GLuint)bound);
	glDeleteTextures(1, &texture);
	return image;
}

/* A GL fence: those of EGL take NVIDIA's driver 60 us longer (RESULTS.md). */
static EGLSyncKHR create_sync(EGLDisplay display, EGLenum type, const EGLint *attributes)
{
	return glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

static EGLBoolean keep_sync(EGLDisplay display, EGLSyncKHR sync)
{
	glDeleteSync(device.fence);
	device.fence = sync;
	return EGL_TRUE;
}

static EGLint dup_fence(EGLDisplay display, EGLSyncKHR sync)
{
	return eventfd(1, EFD_CLOEXEC);
}

/* No formats are listed, so the renderer tries the common ones. */
static EGLBoolean query_formats(EGLDisplay display, EGLint max, EGLint *formats, EGLint *n)
{
	*n = 0;
	return EGL_TRUE;
}

static EGLBoolean query_modifiers(EGLDisplay display, EGLint format, EGLint max,
	EGLuint64KHR *modifiers, EGLBoolean *external, EGLint *n)
{
	*n = 0;
	return EGL_TRUE;
}

proc eglGetProcAddress(const char *name)
{
	proc real = find_extension(name);
	if (strcmp(name, "eglCreateImageKHR") == 0) {
		device.create_image = (PFNEGLCREATEIMAGEKHRPROC)real;
		return (proc)create_image;
	}
	if (strcmp(name, "eglCreateSyncKHR") == 0) {
		return (proc)create_sync;
	}
	if (strcmp(name, "eglDestroySyncKHR") == 0) {
		return (proc)keep_sync;
	}
	if (strcmp(name, "eglDupNativeFenceFDANDROID") == 0) {
		return (proc)dup_fence;
	}
	if (strcmp(name, "eglQueryDmaBufFormatsEXT") == 0) {
		return (proc)query_formats;
	}
	if (strcmp(name, "eglQueryDmaBufModifiersEXT") == 0) {
		return (proc)query_modifiers;
	}
	return real;
}

void device_wait(void)
{
	if (device.fence) {
		glClientWaitSync(device.fence, 0, GL_TIMEOUT_IGNORED);
	}
}
