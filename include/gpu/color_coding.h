/* SPDX-License-Identifier: MIT */
#pragma once

/** Colour coding of YUV buffers: the matrix to RGB, and the range of codes. */

#include <stdbool.h>
#include <stdint.h>

enum color_matrix {
	COLOR_MATRIX_DEFAULT, /* unspecified */
	COLOR_MATRIX_IDENTITY, /* RGB */
	COLOR_MATRIX_BT601,
	COLOR_MATRIX_BT709,
	COLOR_MATRIX_BT2020, /* with non-constant luminance */
};

enum color_range {
	COLOR_RANGE_DEFAULT, /* unspecified */
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
 * Resolves unknown values by the size of the image: BT.601 up to 576 lines of less than 1280 pixels
 * (standard definition), BT.709 above; limited range.
 */
struct color_coding color_coding_resolve(struct color_coding coding, int32_t width, int32_t height);
/** Stores the weights of red and blue in luma, which define the matrix of a resolved coding. */
void color_coding_weights(struct color_coding coding, double *red, double *blue);
