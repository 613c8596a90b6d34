/* SPDX-License-Identifier: MIT */
#pragma once

/** Test rig for the DRM backend: a session, a test clock and a backend on emulated cards. */

#include "backend/drm.h"
#include "backend/output.h"
#include "fake.h"
#include "gpu/gpu.h"
#include "util/clock.h"

struct allocator;
struct session;

#define RIG_OUTPUTS_MAX 64

/** Output of the backend, with the events that it sent. */
struct rig_output {
	struct rig *rig;
	struct output *output; /* NULL: destroyed */
	struct output_present present; /* event of the last frame; commit 0: none yet */
	int n_presents, n_needed; /* needs_frame events */
	struct wl_listener on_present, on_needs_frame, on_destroy;
	struct wl_listener on_request; /* for the test */
};

struct rig {
	struct wl_event_loop *loop;
	struct clock *clock; /* a test clock */
	struct session *session;
	struct gpu_list gpus;
	struct backend *backend;
	struct rig_output outputs[RIG_OUTPUTS_MAX];
	int n_outputs; /* number of outputs created so far */
	int n_descriptors; /* open ones before the start */
	bool holds_probes; /* rig_dispatch() does not wait for connector probes */
	struct wl_listener new_output;
};

/** Starts a backend on the cards and screens created before. */
struct rig *rig_create(void);
struct rig *rig_create_with(const struct drm_options *options);
/** Destroys the backend and all cards. */
void rig_destroy(struct rig *rig);
/** Dispatches the event loop until no events and connector probes are left. */
void rig_dispatch(struct rig *rig);
/** Dispatches events until no thread of the backend works. */
void rig_wait_for_tasks(struct rig *rig);
/** Dispatches events until the count reaches `n`; fails the test after ten seconds. */
void rig_wait(struct rig *rig, const int *count, int n);
/** Returns the existing output of that name, or NULL. */
struct rig_output *rig_find(struct rig *rig, const char *name);
/** Tests and commits a state, then dispatches events. Returns whether both succeeded. */
bool rig_set(struct rig_output *output, const struct output_state *state);
/** Enables or disables adaptive sync after a test. Does not dispatch events. */
bool rig_set_rate(struct rig_output *output, bool variable);
/**
 * Enables the output in its preferred mode, as rig_set() does. Returns false if the backend
 * refuses.
 */
bool rig_enable(struct rig_output *output);
/** Creates a linear buffer on the output's card, filled with `pixel`. The caller drops it. */
struct buffer *rig_buffer(struct rig *rig, const struct output *output, int32_t width,
	int32_t height, uint32_t format, uint32_t pixel);
/** Adds the primary plane with the whole buffer to a state. */
struct plane_state *rig_fill_state(
	struct output_state *state, const struct output *output, struct buffer *buffer);
/**
 * Commits a frame of that color on the primary plane, with an acquire fence or -1. Returns the
 * commit's number, or 0.
 */
uint32_t rig_show(struct rig *rig, struct rig_output *output, uint32_t pixel, int fence);
