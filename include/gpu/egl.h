/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * EGL displays with a GLES 3 context and no window system: on a GPU's GBM device; without a
 * GPU surfaceless (llvmpipe), or else on an EGL device. Used by render/gles and copy/gles.
 */

#include "gpu/color_coding.h"
#include "gpu/dmabuf.h"
#include "gpu/format.h"
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <stdbool.h>

struct gpu;

struct egl {
	struct gpu *gpu; /* NULL: surfaceless, or an EGL device */
	EGLDisplay display;
	EGLContext context;
	struct {
		bool dmabuf_import, dmabuf_modifiers;
		bool native_fence; /* EGL_ANDROID_native_fence_sync */
		bool robust; /* the context reports resets */
		bool external_images; /* GL_OES_EGL_image_external */
		bool bgra; /* GL_EXT_texture_format_BGRA8888 */
		bool read_bgra; /* GL_EXT_read_format_bgra */
		bool buffer_storage; /* GL_EXT_buffer_storage */
		bool norm16; /* GL_EXT_texture_norm16 */
		bool timers; /* GL_EXT_disjoint_timer_query with a working counter */
	} has;
	int32_t max_texture_size; /* pixels in either direction */
	bool lost; /* read it through egl_is_lost() */
	bool uncertain; /* tests of pairs failed for a moment: the sets may be wrong */
	/** Pairs that import as a texture; `external` ones only as GL_TEXTURE_EXTERNAL_OES. */
	struct format_set sampling;
	struct format_set external;
	/** Pairs that import as a render target. */
	struct format_set rendering;

	struct {
		PFNEGLCREATEIMAGEKHRPROC create_image;
		PFNEGLDESTROYIMAGEKHRPROC destroy_image;
		PFNEGLCREATESYNCKHRPROC create_sync;
		PFNEGLDESTROYSYNCKHRPROC destroy_sync;
		PFNEGLWAITSYNCKHRPROC wait_sync;
		PFNEGLDUPNATIVEFENCEFDANDROIDPROC dup_native_fence_fd;
		PFNEGLQUERYDMABUFFORMATSEXTPROC query_formats;
		PFNEGLQUERYDMABUFMODIFIERSEXTPROC query_modifiers;
		void (*image_target_texture)(GLenum target, void *image);
		void (*image_target_renderbuffer)(GLenum target, void *image);
		GLenum (*reset_status)(void);
	} proc;
};

/**
 * Creates a context; `gpu` NULL: surfaceless, or on an EGL device. The GPU must be open and outlive
 * it. Returns NULL after logging an error.
 */
struct egl *egl_create(struct gpu *gpu);
void egl_destroy(struct egl *egl);
/** Makes the context current (no surface); cheap if it is already. Returns false if it is lost. */
bool egl_make_current(struct egl *egl);
/**
 * Creates a context that shares objects, for another thread. Returns EGL_NO_CONTEXT on failure. The
 * caller destroys the context before the display's.
 */
EGLContext egl_create_shared_context(struct egl *egl);
/**
 * Makes such a context current on the calling thread, unless it is; EGL_NO_CONTEXT: ends the
 * thread's use of EGL.
 */
void egl_use_on_thread(EGLDisplay display, EGLContext context);
/** Returns whether the context has been reset or lost, for good. The context must be current. */
bool egl_is_lost(struct egl *egl);

/**
 * Imports a dma-buf. Returns EGL_NO_IMAGE_KHR if the driver refuses, or if the memory is too small
 * or could shrink (a memfd without seals). The image keeps the memory; the caller keeps the fds.
 */
EGLImageKHR egl_import_dmabuf(struct egl *egl, const struct dmabuf *dmabuf);
/** As above for YUV with a colour coding, if the driver honours it. */
EGLImageKHR egl_import_coded(
	struct egl *egl, const struct dmabuf *dmabuf, struct color_coding coding);
void egl_destroy_image(struct egl *egl, EGLImageKHR image);
/**
 * For egl_create(), and after it while `uncertain`: adds pairs to sampling, external and rendering.
 * Blocks for some tens of milliseconds. The context must be current; binds other objects to it.
 */
void egl_find_formats(struct egl *egl);

/** Returns a sync_file that signals when all GL work so far is done; -1 is an error. */
int egl_export_fence(struct egl *egl);
/**
 * The same; -1: the work was waited for, since the driver has no fences. Returns false without
 * descriptors.
 */
bool egl_create_fence(struct egl *egl, int *fence);
/** Makes later GL work wait for the fence, on the GPU if the driver can, else on the CPU. */
void egl_wait_fence(struct egl *egl, int fence_fd);

/** Returns 0 after logging an error. */
GLuint egl_link_program(struct egl *egl, const char *vertex, const char *fragment);

/** Returns whether a list of extensions (may be NULL) has a name. */
bool egl_has_extension(const char *list, const char *name);
/**
 * For egl_create(): opens a display on an open GPU, or without one (NULL). Returns EGL_NO_DISPLAY
 * after logging an error.
 */
EGLDisplay egl_open_display(struct gpu *gpu);

#define EGL_DEVICES_MAX 16
/** Lists the EGL devices, without opening them. Returns their number. */
size_t egl_find_devices(EGLDeviceEXT devices[static EGL_DEVICES_MAX]);
/** Returns NULL if the device has no such string (EGL_EXTENSIONS, EGL_VENDOR). */
const char *egl_device_string(EGLDeviceEXT device, EGLint name);
