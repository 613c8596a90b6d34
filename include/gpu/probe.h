/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Capabilities of a GPU: from a cache, so that a sleeping GPU can be described, or found once, by
 * opening the GPU, which may take seconds: on a thread, and in a process of its own where the
 * caller is a session, since NVIDIA's EGL keeps a GPU open, hence awake, until its process ends.
 */

#include "gpu/format.h"
#include <wayland-server-core.h>

#define GPU_READERS_MAX 8
#define GPU_READER_NAME_SIZE 16

struct gpu;
struct gpu_probe;

/** A reader of the GPU's buffers, and the layouts it supports. */
struct gpu_reader {
	char name[GPU_READER_NAME_SIZE]; /* one word */
	struct format_set layouts; /* of gpu_facts.sampling */
};

/** Zero-initialised: unknown. */
struct gpu_facts {
	bool incomplete; /* something failed for a moment: another look may find more */
	struct format_set
		sampling; /* that it samples, so programs that render on it may allocate them */
	int n_readers;
	struct gpu_reader readers[GPU_READERS_MAX];
};

void gpu_facts_finish(struct gpu_facts *facts);
/** `out` must be empty. */
void gpu_facts_copy(struct gpu_facts *out, const struct gpu_facts *in);
/**
 * Adds a reader without layouts. Returns NULL if there are too many. `name` is cut if it is too
 * long.
 */
struct gpu_reader *gpu_facts_add_reader(struct gpu_facts *facts, const char *name);
/** Returns a reader by name, or NULL. */
const struct gpu_reader *gpu_facts_reader(const struct gpu_facts *facts, const char *name);

/** Finds the readers while the GPU is open. Copied by its users. */
struct gpu_look {
	/**
	 * Called on the thread, with a GPU of its own that is open. Returns false on transient
	 * failure: then the result is not cached.
	 */
	bool (*find)(const struct gpu_look *look, struct gpu *gpu, struct gpu_facts *facts);
	int choice; /* find()'s own */
	bool cached_only; /* find nothing rather than open the GPU */
	char variant[64]; /* one word: key of cached results */
	/**
	 * Path of a program that calls gpu_probe_answer() for its argument --probe=SUBJECT;
	 * outlives the thread. NULL: the GPU is opened in this process.
	 */
	const char *program;
};

/**
 * Calls `found` once, from the loop, with the facts, valid during the call, or NULL if the GPU
 * cannot be opened. The GPU is open for the duration of the probe only, and does not count as used.
 */
struct gpu_probe *gpu_probe_start(struct wl_event_loop *loop, const struct gpu *gpu,
	const struct gpu_look *look, void (*found)(void *data, const struct gpu_facts *facts),
	void *data);
/**
 * Looks at the GPU with this bus id, and writes the answer for gpu_probe_start() in the process
 * that started this one. Returns false on failure. Then end the process without its exit handlers,
 * since those of drivers may hang.
 */
bool gpu_probe_answer(const char *bus_id, const struct gpu_look *look);
/** Cancels the callback, without waiting for the thread. Accepts NULL. */
void gpu_probe_destroy(struct gpu_probe *probe);
