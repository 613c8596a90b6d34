/* SPDX-License-Identifier: MIT */
/* Picture files: limits of their decoders. */

#include "picture_file.h"
#include "util/xalloc.h"

char *picture_check_size(int64_t width, int64_t height, int size_most)
{
	if (width < 1 || height < 1 || width > size_most || height > size_most ||
		width * height > PICTURE_PIXELS_MAX) {
		return xasprintf(
			"%lldx%lld pixels are too many", (long long)width, (long long)height);
	}
	return NULL;
}
