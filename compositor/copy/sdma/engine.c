/* SPDX-License-Identifier: MIT */
/* The SDMA copy engine: images are mappings, requests are packets in one command buffer. */

#include "copy/engine.h"
#include "copy/sdma.h"
#include "copy/sdma/device.h"
#include "copy/sdma/plan.h"
#include "gpu/format.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define PLANES_MAX 3

struct sdma_engine {
	struct copy_engine base;
	struct sdma_options options;
	struct sdma_device device;
};

struct sdma_image {
	struct copy_image base;
	int n_planes; /* of pixels */
	struct sdma_plane planes[PLANES_MAX];
	struct sdma_memory memory[PLANES_MAX];
};

static const struct copy_engine_impl impl;

static struct sdma_engine *from_base(struct copy_engine *base)
{
	struct sdma_engine *engine = wl_container_of(base, engine, base);
	assert(base->impl == &impl);
	return engine;
}

static struct sdma_image *image_from_base(struct copy_image *base)
{
	struct sdma_image *image = wl_container_of(base, image, base);
	assert(base->engine->impl == &impl);
	return image;
}

static int describe(const struct sdma_engine *engine, const struct dmabuf *dmabuf,
	struct sdma_plane *planes, const char **reason)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	*reason = "its format is unknown";
	if (!format || format->n_planes > PLANES_MAX) {
		return -ENOTSUP;
	}
	if (modifier_is_compressed(dmabuf->modifier) && !engine->options.compressed) {
		*reason = "it is compressed, which the configuration does not let copy";
		return -ENOTSUP;
	}
	for (int i = 0; i < format->n_planes; i++) {
		int error = sdma_plane_init(&planes[i], &engine->device.chip, dmabuf, i, reason);
		if (error < 0) {
			return error;
		}
	}
	return format->n_planes;
}

static int check(
	struct copy_engine *base, const struct dmabuf *dmabuf, unsigned use, const char **reason)
{
	const struct sdma_engine *engine = from_base(base);
	struct sdma_plane planes[PLANES_MAX];
	int n = describe(engine, dmabuf, planes, reason);
	if (n < 0 || !planes[0].compressed) {
		return n < 0 ? n : 0;
	}
	if (use & COPY_DESTINATION) {
		*reason = "it is compressed, which the copy engine cannot write";
		return -ENOTSUP;
	}
	return sdma_plane_check_metadata(&planes[0], dmabuf, reason);
}

static int ask(struct copy_engine *base, uint32_t format, uint64_t modifier)
{
	struct sdma_plane planes[PLANES_MAX];
	struct dmabuf dmabuf;
	const char *reason;
	return copy_trial_init(&dmabuf, format, modifier) &&
	       describe(from_base(base), &dmabuf, planes, &reason) > 0;
}

static void unmap(struct sdma_engine *engine, struct sdma_image *image)
{
	for (int i = 0; i < image->n_planes; i++) {
		sdma_memory_finish(&engine->device, &image->memory[i]);
	}
}

static int map_plane(struct sdma_engine *engine, struct sdma_image *image, int plane)
{
	struct sdma_plane *surface = &image->planes[plane];
	struct sdma_memory *memory = &image->memory[plane];
	int error = sdma_memory_import(&engine->device, image->base.dmabuf.fd[plane],
		surface->alignment, image->base.use & COPY_DESTINATION, memory);
	if (error < 0) {
		return error;
	}
	/* The engine would fault on addresses beyond the memory. */
	if (surface->offset > memory->size || surface->size > memory->size - surface->offset) {
		return -EINVAL;
	}
	surface->va = memory->va + surface->offset;
	if (surface->dcc.size > 0) {
		/* The client's other plane, in the same memory. */
		uint64_t offset = image->base.dmabuf.offset[1];
		if (offset > memory->size || surface->dcc.size > memory->size - offset) {
			return -EINVAL;
		}
		surface->compression.va = memory->va + offset;
	}
	return 0;
}

static int map(struct sdma_engine *engine, struct sdma_image *image)
{
	for (int i = 0; i < image->n_planes; i++) {
		int error = map_plane(engine, image, i);
		if (error < 0) {
			unmap(engine, image);
			return error;
		}
	}
	return 0;
}

static int import(struct copy_engine *base, struct copy_image *image_base)
{
	struct sdma_engine *engine = from_base(base);
	struct sdma_image *image = image_from_base(image_base);
	const char *reason;
	image->n_planes = describe(engine, &image_base->dmabuf, image->planes, &reason);
	assert(image->n_planes > 0); /* checked before */
	return map(engine, image);
}

static void forget(struct copy_engine *base, struct copy_image *image)
{
	unmap(from_base(base), image_from_base(image));
}

/* Encodes all rectangles of all planes. Returns the bytes that they read. */
static uint64_t plan(const struct sdma_engine *engine, const struct copy_request *request,
	const pixman_box32_t *boxes, int n_boxes, struct sdma_stream *stream)
{
	struct sdma_image *source = image_from_base(request->source);
	struct sdma_image *destination = image_from_base(request->destination);
	const struct pixel_format *format = pixel_format_get(request->source->dmabuf.format);
	uint64_t bytes = 0;
	for (int plane = 0; plane < source->n_planes; plane++) {
		const struct sdma_plane *surface = &source->planes[plane];
		for (int i = 0; i < n_boxes; i++) {
			uint64_t area = (uint64_t)(boxes[i].x2 - boxes[i].x1) *
					(uint64_t)(boxes[i].y2 - boxes[i].y1);
			sdma_plan_box(stream, engine->device.chip.version, surface,
				&destination->planes[plane], &boxes[i], request->dx, request->dy);
			bytes += area * format->bytes[plane] / (surface->hsub * surface->vsub);
		}
	}
	sdma_emit_padding(stream);
	return bytes;
}

static int possible(const struct sdma_image *source, const struct sdma_image *destination)
{
	for (int i = 0; i < source->n_planes; i++) {
		int error = sdma_plan_check(&source->planes[i], &destination->planes[i]);
		if (error < 0) {
			return error;
		}
	}
	return 0;
}

/* Encodes the boxes, or their extents if they are too many for a command buffer. */
static int encode(struct sdma_engine *engine, const struct copy_request *request,
	struct sdma_stream *stream, uint64_t *bytes, int *n_boxes)
{
	const pixman_box32_t *boxes = copy_engine_boxes(&engine->base, request, n_boxes);
	struct sdma_stream measure = {0};
	plan(engine, request, boxes, *n_boxes, &measure);
	int error = sdma_device_reserve(&engine->device, measure.length, stream);
	if (error == -ENOTSUP) {
		measure = (struct sdma_stream){0};
		boxes = pixman_region32_extents((pixman_region32_t *)request->damage);
		*n_boxes = 1;
		plan(engine, request, boxes, 1, &measure);
		error = sdma_device_reserve(&engine->device, measure.length, stream);
	}
	if (error == 0) {
		*bytes = plan(engine, request, boxes, *n_boxes, stream);
	}
	return error;
}

static int submit(struct copy_engine *base, const struct copy_request *request, int *fence)
{
	struct sdma_engine *engine = from_base(base);
	struct sdma_image *source = image_from_base(request->source);
	struct sdma_image *destination = image_from_base(request->destination);
	const struct sdma_memory *memory[2 * PLANES_MAX];
	struct sdma_stream stream;
	uint64_t bytes = 0;
	int n_memory = 0, n_boxes = 0;
	int error = possible(source, destination);
	if (error == 0) {
		error = encode(engine, request, &stream, &bytes, &n_boxes);
	}
	if (error < 0) {
		return error;
	}
	for (int i = 0; i < source->n_planes; i++) {
		memory[n_memory++] = &source->memory[i];
		memory[n_memory++] = &destination->memory[i];
	}
	error = sdma_device_submit(
		&engine->device, &stream, memory, n_memory, request->wait_fd, fence);
	if (error < 0) {
		return error;
	}
	base->stats.rectangles += (uint64_t)n_boxes;
	base->stats.bytes += bytes;
	return 0;
}

static int prove(struct copy_engine *base, struct copy_image *image_base, int *fence)
{
	struct sdma_engine *engine = from_base(base);
	struct sdma_image *image = image_from_base(image_base);
	const struct sdma_memory *memory[PLANES_MAX];
	struct sdma_stream measure = {0}, stream;
	sdma_emit_nop(&measure);
	sdma_emit_padding(&measure);
	int error = sdma_device_reserve(&engine->device, measure.length, &stream);
	if (error < 0) {
		return error;
	}
	sdma_emit_nop(&stream);
	sdma_emit_padding(&stream);
	for (int i = 0; i < image->n_planes; i++) {
		memory[i] = &image->memory[i];
	}
	return sdma_device_submit(&engine->device, &stream, memory, image->n_planes, -1, fence);
}

static int open_device(struct sdma_engine *engine)
{
	int fd = engine->options.open_node(engine->options.data);
	return fd < 0 ? fd : sdma_device_init(&engine->device, fd);
}

static void retire(struct copy_engine *base)
{
	sdma_device_retire(&from_base(base)->device);
}

static int allocate(struct copy_engine *base, int32_t width, int32_t height, uint32_t fourcc,
	uint32_t alignment, struct dmabuf *dmabuf)
{
	uint64_t size = dmabuf_lay_out(dmabuf, width, height, fourcc, alignment);
	int fd = size > 0 ? sdma_memory_export(&from_base(base)->device, size) : -ENOTSUP;
	return fd < 0 ? fd : dmabuf_take_memory(dmabuf, fd);
}

static void destroy(struct copy_engine *base)
{
	struct sdma_engine *engine = from_base(base);
	sdma_device_finish(&engine->device);
	copy_engine_finish(base);
	free(engine);
}

static const struct copy_engine_impl impl = {
	.name = "sdma",
	.destroy = destroy,
	.check = check,
	.ask = ask,
	.image_size = sizeof(struct sdma_image),
	.import = import,
	.forget = forget,
	.submit = submit,
	.prove = prove,
	.retire = retire,
	.allocate = allocate,
};

int sdma_engine_create(const struct sdma_options *options, struct copy_engine **out)
{
	struct sdma_engine *engine = xcalloc(1, sizeof(*engine));
	engine->options = *options;
	int error = open_device(engine);
	if (error < 0) {
		free(engine);
		return error;
	}
	copy_engine_init(&engine->base, &impl, COPY_DEADLINE);
	log_debug(LOG_COPY, "sdma: version %u.%u, ring %u", engine->device.chip.version >> 8,
		engine->device.chip.version & 0xff, engine->device.ring);
	*out = &engine->base;
	return 0;
}
