/* SPDX-License-Identifier: MIT */
/* The second GPU of a gpu_world. */

#include "harness/client/second_gpu.h"
#include "backend/headless.h"
#include "gpu/gpu.h"
#include "harness/second_device.h"
#include "server/outputs.h"
#include "util/signal.h"

void facts_add_reader(struct gpu_facts *facts, const char *name, const uint64_t *layouts)
{
	struct gpu_reader *reader = gpu_facts_add_reader(facts, name);
	for (; *layouts; layouts++) {
		format_set_add(&reader->layouts, DRM_FORMAT_XRGB8888, *layouts);
	}
}

void pairs_add_made(struct format_set *formats, const uint64_t *layouts)
{
	for (; *layouts; layouts++) {
		format_set_add(formats, DRM_FORMAT_XRGB8888, *layouts);
	}
	format_set_add(formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
}

void facts_add_made(struct gpu_facts *facts, const uint64_t *layouts)
{
	pairs_add_made(&facts->sampling, layouts);
}

struct output *output_light(struct gpu_world *world, struct gpu *display, struct gpu *gpu,
	const struct format_set *formats, struct server_device **device)
{
	struct server *server = world->fixture->server;
	*device = second_device_add(server, display, gpu, formats);
	server_outputs_hold(server, true);
	struct output *output = headless_add_output(server->backend, 320, 240, 60000);
	output->gpu = display;
	server_outputs_hold(server, false);
	fixture_frames(world->fixture, 2);
	return output;
}

void pairs_add_all(struct format_set *formats, uint32_t of)
{
	format_set_add(formats, of, DRM_FORMAT_MOD_LINEAR);
	format_set_add(formats, of, TILED_AMD);
	format_set_add(formats, of, COMPRESSED_AMD);
	format_set_add(formats, of, DRM_FORMAT_MOD_INVALID);
}

struct output *output_light_second(struct gpu_world *world, struct server_device **device)
{
	struct format_set formats = {0};
	pairs_add_all(&formats, DRM_FORMAT_XRGB8888);
	pairs_add_all(&formats, DRM_FORMAT_NV12);
	pairs_add_all(&formats, DRM_FORMAT_P010);
	pairs_add_all(&formats, DRM_FORMAT_YUV420);
	pairs_add_all(&formats, DRM_FORMAT_YUYV);
	struct output *output = output_light(world, world->b, world->b, &formats, device);
	format_set_finish(&formats);
	return output;
}

void output_darken_second(
	struct gpu_world *world, struct output *output, struct server_device *device)
{
	output->gpu = NULL;
	second_device_remove(device);
	signal_emit(&world->fixture->server->events.outputs_changed, NULL);
}
