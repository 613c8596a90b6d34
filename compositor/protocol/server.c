/* SPDX-License-Identifier: MIT */
/* Queries of the server that need no command. */

#include "protocol/server.h"
#include "backend/output.h"
#include "content/device.h"
#include "scene/output.h"
#include "scene/scene.h"

struct gpu *server_display_gpu(const struct server *server)
{
	if (server->device->gpu) {
		return server->device->gpu;
	}
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = server->scene->outputs[i];
		if (output && output->output->gpu) {
			return output->output->gpu;
		}
	}
	return NULL;
}
