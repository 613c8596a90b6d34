/* SPDX-License-Identifier: MIT */
/* Both renderers, and buffers of any format whose pixels can be written, read and compared. */

#include "harness/renderers.h"

#include "util/fd.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Only a failure takes as long. */
#define FENCE_TIMEOUT_MS 60000

const struct rgba backdrop = {{0.2, 0.4, 0.8, 1}};

static struct test_image *get_image(struct buffer *buffer)
{
	struct test_image *image = wl_container_of(buffer, image, base);
	return image;
}

static void image_destroy(struct buffer *buffer)
{
	struct test_image *image = get_image(buffer);
	assert_int_equal(image->open, 0);
	buffer_finish(buffer);
	if (image->memory) {
		munmap(image->memory, image->size);
	}
	dmabuf_finish(&image->dmabuf);
	fd_close(&image->fd);
	free(image);
}

static const struct dmabuf *image_dmabuf(struct buffer *buffer)
{
	struct test_image *image = get_image(buffer);
	return image->described ? &image->dmabuf : NULL;
}

static int image_begin(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct test_image *image = get_image(buffer);
	++image->open;
	++image->accesses;
	*data = image->data;
	*stride = image->stride;
	return 0;
}

static bool image_end(struct buffer *buffer)
{
	--get_image(buffer)->open;
	return true;
}

static bool image_color(struct buffer *buffer, float rgba[static 4])
{
	struct test_image *image = get_image(buffer);
	memcpy(rgba, image->color, sizeof(image->color));
	return image->is_color;
}

static const struct buffer_impl image_impl = {
	.destroy = image_destroy,
	.dmabuf = image_dmabuf,
	.begin_access = image_begin,
	.end_access = image_end,
	.color = image_color,
};

struct test_image *test_image_create(
	int32_t width, int32_t height, uint32_t format, bool described, size_t extra)
{
	struct test_image *image = xcalloc(1, sizeof(*image));
	buffer_init(&image->base, &image_impl, width, height, format);
	int32_t bytes = pixel_format_get(format)->bytes[0];
	image->stride = (size_t)((width + 3) / 4 * 4 * bytes) + extra;
	image->size = image->stride * (size_t)((height + 3) / 4 * 4) + extra;
	image->fd = fd_create_memory("image", (off_t)image->size, true);
	assert_true(image->fd >= 0);
	image->memory = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_SHARED, image->fd, 0);
	assert_true(image->memory != MAP_FAILED);
	image->data = image->memory + extra;
	image->described = described;
	dmabuf_init(&image->dmabuf);
	if (described) {
		image->dmabuf.width = width;
		image->dmabuf.height = height;
		image->dmabuf.format = format;
		image->dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
		image->dmabuf.n_planes = 1;
		image->dmabuf.fd[0] = fd_dup(image->fd);
		image->dmabuf.offset[0] = (uint32_t)extra;
		image->dmabuf.stride[0] = (uint32_t)image->stride;
	}
	return image;
}

/* Layout of a format's channels: shift and width of red, green, blue, alpha. */
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
	/* Half floats: see half_from() and half_to(). */
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

/* Converts 0 or a value in [2^-14, 1] to a half float, by truncation. */
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

void write_pixel(struct test_image *image, int x, int y, const struct rgba *color)
{
	const struct layout *layout = layout_get(image->base.format);
	size_t bytes = pixel_format_get(image->base.format)->bytes[0];
	uint64_t word = 0;
	for (int i = 0; i < 4; ++i) {
		unsigned bits = layout->channels[i].bits;
		double most = (double)((UINT64_C(1) << bits) - 1);
		uint64_t value = is_float(image->base.format) && bits
					 ? half_from(color->v[i])
					 : (uint64_t)llrint(color->v[i] * most);
		word |= value << layout->channels[i].shift;
	}
	memcpy(image->data + (size_t)y * image->stride + (size_t)x * bytes, &word, bytes);
}

struct rgba read_pixel(const struct test_image *image, int x, int y)
{
	const struct layout *layout = layout_get(image->base.format);
	size_t bytes = pixel_format_get(image->base.format)->bytes[0];
	uint64_t word = 0;
	memcpy(&word, image->data + (size_t)y * image->stride + (size_t)x * bytes, bytes);
	struct rgba color;
	for (int i = 0; i < 4; ++i) {
		unsigned bits = layout->channels[i].bits;
		uint64_t most = (UINT64_C(1) << bits) - 1;
		uint64_t value = word >> layout->channels[i].shift & most;
		color.v[i] = bits == 0                      ? 1
			     : is_float(image->base.format) ? half_to(value)
							    : (double)value / (double)most;
	}
	return color;
}

void fill_image(struct test_image *image, const struct rgba *color)
{
	for (int y = 0; y < image->base.height; ++y) {
		for (int x = 0; x < image->base.width; ++x) {
			write_pixel(image, x, y, color);
		}
	}
}

void fill_noise(struct test_image *image)
{
	unsigned bits = layout_get(image->base.format)->channels[3].bits;
	int most = bits == 0 ? 0 : bits > 4 ? 15 : (1 << bits) - 1;
	for (int y = 0; y < image->base.height; ++y) {
		for (int x = 0; x < image->base.width; ++x) {
			double alpha = most > 0 ? (double)random_between(0, most) / most : 1;
			struct rgba color = {{0, 0, 0, alpha}};
			for (int c = 0; c < 3; ++c) {
				color.v[c] = alpha * random_between(0, 255) / 255;
			}
			write_pixel(image, x, y, &color);
		}
	}
}

int renderers_setup(void **state)
{
	struct renderer_fixture *fixture = xcalloc(1, sizeof(*fixture));
	fixture->loop = wl_event_loop_create();
	fixture->renderers[0] = pixman_renderer_create();
	fixture->renderers[1] = gles_renderer_create(NULL, fixture->loop);
	assert_non_null(fixture->renderers[0]);
	assert_non_null(fixture->renderers[1]);
	*state = fixture;
	return 0;
}

int renderers_teardown(void **state)
{
	struct renderer_fixture *fixture = *state;
	renderer_destroy(fixture->renderers[0]);
	renderer_destroy(fixture->renderers[1]);
	renderer_destroy(NULL);
	wl_event_loop_destroy(fixture->loop);
	free(fixture);
	return 0;
}

struct test_image *create_target(uint32_t format)
{
	struct test_image *target = test_image_create(TARGET_WIDTH, TARGET_HEIGHT, format, true, 0);
	fill_image(target, &backdrop);
	return target;
}

void submit(struct render_pass *pass)
{
	int fence = -2;
	assert_true(render_pass_submit(pass, &fence));
	assert_true(worker_wait(fence, FENCE_TIMEOUT_MS));
	fd_close(&fence);
}

void assert_images(const char *scene, const char *who, const struct test_image *actual,
	const struct test_image *expected, double tolerance)
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
		fail_msg("%s, %s: differs by %g/255 at %d,%d, tolerance %g", scene, who, worst,
			worst_x, worst_y, tolerance);
	}
}

void init_clip(pixman_region32_t *clip, bool pieces)
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

void add_rect(struct render_pass *pass, const struct box *box, const struct rgba *color,
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

void assert_stats(const struct renderer *renderer, const struct render_stats *before,
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

void draw_whole(struct renderer *renderer, struct test_image *target, struct texture *texture,
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

void assert_pixel(const struct test_image *image, int x, int y, const struct rgba *expected)
{
	struct rgba actual = read_pixel(image, x, y);
	for (int c = 0; c < 3; ++c) {
		assert_float_equal((float)actual.v[c], (float)expected->v[c], 0.003);
	}
}
