/* SPDX-License-Identifier: MIT */
/* Colour codings: defaults, and the coefficients of the standards. */

#include "gpu/color_coding.h"

/* The lines of standard definition, and the width that high definition begins with. */
#define SD_LINES 576
#define HD_WIDTH 1280

struct color_coding color_coding_resolve(struct color_coding coding, int32_t width, int32_t height)
{
	if (coding.matrix == COLOR_MATRIX_DEFAULT || coding.matrix == COLOR_MATRIX_IDENTITY) {
		coding.matrix = height <= SD_LINES && width < HD_WIDTH ? COLOR_MATRIX_BT601
								       : COLOR_MATRIX_BT709;
	}
	if (coding.range == COLOR_RANGE_DEFAULT) {
		coding.range = COLOR_RANGE_LIMITED;
	}
	return coding;
}

void color_coding_weights(struct color_coding coding, double *red, double *blue)
{
	/* ITU-R BT.601-7 2.5.1, BT.709-6 3.2, BT.2020-2 table 4. */
	switch (coding.matrix) {
	case COLOR_MATRIX_BT709:
		*red = 0.2126;
		*blue = 0.0722;
		break;
	case COLOR_MATRIX_BT2020:
		*red = 0.2627;
		*blue = 0.0593;
		break;
	default:
		*red = 0.299;
		*blue = 0.114;
		break;
	}
}
