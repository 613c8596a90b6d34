/* SPDX-License-Identifier: MIT */
/* Tiling equations and CPU copies of tiled images, compared with test vectors. */

#include "copy/amd/tiling.h"
#include "copy/amd/detile.h"
#include "csv.h"
#include "harness/unit.h"
#include <stdlib.h>
#include <string.h>

struct layout {
	char file[64];
	struct tiling_mode mode;
};

static unsigned log2_of_bits(uint64_t bits)
{
	return (unsigned)__builtin_ctzll(bits / 8);
}

/* Returns the mode of a modifier or, for modes without one, of version and number. */
static struct tiling_mode mode_of(const struct csv *manifest)
{
	struct tiling_mode mode = {
		.version = 1,
		.swizzle = (unsigned)csv_number(manifest, 5),
	};

	if (*manifest->fields[1]) {
		assert_true(tiling_mode_from_modifier(&mode, csv_number(manifest, 1)));
		assert_false(mode.dcc);
	}
	return mode;
}

static size_t read_layouts(struct layout *layouts, size_t most)
{
	struct csv csv;
	size_t n = 0;

	csv_open(&csv, "manifest");
	while (csv_next(&csv)) {
		csv.fields[0][strlen(csv.fields[0]) - 4] = '\0'; /* ".csv" */
		if (n > 0 && strcmp(layouts[n - 1].file, csv.fields[0]) == 0) {
			continue;
		}
		assert_true(n < most);
		strncpy(layouts[n].file, csv.fields[0], sizeof(layouts[n].file) - 1);
		layouts[n++].mode = mode_of(&csv);
	}
	csv_close(&csv);
	return n;
}

static void offsets_equal_vectors(void **state)
{
	struct layout layouts[32] = {0};
	size_t n_layouts = read_layouts(layouts, 32);
	struct tiling tiling = {0};
	struct csv csv;
	int n = 0;

	csv_open(&csv, "points");
	while (csv_next(&csv)) {
		size_t i = 0;

		while (i < n_layouts && strcmp(layouts[i].file, csv.fields[0]) != 0) {
			i++;
		}
		assert_true(i < n_layouts);
		assert_true(
			tiling_init(&tiling, &layouts[i].mode, log2_of_bits(csv_number(&csv, 1))));
		assert_int_equal(
			tiling_offset(&tiling, (uint32_t)csv_number(&csv, 4),
				(uint32_t)csv_number(&csv, 5), (uint32_t)csv_number(&csv, 6)),
			csv_number(&csv, 7));
		n++;
	}
	csv_close(&csv);
	assert_int_equal(n, 21 * 1360);
}

/* Standard CRC-32, four bits at a time. */
static uint32_t crc32_add(uint32_t crc, const uint8_t *data, size_t size)
{
	static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8,
		0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

/* CRC of the offsets of all elements, row by row. */
static uint32_t crc_of_places(
	const struct tiling *tiling, uint32_t pitch, uint32_t width, uint32_t height)
{
	uint32_t crc = 0xffffffff;

	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			uint64_t offset = tiling_offset(tiling, pitch, x, y);

			crc = crc32_add(crc, (const uint8_t *)&offset, sizeof(offset));
		}
	}
	return ~crc;
}

static void offsets_of_whole_surfaces_equal_vectors(void **state)
{
	struct csv csv;
	int n = 0;

	csv_open(&csv, "manifest");
	while (csv_next(&csv)) {
		uint32_t width = (uint32_t)csv_number(&csv, 8);
		struct tiling_mode mode = mode_of(&csv);
		struct tiling tiling;

		assert_true(tiling_init(&tiling, &mode, log2_of_bits(csv_number(&csv, 7))));
		assert_int_equal(tiling.block_width, csv_number(&csv, 12));
		assert_int_equal(tiling.block_height, csv_number(&csv, 13));
		assert_int_equal(UINT64_C(1) << tiling.log2_block, csv_number(&csv, 14));
		assert_int_equal(tiling_size(&tiling, (uint32_t)csv_number(&csv, 10),
					 (uint32_t)csv_number(&csv, 9)),
			csv_number(&csv, 15));
		/* Larger surfaces take ten times as long and follow the same equations. */
		if (!*csv.fields[18] || width > 1000) {
			continue;
		}
		assert_int_equal(crc_of_places(&tiling, (uint32_t)csv_number(&csv, 10), width,
					 (uint32_t)csv_number(&csv, 9)),
			csv_number(&csv, 18));
		n++;
	}
	csv_close(&csv);
	assert_int_equal(n, 21 * 4);
}

/* Returns whether the compositor supports the mode; others have no modifier on any chip. */
static bool expected_known(const struct tiling_mode *mode)
{
	if (mode->swizzle == 27 && mode->version == 2) {
		return mode->pipe_xor > 0;
	}
	return !(mode->version == 4 && mode->swizzle == 26) &&
	       !(mode->version == 3 && (mode->swizzle == 25 || mode->swizzle == 26));
}

static void equations_equal_vectors(void **state)
{
	struct csv csv;
	int n = 0;

	csv_open(&csv, "equations");
	while (csv_next(&csv)) {
		struct tiling_mode mode = {
			.version = (unsigned)csv_number(&csv, 0),
			.swizzle = (unsigned)csv_number(&csv, 1),
			.pipe_xor = (unsigned)csv_number(&csv, 2),
			.bank_xor = (unsigned)csv_number(&csv, 3),
			.packers = (unsigned)csv_number(&csv, 4),
		};
		unsigned bit = (unsigned)csv_number(&csv, 9);
		struct tiling tiling;

		if (!expected_known(&mode)) {
			continue;
		}
		assert_true(tiling_init(&tiling, &mode, log2_of_bits(csv_number(&csv, 5))));
		assert_int_equal(tiling.log2_block, csv_number(&csv, 8));
		assert_int_equal(tiling.x_mask[bit], csv_number(&csv, 10));
		assert_int_equal(tiling.y_mask[bit], csv_number(&csv, 11));
		n++;
	}
	csv_close(&csv);
	assert_true(n > 12000);
}

static void unsupported_modes_are_refused(void **state)
{
	struct tiling_mode mode;
	struct tiling tiling;

	assert_false(tiling_mode_from_modifier(&mode, 0)); /* linear */
	assert_false(tiling_mode_from_modifier(&mode, UINT64_C(0x00ffffffffffffff)));
	assert_false(tiling_mode_from_modifier(&mode, UINT64_C(0x0100000000000001)));
	assert_false(tiling_mode_from_modifier(&mode, UINT64_C(0x0200000000000900)));
	assert_false(tiling_mode_from_modifier(&mode, UINT64_C(0x0200000000000906)));
	assert_false(tiling_mode_from_modifier(&mode, UINT64_C(0x0200001000000901)));
	assert_true(tiling_mode_from_modifier(&mode, UINT64_C(0x0200000020802b03)) && mode.dcc);

	mode = (struct tiling_mode){.version = 1, .swizzle = 9};
	assert_true(tiling_init(&tiling, &mode, 3));
	assert_false(tiling_init(&tiling, &mode, 4));
	mode.swizzle = 8;
	assert_false(tiling_init(&tiling, &mode, 2));
	mode = (struct tiling_mode){.version = 3, .swizzle = 27, .pipe_xor = 2, .packers = 7};
	assert_false(tiling_init(&tiling, &mode, 2));
	mode = (struct tiling_mode){.version = 5, .swizzle = 5};
	assert_false(tiling_init(&tiling, &mode, 2));
}

static void check_round(const struct tiling *tiling)
{
	size_t bytes = (size_t)1 << tiling->log2_bytes;
	uint32_t pitch = tiling->block_width * 4;
	uint32_t height = tiling->block_height * 4;
	size_t size = tiling_size(tiling, pitch, height);
	struct detile window = {
		.tiling = tiling,
		.pitch = pitch,
		.x = (uint32_t)random_between(0, (int)pitch - 9),
		.y = (uint32_t)random_between(0, (int)height - 9),
		.width = (uint32_t)random_between(1, 9),
		.height = (uint32_t)random_between(1, 9),
	};
	size_t stride = window.width * bytes + 3;
	uint8_t *tiled = malloc(size), *again = malloc(size);
	uint8_t *linear = malloc(stride * window.height);

	for (size_t i = 0; i < size; i++) {
		tiled[i] = (uint8_t)random_between(0, 255);
	}
	memset(linear, 0xaa, stride * window.height);
	memcpy(again, tiled, size);
	detile(&window, tiled, linear, stride);
	for (uint32_t j = 0; j < window.height; j++) {
		for (uint32_t i = 0; i < window.width; i++) {
			uint64_t at = tiling_offset(tiling, pitch, window.x + i, window.y + j);

			assert_memory_equal(linear + j * stride + i * bytes, tiled + at, bytes);
			memset(again + at, 0, bytes);
		}
		assert_int_equal(linear[j * stride + window.width * bytes], 0xaa);
	}
	retile(&window, again, linear, stride);
	assert_memory_equal(again, tiled, size);
	free(tiled);
	free(again);
	free(linear);
}

static void detile_and_retile_are_inverse(void **state)
{
	static const struct tiling_mode modes[] = {
		{.version = 1, .swizzle = 2},
		{.version = 1, .swizzle = 22, .pipe_xor = 2, .bank_xor = 1},
		{.version = 5, .swizzle = 1},
		{.version = 5, .swizzle = 2},
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		for (unsigned log2_bytes = 0; log2_bytes < 4; log2_bytes++) {
			struct tiling tiling;

			assert_true(tiling_init(&tiling, &modes[i], log2_bytes));
			for (int round = 0; round < 10; round++) {
				check_round(&tiling);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_equal_vectors),
		cmocka_unit_test(offsets_of_whole_surfaces_equal_vectors),
		cmocka_unit_test(equations_equal_vectors),
		cmocka_unit_test(unsupported_modes_are_refused),
		cmocka_unit_test(detile_and_retile_are_inverse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
