/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Text drawing: draws UTF-8 strings into pixman images. A thread finds and reads fonts, so that no
 * frame waits for a disk. The first request loads the font library, fcft.
 */

#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct text;
struct text_request;

struct text_style {
	const char *font; /* a name or pattern of fontconfig; NULL: sans-serif */
	int size; /* pixels of the em square */
	int max_width; /* pixels; longer lines break between words, a title ends with an ellipsis */
	int max_lines; /* at most 64; longer text ends with an ellipsis */
	uint32_t color; /* 0xRRGGBB */
	/**
	 * One line without breaks, shaped as a whole, with right-to-left text in its visual order.
	 * At most TEXT_TITLE_MAX characters are drawn. `max_lines` is ignored.
	 */
	bool title;
};

#define TEXT_TITLE_MAX 400

/** Returns whether this build draws text. */
bool text_is_built(void);
/** Creates a text drawer. The first request starts the thread and loads the library. */
struct text *text_create(struct wl_event_loop *loop);
/** Waits for the thread, and frees all requests without a call of `done`. Accepts NULL. */
void text_destroy(struct text *text);
/** Returns whether a request is in progress. Accepts NULL. */
bool text_is_busy(const struct text *text);
/**
 * Draws `string`, which may have newlines, and calls `done` from the event loop. `image` is a
 * premultiplied a8r8g8b8 image of the size of the text, owned by the callee; NULL on failure, for
 * example without a font. Returns the request, valid until `done`; NULL, without a call of `done`,
 * if this build draws no text or the thread cannot be started.
 */
struct text_request *text_draw(struct text *text, const struct text_style *style,
	const char *string, void (*done)(void *data, pixman_image_t *image), void *data);
/** Cancels a request before its call of `done`. Accepts NULL. */
void text_cancel(struct text_request *request);
