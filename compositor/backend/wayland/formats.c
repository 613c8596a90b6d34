/* SPDX-License-Identifier: MIT */
/* Formats of the host: those of wl_shm, and formats with modifiers of linux-dmabuf. */

#include "util/log.h"
#include "wayland.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns false for YUV: the host could not be told its encoding. */
static bool usable(uint32_t format)
{
	const struct pixel_format *info = pixel_format_get(format);
	return info && !info->yuv;
}

static void handle_shm_format(void *data, struct wl_shm *shm, uint32_t code)
{
	struct wayland_backend *backend = data;
	uint32_t format = pixel_format_from_shm(code);
	if (!usable(format)) {
		return;
	}
	format_set_add(&backend->shm_formats, format, DRM_FORMAT_MOD_LINEAR);
	format_set_add(&backend->shm_formats, format, DRM_FORMAT_MOD_INVALID);
}

static const struct wl_shm_listener shm_listener = {.format = handle_shm_format};

void wayland_listen_shm(struct wayland_backend *backend)
{
	wl_shm_add_listener(backend->shm, &shm_listener, backend);
}

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
	/* Supported layouts follow as modifier events. */
}

static void handle_modifier(
	void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format, uint32_t hi, uint32_t lo)
{
	struct wayland_backend *backend = data;
	if (usable(format)) {
		format_set_add(&backend->dmabuf_formats, format, (uint64_t)hi << 32 | lo);
	}
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

static void unmap_table(struct wayland_backend *backend)
{
	if (backend->table.entries) {
		munmap((void *)backend->table.entries, backend->table.size);
	}
	backend->table.entries = NULL;
	backend->table.size = 0;
}

static void handle_format_table(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, int32_t fd, uint32_t size)
{
	struct wayland_backend *backend = data;
	unmap_table(backend);
	void *entries = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (entries == MAP_FAILED) {
		log_warn("cannot map the host's format table");
		return;
	}
	backend->table.entries = entries;
	backend->table.size = size;
}

static void handle_main_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
	struct wayland_backend *backend = data;
	if (device->size == sizeof(dev_t)) {
		memcpy(&backend->base.device, device->data, sizeof(dev_t));
	}
}

static void handle_tranche_formats(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *indices)
{
	struct wayland_backend *backend = data;
	size_t n_entries = backend->table.size / sizeof(struct wayland_format);
	const uint16_t *index;
	wl_array_for_each (index, indices) {
		if (*index >= n_entries) {
			continue;
		}
		const struct wayland_format *entry = &backend->table.entries[*index];
		if (usable(entry->format)) {
			format_set_add(&backend->dmabuf_formats, entry->format, entry->modifier);
		}
	}
}

/* Tranches rank formats by device; the host imports those of all tranches. */
static void handle_tranche_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
}

static void handle_tranche_flags(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, uint32_t flags)
{
}

static void handle_tranche_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback)
{
}

static void handle_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback)
{
	unmap_table(data);
}

static const struct zwp_linux_dmabuf_feedback_v1_listener feedback_listener = {
	.done = handle_done,
	.format_table = handle_format_table,
	.main_device = handle_main_device,
	.tranche_done = handle_tranche_done,
	.tranche_target_device = handle_tranche_device,
	.tranche_formats = handle_tranche_formats,
	.tranche_flags = handle_tranche_flags,
};

void wayland_listen_dmabuf(struct wayland_backend *backend)
{
	if (zwp_linux_dmabuf_v1_get_version(backend->dmabuf) <
		ZWP_LINUX_DMABUF_V1_GET_DEFAULT_FEEDBACK_SINCE_VERSION) {
		zwp_linux_dmabuf_v1_add_listener(backend->dmabuf, &dmabuf_listener, backend);
		return;
	}
	backend->feedback = zwp_linux_dmabuf_v1_get_default_feedback(backend->dmabuf);
	zwp_linux_dmabuf_feedback_v1_add_listener(backend->feedback, &feedback_listener, backend);
}

void wayland_formats_finish(struct wayland_backend *backend)
{
	if (backend->feedback) {
		zwp_linux_dmabuf_feedback_v1_destroy(backend->feedback);
	}
	unmap_table(backend);
	format_set_finish(&backend->shm_formats);
	format_set_finish(&backend->dmabuf_formats);
}
