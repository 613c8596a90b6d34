#pragma once

/**
 * Planes: which entries of an output's list go on a plane instead of being composed. Pure but for
 * the backend's test.
 */

#include "backend/output.h"
#include "copy/route.h"
#include <pixman.h>

#define ASSIGN_MAX_CANDIDATES 16

/** An entry of the output's list, top first. */
struct assign_candidate {
	/** NULL: cannot be on a plane (a rect, content without a buffer); it only occludes. */
	struct buffer *buffer;
	bool system_memory;
	bool foreign; /* never handed to the backend: a test would make the kernel move it */
	struct fbox src;
	struct box dst;
	enum wl_output_transform transform;
	float alpha;
	bool opaque; /* all of dst */
	/** Result: the plane, or NULL and why. */
	const struct plane *plane;
	enum route_reason reason;
	/** What it was given last time: tried first, so that nothing flaps. */
	const struct plane *previous;
};

struct assign_request {
	int32_t width, height; /* output pixels */
	const struct plane *const *planes;
	int n_planes;
	struct assign_candidate *candidates; /* top first */
	int n_candidates;
	/** The candidates are all that shows; false: there was more than fits. */
	bool complete;
	bool scanout_allowed; /* else REASON_DISABLED or REASON_CAPTURE, as in refused */
	enum route_reason refused;
	/** Asks the backend with the buffers that will be shown. */
	bool (*test)(void *data, const struct output_state *state);
	void *data;
	/** Result when planes were given: exactly as tested last, to be committed. */
	struct output_state state;
};

/**
 * Fills in every candidate's plane and reason. True if the primary plane shows a candidate: then
 * nothing has to be composed and `state` is the frame.
 */
bool assign_planes(struct assign_request *request);
