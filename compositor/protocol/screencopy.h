#pragma once

/** What the files of wlr-screencopy-unstable-v1 share. */

#include "capture.h"
#include "wlr-screencopy-unstable-v1-protocol.h"

/** One bound manager. */
struct screencopy_manager {
	struct protocols *protocols;
	struct wl_list outputs; /* screencopy_output.link */
};

/** An output that was captured through a manager; kept by that and by frames. */
struct screencopy_output {
	int n_refs;
	struct screencopy_manager *manager; /* NULL: it, or the output, is gone */
	struct wl_list link;
	const struct scene_output *scene_output; /* to compare only */
	struct capture_source *source; /* referenced */
	struct wl_list sequences; /* wlr_screencopy_sequence.c */
	struct wl_list waiting; /* screencopy_frame.link: for damage */
	struct wl_event_source *idle;
	struct wl_listener source_damage, source_resized, source_gone;
};

struct screencopy_frame {
	struct wl_resource *resource;
	struct screencopy_output *output; /* referenced; NULL: failed from the start */
	struct wl_list link; /* screencopy_output.waiting, or empty */
	struct box part; /* of the output, pixels */
	/** The output's as it was when the buffer was described. */
	int32_t width, height;
	uint32_t format; /* DRM code of buffers in shared memory */
	bool cursor;
	bool used; /* a copy was asked for, or the frame failed */
	bool with_damage;
	struct buffer *buffer; /* locked, from copy to the end */
	struct screencopy_sequence *sequence; /* from copy to the end, or NULL */
	struct capture *capture; /* while drawing */
	pixman_region32_t damage; /* buffer pixels, while drawing */
	int64_t when; /* ns */
};

struct screencopy_output *screencopy_output_ref(struct screencopy_output *output);
void screencopy_output_unref(struct screencopy_output *output);

/** wlr_screencopy_frame.c; `output` NULL: it fails at once. */
void screencopy_frame_create(struct wl_resource *manager, uint32_t id,
	struct screencopy_output *output, const struct box *part, bool cursor);
/** Draws it, if there is damage in its part. */
void screencopy_frame_start(struct screencopy_frame *frame);
void screencopy_frame_fail(struct screencopy_frame *frame);

/** wlr_screencopy_sequence.c: finds out which frames it follows on, by its buffer. */
void screencopy_sequence_join(struct screencopy_frame *frame);
/** At its end; not complete: its picture never came to be. NULL sequence is legal. */
void screencopy_sequence_leave(struct screencopy_frame *frame, bool complete);
/** Moves what changed since the frame before into its damage; false if nothing did. */
bool screencopy_sequence_take(struct screencopy_frame *frame);
void screencopy_sequences_damage(struct screencopy_output *output, const pixman_region32_t *damage);
void screencopy_sequences_damage_all(struct screencopy_output *output);
void screencopy_sequences_finish(struct screencopy_output *output);
