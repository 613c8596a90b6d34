/* SPDX-License-Identifier: MIT */
/* Facts of a Vulkan device, for the hardware report. */

#include "copy/vulkan/device.h"
#include <string.h>

int vulkan_describe(const struct vulkan_options *options, struct vulkan_facts *facts)
{
	int first_error = 0;
	memset(facts, 0, sizeof(*facts));
	for (int kind = 0; kind < VULKAN_QUEUE_ANY; kind++) {
		struct vulkan_device device;
		struct vulkan_options one = *options;
		one.queue = (enum vulkan_queue_kind)kind;
		int error = vulkan_device_init(&device, &one);
		if (error < 0) {
			first_error = first_error == 0 ? error : first_error;
			continue;
		}
		facts->queues[kind] = true;
		memcpy(facts->name, device.name, sizeof(facts->name));
		facts->dmabuf = device.has.dmabuf;
		facts->modifiers = device.has.modifiers;
		facts->host_memory = device.has.host_memory;
		facts->wait_sync_file = device.has.wait_sync_file;
		facts->make_sync_file = device.has.make_sync_file;
		vulkan_device_finish(&device);
	}
	return facts->name[0] ? 0 : first_error;
}
