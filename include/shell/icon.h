/* SPDX-License-Identifier: MIT */
#pragma once

/** Icons of windows: a name in the icon theme, and images of several sizes. */

#include "util/signal.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>

struct account;
struct buffer;

/** Maximum number of images of an icon, and their maximum width and height (pixels). */
#define ICON_IMAGES_MAX 16
#define ICON_SIZE_MAX 1024

struct icon_image {
	struct icon *icon;
	struct buffer *buffer; /* locked; square, of shared memory */
	int32_t scale; /* pixels per logical pixel */
	struct wl_listener known; /* of the buffer's memory; the link is empty while not waiting */
};

struct icon {
	int n_refs;
	struct account *account; /* charged; NULL: none */
	char *name; /* NULL: none */
	struct icon_image images[ICON_IMAGES_MAX];
	int n_images;
	struct wl_signal changed; /* the memory of an image became known. data: the icon */
};

/** Creates an icon without name and images, whose memory is charged to `account`. */
struct icon *icon_create(struct account *account);
/** Accept NULL. */
struct icon *icon_ref(struct icon *icon);
void icon_unref(struct icon *icon);
/** Returns true if the icon has neither name nor images; true for NULL. */
bool icon_is_empty(const struct icon *icon);
void icon_set_name(struct icon *icon, const char *name);
/**
 * Adds an image and locks its buffer. Replaces an image of the same size and scale. It is not drawn
 * before its memory is known. Returns its index in `images`, or -1 without effect if the image is
 * too large or there are too many.
 */
int icon_add_image(struct icon *icon, struct buffer *buffer, int32_t scale);
/**
 * Draws the image of the best size at `size` pixels. Returns a premultiplied a8r8g8b8 image, or
 * NULL without an image of a readable format; NULL for no icon.
 */
pixman_image_t *icon_draw(const struct icon *icon, int size);
