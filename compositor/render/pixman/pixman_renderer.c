/* SPDX-License-Identifier: MIT */
/* The pixman renderer: composes on the CPU, straight from clients' memory. */

#include "render/pixman/pixman_renderer.h"
#include "render/convert.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void solid_finish(struct solid *solid)
{
	if (solid->image) {
		pixman_image_unref(solid->image);
	}
}

static void destroy(struct renderer *base)
{
	struct pixman_renderer *renderer = wl_container_of(base, renderer, base);
	struct buffer_raster *raster, *next;
	wl_list_for_each_safe (raster, next, &renderer->buffer_rasters, link) {
		raster->addon.impl->destroy(&raster->addon);
	}
	worker_pool_destroy(renderer->pool);
	solid_finish(&renderer->alpha);
	solid_finish(&renderer->fill);
	renderer_finish(base);
	free(renderer);
}

/* Planes are read through one mapping, that of the first: the others have to lie behind it. */
static bool follows_first(const struct dmabuf *dmabuf, int plane)
{
	return dmabuf->offset[plane] >= dmabuf->offset[0] &&
	       dmabuf_same_file(dmabuf->fd[0], dmabuf->fd[plane]);
}

/* Imports are mappings: tests that the memory exists and is readable by the CPU. */
static bool test_import(struct renderer *base, const struct dmabuf *dmabuf)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	if (!format || dmabuf->n_planes != format->n_planes || dmabuf->width <= 0 ||
		dmabuf->height <= 0 || dmabuf->width > PIXMAN_SIDE_MAX ||
		dmabuf->height > PIXMAN_SIDE_MAX ||
		!format_set_has(&base->texture_formats, dmabuf->format, dmabuf->modifier)) {
		return false;
	}
	int64_t end = 0;
	for (int i = 0; i < dmabuf->n_planes; i++) {
		int64_t rows = pixel_format_plane_height(format, i, dmabuf->height);
		int64_t plane = dmabuf->offset[i] + dmabuf->stride[i] * rows;
		end = plane > end ? plane : end;
		if ((int64_t)dmabuf->stride[i] <
				pixel_format_min_stride(format, i, dmabuf->width) ||
			lseek(dmabuf->fd[i], 0, SEEK_END) < plane || !follows_first(dmabuf, i)) {
			return false;
		}
	}
	/* The kernel unmaps no part of a huge page. */
	size_t size = fd_whole_pages((size_t)end, fd_page_size(dmabuf->fd[0]));
	void *data = mmap(NULL, size, PROT_READ, MAP_SHARED, dmabuf->fd[0], 0);
	if (data == MAP_FAILED) {
		return false;
	}
	munmap(data, size);
	return true;
}

static const struct renderer_impl impl = {
	.name = "pixman",
	.destroy = destroy,
	.texture_update = pixman_texture_update,
	.texture_destroy = pixman_texture_destroy,
	.begin = pixman_pass_begin,
	.add_texture = pixman_pass_add_texture,
	.add_rect = pixman_pass_add_rect,
	.submit = pixman_pass_submit,
	.test_import = test_import,
	.staging_format = pixman_staging_format,
	.staging_create = pixman_staging_create,
	.staging_upload = pixman_staging_upload,
	.staging_destroy = pixman_staging_destroy,
};

struct renderer *pixman_renderer_create(void)
{
	struct pixman_renderer *renderer = xcalloc(1, sizeof(*renderer));
	renderer_init(&renderer->base, &impl, NULL);
	renderer->base.cpu = true;
	wl_list_init(&renderer->buffer_rasters);
	pixman_add_formats(&renderer->base);
	uint32_t converted[CONVERT_FORMATS];
	size_t n = convert_formats(converted);
	for (size_t i = 0; i < n; ++i) {
		renderer_add_shm_format(&renderer->base, converted[i]);
		format_set_add(
			&renderer->base.texture_formats, converted[i], DRM_FORMAT_MOD_LINEAR);
	}
	return &renderer->base;
}
