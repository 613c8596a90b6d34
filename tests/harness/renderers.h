/* SPDX-License-Identifier: MIT */
#pragma once

/** Both renderers, buffers of any format, and comparison of pixels. */

#include "harness/unit.h"

#include "buffer/buffer.h"
#include "render/render.h"

#define TARGET_WIDTH 97
#define TARGET_HEIGHT 61

struct rgba {
	double v[4];
};

/** A buffer in a memory file, which counts accesses to it. */
struct test_image {
	struct buffer base;
	int fd;
	uint8_t *memory, *data;
	size_t stride, size;
	struct dmabuf dmabuf;
	bool described; /* has a dma-buf description */
	bool is_color;
	float color[4];
	int open, accesses;
};

/** Creates a buffer whose rows are padded by `extra` bytes and whose first row starts at `extra`
 * bytes. `described`: with a dma-buf description. */
struct test_image *test_image_create(
	int32_t width, int32_t height, uint32_t format, bool described, size_t extra);
void write_pixel(struct test_image *image, int x, int y, const struct rgba *color);
struct rgba read_pixel(const struct test_image *image, int x, int y);
void fill_image(struct test_image *image, const struct rgba *color);
/** Fills the buffer with premultiplied noise of full contrast. */
void fill_noise(struct test_image *image);
/** Creates a render target, filled with the backdrop. */
struct test_image *create_target(uint32_t format);
extern const struct rgba backdrop;

/** The renderers under test: pixman and GLES. */
struct renderer_fixture {
	struct wl_event_loop *loop;
	struct renderer *renderers[2];
};

int renderers_setup(void **state);
int renderers_teardown(void **state);

/** Initializes a clip region: the whole target, or many small pieces of it. */
void init_clip(pixman_region32_t *clip, bool pieces);
void add_rect(struct render_pass *pass, const struct box *box, const struct rgba *color,
	const pixman_region32_t *clip, bool overwrite);
/** Draws a pass with the whole texture at the target's origin, unscaled. */
void draw_whole(struct renderer *renderer, struct test_image *target, struct texture *texture,
	const pixman_region32_t *clip);
void submit(struct render_pass *pass);

/**
 * Fails if a channel differs by more than the tolerance (in 1/255); reports the largest difference.
 */
void assert_images(const char *scene, const char *who, const struct test_image *actual,
	const struct test_image *expected, double tolerance);
void assert_pixel(const struct test_image *image, int x, int y, const struct rgba *expected);
/** Fails unless the renderer counted exactly `added` since `before`. */
void assert_stats(const struct renderer *renderer, const struct render_stats *before,
	const struct render_stats *added);
