/*
 * linux-dmabuf-v1: buffers that clients render on a GPU, and which formats and layouts to use for
 * them. Feedback (version 4 and later) names a device, so it exists only where there is one.
 */

#include "linux_dmabuf.h"
#include "linux-dmabuf-v1-protocol.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 5
#define VERSION_WITHOUT_DEVICE 3

static void handle_destroy_request(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

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
	.destroy = handle_destroy_request,
	.create_params = handle_create_params,
	.get_default_feedback = handle_get_default_feedback,
	.get_surface_feedback = handle_get_surface_feedback,
};

/* Before feedback, formats are told at once. Clients of version 2 and older know no layouts. */
static void send_formats(struct wl_resource *resource, const struct format_set *formats)
{
	bool modifiers =
		wl_resource_get_version(resource) >= ZWP_LINUX_DMABUF_V1_MODIFIER_SINCE_VERSION;
	for (size_t i = 0; i < formats->n_formats; i++) {
		const struct format_modifiers *entry = &formats->formats[i];
		if (!modifiers) {
			zwp_linux_dmabuf_v1_send_format(resource, entry->format);
			continue;
		}
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			uint64_t modifier = entry->modifiers[m];
			zwp_linux_dmabuf_v1_send_modifier(resource, entry->format,
				(uint32_t)(modifier >> 32), (uint32_t)modifier);
		}
	}
}

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct linux_dmabuf *dmabuf = data;
	struct wl_resource *resource =
		wl_resource_create(client, &zwp_linux_dmabuf_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &linux_dmabuf_impl, dmabuf, NULL);
	if (version < ZWP_LINUX_DMABUF_V1_GET_DEFAULT_FEEDBACK_SINCE_VERSION) {
		send_formats(resource, &dmabuf->formats);
	}
}

/* The GPU that clients are to render on: the one that composes, else one that drives an output. */
static struct gpu *pick_gpu(const struct server *server)
{
	if (server->device.gpu) {
		return server->device.gpu;
	}
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		const struct scene_output *output = server->scene->outputs[i];
		if (output && output->output->gpu) {
			return output->output->gpu;
		}
	}
	return NULL;
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct linux_dmabuf *dmabuf = wl_container_of(listener, dmabuf, destroy);
	wl_list_remove(&dmabuf->destroy.link);
	format_set_finish(&dmabuf->formats);
	fd_close(&dmabuf->table_fd);
	free(dmabuf);
}

void linux_dmabuf_create(struct protocols *protocols)
{
	struct server *server = protocols->server;
	if (!server->device.renderer || server->device.renderer->texture_formats.n_formats == 0) {
		log_info("no dma-bufs: the renderer imports none");
		return;
	}
	struct linux_dmabuf *dmabuf = xcalloc(1, sizeof(*dmabuf));
	dmabuf->server = server;
	dmabuf->gpu = pick_gpu(server);
	dmabuf->table_fd = -1;
	format_set_copy(&dmabuf->formats, &server->device.renderer->texture_formats);
	wl_list_init(&dmabuf->feedbacks);
	dmabuf->destroy.notify = handle_destroy;
	wl_signal_add(&protocols->events.destroy, &dmabuf->destroy);
	bool feedback = dmabuf->gpu && dmabuf_feedback_init(dmabuf);
	protocols_add_global(protocols, &zwp_linux_dmabuf_v1_interface,
		feedback ? VERSION : VERSION_WITHOUT_DEVICE, dmabuf, bind, GLOBAL_PUBLIC);
}
