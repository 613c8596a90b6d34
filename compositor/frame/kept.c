/*
 * Copies in system memory of what surfaces show, for a CPU that composes in place of a GPU (rest.c). A client has its
 * buffer back once it is copied; what the GPU's texture lacks by then, it takes from the copy.
 */

#include "buffer/shm.h"
#include "frame/content_state.h"
#include "frame/frame.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* Memory of the compositor's own that no GPU can import: it is uploaded from. */
struct kept {
	struct buffer base;
	size_t stride; /* bytes */
	uint8_t *data;
};

static void destroy_buffer(struct buffer *buffer)
{
	struct kept *kept = wl_container_of(buffer, kept, base);
	buffer_finish(buffer);
	free(kept->data);
	free(kept);
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	const struct kept *kept = wl_container_of(buffer, kept, base);
	*data = kept->data;
	*stride = kept->stride;
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	return true;
}

static const struct buffer_impl buffer_impl = {
	.destroy = destroy_buffer,
	.begin_access = begin_access,
	.end_access = end_access,
};

/* NULL if there is not so much memory: the size is the client's choice. */
static struct buffer *create(int32_t width, int32_t height, uint32_t fourcc)
{
	/* Rows start on whole words, as pixman wants them. */
	size_t stride = ((size_t)width * pixel_format_get(fourcc)->bytes[0] + 3) & ~(size_t)3;
	uint8_t *data = calloc((size_t)height, stride);
	if (!data) {
		return NULL;
	}
	struct kept *kept = xcalloc(1, sizeof(*kept));
	buffer_init(&kept->base, &buffer_impl, width, height, fourcc);
	kept->data = data;
	kept->stride = stride;
	return &kept->base;
}

static const struct content *find(const struct content *content)
{
	struct frame_device *keeper = content->device->keeper;
	struct content *found = keeper ? content_find(content->surface, keeper) : NULL;
	return found && found->kept ? found : NULL;
}

bool content_may_keep(const struct frame_device *keeper, const struct buffer *buffer)
{
	const struct pixel_format *format = pixel_format_get(buffer->format);
	return buffer_is_shm(buffer) && !format->yuv &&
	       format_set_has(
		       &keeper->renderer->texture_formats, buffer->format, DRM_FORMAT_MOD_LINEAR);
}

static bool fits(const struct content *content, const struct buffer *buffer)
{
	const struct buffer *kept = content->kept;
	return kept && kept->format == buffer->format && kept->width == buffer->width &&
	       kept->height == buffer->height;
}

void content_drop_texture(struct content *content)
{
	texture_destroy(content->texture);
	buffer_drop(content->kept);
	content->texture = NULL;
	content->kept = NULL;
}

/* A copy of another size or format than the one before misses everything. */
static bool reserve(struct content *content, const struct buffer *buffer)
{
	if (fits(content, buffer)) {
		return true;
	}
	struct buffer *kept = create(buffer->width, buffer->height, buffer->format);
	struct texture *texture = NULL;
	bool holds = false;
	if (!kept ||
		!renderer_texture_update(content->device->renderer, &texture, kept, NULL, &holds) ||
		!holds) {
		texture_destroy(texture);
		buffer_drop(kept);
		return false;
	}
	content_drop_texture(content);
	content->texture = texture;
	content->kept = kept;
	pixman_region32_fini(&content->missing);
	pixman_region32_init_rect(
		&content->missing, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	return true;
}

static bool copy(struct content *content, struct buffer *from, const pixman_region32_t *region)
{
	struct kept *kept = wl_container_of(content->kept, kept, base);
	size_t bytes = pixel_format_get(from->format)->bytes[0], stride;
	const uint8_t *data;
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	if (buffer_begin_access(from, BUFFER_READ, (void **)&data, &stride) < 0) {
		return false;
	}
	for (int i = 0; i < n; i++) {
		size_t x = (size_t)boxes[i].x1 * bytes;
		size_t length = (size_t)(boxes[i].x2 - boxes[i].x1) * bytes;
		for (size_t y = (size_t)boxes[i].y1; y < (size_t)boxes[i].y2; y++) {
			memcpy(kept->data + y * kept->stride + x, data + y * stride + x, length);
		}
	}
	/* What a client took away is black: its own mistake, which it hears of. */
	buffer_end_access(from);
	return true;
}

enum content_status content_keep(struct content *content, const pixman_region32_t *needed)
{
	struct buffer *buffer = content->surface->current.buffer;
	if (buffer ? !content_may_keep(content->device, buffer) || !reserve(content, buffer)
		   : !content->kept) {
		return CONTENT_NONE;
	}
	pixman_region32_t due;
	pixman_region32_init(&due);
	/* A larger buffer may have come and gone. */
	pixman_region32_intersect_rect(&due, &content->missing, 0, 0,
		(unsigned)content->kept->width, (unsigned)content->kept->height);
	if (needed) {
		pixman_region32_intersect(&due, &due, (pixman_region32_t *)needed);
	}
	bool lacks = pixman_region32_not_empty(&due);
	if (buffer && (!lacks || copy(content, buffer, &due))) {
		pixman_region32_subtract(&content->missing, &content->missing, &due);
		content->stale = lacks = false;
	}
	pixman_region32_fini(&due);
	struct content *gpu = content_find(content->surface, content->device->keeps_for);
	if (gpu && !content->stale) {
		content_release_if_complete(gpu);
	}
	return !content->stale && !lacks ? CONTENT_READY : CONTENT_NONE;
}

struct buffer *content_kept(const struct content *content, const pixman_region32_t *region)
{
	const struct content *keeper = find(content);
	if (!keeper || keeper->stale || !content_fits(content, keeper->kept)) {
		return NULL;
	}
	if (!pixman_region32_not_empty((pixman_region32_t *)&keeper->missing)) {
		return keeper->kept;
	}
	pixman_region32_t lacks;
	pixman_region32_init(&lacks);
	pixman_region32_intersect(&lacks, (pixman_region32_t *)&keeper->missing,
		(pixman_region32_t *)&content->missing);
	if (region) {
		pixman_region32_intersect(&lacks, &lacks, (pixman_region32_t *)region);
	}
	bool has_all = !pixman_region32_not_empty(&lacks);
	pixman_region32_fini(&lacks);
	return has_all ? keeper->kept : NULL;
}

bool content_bring_kept(
	struct surface *surface, struct frame_device *device, const pixman_region32_t *needed)
{
	const struct buffer *buffer = surface->current.buffer;
	const struct content *content = content_find(surface, device);
	if (!content || (buffer && !content_fits(content, buffer))) {
		return false;
	}
	return content_keep(content_get(surface, device->keeper), needed) == CONTENT_READY;
}

bool content_is_kept(const struct content *content)
{
	return find(content);
}
