/* SPDX-License-Identifier: MIT */
#pragma once

/** Single-colour buffers of 1x1 pixels (wp_single_pixel_buffer). */

#include "buffer/buffer.h"

/** Creates a buffer. Channels are premultiplied, full range of 32 bits. */
struct buffer *color_buffer_create(uint32_t r, uint32_t g, uint32_t b, uint32_t a);
