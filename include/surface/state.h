#pragma once

/**
 * The state of a surface as a value: what a client's requests set, what a content update carries,
 * what is current.
 */

#include "buffer/buffer.h"
#include "util/box.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>

struct account;
struct subsurface;
struct surface;

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
	/** fifo-v1, see surface.barrier: they are all that there is to it. */
	SURFACE_SET_BARRIER = 1 << 15,
	SURFACE_WAIT_BARRIER = 1 << 16,
	SURFACE_NOT_BEFORE = 1 << 17,
	/** A listener to `commit` knows when the buffer is drawn: its implicit fences say nothing. */
	SURFACE_EXPLICIT_SYNC = 1 << 18,
};

/** wp_content_type: what a screen or a schedule may treat differently. */
enum content_type {
	CONTENT_TYPE_NONE,
	CONTENT_TYPE_PHOTO,
	CONTENT_TYPE_VIDEO,
	CONTENT_TYPE_GAME,
};

/**
 * wl_surface.frame. Whoever makes one embeds it; exactly one of the two is called, when it is out of
 * any list, and frees it. Whoever frees it otherwise removes the link.
 */
struct frame_callback {
	struct wl_list link;
	/** Mandatory. `ms`: see clock_ms(). */
	void (*done)(struct frame_callback *callback, uint32_t ms);
	/** Mandatory: the surface went away. */
	void (*drop)(struct frame_callback *callback);
	bool told; /* done is an event to the surface's client */
};

struct output;
struct output_present;

/** wp_presentation feedback of one content update. The same holds as for frame callbacks. */
struct presentation_feedback {
	struct wl_list link;
	/** Of the frame that shows it: its own buffer is scanned out. frame/ sets it. */
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
	uint32_t fields; /* enum surface_field: which of these this update sets */

	struct buffer *buffer; /* locked; NULL: no content */
	/**
	 * wl_surface.damage (logical) and damage_buffer (buffer pixels). Making an update folds the first
	 * into the second, with the scale and transform that it is meant with: updates and the current
	 * state carry buffer damage only.
	 */
	pixman_region32_t surface_damage, buffer_damage;
	/**
	 * Logical, set by surface_state_set_region(). The input region defaults to everything. Where `fields`
	 * does not have them, only the current state's mean anything.
	 */
	pixman_region32_t opaque, input;
	struct account *account; /* charged for both; the same in all states of a surface */
	enum wl_output_transform transform;
	int32_t scale;
	int32_t dx, dy; /* wl_surface.attach or offset, logical */
	struct viewport viewport;
	float alpha; /* wp_alpha_modifier, 0..1 */
	enum content_type content_type;
	struct color_coding coding; /* wp_color_representation; the buffer's is what it says */
	bool tearing; /* wp_tearing_control: it would rather be shown at once than whole */
	int64_t committed; /* ns; only while somebody measures, see frame/meter.h */
	int64_t not_before; /* commit-timing-v1: ns at which it may show at the earliest */
	struct wl_list frame_callbacks; /* frame_callback.link */
	struct wl_list feedbacks; /* presentation_feedback.link */
	/** Bottom to top, with an entry for the parent itself. */
	struct child *children;
	int n_children;

	/**
	 * Derived when the update is made, and kept when the buffer is released early: whether
	 * there is content, that no pixel of it is translucent, its logical size, and the buffer's
	 * size.
	 */
	bool has_content, opaque_buffer;
	int32_t width, height;
	int32_t buffer_width, buffer_height;

	/** States of extensions at their indices, NULL where one was not needed yet. */
	void **extensions;
	int n_extensions;
};

void surface_state_init(struct surface_state *state);
/** Copies `from` to `region`, which is the opaque or input region of the state. */
void surface_state_set_region(
	struct surface_state *state, pixman_region32_t *region, const pixman_region32_t *from);
/** Unlocks, drops callbacks, discards feedback. */
void surface_state_finish(struct surface_state *state);
/**
 * Moves what `from` sets over `to` and leaves `from` as after a commit: nothing set, buffer, damage,
 * offset, regions and callbacks empty, everything else remembered (sizes of the buffer too, for updates that
 * bring none). Damage is united, offsets add up, frame callbacks are appended; `to`'s presentation
 * feedback is discarded, because what it was for is superseded. Derived members are always taken.
 */
void surface_state_merge(struct surface_state *to, struct surface_state *from);

/** SURFACE_STATE_OK if buffer, scale, transform and viewport go together; see wl_surface and wp_viewport. */
enum surface_state_error {
	SURFACE_STATE_OK = 0,
	SURFACE_STATE_BAD_SIZE, /* buffer size is no multiple of the scale */
	SURFACE_STATE_VIEWPORT_SIZE, /* source size is fractional without a destination */
	SURFACE_STATE_VIEWPORT_OUTSIDE, /* source reaches outside of the buffer */
};

/**
 * Fills in has_content, opaque_buffer, width, height, buffer_width and buffer_height, and folds
 * surface damage into buffer damage. Without SURFACE_BUFFER in fields, the buffer's are kept. After
 * an error the state still makes sense: sizes are rounded, the source is cut to the buffer. Where
 * there are several errors, those of the viewport come first.
 */
enum surface_state_error surface_state_derive(struct surface_state *state);

/** The part of the buffer that shows, in buffer pixels; the inverse of the transform is not
 * applied. */
void surface_state_source(const struct surface_state *state, struct fbox *source);
/** Logical region to buffer pixels, rounded outward, and back; cut to surface and buffer. `out` may
 * be `in`. */
void surface_state_to_buffer(const struct surface_state *state, pixman_region32_t *out,
	const pixman_region32_t *surface_region);
void surface_state_from_buffer(const struct surface_state *state, pixman_region32_t *out,
	const pixman_region32_t *buffer_region);
/** Cuts buffer_damage to the buffer. */
void surface_state_clip_damage(struct surface_state *state);
