/* SPDX-License-Identifier: MIT */
#pragma once

/** Image buffers: pixels in private memory, for the compositor's text and buttons. */

#include <pixman.h>

struct buffer;

/**
 * Creates a buffer of the image's pixels, which must be premultiplied a8r8g8b8. Takes ownership of
 * the image.
 */
struct buffer *image_buffer_create(pixman_image_t *image);
/** As above, of an image whose pixels are opaque. */
struct buffer *image_buffer_create_opaque(pixman_image_t *image);
