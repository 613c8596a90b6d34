/* SPDX-License-Identifier: MIT */
#pragma once

/** GPUs of the hardware report, opened with all of their copy engines. */

#include "copy/copier.h"
#include "gpu/gpu.h"
#include "gpu/probe.h"
#include <pixman.h>

struct report_engine {
	const struct engine_type *type;
	struct engine_context context;
	struct copy_engine *engine; /* NULL: absent, or lost */
	int error; /* why it is absent: -errno */
};

struct report_device {
	struct gpu *gpu; /* a copy */
	int error; /* of opening the GPU; engines may exist nevertheless */
	struct gpu_facts facts;
	struct report_engine engines[COPIER_MAX_ENGINES];
	size_t n_engines;
};

/** Opens the GPU and its engines, and finds its layouts. Blocks for as long as the drivers take. */
void report_device_init(struct report_device *device, const struct gpu *gpu);
void report_device_finish(struct report_device *device);

/**
 * Copies a box (NULL: all) and waits for the end. Returns 0 and the duration in *ns (may be NULL), or
 * -errno: -ETIME after ten seconds; the engine is unusable then.
 */
int report_copy(struct report_engine *engine, struct copy_image *source,
	struct copy_image *destination, const pixman_box32_t *box, int64_t *ns);
