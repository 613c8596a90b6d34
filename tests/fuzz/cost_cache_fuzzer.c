/* SPDX-License-Identifier: MIT */
/* Fuzz target: the cache of copy costs. */

#include "copy/cost.h"
#include "fuzz/target.h"
#include <stdlib.h>

static void check_line(void *data, const char *kind, const char *direction, const char *to,
	const struct cost_line *line)
{
	if (!(line->bandwidth > 0) || cost_estimate(line, UINT32_MAX, 1, true) < 0) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cost_table table;
	cost_table_init(&table);
	FILE *stream = target_open(data, size);
	cost_table_read(&table, stream);
	fclose(stream);
	cost_table_each(&table, "a", check_line, NULL);
	cost_table_get(&table, "a>b", COST_CPU, COST_IN);
	cost_table_finish(&table);
	return 0;
}
