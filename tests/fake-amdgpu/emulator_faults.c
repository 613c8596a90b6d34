/* SPDX-License-Identifier: MIT */
/* Emulated amdgpu: faults on packets that real engines reject or execute wrongly. */

#include "copy/sdma/device.h"
#include "fake.h"
#include "harness/unit.h"
#include "util/fence.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

struct bench {
	struct fake_gpu *gpu;
	struct sdma_device device;
	struct sdma_memory in, out;
	int fds[2];
	unsigned version;
};

static void bench_init(struct bench *bench, const char *chip)
{
	struct sdma_memory *memory[] = {&bench->in, &bench->out};
	void *map;

	bench->gpu = fake_gpu_create(fake_chip_find(chip));
	assert_int_equal(sdma_device_init(&bench->device, fake_gpu_open(bench->gpu)), 0);
	bench->version = bench->device.chip.version;
	for (int i = 0; i < 2; i++) {
		bench->fds[i] = fake_dmabuf_create(1 << 20, &map);
		assert_int_equal(
			sdma_memory_import(&bench->device, bench->fds[i], 65536, i == 1, memory[i]),
			0);
	}
}

static void bench_finish(struct bench *bench)
{
	sdma_memory_finish(&bench->device, &bench->in);
	sdma_memory_finish(&bench->device, &bench->out);
	sdma_device_finish(&bench->device);
	close(bench->fds[0]);
	close(bench->fds[1]);
	fake_reset_all();
}

/*
 * Executes the words on a new device, since a fault ends the context. The job lists the memory from
 * `first` on, and `n` of it. Returns whether they succeed.
 */
static bool runs_with(
	const char *chip, void (*fill)(struct bench *, struct sdma_stream *), int first, int n)
{
	struct bench bench = {0};
	const struct sdma_memory *memory[] = {&bench.in, &bench.out};
	struct sdma_stream stream;
	bool good;
	int fence;

	bench_init(&bench, chip);
	assert_int_equal(sdma_device_reserve(&bench.device, 256, &stream), 0);
	fill(&bench, &stream);
	assert_int_equal(
		sdma_device_submit(&bench.device, &stream, memory + first, n, -1, &fence), 0);
	good = fence_status(fence) == 1;
	assert_true(good || fence_status(fence) == -ECANCELED);
	assert_true(good == !fake_gpu_fault(bench.gpu));
	close(fence);
	bench_finish(&bench);
	return good;
}

static bool runs(const char *chip, void (*fill)(struct bench *, struct sdma_stream *))
{
	return runs_with(chip, fill, 0, 2);
}

static struct sdma_tiled tiled_of(const struct bench *bench)
{
	return (struct sdma_tiled){
		.va = bench->in.va, .width = 100, .height = 90, .pitch = 128, .swizzle_mode = 9};
}

static struct sdma_linear linear_of(const struct bench *bench)
{
	return (struct sdma_linear){.va = bench->out.va, .pitch = 100, .slice = 100 * 90};
}

static void good(struct bench *bench, struct sdma_stream *stream)
{
	struct sdma_tiled tiled = tiled_of(bench);
	struct sdma_linear linear = linear_of(bench);

	sdma_emit_tiled(stream, bench->version, 2, true, &tiled, &linear, 100, 90);
	sdma_emit_padding(stream);
}

static void not_padded(struct bench *bench, struct sdma_stream *stream)
{
	sdma_emit_nop(stream);
}

static void incomplete(struct bench *bench, struct sdma_stream *stream)
{
	good(bench, stream);
	stream->words[15] = 1; /* begins at the end of the buffer */
}

static void unknown(struct bench *bench, struct sdma_stream *stream)
{
	good(bench, stream);
	stream->words[14] = 0x0601;
}

static void reserved(struct bench *bench, struct sdma_stream *stream)
{
	good(bench, stream);
	stream->words[3] |= 1u << 14;
}

static void unmapped(struct bench *bench, struct sdma_stream *stream)
{
	sdma_emit_linear(stream, bench->version, bench->in.va, 0x1000, 64);
	sdma_emit_padding(stream);
}

static void past_end(struct bench *bench, struct sdma_stream *stream)
{
	sdma_emit_linear(stream, bench->version, bench->in.va + (1 << 20) - 32, bench->out.va, 64);
	sdma_emit_padding(stream);
}

static void writes_source(struct bench *bench, struct sdma_stream *stream)
{
	sdma_emit_linear(stream, bench->version, bench->out.va, bench->in.va, 64);
	sdma_emit_padding(stream);
}

static void outside(struct bench *bench, struct sdma_stream *stream)
{
	struct sdma_tiled tiled = tiled_of(bench);
	struct sdma_linear linear = linear_of(bench);

	tiled.x = 1;
	sdma_emit_tiled(stream, bench->version, 2, true, &tiled, &linear, 100, 90);
	sdma_emit_padding(stream);
}

static void odd_pitch(struct bench *bench, struct sdma_stream *stream)
{
	struct sdma_tiled tiled = tiled_of(bench);
	struct sdma_linear linear = linear_of(bench);

	linear.pitch = 101;
	linear.slice = 101 * 90;
	sdma_emit_tiled(stream, bench->version, 2, true, &tiled, &linear, 100, 90);
	sdma_emit_padding(stream);
}

static void no_such_mode(struct bench *bench, struct sdma_stream *stream)
{
	struct sdma_tiled tiled = tiled_of(bench);
	struct sdma_linear linear = linear_of(bench);

	tiled.swizzle_mode = 8;
	sdma_emit_tiled(stream, bench->version, 2, true, &tiled, &linear, 100, 90);
	sdma_emit_padding(stream);
}

static void off_block(struct bench *bench, struct sdma_stream *stream)
{
	struct sdma_tiled tiled = tiled_of(bench);
	struct sdma_linear linear = linear_of(bench);

	tiled.va += 4096;
	sdma_emit_tiled(stream, bench->version, 2, true, &tiled, &linear, 100, 90);
	sdma_emit_padding(stream);
}

static void too_long(struct bench *bench, struct sdma_stream *stream)
{
	sdma_emit_linear(stream, bench->version, bench->in.va, bench->out.va, 64);
	stream->words[1] = 0x3fffff; /* ends beyond the buffer */
	sdma_emit_padding(stream);
}

static void invalid_packets_fault(void **state)
{
	static void (*const bad[])(struct bench *, struct sdma_stream *) = {not_padded, incomplete,
		unknown, reserved, unmapped, past_end, writes_source, outside, no_such_mode,
		off_block, too_long};

	assert_true(runs("vega10", good));
	assert_true(runs("navi10", good));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(runs("vega10", bad[i]));
		assert_false(runs("navi10", bad[i]));
	}
	/* Valid pitches depend on the generation. */
	assert_false(runs("vega10", odd_pitch));
	assert_true(runs("navi10", odd_pitch));
}

static void memory_that_the_job_does_not_list_faults(void **state)
{
	assert_false(runs_with("navi21", good, 0, 1));
	assert_false(runs_with("navi21", good, 1, 1));
	assert_true(runs_with("navi21", good, 0, 2));
}

/* A packet of a newer version faults on an older engine. */
static void wrong_version(struct bench *bench, struct sdma_stream *stream)
{
	bench->version = SDMA_VERSION(4, 0);
	good(bench, stream);
}

static void packets_of_other_versions_fault(void **state)
{
	assert_false(runs("navi21", wrong_version));
	assert_false(runs("navi48", wrong_version));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invalid_packets_fault),
		cmocka_unit_test(memory_that_the_job_does_not_list_faults),
		cmocka_unit_test(packets_of_other_versions_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
