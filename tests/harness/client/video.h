/* SPDX-License-Identifier: MIT */
#pragma once

/** Video of clients: buffers of any format, with padded rows. */

#include "harness/peer.h"
#include "util/box.h"

struct zwp_linux_dmabuf_v1;

struct video {
	struct wl_buffer *buffer;
	uint32_t format; /* DRM fourcc */
	int32_t width, height, stride;
	uint8_t *memory;
	size_t size; /* bytes */
	bool busy; /* since it was attached, until it is released */
};

/** Creates a buffer of zeros, in a pool of its own. */
struct video *video_create(struct peer *peer, uint32_t format, int32_t width, int32_t height);
/** Creates a linear dma-buf of zeros, in a memory file. */
struct video *video_create_dmabuf(
	struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format, int32_t width, int32_t height);
/** Destroys the wl_buffer, if the peer lives, and the memory. */
void video_destroy(struct video *video);
/** Sets all bytes to pseudo-random ones; the same for each seed. */
void video_fill(struct video *video, uint32_t seed);
/** Sets all pixels of NV12 or YUYV to one colour. */
void video_set_color(struct video *video, uint8_t y, uint8_t u, uint8_t v);
/** Attaches the buffer and damages a box, without a commit. */
void video_attach(struct video *video, struct wl_surface *surface, const struct box *damage);
/** Attaches the buffer, damages all of it and commits. */
void video_show(struct video *video, struct wl_surface *surface);
