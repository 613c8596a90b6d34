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
#include "content/compose.h"
#include "content/device.h"
#include "content/route.h"
#include "frame/meter.h"
#include "frame/schedule.h"
#include "render/render.h"
#include "scene/scene.h"
#include "util/clock.h"

enum frame_state {
	FRAME_IDLE,
	FRAME_QUEUED,
	FRAME_FLIPPING,
	FRAME_ESTIMATED,
};

/** When an output's rate is variable, if it can be. */
enum frame_variable {
	FRAME_VARIABLE_OFF,
	FRAME_VARIABLE_AUTO, /* while a game or a video, by its content type, fills it */
	FRAME_VARIABLE_FILLED, /* while any one surface fills it */
	FRAME_VARIABLE_ON,
};

/** What the user decides of one output. */
struct frame_display {
	enum frame_variable variable;
	bool tearing; /* whole frames are dispensed with for a surface that asks and fills it */
	bool rests; /* the CPU composes in place of a GPU what changes little */
};

/**
 * When the CPU composes in place of the GPU: after so many frames, one after the other, that changed little of
 * the picture, and only in what it can read; until so many that were not so. frame/rest.c.
 */
struct cpu_composer {
	struct cpu_composer_limits {
		int enter, leave; /* frames */
		int share; /* little: at most one of so many pixels of the output */
	} limits;
	bool shared; /* its buffers are such that both of them write to */
	bool refused; /* there were no such buffers to be had */
	int streak; /* frames, one after the other, that speak for changing that */
	int doubled; /* so often limits.enter counts twice, since it did not last */
	uint64_t entered; /* at which of the frames */
	/** At most so many pixels cost the CPU less; and at which of the frames that was found out. */
	uint64_t most, weighed;
};

/** What is drawn on top of the composed picture for whoever looks into it; captures never have it. */
enum frame_overlay {
	FRAME_OVERLAY_OFF,
	FRAME_OVERLAY_ROUTES, /* a tint on each surface that is composed, by its road */
	FRAME_OVERLAY_DAMAGE, /* for one frame, a tint on what was drawn anew */
};

/**
 * What it does without, so that another output of the same card finds room: each step all of those before
 * it, too.
 */
enum frame_economy {
	FRAME_ECONOMY_NONE,
	FRAME_ECONOMY_OVERLAYS, /* no overlay planes */
	FRAME_ECONOMY_LAYOUTS, /* composed in linear buffers, or what the driver takes by itself */
	FRAME_ECONOMY_DEPTH, /* composed with eight bits a channel */
	FRAME_ECONOMY_MOST = FRAME_ECONOMY_DEPTH,
};

#define FRAME_DAMAGE_HISTORY 8

struct frame_stats {
	uint64_t frames; /* committed */
	uint64_t presented;
	uint64_t pixels_damaged;
	uint64_t missed; /* commits or swapchain acquisitions that failed */
	uint64_t ahead; /* frames that were drawn while another was in flight */
	uint64_t scanouts; /* frames for which nothing was drawn */
	uint64_t cursors_drawn; /* pictures for the cursor plane */
	uint64_t by_cpu; /* pictures that the CPU composed in place of the GPU */
	uint64_t tests; /* how often the backend was asked what planes can show */
};

/** A composed picture that is drawn and not yet committed. */
struct frame_painted {
	struct buffer *buffer; /* locked; NULL: there is none */
	int64_t began; /* ns; when the work on it did */
	int fence; /* of its pass, owned; -1: done */
	bool first; /* what the buffer was made for: its memory had to be found first */
	struct compose_times times;
};

struct frame_output {
	struct scene_output *scene_output;
	struct output *output;
	struct render_device *device;
	struct clock *clock;
	struct swapchain *swapchain; /* NULL until first needed, and after a mode change */
	bool deep, plain, shared; /* what it was made by: frame/target.c's */
	enum frame_economy economy;
	enum frame_state state;
	/** Damage of the last frames, newest first, to draw by buffer age. */
	pixman_region32_t history[FRAME_DAMAGE_HISTORY];
	int n_history;
	struct cpu_composer cpu_composer;
	bool frozen; /* device lost: wait for the new renderer */
	int64_t waits_until; /* ns; for copies, before it draws without them; 0: it does not */
	bool again; /* something asked for a frame while one is in flight */
	struct frame_display display;
	bool variable_wanted; /* what was last decided of it */
	enum output_content content_wanted; /* what the output was last to be told */
	/** The surface that fills it asks for tearing; the output was asked, and can. */
	bool tearing_asked, tears;
	struct meter *meter; /* its owner's to set; NULL: nobody measures, ever */
	struct schedule schedule;
	struct timer timer; /* to start the frame that is queued */
	enum schedule_cause cause; /* of the frame that is queued */
	int64_t vblank; /* ns; what the frame that is queued or in flight is for */
	int64_t asked; /* ns; in which turn of the loop the frame was first asked for */
	int64_t open_until; /* ns; more that comes by then belonged in it; 0: it came, or is none */
	int refusals; /* frames that failed one after the other */
	uint32_t commit; /* in flight */
	bool torn; /* it need not wait for a vblank, and says nothing of them */
	int64_t began; /* ns; when the work of the frame in flight did */
	int64_t handed_over; /* ns; when the commit in flight was made */
	int64_t submitted; /* ns; when its pass was handed to the GPU, 0: there was none */
	int64_t gpu_done; /* ns; when the pass before was drawn */
	uint64_t drawn; /* pixels of the pass that was handed over last */
	uint64_t pass; /* its number */
	int fence; /* of its pass, to read when it was done; -1: none */
	/**
	 * What waits for the frame in flight, or, if `estimated`, for the vblank that is estimated:
	 * presentation_feedback.link and frame_callback.link.
	 */
	struct wl_list feedbacks, callbacks;
	bool estimated;
	/**
	 * The picture after the frame in flight, drawn ahead while the work really takes more than a
	 * period, with what waits for it.
	 */
	struct frame_painted ahead;
	struct wl_list ahead_feedbacks, ahead_callbacks;
	struct timer
		due; /* callbacks that go before the frame's light, or at the estimated vblank */
	/** What the primary plane shows if it is composed and up to date; locked. NULL: it is not. */
	struct buffer *composed;
	struct scanout *scanout; /* scanout.c's */
	enum frame_overlay overlay;
	/** overlay.c: what has to be drawn again though the scene did not change; what the scene changed. */
	pixman_region32_t overlay_owed, overlay_changed;
	struct frame_stats stats;
	struct addon addon; /* on the backend's output */
	struct wl_listener needs_frame, present, output_needs_frame, copies_due, destroy;
	struct {
		struct wl_signal presented; /* struct output_present */
		/** A frame was committed, composed or scanned out: struct frame_drawn. */
		struct wl_signal drawn;
		struct wl_signal destroy;
	} events;
};

/**
 * When an update of the surface that is to show at `target` (ns) or as soon as can be after it has to
 * apply: by the frames of its primary output; at `target` itself where it cannot be seen.
 */
int64_t frame_apply_time(const struct scene *scene, const struct surface *surface, int64_t target);

struct frame_drawn {
	struct frame_output *frame;
	struct buffer *buffer; /* what the output's primary plane will show */
	const pixman_region32_t *damage; /* output pixels, since the previous frame */
};

struct frame_output *frame_output_create(
	struct scene_output *scene_output, struct render_device *device, struct clock *clock);
void frame_output_destroy(struct frame_output *frame);
/** Takes over what the user decided, from the next frame on. */
void frame_output_configure(struct frame_output *frame, const struct schedule_settings *settings,
	const struct frame_display *display);
/**
 * From the next frame on. True if it uses something by now that it shall do without: it draws a frame
 * without that soon.
 */
bool frame_output_economise(struct frame_output *frame, enum frame_economy economy);
/** Look soon what is to be drawn or to be told; without damage, nothing is drawn. */
void frame_output_schedule(struct frame_output *frame);
/** Allows or forbids the use of planes other than for the composed buffer, from the next frame on. */
void frame_output_set_scanout(struct frame_output *frame, bool enabled);
/** From the next frame on, which it asks for if this is another one. */
void frame_output_set_overlay(struct frame_output *frame, enum frame_overlay overlay);
/** The frame loop of a scene output, or NULL. */
struct frame_output *frame_output_find(const struct scene_output *scene_output);

/**
 * After a lost device: forgets textures and buffers of the old renderer (before it is destroyed),
 * then starts again with what is in render_device.
 */
void render_device_lost(struct scene *scene, struct render_device *device);
/**
 * Draws everything again. Surfaces whose pixels were given back to their client get their content
 * when the client draws next: the caller asks them to (surface_has_content() without a buffer).
 */
void render_device_restored(struct scene *scene, struct render_device *device);

/** The road of a surface's content on an output, as of its last frame there. */
struct route_choice frame_route(const struct scene_output *output, const struct surface *surface);
/**
 * Draws a part of the scene into `target` outside of any output's frames, with what clients have
 * committed so far, covered or not: captures. `box` is in global logical coordinates and fills the
 * target. `root` NULL: the whole scene. It fails if the device was lost or a buffer unreadable.
 */
struct frame_capture {
	struct scene_tree *root;
	struct fbox box;
	/** Pixels per logical pixel; 0: as the box's width says. */
	double scale;
	enum wl_output_transform transform;
	bool cursor;
	/** Target pixels to draw; NULL: all. */
	const pixman_region32_t *damage;
	/** While copies between GPUs that it needs are on their way, draw nothing. */
	bool waits;
};

enum frame_capture_result {
	FRAME_CAPTURE_FAILED,
	FRAME_CAPTURE_DRAWN,
	FRAME_CAPTURE_LATE, /* nothing was drawn: try again at render_device.events.copy_ended */
};

enum frame_capture_result frame_capture(struct scene *scene, struct render_device *device,
	struct buffer *target, const struct frame_capture *capture, int *fence);
