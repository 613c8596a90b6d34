/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Home of a dma-buf: the GPU that owns its memory, found without importing or mapping it, since
 * that alone could move it.
 */

#include <stdbool.h>

struct gpu;
struct gpu_list;

#define DMABUF_EXPORTER_SIZE 32

/**
 * Reads the exporter from /proc/self/fdinfo (exp_name): a driver's module, "drm" for drivers that
 * use the kernel's common code, or an allocator of system memory such as "udmabuf". Returns false
 * if it cannot be read, or `fd` is not a dma-buf.
 */
bool dmabuf_read_exporter(int fd, char name[static DMABUF_EXPORTER_SIZE]);
/**
 * Returns the home of a client's dma-buf. `told`: the GPU that the client was told to render on, or
 * NULL. `exporter` NULL: unknown. Returns NULL for memory of no GPU, or of one of several GPUs of a
 * driver.
 */
struct gpu *gpu_find_home(const struct gpu_list *list, struct gpu *told, const char *exporter);
/** Returns a GPU of NVIDIA's own driver, or NULL, and the number of them. */
struct gpu *gpu_list_find_nvidia(const struct gpu_list *list, int *n);
