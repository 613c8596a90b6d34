/* SPDX-License-Identifier: MIT */
/* Shared memory as dma-bufs: one per shm buffer, created on first use. */

#include "buffer/udmabuf.h"
#include "buffer/dmabuf_buffer.h"
#include "buffer/shm.h"
#include "gpu/format.h"
#include "util/error.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICE "/dev/udmabuf"
/* The driver's limit and its default, MiB. */
#define LIMIT "/sys/module/udmabuf/parameters/size_limit_mb"
#define LIMIT_DEFAULT 64

struct udmabuf {
	struct addon addon; /* on the shm buffer; no owner */
	struct buffer *shm;
	struct buffer *dmabuf; /* NULL: refused */
	int error; /* errno of that */
	bool used; /* `shm` is locked for it */
	struct wl_listener release;
};

static void handle_shm_destroy(struct addon *addon)
{
	struct udmabuf *udmabuf = wl_container_of(addon, udmabuf, addon);
	addon_finish(&udmabuf->addon);
	wl_list_remove(&udmabuf->release.link);
	buffer_drop(udmabuf->dmabuf);
	free(udmabuf);
}

static const struct addon_impl addon_impl = {.name = "udmabuf", .destroy = handle_shm_destroy};

static void handle_release(struct wl_listener *listener, void *data)
{
	struct udmabuf *udmabuf = wl_container_of(listener, udmabuf, release);
	udmabuf->used = false;
	buffer_unlock(udmabuf->shm);
}

/* The whole pages around the buffer. */
struct pages {
	int fd;
	uint64_t offset, size; /* bytes */
	uint32_t first; /* offset of the buffer in them */
	uint32_t stride;
};

static bool find_pages(struct buffer *shm, struct pages *pages)
{
	const struct pixel_format *format = pixel_format_get(shm->format);
	struct stat status;
	int32_t offset, stride;
	int fd = shm_buffer_place(shm, &offset, &stride);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t end = (uint64_t)offset + (uint64_t)stride * (uint64_t)shm->height;
	int seals = fcntl(fd, F_GET_SEALS);
	pages->fd = fd;
	pages->offset = (uint64_t)offset / page * page;
	pages->size = (end + page - 1) / page * page - pages->offset;
	pages->first = (uint32_t)((uint64_t)offset - pages->offset);
	pages->stride = (uint32_t)stride;
	/*
	 * YUV has several planes, and a coding that its surface may change: it is converted on
	 * upload.
	 */
	return format && !format->yuv && format->n_planes == 1 && seals >= 0 &&
	       (seals & F_SEAL_SHRINK) && !(seals & F_SEAL_WRITE) && fstat(fd, &status) == 0 &&
	       (uint64_t)status.st_size >= pages->offset + pages->size;
}

uint64_t udmabuf_max_size(void)
{
	FILE *file = fopen(LIMIT, "re");
	unsigned limit;
	if (!file || fscanf(file, "%u", &limit) != 1) {
		limit = LIMIT_DEFAULT;
	}
	if (file) {
		fclose(file);
	}
	return (uint64_t)limit << 20;
}

/* Reads the limit only for sizes that the default excludes. */
static bool is_too_large(uint64_t size)
{
	return size > (uint64_t)LIMIT_DEFAULT << 20 && size > udmabuf_max_size();
}

bool udmabuf_suits(struct buffer *shm)
{
	struct pages pages;
	return buffer_is_shm(shm) && find_pages(shm, &pages) && !is_too_large(pages.size);
}

int udmabuf_create(int file, uint64_t offset, uint64_t size)
{
	struct udmabuf_create create = {
		.memfd = (uint32_t)file,
		.flags = UDMABUF_FLAGS_CLOEXEC,
		.offset = offset,
		.size = size,
	};
	if (is_too_large(size)) {
		return -EFBIG;
	}
	int device = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0) {
		return -errno;
	}
	int fd = ioctl(device, UDMABUF_CREATE, &create);
	int error = errno;
	close(device);
	return fd < 0 ? -error : fd;
}

/* Returns 0 or -errno. */
static int make(struct udmabuf *udmabuf)
{
	struct buffer *shm = udmabuf->shm;
	struct pages pages;
	if (!find_pages(shm, &pages)) {
		return -EINVAL;
	}
	int fd = udmabuf_create(pages.fd, pages.offset, pages.size);
	if (fd < 0) {
		return fd;
	}
	struct dmabuf dmabuf;
	dmabuf_init_linear(&dmabuf, shm->width, shm->height, shm->format, fd, pages.stride);
	dmabuf.offset[0] = pages.first;
	udmabuf->dmabuf = dmabuf_buffer_create(&dmabuf, NULL);
	if (!udmabuf->dmabuf) {
		return -errno;
	}
	buffer_charge(udmabuf->dmabuf, shm->account);
	signal_add(&udmabuf->dmabuf->events.release, &udmabuf->release, handle_release);
	return 0;
}

static struct udmabuf *get(struct buffer *shm)
{
	struct addon *addon = addon_find(&shm->addons, NULL, &addon_impl);
	struct udmabuf *udmabuf;
	if (addon) {
		return wl_container_of(addon, udmabuf, addon);
	}
	udmabuf = xcalloc(1, sizeof(*udmabuf));
	udmabuf->shm = shm;
	wl_list_init(&udmabuf->release.link);
	addon_init(&udmabuf->addon, &shm->addons, NULL, &addon_impl);
	udmabuf->error = -make(udmabuf);
	if (udmabuf->error) {
		log_debug(LOG_BUFFER, "udmabuf: cannot create a dma-buf of a %dx%d buffer: %s",
			shm->width, shm->height, strerror(udmabuf->error));
	}
	return udmabuf;
}

struct buffer *udmabuf_lock(struct buffer *shm)
{
	struct udmabuf *udmabuf = get(shm);
	if (!udmabuf->dmabuf) {
		int error = udmabuf->error;
		if (error_may_pass(-error)) {
			handle_shm_destroy(&udmabuf->addon);
		}
		errno = error;
		return NULL;
	}
	if (!udmabuf->used) {
		udmabuf->used = true;
		buffer_lock(shm);
	}
	return buffer_lock(udmabuf->dmabuf);
}

void udmabuf_written(struct buffer *buffer)
{
	int fd = buffer_dmabuf(buffer)->fd[0];
	/* The GPU still reads it only if the client did not wait for the release. */
	if (fence_dmabuf_is_ready(fd, true) &&
		fence_dmabuf_access(fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE) == 0) {
		fence_dmabuf_access(fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
	}
}
