/* SPDX-License-Identifier: MIT */
#pragma once

/** Render devices of the server: the primary one, and one for each further GPU with outputs. */

#include "content/device.h"
#include <wayland-server-core.h>

struct gpu;
struct server;

/** A render device: a GPU, or the CPU instead of it. */
struct server_device {
	struct wl_list link; /* server.devices; unused in server.primary */
	struct server *server;
	/** GPU whose outputs it composes, in buffers that this GPU can scan out; NULL: any. */
	struct gpu *display;
	struct render_device *frame;
	struct wl_listener lost, gpu_gone;
	struct wl_event_source *restore; /* deferred rebuild of a lost renderer */
	struct {
		struct timer timer; /* to create the GPU's renderer again, while the CPU composes */
		int n; /* attempts that failed in a row since the renderer was lost */
	} retry;
	struct {
		struct timer timer; /* to test the renderer's formats again */
		int n; /* tests that failed in a row */
		int64_t last; /* ns; the last one */
	} formats;
};
