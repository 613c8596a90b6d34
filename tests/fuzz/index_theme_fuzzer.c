/* SPDX-License-Identifier: MIT */
/* Fuzz target: index.theme of cursor themes. */

#include "fuzz/target.h"
#include "seat/theme.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = target_text(data, size);
	free(xcursor_parse_index(text));
	free(text);
	return 0;
}
