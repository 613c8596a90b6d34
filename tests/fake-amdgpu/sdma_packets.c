/* SPDX-License-Identifier: MIT */
/* SDMA packets: word by word comparison with vectors of another encoder. */

#include "copy/sdma/packet.h"
#include "csv.h"
#include "harness/unit.h"
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 256

static unsigned version_of(const char *text)
{
	return SDMA_VERSION((unsigned)text[0] - '0', (unsigned)text[2] - '0');
}

static unsigned log2_of(uint64_t bytes)
{
	return (unsigned)__builtin_ctzll(bytes);
}

static struct sdma_linear linear_of(const char *p, const char *va, const char *x, const char *y,
	const char *pitch, const char *slice)
{
	return (struct sdma_linear){
		.va = csv_parameter(p, va),
		.x = (uint32_t)csv_parameter(p, x),
		.y = (uint32_t)csv_parameter(p, y),
		.pitch = (uint32_t)csv_parameter(p, pitch),
		.slice = csv_parameter(p, slice),
	};
}

static void encode_tiled(
	struct sdma_stream *stream, unsigned version, const char *p, bool compressed)
{
	struct sdma_linear linear =
		linear_of(p, "linear_va", "lx", "ly", "linear_pitch", "linear_slice");
	struct sdma_tiled tiled = {
		.va = csv_parameter(p, "tiled_va"),
		.x = (uint32_t)csv_parameter(p, "tx"),
		.y = (uint32_t)csv_parameter(p, "ty"),
		.width = (uint32_t)csv_parameter(p, "tw"),
		.height = (uint32_t)csv_parameter(p, "th"),
		.pitch = (uint32_t)csv_parameter(p, "epitch") + 1,
		.swizzle_mode = (unsigned)csv_parameter(p, "swizzle"),
	};
	struct sdma_compression compression;

	if (compressed) {
		compression = (struct sdma_compression){
			.va = csv_parameter(p, "meta_va"),
			.data_format = (unsigned)csv_parameter(p, "data_format"),
			.number_type = (unsigned)csv_parameter(p, "number_type"),
			.max_block = (unsigned)csv_parameter(p, "max_block"),
		};
		tiled.compression = &compression;
	}
	sdma_emit_tiled(stream, version, log2_of(csv_parameter(p, "bytes_per_el")),
		csv_parameter(p, "detile"), &tiled, &linear, (uint32_t)csv_parameter(p, "w"),
		(uint32_t)csv_parameter(p, "h"));
}

static void encode_window(struct sdma_stream *stream, unsigned version, const char *p)
{
	struct sdma_linear source = linear_of(p, "src_va", "sx", "sy", "src_pitch", "src_slice");
	struct sdma_linear destination =
		linear_of(p, "dst_va", "dx", "dy", "dst_pitch", "dst_slice");

	sdma_emit_window(stream, version, log2_of(csv_parameter(p, "bytes_per_el")), &source,
		&destination, (uint32_t)csv_parameter(p, "w"), (uint32_t)csv_parameter(p, "h"));
}

/* Returns false for kinds of packets that the compositor does not use. */
static bool encode(struct sdma_stream *stream, unsigned version, const char *kind, const char *p)
{
	if (strcmp(kind, "copy_linear") == 0) {
		sdma_emit_linear(stream, version, csv_parameter(p, "src"), csv_parameter(p, "dst"),
			csv_parameter(p, "bytes"));
	} else if (strcmp(kind, "copy_linear_subwin") == 0) {
		encode_window(stream, version, p);
	} else if (strcmp(kind, "copy_tiled_subwin") == 0) {
		encode_tiled(stream, version, p, false);
	} else if (strcmp(kind, "copy_tiled_dcc") == 0) {
		encode_tiled(stream, version, p, true);
	} else {
		return false;
	}
	return true;
}

static void packets_equal_vectors(void **state)
{
	uint32_t words[WORDS_MAX];
	struct csv csv;
	int n = 0;

	csv_open(&csv, "packets");
	while (csv_next(&csv)) {
		struct sdma_stream stream = {.words = words, .capacity = WORDS_MAX};
		unsigned version = version_of(csv.fields[0]);
		char *expected = csv.fields[4];

		assert_true(sdma_version_known(version));
		if (!encode(&stream, version, csv.fields[1], csv.fields[2])) {
			continue;
		}
		assert_int_equal(stream.length, csv_number(&csv, 3));
		for (size_t i = 0; i < stream.length; i++) {
			assert_int_equal(words[i], strtoul(expected, &expected, 16));
		}
		n++;
	}
	csv_close(&csv);
	assert_int_equal(n, 240 + 54);
}

static void padding_aligns_to_sixteen_words(void **state)
{
	uint32_t words[32] = {1};
	struct sdma_stream stream = {.words = words, .length = 1, .capacity = 32};

	memset(words + 1, 0xff, sizeof(words) - 4);
	sdma_emit_padding(&stream);
	assert_int_equal(stream.length, 16);
	assert_int_equal(words[15], 0);
	assert_int_equal(words[16], 0xffffffff);
	sdma_emit_padding(&stream);
	assert_int_equal(stream.length, 16);
}

static void overlong_stream_is_counted_but_not_written(void **state)
{
	uint32_t words[3] = {0, 0, 42};
	struct sdma_stream stream = {.words = words, .capacity = 2};

	sdma_emit_linear(&stream, SDMA_VERSION(5, 2), 0x1000, 0x2000, 16);
	assert_int_equal(stream.length, 7);
	assert_int_equal(words[2], 42);
}

static void pitch_alignment_depends_on_version(void **state)
{
	assert_int_equal(sdma_pitch_alignment(SDMA_VERSION(4, 1), 2, true), 4);
	assert_int_equal(sdma_pitch_alignment(SDMA_VERSION(4, 1), 2, false), 1);
	assert_int_equal(sdma_pitch_alignment(SDMA_VERSION(5, 0), 0, true), 4);
	assert_int_equal(sdma_pitch_alignment(SDMA_VERSION(6, 1), 1, true), 2);
	assert_int_equal(sdma_pitch_alignment(SDMA_VERSION(7, 0), 3, true), 1);
	assert_false(sdma_version_known(SDMA_VERSION(3, 1)));
	assert_false(sdma_version_known(SDMA_VERSION(7, 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_equal_vectors),
		cmocka_unit_test(padding_aligns_to_sixteen_words),
		cmocka_unit_test(overlong_stream_is_counted_but_not_written),
		cmocka_unit_test(pitch_alignment_depends_on_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
