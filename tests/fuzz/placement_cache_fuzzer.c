/* Fuzz target: the cache of memory placements. */

#include "copy/placement.h"
#include "fuzz/target.h"
#include "util/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct placement_table table;
	placement_table_init(&table, xstrdup("heading"));
	FILE *stream = target_open(data, size);
	placement_table_read(&table, stream);
	fclose(stream);
	placement_table_finish(&table);
	return 0;
}
