#pragma once

/** A peer that captures, through either protocol, and remembers what it was told. */

#include "ext-foreign-toplevel-list-v1-client-protocol.h"
#include "ext-image-capture-source-v1-client-protocol.h"
#include "ext-image-copy-capture-v1-client-protocol.h"
#include "harness/peer.h"
#include "wlr-screencopy-unstable-v1-client-protocol.h"
#include <pixman.h>

/** A session of ext-image-copy-capture. */
struct capturer_session {
	struct peer *peer;
	struct ext_image_copy_capture_session_v1 *proxy;
	int32_t width, height;
	uint32_t format; /* the first that was offered */
	int n_formats, n_done, n_stopped;
};

struct capturer_session *capturer_session_create(
	struct peer *peer, struct ext_image_capture_source_v1 *source, uint32_t options);
/** Of a cursor session's. */
struct capturer_session *capturer_session_wrap(
	struct peer *peer, struct ext_image_copy_capture_session_v1 *proxy);
void capturer_session_destroy(struct capturer_session *session);
/** The first output. */
struct ext_image_capture_source_v1 *capturer_output_source(struct peer *peer);
/** The window with this title. */
struct ext_image_capture_source_v1 *capturer_window_source(struct peer *peer, const char *title);

/** A frame of a session, or of wlr-screencopy. */
struct capturer_frame {
	struct peer *peer;
	struct ext_image_copy_capture_frame_v1 *proxy;
	struct zwlr_screencopy_frame_v1 *screencopy;
	struct peer_buffer *buffer;
	/** screencopy: as described. */
	uint32_t format;
	int32_t width, height, stride;
	int n_described, n_flags;
	/** What it was told. */
	bool ready, failed;
	uint32_t reason, transform;
	pixman_region32_t damage;
	int64_t when;
};

/** With a buffer as the session wants it, zeroed, all of it damaged; asks for the capture. */
struct capturer_frame *capturer_frame_create(struct capturer_session *session);
/** As above, with a buffer of the caller's, of which nothing is damaged; not owned. */
struct capturer_frame *capturer_frame_create_with(
	struct capturer_session *session, struct peer_buffer *buffer);
/** Of the whole output 0, or a region of it, described but not copied. */
struct capturer_frame *capturer_screencopy(
	struct peer *peer, struct zwlr_screencopy_manager_v1 *manager, const struct box *region);
/** Makes the buffer as described, unless it has one, and copies. */
void capturer_screencopy_copy(struct capturer_frame *frame, bool with_damage);
/** Its buffer lives on until the peer goes. */
void capturer_frame_destroy(struct capturer_frame *frame);
/** 0x00RRGGBB. */
uint32_t capturer_pixel(const struct capturer_frame *frame, int x, int y);
/** Every pixel is the picture's at x, y of it on. */
void capturer_expect(
	const struct capturer_frame *frame, const struct picture *picture, int x, int y);
void capturer_expect_damage(const struct capturer_frame *frame, const struct box *box);

/** Before the first test: finds out what the compositor does at SIGBUS. */
void capturer_learn_guard(void);
/** In a test that takes memory away: cmocka has put its own handler there. */
void capturer_set_guard(void);
