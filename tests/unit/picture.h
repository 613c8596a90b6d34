#pragma once

/** Pictures, the renderers that draw them, and how they are compared. */

#include "unit.h"

#include "buffer/buffer.h"
#include "render/render.h"

#define TARGET_WIDTH 97
#define TARGET_HEIGHT 61

struct rgba {
	double v[4];
};

/** A buffer in a memory file that counts its accesses. */
struct picture {
	struct buffer base;
	int fd;
	uint8_t *memory, *data;
	size_t stride, size;
	struct dmabuf dmabuf;
	bool described; /* as a dma-buf */
	bool is_color;
	float color[4];
	int open, accesses;
};

/** Rows are `extra` bytes longer than needed and the first one starts `extra` bytes in. */
struct picture *picture_create(
	int32_t width, int32_t height, uint32_t format, bool described, size_t extra);
void write_pixel(struct picture *picture, int x, int y, const struct rgba *color);
struct rgba read_pixel(const struct picture *picture, int x, int y);
void fill_picture(struct picture *picture, const struct rgba *color);
/** Noise of full contrast, premultiplied. */
void fill_noise(struct picture *picture);
/** A target filled with the backdrop. */
struct picture *create_target(uint32_t format);
extern const struct rgba backdrop;

/** The renderers under test: pixman, GLES. */
struct fixture {
	struct wl_event_loop *loop;
	struct renderer *renderers[2];
};

int renderers_setup(void **state);
int renderers_teardown(void **state);

/** All of a target, or many small pieces of it. */
void init_clip(pixman_region32_t *clip, bool pieces);
void add_rect(struct render_pass *pass, const struct box *box, const struct rgba *color,
	const pixman_region32_t *clip, bool overwrite);
/** A pass with the whole texture at the target's origin, 1:1. */
void draw_whole(struct renderer *renderer, struct picture *target, struct texture *texture,
	const pixman_region32_t *clip);
void submit(struct render_pass *pass);

/** Fails with the place of the greatest difference if it exceeds the tolerance, in 1/255. */
void assert_pictures(const char *scene, const char *who, const struct picture *actual,
	const struct picture *expected, double tolerance);
void assert_pixel(const struct picture *picture, int x, int y, const struct rgba *expected);
/** Since `before`, the renderer counted just this. */
void assert_stats(const struct renderer *renderer, const struct render_stats *before,
	const struct render_stats *added);
