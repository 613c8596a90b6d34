/* SPDX-License-Identifier: MIT */
/* zwlr_gamma_control: gamma tables of outputs, each set by one client at a time. */

#include "backend/output.h"
#include "protocol/client/client_fd.h"
#include "protocol/protocol.h"
#include "scene/output.h"
#include "util/addon.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include "wlr-gamma-control-unstable-v1-protocol.h"
#include <stdlib.h>
#include <unistd.h>

struct gamma {
	struct wl_resource *resource;
	struct scene_output *scene_output; /* NULL: failed was sent */
	struct wl_listener gone;
	struct addon addon; /* on the output; marks the exclusive owner */
	bool changed; /* the output has a table of this object */

	struct client_fd_task *reading; /* the next table; NULL: none is read */
};

static void destroy_addon(struct addon *addon)
{
	addon_finish(addon);
}

static const struct addon_impl addon_impl = {.name = "gamma", .destroy = destroy_addon};

static void stop_reading(struct gamma *gamma)
{
	client_fd_abandon(gamma->reading);
	gamma->reading = NULL;
}

/* Sets the table. NULL restores the original one. */
static bool set_table(struct gamma *gamma, const uint16_t *table)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_GAMMA;
	state.gamma = table;
	if (output_commit(gamma->scene_output->output, &state) == 0) {
		return false;
	}
	gamma->changed = table != NULL;
	return true;
}

static void let_go(struct gamma *gamma)
{
	stop_reading(gamma);
	if (!gamma->scene_output) {
		return;
	}
	if (gamma->changed) {
		set_table(gamma, NULL);
	}
	wl_list_remove(&gamma->gone.link);
	addon_finish(&gamma->addon);
	gamma->scene_output = NULL;
}

static void fail(struct gamma *gamma)
{
	let_go(gamma);
	zwlr_gamma_control_v1_send_failed(gamma->resource);
}

static void handle_gone(struct wl_listener *listener, void *data)
{
	struct gamma *gamma = wl_container_of(listener, gamma, gone);
	let_go(gamma);
	zwlr_gamma_control_v1_send_failed(gamma->resource);
}

static size_t table_size(const struct gamma *gamma)
{
	return 3 * sizeof(uint16_t) * gamma->scene_output->output->gamma_size;
}

/* Returns false after posting an error. */
static bool use_table(struct gamma *gamma, const uint16_t *table, size_t length)
{
	const size_t size = table_size(gamma);
	if (length != size) {
		wl_resource_post_error(gamma->resource, ZWLR_GAMMA_CONTROL_V1_ERROR_INVALID_GAMMA,
			"invalid size of the gamma table: this output needs %zu bytes", size);
		return false;
	}
	if (!set_table(gamma, table)) {
		fail(gamma);
	}
	return true;
}

static void handle_read(void *owner, char *data, ssize_t length, size_t size)
{
	struct gamma *gamma = owner;
	bool valid = true;
	gamma->reading = NULL;
	if (length < 0) {
		fail(gamma);
	} else {
		valid = use_table(gamma, (uint16_t *)(void *)data, (size_t)length);
	}
	free(data);
	if (!valid) {
		client_fd_disconnect(wl_resource_get_client(gamma->resource));
	}
}

/*
 * Reads shared memory, which never waits for another program, with an extra byte for longer files.
 */
static void read_memory(struct gamma *gamma, int fd)
{
	uint16_t *table = xcalloc(1, table_size(gamma) + sizeof(*table));
	ssize_t length = pread(fd, table, table_size(gamma) + 1, 0);
	if (length < 0) {
		fail(gamma);
	} else {
		use_table(gamma, table, (size_t)length);
	}
	free(table);
}

static void handle_set_gamma(struct wl_client *client, struct wl_resource *resource, int32_t fd)
{
	struct gamma *gamma = wl_resource_get_user_data(resource);
	stop_reading(gamma);
	if (!gamma->scene_output) {
		client_fd_close(client, fd);
	} else if (fd_is_memory(fd)) {
		read_memory(gamma, fd);
		close(fd);
	} else {
		gamma->reading =
			client_fd_read(client, fd, table_size(gamma) + 1, handle_read, gamma);
	}
}

static const struct zwlr_gamma_control_v1_interface control_implementation = {
	.set_gamma = handle_set_gamma,
	.destroy = resource_handle_destroy,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct gamma *gamma = wl_resource_get_user_data(resource);
	let_go(gamma);
	free(gamma);
}

static void handle_get_gamma_control(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *output_resource)
{
	const struct protocols *protocols = wl_resource_get_user_data(resource);
	struct gamma *gamma = xcalloc(1, sizeof(*gamma));
	struct wl_resource *created =
		resource_create_child(resource, &zwlr_gamma_control_v1_interface, id,
			&control_implementation, gamma, handle_resource_destroy);
	if (!created) {
		return;
	}
	gamma->resource = created;
	struct scene_output *scene_output = output_from_resource(output_resource);
	if (!scene_output || scene_output->output->gamma_size == 0 ||
		addon_find(&scene_output->output->addons, protocols, &addon_impl)) {
		zwlr_gamma_control_v1_send_failed(created);
		return;
	}
	gamma->scene_output = scene_output;
	addon_init(&gamma->addon, &scene_output->output->addons, protocols, &addon_impl);
	signal_add(&scene_output->events.destroy, &gamma->gone, handle_gone);
	zwlr_gamma_control_v1_send_gamma_size(created, scene_output->output->gamma_size);
}

static const struct zwlr_gamma_control_manager_v1_interface implementation = {
	.get_gamma_control = handle_get_gamma_control,
	.destroy = resource_handle_destroy,
};

void wlr_gamma_control_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zwlr_gamma_control_manager_v1_interface, 1,
		&implementation, protocols, GLOBAL_PRIVILEGED);
}
