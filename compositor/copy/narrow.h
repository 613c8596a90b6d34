#pragma once

/** Buffers that are seen less wide than they were made. */

#include "buffer/buffer.h"

/** Takes the buffer, of which the pixels from `width` on are not seen. NULL with errno: it is gone. */
struct buffer *copy_narrow(struct buffer *wide, int32_t width);
