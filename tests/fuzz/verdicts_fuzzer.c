/* SPDX-License-Identifier: MIT */
/* Fuzz target: the cache of verdicts about copies between two GPUs. */

#include "fuzz/target.h"
#include "staging/verdict.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct verdict_table table = {0};
	FILE *stream = target_open(data, size);
	verdict_table_read(&table, stream, "heading");
	fclose(stream);
	for (size_t i = 0; i < table.n; i++) {
		const struct verdict_entry *entry = &table.entries[i];
		for (size_t at = 0; at < i; at++) {
			if (strcmp(entry->key, table.entries[at].key) == 0) {
				abort();
			}
		}
		if (entry->verdict != VERDICT_EXACT && entry->verdict != VERDICT_WRONG) {
			abort();
		}
	}
	verdict_table_finish(&table);
	return 0;
}
