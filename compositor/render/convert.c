/* Conversion of pixels to 32-bit RGB by the CPU, for YUV and 16-bit formats. */

#include "render/convert.h"
#include <math.h>
#include <string.h>

/* Factors have so many bits behind the point: with codes of 16 bits, sums stay below 2^31. */
#define FRACTION 21
#define HALF (1 << (FRACTION - 1))

/* Chroma that stands for no colour, as a code of 16 bits. */
#define NEUTRAL 32768

enum kind {
	KIND_YUV,
	KIND_WORDS, /* 16-bit channels */
	KIND_HALVES, /* and those in floating point */
};

/* Where a channel lies: its plane, the bytes before the first sample, and from one to the next. */
struct channel {
	uint8_t plane, offset, step;
};

struct convert_layout {
	uint32_t format, target;
	enum kind kind;
	uint8_t bits; /* of a sample, the highest ones of 8 or 16 */
	uint8_t shift_x, shift_y; /* of chroma: so many times is it halved */
	struct channel channels[4]; /* Y, U, V; or R, G, B, A */
};

#define YUV8(code, x, y, ...)                                                                      \
	{                                                                                          \
		DRM_FORMAT_##code, DRM_FORMAT_XRGB8888, KIND_YUV, 8, x, y,                         \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define YUV16(code, depth)                                                                         \
	{                                                                                          \
		DRM_FORMAT_##code, DRM_FORMAT_XRGB8888, KIND_YUV, depth, 1, 1,                     \
		{                                                                                  \
			{0, 0, 2}, {1, 0, 4},                                                      \
			{                                                                          \
				1, 2, 4                                                            \
			}                                                                          \
		}                                                                                  \
	}
#define WIDE(code, to, what, red, blue)                                                            \
	{                                                                                          \
		DRM_FORMAT_##code, DRM_FORMAT_##to, what, 16, 0, 0,                                \
		{                                                                                  \
			{0, red, 8}, {0, 2, 8}, {0, blue, 8},                                      \
			{                                                                          \
				0, 6, 8                                                            \
			}                                                                          \
		}                                                                                  \
	}

static const struct convert_layout layouts[] = {
	YUV8(YUYV, 1, 0, {0, 0, 2}, {0, 1, 4}, {0, 3, 4}),
	YUV8(YVYU, 1, 0, {0, 0, 2}, {0, 3, 4}, {0, 1, 4}),
	YUV8(UYVY, 1, 0, {0, 1, 2}, {0, 0, 4}, {0, 2, 4}),
	YUV8(NV12, 1, 1, {0, 0, 1}, {1, 0, 2}, {1, 1, 2}),
	YUV8(NV21, 1, 1, {0, 0, 1}, {1, 1, 2}, {1, 0, 2}),
	YUV8(NV16, 1, 0, {0, 0, 1}, {1, 0, 2}, {1, 1, 2}),
	YUV8(YUV420, 1, 1, {0, 0, 1}, {1, 0, 1}, {2, 0, 1}),
	YUV8(YVU420, 1, 1, {0, 0, 1}, {2, 0, 1}, {1, 0, 1}),
	YUV8(YUV422, 1, 0, {0, 0, 1}, {1, 0, 1}, {2, 0, 1}),
	YUV8(YUV444, 0, 0, {0, 0, 1}, {1, 0, 1}, {2, 0, 1}),
	YUV16(P010, 10),
	YUV16(P012, 12),
	YUV16(P016, 16),
	WIDE(ABGR16161616, ARGB8888, KIND_WORDS, 0, 4),
	WIDE(XBGR16161616, XRGB8888, KIND_WORDS, 0, 4),
	WIDE(ARGB16161616, ARGB8888, KIND_WORDS, 4, 0),
	WIDE(XRGB16161616, XRGB8888, KIND_WORDS, 4, 0),
	WIDE(ABGR16161616F, ARGB8888, KIND_HALVES, 0, 4),
	WIDE(XBGR16161616F, XRGB8888, KIND_HALVES, 0, 4),
	WIDE(ARGB16161616F, ARGB8888, KIND_HALVES, 4, 0),
	WIDE(XRGB16161616F, XRGB8888, KIND_HALVES, 4, 0),
};

#define N_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static const struct convert_layout *find(uint32_t format)
{
	for (size_t i = 0; i < N_LAYOUTS; i++) {
		if (layouts[i].format == format) {
			return &layouts[i];
		}
	}
	return NULL;
}

uint32_t convert_format(uint32_t format)
{
	const struct convert_layout *layout = find(format);
	return layout ? layout->target : 0;
}

size_t convert_formats(uint32_t formats[static CONVERT_FORMATS])
{
	_Static_assert(N_LAYOUTS == CONVERT_FORMATS, "one for each layout");
	for (size_t i = 0; i < N_LAYOUTS; i++) {
		formats[i] = layouts[i].format;
	}
	return N_LAYOUTS;
}

static int32_t factor(double value)
{
	return (int32_t)lrint(value * (1 << FRACTION));
}

/* From a code of `bits`, which are the highest of 16, to 255. */
static void set_factors(struct convert *convert, struct color_coding coding)
{
	double kr, kb, step = ldexp(1, 16 - convert->layout->bits);
	double eight = ldexp(1, convert->layout->bits - 8);
	bool full = coding.range == COLOR_RANGE_FULL;
	double whole = (ldexp(1, convert->layout->bits) - 1) * step;
	double luma = 255 / (full ? whole : 219 * eight * step);
	double chroma = 255 / (full ? whole : 224 * eight * step);
	color_coding_weights(coding, &kr, &kb);
	convert->factors.black = full ? 0 : (int32_t)(16 * eight * step);
	convert->factors.luma = factor(luma);
	convert->factors.red = factor(chroma * 2 * (1 - kr));
	convert->factors.blue = factor(chroma * 2 * (1 - kb));
	convert->factors.green_red = -factor(chroma * 2 * (1 - kr) * kr / (1 - kr - kb));
	convert->factors.green_blue = -factor(chroma * 2 * (1 - kb) * kb / (1 - kr - kb));
}

bool convert_init(struct convert *convert, struct buffer *buffer, void *data, size_t stride)
{
	convert->layout = find(buffer->format);
	if (!convert->layout || !buffer_planes(buffer, data, stride, convert->planes)) {
		return false;
	}
	if (convert->layout->kind == KIND_YUV) {
		set_factors(convert,
			color_coding_resolve(buffer->coding, buffer->width, buffer->height));
	}
	return true;
}

/* YUV */

/* What chroma adds to the channels of all pixels that share it. */
struct tint {
	int32_t red, green, blue;
};

static inline struct tint tint_of(const struct convert_factors *f, int32_t u, int32_t v)
{
	u -= NEUTRAL;
	v -= NEUTRAL;
	return (struct tint){
		f->red * v + HALF, f->green_blue * u + f->green_red * v + HALF, f->blue * u + HALF};
}

static inline uint32_t channel_of(int32_t value)
{
	value >>= FRACTION;
	return (uint32_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static inline uint32_t pixel_of(const struct convert_factors *f, int32_t y, const struct tint *tint)
{
	int32_t light = f->luma * (y - f->black);
	return UINT32_C(0xff000000) | channel_of(light + tint->red) << 16 |
	       channel_of(light + tint->green) << 8 | channel_of(light + tint->blue);
}

/* Rows may start anywhere. */
static inline int32_t word_at(const uint8_t *bytes)
{
	return bytes[0] | bytes[1] << 8;
}

static inline int32_t code_at(const uint8_t *bytes, bool wide)
{
	return wide ? word_at(bytes) : bytes[0] << 8;
}

static const uint8_t *row_of(const struct convert *convert, int channel, int32_t y)
{
	const struct channel *at = &convert->layout->channels[channel];
	const struct buffer_plane *plane = &convert->planes[at->plane];
	return plane->data + (size_t)y * plane->stride + at->offset;
}

/* Compiled for each width of samples and each way to share chroma. */
static inline __attribute__((always_inline)) void convert_samples(const struct convert *convert,
	int32_t x1, int32_t x2, const uint8_t *const rows[static 3], uint32_t *restrict to,
	bool wide, bool pairs)
{
	const struct convert_factors factors = convert->factors;
	const size_t luma = convert->layout->channels[0].step;
	const size_t chroma = convert->layout->channels[1].step;
	const uint8_t *y = rows[0] + (size_t)x1 * luma;
	struct tint tint = {0};
	for (int32_t x = x1; x < x2; x++, y += luma) {
		if (!pairs || x % 2 == 0 || x == x1) {
			size_t at = (size_t)(pairs ? x / 2 : x) * chroma;
			tint = tint_of(
				&factors, code_at(rows[1] + at, wide), code_at(rows[2] + at, wide));
		}
		*to++ = pixel_of(&factors, code_at(y, wide), &tint);
	}
}

static void convert_yuv_row(
	const struct convert *convert, int32_t y, int32_t x1, int32_t x2, uint32_t *to)
{
	int32_t chroma = y >> convert->layout->shift_y;
	const uint8_t *const rows[] = {
		row_of(convert, 0, y), row_of(convert, 1, chroma), row_of(convert, 2, chroma)};
	if (convert->layout->bits > 8) {
		convert_samples(convert, x1, x2, rows, to, true, true);
	} else if (convert->layout->shift_x > 0) {
		convert_samples(convert, x1, x2, rows, to, false, true);
	} else {
		convert_samples(convert, x1, x2, rows, to, false, false);
	}
}

/* Wide RGB */

static inline uint32_t byte_of_word(int32_t word)
{
	return (uint32_t)(word * 255 + 32767) / 65535;
}

/* Binary16: a sign, five bits of exponent, ten of fraction; what is subnormal is nothing in 8 bits. */
static inline uint32_t byte_of_half(int32_t half)
{
	int exponent = half >> 10 & 31, shift = 25 - exponent;
	int32_t fraction = half & 1023;
	if (half & 0x8000 || exponent == 0 || (exponent == 31 && fraction > 0)) {
		return 0;
	}
	return exponent >= 15 ? 255
			      : (uint32_t)((255 * (1024 + fraction) + (1 << (shift - 1))) >> shift);
}

static void convert_wide_row(
	const struct convert *convert, int32_t y, int32_t x1, int32_t x2, uint32_t *to)
{
	const struct channel *channels = convert->layout->channels;
	bool halves = convert->layout->kind == KIND_HALVES;
	bool alpha = convert->layout->target == DRM_FORMAT_ARGB8888;
	const uint8_t *pixel = convert->planes[0].data + (size_t)y * convert->planes[0].stride +
			       (size_t)x1 * channels[0].step;
	for (int32_t x = x1; x < x2; x++, pixel += channels[0].step) {
		uint32_t bytes[4];
		for (int i = 0; i < 4; i++) {
			int32_t word = word_at(pixel + channels[i].offset);
			bytes[i] = halves ? byte_of_half(word) : byte_of_word(word);
		}
		*to++ = (alpha ? bytes[3] << 24 : UINT32_C(0xff000000)) | bytes[0] << 16 |
			bytes[1] << 8 | bytes[2];
	}
}

void convert_rect(
	const struct convert *convert, const pixman_box32_t *rect, void *to, size_t stride)
{
	for (int32_t y = rect->y1; y < rect->y2; y++) {
		uint32_t *row = (uint32_t *)(void *)((char *)to + (size_t)(y - rect->y1) * stride);
		if (convert->layout->kind == KIND_YUV) {
			convert_yuv_row(convert, y, rect->x1, rect->x2, row);
		} else {
			convert_wide_row(convert, y, rect->x1, rect->x2, row);
		}
	}
}
