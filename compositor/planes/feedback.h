#pragma once

/** Surfaces that planes show, or would if their buffers were of another kind. */

#include "assign.h"
#include "scene/scene.h"

/**
 * What has become of the entry in a frame at `now` (ns); NULL: it was not looked at. Told by
 * scene.events.candidate when it has been one for a moment, and when it has been none for a while.
 */
void scanout_feedback_note(const struct scene_output *output, const struct scene_entry *entry,
	const struct assign_entry *assigned, int64_t now);
/** It is none any more. */
void scanout_feedback_drop(const struct scene_output *output, const struct scene_entry *entry);
