/* SPDX-License-Identifier: MIT */
/* zwlr_output_power_management: switching screens off and on. */

#include "protocol/protocol.h"
#include "protocol/server_output.h"
#include "util/xalloc.h"
#include "wlr-output-power-management-unstable-v1-protocol.h"
#include <stdlib.h>

struct power {
	struct wl_resource *resource;
	struct server_output *output; /* NULL: failed was sent, since the output is gone */
	struct wl_listener changed, gone;
};

static void send_mode(struct power *power)
{
	zwlr_output_power_v1_send_mode(power->resource,
		power->output->dark ? ZWLR_OUTPUT_POWER_V1_MODE_OFF : ZWLR_OUTPUT_POWER_V1_MODE_ON);
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct power *power = wl_container_of(listener, power, changed);
	send_mode(power);
}

static void let_go(struct power *power)
{
	if (power->output) {
		wl_list_remove(&power->changed.link);
		wl_list_remove(&power->gone.link);
		power->output = NULL;
	}
}

static void handle_gone(struct wl_listener *listener, void *data)
{
	struct power *power = wl_container_of(listener, power, gone);
	let_go(power);
	zwlr_output_power_v1_send_failed(power->resource);
}

static void handle_set_mode(struct wl_client *client, struct wl_resource *resource, uint32_t mode)
{
	struct power *power = wl_resource_get_user_data(resource);
	if (mode > ZWLR_OUTPUT_POWER_V1_MODE_ON) {
		wl_resource_post_error(resource, ZWLR_OUTPUT_POWER_V1_ERROR_INVALID_MODE,
			"invalid power mode %u", mode);
		return;
	}
	if (power->output) {
		const struct server_impl *impl = power->output->server->impl;
		impl->output_set_power(power->output, mode == ZWLR_OUTPUT_POWER_V1_MODE_ON);
	}
}

static const struct zwlr_output_power_v1_interface power_implementation = {
	.set_mode = handle_set_mode,
	.destroy = resource_handle_destroy,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct power *power = wl_resource_get_user_data(resource);
	let_go(power);
	free(power);
}

/* Returns NULL if the output is gone. */
static struct server_output *find_output(struct server *server, struct wl_resource *resource)
{
	const struct scene_output *scene_output = output_from_resource(resource);
	struct server_output *output;
	wl_list_for_each (output, &server->outputs, link) {
		if (scene_output && output->scene_output == scene_output) {
			return output;
		}
	}
	return NULL;
}

static void handle_get_output_power(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *output_resource)
{
	const struct protocols *protocols = wl_resource_get_user_data(resource);
	struct power *power = xcalloc(1, sizeof(*power));
	struct wl_resource *created =
		resource_create_child(resource, &zwlr_output_power_v1_interface, id,
			&power_implementation, power, handle_resource_destroy);
	if (!created) {
		return;
	}
	power->resource = created;
	power->output = find_output(protocols->server, output_resource);
	if (!power->output) {
		zwlr_output_power_v1_send_failed(created);
		return;
	}
	signal_add(&power->output->events.power, &power->changed, handle_changed);
	signal_add(&power->output->scene_output->events.destroy, &power->gone, handle_gone);
	send_mode(power);
}

static const struct zwlr_output_power_manager_v1_interface implementation = {
	.get_output_power = handle_get_output_power,
	.destroy = resource_handle_destroy,
};

void wlr_output_power_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zwlr_output_power_manager_v1_interface, 1, &implementation,
		protocols, GLOBAL_PRIVILEGED);
}
