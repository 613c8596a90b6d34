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
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#define VERSION 1

/* Kind of file that a table is read from, which decides how to read without blocking. */
enum source {
	SOURCE_MEMORY, /* shared memory: always available */
	SOURCE_STREAM, /* a pipe or a socket: read as data arrives */
};

struct gamma {
	struct wl_resource *resource;
	struct wl_event_loop *loop;
	struct scene_output *scene_output; /* NULL: failed was sent */
	struct wl_listener gone;
	struct addon addon; /* on the output; marks the exclusive owner */
	bool changed; /* the output has a table of this object */

	/** The table being read. */
	int fd; /* -1: none */
	enum source source;
	struct wl_event_source *event; /* set while waiting for data of a stream */
	struct client_fd_task *task; /* set while another kind of file is read */
	uint16_t *table; /* with room for one extra byte */
	size_t filled; /* bytes */
};

static void destroy_addon(struct addon *addon)
{
	addon_finish(addon);
}

static const struct addon_impl addon_impl = {.name = "gamma", .destroy = destroy_addon};

static void stop_reading(struct gamma *gamma)
{
	if (gamma->event) {
		wl_event_source_remove(gamma->event);
		gamma->event = NULL;
	}
	client_fd_abandon(gamma->task);
	gamma->task = NULL;
	fd_close(&gamma->fd);
	free(gamma->table);
	gamma->table = NULL;
	gamma->filled = 0;
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

static void finish_reading(struct gamma *gamma)
{
	size_t size = table_size(gamma);
	if (gamma->filled != size) {
		wl_resource_post_error(gamma->resource, ZWLR_GAMMA_CONTROL_V1_ERROR_INVALID_GAMMA,
			"invalid size of the gamma table: this output needs %zu bytes", size);
		stop_reading(gamma);
		return;
	}
	if (!set_table(gamma, gamma->table)) {
		fail(gamma);
		return;
	}
	stop_reading(gamma);
}

static ssize_t read_some(const struct gamma *gamma)
{
	struct iovec remaining = {
		.iov_base = (char *)gamma->table + gamma->filled,
		.iov_len = table_size(gamma) + 1 - gamma->filled,
	};
	return gamma->source == SOURCE_MEMORY
		       ? preadv(gamma->fd, &remaining, 1, (off_t)gamma->filled)
		       : readv(gamma->fd, &remaining, 1);
}

static int handle_readable(int fd, uint32_t mask, void *data);

/* Returns false if waiting for more data is impossible. */
static bool wait_for_more(struct gamma *gamma, int error)
{
	if (error != EAGAIN || gamma->source != SOURCE_STREAM) {
		return error == EINTR;
	}
	if (!gamma->event) {
		gamma->event = wl_event_loop_add_fd(
			gamma->loop, gamma->fd, WL_EVENT_READABLE, handle_readable, gamma);
	}
	return gamma->event != NULL;
}

static void read_on(struct gamma *gamma)
{
	while (gamma->filled <= table_size(gamma)) {
		ssize_t n = read_some(gamma);
		if (n == 0) {
			break;
		}
		if (n > 0) {
			gamma->filled += (size_t)n;
			continue;
		}
		int error = errno;
		if (!wait_for_more(gamma, error)) {
			fail(gamma);
			return;
		}
		if (error == EAGAIN) {
			return;
		}
	}
	finish_reading(gamma);
}

static int handle_readable(int fd, uint32_t mask, void *data)
{
	read_on(data);
	return 0;
}

static void handle_read(void *owner, char *data, ssize_t length, size_t size)
{
	struct gamma *gamma = owner;
	gamma->task = NULL;
	if (length < 0) {
		fail(gamma);
		return;
	}
	gamma->table = (uint16_t *)(void *)data;
	gamma->filled = (size_t)length;
	finish_reading(gamma);
}

static void handle_set_gamma(struct wl_client *client, struct wl_resource *resource, int32_t fd)
{
	struct gamma *gamma = wl_resource_get_user_data(resource);
	stop_reading(gamma);
	if (!gamma->scene_output) {
		client_fd_close(client, fd);
		return;
	}
	bool memory = fd_is_memory(fd);
	if (!memory && !fd_is_pipe(fd) && !fd_is_local_socket(fd)) {
		gamma->task = client_fd_read(client, fd, table_size(gamma) + 1, handle_read, gamma);
		return;
	}
	gamma->fd = fd;
	gamma->source = memory ? SOURCE_MEMORY : SOURCE_STREAM;
	if (!memory && !fd_set_nonblocking(fd)) {
		fail(gamma);
		return;
	}
	gamma->table = xcalloc(1, table_size(gamma) + sizeof(*gamma->table));
	read_on(gamma);
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static const struct zwlr_gamma_control_v1_interface control_implementation = {
	.set_gamma = handle_set_gamma,
	.destroy = handle_destroy,
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
	struct wl_resource *created = wl_resource_create(
		client, &zwlr_gamma_control_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct gamma *gamma = xcalloc(1, sizeof(*gamma));
	gamma->resource = created;
	gamma->loop = protocols->server->loop;
	gamma->fd = -1;
	wl_resource_set_implementation(
		created, &control_implementation, gamma, handle_resource_destroy);
	struct scene_output *scene_output = output_from_resource(output_resource);
	if (!scene_output || scene_output->output->gamma_size == 0 ||
		addon_find(&scene_output->output->addons, protocols, &addon_impl)) {
		zwlr_gamma_control_v1_send_failed(created);
		return;
	}
	gamma->scene_output = scene_output;
	addon_init(&gamma->addon, &scene_output->output->addons, protocols, &addon_impl);
	gamma->gone.notify = handle_gone;
	wl_signal_add(&scene_output->events.destroy, &gamma->gone);
	zwlr_gamma_control_v1_send_gamma_size(created, scene_output->output->gamma_size);
}

static const struct zwlr_gamma_control_manager_v1_interface implementation = {
	.get_gamma_control = handle_get_gamma_control,
	.destroy = handle_destroy,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &zwlr_gamma_control_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

void wlr_gamma_control_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zwlr_gamma_control_manager_v1_interface, VERSION,
		protocols, bind, GLOBAL_PRIVILEGED);
}
