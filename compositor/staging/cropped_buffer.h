/* SPDX-License-Identifier: MIT */
#pragma once

/** Cropped buffers: a view of a wider buffer, whose padding aligns the rows. */

#include "buffer/buffer.h"

/**
 * Stores a view of the first `width` columns, which owns `wide`. Returns 0 or -errno, after
 * dropping `wide`.
 */
int cropped_buffer_create(struct buffer *wide, int32_t width, struct buffer **out);
