#pragma once

/**
 * Allocators of the compositor's own buffers, and the swapchain built on them.
 */

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
 * Memory files. The buffers allow CPU access and describe themselves as linear dma-bufs, which is
 * what a surfaceless EGL imports and draws to.
 */
struct allocator *memory_allocator_create(void);
/** GBM buffers on an open GPU, fit for rendering, and for scan-out if `scanout`. */
struct allocator *gbm_allocator_create(struct gpu *gpu, bool scanout);
/**
 * Dumb buffers, which every KMS device has: linear, for scan-out, drawn by the CPU. Takes over `drm_fd`, a
 * descriptor of the primary node that nobody else uses (gpu_clone_fd()), since handles of buffers are
 * the descriptor's.
 *
 * Where the driver says that reading its memory is slow (a discrete GPU's, or write-combined), access
 * is to a shadow in system memory, and end_access() writes what changed (buffer_will_write()) through to
 * the buffer, in order and never reading it.
 */
struct allocator *dumb_allocator_create(int drm_fd);
void allocator_destroy(struct allocator *allocator);
/** A memory file buffer without an allocator, for cursors and captures. */
struct buffer *memory_buffer_create(int32_t width, int32_t height, uint32_t format);

#define SWAPCHAIN_LENGTH 4

struct swapchain_slot {
	struct buffer *buffer; /* NULL until first needed */
	int age;
	bool acquired; /* until the last lock goes */
	struct wl_listener release;
};

/**
 * Buffers of one size and format that are drawn in turn. Each knows its age: how many frames ago
 * its content was shown (1: the previous frame's, 0: undefined).
 */
struct swapchain {
	struct allocator *allocator;
	int32_t width, height;
	struct format_modifiers format; /* owned */
	struct swapchain_slot slots[SWAPCHAIN_LENGTH];
	int n_made; /* buffers that were allocated so far */
};

/** `format` is copied. Allocates nothing yet. */
struct swapchain *swapchain_create(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format);
void swapchain_destroy(struct swapchain *swapchain);
/**
 * A locked buffer that nobody reads (the youngest such), and its age. NULL if all are in use or
 * allocation fails (errno: EBUSY or the allocator's). Its age counts as 0 from then on, until it is
 * submitted.
 */
struct buffer *swapchain_acquire(struct swapchain *swapchain, int *age);
/**
 * The buffer was submitted to be shown: it becomes age 1, the others grow older. NULL: a frame was
 * shown that is none of the swapchain's.
 */
void swapchain_submitted(struct swapchain *swapchain, struct buffer *buffer);
/** Whatever they hold is wrong now (lost context): all ages become 0. */
void swapchain_invalidate(struct swapchain *swapchain);
