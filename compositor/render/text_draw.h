/* SPDX-License-Identifier: MIT */
#pragma once

/** Drawing of text with the font library, for one thread at a time. Reads files: it may block. */

#include "render/text.h"

struct text_library;

/** Opens the font library. Logs a failure, after which text_library_draw() returns NULL. */
struct text_library *text_library_open(void);
void text_library_close(struct text_library *library);
/** Draws `string`. Returns a premultiplied a8r8g8b8 image, or NULL for empty text or on failure. */
pixman_image_t *text_library_draw(
	struct text_library *library, const struct text_style *style, const char *string);
