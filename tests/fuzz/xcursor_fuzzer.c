/* SPDX-License-Identifier: MIT */
/* Fuzz target: Xcursor files. The first byte is the requested size. */

#include "fuzz/target.h"
#include "seat/theme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor_animation animation = {0};
	if (size > 0 && xcursor_parse(data + 1, size - 1, data[0], &animation)) {
		cursor_animation_finish(&animation);
	}
	return 0;
}
