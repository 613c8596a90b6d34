/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Scan-out: puts entries of an output's list on hardware planes, from the clients' own buffers.
 *
 * Sets the place of each entry in the scene's list, and damages the parts of the composed buffer
 * that a change of places invalidates.
 */

#include "backend/output.h"
#include "content/device.h"
#include "scene/scene.h"

struct scanout;

struct scanout_plan {
	struct output_state *state; /* owned by the scanout, until its next plan */
	/**
	 * The first plane of `state` is for the composed buffer. False: there is no composed
	 * buffer.
	 */
	bool composes;
	int n_tests; /* number of test commits */
	bool cursor_drawn; /* the image for the cursor plane was redrawn */
};

struct scanout *scanout_create(
	struct scene_output *scene_output, struct render_device *device, struct clock *clock);
/** Destroys the scanout. NULL is legal. */
void scanout_destroy(struct scanout *scanout);
/**
 * Decides which entries go on planes. Call scene_update() first. `composed` is a buffer like the
 * composed one, for test commits; NULL: composition is impossible. Without `overlays`, overlay
 * planes stay unused.
 */
struct scanout_plan scanout_decide(struct scanout *scanout, struct buffer *composed, bool overlays);
/** Returns a plan that composes all entries, for an output whose planes must not be used. */
struct scanout_plan scanout_disable(struct scanout *scanout);
/**
 * Returns the reason why the last plan composes the node, REASON_BEST if it is on a plane. Cursors
 * share one answer.
 */
enum route_reason scanout_reason(const struct scanout *scanout, const struct scene_node *node);
/** Makes the entries on planes back off, after a commit of the last plan failed. */
void scanout_forget(struct scanout *scanout);
/**
 * Discards the cached assignment, so that the next plan tests all planes again. Returns true if an
 * overlay plane is in use.
 */
bool scanout_reconsider(struct scanout *scanout);
