/* SPDX-License-Identifier: MIT */
/* Fuzz target: the cache of formats and layouts. */

#include "fuzz/target.h"
#include "gpu/format_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gpu_facts facts;
	FILE *stream = target_open(data, size);
	if (format_cache_read(stream, "key", &facts)) {
		gpu_facts_finish(&facts);
	}
	fclose(stream);
	return 0;
}
