/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Raw images: client buffers of any format on the emulated GPU, linear or tiled, with the same
 * pixels in shared memory, whose composition by the CPU is the reference.
 */

#include "gpu/format.h"
#include "util/box.h"
#include "video_memory.h"
#include "world.h"

/** Usual size, that of the output. */
#define RAW_IMAGE_WIDTH 160
#define RAW_IMAGE_HEIGHT 96

struct raw_image {
	struct world *world;
	const struct pixel_format *format;
	uint64_t modifier;
	int32_t width, height;
	struct wl_buffer *buffer;
	struct plane_layout planes[3]; /* on the GPU */
	/* On the GPU. */
	int fd;
	uint8_t *map;
	size_t size; /* bytes */
	/* In shared memory. */
	struct {
		uint8_t *start;
		size_t stride; /* bytes */
	} shared[3];
	struct buffer *reference;
	uint8_t *memory;
	size_t memory_size; /* bytes */
};

/**
 * Creates a buffer in a layout that must be announced to the world's client. DRM_FORMAT_MOD_INVALID
 * is the layout of clients of wl_drm, which creates the buffer: rows that the driver aligns.
 */
void raw_image_init(
	struct raw_image *image, struct world *world, uint32_t format, uint64_t modifier);
/** The same in another size, up to that of the output. */
void raw_image_init_sized(struct raw_image *image, struct world *world, uint32_t format,
	uint64_t modifier, int32_t width, int32_t height);
void raw_image_finish(struct raw_image *image);
/** Returns the bytes of an element of a plane on the GPU. */
uint8_t *raw_image_element(const struct raw_image *image, int plane, uint32_t x, uint32_t y);
/** Draws noise into a box, which consists of whole chroma samples but for the image's edges. */
void raw_image_draw(struct raw_image *image, const struct box *box, uint32_t seed);
/** Commits the image with this damage. */
void raw_image_show(struct raw_image *image, struct peer_window *window, const struct box *box);
/** Creates an opaque window at 0,0 with the image. */
struct peer_window *raw_image_open(struct raw_image *image);
/**
 * Fails the test unless the output shows the image: a channel may differ by `tolerance` (of 255).
 * `frame` is for the message.
 */
void raw_image_check(struct raw_image *image, int tolerance, int frame);
/** The same of a capture of the window. */
void raw_image_check_capture(
	struct raw_image *image, struct peer_window *window, int tolerance, int frame);
/** Returns the difference (in 255ths of a channel) that is allowed to a renderer. */
int raw_image_tolerance(enum renderer_kind renderer);
/**
 * Shows windows with such a buffer, of even and odd size, and checks the output and a capture after
 * updates of all pixels and of parts.
 */
void raw_image_check_updates(
	struct world *world, uint32_t format, uint64_t modifier, int tolerance);
