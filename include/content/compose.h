#pragma once

/** Drawing a list of entries: what outputs' frames and captures share. */

#include "content/device.h"

/** When the stages of a pass began, ns of `clock`. */
struct compose_times {
	struct clock *clock;
	int64_t begun, uploaded, submitted;
	uint64_t bytes, pixels; /* uploaded, and drawn */
	uint64_t pass; /* for renderer_pass_time() */
};

struct compose_list {
	const struct scene_entry *entries; /* top first */
	int n_entries;
	const pixman_region32_t *uncovered;
	const float *background; /* RGBA */
	bool exact; /* a picture for somebody: nothing of it may come later */
	/** Draws on top of the entries; NULL: nothing does. */
	void (*overlay)(void *data, struct render_pass *pass, const pixman_region32_t *damage);
	void *data;
};

/** The part of an entry that is composed there; false if there is none. */
bool compose_region(
	const struct scene_entry *entry, const pixman_region32_t *damage, pixman_region32_t *out);
/**
 * Draws `damage` (target pixels) of the list into `target`. Contents are brought up to date before the
 * pass begins. *fence is the pass's, to be closed by the caller, or -1. False if the device was lost
 * or the target cannot be drawn to. `times` may be NULL; its clock is the caller's to set.
 */
bool compose_draw(struct render_device *device, const struct compose_list *list,
	struct buffer *target, const pixman_region32_t *damage, int *fence,
	struct compose_times *times);
