/*
 * What clients of linux-dmabuf-v1 are told of a GPU: formats and layouts that it makes and that can be
 * shown, and the table of them that clients map.
 */

#include "gpu/probe.h"
#include "linux_dmabuf.h"
#include "shell/app_rule.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Indices are of 16 bits. */
#define MAX_PAIRS (UINT16_MAX + 1)

/* As the protocol lays it out. */
struct table_pair {
	uint32_t format;
	uint32_t padding;
	uint64_t modifier;
};

_Static_assert(sizeof(struct table_pair) == DMABUF_TABLE_PAIR_SIZE, "a pair of the format table");

static size_t count_pairs(const struct format_set *formats)
{
	size_t n = 0;
	for (size_t i = 0; i < formats->n_formats; i++) {
		n += formats->formats[i].n_modifiers;
	}
	return n < MAX_PAIRS ? n : MAX_PAIRS;
}

static void fill_table(struct table_pair *table, size_t n, const struct format_set *formats)
{
	size_t next = 0;
	for (size_t i = 0; i < formats->n_formats; i++) {
		const struct format_modifiers *entry = &formats->formats[i];
		for (size_t m = 0; m < entry->n_modifiers && next < n; m++) {
			table[next++] = (struct table_pair){
				.format = entry->format, .modifier = entry->modifiers[m]};
		}
	}
}

static bool write_all(int fd, const void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(fd, (const char *)data + done, size - done, (off_t)done);
		if (n < 0 && errno != EINTR) {
			return false;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

bool dmabuf_device_share(struct dmabuf_device *device)
{
	if (device->table_fd >= 0) {
		return true;
	}
	size_t n = count_pairs(&device->formats);
	size_t size = n * sizeof(struct table_pair);
	struct table_pair *table = xcalloc(n, sizeof(*table));
	fill_table(table, n, &device->formats);
	/* All clients share it: none may write. */
	int fd = fd_create_memory("causeway-dmabuf-formats", (off_t)size, false);
	bool done = fd >= 0 && write_all(fd, table, size) &&
		    fcntl(fd, F_ADD_SEALS,
			    F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
	free(table);
	if (!done) {
		log_error("no dma-buf feedback: the format table cannot be shared: %s",
			strerror(fd < 0 ? -fd : errno));
		fd_close(&fd);
		return false;
	}
	device->table_fd = fd;
	device->table_size = (uint32_t)size;
	return true;
}

bool dmabuf_can_be_copied(uint64_t modifier)
{
	return !IS_AMD_FMT_MOD(modifier) || !AMD_FMT_MOD_GET(DCC, modifier);
}

static void take_layouts(struct format_set *out, const struct format_modifiers *made, bool drives)
{
	for (size_t m = 0; m < made->n_modifiers; m++) {
		if (drives || dmabuf_can_be_copied(made->modifiers[m])) {
			format_set_add(out, made->format, made->modifiers[m]);
		}
	}
}

/*
 * A copy of what another GPU made has to be shown, and copies are linear. While it is not known what the
 * other one makes, or nothing is copied, linear is what any does. `drives`: it has screens of its own, and what
 * is shown on those alone is not copied.
 */
static void take_copied(struct format_set *out, const struct format_set *made,
	const struct format_set *shown, bool drives)
{
	for (size_t i = 0; i < shown->n_formats; i++) {
		uint32_t format = shown->formats[i].format;
		const struct format_modifiers *entry = format_set_get(made, format);
		if (!format_set_has(shown, format, DRM_FORMAT_MOD_LINEAR)) {
			continue;
		}
		if (entry) {
			take_layouts(out, entry, drives);
		} else if (made->n_formats == 0) {
			format_set_add(out, format, DRM_FORMAT_MOD_LINEAR);
		}
	}
}

static void handle_found(void *data, const struct format_set *formats)
{
	struct dmabuf_device *device = data;
	gpu_probe_destroy(device->probe);
	device->probe = NULL;
	if (!formats) {
		log_warn("%s: what it can make is not known: programs on it use linear buffers",
			device->gpu->bus_id);
		return;
	}
	format_set_copy(&device->own, formats);
	dmabuf_devices_update(device->dmabuf);
}

/** There is an engine that surely reads whatever layout this GPU makes. */
static bool is_copied(const struct server *server, const struct gpu *gpu)
{
	return server->copies && strcmp(gpu->driver, "amdgpu") == 0;
}

static bool drives_output(const struct server *server, const struct gpu *gpu)
{
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->scene_output && entry->output->gpu == gpu) {
			return true;
		}
	}
	return false;
}

static void find_formats(const struct linux_dmabuf *dmabuf, struct dmabuf_device *device)
{
	const struct server *server = dmabuf->server;
	const struct format_set *shown = &server->device.renderer->texture_formats;
	if (!device->gpu || device->gpu == server_display_gpu(server)) {
		format_set_copy(&device->formats, shown);
	} else {
		static const struct format_set unknown = {0};
		take_copied(&device->formats,
			is_copied(server, device->gpu) ? &device->own : &unknown, shown,
			drives_output(server, device->gpu));
	}
}

struct dmabuf_device *dmabuf_device_get(struct linux_dmabuf *dmabuf, struct gpu *gpu)
{
	struct dmabuf_device *device;
	wl_list_for_each (device, &dmabuf->devices, link) {
		if (device->gpu == gpu) {
			return device;
		}
	}
	device = xcalloc(1, sizeof(*device));
	device->dmabuf = dmabuf;
	device->gpu = gpu;
	device->dev = gpu ? gpu_dev(gpu) : 0;
	device->table_fd = -1;
	find_formats(dmabuf, device);
	wl_list_insert(&dmabuf->devices, &device->link);
	if (gpu && gpu != server_display_gpu(dmabuf->server)) {
		device->probe = gpu_probe_start(dmabuf->server->loop, gpu, handle_found, device);
	}
	return device;
}

static void forget_formats(struct dmabuf_device *device)
{
	format_set_finish(&device->formats);
	device->formats = (struct format_set){0};
	fd_close(&device->table_fd);
}

void dmabuf_devices_prepare(struct linux_dmabuf *dmabuf)
{
	const struct server *server = dmabuf->server;
	const struct config *config = server->shell->config;
	struct gpu *display = server_display_gpu(server);
	const struct config_app *app;
	wl_list_for_each (app, &config->apps, link) {
		struct gpu *gpu =
			app->gpu ? gpu_select(config, &server->gpus, display, app->gpu) : NULL;
		if (gpu) {
			dmabuf_device_get(dmabuf, gpu);
		}
	}
	struct gpu *gpu = gpu_select(config, &server->gpus, display, config->gpu.default_selector);
	if (gpu) {
		dmabuf_device_get(dmabuf, gpu);
	}
}

void dmabuf_devices_update(struct linux_dmabuf *dmabuf)
{
	struct dmabuf_device *device;
	wl_list_for_each (device, &dmabuf->devices, link) {
		struct format_set before = device->formats;
		device->formats = (struct format_set){0};
		find_formats(dmabuf, device);
		bool same = format_set_equal(&before, &device->formats);
		format_set_finish(&before);
		if (!same) {
			fd_close(&device->table_fd);
			dmabuf_feedback_resend(dmabuf, device);
		}
	}
}

void dmabuf_devices_finish(struct linux_dmabuf *dmabuf)
{
	struct dmabuf_device *device, *next;
	wl_list_for_each_safe (device, next, &dmabuf->devices, link) {
		gpu_probe_destroy(device->probe);
		forget_formats(device);
		format_set_finish(&device->own);
		wl_list_remove(&device->link);
		free(device);
	}
}
