/* SPDX-License-Identifier: MIT */
/* References to the outputs that wlr-screencopy-unstable-v1 captures. */

#include "screencopy.h"
#include "util/event_source.h"
#include <stdlib.h>

struct screencopy_output *screencopy_output_ref(struct screencopy_output *output)
{
	output->n_refs++;
	return output;
}

void screencopy_output_unref(struct screencopy_output *output)
{
	if (--output->n_refs > 0) {
		return;
	}
	event_source_remove(&output->idle);
	wl_list_remove(&output->source_damage.link);
	wl_list_remove(&output->source_resized.link);
	wl_list_remove(&output->source_gone.link);
	wl_list_remove(&output->link);
	capture_source_unref(output->source);
	screencopy_sequences_finish(output);
	free(output);
}
