#pragma once

/** The KMS backend, as it ships, on the emulated cards of a test; and what tests do with it. */

#include "backend/drm.h"
#include "backend/output.h"
#include "fake.h"
#include "gpu/gpu.h"
#include "util/clock.h"

struct allocator;
struct session;

#define RIG_MAX_OUTPUTS 64

/** An output that the backend brought, and what it said last. */
struct rig_output {
	struct rig *rig;
	struct output *output; /* NULL: gone */
	struct output_present present; /* of the last frame; commit 0: none yet */
	int n_presents, n_needed; /* needs_frame */
	struct wl_listener on_present, on_needs_frame, on_destroy;
};

struct rig {
	struct wl_event_loop *loop;
	struct clock *clock; /* a test clock */
	struct session *session;
	struct gpu_list gpus;
	struct backend *backend;
	struct rig_output outputs[RIG_MAX_OUTPUTS];
	int n_outputs; /* that there ever were */
	struct wl_listener new_output;
};

/** After cards were made and screens plugged in. */
struct rig *rig_create(void);
/** Forgets the cards too. */
void rig_destroy(struct rig *rig);
/** Until nothing more happens by itself. */
void rig_turn(struct rig *rig);
/** The living output of that name; NULL: there is none. */
struct rig_output *rig_find(struct rig *rig, const char *name);
/** Sets it so, if a test says yes, and waits until the card is done. */
bool rig_set(struct rig_output *output, const struct output_state *state);
/** Variable or not, if a test says yes; without a turn of the loop. */
bool rig_set_rate(struct rig_output *output, bool variable);
/** Switches it on in its preferred mode, as rig_set() does; false if the backend refuses. */
bool rig_light(struct rig_output *output);
/** Of the output's card, filled; the caller drops it. */
struct buffer *rig_buffer(struct rig *rig, const struct output *output, int32_t width,
	int32_t height, uint32_t format, uint32_t pixel);
/** A buffer on the primary plane, whole. */
struct plane_state *rig_fill_state(
	struct output_state *state, const struct output *output, struct buffer *buffer);
/** A frame of that colour on its primary plane, with a fence or -1. The commit's number, or 0. */
uint32_t rig_show(struct rig *rig, struct rig_output *output, uint32_t pixel, int fence);
