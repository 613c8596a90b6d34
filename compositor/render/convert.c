/* SPDX-License-Identifier: MIT */
/* Conversion of pixels to 32-bit RGB by the CPU, for YUV and 16-bit formats. */

#include "render/convert.h"
#include <math.h>
#include <string.h>

/* Fraction bits of sums: the most that fit into 16 bits. */
#define FRACTION 5
/* One half, plus the average loss of three truncated products. */
#define ROUND (16 + 1)

/* Neutral chroma, as a code of 16 bits. */
#define NEUTRAL 32768

enum kind {
	KIND_YUV,
	KIND_WORDS, /* 16-bit channels */
	KIND_HALVES, /* and those in floating point */
};

/* Layouts of YUV samples. */
enum order {
	ORDER_PLANES, /* three planes, with as much chroma as luma in a row */
	ORDER_PLANES_HALF, /* the same, with half as much chroma */
	ORDER_TURNS, /* two planes: both kinds of chroma interleaved, half as much of each */
	ORDER_TURNS_WIDE, /* the same, of 16 bits */
	ORDER_PACKED, /* one plane, luma first */
	ORDER_PACKED_LAST, /* one plane, chroma first */
};

struct convert_layout {
	uint32_t format, target;
	enum kind kind;
	uint8_t bits; /* per sample: the highest bits of 8 or 16 */
	enum order order; /* of YUV */
	uint8_t shift_y; /* vertical subsampling of chroma, as a shift */
	bool v_first;
	uint8_t red, blue; /* of 16-bit channels: bytes before them; green is second, alpha last */
};

#define YUV(code, bits, order, shift, v)                                                           \
	{                                                                                          \
		DRM_FORMAT_##code, DRM_FORMAT_XRGB8888, KIND_YUV, bits, order, shift, v, 0, 0      \
	}
#define WIDE(code, to, what, red, blue)                                                            \
	{                                                                                          \
		DRM_FORMAT_##code, DRM_FORMAT_##to, what, 16, 0, 0, false, red, blue               \
	}

static const struct convert_layout layouts[] = {
	YUV(YUYV, 8, ORDER_PACKED, 0, false),
	YUV(YVYU, 8, ORDER_PACKED, 0, true),
	YUV(UYVY, 8, ORDER_PACKED_LAST, 0, false),
	YUV(NV12, 8, ORDER_TURNS, 1, false),
	YUV(NV21, 8, ORDER_TURNS, 1, true),
	YUV(NV16, 8, ORDER_TURNS, 0, false),
	YUV(YUV420, 8, ORDER_PLANES_HALF, 1, false),
	YUV(YVU420, 8, ORDER_PLANES_HALF, 1, true),
	YUV(YUV422, 8, ORDER_PLANES_HALF, 0, false),
	YUV(YUV444, 8, ORDER_PLANES, 0, false),
	YUV(P010, 10, ORDER_TURNS_WIDE, 1, false),
	YUV(P012, 12, ORDER_TURNS_WIDE, 1, false),
	YUV(P016, 16, ORDER_TURNS_WIDE, 1, false),
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

/* The higher half of the product with a 16-bit code is in 255ths, with FRACTION bits. */
static int16_t factor(double value)
{
	return (int16_t)lrint(ldexp(value, 16 + FRACTION));
}

/* Computes factors from a code, whose `bits` are the highest of 16, to 255ths. */
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
	convert->factors.luma = factor(luma * 2);
	convert->factors.red = factor(chroma * 2 * (1 - kr));
	convert->factors.blue = factor(chroma * 2 * (1 - kb));
	convert->factors.green_red = (int16_t)-factor(chroma * 2 * (1 - kr) * kr / (1 - kr - kb));
	convert->factors.green_blue = (int16_t)-factor(chroma * 2 * (1 - kb) * kb / (1 - kr - kb));
}

bool convert_init(
	struct convert *convert, struct buffer *buffer, const struct render_source *source)
{
	convert->layout = find(buffer->format);
	if (!convert->layout ||
		!buffer_planes(buffer, source->data, source->stride, convert->planes)) {
		return false;
	}
	if (convert->layout->kind == KIND_YUV) {
		set_factors(convert,
			color_coding_resolve(source->coding, buffer->width, buffer->height));
	}
	return true;
}

/* YUV */

/*
 * Number of pixels converted at a time in 16-bit lanes: constant, so that compilers vectorise the
 * loops; even, because chroma is shared by pairs.
 */
#define BLOCK 64

/* Codes of 16 bits: luma above black, halved, and chroma around neutral. */
struct lanes {
	int16_t y[BLOCK], u[BLOCK], v[BLOCK];
};

/* A sample of 16 bits; rows may start anywhere. */
typedef uint16_t word __attribute__((aligned(1), may_alias));

static const uint8_t *row_of(const struct convert *convert, int plane, int32_t y)
{
	const struct buffer_plane *at = &convert->planes[plane];
	return at->data + (size_t)y * at->stride;
}

static inline __attribute__((always_inline)) void take_luma(
	int16_t *restrict to, const void *from, int32_t black, bool wide)
{
	const uint8_t *bytes = from;
	const word *words = from;
	for (size_t i = 0; i < BLOCK; i++) {
		to[i] = (int16_t)(((wide ? words[i] : bytes[i] << 8) - black) >> 1);
	}
}

/* Reads interleaved chroma: one sample of each kind per two pixels. */
static inline __attribute__((always_inline)) void take_turns(
	int16_t *restrict a, int16_t *restrict b, const void *from, bool wide)
{
	const uint8_t *bytes = from;
	const word *words = from;
	for (size_t i = 0; i < BLOCK; i += 2) {
		a[i] = a[i + 1] = (int16_t)((wide ? words[i] : bytes[i] << 8) - NEUTRAL);
		b[i] = b[i + 1] = (int16_t)((wide ? words[i + 1] : bytes[i + 1] << 8) - NEUTRAL);
	}
}

static inline __attribute__((always_inline)) void take_chroma(
	int16_t *restrict to, const uint8_t *from, bool pairs)
{
	for (size_t i = 0; i < BLOCK / (pairs ? 2 : 1); i++) {
		int16_t code = (int16_t)((from[i] << 8) - NEUTRAL);
		if (pairs) {
			to[2 * i] = to[2 * i + 1] = code;
		} else {
			to[i] = code;
		}
	}
}

/* Reads interleaved luma and chroma. */
static inline __attribute__((always_inline)) void take_packed(int16_t *restrict y,
	int16_t *restrict a, int16_t *restrict b, const uint8_t *from, int32_t black,
	bool chroma_first)
{
	for (size_t i = 0; i < BLOCK; i += 2) {
		int32_t c0 = from[2 * i] << 8, c1 = from[2 * i + 1] << 8;
		int32_t c2 = from[2 * i + 2] << 8, c3 = from[2 * i + 3] << 8;
		y[i] = (int16_t)(((chroma_first ? c1 : c0) - black) >> 1);
		y[i + 1] = (int16_t)(((chroma_first ? c3 : c2) - black) >> 1);
		a[i] = a[i + 1] = (int16_t)((chroma_first ? c0 : c1) - NEUTRAL);
		b[i] = b[i + 1] = (int16_t)((chroma_first ? c2 : c3) - NEUTRAL);
	}
}

/* Bytes read of a plane for two pixels. */
static const uint8_t pair_bytes[][3] = {
	[ORDER_PLANES] = {2, 2, 2},
	[ORDER_PLANES_HALF] = {2, 1, 1},
	[ORDER_TURNS] = {2, 2, 0},
	[ORDER_TURNS_WIDE] = {4, 4, 0},
	[ORDER_PACKED] = {4, 0, 0},
	[ORDER_PACKED_LAST] = {4, 0, 0},
};

/* Loads the samples of a block, from their position in each plane. */
static void take_block(
	const struct convert *convert, const uint8_t *const from[static 3], struct lanes *lanes)
{
	const struct convert_layout *layout = convert->layout;
	int32_t black = convert->factors.black;
	int16_t *first = layout->v_first ? lanes->v : lanes->u;
	int16_t *second = layout->v_first ? lanes->u : lanes->v;
	switch (layout->order) {
	case ORDER_PLANES:
		take_luma(lanes->y, from[0], black, false);
		take_chroma(first, from[1], false);
		take_chroma(second, from[2], false);
		break;
	case ORDER_PLANES_HALF:
		take_luma(lanes->y, from[0], black, false);
		take_chroma(first, from[1], true);
		take_chroma(second, from[2], true);
		break;
	case ORDER_TURNS:
		take_luma(lanes->y, from[0], black, false);
		take_turns(first, second, from[1], false);
		break;
	case ORDER_TURNS_WIDE:
		take_luma(lanes->y, from[0], black, true);
		take_turns(first, second, from[1], true);
		break;
	case ORDER_PACKED: take_packed(lanes->y, first, second, from[0], black, false); break;
	case ORDER_PACKED_LAST: take_packed(lanes->y, first, second, from[0], black, true); break;
	}
}

static inline int16_t product(int16_t code, int16_t factor)
{
	return (int16_t)(code * factor >> 16);
}

static inline uint16_t channel_of(int16_t sum)
{
	sum = (int16_t)(sum >> FRACTION);
	sum = sum < 0 ? 0 : sum;
	return (uint16_t)(sum > 255 ? 255 : sum);
}

/* In half pixels, with the bits of the source. */
static void convert_lanes(const struct convert_factors *factors, const struct lanes *restrict lanes,
	word *restrict halves)
{
	const struct convert_factors f = *factors;
	for (size_t i = 0; i < BLOCK; i++) {
		int16_t u = lanes->u[i], v = lanes->v[i];
		int16_t light = (int16_t)(product(lanes->y[i], f.luma) + ROUND);
		int16_t red = (int16_t)(light + product(v, f.red));
		int16_t green =
			(int16_t)(light + product(u, f.green_blue) + product(v, f.green_red));
		int16_t blue = (int16_t)(light + product(u, f.blue));
		halves[2 * i] = (word)(channel_of(green) << 8 | channel_of(blue));
		halves[2 * i + 1] = (word)(0xff00 | channel_of(red));
	}
}

/*
 * Returns the bytes of `pixels` in a plane: partial blocks must not be read beyond the last pixel.
 */
static size_t bytes_of(enum order order, int plane, int32_t pixels)
{
	bool shared = order >= ORDER_PACKED || (plane > 0 && order != ORDER_PLANES);
	size_t pair = pair_bytes[order][plane];
	return shared ? (size_t)(pixels + 1) / 2 * pair : (size_t)pixels * pair / 2;
}

static void convert_yuv_row(
	const struct convert *convert, int32_t y, int32_t x1, int32_t x2, uint32_t *to)
{
	enum order order = convert->layout->order;
	struct lanes lanes;
	/* For partial blocks at the ends of a row. */
	uint8_t copies[3][2 * BLOCK];
	uint32_t pixels[BLOCK];
	for (int32_t x = x1 & ~1; x < x2; x += BLOCK) {
		const uint8_t *from[3] = {NULL};
		int32_t n = x2 - x < BLOCK ? x2 - x : BLOCK, skip = x < x1;
		for (int i = 0; i < 3 && pair_bytes[order][i] > 0; i++) {
			from[i] = row_of(convert, i, i ? y >> convert->layout->shift_y : y) +
				  (size_t)x / 2 * pair_bytes[order][i];
			if (n < BLOCK) {
				memset(copies[i], 0, sizeof(copies[i]));
				memcpy(copies[i], from[i], bytes_of(order, i, n));
				from[i] = copies[i];
			}
		}
		take_block(convert, from, &lanes);
		if (n == BLOCK && skip == 0) {
			convert_lanes(&convert->factors, &lanes, (word *)(to + (x - x1)));
		} else {
			convert_lanes(&convert->factors, &lanes, (word *)pixels);
			memcpy(to + (x + skip - x1), pixels + skip, (size_t)(n - skip) * 4);
		}
	}
}

/* Wide RGB */

static inline uint32_t byte_of_word(int32_t word)
{
	return (uint32_t)(word * 255 + 32767) / 65535;
}

/* Binary16: a sign, five bits of exponent, ten of fraction; subnormal values are 0 in 8 bits. */
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

/* Rows may start anywhere. */
static inline int32_t word_at(const uint8_t *bytes)
{
	return bytes[0] | bytes[1] << 8;
}

static void convert_wide_row(
	const struct convert *convert, int32_t y, int32_t x1, int32_t x2, uint32_t *to)
{
	const uint8_t offsets[] = {convert->layout->red, 2, convert->layout->blue, 6};
	bool halves = convert->layout->kind == KIND_HALVES;
	bool alpha = convert->layout->target == DRM_FORMAT_ARGB8888;
	const uint8_t *pixel = row_of(convert, 0, y) + (size_t)x1 * 8;
	for (int32_t x = x1; x < x2; x++, pixel += 8) {
		uint32_t bytes[4];
		for (int i = 0; i < 4; i++) {
			int32_t word = word_at(pixel + offsets[i]);
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
