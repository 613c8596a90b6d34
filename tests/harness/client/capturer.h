/* SPDX-License-Identifier: MIT */
#pragma once

/** A client that captures by ext-image-copy-capture or wlr-screencopy, and records the events. */

#include "ext-foreign-toplevel-list-v1-client-protocol.h"
#include "ext-image-capture-source-v1-client-protocol.h"
#include "ext-image-copy-capture-v1-client-protocol.h"
#include "harness/peer.h"
#include "util/box.h"
#include "wlr-screencopy-unstable-v1-client-protocol.h"
#include <pixman.h>

/** A session of ext-image-copy-capture. */
struct capturer_session {
	struct peer *peer;
	struct ext_image_copy_capture_session_v1 *proxy;
	int32_t width, height;
	uint32_t format; /* the first one offered */
	int n_formats, n_done, n_stopped;
};

struct capturer_session *capturer_session_create(
	struct peer *peer, struct ext_image_capture_source_v1 *source, uint32_t options);
/** Wraps the session of a cursor session. */
struct capturer_session *capturer_session_wrap(
	struct peer *peer, struct ext_image_copy_capture_session_v1 *proxy);
void capturer_session_destroy(struct capturer_session *session);
/** Returns a source of the first output. */
struct ext_image_capture_source_v1 *capturer_output_source(struct peer *peer);
/** Returns a source of the window with this title. */
struct ext_image_capture_source_v1 *capturer_window_source(struct peer *peer, const char *title);

/** A frame of a session, or of wlr-screencopy. */
struct capturer_frame {
	struct peer *peer;
	struct ext_image_copy_capture_frame_v1 *proxy;
	struct zwlr_screencopy_frame_v1 *screencopy;
	struct peer_buffer *buffer;
	/** screencopy: the described buffer */
	uint32_t format;
	int32_t width, height, stride;
	int n_described, n_flags;
	/** Received events. */
	bool ready, failed;
	uint32_t reason, transform;
	pixman_region32_t damage;
	int64_t when;
};

/**
 * Creates a frame with a zeroed buffer that matches the session, fully damaged, and captures into
 * it.
 */
struct capturer_frame *capturer_frame_create(struct capturer_session *session);
/** As capturer_frame_create(), with a buffer of the caller without damage. */
struct capturer_frame *capturer_frame_create_with(
	struct capturer_session *session, struct peer_buffer *buffer);
/** Creates a frame of the first output or a region of it, described but not copied. */
struct capturer_frame *capturer_screencopy(
	struct peer *peer, struct zwlr_screencopy_manager_v1 *manager, const struct box *region);
/** Creates the described buffer, unless the frame has one, and copies. */
void capturer_screencopy_copy(struct capturer_frame *frame, bool with_damage);
/** Destroys the frame. Its buffer is kept until the peer goes. */
void capturer_frame_destroy(struct capturer_frame *frame);
/** Returns 0x00RRGGBB. */
uint32_t capturer_pixel(const struct capturer_frame *frame, int x, int y);
/** Asserts that every pixel equals that of `image`, from x, y on. */
void capturer_expect(const struct capturer_frame *frame, const struct image *image, int x, int y);
void capturer_expect_damage(const struct capturer_frame *frame, const struct box *box);
/** Asserts that no timer runs after the resources of the last capture have been released. */
void capturer_expect_idle(struct fixture *fixture);

/** Call before the first test: records the compositor's SIGBUS handler. */
void capturer_learn_guard(void);
/**
 * Installs the compositor's SIGBUS handler instead of cmocka's, for tests that truncate memory.
 */
void capturer_set_guard(void);
