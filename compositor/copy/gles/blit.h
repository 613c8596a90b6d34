/* SPDX-License-Identifier: MIT */
#pragma once

/** GLES blits: image planes as textures and framebuffers, and copies by drawing. */

#include "gpu/egl.h"
#include <pixman.h>

struct gles_plane {
	EGLImageKHR image;
	GLuint texture;
	GLenum target; /* GL_TEXTURE_2D, or GL_TEXTURE_EXTERNAL_OES */
	GLuint renderbuffer, framebuffer; /* of destinations */
	int32_t width, height; /* elements */
	uint8_t bytes; /* per element */
	uint8_t hsub, vsub; /* elements per pixel, inverse */
};

/** Programs, one per kind of texture. All functions need the context to be current. */
struct gles_blit {
	struct egl *egl;
	struct {
		GLuint program; /* 0: unsupported, or not needed yet */
		GLint offset;
	} plain, external;
};

void gles_blit_init(struct gles_blit *blit, struct egl *egl);
void gles_blit_finish(struct gles_blit *blit);

/** Returns whether the driver can sample each plane of such images. */
bool gles_samples(const struct egl *egl, uint32_t format, uint64_t modifier);
/** Returns 0, or -errno with nothing to finish. */
int gles_plane_init(struct gles_plane *plane, struct egl *egl, const struct dmabuf *dmabuf,
	int index, bool destination);
void gles_plane_finish(struct gles_plane *plane, struct egl *egl);
/** Copies boxes (source pixels). Returns 0 or -errno. */
int gles_blit_copy(struct gles_blit *blit, const struct gles_plane *source,
	const struct gles_plane *destination, const pixman_box32_t *boxes, int n_boxes, int32_t dx,
	int32_t dy);
