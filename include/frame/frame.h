#pragma once

/**
 * The frame loop of an output: takes damage from the scene, decides when to draw, draws what
 * changed into the next buffer of its swapchain, commits it, and tells clients what became of their
 * frames.
 *
 * Redraw states: idle (no timer), queued (waiting for the moment to start), flipping (committed,
 * waiting for light), estimated (no damage, but callbacks wait: a vblank is estimated by timer).
 */

#include "backend/output.h"
#include "buffer/allocator.h"
#include "render/render.h"
#include "scene/scene.h"
#include "util/clock.h"

enum frame_state {
	FRAME_IDLE,
	FRAME_QUEUED,
	FRAME_FLIPPING,
	FRAME_ESTIMATED,
};

#define FRAME_HISTORY 8

struct frame_stats {
	uint64_t frames; /* committed */
	uint64_t presented;
	uint64_t pixels_damaged;
	uint64_t missed; /* commits or swapchain acquisitions that failed */
	uint64_t scanouts;
};

/**
 * The renderer shared by the outputs of a GPU. It outlives a lost context, when it gets a new renderer;
 * contents of surfaces are kept per device.
 */
struct frame_device {
	struct gpu *gpu; /* NULL: none */
	struct renderer *renderer;
	struct allocator *allocator;
};

struct frame_output {
	struct scene_output *scene_output;
	struct output *output;
	struct frame_device *device;
	struct clock *clock;
	struct swapchain *swapchain; /* NULL until first needed, and after a mode change */
	enum frame_state state;
	/** Damage of the last frames, newest first, to draw by buffer age. */
	pixman_region32_t history[FRAME_HISTORY];
	int n_history;
	bool scanout_enabled;
	bool frozen; /* device lost: wait for the new renderer */
	struct timer timer;
	int64_t last_present; /* ns; 0 before the first */
	int64_t refresh; /* ns */
	uint32_t commit; /* in flight */
	struct wl_list in_flight; /* presentation_feedback.link of what this commit shows */
	struct frame_stats stats;
	struct wl_listener needs_frame, present, output_needs_frame, destroy;
	struct {
		struct wl_signal presented; /* struct output_present */
		/** A frame's picture is complete in a buffer: struct frame_captured. For captures.
		 */
		struct wl_signal drawn;
		struct wl_signal destroy;
	} events;
};

struct frame_drawn {
	struct frame_output *frame;
	struct buffer *buffer; /* what the output will show */
	const pixman_region32_t *damage; /* output pixels, since the previous frame */
};

struct frame_output *frame_output_create(
	struct scene_output *scene_output, struct frame_device *device, struct clock *clock);
void frame_output_destroy(struct frame_output *frame);
/** Draw soon, even without damage. */
void frame_output_schedule(struct frame_output *frame);
/** The frame loop of a scene output, or NULL. */
struct frame_output *frame_output_find(const struct scene_output *scene_output);

/**
 * After a lost device: forgets textures and buffers of the old renderer (before it is destroyed),
 * then starts again with what is in frame_device.
 */
void frame_device_lost(struct scene *scene, struct frame_device *device);
void frame_device_restored(struct scene *scene, struct frame_device *device);

/** What a surface's content went through on an output in its last frame there. */
struct route_choice frame_route(const struct scene_output *output, const struct surface *surface);

/**
 * Draws a part of the scene into `target` outside of any output's frames, with what clients have
 * committed so far, covered or not: captures. `box` is in global logical coordinates and fills the
 * target. `root` NULL: the whole scene. False if the device was lost or a buffer unreadable.
 */
struct frame_capture {
	struct scene_tree *root;
	struct fbox box;
	enum wl_output_transform transform;
	bool cursor;
	/** Target pixels to draw; NULL: all. */
	const pixman_region32_t *damage;
};
bool frame_capture(struct scene *scene, struct frame_device *device, struct buffer *target,
	const struct frame_capture *capture, int *fence);
