#pragma once

/**
 * A backend: brings outputs and input devices. It never copies or renders; it is handed buffers
 * that are on its GPU already.
 */

#include "backend/input.h"
#include "backend/output.h"

struct backend;
struct clock;

struct backend_impl {
	const char *name;
	/** All mandatory. start() announces what is there; false after a logged error. */
	bool (*start)(struct backend *backend);
	void (*destroy)(struct backend *backend);
};

struct backend {
	const struct backend_impl *impl;
	struct {
		struct wl_signal new_output; /* struct output, disabled as yet */
		struct wl_signal new_input; /* struct input_device */
		struct wl_signal destroy;
	} events;
};

void backend_init(struct backend *backend, const struct backend_impl *impl);
void backend_finish(struct backend *backend);
bool backend_start(struct backend *backend);
/** Destroys its outputs and devices first. NULL is legal. */
void backend_destroy(struct backend *backend);
