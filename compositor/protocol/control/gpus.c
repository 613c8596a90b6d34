/* SPDX-License-Identifier: MIT */
/* Roles and users of GPUs, collected for reports. */

#include "backend/drm.h"
#include "causeway-control-v1-protocol.h"
#include "content/device.h"
#include "control.h"
#include "copy/copier.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include "protocol/server_device.h"
#include "protocol/server_output.h"
#include "staging/staging.h"
#include "util/xalloc.h"
#include "xwayland/servers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Appends an item to a list in `text`, which is freed and replaced. */
static char *join(char *text, const char *separator, const char *more)
{
	char *longer = *text ? xasprintf("%s%s%s", text, separator, more) : xstrdup(more);
	free(text);
	return longer;
}

static char *list_outputs(const struct server *server, const struct gpu *gpu)
{
	char *names = xstrdup("");
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->output->gpu == gpu && entry->scene_output) {
			names = join(names, " and ", entry->output->name);
		}
	}
	return names;
}

const char *control_client_name(struct client *client)
{
	const char *exe = client_exe(client), *slash = exe ? strrchr(exe, '/') : NULL;
	return slash ? slash + 1 : exe ? exe : "unknown";
}

struct holdings {
	const struct gpu *gpu;
	int n_buffers;
};

static enum wl_iterator_result count_buffer(struct wl_resource *resource, void *data)
{
	struct holdings *holdings = data;
	if (strcmp(wl_resource_get_class(resource), "wl_buffer") == 0) {
		const struct buffer *buffer = buffer_from_resource(resource);
		holdings->n_buffers += buffer && buffer->home == holdings->gpu;
	}
	return WL_ITERATOR_CONTINUE;
}

/** Lists programs with buffers on the GPU. */
static char *list_programs(const struct server *server, const struct gpu *gpu)
{
	char *names = xstrdup("");
	struct wl_client *wl_client;
	wl_client_for_each (wl_client, wl_display_get_client_list(server->display)) {
		struct client *client = client_from_wl(wl_client);
		struct holdings holdings = {.gpu = gpu};
		wl_client_for_each_resource(wl_client, count_buffer, &holdings);
		if (holdings.n_buffers > 0) {
			char *name = xasprintf("%s (%d, %d buffer%s)", control_client_name(client),
				(int)client->pid, holdings.n_buffers,
				holdings.n_buffers == 1 ? "" : "s");
			names = join(names, ", ", name);
			free(name);
		}
	}
	return names;
}

/** Lists X servers of the GPU: ":0 (1234)" with a process, ":1" without. */
static char *list_x_servers(const struct server *server, const struct gpu *gpu)
{
	char *names = xstrdup("");
	const struct x_server *x_server;
	if (!server->x_servers) {
		return names;
	}
	wl_list_for_each (x_server, x_servers_list(server->x_servers), link) {
		if (x_server->gpu == gpu) {
			char *name = x_server->pid ? xasprintf(":%d (%d)", x_server->display,
							     (int)x_server->pid)
						   : xasprintf(":%d", x_server->display);
			names = join(names, ", ", name);
			free(name);
		}
	}
	return names;
}

/* A list of programs for a report. */
struct program_list {
	const struct gpu *gpu;
	char *names;
};

static void add_x_program(
	void *data, const struct x_server *server, pid_t pid, const char *exe, const char *reason)
{
	struct program_list *list = data;
	const char *slash = exe ? strrchr(exe, '/') : NULL;
	if (server->gpu == list->gpu) {
		char *name = xasprintf("%s (%d, :%d, %s)",
			slash ? slash + 1
			: exe ? exe
			      : "unknown",
			(int)pid, server->display, reason);
		list->names = join(list->names, ", ", name);
		free(name);
	}
}

/** Lists processes on the shared display, with their X server and the reason for it. */
static char *list_x_programs(const struct server *server, const struct gpu *gpu)
{
	struct program_list list = {gpu, xstrdup("")};
	if (server->x_servers) {
		x_servers_visit_programs(server->x_servers, add_x_program, &list);
	}
	return list.names;
}

/** Returns true if a client is told to render on the GPU. */
static bool renders_for_programs(const struct server *server, const struct gpu *gpu)
{
	struct wl_client *wl_client;
	wl_client_for_each (wl_client, wl_display_get_client_list(server->display)) {
		if (client_from_wl(wl_client)->gpu == gpu) {
			return true;
		}
	}
	return false;
}

static bool composes(const struct server *server, const struct gpu *gpu)
{
	const struct server_device *device;
	if (server->device->gpu == gpu) {
		return true;
	}
	wl_list_for_each (device, &server->devices, link) {
		if (device->frame->gpu == gpu) {
			return true;
		}
	}
	return false;
}

char *control_gpu_role(const struct server *server, const struct gpu *gpu)
{
	char *role = xstrdup(""), *outputs = list_outputs(server, gpu);
	if (composes(server, gpu)) {
		role = join(role, ", ", "composes");
	}
	if (*outputs) {
		char *drives = xasprintf("drives %s", outputs);
		role = join(role, ", ", drives);
		free(drives);
	}
	if (renders_for_programs(server, gpu)) {
		role = join(role, ", ", "renders for programs");
	}
	free(outputs);
	return *role ? role : join(role, "", "spare");
}

char *control_gpu_users(const struct server *server, const struct gpu *gpu)
{
	char *users = list_outputs(server, gpu), *programs = list_programs(server, gpu);
	if (composes(server, gpu)) {
		users = join(users, "; ", "composing");
	}
	if (*programs) {
		users = join(users, "; ", programs);
	}
	free(programs);
	return users;
}

/** Adds the roles of the GPU and the reasons why it is awake. */
static void add_use(
	struct control_record *record, const struct server *server, const struct gpu *gpu)
{
	char power[GPU_POWER_SIZE];
	bool known = gpu_read_power(gpu, power);
	char *role = control_gpu_role(server, gpu), *users = control_gpu_users(server, gpu);
	control_record_text(record, "role", role);
	control_record_text(record, "power", known ? power : "unknown");
	if (*users || gpu->n_users > 0) {
		control_record_text(record, "awake_for", *users ? users : "this session");
	} else if (known && strcmp(power, "active") == 0) {
		control_record_text(record, "awake_for", "nothing of this session");
	} else {
		control_record_text(record, "awake_for", "");
	}
	free(role);
	free(users);
}

static void add_cost(void *data, const char *kind, const char *direction, const char *to,
	const struct cost_line *line)
{
	char **text = data;
	char *more = xasprintf("%s %s %s: %.0f us, %.0f MiB/s", kind, direction, to,
		(double)line->latency / 1e3, line->bandwidth * 1e9 / (1 << 20));
	*text = join(*text, ", ", more);
	free(more);
}

static void add_memory(void *data, const char *phrase)
{
	char **text = data;
	*text = join(*text, "; ", phrase);
}

/** Adds the copy engines that are open, their measured cost, and the memory that they write. */
static void add_engines(
	struct control_record *record, const struct server *server, const struct gpu *gpu)
{
	char ids[16], *names = xstrdup(""), *costs = xstrdup(""), *memory = xstrdup(""),
		      *verdicts = xstrdup("");
	const struct gpu_engines *device;
	wl_list_for_each (device, &server->copier->gpus, link) {
		for (int i = 0; device->gpu == gpu && i < COPIER_ENGINES_MAX; i++) {
			const struct copy_engine *engine = device->instances[i].engine;
			names = engine ? join(names, ", ", engine->impl->name) : names;
		}
	}
	snprintf(ids, sizeof(ids), "%04x:%04x", gpu->vendor, gpu->device);
	cost_table_each(&server->copier->costs, ids, add_cost, &costs);
	control_record_text(record, "engines", names);
	staging_each_memory(server->staging, gpu, add_memory, &memory);
	control_record_text(record, "engine_costs", costs);
	control_record_text(record, "copy_memory", memory);
	staging_each_verdict(server->staging, gpu, add_memory, &verdicts);
	control_record_text(record, "copy_verdicts", verdicts);
	free(verdicts);
	free(memory);
	free(names);
	free(costs);
}

/** Adds the restrictions of the display driver. */
static void add_quirks(
	struct control_record *record, const struct server *server, const struct gpu *gpu)
{
	char *quirks = xstrdup("");
	const char *text = "";
	for (int i = 0; backend_is_drm(server->backend) && text; i++) {
		text = drm_backend_quirk(server->backend, gpu, i);
		quirks = text ? join(quirks, "; ", text) : quirks;
	}
	if (!gpu_scans_out_shared_memory(gpu)) {
		quirks = join(quirks, "; ",
			"copies from other GPUs are composed (the display reads its own memory "
			"only)");
	}
	control_record_text(record, "quirks", quirks);
	free(quirks);
}

void control_report_gpus(struct server *server, struct wl_resource *report)
{
	const struct gpu *gpu;
	wl_list_for_each (gpu, &server->gpus->gpus, link) {
		char ids[16];
		struct control_record fields = {0}, *const record = &fields;
		control_record_text(record, "name", gpu->bus_id);
		control_record_text(record, "driver", gpu->driver);
		if (gpu->vendor) {
			snprintf(ids, sizeof(ids), "%04x:%04x", gpu->vendor & 0xffff,
				gpu->device & 0xffff);
			control_record_text(record, "id", ids);
		}
		control_record_text(record, "card", gpu->primary_path);
		control_record_text(record, "render_node", gpu->render_path);
		control_record_bool(record, "integrated", gpu->integrated);
		control_record_bool(record, "boot", gpu->boot_vga);
		control_record_bool(record, "open", gpu->n_users > 0);
		add_use(record, server, gpu);
		char *x_servers = list_x_servers(server, gpu);
		char *x_programs = list_x_programs(server, gpu);
		control_record_text(record, "x_servers", x_servers);
		control_record_text(record, "x_programs", x_programs);
		free(x_programs);
		free(x_servers);
		add_quirks(record, server, gpu);
		add_engines(record, server, gpu);
		control_record_send(record, report);
		control_record_finish(record);
	}
	control_finish(report);
}

void control_add_rendering(struct control_record *record, const struct client *client)
{
	control_record_text(record, "rule", client->rule);
	if (client->gpu) {
		control_record_text(record, "gpu", client->gpu->bus_id);
	}
	if (client->next_gpu != client->gpu && client->next_gpu) {
		control_record_text(record, "gpu_at_next_start", client->next_gpu->bus_id);
	}
}
