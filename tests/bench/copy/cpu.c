/* SPDX-License-Identifier: MIT */
/* Reads and writes of memory types by the CPU, with each method. */

#include "bench.h"
#include "copy/cpu/stream.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define SIZE ((size_t)16 << 20)
#define QUICK_SIZE ((size_t)64 << 10)
#define MIB 1048576.0

typedef void method(void *to, const void *from, size_t size);

static void by_memcpy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
}

static void by_plain(void *to, const void *from, size_t size)
{
	stream_read(STREAM_PLAIN, to, from, size);
}

static void by_neon(void *to, const void *from, size_t size)
{
	stream_read(STREAM_NEON, to, from, size);
}

static void by_sse41(void *to, const void *from, size_t size)
{
	stream_read(STREAM_SSE41, to, from, size);
}

static void by_avx2(void *to, const void *from, size_t size)
{
	stream_read(STREAM_AVX2, to, from, size);
}

static void by_avx512(void *to, const void *from, size_t size)
{
	stream_read(STREAM_AVX512, to, from, size);
}

#ifdef __x86_64__
/* As many loads in flight as there are registers: an upper bound for hand-written code. */
__attribute__((target("avx512f"))) static void by_hand(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i += 2048) {
		__m512i *in = (__m512i *)(void *)((uint8_t *)(uintptr_t)from + i);
		__m512i *out = (__m512i *)(void *)((uint8_t *)to + i), line[32];

#pragma GCC unroll 32
		for (int j = 0; j < 32; j++) {
			line[j] = _mm512_stream_load_si512(in + j);
		}
#pragma GCC unroll 32
		for (int j = 0; j < 32; j++) {
			_mm512_storeu_si512(out + j, line[j]);
		}
	}
}

static void write_sse2(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i += 16) {
		__m128i value =
			_mm_loadu_si128((const __m128i *)(const void *)((const uint8_t *)from + i));

		_mm_stream_si128((__m128i *)(void *)((uint8_t *)to + i), value);
	}
	_mm_sfence();
}

__attribute__((target("avx512f"))) static void write_avx512(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i += 64) {
		__m512i value = _mm512_loadu_si512((const uint8_t *)from + i);

		_mm512_stream_si512((__m512i *)(void *)((uint8_t *)to + i), value);
	}
	_mm_sfence();
}
#endif

struct column {
	const char *name;
	method *run;
	bool writes;
	int needs; /* an enum stream_method */
};

static const struct column columns[] = {
	{"rd memcpy", by_memcpy, false, STREAM_PLAIN},
	{"rd plain", by_plain, false, STREAM_PLAIN},
	{"rd neon", by_neon, false, STREAM_NEON},
	{"rd sse4.1", by_sse41, false, STREAM_SSE41},
	{"rd avx2", by_avx2, false, STREAM_AVX2},
	{"rd avx512", by_avx512, false, STREAM_AVX512},
#ifdef __x86_64__
	{"rd by hand", by_hand, false, STREAM_AVX512},
#endif
	{"wr memcpy", by_memcpy, true, STREAM_PLAIN},
#ifdef __x86_64__
	{"wr sse2 nt", write_sse2, true, STREAM_SSE41},
	{"wr av512 nt", write_avx512, true, STREAM_AVX512},
#endif
};

#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static double measure(const struct column *column, uint8_t *memory, uint8_t *own, size_t size)
{
	double rates[BENCH_ROUNDS];

	for (int i = 0; i < BENCH_ROUNDS; i++) {
		int64_t start = target_now();

		if (column->writes) {
			column->run(memory, own, size);
		} else {
			column->run(own, memory, size);
		}
		rates[i] = (double)size / MIB / ((double)(target_now() - start) * 1e-9);
	}
	return table_median(rates, BENCH_ROUNDS);
}

static void measure_memory(
	struct table *table, struct target_gpu *gpu, enum target_memory memory, size_t size)
{
	struct target_linear linear;
	double values[N_COLUMNS];
	uint8_t *own;

	if (target_linear_init(&linear, gpu, memory, 4, 1024, (uint32_t)(size / 4096)) < 0) {
		return;
	}
	own = aligned_alloc(4096, size);
	if (!own) {
		target_fail("no memory");
	}
	target_scramble(own, size, 7);
	memcpy(linear.map, own, size);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		values[i] = stream_method_available((enum stream_method)columns[i].needs)
				    ? measure(&columns[i], linear.map, own, size)
				    : NAN;
	}
	table_row(table, target_memory_name(memory), values);
	free(own);
	target_linear_finish(&linear, gpu);
}

void bench_cpu(struct bench *bench)
{
	const char *names[N_COLUMNS + 2] = {"memory"};
	struct table table;
	struct target_gpu *gpu = NULL;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		names[i + 1] = columns[i].name;
	}
	for (int i = 0; i < BENCH_KINDS && !gpu; i++) {
		gpu = bench->has[i] ? &bench->gpus[i] : NULL;
	}
	table_begin(&table, bench->json, "cpu", "CPU, one thread, MiB/s", names);
	for (int i = TARGET_BAR; gpu && i < TARGET_MEMORIES; i++) {
		measure_memory(
			&table, gpu, (enum target_memory)i, bench->quick ? QUICK_SIZE : SIZE);
	}
	table_end(&table);
}
