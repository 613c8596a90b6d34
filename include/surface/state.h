/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Surface state as a value: a client's pending requests, a content update, or the current state.
 */

#include "buffer/buffer.h"
#include "util/box.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>

struct account;
struct subsurface;

enum surface_field {
	SURFACE_BUFFER = 1 << 0,
	SURFACE_DAMAGE = 1 << 1,
	SURFACE_BUFFER_DAMAGE = 1 << 2,
	SURFACE_OPAQUE = 1 << 3,
	SURFACE_INPUT = 1 << 4,
	SURFACE_TRANSFORM = 1 << 5,
	SURFACE_SCALE = 1 << 6,
	SURFACE_OFFSET = 1 << 7,
	SURFACE_VIEWPORT = 1 << 8,
	SURFACE_ALPHA = 1 << 9,
	SURFACE_FRAME = 1 << 10, /* frame callbacks */
	SURFACE_FEEDBACK = 1 << 11, /* presentation feedback */
	SURFACE_CHILDREN = 1 << 12, /* order or position of subsurfaces */
	SURFACE_CONTENT_TYPE = 1 << 13,
	SURFACE_TEARING = 1 << 14,
	/** fifo-v1, see surface.barrier: the flags are the entire state. */
	SURFACE_SET_BARRIER = 1 << 15,
	SURFACE_WAIT_BARRIER = 1 << 16,
	SURFACE_NOT_BEFORE = 1 << 17,
	/** A listener to `commit` waits for explicit sync: implicit fences are ignored. */
	SURFACE_EXPLICIT_SYNC = 1 << 18,
};

/** wp_content_type: a hint for the display and for frame scheduling. */
enum content_type {
	CONTENT_TYPE_NONE,
	CONTENT_TYPE_PHOTO,
	CONTENT_TYPE_VIDEO,
	CONTENT_TYPE_GAME,
};

/**
 * wl_surface.frame callback, embedded by its creator.
 *
 * Exactly one of `done` and `drop` is called, after `link` was removed and initialised. It may free
 * the callback. To free that at any other time, remove `link` first.
 */
struct frame_callback {
	struct wl_list link;
	/** Mandatory. `ms`: see clock_ms(). */
	void (*done)(struct frame_callback *callback, uint32_t ms);
	/** Mandatory: the surface was destroyed. */
	void (*drop)(struct frame_callback *callback);
	bool sends_event; /* done sends an event to the surface's client */
};

struct output;
struct output_present;

/** wp_presentation feedback of one content update. Ownership is the same as for frame callbacks. */
struct presentation_feedback {
	struct wl_list link;
	/** Set by frame/: the frame that presents the update scans out the client's own buffer. */
	bool direct;
	void (*presented)(struct presentation_feedback *feedback, struct output *output,
		const struct output_present *present);
	void (*discarded)(struct presentation_feedback *feedback);
};

/** wp_viewport. */
struct viewport {
	bool has_src, has_dst;
	struct fbox src; /* in surface coordinates before the viewport */
	int32_t dst_width, dst_height; /* logical */
};

/** A subsurface in its parent's stacking order. */
struct child {
	struct subsurface *subsurface; /* NULL: the parent itself */
	int32_t x, y; /* of the child, in the parent's surface coordinates */
};

struct surface_state {
	uint32_t fields; /* enum surface_field: the fields that this update sets */

	struct buffer *buffer; /* locked; NULL: no content */
	/**
	 * wl_surface.damage (logical) and damage_buffer (buffer pixels). surface_state_derive()
	 * folds the first into the second, using the update's scale and transform: updates and the
	 * current state carry buffer damage only.
	 */
	pixman_region32_t surface_damage, buffer_damage;
	/**
	 * Logical, set by surface_state_set_region(). The input region defaults to everything. In a
	 * state whose `fields` lack them, they are valid only if it is the current one.
	 */
	pixman_region32_t opaque, input;
	struct account *account; /* charged for both regions; the same in all states of a surface */
	enum wl_output_transform transform;
	int32_t scale;
	int32_t dx, dy; /* wl_surface.attach or offset, logical */
	struct viewport viewport;
	float alpha; /* wp_alpha_modifier, 0..1 */
	enum content_type content_type;
	struct color_coding coding; /* wp_color_representation; the buffer gets a copy */
	bool tearing; /* wp_tearing_control: prefers low latency to a whole frame */
	int64_t committed; /* ns; set only while latency is measured, see frame/meter.h */
	int64_t not_before; /* commit-timing-v1: earliest time (ns) of presentation */
	struct wl_list frame_callbacks; /* frame_callback.link */
	struct wl_list feedbacks; /* presentation_feedback.link */
	/** Bottom to top, with an entry for the parent itself. */
	struct child *children;
	int n_children;

	/**
	 * Derived when the update is made, and kept after an early release of the buffer: whether
	 * there is content, whether all of its pixels are opaque, its logical size, and the
	 * buffer's size.
	 */
	bool has_content, opaque_buffer;
	int32_t width, height;
	int32_t buffer_width, buffer_height;

	/** Extension states by index; NULL until first used. */
	void **extensions;
	int n_extensions;
};

void surface_state_init(struct surface_state *state);
/**
 * Copies `from` to `region`, which must be the opaque or input region of `state`. Charges the
 * account.
 */
void surface_state_set_region(
	struct surface_state *state, pixman_region32_t *region, const pixman_region32_t *from);
/** Unlocks the buffer, drops frame callbacks, discards presentation feedback and frees memory. */
void surface_state_finish(struct surface_state *state);
/**
 * Moves the fields set in `from` into `to`.
 *
 * `from` is left as after a commit: no field is set; buffer, damage, offset, regions and callbacks
 * are empty; everything else is remembered, including the buffer's size, for updates that attach no
 * buffer. Damage is united, offsets add up, frame callbacks are appended. The presentation feedback
 * of `to` is discarded, because its content is superseded. Derived members are always copied.
 */
void surface_state_merge(struct surface_state *to, struct surface_state *from);

/** Consistency of buffer, scale, transform and viewport; see wl_surface and wp_viewport. */
enum surface_state_error {
	SURFACE_STATE_OK = 0,
	SURFACE_STATE_BAD_SIZE, /* buffer size is not a multiple of the scale */
	SURFACE_STATE_VIEWPORT_SIZE, /* source size is fractional without a destination */
	SURFACE_STATE_VIEWPORT_OUTSIDE, /* source rectangle exceeds the buffer */
};

/**
 * Derives has_content, opaque_buffer, width, height, buffer_width and buffer_height, and folds
 * surface damage into buffer damage.
 *
 * Without SURFACE_BUFFER in `fields`, the members that describe the buffer are kept. After an error
 * the state is still usable: sizes are rounded, the source is clipped to the buffer. If there are
 * several errors, those of the viewport take precedence.
 */
enum surface_state_error surface_state_derive(struct surface_state *state);

/**
 * Computes the part of the buffer that is displayed, in buffer pixels as stored: the transform is
 * not undone.
 */
void surface_state_source(const struct surface_state *state, struct fbox *source);
/**
 * Convert a logical region to buffer pixels and back, rounded outward and clipped to surface and
 * buffer. `out` may be `in`.
 */
void surface_state_to_buffer(const struct surface_state *state, pixman_region32_t *out,
	const pixman_region32_t *surface_region);
void surface_state_from_buffer(const struct surface_state *state, pixman_region32_t *out,
	const pixman_region32_t *buffer_region);
/** Clips buffer_damage to the buffer. */
void surface_state_clip_damage(struct surface_state *state);
