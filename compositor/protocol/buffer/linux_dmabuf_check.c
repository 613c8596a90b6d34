/* SPDX-License-Identifier: MIT */
/*
 * Validation of client dma-bufs: planes must lie within their files, and the home GPU must be able
 * to import them.
 */

#include "buffer/dmabuf_buffer.h"
#include "content/device.h"
#include "copy/prover.h"
#include "gpu/gpu.h"
#include "gpu/home.h"
#include "gpu/quirks.h"
#include "linux_dmabuf.h"
#include "render/render.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <errno.h>
#include <string.h>
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

/*
 * Returns the GPU that allocated the buffer: the one announced to the client, unless the kernel
 * names another. A client that follows a change of the rules is recognised by this.
 */
static struct gpu *find_home(struct linux_dmabuf *dmabuf, const struct client *client,
	struct gpu *sampling, const struct dmabuf *planes, const char *exporter)
{
	struct gpu *announced = sampling ? sampling : client->gpu;
	if (!sampling && client->next_gpu && client->next_gpu != announced &&
		!format_set_has(&dmabuf_device_get(dmabuf, announced)->formats, planes->format,
			planes->modifier)) {
		announced = client->next_gpu; /* such a modifier was announced for that GPU only */
	}
	return gpu_find_home(dmabuf->server->gpus, announced, exporter);
}

/*
 * Linear buffers of NVIDIA's driver are told from those of other drivers by their exporter only if
 * that is not the kernel's common code. They are in video memory, which no other GPU can map.
 * Returns the GPU that can use the buffer, or NULL.
 */
static struct gpu *prove_home(struct linux_dmabuf *dmabuf, struct gpu *home,
	const struct dmabuf *planes, const char *exporter)
{
	int n;
	struct gpu *nvidia = gpu_list_find_nvidia(dmabuf->server->gpus, &n);
	bool common = !exporter || strcmp(exporter, "drm") == 0;
	if (n == 0 || !common || planes->modifier != DRM_FORMAT_MOD_LINEAR ||
		(home && gpu_is_nvidia(home))) {
		return home;
	}
	if (!home) {
		/* Several GPUs remain, and the driver of NVIDIA is the one that fails softly. */
		return exporter ? nvidia : NULL;
	}
	if (!dmabuf->prover) {
		dmabuf->prover = copy_prover_create();
	}
	if (copy_prover_test(dmabuf->prover, home, planes) != -ENOMEM) {
		return home;
	}
	log_debug(LOG_GPU, "%s cannot map a linear dma-buf of %dx%d: it belongs to an NVIDIA GPU",
		home->bus_id, planes->width, planes->height);
	return nvidia;
}

/**
 * Switches the client to the GPU chosen by the current rules, on which it has started to render.
 */
static void follow(struct linux_dmabuf *dmabuf, struct client *client)
{
	log_debug(LOG_GPU, "client %d switched to %s", (int)client->pid, client->next_gpu->bus_id);
	client->gpu = client->next_gpu;
	signal_emit(&dmabuf->protocols->events.client_gpu, client);
}

struct buffer *dmabuf_import(struct linux_dmabuf *dmabuf, struct client *client,
	struct gpu *sampling, struct dmabuf *planes)
{
	struct server *server = dmabuf->server;
	struct renderer *renderer = server->device->renderer;
	char name[DMABUF_EXPORTER_SIZE];
	const char *exporter = dmabuf_read_exporter(planes->fd[0], name) ? name : NULL;
	struct gpu *home = find_home(dmabuf, client, sampling, planes, exporter);
	home = prove_home(dmabuf, home, planes, exporter);
	bool elsewhere = home && home != server_display_gpu(server);
	/* Unknown home GPU: importing the memory on any GPU might migrate it. */
	bool unknown = !home && client->gpu && planes->modifier != DRM_FORMAT_MOD_LINEAR;
	/* The client falls back to shared memory, which is uploaded. */
	unknown |= !home && exporter && !gpu_samples_exporter(server_display_gpu(server), exporter);
	/*
	 * Test the import only on the buffer's own GPU; on another home GPU, the copy engine that
	 * reads the buffer imports it first.
	 */
	if (!renderer || unknown ||
		(!elsewhere && !renderer->impl->test_import(renderer, planes))) {
		log_debug(LOG_PROTOCOL, "cannot import a dma-buf of %dx%d", planes->width,
			planes->height);
		return NULL;
	}
	if (home && home == client->next_gpu && home != client->gpu) {
		follow(dmabuf, client);
	}
	return dmabuf_buffer_create(planes, home);
}
