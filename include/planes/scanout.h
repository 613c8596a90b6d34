#pragma once

/**
 * Scan-out of an output: which entries of its list go on planes, from their own buffers.
 *
 * Takes the list of the scene, fills in the place of each entry and damages the parts of the composed
 * buffer that a change of places invalidates.
 */

#include "backend/output.h"
#include "content/device.h"
#include "scene/scene.h"

struct scanout;

struct scanout_plan {
	struct output_state *state; /* owned by the scanout, until its next plan */
	/** The first plane of `state` is for the composed buffer; false: nothing is composed. */
	bool composes;
	int n_tests; /* how often the backend was asked */
	bool cursor_drawn; /* the image for the cursor plane was drawn anew */
};

struct scanout *scanout_create(
	struct scene_output *scene_output, struct render_device *device, struct clock *clock);
/** NULL is legal. */
void scanout_destroy(struct scanout *scanout);
/**
 * Decides which entries go on planes, after scene_update(). `composed` is a buffer like the composed
 * one, to test with; NULL: nothing can be composed. Without `overlays`, overlay planes stay unused.
 */
struct scanout_plan scanout_decide(struct scanout *scanout, struct buffer *composed, bool overlays);
/** Composes everything: the plan for an output whose planes may not be used. */
struct scanout_plan scanout_disable(struct scanout *scanout);
/** Makes entries on planes back off, after a commit of the last plan failed. */
void scanout_forget(struct scanout *scanout);
/** Decides anew about all planes with the next plan. Returns true if an overlay plane is in use. */
bool scanout_reconsider(struct scanout *scanout);
