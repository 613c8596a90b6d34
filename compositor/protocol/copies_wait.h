#pragma once

/**
 * What is drawn once, and has to have all of its pixels, waits for copies between GPUs that are under way:
 * frame_capture() says FRAME_CAPTURE_LATE then.
 */

#include <stdbool.h>
#include <wayland-server-core.h>

struct render_device;

struct copies_wait {
	struct wl_event_loop *loop;
	struct wl_listener
		arrived; /* of the device; its link is empty when no copy is waited for */
	struct wl_event_source *turn; /* its turn has come; NULL else */
	int n; /* so often it has waited */
	void (*again)(void *data);
	void *data;
};

/** `again` is called from the loop, once for each copies_wait_begin(). */
void copies_wait_init(struct copies_wait *wait, struct wl_event_loop *loop,
	void (*again)(void *data), void *data);
/** `again` is not called any more. */
void copies_wait_finish(struct copies_wait *wait);
/** Of a program that draws on and on there are always more copies: not too often. */
bool copies_wait_may(const struct copies_wait *wait);
/** Until one more copy of the device has ended. */
void copies_wait_begin(struct copies_wait *wait, struct render_device *device);
