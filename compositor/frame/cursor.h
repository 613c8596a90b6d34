#pragma once

/** The cursor's picture for the cursor plane of an output. */

#include "frame/assign.h"
#include "frame/frame.h"

struct frame_cursor;

struct frame_cursor *frame_cursor_create(void);
void frame_cursor_destroy(struct frame_cursor *cursor);
/** Its buffers go: their allocator does. */
void frame_cursor_drop(struct frame_cursor *cursor);
/**
 * The first `n` entries (at least one) of the output's list, which are cursors, as one for a plane. If that
 * cannot be, the reason why they are composed; REASON_BEST: *out is filled in.
 */
enum route_reason frame_cursor_take(
	struct frame_output *frame, struct frame_cursor *cursor, int n, struct assign_entry *out);
