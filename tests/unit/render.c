/*
 * Both renderers draw the same scenes, compared with each other and with a slow reference that
 * computes each pixel from the definitions.
 */

#include "unit.h"

#include "buffer/buffer.h"
#include "render/render.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TARGET_WIDTH 97
#define TARGET_HEIGHT 61

/* From the exact value: pixman's weights have 7 bits, llvmpipe's 8, and blending rounds too. */
#define TOLERANCE 2

struct rgba {
	double v[4];
};

/* A buffer in a memory file that counts its accesses. */
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

static struct picture *get_picture(struct buffer *buffer)
{
	struct picture *picture = wl_container_of(buffer, picture, base);
	return picture;
}

static void picture_destroy(struct buffer *buffer)
{
	struct picture *picture = get_picture(buffer);
	assert_int_equal(picture->open, 0);
	buffer_finish(buffer);
	if (picture->memory) {
		munmap(picture->memory, picture->size);
	}
	dmabuf_finish(&picture->dmabuf);
	fd_close(&picture->fd);
	free(picture);
}

static const struct dmabuf *picture_dmabuf(struct buffer *buffer)
{
	struct picture *picture = get_picture(buffer);
	return picture->described ? &picture->dmabuf : NULL;
}

static int picture_begin(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct picture *picture = get_picture(buffer);
	++picture->open;
	++picture->accesses;
	*data = picture->data;
	*stride = picture->stride;
	return 0;
}

static bool picture_end(struct buffer *buffer)
{
	--get_picture(buffer)->open;
	return true;
}

static bool picture_color(struct buffer *buffer, float rgba[static 4])
{
	struct picture *picture = get_picture(buffer);
	memcpy(rgba, picture->color, sizeof(picture->color));
	return picture->is_color;
}

static const struct buffer_impl picture_impl = {
	.destroy = picture_destroy,
	.dmabuf = picture_dmabuf,
	.begin_access = picture_begin,
	.end_access = picture_end,
	.color = picture_color,
};

/* Rows are `extra` bytes longer than needed and the first one starts `extra` bytes in. */
static struct picture *picture_create(
	int32_t width, int32_t height, uint32_t format, bool described, size_t extra)
{
	struct picture *picture = xcalloc(1, sizeof(*picture));
	buffer_init(&picture->base, &picture_impl, width, height, format);
	int32_t bytes = pixel_format_get(format)->bytes[0];
	picture->stride = (size_t)((width + 3) / 4 * 4 * bytes) + extra;
	picture->size = picture->stride * (size_t)((height + 3) / 4 * 4) + extra;
	picture->fd = fd_create_memory("picture", (off_t)picture->size, true);
	assert_true(picture->fd >= 0);
	picture->memory =
		mmap(NULL, picture->size, PROT_READ | PROT_WRITE, MAP_SHARED, picture->fd, 0);
	assert_true(picture->memory != MAP_FAILED);
	picture->data = picture->memory + extra;
	picture->described = described;
	dmabuf_init(&picture->dmabuf);
	if (described) {
		picture->dmabuf.width = width;
		picture->dmabuf.height = height;
		picture->dmabuf.format = format;
		picture->dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
		picture->dmabuf.n_planes = 1;
		picture->dmabuf.fd[0] = fd_dup(picture->fd);
		picture->dmabuf.offset[0] = (uint32_t)extra;
		picture->dmabuf.stride[0] = (uint32_t)picture->stride;
	}
	return picture;
}

/* Where the channels of a format lie: shift and width of red, green, blue, alpha. */
static const struct layout {
	uint32_t format;
	struct {
		uint8_t shift, bits;
	} channels[4];
} layouts[] = {
	{DRM_FORMAT_ARGB8888, {{16, 8}, {8, 8}, {0, 8}, {24, 8}}},
	{DRM_FORMAT_XRGB8888, {{16, 8}, {8, 8}, {0, 8}, {0, 0}}},
	{DRM_FORMAT_ABGR8888, {{0, 8}, {8, 8}, {16, 8}, {24, 8}}},
	{DRM_FORMAT_XBGR8888, {{0, 8}, {8, 8}, {16, 8}, {0, 0}}},
	{DRM_FORMAT_RGBA8888, {{24, 8}, {16, 8}, {8, 8}, {0, 8}}},
	{DRM_FORMAT_RGBX8888, {{24, 8}, {16, 8}, {8, 8}, {0, 0}}},
	{DRM_FORMAT_BGRA8888, {{8, 8}, {16, 8}, {24, 8}, {0, 8}}},
	{DRM_FORMAT_BGRX8888, {{8, 8}, {16, 8}, {24, 8}, {0, 0}}},
	{DRM_FORMAT_ARGB2101010, {{20, 10}, {10, 10}, {0, 10}, {30, 2}}},
	{DRM_FORMAT_XRGB2101010, {{20, 10}, {10, 10}, {0, 10}, {0, 0}}},
	{DRM_FORMAT_ABGR2101010, {{0, 10}, {10, 10}, {20, 10}, {30, 2}}},
	{DRM_FORMAT_XBGR2101010, {{0, 10}, {10, 10}, {20, 10}, {0, 0}}},
	{DRM_FORMAT_RGB888, {{16, 8}, {8, 8}, {0, 8}, {0, 0}}},
	{DRM_FORMAT_BGR888, {{0, 8}, {8, 8}, {16, 8}, {0, 0}}},
	{DRM_FORMAT_RGB565, {{11, 5}, {5, 6}, {0, 5}, {0, 0}}},
	{DRM_FORMAT_BGR565, {{0, 5}, {5, 6}, {11, 5}, {0, 0}}},
	{DRM_FORMAT_ARGB4444, {{8, 4}, {4, 4}, {0, 4}, {12, 4}}},
	{DRM_FORMAT_XRGB4444, {{8, 4}, {4, 4}, {0, 4}, {0, 0}}},
	{DRM_FORMAT_ABGR4444, {{0, 4}, {4, 4}, {8, 4}, {12, 4}}},
	{DRM_FORMAT_XBGR4444, {{0, 4}, {4, 4}, {8, 4}, {0, 0}}},
	{DRM_FORMAT_RGBA4444, {{12, 4}, {8, 4}, {4, 4}, {0, 4}}},
	{DRM_FORMAT_RGBX4444, {{12, 4}, {8, 4}, {4, 4}, {0, 0}}},
	{DRM_FORMAT_BGRA4444, {{4, 4}, {8, 4}, {12, 4}, {0, 4}}},
	{DRM_FORMAT_BGRX4444, {{4, 4}, {8, 4}, {12, 4}, {0, 0}}},
	{DRM_FORMAT_ARGB1555, {{10, 5}, {5, 5}, {0, 5}, {15, 1}}},
	{DRM_FORMAT_XRGB1555, {{10, 5}, {5, 5}, {0, 5}, {0, 0}}},
	{DRM_FORMAT_ABGR1555, {{0, 5}, {5, 5}, {10, 5}, {15, 1}}},
	{DRM_FORMAT_XBGR1555, {{0, 5}, {5, 5}, {10, 5}, {0, 0}}},
	{DRM_FORMAT_RGBA5551, {{11, 5}, {6, 5}, {1, 5}, {0, 1}}},
	{DRM_FORMAT_RGBX5551, {{11, 5}, {6, 5}, {1, 5}, {0, 0}}},
	{DRM_FORMAT_BGRA5551, {{1, 5}, {6, 5}, {11, 5}, {0, 1}}},
	{DRM_FORMAT_BGRX5551, {{1, 5}, {6, 5}, {11, 5}, {0, 0}}},
	{DRM_FORMAT_ABGR16161616, {{0, 16}, {16, 16}, {32, 16}, {48, 16}}},
	{DRM_FORMAT_XBGR16161616, {{0, 16}, {16, 16}, {32, 16}, {0, 0}}},
	{DRM_FORMAT_ARGB16161616, {{32, 16}, {16, 16}, {0, 16}, {48, 16}}},
	{DRM_FORMAT_XRGB16161616, {{32, 16}, {16, 16}, {0, 16}, {0, 0}}},
	/* Half floats are written and read by half_from() and half_to(). */
	{DRM_FORMAT_ABGR16161616F, {{0, 16}, {16, 16}, {32, 16}, {48, 16}}},
	{DRM_FORMAT_XBGR16161616F, {{0, 16}, {16, 16}, {32, 16}, {0, 0}}},
	{DRM_FORMAT_ARGB16161616F, {{32, 16}, {16, 16}, {0, 16}, {48, 16}}},
	{DRM_FORMAT_XRGB16161616F, {{32, 16}, {16, 16}, {0, 16}, {0, 0}}},
};

static const struct layout *layout_get(uint32_t format)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); ++i) {
		if (layouts[i].format == format) {
			return &layouts[i];
		}
	}
	char name[5];
	fail_msg("format %s is advertised, but not tested", pixel_format_name(format, name));
	return NULL;
}

static bool is_float(uint32_t format)
{
	return format == DRM_FORMAT_ABGR16161616F || format == DRM_FORMAT_XBGR16161616F ||
	       format == DRM_FORMAT_ARGB16161616F || format == DRM_FORMAT_XRGB16161616F;
}

/* For 0 and [2^-14, 1]; cut off, not rounded. */
static uint64_t half_from(double value)
{
	if (value < ldexp(1, -14)) {
		return 0;
	}
	int exponent;
	double mantissa = frexp(value, &exponent); /* [0.5, 1) */
	return (uint64_t)(exponent + 14) << 10 | (uint64_t)((mantissa * 2 - 1) * 1024);
}

static double half_to(uint64_t half)
{
	return half == 0 ? 0 : ldexp(1 + (double)(half & 1023) / 1024, (int)(half >> 10) - 15);
}

static void write_pixel(struct picture *picture, int x, int y, const struct rgba *color)
{
	const struct layout *layout = layout_get(picture->base.format);
	size_t bytes = pixel_format_get(picture->base.format)->bytes[0];
	uint64_t word = 0;
	for (int i = 0; i < 4; ++i) {
		unsigned bits = layout->channels[i].bits;
		double most = (double)((UINT64_C(1) << bits) - 1);
		uint64_t value = is_float(picture->base.format) && bits
					 ? half_from(color->v[i])
					 : (uint64_t)llrint(color->v[i] * most);
		word |= value << layout->channels[i].shift;
	}
	memcpy(picture->data + (size_t)y * picture->stride + (size_t)x * bytes, &word, bytes);
}

static struct rgba read_pixel(const struct picture *picture, int x, int y)
{
	const struct layout *layout = layout_get(picture->base.format);
	size_t bytes = pixel_format_get(picture->base.format)->bytes[0];
	uint64_t word = 0;
	memcpy(&word, picture->data + (size_t)y * picture->stride + (size_t)x * bytes, bytes);
	struct rgba color;
	for (int i = 0; i < 4; ++i) {
		unsigned bits = layout->channels[i].bits;
		uint64_t most = (UINT64_C(1) << bits) - 1;
		uint64_t value = word >> layout->channels[i].shift & most;
		color.v[i] = bits == 0                        ? 1
			     : is_float(picture->base.format) ? half_to(value)
							      : (double)value / (double)most;
	}
	return color;
}

static void fill_picture(struct picture *picture, const struct rgba *color)
{
	for (int y = 0; y < picture->base.height; ++y) {
		for (int x = 0; x < picture->base.width; ++x) {
			write_pixel(picture, x, y, color);
		}
	}
}

/* Noise of full contrast, premultiplied. */
static void fill_noise(struct picture *picture)
{
	unsigned bits = layout_get(picture->base.format)->channels[3].bits;
	int most = bits == 0 ? 0 : bits > 4 ? 15 : (1 << bits) - 1;
	for (int y = 0; y < picture->base.height; ++y) {
		for (int x = 0; x < picture->base.width; ++x) {
			double alpha = most > 0 ? (double)random_between(0, most) / most : 1;
			struct rgba color = {{0, 0, 0, alpha}};
			for (int c = 0; c < 3; ++c) {
				color.v[c] = alpha * random_between(0, 255) / 255;
			}
			write_pixel(picture, x, y, &color);
		}
	}
}

/* The renderers under test, and what they draw to. */
struct fixture {
	struct wl_event_loop *loop;
	struct renderer *renderers[2];
};

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	fixture->loop = wl_event_loop_create();
	fixture->renderers[0] = pixman_renderer_create();
	fixture->renderers[1] = gles_renderer_create(NULL, fixture->loop);
	assert_non_null(fixture->renderers[0]);
	assert_non_null(fixture->renderers[1]);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	renderer_destroy(fixture->renderers[0]);
	renderer_destroy(fixture->renderers[1]);
	renderer_destroy(NULL);
	wl_event_loop_destroy(fixture->loop);
	free(fixture);
	return 0;
}

static const struct rgba backdrop = {{0.2, 0.4, 0.8, 1}};

static struct picture *create_target(uint32_t format)
{
	struct picture *target = picture_create(TARGET_WIDTH, TARGET_HEIGHT, format, true, 0);
	fill_picture(target, &backdrop);
	return target;
}

static void submit(struct render_pass *pass)
{
	int fence = -2;
	assert_true(render_pass_submit(pass, &fence));
	assert_int_equal(fence, -1);
}

/* Draws one texture into the target. */
static void draw_picture(struct renderer *renderer, struct picture *target, struct picture *source,
	const struct render_texture_options *options)
{
	struct render_texture_options draw = *options;
	bool holds;
	draw.texture = NULL;
	assert_true(renderer_texture_update(renderer, &draw.texture, &source->base, NULL, &holds));
	struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
	assert_non_null(pass);
	render_pass_add_texture(pass, &draw);
	submit(pass);
	texture_destroy(draw.texture);
}

/*
 * The reference. A transform flips left and right, if it is one of the flipped ones, and then turns
 * counter-clockwise by quarters: undone in reverse.
 */
static void find_source(enum wl_output_transform transform, double *u, double *v)
{
	for (int quarters = transform & 3; quarters > 0; --quarters) {
		double x = *u;
		*u = 1 - *v;
		*v = x;
	}
	if (transform & WL_OUTPUT_TRANSFORM_FLIPPED) {
		*u = 1 - *u;
	}
}

static int clamp_int(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

static struct rgba sample(const struct picture *source,
	const struct render_texture_options *options, double u, double v)
{
	const struct fbox *src = &options->src;
	int x1 = (int)floor(src->x), y1 = (int)floor(src->y);
	int x2 = (int)ceil(src->x + src->width) - 1, y2 = (int)ceil(src->y + src->height) - 1;
	double x = src->x + u * src->width, y = src->y + v * src->height;
	if (options->filter == RENDER_FILTER_NEAREST) {
		/* On a tie, the texel on the right or below. */
		return read_pixel(source, clamp_int((int)floor(x + 1e-6), x1, x2),
			clamp_int((int)floor(y + 1e-6), y1, y2));
	}
	x -= 0.5;
	y -= 0.5;
	double fx = x - floor(x), fy = y - floor(y);
	struct rgba result = {{0}};
	for (int i = 0; i < 4; ++i) {
		int sx = (int)floor(x) + (i & 1), sy = (int)floor(y) + (i >> 1);
		double weight = (i & 1 ? fx : 1 - fx) * (i >> 1 ? fy : 1 - fy);
		struct rgba texel =
			read_pixel(source, clamp_int(sx, x1, x2), clamp_int(sy, y1, y2));
		for (int c = 0; c < 4; ++c) {
			result.v[c] += weight * texel.v[c];
		}
	}
	return result;
}

static void blend(struct picture *target, int x, int y, struct rgba color, double factor, bool over)
{
	struct rgba below = read_pixel(target, x, y);
	double alpha = color.v[3] * factor;
	for (int c = 0; c < 4; ++c) {
		color.v[c] = color.v[c] * factor + (over ? below.v[c] * (1 - alpha) : 0);
	}
	write_pixel(target, x, y, &color);
}

static void draw_reference(struct picture *target, const struct picture *source,
	const struct render_texture_options *options)
{
	bool over = options->alpha < 1 ||
		    (!options->opaque && pixel_format_get(source->base.format)->has_alpha);
	const struct box *dst = &options->dst;
	for (int y = 0; y < target->base.height; ++y) {
		for (int x = 0; x < target->base.width; ++x) {
			if (!box_contains_point(dst, x, y) ||
				!pixman_region32_contains_point(
					(pixman_region32_t *)options->clip, x, y, NULL)) {
				continue;
			}
			double u = (x + 0.5 - dst->x) / dst->width;
			double v = (y + 0.5 - dst->y) / dst->height;
			find_source(options->transform, &u, &v);
			blend(target, x, y, sample(source, options, u, v), options->alpha, over);
		}
	}
}

static void assert_pictures(const char *scene, const char *who, const struct picture *actual,
	const struct picture *expected, double tolerance)
{
	double worst = 0;
	int worst_x = 0, worst_y = 0;
	for (int y = 0; y < actual->base.height; ++y) {
		for (int x = 0; x < actual->base.width; ++x) {
			struct rgba a = read_pixel(actual, x, y), b = read_pixel(expected, x, y);
			for (int c = 0; c < 4; ++c) {
				double difference = fabs(a.v[c] - b.v[c]) * 255;
				if (difference > worst) {
					worst = difference;
					worst_x = x;
					worst_y = y;
				}
			}
		}
	}
	if (worst > tolerance + 1e-9) {
		fail_msg("%s, %s: off by %g/255 at %d,%d, %g are allowed", scene, who, worst,
			worst_x, worst_y, tolerance);
	}
}

static void init_clip(pixman_region32_t *clip, bool pieces)
{
	pixman_region32_init_rect(clip, 0, 0, TARGET_WIDTH, TARGET_HEIGHT);
	if (!pieces) {
		return;
	}
	pixman_region32_clear(clip);
	for (int y = 0; y < TARGET_HEIGHT + 8; y += 7) {
		for (int x = -4; x < TARGET_WIDTH; x += 9) {
			pixman_region32_union_rect(
				clip, clip, x + y % 3, y, (unsigned)(3 + x % 2), 5);
		}
	}
}

/* One texture over the backdrop. */
struct scene {
	const char *name;
	uint32_t format;
	int32_t width, height;
	struct fbox src; /* empty: all */
	struct box dst;
	double alpha; /* 0: 1 */
	enum render_filter filter;
	bool opaque, pieces, dmabuf;
	int tolerance;
};

#define A DRM_FORMAT_ARGB8888
#define X DRM_FORMAT_XRGB8888
#define NEAREST RENDER_FILTER_NEAREST
#define T TOLERANCE

static const struct scene scenes[] = {
	{"opaque 1:1", X, 40, 40, .dst = {10, 12, 40, 40}},
	{"opaque 1:1 in pieces", X, 40, 40, .dst = {10, 12, 40, 40}, .pieces = true},
	{"1:1 said to be opaque", A, 40, 40, .dst = {3, 4, 40, 40}, .opaque = true},
	{"1:1 beyond the target", X, 80, 80, .dst = {-20, -10, 80, 80}},
	{"1:1 part", X, 40, 40, {5, 6, 20, 22}, {10, 12, 20, 22}},
	{"1:1 dma-buf", X, 40, 40, .dst = {10, 12, 40, 40}, .dmabuf = true},
	{"blended 1:1", A, 40, 40, .dst = {10, 12, 40, 40}, .tolerance = T},
	{"blended 1:1 dma-buf", A, 40, 40, .dst = {10, 12, 40, 40}, .dmabuf = true, .tolerance = T},
	{"blended part in pieces", A, 40, 40, {5, 6, 20, 22}, {10, 12, 20, 22}, .pieces = true,
		.tolerance = T},
	{"alpha", X, 40, 40, .dst = {10, 12, 40, 40}, .alpha = 0.6, .tolerance = T},
	{"alpha of translucent", A, 40, 40, .dst = {10, 12, 40, 40}, .alpha = 0.3, .tolerance = T},
	{"alpha of opaque part", A, 40, 40, .dst = {10, 12, 40, 40}, .alpha = 0.3, .opaque = true,
		.tolerance = T},
	{"twice as large", X, 20, 24, .dst = {10, 6, 40, 48}, .tolerance = T},
	{"five quarters", X, 40, 40, .dst = {10, 6, 50, 50}, .tolerance = T},
	{"odd scale", A, 23, 31, .dst = {1, 2, 89, 57}, .tolerance = T},
	{"odd scale in pieces", A, 23, 31, .dst = {1, 2, 89, 57}, .pieces = true, .tolerance = T},
	{"half", X, 120, 100, .dst = {10, 6, 60, 50}, .tolerance = T},
	{"two thirds", X, 60, 60, .dst = {10, 6, 40, 40}, .tolerance = T},
	{"a third with alpha", A, 120, 120, .dst = {10, 6, 40, 40}, .alpha = 0.5, .tolerance = T},
	{"scaled part", X, 40, 40, {10, 10, 8, 8}, {10, 6, 40, 40}, .tolerance = T},
	{"scaled fractional part", A, 40, 40, {10.5, 7.25, 8.5, 13}, {10, 6, 51, 47},
		.tolerance = T},
	{"moved by half a texel", X, 40, 40, {0.5, 0.5, 30, 30}, {10, 6, 30, 30}, .tolerance = T},
	{"one texel", X, 9, 9, {4, 4, 1, 1}, {10, 6, 50, 47}},
	{"scaled dma-buf", A, 23, 31, .dst = {1, 2, 89, 57}, .dmabuf = true, .tolerance = T},
	{"scaled dma-buf part", A, 23, 31, {3, 4, 7, 9}, {1, 2, 89, 57}, .dmabuf = true,
		.tolerance = T},
	{"nearest, three times as large", X, 20, 18, .dst = {10, 3, 60, 54}, .filter = NEAREST},
	{"nearest, odd scale", X, 23, 31, .dst = {1, 2, 89, 57}, .filter = NEAREST},
	{"nearest, half", X, 120, 100, .dst = {10, 6, 60, 50}, .filter = NEAREST},
	{"nearest part", X, 40, 40, {10, 10, 8, 8}, {10, 6, 40, 40}, .filter = NEAREST},
	{"nearest, blended", A, 20, 18, .dst = {10, 3, 60, 54}, .filter = NEAREST, .tolerance = T},
};

static void set_options(struct render_texture_options *options, const struct scene *scene,
	const pixman_region32_t *clip)
{
	*options = (struct render_texture_options){
		.src = scene->src,
		.dst = scene->dst,
		.alpha = scene->alpha > 0 ? (float)scene->alpha : 1,
		.clip = clip,
		.filter = scene->filter,
		.opaque = scene->opaque,
	};
	if (scene->src.width <= 0) {
		options->src = (struct fbox){0, 0, scene->width, scene->height};
	}
}

/* A scene in all eight orientations. */
static void check_scene(struct fixture *fixture, const struct scene *scene)
{
	pixman_region32_t clip;
	init_clip(&clip, scene->pieces);
	struct picture *source =
		picture_create(scene->width, scene->height, scene->format, scene->dmabuf, 0);
	fill_noise(source);
	for (int transform = 0; transform < 8; ++transform) {
		struct render_texture_options options;
		set_options(&options, scene, &clip);
		options.transform = (enum wl_output_transform)transform;
		if (transform_swaps(options.transform)) {
			options.dst.width = scene->dst.height;
			options.dst.height = scene->dst.width;
		}
		struct picture *expected = create_target(X), *actual[2];
		draw_reference(expected, source, &options);
		char name[100];
		snprintf(name, sizeof(name), "%s, transform %d", scene->name, transform);
		for (int i = 0; i < 2; ++i) {
			actual[i] = create_target(X);
			draw_picture(fixture->renderers[i], actual[i], source, &options);
			assert_pictures(name, fixture->renderers[i]->impl->name, actual[i],
				expected, scene->tolerance);
		}
		/* In noise of full contrast, a few pixels in a thousand are off to both sides. */
		assert_pictures(name, "one beside the other", actual[0], actual[1],
			scene->tolerance > 0 ? scene->tolerance + 1 : 0);
		buffer_drop(&actual[0]->base);
		buffer_drop(&actual[1]->base);
		buffer_drop(&expected->base);
	}
	buffer_drop(&source->base);
	pixman_region32_fini(&clip);
}

static void test_scenes(void **state)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); ++i) {
		check_scene(*state, &scenes[i]);
	}
}

/* Every advertised format of shm buffers and dma-bufs, with rows that end and start anywhere. */
static void check_format(struct renderer *renderer, uint32_t format, bool described, size_t extra)
{
	pixman_region32_t clip;
	init_clip(&clip, false);
	struct picture *source = picture_create(31, 29, format, described, extra);
	fill_noise(source);
	struct render_texture_options options = {
		.src = {0, 0, 31, 29},
		.dst = {4, 5, 31, 29},
		.alpha = 1,
		.clip = &clip,
		.filter = NEAREST,
	};
	struct picture *expected = create_target(X), *actual = create_target(X);
	draw_reference(expected, source, &options);
	draw_picture(renderer, actual, source, &options);
	char name[5], scene[64];
	snprintf(scene, sizeof(scene), "format %s%s, %zu odd bytes",
		pixel_format_name(format, name), described ? " dma-buf" : "", extra);
	assert_pictures(scene, renderer->impl->name, actual, expected, TOLERANCE);
	buffer_drop(&actual->base);
	buffer_drop(&expected->base);
	buffer_drop(&source->base);
	pixman_region32_fini(&clip);
}

static void test_formats(void **state)
{
	struct fixture *fixture = *state;
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		bool found[2] = {false, false};
		for (size_t i = 0; i < renderer->n_shm_formats; ++i) {
			uint32_t format = renderer->shm_formats[i];
			size_t bytes = pixel_format_get(format)->bytes[0];
			check_format(renderer, format, false, 0);
			check_format(renderer, format, false, bytes);
			check_format(renderer, format, false, bytes + 1);
			found[0] |= format == A;
			found[1] |= format == X;
		}
		/* wl_shm promises these two. */
		assert_true(found[0] && found[1]);
		for (size_t i = 0; i < renderer->texture_formats.n_formats; ++i) {
			uint32_t format = renderer->texture_formats.formats[i].format;
			const struct pixel_format *info = pixel_format_get(format);
			assert_non_null(info);
			if (info->n_planes == 1 && !info->yuv && info->has_alpha) {
				check_format(renderer, format, true, 0);
			}
		}
		assert_true(format_set_has(&renderer->target_formats, X, DRM_FORMAT_MOD_LINEAR));
	}
}

static void add_rect(struct render_pass *pass, const struct box *box, const struct rgba *color,
	const pixman_region32_t *clip, bool overwrite)
{
	struct render_rect_options options = {
		.box = *box,
		.color = {(float)color->v[0], (float)color->v[1], (float)color->v[2],
			(float)color->v[3]},
		.clip = clip,
		.overwrite = overwrite,
	};
	render_pass_add_rect(pass, &options);
}

static void test_rects(void **state)
{
	struct fixture *fixture = *state;
	static const struct rgba opaque = {{1, 0.5, 0, 1}}, veil = {{0.2, 0.1, 0.3, 0.4}};
	struct box box = {5, 6, 50, 40}, inner = {20, 20, 10, 10};
	pixman_region32_t clip;
	init_clip(&clip, true);
	struct picture *expected = create_target(A);
	for (int y = 0; y < TARGET_HEIGHT; ++y) {
		for (int x = 0; x < TARGET_WIDTH; ++x) {
			bool inside = pixman_region32_contains_point(&clip, x, y, NULL);
			if (inside && box_contains_point(&box, x, y)) {
				blend(expected, x, y, opaque, 1, false);
				blend(expected, x, y, veil, 1, true);
			}
			if (inside && box_contains_point(&inner, x, y)) {
				blend(expected, x, y, veil, 1, false);
			}
		}
	}
	for (int i = 0; i < 2; ++i) {
		struct picture *actual = create_target(A);
		struct render_pass *pass = renderer_begin(fixture->renderers[i], &actual->base, -1);
		add_rect(pass, &box, &opaque, &clip, false);
		add_rect(pass, &box, &veil, &clip, false);
		add_rect(pass, &inner, &veil, &clip, true);
		submit(pass);
		assert_pictures("rects", fixture->renderers[i]->impl->name, actual, expected, 1);
		buffer_drop(&actual->base);
	}
	buffer_drop(&expected->base);
	pixman_region32_fini(&clip);
}

static void test_color_buffer(void **state)
{
	struct fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	struct picture *source = picture_create(1, 1, A, false, 0);
	source->is_color = true;
	static const struct rgba color = {{0.5, 0.25, 0, 0.5}};
	for (int c = 0; c < 4; ++c) {
		source->color[c] = (float)color.v[c];
	}
	write_pixel(source, 0, 0, &color);
	struct render_texture_options options = {
		.src = {0, 0, 1, 1},
		.dst = {7, 8, 33, 22},
		.transform = WL_OUTPUT_TRANSFORM_90,
		.alpha = 0.5f,
		.clip = &clip,
	};
	struct picture *expected = create_target(X);
	draw_reference(expected, source, &options);
	for (int i = 0; i < 2; ++i) {
		struct picture *actual = create_target(X);
		draw_picture(fixture->renderers[i], actual, source, &options);
		assert_pictures("colour", fixture->renderers[i]->impl->name, actual, expected, 1);
		buffer_drop(&actual->base);
	}
	assert_int_equal(source->accesses, 0);
	buffer_drop(&expected->base);
	buffer_drop(&source->base);
	pixman_region32_fini(&clip);
}

/* Neither what lies beyond the edge nor what was cut off may shine through, at any scale. */
static void test_edges(void **state)
{
	struct fixture *fixture = *state;
	static const struct rgba white = {{1, 1, 1, 1}}, clear = {{0, 0, 0, 0}};
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int scale = 0; scale < 20; ++scale) {
		struct picture *source = picture_create(30, 30, A, false, 0);
		fill_picture(source, &clear);
		for (int y = 8; y < 20; ++y) {
			for (int x = 8; x < 20; ++x) {
				write_pixel(source, x, y, &white);
			}
		}
		struct render_texture_options options = {
			.src = {8, 8, 12, 12},
			.dst = {10, 5, 4 + 3 * scale, 5 + 2 * scale},
			.alpha = 1,
			.clip = &clip,
			.filter = scale % 4 == 3 ? NEAREST : RENDER_FILTER_BILINEAR,
		};
		struct picture *expected = create_target(X);
		draw_reference(expected, source, &options);
		for (int i = 0; i < 2; ++i) {
			struct picture *actual = create_target(X);
			draw_picture(fixture->renderers[i], actual, source, &options);
			assert_pictures(
				"edges", fixture->renderers[i]->impl->name, actual, expected, 0);
			buffer_drop(&actual->base);
		}
		buffer_drop(&expected->base);
		buffer_drop(&source->base);
	}
	pixman_region32_fini(&clip);
}

static void assert_stats(const struct renderer *renderer, const struct render_stats *before,
	const struct render_stats *added)
{
	const struct render_stats *now = &renderer->stats;
	assert_int_equal(now->passes - before->passes, added->passes);
	assert_int_equal(now->draws - before->draws, added->draws);
	assert_int_equal(now->pixels_drawn - before->pixels_drawn, added->pixels_drawn);
	assert_int_equal(now->bytes_uploaded - before->bytes_uploaded, added->bytes_uploaded);
	assert_int_equal(now->uploads - before->uploads, added->uploads);
	assert_int_equal(now->imports - before->imports, added->imports);
}

static void draw_whole(struct renderer *renderer, struct picture *target, struct texture *texture,
	const pixman_region32_t *clip)
{
	struct render_texture_options options = {
		.texture = texture,
		.src = {0, 0, texture->width, texture->height},
		.dst = {0, 0, texture->width, texture->height},
		.alpha = 1,
		.clip = clip,
	};
	struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
	render_pass_add_texture(pass, &options);
	submit(pass);
}

static void assert_pixel(const struct picture *picture, int x, int y, const struct rgba *expected)
{
	struct rgba actual = read_pixel(picture, x, y);
	for (int c = 0; c < 3; ++c) {
		assert_float_equal((float)actual.v[c], (float)expected->v[c], 0.003);
	}
}

static const struct rgba red = {{1, 0, 0, 1}}, green = {{0, 1, 0, 1}}, blue = {{0, 0, 1, 1}};

/* With memory that it can sample in place, the renderer copies nothing; else just the damage. */
static void check_updates(
	struct renderer *renderer, struct picture *source, bool uploads, uint64_t imports)
{
	pixman_region32_t clip, damage;
	init_clip(&clip, false);
	pixman_region32_init_rect(&damage, 2, 3, 10, 4);
	pixman_region32_union_rect(&damage, &damage, 15, 10, 100, 6);
	uint64_t bytes = pixel_format_get(source->base.format)->bytes[0];
	struct picture *target = create_target(X);
	struct texture *texture = NULL;
	struct render_stats before = renderer->stats;
	bool holds;

	fill_picture(source, &red);
	buffer_lock(&source->base);
	assert_true(renderer_texture_update(renderer, &texture, &source->base, NULL, &holds));
	assert_int_equal(holds, !uploads);
	draw_whole(renderer, target, texture, &clip);
	assert_pixel(target, 5, 5, &red);
	assert_stats(renderer, &before,
		&(struct render_stats){1, 1, 20 * 20, uploads ? 400 * bytes : 0, uploads, imports});

	fill_picture(source, &green);
	before = renderer->stats;
	struct texture *same = texture;
	assert_true(renderer_texture_update(renderer, &texture, &source->base, &damage, &holds));
	assert_ptr_equal(texture, same);
	draw_whole(renderer, target, texture, &clip);
	assert_pixel(target, 2, 3, &green);
	assert_pixel(target, 11, 6, &green);
	assert_pixel(target, 19, 15, &green);
	assert_pixel(target, 1, 3, uploads ? &red : &green);
	assert_pixel(target, 12, 6, uploads ? &red : &green);
	assert_pixel(target, 19, 16, uploads ? &red : &green);
	assert_stats(renderer, &before,
		&(struct render_stats){1, 1, 400, uploads ? (40 + 30) * bytes : 0, uploads, 0});

	/* No damage, no copy. */
	pixman_region32_clear(&damage);
	before = renderer->stats;
	assert_true(renderer_texture_update(renderer, &texture, &source->base, &damage, &holds));
	assert_stats(renderer, &before, &(struct render_stats){0});

	/* In place, what the client writes shows without an update; a copy outlives its buffer. */
	fill_picture(source, &blue);
	draw_whole(renderer, target, texture, &clip);
	assert_pixel(target, 2, 3, uploads ? &green : &blue);
	buffer_unlock(&source->base);
	buffer_drop(&source->base);
	if (uploads) {
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 2, 3, &green);
	} else {
		fill_picture(target, &red);
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 2, 3, &red);
	}
	texture_destroy(texture);
	texture_destroy(NULL);
	buffer_drop(&target->base);
	pixman_region32_fini(&damage);
	pixman_region32_fini(&clip);
}

static void test_updates(void **state)
{
	struct fixture *fixture = *state;
	struct renderer *pixman = fixture->renderers[0], *gles = fixture->renderers[1];
	check_updates(pixman, picture_create(20, 20, X, false, 0), false, 0);
	check_updates(pixman, picture_create(20, 20, X, true, 0), false, 0);
	check_updates(pixman, picture_create(20, 20, DRM_FORMAT_RGB565, false, 2), true, 0);
	check_updates(gles, picture_create(20, 20, X, false, 0), true, 0);
	check_updates(gles, picture_create(20, 20, DRM_FORMAT_RGB565, false, 2), true, 0);
	check_updates(gles, picture_create(20, 20, DRM_FORMAT_RGB888, false, 5), true, 0);
	check_updates(gles, picture_create(20, 20, X, true, 0), false, 1);
}

/* A texture changes kind, size and format with the buffers that it is given. */
static void test_replacement(void **state)
{
	struct fixture *fixture = *state;
	pixman_region32_t clip, damage;
	init_clip(&clip, false);
	pixman_region32_init_rect(&damage, 0, 0, 1, 1);
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct picture *target = create_target(X);
		struct picture *buffers[] = {
			picture_create(20, 20, X, false, 0),
			picture_create(30, 10, X, false, 0),
			picture_create(30, 10, DRM_FORMAT_RGB565, false, 0),
			picture_create(30, 10, X, true, 0),
			picture_create(1, 1, A, false, 0),
			picture_create(12, 12, DRM_FORMAT_RGB888, false, 1),
			picture_create(30, 10, X, true, 0),
			picture_create(30, 10, X, false, 0),
		};
		buffers[4]->is_color = true;
		memcpy(buffers[4]->color, (float[4]){0, 1, 0, 1}, sizeof(float[4]));
		struct texture *texture = NULL;
		for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); ++i) {
			bool holds;
			fill_picture(buffers[i], &green);
			fill_picture(target, &red);
			/* Damage is relative to what the texture had: nothing like it. */
			assert_true(renderer_texture_update(
				renderer, &texture, &buffers[i]->base, &damage, &holds));
			int width = buffers[i]->base.width, height = buffers[i]->base.height;
			assert_int_equal(texture->width, width);
			assert_int_equal(texture->height, height);
			draw_whole(renderer, target, texture, &clip);
			assert_pixel(target, width - 1, height - 1, &green);
			assert_pixel(target, width, height - 1, &red);
		}
		texture_destroy(texture);
		for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); ++i) {
			buffer_drop(&buffers[i]->base);
		}
		buffer_drop(&target->base);
	}
	pixman_region32_fini(&damage);
	pixman_region32_fini(&clip);
}

/* What cannot be read leaves the texture as it was. */
static void test_refusal(void **state)
{
	struct fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct picture *good = picture_create(20, 20, X, false, 0);
		struct picture *huge = picture_create(40000, 1, X, false, 0);
		struct picture *target = create_target(X);
		struct texture *texture = NULL;
		bool holds;
		fill_picture(good, &green);
		assert_false(
			renderer_texture_update(renderer, &texture, &huge->base, NULL, &holds));
		assert_null(texture);
		assert_true(renderer_texture_update(renderer, &texture, &good->base, NULL, &holds));
		assert_false(
			renderer_texture_update(renderer, &texture, &huge->base, NULL, &holds));
		assert_int_equal(texture->width, 20);
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 19, 19, &green);
		texture_destroy(texture);
		buffer_drop(&huge->base);
		buffer_drop(&good->base);
		buffer_drop(&target->base);
	}
	struct picture *undescribed = picture_create(20, 20, X, false, 0);
	assert_null(renderer_begin(fixture->renderers[1], &undescribed->base, -1));
	buffer_drop(&undescribed->base);
	pixman_region32_fini(&clip);
}

/* Drawn is what the texture was when it was added, also if it goes before the pass ends. */
static void test_destroyed_in_pass(void **state)
{
	struct fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int r = 0; r < 4; ++r) {
		struct renderer *renderer = fixture->renderers[r % 2];
		struct picture *target = create_target(X);
		struct picture *source = picture_create(20, 20, X, r >= 2, 0);
		struct render_texture_options options = {
			.src = {0, 0, 20, 20},
			.dst = {0, 0, 20, 20},
			.alpha = 1,
			.clip = &clip,
		};
		bool holds;
		fill_picture(source, &green);
		assert_true(renderer_texture_update(
			renderer, &options.texture, &source->base, NULL, &holds));
		struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
		render_pass_add_texture(pass, &options);
		buffer_drop(&source->base);
		render_pass_add_texture(pass, &options);
		texture_destroy(options.texture);
		submit(pass);
		assert_pixel(target, 7, 7, &green);
		buffer_drop(&target->base);
	}
	pixman_region32_fini(&clip);
}

/* Draws that touch nothing count for nothing; overdraw counts. */
static void test_stats(void **state)
{
	struct fixture *fixture = *state;
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct picture *target = create_target(X);
		struct box box = {-10, -10, 40, 30}, outside = {200, 0, 10, 10};
		struct box empty = {5, 5, 0, 10};
		pixman_region32_t clip, none;
		pixman_region32_init(&none);
		pixman_region32_init_rect(&clip, -5, 0, 10, 7);
		pixman_region32_union_rect(&clip, &clip, 20, 10, 30, 20);
		struct render_stats before = renderer->stats;
		struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
		add_rect(pass, &box, &red, &clip, false);
		add_rect(pass, &box, &green, &clip, false);
		add_rect(pass, &outside, &red, &clip, false);
		add_rect(pass, &empty, &red, &clip, false);
		add_rect(pass, &box, &red, &none, false);
		submit(pass);
		assert_stats(renderer, &before,
			&(struct render_stats){
				.passes = 1, .draws = 2, .pixels_drawn = 2 * (5 * 7 + 10 * 10)});
		assert_pixel(target, 4, 6, &green);
		assert_pixel(target, 5, 6, &backdrop);
		assert_pixel(target, 29, 19, &green);
		assert_pixel(target, 30, 19, &backdrop);
		buffer_drop(&target->base);
		pixman_region32_fini(&clip);
		pixman_region32_fini(&none);
	}
}

/* The guard of client memory surrounds every draw of the renderer that reads it then. */
static void test_guarded_reads(void **state)
{
	struct fixture *fixture = *state;
	struct renderer *pixman = fixture->renderers[0];
	struct picture *source = picture_create(20, 20, X, false, 0);
	struct picture *target = create_target(X);
	struct texture *texture = NULL;
	bool holds;
	pixman_region32_t clip;
	init_clip(&clip, false);
	assert_true(renderer_texture_update(pixman, &texture, &source->base, NULL, &holds));
	int before = source->accesses;
	draw_whole(pixman, target, texture, &clip);
	assert_int_equal(source->accesses, before + 1);
	assert_int_equal(source->open, 0);
	assert_int_equal(target->open, 0);
	texture_destroy(texture);
	buffer_drop(&source->base);
	buffer_drop(&target->base);
	pixman_region32_fini(&clip);
}

static void test_imports(void **state)
{
	struct fixture *fixture = *state;
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct picture *picture = picture_create(20, 20, X, true, 0);
		struct dmabuf *dmabuf = &picture->dmabuf, bad = *dmabuf;
		assert_true(renderer->impl->test_import(renderer, dmabuf));

		bad.height = 100;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.offset[0] = 1 << 20;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.stride[0] = 19 * 4;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.stride[0] = UINT32_MAX;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.width = 0;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.format = 0x20202020;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.modifier = DRM_FORMAT_MOD_INVALID;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.modifier = DRM_FORMAT_MOD_LINEAR + 1;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		int pipe_fds[2];
		assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
		bad.fd[0] = pipe_fds[0];
		assert_false(renderer->impl->test_import(renderer, &bad));
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		buffer_drop(&picture->base);
	}
	/* A client could take this memory away while the software driver reads it. */
	struct renderer *gles = fixture->renderers[1];
	int fd = fd_create_memory("unsealed", 80 * 20, false);
	struct dmabuf unsealed = {20, 20, X, DRM_FORMAT_MOD_LINEAR, 1, {fd}, {0}, {80}};
	assert_false(gles->impl->test_import(gles, &unsealed));
	close(fd);
}

struct loss {
	struct wl_listener listener;
	int count;
};

static void handle_lost(struct wl_listener *listener, void *data)
{
	struct loss *loss = wl_container_of(listener, loss, listener);
	++loss->count;
}

static void test_loss(void **state)
{
	struct fixture *fixture = *state;
	assert_null(fixture->renderers[0]->impl->lose);
	struct renderer *gles = gles_renderer_create(NULL, fixture->loop);
	struct loss loss = {.listener.notify = handle_lost};
	wl_signal_add(&gles->events.lost, &loss.listener);
	struct picture *target = create_target(X), *source = picture_create(9, 9, X, false, 0);
	struct picture *described = picture_create(9, 9, X, true, 0);
	struct texture *texture = NULL, *second = NULL;
	bool holds;
	int fence;
	assert_true(renderer_texture_update(gles, &texture, &source->base, NULL, &holds));
	struct render_pass *pass = renderer_begin(gles, &target->base, -1);
	gles->impl->lose(gles);
	assert_false(render_pass_submit(pass, &fence));
	assert_int_equal(fence, -1);
	assert_null(renderer_begin(gles, &target->base, -1));
	assert_false(renderer_texture_update(gles, &texture, &source->base, NULL, &holds));
	assert_false(renderer_texture_update(gles, &second, &described->base, NULL, &holds));
	assert_null(second);
	assert_false(gles->impl->test_import(gles, &described->dmabuf));
	gles->impl->lose(gles);

	/* Told once, and not from within a call. */
	assert_int_equal(loss.count, 0);
	wl_event_loop_dispatch(fixture->loop, 0);
	assert_int_equal(loss.count, 1);
	wl_event_loop_dispatch(fixture->loop, 0);
	assert_int_equal(loss.count, 1);
	texture_destroy(texture);
	wl_list_remove(&loss.listener.link);
	renderer_destroy(gles);

	/* The same buffers go on with a new one. */
	gles = gles_renderer_create(NULL, fixture->loop);
	texture = NULL;
	pixman_region32_t clip;
	init_clip(&clip, false);
	fill_picture(described, &green);
	assert_true(renderer_texture_update(gles, &texture, &described->base, NULL, &holds));
	draw_whole(gles, target, texture, &clip);
	assert_pixel(target, 8, 8, &green);
	texture_destroy(texture);
	renderer_destroy(gles);
	pixman_region32_fini(&clip);
	buffer_drop(&described->base);
	buffer_drop(&source->base);
	buffer_drop(&target->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_scenes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_formats, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rects, setup, teardown),
		cmocka_unit_test_setup_teardown(test_color_buffer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_edges, setup, teardown),
		cmocka_unit_test_setup_teardown(test_updates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replacement, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_destroyed_in_pass, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stats, setup, teardown),
		cmocka_unit_test_setup_teardown(test_guarded_reads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_imports, setup, teardown),
		cmocka_unit_test_setup_teardown(test_loss, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
