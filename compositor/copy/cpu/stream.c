/* SPDX-License-Identifier: MIT */
/* Streaming reads: one loop per instruction set, of the same shape. */

#include "copy/cpu/stream.h"
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define X86 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define LINE ((size_t)64)

/* Loops read whole lines of the source and return the bytes done. */
typedef size_t stream_loop(uint8_t *to, const uint8_t *from, size_t size);
typedef void stream_line(uint8_t *to, const uint8_t *from);

/* memcpy() may read bytes twice, backwards, or one at a time. */
static size_t loop_plain(uint8_t *to, const uint8_t *from, size_t size)
{
	const volatile uint64_t *in = (const volatile uint64_t *)(const void *)from;
	size_t n = size / sizeof(*in);
	for (size_t i = 0; i < n; i++) {
		uint64_t word = in[i];
		memcpy(to + i * sizeof(word), &word, sizeof(word));
	}
	return n * sizeof(*in);
}

static void line_plain(uint8_t *to, const uint8_t *from)
{
	loop_plain(to, from, LINE);
}

#ifdef X86
/*
 * Loads are grouped by lines, before the first store: a line in a streaming buffer is lost when
 * other accesses intervene.
 */
#define DEFINE_LOOP(name, isa, vector, load, store)                                                \
	__attribute__((target(isa))) static size_t name(                                           \
		uint8_t *to, const uint8_t *from, size_t size)                                     \
	{                                                                                          \
		size_t done = 0;                                                                   \
		for (; size - done >= 8 * sizeof(vector); done += 8 * sizeof(vector)) {            \
			vector *in = (vector *)(void *)(uintptr_t)(from + done);                   \
			vector *out = (vector *)(void *)(to + done);                               \
			vector a = load(in), b = load(in + 1), c = load(in + 2), d = load(in + 3); \
			vector e = load(in + 4), f = load(in + 5), g = load(in + 6);               \
			vector h = load(in + 7);                                                   \
			store(out, a);                                                             \
			store(out + 1, b);                                                         \
			store(out + 2, c);                                                         \
			store(out + 3, d);                                                         \
			store(out + 4, e);                                                         \
			store(out + 5, f);                                                         \
			store(out + 6, g);                                                         \
			store(out + 7, h);                                                         \
		}                                                                                  \
		return done;                                                                       \
	}

DEFINE_LOOP(loop_sse41, "sse4.1", __m128i, _mm_stream_load_si128, _mm_storeu_si128)
DEFINE_LOOP(loop_avx2, "avx2", __m256i, _mm256_stream_load_si256, _mm256_storeu_si256)
DEFINE_LOOP(loop_avx512, "avx512f", __m512i, _mm512_stream_load_si512, _mm512_storeu_si512)

__attribute__((target("sse4.1"))) static void line_sse41(uint8_t *to, const uint8_t *from)
{
	__m128i *in = (__m128i *)(void *)(uintptr_t)from, *out = (__m128i *)(void *)to;
	__m128i a = _mm_stream_load_si128(in), b = _mm_stream_load_si128(in + 1);
	__m128i c = _mm_stream_load_si128(in + 2), d = _mm_stream_load_si128(in + 3);
	_mm_storeu_si128(out, a);
	_mm_storeu_si128(out + 1, b);
	_mm_storeu_si128(out + 2, c);
	_mm_storeu_si128(out + 3, d);
}
#endif

#ifdef __aarch64__
static void line_neon(uint8_t *to, const uint8_t *from)
{
	vst1q_u8_x4(to, vld1q_u8_x4(from));
}

static size_t loop_neon(uint8_t *to, const uint8_t *from, size_t size)
{
	size_t done = 0;
	for (; size - done >= LINE; done += LINE) {
		line_neon(to + done, from + done);
	}
	return done;
}
#endif

static const struct {
	const char *name;
	stream_loop *loop; /* NULL: not in this build */
	stream_line *line;
} methods[STREAM_METHODS] = {
	[STREAM_PLAIN] = {"plain", loop_plain, line_plain},
#ifdef __aarch64__
	[STREAM_NEON] = {"neon", loop_neon, line_neon},
#else
	[STREAM_NEON] = {"neon", NULL, NULL},
#endif
#ifdef X86
	[STREAM_SSE41] = {"sse4.1", loop_sse41, line_sse41},
	[STREAM_AVX2] = {"avx2", loop_avx2, line_sse41},
	[STREAM_AVX512] = {"avx512", loop_avx512, line_sse41},
#else
	[STREAM_SSE41] = {"sse4.1", NULL, NULL},
	[STREAM_AVX2] = {"avx2", NULL, NULL},
	[STREAM_AVX512] = {"avx512", NULL, NULL},
#endif
};

const char *stream_method_name(enum stream_method method)
{
	return methods[method].name;
}

bool stream_method_available(enum stream_method method)
{
	if (!methods[method].loop) {
		return false;
	}
#ifdef X86
	switch (method) {
	case STREAM_SSE41: return __builtin_cpu_supports("sse4.1");
	case STREAM_AVX2: return __builtin_cpu_supports("avx2");
	case STREAM_AVX512: return __builtin_cpu_supports("avx512f");
	default: break;
	}
#endif
	return true;
}

enum stream_method stream_method_best(void)
{
	for (int i = STREAM_METHODS - 1; i > STREAM_PLAIN; i--) {
		if (stream_method_available((enum stream_method)i)) {
			return (enum stream_method)i;
		}
	}
	return STREAM_PLAIN;
}

/* Part of a line: fetching the whole line costs the same. */
static size_t read_part(stream_line *line, uint8_t *to, const uint8_t *from, size_t size)
{
	size_t skip = (uintptr_t)from % LINE, n = LINE - skip < size ? LINE - skip : size;
	_Alignas(64) uint8_t whole[LINE];
	line(whole, from - skip);
	memcpy(to, whole + skip, n);
	return n;
}

void stream_read(enum stream_method method, void *to, const void *from, size_t size)
{
	uint8_t *out = to;
	const uint8_t *in = from;
	size_t done = 0;
	if (size > 0 && (uintptr_t)in % LINE != 0) {
		done = read_part(methods[method].line, out, in, size);
	}
	done += methods[method].loop(out + done, in + done, (size - done) / LINE * LINE);
	for (; size - done >= LINE; done += LINE) {
		methods[method].line(out + done, in + done);
	}
	if (done < size) {
		read_part(methods[method].line, out + done, in + done, size - done);
	}
}
