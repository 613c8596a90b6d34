/* SPDX-License-Identifier: MIT */
#pragma once

/** Scan-out candidates: surfaces that planes show, or could show with other buffers. */

#include "assign.h"
#include "scene/scene.h"

/**
 * Notes the result of an entry in a frame at `now` (ns); `assigned` NULL: not considered. Emits
 * scene.events.candidate if the surface becomes or stops being a candidate.
 */
void scanout_feedback_note(const struct scene_output *output, const struct scene_entry *entry,
	const struct assign_entry *assigned, int64_t now);
/** Stops the entry's surface from being a candidate. */
void scanout_feedback_drop(const struct scene_output *output, const struct scene_entry *entry);
