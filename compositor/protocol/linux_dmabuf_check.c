/*
 * What a client says of its dma-bufs, checked: whether planes lie within their files, where their
 * memory lives, and whether that GPU takes them.
 */

#include "buffer/dmabuf_buffer.h"
#include "gpu/home.h"
#include "linux_dmabuf.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <unistd.h>

/* No renderer takes more, whatever a sparse file may hold. */
#define SIDE_MAX 65536

/* Layouts that drivers compress may have planes more than their format: only the driver knows. */
bool dmabuf_has_plain_layout(const struct dmabuf *dmabuf)
{
	return dmabuf->modifier == DRM_FORMAT_MOD_LINEAR ||
	       dmabuf->modifier == DRM_FORMAT_MOD_INVALID;
}

/* In 64 bits, as everything here: nothing that a client sends overflows. */
static int64_t divide_up(int64_t value, int64_t by)
{
	return by > 1 ? (value + by - 1) / by : value;
}

/* Bytes from the plane's offset on that it needs at least. */
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
		/* Packed formats with shared chroma hold whole groups of pixels. */
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
			*usable = false; /* no dma-buf at all */
			return NULL;
		}
		/* Strides and offsets of 32 bits are all that drivers compute with. */
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
 * The GPU that made it: the one that its client was told, unless the kernel knows better. A client that
 * follows a change of the rules shows it by this.
 */
static struct gpu *find_home(struct linux_dmabuf *dmabuf, const struct client *client,
	struct gpu *sampling, const struct dmabuf *planes)
{
	char name[DMABUF_EXPORTER_SIZE];
	const char *exporter = dmabuf_read_exporter(planes->fd[0], name) ? name : NULL;
	struct gpu *told = sampling ? sampling : client->gpu;
	if (!sampling && client->next_gpu && client->next_gpu != told &&
		!format_set_has(&dmabuf_device_get(dmabuf, told)->formats, planes->format,
			planes->modifier)) {
		told = client->next_gpu; /* such layouts only that one was told to have */
	}
	return gpu_find_home(&dmabuf->server->gpus, told, exporter);
}

/** It renders on the GPU that the rules give it since it connected, so it has that from now on. */
static void follow(struct linux_dmabuf *dmabuf, struct client *client)
{
	log_debug(LOG_GPU, "client %d went over to %s", (int)client->pid, client->next_gpu->bus_id);
	client->gpu = client->next_gpu;
	signal_emit(&dmabuf->protocols->events.client_gpu, client);
}

struct buffer *dmabuf_import(struct linux_dmabuf *dmabuf, struct client *client,
	struct gpu *sampling, struct dmabuf *planes)
{
	struct server *server = dmabuf->server;
	struct renderer *renderer = server->device.renderer;
	struct gpu *home = find_home(dmabuf, client, sampling, planes);
	bool elsewhere = home && home != server_display_gpu(server);
	/* Memory of a GPU that cannot be told: importing it anywhere might move it. */
	bool unknown = !home && client->gpu && planes->modifier != DRM_FORMAT_MOD_LINEAR;
	/* On no GPU but its own; there, whoever copies from it imports it first. */
	if (!renderer || unknown ||
		(!elsewhere && !renderer->impl->test_import(renderer, planes))) {
		log_debug(LOG_PROTOCOL, "a dma-buf of %dx%d does not import", planes->width,
			planes->height);
		return NULL;
	}
	if (home && home == client->next_gpu && home != client->gpu) {
		follow(dmabuf, client);
	}
	return dmabuf_buffer_create(planes, home);
}
