/* SPDX-License-Identifier: MIT */
/*
 * The address bits of AMD's R_X swizzle modes, which follow no rule: one row for all chips with the
 * same bits.
 */

#include "copy/amd/tiling.h"

/* clang-format off */
static const struct tiling_pattern patterns[] = {
	{{{2, 27, 1, 0}}, "x3y3 ",
		{"x4 y5 x5 y6 x6 y7 x7", "x4 y4 x5 y5 x6 y6 x7",
		"x3 y4 x4 y5 x5 y6 x6", "x3 y2 x4 y4 x5 y5 x6"}},
	{{{2, 27, 2, 0}}, "x3y3 x4y4 ",
		{"y5 x5 y6 x6 y7 x7", "y4 x5 y5 x6 y6 x7",
		"y3 x4 y5 x5 y6 x6", "y2 x3 y4 x5 y5 x6"}},
	{{{2, 27, 3, 0}}, "x3y3 x4y4 x5y5 ",
		{"x5 y6 x6 y7 x7", "x4 y5 x6 y6 x7", "x3 y4 x5 y6 x6", "x3 y2 x4 y5 x6"}},
	{{{2, 27, 4, 0}}, "x3y3 x4y4 x6y5 x5y6 ",
		{"y6 x6 y7 x7", "y4 x6 y6 x7", "y3 x4 y6 x6", "y2 x3 y4 x6"}},
	{{{2, 27, 5, 0}}, "x3y3 x4y4 x7y5 x5y7 x6y6 ",
		{"x6 y7 x7", "x4 y6 x7", "x3 y4 x6", "y2 x3 y4"}},
	{{{3, 27, 0, 0}}, "",
		{"x4 y4 x5ya xay5 x6y9 x9y6 x7y8 x8y7", "y3 x4 xay4 x5y9 x9y5 x6y8 x8y6 x7y7",
		"x3 y3 x4y9 x9y4 x5y8 x8y5 x6y7 x7y6", "y2 x3 x9y3 x4y8 x8y4 x5y7 x7y5 x6y6"}},
	{{{3, 27, 1, 0}, {3, 27, 1, 1}}, "x4y4 ",
		{"y4 x5 xay5 x6y9 x9y6 x7y8 x8y7", "y3 y4 x5y9 x6y8 x9y5 x7y7 x8y6",
		"x3 y3 x9y4 x5y8 x8y5 x6y7 x7y6", "y2 x3 x9y3 x5y7 x8y4 x6y6 x7y5"}},
	{{{3, 27, 2, 0}, {3, 27, 2, 1}, {4, 27, 2, 0}, {4, 27, 2, 1}}, "x5y4y5 x4y4 ",
		{"x5 y5 x6y9 x9y6 x7y8 x8y7", "y3 x5 x6y8 x9y5 x7y7 x8y6",
		"x3 y3 x5y8 x8y5 x6y7 x7y6", "y2 x3 x8y3 x5y7 x6y6 x7y5"}},
	{{{3, 27, 2, 2}, {4, 27, 2, 2}, {4, 27, 4, 0}, {4, 27, 4, 1}}, "x6y4y6 x4y4 ",
		{"x5 x6 x9y6 x7y8 x8y7 x5y5", "y3 x5 x6y8 x8y6 x7y7 x5y5",
		"x3 y3 x5y8 x6y7 x7y6 x5y5", "y2 x3 x7y3 x5y7 x6y6 x5y5"}},
	{{{3, 27, 3, 0}, {3, 27, 3, 1}}, "x5y4y5 x4y4 x5x6y6 ",
		{"y5 x6 x9y6 x7y8 x8y7", "y3 y5 x6y8 x7y7 x8y6",
		"x3 y3 x8y5 x6y7 x7y6", "y2 x3 x8y3 x6y6 x7y5"}},
	{{{3, 27, 3, 2}, {4, 27, 3, 2}, {4, 27, 5, 0}, {4, 27, 5, 1}}, "x6y4y6 x4y4 x5y5 ",
		{"x5 x6 x9y6 x7y8 x8y7", "y3 x5 x6y8 x8y6 x7y7",
		"x3 y3 x5y8 x6y7 x7y6", "y2 x3 x7y3 x5y7 x6y6"}},
	{{{3, 27, 3, 3}, {4, 27, 3, 3}, {4, 27, 5, 2}}, "x7y4y7 x4y4 x6y5 ",
		{"x6 y6 x7y8 x8y7 x5y6", "y3 x6 x7y7 x8y6 x5y6",
		"x3 y3 x6y7 x7y6 x5y6", "y2 x3 x7y3 x6y6 x5y6"}},
	{{{3, 27, 4, 2}}, "x6y4y6 x4y4 x5y5 x5x7y7 ",
		{"x6 y6 x7y8 x8y7", "y3 x6 x8y6 x7y7", "x3 y3 x6y7 x7y6", "y2 x3 x7y3 x6y6"}},
	{{{3, 27, 4, 3}, {4, 27, 4, 3}, {4, 27, 6, 2}}, "x7y4y7 x4y4 x6y5 x5y6 ",
		{"x6 y6 x7y8 x8y7", "y3 x6 x7y7 x8y6", "x3 y3 x6y7 x7y6", "y2 x3 x7y3 x6y6"}},
	{{{3, 27, 4, 4}, {4, 27, 4, 4}, {4, 27, 6, 3}}, "x8y4y8 x4y4 x7y5 x5y7 ",
		{"x6 x7 x8y7 x6y6", "y3 x6 x7y7 x6y6", "x3 y3 x6y7 x6y6", "y2 x3 x7y3 x6y6"}},
	{{{3, 27, 5, 3}}, "x7y4y7 x4y4 x6y5 x5y6 x6x8y8 ",
		{"y6 x7 x8y7", "y3 y6 x7y7", "x3 y3 x7y6", "y2 x3 x7y3"}},
	{{{3, 27, 5, 4}, {4, 27, 5, 4}}, "x8y4y8 x4y4 x7y5 x5y7 x6y6 ",
		{"x6 x7 x8y7", "y3 x6 x7y7", "x3 y3 x6y7", "y2 x3 x7y3"}},
	{{{3, 27, 5, 5}, {4, 27, 5, 5}}, "x9y4y9 x4y4 x8y5 x5y8 ",
		{"x7y6 x7 y7 x6y7", "x7y6 y3 x7 x6y7", "x7y6 x3 y3 x6y7", "x7y2y6 x3 y3 x6y7"}},
	{{{4, 27, 0, 0}}, "",
		{"x4 y4 x5y8 x8y5 x6y7 x7y6 x7 y7", "y3 x4 x8y4 x5y7 x7y5 x6y6 y6 x7",
		"x3 y3 x4y7 x7y4 x5y6 x6y5 x6 y6", "y2 x3 x7y3 x4y7 x6y4 x5y6 y5 x6"}},
	{{{4, 27, 1, 0}, {4, 27, 1, 1}}, "x4y4 ",
		{"y4 x5 x9y5 x6y8 x8y6 x7y7 y7", "y3 y4 x5y8 x6y7 x8y5 x7y6 y6",
		"x3 y3 x8y4 x5y7 x7y5 x6y6 y6", "y2 x3 x8y3 x5y7 x7y4 x6y6 y5"}},
	{{{4, 27, 3, 0}, {4, 27, 3, 1}}, "x5y4y5 x4y4 x5y5 ",
		{"y5 x6 x9y6 x7y8 x8y7", "y3 y5 x6y8 x7y7 x8y6",
		"x3 y3 x8y5 x6y7 x7y6", "y2 x3 x8y3 x6y6 x7y5"}},
	{{{4, 27, 4, 2}, {4, 27, 6, 0}, {4, 27, 6, 1}}, "x6y4y6 x4y4 x5y5 x5y6 ",
		{"x6 y6 x7y8 x8y7", "y3 x6 x8y6 x7y7", "x3 y3 x6y7 x7y6", "y2 x3 x7y3 x6y6"}},
	{{{4, 27, 5, 3}}, "x7y4y7 x4y4 x6y5 x5y6 x6y6 ",
		{"y6 x7 x8y7", "y3 y6 x7y7", "x3 y3 x7y6", "y2 x3 x7y3"}},
	{{{4, 27, 6, 4}}, "x8y4y8 x4y4 x7y5 x5y7 x6y6 ",
		{"x6y8 x7 y7", "x6y8 y3 x7", "x6y8 x3 y3", "x3y8 y2 y3"}},
	{{{4, 27, 6, 5}}, "x9y4y9 x4y4 x8y5 x5y8 ",
		{"x7y6 x6y7 x7 y7", "x7y6 x6y7 y3 x7", "x7y6 x6y7 x3 y3", "x7y2y6 x6y7 x3 y3"}},
	{{{4, 31, 0, 0}}, "",
		{"x4 y4 x5y8 x8y5 x6y7 x7y6 x7 y7 x8 y8", "y3 x4 x8y4 x5y7 x7y5 x6y6 y6 x7 y7 x8",
		"x3 y3 x4y7 x7y4 x5y6 x6y5 x6 y6 x7 y7", "y2 x3 x7y3 x4y7 x6y4 x5y6 y5 x6 y6 x7"}},
	{{{4, 31, 1, 0}, {4, 31, 1, 1}}, "x4y4 ",
		{"y4 x5 x9y5 x6y8 x8y6 x7y7 y7 x8 y8", "y3 y4 x5y8 x6y7 x8y5 x7y6 y6 x8 y7",
		"x3 y3 x8y4 x5y7 x7y5 x6y6 y6 x7 y7", "y2 x3 x8y3 x5y7 x7y4 x6y6 y5 x7 y6"}},
	{{{4, 31, 2, 0}, {4, 31, 2, 1}}, "x5y4y5 x4y4 ",
		{"x5 y5 x6y9 x9y6 x7y8 x8y7 x8 y8", "y3 x5 x6y8 x9y5 x7y7 x8y6 x8 y7",
		"x3 y3 x5y8 x8y5 x6y7 x7y6 x7 y7", "y2 x3 x8y3 x5y7 x6y6 x7y5 x7 y6"}},
	{{{4, 31, 2, 2}, {4, 31, 4, 0}, {4, 31, 4, 1}}, "x6y4y6 x4y4 ",
		{"x5 x6 xay6 x7y9 x9y7 x8y8 y8 x5y5", "y3 x5 x6y9 x9y6 x7y8 x8y7 x8 x5y5",
		"x3 y3 x5y9 x6y8 x8y6 x7y7 y7 x5y5", "y2 x3 x8y3 x5y8 x6y7 x7y6 x7 x5y5"}},
	{{{4, 31, 3, 0}, {4, 31, 3, 1}}, "x5y4y5 x4y4 x5y5 ",
		{"y5 x6 xay6 x7y9 x9y7 x8y8 y8", "y3 y5 x6y9 x7y8 x9y6 x8y7 y7",
		"x3 y3 x9y5 x6y8 x8y6 x7y7 y7", "y2 x3 x9y3 x6y7 x8y5 x7y6 y6"}},
	{{{4, 31, 3, 2}, {4, 31, 5, 0}, {4, 31, 5, 1}}, "x6y4y6 x4y4 x5y5 ",
		{"x5 x6 xay6 x7y9 x9y7 x8y8 y8", "y3 x5 x6y9 x9y6 x7y8 x8y7 x8",
		"x3 y3 x5y9 x6y8 x8y6 x7y7 y7", "y2 x3 x8y3 x5y8 x6y7 x7y6 x7"}},
	{{{4, 31, 3, 3}, {4, 31, 5, 2}}, "x7y4y7 x4y4 x6y5 ",
		{"x6 y6 x7ya xay7 x8y9 x9y8 x5y6", "y3 x6 x7y9 xay6 x8y8 x9y7 x5y6",
		"x3 y3 x6y9 x9y6 x7y8 x8y7 x5y6", "y2 x3 x9y3 x6y8 x7y7 x8y6 x5y6"}},
	{{{4, 31, 4, 2}, {4, 31, 6, 0}, {4, 31, 6, 1}}, "x6y4y6 x4y4 x5y5 x5y6 ",
		{"x6 y6 x7ya xay7 x8y9 x9y8", "y3 x6 xay6 x7y9 x9y7 x8y8",
		"x3 y3 x6y9 x9y6 x7y8 x8y7", "y2 x3 x9y3 x6y8 x8y6 x7y7"}},
	{{{4, 31, 4, 3}, {4, 31, 6, 2}}, "x7y4y7 x4y4 x6y5 x5y6 ",
		{"x6 y6 x7ya xay7 x8y9 x9y8", "y3 x6 x7y9 xay6 x8y8 x9y7",
		"x3 y3 x6y9 x9y6 x7y8 x8y7", "y2 x3 x9y3 x6y8 x7y7 x8y6"}},
	{{{4, 31, 4, 4}, {4, 31, 6, 3}}, "x8y4y8 x4y4 x7y5 x5y7 ",
		{"x6 x7 xay7 x8y9 x9y8 x6y6", "y3 x6 x7y9 x9y7 x8y8 x6y6",
		"x3 y3 x6y9 x7y8 x8y7 x6y6", "y2 x3 x8y3 x6y8 x7y7 x6y6"}},
	{{{4, 31, 5, 3}}, "x7y4y7 x4y4 x6y5 x5y6 x6y6 ",
		{"y6 x7 xay7 x8y9 x9y8", "y3 y6 x7y9 x8y8 x9y7",
		"x3 y3 x9y6 x7y8 x8y7", "y2 x3 x9y3 x7y7 x8y6"}},
	{{{4, 31, 5, 4}}, "x8y4y8 x4y4 x7y5 x5y7 x6y6 ",
		{"x6 x7 xay7 x8y9 x9y8", "y3 x6 x7y9 x9y7 x8y8",
		"x3 y3 x6y9 x7y8 x8y7", "y2 x3 x8y3 x6y8 x7y7"}},
	{{{4, 31, 5, 5}}, "x9y4y9 x4y4 x8y5 x5y8 x7y6 ",
		{"x7 y7 x8y9 x9y8 x6y7", "y3 x7 x8y8 x9y7 x6y7",
		"x3 y3 x7y8 x8y7 x6y7", "y2 x3 x8y3 x7y7 x6y7"}},
	{{{4, 31, 6, 4}}, "x8y4y8 x4y4 x7y5 x5y7 x6y6 x6y8 ",
		{"x7 y7 x8y9 x9y8", "y3 x7 x9y7 x8y8", "x3 y3 x7y8 x8y7", "y2 x3 x8y3 x7y7"}},
	{{{4, 31, 6, 5}}, "x9y4y9 x4y4 x8y5 x5y8 x7y6 x6y7 ",
		{"x7 y7 x8y9 x9y8", "y3 x7 x8y8 x9y7", "x3 y3 x7y8 x8y7", "y2 x3 x8y3 x7y7"}},
};
/* clang-format on */

const struct tiling_pattern *tiling_pattern_find(const struct tiling_mode *mode)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		for (int j = 0; j < TILING_CHIPS_MAX; j++) {
			const struct tiling_chip *chip = &patterns[i].chips[j];
			if (chip->version == mode->version && chip->swizzle == mode->swizzle &&
				chip->pipe_xor == mode->pipe_xor &&
				chip->packers == mode->packers) {
				return &patterns[i];
			}
		}
	}
	return NULL;
}
