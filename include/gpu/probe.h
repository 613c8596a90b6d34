#pragma once

/**
 * What a GPU makes and takes, found without disturbing it: out of a cache, so that a GPU that sleeps can
 * be described, or once, on a thread, by opening it, which may take seconds.
 */

#include "gpu/format.h"
#include <wayland-server-core.h>

#define GPU_MAX_READERS 8
#define GPU_READER_NAME_SIZE 16

struct gpu;
struct gpu_probe;

/** Somebody who reads pictures that the GPU has made, and which of them. */
struct gpu_reader {
	char name[GPU_READER_NAME_SIZE]; /* one word */
	struct format_set layouts; /* of gpu_facts.sampling */
};

/** Zero-initialised: nothing is known. */
struct gpu_facts {
	struct format_set
		sampling; /* what it samples, and so what programs that render on it may make */
	int n_readers;
	struct gpu_reader readers[GPU_MAX_READERS];
};

void gpu_facts_finish(struct gpu_facts *facts);
/** `out` must be empty. */
void gpu_facts_copy(struct gpu_facts *out, const struct gpu_facts *in);
/** A new reader, of nothing yet; NULL if there are too many. `name` is cut if it is too long. */
struct gpu_reader *gpu_facts_add_reader(struct gpu_facts *facts, const char *name);
/** NULL: there is no such reader. */
const struct gpu_reader *gpu_facts_reader(const struct gpu_facts *facts, const char *name);

/** Who is to find the readers while the GPU is open. Copied by those who are given it. */
struct gpu_look {
	/**
	 * On the thread; `gpu` is that thread's own, and open. False if something failed that may do later:
	 * then nothing is kept.
	 */
	bool (*find)(const struct gpu_look *look, struct gpu *gpu, struct gpu_facts *facts);
	int choice; /* find()'s own */
	char variant[64]; /* one word: what was found under another is not used */
};

/**
 * Calls `found` once, from the loop, with what is known of the GPU, or NULL if it cannot be had; the facts are
 * only lent. The GPU is opened at most for as long as it is looked at, and is not counted as used.
 */
struct gpu_probe *gpu_probe_start(struct wl_event_loop *loop, const struct gpu *gpu,
	const struct gpu_look *look, void (*found)(void *data, const struct gpu_facts *facts),
	void *data);
/** `found` is not called any more. Waits for nothing: the thread ends by itself. NULL is legal. */
void gpu_probe_destroy(struct gpu_probe *probe);
