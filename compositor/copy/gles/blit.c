/* SPDX-License-Identifier: MIT */
/* GLES blits: image planes as textures and framebuffers, and copies by drawing. */

#include "copy/gles/blit.h"
#include <GLES2/gl2ext.h>
#include <errno.h>

/* Flags of errors that a context may have at a time. */
#define ERRORS_MAX 8

static const char vertex[] = "#version 300 es\n"
			     "void main()\n"
			     "{\n"
			     "	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
			     "	gl_Position = vec4(corner * 4.0 - 1.0, 0.0, 1.0);\n"
			     "}\n";

/* Texels map to pixels one to one, without filtering. */
#define FRAGMENT(extension, sampler)                                                               \
	"#version 300 es\n" extension "precision highp float;\n"                                   \
	"precision highp int;\n"                                                                   \
	"uniform highp " sampler " source;\n"                                                      \
	"uniform ivec2 offset;\n"                                                                  \
	"out vec4 color;\n"                                                                        \
	"void main()\n"                                                                            \
	"{\n"                                                                                      \
	"  color = texelFetch(source, ivec2(gl_FragCoord.xy) - offset, 0);\n"                      \
	"}\n"

static const char fragment_plain[] = FRAGMENT("", "sampler2D");
static const char fragment_external[] =
	FRAGMENT("#extension GL_OES_EGL_image_external_essl3 : require\n", "samplerExternalOES");

void gles_blit_init(struct gles_blit *blit, struct egl *egl)
{
	*blit = (struct gles_blit){.egl = egl};
}

void gles_blit_finish(struct gles_blit *blit)
{
	glDeleteProgram(blit->plain.program);
	glDeleteProgram(blit->external.program);
}

/* Format of equal layout that keeps all bits: with alpha where the original has padding. */
static uint32_t with_alpha(const struct pixel_format *format)
{
	size_t n;
	const struct pixel_format *table = pixel_format_table(&n);
	for (size_t i = 0; !format->has_alpha && i < n; i++) {
		if (table[i].has_alpha && table[i].opaque == format->fourcc) {
			return table[i].fourcc;
		}
	}
	return format->fourcc;
}

/* Describes one plane as an image of its own, borrowing the descriptors. */
static bool describe(struct dmabuf *out, const struct dmabuf *dmabuf, int plane)
{
	/* Planes of YUV images by bytes per sample: two 8-bit channels stand for one of 16 bits. */
	static const uint32_t formats[] = {
		0, DRM_FORMAT_R8, DRM_FORMAT_GR88, 0, DRM_FORMAT_ABGR8888};
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	if (!format || (format->yuv && format->n_planes == 1) || plane >= format->n_planes) {
		return false;
	}
	*out = *dmabuf;
	if (format->n_planes == 1) {
		out->format = with_alpha(format);
		return true;
	}
	out->format = formats[format->bytes[plane]];
	out->n_planes = 1;
	out->fd[0] = dmabuf->fd[plane];
	out->offset[0] = dmabuf->offset[plane];
	out->stride[0] = dmabuf->stride[plane];
	if (plane > 0) {
		out->width = (dmabuf->width + format->hsub - 1) / format->hsub;
		out->height = (dmabuf->height + format->vsub - 1) / format->vsub;
	}
	return true;
}

bool gles_samples(const struct egl *egl, uint32_t format, uint64_t modifier)
{
	const struct pixel_format *known = pixel_format_get(format);
	struct dmabuf dmabuf, part;
	dmabuf_init(&dmabuf);
	dmabuf.format = format;
	dmabuf.modifier = modifier;
	for (int i = 0; known && i < known->n_planes; i++) {
		if (!describe(&part, &dmabuf, i) ||
			!format_set_has(&egl->sampling, part.format, modifier)) {
			return false;
		}
	}
	return known;
}

static void init_texture(struct gles_plane *plane, struct egl *egl)
{
	glGenTextures(1, &plane->texture);
	glBindTexture(plane->target, plane->texture);
	glTexParameteri(plane->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(plane->target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	egl->proc.image_target_texture(plane->target, plane->image);
}

/* Clears errors of earlier calls, which a lost context may return for ever. */
static void clear_errors(void)
{
	for (int i = 0; i < ERRORS_MAX && glGetError() != GL_NO_ERROR; i++) {
	}
}

/* Returns 0 if the calls since the errors were cleared had none, else a negative errno. */
static int take_error(void)
{
	GLenum error = glGetError();
	return error == GL_NO_ERROR ? 0 : error == GL_OUT_OF_MEMORY ? -ENOMEM : -ENOTSUP;
}

static int check_framebuffer(void)
{
	bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
	int error = take_error();
	return error < 0 || complete ? error : -ENOTSUP;
}

/* Drivers import some formats as renderbuffers only, and some as textures only. */
static int init_framebuffer(struct gles_plane *plane, struct egl *egl)
{
	glGenRenderbuffers(1, &plane->renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, plane->renderbuffer);
	egl->proc.image_target_renderbuffer(GL_RENDERBUFFER, plane->image);
	glGenFramebuffers(1, &plane->framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, plane->framebuffer);
	glFramebufferRenderbuffer(
		GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, plane->renderbuffer);
	if (check_framebuffer() == 0) {
		return 0;
	}
	clear_errors();
	plane->target = GL_TEXTURE_2D;
	init_texture(plane, egl);
	glFramebufferTexture2D(
		GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, plane->texture, 0);
	return check_framebuffer();
}

int gles_plane_init(struct gles_plane *plane, struct egl *egl, const struct dmabuf *dmabuf,
	int index, bool destination)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	struct dmabuf part;
	if (!describe(&part, dmabuf, index)) {
		return -ENOTSUP;
	}
	*plane = (struct gles_plane){
		.image = egl_import_dmabuf(egl, &part),
		.target = format_set_has(&egl->external, part.format, part.modifier)
				  ? GL_TEXTURE_EXTERNAL_OES
				  : GL_TEXTURE_2D,
		.width = part.width,
		.height = part.height,
		.bytes = format->bytes[index],
		.hsub = index > 0 ? format->hsub : 1,
		.vsub = index > 0 ? format->vsub : 1,
	};
	if (plane->image == EGL_NO_IMAGE_KHR) {
		return -ENOTSUP;
	}
	clear_errors();
	int error;
	if (destination) {
		error = init_framebuffer(plane, egl);
	} else {
		init_texture(plane, egl);
		error = take_error();
	}
	if (error < 0) {
		gles_plane_finish(plane, egl);
	}
	return error;
}

void gles_plane_finish(struct gles_plane *plane, struct egl *egl)
{
	glDeleteTextures(1, &plane->texture);
	glDeleteFramebuffers(1, &plane->framebuffer);
	glDeleteRenderbuffers(1, &plane->renderbuffer);
	egl_destroy_image(egl, plane->image);
	*plane = (struct gles_plane){.image = EGL_NO_IMAGE_KHR};
}

static bool use_program(struct gles_blit *blit, bool external, int32_t x, int32_t y)
{
	GLuint *program = external ? &blit->external.program : &blit->plain.program;
	GLint *offset = external ? &blit->external.offset : &blit->plain.offset;
	if (*program == 0) {
		*program = egl_link_program(
			blit->egl, vertex, external ? fragment_external : fragment_plain);
		*offset = *program ? glGetUniformLocation(*program, "offset") : -1;
	}
	glUseProgram(*program);
	glUniform2i(*offset, x, y);
	return *program != 0;
}

int gles_blit_copy(struct gles_blit *blit, const struct gles_plane *source,
	const struct gles_plane *destination, const pixman_box32_t *boxes, int n_boxes, int32_t dx,
	int32_t dy)
{
	int32_t h = source->hsub, v = source->vsub;
	if (!use_program(blit, source->target == GL_TEXTURE_EXTERNAL_OES, dx / h, dy / v)) {
		return -ENOTSUP;
	}
	/* Dithering is on by default and would change bits. */
	glDisable(GL_DITHER);
	glEnable(GL_SCISSOR_TEST);
	glBindFramebuffer(GL_FRAMEBUFFER, destination->framebuffer);
	glViewport(0, 0, destination->width, destination->height);
	glActiveTexture(GL_TEXTURE0);
	glBindTexture(source->target, source->texture);
	for (int i = 0; i < n_boxes; i++) {
		int32_t x = boxes[i].x1 / h, y = boxes[i].y1 / v;
		int32_t x2 = (boxes[i].x2 + h - 1) / h, y2 = (boxes[i].y2 + v - 1) / v;
		glScissor(x + dx / h, y + dy / v, x2 - x, y2 - y);
		glDrawArrays(GL_TRIANGLES, 0, 3);
	}
	glBindTexture(source->target, 0);
	return 0;
}
