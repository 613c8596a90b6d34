/* SPDX-License-Identifier: MIT */
/* GPUs of the hardware report, opened with all of their copy engines. */

#include "device.h"
#include "copy/modifiers.h"
#include "util/clock.h"

#define PROBE_TIMEOUT 10000 /* ms */

struct answer {
	struct gpu_facts *facts;
	bool came;
};

static void handle_found(void *data, const struct gpu_facts *facts)
{
	struct answer *answer = data;
	answer->came = true;
	if (facts) {
		gpu_facts_copy(answer->facts, facts);
	}
}

static void find_facts(struct report_device *device)
{
	struct answer answer = {.facts = &device->facts};
	struct gpu_look look;
	struct wl_event_loop *loop = wl_event_loop_create();
	copy_modifiers_look(&look, VULKAN_QUEUE_TRANSFER);
	struct gpu_probe *probe = gpu_probe_start(loop, device->gpu, &look, handle_found, &answer);
	int64_t end = clock_monotonic() + PROBE_TIMEOUT * INT64_C(1000000);
	while (probe && !answer.came && clock_monotonic() < end) {
		wl_event_loop_dispatch(loop, PROBE_TIMEOUT);
	}
	gpu_probe_destroy(probe);
	wl_event_loop_destroy(loop);
}

void report_device_init(struct report_device *device, const struct gpu *gpu)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	*device = (struct report_device){.gpu = gpu_copy(gpu), .n_engines = n};
	device->error = gpu_open(device->gpu);
	find_facts(device);
	for (size_t i = 0; i < n; i++) {
		struct report_engine *engine = &device->engines[i];
		engine->type = &types[i];
		engine->context.gpu = device->gpu;
		engine->context.queue = VULKAN_QUEUE_TRANSFER;
		engine->error = types[i].create(&engine->context, &engine->engine);
		if (engine->error < 0) {
			engine->engine = NULL;
		}
	}
}

void report_device_finish(struct report_device *device)
{
	for (size_t i = 0; i < device->n_engines; i++) {
		copy_engine_destroy(device->engines[i].engine);
	}
	gpu_facts_finish(&device->facts);
	if (device->error == 0) {
		gpu_close(device->gpu);
	}
	gpu_copy_destroy(device->gpu);
}
