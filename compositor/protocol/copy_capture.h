#pragma once

/** What the files of ext-image-copy-capture-v1 share. */

#include "capture.h"

struct copy_frame;

/** It lives while its resource or its frame does. */
struct copy_session {
	struct wl_resource *resource; /* NULL: destroyed */
	struct capture_source *source; /* referenced; NULL: stopped */
	struct seat *seat; /* whose cursor is painted; NULL: none */
	bool cursor_shown; /* it is in the picture, at `cursor` */
	struct box cursor;
	/** Not in any complete capture yet; pixels. */
	pixman_region32_t damage;
	int32_t width, height; /* as told */
	struct copy_frame *frame; /* NULL: none */
	struct wl_event_source *idle; /* the frame that waits is going to be drawn */
	struct wl_listener source_damage, source_resized, source_gone;
	struct wl_listener cursor_moved, cursor_changed;
};

/** image_copy_session.c; `source` NULL: it begins stopped, `seat` NULL: no cursor is painted. */
void copy_session_create(
	struct wl_resource *parent, uint32_t id, struct capture_source *source, struct seat *seat);
/** The frame is gone; may free the session. */
void copy_session_frame_gone(struct copy_session *session);

/** image_copy_frame.c */
void copy_frame_create(struct copy_session *session, uint32_t id);
/** It is asked for and waits for damage. */
bool copy_frame_is_waiting(const struct copy_frame *frame);
/** Draws it if it waits. */
void copy_frame_start(struct copy_frame *frame);
/** Fails it if it waits: the session's buffers are others now, or it has stopped. */
void copy_frame_check(struct copy_frame *frame);

/** image_copy_cursor.c: makes an ext_image_copy_capture_cursor_session_v1. */
void copy_cursor_create(
	struct wl_resource *parent, uint32_t id, struct capture_source *source, struct seat *seat);
