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

/**
 * A surface whose client wants to know which plane shows it, or could if its buffers were allocated
 * for that plane. Frames track only surfaces that have this state.
 */
struct scanout_candidate {
	struct {
		/** struct scanout_candidate: scanout_candidate_plane() returns another result. */
		struct wl_signal changed;
	} events;

	/* private */
	struct surface *surface;
	struct addon addon; /* on the surface */
	struct scene_output *output; /* announced by events.changed; NULL: none */
	struct wl_listener output_destroy;
	int plane; /* index in output.planes */
	int64_t since, seen; /* ns; seen 0: no candidate */
};

/**
 * Returns the surface's state, which is created by the first call and destroyed with the surface.
 */
struct scanout_candidate *scanout_candidate_get(struct surface *surface);
/**
 * Returns the plane that the surface was announced to be a candidate for, and its output; NULL if
 * there is none.
 */
const struct plane *scanout_candidate_plane(
	const struct scanout_candidate *candidate, const struct output **output);
