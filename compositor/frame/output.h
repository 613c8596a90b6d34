/* SPDX-License-Identifier: MIT */
#pragma once

/** State of an output's frame loop, private to frame/. */

#include "frame/frame.h"

enum frame_state {
	FRAME_IDLE,
	FRAME_QUEUED,
	FRAME_FLIPPING,
	FRAME_ESTIMATED,
};

/**
 * CPU composition (cpu_composer.c): starts after a number of consecutive frames with little damage,
 * all of it readable by the CPU; ends after a number of consecutive frames without.
 */
struct cpu_composer {
	struct cpu_composer_limits {
		int enter, leave; /* frames */
		int share; /* little damage: at most 1/share of the output's pixels */
	} limits;
	bool shared; /* the swapchain's buffers can be drawn to by both CPU and GPU */
	bool refused; /* such buffers could not be allocated, or were refused */
	int streak; /* consecutive frames in favour of a change */
	/** Number of times that limits.enter is doubled, because CPU composition ended early. */
	int doubled;
	uint64_t entered; /* stats.frames at the start */
	/**
	 * Largest number of damaged pixels that are cheaper by CPU, and stats.frames + 1 at its
	 * computation.
	 */
	uint64_t most, weighed;
};

#define FRAME_DAMAGE_HISTORY 8

/** The state of an output in which it refuses a setting. */
struct frame_setting {
	struct output_mode mode;
	int32_t bit_depth;
	uint32_t planes_id, planes; /* planes: bits of those in use */
	uint32_t format; /* of the primary plane's buffer */
};

/**
 * A refused setting: output_hints.c. It is tested again in another state, and in the same state
 * after a pause if the refusal may pass.
 */
struct frame_refusal {
	bool counts, may_pass;
	bool fresh; /* of the last frame */
	int wish; /* the refused value */
	int n_tries; /* that may still pass */
	int64_t tested; /* ns; the last test */
	struct frame_setting setting;
};

/** Settings that a fullscreen surface requests. */
struct frame_hints {
	struct frame_refusal variable, content, tearing;
	bool tears; /* tearing is requested, and the output supports it */
	uint32_t sent; /* enum output_field; of the last commit */
	bool adaptive_sync; /* sent */
	enum output_content content_type; /* sent */
	struct timer timer; /* draws a frame to test again */
};

/** A composed buffer that is drawn and not yet committed. */
struct frame_painted {
	struct buffer *buffer; /* locked; NULL: none */
	int64_t began; /* ns; start of the work on it */
	int fence; /* of its pass, owned; -1: finished */
	bool first; /* the buffer was just allocated */
	struct compose_times times;
};

struct frame_output {
	struct scene_output *scene_output;
	struct output *output;
	struct render_device *device;
	struct clock *clock;
	struct swapchain *swapchain; /* NULL until first needed, and after a mode change */
	bool deep, plain, shared; /* state at the creation of the swapchain; owned by target.c */
	enum frame_economy economy;
	enum frame_state state;
	/** Damage of the last frames, newest first, for repaints by buffer age. */
	pixman_region32_t history[FRAME_DAMAGE_HISTORY];
	int n_history;
	struct cpu_composer cpu_composer;
	bool frozen; /* device lost: waits for the new renderer */
	int64_t waits_until; /* ns; deadline of waiting for copies between GPUs, 0: not waiting */
	bool again; /* another frame was requested while one is in flight */
	struct frame_display display;
	struct frame_hints hints;
	struct meter *meter; /* set by the owner; NULL: measurements are unavailable */
	struct schedule schedule;
	struct timer timer; /* starts the queued frame */
	enum schedule_cause cause; /* of the queued frame */
	int64_t vblank; /* ns; target of the queued or in-flight frame */
	int64_t asked; /* ns; turn of the event loop in which the frame was first requested */
	/**
	 * Deadline (ns) until which new content could still have joined this frame; 0 if passed or
	 * unused.
	 */
	int64_t open_until;
	int refusals; /* consecutive failed frames */
	uint32_t commit; /* serial of the commit in flight */
	bool torn; /* tearing flip: waits for no vblank, and its time says nothing about them */
	int64_t began; /* ns; start of the work of the frame in flight */
	int64_t handed_over; /* ns; time of the commit in flight */
	int64_t submitted; /* ns; submission of its pass to the GPU, 0: no pass */
	int64_t gpu_done; /* ns; end of the previous pass */
	int64_t gpu_own; /* ns; the last pass that the GPU measured, if gpu_timed */
	bool gpu_timed;
	uint64_t drawn; /* pixels drawn by the last submitted pass */
	uint64_t pass; /* number of that pass */
	int fence; /* fence of that pass, for its time of completion; -1: none */
	/**
	 * Feedback and callbacks due with the frame in flight, or at the estimated vblank if
	 * `estimated`: presentation_feedback.link and frame_callback.link.
	 */
	struct wl_list feedbacks, callbacks;
	bool estimated;
	/**
	 * The frame after the one in flight, drawn ahead while frames take longer than a period,
	 * and the feedback and callbacks due with it.
	 */
	struct frame_painted ahead;
	struct wl_list ahead_feedbacks, ahead_callbacks;
	/** Sends callbacks early, before the frame is presented, or at the estimated vblank. */
	struct timer due;
	/** Composed buffer on the primary plane, locked; NULL: none, or outdated. */
	struct buffer *composed;
	struct scanout *scanout;
	enum frame_overlay debug_overlay;
	/**
	 * debug_overlay.c: region to repaint although the scene is unchanged, after a change of the
	 * debug overlay or of the lens, and damage of the scene.
	 */
	pixman_region32_t debug_damage_due, scene_damage;
	struct frame_stats stats;
	struct addon addon; /* on the backend's output */
	struct wl_listener needs_frame, present, output_needs_frame, copies_due, destroy;
	struct wl_listener changed, reconsider; /* of the output */
	struct frame_events events;
};
