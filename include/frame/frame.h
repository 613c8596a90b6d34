/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Frame loop of an output: takes damage from the scene, decides when to draw, repaints the damage
 * of the next swapchain buffer, commits it, and sends frame callbacks and presentation feedback.
 *
 * States: idle (no timer); queued (a timer starts the frame); flipping (committed, page flip
 * pending); estimated (no damage, but clients wait for callbacks: a timer estimates the vblank).
 */

#include "backend/output.h"
#include "buffer/allocator.h"
#include "content/compose.h"
#include "content/device.h"
#include "content/route.h"
#include "frame/meter.h"
#include "frame/schedule.h"
#include "render/render.h"
#include "scene/scene.h"
#include "util/clock.h"

struct frame_output;

/** Use of variable refresh rate, on outputs that support it. */
enum frame_variable {
	FRAME_VARIABLE_OFF,
	FRAME_VARIABLE_AUTO, /* while a surface of content type game or video fills the output */
	FRAME_VARIABLE_FILLED, /* while any surface fills the output */
	FRAME_VARIABLE_ON,
};

/** User configuration of an output. */
struct frame_display {
	enum frame_variable variable;
	bool tearing; /* a fullscreen surface that asks for tearing gets it */
	bool cpu_composition; /* the CPU composes small changes, so that the GPU can idle */
};

/** Debug overlay, drawn on top of composed output. Captures exclude it. */
enum frame_overlay {
	FRAME_OVERLAY_OFF,
	FRAME_OVERLAY_ROUTES, /* tints each composed surface by its route */
	FRAME_OVERLAY_DAMAGE, /* tints the repainted regions, for one frame */
};

/**
 * Resources given up to leave bandwidth to other outputs of the card. Each level includes those
 * before.
 */
enum frame_economy {
	FRAME_ECONOMY_NONE,
	FRAME_ECONOMY_OVERLAYS, /* no overlay planes */
	/** Composed in linear buffers, or those of the driver's implicit modifier. */
	FRAME_ECONOMY_LAYOUTS,
	FRAME_ECONOMY_DEPTH, /* composed with 8 bits per channel */
	FRAME_ECONOMY_MAX = FRAME_ECONOMY_DEPTH,
};

struct frame_stats {
	uint64_t frames; /* committed */
	uint64_t presented;
	uint64_t pixels_damaged;
	uint64_t missed; /* failed commits and swapchain acquisitions */
	uint64_t ahead; /* frames drawn while another one was in flight */
	uint64_t scanouts; /* frames without composition */
	uint64_t cursors_drawn; /* redrawn images for the cursor plane */
	uint64_t by_cpu; /* frames composed by the CPU instead of the GPU */
	uint64_t tests; /* test commits */
};

/**
 * Returns the time (ns) at which an update of the surface has to apply to be presented at `target`
 * (ns) or as soon as possible after it, by the frames of its primary output. Returns `target` for
 * invisible surfaces.
 */
int64_t frame_apply_time(const struct scene *scene, const struct surface *surface, int64_t target);

struct frame_events {
	struct wl_signal presented; /* struct output_present */
	struct wl_signal
		drawn; /* struct frame_drawn: a frame was committed, composed or scanned out */
	struct wl_signal destroy;
};

struct frame_drawn {
	struct frame_output *frame;
	uint32_t commit; /* serial, as in output_present */
	struct buffer *buffer; /* the buffer on the primary plane */
	const pixman_region32_t *damage; /* output pixels, since the previous frame */
};

struct frame_output *frame_output_create(
	struct scene_output *scene_output, struct render_device *device, struct clock *clock);
void frame_output_destroy(struct frame_output *frame);
/** Sets the meter of latencies and stages; NULL: no measurements. */
void frame_output_set_meter(struct frame_output *frame, struct meter *meter);
/** Returns the signals of the frame loop. */
struct frame_events *frame_output_events(struct frame_output *frame);
const struct frame_stats *frame_output_stats(const struct frame_output *frame);
/** Returns the scheduler, with its measurements and estimates. */
const struct schedule *frame_output_timing(const struct frame_output *frame);
/** Returns the device that composes the output. */
struct render_device *frame_output_device(const struct frame_output *frame);
/** Returns the fence of the last pass, owned by the frame loop, or -1 if none is known. */
int frame_output_fence(const struct frame_output *frame);
/** Applies the user's settings, starting with the next frame. */
void frame_output_configure(struct frame_output *frame, const struct schedule_settings *settings,
	const struct frame_display *display);
/**
 * Takes effect on the next frame. Returns true if a resource in use must be given up; a frame
 * without it is then drawn soon.
 */
bool frame_output_economise(struct frame_output *frame, enum frame_economy economy);
/** Allows or forbids planes other than for the composed buffer, starting with the next frame. */
void frame_output_set_scanout(struct frame_output *frame, bool enabled);
/** Sets the debug overlay, and requests a frame if it changes. */
void frame_output_set_overlay(struct frame_output *frame, enum frame_overlay overlay);
/**
 * Magnifies the output as scene_output_set_lens() does, and requests a frame if that changes it.
 */
void frame_output_magnify(struct frame_output *frame, double factor, struct coord_global at);
/** Returns the frame loop of a scene output, or NULL. */
struct frame_output *frame_output_find(const struct scene_output *scene_output);

/**
 * Drops textures and buffers of the device after its context was lost, and stops its frame loops.
 * Call it before the old renderer is destroyed.
 */
void render_device_lost(struct scene *scene, struct render_device *device);
/**
 * Restarts the frame loops of the device with its new renderer, and damages their outputs. Surfaces
 * whose buffers were released early get new content with their clients' next commit: the caller
 * requests it from them (surface_has_content() without a buffer).
 */
void render_device_restored(struct scene *scene, struct render_device *device);

/** Returns the route of a surface to an output, as of its last frame there. */
struct route_choice frame_route(const struct scene_output *output, const struct surface *surface);
/**
 * Parameters of a capture: draws a part of the scene, as currently committed, into a buffer,
 * independent of the frames of outputs.
 */
struct frame_capture {
	struct scene_tree *root;
	struct fbox box;
	/** Pixels per logical pixel; 0: derived from the box's width. */
	double scale;
	enum wl_output_transform transform;
	bool cursor;
	/** Target pixels to draw; NULL: all. */
	const pixman_region32_t *damage;
	/** Fail with FRAME_CAPTURE_LATE while copies between GPUs are pending. */
	bool waits;
	/**
	 * Draw the device's older pixels of contents that are too large to upload within a frame.
	 */
	bool as_shown;
};

enum frame_capture_result {
	FRAME_CAPTURE_FAILED,
	FRAME_CAPTURE_DRAWN,
	FRAME_CAPTURE_LATE, /* nothing was drawn: retry at render_device.events.copy_ended */
};

/**
 * Draws a capture, which fills `target`. Sets `fence` to the fence of the pass, owned by the
 * caller, or -1. Fails if the device was lost or `target` cannot be drawn to.
 */
enum frame_capture_result frame_capture(struct scene *scene, struct render_device *device,
	struct buffer *target, const struct frame_capture *capture, int *fence);
