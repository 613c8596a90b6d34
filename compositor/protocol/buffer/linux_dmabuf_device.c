/* SPDX-License-Identifier: MIT */
/*
 * Formats and modifiers of a GPU announced to clients of linux-dmabuf-v1: those that it can render
 * and that can be presented, and the table of them that clients map.
 */

#include "apps/app_rule.h"
#include "content/device.h"
#include "copy/modifiers.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include "linux_dmabuf.h"
#include "protocol/server_device.h"
#include "protocol/server_output.h"
#include "shell/shell.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Table indices have 16 bits. */
#define PAIRS_MAX (UINT16_MAX + 1)

/* Layout defined by the protocol. */
struct table_pair {
	uint32_t format;
	uint32_t padding;
	uint64_t modifier;
};

_Static_assert(sizeof(struct table_pair) == DMABUF_TABLE_PAIR_SIZE, "a pair of the format table");

size_t dmabuf_count_pairs(const struct format_set *formats)
{
	size_t n = 0;
	for (size_t i = 0; i < formats->n_formats; i++) {
		n += formats->formats[i].n_modifiers;
	}
	return n;
}

bool dmabuf_devices_accept(
	const struct linux_dmabuf *dmabuf, const struct gpu *gpu, const struct dmabuf *planes)
{
	const struct dmabuf_device *device;
	wl_list_for_each (device, &dmabuf->devices, link) {
		if (device->gpu == gpu) {
			return format_set_has(&device->offer, planes->format, planes->modifier);
		}
	}
	return false;
}

bool dmabuf_devices_announced_before(const struct linux_dmabuf *dmabuf, const struct dmabuf *planes)
{
	const struct dmabuf_device *device;
	wl_list_for_each (device, &dmabuf->devices, link) {
		if (device->gpu && device->gpu->gone &&
			(format_set_has(&device->formats, planes->format, planes->modifier) ||
				format_set_has(&device->announced_ever, planes->format,
					planes->modifier))) {
			return true;
		}
	}
	return false;
}

/* Returns the number of pairs of the table. */
static size_t count_all(const struct dmabuf_device *device)
{
	size_t n = dmabuf_count_pairs(&device->formats);
	const struct dmabuf_device *other;
	wl_list_for_each (other, &device->dmabuf->devices, link) {
		n += other != device ? dmabuf_count_pairs(&other->offer) : 0;
	}
	return n < PAIRS_MAX ? n : PAIRS_MAX;
}

/* Adds the pairs from the position `next`. Returns the next position. */
static size_t fill_table(
	struct table_pair *table, size_t next, size_t n, const struct format_set *formats)
{
	for (size_t i = 0; i < formats->n_formats; i++) {
		const struct format_modifiers *entry = &formats->formats[i];
		for (size_t m = 0; m < entry->n_modifiers && next < n; m++) {
			table[next++] = (struct table_pair){
				.format = entry->format, .modifier = entry->modifiers[m]};
		}
	}
	return next;
}

static void fill_all(const struct dmabuf_device *device, struct table_pair *table, size_t n)
{
	size_t next = fill_table(table, 0, n, &device->formats);
	const struct dmabuf_device *other;
	wl_list_for_each (other, &device->dmabuf->devices, link) {
		if (other != device) {
			next = fill_table(table, next, n, &other->offer);
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
	size_t n = count_all(device);
	size_t size = n * sizeof(struct table_pair);
	struct table_pair *table = xcalloc(n, sizeof(*table));
	fill_all(device, table, n);
	/* All clients share the file, so it is sealed against writes. */
	int fd = fd_create_memory("causeway-dmabuf-formats", (off_t)size, false);
	bool done = fd >= 0 && write_all(fd, table, size) &&
		    fcntl(fd, F_ADD_SEALS,
			    F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
	free(table);
	if (!done) {
		log_error("dma-buf feedback is disabled: cannot share the format table: %s",
			strerror(fd < 0 ? -fd : errno));
		fd_close(&fd);
		return false;
	}
	device->table_fd = fd;
	device->table_size = (uint32_t)size;
	return true;
}

static void add_linear(struct format_set *out, const struct format_set *formats)
{
	for (size_t i = 0; i < formats->n_formats; i++) {
		uint32_t format = formats->formats[i].format;
		if (format_set_has(formats, format, DRM_FORMAT_MOD_LINEAR)) {
			format_set_add(out, format, DRM_FORMAT_MOD_LINEAR);
		}
	}
}

/* Adds pairs of `made` in formats whose linear copies can be presented. */
static void add_showable(
	struct format_set *out, const struct format_set *made, const struct format_set *shown)
{
	for (size_t i = 0; i < shown->n_formats; i++) {
		const struct format_modifiers *entry =
			format_set_get(made, shown->formats[i].format);
		if (!entry || !format_set_has(shown, entry->format, DRM_FORMAT_MOD_LINEAR)) {
			continue;
		}
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			format_set_add(out, entry->format, entry->modifiers[m]);
		}
	}
}

/* Returns the device that composes an output. */
static const struct render_device *find_composer(
	const struct server *server, const struct output *output)
{
	const struct server_device *device;
	wl_list_for_each (device, &server->devices, link) {
		if (output->gpu && device->display == output->gpu) {
			return device->frame;
		}
	}
	return server->device;
}

/* Returns the device that composes on this GPU, or NULL. */
static const struct render_device *find_own(const struct server *server, const struct gpu *gpu)
{
	const struct server_device *device;
	if (!gpu || server->device->gpu == gpu) {
		return gpu ? server->device : NULL;
	}
	wl_list_for_each (device, &server->devices, link) {
		if (device->frame->gpu == gpu) {
			return device->frame;
		}
	}
	return NULL;
}

static void add_composer(struct format_set *shown, const struct render_device *composer, bool first)
{
	if (first) {
		format_set_copy(shown, &composer->renderer->texture_formats);
		return;
	}
	struct format_set both = {0};
	format_set_intersect(&both, shown, &composer->renderer->texture_formats);
	format_set_finish(shown);
	*shown = both;
}

/*
 * Finds the pairs that each device which composes an output shows, apart from `own` (NULL: none).
 * Returns false if no other device does.
 */
static bool find_shown(
	const struct server *server, const struct render_device *own, struct format_set *shown)
{
	const struct server_output *entry;
	bool any = false;
	wl_list_for_each (entry, &server->outputs, link) {
		const struct render_device *composer =
			entry->scene_output ? find_composer(server, entry->output) : own;
		if (composer && composer != own && composer->renderer) {
			add_composer(shown, composer, !any);
			any = true;
		}
	}
	if (!any && own != server->device) {
		add_composer(shown, server->device, true);
		any = true;
	}
	return any;
}

/** Returns true if buffers of this GPU may be presented by another GPU. */
static bool is_copied_from(const struct server *server, const struct gpu *gpu)
{
	const struct server_output *entry;
	const struct gpu *display = server_display_gpu(server);
	if (gpu != display) {
		return true;
	}
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->scene_output && entry->output->gpu && entry->output->gpu != display) {
			return true;
		}
	}
	return false;
}

/*
 * Returns whether all other GPUs that present can read linear buffers of this one without a copy.
 */
static bool is_imported_from(const struct server *server, const struct gpu *gpu)
{
	const struct server_output *entry;
	const struct gpu *display = server_display_gpu(server);
	bool imported = gpu_shares_linear_memory(gpu) &&
			(gpu == display || gpu_samples_foreign_memory(display));
	wl_list_for_each (entry, &server->outputs, link) {
		const struct gpu *other = entry->output->gpu;
		imported &= !entry->scene_output || !other || other == gpu ||
			    gpu_samples_foreign_memory(other);
	}
	return imported;
}

static void find_copied(
	const struct server *server, struct dmabuf_device *device, const struct format_set *shown)
{
	struct format_set readable = {0};
	const struct format_set *made = &device->facts.sampling;
	if (made->n_formats == 0) {
		copy_modifiers_find_linear(shown, &readable);
		made = shown;
	} else {
		copy_modifiers_find(server->copier, device->gpu, &device->facts, &readable);
	}
	if (is_imported_from(server, device->gpu)) {
		add_linear(&readable, made);
	}
	add_showable(&device->copied, &readable, shown);
	format_set_finish(&readable);
}

static void find_formats(const struct linux_dmabuf *dmabuf, struct dmabuf_device *device)
{
	const struct server *server = dmabuf->server;
	const struct render_device *own = find_own(server, device->gpu);
	struct format_set shown = {0};
	const bool others = find_shown(server, own, &shown);
	device->is_copied = device->gpu && is_copied_from(server, device->gpu);
	if (device->is_copied) {
		find_copied(server, device, &shown);
	}
	if (own && !others) {
		format_set_copy(&device->formats, &own->renderer->texture_formats);
	} else if (own) {
		add_showable(&device->formats, &own->renderer->texture_formats, &shown);
	} else if (!device->gpu || device->gpu == server_display_gpu(server)) {
		format_set_copy(&device->formats, &shown);
	} else {
		format_set_copy(&device->formats, &device->copied);
	}
	format_set_finish(&shown);
	bool display = device->gpu && device->gpu == server_display_gpu(server);
	if (display && device->copied.n_formats == 0) {
		format_set_copy(&device->offer, &device->formats);
	} else if (device->gpu && !device->gpu->gone &&
		   (display || device->facts.sampling.n_formats > 0)) {
		format_set_copy(&device->offer, &device->copied);
	}
}

/* A probe that failed is repeated after this time (ns), which doubles; number of repetitions. */
#define AGAIN_NS INT64_C(5000000000)
#define AGAIN_MAX 4

/* The failure may pass. A GPU that no program uses is not woken for it. */
static void repeat_later(struct dmabuf_device *device)
{
	if (device->used && device->n_failed < AGAIN_MAX) {
		timer_arm(&device->again,
			clock_now(device->again.clock) + (AGAIN_NS << device->n_failed));
	}
	device->failed_at = clock_now(device->again.clock);
	device->n_failed++;
}

/* Probes a GPU again whose probes failed so often that they were given up. */
static void look_up_again(struct dmabuf_device *device)
{
	if (device->n_failed > AGAIN_MAX && !device->again.armed && !device->probe) {
		timer_arm(&device->again, device->failed_at + (AGAIN_NS << AGAIN_MAX));
	}
}

static void handle_found(void *data, const struct gpu_facts *facts)
{
	struct dmabuf_device *device = data;
	gpu_probe_destroy(device->probe);
	device->probe = NULL;
	if (!facts && !device->used) {
		return; /* not in the cache */
	}
	if (!facts || facts->incomplete) {
		repeat_later(device);
	} else {
		device->n_failed = 0;
	}
	if (!facts && device->n_failed > 1) {
		return;
	}
	if (!facts) {
		log_warn("%s: cannot query the GPU's formats: only linear buffers of it can be "
			 "copied",
			device->gpu->bus_id);
		return;
	}
	gpu_facts_finish(&device->facts);
	gpu_facts_copy(&device->facts, facts);
	dmabuf_devices_update(device->dmabuf);
}

/* Probes the GPU unless it was probed for the copy engines' current queue. */
static void look_up(struct dmabuf_device *device)
{
	const struct server *server = device->dmabuf->server;
	struct gpu_look look;
	if (!device->gpu || !is_copied_from(server, device->gpu) ||
		(device->probed && device->queue == server->copier->queue)) {
		return;
	}
	gpu_probe_destroy(device->probe);
	timer_disarm(&device->again);
	device->probed = true;
	device->queue = server->copier->queue;
	copy_modifiers_look(&look, device->queue);
	look.cached_only = !device->used;
	look.program = server->options->helper_program;
	device->probe = gpu_probe_start(server->loop, device->gpu, &look, handle_found, device);
}

static void handle_again(struct timer *timer, int64_t now)
{
	struct dmabuf_device *device = wl_container_of(timer, device, again);
	device->probed = false;
	look_up(device);
}

static struct dmabuf_device *find(const struct linux_dmabuf *dmabuf, const struct gpu *gpu)
{
	struct dmabuf_device *device;
	wl_list_for_each (device, &dmabuf->devices, link) {
		if (device->gpu == gpu) {
			return device;
		}
	}
	return NULL;
}

static void close_tables(struct linux_dmabuf *dmabuf)
{
	struct dmabuf_device *device;
	wl_list_for_each (device, &dmabuf->devices, link) {
		fd_close(&device->table_fd);
	}
}

static struct dmabuf_device *create(struct linux_dmabuf *dmabuf, struct gpu *gpu, bool used)
{
	struct dmabuf_device *device = xcalloc(1, sizeof(*device));
	device->dmabuf = dmabuf;
	device->gpu = gpu;
	device->used = used;
	device->dev = gpu ? gpu_dev(gpu) : 0;
	device->table_fd = -1;
	timer_init(&device->again, dmabuf->server->clock, handle_again);
	find_formats(dmabuf, device);
	if (device->offer.n_formats > 0) {
		close_tables(dmabuf);
	}
	wl_list_insert(&dmabuf->devices, &device->link);
	look_up(device);
	return device;
}

struct dmabuf_device *dmabuf_device_get(struct linux_dmabuf *dmabuf, struct gpu *gpu)
{
	struct dmabuf_device *device = find(dmabuf, gpu);
	/* A program asks for formats, or sends a buffer. */
	signal_emit(&dmabuf->server->events.formats_asked, NULL);
	if (!device) {
		return create(dmabuf, gpu, true);
	}
	look_up_again(device);
	if (!device->used) {
		device->used = true;
		/* The cache had no facts, or is being read. */
		device->probed = device->facts.sampling.n_formats > 0;
		look_up(device);
	}
	return device;
}

void dmabuf_devices_prepare_others(struct linux_dmabuf *dmabuf)
{
	struct gpu *gpu;
	dmabuf->chosen = true;
	wl_list_for_each (gpu, &dmabuf->server->gpus->gpus, link) {
		if (gpu->render_path && !find(dmabuf, gpu)) {
			create(dmabuf, gpu, false);
		}
	}
}

const struct format_set *dmabuf_device_pairs(const struct dmabuf_device *device)
{
	return device->is_copied ? &device->copied : &device->formats;
}

void dmabuf_devices_prepare(struct linux_dmabuf *dmabuf)
{
	const struct server *server = dmabuf->server;
	const struct config *config = server->shell->config;
	struct gpu *display = server_display_gpu(server);
	const struct config_app *app;
	wl_list_for_each (app, &config->apps, link) {
		struct gpu *gpu =
			app->gpu ? gpu_select(config, server->gpus, display, app->gpu) : NULL;
		if (gpu) {
			dmabuf_device_get(dmabuf, gpu);
		}
	}
	struct gpu *gpu = gpu_select(config, server->gpus, display, config->gpu.default_selector);
	if (gpu) {
		dmabuf_device_get(dmabuf, gpu);
	}
}

static void add_all(struct format_set *out, const struct format_set *formats)
{
	for (size_t i = 0; i < formats->n_formats; i++) {
		const struct format_modifiers *entry = &formats->formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			format_set_add(out, entry->format, entry->modifiers[m]);
		}
	}
}

/* Returns whether tables have to be written again. */
static bool update(struct dmabuf_device *device)
{
	struct format_set formats = device->formats, copied = device->copied, offer = device->offer;
	const bool was_copied = device->is_copied;
	device->formats = device->copied = device->offer = (struct format_set){0};
	find_formats(device->dmabuf, device);
	bool same_table = format_set_equal(&formats, &device->formats);
	bool same_offer = format_set_equal(&offer, &device->offer);
	device->changed = !same_table || was_copied != device->is_copied ||
			  !format_set_equal(&copied, &device->copied);
	if (!same_table) {
		add_all(&device->announced_ever, &formats);
	}
	if (device->changed) {
		device->dmabuf->pairs_changed(device, was_copied ? &copied : &formats);
	}
	format_set_finish(&formats);
	format_set_finish(&copied);
	format_set_finish(&offer);
	look_up(device);
	return !same_table || !same_offer;
}

void dmabuf_devices_update(struct linux_dmabuf *dmabuf)
{
	struct dmabuf_device *device;
	bool tables = false;
	wl_list_for_each (device, &dmabuf->devices, link) {
		tables |= update(device);
	}
	if (tables) {
		close_tables(dmabuf);
	}
	wl_list_for_each (device, &dmabuf->devices, link) {
		if (tables || device->changed) {
			dmabuf->device_changed(dmabuf, device, !device->changed);
		}
	}
}

void dmabuf_devices_finish(struct linux_dmabuf *dmabuf)
{
	struct dmabuf_device *device, *next;
	wl_list_for_each_safe (device, next, &dmabuf->devices, link) {
		gpu_probe_destroy(device->probe);
		timer_finish(&device->again);
		format_set_finish(&device->formats);
		format_set_finish(&device->copied);
		format_set_finish(&device->offer);
		format_set_finish(&device->announced_ever);
		gpu_facts_finish(&device->facts);
		fd_close(&device->table_fd);
		wl_list_remove(&device->link);
		free(device);
	}
}
