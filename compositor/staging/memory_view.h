/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Memory views: images in the memory of another buffer. They crop a wider image, whose padding
 * aligns the rows, or put several planes into the memory of an RGB image.
 */

#include "buffer/buffer.h"

/**
 * Stores a buffer with this description, whose descriptors are those of `memory` and are
 * duplicated. The view owns `memory`. Returns 0 or -errno, after dropping `memory`.
 */
int memory_view_create(
	struct buffer *memory, const struct dmabuf *description, struct buffer **out);
