/* SPDX-License-Identifier: MIT */
#pragma once

/** GPUs of the hardware report, opened with all of their copy engines. */

#include "copy/copier.h"
#include "gpu/gpu.h"
#include "gpu/probe.h"

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
	struct report_engine engines[COPIER_ENGINES_MAX];
	size_t n_engines;
};

/** Opens the GPU and its engines, and finds its layouts. Blocks for as long as the drivers take. */
void report_device_init(struct report_device *device, const struct gpu *gpu);
void report_device_finish(struct report_device *device);
