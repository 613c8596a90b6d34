#pragma once

/** A 1x1 buffer that is just a colour (wp_single_pixel_buffer). */

#include "buffer/buffer.h"

/** Channels are premultiplied, full range of 32 bits. */
struct buffer *color_buffer_create(uint32_t r, uint32_t g, uint32_t b, uint32_t a);
