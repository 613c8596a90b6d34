/* SPDX-License-Identifier: MIT */
#pragma once

/** Buffers of a single colour: of 1x1 pixels (wp_single_pixel_buffer), and placeholders. */

#include "buffer/buffer.h"

/** Creates a buffer. Channels are premultiplied, full range of 32 bits. */
struct buffer *color_buffer_create(uint32_t r, uint32_t g, uint32_t b, uint32_t a);
/** Creates a transparent placeholder for a client's buffer that cannot be imported. */
struct buffer *color_buffer_create_placeholder(int32_t width, int32_t height);
