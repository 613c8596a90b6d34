/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * EGL for tests/bench/frames on GPUs without a DRM node, and so without dma-bufs: the entry points
 * of libEGL that the renderer calls, on an EGL device. Imported memory becomes a texture of the
 * same size in the GPU's own memory, like the buffers of a swapchain; fences are those of GL.
 */

/** Waits on the CPU until the last fence has signalled. */
void device_wait(void);
