/* SPDX-License-Identifier: MIT */
/*
 * Feedback of linux-dmabuf-v1: the device to render on, and its formats and modifiers in order of
 * preference. Feedback objects of surfaces are updated as the surface moves between outputs and
 * planes.
 */

#include "backend/output.h"
#include "linux-dmabuf-v1-protocol.h"
#include "linux_dmabuf.h"
#include "planes/scanout.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Maximum number of indices per event: a Wayland message has at most 4096 bytes. */
#define INDICES_PER_EVENT 1024

struct dmabuf_feedback {
	struct wl_list link; /* linux_dmabuf.feedbacks */
	struct linux_dmabuf *dmabuf;
	struct wl_resource *resource;
	const struct client *client;
	struct dmabuf_device *device; /* as sent last */
	bool is_default; /* otherwise of a surface */
	struct surface *surface; /* NULL for default feedback, or if the surface is destroyed */
	bool copied; /* as sent last: buffers are presented by copies */
	struct wl_listener surface_destroy, surface_outputs, candidate;
};

static void send_some_indices(const struct dmabuf_feedback *feedback, uint16_t *indices, size_t n)
{
	struct wl_array array = {
		.size = n * sizeof(indices[0]),
		.alloc = n * sizeof(indices[0]),
		.data = indices,
	};
	if (n > 0) {
		zwp_linux_dmabuf_feedback_v1_send_tranche_formats(feedback->resource, &array);
	}
}

/*
 * Sends the indices of the pairs, which the table has from the position `at`, or of those that are
 * also in `only` and `copied` (NULL: all).
 */
static void send_indices(const struct dmabuf_feedback *feedback, const struct format_set *formats,
	size_t at, const struct format_set *only, const struct format_set *copied)
{
	uint16_t indices[INDICES_PER_EVENT];
	size_t n = 0, end = feedback->device->table_size / DMABUF_TABLE_PAIR_SIZE;
	for (size_t i = 0; i < formats->n_formats; i++) {
		const struct format_modifiers *entry = &formats->formats[i];
		for (size_t m = 0; m < entry->n_modifiers && at < end; m++, at++) {
			uint64_t modifier = entry->modifiers[m];
			if ((only && !format_set_has(only, entry->format, modifier)) ||
				(copied && !format_set_has(copied, entry->format, modifier))) {
				continue;
			}
			indices[n++] = (uint16_t)at;
			if (n == INDICES_PER_EVENT) {
				send_some_indices(feedback, indices, n);
				n = 0;
			}
		}
	}
	send_some_indices(feedback, indices, n);
}

static void begin_tranche(const struct dmabuf_feedback *feedback, dev_t dev, uint32_t flags)
{
	struct wl_array array = {.size = sizeof(dev), .alloc = sizeof(dev), .data = &dev};
	zwp_linux_dmabuf_feedback_v1_send_tranche_target_device(feedback->resource, &array);
	zwp_linux_dmabuf_feedback_v1_send_tranche_flags(feedback->resource, flags);
}

/* Sends a tranche of the client's own device. */
static void send_tranche(
	const struct dmabuf_feedback *feedback, uint32_t flags, const struct format_set *only)
{
	const struct dmabuf_device *device = feedback->device;
	begin_tranche(feedback, device->dev, flags);
	send_indices(
		feedback, &device->formats, 0, only, feedback->copied ? &device->copied : NULL);
	zwp_linux_dmabuf_feedback_v1_send_tranche_done(feedback->resource);
}

/* Sends a tranche of each other GPU, for clients that choose one. */
static void send_others(const struct dmabuf_feedback *feedback)
{
	const struct dmabuf_device *device = feedback->device, *other;
	size_t at = dmabuf_count_pairs(&device->formats);
	wl_list_for_each (other, &feedback->dmabuf->devices, link) {
		if (other != device && other->offer.n_formats > 0) {
			begin_tranche(feedback, other->dev,
				ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SAMPLING);
			send_indices(feedback, &other->offer, at, NULL, NULL);
			zwp_linux_dmabuf_feedback_v1_send_tranche_done(feedback->resource);
			at += dmabuf_count_pairs(&other->offer);
		}
	}
}

/*
 * Since version 6, flags say of each tranche whether its device samples; there is no main device.
 */
static bool chooses_device(const struct dmabuf_feedback *feedback)
{
	return wl_resource_get_version(feedback->resource) >=
	       ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SAMPLING_SINCE_VERSION;
}

/*
 * Returns the formats of a plane that could scan out the surface, on the GPU that its client
 * renders on.
 */
static const struct format_set *scan_out_formats(const struct dmabuf_feedback *feedback)
{
	if (!feedback->surface) {
		return NULL;
	}
	const struct output *output;
	const struct plane *plane =
		scanout_candidate_plane(scanout_candidate_get(feedback->surface), &output);
	return plane && output->gpu && output->gpu == feedback->device->gpu ? &plane->formats
									    : NULL;
}

static void send(const struct dmabuf_feedback *feedback)
{
	const struct dmabuf_device *device = feedback->device;
	struct wl_resource *resource = feedback->resource;
	dev_t dev = device->dev;
	struct wl_array array = {.size = sizeof(dev), .alloc = sizeof(dev), .data = &dev};
	uint32_t flags = 0;
	if (chooses_device(feedback)) {
		flags = ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SAMPLING;
	} else {
		zwp_linux_dmabuf_feedback_v1_send_main_device(resource, &array);
	}
	client_charge_queued_descriptor(wl_resource_get_client(resource));
	zwp_linux_dmabuf_feedback_v1_send_format_table(
		resource, device->table_fd, device->table_size);
	const struct format_set *scan_out = scan_out_formats(feedback);
	if (scan_out) {
		send_tranche(feedback, flags | ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SCANOUT,
			scan_out);
	}
	send_tranche(feedback, flags, NULL);
	if (chooses_device(feedback)) {
		send_others(feedback);
	}
	zwp_linux_dmabuf_feedback_v1_send_done(resource);
}

static const struct zwp_linux_dmabuf_feedback_v1_interface feedback_impl = {
	.destroy = resource_handle_destroy,
};

static void forget_surface(struct dmabuf_feedback *feedback)
{
	if (feedback->surface) {
		wl_list_remove(&feedback->surface_destroy.link);
		wl_list_remove(&feedback->surface_outputs.link);
		wl_list_remove(&feedback->candidate.link);
		feedback->surface = NULL;
	}
}

static void send_current(struct dmabuf_feedback *feedback);
static bool is_copied(const struct dmabuf_feedback *feedback);

/*
 * Pairs that copies cannot read are announced or withdrawn as the surface moves to an output of
 * another GPU or back.
 */
static void handle_surface_outputs(struct wl_listener *listener, void *data)
{
	struct dmabuf_feedback *feedback = wl_container_of(listener, feedback, surface_outputs);
	if (is_copied(feedback) != feedback->copied) {
		send_current(feedback);
	}
}

static void handle_candidate(struct wl_listener *listener, void *data)
{
	struct dmabuf_feedback *feedback = wl_container_of(listener, feedback, candidate);
	send_current(feedback);
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct dmabuf_feedback *feedback = wl_container_of(listener, feedback, surface_destroy);
	forget_surface(feedback);
}

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct dmabuf_feedback *feedback = wl_resource_get_user_data(resource);
	forget_surface(feedback);
	wl_list_remove(&feedback->link);
	free(feedback);
}

/**
 * Returns true if an output that shows the surface belongs to another GPU. A surface on no output
 * counts as shown on all.
 */
static bool is_copied(const struct dmabuf_feedback *feedback)
{
	const struct server *server = feedback->dmabuf->server;
	const struct gpu *own = feedback->device->gpu, *display = server_display_gpu(server);
	uint32_t outputs = feedback->surface ? feedback->surface->outputs : 0;
	if (!own || outputs == 0) {
		return feedback->device->is_copied;
	}
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = server->scene->outputs[i];
		if (output && outputs & 1u << i) {
			const struct gpu *gpu = output->output->gpu;
			if ((gpu ? gpu : display) != own) {
				return true;
			}
		}
	}
	return false;
}

/** Sends the feedback. Without a format table nothing is sent. */
static void send_current(struct dmabuf_feedback *feedback)
{
	feedback->copied = is_copied(feedback);
	if (dmabuf_device_share(feedback->device)) {
		send(feedback);
	}
}

void dmabuf_feedback_create(struct linux_dmabuf *dmabuf, struct wl_resource *parent, uint32_t id,
	struct surface *surface)
{
	struct wl_client *client = wl_resource_get_client(parent);
	struct dmabuf_feedback *feedback = xcalloc(1, sizeof(*feedback));
	struct wl_resource *resource =
		resource_create_child(parent, &zwp_linux_dmabuf_feedback_v1_interface, id,
			&feedback_impl, feedback, handle_resource_destroy);
	if (!resource) {
		return;
	}
	feedback->dmabuf = dmabuf;
	feedback->resource = resource;
	feedback->client = client_from_wl(client);
	feedback->device = dmabuf_device_get(dmabuf, feedback->client->gpu);
	feedback->is_default = !surface;
	feedback->surface = surface;
	if (surface) {
		signal_add(&surface->events.destroy, &feedback->surface_destroy,
			handle_surface_destroy);
		signal_add(&surface->events.outputs, &feedback->surface_outputs,
			handle_surface_outputs);
		signal_add(&scanout_candidate_get(surface)->events.changed, &feedback->candidate,
			handle_candidate);
	}
	wl_list_insert(&dmabuf->feedbacks, &feedback->link);
	if (chooses_device(feedback)) {
		dmabuf_devices_prepare_others(dmabuf);
	}
	send_current(feedback);
}

void dmabuf_feedback_resend(
	struct linux_dmabuf *dmabuf, const struct dmabuf_device *device, bool others)
{
	struct dmabuf_feedback *feedback;
	wl_list_for_each (feedback, &dmabuf->feedbacks, link) {
		if (feedback->device == device && (!others || chooses_device(feedback))) {
			send_current(feedback);
		}
	}
}

/*
 * Clients that keep default feedback watch it for a change of GPU. Surface feedback stays with the
 * client's current GPU: a surface on a device other than the first makes Mesa give up native
 * modifiers.
 */
void dmabuf_feedback_client_changed(struct linux_dmabuf *dmabuf, const struct client *client)
{
	struct dmabuf_feedback *feedback;
	wl_list_for_each (feedback, &dmabuf->feedbacks, link) {
		if (feedback->client != client) {
			continue;
		}
		struct gpu *gpu = feedback->is_default ? client->next_gpu : client->gpu;
		struct dmabuf_device *device = dmabuf_device_get(dmabuf, gpu ? gpu : client->gpu);
		if (device != feedback->device) {
			feedback->device = device;
			send_current(feedback);
		}
	}
}
