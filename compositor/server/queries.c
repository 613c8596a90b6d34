/* SPDX-License-Identifier: MIT */
/* Questions about the server whose answers need none of the folders above. */

#include "backend/output.h"
#include "children.h"
#include "content/device.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "server/server.h"

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

const char *server_desktop_id(const struct server *server, pid_t pid, uint64_t start_time)
{
	return children_desktop_id(server->children, pid, start_time);
}
