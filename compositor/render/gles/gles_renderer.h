/* SPDX-License-Identifier: MIT */
#pragma once

/** Private interface of the GLES renderer. */

#include "gpu/egl.h"
#include "render/renderer.h"

/** Upload parameters of an shm format. */
struct gles_format {
	uint32_t format; /* DRM fourcc */
	GLint internal;
	GLenum layout, type;
	/** Swizzle: sources of the texture's red, green, blue and alpha. */
	GLint swizzle[4];
};

/** Returns NULL if GL lacks the format. */
const struct gles_format *gles_format_get(const struct egl *egl, uint32_t format);
/** Adds the shm formats of which a texture can be created. The context must be current. */
void gles_find_shm_formats(struct renderer *renderer, const struct egl *egl);

enum gles_program_kind {
	GLES_PROGRAM_SOLID,
	GLES_PROGRAM_TEXTURE,
	GLES_PROGRAM_TEXTURE_CLAMPED, /* reads only a part of the texture */
	GLES_PROGRAM_EXTERNAL,
	GLES_PROGRAM_EXTERNAL_CLAMPED,
	GLES_PROGRAM_SHARP, /* follows edges: sharp.c */
	GLES_PROGRAM_EXTERNAL_SHARP,
	GLES_PROGRAM_COUNT,
};

/** Uniforms of one draw. */
struct gles_uniforms {
	float scale[2]; /* target pixels to clip space */
	float u[3], v[3]; /* target pixels to texture coordinates */
	float clamp[4]; /* least u, v and greatest u, v */
	float color[4]; /* of a solid; factor of a texture's */
	float texels[4]; /* size of the texture and its inverse; of the sharp filter */
};

struct gles_program {
	GLuint id; /* 0: not built yet */
	struct {
		GLint scale, u, v, clamp, color, texels;
	} location;
	struct gles_uniforms uniforms; /* as last set */
	bool set; /* they have been */
};

/** A GL texture with its cached state. */
struct gles_image {
	GLuint id;
	GLenum target;
	GLint filter;
};

struct gles_vertex {
	int16_t x, y; /* target pixels: GL's largest target fits */
};

/** Enough for four rectangles. */
#define GLES_KEPT_VERTICES 24

/** Maximum number of measured passes in flight, more than outputs need. */
#define GLES_TIMERS 16

/** Measures one pass on the device. */
struct gles_timer {
	GLuint query; /* 0: not made yet */
	uint64_t pass; /* number of the pass; 0: none, or the result is invalid */
};

struct gles_renderer {
	struct renderer base;
	struct egl *egl;
	struct wl_event_loop *loop;
	struct wl_event_source *tell_lost; /* idle source; NULL: no loss to report */
	bool lost;

	struct gles_program programs[GLES_PROGRAM_COUNT];
	GLuint vertices; /* buffer with those of the last pass */
	/**
	 * Frame buffer of all targets, attached in turn; 0: each has its own. NVIDIA's driver takes
	 * 10 to 20 us less for an attachment than for another frame buffer; Mesa's takes longer.
	 */
	GLuint framebuffer;
	/** Cached GL state, to avoid redundant calls. */
	struct {
		GLuint program, framebuffer;
		GLuint texture[2]; /* 2D, external */
		bool blend;
		int32_t width, height; /* viewport */
		pixman_box32_t scissor;
		GLint row_length; /* GL_UNPACK_ROW_LENGTH */
		const struct gles_target *attached; /* to the common frame buffer */
		size_t n_vertices; /* in the buffer, as in the copy; 0: others */
		struct gles_vertex vertices[GLES_KEPT_VERTICES];
	} state;

	struct gles_readback *readback; /* NULL: targets are imported */
	struct gles_timer timers[GLES_TIMERS]; /* by the pass's number */
	bool timing; /* a query is active */

	struct wl_list imports; /* gles_import.link */
	/** Keys of imports, by their coding: surfaces may show a buffer in several. */
	char keys[COLOR_MATRIX_BT2020 + 1][COLOR_RANGE_LIMITED + 1];
	struct wl_list targets; /* gles_target.link */
	struct wl_list passes; /* gles_pass.link */
	struct gles_pass *spare; /* arrays are reused by the next pass */
	uint32_t scratch[32768]; /* buffer for converted pixels, at least a row */
};

/** context.c: makes the context current. Returns false if the device is lost. */
bool gles_enter(struct gles_renderer *renderer);
/** Checks for a lost device, after a failed call or the end of a pass. */
bool gles_check_lost(struct gles_renderer *renderer);

/** Forgets errors of earlier calls, before calls whose errors are read. */
void gles_clear_errors(void);
void gles_bind_texture(struct gles_renderer *renderer, GLenum target, GLuint id);
void gles_bind_framebuffer(struct gles_renderer *renderer, GLuint id);
/** Sets GL_UNPACK_ROW_LENGTH. */
void gles_set_row_length(struct gles_renderer *renderer, GLint pixels);
void gles_set_filter(struct gles_renderer *renderer, struct gles_image *image, GLint filter);
/** Creates and binds a texture with clamped edges. */
void gles_image_init(struct gles_renderer *renderer, struct gles_image *image, GLenum target);
void gles_image_finish(struct gles_renderer *renderer, struct gles_image *image);
/** sharp.c: body of the fragment shader of the filter that follows edges. */
extern const char gles_sharp_source[];
/** Uses the program. Returns NULL if it cannot be built. */
struct gles_program *gles_use_program(struct gles_renderer *renderer, enum gles_program_kind kind);
void gles_set_uniforms(struct gles_program *program, const struct gles_uniforms *uniforms);

/** A dma-buf imported as a texture, cached with the buffer for each coding that it was shown in. */
struct gles_import {
	struct addon addon;
	struct wl_list link;
	struct gles_renderer *renderer;
	EGLImageKHR image; /* EGL_NO_IMAGE_KHR: the driver has refused it so far */
	unsigned n_refusals; /* of the driver, and calls since without another attempt */
	int32_t width, height; /* of the image: the buffer's, rounded up to whole chroma samples */
	struct color_coding coding; /* by which the driver converts */
	struct gles_image texture;
	struct wl_list textures; /* gles_texture.import_link */
};

/**
 * Returns the buffer's import, created on first use; NULL if it cannot be imported now. The driver
 * does not tell whether a refusal will pass: it is asked again, after ever more calls.
 */
struct gles_import *gles_import_get(struct gles_renderer *renderer, struct buffer *buffer);
void gles_import_destroy(struct gles_import *import);

struct gles_texture {
	struct texture base;
	enum {
		GLES_TEXTURE_NONE, /* new, or the buffer was destroyed */
		GLES_TEXTURE_UPLOAD,
		GLES_TEXTURE_IMPORT,
		GLES_TEXTURE_COLOR,
	} kind;
	uint32_t format;
	struct gles_image upload;
	struct gles_import *import;
	struct wl_list import_link;
	float color[4];
};

bool gles_texture_update(struct renderer *base, struct texture **slot, struct buffer *buffer,
	const pixman_region32_t *damage, bool *holds);
void gles_texture_destroy(struct texture *base);
/** Returns the slot's texture, or a new one, until gles_texture_store(). */
struct gles_texture *gles_texture_from_slot(struct renderer *base, struct texture **slot);
/** Stores the texture in its slot; destroys a new one after a failed update. */
void gles_texture_store(struct gles_texture *texture, struct texture **slot, bool updated);
/** Copies the damage (NULL: all) of an shm buffer into the texture. */
bool gles_texture_upload(struct gles_renderer *renderer, struct gles_texture *texture,
	struct buffer *buffer, const pixman_region32_t *damage);

/** See renderer_impl. */
uint32_t gles_staging_format(const struct renderer *base, struct buffer *buffer);
struct render_staging *gles_staging_create(struct renderer *base, struct buffer *buffer,
	const struct render_source *source, const struct box *box);
bool gles_staging_upload(struct render_staging *base, struct texture **slot, int32_t width,
	int32_t height, const pixman_region32_t *region);
void gles_staging_destroy(struct render_staging *base);
/** Copies from a buffer object, whose pixels begin with those of the box. */
bool gles_texture_upload_staged(struct gles_renderer *renderer, struct gles_texture *texture,
	const struct render_staging *staging, int32_t width, int32_t height,
	const pixman_region32_t *region);

/** A frame buffer, cached with its buffer: an imported dma-buf, or a texture that is read back. */
struct gles_target {
	struct addon addon;
	struct wl_list link;
	struct gles_renderer *renderer;
	EGLImageKHR image;
	GLuint renderbuffer;
	struct gles_memory *memory; /* NULL: imported */
	struct gles_image texture;
	GLuint framebuffer; /* its own or the common one; 0: cannot be drawn to so far */
	bool told; /* that it cannot */
};

/**
 * Enters the context for a new target. Returns NULL if the buffer cannot be drawn to now; the next
 * call tries again.
 */
struct gles_target *gles_target_get(struct gles_renderer *renderer, struct buffer *buffer);
void gles_bind_target(struct gles_target *target);
void gles_target_destroy(struct gles_target *target);

struct render_pass *gles_pass_begin(struct renderer *base, struct buffer *target, int fence);
void gles_pass_add_texture(struct render_pass *base, const struct render_texture_options *options);
void gles_pass_add_rect(struct render_pass *base, const struct render_rect_options *options);
bool gles_pass_submit(struct render_pass *base, int *fence);
/** Submits recorded draws of open passes, before a texture that they use changes. */
void gles_flush_passes(struct gles_renderer *renderer);
void gles_pass_free(struct gles_pass *pass);

/**
 * readback.c: for displays without dma-bufs, lists the formats of targets that are copied to the
 * memory of their buffers.
 */
void gles_readback_init(struct gles_renderer *renderer);
/** Waits for the copies in flight. */
void gles_readback_finish(struct gles_renderer *renderer);
/** Maps the memory of a target. Returns NULL if it cannot be written, or if it could shrink. */
struct gles_memory *gles_memory_create(const struct dmabuf *dmabuf);
/** Accepts NULL. Copies in flight keep the memory. */
void gles_memory_unref(struct gles_memory *memory);
/** Copies the memory to the bound texture. */
void gles_memory_load(struct gles_renderer *renderer, const struct gles_memory *memory,
	int32_t width, int32_t height);
/**
 * Copies a region of the bound frame buffer to memory, which others may read after *fence;
 * unchanged: at once. May simplify the region. Returns false, with older pixels in the memory,
 * without descriptors or memory of the device. Waits only for devices without mappable buffer
 * objects.
 */
bool gles_read_back(struct gles_renderer *renderer, struct gles_memory *memory,
	pixman_region32_t *region, int *fence);

/** timer.c: bracket the drawing of a pass; must not nest. Most small passes are not measured. */
void gles_timer_start(struct gles_renderer *renderer, uint64_t pass, bool small);
void gles_timer_stop(struct gles_renderer *renderer);
/** See renderer_impl. */
int64_t gles_pass_time(struct renderer *base, uint64_t pass);
void gles_timers_finish(struct gles_renderer *renderer);
