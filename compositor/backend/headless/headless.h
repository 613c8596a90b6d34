/* SPDX-License-Identifier: MIT */
#pragma once

/** Types shared by the files of the headless backend. */

#include "backend/headless.h"
#include "util/clock.h"

struct headless_backend {
	struct backend base;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct wl_list outputs; /* headless_output.link */
	struct wl_list inputs; /* headless_input.link */
	int n_named; /* outputs created so far */
	bool started;
};

struct headless_output {
	struct output base;
	struct headless_backend *backend;
	struct wl_list link;
	struct plane primary;
	struct buffer *front; /* locked; scanned out */

	/** Vblank n is n periods after `start`; see vblank.h. */
	int64_t start;
	int32_t refresh; /* mHz, of the vblanks */
	/** Variable refresh rate: frames are at least a period apart. */
	bool variable;
	int64_t shown; /* ns; when the last frame was presented */

	/** The frame in flight, if any. */
	struct {
		uint32_t commit; /* 0: none */
		struct buffer *buffer; /* locked */
		struct wl_event_source *fence; /* event source; NULL: none */
		int fence_fd; /* -1: none */
		bool tearing;
		bool dropped; /* will be reported as dropped */
		uint64_t sequence; /* vblank at which it is presented */
	} pending;
	struct timer timer; /* armed only for a frame in flight */
};

void headless_output_destroy(struct headless_output *output);
