/* SPDX-License-Identifier: MIT */
#pragma once

/** Allocators of the compositor's own buffers, and the swapchain built on them. */

#include "buffer/buffer.h"
#include "gpu/format.h"

struct allocator;
struct gpu;

struct allocator_impl {
	/** Mandatory. NULL with errno set on failure. */
	struct buffer *(*create_buffer)(struct allocator *allocator, int32_t width, int32_t height,
		const struct format_modifiers *format);
	/** Mandatory. */
	void (*destroy)(struct allocator *allocator);
};

struct allocator {
	const struct allocator_impl *impl;
};

/**
 * Creates an allocator of memory files. Its buffers allow CPU access and describe themselves as
 * linear dma-bufs, which a surfaceless EGL can import and draw to.
 */
struct allocator *memory_allocator_create(void);
/**
 * Creates an allocator of GBM buffers on an open GPU, for rendering, and for scan-out if `scanout`.
 */
struct allocator *gbm_allocator_create(struct gpu *gpu, bool scanout);
/**
 * Creates an allocator of dumb buffers, which every KMS device supports: linear, for scan-out,
 * drawn by the CPU. Owns `drm_fd`, a descriptor of the primary node for its use only
 * (gpu_clone_fd()), since buffer handles belong to the descriptor.
 *
 * If the driver reports slow reads (a discrete GPU's memory, or write-combined), CPU access uses a
 * shadow in system memory, and end_access() copies changes (buffer_will_write()) to the buffer, in
 * ascending order, without reading it.
 */
struct allocator *dumb_allocator_create(int drm_fd);
void allocator_destroy(struct allocator *allocator);
/** Creates a memory file buffer without an allocator, for cursors and captures. */
struct buffer *memory_buffer_create(int32_t width, int32_t height, uint32_t format);

#define SWAPCHAIN_LENGTH 4

struct swapchain_slot {
	struct buffer *buffer; /* NULL until first needed */
	int age;
	bool acquired; /* until the last unlock */
	struct wl_listener release;
};

/**
 * Swapchain: buffers of one size and format, drawn in turn. Each has an age: the number of frames
 * since its content was shown (1: the previous frame's, 0: undefined).
 */
struct swapchain {
	struct allocator *allocator;
	int32_t width, height;
	struct format_modifiers format; /* owned */
	struct swapchain_slot slots[SWAPCHAIN_LENGTH];
	int n_made; /* buffers allocated so far */
};

/** Creates a swapchain and copies `format`. Allocates no buffers yet. */
struct swapchain *swapchain_create(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format);
void swapchain_destroy(struct swapchain *swapchain);
/**
 * Returns the youngest buffer without readers, locked, and its age. Returns NULL with errno if all
 * are in use (EBUSY) or allocation failed. Its age counts as 0 until it is submitted.
 */
struct buffer *swapchain_acquire(struct swapchain *swapchain, int *age);
/**
 * Declares the buffer as shown: its age becomes 1, the others grow older. NULL: a frame was shown
 * from another buffer.
 */
void swapchain_submitted(struct swapchain *swapchain, struct buffer *buffer);
