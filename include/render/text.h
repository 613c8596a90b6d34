#pragma once

/**
 * Text drawing: UTF-8 in, a pixman image out. Fonts are searched and read on a thread, so that no frame waits for a
 * disk; the library that does it is loaded by the first request.
 */

#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct text;
struct text_request;

struct text_style {
	int size; /* pixels of the em square */
	int max_width; /* pixels; longer lines break between words */
	int max_lines; /* an ellipsis stands for the rest */
	uint32_t color; /* 0xRRGGBB */
};

/** Costs nothing until the first request. */
struct text *text_create(struct wl_event_loop *loop);
/** Waits for the thread. Requests end without an answer. NULL is legal. */
void text_destroy(struct text *text);
/** A request has not been answered yet. */
bool text_is_busy(const struct text *text);
/**
 * Draws `string`, which may have newlines, and calls `done` from the loop: `image` is a premultiplied a8r8g8b8 image as
 * large as the text, which the callee owns, or NULL if there is no font. Returns NULL if this build draws no text.
 */
struct text_request *text_draw(struct text *text, const struct text_style *style,
	const char *string, void (*done)(void *data, pixman_image_t *image), void *data);
/** Ends a request that has not been answered. NULL is legal. */
void text_cancel(struct text_request *request);
