#pragma once

/**
 * How the numbers of a YUV buffer stand for colours: the matrix between them and RGB, and which of them
 * mean black and white.
 */

#include <stdbool.h>
#include <stdint.h>

enum color_matrix {
	COLOR_MATRIX_DEFAULT, /* nobody said */
	COLOR_MATRIX_IDENTITY, /* RGB */
	COLOR_MATRIX_BT601,
	COLOR_MATRIX_BT709,
	COLOR_MATRIX_BT2020, /* with non-constant luminance */
};

enum color_range {
	COLOR_RANGE_DEFAULT, /* nobody said */
	COLOR_RANGE_FULL, /* 0..255 of 8 bits */
	COLOR_RANGE_LIMITED, /* 16..235, chroma 16..240 */
};

struct color_coding {
	enum color_matrix matrix;
	enum color_range range;
};

static inline bool color_coding_equal(struct color_coding a, struct color_coding b)
{
	return a.matrix == b.matrix && a.range == b.range;
}

/**
 * What nobody said, by the size of the picture: BT.601 up to 576 lines of less than 1280 pixels, as
 * standard definition has it, and BT.709 above; limited range.
 */
struct color_coding color_coding_resolve(struct color_coding coding, int32_t width, int32_t height);
/** The weights of red and blue in luma, which are all there is to a matrix; of a resolved coding. */
void color_coding_weights(struct color_coding coding, double *red, double *blue);
