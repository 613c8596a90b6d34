/* SPDX-License-Identifier: MIT */
/*
 * Validation of client dma-bufs: planes must lie within their files, and the home GPU must be able
 * to import them.
 */

#include "buffer/dmabuf_buffer.h"
#include "content/device.h"
#include "gpu/home.h"
#include "gpu/quirks.h"
#include "linux_dmabuf.h"
#include "render/render.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <unistd.h>

/* Maximum width and height: no renderer supports more, although a sparse file may hold it. */
#define SIDE_MAX 65536

/* Modifiers with compression may add planes to the format's; only the driver knows their layout. */
bool dmabuf_has_plain_layout(const struct dmabuf *dmabuf)
{
	return dmabuf->modifier == DRM_FORMAT_MOD_LINEAR ||
	       dmabuf->modifier == DRM_FORMAT_MOD_INVALID;
}

/* Values from clients are computed in 64 bits, so that none overflows. */
static int64_t divide_up(int64_t value, int64_t by)
{
	return by > 1 ? (value + by - 1) / by : value;
}

/* Returns the minimum number of bytes from the plane's offset. */
static uint64_t plane_size(
	const struct dmabuf *dmabuf, const struct pixel_format *format, int plane)
{
	int64_t rows = 1;
	if (plane == 0) {
		rows = dmabuf->height;
	} else if (dmabuf_has_plain_layout(dmabuf)) {
		rows = divide_up(dmabuf->height, format->vsub);
	}
	return (uint64_t)dmabuf->stride[plane] * (uint64_t)rows;
}

static bool stride_fits(const struct dmabuf *dmabuf, const struct pixel_format *format, int plane)
{
	if (!dmabuf_has_plain_layout(dmabuf)) {
		return dmabuf->stride[plane] > 0;
	}
	int64_t samples = dmabuf->width;
	if (format->n_planes == 1) {
		/* Packed formats with subsampled chroma consist of whole groups of pixels. */
		samples = divide_up(samples, format->hsub) * (format->hsub ? format->hsub : 1);
	} else if (plane > 0) {
		samples = divide_up(samples, format->hsub);
	}
	return dmabuf->stride[plane] >= samples * format->bytes[plane];
}

char *dmabuf_check_bounds(
	const struct dmabuf *dmabuf, const struct pixel_format *format, bool *usable)
{
	for (int i = 0; i < dmabuf->n_planes; i++) {
		uint64_t end = dmabuf->offset[i] + plane_size(dmabuf, format, i);
		off_t size = lseek(dmabuf->fd[i], 0, SEEK_END);
		if (size < 0) {
			*usable = false; /* not a dma-buf */
			return NULL;
		}
		/* Drivers compute strides and offsets in 32 bits. */
		if (end > (uint64_t)size || end > UINT32_MAX || !stride_fits(dmabuf, format, i)) {
			return xasprintf("plane %d: offset %u and stride %u do not fit %dx%d "
					 "pixels in %lld bytes",
				i, dmabuf->offset[i], dmabuf->stride[i], dmabuf->width,
				dmabuf->height, (long long)size);
		}
	}
	*usable = dmabuf->width <= SIDE_MAX && dmabuf->height <= SIDE_MAX;
	return NULL;
}

struct buffer *dmabuf_import(struct linux_dmabuf *dmabuf, struct wl_client *wl_client,
	struct gpu *sampling, struct dmabuf *planes)
{
	const struct client *client = client_from_wl(wl_client);
	struct server *server = dmabuf->server;
	struct renderer *renderer = server->device->renderer;
	char name[DMABUF_EXPORTER_SIZE];
	const char *exporter = dmabuf_read_exporter(planes->fd[0], name) ? name : NULL;
	struct gpu *home = dmabuf_find_home(dmabuf, client, sampling, planes, exporter);
	bool elsewhere = home && home != server_display_gpu(server);
	/* Unknown home GPU: importing the memory on any GPU might migrate it. */
	bool unknown = !home && client->gpu && planes->modifier != DRM_FORMAT_MOD_LINEAR;
	/* The client falls back to shared memory, which is uploaded. */
	unknown |= !home && exporter && !gpu_samples_exporter(server_display_gpu(server), exporter);
	/*
	 * Test the import only on the buffer's own GPU, once that is certain and has a renderer,
	 * which a lost device gets back; on another home GPU, the copy engine that reads the buffer
	 * imports it first.
	 */
	bool later = !renderer || elsewhere || dmabuf_is_doubtful(dmabuf, home, planes, exporter);
	if (unknown || (!later && !renderer->impl->test_import(renderer, planes))) {
		log_debug(LOG_PROTOCOL, "cannot import a dma-buf of %dx%d", planes->width,
			planes->height);
		return NULL;
	}
	struct buffer *buffer = dmabuf_buffer_create(planes, home);
	if (buffer) {
		dmabuf_prove_home(dmabuf, wl_client, buffer, exporter);
	}
	if (buffer && !buffer->pending && buffer->home == home && buffer->unmappable) {
		buffer_drop(buffer);
		return NULL;
	}
	return buffer;
}
