/* SPDX-License-Identifier: MIT */
/* GLES copy engine: a GPU's graphics queue. */

#include "copy/gles.h"
#include "copy/gles/blit.h"
#include "gpu/gpu.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLANES_MAX 3

struct gles_engine {
	struct copy_engine base;
	struct gpu *gpu;
	struct egl *egl;
	struct gles_blit blit;
};

struct gles_image {
	struct copy_image base;
	int n_planes;
	struct gles_plane planes[PLANES_MAX];
};

static const struct copy_engine_impl impl;

static struct gles_engine *from_base(struct copy_engine *base)
{
	struct gles_engine *engine = wl_container_of(base, engine, base);
	assert(base->impl == &impl);
	return engine;
}

static struct gles_image *image_from_base(struct copy_image *base)
{
	struct gles_image *image = wl_container_of(base, image, base);
	assert(base->engine->impl == &impl);
	return image;
}

/* Replaces the error of a call: a lost context, or a lack of descriptors, fails any call. */
static int true_error(struct gles_engine *engine, int error)
{
	if (egl_is_lost(engine->egl)) {
		return -ENODEV;
	}
	int room = fd_check_room();
	return room < 0 ? room : error;
}

/* Drivers misreport the support of some formats, so try an import. */
static int try_plane(
	struct gles_engine *engine, const struct dmabuf *dmabuf, int plane, bool destination)
{
	struct gles_plane trial;
	if (!egl_make_current(engine->egl)) {
		return true_error(engine, -EIO);
	}
	int error = gles_plane_init(&trial, engine->egl, dmabuf, plane, destination);
	if (error < 0) {
		return true_error(engine, error);
	}
	gles_plane_finish(&trial, engine->egl);
	return 0;
}

static int check(
	struct copy_engine *base, const struct dmabuf *dmabuf, unsigned use, const char **reason)
{
	struct gles_engine *engine = from_base(base);
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	*reason = "its format is unknown";
	if (!format || format->n_planes > PLANES_MAX || format->n_planes > dmabuf->n_planes) {
		return -ENOTSUP;
	}
	int error = 0;
	for (int i = 0; i < format->n_planes && error == 0; i++) {
		if (use & COPY_SOURCE) {
			*reason = "the driver cannot sample it";
			error = try_plane(engine, dmabuf, i, false);
		}
		if (use & COPY_DESTINATION && error == 0) {
			*reason = "the driver cannot draw into it";
			error = try_plane(engine, dmabuf, i, true);
		}
	}
	*reason = error == -ENODEV ? "the engine is lost" : *reason;
	return error;
}

static int ask(struct copy_engine *base, uint32_t format, uint64_t modifier)
{
	const struct egl *egl = from_base(base)->egl;
	return gles_samples(egl, format, modifier) ? 1 : egl->uncertain ? -EAGAIN : 0;
}

static void forget_planes(struct gles_engine *engine, struct gles_image *image)
{
	for (int i = 0; i < image->n_planes; i++) {
		gles_plane_finish(&image->planes[i], engine->egl);
	}
	image->n_planes = 0;
}

/* The context is current. */
static int import_planes(struct gles_engine *engine, struct gles_image *image)
{
	int n = pixel_format_get(image->base.dmabuf.format)->n_planes;
	while (image->n_planes < n) {
		int error = gles_plane_init(&image->planes[image->n_planes], engine->egl,
			&image->base.dmabuf, image->n_planes, image->base.use & COPY_DESTINATION);
		if (error < 0) {
			forget_planes(engine, image);
			return true_error(engine, error);
		}
		image->n_planes++;
	}
	return 0;
}

static int import(struct copy_engine *base, struct copy_image *image)
{
	struct gles_engine *engine = from_base(base);
	/* Sources are textures, destinations framebuffers. */
	if (image->use == (COPY_SOURCE | COPY_DESTINATION)) {
		return -ENOTSUP;
	}
	return egl_make_current(engine->egl) ? import_planes(engine, image_from_base(image))
					     : true_error(engine, -EIO);
}

static void forget(struct copy_engine *base, struct copy_image *image)
{
	struct gles_engine *engine = from_base(base);
	/* A lost context has freed its objects. */
	if (egl_make_current(engine->egl)) {
		forget_planes(engine, image_from_base(image));
	}
}

static int draw(struct gles_engine *engine, const struct copy_request *request, int *n_boxes)
{
	const struct gles_image *source = image_from_base(request->source);
	const struct gles_image *destination = image_from_base(request->destination);
	const pixman_box32_t *boxes = copy_engine_boxes(&engine->base, request, n_boxes);
	int error = 0;
	for (int i = 0; i < source->n_planes && error == 0; i++) {
		const struct gles_plane *plane = &source->planes[i];
		error = gles_blit_copy(&engine->blit, plane, &destination->planes[i], boxes,
			*n_boxes, request->dx, request->dy);
		for (int j = 0; j < *n_boxes && error == 0; j++) {
			engine->base.stats.bytes += (uint64_t)(boxes[j].x2 - boxes[j].x1) *
						    (uint64_t)(boxes[j].y2 - boxes[j].y1) *
						    plane->bytes / (plane->hsub * plane->vsub);
		}
	}
	return error;
}

static int submit(struct copy_engine *base, const struct copy_request *request, int *fence)
{
	struct gles_engine *engine = from_base(base);
	int status = fence_status(request->wait_fd), n_boxes;
	if (status < 0) {
		return -EIO;
	}
	if (status == 0 && !engine->egl->has.native_fence) {
		return -EBUSY; /* the CPU would have to wait */
	}
	if (!egl_make_current(engine->egl)) {
		return -ENODEV;
	}
	if (status == 0) {
		egl_wait_fence(engine->egl, request->wait_fd);
	}
	int error = draw(engine, request, &n_boxes);
	if (error < 0) {
		return true_error(engine, error);
	}
	/*
	 * Software renderers have finished when drawing returns; the fence of a GPU is never waited
	 * for here.
	 */
	if (engine->egl->has.native_fence) {
		*fence = egl_export_fence(engine->egl);
	} else {
		egl_create_fence(engine->egl, fence);
	}
	if (egl_is_lost(engine->egl) || (*fence < 0 && engine->egl->has.native_fence)) {
		fd_close(fence);
		return -ENODEV;
	}
	base->stats.rectangles += (uint64_t)n_boxes;
	return 0;
}

/* A context belongs to one thread at a time. */
static void leave(struct copy_engine *base)
{
	const struct egl *egl = from_base(base)->egl;
	if (eglGetCurrentContext() == egl->context) {
		eglMakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	}
}

/* Without fences the event loop would wait for the GPU, except for software renderers. */
static bool usable(const struct egl *egl)
{
	const char *renderer = (const char *)glGetString(GL_RENDERER);
	return egl->rendering.n_formats > 0 &&
	       (egl->has.native_fence ||
		       (renderer && (strncmp(renderer, "llvmpipe", 8) == 0 ||
					    strncmp(renderer, "softpipe", 8) == 0)));
}

static int open_context(struct gles_engine *engine)
{
	engine->egl = egl_create(engine->gpu);
	if (!engine->egl) {
		int room = fd_check_room();
		return room < 0 ? room : -ENODEV;
	}
	if (!usable(engine->egl)) {
		int error = engine->egl->uncertain ? -EAGAIN : -ENOTSUP;
		egl_destroy(engine->egl);
		return error;
	}
	gles_blit_init(&engine->blit, engine->egl);
	return 0;
}

static void retire(struct copy_engine *base)
{
	/* The driver keeps the resources of its jobs. */
}

static void destroy(struct copy_engine *base)
{
	struct gles_engine *engine = from_base(base);
	if (egl_make_current(engine->egl)) {
		gles_blit_finish(&engine->blit);
	}
	egl_destroy(engine->egl);
	if (engine->gpu) {
		gpu_close(engine->gpu);
	}
	copy_engine_finish(base);
	free(engine);
}

static const struct copy_engine_impl impl = {
	.name = "gles",
	.destroy = destroy,
	.leave = leave,
	.check = check,
	.ask = ask,
	.image_size = sizeof(struct gles_image),
	.import = import,
	.forget = forget,
	.submit = submit,
	.retire = retire,
};

int gles_engine_create(struct gpu *gpu, struct copy_engine **out)
{
	struct gles_engine *engine = xcalloc(1, sizeof(*engine));
	int error = gpu ? gpu_open(gpu) : 0;
	if (error < 0) {
		goto error_free;
	}
	engine->gpu = gpu;
	error = open_context(engine);
	if (error < 0) {
		goto error_close;
	}
	copy_engine_init(&engine->base, &impl, COPY_DEADLINE);
	leave(&engine->base);
	*out = &engine->base;
	return 0;
error_close:
	if (gpu) {
		gpu_close(gpu);
	}
error_free:
	free(engine);
	return error;
}
