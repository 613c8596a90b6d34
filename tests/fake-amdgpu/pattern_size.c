/* SPDX-License-Identifier: MIT */
/* Small images for the verification of copies, whose allocations the linker replaces. */

#include "pattern_size.h"
#include "copy/pattern.h"
#include "staging/system_memory.h"
#include <stdatomic.h>

#define SIDE 128 /* pixels: a block of 64 KiB */
#define FORMAT DRM_FORMAT_XRGB8888

static atomic_bool is_small;

int __real_pattern_allocate(
	enum pattern_memory kind, struct copy_engine *engine, struct gpu *gpu, struct dmabuf *out);
int __wrap_pattern_allocate(
	enum pattern_memory kind, struct copy_engine *engine, struct gpu *gpu, struct dmabuf *out);
int __real_system_memory_allocate(
	int32_t width, int32_t height, uint32_t format, uint32_t alignment, struct buffer **out);
int __wrap_system_memory_allocate(
	int32_t width, int32_t height, uint32_t format, uint32_t alignment, struct buffer **out);

void pattern_size_set(bool small)
{
	atomic_store(&is_small, small);
}

int __wrap_pattern_allocate(
	enum pattern_memory kind, struct copy_engine *engine, struct gpu *gpu, struct dmabuf *out)
{
	return kind == PATTERN_ENGINE && engine->impl->allocate && atomic_load(&is_small)
		       ? engine->impl->allocate(engine, SIDE, SIDE, FORMAT, PATTERN_ALIGNMENT, out)
		       : __real_pattern_allocate(kind, engine, gpu, out);
}

int __wrap_system_memory_allocate(
	int32_t width, int32_t height, uint32_t format, uint32_t alignment, struct buffer **out)
{
	const bool shrinks =
		width == PATTERN_WIDTH && height == PATTERN_HEIGHT && atomic_load(&is_small);
	return __real_system_memory_allocate(
		shrinks ? SIDE : width, shrinks ? SIDE : height, format, alignment, out);
}
