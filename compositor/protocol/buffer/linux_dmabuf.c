/* SPDX-License-Identifier: MIT */
/*
 * linux-dmabuf-v1: dma-bufs that clients render to on a GPU, and the supported formats and
 * modifiers. Feedback (version 4 and later) names a device, so only clients that have a GPU see it.
 */

#include "linux_dmabuf.h"
#include "content/device.h"
#include "gpu/gpu.h"
#include "linux-dmabuf-v1-protocol.h"
#include "scene/scene.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <unistd.h>

#define VERSION_WITHOUT_DEVICE 3

static void handle_create_params(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	dmabuf_params_create(wl_resource_get_user_data(resource), resource, id);
}

static void handle_get_default_feedback(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	dmabuf_feedback_create(wl_resource_get_user_data(resource), resource, id, NULL);
}

static void handle_get_surface_feedback(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface_resource)
{
	dmabuf_feedback_create(wl_resource_get_user_data(resource), resource, id,
		surface_from_resource(surface_resource));
}

static const struct zwp_linux_dmabuf_v1_interface linux_dmabuf_impl = {
	.destroy = resource_handle_destroy,
	.create_params = handle_create_params,
	.get_default_feedback = handle_get_default_feedback,
	.get_surface_feedback = handle_get_surface_feedback,
};

/* Before feedback existed, formats are sent on bind. */
static void send_formats(struct wl_resource *resource, const struct format_set *pairs)
{
	for (size_t i = 0; i < pairs->n_formats; i++) {
		zwp_linux_dmabuf_v1_send_format(resource, pairs->formats[i].format);
	}
}

/* Sends the pairs that `before` lacks. */
static void send_modifiers(struct wl_resource *resource, const struct format_set *pairs,
	const struct format_set *before)
{
	for (size_t i = 0; i < pairs->n_formats; i++) {
		const struct format_modifiers *entry = &pairs->formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			uint64_t modifier = entry->modifiers[m];
			if (!format_set_has(before, entry->format, modifier)) {
				zwp_linux_dmabuf_v1_send_modifier(resource, entry->format,
					(uint32_t)(modifier >> 32), (uint32_t)modifier);
			}
		}
	}
}

static void send_added(const struct dmabuf_device *device, const struct format_set *before)
{
	const struct format_set *pairs = dmabuf_device_pairs(device);
	struct wl_resource *resource;
	wl_resource_for_each (resource, &device->dmabuf->without_feedback) {
		if (client_from_wl(wl_resource_get_client(resource))->gpu == device->gpu) {
			send_modifiers(resource, pairs, before);
		}
	}
}

static void bind(struct wl_resource *resource, void *data)
{
	struct linux_dmabuf *dmabuf = data;
	wl_resource_set_implementation(resource, &linux_dmabuf_impl, dmabuf, resource_unlink);
	wl_list_init(wl_resource_get_link(resource));
	int version = wl_resource_get_version(resource);
	if (version >= ZWP_LINUX_DMABUF_V1_GET_DEFAULT_FEEDBACK_SINCE_VERSION) {
		return;
	}
	const struct dmabuf_device *device =
		dmabuf_device_get(dmabuf, client_from_wl(wl_resource_get_client(resource))->gpu);
	const struct format_set *pairs = dmabuf_device_pairs(device);
	if (version < ZWP_LINUX_DMABUF_V1_MODIFIER_SINCE_VERSION) {
		send_formats(resource, pairs);
		return;
	}
	const struct format_set none = {0};
	send_modifiers(resource, pairs, &none);
	wl_list_insert(&dmabuf->without_feedback, wl_resource_get_link(resource));
}

static void handle_rules_changed(struct wl_listener *listener, void *data)
{
	struct linux_dmabuf *dmabuf = wl_container_of(listener, dmabuf, rules_changed);
	dmabuf_devices_prepare(dmabuf);
	/*
	 * A reload may change the allowed copy engines, too, and so the formats that can be copied.
	 */
	dmabuf_devices_update(dmabuf);
}

/** The set of modifiers that can be copied may have changed. */
static void handle_engines_changed(struct wl_listener *listener, void *data)
{
	struct linux_dmabuf *dmabuf = wl_container_of(listener, dmabuf, engines_changed);
	dmabuf_devices_update(dmabuf);
}

static void handle_client_gpu(struct wl_listener *listener, void *data)
{
	struct linux_dmabuf *dmabuf = wl_container_of(listener, dmabuf, client_gpu);
	dmabuf_feedback_client_changed(dmabuf, data);
}

/*
 * Clients allocate dma-bufs on a GPU or with udmabuf. If neither is available, the global must be
 * hidden: programs that prefer dma-bufs to shared memory would fail later, without a buffer to
 * show.
 */
static bool can_have_dmabufs(const struct server *server)
{
	return !wl_list_empty(&server->gpus->gpus) || server->options->memfd_dmabufs ||
	       access("/dev/udmabuf", R_OK | W_OK) == 0;
}

/* Announces the global once; it stays announced if the GPU is removed. */
static void announce(struct linux_dmabuf *dmabuf)
{
	const struct renderer *renderer = dmabuf->server->device->renderer;
	if (dmabuf->announced || !can_have_dmabufs(dmabuf->server) || !renderer ||
		renderer->texture_formats.n_formats == 0) {
		return;
	}
	dmabuf->announced = true;
	/* Each client sees one of the two: see globals.c. */
	protocols_add_custom_global(
		dmabuf->protocols, &zwp_linux_dmabuf_v1_interface, 6, bind, dmabuf, GLOBAL_PUBLIC);
	protocols_add_custom_global(dmabuf->protocols, &zwp_linux_dmabuf_v1_interface,
		VERSION_WITHOUT_DEVICE, bind, dmabuf, GLOBAL_PUBLIC);
	wl_drm_create(dmabuf);
}

/** The composing GPU may have changed. */
static void handle_gpus_changed(struct wl_listener *listener, void *data)
{
	struct linux_dmabuf *dmabuf = wl_container_of(listener, dmabuf, gpus_changed);
	announce(dmabuf);
	if (dmabuf->chosen) {
		dmabuf_devices_prepare_others(dmabuf);
	}
	dmabuf_devices_update(dmabuf);
}

/** A GPU may have started or stopped driving outputs. */
static void handle_outputs_changed(struct wl_listener *listener, void *data)
{
	struct linux_dmabuf *dmabuf = wl_container_of(listener, dmabuf, outputs_changed);
	dmabuf_devices_update(dmabuf);
}

/** The renderer may show other formats. */
static void handle_renderer_restored(struct wl_listener *listener, void *data)
{
	struct linux_dmabuf *dmabuf = wl_container_of(listener, dmabuf, renderer_restored);
	announce(dmabuf);
	dmabuf_devices_update(dmabuf);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct linux_dmabuf *dmabuf = wl_container_of(listener, dmabuf, destroy);
	wl_list_remove(&dmabuf->rules_changed.link);
	wl_list_remove(&dmabuf->client_gpu.link);
	wl_list_remove(&dmabuf->gpus_changed.link);
	wl_list_remove(&dmabuf->outputs_changed.link);
	wl_list_remove(&dmabuf->renderer_restored.link);
	wl_list_remove(&dmabuf->engines_changed.link);
	wl_list_remove(&dmabuf->destroy.link);
	dmabuf_devices_finish(dmabuf);
	dmabuf_proofs_finish(dmabuf);
	free(dmabuf);
}

void linux_dmabuf_create(struct protocols *protocols)
{
	struct server *server = protocols->server;
	const struct renderer *renderer = server->device->renderer;
	if (!renderer || (renderer->texture_formats.n_formats == 0 && !renderer->uncertain)) {
		log_info("dma-bufs are disabled: the renderer cannot import them");
		return;
	}
	struct linux_dmabuf *dmabuf = xcalloc(1, sizeof(*dmabuf));
	dmabuf->protocols = protocols;
	dmabuf->server = server;
	dmabuf->pairs_changed = send_added;
	dmabuf->device_changed = dmabuf_feedback_resend;
	wl_list_init(&dmabuf->devices);
	wl_list_init(&dmabuf->feedbacks);
	wl_list_init(&dmabuf->without_feedback);
	wl_list_init(&dmabuf->proofs);
	signal_add(&protocols->events.rules_changed, &dmabuf->rules_changed, handle_rules_changed);
	signal_add(&protocols->events.client_gpu, &dmabuf->client_gpu, handle_client_gpu);
	signal_add(&server->gpus->events.changed, &dmabuf->gpus_changed, handle_gpus_changed);
	signal_add(
		&server->events.outputs_changed, &dmabuf->outputs_changed, handle_outputs_changed);
	signal_add(&server->events.renderer_restored, &dmabuf->renderer_restored,
		handle_renderer_restored);
	signal_add(
		&server->copier->events.engines, &dmabuf->engines_changed, handle_engines_changed);
	signal_add(&protocols->events.destroy, &dmabuf->destroy, handle_destroy);
	dmabuf_devices_prepare(dmabuf);
	announce(dmabuf);
	if (!can_have_dmabufs(server)) {
		log_info("dma-bufs are disabled: no GPU and no udmabuf device found");
	}
}
