/* SPDX-License-Identifier: MIT */
#pragma once

/** Descriptions of images in dma-bufs: plain data that crosses APIs. */

#include <drm_fourcc.h>
#include <stdbool.h>
#include <stdint.h>

#define DMABUF_PLANES_MAX 4

struct dmabuf {
	int32_t width, height; /* pixels */
	uint32_t format; /* DRM fourcc */
	uint64_t modifier; /* DRM_FORMAT_MOD_INVALID: implicit */
	int n_planes;
	int fd[DMABUF_PLANES_MAX];
	uint32_t offset[DMABUF_PLANES_MAX]; /* bytes */
	uint32_t stride[DMABUF_PLANES_MAX]; /* bytes */
};

/** Initialises with all fds -1 and an invalid modifier. */
void dmabuf_init(struct dmabuf *dmabuf);
/** Describes one linear plane at offset 0. Owns the fd; `stride` in bytes. */
void dmabuf_init_linear(struct dmabuf *dmabuf, int32_t width, int32_t height, uint32_t format,
	int fd, uint32_t stride);
/**
 * Describes a linear image without memory: planes follow each other from multiples of 4096 bytes
 * on, and their rows start at multiples of `alignment`, a power of two up to 4096. Returns its size
 * in bytes, or 0 if the format is unknown or the image is empty or too large.
 */
uint64_t dmabuf_lay_out(
	struct dmabuf *out, int32_t width, int32_t height, uint32_t format, uint32_t alignment);
/**
 * Gives all planes of such a description the memory `fd`, which it owns from then on. Returns
 * -errno on failure, with the description empty and `fd` closed.
 */
int dmabuf_take_memory(struct dmabuf *dmabuf, int fd);
/** Format of images whose memory carries planes of other formats. */
#define DMABUF_CARRIER_FORMAT DRM_FORMAT_XRGB8888
/** Finds the size of an image of that format, for planes whose rows start at multiples of 4. */
void dmabuf_carrier_size(
	const struct dmabuf *planes, uint64_t size, int32_t *width, int32_t *height);
/** Closes the fds. */
void dmabuf_finish(struct dmabuf *dmabuf);
/** Copies the description, duplicating the fds. Returns -errno on failure, with `out` empty. */
int dmabuf_copy(struct dmabuf *out, const struct dmabuf *in);

/** Returns whether two descriptors refer to the same memory. */
bool dmabuf_same_file(int a, int b);
/**
 * Returns whether the size is guaranteed: a dma-buf's always is, a memory file's once it is sealed.
 * Otherwise a client could cause SIGBUS in mappings without a guard.
 */
bool dmabuf_memory_stays(int fd, int64_t size);
