#pragma once

/**
 * EGL for tests/bench/frames where a GPU has no DRM node, and so no dma-bufs: libEGL's entry points as
 * the renderer calls them, on a device of EGL. Memory that it imports becomes a texture of that size in the
 * GPU's own memory, which is what a swapchain's buffers are; a fence is one of EGL.
 */

/** Waits on the CPU until the device has done what the last fence stands for. */
void device_wait(void);
