#pragma once

/**
 * An EGL display and GLES 3 context without a window system: on a GPU's GBM device, or surfaceless
 * (llvmpipe counts) where there is no GPU. render/gles and copy/gles build on it.
 */

#include "gpu/coding.h"
#include "gpu/dmabuf.h"
#include "gpu/format.h"
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <stdbool.h>

struct gpu;

struct egl {
	struct gpu *gpu; /* NULL: surfaceless */
	EGLDisplay display;
	EGLContext context;
	struct {
		bool dmabuf_import, dmabuf_modifiers;
		bool native_fence; /* EGL_ANDROID_native_fence_sync */
		bool robust; /* the context reports resets */
		bool external_images; /* GL_OES_EGL_image_external */
		bool bgra; /* GL_EXT_texture_format_BGRA8888 */
		bool norm16; /* GL_EXT_texture_norm16 */
		bool timers; /* GL_EXT_disjoint_timer_query, and it does count time */
	} has;
	int32_t max_texture_size; /* pixels in either direction */
	bool lost; /* read it through egl_is_lost() */
	/** What imports as a texture; `external` ones only as GL_TEXTURE_EXTERNAL_OES. */
	struct format_set sampling;
	struct format_set external;
	/** What imports as a render target. */
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

/** gpu NULL: surfaceless. The gpu, if any, must be open and outlive it. NULL after a logged error.
 */
struct egl *egl_create(struct gpu *gpu);
void egl_destroy(struct egl *egl);
/** Makes the context current (no surface); cheap when it already is. False if the context is lost.
 */
bool egl_make_current(struct egl *egl);
/** True once the context has been reset or lost; stays true. Needs the context current. */
bool egl_is_lost(struct egl *egl);

/**
 * EGL_NO_IMAGE_KHR if the driver refuses, or if the memory behind the fds is too small or could
 * become so (a memfd that is not sealed against shrinking). The image keeps the memory; fds stay
 * the caller's.
 */
EGLImageKHR egl_import_dmabuf(struct egl *egl, const struct dmabuf *dmabuf);
/** The same for YUV that is coded so, as far as the driver heeds it. */
EGLImageKHR egl_import_coded(
	struct egl *egl, const struct dmabuf *dmabuf, struct color_coding coding);
void egl_destroy_image(struct egl *egl, EGLImageKHR image);
/** Fills in sampling, external and rendering: for egl_create(), with the context current. */
void egl_find_formats(struct egl *egl);

/** A sync_file that signals when all GL work so far is done; -1: it has been waited for already. */
int egl_create_fence(struct egl *egl);
/** The same, but nothing is waited for: -1 is an error. */
int egl_export_fence(struct egl *egl);
/** Later GL work waits for the fence on the GPU; waits on the CPU only if the driver cannot. */
void egl_wait_fence(struct egl *egl, int fence_fd);

/** 0 after a logged error. */
GLuint egl_link_program(struct egl *egl, const char *vertex, const char *fragment);
