/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by the files of wlr-screencopy-unstable-v1. */

#include "capture.h"
#include "wlr-screencopy-unstable-v1-protocol.h"

/** A bound manager. */
struct screencopy_manager {
	struct protocols *protocols;
	struct wl_list outputs; /* screencopy_output.link */
};

/** An output captured through a manager; referenced by the manager and by frames. */
struct screencopy_output {
	int n_refs;
	struct screencopy_manager *manager; /* NULL: the manager or the output is gone */
	struct wl_list link;
	const struct scene_output *scene_output; /* compared only */
	struct capture_source *source; /* referenced */
	struct wl_list sequences; /* owner: wlr_screencopy_sequence.c */
	struct wl_list waiting; /* screencopy_frame.link: frames that wait for damage or memory */
	struct wl_event_source *idle;
	struct wl_listener source_damage, source_resized, source_gone;
};

struct screencopy_frame {
	struct wl_resource *resource;
	struct screencopy_output *output; /* referenced; NULL: failed from the start */
	struct wl_list link; /* screencopy_output.waiting, or empty */
	struct box part; /* of the output, pixels */
	/** Size of the output when the buffer was described. */
	int32_t width, height;
	uint32_t format; /* DRM format of shared memory buffers */
	bool cursor;
	bool used; /* a copy was requested, or the frame failed */
	bool with_damage;
	struct buffer *buffer; /* locked, from copy to the end */
	struct wl_listener known; /* of the buffer's memory; the link is empty while not waiting */
	struct screencopy_sequence *sequence; /* from copy to the end, or NULL */
	struct capture *capture; /* set while capturing */
	pixman_region32_t damage; /* buffer pixels, while capturing */
	int64_t when; /* ns */
};

/** Defined in wlr_screencopy_output.c. */
struct screencopy_output *screencopy_output_ref(struct screencopy_output *output);
void screencopy_output_unref(struct screencopy_output *output);

/** Creates a frame. `output` NULL: it fails immediately. Defined in wlr_screencopy_frame.c. */
void screencopy_frame_create(struct wl_resource *manager, uint32_t id,
	struct screencopy_output *output, const struct box *part, bool cursor);
/** Starts the capture if its part of the output has damage and the buffer's memory is known. */
void screencopy_frame_start(struct screencopy_frame *frame);
void screencopy_frame_fail(struct screencopy_frame *frame);

/**
 * Assigns the frame to a sequence, recognised by its buffer. Defined in wlr_screencopy_sequence.c.
 */
void screencopy_sequence_join(struct screencopy_frame *frame);
/**
 * Ends the frame's part in its sequence. `complete` false: the capture failed. A frame without a
 * sequence is legal.
 */
void screencopy_sequence_leave(struct screencopy_frame *frame, bool complete);
/**
 * Moves the damage since the previous frame of the sequence to the frame. Returns false if there is
 * none.
 */
bool screencopy_sequence_take(struct screencopy_frame *frame);
void screencopy_sequences_damage(struct screencopy_output *output, const pixman_region32_t *damage);
void screencopy_sequences_damage_all(struct screencopy_output *output);
void screencopy_sequences_finish(struct screencopy_output *output);
