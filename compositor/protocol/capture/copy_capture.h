/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by the files of ext-image-copy-capture-v1. */

#include "capture.h"

struct copy_frame;

/** A capture session; lives while its resource or its frame does. */
struct copy_session {
	struct wl_resource *resource; /* NULL: destroyed */
	struct capture_source *source; /* referenced; NULL: stopped */
	struct seat *seat; /* whose cursor is included; NULL: none */
	bool cursor_shown; /* the cursor is inside the source, at `cursor` */
	struct box cursor;
	/** Damage that is not part of a complete capture yet; pixels. */
	pixman_region32_t damage;
	int32_t width, height; /* as sent last */
	struct copy_frame *frame; /* NULL: none */
	/** Handles the frame's destruction; may free the session. */
	void (*frame_gone)(struct copy_session *session);
	struct wl_event_source *idle; /* set while the waiting frame is scheduled */
	struct wl_listener source_damage, source_resized, source_gone;
	struct wl_listener cursor_moved, cursor_changed;
};

/**
 * Creates a session. `source` NULL: it starts stopped; `seat` NULL: without cursor. Defined in
 * image_copy_session.c.
 */
void copy_session_create(
	struct wl_resource *parent, uint32_t id, struct capture_source *source, struct seat *seat);
void copy_frame_create(struct copy_session *session, uint32_t id);
/** Returns true if capture was requested and the frame waits for damage. */
bool copy_frame_is_waiting(const struct copy_frame *frame);
/** Starts the capture if the frame is waiting. */
void copy_frame_start(struct copy_frame *frame);
/** Fails a waiting frame after the session's buffer constraints changed or the session stopped. */
void copy_frame_check(struct copy_frame *frame);

/** Creates an ext_image_copy_capture_cursor_session_v1. Defined in image_copy_cursor.c. */
void copy_cursor_create(
	struct wl_resource *parent, uint32_t id, struct capture_source *source, struct seat *seat);
