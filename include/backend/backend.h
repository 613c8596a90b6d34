/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A backend provides outputs and input devices. Buffers that it receives are usable by its GPU
 * already: it does not copy or render.
 */

#include "backend/input.h"
#include "backend/output.h"
#include <sys/types.h>

struct backend;
struct clock;

struct backend_impl {
	const char *name;
	/**
	 * All are mandatory. start() announces existing outputs and devices; returns false after a
	 * logged error.
	 */
	bool (*start)(struct backend *backend);
	void (*destroy)(struct backend *backend);
};

struct backend {
	const struct backend_impl *impl;
	/** Set at creation: outputs take only memory files, no GPU buffers. */
	bool memory_only;
	/** Set at creation: device node of the GPU whose buffers suit it best; 0: no preference. */
	dev_t device;
	struct {
		struct wl_signal new_output; /* struct output, disabled */
		struct wl_signal new_input; /* struct input_device */
		/** The backend has ended. const char *: the reason; NULL: requested by the user. */
		struct wl_signal ended;
		struct wl_signal destroy;
	} events;
};

void backend_init(struct backend *backend, const struct backend_impl *impl);
void backend_finish(struct backend *backend);
bool backend_start(struct backend *backend);
/** Destroys the backend's outputs and devices, then the backend. Accepts NULL. */
void backend_destroy(struct backend *backend);
