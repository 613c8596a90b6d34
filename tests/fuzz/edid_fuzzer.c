/* SPDX-License-Identifier: MIT */
/* Fuzz target: EDIDs. */

#include "backend/drm/drm.h"
#include "fuzz/target.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drm_output output = {.base = {.name = (char *)"DP-1"}};
	drm_output_parse_edid(&output, data, size);
	if (!output.base.description) {
		abort();
	}
	free(output.base.make);
	free(output.base.model);
	free(output.base.serial);
	free(output.base.description);
	return 0;
}
