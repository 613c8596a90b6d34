#pragma once

/**
 * The home of a dma-buf: the GPU whose memory it is, found without importing, mapping or testing it
 * anywhere, since that alone would move it.
 */

#include <stdbool.h>

struct gpu;
struct gpu_list;

#define DMABUF_EXPORTER_SIZE 32

/**
 * Who exported it, as the kernel says in /proc/self/fdinfo (exp_name): a driver's module, "drm" for
 * drivers that leave it to the kernel's common code, or a maker of system memory such as "udmabuf".
 * False if it cannot be read, or `fd` is no dma-buf.
 */
bool dmabuf_read_exporter(int fd, char name[static DMABUF_EXPORTER_SIZE]);
/**
 * The home of what a client made that was told to render on `told` (NULL: on none). `exporter` NULL:
 * unknown. NULL: the memory of no GPU, or of one of several of a driver.
 */
struct gpu *gpu_find_home(const struct gpu_list *list, struct gpu *told, const char *exporter);
