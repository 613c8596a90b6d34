/* SPDX-License-Identifier: MIT */
#pragma once

/** Composition: draws a list of entries into a buffer, for frames of outputs and for captures. */

#include "content/device.h"

/** Start times of the stages of a composition, ns of `clock`. */
struct compose_times {
	struct clock *clock;
	int64_t begun, uploaded, submitted;
	uint64_t bytes, pixels; /* uploaded bytes, and drawn pixels */
	uint64_t pass; /* for renderer_pass_time() */
};

struct compose_list {
	const struct scene_entry *entries; /* top first */
	int n_entries;
	const pixman_region32_t *uncovered;
	const float *background; /* RGBA */
	bool exact; /* for a capture: uploads must not be deferred */
	/** Draws on top of the entries; may be NULL. */
	void (*overlay)(void *data, struct render_pass *pass, const pixman_region32_t *damage);
	void *data;
};

/** Computes the part of an entry that is composed within `damage`. Returns false if it is empty. */
bool compose_region(
	const struct scene_entry *entry, const pixman_region32_t *damage, pixman_region32_t *out);
/**
 * Draws `damage` (target pixels) of the list into `target`. Contents are updated before the pass
 * begins. Sets `fence` to the pass's fence, owned by the caller, or -1. Returns false if the device
 * was lost or `target` cannot be drawn to. `times` may be NULL; its clock must be set.
 */
bool compose_draw(struct render_device *device, const struct compose_list *list,
	struct buffer *target, const pixman_region32_t *damage, int *fence,
	struct compose_times *times);
