#pragma once

/** Inside of the pixman renderer. */

#include "render/renderer.h"
#include <pixman.h>

/**
 * Memory as pixman sees it, with its images kept from draw to draw: of the whole picture, and of
 * the part that was last sampled.
 */
struct picture {
	uint32_t format; /* DRM fourcc */
	int32_t width, height;
	uint8_t *data;
	size_t stride;
	pixman_image_t *image; /* NULL: none made yet */
	pixman_image_t *part;
	struct box part_box;
};

/** Describes the memory; images of other memory are let go. False if pixman cannot take it. */
bool picture_set(struct picture *picture, uint32_t format, int32_t width, int32_t height,
	void *data, size_t stride);
void picture_finish(struct picture *picture);
/** An image of the box, which lies inside; borrowed until the next call. NULL: out of memory. */
pixman_image_t *picture_part(struct picture *picture, const struct box *box);

/** Only one at a time: a pass is begun and submitted within one call of whoever draws. */
struct pixman_pass {
	struct render_pass base; /* target NULL: none is under way */
	pixman_image_t *image;
};

struct pixman_renderer {
	struct renderer base;
	struct pixman_pass pass;
	struct wl_list buffer_pictures; /* buffer_picture.link */
	/** The solid images used last. */
	struct solid {
		pixman_image_t *image;
		pixman_color_t color;
	} alpha, fill;
};

/** A buffer's picture, kept on the buffer. */
struct buffer_picture {
	struct addon addon;
	struct wl_list link;
	struct picture picture;
};

struct picture *pixman_renderer_picture(struct pixman_renderer *renderer, struct buffer *buffer);

struct pixman_texture {
	struct texture base;
	enum {
		PIXMAN_TEXTURE_BUFFER, /* reads the buffer's memory */
		PIXMAN_TEXTURE_COPY, /* of memory that is not aligned as pixman wants it */
		PIXMAN_TEXTURE_COLOR,
	} kind;
	uint32_t format;
	struct buffer *buffer; /* of BUFFER; NULL once it is destroyed */
	struct wl_listener buffer_destroy;
	struct picture copy; /* owns its data */
	float color[4];
};

bool pixman_texture_update(struct renderer *base, struct texture **texture, struct buffer *buffer,
	const pixman_region32_t *damage, bool *holds);
void pixman_texture_destroy(struct texture *base);

struct render_pass *pixman_pass_begin(struct renderer *base, struct buffer *target, int fence);
void pixman_pass_add_texture(
	struct render_pass *base, const struct render_texture_options *options);
void pixman_pass_add_rect(struct render_pass *base, const struct render_rect_options *options);
bool pixman_pass_submit(struct render_pass *base, int *fence);

/** 0 if pixman has no such format. */
pixman_format_code_t pixman_format_from_drm(uint32_t format);
const uint32_t *pixman_drm_formats(size_t *n);
