/* Pictures for tests of the renderers: buffers whose every pixel can be written, read, compared. */

#include "picture.h"

#include "util/fd.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const struct rgba backdrop = {{0.2, 0.4, 0.8, 1}};

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

struct picture *picture_create(
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

void write_pixel(struct picture *picture, int x, int y, const struct rgba *color)
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

struct rgba read_pixel(const struct picture *picture, int x, int y)
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

void fill_picture(struct picture *picture, const struct rgba *color)
{
	for (int y = 0; y < picture->base.height; ++y) {
		for (int x = 0; x < picture->base.width; ++x) {
			write_pixel(picture, x, y, color);
		}
	}
}

void fill_noise(struct picture *picture)
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

int renderers_setup(void **state)
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

int renderers_teardown(void **state)
{
	struct fixture *fixture = *state;
	renderer_destroy(fixture->renderers[0]);
	renderer_destroy(fixture->renderers[1]);
	renderer_destroy(NULL);
	wl_event_loop_destroy(fixture->loop);
	free(fixture);
	return 0;
}

struct picture *create_target(uint32_t format)
{
	struct picture *target = picture_create(TARGET_WIDTH, TARGET_HEIGHT, format, true, 0);
	fill_picture(target, &backdrop);
	return target;
}

void submit(struct render_pass *pass)
{
	int fence = -2;
	assert_true(render_pass_submit(pass, &fence));
	assert_int_equal(fence, -1);
}

void assert_pictures(const char *scene, const char *who, const struct picture *actual,
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

void draw_whole(struct renderer *renderer, struct picture *target, struct texture *texture,
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

void assert_pixel(const struct picture *picture, int x, int y, const struct rgba *expected)
{
	struct rgba actual = read_pixel(picture, x, y);
	for (int c = 0; c < 3; ++c) {
		assert_float_equal((float)actual.v[c], (float)expected->v[c], 0.003);
	}
}
