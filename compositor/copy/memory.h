#pragma once

/** Pictures in system memory that a copy engine has allocated and the CPU reads. */

#include "buffer/buffer.h"

/** Takes the description over. NULL with errno if it cannot be mapped. */
struct buffer *copy_memory_create(struct dmabuf *dmabuf);
