/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Colours of raw images in floating point, computed from the definitions of the formats
 * (drm_fourcc.h, ITU-R BT.601, BT.709 and BT.2020) and the coding of image->reference: they share
 * nothing with the compositor's conversions.
 */

#include "raw_image.h"

/** Returns the colour of a pixel, 0x00RRGGBB. Alpha is ignored. */
uint32_t raw_color_at(const struct raw_image *image, int32_t x, int32_t y);
/**
 * Returns the difference (in 255ths of a channel) that rounding explains: 2 for YUV, whose sums are
 * of truncated products; 1 for narrow and wide channels, which are expanded or rounded; else 0.
 */
int raw_color_tolerance(const struct raw_image *image);
