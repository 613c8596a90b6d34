/* SPDX-License-Identifier: MIT */
/* Streaming reads of uncached memory. */

#include "copy/cpu/stream.h"
#include "harness/unit.h"
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)

/* Sizes up to 2 KiB at random alignments, by every method that the CPU supports. */
static void every_method_reads_exactly_the_bytes(void **state)
{
	uint8_t *from =
		mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t to[2048 + 32];

	assert_true(from != MAP_FAILED);
	for (size_t i = 0; i < 4 * PAGE; i++) {
		from[i] = (uint8_t)random_between(0, 255);
	}
	assert_true(stream_method_available(stream_method_best()));
	for (int method = 0; method < STREAM_METHODS; method++) {
		if (!stream_method_available((enum stream_method)method)) {
			continue;
		}
		for (size_t size = 0; size < 2048; size += size < 700 ? 1 : 61) {
			size_t skip = (size_t)random_between(0, 200);
			size_t at = (size_t)random_between(0, 15);

			memset(to, 0xa5, sizeof(to));
			stream_read((enum stream_method)method, to + at, from + skip, size);
			assert_memory_equal(to + at, from + skip, size);
			for (size_t i = 0; i < sizeof(to); i++) {
				if (i < at || i >= at + size) {
					assert_int_equal(to[i], 0xa5);
				}
			}
		}
	}
	munmap(from, 4 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_method_reads_exactly_the_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
