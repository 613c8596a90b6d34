/* SPDX-License-Identifier: MIT */
/*
 * Replacement of libEGL's eglQueryString() that hides the extensions which NVIDIA's driver lacks on
 * machines without DRM nodes: the surfaceless platform, dma-bufs and their fences. Linked into a
 * test, or preloaded.
 */

#include <EGL/egl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#define EXTENSIONS_MAX 16384

static const char *const hidden[] = {
	"EGL_MESA_platform_surfaceless",
	"EGL_EXT_image_dma_buf_import",
	"EGL_EXT_image_dma_buf_import_modifiers",
	"EGL_ANDROID_native_fence_sync",
};

static bool is_hidden(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		if (strlen(hidden[i]) == length && strncmp(hidden[i], word, length) == 0) {
			return true;
		}
	}
	return false;
}

static const char *filter(const char *all, char *out)
{
	char *end = out;
	for (; *all; all += *all == ' ') {
		size_t length = strcspn(all, " ");
		if (!is_hidden(all, length) && (size_t)(end - out) + length + 2 <= EXTENSIONS_MAX) {
			memcpy(end, all, length);
			end[length] = ' ';
			end += length + 1;
		}
		all += length;
	}
	*end = '\0';
	return out;
}

__attribute__((visibility("default"))) const char *eglQueryString(EGLDisplay display, EGLint name)
{
	/*
	 * The function has no argument for its buffers: client extensions, and those of the
	 * display.
	 */
	static char lists[2][EXTENSIONS_MAX];
	union {
		void *object;
		const char *(*function)(EGLDisplay, EGLint);
	} next = {.object = dlsym(RTLD_NEXT, "eglQueryString")};
	const char *all = next.function(display, name);
	return name == EGL_EXTENSIONS && all ? filter(all, lists[display != EGL_NO_DISPLAY]) : all;
}
