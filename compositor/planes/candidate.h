/* SPDX-License-Identifier: MIT */
#pragma once

/** Results of frames for the scan-out candidates of planes/scanout.h. */

#include "assign.h"
#include "planes/scanout.h"

/**
 * Notes the result of an entry in a frame at `now` (ns); `assigned` NULL: not considered. Emits
 * events.changed if the surface becomes or stops being a candidate.
 */
void scanout_candidate_note(struct scene_output *output, const struct scene_entry *entry,
	const struct assign_entry *assigned, int64_t now);
/** Stops the entry's surface from being a candidate. */
void scanout_candidate_drop(struct scene_output *output, const struct scene_entry *entry);
