#pragma once

/**
 * A backend: brings outputs and input devices. It never copies or renders; it is handed buffers
 * that are on its GPU already.
 */

#include "backend/input.h"
#include "backend/output.h"
#include <sys/types.h>

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
	/** Known once it is created: it shows memory files only, no buffers of a GPU. */
	bool memory_only;
	/** Likewise: a node of the GPU whose buffers it takes best; 0: any, or it has no wish. */
	dev_t device;
	struct {
		struct wl_signal new_output; /* struct output, disabled as yet */
		struct wl_signal new_input; /* struct input_device */
		/** Nothing will be shown any more. const char * why, NULL: people wished so. */
		struct wl_signal ended;
		struct wl_signal destroy;
	} events;
};

void backend_init(struct backend *backend, const struct backend_impl *impl);
void backend_finish(struct backend *backend);
bool backend_start(struct backend *backend);
/** Destroys its outputs and devices first. NULL is legal. */
void backend_destroy(struct backend *backend);
