/* SPDX-License-Identifier: MIT */
/*
 * Dma-buf formats of an EGL display: imports, and the sets of importable pairs. Drivers overstate
 * their support, so each pair is tried with a small buffer.
 */

#include "gpu/egl.h"
#include "gpu/gpu.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <GLES2/gl2ext.h>
#include <errno.h>
#include <gbm.h>
#include <stdlib.h>

#define PROBE_SIZE 64 /* pixels; every stride is a multiple of 64 bytes then */
#define PROBE_BUDGET_NS 20000000
/* Number of probes until nothing fails for a moment, and of tries of an import without memory. */
#define PROBES_MAX 3
#define IMPORTS_MAX 3

/* Enough for four planes of eight bytes a pixel. */
#define PROBE_BYTES (PROBE_SIZE * PROBE_SIZE * 8 * 4)

static const struct {
	EGLint fd, offset, stride, modifier_low, modifier_high;
} plane_attributes[DMABUF_PLANES_MAX] = {
	{EGL_DMA_BUF_PLANE0_FD_EXT, EGL_DMA_BUF_PLANE0_OFFSET_EXT, EGL_DMA_BUF_PLANE0_PITCH_EXT,
		EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT},
	{EGL_DMA_BUF_PLANE1_FD_EXT, EGL_DMA_BUF_PLANE1_OFFSET_EXT, EGL_DMA_BUF_PLANE1_PITCH_EXT,
		EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT},
	{EGL_DMA_BUF_PLANE2_FD_EXT, EGL_DMA_BUF_PLANE2_OFFSET_EXT, EGL_DMA_BUF_PLANE2_PITCH_EXT,
		EGL_DMA_BUF_PLANE2_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE2_MODIFIER_HI_EXT},
	{EGL_DMA_BUF_PLANE3_FD_EXT, EGL_DMA_BUF_PLANE3_OFFSET_EXT, EGL_DMA_BUF_PLANE3_PITCH_EXT,
		EGL_DMA_BUF_PLANE3_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE3_MODIFIER_HI_EXT},
};

/* Checks strides and sizes of linear planes; the driver checks other layouts. */
static bool fits(const struct dmabuf *dmabuf, const struct pixel_format *format)
{
	if (dmabuf->modifier != DRM_FORMAT_MOD_LINEAR) {
		return true;
	}
	if (dmabuf->n_planes != format->n_planes) {
		return false;
	}
	for (int i = 0; i < dmabuf->n_planes; ++i) {
		int32_t rows = pixel_format_plane_height(format, i, dmabuf->height);
		int64_t end = dmabuf->offset[i] + (int64_t)dmabuf->stride[i] * rows;
		if ((int64_t)dmabuf->stride[i] <
				pixel_format_min_stride(format, i, dmabuf->width) ||
			!dmabuf_memory_stays(dmabuf->fd[i], end)) {
			return false;
		}
	}
	return true;
}

static EGLint matrix_hint(enum color_matrix matrix)
{
	return matrix == COLOR_MATRIX_BT709    ? EGL_ITU_REC709_EXT
	       : matrix == COLOR_MATRIX_BT2020 ? EGL_ITU_REC2020_EXT
					       : EGL_ITU_REC601_EXT;
}

EGLImageKHR egl_import_coded(
	struct egl *egl, const struct dmabuf *dmabuf, struct color_coding coding)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	/* Implicit layouts need a driver, so they are useless without a GPU. */
	bool implicit = dmabuf->modifier == DRM_FORMAT_MOD_INVALID;
	if (!egl->has.dmabuf_import || !format || dmabuf->width <= 0 || dmabuf->height <= 0 ||
		dmabuf->width > egl->max_texture_size || dmabuf->height > egl->max_texture_size ||
		(implicit && !egl->gpu) || !fits(dmabuf, format)) {
		return EGL_NO_IMAGE_KHR;
	}
	bool modifiers = egl->has.dmabuf_modifiers && !implicit;
	if (!modifiers && !implicit && dmabuf->modifier != DRM_FORMAT_MOD_LINEAR) {
		return EGL_NO_IMAGE_KHR;
	}
	EGLint attributes[12 + 10 * DMABUF_PLANES_MAX + 1];
	int n = 0;
	attributes[n++] = EGL_WIDTH;
	attributes[n++] = dmabuf->width;
	attributes[n++] = EGL_HEIGHT;
	attributes[n++] = dmabuf->height;
	attributes[n++] = EGL_LINUX_DRM_FOURCC_EXT;
	attributes[n++] = (EGLint)dmabuf->format;
	attributes[n++] = EGL_IMAGE_PRESERVED_KHR;
	attributes[n++] = EGL_TRUE;
	if (format->yuv) {
		coding = color_coding_resolve(coding, dmabuf->width, dmabuf->height);
		attributes[n++] = EGL_YUV_COLOR_SPACE_HINT_EXT;
		attributes[n++] = matrix_hint(coding.matrix);
		attributes[n++] = EGL_SAMPLE_RANGE_HINT_EXT;
		attributes[n++] = coding.range == COLOR_RANGE_FULL ? EGL_YUV_FULL_RANGE_EXT
								   : EGL_YUV_NARROW_RANGE_EXT;
	}
	for (int i = 0; i < dmabuf->n_planes; ++i) {
		attributes[n++] = plane_attributes[i].fd;
		attributes[n++] = dmabuf->fd[i];
		attributes[n++] = plane_attributes[i].offset;
		attributes[n++] = (EGLint)dmabuf->offset[i];
		attributes[n++] = plane_attributes[i].stride;
		attributes[n++] = (EGLint)dmabuf->stride[i];
		if (modifiers) {
			attributes[n++] = plane_attributes[i].modifier_low;
			attributes[n++] = (EGLint)(dmabuf->modifier & UINT32_MAX);
			attributes[n++] = plane_attributes[i].modifier_high;
			attributes[n++] = (EGLint)(dmabuf->modifier >> 32);
		}
	}
	attributes[n] = EGL_NONE;
	return egl->proc.create_image(
		egl->display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, attributes);
}

EGLImageKHR egl_import_dmabuf(struct egl *egl, const struct dmabuf *dmabuf)
{
	return egl_import_coded(egl, dmabuf, (struct color_coding){0});
}

void egl_destroy_image(struct egl *egl, EGLImageKHR image)
{
	if (image != EGL_NO_IMAGE_KHR) {
		egl->proc.destroy_image(egl->display, image);
	}
}

static void clear_errors(void)
{
	for (int i = 0; i < 8 && glGetError() != GL_NO_ERROR; ++i) {
	}
}

/* Returns whether the call had no error. A lack of memory is noted: it may pass. */
static bool succeeded(struct egl *egl)
{
	GLenum error = glGetError();
	egl->uncertain |= error == GL_OUT_OF_MEMORY;
	return error == GL_NO_ERROR;
}

static bool samples(struct egl *egl, EGLImageKHR image, GLenum target)
{
	GLuint texture;
	glGenTextures(1, &texture);
	glBindTexture(target, texture);
	clear_errors();
	egl->proc.image_target_texture(target, image);
	bool ok = succeeded(egl);
	glBindTexture(target, 0);
	glDeleteTextures(1, &texture);
	return ok;
}

static bool renders(struct egl *egl, EGLImageKHR image)
{
	GLuint renderbuffer, framebuffer;
	glGenRenderbuffers(1, &renderbuffer);
	glGenFramebuffers(1, &framebuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
	clear_errors();
	egl->proc.image_target_renderbuffer(GL_RENDERBUFFER, image);
	bool ok = succeeded(egl);
	if (ok) {
		glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
		glFramebufferRenderbuffer(
			GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
		ok = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
		succeeded(egl);
		glBindFramebuffer(GL_FRAMEBUFFER, 0);
	}
	glBindRenderbuffer(GL_RENDERBUFFER, 0);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteRenderbuffers(1, &renderbuffer);
	clear_errors();
	return ok;
}

struct probe {
	struct egl *egl;
	int fd; /* a memory file, where there is no GPU; else -1 */
	int64_t deadline; /* ns; later pairs are trusted untried */
};

static bool describe_memory(struct probe *probe, const struct pixel_format *format,
	uint64_t modifier, struct dmabuf *out)
{
	if (modifier != DRM_FORMAT_MOD_LINEAR) {
		return false;
	}
	dmabuf_init(out);
	out->width = out->height = PROBE_SIZE;
	out->format = format->fourcc;
	out->modifier = modifier;
	out->n_planes = format->n_planes;
	uint32_t offset = 0;
	for (int i = 0; i < out->n_planes; ++i) {
		out->fd[i] = fd_dup(probe->fd);
		probe->egl->uncertain |= out->fd[i] < 0;
		out->offset[i] = offset;
		out->stride[i] = (uint32_t)pixel_format_min_stride(format, i, PROBE_SIZE);
		offset +=
			out->stride[i] * (uint32_t)pixel_format_plane_height(format, i, PROBE_SIZE);
	}
	return true;
}

static bool allocate_gbm(struct probe *probe, const struct pixel_format *format, uint64_t modifier,
	struct dmabuf *out)
{
	errno = 0;
	struct gbm_bo *bo = gbm_bo_create_with_modifiers2(probe->egl->gpu->gbm, PROBE_SIZE,
		PROBE_SIZE, format->fourcc, &modifier, 1, GBM_BO_USE_RENDERING);
	if (!bo) {
		probe->egl->uncertain |= error_may_pass(-errno);
		return false;
	}
	dmabuf_init(out);
	out->width = out->height = PROBE_SIZE;
	out->format = format->fourcc;
	out->modifier = gbm_bo_get_modifier(bo);
	out->n_planes = gbm_bo_get_plane_count(bo);
	bool ok = out->n_planes > 0 && out->n_planes <= DMABUF_PLANES_MAX;
	for (int i = 0; ok && i < out->n_planes; ++i) {
		out->fd[i] = gbm_bo_get_fd_for_plane(bo, i);
		out->offset[i] = gbm_bo_get_offset(bo, i);
		out->stride[i] = gbm_bo_get_stride_for_plane(bo, i);
		ok = out->fd[i] >= 0;
	}
	gbm_bo_destroy(bo);
	if (!ok) {
		probe->egl->uncertain |= error_may_pass(-errno);
		dmabuf_finish(out);
	}
	return ok;
}

static void add(struct egl *egl, uint32_t format, uint64_t modifier, bool external, bool rendering)
{
	format_set_add(&egl->sampling, format, modifier);
	if (external) {
		format_set_add(&egl->external, format, modifier);
	}
	if (rendering) {
		format_set_add(&egl->rendering, format, modifier);
	}
}

/*
 * Imports the buffer, also after a lack of memory that passes at once. Mesa reports one, too, for
 * pairs that the driver cannot import, so that it counts as a refusal if it stays.
 */
static EGLImageKHR import_surely(struct egl *egl, const struct dmabuf *dmabuf)
{
	EGLImageKHR image = EGL_NO_IMAGE_KHR;
	EGLint error = EGL_BAD_ALLOC;
	eglGetError();
	for (int i = 0; i < IMPORTS_MAX && error == EGL_BAD_ALLOC; ++i) {
		image = egl_import_dmabuf(egl, dmabuf);
		error = image == EGL_NO_IMAGE_KHR ? eglGetError() : EGL_SUCCESS;
	}
	egl->uncertain |= error == EGL_CONTEXT_LOST;
	return image;
}

static void try_pair(
	struct probe *probe, const struct pixel_format *format, uint64_t modifier, bool external)
{
	struct egl *egl = probe->egl;
	external = external || format->yuv;
	if (external && !egl->has.external_images) {
		return;
	}
	struct dmabuf dmabuf;
	bool have = egl->gpu ? clock_monotonic() < probe->deadline &&
				       allocate_gbm(probe, format, modifier, &dmabuf)
			     : describe_memory(probe, format, modifier, &dmabuf);
	if (!have) {
		/* Formats that cannot be allocated (mostly video) may still be importable. */
		if (egl->gpu) {
			add(egl, format->fourcc, modifier, external, !external);
		}
		return;
	}
	EGLImageKHR image = import_surely(egl, &dmabuf);
	if (image != EGL_NO_IMAGE_KHR) {
		GLenum target = external ? GL_TEXTURE_EXTERNAL_OES : GL_TEXTURE_2D;
		if (samples(egl, image, target)) {
			add(egl, format->fourcc, modifier, external,
				!external && renders(egl, image));
		}
		egl_destroy_image(egl, image);
	}
	dmabuf_finish(&dmabuf);
}

static void try_format(struct probe *probe, uint32_t fourcc)
{
	struct egl *egl = probe->egl;
	const struct pixel_format *format = pixel_format_get(fourcc);
	if (!format) {
		return;
	}
	EGLint n = 0;
	if (egl->has.dmabuf_modifiers) {
		egl->proc.query_modifiers(egl->display, (EGLint)fourcc, 0, NULL, NULL, &n);
	}
	if (n > 0) {
		uint64_t *modifiers = xcalloc((size_t)n, sizeof(*modifiers));
		/* Some drivers leave the flags of formats that have no restriction unwritten. */
		EGLBoolean *external = xcalloc((size_t)n, sizeof(*external));
		egl->proc.query_modifiers(
			egl->display, (EGLint)fourcc, n, (EGLuint64KHR *)modifiers, external, &n);
		for (EGLint i = 0; i < n; ++i) {
			try_pair(probe, format, modifiers[i], external[i]);
		}
		free(modifiers);
		free(external);
	} else if (!egl->gpu) {
		try_pair(probe, format, DRM_FORMAT_MOD_LINEAR, false);
	}
	/* Clients without modifiers use the driver's implicit layout. */
	if (egl->gpu && (n == 0 || format_set_get(&egl->sampling, fourcc))) {
		bool external = format->yuv;
		if (!external || egl->has.external_images) {
			add(egl, fourcc, DRM_FORMAT_MOD_INVALID, external,
				!external && (n == 0 || format_set_get(&egl->rendering, fourcc)));
		}
	}
}

static void try_all(struct probe *probe)
{
	struct egl *egl = probe->egl;
	EGLint n = 0;
	if (egl->has.dmabuf_modifiers) {
		egl->proc.query_formats(egl->display, 0, NULL, &n);
	}
	if (n <= 0) {
		/* Without a list: every driver has these two. */
		try_format(probe, DRM_FORMAT_XRGB8888);
		try_format(probe, DRM_FORMAT_ARGB8888);
		return;
	}
	EGLint *formats = xcalloc((size_t)n, sizeof(*formats));
	egl->proc.query_formats(egl->display, n, formats, &n);
	for (EGLint i = 0; i < n; ++i) {
		try_format(probe, (uint32_t)formats[i]);
	}
	free(formats);
}

static void find_once(struct egl *egl)
{
	struct probe probe = {
		.egl = egl, .fd = -1, .deadline = clock_monotonic() + PROBE_BUDGET_NS};
	if (!egl->gpu) {
		probe.fd = fd_create_memory("causeway-probe", PROBE_BYTES, true);
		if (probe.fd < 0) {
			log_error("egl: cannot create a memory file to test imports");
			egl->uncertain = true;
			return;
		}
	}
	try_all(&probe);
	fd_close(&probe.fd);
	/* Imports have no error of their own for it. */
	egl->uncertain |= fd_check_room() < 0;
}

static struct format_set take(struct format_set *set)
{
	struct format_set taken = *set;
	*set = (struct format_set){0};
	return taken;
}

/* Adds pairs that passed before: one that passed once stays, behind the driver's order. */
static void restore(struct format_set *set, struct format_set *before)
{
	for (size_t i = 0; i < before->n_formats; i++) {
		const struct format_modifiers *entry = &before->formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			format_set_add(set, entry->format, entry->modifiers[m]);
		}
	}
	format_set_finish(before);
}

void egl_find_formats(struct egl *egl)
{
	if (!egl->has.dmabuf_import) {
		return;
	}
	for (int i = 0; i < PROBES_MAX && (i == 0 || egl->uncertain); i++) {
		struct format_set sampling = take(&egl->sampling);
		struct format_set external = take(&egl->external);
		struct format_set rendering = take(&egl->rendering);
		egl->uncertain = false;
		find_once(egl);
		restore(&egl->sampling, &sampling);
		restore(&egl->external, &external);
		restore(&egl->rendering, &rendering);
	}
	if (egl->uncertain) {
		log_warn("egl: formats may be missing: their tests failed for a moment");
	}
	log_debug(LOG_GPU, "egl: %zu formats to sample, %zu to render", egl->sampling.n_formats,
		egl->rendering.n_formats);
}
